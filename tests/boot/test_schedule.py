"""What the scheduler did, as the task and result records tell it.

Only what holds on a loaded host is asserted here: where tasks ran, and shares of guest time. How
long things take is test_bochs.py's, whose machine is exact.
"""

import functools
import hashlib
import os

import pytest

BLOCK = bytes(index & 0xff for index in range(10000))
# Each task lasts many slices, on fast hosts too.
BLOCKS = 3000
SLICE_US = 5000
ARGS = f"run=solo,pair,siblings,same_cpu,peg,fill slice=5ms blocks={BLOCKS} rounds=2"
POLICIES = ["naive", "smt"]
CORES = 2
SEEDS = range(1, 6)


@functools.lru_cache
def digest(blocks):
    """What a time trial of this many blocks has to arrive at."""
    total = hashlib.md5()
    for _ in range(blocks):
        total.update(BLOCK)
    return total.hexdigest()


def cores_of(log, task):
    """The cores that a task ran on."""
    return {log.one("cpu", cpu=cpu)["core"] for cpu in task["cpus"]}


@pytest.fixture(name="log")
def fixture_log(boot):
    return boot(ARGS, limit_s=300)


def test_expected_digest_is_openbsds():
    assert digest(10000) == "52e5f9c9e6f656f3e1800dfa5579d089"


def test_all_tasks_end_well(log):
    assert log.outcome.passed
    assert log.of("task")
    assert log.of("task", ok=0) == []
    assert log.of("fault") == []


def test_every_digest_is_right(log):
    trials = log.of("task", task="md5 -t")
    assert trials
    for task in trials:
        assert task["digest"] == digest(BLOCKS), task.text


@pytest.mark.parametrize("experiment,tasks", [("solo", 1), ("pair", 2), ("siblings", 2),
                                              ("same_cpu", 2)])
@pytest.mark.parametrize("sched", POLICIES)
def test_number_of_tasks(log, experiment, tasks, sched):
    run = log.of("run", experiment=experiment, sched=sched)[0]
    assert run["tasks"] == tasks
    for number in range(1, run["rounds"] + 1):
        assert len(log.of("task", experiment=experiment, sched=sched, round=number)) == tasks


def test_smt_never_shares_a_core_while_another_is_idle(log):
    for experiment in ("solo", "pair", "peg"):
        for task in log.of("task", experiment=experiment, sched="smt"):
            assert task["shared_us"] <= SLICE_US, task.text


def test_smt_moves_nothing_between_cores_with_a_core_each(log):
    """`migrations` counts moves between cores, moves between siblings count apart."""
    for task in log.of("task", experiment="pair", sched="smt"):
        assert len(cores_of(log, task)) == 1, task.text


def test_naive_shares_a_core_for_some_seed(boot):
    """Where the two of a round ran, since short tasks on a loaded host need not overlap."""
    for seed in SEEDS:
        log = boot(f"run=pair sched=naive blocks=50 rounds=10 seed={seed}", limit_s=120)
        for number in range(1, 11):
            first, second = log.of("task", experiment="pair", round=number)
            if first["cpus"] != second["cpus"] and cores_of(log, first) == cores_of(log, second):
                return
    pytest.fail(f"naive never put a pair on one core with seeds {list(SEEDS)}")


@pytest.mark.parametrize("experiment", ["pair", "siblings", "same_cpu", "fill"])
def test_run_and_wait_add_up_to_wall(log, experiment):
    for task in log.of("task", experiment=experiment):
        rest = task["wall_us"] - task["run_us"] - task["wait_us"]
        assert abs(rest) <= max(1000, task["wall_us"] // 50), task.text


@pytest.mark.parametrize("sched", POLICIES)
def test_siblings_share_their_core_all_the_time(log, sched):
    """All but the ends, which are long where the host is busy."""
    for task in log.of("task", experiment="siblings", sched=sched):
        assert len(task["cpus"]) == 1, task.text
    assert log.of("result", experiment="siblings", sched=sched)[0]["shared_percent"] >= 40


@pytest.mark.parametrize("sched", POLICIES)
def test_siblings_are_pinned_to_two_threads_of_one_core(log, sched):
    tasks = log.of("task", experiment="siblings", sched=sched)
    assert len({task["cpus"][0] for task in tasks}) == 2
    assert len(set.union(*(cores_of(log, task) for task in tasks))) == 1


@pytest.mark.parametrize("sched", POLICIES)
def test_same_cpu_takes_turns_on_one_cpu(log, sched):
    tasks = log.of("task", experiment="same_cpu", sched=sched)
    assert len({tuple(task["cpus"]) for task in tasks}) == 1
    assert len(tasks[0]["cpus"]) == 1
    for task in tasks:
        assert task["migrations"] == task["sibling_migrations"] == 0, task.text
        assert 0.25 < task["wait_us"] / task["wall_us"] < 0.75, task.text
        assert task["switches"] > 2, task.text


@pytest.mark.parametrize("sched", POLICIES)
def test_results_are_in_order(log, sched):
    for result in log.of("result", sched=sched):
        assert result["min_us"] <= result["median_us"] <= result["max_us"], result.text
        assert result["ratio_min"] <= result["ratio_median"] <= result["ratio_max"], result.text
        assert 0 <= result["shared_percent"] <= 100, result.text


def test_policies_are_compared_in_the_order_given(boot):
    log = boot("run=pair sched=smt,naive blocks=10 rounds=1")
    assert [result["sched"] for result in log.of("result", experiment="pair")] == ["smt", "naive"]


def test_nosmt_uses_one_thread_of_each_core(boot):
    log = boot("run=pair,fill sched=nosmt blocks=50 rounds=2", limit_s=120)
    assert log.outcome.passed
    first = {cpu["cpu"] for cpu in log.of("cpu", thread=0)}
    tasks = log.of("task", sched="nosmt")
    assert tasks
    for task in tasks:
        assert set(task["cpus"]) <= first and task["shared_us"] == 0, task.text


@pytest.mark.parametrize("smp", [(1, 1, 1), (1, 2, 1), (2, 2, 2)])
def test_demo_passes_on_other_machines(boot, smp):
    """One CPU, cores without siblings, two packages: experiments that need more are left out."""
    log = boot("run=demo blocks=10 rounds=1", smp=smp, limit_s=180)
    assert log.outcome.passed
    assert log.of("task", ok=0) == []


def test_checker_looks_while_all_policies_run(boot):
    log = boot("run=demo sched=naive,smt,nosmt,core rounds=2 blocks=200 check=on", limit_s=120)
    summary = log.one("summary")
    assert summary["checks"] > 0 and summary["errors"] == 0
    assert log.outcome.status == 33


def test_a_slice_begins_when_its_task_does(boot):
    """On one host CPU it takes longer than a slice until all four CPUs have handed on what they
    run. If the slices went on meanwhile no task would ever get to do anything."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        log = boot("run=fill sched=smt tasks=6 slice=1ms blocks=300 rounds=5", limit_s=90)
    finally:
        os.sched_setaffinity(0, allowed)
    assert log.outcome.passed
    assert len(log.of("task", experiment="fill", ok=1)) > 5 * 6
