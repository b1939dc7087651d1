"""tools/timeline reads whatever is left of a damaged trace, and says what is wrong with it."""

import importlib.machinery
import importlib.util
import os
import random
import re

import pytest

from pictures.model import NoTrace, Trace
from tandem_log import Log
from target import TOOLS
from test_timeline import SHARING, read, stays
from trace_logs import random_log, trace, whole_log

WHOLE = whole_log(SHARING)
CLOSING = ("event=preempt", "event=block", "event=end ")
# Places in a log that are cut, for what takes longer than a look at the text.
STEP = 101


def load_tool():
    loader = importlib.machinery.SourceFileLoader("timeline_tool", os.path.join(TOOLS, "timeline"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("timeline_tool", loader))
    loader.exec_module(module)
    return module


@pytest.fixture(name="show")
def fixture_show(tmp_path, capsys):
    """show(log, options) -> (status, stdout, stderr) of tools/timeline. A traceback fails."""
    tool = load_tool()

    def show(data, *options):
        path = tmp_path / "serial.log"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        status = tool.run("timeline", tool.main, [str(path), *options])
        return (status, *capsys.readouterr())
    return show


def check_any(shown, whole=WHOLE):
    """What holds however a log is damaged."""
    status, out, err = shown
    assert status in (0, 1)
    assert all(line.startswith("timeline: ") for line in err.splitlines())
    assert (status == 0) == bool(out)
    assert err or status == 0, whole


def check_trace(text):
    """The model of a damaged log, if it has any: nothing overlaps, nothing goes back."""
    try:
        made = Trace.of(Log.parse(text))
    except NoTrace:
        return None
    for one, other in zip(made.intervals, made.intervals[1:]):
        assert one.begin <= one.end
        assert one.cpu != other.cpu or one.end <= other.begin
    assert all(each.begin < each.end for each in made.unknown)
    assert made.rounds and all(each.begin <= each.end for each in made.rounds)
    return made


def test_whole_log_is_shown_without_a_word(show, tmp_path):
    status, out, err = show(WHOLE, "--text", "--json", str(tmp_path / "t.json"))
    assert (status, err) == (0, "")
    assert "pair naive round 1" in out


def test_log_cut_off_at_every_byte(show):
    for length in range(len(WHOLE)):
        shown = show(WHOLE[:length])
        check_any(shown)
        assert shown[2], f"cut at {length}, and not a word"


def test_drawings_of_logs_that_are_cut_off(show, tmp_path):
    files = [f"--{kind}={tmp_path / kind}" for kind in ("json", "svg", "png")]
    for length in range(WHOLE.index("event=mark"), len(WHOLE), STEP):
        status, _, err = show(WHOLE[:length], *files)
        assert status in (0, 1) and err


def test_crlf_changes_nothing(show):
    assert show(WHOLE.replace("\n", "\r\n")) == show(WHOLE)


@pytest.mark.parametrize("text", ["", "\n", "SeaBIOS\n", "\x00\xff\n", whole_log(),
                                  whole_log(["trace: cpu=0 ns=1 event=dance"]),
                                  whole_log(["trace: cpu=9999 ns=1 event=idle"]),
                                  whole_log(["trace: cpu=0,1 ns=1 event=idle"])])
def test_no_trace_is_said(show, text):
    status, out, err = show(text)
    assert (status, out) == (1, "") and "trace" in err


@pytest.mark.parametrize("seed", range(4))
def test_a_lost_end_follows_from_what_is_left(seed):
    """A CPU goes on at the moment its last task ends, so nothing is lost with that line."""
    lines = random_log(seed)[0].splitlines(keepends=True)
    whole = stays(read("".join(lines)))
    for place, line in enumerate(lines):
        if not any(word in line for word in CLOSING):
            continue
        made = check_trace("".join(lines[:place] + lines[place + 1:]))
        assert made.faults, line
        assert stays(made) == whole, line


@pytest.mark.parametrize("seed", range(4))
def test_a_lost_begin_is_known_or_unknown_but_no_idle_time(seed):
    lines = random_log(seed)[0].splitlines(keepends=True)
    whole = stays(read("".join(lines)))
    for place, line in enumerate(lines):
        if "event=dispatch" not in line:
            continue
        made = check_trace("".join(lines[:place] + lines[place + 1:]))
        assert made.faults, line
        for cpu, begin, end, pid in set(whole) - set(stays(made)):
            assert f"cpu={cpu} ns={begin} " in line and f"pid={pid}" in line
            assert any(each.cpu == cpu and each.begin <= begin and end <= each.end
                       for each in made.unknown), line


def test_every_lost_line_is_survived(show):
    lines = WHOLE.splitlines(keepends=True)
    for place in range(len(lines)):
        text = "".join(lines[:place] + lines[place + 1:])
        check_any(show(text))
        check_trace(text)


def test_every_line_twice_changes_nothing():
    text, _ = random_log(5)
    twice = "".join(line * 2 for line in text.splitlines(keepends=True))
    log = Log.parse(twice)
    made = Trace.of(log)
    assert stays(made) == stays(read(text))
    assert [str(each) for each in made.rounds] == [str(each) for each in read(text).rounds]
    assert len(log.faults + made.faults) >= text.count("trace:")


def test_a_damaged_time_costs_one_event():
    """A digit more, and a digit less, in each trace line but the first and the last."""
    for place, line in enumerate(SHARING[1:-1], 1):
        for damaged in (line.replace(" ns=", " ns=9"), re.sub(r" ns=\d", " ns=", line)):
            made = read(whole_log([*SHARING[:place], damaged, *SHARING[place + 1:]]))
            strays = [fault for fault in made.faults if "does not fit" in fault.what]
            assert len(strays) == 1, damaged
            assert (len(made.events), made.end) == (len(SHARING) - 1, 9500)


@pytest.mark.parametrize("damage", [
    lambda line: line.rstrip("\n") + "\x00\xff\n", lambda line: line.replace(": ", ": lost ", 1),
    lambda line: "noise " + line, lambda line: line.rstrip("\n") + " lost= more=x word\n"])
def test_damage_to_what_nobody_needs_costs_nothing(damage):
    """A warning for each line, and the same picture."""
    whole = read(WHOLE)
    log = Log.parse(whole_log([damage(line) for line in SHARING]))
    made = Trace.of(log)
    assert log.faults
    assert stays(made) == stays(whole)
    assert [str(each) for each in made.rounds] == [str(each) for each in whole.rounds]


@pytest.mark.parametrize("old,new", [("pid=8", "pid=8 1"), ("pid=8", "pid=8 pid=9"),
                                     ("ns=6000", "ns=6000 00"), ("pid=8", 'pid="8')])
def test_values_that_may_be_a_part_are_not_believed(old, new):
    """The line is left out with a word, and nobody else appears in its place."""
    place = next(place for place, line in enumerate(SHARING) if "preempt" in line)
    made = read(whole_log([*SHARING[:place], SHARING[place].replace(old, new),
                           *SHARING[place + 1:]]))
    assert any("left out" in fault.what for fault in made.faults)
    assert len(made.events) == len(SHARING) - 1
    assert {task.pid for task in made.tasks} == {7, 8}
    assert stays(made) == stays(read(WHOLE))


def test_garbage_between_and_in_lines():
    chance = random.Random(7)
    for _ in range(200):
        lines = [line.encode() for line in random_log(chance.randrange(9))[0].splitlines()]
        for _ in range(chance.randrange(1, 12)):
            noise = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 30)))
            place = chance.randrange(len(lines))
            where = chance.randrange(len(lines[place]) + 1)
            lines[place] = lines[place][:where] + noise + lines[place][where:]
        check_trace(b"\n".join(lines) + b"\n")


