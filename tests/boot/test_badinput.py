"""Odd command lines, machines and firmware: one warning each, and the boot goes on."""

import csv
import os
import re

import pytest

from target import ROOT, Request

DATA = os.environ.get("TANDEM_DATA") or os.path.join(ROOT, "..", "shared", "data")
VECTORS = os.path.join(DATA, "acpi-vectors")
# IDs 0 to 7. Tables that list more describe CPUs that never answer.
VECTOR_SMP = (1, 8, 1)
PRESENT = set(range(8))
# The running CPU is in no entry of this one; it is for decoders that are told another own ID.
NOT_FOR_BOOT = {"start16"}

BAD_WORDS = [
    "bogus=1", "bogus", "=", "run=nosuch", "sched=nosuch", "slice=0", "slice=2s", "slice=10",
    "slice=-1ms", "rounds=-1", "rounds=0", "rounds=99999999999999999999", "blocks=x", "tasks=-3",
    "smt_model=9", "smt_model=0.5", "smt=maybe", "cpus=0", "topology=0x2x2", "topology=9x9x9",
    "topology=2x2", "seed=abc", "console=nosuch", "baud=7", "trace=maybe", "end=nosuch",
    "host_cpus=-1", "sharing=nosuch",
]


def load_vectors():
    """(case, APIC IDs to start) of each malformed table; empty without the data."""
    try:
        with open(os.path.join(VECTORS, "cases.tsv"), encoding="ascii") as file:
            rows = [row for row in csv.reader(file, delimiter="\t")]
    except OSError:
        return []
    return [(row[0], row[1]) for row in rows if row[0] not in NOT_FOR_BOOT]


def vector_request(case):
    """A machine whose firmware installs these tables instead of its own."""
    def option(name, file):
        return "-fw_cfg", f"name=etc/{name},file={os.path.join(VECTORS, case, file)}"

    return Request(
        smp=VECTOR_SMP, board="pc,acpi=off", limit_s=90,
        extra=option("acpi/tables", "t.bin") + option("acpi/rsdp", "r.bin")
        + option("table-loader", "l.bin"))


VECTOR_CASES = [(vector_request(case), ids) for case, ids in load_vectors()] or [
    pytest.param(None, "", marks=pytest.mark.skip(reason="no acpi-vectors here"))]


def case_name(value):
    if isinstance(value, Request):
        return os.path.basename(os.path.dirname(value.extra[1]))
    return "" if value is None else None


def test_good_command_line_has_no_warning(boot):
    assert boot("run=none").of("warning") == []


@pytest.mark.parametrize("word", BAD_WORDS)
def test_bad_word_is_one_warning(boot, word):
    log = boot(f"run=none blocks=1 rounds=1 {word}", until=r"^end: [^\n]*\n", limit_s=120)
    assert log.records[-1].tag == "end"
    warnings = log.of("warning")
    assert len(warnings) == 1, [warning.text for warning in warnings]
    key, _, value = word.partition("=")
    assert key in warnings[0].text or value in warnings[0].text


def test_many_bad_words(boot):
    words = [f"bogus{n}={n}" for n in range(40)]
    log = boot(" ".join(words) + " run=none")
    assert log.outcome.passed
    assert log.of("warning")


@pytest.mark.parametrize("args", ['run=none x="', 'run=none "', 'run="none', 'run=none " " ""'])
def test_unbalanced_quotes(boot, args):
    log = boot(args)
    assert log.outcome.ending == "exited"
    assert log.records[-1].tag == "end"


@pytest.mark.parametrize("length", [255, 256, 1023, 1024, 4096, 6000])
def test_long_command_line(boot, length):
    head = "run=none end=exit "
    log = boot(head + "x" * (length - len(head)))
    assert log.outcome.passed
    assert log.of("warning")


def test_control_characters_do_not_reach_the_log(boot):
    log = boot('run=none x="\x1b[2J\x07\xe9"')
    assert re.fullmatch(rb"[\r\n\x20-\x7e]*", log.outcome.serial)
    assert log.outcome.passed


@pytest.mark.parametrize("mem", ["2M", "4M"])
def test_little_memory_is_said(boot, mem):
    """It boots or says what is missing; it does not hang silently."""
    log = boot(mem=mem, until=r"^(error|panic): .*\n")
    assert log.outcome.passed or log.of("error") or log.of("panic")


@pytest.mark.parametrize("mem", ["16M", "3584M"])
def test_other_memory_sizes(boot, mem):
    assert boot(mem=mem).outcome.passed


@pytest.mark.parametrize("cpu", ["n270,-pae", "pentium", "486"])
def test_missing_cpu_feature_is_named(boot, cpu):
    log = boot(cpu=cpu, smp=(1, 1, 1))
    assert "PAE" in log.one("error")["what"]
    assert log.outcome.status == 35


@pytest.mark.parametrize("machine", [
    {"cpu": "n270,-apic", "smp": (1, 1, 1)},
    {"board": "pc,acpi=off"},
    {"board": "pc,acpi=off", "cpu": "n270,-apic", "smp": (1, 1, 1)},
], ids=["no-apic", "no-acpi", "neither"])
def test_one_cpu_without_apic_or_acpi(boot, machine):
    log = boot("run=solo,same_cpu blocks=10 rounds=1", **machine)
    assert log.outcome.passed
    assert log.one("topology")["cpus"] == 1
    assert log.of("warning")


@pytest.mark.parametrize("board", ["pc,hpet=off", "q35", "q35,hpet=off", "pc,pit=off"])
def test_boards(boot, board):
    assert boot("run=solo blocks=5 rounds=1", board=board).outcome.passed


def test_no_serial_port(boot):
    log = boot("run=solo blocks=5 rounds=1", serial="none")
    assert log.outcome.status == 33
    assert log.outcome.serial == b""


def test_console_none_is_silent(boot):
    log = boot("run=none console=none")
    assert log.outcome.status == 33


@pytest.mark.parametrize("wanted,ids", VECTOR_CASES, ids=case_name)
def test_acpi_tables(prepared, wanted, ids):
    log = prepared.get(wanted)
    assert log.outcome.passed
    if ".." in ids:
        expected = PRESENT
    else:
        expected = {int(apic_id) for apic_id in ids.split()} & PRESENT
    assert {cpu["apic_id"] for cpu in log.of("cpu", state="online")} == expected
