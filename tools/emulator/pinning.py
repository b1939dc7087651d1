"""Which host CPU plays which guest core.

Two virtual CPUs of one guest core share that core only in name: the host runs them wherever it
likes, and the cost of sharing comes and goes by luck. So their threads are pinned. Under TCG one
host CPU plays one core, and its two virtual CPUs take turns on it. Under KVM, on a host with
hardware threads, the two threads of a host core play the two threads of a guest core.

The outcome has to be known before the machine starts, since the kernel is told of it on its
command line (`host_cpus=`, `sharing=`).
"""

import os
import threading
from dataclasses import dataclass, field

SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


@dataclass
class Plan:
    """Where the virtual CPUs run, and what the kernel is told about it."""

    sharing: str                  # none, host_cpu or host_smt: what the threads of a core share
    host_cpus: int                # host CPUs that the machine may use
    note: str = ""                # why nothing is pinned, for people
    by_core: list = field(default_factory=list)  # per guest core: host CPU of each thread

    @property
    def pinned(self):
        return bool(self.by_core)


def parse_cpu_list(text):
    """CPU numbers of the kernel's list format, such as "0,4-6"."""
    cpus = set()
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def read_siblings(cpu):
    """The host CPUs on the same host core as this one, itself included."""
    try:
        with open(SIBLINGS.format(cpu), encoding="ascii") as file:
            return parse_cpu_list(file.read()) | {cpu}
    except (OSError, ValueError):
        return {cpu}


def host_cores(allowed, siblings=read_siblings):
    """The allowed host CPUs, grouped by host core: a sorted list of sorted lists."""
    groups = {tuple(sorted(siblings(cpu) & set(allowed))) for cpu in allowed}
    return sorted(list(group) for group in groups if group)


def may_pin(cpu):
    """Tries it on a thread of our own, whose end undoes it."""
    allowed = []

    def attempt():
        try:
            os.sched_setaffinity(0, {cpu})
            allowed.append(True)
        except OSError:
            pass

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return bool(allowed)


def make_plan(smp, *, accel="tcg", wanted=True, allowed=None, siblings=read_siblings,
              permitted=may_pin):
    """The Plan for a guest of smp = (sockets, cores, threads).

    allowed, siblings and permitted stand for the host and are given by tests only.
    """
    allowed = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    sockets, cores, threads = smp
    guest_cores = sockets * cores
    groups = host_cores(allowed, siblings)

    def unpinned(note):
        return Plan("none", len(allowed), note)

    if not wanted:
        return unpinned("not pinned: PIN=off")
    if guest_cores > len(groups):
        return unpinned(f"not pinned: {guest_cores} guest cores, {len(groups)} host cores")
    if not permitted(allowed[0]):
        return unpinned("not pinned: this host forbids it (sched_setaffinity)")
    groups = groups[:guest_cores]
    if accel == "kvm" and threads > 1 and all(len(group) >= threads for group in groups):
        return Plan("host_smt", guest_cores * threads, "", [group[:threads] for group in groups])
    sharing = "host_cpu" if threads > 1 else "none"
    return Plan(sharing, guest_cores, "", [[group[0]] * threads for group in groups])


def pin(plan, vcpus):
    """Pins the threads of QMP's query-cpus-fast as planned. Raises OSError where it cannot."""
    if not plan.pinned:
        return
    places = [vcpu["props"] for vcpu in vcpus]
    core_of = [(p.get("socket-id", 0), p.get("die-id", 0), p.get("core-id", 0)) for p in places]
    number = {core: index for index, core in enumerate(sorted(set(core_of)))}
    for vcpu, core in zip(vcpus, core_of):
        host_cpu = plan.by_core[number[core]][vcpu["props"].get("thread-id", 0)]
        os.sched_setaffinity(vcpu["thread-id"], {host_cpu})
