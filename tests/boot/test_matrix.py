"""All CPU models of the emulators, times shapes of machines.

What is expected is worked out here from what a model can tell at all: QEMU says which leaves each
of its models has, and how it fills them is known. Where they are right the kernel has to be right.
Where a model cannot tell, or lies, no CPU may be lost and no two CPUs of different cores may be
taken for one; and there is a warning if the lie can be seen.

`make test` boots a few of them, one for each way to tell; `make test-matrix` (TANDEM_MATRIX=all)
boots all, which takes half an hour.
"""

import functools
import itertools
import json
import os
import subprocess
from dataclasses import dataclass

import pytest

from conftest import Booter
from emulator import qemu
from target import Request, make_target
from test_topology import check_agreement, partition, width

ALL = os.environ.get("TANDEM_MATRIX") == "all"
BINARIES = ("qemu-system-i386", "qemu-system-x86_64")
QUERY_LIMIT_S = 60
NEEDS_KVM = {"host"}

SHAPES = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 2, 2), (1, 3, 2), (4, 1, 1)]
ODD_SHAPES = [(1, 3, 1), (2, 3, 1), (1, 3, 3), (1, 5, 3)]
FOUR_THREADS = (1, 2, 4)
# One model for each way to tell: nothing, leaf 4, 0x80000008, leaf 0xB of three vendors.
FEW = ["pentium3", "Conroe", "phenom", "Snowridge", "EPYC", "Dhyana"]

BOCHS_MODELS = ["atom_n270", "p4_prescott_celeron_336", "core2_penryn_t9600",
                "corei7_sandy_bridge_2600k", "zambezi", "ryzen"]
BOCHS_SHAPES = [(1, 1, 1), (1, 1, 2), (1, 2, 2)]
# More than one CPU, and the leaves are right.
BOCHS_TELLS = {("atom_n270", (1, 1, 2)), ("corei7_sandy_bridge_2600k", (1, 1, 2))}
# With two threads it shows what the real Core 2 Duo shows, which has two cores.
BOCHS_HIDES = {("core2_penryn_t9600", (1, 1, 2))}


@dataclass(frozen=True)
class Machine:
    """One entry of the matrix. `online` as in target.Request."""

    cpu: str
    smp: tuple
    dies: int = 1
    online: int = 0
    leaf_0b: bool = True

    def __str__(self):
        words = [self.cpu, "x".join(map(str, self.smp))]
        words += [f"dies{self.dies}"] * (self.dies > 1)
        words += [f"online{self.online}"] * bool(self.online)
        return "-".join(words + ["no0b"] * (not self.leaf_0b))

    def request(self):
        """`cores` of smp are those of all dies together, so that Request counts CPUs right."""
        sockets, cores, threads = self.smp
        extra = ()
        if self.dies > 1:
            extra = ("-smp", f"{sockets * cores * threads},sockets={sockets},dies={self.dies},"
                             f"cores={cores // self.dies},threads={threads}")
        return Request(cpu=self.cpu + ("" if self.leaf_0b else ",cpuid-0xb=off"), smp=self.smp,
                       online=self.online, extra=extra, limit_s=120)


# ---- What a model can tell ----

