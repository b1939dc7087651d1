"""The text picture of tools/timeline: exact on made-up traces, and as the kernel prints it."""

import re

import pytest

from pictures.model import Trace
from pictures.text import CELLS, LETTERS, ROWS, TextPicture, text_picture
from test_timeline import read
from test_trace import ARGS as TRACE_ARGS
from trace_logs import RandomRound, random_log, trace, whole_log

# A cell is 1000 ns.
BEGIN, END = 1_000_000, 1_060_000
SIGNS = ". idle   : mostly idle   capital letter: another CPU of the core is busy too"
HAND_MADE = f"""\
core 0   cpu 0   |aaaaaaaaaaAAAAAAAAAAAAAAAAAAAAAaaaaaaaaa....................|
         cpu 1   |.........:BBBBBBBBBBBBBBBBBBBBB.............................|
core 1   cpu 2   |............................................................|
         cpu 3   |........................................bbbbb:b:............|
                  1.000 ms                                            1.060 ms
a=7 md5 -t, b=8 hog
{SIGNS}"""


def stay(cpu, pid, begin, end, kind="end"):
    """A task on a CPU between two times in cells."""
    return [(begin, trace(cpu, BEGIN + int(begin * 1000), "dispatch", pid=pid)),
            (end, trace(cpu, BEGIN + int(end * 1000), kind, pid=pid)),
            (end, trace(cpu, BEGIN + int(end * 1000), "idle"))]


NAMES = ((8, "md5 -t"), (9, "hog"))


def log_of(*stays, names=NAMES, cores=2, extra=()):
    lines = [trace(0, BEGIN, "mark", what="pair naive round 1")]
    lines += [trace(0, BEGIN, "start", pid=pid, task=name) for pid, name in names]
    lines += [line for _, line in sorted(sum(stays, []), key=lambda each: each[0])]
    return whole_log([*lines, trace(0, END, "mark", what="end"), *extra], cores=cores)


def picture(text, end=END):
    return str(TextPicture(read(text), BEGIN, end))


def rows(text):
    """The cells of each CPU."""
    return [line.split("|")[1] for line in picture(text).splitlines() if line.endswith("|")]


def test_hand_made_trace():
    text = log_of(stay(0, 7, 0, 40),
                  stay(1, 8, 9.6, 30.5, "preempt"),   # 400 ns of the first cell, 500 of the last
                  stay(3, 8, 40.2, 45.4, "block"),
                  stay(3, 8, 46.5, 47.4),             # 500 ns in one cell, 400 in the next
                  names=[(7, "md5 -t"), (8, "hog")])
    assert picture(text) == HAND_MADE


def test_picture_of_a_round_ends_when_its_last_task_does():
    text = log_of(stay(0, 7, 0, 40, "preempt"), stay(1, 8, 9, 30.5), names=[(7, "hog")])
    made = read(text)
    assert text_picture(made, made.rounds[0]) == (
        f"Timeline of pair naive round 1:\n{picture(text, BEGIN + 30500)}\n")
    first = picture(text, BEGIN + 30500).splitlines()[0]
    assert first == f"core 0   cpu 0   |{'a' * 18}{'A' * 42}|"


def test_all_lines_have_80_columns_at_most():
    text, _ = random_log(2, tasks=20, cores=9)
    for each in read(text).rounds:
        lines = str(TextPicture(read(text), each.begin, each.end)).splitlines()
        assert all(len(line) <= 80 for line in lines)
        assert {len(line) for line in lines if line.endswith("|")} == {19 + CELLS}


def test_longest_task_of_a_cell_is_shown_and_of_equals_the_lower_pid():
    text = log_of(stay(0, 9, 0, 0.4), stay(0, 8, 0.4, 1), stay(0, 9, 1, 1.5), stay(0, 8, 1.5, 2))
    assert rows(text)[0] == "aa" + "." * (CELLS - 2)
    text = log_of(stay(0, 8, 0, 0.4), stay(0, 9, 0.4, 1), stay(0, 8, 2, 2.4), stay(0, 9, 2.5, 3))
    assert rows(text)[0] == "b.b" + "." * (CELLS - 3)


