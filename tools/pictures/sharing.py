"""When the threads of a core were busy at once, and whether they had to be.

A core is *shared* while two or more of its CPUs run something. That is *avoidable* while another
core is free: a scheduler that knows the cores would have used that one. Free is a wholly idle core
to which no task is on its way. A core of which something is unknown is neither busy nor idle.
"""

from dataclasses import dataclass, field

MACHINE = -1    # stands for no core in particular


@dataclass(frozen=True)
class Shared:
    """A stretch in which a core was shared, in ns."""

    core: int            # index in trace.cores
    begin: int
    end: int
    avoidable: bool
    threads: int         # that were busy


@dataclass
class Usage:
    """What the cores did between two times, in ns."""

    begin: int
    end: int
    steps: list = field(default_factory=list)     # per core: [(ns, busy threads)], changes only
    idle: list = field(default_factory=list)      # per core: [(ns, whether it is wholly idle)]
    avoidable: list = field(default_factory=list)  # [(ns, cores shared while another is free)]
    sharing: list = field(default_factory=list)   # [(ns, cores that are shared)]
    shared: list = field(default_factory=list)    # [Shared]
    run_ns: int = 0                               # of all tasks together

    def thread_ns(self, avoidable):
        """How long tasks ran beside another one, all tasks together."""
        return sum((stretch.end - stretch.begin) * stretch.threads for stretch in self.shared
                   if stretch.avoidable or not avoidable)

    def percent(self, avoidable):
        """The same as a share of all running time, in whole per cent, rounded down."""
        return self.thread_ns(avoidable) * 100 // self.run_ns if self.run_ns else 0


    def idle_meanwhile(self, core, gap=0):
        """[(begin, end)] in which a core is wholly idle while another is shared avoidably."""
        idle = [(begin, end) for begin, end, is_idle in spans(self.idle[core], self.end) if is_idle]
        shared = [(begin, end) for begin, end, cores in spans(self.avoidable, self.end) if cores]
        return joined(overlaps(idle, shared), gap)


def spans(steps, end):
    """(begin, end, value) of each step."""
    for (begin, value), (after, _) in zip(steps, [*steps[1:], (end, None)]):
        yield begin, after, value


def overlaps(ones, others):
    """Where two ordered lists of (begin, end) overlap."""
    place = 0
    for begin, end in ones:
        while place < len(others) and others[place][1] <= begin:
            place += 1
        after = place
        while after < len(others) and others[after][0] < end:
            yield max(begin, others[after][0]), min(end, others[after][1])
            after += 1


def joined(stretches, gap):
    """The (begin, end) in order, those with no more than a gap between them made one."""
    done = []
    for begin, end in sorted(stretches):
        if done and begin - done[-1][1] <= gap:
            done[-1] = (done[-1][0], max(end, done[-1][1]))
        else:
            done.append((begin, end))
    return done


def merged(shared, core, avoidable, gap):
    """[(begin, end)] of the Shared of a core, those that nobody could tell apart made one."""
    return joined([(stretch.begin, stretch.end) for stretch in shared
                   if (stretch.core, stretch.avoidable) == (core, avoidable)], gap)


class Sweep:
    """Goes through all changes from left to right, and keeps count."""

    def __init__(self, usage, cores):
        self.usage = usage
        self.busy = [0] * cores
        self.unknown = [0] * cores
        self.idle_cores = cores
        self.on_the_way = 0         # tasks that will make one of these busy
        self.open = {}              # shared core -> (since when, avoidable, threads)
        usage.steps = [[(usage.begin, 0)] for _ in range(cores)]
        usage.idle = [[(usage.begin, True)] for _ in range(cores)]
        usage.avoidable = [(usage.begin, 0)]
        usage.sharing = [(usage.begin, 0)]

    def is_idle(self, core):
        return not self.busy[core] and not self.unknown[core]

    def change(self, core, busy, unknown):
        if core == MACHINE:
            self.on_the_way += busy
            return
        self.idle_cores -= self.is_idle(core)
        self.busy[core] += busy
        self.unknown[core] += unknown
        self.idle_cores += self.is_idle(core)

    def settle(self, ns, touched):
        """After all changes of one moment: brings what is open up to date."""
        for core in touched:
            add_step(self.usage.steps[core], ns, self.busy[core])
            add_step(self.usage.idle[core], ns, self.is_idle(core))
        avoidable = self.idle_cores > self.on_the_way
        for core in sorted(set(touched) | set(self.open)):
            state = (avoidable, self.busy[core]) if self.busy[core] > 1 else None
            since = self.open.get(core)
            if since and since[1:] != state:
                self.usage.shared.append(Shared(core, since[0], ns, *since[1:]))
                del self.open[core]
                since = None
            if state and not since:
                self.open[core] = (ns, *state)
        add_step(self.usage.sharing, ns, len(self.open))
        add_step(self.usage.avoidable, ns, len(self.open) if avoidable else 0)


def add_step(steps, ns, value):
    """Adds a change to a list of steps, unless it is none."""
    if steps[-1][1] == value:
        return
    if steps[-1][0] == ns:
        steps.pop()
        if steps and steps[-1][1] == value:
            return
    steps.append((ns, value))


def clip(stretches, begin, end):
    """(stretch, begin, end) of those that are at least partly between two times."""
    for stretch in stretches:
        first, last = max(stretch.begin, begin), min(stretch.end, end)
        if first < last:
            yield stretch, first, last


def active_span(trace, each):
    """(begin, end) of what happened in a round: from its first task's start to the last's end.

    The conductor's preparations and the printing are left out. All of a round in which no task ran.
    """
    ran = list(clip(trace.intervals, each.begin, each.end))
    if not ran:
        return each.begin, each.end
    started = [event.ns for event in trace.events
               if event.kind in ("start", "wake") and each.begin <= event.ns <= each.end]
    return (min([*started, *(begin for _, begin, _ in ran)]), max(end for _, _, end in ran))


def usage_of(trace, begin=None, end=None):
    """The Usage of a trace between two times, by default of all of it."""
    begin = trace.begin if begin is None else begin
    end = trace.end if end is None else end
    usage = Usage(begin, end)
    changes = []
    for interval, first, last in clip(trace.intervals, begin, end):
        core = trace.core_of(interval.cpu)
        changes += [(first, core, 1, 0), (last, core, -1, 0)]
        usage.run_ns += last - first
    for stretch, first, last in clip(trace.unknown, begin, end):
        core = trace.core_of(stretch.cpu)
        changes += [(first, core, 0, 1), (last, core, 0, -1)]
    for stretch, first, last in clip(trace.on_the_way, begin, end):
        changes += [(first, MACHINE, stretch.tasks, 0), (last, MACHINE, -stretch.tasks, 0)]
    changes.sort()
    sweep = Sweep(usage, len(trace.cores))
    place = 0
    while place < len(changes):
        ns, touched = changes[place][0], []
        while place < len(changes) and changes[place][0] == ns:
            _, core, busy, unknown = changes[place]
            sweep.change(core, busy, unknown)
            if core != MACHINE:
                touched.append(core)
            place += 1
        sweep.settle(ns, touched)
    return usage
