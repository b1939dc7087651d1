"""Which CPU QEMU is asked for, with and without KVM."""

import subprocess

import pytest

from emulator import process, qemu
from emulator.qmp import Qmp
from target import IMAGE

HOST_CPU = "host,migratable=off,+invtsc,host-cache-info=on"


@pytest.mark.parametrize("accel,named,asked", [
    ("tcg", "", "Nehalem"),
    ("tcg", "n270", "n270"),
    ("kvm", "", HOST_CPU),
    ("kvm", "host", "host,+invtsc"),
    ("kvm", "Nehalem", "Nehalem,+invtsc"),
    ("kvm", "EPYC,-svm", "EPYC,-svm,+invtsc"),
    ("kvm", "Nehalem,-invtsc", "Nehalem,-invtsc"),   # whoever wants it otherwise gets it so
    ("kvm", "max,invtsc=on", "max,invtsc=on"),
])
def test_cpu(accel, named, asked):
    argv = qemu.make_argv(qemu.Machine(cpu=named, accel=accel), [], 3)
    assert argv[argv.index("-accel") + 1] == accel
    assert argv[argv.index("-cpu") + 1] == asked


def test_qemu_knows_the_properties():
    """That CPU cannot be booted without KVM, but this QEMU can be asked about it."""
    qmp = Qmp()
    child = process.start(qemu.make_argv(qemu.Machine(image=IMAGE), [], qmp.fileno),
                          pass_fds=[qmp.fileno], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL)
    try:
        qmp.connect()
        found = qmp.command("device-list-properties", typename="host-i386-cpu")
    finally:
        process.end(child)
        qmp.close()
    asked = {word.lstrip("+").partition("=")[0] for word in HOST_CPU.split(",")[1:]}
    assert asked <= {each["name"] for each in found if each["type"] == "bool"}
