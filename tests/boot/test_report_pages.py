"""The page that tools/report makes says what the log says, and what it lacks. No boot here."""

import random
import re

import pytest

from report_logs import (BUSY, DEMO, END, FIRST, MACHINE, RELIABLE, SUMMARY, build, drawings,
                         measured, plain, result, rows, task)
from tandem_log import Log
from reporting.results import BootResults

SIZE_LIMIT = 2_000_000


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
    found = BootResults(Log.parse(text).boots[0]).results
    assert [each.samples() for each in found] == [{"": [1.0, 1.1]}, {"": [2.0]}]


def test_results_that_differ_in_a_condition_only_are_told_apart():
    text = MACHINE + measured("slice", "smt", [1000, 1000])
    text += measured("slice", "smt", [1500, 1500]).replace("slice_us=10000", "slice_us=1000")
    _, root = build(text + END)
    names = [row[0] for row in rows(root)]
    assert "slice slice_us 10000" in names and "slice slice_us 1000" in names


def test_warm_up_and_failed_tasks_are_no_samples():
    text = MACHINE + task("pair", "smt", 9000, number=0) + task("pair", "smt", 8000, ok=0) + \
        task("pair", "smt", 1000) + result("pair", "smt", (1, 1, 1))
    found, = BootResults(Log.parse(text).boots[0]).results
    assert found.samples() == {"": [1.0]}
    assert "1 task did not end well" in plain(build(text)[1])


def test_samples_of_rounds_are_the_longest_tasks():
    text = MACHINE + "".join(task("interleave", "smt", us, number=number, more=" variant=siblings")
                             for number, us in ((1, 1500), (1, 1600), (2, 1800), (2, 1700)))
    text += result("interleave", "smt", (1.6, 1.6, 1.8), more=" variant=siblings")
    found, = BootResults(Log.parse(text).boots[0]).results
    assert found.samples(by_round=True) == {"": [1.6, 1.8]}
    assert "interleave: time of each round" in drawings(build(text + END)[1])


@pytest.mark.parametrize("name,boxes", [("memory", True), ("module", True), ("pause", False),
                                        ("migrate", False)])
def test_where_there_are_no_boxes_the_page_says_so(name, boxes):
    _, root = build(MACHINE + measured(name, "smt", [1000] * 5, more=" variant=a") + END)
    assert (f"{name}: time of each task" in drawings(root)) == boxes
    assert ("There are no boxes here" in plain(root)) != boxes


def test_rounds_that_were_disturbed_are_no_samples_of_a_reliable_result():
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
    assert all(word in ticks for word in ("1", "2", "4", "128", "smt", "jobs at a time"))


def test_slices_are_drawn_as_curves_of_what_the_records_have():
    text = MACHINE
    for slice_us in (10000, 1000):
        text += result("slice", "smt", (1, 2, 3), more=f" variant=s{slice_us} wait_mean_us=4000") \
            .replace("slice_us=10000", f"slice_us={slice_us}")
    _, root = build(text + END)
    assert curve_labels(root, "slice against") == [
        "slice against the length of a slice: mean wait of the job, ms"]
    drawn, = [svg for svg in root.iter("svg") if svg.get("aria-label").startswith("slice against")]
    assert "length of a slice, ms" in [plain(text) for text in drawn.iter("text")]


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
    assert sorted(words_) == sorted(["beside", "two threads, smt", "md5", "md5", "chase", "chase",
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
    assert heads == ["Side by side", "log0, boot 1", "log0, boot 2", "log1"]
    table = rows(root)
    assert ["experiment", "policy", *heads[1:]] in table
    assert ["pair", "naive", "1.00", "1.00", "1.00"] in table
    assert ["pair", "smt", "(1.00)", "(1.00)", "(1.00)"] in table


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


HOSTILE = ("nonsense", "-1", "0", "0.00", "2.00", "1,2", '""', "9" * 14, "9" * 400 + ".0")
SMALL = (MACHINE + "capacity: logical=4 cores=2 measured=1.33 reliable=0\n"
         + measured("siblings", "smt", [1500, 1510])
         + measured("pair", "naive", [1000, 1003, 1510, 1520])
         + measured("peg", "smt", [1000, 1003, 1510, 1520], BUSY)
         + measured("fill", "smt", [1500] * 4)
         + measured("oversub", "smt", [2000] * 4, more=" variant=j4 j=4") + END)


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("keys", ["solo_us", "wall_us|smt_model", "ratio_min|tasks|package",
                                  "ratio_median", "j", "cores|logical",
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
