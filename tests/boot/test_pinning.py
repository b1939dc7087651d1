"""Which host CPU plays which guest core, on hosts that are made up as trees of files."""

import os
import subprocess

import pytest

from emulator import host as hosts
from emulator import pinning
from emulator.qmp import Qmp
from emulator import process, qemu
from tandem_log import Log
from target import IMAGE, ROOT, TOOLS

LIMIT_S = 180


@pytest.fixture(name="make_host")
def fixture_make_host(tmp_path):
    """make_host(cores, ...) -> Host, read from a tree with these cores (tuples of host CPUs)."""
    def write(path, text):
        path = tmp_path / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def make(cores, allowed=None, machine="x86_64", files=(), name="thread_siblings_list"):
        for cpus in cores:
            for cpu in cpus:
                write(f"sys/devices/system/cpu/cpu{cpu}/topology/{name}",
                      ",".join(map(str, cpus)) + "\n")
        for path, text in dict(files).items():
            write(path, text)
        every = {cpu for cpus in cores for cpu in cpus}
        return hosts.read_host(str(tmp_path), every if allowed is None else allowed, machine)
    return make


def plan(smp, host, accel="tcg", permitted=True):
    made = pinning.make_plan(smp, host=host, accel=accel, permitted=lambda cpu: permitted)
    assert made.pinned == (not made.note)
    return made


def single(count):
    return [(cpu,) for cpu in range(count)]


def far_pairs(count):
    """As Linux mostly numbers them: all first threads, then all second ones."""
    return [(cpu, cpu + count) for cpu in range(count)]


def near(count, threads):
    """The threads of a core one after the other."""
    return [tuple(range(core * threads, (core + 1) * threads)) for core in range(count)]


@pytest.mark.parametrize("smp,cores,accel,sharing,by_core", [
    # one host CPU plays a core under TCG, however many threads its core has
    ((1, 2, 2), single(2), "tcg", "host_cpu", [[0, 0], [1, 1]]),
    ((1, 2, 1), single(2), "tcg", "none", [[0], [1]]),
    ((1, 1, 8), single(2), "tcg", "host_cpu", [[0] * 8]),
    ((1, 3, 4), single(4), "tcg", "host_cpu", [[0] * 4, [1] * 4, [2] * 4]),
    ((2, 2, 2), single(4), "tcg", "host_cpu", [[0, 0], [1, 1], [2, 2], [3, 3]]),
    ((1, 2, 2), far_pairs(4), "tcg", "host_cpu", [[0, 0], [1, 1]]),
    ((1, 2, 2), near(4, 2), "tcg", "host_cpu", [[0, 0], [2, 2]]),
    # a host core plays a core under KVM, where it has as many threads
    ((1, 2, 2), far_pairs(4), "kvm", "host_smt", [[0, 4], [1, 5]]),
    ((2, 2, 2), far_pairs(4), "kvm", "host_smt", [[0, 4], [1, 5], [2, 6], [3, 7]]),
    ((1, 2, 2), near(2, 2), "kvm", "host_smt", [[0, 1], [2, 3]]),
    ((1, 2, 4), near(2, 4), "kvm", "host_smt", [[0, 1, 2, 3], [4, 5, 6, 7]]),
    ((1, 1, 8), near(2, 8), "kvm", "host_smt", [list(range(8))]),
    ((1, 2, 2), near(2, 4), "kvm", "host_smt", [[0, 1], [4, 5]]),
    ((1, 2, 4), far_pairs(4), "kvm", "host_cpu", [[0] * 4, [1] * 4]),
    ((1, 2, 8), near(2, 4), "kvm", "host_cpu", [[0] * 8, [4] * 8]),
    ((1, 2, 2), single(2), "kvm", "host_cpu", [[0, 0], [1, 1]]),
    ((1, 2, 1), far_pairs(4), "kvm", "none", [[0], [1]]),
])
def test_every_guest_core_has_a_host_core(make_host, smp, cores, accel, sharing, by_core):
    made = plan(smp, make_host(cores), accel)
    assert (made.sharing, made.by_core) == (sharing, by_core)
    assert made.host_cpus == len({cpu for group in by_core for cpu in group})


