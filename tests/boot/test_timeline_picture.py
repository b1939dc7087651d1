"""The pictures of tools/timeline: which rounds are drawn, and what is in an SVG and a PNG."""

import os
import re
import struct
import subprocess
import xml.etree.ElementTree

import pytest

from pictures import plot
from pictures.choose import SelectError, choose, parse_selection
from target import TOOLS
from test_timeline import SHARING, read
from trace_logs import RandomRound, random_log, trace, whole_log

TOOL = os.path.join(TOOLS, "timeline")
SVG = "{http://www.w3.org/2000/svg}"
SMALL = 60_000    # bytes


def timeline(text, *options):
    return subprocess.run([TOOL, "-", *options], input=text, capture_output=True, text=True,
                          check=False, timeout=60)


def words(path):
    """The texts in an SVG, which must be well-formed."""
    root = xml.etree.ElementTree.parse(path).getroot()
    assert root.tag == f"{SVG}svg"
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND"
    return struct.unpack(">II", data[16:24])


def alone(sched, number, start):
    """A round in which two tasks have a core each."""
    return [trace(0, start, "mark", what=f"pair {sched} round {number}"),
            trace(0, start + 100, "dispatch", pid=start + 1),
            trace(2, start + 100, "dispatch", pid=start + 2),
            trace(0, start + 900, "end", pid=start + 1), trace(0, start + 900, "idle"),
            trace(2, start + 900, "end", pid=start + 2), trace(2, start + 900, "idle"),
            trace(0, start + 1000, "mark", what="end")]


# ---- which rounds ----------------------------------------------------------------------------

# A warm-up, a naive round without sharing, one with, and two smt rounds without.
ROUNDS = whole_log(alone("naive", 0, 0), alone("naive", 1, 2000),
                   [line.replace("round 1", "round 2").replace("ns=", "ns=1") for line in SHARING],
                   alone("smt", 1, 30000), alone("smt", 2, 40000))


def chosen(selections, at_most=6):
    trace_of = read(ROUNDS)
    return [str(each) for each in choose(trace_of, [parse_selection(text) for text in selections],
                                         at_most)]


@pytest.mark.parametrize("selections,rounds", [
    ([], ["pair naive round 2", "pair smt round 1"]),
    (["experiment=pair"], ["pair naive round 2", "pair smt round 1"]),
    (["sched=smt,round=2"], ["pair smt round 2"]),
    (["round=0"], ["pair naive round 0"]),
    (["sched=smt,round=2", "sched=naive"], ["pair smt round 2", "pair naive round 2"]),
])
def test_choice(selections, rounds):
    assert chosen(selections) == rounds


def test_number_of_panels_is_limited():
    assert chosen([], 1) == ["pair naive round 2"]


def test_experiments_that_share_are_drawn_first():
    alone_too = [line.replace("pair", "solo") for line in alone("naive", 1, 0)]
    later = [line.replace("ns=", "ns=1") for line in SHARING]
    made = read(whole_log(alone_too, later, alone("smt", 1, 30000)))
    for at_most, drawn in ((3, ["solo", "pair", "pair"]), (2, ["pair", "pair"]), (1, ["pair"])):
        assert [each.experiment for each in choose(made, [], at_most)] == drawn


@pytest.mark.parametrize("text", ["", "round", "color=red", "round=1,round=2"])
def test_bad_selection(text):
    with pytest.raises(SelectError):
        parse_selection(text)
    assert timeline(ROUNDS, "--select", text).returncode == 2


def test_selection_that_no_round_meets_is_said():
    done = timeline(ROUNDS, "--select", "experiment=pair,sched=core")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no round with experiment=pair,sched=core" in done.stderr


# ---- drawings --------------------------------------------------------------------------------

