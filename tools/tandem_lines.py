"""Cuts a serial log into lines, whatever is in it, in time and memory that its size bounds.

Part of tandem_log.py, which see. A line ends with LF, CR LF or a CR alone; text is ASCII and tabs,
and whatever else is in a line is noise.
"""

import re
from dataclasses import dataclass

CHUNK_BYTES = 1 << 20
# The kernel's longest line is shorter than this by far, so the rest of a longer one is not waited
# for: it is taken in parts.
LINE_LIMIT = 1 << 16
PART_OVERLAP = 100   # longer than the beginning of any record

LINE_END = re.compile(r"\r*\n|\r+")
LONE_CR = re.compile(r"\r(?![\r\n])")
# Those of one letter only as far as no record can begin with it.
ESCAPE = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][ -~]{0,64}\x07|[ -/]{1,8}[0-~]|"
                    r"[0-9<-Z])")
BAD_BYTES = re.compile(r"[^\t\r\n -~]+")
NOISE = re.compile(rf"{ESCAPE.pattern}|[^\t\r\n -~]")
# A line without any of these is no record, nor what damage has left of one.
CANDIDATE = re.compile(r"[^\r\n]{2}[:=]")

# Kinds of noise.
ESCAPES = "terminal escape sequences"
BYTES = "bytes that are not ASCII text"
LONE_CRS = "line ends without a line feed"
PARTS = "further parts of a line that is too long"


@dataclass
class Piece:
    """A line that may hold a record, or a block of lines that hold none."""

    first: int     # numbers of lines, from 1
    last: int
    single: bool   # a line, without its end
    raw: str
    text: str      # without noise
    noise: dict    # kind -> how often, those that are there

    def noise_places(self):
        """Where in the text noise was removed, in order."""
        places, removed = [], 0
        noisy = ESCAPES in self.noise or BYTES in self.noise
        for match in NOISE.finditer(self.raw) if noisy else ():
            places.append(match.start() - removed)
            removed += match.end() - match.start()
        return places


def read_chunks(file, last_start):
    """Texts of a binary file, of about CHUNK_BYTES each, cut at ends of lines.

    A line above LINE_LIMIT comes in parts, cut at last_start(text), the place of the last
    beginning of a record in a text or -1.
    """
    rest = ""
    while block := file.read(CHUNK_BYTES):
        text = rest + block.decode("latin-1")
        # A CR at the end may belong to the LF that comes next.
        cut = max(text.rfind("\n"), text.rfind("\r", 0, len(text.rstrip("\r")))) + 1
        if len(text) - cut > LINE_LIMIT:
            start = last_start(text)
            near = start > cut and len(text) - start <= LINE_LIMIT
            cut = start if near else len(text) - PART_OVERLAP
        yield text[:cut]
        rest = text[cut:]
    yield rest


def split_chunk(text):
    """Yields (text with line ends, whether it is one line that may be a record) of a chunk.

    All other lines come as blocks of many, so that garbage costs no time for each line of it.
    """
    position = 0
    while match := CANDIDATE.search(text, position):
        at = match.start()
        start = 1 + max(text.rfind("\n", position, at), text.rfind("\r", position, at),
                        position - 1)
        if start > position:
            yield text[position:start], False
        end = LINE_END.search(text, match.end())
        position = end.end() if end else len(text)
        yield text[start:position], True
    if position < len(text):
        yield text[position:], False


def count_ends(text):
    """How many lines end in a text."""
    return text.count("\n") + (len(LONE_CR.findall(text)) if "\r" in text else 0)


def split_lines(text):
    """The lines of a text, without their ends."""
    if "\r" in text:
        text = LINE_END.sub("\n", text)
    return text.removesuffix("\n").split("\n")


def clean(text):
    """(text without noise, {kind: how often})."""
    escapes, cleaned = [], text
    if "\x1b" in text:
        escapes = ESCAPE.findall(text)
        cleaned = ESCAPE.sub("", text)
    cleaned = BAD_BYTES.sub("", cleaned)
    noise = {ESCAPES: len(escapes), BYTES: len(text) - len(cleaned) - sum(map(len, escapes)),
             LONE_CRS: len(LONE_CR.findall(text)) if "\r" in text else 0}
    return cleaned, {kind: count for kind, count in noise.items() if count}


def read_pieces(file, last_start):
    """Yields a binary file as Pieces, in order. `last_start` as for read_chunks().

    The last one is followed by None if the file ends in the middle of a line.
    """
    number, in_line = 1, False
    for chunk in read_chunks(file, last_start):
        for raw, single in split_chunk(chunk):
            text, noise = clean(raw)
            if in_line:
                noise[PARTS] = 1
            in_line = not raw.endswith(("\n", "\r"))
            ends = 1 - in_line if single else count_ends(raw)
            yield Piece(number, number + ends - (not in_line), single, raw,
                        text.rstrip("\r\n") if single else text, noise)
            number += ends
    if in_line:
        yield None