@pytest.mark.parametrize("smp,cores,accel,host_cpus", [
    ((1, 3, 2), single(2), "tcg", 2), ((2, 2, 2), single(2), "tcg", 2),
    ((2, 2, 1), single(3), "tcg", 3), ((1, 2, 1), far_pairs(1), "tcg", 1),
    ((1, 2, 2), far_pairs(1), "kvm", 1), ((1, 5, 2), far_pairs(4), "kvm", 4),
])
def test_more_guest_cores_than_host_cores_are_refused(make_host, smp, cores, accel, host_cpus):
    made = plan(smp, make_host(cores), accel)
    assert (made.sharing, made.host_cpus, made.by_core) == ("none", host_cpus, [])
    assert f"{smp[0] * smp[1]} guest cores, {host_cpus} host cores" in made.note
    assert made.host_cpus < smp[0] * smp[1], "the kernel would take the times for good"


@pytest.mark.parametrize("accel,allowed,sharing,by_core", [
    ("tcg", {2, 5}, "host_cpu", [[2, 2], [5, 5]]),
    ("kvm", {0, 1, 4, 5}, "host_smt", [[0, 4], [1, 5]]),
    ("kvm", {1, 2, 3, 6, 7}, "host_smt", [[2, 6], [3, 7]]),   # core 1 with one thread is left out
    ("kvm", {0, 1}, "host_cpu", [[0, 0], [1, 1]]),
    ("kvm", {0, 1, 4}, "host_cpu", [[0, 0], [1, 1]]),
    ("tcg", {0, 4}, "none", []),                               # two threads of one core
])
def test_only_cpus_that_we_may_use(make_host, accel, allowed, sharing, by_core):
    """As taskset, a cpuset, or CPUs that are offline leave them."""
    made = plan((1, 2, 2), make_host(far_pairs(4), allowed), accel)
    assert (made.sharing, made.by_core) == (sharing, by_core)


def test_whole_host_cores_are_watched(make_host):
    """The other thread of a core is not played with, but what runs there is in the way."""
    host = make_host(far_pairs(4), {0, 1, 2})
    assert plan((1, 2, 2), host).watched == (0, 1, 4, 5)
    assert plan((1, 1, 1), host).watched == (0, 4)
    assert plan((1, 4, 1), host).watched == (0, 1, 2)


def test_own_affinity_is_the_limit():
    allowed = os.sched_getaffinity(0)
    assert set(hosts.read_host().usable) == allowed


# ---- where a host says little, or nonsense ----------------------------------------------------

CPUINFO = """\
processor\t: {}
physical id\t: 0
core id\t\t: {}
"""


def test_newer_name_of_the_siblings(make_host):
    assert plan((1, 2, 2), make_host(near(2, 2), name="core_cpus_list"), "kvm").by_core \
        == [[0, 1], [2, 3]]


def test_cpuinfo_where_sys_is_missing(make_host):
    text = "\n".join(CPUINFO.format(cpu, cpu % 2) for cpu in range(4))
    host = make_host([], set(range(4)), files={"proc/cpuinfo": text})
    assert plan((1, 2, 2), host, "kvm").by_core == [[0, 2], [1, 3]]


