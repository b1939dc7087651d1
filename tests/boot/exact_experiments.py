"""Bochs keeps exact virtual time: what pausing, make -j and time slices come to, against theory.

Two cores of two threads; a task that shares its core is s times slower (`smt_model`).
"""

import math

import pytest

from target import Request
from trace_events import rounds_of

LIMIT = 0.02
CORES, CPUS = 2, 4
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


# ---- slices ----------------------------------------------------------------------------------

SLICES_US = {"slice_10ms": 10000, "slice_1ms": 1000}
FULL_US = 10000                 # when the hogs are started
EARLY_US = FULL_US / 8 / CPUS   # each next idle CPU's first slice is shorter by that
HANDLING_US = 25                # a thousand instructions, at 50 a microsecond
ROUNDS = 8


@pytest.fixture(name="waits", params=["smt", "naive"])
def fixture_waits(request, boot):
    """A log of jobs that came while each CPU was busy with one task."""
    log = boot(f"run=slice rounds={ROUNDS} blocks=50 check=off topology=1x2x2 trace=on "
               f"sched={request.param}", emulator="bochs", limit_s=300)
    assert log.outcome.passed and log.of("tracedrop") == []
    log.sched = request.param
    return log


def jobs(log):
    """(record, when it came, length of the slices then, the CPU it was sent to) of each job of the
    measured rounds, in order."""
    wakes = {event["pid"]: event for event in log.of("trace", event="wake")}
    for task in log.of("task", experiment="slice"):
        wake = wakes[task["pid"]]
        yield task, wake["ns"] / 1000, SLICES_US[task["variant"]], wake["to"]


def end_of_slice_us(log, cpu, now_us, slice_us):
    """Of what runs on a CPU: its slices follow each other since it was put there, and if they have
    become shorter or longer since, at such distances."""
    before = [event for event in log.of("trace", cpu=cpu)
              if event["ns"] / 1000 < now_us and event["event"] in ("idle", "dispatch")]
    start_us = before[-1]["ns"] / 1000
    lengths = [length_us for _, job_us, length_us, _ in jobs(log) if job_us < start_us]
    end_us = start_us + (lengths or [FULL_US])[-1]
    if before[-2]["event"] == "idle":
        end_us -= cpu * EARLY_US
    return now_us + (end_us - now_us) % slice_us


def wait_in_theory_us(log, task, now_us, slice_us, sent_to):
    """Under naive until the slice ends on the CPU whose queue the job joins: that this CPU has no
    timer running, as long as it has one task, makes no difference. Under smt whoever's slice ends
    first takes the job."""
    if log.sched == "naive":
        return end_of_slice_us(log, sent_to, now_us, slice_us) - now_us
    first = next(event for event in log.of("trace", event="preempt") if event["ns"] / 1000 > now_us)
    assert task["cpus"] == [first["cpu"]] and task["wait_us"] <= slice_us + HANDLING_US, task.text
    return first["ns"] / 1000 - now_us


def test_a_job_waits_for_the_next_end_of_a_slice(waits):
    found = {slice_us: [] for slice_us in SLICES_US.values()}
    for task, now_us, slice_us, sent_to in jobs(waits):
        wait_us = wait_in_theory_us(waits, task, now_us, slice_us, sent_to)
        assert task["switches"] == 1
        assert task["wait_us"] == pytest.approx(wait_us, abs=HANDLING_US), task.text
        found[slice_us].append((task["wait_us"], wait_us))
    for pairs in found.values():
        assert len(pairs) == ROUNDS
        measured, theory = (sum(column) / ROUNDS for column in zip(*pairs))
        assert measured == pytest.approx(theory, rel=LIMIT)


def test_a_job_waits_for_half_a_slice_on_average(waits):
    """At one CPU any moment of its slice is as likely as any other. Where all of them take what
    waits it is the earliest of four ends: between a fifth of a slice, if they lie anyhow, and a
    half, if they are in step."""
    parts = [task["wait_us"] / slice_us for task, _, slice_us, _ in jobs(waits)]
    error = 3 * math.sqrt(1 / 12 / len(parts)) + HANDLING_US / SLICES_US["slice_1ms"] / 2
    least = 1 / 2 if waits.sched == "naive" else 1 / (CPUS + 1)
    assert least - error <= sum(parts) / len(parts) <= 1 / 2 + error


def test_short_slices_cost_ten_times_as_much(waits):
    long, short = (waits.one("result", experiment="slice", variant=variant)["lost_ppm"]
                   for variant in SLICES_US)
    assert short / long == pytest.approx(10, rel=0.2)


def test_with_many_tasks_each_turn_waits_for_all_the_others(boot):
    """Sixteen on four CPUs: (16 / 4 - 1) slices, whatever they are."""
    log = boot("run=fill sched=smt tasks=16 slice=5ms blocks=30 rounds=1 check=off topology=1x2x2 "
               "trace=on smt_model=1.5", emulator="bochs", limit_s=300)
    assert log.outcome.passed and log.of("tracedrop") == []
    this = rounds_of(log)["fill smt round 1"]
    first_end = min(event["ns"] for event in this.of("end"))
    gaps = []
    for pid in {stay.pid for stay in this.stays}:
        stays = sorted((stay for stay in this.stays if stay.pid == pid), key=lambda s: s.begin)
        gaps += [(b.begin - a.end) / 1000 for a, b in zip(stays, stays[1:]) if b.begin < first_end]
    assert len(gaps) > 16
    expected_us = (16 / CPUS - 1) * 5000
    assert sum(gaps) / len(gaps) == pytest.approx(expected_us, rel=LIMIT)
    assert max(gaps) <= expected_us * (1 + LIMIT) + HANDLING_US


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
