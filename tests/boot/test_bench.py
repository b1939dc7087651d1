"""What the kernel's own paths cost, counted in guest instructions."""

import pytest

ICOUNT = ("-icount", "shift=0,sleep=off")
PATHS = {"null_syscall", "yield_alone", "yield_round_trip", "slice_tick", "sleep_wake",
         "create_exit", "wake_remote"}


def bench(boot, take):
    log = boot("run=bench check=off console=serial", smp=(1, 2, 1), extra=ICOUNT, limit_s=120, take=take)
    assert log.outcome.status == 33
    return {record["what"]: record["instructions"] for record in log.of("bench")}


@pytest.fixture(name="costs")
def boot_bench(boot):
    return bench(boot, 1)


def test_every_path_is_measured(costs):
    assert set(costs) == PATHS
    assert all(instructions > 0 for instructions in costs.values())


def test_every_run_counts_the_same(boot, costs):
    assert bench(boot, 2) == costs


def test_null_system_call_is_short(costs):
    assert costs["null_syscall"] < 150
