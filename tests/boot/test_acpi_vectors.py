"""Malformed ACPI tables, booted: what becomes of every CPU they list.

test_badinput.py checks which CPUs come online; the machine is the same here, so nothing is booted
twice. Here it is the others: one that is listed and not there has failed, one that cannot be
reached is skipped, and both say why.
"""

import pytest

from test_badinput import PRESENT, load_vectors, vector_request

# An ID that a table lists as enabled, and xAPIC cannot reach; cases.tsv leaves it out.
OUT_OF_REACH = {"x2_high": {0x100}}
# Its entries do not have the running CPU, which is 0.
BOOT_CPU_ABSENT = ("start16", "0 16 17 18 19")
ALL_OF_MANY = range(80)


def listed(ids):
    return set(ALL_OF_MANY if ".." in ids else map(int, ids.split()))


VECTOR_CASES = load_vectors()
CASES = [pytest.param(case, listed(ids), id=case)
         for case, ids in VECTOR_CASES + [BOOT_CPU_ABSENT] * bool(VECTOR_CASES)] or [
    pytest.param("", set(), marks=pytest.mark.skip(reason="no acpi-vectors here"))]


@pytest.mark.parametrize("case,ids", CASES)
def test_state_of_every_cpu(boot, case, ids):
    log = boot.get(vector_request(case))
    assert log.outcome.passed
    expected = {apic_id: "online" if apic_id in PRESENT else "failed" for apic_id in ids}
    expected.update(dict.fromkeys(OUT_OF_REACH.get(case, ()), "skipped"))
    assert {cpu["apic_id"]: cpu["state"] for cpu in log.of("cpu")} == expected
    assert len(log.of("cpu")) == len(expected)
    for cpu in log.of("cpu"):
        assert bool(cpu["reason"]) == (cpu["state"] != "online"), cpu.text
    # What failed is also a warning; what is merely out of reach is none of the machine's faults.
    assert log.of("warning") or "failed" not in expected.values()
