"""The exact machine: what is measured in Bochs is the same to the byte on every run."""

import pytest

from target import Request

# Tasks of many slices each, with two CPUs' worth of pipeline per core as on the article's Atom.
ARGS = ("run=solo,pair,siblings,same_cpu sched=naive,smt blocks=100 rounds=3 "
        "topology=1x2x2 smt_model=1.50")
TOLERANCE = 0.05
TAKES = [Request(args=ARGS, emulator="bochs", limit_s=280, take=take) for take in (1, 2)]


@pytest.fixture(name="takes", scope="module")
def fixture_takes(booter):
    """Two boots of the same machine at the same time, each disturbed by the other."""
    booter.prepare(TAKES)
    return [booter.get(take) for take in TAKES]


def test_passes(takes):
    for log in takes:
        assert log.outcome.passed
        assert log.faults == []


def test_two_runs_are_the_same_to_the_byte(takes):
    assert takes[0].outcome.serial == takes[1].outcome.serial


def test_platform_is_known(takes):
    assert takes[0].one("boot")["platform"] == "bochs"


@pytest.mark.parametrize("experiment,sched,ratio", [
    ("solo", "smt", 1.0), ("solo", "naive", 1.0),
    ("pair", "smt", 1.0),
    ("siblings", "smt", 1.5), ("siblings", "naive", 1.5),
    ("same_cpu", "smt", 2.0), ("same_cpu", "naive", 2.0),
])
def test_ratio(takes, experiment, sched, ratio):
    result = takes[0].one("result", experiment=experiment, sched=sched)
    for key in ("ratio_min", "ratio_median", "ratio_max"):
        assert result[key] == pytest.approx(ratio, rel=TOLERANCE), result.text


def test_naive_pair_is_one_or_the_other(takes):
    """Alone on a core, or sharing one from start to end: there is nothing between."""
    log = takes[0]
    solo_us = log.one("result", experiment="pair", sched="naive")["solo_us"]
    for task in log.of("task", experiment="pair", sched="naive"):
        ratio = task["wall_us"] / solo_us
        wanted = 1.5 if task["shared_us"] > task["wall_us"] // 2 else 1.0
        assert ratio == pytest.approx(wanted, rel=TOLERANCE), task.text


def test_results_are_reliable(takes):
    assert {result["reliable"] for result in takes[0].of("result")} == {1}
