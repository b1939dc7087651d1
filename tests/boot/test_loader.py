"""Booted by GRUB, by both of its protocols, as from a CD on a BIOS machine; and by QEMU alone."""

import os
import subprocess

import pytest

from tandem_log import Log
from target import BUILD, IMAGE, TOOLS

ARGS = "run=none seed=7"


@pytest.fixture(name="iso", scope="module", params=[1, 2], ids=["multiboot1", "multiboot2"])
def fixture_iso(request):
    """An image as tools/make-iso makes it, without the parts for UEFI."""
    path = os.path.join(BUILD, f"loader-{request.param}.iso")
    subprocess.run(
        [os.path.join(TOOLS, "make-iso"), IMAGE, path, "--bios-only", "--menu", "0",
         "--protocol", str(request.param), "--args", f"{ARGS} end=exit"],
        check=True, timeout=120)
    return request.param, path


def test_grub_boots_it(boot, iso):
    protocol, path = iso
    log = boot(ARGS, cdrom=path, limit_s=120)
    assert log.outcome.passed
    assert log.one("boot")["protocol"] == f"multiboot{protocol}"
    assert log.one("boot")["loader"].startswith("GRUB")


def test_command_line_arrives_whole(boot, iso):
    log = boot(ARGS, cdrom=iso[1], limit_s=120)
    assert log.one("boot")["cmdline"] == f"{ARGS} end=exit"
    assert log.of("warning") == []


def test_what_grub_prints_is_no_fault_of_the_log(boot, iso):
    log = boot(ARGS, cdrom=iso[1], limit_s=120)
    assert [str(fault) for fault in log.faults] == []
    assert len(log.boots) == 1


def test_qemu_boots_it_by_the_documented_command():
    done = subprocess.run(
        ["qemu-system-i386", "-kernel", IMAGE, "-append", f"{ARGS} end=exit", "-serial", "stdio",
         "-display", "none", "-device", "isa-debug-exit,iobase=0xf4,iosize=4"],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert done.returncode == 33
    log = Log.parse(done.stdout)
    assert log.ok and log.one("boot")["protocol"] == "multiboot1"


def test_all_cpus_start(boot, iso):
    log = boot(ARGS, cdrom=iso[1], limit_s=120)
    assert len(log.of("cpu", state="online")) == 4
