"""The reader of serial logs reads whatever is left of a log, and says what is wrong with it.

One of each here; test_log_damage.py has them by the thousand.
"""

import pytest

from tandem_log import Log, parse_value

FIRST = "tandem: version=0.1 arch=i686 log_format=1\n"
BOOT = 'boot: protocol=multiboot1 loader="qemu 7" platform=qemu cmdline="run=pair sched=smt"\n'
MACHINE = """\
acpi: rsdp=0xf59d0 revision=0 root=rsdt madt=0x7fe1aff entries=2 enabled=2 disabled=0 \
online_capable=0 oem="BOCHS "
timer: tsc_hz=2599999400 tsc_invariant=0 reference=hpet error_ppm=1 tick=lapic slice_us=10000
smp: starting 1 CPUs, trampoline at 0x10000
cpu: cpu=0 apic_id=0x0 package=0 core=0 thread=0 type=uniform state=online reason=""
cpu: cpu=1 apic_id=0x1 package=-1 core=-1 thread=-1 type=uniform state=failed reason="no: answer"
cpu: cpu=2 apic_id=0x2 package=0 core=1 thread=0 type=uniform state=online reason=""
core: core=0 package=0 cpus=0 shares=none
core: core=1 package=0 cpus=2 shares=none
topology: packages=1 cores=2 cpus=2 threads_per_core=1 shares=none method=leaf_0b \
vendor="GenuineIntel" model_name="Core i7 9xx (Nehalem)"
"""
RUN = ("run: experiment=pair sched=smt tasks=1 rounds=1 slice_us=10000 smt_model=off blocks=10 "
       "platform=qemu host_cpus=2 sharing=host_cpu\n")
TASK = ('task: experiment=pair sched=smt round=1 task="md5 -t" pid=4 cpus=0,2 wall_us=1000 '
        "run_us=990 wait_us=10 shared_us=0 switches=3 migrations=1 sibling_migrations=0 "
        "digest=52e5f9c9e6f656f3e1800dfa5579d089 ok=1\n")
RESULT = ("result: experiment=pair sched=smt tasks=1 rounds=1 solo_us=1000 min_us=1000 "
          "median_us=1000 max_us=1000 makespan_us=1000 ratio_min=1.00 ratio_median=1.00 "
          "ratio_max=1.00 shared_percent=0 failed=0 smt_model=off host_cpus=2 sharing=host_cpu "
          'reliable=0 reason="the host is busy"\n')
PROSE = "MD5 time trial.  Processing 10 10000-byte blocks...\nDigest = 0123\nnote: this is prose\n"
SUMMARY = "summary: experiments=1 tasks=1 failed=0 faults=0 warnings=0 errors=0 lost=0\n"
END = "end: status=ok code=0\n"
WHOLE = FIRST + BOOT + MACHINE + RUN + PROSE + TASK + RESULT + SUMMARY + END
TAGS = "tandem boot acpi timer cpu cpu cpu core core topology run task result summary end".split()


def faults(text):
    return [fault.what for fault in Log.parse(text).faults]


def test_whole_log():
    log = Log.parse(WHOLE)
    assert log.faults == []
    assert log.ok
    assert [record.tag for record in log.records] == TAGS
    assert all(record.whole for record in log.records)
    assert log.text == [MACHINE.splitlines()[2], *PROSE.splitlines()]


def test_bytes_and_text_are_the_same():
    assert Log.parse(WHOLE.encode()).records == Log.parse(WHOLE).records


@pytest.mark.parametrize("key,word,value", [
    ("n", "12", 12), ("n", "-3", -3), ("n", "0x1F", 31), ("n", "1.50", 1.5), ("n", "off", "off"),
    ("n", '"12"', "12"), ("n", '"a b"', "a b"), ("n", "", ""), ("n", "1,2", [1, 2]),
    ("n", "naive,smt", "naive,smt"), ("n", "1x2x2", "1x2x2"), ("n", "0x", "0x"),
    ("cpus", "0", [0]), ("cpus", "0,2", [0, 2]), ("cpus", "", []), ("cpus", "0-3", "0-3"),
    ("digest", "12", "12"), ("version", "0.1", "0.1"),
])
def test_value(key, word, value):
    assert parse_value("task", key, word) == value


def test_cpus_of_the_topology_is_a_count():
    assert parse_value("topology", "cpus", "4") == 4


def test_queries():
    log = Log.parse(WHOLE)
    assert log.of("task", experiment="pair", sched="smt")[0]["cpus"] == [0, 2]
    assert log.of("task", sched="naive") == []
    assert log.one("boot")["cmdline"] == "run=pair sched=smt"
    with pytest.raises(LookupError):
        log.one("cpu", core=7)


