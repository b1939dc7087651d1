"""Every damaged log is read as far as possible, and what is wrong with it is told.

Most of this is on a small log, thousands of times; the rest on that of a boot.
"""

import io
import random
import time

import pytest

import damage
import tandem_lines
from tandem_log import KEYS, MAX_FAULTS, Log, last_start
from test_tandem_log import TAGS, WHOLE

LINES = WHOLE.replace("\n", "\r\n").encode().splitlines(keepends=True)
TWO_BOOTS = LINES * 2
# What nothing else in a log tells of.
UNNOTICED = ("acpi",)


def read(data):
    """The Log, after looking at what holds for all of them."""
    log = Log.parse(data)
    numbers = [fault.line for fault in log.faults]
    assert numbers == sorted(numbers) and min(numbers, default=1) >= 1
    assert all(str(fault).startswith("line") and str(fault).isascii() for fault in log.faults)
    assert [record for boot in log.boots for record in boot.records] == log.records
    assert all(record.fields for record in log.records)
    assert all(set(KEYS.get(record.tag, ())) <= set(record.fields)
               for record in log.records if record.whole)
    assert all(log.boots[record.boot].records for record in log.records)
    return log


def contents(log):
    return [(record.tag, record.fields, record.text) for record in log.records]


def is_within(wanted, found):
    """Whether the wanted come in the found, in that order."""
    rest = iter(found)
    return all(any(one == other for other in rest) for one in wanted)


def records_of(lines):
    """{number of line: content} of a good log."""
    log = read(b"".join(lines))
    assert log.faults == []
    return {record.line - 1: content for record, content in zip(log.records, contents(log))}


def check(damaged, records):
    """The Log of a Damaged, with all records that were left alone in it."""
    log = read(damaged.data)
    left = [records[number] for number in damaged.left if number in records]
    assert is_within(left, contents(log)), damaged.what
    return log


def same_but_values(log, whole):
    """Whether the log differs only in what cannot be noticed: values, and what is no contract."""
    found, wanted = ([record for record in one.records if record.tag not in UNNOTICED]
                     for one in (log, whole))
    if [record.tag for record in found] != [record.tag for record in wanted]:
        return False
    return all(key in record and (type(record[key]) is type(other[key]) or key == "smt_model")
               for record, other in zip(found, wanted) for key in KEYS[record.tag])


def assert_told(log, whole, what):
    if not same_but_values(log, whole):
        assert log.faults, what


@pytest.mark.parametrize("lines", [LINES, TWO_BOOTS], ids=["boot", "boots"])
def test_cut_off_anywhere(lines):
    records = records_of(lines)
    for damaged in damage.cut_off(lines):
        log = check(damaged, records)
        if lines is LINES or len(damaged.left) != len(LINES) or damaged.data[-1:] != b"\n":
            assert log.faults, damaged.what


def test_begin_missing_anywhere():
    records = records_of(LINES)
    for damaged in damage.cut_begin(LINES):
        assert check(damaged, records).faults, damaged.what


@pytest.mark.parametrize("kind", [damage.lost_bytes, damage.changed_bytes, damage.inserted_bytes,
                                  damage.interleaved])
@pytest.mark.parametrize("lines,count", [(LINES, 2000), (TWO_BOOTS, 500)], ids=["boot", "boots"])
def test_random_damage(kind, lines, count):
    records, whole = records_of(lines), read(b"".join(lines))
    for damaged in kind(lines, random.Random(kind.__name__), count):
        assert_told(check(damaged, records), whole, damaged.what)


def test_much_damage_at_once():
    chance = random.Random(7)
    for _ in range(500):
        lines = [*TWO_BOOTS]
        for _ in range(chance.randrange(2, 9)):
            one = next(damage.random_damage(lines, chance, 1))
            lines = one.data.splitlines(keepends=True) or [b"\n"]
        read(b"".join(lines))


def test_joined_lines():
    """Both records are there, and there is one warning for each line end that is lost."""
    records = records_of(LINES)
    for number, damaged in enumerate(damage.joined_lines(LINES)):
        log = check(damaged, records)
        if number in records and number + 1 in records:
            assert contents(log) == list(records.values()), damaged.what
            assert len(log.faults) == 1
            assert "in the middle of a line" in log.faults[0].what


