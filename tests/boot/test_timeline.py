"""What tools/timeline makes of a whole trace: the model, and the JSON that Perfetto opens."""

import json
import os
from collections import Counter

import jsonschema
import pytest

from pictures.chrome import chrome_json
from pictures.model import NoTrace, Trace
from pictures.sharing import usage_of
from tandem_log import Log
from target import ROOT
from test_trace import ARGS as TRACE_ARGS
from trace_logs import RandomRound, random_log, trace, whole_log

SEEDS = range(12)
SHAPES = [(2, 2), (1, 4), (3, 1)]    # cores, threads
SCHEMA = os.path.join(ROOT, "tests", "boot", "trace_event.schema.json")

# CPUs 0 and 1 are core 0, 2 and 3 are core 1. Both tasks share core 0 for 3 us; then one moves.
SHARING = [
    trace(0, 1000, "mark", what="pair naive round 1"),
    trace(0, 1000, "start", pid=7, task="md5 -t"),
    trace(0, 1000, "wake", pid=7, to=0),
    trace(0, 2000, "dispatch", pid=7),
    trace(0, 2500, "start", pid=8, task="hog"),
    trace(0, 2500, "ipi", to=1),
    trace(1, 3000, "dispatch", pid=8),
    trace(1, 6000, "preempt", pid=8),
    trace(1, 6000, "idle"),
    trace(2, 6500, "migrate", pid=8, origin=1),
    trace(2, 6500, "dispatch", pid=8, origin=1),
    trace(2, 8000, "fault", pid=8, vector=14),
    trace(2, 8000, "end", pid=8),
    trace(2, 8000, "idle"),
    trace(0, 9000, "end", pid=7),
    trace(0, 9000, "idle"),
    trace(0, 9500, "mark", what="end"),
]


def read(text, boot=None):
    return Trace.of(Log.parse(text), boot)


def stays(made):
    """What a Trace says ran where: (CPU, begin, end, pid), in order."""
    return [(each.cpu, each.begin, each.end, each.task.pid) for each in made.intervals]


@pytest.fixture(name="events")
def fixture_events():
    return json.loads(chrome_json(read(whole_log(SHARING))))["traceEvents"]


# ---- the model -------------------------------------------------------------------------------

def test_hand_made_trace():
    made = read(whole_log(SHARING))
    assert [str(fault) for fault in made.faults] == []
    assert stays(made) == [(0, 2000, 9000, 7), (1, 3000, 6000, 8), (2, 6500, 8000, 8)]
    assert [each.why for each in made.intervals] == ["end", "preempt", "end"]
    assert [str(task) for task in made.tasks] == ["md5 -t [7]", "hog [8]"]
    assert [(core.name, core.cpus) for core in made.cores] == [("core 0", [0, 1]),
                                                               ("core 1", [2, 3])]
    each, = made.rounds
    assert (each.experiment, each.sched, each.number, each.begin, each.end) == (
        "pair", "naive", 1, 1000, 9500)


def test_sharing_of_hand_made_trace():
    usage = usage_of(read(whole_log(SHARING)))
    assert [(each.core, each.begin, each.end, each.avoidable) for each in usage.shared] == [
        (0, 3000, 6000, True)]
    assert usage.steps == [[(1000, 0), (2000, 1), (3000, 2), (6000, 1), (9000, 0)],
                           [(1000, 0), (6500, 1), (8000, 0)]]
    assert usage.avoidable == usage.sharing == [(1000, 0), (3000, 1), (6000, 0)]
    assert usage.run_ns == 7000 + 3000 + 1500
    assert usage.percent(True) == usage.percent(False) == 6000 * 100 // 11500
    assert usage.idle_meanwhile(1) == [(3000, 6000)]
    assert usage.idle_meanwhile(0) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_whole_logs_have_no_faults(seed, shape):
    text, made = random_log(seed, cores=shape[0], threads=shape[1])
    log = read(text)
    assert [str(fault) for fault in log.faults] == []
    assert len(log.rounds) == len(made)


@pytest.mark.parametrize("seed", SEEDS)
def test_totals_are_those_of_the_tasks(seed):
    text, made = random_log(seed)
    tasks = {task.pid: task for task in read(text).tasks}
    accounts = [account for each in made for account in each.accounts]
    assert len(tasks) == len(accounts)
    for account in accounts:
        task = tasks[account.pid]
        assert (task.run_ns, task.dispatches, task.migrations, task.name) == (
            account.run_ns, account.switches, account.migrations, account.name)