def test_svg_has_the_cores_cpus_tasks_and_title(tmp_path):
    path = tmp_path / "t.svg"
    done = timeline(whole_log(SHARING), "--svg", str(path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    drawn = words(path)
    for text in ("core 0", "core 1", "CPU 0", "CPU 1", "CPU 2", "CPU 3", "md5 -t [7]",
                 "pair, scheduler naive, round 1", plot.RED_LABEL, plot.IDLE_LABEL, "idle"):
        assert drawn.count(text) == 1, text
    assert drawn.count("hog [8]") == 2    # on each of its bars
    assert any("shared 52 % of the running time, 52 % while a core was free" in text
               for text in drawn)
    assert plot.GREY_LABEL not in drawn


def test_sharing_that_nothing_could_avoid_is_grey(tmp_path):
    path = tmp_path / "t.svg"
    busy = [trace(2, 2500, "dispatch", pid=9)]
    lines = [*SHARING[:4], *busy, *SHARING[4:9], trace(2, 6500, "end", pid=9), *SHARING[9:]]
    timeline(whole_log(lines), "--svg", str(path))
    assert plot.GREY_LABEL in words(path) and plot.RED_LABEL not in words(path)


def test_svg_is_the_same_every_time_and_small(tmp_path):
    one, two = tmp_path / "1.svg", tmp_path / "2.svg"
    text = random_log(3, tasks=6)[0]
    assert timeline(text, "--svg", str(one)).returncode == 0
    assert timeline(text, "--svg", str(two)).returncode == 0
    assert one.read_bytes() == two.read_bytes()
    assert len(one.read_bytes()) < SMALL
    assert b"<dc:date>" not in one.read_bytes()


def test_png_has_a_panel_for_each_selection(tmp_path):
    one, two = tmp_path / "1.png", tmp_path / "2.png"
    assert timeline(ROUNDS, "--png", str(one), "--select", "sched=smt,round=1").returncode == 0
    assert timeline(ROUNDS, "--png", str(two), "--select", "sched=smt,round=1",
                    "--select", "sched=naive,round=1").returncode == 0
    assert png_size(one)[0] == png_size(two)[0] == plot.WIDTH_IN * plot.DPI
    assert 1.6 < png_size(two)[1] / png_size(one)[1] < 2


def test_names_are_no_formulas(tmp_path):
    path = tmp_path / "t.svg"
    text = whole_log(SHARING).replace("md5 -t", "$x_1$ <b>&")
    done = timeline(text, "--svg", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "$x_1$ <b>& [7]" in words(path)


def test_huge_machine_has_few_rows_and_says_so(tmp_path):
    path = tmp_path / "t.svg"
    made = RandomRound(1, cores=128, threads=2, tasks=5)
    text = whole_log(made.records(), cores=128)
    done = timeline(text, "--svg", str(path), "--png", str(tmp_path / "t.png"))
    assert done.returncode == 0 and "are not drawn" in done.stderr
    rows = [text for text in words(path) if text.startswith("CPU ")]
    assert len(rows) == plot.MAX_ROWS
    assert any("240 more CPUs are not drawn" in text for text in words(path))
    busy = {f"CPU {cpu}" for account in made.accounts for cpu in account.cpus}
    assert busy <= set(rows) or len(busy) > plot.MAX_ROWS // 2
    assert png_size(tmp_path / "t.png")[1] < 1200


def test_very_many_slices_stay_small(tmp_path):
    """A yield every 2 us for 20 ms, and tasks that take turns every 10 us: no eye can see that."""
    path, lines, ns = tmp_path / "t.svg", [trace(0, 0, "mark", what="fill smt round 1")], 0
    for turn in range(10000):
        pid = 7 + turn // 5 % 2
        lines += [trace(0, ns, "dispatch", pid=pid), trace(0, ns + 2000, "preempt", pid=pid)]
        ns += 2000
    lines += [trace(0, ns, "idle"), trace(0, ns, "mark", what="end")]
    assert timeline(whole_log(lines), "--svg", str(path)).returncode == 0
    assert len(path.read_bytes()) < SMALL
    assert any("fill, scheduler smt" in text for text in words(path))


@pytest.mark.parametrize("name,fits", [("md5", True), ("chase -k 4096 -n 200000", False)])
def test_names_stand_on_bars_with_room_for_them(tmp_path, name, fits):
    """Eight after each other on one CPU; a name that is wider than its bar is in the legend."""
    lines = [trace(0, 0, "mark", what="fill smt round 1")]
    for number in range(8):
        lines += [trace(0, 1000 * number, "start", pid=7 + number, task=name),
                  trace(0, 1000 * number, "dispatch", pid=7 + number),
                  trace(0, 1000 * number + 1000, "end", pid=7 + number)]
    lines += [trace(0, 8000, "idle"), trace(0, 8000, "mark", what="end")]
    path = tmp_path / "t.svg"
    assert timeline(whole_log(lines), "--svg", str(path)).returncode == 0
    root = xml.etree.ElementTree.parse(path).getroot()
    places = [float(re.match(r"rotate\(-0 ([\d.]+)", element.get("transform"))[1])
              for element in root.iter(f"{SVG}text") if name in element.text]
    assert len(places) == 8
    # On bars they are side by side, in the legend one above the other.
    assert len(set(places)) == (8 if fits else 1)


def test_missing_matplotlib_is_said(tmp_path):
    """JSON and text need none."""
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "__init__.py").write_text("raise ImportError('no such luck')")
    log = tmp_path / "log"
    log.write_text(whole_log(SHARING))
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for options, status in ((["--text", "--json", tmp_path / "j"], 0), (["--svg", "x.svg"], 1)):
        done = subprocess.run([TOOL, log, *options], env=env, capture_output=True, text=True,
                              check=False, timeout=60)
        assert done.returncode == status
        assert ("tools/setup" in done.stderr) == (status == 1)