def test_all_lines_joined():
    log = read(b"".join(LINES).replace(b"\r\n", b""))
    assert [record.tag for record in log.records] == TAGS
    assert log.ok


def test_lost_lines():
    records = records_of(LINES)
    for number, damaged in enumerate(damage.lost_lines(LINES)):
        log = check(damaged, records)
        if number in records and records[number][0] not in UNNOTICED:
            assert log.faults, damaged.what


def test_repeated_lines_are_counted_once():
    records = records_of(LINES)
    for number, damaged in enumerate(damage.repeated_lines(LINES)):
        log = check(damaged, records)
        assert contents(log) == list(records.values()), damaged.what
        assert len(log.faults) == (number in records)
        if log.faults:
            assert (log.faults[0].line, log.faults[0].tag) == (number + 2, records[number][0])


def test_records_that_may_come_twice():
    for line in ("warning: where=x what=y\n", "trace: cpu=0 ns=1 event=ipi to=1\n"):
        log = read(WHOLE.replace("run: ", line + line + "run: "))
        assert log.faults == [] and len(log.of(line.split(":")[0])) == 2


@pytest.mark.parametrize("end,faults", [(b"\n", 0), (b"\r\n", 0), (b"\r\r\n", 0), (b"\r", 1),
                                        (b"\n\r", 1)])
def test_line_ends(end, faults):
    records = records_of(LINES)
    log = read(b"".join(line.rstrip() + end for line in LINES))
    assert contents(log) == list(records.values())
    assert len(log.faults) == faults


@pytest.mark.parametrize("noise", [b"\0", b"\xff", b"\x1b[0m", b"\x7f", "é".encode()])
def test_noise_between_all_bytes(noise):
    data = noise.join(bytes([byte]) for byte in b"".join(LINES))
    log = read(data)
    assert [record.fields for record in log.records] == [
        fields for _, fields, _ in records_of(LINES).values()]
    assert log.faults and not any(record.whole for record in log.records)


def test_eighth_bit_of_everything():
    assert "nothing booted" in read(bytes(byte | 0x80 for byte in b"".join(LINES))).faults[0].what


@pytest.mark.parametrize("before", [b"", b"SeaBIOS (version 1.16.2)", b"\0\xff\x1b[2J", b"error: "])
def test_boots_behind_what_firmware_prints(before):
    log = read((before + b"".join(LINES)) * 3)
    assert len(log.boots) == 3 and log.faults == []
    assert all(record.whole for record in log.records)


@pytest.mark.parametrize("ended,lost", [(True, 1), (True, 5), (True, 14), (False, 1), (False, 5),
                                        (False, 8)])
def test_boot_without_its_first_lines(ended, lost):
    records = records_of(LINES)
    log = read(b"".join(LINES[:len(LINES) if ended else -1] + LINES[lost:]))
    assert len(log.boots) == 2
    rest = [content for number, content in records.items() if number >= lost]
    assert contents(log)[-len(rest):] == rest
    assert sum("without its `tandem:` line" in fault.what for fault in log.faults) == 1


@pytest.mark.parametrize("value", ["abc", "", "-5", "1.5", "0x", "0xg", "1,2", "9" * 30, "9" * 9999,
                                   '"1"', "1e3", "1_000", "+1"])
def test_value_of_the_wrong_kind(value):
    log = read(WHOLE.replace("wall_us=1000 ", f"wall_us={value} "))
    fault, = log.faults
    assert (fault.tag, fault.key) == ("task", "wall_us")
    assert log.of("task")[0]["round"] == 1 and log.whole("task") == []


@pytest.mark.parametrize("old,new,key", [
    ("cpus=0,2", "cpus=0-2", "cpus"), ("ratio_min=1.00", "ratio_min=100", "ratio_min"),
    ("smt_model=off blocks", "smt_model=of blocks", "smt_model"),
    ("digest=52", "digest=5", "digest"), ("status=ok", "status=okay", "status"), ("package=-1", "package=-2", "package")])
