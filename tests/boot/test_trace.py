"""The trace tells what the scheduler did: complete, in order, and in agreement with the accounts."""

import re
from collections import Counter

import pytest

from target import Request
from trace_events import core_of, per_cpu, stays_of

# In bursts, so that tasks take turns, move, and wait for each other's core.
ARGS = "run=pair,peg,fill sched=naive,smt tasks=6 slice=1ms blocks=300 rounds=3 trace=on"
ROUNDS = 3
KEYS = {
    "start": {"pid", "task"}, "wake": {"pid", "to"}, "dispatch": {"pid"}, "preempt": {"pid"},
    "block": {"pid"}, "end": {"pid"}, "migrate": {"pid", "from"}, "idle": set(), "ipi": {"to"},
    "fault": {"pid", "vector"}, "mark": {"what"},
}
MAY_LACK = {("dispatch", "from"), ("wake", "to")}


@pytest.fixture(name="log", scope="module")
def fixture_log(booter):
    return booter(ARGS, limit_s=180)


def dumps(log):
    """The trace records in pieces, between which something else was printed."""
    last = None
    for record in log.records:
        if record.tag != "trace":
            last = None
            continue
        if last is None:
            last = []
            yield last
        last.append(record)


def check_against_accounts(log):
    """Each task's record against its events."""
    run_ns, counts, cores = Counter(), Counter(), core_of(log)
    for stay in stays_of(log):
        run_ns[stay.pid] += stay.end - stay.begin
    for event in log.of("trace"):
        if "pid" in event:
            counts[event["pid"], event["event"]] += 1
        if event["event"] == "dispatch" and "from" in event and event["from"] != event["cpu"] \
                and cores[event["from"]] == cores[event["cpu"]]:
            counts[event["pid"], "sibling"] += 1
    assert log.of("task")
    for task in log.of("task"):
        pid = task["pid"]
        assert abs(run_ns[pid] / 1000 - task["run_us"]) <= 1, task.text
        assert counts[pid, "dispatch"] == task["switches"], task.text
        assert counts[pid, "migrate"] == task["migrations"], task.text
        assert counts[pid, "sibling"] == task["sibling_migrations"], task.text
        assert counts[pid, "start"] == counts[pid, "end"] == 1, task.text


def test_boot_passes_without_a_warning(log):
    assert log.outcome.passed
    assert [str(fault) for fault in log.faults] == []
    assert log.of("warning") == []
    assert log.one("summary")["lost"] == 0
    assert log.of("tracedrop") == []


def test_every_event_has_its_keys(log):
    assert {event["event"] for event in log.of("trace")} >= \
        {"start", "wake", "dispatch", "preempt", "end", "migrate", "idle", "ipi", "mark"}
    for event in log.of("trace"):
        kind = event["event"]
        keys = set(event.fields) - {"cpu", "ns", "event"}
        missing = {(kind, key) for key in KEYS[kind] - keys}
        assert missing <= MAY_LACK, event.text
        assert keys - KEYS[kind] <= ({"from"} if kind == "dispatch" else set()), event.text


def test_time_never_goes_back(log):
    for dump in dumps(log):
        times = [event["ns"] for event in dump]
        assert times == sorted(times)
    for events in per_cpu(log).values():
        times = [event["ns"] for event in events]
        assert times == sorted(times)


def test_events_agree_with_the_accounts(log):
    check_against_accounts(log)


def test_a_task_is_on_one_cpu_at_a_time(log):
    stays = {}
    for stay in stays_of(log):
        stays.setdefault(stay.pid, []).append((stay.begin, stay.end))
    for spans in stays.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:]))


def test_a_task_goes_from_where_it_was(log):
    cores = core_of(log)
    where = {}
    for _, events in [(None, log.of("trace"))]:
        for event, following in zip(events, events[1:]):
            if event["event"] == "dispatch":
                assert event.get("from") == where.get(event["pid"]), event.text
                where[event["pid"]] = event["cpu"]
            elif event["event"] == "migrate":
                assert cores[event["from"]] != cores[event["cpu"]], event.text
    for events in per_cpu(log).values():
        for event, following in zip(events, events[1:]):
            if event["event"] == "migrate":
                assert following["event"] == "dispatch", event.text
                assert following["pid"] == event["pid"] and following["ns"] == event["ns"]
                assert following["from"] == event["from"]


def test_every_round_has_its_marks(log):
    marks = [event["what"] for event in log.of("trace", event="mark")]
    wanted = ["solo smt round 0"]
    for sched in ("naive", "smt"):
        for run in log.of("run", sched=sched):
            wanted += [f"{run['experiment']} {sched} round {n}" for n in range(1, ROUNDS + 1)]
    assert marks[::2] == wanted
    assert set(marks[1::2]) == {"end"}


