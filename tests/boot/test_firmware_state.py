"""Machines as odd firmware hands them over, arranged by GRUB before it starts the kernel.

What these commands do was seen with a probe: an APIC switched off, low memory cut away.
"""

import os

import pytest

from emulator import iso
from target import BUILD, IMAGE

# IA32_APIC_BASE at its usual address, for the boot CPU, without the global enable bit. QEMU's APIC
# cannot be enabled again, as on the first processors that had one.
APIC_OFF = "insmod wrmsr\nwrmsr 0x1b 0xfee00100\n"
# RAM is left below 0x8000 and from 0x9e000 on only, under 1 MiB.
LITTLE_LOW_MEMORY = "insmod mmap\ncutmem 0x8000 0x9e000\n"


@pytest.fixture(name="boot_after")
def fixture_boot_after(boot):
    """boot_after(name, GRUB commands) -> Log"""
    def boot_after(name, commands, args="run=none", **machine):
        path = os.path.join(BUILD, f"firmware-{name}.iso")
        start = f"multiboot2 /boot/tandem.elf {args} end=exit\nboot\n"
        iso.make_iso(IMAGE, path, iso.TERMINALS + commands + start, bios_only=True)
        return boot(args, cdrom=path, limit_s=120, **machine)
    return boot_after


def test_p02_apic_that_stays_off_means_one_cpu_and_the_pit(boot_after):
    log = boot_after("apic-off", APIC_OFF, args="run=same_cpu blocks=5 rounds=1", smp=(1, 2, 2))
    assert log.outcome.passed
    assert len(log.of("cpu", state="online")) == 1
    assert {cpu["state"] for cpu in log.of("cpu")} == {"online", "skipped"}
    assert log.of("warning", where="lapic")
    assert log.of("task", ok=1)


def test_m03_trampoline_finds_room_in_little_low_memory(boot_after):
    log = boot_after("low-memory", LITTLE_LOW_MEMORY, smp=(1, 2, 2))
    assert log.outcome.passed
    assert len(log.of("cpu", state="online")) == 4
    memory = log.one("memory")
    assert 0x1000 <= memory["trampoline"] < 0x8000 or 0x9e000 <= memory["trampoline"] < 0x9f000
