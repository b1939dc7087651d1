"""What else ran on the host: measured in made-up contents of /proc, told to the kernel, and what
the kernel makes of it."""

import os
import random
import subprocess
import sys
import threading

import pytest

from emulator import hostload, pinning, process, qemu
from emulator.hostload import CLEAN, DISTURBED, UNKNOWN, Pool, Snapshot, Thread
from tandem_log import Log
from target import IMAGE, ROOT, TOOLS

RUN = os.path.join(TOOLS, "run")
LIMIT_S = 180

# ---- /proc, made up ---------------------------------------------------------------------------

STAT = """\
cpu  100 0 50 900 10 0 0 30 0 0
cpu0 60 0 20 400 10 0 0 30 0 0
cpu7 40 0 30 500 0 1 2 0 0 0
intr 12 0 0
ctxt 99
"""
THREAD_STAT = "77 (a) R (b c) R 1 1 1 0 -1 0 0 0 0 0 250 50 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 " \
              "0 0 0 0 17 3 0 0\n"


def test_idle_and_stolen_time_of_each_cpu():
    assert hostload.parse_stat(STAT, 100) == {0: (4.1, 0.3), 7: (5.0, 0.0)}


@pytest.mark.parametrize("text", ["", "cpu0\n", "cpu0 1 2 3\n", "cpux 1 2 3 4 5 6 7 8\n",
                                  "cpu0 a b c d e f g h\n", "\x00\n"])
def test_stat_without_sense(text):
    assert hostload.parse_stat(text, 100) == {}


def test_stat_of_a_kernel_that_knows_no_stolen_time():
    assert hostload.parse_stat("cpu1 1 2 3 400 50\n", 100) == {1: (4.5, 0)}


def test_thread_by_the_exact_count():
    assert hostload.parse_thread(THREAD_STAT, "2990000000 1500000000 12\n", 100) \
        == Thread(2.99, 1.5, 3)


@pytest.mark.parametrize("schedstat", ["", "0\n", "x y z\n"])
def test_thread_by_ticks_where_there_is_no_exact_count(schedstat):
    assert hostload.parse_thread(THREAD_STAT, schedstat, 100) == Thread(3.0, None, 3)


@pytest.mark.parametrize("stat", ["", "77 (x) R 1 2 3\n", THREAD_STAT.replace("250", "-")])
def test_thread_without_sense(stat):
    assert hostload.parse_thread(stat, "1 1 1", 100) is None


def test_snapshot_of_a_made_up_proc(tmp_path):
    for tid in (77, 78):
        (tmp_path / f"77/task/{tid}").mkdir(parents=True)
        (tmp_path / f"77/task/{tid}/stat").write_text(THREAD_STAT)
    (tmp_path / "77/task/78/schedstat").write_text("1000000000 0 1\n")
    (tmp_path / "77/task/nonsense").mkdir()
    (tmp_path / "stat").write_text(STAT)
    hz = os.sysconf("SC_CLK_TCK")
    seen = hostload.snapshot([77, 4711], str(tmp_path))
    assert seen.threads == {77: Thread(300 / hz, None, 3), 78: Thread(1.0, 0.0, 3)}
    assert set(seen.cpus) == {0, 7}


def test_snapshot_of_a_host_without_proc(tmp_path):
    seen = hostload.snapshot([1], str(tmp_path))
    assert (seen.cpus, seen.threads) == ({}, {})


def test_snapshot_of_this_host():
    before = hostload.snapshot([os.getpid()])
    while sum(os.times()[:2]) < 0.05:
        pass
    after = hostload.snapshot([os.getpid()])
    assert after.time_s > before.time_s
    assert os.getpid() in after.threads and set(after.cpus) >= os.sched_getaffinity(0)
    assert after.threads[os.getpid()].run_s >= before.threads[os.getpid()].run_s


# ---- judging ----------------------------------------------------------------------------------

MAIN = 10    # QEMU's own thread, the virtual CPUs are 100 and up


