"""What else ran on the host while the guest measured.

With `host_load=serial` the kernel asks after every group of tasks it has measured: it prints an
`ask:` record and waits for one byte on its serial port. The kernel is silent while it measures,
so what lies between its last record and the question is what was measured. For that time this
looks up in /proc what the host CPUs did that play the guest's:

foreign  time in which a CPU was not idle and did not run the emulator, or us
denied   time in which a virtual CPU wanted to run and did not, beyond the time in which the other
         virtual CPUs on its host CPU ran (they are meant to be in its way)
stolen   time that the hypervisor below this host, if there is one, took from a CPU

More than 5 % of the time of one of the CPUs is a disturbance. /proc/stat counts in hundredths of a
second, so what is less than 15 ms is never called one, and of a time so short that such an amount
would be half of it nothing is said at all.
"""

import os
import re
import time
from dataclasses import dataclass, field

CLEAN, DISTURBED, UNKNOWN = b"c", b"d", b"u"
THRESHOLD = 0.05
LAG_S = 0.005        # how old a running thread's own count can be: a tick of the host's scheduler

QUESTION = re.compile(rb"^ask: ", re.MULTILINE)
# What the kernel prints between two measurements, and never within one.
BETWEEN = re.compile(rb"^(?:run|task|round|trace|tracedrop|result): ", re.MULTILINE)
LINE_LIMIT = 4096    # of an unfinished line that is kept
# Snapshots while the kernel prints much are no closer together than that.
SNAPSHOT_GAP_S = 0.005


# ---- What /proc says --------------------------------------------------------------------------

@dataclass(frozen=True)
class Thread:
    """One thread of ours, since it began."""

    run_s: float
    delay_s: float     # ready to run, and waiting for a CPU; None where the host does not count it
    cpu: int           # where it ran last


@dataclass(frozen=True)
class Snapshot:
    """What is known at one moment."""

    time_s: float
    cpus: dict         # host CPU -> (idle, stolen) seconds
    threads: dict      # thread -> Thread


def parse_stat(text, hz):
    """{CPU: (idle, stolen) seconds} of /proc/stat. Waiting for a disk is idle."""
    cpus = {}
    for line in text.splitlines():
        words = line.split()
        if words and re.fullmatch(r"cpu\d+", words[0]):
            numbers = [int(word) for word in words[1:] if word.isdecimal()]
            if len(numbers) >= 5:
                stolen = numbers[7] if len(numbers) > 7 else 0
                cpus[int(words[0][3:])] = ((numbers[3] + numbers[4]) / hz, stolen / hz)
    return cpus


def parse_thread(stat, schedstat, hz):
    """The Thread of the contents of its `stat` and `schedstat`; None where they make no sense."""
    words = stat.rpartition(")")[2].split()   # the name before may hold anything
    if len(words) < 37 or not all(words[i].isdecimal() for i in (11, 12, 36)):
        return None
    run_s, delay_s = (int(words[11]) + int(words[12])) / hz, None
    exact = schedstat.split()
    if len(exact) >= 2 and exact[0].isdecimal() and exact[1].isdecimal():
        run_s, delay_s = int(exact[0]) / 1e9, int(exact[1]) / 1e9
    return Thread(run_s, delay_s, int(words[36]))


