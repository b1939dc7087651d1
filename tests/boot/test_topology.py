"""The kernel's idea of the machine, on many CPU models and shapes.

The expectation comes from how QEMU numbers CPUs: fields of the APIC ID as wide as their counts
need. It is compared as a partition (which CPUs share a core, a package), not by numbers.
"""

import itertools

import pytest

from target import Request

MODELS = ["qemu32", "n270", "Nehalem", "qemu64", "Opteron_G4", "EPYC", "max"]
SHAPES = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 2, 2), (1, 3, 2), (4, 1, 1)]
MATRIX = [Request(cpu=cpu, smp=smp) for cpu, smp in itertools.product(MODELS, SHAPES)]
MANY = [Request(smp=(1, 32, 2), limit_s=120), Request(smp=(1, 255, 1), limit_s=180)]
# One CPU per package has no topology leaves to tell anything, others have the leaf or not.
NEWEST_LEAF = {"Nehalem": "leaf_0b", "n270": "leaf_04", "qemu32": "leaf_04"}


def width(count):
    """Bits of an APIC ID field that tells `count` things apart."""
    return (count - 1).bit_length()


def expected_places(smp):
    """{apic_id: (package, core)} of a QEMU machine."""
    sockets, cores, threads = smp
    places = {}
    for socket, core, thread in itertools.product(range(sockets), range(cores), range(threads)):
        apic_id = ((socket << width(cores) | core) << width(threads)) | thread
        places[apic_id] = (socket, (socket, core))
    return places


def partition(pairs):
    """{group: member} pairs as a set of sets of members."""
    groups = {}
    for member, group in pairs:
        groups.setdefault(group, set()).add(member)
    return {frozenset(members) for members in groups.values()}


def check_partition(log, smp):
    expected = expected_places(smp)
    cpus = log.of("cpu")
    assert {cpu["apic_id"] for cpu in cpus} == set(expected)
    for index, key in ((0, "package"), (1, "core")):
        seen = partition((cpu["apic_id"], cpu[key]) for cpu in cpus)
        assert seen == partition((apic, place[index]) for apic, place in expected.items()), key


def check_agreement(log):
    """The cpu, core and topology records tell the same story."""
    cpus, topology = log.of("cpu"), log.one("topology")
    assert topology["cpus"] == len(cpus)
    assert topology["cores"] == len({cpu["core"] for cpu in cpus}) == len(log.of("core"))
    assert topology["packages"] == len({cpu["package"] for cpu in cpus})
    assert [cpu["cpu"] for cpu in cpus] == list(range(len(cpus)))
    for core in log.of("core"):
        members = [cpu for cpu in cpus if cpu["core"] == core["core"]]
        assert core["cpus"] == [cpu["cpu"] for cpu in members]
        assert {cpu["package"] for cpu in members} == {core["package"]}
        assert sorted(cpu["thread"] for cpu in members) == list(range(len(members)))
        assert core["shares"] == ("smt" if len(members) > 1 else "none")


@pytest.mark.parametrize("wanted", MATRIX, ids=lambda r: f"{r.cpu}-" + "x".join(map(str, r.smp)))
def test_places(prepared, wanted):
    log = prepared.get(wanted)
    assert log.outcome.passed
    assert {cpu["state"] for cpu in log.of("cpu")} == {"online"}
    check_partition(log, wanted.smp)
    check_agreement(log)


@pytest.mark.parametrize("wanted", MANY, ids=lambda r: str(r.smp[1] * r.smp[2]))
def test_many_cpus_all_come_online(boot, wanted):
    log = boot.get(wanted)
    assert log.outcome.passed
    assert len(log.of("cpu", state="online")) == wanted.smp[1] * wanted.smp[2]
    check_partition(log, wanted.smp)


@pytest.mark.parametrize("cpu", NEWEST_LEAF)
def test_newest_leaf_is_used(boot, cpu):
    assert boot(cpu=cpu, smp=(1, 2, 2)).one("topology")["method"] == NEWEST_LEAF[cpu]


def test_empty_leaf_0b_is_not_believed(boot):
    log = boot(cpu="Nehalem,cpuid-0xb=off", smp=(1, 2, 2))
    assert log.one("topology")["method"] == "leaf_04"
    check_partition(log, (1, 2, 2))


def test_leaf_1f_with_dies(boot):
    log = boot(cpu="Nehalem", smp=(1, 4, 2), extra=("-smp", "8,sockets=1,dies=2,cores=2,threads=2"))
    assert log.one("topology")["method"] == "leaf_1f"
    assert log.one("topology")["packages"] == 1
    assert log.one("topology")["cores"] == 4


def test_packages_without_leaf_4(boot):
    """A Pentium III's leaves cannot tell cores from threads; the package they can."""
    log = boot(cpu="pentium3", smp=(1, 2, 1))
    assert log.outcome.passed
    assert log.one("topology")["packages"] == 1


def test_disabled_entries_are_no_cpus(boot):
    log = boot(smp=(1, 2, 2), online=2)
    assert len(log.of("cpu")) == 2
    assert log.one("acpi")["disabled"] == 2
    assert log.one("topology")["cpus"] == 2


@pytest.mark.parametrize("word,cores", [
    ("topology=1x1x4", [[0, 1, 2, 3]]),
    ("topology=1x4x1", [[0], [1], [2], [3]]),
    ("topology=1x2x2:far", [[0, 2], [1, 3]]),
    ("topology=2x1x2", [[0, 1], [2, 3]]),
])
def test_override(boot, word, cores):
    log = boot(f"run=none {word}")
    assert log.one("topology")["method"] == "override"
    assert [core["cpus"] for core in log.of("core")] == cores
    assert log.of("warning"), "an override is never silent"


def test_smt_off_uses_first_threads_only(boot):
    log = boot("run=pair,fill smt=off blocks=20 rounds=2", limit_s=120)
    first = {cpu["cpu"] for cpu in log.of("cpu", thread=0)}
    assert log.of("task")
    for task in log.of("task"):
        assert set(task["cpus"]) <= first, task.text


def test_cpus_limits_how_many_start(boot):
    log = boot("run=none cpus=3")
    assert len(log.of("cpu", state="online")) == 3