def test_new_keys_are_no_faults():
    log = Log.parse(WHOLE.replace(END, END.strip() + " extra=1\n"))
    assert log.faults == []
    assert log.one("end")["extra"] == 1


def test_unknown_tag():
    log = Log.parse(WHOLE.replace(END, "newtag: a=1 b=2\n" + END))
    assert [fault.what for fault in log.faults] == ["`newtag:` is a tag not known here"]
    assert log.one("newtag")["b"] == 2


def test_crlf_is_a_line_end():
    log = Log.parse(WHOLE.replace("\n", "\r\n"))
    assert log.faults == []
    assert [record.fields for record in log.records] == [
        record.fields for record in Log.parse(WHOLE).records]


def test_firmware_before_the_first_line_is_no_fault():
    log = Log.parse("\x1b[2J\x1b[01;01HSeaBIOS\r\n\x00\xffGRUB loading\n \x1b[0m" + WHOLE)
    assert log.faults == []
    assert log.records[0].tag == "tandem"


def test_cut_off_log():
    assert faults(WHOLE[:-len(END) - len("lost=0 ")]) == [
        "`summary:` lacks lost", "the last line is cut off", "no `end:` line"]


@pytest.mark.parametrize("text", ["", "\n", "SeaBIOS\n", "\x00\x00"])
def test_nothing_booted(text):
    assert any("nothing booted" in what for what in faults(text))
    assert not Log.parse(text).ok


def test_two_boots():
    log = Log.parse(WHOLE + WHOLE)
    assert log.faults == []
    assert len(log.boots) == 2
    assert [task.boot for task in log.of("task")] == [0, 1]


def test_reset_in_the_middle_of_a_line():
    log = Log.parse(FIRST + BOOT + TASK[:50] + WHOLE)
    assert len(log.boots) == 2
    assert len(log.faults) >= 2
    assert log.ok


def test_lost_bytes():
    log = Log.parse(WHOLE.replace("pid=4 ", "pi4 "))
    assert any("not key=value" in fault.what for fault in log.faults)
    assert log.of("task")[0]["round"] == 1


def test_lost_key():
    assert faults(WHOLE.replace("pid=4 ", "")) == ["`task:` lacks pid"]


def test_repeated_key():
    assert faults(WHOLE.replace("pid=4 ", "pid=4 pid=5 ")) == ["`task:` repeats pid"]


def test_unclosed_quote():
    assert any("not key=value" in what for what in faults(WHOLE.replace('md5 -t"', "md5 -t")))


def test_quoted_value_with_something_stuck_to_it():
    log = Log.parse(WHOLE.replace('"the host is busy"\n', '"the host is busy"MD5 time trial.\n'))
    fault, = log.faults
    assert (fault.tag, "MD5 time trial." in fault.what) == ("result", True)
    assert log.one("result")["reason"] == "the host is busy"


def test_quoted_value_that_is_cut_off():
    log = Log.parse(WHOLE[:WHOLE.index(" is busy")])
    assert log.one("result")["reason"] == "the host"
    assert log.whole("result") == []


def test_lost_colon():
    found = faults(WHOLE.replace("run: exp", "run exp"))
    assert len(found) == 2 and "seems to have been a record" in found[0]


def test_cut_off_record_is_not_whole():
    log = Log.parse(WHOLE[:WHOLE.index(SUMMARY) + len(SUMMARY) - 1])
    assert log.of("summary") and log.whole("summary") == []


def test_noise_in_the_first_record():
    log = Log.parse("SeaBIOS\0\n" + WHOLE.replace("version", "ver\0sion"))
    assert [str(fault) for fault in log.faults] == ["line 2: bytes that are not ASCII text: 1"]
    assert log.one("tandem")["version"] == "0.1" and not log.whole("tandem")


def test_nul_and_noise():
    log = Log.parse(WHOLE.replace("Digest", "Dig\x00\xe9est").encode("latin-1"))
    assert [fault.what for fault in log.faults] == ["bytes that are not ASCII text: 2"]


def test_unknown_format():
    assert faults(WHOLE.replace("log_format=1", "log_format=2")) == [
        "`tandem:` log_format=2 is not known here"]


def test_lost_lines_are_a_fault():
    assert faults(WHOLE.replace("lost=0", "lost=3")) == [
        "`summary:` the kernel lost 3 bytes of its log"]


def test_failed_end():
    assert not Log.parse(WHOLE.replace("status=ok", "status=failed")).ok