def test_tasks_of_a_round_are_between_its_marks(log):
    spans, begin = {}, None
    for mark in log.of("trace", event="mark"):
        if mark["what"] == "end":
            spans[begin["what"]] = (begin["ns"], mark["ns"])
        else:
            begin = mark
    times = {(event["pid"], event["event"]): event["ns"] for event in log.of("trace")
             if event["event"] in ("start", "end")}
    for task in log.of("task"):
        span = spans[f"{task['experiment']} {task['sched']} round {task['round']}"]
        for event in ("start", "end"):
            assert span[0] <= times[task["pid"], event] <= span[1], task.text


def pictures(log):
    """{title: lines} of the pictures; each is followed by an empty line."""
    text = log.outcome.serial.decode("ascii").replace("\r\n", "\n")
    return {match[1]: match[2].splitlines() for match in
            re.finditer(r"^Timeline of ([^:\n]*):\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)}


def test_last_rounds_have_pictures(log):
    assert list(pictures(log)) == [f"{run['experiment']} {run['sched']} round {ROUNDS}"
                                   for run in log.of("run")]


def test_pictures_show_every_cpu_and_task(log):
    cpus = sorted((core, cpu) for cpu, core in core_of(log).items())
    for title, lines in pictures(log).items():
        rows = [re.fullmatch(r"(?:core +(\d+)|) +cpu +(\d+) +\|([a-zA-Z.:]{60})\|", line)
                for line in lines[:len(cpus)]]
        assert all(rows), lines
        assert [int(row[2]) for row in rows] == [cpu for _, cpu in cpus]
        legend = dict(re.findall(r"\b([a-z])=(\d+) (?:md5 -t|hog)(?=,|$)",
                                 "\n".join(lines[len(cpus):]), re.MULTILINE))
        experiment, sched, _, number = title.split()
        tasks = {task["pid"] for task in log.of("task", experiment=experiment, sched=sched,
                                                round=int(number))}
        assert tasks <= {int(pid) for pid in legend.values()}
        assert len(legend) == len(tasks) + (experiment == "peg")
        assert {cell.lower() for row in rows for cell in row[3] if cell.isalpha()} <= set(legend)


def test_pictures_capitals_are_where_cores_are_shared(log):
    assert pictures(log)
    for lines in pictures(log).values():
        cells = [line.split("|")[1] for line in lines if line.count("|") == 2]
        assert len(cells) == 4
        for first, second in (cells[:2], cells[2:]):
            for a, b in zip(first, second):
                assert (a.isupper(), b.isupper()) == (b.isalpha() and a.isalpha(),) * 2, lines


def test_faults_are_events(boot):
    log = boot("run=none inject=task_faults trace=on")
    assert log.outcome.passed
    assert {(fault["pid"], fault["vector"]) for fault in log.of("fault")} == \
        {(event["pid"], event["vector"]) for event in log.of("trace", event="fault")}
    assert stays_of(log)


def test_without_trace_there_is_none(boot):
    log = boot("run=solo blocks=20 rounds=1")
    assert log.of("trace") == [] and log.of("tracedrop") == []


def test_what_finds_no_room_is_counted(boot, blocks_in_ms):
    """Rings of one page, and rounds of many more slices than events fit in it."""
    log = boot(f"run=fill sched=smt tasks=12 slice=200us blocks={blocks_in_ms(100)} rounds=2 "
               "trace=on inject=small_trace", limit_s=180)
    assert log.outcome.passed
    marks = log.of("trace", event="mark")
    assert [mark["what"] for mark in marks[-4:]] == \
        ["fill smt round 1", "end", "fill smt round 2", "end"]
    times = {cpu: [event["ns"] for event in events] for cpu, events in per_cpu(log).items()}
    assert all(ns == sorted(ns) for ns in times.values())
    dropped = {drop["cpu"]: drop["dropped"] for drop in log.of("tracedrop")
               if drop.line > marks[-1].line}
    assert dropped and min(dropped.values()) > 0
    picture = log.outcome.serial.decode().split(
        "Timeline of fill smt round 2, with gaps where events found no room:")[1]
    rows = {int(cpu): row for cpu, row in re.findall(r"cpu (\d+) +\|(\S+)\|", picture)}
    assert dropped.keys() == {cpu for cpu, row in rows.items() if re.fullmatch(r"[^?]*\?+", row)}
    assert all("?" not in rows[cpu] for cpu in rows.keys() - dropped.keys())


TAKES = [Request(args="run=pair,fill sched=naive,smt trace=on blocks=60 rounds=2 slice=1ms "
                      "tasks=5 topology=1x2x2 smt_model=1.50",
                 emulator="bochs", limit_s=280, take=take) for take in (1, 2)]


def test_exact_machine_traces_the_same_to_the_byte(booter):
    booter.prepare(TAKES)
    logs = [booter.get(take) for take in TAKES]
    for log in logs:
        assert log.outcome.passed
        assert log.of("tracedrop") == []
        check_against_accounts(log)
    assert logs[0].outcome.serial == logs[1].outcome.serial
