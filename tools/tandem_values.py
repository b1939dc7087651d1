"""The values in the records of a serial log, and what kind each of them is.

Part of tandem_log.py, which see.
"""

import functools
import re
import sys

# Lists are lists of one CPU, too. (The `cpus` of a topology record is a count.)
LISTS = {("core", "cpus"), ("task", "cpus"), ("cache", "cpus"), ("timers", "interrupts")}
# Text even where it looks like a number.
TEXT_KEYS = frozenset(
    "version arch protocol loader cmdline platform root type state reason shares method vendor "
    "model_name reference tick experiment sched sharing task event where what action name status "
    "part oem".split())
PLACE_KEYS = frozenset("package core thread module".split())   # -1: a CPU that is not online
NUMBER_KEYS = frozenset(
    "log_format rsdp revision madt entries enabled disabled online_capable trampoline nx cpu "
    "apic_id packages cores cpus threads_per_core tsc_invariant vectors failed tasks rounds blocks "
    "host_cpus round pid switches migrations sibling_migrations ok reliable logical from to vector "
    "error eip cr2 esp ebp level instructions experiments faults warnings errors checks lost code "
    "dropped samples_dropped unexpected_interrupts timer_interrupts sse clean clean_rounds "
    "disturbed_rounds unknown_rounds groups group faulted amount cache_known job_blocks".split())
UNIT = re.compile(r"(?:.*_)?(?:us|ns|ms|hz|ppm|kib|percent)")
RATIO_KEY = re.compile(r"ratio_.*|measured")

# What a value of each kind is. Other keys may have any value.
KINDS = {
    "list": ("a list of CPUs", lambda value: isinstance(value, list)),
    "number": ("a number", lambda value: isinstance(value, int) and value >= 0),
    "place": ("a number", lambda value: isinstance(value, int) and value >= -1),
    "ratio": ("a ratio", lambda value: isinstance(value, float)),
    "slowdown": ("a ratio or off", lambda value: isinstance(value, float) or value == "off"),
    "digest": ("hexadecimal or -", re.compile(r"(?:[0-9a-f]{2})+|-").fullmatch),
    "status": ("ok or failed", lambda value: value in ("ok", "failed")),
    "text": ("text", lambda value: True),
    "any": ("a number of 64 bits",
            lambda value: not (isinstance(value, str) and len(value) > 19 and value.isdecimal())),
}

KEY = "[a-z][a-z0-9_]{0,47}"
TOKEN = re.compile(rf' ({KEY})=("[^"]*"|[^\s"]*)(?= |$)')
WELL_FORMED = re.compile(rf"(?:{TOKEN.pattern}| )*")
# A quoted value with something stuck to it, but not the quote that opens the next value.
STUCK = re.compile(rf' ({KEY})=("(?:[^"]*[^"=])?")')
UNCLOSED = re.compile(rf' ({KEY})=("[^"]*)$')
NEXT_KEY = re.compile(rf" ({KEY})=")
INTEGER = re.compile(r"-?\d{1,20}|0x[0-9a-fA-F]{1,16}", re.ASCII)
RATIO = re.compile(r"-?\d{1,15}\.\d{1,15}", re.ASCII)
CPU = r"\d{1,9}"
LIST = re.compile(rf"{CPU}(,{CPU})*", re.ASCII)


@functools.lru_cache(4096)
def kind_of(tag: str, key: str) -> str:
    """The kind, a key of KINDS, of the values of a key in the records of a tag."""
    if (tag, key) in LISTS:
        return "list"
    if (tag, key) == ("end", "status") or key == "digest":
        return key
    if (tag, key) == ("exec", "status"):   # a program's, which may be any number
        return "any"
    if key in TEXT_KEYS:
        return "text"
    if key == "smt_model":
        return "slowdown"
    if key in PLACE_KEYS:
        return "place"
    if RATIO_KEY.fullmatch(key):
        return "ratio"
    return "number" if key in NUMBER_KEYS or UNIT.fullmatch(key) else "any"


def parse_value(tag: str, key: str, word: str):
    """The value of one `key=word` of a record as a Python value."""
    if word.startswith('"'):
        return word.strip('"')
    kind = kind_of(tag, key)
    if kind in ("text", "digest", "status"):
        return word
    if kind == "list":
        return [int(n) for n in word.split(",")] if LIST.fullmatch(word) else word or []
    if INTEGER.fullmatch(word):
        return int(word, 16 if word.startswith("0x") else 10)
    if RATIO.fullmatch(word):
        return float(word)
    if LIST.fullmatch(word) and "," in word:
        return [int(n) for n in word.split(",")]
    return word


def split_damaged(text):
    """([(key, word)], [what is between them]) of a text that is not all key=value."""
    tokens, junk, position = [], [], 0
    text = text.rstrip(" ")
    while position < len(text):
        if match := TOKEN.match(text, position) or STUCK.match(text, position):
            tokens.append(match.groups())
            position = match.end()
            continue
        match = UNCLOSED.match(text, position)
        if match and not any(kind_of("", key[1]) != "any" for key in NEXT_KEY.finditer(match[2])):
            tokens.append(match.groups())   # the line was cut off in this value
            junk.append(match[0][:40])
            break
        following = NEXT_KEY.search(text, position + 1)
        end = following.start() if following else len(text)
        junk += text[position:end].split()
        position = end
    return tokens, junk


def parse_fields(tag: str, text: str):
    """(fields, [(key, what is wrong)]) of the part of a record after its tag and colon."""
    problems, fields = [], {}
    if WELL_FORMED.fullmatch(text):
        tokens = TOKEN.findall(text)
    else:
        tokens, junk = split_damaged(text)
        problems.append(("", f"has words that are not key=value: {' '.join(junk)[:40]!r}"))
    for key, word in tokens:
        if key in fields:
            problems.append((key, f"repeats {key}"))
            continue
        fields[sys.intern(key)] = value = parse_value(tag, key, word)
        wanted, fits = KINDS[kind_of(tag, key)]
        if not fits(value):
            problems.append((key, f"has {key}={word[:40]}, which is not {wanted}"))
    return fields, problems
