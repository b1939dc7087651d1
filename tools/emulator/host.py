"""The machine we run on: which CPUs we may use, which of them share a core, how alike they are.

All of it is read below a root folder, so that tests can make up hosts. What cannot be read counts
as absent: a host without any of these files has CPUs that are cores of their own and all alike.
"""

import os
import platform
from dataclasses import dataclass

CPU_LIMIT = 1 << 16   # a CPU number from here on is damage, not a CPU
ALIKE = 0.9           # of the faster one's capacity: a core not slower than that is as fast
# Hosts on which QEMU's TCG gives each CPU of an x86 guest a thread of its own: the others order
# memory accesses less strictly than the guest expects.
STRICT_MACHINES = ("x86_64", "amd64", "i386", "i486", "i586", "i686")
# Intel's hybrid CPUs: the kinds of cores, fastest first, as the kernel names their counters.
HYBRID_KINDS = ("cpu_core", "cpu_atom", "cpu_lowpower")


@dataclass(frozen=True)
class Core:
    """One host core."""

    usable: tuple     # its CPUs that we may use, never empty
    cpus: tuple       # all its CPUs, those too that we may not use
    kind: int = 0     # cores of one kind are alike; 0 is the fastest


@dataclass(frozen=True)
class Host:
    """What pinning has to know."""

    cores: tuple            # Cores in the order of their first usable CPU
    quota: float = 0        # CPUs' worth of time we may use together; 0: no limit
    thread_per_cpu: bool = True   # TCG gives every virtual CPU a thread of its own

    @property
    def usable(self):
        return sorted(cpu for core in self.cores for cpu in core.usable)

    def of_kind(self, kind):
        return [core for core in self.cores if core.kind == kind]

    @property
    def kinds(self):
        return sorted({core.kind for core in self.cores})


def read_text(root, *path):
    """The contents of a file below root, or None."""
    try:
        with open(os.path.join(root, *path), encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def parse_cpu_list(text):
    """CPU numbers of the kernel's list format, such as "0,4-6". ValueError for anything else."""
    cpus = set()
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            first, last = int(first), int(last or first)
            if not 0 <= first <= last < CPU_LIMIT:
                raise ValueError(f"{part!r} is no range of CPUs")
            cpus.update(range(first, last + 1))
    return cpus


def read_cpu_list(root, *path):
    """The CPUs of a file; empty where there is none, or nothing sensible in it."""
    try:
        return parse_cpu_list(read_text(root, *path) or "")
    except ValueError:
        return set()


def parse_cpuinfo(text):
    """CPU -> what names its core in /proc/cpuinfo, for those CPUs of which it says that."""
    cores = {}
    for block in text.split("\n\n"):
        fields = {key.strip(): value.strip() for key, _, value in
                  (line.partition(":") for line in block.splitlines())}
        if fields.get("processor", "").isdecimal() and "core id" in fields:
            cores[int(fields["processor"])] = (fields.get("physical id"), fields["core id"])
    return cores


def read_siblings(root, allowed):
    """CPU -> the CPUs of its core, itself included, for every allowed CPU."""
    names = parse_cpuinfo(read_text(root, "proc/cpuinfo") or "")
    siblings = {}
    for cpu in allowed:
        folder = f"sys/devices/system/cpu/cpu{cpu}/topology"
        found = (read_cpu_list(root, folder, "core_cpus_list")
                 or read_cpu_list(root, folder, "thread_siblings_list"))
        if not found and cpu in names:
            found = {other for other, name in names.items() if name == names[cpu]}
        siblings[cpu] = found | {cpu}
    return siblings


def read_capacity(root, cpu):
    """How fast a CPU is against the others of this host; 0 where the host does not say."""
    text = read_text(root, f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity") or ""
    return int(text) if text.strip().isdecimal() else 0


def rank_capacities(capacities):
    """CPU -> kind. Of one kind are those too that the maker has sorted by a few percent."""
    kinds, kind, fastest = {}, -1, None
    for cpu in sorted(capacities, key=lambda c: (-capacities[c], c)):
        if fastest is None or capacities[cpu] < ALIKE * fastest:
            kind, fastest = kind + 1, capacities[cpu]
        kinds[cpu] = kind
    return kinds


def read_kinds(root, allowed):
    """CPU -> its kind, 0 the fastest, without gaps."""
    kinds = {}
    for number, name in enumerate(HYBRID_KINDS):
        for cpu in read_cpu_list(root, "sys/devices", name, "cpus") & set(allowed):
            kinds.setdefault(cpu, number)
    if set(kinds) != set(allowed):
        kinds = rank_capacities({cpu: read_capacity(root, cpu) for cpu in allowed})
    number = {kind: index for index, kind in enumerate(sorted(set(kinds.values())))}
    return {cpu: number[kind] for cpu, kind in kinds.items()}


def group_cores(allowed, siblings, kinds):
    """The Cores. A CPU that several cores claim, which is damage, belongs to the first one."""
    cores, taken = [], set()
    for cpu in sorted(allowed):
        if cpu not in taken:
            cpus = (siblings[cpu] - taken) | {cpu}
            usable = tuple(sorted(cpus & set(allowed)))
            cores.append(Core(usable, tuple(sorted(cpus)), max(kinds[c] for c in usable)))
            taken |= cpus
    return tuple(cores)


def parse_quota(text):
    """CPUs of cgroup v2's cpu.max, "150000 100000"; 0: no limit."""
    words = text.split()
    if len(words) != 2 or not all(word.isdecimal() and int(word) > 0 for word in words):
        return 0
    return int(words[0]) / int(words[1])


def group_folders(text):
    """The folders below /sys/fs/cgroup, from our own group up, that can limit our CPU time.

    text is /proc/self/cgroup. What a namespace hides from us is not there to be read.
    """
    for line in text.splitlines():
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        names = controllers.split(",")
        if controllers and "cpu" not in names:
            continue
        parts = [part for part in path.split("/") if part and part != ".."]
        for length in range(len(parts), -1, -1):
            for mount in ([controllers, "cpu"] if controllers else ["", "unified"]):
                yield os.path.join(mount, *parts[:length])


def read_quota(root):
    """The least CPU time that a control group of ours allows, in CPUs; 0: no limit."""
    quotas = []
    for folder in group_folders(read_text(root, "proc/self/cgroup") or ""):
        folder = os.path.join("sys/fs/cgroup", folder)
        period = read_text(root, folder, "cpu.cfs_period_us")
        for text in (read_text(root, folder, "cpu.max"),
                     f"{read_text(root, folder, 'cpu.cfs_quota_us')} {period}"):
            quotas.append(parse_quota(text or ""))
    return min(filter(None, quotas), default=0)


def read_host(root="/", allowed=None, machine=None):
    """The Host. allowed: the CPUs we may use, if not those of this process."""
    allowed = set(os.sched_getaffinity(0) if allowed is None else allowed)
    cores = group_cores(allowed, read_siblings(root, allowed), read_kinds(root, allowed))
    return Host(cores, read_quota(root),
                (machine or platform.machine()).lower() in STRICT_MACHINES)