def test_other_kinds(old, new, key):
    fault, = read(WHOLE.replace(old, new)).faults
    assert fault.key == key


def test_quoted_text_is_no_record():
    hostile = "x end: status=failed code=1 tandem: version=9 task: experiment="
    log = read(WHOLE.replace("run=pair sched=smt\"", hostile + '"'))
    assert log.faults == [] and log.one("boot")["cmdline"] == hostile
    assert len(log.boots) == 1


def test_damage_to_the_log_of_a_boot(boot):
    outcome = boot("run=pair blocks=5 rounds=1 trace=on smt_model=1.50").outcome
    lines = outcome.serial.splitlines(keepends=True)
    records = records_of(lines)
    for damaged in damage.random_damage(lines, random.Random(11), 25):
        check(damaged, records)
    for damaged in [*damage.lost_lines(lines)][::9]:
        check(damaged, records)


# ---- Sizes ----

def time_of(garbage):
    """Processor time of reading garbage within a boot; the best of three."""
    data = b"".join(LINES[:-1]) + garbage
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        read(data)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("begin", [b"", b"task: experiment="])
@pytest.mark.parametrize("pattern", [
    b" ", b"\n", b"\r", b"\0", b"a=", b" a=b", b' a="b', b'="', b'"', b"cpu: cpu=", b"\x1b[",
    b"\x1b", b"a: b=1\n", b"task: ", b"=\n", b"9", b'x: a="end: status=" ', b"aa: ", b"\x01\n"])
def test_time_grows_with_the_size_and_no_faster(begin, pattern):
    """Eight times as much takes sixty-four times as long where each byte looks at all others."""
    small, large = time_of(begin + pattern * 9000), time_of(begin + pattern * 72000)
    assert large < 30 * max(small, 0.001)


class Endless:
    """A file of one line, of a gigabyte."""

    def __init__(self):
        self.left = 1 << 30

    def read(self, size):
        size = min(size, self.left)
        self.left -= size
        return b"a" * size


def test_line_of_a_gigabyte_is_never_held():
    most = tandem_lines.CHUNK_BYTES + tandem_lines.LINE_LIMIT
    assert max(map(len, tandem_lines.read_chunks(Endless(), lambda text: -1))) <= most


def test_records_in_an_overlong_line():
    filler = b"x" * (3 << 20)
    data = LINES[0] + filler + b"".join(LINES[1:-1]).replace(b"\r\n", b"") + filler + LINES[-1]
    log = read(data)
    assert [record.tag for record in log.records] == TAGS
    assert any(tandem_lines.PARTS in fault.what for fault in log.faults)


@pytest.mark.parametrize("before", range(0, 2000, 150))
def test_records_between_parts_of_an_overlong_line(before):
    filler = b"x" * (tandem_lines.CHUNK_BYTES - len(LINES[0]) - before)
    wanted = list(records_of(LINES).values())
    texts = "".join(text for _, _, text in wanted[1:]).encode()
    assert contents(read(LINES[0] + filler + texts + filler))[:-1] == wanted[:-1]


@pytest.mark.parametrize("offset", range(-3, 4))
def test_line_ends_between_chunks(offset):
    filler = b"x" * (tandem_lines.CHUNK_BYTES - len(LINES[0]) - 2 + offset)
    log = read(LINES[0] + filler + b"\r\n" + b"".join(LINES[1:]))
    assert contents(log) == list(records_of(LINES).values())
    assert log.records[1].line == 3


def test_faults_are_bounded():
    log = read(b"".join(LINES[:-1]) + b"task: pid=1\ntask: pid=2\n" * MAX_FAULTS)
    assert len(log.faults) == MAX_FAULTS + 1
    assert "further faults" in log.faults[-1].what


def test_last_start_is_where_a_record_begins():
    assert last_start("x end: status=ok cpu: cpu=1") == 17
    assert last_start("nothing: here=1") == -1


def test_any_file_is_read():
    assert Log.parse_file(io.BytesIO(b"".join(LINES))).records == Log.parse(WHOLE).records
