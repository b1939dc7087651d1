"""The simulator of the scheduler: what it traces is a log like the kernel's own."""

import os
import subprocess

import pytest

from tandem_log import Log
from target import ROOT
from trace_events import CLOSING, rounds_of, stays_of

SCHEDSIM = os.path.join(ROOT, "build", "host", "schedsim")
TIMELINE = os.path.join(ROOT, "tools", "timeline")
POLICIES = ("naive", "smt", "nosmt", "core")
WORKLOADS = {
    "rotation": "--topology 1x2x2 --tasks 3 --work-us 95000",
    "queues": "--topology 1x2x2:far --tasks 11 --work-us 40000 --arrive-us 0,0,0,0,0,0,0,7,7,7,9",
    "sleepers": "--topology 2x2x2 --tasks 6 --work-us 50000 --sleep 0:3000:2000 --sleep 1:500:9000",
    "hybrid": "--topology 1x2x2+2x1 --tasks 7 --work-us 30000 --groups 0,1,0,1,0,1,2",
}


def simulate(tmp_path, args):
    """(what it prints, what it traces)"""
    file = os.path.join(tmp_path, "trace.log")
    done = subprocess.run([SCHEDSIM, *args.split(), "--slowdown", "1.5", "--check", "1", "--trace",
                           file], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(file, "rb") as trace:
        return Log.parse(done.stdout.encode()), trace.read()


@pytest.mark.parametrize("sched", POLICIES)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_trace_agrees_with_the_accounts(tmp_path, workload, sched):
    printed, trace = simulate(tmp_path, f"{WORKLOADS[workload]} --policy {sched}")
    log = Log.parse(trace)
    assert [str(fault) for fault in log.faults] == []
    name, = rounds_of(log)
    assert name == f"schedsim {sched} round 1"
    stays = stays_of(log)
    assert len(printed.of("task")) == int(WORKLOADS[workload].split("--tasks ")[1].split()[0])
    for task in printed.of("task"):
        mine = [stay for stay in stays if stay.pid == task["pid"]]
        assert abs(sum(stay.end - stay.begin for stay in mine) / 1000 - task["run_us"]) <= 1
        assert len(mine) == task["switches"], task.text
        assert sorted({stay.cpu for stay in mine}) == task["cpus"], task.text
        closed = [event for event in log.of("trace", pid=task["pid"]) if event["event"] in CLOSING]
        assert [event["event"] for event in closed].count("end") == 1, task.text
        assert closed[-1]["event"] == "end"
        assert len(log.of("trace", event="migrate", pid=task["pid"])) == task["migrations"]


def test_same_seed_same_trace_and_another_another(tmp_path):
    args = "--topology 1x4x2 --tasks 9 --work-us 30000 --policy naive"
    traces = [simulate(tmp_path, f"{args} --seed {seed}")[1] for seed in (5, 5, 6)]
    assert traces[0] == traces[1] != traces[2]


def test_each_round_is_a_boot(tmp_path):
    _, trace = simulate(tmp_path, "--topology 1x2x2 --tasks 2 --work-us 9000 --policy naive "
                                  "--rounds 3")
    boots = Log.parse(trace).boots
    assert len(boots) == 3
    for boot in boots:
        dispatches = boot.of("trace", event="dispatch")
        assert len(dispatches) == 2 and all("from" not in event for event in dispatches)


def test_timeline_draws_it(tmp_path):
    """Two tasks share a core while the other is idle, since they may not go there."""
    simulate(tmp_path, "--topology 1x2x2 --tasks 2 --work-us 30000 --policy smt --pin 0:0 --pin 1:1")
    svg = os.path.join(tmp_path, "picture.svg")
    done = subprocess.run([TIMELINE, os.path.join(tmp_path, "trace.log"), "--text", "--svg", svg],
                          capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("|")[1] for line in done.stdout.splitlines() if "cpu " in line]
    assert rows == ["A" * 60, "B" * 60, "." * 60, "." * 60]
    assert os.path.getsize(svg) > 1000
