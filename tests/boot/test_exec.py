"""Programs run by `exec=`: one after the other, and at the same time."""

import pytest

from trace_events import rounds_of

AT_ONCE = 16


@pytest.fixture(name="log", scope="module")
def fixture_log(booter):
    return booter('run=none sched=smt,naive groups=2 trace=on exec="int -n 3 ; md5 -t -b 20&'
                  'job -n 40 & md5 -t -b 20; job -n 10"', limit_s=60)


def test_passes_and_every_program_ends_well(log):
    assert log.outcome.passed and log.faults == []
    assert {(record["status"], record["faulted"]) for record in log.of("exec")} == {(0, 0)}
    assert log.one("summary")["tasks"] == 5


def test_records_are_in_the_order_of_the_commands(log):
    assert [record["task"] for record in log.of("exec")] == \
        ["int -n 3", "md5 -t -b 20", "job -n 40", "md5 -t -b 20", "job -n 10"]


def test_each_step_is_a_round_of_its_own_tasks(log):
    pids = [record["pid"] for record in log.of("exec")]
    assert {name: [event["pid"] for event in each.of("start")]
            for name, each in rounds_of(log).items()} == \
        {"exec smt round 1": pids[:1], "exec smt round 2": pids[1:4], "exec smt round 3": pids[4:]}


def test_each_step_has_ended_before_the_next_begins(log):
    for each in rounds_of(log).values():
        assert {event["pid"] for event in each.of("start")} == \
            {event["pid"] for event in each.of("end")}


def test_those_at_the_same_time_are_started_before_any_has_ended(log):
    events = [event["event"] for event in rounds_of(log)["exec smt round 2"].events]
    assert events[:events.index("end")].count("start") == 3


def test_records_count_what_the_trace_shows(log):
    for record in log.of("exec"):
        for key, event in (("switches", "dispatch"), ("migrations", "migrate")):
            assert record[key] == len(log.of("trace", event=event, pid=record["pid"])), record.text
        assert record["wait_us"] + record["run_us"] <= record["wall_us"]


def test_groups_are_dealt_in_turn_in_each_step(log):
    assert [record["group"] for record in log.of("exec")] == [0, 0, 1, 0, 0]


def test_each_step_has_a_picture(log):
    assert [line for line in log.text if line.startswith("Timeline of ")] == \
        [f"Timeline of exec smt round {number}:" for number in (1, 2, 3)]


def test_as_many_as_can_be_at_once(boot):
    log = boot(f'run=none sched=smt exec="{"&".join(["int -n 1"] * AT_ONCE)}"')
    assert log.outcome.passed
    assert len(log.of("exec")) == AT_ONCE


def test_too_many_at_once_are_one_error_and_not_run(boot):
    log = boot(f'run=none exec="{"&".join(["int"] * (AT_ONCE + 1))}; job -n 1"')
    assert log.outcome.status == 35
    assert log.one("error")["what"] == "17 commands at once, at most 16 can be"
    assert [record["task"] for record in log.of("exec")] == ["job -n 1"]


def test_what_cannot_be_run_is_an_error_and_the_others_run(boot):
    log = boot('run=none exec="job -n 1 & nosuch & & int -n 1 &"')
    assert log.outcome.status == 35
    assert [error["what"] for error in log.of("error")] == \
        ["no such program: nosuch", "no command, or too long: ", "no command, or too long: "]
    assert [record["task"] for record in log.of("exec")] == ["job -n 1", "int -n 1"]


@pytest.mark.parametrize("args", ["", 'exec=""', 'exec=" ; "'])
def test_nothing_to_run(boot, args):
    log = boot(f"run=none {args}")
    assert log.of("exec") == []
    assert len(log.of("error")) == (";" in args)
