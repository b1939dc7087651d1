"""Booting a machine in Bochs: exact in virtual time, byte for byte the same on every run.

Nothing that depends on the host may therefore reach the machine: neither the real time nor what
plays a core.
"""

import hashlib
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass

from . import iso, process
from .command_line import join_words

BINARY = "bochs"
IPS = 50_000_000           # instructions per virtual second and CPU: sets TSC and timer rates
START_TIME = 1_000_000_000  # of the real-time clock, seconds since 1970
SHUTDOWN = "shutdown requested"  # logged when the kernel ends the machine by port 0x8900

CONFIG = """\
display_library: term
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
cpu: model={cpu}, count={sockets}:{cores}:{threads}, ips={ips}, reset_on_triple_fault=0
clock: sync=none, time0={start_time}
megs: {megs}
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path={image}, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev={serial}
port_e9_hack: enabled=1
log: {log}
panic: action=fatal
error: action=report
info: action=report
debug: action=ignore
mouse: enabled=0
speaker: enabled=0
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
"""


@dataclass(frozen=True)
class Machine:
    """A machine to boot on; smp as in qemu.Machine."""

    smp: tuple = (1, 2, 2)
    cpu: str = "atom_n270"
    mem: str = "128M"
    image: str = ""


class Screen:
    """Throws away what Bochs draws.

    Its text display draws on a pseudo-terminal that it opens itself and names in its messages.
    Somebody has to read from there: once the terminal's buffer is full, Bochs stands still.
    """

    NAME = re.compile(rb'connected to screen "([^"]+)"')

    def __init__(self, message_path):
        self.message_path = message_path
        self.terminal = None

    def drain(self):
        if self.terminal is None:
            with open(self.message_path, "rb") as file:
                match = self.NAME.search(file.read())
            if not match:
                return
            self.terminal = os.open(match[1], os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:   # nothing there for now, or Bochs has ended
            pass

    def close(self):
        if self.terminal is not None:
            os.close(self.terminal)


def topology_word(smp):
    """Bochs's CPUID is wrong for many counts, so the kernel is told what the machine is."""
    return "topology=" + "x".join(str(number) for number in smp)


def cached_iso(kernel, words, folder):
    """An image for this kernel and command line, kept under a name made of both."""
    config = iso.grub_config(join_words(words), terminals=False)
    try:
        with open(kernel, "rb") as file:
            key = hashlib.sha256(file.read() + config.encode()).hexdigest()[:16]
    except FileNotFoundError as error:
        raise process.EmulatorError(f"{kernel} is missing: run make") from error
    path = os.path.join(folder, f"{key}.iso")
    if not os.path.exists(path):
        iso.make_iso(kernel, path, config, bios_only=True)
    return path


def megabytes(mem):
    """MEM as Bochs takes it: whole megabytes, without a unit."""
    match = re.fullmatch(r"(\d+)([MG]?)", mem)
    if not match:
        raise process.EmulatorError(f"MEM={mem}: want a number with M or G")
    return int(match[1]) * (1024 if match[2] == "G" else 1)


def boot(machine, append=(), *, iso_folder, **follow_arguments):
    """Boots from a GRUB image and returns an Outcome (process.follow has the arguments)."""
    sockets, cores, threads = machine.smp
    image = cached_iso(machine.image, append, iso_folder)
    with tempfile.TemporaryDirectory(prefix="bochs-") as folder:
        def path(name):
            return os.path.join(folder, name)

        config = CONFIG.format(
            cpu=machine.cpu, sockets=sockets, cores=cores, threads=threads, ips=IPS,
            start_time=START_TIME, megs=megabytes(machine.mem), image=os.path.abspath(image),
            serial=path("serial"), log=path("log"),
        )
        with open(path("bochsrc"), "w", encoding="utf-8") as file:
            file.write(config)
        # Debian's Bochs has the debugger built in: "c" makes it continue.
        with open(path("debugger"), "w", encoding="ascii") as file:
            file.write("c\n")
        with open(path("messages"), "wb") as messages:
            child = process.start(
                [BINARY, "-q", "-f", path("bochsrc"), "-rc", path("debugger")],
                own_session=True, cwd=folder, env={**os.environ, "TERM": "xterm"},
                stdin=subprocess.DEVNULL, stdout=messages, stderr=messages,
            )
        screen = Screen(path("messages"))
        try:
            serial = process.FileSerial(child, path("serial"), tend=screen.drain)
            outcome = process.follow(child, serial, open(path("log"), "a+b"), **follow_arguments)
        finally:
            process.end(child)
            screen.close()
    outcome.clean = SHUTDOWN in outcome.messages
    # At its end Bochs logs the registers of every CPU; its own troubles are what is of use.
    outcome.messages = "\n".join(line for line in outcome.messages.splitlines()
                                 if ">>PANIC<<" in line)
    return outcome