def test_a_core_of_which_one_cpu_is_mostly_idle_is_not_shared():
    text = log_of(stay(0, 8, 0, 3), stay(1, 9, 0.6, 2.4))
    assert [row[:4] for row in rows(text)[:2]] == ["aAa.", ":B:."]


def test_tasks_beyond_the_alphabet_share_a_sign():
    count = len(LETTERS) + 2
    text = log_of(*(stay(0, 100 + n, 2 * n, 2 * n + 1) for n in range(count)),
                  stay(1, 50, 2 * (count - 1), 2 * count - 1))
    first, second = rows(text)[:2]
    assert first[::2][:count] == LETTERS + "*#"
    assert second[2 * (count - 1)] == "#"
    assert "* more tasks; # on a core that is shared" in picture(text)


def test_machine_with_too_many_rows_shows_the_cores_that_run_something():
    text = log_of(stay(0, 8, 0, 9), stay(91, 9, 0, 9), cores=64)
    lines = picture(text).splitlines()
    assert [line[:15].split() for line in lines[:4]] == [
        ["core", "0", "cpu", "0"], ["cpu", "1"], ["core", "45", "cpu", "90"], ["cpu", "91"]]
    assert lines[5:7] == ["and 124 more CPUs", "a=8 md5 -t, b=9 hog"]


def test_rows_are_for_those_that_come_first():
    stays_of = [stay(cpu, 100 - cpu, 50 - cpu, 59) for cpu in range(0, 50, 2)]
    lines = picture(log_of(*stays_of, cores=64)).splitlines()
    cpus = [int(line.split("cpu")[1].split()[0]) for line in lines if line.endswith("|")]
    assert cpus == list(range(50 - ROWS, 50))


def test_round_without_time_is_empty():
    text = log_of(stay(0, 7, 0, 40))
    lines = picture(text, BEGIN).splitlines()[:4]
    assert [line.split("|")[1] for line in lines] == ["." * CELLS] * 4


def test_unknown_time_has_question_marks():
    text = log_of(stay(0, 8, 0, 9), stay(2, 9, 0, 20), extra=["tracedrop: cpu=2 dropped=9"])
    assert rows(text)[2] == "b" * 20 + "?" * 40
    assert "? nobody knows" in picture(text)
    made = read(text)
    assert text_picture(made, made.rounds[0]).startswith(
        "Timeline of pair naive round 1, with gaps where events found no room:\n")


@pytest.mark.parametrize("seed", range(6))
def test_cells_hold_what_ran_there(seed):
    """A cell by cell look, ns by ns, at a round of few ns."""
    made = RandomRound(seed, tasks=5)
    base = read(whole_log(made.records()))
    shown = TextPicture(base, base.rounds[0].begin, base.rounds[0].begin + 6007)
    lines = str(shown).splitlines()
    for cpu in range(4):
        for cell in range(CELLS):
            edges = [shown.begin + 6007 * n // CELLS for n in (cell, cell + 1)]
            busy = sum(any(each.cpu == cpu and each.begin <= ns < each.end
                           for each in base.intervals) for ns in range(*edges))
            sign = lines[cpu].split("|")[1][cell]
            assert (sign == ".") == (busy == 0)
            assert (sign.isalpha()) == (busy > 0 and 2 * busy >= edges[1] - edges[0])


@pytest.mark.parametrize("args,machine", [
    (TRACE_ARGS, {"limit_s": 180}),
    ("run=fill,peg sched=smt tasks=40 slice=1ms blocks=20 rounds=2 trace=on", {"smp": (2, 2, 2)}),
    ("run=fill tasks=30 rounds=1 blocks=20 slice=1ms trace=on", {"smp": (1, 40, 1)}),
])
def test_picture_is_the_kernels(booter, args, machine):
    """The kernel draws the last round of each experiment: line by line the same here."""
    log = booter(args, **machine)
    made = Trace.of(log)
    text = log.outcome.serial.decode("ascii").replace("\r\n", "\n")
    drawn = re.findall(r"^Timeline of .*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert len(drawn) == len(log.of("result"))
    ours = {picture.splitlines()[0]: picture
            for picture in (text_picture(made, each) for each in made.rounds)}
    for picture in drawn:
        assert picture == ours[picture.splitlines()[0]] + "\n"
