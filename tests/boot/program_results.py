"""What the programs of user/ must return, computed anew: nothing here comes from their sources but the
definitions in their comments.

Each function takes a program's numbers and gives its 16 bytes of result in hexadecimal.
"""

import hashlib
import struct

MASK32 = 0xffffffff
MASK64 = 0xffffffffffffffff
LINES_PER_KIB = 16
GOLDEN = 0x9e3779b9


def rotate_left(value, bits, width=32):
    return (value << bits | value >> (width - bits)) & ((1 << width) - 1)


# ---- memory --------------------------------------------------------------------------------------


class Random:
    """SplitMix64, the high half of each number; draws below a bound by Lemire's method."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) & MASK64
        mixed = (self.state ^ self.state >> 30) * 0xbf58476d1ce4e5b9 & MASK64
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb & MASK64
        return (mixed ^ mixed >> 31) >> 32

    def below(self, bound):
        product = self.next() * bound
        while product & MASK32 < (1 << 32) % bound:
            product = self.next() * bound
        return product >> 32


def cycle(count, seed):
    """Sattolo's cyclic permutation: the next line of each."""
    random = Random(seed)
    links = list(range(count))
    for i in range(count - 1, 0, -1):
        other = random.below(i)
        links[i], links[other] = links[other], links[i]
    return links


def walk(links, steps):
    at = 0
    for _ in range(steps):
        at = links[at]
    return at


def chase_position(kib, steps, seed=1, two=False):
    count = kib * LINES_PER_KIB
    if not two:
        return walk(cycle(count, seed), count + steps)
    half = count // 2
    return (walk(cycle(half, seed), half + steps) + half +
            walk(cycle(half, ~seed & MASK32), half + steps))


# ---- MD5 -----------------------------------------------------------------------------------------


def mixed(kib, rounds):
    position = walk(cycle(kib * LINES_PER_KIB, 1), kib * LINES_PER_KIB + 16 * rounds)
    piece = bytes(i & 0xff for i in range(1024))
    return hashlib.md5(piece * rounds + struct.pack("<I", position)).hexdigest()


def pairmd5(blocks):
    block = bytes(i & 0xff for i in range(10000))
    digests = [hashlib.md5(b * blocks).digest() for b in (block, block[::-1])]
    return hashlib.md5(b"".join(digests)).hexdigest()


# ---- execution units -----------------------------------------------------------------------------


def int_streams(steps):
    streams = [GOLDEN * (i + 1) & MASK32 for i in range(4)]
    for _ in range(steps):
        streams = [(rotate_left(s * 0x2c1b3c6d & MASK32, 13) + 0x6b79f0e5) & MASK32
                   for s in streams]
    return streams


def int_(units):
    return struct.pack("<4I", *int_streams(units * 1000)).hex()


def job(units):
    return struct.pack("<4I", units, *int_streams(units * 500)[:3]).hex()


def signed(half):
    return half - 0x10000 if half & 0x8000 else half


def pmaddwd(a, b):
    return (signed(a & 0xffff) * signed(b & 0xffff) + signed(a >> 16) * signed(b >> 16)) & MASK32


def simd(units):
    sums = []
    for lane in range(4):
        total = 0
        for stream in range(4):
            x = GOLDEN * (stream * 4 + lane + 1) & MASK32
            for _ in range(units * 1000):
                x = ((rotate_left(x, 7) ^ pmaddwd(x, 0x5bd13c6d)) + 0x6b79f0e5) & MASK32
            total = rotate_left(total, 7) ^ x
        sums.append(total)
    return struct.pack("<4I", *sums).hex()


def rounded(significand, exponent):
    """significand * 2^exponent to 64 bits, to nearest, ties to even."""
    surplus = significand.bit_length() - 64
    if surplus <= 0:
        return significand << -surplus, exponent + surplus
    kept, rest, half = significand >> surplus, significand & ((1 << surplus) - 1), 1 << surplus - 1
    if rest > half or (rest == half and kept & 1):
        kept += 1
        if kept.bit_length() > 64:
            return kept >> 1, exponent + surplus + 1
    return kept, exponent + surplus


def times(a, b):
    return rounded(a[0] * b[0], a[1] + b[1])


def one_minus(x):
    return rounded((1 << -x[1]) - x[0], x[1])


def x87(units):
    factor = rounded(int(3.9990234375 * 1024), -10)
    bits = []
    for i in range(4):
        x = rounded(2 + i, -4)     # 0.125 + 0.0625 i
        for _ in range(units * 1000):
            x = times(times(factor, x), one_minus(x))
        bits.append((x[0] + x[1] + 63 + 0x3fff) & MASK64)   # and the biased exponent
    sums = [rotate_left(bits[i], 21, 64) ^ bits[i + 1] for i in (0, 2)]
    return struct.pack("<2Q", *sums).hex()
