"""What the kernel's own paths cost, counted in guest instructions."""

import pytest

ICOUNT = ("-icount", "shift=0,sleep=off")
PATHS = {"null_syscall", "yield_alone", "yield_round_trip", "idle_tick", "sleep_wake",
         "create_exit"}
SCALES = {(cpus, tasks) for cpus in (1, 4, 16, 255) for tasks in (10, 100, 1000, 4000)}


def bench(boot, take, cpus=2):
    log = boot("run=bench check=off console=serial", smp=(1, cpus, 1), extra=ICOUNT, limit_s=240,
               take=take)
    assert log.outcome.status == 33
    return {(record["what"], record.get("cpus"), record.get("tasks")): record["instructions"]
            for record in log.of("bench")}


@pytest.fixture(name="costs")
def boot_bench(boot):
    return bench(boot, 1)


def cost_of(costs, what, cpus=None, tasks=None):
    return costs[what, cpus, tasks]


def test_every_path_is_measured(costs):
    assert {what for what, cpus, _ in costs if cpus is None} == PATHS | {"slice_tick_uneven",
                                                                         "wake_remote"}
    for path in ("dispatch", "place"):
        assert {(cpus, tasks) for what, cpus, tasks in costs if what == path} == SCALES
    assert all(instructions > 0 for instructions in costs.values())


def test_every_run_counts_the_same(boot, costs):
    assert bench(boot, 2) == costs


def test_short_paths_are_short(costs):
    assert cost_of(costs, "null_syscall") < 150
    assert cost_of(costs, "yield_alone") < 300
    assert cost_of(costs, "yield_round_trip") < 900
    assert cost_of(costs, "idle_tick") < 300


def test_a_tick_on_one_cpu_is_short(boot):
    costs = bench(boot, 1, cpus=1)
    assert {what for what, cpus, _ in costs if cpus is None} == PATHS | {"slice_tick"}
    assert cost_of(costs, "slice_tick") < 1000


@pytest.mark.parametrize("path", ("dispatch", "place"))
def test_many_cpus_and_tasks_cost_no_more(costs, path):
    small = cost_of(costs, path, 4, 10)
    assert cost_of(costs, path, 255, 4000) <= 1.2 * small
    assert cost_of(costs, path, 4, 4000) <= 1.2 * small


def test_no_scale_is_much_dearer(costs):
    """Placing costs the same however long the queues are. Deciding does but for the rotation, where
    some cores are shared and others are not.
    """
    for path, times in (("dispatch", 3.5), ("place", 1.2)):
        small = cost_of(costs, path, 4, 10)
        assert max(cost_of(costs, path, *scale) for scale in SCALES) <= times * small


def test_what_is_not_done_does_not_count(costs):
    """With ten tasks on 255 CPUs most CPUs have nothing to decide, and nobody to wake."""
    assert cost_of(costs, "dispatch", 255, 10) > 200
    assert cost_of(costs, "place", 255, 10) > 200
