#!/usr/bin/python3
"""Reads the kernel's serial log (log_format=1).

    log = Log.parse(open("serial.log", "rb").read())
    for task in log.of("task", experiment="pair", sched="smt"):
        print(task["wall_us"], task["cpus"])

A machine record is one line `tag: key=value key="v w"`. Numbers become int (decimal or 0x),
ratios float, CPU lists lists of int, all else stays text; a quoted value is always text. Every
other line is for people and is kept as it is.

Logs come over cables and through boot loaders, so nothing in one is an error here: a log is read
as far as it can be, and each thing wrong with it is listed in `log.faults`. Called as a program
with files, this prints what they hold and their faults, and ends with status 1 if there are any.
"""

import re
import sys
from dataclasses import dataclass, field

LOG_FORMAT = 1
FIRST_TAG = "tandem"
LAST_TAG = "end"

# The contract: the keys that every record of a tag has. More may follow.
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
    "cache": "level type kib cpus",
    "bench": "what instructions",
    "summary": "experiments tasks failed faults warnings lost",
    "end": "status code",
}
KEYS = {tag: tuple(names.split()) for tag, names in KEYS.items()}

# Values that are text even where they look like numbers, and those that are always lists, of
# one CPU too. (The `cpus` of a topology record is a count.)
TEXT_KEYS = {"digest", "version"}
LISTS = {("core", "cpus"), ("task", "cpus"), ("cache", "cpus")}

RECORD = re.compile(r"([a-z][a-z0-9_]*):(?: |$)")
TOKEN = re.compile(r' +([a-z][a-z0-9_]*)=("[^"]*"|[^\s"]*)(?= |$)')
ESCAPE = re.compile(r"\x1b(?:\[[0-9;?=]*[A-Za-z]|[()][A-Z0-9]|[A-Za-z=>])")
INTEGER = re.compile(r"-?\d+|0x[0-9a-fA-F]+")
NUMBER_LIST = re.compile(r"\d+(,\d+)+")
RATIO = re.compile(r"-?\d+\.\d+")


@dataclass
class Fault:
    """One thing wrong with a log."""

    line: int    # line number, from 1
    what: str

    def __str__(self):
        return f"line {self.line}: {self.what}"


@dataclass
class Record:
    """One machine record; record["key"] is a value, `in` and get() work as on a dict."""

    tag: str
    fields: dict
    line: int
    text: str
    boot: int = 0   # which boot of the log it belongs to, from 0

    def __getitem__(self, key):
        return self.fields[key]

    def __contains__(self, key):
        return key in self.fields

    def get(self, key, default=None):
        return self.fields.get(key, default)

    def matches(self, wanted):
        return all(key in self.fields and self.fields[key] == value
                   for key, value in wanted.items())


@dataclass
class Boot:
    """The part of a log from one first line to the next."""

    records: list = field(default_factory=list)
    text: list = field(default_factory=list)      # lines for people

    @property
    def ended(self):
        return any(record.tag == LAST_TAG for record in self.records)


def parse_value(tag, key, word):
    """The value of one `key=word` of a record as a Python value."""
    if word.startswith('"'):
        return word[1:-1]
    if key in TEXT_KEYS:
        return word
    if (tag, key) in LISTS:
        numbers = word.split(",") if word else []
        return [int(n) for n in numbers] if all(n.isdecimal() for n in numbers) else word
    if INTEGER.fullmatch(word):
        return int(word, 16 if word.startswith("0x") else 10)
    if RATIO.fullmatch(word):
        return float(word)
    if NUMBER_LIST.fullmatch(word):
        return [int(n) for n in word.split(",")]
    return word


def parse_fields(tag, text):
    """(fields, rest, repeated keys) of the part of a record after its tag."""
    fields, repeated, position = {}, [], 0
    while match := TOKEN.match(text, position):
        key, word = match.groups()
        if key in fields:
            repeated.append(key)
        else:
            fields[key] = parse_value(tag, key, word)
        position = match.end()
    return fields, text[position:].strip(), repeated


