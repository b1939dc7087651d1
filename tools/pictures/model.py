"""What ran where and when: the events of a trace put together.

    trace = Trace.of(Log.parse(data))
    for interval in trace.intervals:
        print(interval.cpu, interval.begin, interval.end, interval.task, interval.why)

Whatever is wrong with the trace is in `trace.faults`, and the rest is used as far as it goes.
"""

from tandem_log import Fault

from .builder import Builder
from .events import MAX_CPUS, read_events
from .parts import Core

US = 1000         # ns
TOTALS_SLACK_US = 1


class NoTrace(Exception):
    """The log has no trace that could be shown; says why."""


def boots_with_trace(log):
    return [number for number, boot in enumerate(log.boots)
            if any(record.tag == "trace" for record in boot.records)]


class Trace:
    """A machine and what its CPUs did. Times are in ns of the kernel's clock."""

    def __init__(self):
        self.boot = 0
        self.cores = []        # [Core], in order of their numbers
        self.tasks = []        # [Task], in order of appearance
        self.intervals = []    # [Interval], per CPU in order of time, never overlapping
        self.unknown = []      # [Unknown]
        self.on_the_way = []   # [OnTheWay], in order of time
        self.events = []       # all events
        self.rounds = []       # [Round]
        self.drops = []        # [(line of the log, CPU)] where events have found no room
        self.dropped = {}      # CPU -> how many
        self.faults = []       # [Fault]

    @classmethod
    def of(cls, log, boot=None):
        """The trace of a boot of a Log, by default the last one that has any. NoTrace if none."""
        numbers = boots_with_trace(log)
        if boot is None and not numbers:
            raise NoTrace("no `trace:` record in it: boot with trace=on")
        number = numbers[-1] if boot is None else boot
        if not 0 <= number < len(log.boots):
            raise NoTrace(f"no boot {number + 1} in it, which has {len(log.boots)}")
        if number not in numbers:
            raise NoTrace(f"no `trace:` record in boot {number + 1}")
        trace = cls()
        trace.boot = number
        trace._read(log.boots[number])
        trace.faults.sort(key=lambda fault: fault.line)
        return trace

    @property
    def begin(self):
        return self.events[0].ns

    @property
    def end(self):
        return self.events[-1].ns

    def core_of(self, cpu):
        """The index in `cores` of the core that a CPU belongs to."""
        return self._core_of[cpu]

    def _read(self, boot):
        self.events, self.faults = read_events(boot)
        if not self.events:
            raise NoTrace("none of its `trace:` records can be used")
        damaged = sum("trace: " in line for line in boot.text)
        if damaged:
            self._fault(0, f"{damaged} damaged `trace:` lines left out")
        self._read_cores(boot)
        self._read_drops(boot)
        Builder(self, task_names(boot)).build()
        self._check_totals(boot)

    def _fault(self, line, what):
        self.faults.append(Fault(line, what))

    def _read_drops(self, boot):
        for record in boot.records:
            if record.tag != "tracedrop":
                continue
            cpu, count = record.get("cpu"), record.get("dropped")
            if not isinstance(cpu, int) or cpu not in self._core_of \
                    or not isinstance(count, int) or count < 1:
                self._fault(record.line, "`tracedrop:` does not say how many of which CPU")
                continue
            self.drops.append((record.line, cpu))
            self.dropped[cpu] = self.dropped.get(cpu, 0) + count
            self._fault(record.line, f"CPU {cpu} had no room for {count} events")

    def _read_cores(self, boot):
        """Cores from the `cpu:` records; a CPU that is in none of them is a core of its own."""
        members, known = {}, set()
        for record in boot.records:
            place = [record.get(key) for key in ("package", "core", "thread", "cpu")]
            if record.tag == "cpu" and record.get("state", "online") == "online" \
                    and all(is_number(each) for each in place) and place[3] not in known:
                known.add(place[3])
                members.setdefault(tuple(place[:2]), []).append(tuple(place[2:]))
        packages = {package for package, _ in members}
        for (package, core), places in sorted(members.items()):
            self.cores.append(Core(f"core {core}", f"package {package}" * (len(packages) > 1),
                                   [cpu for _, cpu in sorted(places)]))
        strangers = sorted({event.cpu for event in self.events} - known)
        if strangers:
            shown = ", ".join(str(cpu) for cpu in strangers[:8]) + ", ..." * (len(strangers) > 8)
            self._fault(0, f"no `cpu:` record says which core CPU {shown} belongs to; "
                        "each is taken for a core of its own")
        self.cores += [Core("core ?", "", [cpu]) for cpu in strangers]
        self._core_of = {cpu: index for index, core in enumerate(self.cores) for cpu in core.cpus}

    def _check_totals(self, boot):
        """The kernel's own sums must be ours. Where events are known to be missing they are not."""
        by_pid = {}
        for task in self.tasks:
            by_pid.setdefault(task.pid, []).append(task)
        for record in boot.records:
            if record.tag != "task" or not isinstance(record.get("pid"), int):
                continue
            tasks = by_pid.get(record["pid"], [])
            if len(tasks) != 1 or not tasks[0].complete or self.dropped:
                continue
            task = tasks[0]
            for key, ours, slack in (("run_us", task.run_ns / US, TOTALS_SLACK_US),
                                     ("switches", task.dispatches, 0),
                                     ("migrations", task.migrations, 0)):
                theirs = record.get(key)
                if isinstance(theirs, int) and abs(theirs - ours) > slack:
                    self._fault(record.line, f"{task}: its record says {key}={theirs}, "
                                f"its trace {ours:g}")


def is_number(value):
    """Whether it can be the number of a CPU, a core or a package."""
    return isinstance(value, int) and 0 <= value < MAX_CPUS


def task_names(boot):
    """{pid: name} of the `task:` records, for tasks whose start is not in the trace."""
    return {record["pid"]: str(record["task"]) for record in boot.records
            if record.tag == "task" and "task" in record and isinstance(record.get("pid"), int)}