@pytest.mark.parametrize("key", ["run_us", "switches", "migrations"])
def test_other_totals_than_the_kernels_are_a_fault(key):
    text, made = random_log(1)
    account = made[0].accounts[0]
    count = {"run_us": account.run_ns // 1000, "switches": account.switches,
             "migrations": account.migrations}[key]
    lines = [line.replace(f" {key}={count} ", f" {key}={count + 3} ")
             if f" pid={account.pid} " in line and line.startswith("task:") else line
             for line in text.splitlines(keepends=True)]
    faults = read("".join(lines)).faults
    assert len(faults) == 1 and key in faults[0].what


@pytest.mark.parametrize("seed", SEEDS)
def test_stays_never_overlap(seed):
    made = read(random_log(seed, tasks=6)[0])
    for one, other in zip(made.intervals, made.intervals[1:]):
        assert one.begin <= one.end
        assert one.cpu != other.cpu or one.end <= other.begin
    by_task = {}
    for each in sorted(made.intervals, key=lambda each: each.begin):
        assert by_task.get(each.task.pid, 0) <= each.begin
        by_task[each.task.pid] = each.end


def test_pid_that_is_used_again_is_another_task():
    rounds = [RandomRound(1), RandomRound(2, what="pair smt round 1", start=10**12)]
    made = read(whole_log(*(each.records() for each in rounds)))
    assert len(made.tasks) == 2 * len(rounds[0].accounts)
    assert [task.run_ns for task in made.tasks] == [
        account.run_ns for each in rounds for account in each.accounts]


def test_last_boot_with_a_trace_is_the_default():
    one, two, none = whole_log(SHARING), random_log(1)[0], whole_log()
    both = one + two + none
    assert read(both).boot == 1
    assert stays(read(both)) == stays(read(two))
    assert stays(read(both, 0)) == stays(read(one))
    for boot in (2, 3):
        with pytest.raises(NoTrace):
            read(both, boot)


def test_cpus_without_records_are_cores_of_their_own():
    text = "".join(line for line in whole_log(SHARING).splitlines(keepends=True)
                   if not line.startswith("cpu:"))
    made = read(text)
    assert [core.cpus for core in made.cores] == [[0], [1], [2]]
    assert any("which core CPU 0, 1, 2 belongs to" in fault.what for fault in made.faults)
    assert usage_of(made).shared == []


def test_drops_are_unknown_and_not_idle():
    """CPU 2 fills its ring before it runs anything: nobody can say whether core 1 was idle."""
    lines = [line for line in SHARING if "cpu=2" not in line]
    made = read(whole_log([*lines, "tracedrop: cpu=2 dropped=5"]))
    assert [(each.cpu, each.begin, each.end) for each in made.unknown] == [(2, 1000, 9500)]
    assert [each.avoidable for each in usage_of(made).shared] == [False]
    assert made.dropped == {2: 5}


def test_task_on_a_cpu_that_drops_ends_where_its_events_do():
    lines = [line for line in SHARING if "cpu=0" not in line or "ns=9000" not in line]
    made = read(whole_log([*lines, "tracedrop: cpu=0 dropped=2"]))
    assert stays(made)[0] == (0, 2000, 2500, 7)
    assert made.intervals[0].why == "lost"
    assert [(each.cpu, each.begin, each.end) for each in made.unknown] == [(0, 2500, 9500)]


# Core 0 is shared from 3 us on, core 1 idle from 5 us on, when task 9 is to move.
MOVING = [
    trace(0, 1000, "mark", what="fill smt round 1"),
    trace(0, 2000, "dispatch", pid=7),
    trace(1, 3000, "dispatch", pid=8),
    trace(2, 3000, "dispatch", pid=9),
    trace(2, 5000, "preempt", pid=9),
    trace(2, 5000, "idle"),
    trace(2, 5000, "ipi", to=0),
    trace(0, 8000, "preempt", pid=7),
    trace(0, 8000, "dispatch", pid=9),
    trace(0, 8000, "ipi", to=2),
    trace(2, 9500, "dispatch", pid=7),
]
MOVED = [trace(2, 9900, "end", pid=7), trace(2, 9900, "idle"),
         trace(0, 9950, "end", pid=9), trace(0, 9950, "idle"),
         trace(1, 9950, "end", pid=8), trace(1, 9950, "idle"), trace(1, 9950, "mark", what="end")]


def avoidable_stretches(lines):
    shared = usage_of(read(whole_log(lines))).shared
    return [(each.begin, each.end) for each in shared if each.avoidable]