def moments(elapsed, idle=None, stolen=None, ran=None, delayed=None, where=None):
    """Two Snapshots so far apart: by how much which count of which CPU and thread grew."""
    stolen, ran, delayed = stolen or {}, ran or {}, delayed or {}
    cpus = [{cpu: (5.0 + i * value, 1.0 + i * stolen.get(cpu, 0))
             for cpu, value in (idle or {}).items()} for i in (0, 1)]
    threads = [{tid: Thread(7.0 + i * value,
                            None if delayed == "not counted" else 2.0 + i * delayed.get(tid, 0),
                            (where or {}).get(tid, 0))
                for tid, value in ran.items()} for i in (0, 1)]
    return Snapshot(50.0, cpus[0], threads[0]), Snapshot(50.0 + elapsed, cpus[1], threads[1])


# Two guest cores of two threads, on two host CPUs; and on two host cores with two threads each.
TWO = [Pool((0,), frozenset({100, 101})), Pool((1,), frozenset({102, 103}))]
SMT = [Pool((cpu,), frozenset({100 + cpu})) for cpu in range(4)]


@pytest.mark.parametrize("pools,answer,what", [
    # one task, all else idle
    (TWO, CLEAN, dict(elapsed=1.0, idle={0: 0, 1: 1.0}, ran={100: 1.0, 101: 0, 102: 0})),
    # taking turns is what siblings on one host CPU are meant to do
    (TWO, CLEAN, dict(elapsed=1.0, idle={0: 0, 1: 1.0}, ran={100: 0.5, 101: 0.5},
                      delayed={100: 0.5, 101: 0.5})),
    # a hog beside one task
    (TWO, DISTURBED, dict(elapsed=1.0, idle={0: 0, 1: 1.0}, ran={100: 0.5}, delayed={100: 0.5})),
    # a hog beside two siblings
    (TWO, DISTURBED, dict(elapsed=1.0, idle={0: 0, 1: 1.0}, ran={100: 0.34, 101: 0.33},
                          delayed={100: 0.66, 101: 0.67})),
    # a hog on the CPU that just then is idle in the guest
    (TWO, DISTURBED, dict(elapsed=1.0, idle={0: 0, 1: 0.8}, ran={100: 1.0})),
    # the same, as long as the threshold and less; and what the granularity of /proc/stat can make
    (TWO, CLEAN, dict(elapsed=1.0, idle={0: 0, 1: 0.96}, ran={100: 1.0})),
    (TWO, CLEAN, dict(elapsed=0.1, idle={0: 0.01, 1: 0.09}, ran={100: 0.086})),
    (TWO, DISTURBED, dict(elapsed=0.1, idle={0: 0, 1: 0.08}, ran={100: 0.1})),
    # too short to say, unless it is beyond doubt
    (TWO, UNKNOWN, dict(elapsed=0.02, idle={0: 0, 1: 0.02}, ran={100: 0.02})),
    (TWO, DISTURBED, dict(elapsed=0.025, idle={0: 0, 1: 0.02}, ran={100: 0.003})),
    # the hypervisor below this host
    (TWO, DISTURBED, dict(elapsed=1.0, idle={0: 0, 1: 1.0}, ran={100: 1.0}, stolen={0: 0.1})),
    (TWO, CLEAN, dict(elapsed=1.0, idle={0: 0, 1: 1.0}, ran={100: 1.0}, stolen={0: 0.04})),
    # QEMU's other threads are no strangers, where they ran
    (TWO, CLEAN, dict(elapsed=1.0, idle={0: 0, 1: 0.7}, ran={100: 1.0, MAIN: 0.3},
                      where={MAIN: 1})),
    (TWO, DISTURBED, dict(elapsed=1.0, idle={0: 0, 1: 0.7}, ran={100: 1.0, MAIN: 0.3},
                          where={MAIN: 5})),
    # run delay alone convicts, where /proc/stat is hidden or does not know this CPU
    (TWO, DISTURBED, dict(elapsed=1.0, ran={100: 0.8, 102: 0.1}, delayed={100: 0.2})),
    (TWO, UNKNOWN, dict(elapsed=1.0, ran={100: 1.0}, delayed="not counted")),
    (TWO, CLEAN, dict(elapsed=1.0, idle={0: 0, 1: 1.0}, ran={100: 1.0}, delayed="not counted")),
    # hardware threads: no virtual CPU has another one in its way
    (SMT, CLEAN, dict(elapsed=1.0, idle={0: 0, 1: 0, 2: 1.0, 3: 1.0}, ran={100: 1.0, 101: 1.0})),
    (SMT, DISTURBED, dict(elapsed=1.0, idle={0: 0, 1: 0, 2: 1.0, 3: 1.0},
                          ran={100: 0.9, 101: 1.0}, delayed={100: 0.1})),
    # no pinning: all CPUs together
    ([Pool((0, 1))], CLEAN, dict(elapsed=1.0, idle={0: 0.2, 1: 0.8}, ran={100: 0.6, 101: 0.4},
                                 where={100: 1, 101: 0})),
    ([Pool((0, 1))], DISTURBED, dict(elapsed=1.0, idle={0: 0.2, 1: 0.5},
                                     ran={100: 0.6, 101: 0.4})),
    # no time, no CPUs
    (TWO, UNKNOWN, dict(elapsed=0, idle={0: 0, 1: 0}, ran={100: 0})),
    ([], UNKNOWN, dict(elapsed=1.0)),
])
def test_judgement(pools, answer, what):
    assert hostload.judge(*moments(**what), pools).answer == answer


