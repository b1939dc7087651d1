"""A trace as JSON in the Trace Event Format, which Perfetto and chrome://tracing open.

Each core is a process, each of its CPUs a thread of it; one more process has the rounds and the
counters of the whole machine. Times are microseconds with three decimals, so whole ns.
"""

import json

from .parts import MISSING
from .sharing import usage_of

# Process 0 and thread 0 are the idle task to Perfetto.
MACHINE = 1
FIRST_CORE = 100
FIRST_CPU = 1000

# Names for colours that chrome://tracing has; Perfetto colours by name by itself.
COLOURS = ("thread_state_running", "thread_state_iowait", "rail_animation", "rail_load", "olive",
           "thread_state_runnable", "rail_response", "startup", "cq_build_running",
           "light_memory_dump")
UNKNOWN_COLOUR = "grey"
INSTANTS = ("wake", "ipi", "fault", "migrate", "start")


def us(ns):
    return ns / 1000


class Tracks:
    """Where the CPUs of a trace go."""

    def __init__(self, trace):
        self.trace = trace

    def of(self, cpu):
        return {"pid": FIRST_CORE + self.trace.core_of(cpu), "tid": FIRST_CPU + cpu}

    def names(self):
        """Metadata events: names and order."""
        yield from named("process", "machine", 0, pid=MACHINE)
        yield from named("thread", "rounds", 0, pid=MACHINE, tid=MACHINE)
        for index, core in enumerate(self.trace.cores):
            yield from named("process", core.name, index + 1, pid=FIRST_CORE + index)
            for place, cpu in enumerate(core.cpus):
                yield from named("thread", f"CPU {cpu}", place, **self.of(cpu))


def named(what, name, order, **track):
    yield {"ph": "M", "name": f"{what}_name", **track, "args": {"name": name}}
    yield {"ph": "M", "name": f"{what}_sort_index", **track, "args": {"sort_index": order}}


def slices(trace, tracks):
    """One complete event for each stretch in which a task was on a CPU."""
    names = sorted({task.name for task in trace.tasks})
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}
    for interval in trace.intervals:
        args = {"pid": interval.task.pid, "task": interval.task.name, "ended": interval.why}
        if interval.origin is not None:
            args["from_cpu"] = interval.origin
        if interval.why in MISSING:
            args["note"] = "the event that ends this is missing"
        yield {"ph": "X", "name": str(interval.task), "cat": "dispatch",
               "ts": us(interval.begin), "dur": us(interval.end - interval.begin),
               **tracks.of(interval.cpu), "cname": colours[interval.task.name], "args": args}
    for stretch in trace.unknown:
        yield {"ph": "X", "name": "unknown: events are missing", "cat": "unknown",
               "ts": us(stretch.begin), "dur": us(stretch.end - stretch.begin),
               **tracks.of(stretch.cpu), "cname": UNKNOWN_COLOUR, "args": {}}


def instants(trace, tracks):
    for event in trace.events:
        if event.kind not in INSTANTS:
            continue
        args = {"pid": event.pid, "task": event.text, "to_cpu": event.to,
                "from_cpu": event.origin, "vector": event.vector}
        yield {"ph": "i", "s": "t", "name": event.kind, "cat": event.kind, "ts": us(event.ns),
               **tracks.of(event.cpu),
               "args": {key: value for key, value in args.items() if value is not None}}


def flows(trace, tracks):
    """An arrow from where a task was to where it goes on, if that is another CPU."""
    last, number = {}, 0
    for interval in sorted(trace.intervals, key=lambda each: (each.begin, each.cpu)):
        before = last.get(id(interval.task))
        last[id(interval.task)] = interval
        # An arrow begins within the slice it belongs to, so not at the very end.
        if before is None or before.cpu == interval.cpu or before.end == before.begin:
            continue
        number += 1
        common = {"name": "moves", "cat": "move", "id": number}
        yield {"ph": "s", **common, "ts": us(before.end - 1), **tracks.of(before.cpu)}
        yield {"ph": "f", "bp": "e", **common, "ts": us(interval.begin),
               **tracks.of(interval.cpu)}


def counters(trace):
    usage = usage_of(trace)
    for index, steps in enumerate(usage.steps):
        for ns, busy in steps:
            yield {"ph": "C", "name": "busy threads", "ts": us(ns), "pid": FIRST_CORE + index,
                   "args": {"busy": busy}}
    for name, steps in (("shared cores", usage.sharing),
                        ("cores shared while another is idle", usage.avoidable)):
        for ns, cores in steps:
            yield {"ph": "C", "name": name, "ts": us(ns), "pid": MACHINE, "args": {"cores": cores}}


def rounds(trace):
    track = {"pid": MACHINE, "tid": MACHINE}
    for each in trace.rounds:
        usage = usage_of(trace, each.begin, each.end)
        args = {"experiment": each.experiment, "sched": each.sched, "round": each.number,
                "shared_percent": usage.percent(False),
                "shared_while_another_core_is_idle_percent": usage.percent(True)}
        yield {"ph": "X", "name": str(each), "cat": "round", "ts": us(each.begin),
               "dur": us(each.end - each.begin), **track, "args": args}
    for event in trace.events:
        if event.kind == "mark":
            yield {"ph": "i", "s": "g", "name": event.text, "cat": "mark", "ts": us(event.ns),
                   **track, "args": {}}


def chrome_events(trace):
    """All events as dicts: metadata first, the others in order of time, longer ones first."""
    tracks = Tracks(trace)
    events = [*slices(trace, tracks), *instants(trace, tracks), *flows(trace, tracks),
              *counters(trace), *rounds(trace)]
    events.sort(key=lambda event: (event["ts"], -event.get("dur", 0)))
    return [*tracks.names(), *events]


def chrome_json(trace):
    """The text of the file, one event a line, the same for the same trace."""
    lines = ",\n".join(json.dumps(event) for event in chrome_events(trace))
    other = json.dumps({"source": "Tandem trace", "boot": trace.boot + 1,
                        "dropped_events": sum(trace.dropped.values()),
                        "faults": len(trace.faults)})
    return f'{{"displayTimeUnit": "ms", "otherData": {other},\n"traceEvents": [\n{lines}\n]}}\n'
