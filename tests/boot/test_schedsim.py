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


# ---- Numbers ----

def run(args, status=0):
    """What schedsim prints, when called with these arguments and ending so."""
    done = subprocess.run([SCHEDSIM, *(args.split() if isinstance(args, str) else args)],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def result_of(args, status=0):
    return Log.parse(run(args, status).stdout.encode()).of("result")[0]


def test_nine_slowdowns_are_exact():
    """Of kind 0 beside kind 0 the first counts, whatever the others are."""
    others = "1.15,1.33,1.27,1.11,1.09,1.07,1.03,1.01"
    result = result_of(f"--topology 1x1x2 --tasks 2 --check 1 --slowdown 1.5,{others}")
    assert (result["min_us"], result["max_us"], result["makespan_us"]) == (600000,) * 3
    result_of("--tasks 7 --kinds 0,1,2 --work-us 4000000 --check 1 --slowdown "
              "1.51,1.99,1.33,1.27,1.11,1.09,1.07,1.03,1.01")


def test_too_many_digits_are_refused():
    done = run("--slowdown 1.0001,1.0003,1.0007,1.0009,1.0011,1.0013,1.0017,1.0019,1.0021", 2)
    assert "too much to be exact" in done.stderr


def test_times_of_more_than_32_bits():
    args = "--topology 1x1x1 --tasks 2 --work-us 4000000000"
    result = result_of(f"{args} --slice-us 1000000")
    assert result["makespan_us"] == 8000000000
    assert "ratio_makespan=2.00 " in result.text
    assert "ratio_max=4000000000.00 " in result_of(
        "--topology 1x2x1 --tasks 2 --work-us 1,4000000000").text


def test_what_no_time_holds_is_an_error():
    done = run("--sleep 0:1:4294967295 --work-us 50000000", 1)
    assert 'what="the limit of simulated time is reached"' in done.stdout


def test_makespan_when_nothing_ended():
    result = result_of("--topology 1x1x1 --at 0:off:0 --arrive-us 5", 1)
    assert (result["makespan_us"], result["failed"]) == (0, 1)


# ---- Traces ----

def trace_without_warnings(tmp_path, args, status=0):
    file = os.path.join(tmp_path, "trace.log")
    run(f"{args} --trace {file}", status)
    done = subprocess.run([TIMELINE, file, "--text"], capture_output=True, text=True, timeout=120,
                          check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with open(file, "rb") as trace:
        return Log.parse(trace.read())


def test_unfinished_round_ends_at_its_last_event(tmp_path):
    log = trace_without_warnings(
        tmp_path, "--tasks 2 --work-us 20000 --at 5000:pause:0 --at 5000:pause:1", 1)
    end = log.of("trace", event="mark", what="end")[0]
    assert end["ns"] == 5000000 == max(event["ns"] for event in log.of("trace"))


def test_what_is_done_is_not_moved_to_end(tmp_path):
    log = trace_without_warnings(tmp_path, "--topology 1x70x2 --tasks 150 --work-us 20000")
    assert len(log.of("trace", event="end")) == 150
    begins = {}
    for event in log.of("trace"):
        if event["event"] == "dispatch":
            begins[event["pid"]] = event["ns"]
        elif event["event"] == "end":
            assert event["ns"] > begins[event["pid"]], event.text


# ---- What is refused ----

REFUSED = {
    "empty range": (["--pin", "0:3-1"], "3-1: a range that ends before it begins"),
    "more than a ratio": (["--efficiency-speed", "1.5xyz"], "xyz: not part of a ratio"),
    "point without decimals": (["--slowdown", "1."], "expected a decimal"),
    "ratio of nothing": (["--efficiency-speed", "0"], "a ratio of or to nothing"),
    "ratio too high": (["--slowdown", "100.5"], "a ratio above 100"),
    "machine of 33 bits": (["--topology", "4294967297x2x2"], "no such machine"),
    "machine with a sign": (["--topology", "1x+2x2"], "no such machine"),
    "space and sign": (["--seed", " -5"], "not a number"),
    "65 bits": (["--seed", "18446744073709551616"], "more than 18446744073709551615"),
    "list that goes on": (["--work-us", "5,"], "not a number"),
    "list behind the last task": (["--work-us", "5,x"], "not a number"),
    "no value": (["--seed"], "no value"),
    "no such option": (["--sede", "5"], "no such option"),
    "disk full": (["--trace", "/dev/full"], "/dev/full: cannot be written"),
    "queues too long": (["--tasks", "20000"], "more than 4096 on each of 2 cores"),
    "queues too long without a core": (
        ["--tasks", "4097", "--at", "5:off:0", "--at", "5:off:1"], "more than 4096 on each of 1"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    args, message = REFUSED[what]
    done = run(args, 2)
    assert message in done.stderr
    assert done.stderr.startswith("schedsim: ") and done.stderr.count("\n") == 1


def test_output_that_cannot_be_written():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([SCHEDSIM], stdout=full, stderr=subprocess.PIPE, timeout=60,
                              check=False)
    assert (done.returncode, done.stderr) == (2, b"schedsim: standard output: cannot be written\n")


def test_as_many_tasks_as_queues_can_count():
    result = result_of("--tasks 8192 --work-us 10")
    assert (result["failed"], result["makespan_us"]) == (0, 8192 // 4 * 15)


def test_help_lists_every_option():
    done = run("--help")
    assert done.stderr == ""
    for option in ("--topology", "--efficiency-speed", "--max-events", "--trace", "--help"):
        assert f"  {option} " in done.stdout


def test_limit_of_events():
    done = run("--tasks 9 --max-events 20", 1)
    log = Log.parse(done.stdout.encode())
    assert log.of("error")[0]["what"] == "the limit of events is reached"
    assert log.of("result")[0]["events"] == 20
    assert run("--tasks 9 --max-events 100000").stdout == run("--tasks 9").stdout