def test_any_damage_ends_with_a_message(show):
    """Bytes dropped, changed and moved, in a log of two boots."""
    chance = random.Random(11)
    whole = (random_log(1)[0] + random_log(2)[0]).encode()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 25)):
            place = chance.randrange(len(data))
            kind = chance.randrange(4)
            if kind == 0:
                del data[place:place + chance.randrange(1, 200)]
            elif kind == 1:
                data[place] = chance.randrange(256)
            elif kind == 2:
                data[place:place] = data[:chance.randrange(300)]
            else:
                data[place:place] = str(chance.randrange(10**20)).encode()
        check_any(show(bytes(data)), data)


def test_hostile_numbers_and_names(show):
    lines = [
        trace(0, 1000, "mark", what="pair naive round 99999999999"),
        trace(0, 1000, "start", pid=7, task="$x_{1}$ <&> _"),
        trace(0, 2**63, "dispatch", pid=7), trace(0, -5, "dispatch", pid=7),
        trace(0, 2000, "dispatch", pid=2**40), trace(4000, 2100, "dispatch", pid=7),
        "trace: cpu=0 ns=1.5 event=idle", "trace: cpu=0 ns=5 event=mark",
        "tracedrop: cpu=1,2 dropped=3", "tracedrop: cpu=7 dropped=-1", "tracedrop: cpu=77",
        trace(0, 3000, "end", pid=7),
        'cpu: cpu=5 apic_id=0x0 package=1,2 core=9 thread=0 type=uniform state=online reason=""',
        "task: pid=1,2 task=7 run_us=x",
    ]
    status, out, err = show(whole_log(lines))
    assert status == 0 and out
    for word in ("no number", "lacks what", "core CPU 4000", "how many of which CPU"):
        assert word in err, word


def test_very_many_faults_are_not_all_printed(show):
    damaged = [f"trace: cpu=0 ns={ns} event=dance" for ns in range(500)]
    _, _, err = show(whole_log([*SHARING, *damaged]))
    assert len(err.splitlines()) < 80
    assert "more" in err.splitlines()[-1]


def test_files_that_cannot_be_written(show, tmp_path):
    for kind in ("json", "svg", "png"):
        assert show(WHOLE, f"--{kind}={tmp_path}/no/folder")[0] == 1
