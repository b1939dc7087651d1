#!/usr/bin/python3
"""Reads the kernel's serial log (log_format=1). For scripts to import:

    log = Log.read("serial.log")
    for task in log.whole("task", experiment="pair", sched="smt"):
        print(task["wall_us"], task["cpus"])

A machine record is one line `tag: key=value key="v w"`. Numbers become int (decimal or 0x),
ratios float, CPU lists lists of int, all else stays text; a quoted value is always text. Every
other line is for people and is kept as it is.

Logs come over cables and through boot loaders, so nothing in one is an error here: a log is read
as far as it can be, and each thing wrong with it is listed in `log.faults`. A record that damage
has touched is kept with what is left of it, so a key may be missing or its value text; of() gives
all records, whole() only those without a fault. Called as a program with files, this prints what
they hold and their faults, and ends with status 1 if there are any, or a file cannot be read.
"""

import bisect
import io
import re
import sys
from dataclasses import dataclass, field

import tandem_checks
import tandem_files
import tandem_lines
from tandem_values import KEY, WELL_FORMED, parse_fields, parse_value  # noqa: F401 (for importers)

LOG_FORMAT = 1
FIRST_TAG = "tandem"
LAST_TAG = "end"
MAX_FAULTS = 10000        # further ones are counted
MAX_PROBLEMS = 8          # of one record that are told
MAX_TEXT = 1 << 26        # characters of lines for people that are kept
LINE_COST = 64            # what a line counts beside its characters

# The contract: the keys that every record of a tag has, the first of them first. More may follow.
KEYS = {
    "tandem": "version arch log_format",
    "boot": "protocol loader cmdline platform",
    "acpi": "rsdp revision root madt entries enabled disabled online_capable",
    "cpu": "cpu apic_id package core thread type state reason",
    "core": "core package cpus shares",
    "topology": "packages cores cpus threads_per_core shares method vendor model_name",
    "fpu": "state sse",
    "timer": "tsc_hz tsc_invariant reference error_ppm tick slice_us",
    "work": "task amount kib solo_us",
    "buffers": "kib cache_kib cache_known",
    "run": "experiment sched tasks rounds slice_us smt_model blocks host_cpus sharing",
    "ask": "experiment sched round",
    "round": "experiment sched round clean",
    "task": "experiment sched round task pid cpus wall_us run_us wait_us shared_us switches "
            "migrations sibling_migrations digest ok",
    "result": "experiment sched tasks solo_us min_us median_us max_us makespan_us ratio_min "
              "ratio_median ratio_max shared_percent reliable smt_model host_cpus sharing",
    "skip": "experiment sched reason",
    "trace": "cpu ns event",
    "tracedrop": "cpu dropped",
    "exec": "task pid status faulted result wall_us run_us",
    "fault": "pid task vector error eip cr2 action",
    "warning": "where what",
    "error": "where what",
    "panic": "where what",
    "registers": "esp ebp",
    "cache": "level type kib cpus",
    "memory": "free_kib unused_kib trampoline nx",
    "selftest": "what vectors failed",
    "capacity": "logical cores measured reliable",
    "bench": "what instructions",
    "timers": "cpu interrupts",
    "summary": "experiments tasks failed faults warnings lost",
    "end": "status code",
}
KEYS = {tag: tuple(names.split()) for tag, names in KEYS.items()}

RECORD = re.compile(r"([a-z][a-z0-9_]{0,31}):(?: |$)")
ANY_KEY = re.compile(r"([a-z][a-z0-9_]*)=")
# How records begin, to find one behind something else in a line; and quoted values, which may
# hold anything, to skip.
COLON_KEY = re.compile(rf": ({KEY})=")
QUOTED = re.compile(r'="(?:[^"]*[^"=])?"(?= |$)|="[^"]*"$')
TAGS_OF = {}   # first key -> the tags that begin with it, the longest first
for _tag in sorted(KEYS, key=len, reverse=True):
    TAGS_OF.setdefault(KEYS[_tag][0], []).append(_tag)