def test_core_that_a_task_is_on_its_way_to_is_not_free():
    """From the interrupt that swaps two tasks to when both have arrived."""
    made = read(whole_log([*MOVING, *MOVED]))
    assert [(each.begin, each.end, each.tasks) for each in made.on_the_way] == [
        (5000, 8000, 1), (8000, 9500, 1)]
    assert avoidable_stretches([*MOVING, *MOVED]) == [(9900, 9950)]


def test_core_to_which_nobody_was_sent_is_free():
    """A task that waits without an interrupt for it, and an interrupt without a task for it."""
    lines = [line for line in [*MOVING, *MOVED] if "event=ipi" not in line]
    assert avoidable_stretches(lines) == [(5000, 9500), (9900, 9950)]
    ended = [line.replace("preempt pid=9", "end pid=9") for line in MOVING[:7]]
    assert avoidable_stretches([*ended, *MOVED[2:3], *MOVED[4:5], *MOVED[-1:]]) == [(5000, 9950)]


# ---- JSON ------------------------------------------------------------------------------------

def of_phase(events, phase, **wanted):
    return [event for event in events if event["ph"] == phase
            and all(event.get(key) == value for key, value in wanted.items())]


def check_schema(made):
    with open(SCHEMA, encoding="ascii") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(made, schema, cls=jsonschema.Draft7Validator)


@pytest.mark.parametrize("text", [whole_log(SHARING), random_log(3)[0],
                                  random_log(4, cores=5, threads=3, tasks=20)[0]])
def test_json_is_in_the_trace_event_format(text):
    check_schema(json.loads(chrome_json(read(text))))


@pytest.mark.parametrize("damage", [{"dur": -1.0}, {"ph": "Z"}, {"pid": "core 0"}, {"ts": None},
                                    {"cname": "pink"}, {"surprise": 1}])
def test_schema_refuses(damage):
    made = json.loads(chrome_json(read(whole_log(SHARING))))
    of_phase(made["traceEvents"], "X")[0].update(damage)
    with pytest.raises(jsonschema.ValidationError):
        check_schema(made)


def test_json_has_a_process_per_core_and_a_thread_per_cpu(events):
    names = {(event["name"], event["pid"], event.get("tid")): event["args"]
             for event in of_phase(events, "M")}
    processes = {args["name"]: pid for (what, pid, _), args in names.items()
                 if what == "process_name"}
    assert set(processes) == {"machine", "core 0", "core 1"}
    threads = {args["name"]: pid for (what, pid, _), args in names.items()
               if what == "thread_name"}
    assert threads == {"rounds": processes["machine"], "CPU 0": processes["core 0"],
                       "CPU 1": processes["core 0"], "CPU 2": processes["core 1"],
                       "CPU 3": processes["core 1"]}
    order = {pid: args["sort_index"] for (what, pid, _), args in names.items()
             if what == "process_sort_index"}
    assert order[processes["machine"]] < order[processes["core 0"]] < order[processes["core 1"]]


def test_json_slices_are_the_stays(events):
    slices = of_phase(events, "X", cat="dispatch")
    assert sorted((event["name"], event["ts"], event["dur"], event["args"]["ended"])
                  for event in slices) == [("hog [8]", 3.0, 3.0, "preempt"),
                                           ("hog [8]", 6.5, 1.5, "end"),
                                           ("md5 -t [7]", 2.0, 7.0, "end")]
    assert len({event["cname"] for event in slices}) == 2
    assert [event["args"].get("from_cpu") for event in slices] == [None, None, 1]


def test_json_has_instants_rounds_and_an_arrow(events):
    assert Counter(event["name"] for event in of_phase(events, "i", s="t")) == {
        "start": 2, "wake": 1, "ipi": 1, "migrate": 1, "fault": 1}
    assert of_phase(events, "i", name="fault")[0]["args"] == {"pid": 8, "vector": 14}
    marks = of_phase(events, "i", s="g")
    assert [event["name"] for event in marks] == ["pair naive round 1", "end"]
    each, = of_phase(events, "X", cat="round")
    assert (each["name"], each["ts"], each["dur"]) == ("pair naive round 1", 1.0, 8.5)
    start, = of_phase(events, "s")
    finish, = of_phase(events, "f")
    assert (start["ts"], finish["ts"]) == (5.999, 6.5)
    assert start["id"] == finish["id"] and start["tid"] != finish["tid"]


