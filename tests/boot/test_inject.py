"""Failures caused on purpose: what the kernel says of its own, and that a task's stay its own."""

import itertools
import re

import pytest

KERNEL_FAILURES = {
    "panic": "asked for",
    "page_fault": "page fault",
    "double_fault": "double fault",
}
TASK_FAULTS = {"null": 14, "kernel": 14, "text": 14, "stack": 14, "opcode": 6, "privilege": 13,
               "port": 13, "divide": 0, "jump": 14, "x87": 16}
SIMD_ERROR = 19     # of the kind "simd"; QEMU's own emulation flags it, but raises it not


@pytest.mark.parametrize("kind", KERNEL_FAILURES)
def test_kernel_failure_is_reported_and_ends_with_failure(boot, kind):
    log = boot(f"run=none inject={kind}")
    panic, = log.of("panic")
    assert KERNEL_FAILURES[kind] in panic["what"]
    assert {"cpu", "task", "where"} <= set(panic.fields)
    text = log.outcome.serial.decode("ascii")
    assert re.search(r"^ +called from 0x1[0-9a-f]{5}\r?$", text, re.MULTILINE)
    assert re.search(r"^registers: .*cr2=", text, re.MULTILINE)
    end, = log.of("end")
    assert end["status"] == "failed" and end["code"] == 2
    assert log.outcome.status == 35


@pytest.fixture(name="faults")
def boot_with_faults(boot):
    return boot("run=pair blocks=100 rounds=2 inject=task_faults")


def test_each_task_fault_ends_that_task_only(faults):
    found = {fault["task"]: fault["vector"] for fault in faults.of("fault")}
    assert found.pop("simd", SIMD_ERROR) == SIMD_ERROR
    assert found == TASK_FAULTS
    assert all(fault["action"] == "killed" for fault in faults.of("fault"))
    summary, = faults.of("summary")
    assert summary["faults"] == len(faults.of("fault")) and summary["failed"] == 0


def test_simd_error_ends_a_task_in_bochs(boot):
    log = boot("run=pair blocks=10 rounds=1 inject=task_faults", emulator="bochs", smp=(1, 1, 2),
               limit_s=120)
    found = {fault["task"]: fault["vector"] for fault in log.of("fault")}
    assert (found["x87"], found["simd"]) == (16, SIMD_ERROR)
    assert log.of("task") and all(task["ok"] == 1 for task in log.of("task"))
    assert log.outcome.passed


def test_md5_is_right_after_other_tasks_faulted(faults):
    assert faults.of("task") and all(task["ok"] == 1 for task in faults.of("task"))
    assert faults.outcome.status == 33


@pytest.mark.parametrize("smp", [(1, 1, 1), (1, 2, 2)], ids=["1 CPU", "4 CPUs"])
def test_tasks_can_be_ended_at_any_moment(boot, smp):
    """A task that was ended before its first instruction once ran for ever."""
    log = boot("run=pair blocks=50 rounds=2 inject=early_kill", smp=smp)
    assert b"200 tasks were ended at once" in log.outcome.serial
    assert log.outcome.status == 33


EVENTS_MAX = 64
EVENT = re.compile(r"  (\d+) ns: cpu (\d+), (kick|slice_end|yield|block), runs pid (\d+)$")


def events_after_the_first_error(log):
    """The lines between the first error record and what is no scheduling event."""
    lines = log.outcome.serial.decode("ascii").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("error: "))
    return list(itertools.takewhile(bool, map(EVENT.match, lines[first + 1:])))


@pytest.fixture(name="miscounted")
def boot_with_wrong_count(boot):
    return boot("run=pair blocks=50 rounds=1 check=on inject=sched")


def test_broken_scheduler_is_reported(miscounted):
    errors = miscounted.of("error")
    assert 1 <= len(errors) <= 8
    assert {error["where"] for error in errors} == {"sched.check"}
    assert {error["what"] for error in errors} == {"the waiting entities are miscounted (-1)"}


def test_last_scheduling_events_follow_the_first_report(miscounted):
    events = events_after_the_first_error(miscounted)
    assert len(events) == EVENTS_MAX
    cpus = {cpu["cpu"] for cpu in miscounted.of("cpu")}
    assert {int(event[2]) for event in events} <= cpus
    assert any(int(event[4]) > 0 for event in events)
    for cpu in cpus:
        times = [int(event[1]) for event in events if int(event[2]) == cpu]
        assert times == sorted(times)
    everywhere = [line for line in miscounted.outcome.serial.decode("ascii").splitlines()
                  if EVENT.match(line)]
    assert len(everywhere) == EVENTS_MAX    # with the first report only


def test_run_with_a_broken_scheduler_goes_on_and_fails(miscounted):
    assert b"who waits was miscounted by one for a while" in miscounted.outcome.serial
    assert miscounted.of("task") and all(task["ok"] == 1 for task in miscounted.of("task"))
    summary, = miscounted.of("summary")
    assert summary["errors"] == len(miscounted.of("error")) and summary["failed"] == 0
    end, = miscounted.of("end")
    assert end["status"] == "failed" and end["code"] == 1
    assert miscounted.outcome.status == 35


def test_without_the_checker_nobody_notices(boot):
    """So the error above is the checker's word."""
    log = boot("run=pair blocks=50 rounds=1 check=off inject=sched")
    assert b"who waits was miscounted by one for a while" in log.outcome.serial
    assert not log.of("error") and log.outcome.status == 33
