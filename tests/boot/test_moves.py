"""Where tasks run and when they move under each policy, as the trace shows it.

In QEMU any CPU may stand still for many milliseconds, so slices are long there and shares of time
have wide margins; in Bochs time is exact. CPUs are numbered in both ways: siblings adjacent, or
all first threads first.
"""

from collections import Counter, namedtuple

import pytest

from trace_events import rounds_of

# A task lasts work_ms, or in Bochs, which is as fast everywhere, as many blocks as are given.
Machine = namedtuple("Machine", "emulator args slice_ms work_ms blocks margin")
MACHINES = {
    "adjacent": Machine("qemu", "", 100, 450, None, 0.13),
    "far": Machine("qemu", "topology=1x2x2:far", 100, 450, None, 0.13),
    "bochs": Machine("bochs", "topology=1x2x2 smt_model=1.50", 10, None, 150, 0.02),
}
NUMBERINGS = {"adjacent": "", "far": "topology=1x2x2:far"}
NS_PER_MS = 1000000
CORES, CPUS = 2, 4
STARTS = 40     # of pairs; naive has all of them on two cores once in ten million times


def shares(busy):
    """Whether two tasks run on one core."""
    return any(len(stays) > 1 for stays in busy.values())


def shares_in_vain(busy):
    """Whether two tasks run on one core while the other has none."""
    return shares(busy) and len(busy) < CORES


@pytest.fixture(name="numbering", params=NUMBERINGS)
def fixture_numbering(request):
    return NUMBERINGS[request.param]


def traced(log):
    """The rounds of a log that has to be complete."""
    assert log.outcome.passed and log.of("tracedrop") == []
    return rounds_of(log)


# ---- three tasks: what is left of them, and how they take turns ----------------------------------

def md5(*blocks):
    """Time trials of so many blocks, at the same time."""
    return "&".join(f"md5 -tb {number}" for number in blocks)


@pytest.fixture(name="machine", params=MACHINES)
def fixture_machine(request):
    return MACHINES[request.param]


@pytest.fixture(name="log")
def fixture_log(boot, machine, blocks_in_ms):
    """One of three tasks is three times as short as the others, each in its turn; then all three
    are equal."""
    long = machine.blocks or blocks_in_ms(machine.work_ms)
    short, equal = long // 3, 2 * long
    steps = [md5(short, long, long), md5(long, short, long), md5(long, long, short),
             md5(equal, equal, equal)]
    return boot(f"run=none sched=smt trace=on slice={machine.slice_ms}ms {machine.args} "
                f'exec="{";".join(steps)}"', emulator=machine.emulator, limit_s=280)


def test_the_two_that_remain_of_three_have_a_core_each(log, machine):
    """Within one slice of the end of the third, and then until one of them ends."""
    rounds = traced(log)
    for number in (1, 2, 3):
        step = rounds[f"exec smt round {number}"]
        (short_end, _), (first_end, _), _ = sorted((e["ns"], e["pid"]) for e in step.of("end"))
        apart = [begin for begin, end, busy in step.states()
                 if short_end <= begin and end <= first_end and len(busy) == 2]
        assert apart and apart[0] - short_end <= machine.slice_ms * NS_PER_MS
        later = [e for e in step.events if apart[0] < e["ns"] < first_end and e["event"] != "ipi"]
        assert [event.text for event in later] == []


def test_three_equal_tasks_have_a_core_of_their_own_in_turn(log, machine):
    """For (2C - n) / n of the time until the first ends."""
    step = traced(log)["exec smt round 4"]
    first_end = min(event["ns"] for event in step.of("end"))
    alone, running = Counter(), Counter()
    for begin, end, busy in step.states():
        for stays in busy.values():
            for stay in stays if end <= first_end else ():
                running[stay.pid] += end - begin
                alone[stay.pid] += (end - begin) * (len(stays) == 1)
    assert len(running) == 3
    for pid, ns in running.items():
        assert alone[pid] / ns == pytest.approx((CPUS - 3) / 3, abs=machine.margin)
    switches = [len(step.of("dispatch", pid)) for pid in running]
    assert min(switches) > 3
    assert max(switches) <= 1.25 * min(switches) + 2