# A boot has one of each, so a second one belongs to another boot, as does one of MACHINE that comes
# after the topology.
ONCE = ("acpi", "boot", "timer", "topology")
MACHINE = ("cpu", "core", "cache")
AFTER_END = ("end", "panic", "registers")
# No boot prints the same of these twice, nor the same of any but the others twice in a row.
UNIQUE = ("cpu", "core", "task")
REPEATABLE = ("warning", "error", "bench", "ask")


@dataclass
class Fault:
    """One thing wrong with a log."""

    line: int        # number of the line, from 1
    what: str        # for people, with the tag and the keys in it
    tag: str = ""    # of the record, where it is known
    key: str = ""    # of the value, or several with spaces between
    last: int = 0    # last line, where it goes over several

    def __str__(self):
        lines = f"lines {self.line}-{self.last}" if self.last > self.line else f"line {self.line}"
        return f"{lines}: {self.what}"


@dataclass(slots=True)
class Record:
    """One machine record; record["key"] is a value, `in` and get() work as on a dict."""

    tag: str
    fields: dict
    line: int           # number in the log, from 1
    text: str
    boot: int = 0       # which boot of the log it belongs to, from 0
    whole: bool = True  # nothing is wrong with it

    def __getitem__(self, key):
        return self.fields[key]

    def __contains__(self, key):
        return key in self.fields

    def get(self, key, default=None):
        return self.fields.get(key, default)

    def matches(self, wanted):
        return all(key in self.fields and self.fields[key] == value
                   for key, value in wanted.items())


class Queries:
    """What can be asked of a log, and of a boot."""

    def of(self, tag: str, **wanted) -> list:
        """The records of a tag whose fields have the given values, in log order."""
        return [record for record in self.records
                if record.tag == tag and record.matches(wanted)]

    def whole(self, tag: str, **wanted) -> list:
        """As of(), without the records that something is wrong with."""
        return [record for record in self.of(tag, **wanted) if record.whole]

    def one(self, tag: str, **wanted) -> Record:
        """The only such record; LookupError where there is none or more than one."""
        found = self.of(tag, **wanted)
        if len(found) != 1:
            raise LookupError(f"{len(found)} records `{tag}:` with {wanted}")
        return found[0]


@dataclass
class Boot(Queries):
    """The part of a log from one first line to the next."""

    records: list = field(default_factory=list)
    text: list = field(default_factory=list)      # lines for people
    ended: bool = False                           # it has its `end:` line
    seen: set = field(default_factory=set, repr=False)   # ONCE tags and UNIQUE texts in it

    @property
    def ok(self) -> bool:
        """Whether it ended, and well."""
        ends = self.of(LAST_TAG)
        return bool(ends) and ends[-1].get("status") == "ok"


def find_starts(text):
    """Yields where a known tag and the first key of its records are."""
    for match in COLON_KEY.finditer(text):
        for tag in TAGS_OF.get(match[1], ()):
            if text.endswith(tag, 0, match.start()):
                yield match.start() - len(tag)
                break


def last_start(text):
    """Where the last record in a text begins, or -1."""
    return max(find_starts(text), default=-1)


def record_starts(text, quiet):
    """Where records begin in a line. In firmware's text (quiet) they must look the part."""
    starts = list(find_starts(text))
    head = RECORD.match(text)
    if head and (not starts or starts[0] >= head.end()):
        # Tags may be added, but prose with a colon is no record.
        fields = text[head.end(1) + 1:]
        known = head[1] in KEYS or "=" in fields and WELL_FORMED.fullmatch(fields)
        if head[1] == FIRST_TAG or known and not quiet:
            starts.insert(0, 0)
    if len(starts) > (starts[:1] == [0]) and '"' in text:
        edges = [edge for match in QUOTED.finditer(text) for edge in match.span()]
        starts = [at for at in starts if bisect.bisect(edges, at) % 2 == 0]
    return starts