def test_judgement_names_the_worst():
    judgement = hostload.judge(*moments(1.0, idle={0: 0, 1: 0.4}, ran={100: 0.9},
                                        delayed={100: 0.1}), TWO)
    assert (judgement.why, judgement.cpu) == ("foreign", 1)
    assert judgement.share == pytest.approx(0.6)


def test_thread_that_is_new_counts_from_its_start():
    before, after = moments(1.0, idle={0: 0, 1: 1.0}, ran={100: 0.5})
    after.threads[101] = Thread(0.5, 0.0, 0)
    assert hostload.judge(before, after, TWO).answer == CLEAN


def test_pools():
    plan = pinning.Plan("host_cpu", 2, by_core=[[0, 0], [2, 2]], watched=(0, 1, 2, 3))
    assert hostload.make_pools(plan, {100: 0, 101: 0, 102: 2, 103: 2}) == [
        Pool((0,), frozenset({100, 101})), Pool((1,)), Pool((2,), frozenset({102, 103})),
        Pool((3,))]
    assert hostload.make_pools(pinning.Plan("none", 2, watched=(0, 1)), {}) == [Pool((0, 1))]
    assert hostload.make_pools(pinning.Plan("none", 0), {}) == []


# ---- reading along ----------------------------------------------------------------------------

class Looks:
    """Snapshots one second apart, with the host CPU as idle in each second as listed."""

    def __init__(self, *idle):
        self.idle = iter(idle)
        self.at = Snapshot(-1000.0, {0: (0.0, 0.0)}, {})   # long ago, so none is too soon

    def __call__(self, pids):
        now = self.at
        self.at = Snapshot(now.time_s + 1.0, {0: (now.cpus[0][0] + next(self.idle, 1.0), 0.0)}, {})
        return now


@pytest.fixture(name="watched")
def fixture_watched():
    """watched(idle shares, pieces of output) -> (the answers given, the Watch)."""
    opened = []

    def watched(idle, pieces):
        read_end, write_end = os.pipe()
        pipe = os.fdopen(write_end, "wb", buffering=0)
        opened.extend((os.fdopen(read_end, "rb"), pipe))
        watch = hostload.Watch(pinning.Plan("none", 1, watched=(0,)), look=Looks(*idle))
        watch.begin(1, {}, pipe)
        for piece in pieces:
            watch(piece)
        os.set_blocking(read_end, False)
        try:
            return os.read(read_end, 4096), watch
        except BlockingIOError:
            return b"", watch
    yield watched
    for file in opened:
        file.close()


QUESTION = b"ask: experiment=pair sched=smt round=1\r\n"