def test_a_core_that_falls_idle_relieves_the_other_at_once(boot, numbering, blocks_in_ms):
    """Before any slice ends: the second of three tasks has a core of its own, and ends first."""
    tasks = md5(*map(blocks_in_ms, (150, 8, 150)))
    log = boot(f'run=none sched=smt trace=on slice=1s {numbering} exec="{tasks}"')
    step, = traced(log).values()
    pids = [event["pid"] for event in step.of("start")]
    move, = step.of("migrate")
    assert move["pid"] in (pids[0], pids[2])
    assert move["ns"] >= step.end_of(pids[1])
    assert [event["pid"] for event in step.of("preempt")] == [move["pid"]]
    assert not any(shares(busy) for begin, _, busy in step.states() if begin >= move["ns"])


# ---- two tasks, and one --------------------------------------------------------------------------

@pytest.fixture(name="pairs")
def fixture_pairs(boot, numbering):
    return boot(f"run=pair sched=smt rounds=100 blocks=100 trace=on {numbering}", limit_s=200)


def rounds_with(log, experiment, sched):
    """The rounds of an experiment, the warm-up left out."""
    return [each for name, each in traced(log).items() if name.startswith(f"{experiment} {sched} ")
            and not name.endswith(" 0")]


def test_each_of_100_pairs_is_on_two_cores_from_start_to_end(pairs):
    rounds = rounds_with(pairs, "pair", "smt")
    assert len(rounds) == 100
    for each in rounds:
        assert len(each.of("start")) == len(each.of("end")) == len(each.stays) == 2
        assert {stay.core for stay in each.stays} == {0, 1}
        assert each.of("migrate") == each.of("preempt") == each.of("block") == []
    tasks = pairs.of("task", experiment="pair")
    assert len(tasks) == 200
    for task in tasks:
        stay, = (stay for each in rounds for stay in each.stays if stay.pid == task["pid"])
        assert task["cpus"] == [stay.cpu]
        assert task["shared_us"] == task["migrations"] == task["sibling_migrations"] == 0


def test_nobody_who_has_a_core_is_interrupted_by_a_timer(pairs):
    """Tickless: of solo, which measures what to compare with, and pair no task has a timer running.
    A CPU without one has nothing to do at all, and on a boot CPU that starts tasks little."""
    assert [timers["interrupts"] for timers in pairs.of("timers")] == [[0] * CPUS]
    assert pairs.one("summary")["timer_interrupts"] == 0
    assert all(task["switches"] == 1 for task in pairs.of("task"))
    for each in traced(pairs).values():
        assert each.of("preempt") == []
        idle = set(range(1, CPUS)) - {stay.cpu for stay in each.stays}
        assert idle and [event.text for event in each.events if event["cpu"] in idle] == []


def test_timers_interrupt_only_who_takes_turns(boot, blocks_in_ms):
    """Two tasks on one CPU: the counter counts, and only there."""
    log = boot(f"run=same_cpu sched=smt rounds=2 blocks={blocks_in_ms(60)} slice=5ms", limit_s=120)
    busy = {cpu for task in log.of("task", experiment="same_cpu") for cpu in task["cpus"]}
    assert len(busy) == 1
    interrupts = log.one("timers", cpu=0)["interrupts"]
    assert {cpu for cpu, count in enumerate(interrupts) if count > 0} == busy
    assert log.one("summary")["timer_interrupts"] == sum(interrupts)


def test_timers_of_many_cpus_are_in_several_records(boot):
    log = boot("run=solo rounds=1 blocks=20", smp=(1, 9, 2))
    assert [(timers["cpu"], len(timers["interrupts"])) for timers in log.of("timers")] == \
        [(0, 16), (16, 2)]
    assert boot("run=none check=off").of("timers") == []


