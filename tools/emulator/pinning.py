"""Which host CPU plays which guest core.

Two virtual CPUs of one guest core share that core only in name: the host runs them wherever it
likes, and the cost of sharing comes and goes by luck. So their threads are pinned. Under TCG one
host CPU plays one core, and its virtual CPUs take turns on it. Under KVM, on a host with hardware
threads, the threads of a host core play the threads of a guest core.

Every guest core gets a host core of its own, and all of them are of one kind. Where the host has
too few, nothing is pinned: what the kernel is then told (`host_cpus=` with how many cores there
are, `sharing=none`) makes it say that its times are not to be relied on.

The outcome has to be known before the machine starts, since the kernel is told of it on its
command line.
"""

import os
import threading
from dataclasses import dataclass, field

from .host import read_host

# The parts of QMP's `props` that name a core, from the outside in; what a machine lacks is 0.
PLACE = ("socket-id", "die-id", "cluster-id", "module-id", "core-id")


@dataclass
class Plan:
    """Where the virtual CPUs run, and what the kernel is told about it."""

    sharing: str                  # none, host_cpu or host_smt: what the threads of a core share
    host_cpus: int                # host CPUs that do not get into each other's way
    note: str = ""                # why nothing is pinned, for people
    by_core: list = field(default_factory=list)  # per guest core: host CPU of each thread
    watched: tuple = ()           # host CPUs on which nothing else should run meanwhile

    @property
    def pinned(self):
        return bool(self.by_core)


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


def choose_cores(host, count, threads):
    """The first `count` cores of one kind with so many usable threads each, or None.

    The fastest kind that has them: cores of different speed would look like sharing.
    """
    for kind in host.kinds:
        cores = [core for core in host.of_kind(kind) if len(core.usable) >= threads]
        if len(cores) >= count:
            return cores[:count]
    return None


def most_cores(host):
    """How many cores of one kind there are, within the CPU time we may use."""
    cores = max((len(host.of_kind(kind)) for kind in host.kinds), default=0)
    return max(1, min(cores, int(host.quota))) if host.quota else cores


def pinned_plan(smp, host, accel):
    """The Plan that pins every virtual CPU, or None where the host is too small for it."""
    sockets, cores, threads = smp
    guest_cores = sockets * cores

    def plan(sharing, chosen, by_core):
        used = {cpu for group in by_core for cpu in group}
        return Plan(sharing, len(used), by_core=by_core,
                    watched=tuple(sorted({cpu for core in chosen for cpu in core.cpus})))

    def fits(cpus):
        return not host.quota or cpus <= host.quota

    if accel == "kvm" and threads > 1 and fits(guest_cores * threads):
        chosen = choose_cores(host, guest_cores, threads)
        if chosen:
            return plan("host_smt", chosen, [list(core.usable[:threads]) for core in chosen])
    chosen = choose_cores(host, guest_cores, 1)
    if chosen and fits(guest_cores):
        return plan("host_cpu" if threads > 1 else "none", chosen,
                    [[core.usable[0]] * threads for core in chosen])
    return None


def why_not_pinned(smp, host):
    """For people: what the host lacks."""
    guest_cores = smp[0] * smp[1]
    if host.quota and guest_cores > host.quota:
        return f"{guest_cores} guest cores, and a control group allows {host.quota:g} CPUs"
    kinds = " of one kind" if len(host.kinds) > 1 else ""
    return f"{guest_cores} guest cores, {most_cores(host)} host cores{kinds}"


def make_plan(smp, *, accel="tcg", wanted=True, host=None, permitted=may_pin):
    """The Plan for a guest of smp = (sockets, cores, threads).

    host and permitted stand for the host and are given by tests only.
    """
    host = host or read_host()

    def unpinned(note):
        return Plan("none", most_cores(host), f"not pinned: {note}", watched=tuple(host.usable))

    if accel == "tcg" and not host.thread_per_cpu:
        return Plan("none", 1, "not pinned: on this host QEMU runs all virtual CPUs in one thread",
                    watched=tuple(host.usable))
    if not wanted:
        return unpinned("PIN=off")
    plan = pinned_plan(smp, host, accel)
    if plan is None:
        return unpinned(why_not_pinned(smp, host))
    if not permitted(plan.by_core[0][0]):
        return unpinned("this host forbids it (sched_setaffinity)")
    return plan


def assign(plan, vcpus):
    """{thread: host CPU} for the threads of QMP's query-cpus-fast; empty where nothing is pinned.

    The places are QEMU's own, from which it makes the APIC IDs too. ValueError where the machine is
    not the one that was planned for.
    """
    if not plan.pinned:
        return {}
    places = [vcpu.get("props", {}) for vcpu in vcpus]
    core_of = [tuple(place.get(key, 0) for key in PLACE) for place in places]
    number = {core: index for index, core in enumerate(sorted(set(core_of)))}
    assignment = {}
    for vcpu, place, core in zip(vcpus, places, core_of):
        thread = place.get("thread-id", 0)
        if number[core] >= len(plan.by_core) or thread >= len(plan.by_core[number[core]]):
            raise ValueError("the machine has more cores or threads than were planned for")
        if vcpu["thread-id"] in assignment:
            raise ValueError("several virtual CPUs run in one thread")
        assignment[vcpu["thread-id"]] = plan.by_core[number[core]][thread]
    return assignment


def pin(plan, vcpus):
    """Pins as assign() says and returns that. Raises OSError where the host does not let us."""
    assignment = assign(plan, vcpus)
    for thread, cpu in assignment.items():
        os.sched_setaffinity(thread, {cpu})
    return assignment