@pytest.mark.parametrize("files", [
    {}, {"proc/cpuinfo": "processor: 0\nmodel name: x\n\nprocessor: 1\n"},
    {"proc/cpuinfo": ":::\n\nprocessor : x\ncore id : 0\n"},
    {"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-4294967295\n"},
    {"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "one,two\n"},
    {"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "3-1\n"},
    {"sys/devices/system/cpu/cpu0/cpu_capacity": "fast\n"},
    {"sys/devices/cpu_core/cpus": "9-\n"}, {"sys/devices/cpu_core/cpus": "7\n"},
    {"proc/self/cgroup": "nonsense\n"},
])
def test_unknown_cpus_are_cores_of_their_own(make_host, files):
    host = make_host([], {0, 1}, files=files)
    assert [core.usable for core in host.cores] == [(0,), (1,)]
    assert plan((1, 2, 2), host, "kvm").by_core == [[0, 0], [1, 1]]


def test_a_cpu_that_two_cores_claim_plays_one(make_host):
    files = {"sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "0-2",
             "sys/devices/system/cpu/cpu2/topology/thread_siblings_list": "1,2"}
    host = make_host([(0, 1)], {0, 1, 2}, files=files)
    assert [core.usable for core in host.cores] == [(0, 1), (2,)]


def test_forbidden_affinity_is_noted(make_host):
    made = plan((1, 2, 2), make_host(single(2)), permitted=False)
    assert made.sharing == "none" and "forbids" in made.note


def test_pin_off_counts_cores_not_threads(make_host):
    made = pinning.make_plan((1, 2, 1), host=make_host(far_pairs(2)), wanted=False)
    assert (made.sharing, made.host_cpus, made.pinned) == ("none", 2, False)
    assert "PIN=off" in made.note


# ---- hybrid hosts, quotas, single-threaded emulators ------------------------------------------

HYBRID = far_pairs(2) + [(cpu,) for cpu in range(4, 8)]   # two fast cores with SMT, four slow ones
BY_PMU = {"sys/devices/cpu_core/cpus": "0-3\n", "sys/devices/cpu_atom/cpus": "4-7\n"}
BY_CAPACITY = {f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity": f"{capacity}\n"
               for cpu, capacity in enumerate([1009, 1024, 1009, 1024] + [600] * 4)}


@pytest.mark.parametrize("files", [BY_PMU, BY_CAPACITY])
@pytest.mark.parametrize("smp,accel,sharing,by_core", [
    ((1, 2, 2), "kvm", "host_smt", [[0, 2], [1, 3]]),
    ((1, 2, 2), "tcg", "host_cpu", [[0, 0], [1, 1]]),
    ((1, 4, 2), "kvm", "host_cpu", [[4, 4], [5, 5], [6, 6], [7, 7]]),
    ((1, 3, 1), "tcg", "none", [[4], [5], [6]]),
    ((1, 5, 2), "kvm", "none", []),
])
def test_guest_cores_are_all_of_one_kind(make_host, files, smp, accel, sharing, by_core):
    made = plan(smp, make_host(HYBRID, files=files), accel)
    assert (made.sharing, made.by_core) == (sharing, by_core)
    if not by_core:
        assert "of one kind" in made.note and made.host_cpus == 4


def test_favoured_cores_are_of_the_same_kind(make_host):
    files = {f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity": f"{1024 - 20 * cpu}\n"
             for cpu in range(4)}
    assert make_host(single(4), files=files).kinds == [0]


@pytest.mark.parametrize("files", [
    {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
     "sys/fs/cgroup/a/cpu.max": "150000 100000\n"},
    {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"},
    {"proc/self/cgroup": "0::/../../x\n", "sys/fs/cgroup/cpu.max": "30000 20000\n"},
    {"proc/self/cgroup": "4:cpu,cpuacct:/docker/1\n1:name=systemd:/\n",
     "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
     "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n"},
    {"proc/self/cgroup": "4:cpu,cpuacct:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "75000\n",
     "sys/fs/cgroup/cpu/cpu.cfs_period_us": "50000\n"},
])
def test_quota_of_a_control_group_is_a_limit(make_host, files):
    host = make_host(far_pairs(4), files=files)
    assert host.quota == 1.5
    made = plan((1, 2, 2), host, "kvm")
    assert (made.sharing, made.host_cpus) == ("none", 1)
    assert "control group allows 1.5 CPUs" in made.note
    assert plan((1, 1, 2), host, "kvm").by_core == [[0, 0]]   # both threads were more than 1.5


@pytest.mark.parametrize("files", [
    {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"},
    {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "1 0\n"},
    {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "\n"},
    {"proc/self/cgroup": "3:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
     "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"},
    {"proc/self/cgroup": "3:memory:/\n", "sys/fs/cgroup/memory/cpu.max": "1 100\n"},
    {},
])
def test_no_quota(make_host, files):
    assert make_host(single(2), files=files).quota == 0


@pytest.mark.parametrize("machine,sharing", [("x86_64", "host_cpu"), ("AMD64", "host_cpu"),
                                             ("aarch64", "none"), ("ppc64le", "none")])
def test_one_thread_for_all_virtual_cpus(make_host, machine, sharing):
    made = plan((1, 2, 2), make_host(single(4), machine=machine))
    assert made.sharing == sharing
    if sharing == "none":
        assert made.host_cpus == 1 and "one thread" in made.note


@pytest.mark.parametrize("text,cpus", [("0", {0}), ("0,4\n", {0, 4}), ("0-2,7", {0, 1, 2, 7}),
                                       ("", set())])
def test_cpu_list(text, cpus):
    assert hosts.parse_cpu_list(text) == cpus


# ---- which thread is which virtual CPU ---------------------------------------------------------

def vcpus(sockets, cores, threads, first_thread=100):
    """What query-cpus-fast says."""
    places = [(s, c, t) for s in range(sockets) for c in range(cores) for t in range(threads)]
    return [{"thread-id": first_thread + index,
             "props": {"socket-id": s, "core-id": c, "thread-id": t}}
            for index, (s, c, t) in enumerate(places)]


def test_threads_of_a_core_go_together(make_host):
    made = plan((2, 3, 2), make_host(single(6)))
    assert pinning.assign(made, vcpus(2, 3, 2)) == {100 + n: n // 2 for n in range(12)}
    shuffled = vcpus(2, 3, 2)[::-1]
    assert pinning.assign(made, shuffled) == {100 + n: n // 2 for n in range(12)}


def test_fewer_cpus_than_planned_for_are_pinned_all_the_same(make_host):
    made = plan((1, 2, 2), make_host(far_pairs(2)), "kvm")
    assert pinning.assign(made, vcpus(1, 2, 2)[:3]) == {100: 0, 101: 2, 102: 1}


@pytest.mark.parametrize("there", [
    vcpus(1, 3, 2), vcpus(1, 2, 4), vcpus(2, 2, 2),
    [{"thread-id": 7, "props": {"core-id": core}} for core in (0, 1)],   # one thread for all
    vcpus(1, 1, 1, 7) + vcpus(1, 1, 1, 7),
])
def test_another_machine_than_planned_for_is_refused(make_host, there):
    with pytest.raises(ValueError):
        pinning.assign(plan((1, 2, 2), make_host(single(2))), there)


def test_nothing_is_assigned_without_pinning(make_host):
    assert pinning.assign(plan((1, 4, 1), make_host(single(2))), vcpus(1, 4, 1)) == {}


def test_tools_run_says_that_it_cannot_pin():
    """One guest core more than this host has, whichever it is."""
    cores = len(hosts.read_host().cores) + 1
    done = subprocess.run(
        [os.path.join(TOOLS, "run"), "--image", IMAGE, "--smp", f"1,{cores},2",
         "--args", "run=solo,pair blocks=5 rounds=1"],
        cwd=ROOT, capture_output=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    assert f"not pinned: {cores} guest cores" in done.stderr.decode()
    results = Log.parse(done.stdout).of("result")
    assert results
    for result in results:
        assert (result["sharing"], result["reliable"]) == ("none", 0), result.text


def qemu_places(smp, cpu):
    """{APIC ID: (core, thread)} as QEMU has it, with the number by which assign() knows a core."""
    machine = qemu.Machine(smp=smp, cpu=cpu, image=IMAGE)
    qmp = Qmp()
    child = process.start(qemu.make_argv(machine, ["run=none"], qmp.fileno),
                          pass_fds=[qmp.fileno], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL)
    try:
        qmp.connect()
        found = qmp.command("query-cpus-fast")
        ids = {v["thread-id"]: qmp.command("qom-get", path=v["qom-path"], property="apic-id")
               for v in found}
    finally:
        process.end(child)
        qmp.close()
    # A host with as many CPUs as there are cores, so that the host CPU is the number of the core.
    host = hosts.Host(tuple(hosts.Core((n,), (n,)) for n in range(smp[0] * smp[1])))
    assignment = pinning.assign(plan(smp, host), found)
    thread = {v["thread-id"]: v["props"]["thread-id"] for v in found}
    return {ids[tid]: (core, thread[tid]) for tid, core in assignment.items()}


@pytest.mark.parametrize("smp,cpu", [
    ((1, 2, 2), "Nehalem"), ((1, 3, 2), "Nehalem"), ((2, 3, 2), "Nehalem"), ((1, 2, 4), "Nehalem"),
    ((2, 1, 3), "Nehalem"), ((1, 3, 2), "EPYC"), ((1, 2, 2), "n270"),
])
def test_kernel_and_qemu_mean_the_same_cores(boot, smp, cpu):
    """Odd numbers leave gaps in the APIC IDs, and no core must lose its threads to another."""
    places = qemu_places(smp, cpu)
    records = boot("run=none", smp=smp, cpu=cpu).of("cpu")
    assert {record["apic_id"] for record in records} == set(places)
    for a in records:
        for b in records:
            same_core = places[a["apic_id"]][0] == places[b["apic_id"]][0]
            assert (a["core"] == b["core"]) == same_core, (a.text, b.text)


@pytest.mark.parametrize("smp,args", [((1, 3, 1), "run=solo,pair"), ((1, 2, 2), "run=pair,fill"),
                                      ((2, 2, 2), "run=siblings")])
def test_kernel_calls_a_refused_pinning_unreliable(boot, make_host, smp, args):
    made = plan(smp, make_host(single(1)))
    log = boot(f"{args} blocks=5 rounds=1 host_cpus={made.host_cpus} sharing={made.sharing}",
               smp=smp)
    assert log.outcome.passed
    results = log.of("result")
    assert results
    for result in results:
        assert result["reliable"] == 0, result.text
        assert "CPUs" in result["reason"] or "differ" in result["reason"], result.text
