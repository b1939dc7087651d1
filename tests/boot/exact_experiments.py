"""Bochs keeps exact virtual time: what pausing, make -j and time slices come to, against theory.

Two cores of two threads; a task that shares its core is s times slower (`smt_model`).
"""

import pytest

from target import Request

LIMIT = 0.02
CORES = 2
COMMON = "sched=smt check=off topology=1x2x2"
# A job lasts one and a half slices; starting one takes some ten thousand instructions, which are
# little only of a long one.
JOBS = 32
OVERSUB = f"run=oversub blocks=100 rounds=1 tasks={JOBS} slice=20ms"


def exact(boot, args, slowdown="1.5"):
    log = boot(f"{args} {COMMON} smt_model={slowdown}", emulator="bochs", limit_s=400)
    assert log.outcome.passed
    assert log.of("task", ok=0) == []
    return log


def ratio(log, experiment, variant):
    result = log.one("result", experiment=experiment, variant=variant)
    return result["median_us"] / result["solo_us"]


@pytest.mark.parametrize("slowdown", ["1.5", "1.15"])
def test_who_is_left_alone_by_a_pause_is_as_fast_as_alone(boot, slowdown):
    log = exact(boot, "run=pause blocks=300 rounds=1", slowdown)
    assert ratio(log, "pause", "together") == pytest.approx(float(slowdown), rel=LIMIT)
    assert ratio(log, "pause", "other_paused") == pytest.approx(1, rel=LIMIT)
    assert ratio(log, "pause", "resumed") == pytest.approx(1, rel=LIMIT)


def test_pause_in_times_of_the_tasks_themselves(boot):
    """By hand: both run for T/3; the rest, T - T/3s, each does alone, one after the other."""
    log = exact(boot, "run=pause blocks=300 rounds=1")
    solo_us = log.one("result", experiment="solo")["solo_us"]
    first_us = (1 / 3 + 1 - 1 / 3 / 1.5) * solo_us
    for task in log.of("task", variant="other_paused"):
        assert task["wall_us"] == pytest.approx(first_us, rel=LIMIT), task.text
        assert task["shared_us"] == pytest.approx(solo_us / 3, rel=LIMIT), task.text
    for task in log.of("task", variant="resumed"):
        assert task["wall_us"] - task["blocked_us"] == pytest.approx(first_us, rel=LIMIT), task.text
        assert task["blocked_us"] == pytest.approx(first_us - solo_us / 3, rel=LIMIT), task.text


@pytest.mark.parametrize("slowdown", ["1.5", "1.15"])
def test_makespans_of_make_j(boot, slowdown):
    """One at a time, one a core, and then nothing more is gained: jobs * s / 2C."""
    log = exact(boot, OVERSUB, slowdown)
    best = JOBS * float(slowdown) / (2 * CORES)
    for at_once, makespan in ((1, JOBS), (CORES, JOBS / CORES), (2 * CORES, best),
                              (4 * CORES, best), (JOBS, best)):
        assert ratio(log, "oversub", f"j{at_once}") == pytest.approx(makespan, rel=LIMIT), at_once


def test_more_jobs_than_cpus_only_wait(boot):
    log = exact(boot, OVERSUB)
    results = {result["j"]: result for result in log.of("result", experiment="oversub")}
    assert results[4]["ratio_response"] == pytest.approx(1.5, rel=0.03)
    assert results[8]["ratio_response"] == pytest.approx(3, rel=0.05)
    assert results[JOBS]["ratio_response"] > JOBS / 4
    assert results[JOBS]["switches"] > 2 * results[4]["switches"]


@pytest.mark.parametrize("sched", ["smt", "naive"])
def test_a_job_waits_for_the_end_of_a_slice(boot, sched):
    """All CPUs are busy with one task each. A CPU that gets a second one begins to have slices, the
    first of which ends up to an eighth early so that those of different CPUs do not meet."""
    log = boot(f"run=slice rounds=8 blocks=50 check=off topology=1x2x2 sched={sched}",
               emulator="bochs", limit_s=300)
    assert log.outcome.passed
    for slice_us, variant in ((10000, "slice_10ms"), (1000, "slice_1ms")):
        tasks = log.of("task", experiment="slice", variant=variant)
        assert len(tasks) == 8
        for task in tasks:
            # Once for its first turn, and again whenever its own slice ended before it did. The
            # way there takes some thousand instructions, at 50 a microsecond.
            waits = task["wait_us"] / task["switches"]
            assert 7 / 8 * slice_us / 2 <= waits <= slice_us * (1 + LIMIT) + 100, task.text
    long, short = (log.one("result", experiment="slice", variant=variant)["lost_ppm"]
                   for variant in ("slice_10ms", "slice_1ms"))
    assert short / long == pytest.approx(10, rel=0.2)


@pytest.mark.parametrize("slowdown", ["1.5", "1.15"])
def test_the_model_slows_every_pair_alike(boot, slowdown):
    log = exact(boot, "run=memory,module blocks=80 rounds=1", slowdown)
    for result in log.of("result", experiment="memory") + log.of("result", experiment="module"):
        expected = float(slowdown) if result["placement"] == "sibling" else 1
        assert result["median_us"] / result["solo_us"] == pytest.approx(expected, rel=LIMIT), \
            result.text


TAKES = [Request(args="run=slice,oversub,memory,migrate,pause,interleave,module blocks=30 rounds=1 "
                      f"tasks=8 {COMMON} smt_model=1.5", emulator="bochs", limit_s=300, take=take)
         for take in (1, 2)]


def test_two_runs_are_the_same_to_the_byte(booter):
    booter.prepare(TAKES)
    logs = [booter.get(take) for take in TAKES]
    assert logs[0].outcome.passed
    assert logs[0].outcome.serial == logs[1].outcome.serial
    assert logs[0].of("work") and logs[0].of("buffers")
