"""The parts of a trace: cores, tasks, what ran where, and rounds. Times are in ns."""

from dataclasses import dataclass, field

# Why an interval ended, beside the kernel's preempt, block and end.
NEXT = "next"     # the CPU went on to something else: the event for it is missing
CUT = "cut"       # the trace ended first
LOST = "lost"     # the CPU had no room for what came next
MISSING = (NEXT, CUT, LOST)


@dataclass
class Core:
    """CPUs that share what is inside a core."""

    label: str               # "core 3"
    package: str             # "package 1", or "" where there is only one
    cpus: list

    @property
    def name(self):
        return f"{self.label}, {self.package}" if self.package else self.label


@dataclass
class Task:
    """One task. A pid that is used again is another Task."""

    pid: int
    name: str
    run_ns: int = 0
    dispatches: int = 0
    migrations: int = 0
    complete: bool = True    # no event of it is known to be missing

    def __str__(self):
        return f"{self.name} [{self.pid}]"


@dataclass(frozen=True)
class Interval:
    """A task on a CPU."""

    cpu: int
    begin: int
    end: int
    task: Task = field(compare=False)
    why: str = ""            # preempt, block, end, or one of MISSING
    origin: int = None       # CPU it ran on before


@dataclass(frozen=True)
class Unknown:
    """A stretch of which nobody knows what a CPU did."""

    cpu: int
    begin: int
    end: int


@dataclass(frozen=True)
class OnTheWay:
    """A stretch in which so many tasks were on their way to CPUs that have been interrupted."""

    tasks: int
    begin: int
    end: int


@dataclass
class Round:
    """One round of an experiment under one policy."""

    experiment: str
    sched: str
    number: int
    part: str
    begin: int
    end: int
    line: int

    def __str__(self):
        part = f" {self.part}" if self.part else ""
        return f"{self.experiment} {self.sched} round {self.number}{part}"

    def matches(self, wanted):
        """Whether it is what `--select` asks for: {key: text}."""
        own = {"experiment": self.experiment, "sched": self.sched, "round": str(self.number),
               "part": self.part}
        return all(own[key] == value for key, value in wanted.items())
