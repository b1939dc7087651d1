"""tools/report, as people use it: a real boot, a browser, files that cannot be read."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

import browser
from report_logs import DEMO, END, MACHINE, drawings, rows
from target import ROOT, TOOLS, Request
from reporting import page, words
from reporting.results import BootResults

TOOL = os.path.join(TOOLS, "report")
SIZE_LIMIT = 2_000_000
QUICK = "run=demo blocks=200 rounds=3 trace=on"
# All kinds of charts, of a CPU with small caches, so that buffers beyond them are filled soon.
CHARTS = "run=slice,oversub,memory,pause,interleave,module sched=smt blocks=20 rounds=4 tasks=8"
SMALL_CPU = "n270,l3-cache=off"


def run_tool(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


def page_of(log, folder):
    """(log, path of its page)"""
    (folder / "serial.log").write_bytes(log.outcome.serial)
    done = run_tool(folder / "serial.log", "--out", folder / "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    return log, folder / "page.html"


@pytest.fixture(name="demo", scope="module")
def fixture_demo(booter, tmp_path_factory):
    """(log, path of its page) of a real boot."""
    return page_of(booter.get(Request(args=QUICK, limit_s=180)), tmp_path_factory.mktemp("report"))


@pytest.fixture(name="charted", scope="module")
def fixture_charted(booter, tmp_path_factory):
    """The same of the experiments that the demonstration leaves out."""
    log = booter.get(Request(args=CHARTS, cpu=SMALL_CPU, limit_s=180))
    assert log.outcome.passed
    return page_of(log, tmp_path_factory.mktemp("charts"))


def test_every_result_of_a_boot_is_in_the_table(demo):
    log, path = demo
    table = rows(ElementTree.parse(path))
    assert len(log.of("result")) == 12
    for record in log.of("result"):
        wanted = [record["experiment"], record["sched"],
                  *(f"{record[key]:.2f}" for key in page.RATIOS),
                  f"{record['shared_percent']} %", "yes" if record["reliable"] else "no"]
        assert [row[:7] for row in table].count(wanted) == 1, record.text
        if "ratio_batches" in record:
            batches = ["fill in batches", record["sched"], "", f"{record['ratio_batches']:.2f}"]
            assert [row[:4] for row in table].count(batches) == 1
        for key in ("solo_us", "min_us", "median_us", "max_us", "makespan_us"):
            assert any(str(record[key]) in row for row in table), (key, record.text)


def test_every_experiment_of_a_boot_is_drawn(demo):
    labels = drawings(ElementTree.parse(demo[1]))
    for name in ("solo", "pair", "siblings", "same_cpu", "peg", "fill"):
        assert f"{name}: time of each task" in labels
    assert "peg under naive: how often which time" in labels
    assert "peg under smt: how often which time" in labels
    assert sum(label.startswith("The machine") for label in labels) == 1
    assert "What ran where and when" in labels


def test_charts_of_their_own_are_made_of_a_boot(charted):
    log, path = charted
    labels = drawings(ElementTree.parse(path))
    for label in ("oversub against jobs at a time: all jobs, in times of one alone",
                  "oversub against jobs at a time: switches",
                  "slice against the length of a slice: longest wait, ms",
                  "memory on two threads, smt: how slow each is beside each other",
                  "memory on two cores, smt: how slow each is beside each other",
                  "module on two threads, smt: how slow each is beside each other", "pause: variants",
                  "memory: time of each task", "module: time of each task",
                  "interleave: time of each round"):
        assert label in labels, label
    matrix = next(svg for svg in ElementTree.parse(path).iter("svg")
                  if svg.get("aria-label").startswith("memory on two threads"))
    drawn = [text.text for text in matrix.iter("text")]
    for record in log.of("result", experiment="memory", placement="sibling"):
        assert f"{record['ratio_median']:.2f}" in drawn
    html = path.read_text(encoding="utf-8")
    assert "pause: time of each" not in html and html.count("There are no boxes here") == 1


@pytest.mark.parametrize("name,slack", [("memory", 0.01), ("module", 0.01), ("interleave", 0.5)])
def test_samples_are_those_of_the_kernel(charted, name, slack):
    """A round of interleave begins before its second task does, by some of its time."""
    results = BootResults(charted[0].boots[0]).results_of(name)
    assert len(results) >= 3
    for result in results:
        samples = result.samples(words.describe(name).sample == words.ROUND)[""]
        assert len(samples) == 4
        for key, sample in (("ratio_min", min(samples)), ("ratio_max", max(samples))):
            assert result.value(key) == pytest.approx(sample, rel=slack, abs=0.01), result.title


def test_page_needs_nothing_else(demo):
    html = demo[1].read_text(encoding="utf-8")
    assert len(html) < SIZE_LIMIT
    assert not re.findall(r"https?:|//[a-z]+\.|@import|<script|<iframe|<img|src=", html)
    for reference in re.findall(r'href="([^"]*)"', html):
        assert reference.startswith(("#", "data:")), reference
    assert all(name.startswith("#") for name in re.findall(r"url\(([^)]*)\)", html))


def test_names_of_parts_are_there_and_differ(demo):
    html = demo[1].read_text(encoding="utf-8")
    names = re.findall(r' id="([^"]*)"', html)
    assert len(set(names)) == len(names)
    used = re.findall(r'href="#([^"]*)"', html) + re.findall(r"url\(#([^)]*)\)", html)
    assert used and set(used) <= set(names)


def test_two_runs_make_the_same_page(demo, tmp_path):
    run_tool(demo[1].parent / "serial.log", "--out", tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == demo[1].read_bytes()


needs_chromium = pytest.mark.skipif(browser.CHROMIUM is None, reason="no chromium here")


@needs_chromium
@pytest.mark.parametrize("which", ["demo", "charted"])
def test_opens_in_a_browser_without_complaint(which, request):
    _, path = request.getfixturevalue(which)
    dom, console = browser.open_page(path)
    assert console == []
    assert dom.count("<svg") == path.read_text(encoding="utf-8").count("<svg")
    assert "The run ended well." in dom


@needs_chromium
def test_complaints_of_the_browser_are_seen(tmp_path):
    """Or the test above could not fail."""
    broken = tmp_path / "broken.html"
    broken.write_text("<!DOCTYPE html><svg><path d='no path'/></svg>", encoding="utf-8")
    assert browser.open_page(broken)[1] != []


FRAME = """<!DOCTYPE html><iframe width="{width}" height="600" srcdoc="{page}"></iframe><script>
addEventListener("load", () => {{
    const root = document.querySelector("iframe").contentDocument.documentElement;
    document.documentElement.dataset.wide = root.scrollWidth;
    document.documentElement.dataset.text = root.innerText.length;
}})</script>"""


@needs_chromium
@pytest.mark.parametrize("width", [340, 800])
def test_nothing_hangs_over_the_edge(demo, tmp_path, width):
    """Wide tables scroll by themselves; the page does not."""
    html = demo[1].read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
    (tmp_path / "frame.html").write_text(FRAME.format(width=width, page=html), encoding="utf-8")
    dom, _ = browser.open_page(tmp_path / "frame.html")
    wide, text = (int(re.search(rf'data-{name}="(\d+)"', dom)[1]) for name in ("wide", "text"))
    assert text > 1000
    assert wide <= width


def test_damage_is_said_on_standard_error(tmp_path):
    (tmp_path / "cut.log").write_text(DEMO[:-30], encoding="ascii")
    done = run_tool(tmp_path / "cut.log", "--out", tmp_path / "page.html")
    assert done.returncode == 0
    assert "no `end:` line" in done.stderr and "Traceback" not in done.stderr
    ElementTree.parse(tmp_path / "page.html")


def test_a_log_that_cannot_be_read(tmp_path):
    done = run_tool(tmp_path / "none.log", "--out", tmp_path / "page.html")
    assert done.returncode == 1
    assert "none.log" in done.stderr and "Traceback" not in done.stderr


def test_a_page_that_cannot_be_written(tmp_path):
    (tmp_path / "a.log").write_text(MACHINE + END, encoding="ascii")
    done = run_tool(tmp_path / "a.log", "--out", tmp_path / "no" / "page.html")
    assert done.returncode == 1 and "Traceback" not in done.stderr


def test_a_page_that_cannot_be_made_leaves_the_old_one(tmp_path, monkeypatch):
    loader = importlib.machinery.SourceFileLoader("report_tool", TOOL)
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(tool)
    log, out = tmp_path / "a.log", tmp_path / "page.html"
    log.write_text(MACHINE + END, encoding="ascii")
    out.write_text("old", encoding="ascii")
    monkeypatch.setattr(tool.sys, "argv", ["report", str(log), "--out", str(out)])
    monkeypatch.setattr(tool.page, "build", lambda logs: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        tool.main()
    assert out.read_text(encoding="ascii") == "old"


def test_article_figures_are_those_of_the_kernel():
    """Its table of experiments has them, too."""
    folder = os.path.join(ROOT, "kernel", "experiment")
    source = "".join(open(os.path.join(folder, name), encoding="utf-8").read()
                     for name in sorted(os.listdir(folder)) if name.endswith(".c"))
    known = [each for each in words.EXPERIMENTS.values() if each.article]
    assert len(known) >= 6
    for each in known:
        for figures in filter(None, (each.article, each.article_batches)):
            assert f'"{figures}"' in source, figures
        for name, ratio in each.marks:
            assert name in each.article and f"{ratio:.2f}" in each.article