def test_each_question_gets_one_answer(watched):
    answers, watch = watched([1.0, 0.5, 1.0], [b"hello\n", QUESTION, QUESTION, QUESTION])
    assert answers == b"cdc"
    assert "in 1 of 3 measurements" in str(watch.tally) and "50%" in str(watch.tally)


def test_question_in_pieces_is_one_question(watched):
    answers, _ = watched([], [b"text\na", b"sk: experiment=pair ", b"round=1", b"\r\n", b"x"])
    assert answers == b"c"


@pytest.mark.parametrize("piece", [b"to ask: x=1\n", b"asks: x=1\n", b"ask: x=1", b"", b"\n"])
def test_other_lines_are_no_questions(watched, piece):
    assert watched([], [piece])[0] == b""


@pytest.mark.parametrize("tag", [b"run", b"task", b"round", b"result", b"trace", b"tracedrop"])
def test_what_lies_between_measurements_does_not_count(watched, tag):
    """The kernel prints this only while it measures nothing."""
    assert watched([0.0, 1.0], [tag + b": x=1\n", QUESTION])[0] == b"c"
    assert watched([0.0, 1.0], [b"MD5 time trial.\n", QUESTION])[0] == b"d"


def test_unfinished_line_is_kept_within_a_bound(watched):
    _, watch = watched([], [b"x" * 100000, b"y" * 100000])
    assert len(watch.rest) <= hostload.LINE_LIMIT


def test_full_pipe_and_no_reader_are_survived(watched):
    answers, watch = watched([], [QUESTION] * 100000)
    assert len(answers) == 4096
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb", buffering=0) as pipe:
        watch.begin(1, {}, pipe)
        watch(QUESTION)


def test_output_before_the_beginning_is_not_looked_at():
    hostload.Watch(pinning.Plan("none", 0))(QUESTION)


# ---- real boots -------------------------------------------------------------------------------

def rounds_of(log, result):
    """{round number: clean} of an experiment, by its task records."""
    tasks = log.of("task", experiment=result["experiment"], sched=result["sched"])
    numbers = {task["round"] for task in tasks} - {0}
    return {n: all(task["clean"] for task in tasks if task["round"] == n) for n in numbers}


def check_consistency(log):
    """Every round was asked about, and the results count what the task records say."""
    assert log.ok and log.faults == []
    for result in log.of("result"):
        rounds = rounds_of(log, result)
        wanted = {"experiment": result["experiment"], "sched": result["sched"]}
        assert {record["round"]: bool(record["clean"]) for record in log.of("round", **wanted)} \
            == rounds, result.text
        assert {record["round"] for record in log.of("ask", **wanted)} \
            == set(range(1, len(rounds) + 1)), result.text
        assert result["clean_rounds"] + result["disturbed_rounds"] == len(rounds), result.text
        assert result["disturbed_rounds"] == list(rounds.values()).count(False), result.text
        assert result["unknown_rounds"] <= result["clean_rounds"], result.text