def read(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:   # a thread that has just ended, or a host that does not say
        return ""


def snapshot(pids, proc="/proc"):
    """A Snapshot with the threads of these processes."""
    hz = os.sysconf("SC_CLK_TCK")
    threads = {}
    for pid in pids:
        folder = f"{proc}/{pid}/task"
        try:
            names = os.listdir(folder)
        except OSError:
            names = []
        for name in filter(str.isdecimal, names):
            thread = parse_thread(read(f"{folder}/{name}/stat"),
                                  read(f"{folder}/{name}/schedstat"), hz)
            if thread:
                threads[int(name)] = thread
    cpus = parse_stat(read(f"{proc}/stat"), hz)
    return Snapshot(time.monotonic(), cpus, threads)


# ---- What that comes to -----------------------------------------------------------------------

@dataclass(frozen=True)
class Pool:
    """Host CPUs that are looked at together, and the virtual CPUs that run on them."""

    cpus: tuple
    vcpus: frozenset = frozenset()   # threads

    @property
    def noise_s(self):
        """Amounts up to this may be nothing but the way in which the host counts."""
        return len(self.cpus) / os.sysconf("SC_CLK_TCK") + LAG_S


@dataclass(frozen=True)
class Judgement:
    """The answer to one question."""

    answer: bytes      # CLEAN, DISTURBED or UNKNOWN
    why: str = ""      # foreign, denied or stolen
    share: float = 0   # of one CPU's time
    cpu: int = 0       # the first of the pool


def make_pools(plan, assignment):
    """One Pool for each host CPU in use and the other threads of its core; all in one if unpinned.

    Without pinning every CPU that we may use may be the guest's.
    """
    if not assignment:
        return [Pool(tuple(plan.watched))] if plan.watched else []
    return [Pool((cpu,), frozenset(t for t, c in assignment.items() if c == cpu))
            for cpu in plan.watched]


def grown(before, after, thread, what):
    """By how much a count of a thread grew; None where the host does not keep it."""
    old = before.threads.get(thread)
    new = getattr(after.threads[thread], what)
    if new is None:
        return None
    return max(0, new - ((getattr(old, what) or 0) if old else 0))


def measure(before, after, pool, vcpus):
    """{name: seconds} of what is known about a pool; vcpus: the pinned threads of all pools."""
    elapsed = after.time_s - before.time_s
    found = {}
    # QEMU's other threads and our own are at home nowhere, and count where they ran last. Where
    # nothing is pinned this goes for all of them.
    ran = {thread: grown(before, after, thread, "run_s") for thread in after.threads
           if thread in pool.vcpus
           or (thread not in vcpus and after.threads[thread].cpu in pool.cpus)}
    if all(cpu in snap.cpus for cpu in pool.cpus for snap in (before, after)):
        idle, stolen = (sum(after.cpus[cpu][i] - before.cpus[cpu][i] for cpu in pool.cpus)
                        for i in (0, 1))
        found["foreign"] = len(pool.cpus) * elapsed - idle - sum(ran.values())
        found["stolen"] = stolen
    for thread in pool.vcpus & set(ran):
        delay = grown(before, after, thread, "delay_s")
        if delay is not None:
            denied = delay - (sum(ran.values()) - ran[thread])
            found["denied"] = max(denied, found.get("denied", 0))
    return found


def judge(before, after, pools):
    """The Judgement of the time between two Snapshots."""
    elapsed = after.time_s - before.time_s
    vcpus = frozenset().union(*(pool.vcpus for pool in pools))
    worst, known = Judgement(CLEAN), bool(pools) and elapsed > 0
    for pool in pools:
        found = measure(before, after, pool, vcpus)
        known = known and bool(found) and elapsed >= 2 * pool.noise_s
        for why, seconds in found.items():
            if elapsed > 0 and seconds > max(THRESHOLD * elapsed, pool.noise_s) \
                    and seconds / elapsed > worst.share:
                worst = Judgement(DISTURBED, why, seconds / elapsed, pool.cpus[0])
    return worst if known or worst.answer == DISTURBED else Judgement(UNKNOWN)


# ---- Answering --------------------------------------------------------------------------------

@dataclass
class Tally:
    """All the answers of one run."""

    counts: dict = field(default_factory=lambda: {CLEAN: 0, DISTURBED: 0, UNKNOWN: 0})
    worst: Judgement = Judgement(CLEAN)

    def add(self, judgement):
        self.counts[judgement.answer] += 1
        if judgement.share > self.worst.share:
            self.worst = judgement

    def __str__(self):
        """For people; empty if nothing was disturbed."""
        if not self.counts[DISTURBED]:
            return ""
        return (f"something else ran on the host in {self.counts[DISTURBED]} of "
                f"{sum(self.counts.values())} measurements (at worst {self.worst.share:.0%} of "
                f"host CPU {self.worst.cpu}, {self.worst.why})")


class Watch:
    """Reads the serial output along, and answers the kernel's questions in it.

    Called with every piece of output, after `begin` has said what is watched.
    """

    def __init__(self, plan, look=snapshot):
        self.plan = plan
        self.look = look
        self.tally = Tally()
        self.pids, self.pools, self.reply = (), [], None
        self.before = None
        self.rest = b""     # an unfinished line

    def begin(self, pid, assignment, stdin):
        """pid: the emulator; assignment: from pinning.pin; stdin: its pipe to the serial port."""
        self.pids = (pid, os.getpid())
        self.pools = make_pools(self.plan, assignment)
        self.reply = stdin
        os.set_blocking(stdin.fileno(), False)
        self.before = self.look(self.pids)

    def __call__(self, data):
        if self.reply is None:
            return
        lines, newline, rest = (self.rest + data).rpartition(b"\n")
        self.rest = rest[:LINE_LIMIT]
        if not newline:
            return
        if QUESTION.search(lines):
            self.answer()
        elif BETWEEN.search(lines) and time.monotonic() - self.before.time_s > SNAPSHOT_GAP_S:
            self.before = self.look(self.pids)

    def answer(self):
        after = self.look(self.pids)
        judgement = judge(self.before, after, self.pools)
        self.before = after
        self.tally.add(judgement)
        try:
            os.write(self.reply.fileno(), judgement.answer)
        except OSError:   # the emulator has ended, or its pipe is full: the kernel's wait ends
            pass