def test_naive_has_pairs_share_a_core_in_vain_and_smt_has_none(boot, numbering):
    log = boot(f"run=pair sched=naive,smt rounds={STARTS} blocks=200 trace=on {numbering}",
               limit_s=200)
    in_vain = {sched: [each.name for each in rounds_with(log, "pair", sched)
                       if any(shares_in_vain(busy) for _, _, busy in each.states())]
               for sched in ("naive", "smt")}
    assert 0 < len(in_vain["naive"]) < STARTS
    assert in_vain["smt"] == []


# ---- who may share a core ------------------------------------------------------------------------

def fill(sched, tasks, numbering, blocks):
    return (f"run=fill sched={sched} tasks={tasks} slice=20ms blocks={blocks} rounds=2 trace=on "
            f"{numbering}")


@pytest.fixture(name="slices")
def fixture_slices(blocks_in_ms):
    """The blocks of a task that takes a few slices of fill()."""
    return blocks_in_ms(50)


def test_core_keeps_groups_apart_at_every_moment(boot, numbering, slices):
    """Programs are dealt to groups in turn: in the end one of group 0 and three of group 1 are
    left, which have to take turns on some core. The two of `siblings` are pinned to one core, and
    can never be on it together."""
    long, short = 2 * slices, slices // 10
    log = boot(f"run=siblings sched=core groups=2 slice=20ms blocks={slices} rounds=2 trace=on "
               f'{numbering} exec="{md5(long, long, short, long, short, long)}"', limit_s=200)
    group = {task["pid"]: task["group"] for task in log.of("task") + log.of("exec")}
    rounds = traced(log)
    states = [busy for each in rounds.values() for _, _, busy in each.states()]
    assert any(shares(busy) for busy in states)
    for stays in (stays for busy in states for stays in busy.values()):
        assert len({group[stay.pid] for stay in stays}) == 1, stays
    groups_on = {core: {group[stay.pid] for stay in rounds["exec core round 1"].stays
                        if stay.core == core} for core in range(CORES)}
    assert {0, 1} in groups_on.values()
    assert log.one("result", experiment="siblings")["forced_idle_us"] > 0
    assert all(task["shared_us"] == 0 for task in log.of("task", experiment="siblings"))


def test_core_with_one_group_leaves_nothing_empty(boot, numbering, slices):
    log = boot(fill("core", 6, numbering, slices), limit_s=200)
    for each in rounds_with(log, "fill", "core"):
        assert any(len(stays) == 2 for _, _, busy in each.states() for stays in busy.values())
    assert log.one("result", experiment="fill", sched="core")["forced_idle_us"] == 0


def test_core_with_one_group_is_smt(boot):
    """On the exact machine: of three the same tasks run on the same CPUs in the same order, and of
    five, whose slices may end at the same moment, the last one ends at the same time."""
    steps = f"{md5(50, 150, 150)};{md5(60, 60, 60, 60, 60)}"
    events, lengths = [], []
    for sched in ("smt", "core"):
        log = boot(f"run=none sched={sched} trace=on topology=1x2x2 smt_model=1.50 "
                   f'exec="{steps}"', emulator="bochs", limit_s=280)
        three, five = traced(log).values()
        events.append([(event["cpu"], event["event"], event.get("pid")) for event in three.events
                       if event["event"] != "ipi"])
        lengths.append(max(event["ns"] for event in five.of("end")) - five.of("start")[0]["ns"])
    assert events[0] == events[1]
    assert lengths[0] == pytest.approx(lengths[1], rel=0.02)


def test_nosmt_has_one_task_on_a_core_at_every_moment(boot, numbering, slices):
    log = boot(fill("nosmt", 5, numbering, slices), limit_s=200)
    rounds = rounds_with(log, "fill", "nosmt")
    assert len(rounds) == 2
    for each in rounds:
        states = [busy for _, _, busy in each.states()]
        assert any(len(busy) == CORES for busy in states)
        assert not any(shares(busy) for busy in states)