def run_tool(args, **variables):
    done = subprocess.run([RUN, "--image", IMAGE, "--args", args], cwd=ROOT, capture_output=True,
                          env={**os.environ, **variables}, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    return Log.parse(done.stdout), done.stderr.decode()


def test_answers_add_up():
    """On a machine that others use nothing is known about what they will be."""
    log, _ = run_tool("run=solo,fill blocks=2000 rounds=2")
    check_consistency(log)
    assert any(result["unknown_rounds"] < result["clean_rounds"] + result["disturbed_rounds"]
               for result in log.of("result")), "no answer was understood"


@pytest.fixture(name="hogs")
def fixture_hogs():
    """One busy process on each host CPU that we may use."""
    endless = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
    hogs = [subprocess.Popen([sys.executable, "-c", endless, str(cpu)])
            for cpu in os.sched_getaffinity(0)]
    yield hogs
    for hog in hogs:
        hog.kill()
        hog.wait()


@pytest.mark.usefixtures("hogs")
def test_load_beside_the_emulator_is_noticed():
    log, said = run_tool("run=pair sched=smt blocks=4000 rounds=2")
    check_consistency(log)
    result = log.of("result", experiment="pair")[0]
    assert result["disturbed_rounds"] > 0, result.text
    assert len(rounds_of(log, result)) > 2, "no disturbed round was repeated"
    if result["clean_rounds"] == 0:
        assert (result["reliable"], result["reason"]) == (0, "something else ran on the host")
    assert "something else ran on the host" in said


class Answerer:
    """In place of hostload.Watch: sends what the test says, and looks at nothing."""

    def __init__(self, answer):
        self.answer = answer
        self.pipe = None

    def begin(self, pid, assignment, stdin):
        self.pipe = stdin
        if self.answer is None:
            return
        threading.Thread(target=self.answer, args=(stdin,), daemon=True).start()


# With these nothing is wrong with the numbers but what the answers say, and their spread.
TOLD = ["end=exit", "host_load=serial", "host_cpus=2", "sharing=host_cpu"]


def boot_with(answer, *words):
    machine = qemu.Machine(image=IMAGE)
    outcome = qemu.boot(machine, [*TOLD, *words], limit_s=LIMIT_S, watch=Answerer(answer))
    assert outcome.ending != process.TIMEOUT
    assert outcome.passed, outcome.serial[-500:]
    return Log.parse(outcome.serial)


def flood(pipe):
    """Random bytes without end, always the same ones."""
    source = random.Random(1)
    try:
        while True:
            pipe.write(source.randbytes(4096))
    except (OSError, ValueError):   # the machine has ended
        pass


def test_flood_of_input_is_survived():
    log = boot_with(flood, "run=solo,pair", "blocks=20", "rounds=5")
    check_consistency(log)
    assert "bytes came unasked" in log.one("warning", where="host_load")["what"]
    assert sum(result["unknown_rounds"] for result in log.of("result")) > 0


def test_nobody_answering_is_said_and_costs_little():
    log = boot_with(None, "run=solo,pair", "blocks=20", "rounds=10")
    check_consistency(log)
    questions = len(log.of("ask"))
    assert f"of {questions} questions {questions} were not answered" in \
        log.one("warning", where="host_load")["what"]
    for result in log.of("result"):
        assert result["unknown_rounds"] == result["clean_rounds"] == 10, result.text


def test_disturbed_rounds_are_repeated_and_left_out():
    """Rounds of `solo` under the first policy; the second and third one are called disturbed."""
    log = boot_with_script(b"cddc" + b"c" * 100, "run=solo", "sched=smt", "blocks=20", "rounds=4")
    result = log.one("result")
    assert rounds_of(log, result) == {1: True, 2: False, 3: False, 4: True, 5: True, 6: True}
    assert (result["clean_rounds"], result["disturbed_rounds"]) == (4, 2)
    assert result.get("reason") != "something else ran on the host"
    clean = sorted(task["wall_us"] for task in log.of("task", clean=1) if task["round"] > 0)
    assert (result["min_us"], result["median_us"], result["max_us"]) == \
        (clean[0], clean[(len(clean) - 1) // 2], clean[-1])


def test_too_few_clean_rounds_are_unreliable():
    log = boot_with_script(b"cddddddd", "run=solo", "sched=smt", "blocks=20", "rounds=4")
    result = log.one("result")
    assert (result["clean_rounds"], result["disturbed_rounds"]) == (1, 5)
    assert (result["reliable"], result["reason"]) == (0, "something else ran on the host")
    assert result["min_us"] > 0


class ScriptedWatch(Answerer):
    """Answers the questions one after the other with the bytes of a script."""

    def __init__(self, script):
        super().__init__(None)
        self.script = iter(script)
        self.text = b""

    def __call__(self, data):
        lines, _, self.text = (self.text + data).rpartition(b"\n")
        for _ in hostload.QUESTION.findall(lines + b"\n"):
            os.write(self.pipe.fileno(), bytes([next(self.script)]))


def boot_with_script(script, *words):
    watch = ScriptedWatch(script)
    outcome = qemu.boot(qemu.Machine(image=IMAGE), [*TOLD, *words],
                        watch=watch, sink=watch, limit_s=LIMIT_S)
    assert outcome.passed, outcome.serial[-500:]
    return Log.parse(outcome.serial)