class Log:
    """A parsed log: records of all boots in it, the boots one by one, and the faults."""

    def __init__(self):
        self.records = []
        self.boots = []
        self.preamble = []   # lines before the first boot: firmware, boot loader
        self.faults = []

    @classmethod
    def parse(cls, data):
        """Reads bytes or text. Never raises over what is in them."""
        log = cls()
        text = data.decode("ascii", "surrogateescape") if isinstance(data, bytes) else data
        lines = text.split("\n")
        complete = lines[-1] == ""
        if complete:
            lines.pop()
        for number, line in enumerate(lines, 1):
            log._add_line(number, log._clean(number, line))
        if not complete:
            log._fault(len(lines), "the last line is cut off")
        log._check_whole(len(lines))
        return log

    def of(self, tag, **wanted):
        """The records of a tag whose fields have the given values, in log order."""
        return [record for record in self.records
                if record.tag == tag and record.matches(wanted)]

    def one(self, tag, **wanted):
        """The only such record; LookupError where there is none or more than one."""
        found = self.of(tag, **wanted)
        if len(found) != 1:
            raise LookupError(f"{len(found)} records `{tag}:` with {wanted}")
        return found[0]

    @property
    def text(self):
        """The lines for people, of all boots."""
        return [line for boot in self.boots for line in boot.text]

    @property
    def ok(self):
        """Whether the last boot ended, and well."""
        ends = [record for record in self.boots[-1].records
                if record.tag == LAST_TAG] if self.boots else []
        return bool(ends) and ends[-1].get("status") == "ok"

    def _fault(self, line, what):
        self.faults.append(Fault(line, what))

    def _clean(self, number, line):
        """The line without what terminals, cables and boot loaders add to it."""
        line = line.rstrip("\r")   # CR LF ends a line as well as LF does
        plain = ESCAPE.sub("", line)
        if plain != line and self.boots:
            self._fault(number, "terminal escape sequences")
        cleaned = "".join(c for c in plain if c == "\t" or " " <= c <= "~")
        if cleaned != plain and self.boots:
            self._fault(number, f"{len(plain) - len(cleaned)} bytes that are not ASCII text")
        return cleaned

    def _add_line(self, number, line):
        # A boot loader may leave its last line unfinished in front of the kernel's first.
        start = line.find(f"{FIRST_TAG}: version=")
        if start >= 0:
            if start > 0 and self.boots:
                self._fault(number, "a boot starts in the middle of a line")
            if self.boots and not self.boots[-1].ended:
                self._fault(number, "a new boot starts, and the one before has no `end:` line")
            self.boots.append(Boot())
            line = line[start:]
        if not self.boots:
            self.preamble.append(line)
            return
        record = self._parse_record(number, line)
        if record is None:
            self.boots[-1].text.append(line)
            return
        self.boots[-1].records.append(record)
        self.records.append(record)

    def _parse_record(self, number, line):
        """The Record in a line, or None where the line is for people."""
        head = RECORD.match(line)
        if not head:
            return None
        tag = head[1]
        fields, rest, repeated = parse_fields(tag, line[len(tag) + 1:])
        if tag not in KEYS:
            # Tags may be added, but prose with a colon is no record.
            return Record(tag, fields, number, line, len(self.boots) - 1) \
                if fields and not rest else None
        if rest:
            self._fault(number, f"`{tag}:` has words that are not key=value: {rest[:40]!r}")
        if repeated:
            self._fault(number, f"`{tag}:` repeats {', '.join(repeated)}")
        missing = [key for key in KEYS[tag] if key not in fields]
        if missing:
            self._fault(number, f"`{tag}:` lacks {', '.join(missing)}")
        return Record(tag, fields, number, line, len(self.boots) - 1)

    def _check_whole(self, last_line):
        if not self.boots:
            self._fault(max(last_line, 1), f"no `{FIRST_TAG}:` line: nothing booted")
            return
        if not self.boots[-1].ended:
            self._fault(last_line, "no `end:` line")
        for record in self.of(FIRST_TAG):
            if record.get("log_format", LOG_FORMAT) != LOG_FORMAT:
                self._fault(record.line, f"log_format={record['log_format']} is not known here")
        for record in self.of("summary"):
            if record.get("lost", 0) != 0:
                self._fault(record.line, f"the kernel lost {record['lost']} lines of its log")


def main(paths):
    faulty = False
    for path in paths:
        with open(path, "rb") as file:
            log = Log.parse(file.read())
        print(f"{path}: boots={len(log.boots)} records={len(log.records)} "
              f"faults={len(log.faults)} status={'ok' if log.ok else 'failed'}")
        for fault in log.faults:
            print(f"  {fault}")
        faulty = faulty or bool(log.faults)
    return 1 if faulty else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: tandem_log.py FILE...")
    sys.exit(main(sys.argv[1:]))
