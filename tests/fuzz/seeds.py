#!/usr/bin/python3
"""Writes the inputs that a fuzz target starts from: seeds.py TARGET FOLDER.

They come from the collection of real and malformed tables where it is there (TANDEM_DATA, or
../shared/data beside the repository), and are made up here for what it does not hold.
"""

import glob
import itertools
import os
import re
import struct
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.environ.get("TANDEM_DATA") or os.path.join(ROOT, "..", "shared", "data")

# The leaves that the topology decoder reads, and CPUs enough to have siblings and strangers.
LEAVES = {0, 1, 4, 7, 0xB, 0x1A, 0x1F, 0x80000000, 0x80000001, 0x80000008, 0x8000001D,
          0x8000001E, 0x80000026}
DUMP_CPUS = 6
REGISTERS = re.compile(r"([0-9A-Fa-f]{8}) ([0-9A-Fa-f]{8}) ")

WORDS = """
    run=demo run=pair,siblings,peg sched=naive,smt,nosmt,core slice=10ms slice=100us rounds=10
    blocks=10000 tasks=3 smt_model=1.50 smt_model=off smt=off cpus=2 topology=1x2x2:far seed=42
    console=serial,screen,io:0x3f8,mmio:0xfe000000 baud=9600 trace=on end=exit module=core
    check=off inject=panic host_cpus=2 sharing=host_cpu bogus=1 "d e" x="a b" build/tandem.elf
    """.split()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def data_files(*pattern):
    return sorted(glob.glob(os.path.join(DATA, *pattern)))


def madt():
    return map(read, data_files("madt", "*.bin") + data_files("acpi-vectors", "*", "madt.bin"))


def link_tables(folder, bases):
    """Carries out QEMU's table loader commands: the files in one memory, pointers and sums right.

    `bases` says where each file goes. Documented in QEMU's "bios-linker-loader.c".
    """
    files = {"etc/acpi/tables": "t.bin", "etc/acpi/rsdp": "r.bin"}
    memory = {name: bytearray(read(os.path.join(folder, file))) for name, file in files.items()}

    def name_at(command, offset):
        return command[offset:offset + 56].split(b"\0")[0].decode()

    commands = read(os.path.join(folder, "l.bin"))
    for at in range(0, len(commands) - 127, 128):
        command = commands[at:at + 128]
        kind, name = struct.unpack_from("<I", command)[0], name_at(command, 4)
        if kind == 2:      # add the address of a file to a pointer
            offset, size = struct.unpack_from("<IB", command, 116)
            value = int.from_bytes(memory[name][offset:offset + size], "little")
            value += bases[name_at(command, 60)]
            memory[name][offset:offset + size] = value.to_bytes(size, "little")
        elif kind == 3:    # make a sum zero
            offset, start, length = struct.unpack_from("<III", command, 60)
            memory[name][offset] = 0
            memory[name][offset] = -sum(memory[name][start:start + length]) & 0xFF
    image = bytearray()
    for name, base in sorted(bases.items(), key=lambda item: item[1]):
        image += bytes(base - len(image)) + memory[name]
    return bytes(image)


def acpi():
    for path in data_files("acpi-vectors", "*", "l.bin"):
        yield link_tables(os.path.dirname(path), {"etc/acpi/rsdp": 0, "etc/acpi/tables": 64})


def shorten_dump(text):
    """The leaves that matter, of the first CPUs."""
    cpus = 0
    for line in text.splitlines():
        register = REGISTERS.match(line)
        if line.startswith("cpu "):
            cpus += 1
            if cpus > DUMP_CPUS:
                return
            yield line
        elif register and int(register[1], 16) in LEAVES and int(register[2], 16) < 4:
            yield line


def topology():
    paths = data_files("cpuid", "*.txt") + data_files("cpuid-odd", "*.txt")
    for path in paths:
        with open(path, encoding="latin-1") as file:
            yield "\n".join(shorten_dump(file.read())).encode("latin-1") + b"\n\0"


def bootinfo():
    """A block of each protocol at address 8, behind the bytes that choose it."""
    text, mmap, at = b"tandem run=none\0", b"", 8 + 116
    for base, length, kind in ((0, 0x9FC00, 1), (0x100000, 0x7EE0000, 1), (0xFFFC0000, 0x40000, 2)):
        mmap += struct.pack("<IQQI", 20, base, length, kind)
    fields = [0] * 29
    fields[0], fields[1], fields[2] = 0x244 | 1, 640, 0x7EE00          # flags, sizes
    fields[4] = at                                                     # command line
    fields[11], fields[12] = len(mmap), at + len(text)
    fields[16] = at                                                    # loader name
    yield struct.pack("<I2H", 0, 0x9FC0, 639) + struct.pack("<29I", *fields) + text + mmap

    def tag(kind, body):
        size = 8 + len(body)
        return struct.pack("<II", kind, size) + body + bytes(-size % 8)

    entries = b"".join(struct.pack("<QQII", base, length, kind, 0)
                       for base, length, kind in ((0, 0x9FC00, 1), (0x100000, 0x7EE0000, 1)))
    tags = (tag(1, text) + tag(2, b"GRUB\0") + tag(6, struct.pack("<II", 24, 0) + entries)
            + tag(8, struct.pack("<QIIIBBH", 0xFD000000, 3200, 800, 600, 32, 1, 0) + bytes(6))
            + tag(14, b"RSD PTR \0TANDEM\0" + bytes(4)) + tag(0, b""))
    yield struct.pack("<I2H", 1, 0x9FC0, 639) + struct.pack("<II", 8 + len(tags), 0) + tags


def options():
    for word in WORDS:
        yield word.encode()
    yield " ".join(WORDS).encode()


def main(target, folder):
    makers = {maker.__name__: maker for maker in (madt, acpi, topology, bootinfo, options)}
    os.makedirs(folder, exist_ok=True)
    for number, seed in zip(itertools.count(), makers[target]()):
        with open(os.path.join(folder, f"{number:04}"), "wb") as file:
            file.write(seed)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
