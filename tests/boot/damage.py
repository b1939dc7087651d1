"""Ways to damage a serial log, each of which tells what it left alone.

A log is a list of lines, bytes with their ends. A Damaged has the bytes of a log with something
wrong in it, and the numbers of the lines all bytes of which are still there, next to each other.
"""

from dataclasses import dataclass

FIRMWARE = [
    b"SeaBIOS (version 1.16.2-debian-1.16.2-1)",
    b"iPXE (http://ipxe.org) 00:03.0 CA00 PCI2.10 PnP PMM+07FC9D60+07F09D60 CA00",
    b"Booting from DVD/CD...",
    b"\x1b[2J\x1b[01;01H\x1b[=3h\x1b[2J\x1b[01;01HGRUB loading.",
    b"\x1b[0m\x1b[37m\x1b[40m  Booting `tandem'\x1b[K",
    b"\x1b)0\x1b7\x1b[?25l\x1b[24;1H\x1b8",
    b"error: no such device: tandem.",
]


@dataclass
class Damaged:
    """A damaged log."""

    what: str
    data: bytes
    left: list      # numbers of the lines that are whole, from 0


def pick(chance, count):
    """Bytes that are not ends of lines, nor begin an escape sequence, whose end nobody knows."""
    return bytes(chance.choice([n for n in range(256) if n not in b"\r\n\x1b"])
                 for _ in range(count))


def change(what, lines, start, stop, instead=b""):
    """The log with the bytes from start to before stop replaced."""
    data = b"".join(lines)
    left, begin = [], 0
    for number, line in enumerate(lines):
        if begin + len(line) <= start or begin >= stop:
            left.append(number)
        begin += len(line)
    return Damaged(f"{what} at {start}-{stop} {instead[:20]}",
                   data[:start] + instead + data[stop:], left)


def cut_off(lines):
    """Truncated at every byte."""
    size = sum(map(len, lines))
    for length in range(1, size):
        yield change("cut off", lines, length, size)


def cut_begin(lines):
    """The begin is missing, up to every byte. A line that follows a whole one is whole."""
    for length in range(1, sum(map(len, lines))):
        yield change("begin missing", lines, 0, length)


def lost_bytes(lines, chance, count):
    size = sum(map(len, lines))
    for _ in range(count):
        start = chance.randrange(size - 1)
        yield change("lost bytes", lines, start,
                     min(size, start + 1 + int(chance.expovariate(0.05))))


def changed_bytes(lines, chance, count):
    """One byte became another, any of 256."""
    data = b"".join(lines)
    for _ in range(count):
        place = chance.randrange(len(data))
        other = bytes([data[place] ^ chance.randrange(1, 256)])
        yield change("changed byte", lines, place, place + 1, other)


def inserted_bytes(lines, chance, count):
    for _ in range(count):
        place = chance.randrange(sum(map(len, lines)))
        yield change("inserted", lines, place, place, pick(chance, chance.randrange(1, 9)))


def joined_lines(lines):
    """Two lines on one, for all neighbours."""
    end = 0
    for number, line in enumerate(lines[:-1]):
        end += len(line)
        yield change(f"line {number} joined", lines, end - len(line) + len(line.rstrip()), end)


def lost_lines(lines):
    """Each line is missing, with its end."""
    for number in range(len(lines)):
        rest = [other for other in range(len(lines)) if other != number]
        yield Damaged(f"lost line {number}", b"".join(lines[n] for n in rest), rest)


def repeated_lines(lines):
    """Each line is there twice; the second time is no line of the log."""
    for number, line in enumerate(lines):
        yield Damaged(f"repeated line {number}",
                      b"".join(lines[:number + 1] + [line] + lines[number + 1:]),
                      list(range(len(lines))))


def interleaved(lines, chance, count):
    """What firmware prints comes between lines, or in one."""
    size = sum(map(len, lines))
    for _ in range(count):
        text = b"\r\n".join(chance.sample(FIRMWARE, 3))
        if chance.random() < 0.5:
            text += b"\r\n"
        place = chance.randrange(size)
        yield change("firmware", lines, place, place, text)


def random_damage(lines, chance, count):
    """One of them, count times."""
    for kind in (lost_bytes, changed_bytes, inserted_bytes, interleaved):
        yield from kind(lines, chance, count)