def ask_qemu(binary, commands):
    """The answers of a QEMU without a machine; empty where there is none."""
    lines = [{"execute": "qmp_capabilities"}, *commands, {"execute": "quit"}]
    try:
        done = subprocess.run(
            [binary, "-machine", "none", "-display", "none", "-nodefaults", "-qmp", "stdio"],
            input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True,
            text=True, timeout=QUERY_LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [answer for answer in answers if "return" in answer or "error" in answer][1:-1]


@functools.lru_cache(maxsize=None)
def model_properties(binary):
    """{model: properties} of all models that the kernel can run with several CPUs."""
    names = [model["name"] for answer in ask_qemu(binary, [{"execute": "query-cpu-definitions"}])
             for model in answer["return"]]
    answers = ask_qemu(binary, [
        {"execute": "query-cpu-model-expansion",
         "arguments": {"type": "full", "model": {"name": name}}} for name in names])
    models = {}
    for name, answer in zip(names, answers):
        properties = answer.get("return", {}).get("model", {}).get("props", {})
        if properties.get("apic") and properties.get("pae") and name not in NEEDS_KVM:
            models[name] = properties
    return dict(sorted(models.items()))


@dataclass(frozen=True)
class Knowledge:
    """What the leaves of a machine tell rightly, and whether a lie shows."""

    packages: bool
    cores: bool
    warns: bool = False


def knowledge(machine, properties):
    """QEMU pads IDs to whole bits, but not counts. It counts cores of one die only, but gives Intel
    models with dies leaf 0x1F, whatever their highest leaf was.
    """
    sockets, cores, threads = machine.smp
    intel = properties["vendor"] not in ("AuthenticAMD", "HygonGenuine")
    count = cores // machine.dies * threads
    counts_fit = width(count) == width(cores) + width(threads)
    several = (machine.online or sockets * cores * threads) > 1
    if properties["level"] >= 0xB and machine.leaf_0b or machine.dies > 1 and intel:
        return Knowledge(packages=True, cores=True)   # levels with shifts: 0x1F, 0xB
    if not intel:
        # 0x80000008 has the width of the package unless the count is 1, and nothing on threads.
        # Before family 15h there were none, so that a model with threads looks like one with more
        # cores.
        return Knowledge(packages=machine.dies == 1 or count > 1, cores=threads == 1,
                         warns=several and count > 1 and properties["family"] >= 0x15)
    if properties["level"] >= 4:
        return Knowledge(packages=counts_fit, cores=counts_fit)   # leaves 1 and 4 have counts
    # Leaf 1 does not tell threads from cores.
    return Knowledge(packages=counts_fit, cores=threads == 1, warns=several)


# ---- What a machine is ----

def real_places(machine):
    """{apic_id: (package, core)}: fields of the ID as wide as their counts need."""
    sockets, cores, threads = machine.smp
    places = {}
    for socket, die, core, thread in itertools.product(
            range(sockets), range(machine.dies), range(cores // machine.dies), range(threads)):
        apic_id = socket << width(machine.dies) | die
        apic_id = apic_id << width(cores // machine.dies) | core
        places[apic_id << width(threads) | thread] = (socket, (socket, die, core))
    return dict(list(places.items())[:machine.online or None])


def bochs_places(smp):
    """Bochs numbers its CPUs without gaps."""
    sockets, cores, threads = smp
    return {cpu: (cpu // (cores * threads), cpu // threads)
            for cpu in range(sockets * cores * threads)}


def seen(log, key):
    return partition((cpu["apic_id"], cpu[key]) for cpu in log.of("cpu"))


def real(places, index):
    return partition((apic_id, place[index]) for apic_id, place in places.items())


def doubts(log):
    """The warnings about leaves. A loaded host is good for some about clocks."""
    return [warning.text for warning in log.of("warning")
            if warning["where"].startswith(("leaf_", "local_apic"))]


def check_no_invention(log, places):
    """No CPU is lost, and what is taken for one core is (a part of) one core."""
    assert log.outcome.passed
    states = {cpu["apic_id"]: cpu["state"] for cpu in log.of("cpu")}
    assert states == dict.fromkeys(places, "online")
    check_agreement(log)
    for core in seen(log, "core"):
        assert any(core <= whole for whole in real(places, 1)), sorted(core)


def check_machine(log, machine, properties):
    places, known = real_places(machine), knowledge(machine, properties)
    check_no_invention(log, places)
    if known.packages:
        assert seen(log, "package") == real(places, 0)
    if known.cores:
        assert seen(log, "core") == real(places, 1)
    assert bool(doubts(log)) == known.warns, doubts(log)


# ---- The matrix ----

def variants(cpu, properties):
    """The machines of one model."""
    machines = [Machine(cpu, smp) for smp in SHAPES + ODD_SHAPES + [FOUR_THREADS]]
    machines += [Machine(cpu, (1, 4, 2), dies=2), Machine(cpu, (2, 2, 1), dies=2)]
    machines += [Machine(cpu, (1, 2, 2), online=3), Machine(cpu, (2, 2, 2), online=1)]
    if properties["level"] >= 0xB:
        machines += [Machine(cpu, (1, 2, 2), leaf_0b=False), Machine(cpu, (1, 3, 2), leaf_0b=False)]
    return machines


def few_variants(cpu, properties):
    machines = [Machine(cpu, (1, 5, 3)), Machine(cpu, (2, 2, 2), online=5)]
    if cpu in ("pentium3", "EPYC"):
        machines += [Machine(cpu, FOUR_THREADS), Machine(cpu, (1, 4, 2), dies=2)]
    if properties["level"] >= 0xB:
        machines += [Machine(cpu, (1, 2, 2), leaf_0b=False)]
    return machines


def matrix():
    """(binary, machine) pairs. The x86_64 binary has the same models: it boots two shapes of each.
    """
    models = model_properties(BINARIES[0])
    if not ALL:
        return [(BINARIES[0], machine) for cpu in FEW if cpu in models
                for machine in few_variants(cpu, models[cpu])]
    pairs = [(BINARIES[0], machine) for cpu in models for machine in variants(cpu, models[cpu])]
    return pairs + [(BINARIES[1], Machine(cpu, smp)) for cpu in model_properties(BINARIES[1])
                    for smp in ((1, 2, 2), (2, 2, 2))]


MATRIX = matrix() or [pytest.param("", None, marks=pytest.mark.skip(reason="no QEMU here"))]
BOCHS = list(itertools.product(BOCHS_MODELS, BOCHS_SHAPES)) if ALL else [
    ("corei7_sandy_bridge_2600k", (1, 2, 2))]


@pytest.fixture(name="boot_on", scope="module")
def fixture_boot_on():
    booters = {binary: Booter(make_target()) for binary in BINARIES}

    def boot_on(binary, request):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(qemu, "BINARY", binary)
            return booters[binary].get(request)
    return boot_on


@pytest.mark.parametrize("binary,machine", MATRIX, ids=str)
def test_qemu(boot_on, binary, machine):
    log = boot_on(binary, machine.request())
    check_machine(log, machine, model_properties(binary)[machine.cpu])


@pytest.mark.parametrize("cpu,smp", BOCHS, ids=lambda value: value if isinstance(value, str)
                         else "x".join(map(str, value)))
def test_bochs(boot, cpu, smp):
    log = boot(cpu=cpu, smp=smp, emulator="bochs", limit_s=120)
    places = bochs_places(smp)
    check_no_invention(log, places)
    right = all(seen(log, key) == real(places, index)
                for index, key in enumerate(("package", "core")))
    assert right or (cpu, smp) not in BOCHS_TELLS
    assert right or (cpu, smp) in BOCHS_HIDES or doubts(log)
