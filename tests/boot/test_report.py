"""tools/report: the page says what the log says, says what it lacks, and needs nothing else."""

import os
import random
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

import browser
from target import ROOT, TOOLS
from tandem_log import Log
from reporting import page, words

TOOL = os.path.join(TOOLS, "report")
SIZE_LIMIT = 2_000_000
QUICK = "run=demo blocks=200 rounds=3 trace=on"

FIRST = "tandem: version=0.1 arch=i686 log_format=1\n"
MACHINE = FIRST + """\
boot: protocol=multiboot1 loader="qemu" platform=qemu cmdline="run=demo"
timer: tsc_hz=2600000000 tsc_invariant=0 reference=hpet error_ppm=1 tick=lapic slice_us=10000
cpu: cpu=0 apic_id=0x0 package=0 core=0 thread=0 type=uniform state=online reason=""
cpu: cpu=1 apic_id=0x1 package=0 core=0 thread=1 type=uniform state=online reason=""
cpu: cpu=2 apic_id=0x2 package=0 core=1 thread=0 type=uniform state=online reason=""
cpu: cpu=3 apic_id=0x3 package=0 core=1 thread=1 type=uniform state=online reason=""
core: core=0 package=0 cpus=0,1 shares=smt
core: core=1 package=0 cpus=2,3 shares=smt
topology: packages=1 cores=2 cpus=4 threads_per_core=2 shares=smt method=leaf_0b \
vendor="GenuineIntel" model_name="A $CPU <of> the & test"
"""
SUMMARY = "summary: experiments=1 tasks=1 failed=0 faults=0 warnings=0 lost=0\n"
END = SUMMARY + "end: status=ok code=0\n"
CONDITIONS = "slice_us=10000 smt_model=off blocks=200 platform=qemu host_cpus=2 sharing=host_cpu"
RELIABLE = "reliable=1"
BUSY = 'reliable=0 reason="the machine is <busy>"'


def task(experiment, sched, wall_us, number=1, more="", ok=1):
    return (f'task: experiment={experiment} sched={sched} round={number} task="md5 -t" pid=4 '
            f"cpus=0,2 wall_us={wall_us} run_us={wall_us} wait_us=0 shared_us=0 switches=1 "
            f"migrations=0 sibling_migrations=0 digest=52e5f9c9e6f656f3e1800dfa5579d089 ok={ok}"
            f"{more}\n")


def result(experiment, sched, ratios, trust=RELIABLE, more=""):
    low, median, high = ratios
    return (f"result: experiment={experiment} sched={sched} tasks=2 rounds=3 solo_us=1000 "
            f"min_us={1000 * low:.0f} median_us={1000 * median:.0f} max_us={1000 * high:.0f} "
            f"makespan_us={1000 * high:.0f} ratio_min={low:.2f} ratio_median={median:.2f} "
            f"ratio_max={high:.2f} shared_percent=37 failed=0 {CONDITIONS} {trust}{more}\n")