@pytest.mark.parametrize("seed", SEEDS)
def test_json_slices_nest_and_arrows_stand_in_them(seed):
    events = json.loads(chrome_json(read(random_log(seed, tasks=6)[0])))["traceEvents"]
    tracks, ends = {}, Counter()
    for event in of_phase(events, "X"):
        # Decimal microseconds: compare in whole ns.
        begin, end = round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)
        assert ends[event["tid"]] <= begin
        ends[event["tid"]] = end
        tracks.setdefault(event["tid"], []).append((begin, end))
    for event in of_phase(events, "s") + of_phase(events, "f"):
        assert any(begin <= round(event["ts"] * 1000) < max(end, begin + 1)
                   for begin, end in tracks[event["tid"]])


def value_at(steps, ts):
    """The value of a counter just after a time."""
    return [value for begin, value in steps if begin <= ts][-1]


@pytest.mark.parametrize("seed", SEEDS)
def test_json_counters_count_the_slices(seed):
    events = json.loads(chrome_json(read(random_log(seed, cores=3, tasks=6)[0])))["traceEvents"]
    slices = of_phase(events, "X", cat="dispatch")
    busy = {pid: [(event["ts"], event["args"]["busy"]) for event in
                  of_phase(events, "C", name="busy threads", pid=pid)]
            for pid in {event["pid"] for event in of_phase(events, "C", name="busy threads")}}
    sharing, avoidable = (
        [(event["ts"], event["args"]["cores"]) for event in of_phase(events, "C", name=name)]
        for name in ("shared cores", "cores shared while another is idle"))
    assert len(busy) == 3
    for ts in sorted({event["ts"] for event in slices}):
        count = Counter({pid: 0 for pid in busy})
        count.update(event["pid"] for event in slices
                     if event["ts"] <= ts < round(event["ts"] + event["dur"], 3))
        assert {pid: value_at(steps, ts) for pid, steps in busy.items()} == dict(count)
        shared = sum(each > 1 for each in count.values())
        assert value_at(sharing, ts) == shared
        assert value_at(avoidable, ts) == (shared if 0 in count.values() else 0)


# ---- a real trace ----------------------------------------------------------------------------

def test_trace_of_the_kernel(booter):
    """Nothing is wrong with it, every task is in it, and the sums are those of the records."""
    log = booter(TRACE_ARGS, limit_s=180)
    made = Trace.of(log)
    assert [str(fault) for fault in made.faults] == []
    runs = [(run["experiment"], run["sched"]) for run in log.of("run")]
    measured = [each for each in made.rounds if each.number]
    assert [(each.experiment, each.sched, each.number) for each in measured] == [
        (*run, number) for run in runs for number in (1, 2, 3)]
    tasks = {task.pid: task for task in made.tasks}
    records = log.of("task")
    assert len(records) > 20
    for record in records:
        task = tasks[record["pid"]]
        assert abs(task.run_ns / 1000 - record["run_us"]) <= 1, record.text
        assert (task.name, task.dispatches, task.migrations) == (
            record["task"], record["switches"], record["migrations"]), record.text
        assert record["cpus"] == sorted({each.cpu for each in made.intervals
                                         if each.task is task}), record.text


def shared_cores_at(made, ns):
    """How many cores have two CPUs that run something at a time."""
    busy = [made.core_of(each.cpu) for each in made.intervals if each.begin <= ns < each.end]
    return sum(busy.count(core) > 1 for core in set(busy))


def test_json_of_the_kernels_trace(booter):
    """By the schema, with each stay of a task, and with the number of shared cores at any time."""
    log = booter(TRACE_ARGS, limit_s=180)
    made = Trace.of(log)
    whole = json.loads(chrome_json(made))
    check_schema(whole)
    events = whole["traceEvents"]
    assert len(of_phase(events, "X", cat="dispatch")) == len(made.intervals) > 20
    counted = [event["args"]["cores"] for event in of_phase(events, "C", name="shared cores")]
    times = {each.begin for each in made.intervals}
    assert max(counted) == max(shared_cores_at(made, ns) for ns in times) > 0


def test_sharing_is_what_the_kernel_accounts(booter):
    """`shared_us` of a task is the time in which another CPU of its core was busy."""
    log = booter(TRACE_ARGS, limit_s=180)
    made = Trace.of(log)
    shared = usage_of(made).shared
    assert shared
    for record in log.of("task"):
        ours = sum(min(stay.end, each.end) - max(stay.begin, each.begin)
                   for stay in made.intervals if stay.task.pid == record["pid"]
                   for each in shared if each.core == made.core_of(stay.cpu)
                   and each.begin < stay.end and stay.begin < each.end)
        assert abs(ours / 1000 - record["shared_us"]) <= 1 + record["switches"], record.text
