"""What the trace in a log says: which task was on which CPU and when, round by round.

Fails where events do not fit together, so whoever uses it has checked that they do.
"""

from collections import defaultdict
from dataclasses import dataclass, field

CLOSING = {"preempt", "block", "end"}


@dataclass(frozen=True)
class Stay:
    """A task's time on a CPU, from one switch to the next; in ns."""

    pid: int
    cpu: int
    core: int
    begin: int
    end: int


@dataclass
class Round:
    """What is between two marks."""

    name: str
    begin: int
    end: int = None
    events: list = field(default_factory=list)   # of all CPUs, without the marks
    stays: list = field(default_factory=list)

    def of(self, kind, pid=None):
        return [event for event in self.events
                if event["event"] == kind and pid in (None, event["pid"])]

    def end_of(self, pid):
        """When the task ended."""
        event, = self.of("end", pid)
        return event["ns"]

    def states(self):
        """(from ns, to ns, {core: [stays]}) of every time in which the same tasks run on the same
        CPUs; cores with nothing to run are left out."""
        times = sorted({ns for stay in self.stays for ns in (stay.begin, stay.end)})
        for begin, end in zip(times, times[1:]):
            busy = defaultdict(list)
            for stay in self.stays:
                if stay.begin <= begin and end <= stay.end:
                    busy[stay.core].append(stay)
            yield begin, end, dict(busy)


def core_of(log):
    """{CPU: core}."""
    return {cpu["cpu"]: cpu["core"] for cpu in log.of("cpu")}


def per_cpu(log):
    """Each CPU's events in their order."""
    events = {cpu["cpu"]: [] for cpu in log.of("cpu")}
    for event in log.of("trace"):
        events[event["cpu"]].append(event)
    return events


def stays_of(log):
    """Each stay of a task on a CPU."""
    found, cores = [], core_of(log)
    for cpu, events in per_cpu(log).items():
        running = None
        for event, following in zip(events, events[1:] + [None]):
            if event["event"] == "dispatch":
                assert running is None, event.text
                running = event
            elif event["event"] in CLOSING:
                assert running is not None and running["pid"] == event["pid"], event.text
                assert following is not None, event.text
                assert following["event"] in ("dispatch", "migrate", "idle"), event.text
                assert following["ns"] == event["ns"], event.text
                found.append(Stay(event["pid"], cpu, cores[cpu], running["ns"], event["ns"]))
                running = None
            elif event["event"] == "idle":
                assert running is None, event.text
        assert running is None
    return found


def rounds_of(log):
    """The rounds by their names. A task that runs on across a mark is in both rounds."""
    rounds, current = {}, None
    for event in log.of("trace"):
        if event["event"] != "mark":
            if current is not None:
                current.events.append(event)
        elif event["what"] == "end":
            current.end = event["ns"]
            current = None
        else:
            assert current is None and event["what"] not in rounds, event.text
            current = rounds[event["what"]] = Round(event["what"], event["ns"])
    for stay in stays_of(log):
        for each in rounds.values():
            if stay.begin < each.end and stay.end > each.begin:
                each.stays.append(stay)
    return rounds