def looks_like_record(text):
    """Whether a line for people has about the keys of a record: its tag was damaged."""
    keys = set(ANY_KEY.findall(text)) if text.count("=") > 1 else ()
    return keys and any(len(keys.intersection(names)) >= max(min(len(names), 4), len(names) // 2)
                        for names in KEYS.values())


class Log(Queries):
    """A parsed log: records of all boots in it, the boots one by one, and the faults."""

    def __init__(self):
        self.records = []
        self.boots = []
        self.preamble = []   # lines before the first boot: firmware, boot loader
        self.faults = []     # in order of lines
        self._further = 0    # faults that are not listed
        self._noise = {}     # kind -> (its last Fault, how often)
        self._before = (0, "")   # line and text of the record before
        self._room = MAX_TEXT

    @classmethod
    def read(cls, path):
        """Reads a file, or standard input for "-". OSError where it cannot be read."""
        if path == "-":
            return cls.parse_file(sys.stdin.buffer)
        with open(path, "rb") as file:
            return cls.parse_file(file)

    @classmethod
    def parse(cls, data):
        """Reads bytes or text. Never raises over what is in them."""
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogatepass")
        return cls.parse_file(io.BytesIO(data))

    @classmethod
    def parse_file(cls, file):
        """Reads a binary file to its end. Never raises over what is in it."""
        log, line, cut_off = cls(), 1, False
        for piece in tandem_lines.read_pieces(file, last_start):
            if piece is None:
                cut_off = True
                continue
            log._add(piece)
            line = piece.last
        log._finish(line, cut_off)
        return log

    @property
    def text(self):
        """The lines for people, of all boots."""
        return [line for boot in self.boots for line in boot.text]

    @property
    def ok(self) -> bool:
        """Whether the last boot ended, and well."""
        return bool(self.boots) and self.boots[-1].ok

    def _fault(self, line, what, tag="", key=""):
        fault = Fault(line, what, tag, key, line)
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)
        else:
            self._further += 1
        return fault

    def _note(self, piece):
        """A fault for each kind of noise; in lines with no more than one between they are one."""
        for kind, count in piece.noise.items():
            fault, before = self._noise.get(kind, (None, 0))
            if fault is None or fault.last < piece.first - 2:
                fault, before = self._fault(piece.first, ""), 0
            fault.last = piece.last
            fault.what = f"{kind}: {before + count}"
            self._noise[kind] = fault, before + count

    def _add(self, piece):
        # Firmware may print after the end of a boot as well as before the first.
        quiet = not self.boots or self.boots[-1].ended
        text = piece.text
        starts = record_starts(text, quiet) if piece.single else []
        stops = [*starts[1:], len(text)]
        noise = piece.noise_places() if starts else []
        doubts = [stop < len(text) or bisect.bisect(noise, start) < bisect.bisect(noise, stop)
                  for start, stop in zip(starts, stops)]
        if not quiet or any(doubts):
            self._note(piece)
        if not starts or starts[0] > 0:
            self._add_text(piece, text[:starts[0]] if starts else text, quiet)
        for start, stop, doubt in zip(starts, stops, doubts):
            in_middle = start > 0 and not (quiet and start == starts[0])
            if not self._add_record(piece.first, text[start:stop], doubt, in_middle):
                self._add_text(piece, text[start:stop], quiet)

    def _add_text(self, piece, text, quiet):
        if piece.single and not quiet and looks_like_record(text):
            self._fault(piece.first, f"this seems to have been a record: {text[:40]!r}")
        if self._room > 0:
            lines = tandem_lines.split_lines(text)
            (self.boots[-1].text if self.boots else self.preamble).extend(lines)
            self._room -= len(text) + LINE_COST * len(lines)
            if self._room <= 0:
                self._fault(piece.last, "too many lines for people: the rest is not kept")

    def _add_record(self, line, text, doubt, in_middle):
        """Adds a record, with faults for what is wrong with it; False if it is none at all."""
        tag = RECORD.match(text)[1]
        if self._is_repeated(line, tag, text):
            self._fault(line, f"`{tag}:` is there a second time, not counted", tag)
            return True
        fields, problems = parse_fields(tag, text[len(tag) + 1:])
        if tag not in KEYS:
            problems.insert(0, ("", "is a tag not known here"))
        missing = [key for key in KEYS.get(tag, ()) if key not in fields]
        if missing:
            problems.append((" ".join(missing), f"lacks {', '.join(missing)}"))
        if in_middle:
            self._fault(line, f"`{tag}:` begins in the middle of a line", tag)
        if problems:
            told = problems[:MAX_PROBLEMS]
            self._fault(line, f"`{tag}:` {'; '.join(what for _, what in told)}", tag,
                        " ".join(key for key, _ in told if key))
        if not fields or (tag not in KEYS and self._further):   # garbage without end
            return False
        boot = self._boot_of(line, tag)
        record = Record(tag, fields, line, text, len(self.boots) - 1, not problems and not doubt)
        self.records.append(record)
        boot.records.append(record)
        boot.ended = boot.ended or tag == LAST_TAG
        boot.seen.add(text if tag in UNIQUE else tag)
        return True

    def _is_repeated(self, line, tag, text):
        """Whether a cable or a terminal has given a record twice."""
        before, self._before = self._before, (line, text)
        if tag in REPEATABLE or not self.boots:
            return False
        if before[1] == text and before[0] >= line - 1 and " event=ipi " not in text:
            return True
        return tag in UNIQUE and text in self.boots[-1].seen and not self._is_of_next_boot(tag)

    def _is_of_next_boot(self, tag):
        """Whether a record cannot belong to the last boot."""
        if not self.boots or tag == FIRST_TAG:
            return True
        boot = self.boots[-1]
        return (boot.ended and tag not in AFTER_END) or (tag in ONCE and tag in boot.seen) or (
            tag in MACHINE and "topology" in boot.seen)

    def _boot_of(self, line, tag):
        """The Boot that a record belongs to."""
        if self._is_of_next_boot(tag):
            if tag != FIRST_TAG:
                self._fault(line, f"`{tag}:` of a boot without its `{FIRST_TAG}:` line", tag)
            elif self.boots and not self.boots[-1].ended:
                self._fault(line, "a new boot starts, and the one before has no `end:` line")
            self.boots.append(Boot())
        return self.boots[-1]

    def _finish(self, line, cut_off):
        """What only shows when the log is there to its end."""
        if cut_off and self.boots:
            self._fault(line, "the last line is cut off")
            if self.records[-1].line == line:   # its last value may be, too
                self.records[-1].whole = False
        if not self.boots:
            self._fault(line, f"no `{FIRST_TAG}:` line: nothing booted")
        elif not self.boots[-1].ended:
            self._fault(line, f"no `{LAST_TAG}:` line")
        for boot in self.boots:
            for record, what in tandem_checks.check(boot):
                self._fault(record.line, f"`{record.tag}:` {what}", record.tag)
        self.faults.sort(key=lambda fault: fault.line)
        if self._further:
            self.faults.append(Fault(line, f"{self._further} further faults"))


def main(paths):
    failed = False
    for path in paths:
        try:
            log = Log.read(path)
        except OSError as error:
            print(f"tandem_log: {error}", file=sys.stderr)
            failed = True
            continue
        print(f"{path}: boots={len(log.boots)} records={len(log.records)} "
              f"faults={len(log.faults)} status={'ok' if log.ok else 'failed'}")
        for fault in log.faults:
            print(f"  {fault}")
        failed = failed or bool(log.faults)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: tandem_log.py FILE...")
    sys.exit(tandem_files.run("tandem_log", main, sys.argv[1:]))
