"""The serial log keeps its contract: what scripts rely on is there, and in the agreed form."""

import re

import pytest

from tandem_log import KEYS, RECORD

# Small, and every kind of record that a healthy boot prints is in its log.
ARGS = "run=solo,pair,siblings,same_cpu,peg,fill blocks=20 rounds=2"

WORDS = {
    ("boot", "protocol"): {"multiboot1", "multiboot2"},
    ("boot", "platform"): {"bare", "qemu", "kvm", "bochs", "vmware", "hyperv", "virtualbox",
                           "other"},
    ("acpi", "root"): {"rsdt", "xsdt"},
    ("cpu", "type"): {"uniform", "performance", "efficiency"},
    ("cpu", "state"): {"online", "failed", "skipped"},
    ("core", "shares"): {"none", "smt", "module"},
    ("topology", "method"): {"leaf_1f", "leaf_0b", "leaf_80000026", "leaf_8000001e",
                             "leaf_80000008", "leaf_04", "leaf_01", "single", "override"},
    ("timer", "reference"): {"pit", "hpet", "pm", "cpuid", "hypervisor"},
    ("timer", "tick"): {"lapic", "tsc_deadline"},
    ("cache", "type"): {"data", "instruction", "unified"},
    ("end", "status"): {"ok", "failed"},
}
RATIOS = ("ratio_min", "ratio_median", "ratio_max")
TIMES = re.compile(r"_(us|ns|ms|hz|ppm|percent)$")


@pytest.fixture(name="log")
def fixture_log(boot):
    return boot(ARGS, limit_s=180)


def test_boot_passes(log):
    assert log.outcome.passed, log.outcome


def test_log_is_plain_ascii(log):
    text = log.outcome.serial.replace(b"\r\n", b"\n")
    assert re.fullmatch(rb"[\n\x20-\x7e]*", text)


def test_log_has_no_faults(log):
    assert [str(fault) for fault in log.faults] == []


def test_first_line_is_the_format(log):
    assert log.preamble == []
    first = log.records[0]
    assert (first.tag, first["arch"], first["log_format"]) == ("tandem", "i686", 1)


def test_last_line_is_the_end(log):
    last = log.outcome.serial.decode().splitlines()[-1]
    assert re.fullmatch(r"end: status=ok code=\d+", last)


@pytest.mark.parametrize("tag", ["boot", "acpi", "topology", "timer", "summary", "end"])
def test_record_is_there_once(log, tag):
    assert len(log.of(tag)) == 1


@pytest.mark.parametrize("tag", ["cpu", "core", "run", "task", "result"])
def test_record_is_there(log, tag):
    assert log.of(tag)


def test_every_line_with_a_known_tag_is_a_record(log):
    lines = log.outcome.serial.decode().splitlines()
    tagged = [line for line in lines if (m := RECORD.match(line)) and m[1] in KEYS]
    assert [record.text for record in log.records if record.tag in KEYS] == tagged


@pytest.mark.parametrize("tag,key", WORDS)
def test_word_is_one_of_the_documented(log, tag, key):
    assert {record[key] for record in log.of(tag)} <= WORDS[tag, key]


def test_times_are_whole_numbers(log):
    for record in log.records:
        for key, value in record.fields.items():
            if TIMES.search(key):
                assert isinstance(value, int), record.text


def test_ratios_have_two_decimals(log):
    for record in log.of("result"):
        for key in RATIOS:
            assert re.search(rf"\b{key}=\d+\.\d\d( |$)", record.text), record.text


def test_every_result_follows_its_run_and_its_tasks(log):
    """Before a result come the run that announces it, the tasks, and nothing of another run."""
    line = 0
    for result in log.of("result"):
        wanted = {"experiment": result["experiment"], "sched": result["sched"]}
        before = [record for record in log.of("run") + log.of("task")
                  if line < record.line < result.line and record.get("round") != 0]
        assert {record.tag for record in before} == {"run", "task"}, result.text
        assert all(record.matches(wanted) for record in before), result.text
        assert min(before, key=lambda record: record.line).tag == "run", result.text
        line = result.line


def test_summary_counts_what_is_in_the_log(log):
    summary = log.one("summary")
    assert summary["tasks"] == len(log.of("task"))
    assert summary["failed"] == len(log.of("task", ok=0))
    assert summary["faults"] == len(log.of("fault"))
    assert summary["warnings"] == len(log.of("warning"))
    assert summary["lost"] == 0


def test_what_plays_a_core_is_on_every_run_and_result(boot):
    log = boot("run=solo blocks=5 rounds=1 host_cpus=2 sharing=host_cpu")
    for record in log.of("run") + log.of("result"):
        assert (record["host_cpus"], record["sharing"]) == (2, "host_cpu")


def test_smt_model_is_never_silent(boot):
    log = boot("run=siblings blocks=5 rounds=1 smt_model=1.50")
    assert {record["smt_model"] for record in log.of("run") + log.of("result")} == {1.5}


def test_md5_prints_openbsds_lines(log):
    text = "\n".join(log.text)
    assert re.search(r"MD5 time trial\.  Processing 20 10000-byte blocks\.\.\.", text)
    for word in ("Digest", "Time  ", "Speed "):
        assert re.search(rf"^{word} = ", text, re.MULTILINE)