def measured(experiment, sched, times_us, trust=RELIABLE, more=""):
    """An experiment with its tasks, as the kernel prints it."""
    ratios = [sorted(times_us)[place] / 1000 for place in (0, (len(times_us) - 1) // 2, -1)]
    return (f"run: experiment={experiment} sched={sched} tasks=2 rounds=3 {CONDITIONS}\n"
            + "".join(task(experiment, sched, us, more=more) for us in times_us)
            + result(experiment, sched, ratios, trust, more))


DEMO = (MACHINE + measured("solo", "naive", [1000, 1001, 1002])
        + measured("pair", "naive", [1000, 1003, 1510, 1520])
        + measured("peg", "naive", [1000, 1003, 1510, 1520])
        + measured("pair", "smt", [1000, 1004, 1005], BUSY)
        + measured("peg", "smt", [1000, 1004, 1005], BUSY) + END)


def build(*texts):
    """The page of logs, parsed as XML; that it can be parsed is part of every test."""
    logs = [(f"log{number}", Log.parse(text)) for number, text in enumerate(texts)]
    html = page.build(logs)
    return html, ElementTree.fromstring(html)


def plain(element):
    return " ".join("".join(element.itertext()).split())


def rows(root):
    return [[plain(cell) for cell in row] for row in root.iter("tr")]


def drawings(root):
    """The labels of all drawings."""
    return [svg.get("aria-label") for svg in root.iter("svg")]


def run_tool(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)


@pytest.fixture(name="demo", scope="module")
def fixture_demo(booter, tmp_path_factory):
    """(log, path of its page) of a real boot."""
    from target import Request  # pylint: disable=import-outside-toplevel
    log = booter.get(Request(args=QUICK, limit_s=180))
    folder = tmp_path_factory.mktemp("report")
    (folder / "serial.log").write_bytes(log.outcome.serial)
    done = run_tool(folder / "serial.log", "--out", folder / "page.html")
    assert (done.returncode, done.stderr) == (0, "")
    return log, folder / "page.html"


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
def test_opens_in_a_browser_without_complaint(demo):
    dom, console = browser.open_page(demo[1])
    assert console == []
    assert dom.count("<svg") == demo[1].read_text(encoding="utf-8").count("<svg")
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


def test_unreliable_results_are_named_first_with_the_reason():
    _, root = build(DEMO)
    box = next(element for element in root.iter("section")
               if element.get("class") == "box warn")
    assert "the machine is <busy>" in plain(box)
    assert "under smt: pair, peg." in plain(box) and "naive" not in plain(box)
    table = rows(root)
    assert [row[6] for row in table if row[:2] == ["pair", "smt"]] == ["no"]
    assert [row[6] for row in table if row[:2] == ["pair", "naive"]] == ["yes"]


def test_no_finding_hides_that_it_rests_on_nothing():
    _, root = build(DEMO)
    found = next(element for element in root.iter("section")
                 if element.get("class") == "findings")
    sentences = [plain(item) for item in found.iter("li")]
    assert any("smt" in words for words in sentences)
    for sentence in sentences:
        assert sentence.startswith("Not to be relied on:") == ("smt" in sentence), sentence


def test_reliable_pages_have_no_such_box():
    html, _ = build(DEMO.replace(BUSY, RELIABLE))
    assert "Not to be relied on" not in html


def test_text_of_a_log_stays_text():
    html, root = build(DEMO)
    assert "A $CPU <of> the & test" in plain(root)
    assert "<of>" not in html and "<busy>" not in html


def test_unknown_experiments_get_a_row_and_a_box_for_each_variant():
    text = MACHINE
    for variant, times in (("first", [1000, 1100]), ("second", [3000, 3300])):
        text += measured("brand_new", "smt", times, more=f" variant={variant} weird_us=17")
    _, root = build(text + END)
    table = rows(root)
    assert ["brand_new first", "smt", "1.00", "1.00", "1.10"] in [row[:5] for row in table]
    assert ["brand_new second", "smt", "3.00", "3.00", "3.30"] in [row[:5] for row in table]
    assert ["result", "weird_us", "tasks", "solo_us"] in [row[:4] for row in table]
    assert ["smt second", "17", "2", "1000"] in [row[:4] for row in table]
    assert "brand_new: variants" in drawings(root)
    drawn = [svg for svg in root.iter("svg")
             if svg.get("aria-label") == "brand_new: time of each task"]
    labels = [plain(text) for text in drawn[0].iter("text")]
    assert "smt first" in labels and "smt second" in labels


def test_tasks_go_to_the_variant_they_name():
    text = MACHINE + "".join(task("new", "smt", us, more=f" variant={name}")
                             for name, us in (("a", 1000), ("b", 2000), ("a", 1100)))
    text += result("new", "smt", (1.0, 1.0, 1.1), more=" variant=a")
    text += result("new", "smt", (2.0, 2.0, 2.0), more=" variant=b")
    from reporting.results import BootResults  # pylint: disable=import-outside-toplevel
    found = BootResults(Log.parse(text).boots[0]).results
    assert [each.samples() for each in found] == [{"": [1.0, 1.1]}, {"": [2.0]}]


def test_results_that_differ_in_a_condition_only_are_told_apart():
    text = MACHINE + measured("slice", "smt", [1000, 1000])
    text += measured("slice", "smt", [1500, 1500]).replace("slice_us=10000", "slice_us=1000")
    _, root = build(text + END)
    names = [row[0] for row in rows(root)]
    assert "slice slice_us 10000" in names and "slice slice_us 1000" in names


def test_warm_up_and_failed_tasks_are_no_samples():
    from reporting.results import BootResults  # pylint: disable=import-outside-toplevel
    text = MACHINE + task("pair", "smt", 9000, number=0) + task("pair", "smt", 8000, ok=0) + \
        task("pair", "smt", 1000) + result("pair", "smt", (1, 1, 1))
    found, = BootResults(Log.parse(text).boots[0]).results
    assert found.samples() == {"": [1.0]}
    assert "1 task did not end well" in plain(build(text)[1])


def test_rounds_that_were_disturbed_are_no_samples_of_a_reliable_result():
    from reporting.results import BootResults  # pylint: disable=import-outside-toplevel
    text = MACHINE
    for number, wall_us in ((1, 1000), (2, 5000), (3, 1001)):
        text += task("pair", "smt", wall_us, number=number)
        text += f"round: experiment=pair sched=smt round={number} clean={int(number != 2)}\n"
    for trust, ratios in ((RELIABLE, [1.0, 1.001]), (BUSY, [1.0, 5.0, 1.001])):
        found, = BootResults(Log.parse(text + result("pair", "smt", (1, 1, 1), trust)).boots[0]) \
            .results
        assert found.samples() == {"": ratios}


def curve_labels(root, start):
    return [label for label in drawings(root) if label.startswith(start)]


def test_oversubscription_is_drawn_as_curves():
    text = MACHINE + measured("siblings", "smt", [1500, 1500])
    for jobs, ratio in ((1, 128), (2, 64), (4, 48), (128, 48)):
        text += result("oversub", "smt", (ratio, ratio, ratio),
                       more=f" variant=j{jobs} j={jobs} ratio_response={jobs / 2:.2f} switches=300")
    _, root = build(text + END)
    assert curve_labels(root, "oversub against") == [
        "oversub against jobs at a time: all jobs, in times of one alone",
        "oversub against jobs at a time: one job, in times of one alone",
        "oversub against jobs at a time: switches"]
    ticks = [plain(text) for svg in root.iter("svg") for text in svg.iter("text")
             if svg.get("aria-label").endswith("switches")]
    assert all(word in ticks for word in ("1", "2", "4", "128", "smt"))


def test_slices_are_drawn_as_curves_of_what_the_records_have():
    text = MACHINE
    for slice_us in (10000, 1000):
        text += result("slice", "smt", (1, 2, 3), more=f" variant=s{slice_us} wait_mean_us=4000") \
            .replace("slice_us=10000", f"slice_us={slice_us}")
    _, root = build(text + END)
    assert curve_labels(root, "slice against") == [
        "slice against the length of a slice: mean wait of the job, ms"]


def test_memory_is_drawn_as_a_matrix():
    text = MACHINE
    for first in ("md5", "chase"):
        for second in ("md5", "chase"):
            ratio = 1.9 if first == second == "md5" else 1.1
            text += result("memory", "smt", (ratio, ratio, ratio),
                           more=f" variant={first}_{second} first={first} second={second} "
                                "placement=sibling")
    _, root = build(text + END)
    matrix, = [svg for svg in root.iter("svg") if svg.get("aria-label").startswith("memory")]
    words_ = [plain(text) for text in matrix.iter("text")]
    assert sorted(words_) == sorted(["beside", "sibling under smt", "md5", "md5", "chase", "chase",
                                     "1.90", "1.10", "1.10", "1.10"])


TRACE = """\
trace: cpu=0 ns=1000 event=mark what="pair naive round 1"
trace: cpu=0 ns=1000 event=start pid=7 task="md5 -t"
trace: cpu=0 ns=1000 event=wake pid=7 to=2
trace: cpu=2 ns=2000 event=dispatch pid=7
trace: cpu=2 ns=900000 event=end pid=7
trace: cpu=2 ns=900000 event=idle
trace: cpu=0 ns=950000 event=mark what="end"
"""


def test_a_trace_is_drawn():
    _, root = build(DEMO.replace(SUMMARY, TRACE + SUMMARY))
    drawn, = [svg for svg in root.iter("svg")
              if svg.get("aria-label") == "What ran where and when"]
    assert any("pair" in plain(text) for text in drawn.iter("text"))


@pytest.mark.parametrize("trace,said", [
    ("", "The log has no trace"),
    ("trace: cpu=0 ns=1 event=nonsense\n", "The trace cannot be drawn"),
])
def test_why_no_trace_is_drawn_is_said(trace, said):
    _, root = build(DEMO.replace(SUMMARY, trace + SUMMARY))
    assert said in plain(root)
    assert "What ran where and when" not in drawings(root)


def test_each_boot_has_a_section():
    _, root = build(DEMO + DEMO, DEMO)
    heads = [plain(head) for head in root.iter("h2")]
    assert heads == ["log0, boot 1", "log0, boot 2", "log1"]


@pytest.mark.parametrize("text,said", [
    ("", "No boot of the kernel is in this log."),
    ("SeaBIOS\n", "No boot of the kernel is in this log."),
    (MACHINE, "it has no `end:` line"),
    (MACHINE + END, "no experiment was run"),
    (FIRST + END, "The log does not describe the machine well enough to draw it."),
    (MACHINE + result("pair", "smt", (1, 1, 1)) + END, "no task records of this experiment"),
    (MACHINE + task("pair", "smt", 1000), "the log has tasks of it, but no result"),
    (MACHINE + 'warning: where=acpi what="odd"\n' + END, 'where=acpi what="odd"'),
    (MACHINE + 'panic: where=here what="stuck"\n', "The kernel panicked: stuck."),
    (MACHINE + SUMMARY + "end: status=failed code=1\n", "The run failed (code 1)."),
    (DEMO[:len(DEMO) // 2], "the last line is cut off"),
])
def test_what_is_missing_is_said(text, said):
    assert said in plain(build(text)[1])


HOSTILE = ("nonsense", "-1", "0", "1,2", '""', "9" * 400 + ".0")
SMALL = (MACHINE + measured("pair", "naive", [1000, 1003, 1510, 1520])
         + measured("peg", "smt", [1000, 1003, 1510, 1520], BUSY) + END)


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("keys", ["solo_us", "wall_us|smt_model", "ratio_min|tasks|package",
                                  "ratio_max|cores|cpus|shared_percent"])
def test_odd_values_are_no_end(keys, value):
    html, _ = build(re.sub(rf"\b({keys})=\S+", rf"\1={value}", SMALL))
    assert "nan" not in re.findall(r"\w+", html)


def test_any_damage_gives_a_page():
    chance = random.Random(1)
    for _ in range(15):
        data = bytearray(SMALL.encode())
        for _ in range(chance.randrange(1, 30)):
            place = chance.randrange(len(data))
            damage = chance.randrange(3)
            if damage == 0:
                del data[place:place + chance.randrange(1, 60)]
            elif damage == 1:
                data[place] = chance.randrange(256)
            else:
                data[place:place] = bytes(chance.randrange(256) for _ in range(5))
        build(bytes(data))


def test_a_huge_log_makes_no_huge_page():
    text = MACHINE + "".join(measured(f"experiment{number}", "smt", [1000, 2000])
                             for number in range(60))
    text += measured("pair", "naive", [1000 + number for number in range(3000)])
    html, root = build(text + END)
    assert len(html) < SIZE_LIMIT
    assert "experiment59" in [row[0] for row in rows(root)]
    assert "37 more experiments" in plain(root)


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
