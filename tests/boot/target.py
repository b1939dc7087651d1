"""What the boot tests run on.

A target boots an image with a kernel command line and gives back the log. The tests know no more
than that, so that boards with a serial cable and a power switch can take the emulators' place:
write a class with `boot` and enter it in TARGETS. A target that cannot be the machine which a
test asks for raises CannotBoot, and the test counts as skipped.

TANDEM_TARGET chooses the target, TANDEM_IMAGE the image.
"""

import os
import sys
from dataclasses import dataclass

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOOLS = os.path.join(ROOT, "tools")
sys.path.insert(0, TOOLS)

from emulator import bochs, command_line, process, qemu  # noqa: E402
from tandem_log import Log  # noqa: E402

IMAGE = os.environ.get("TANDEM_IMAGE") or os.path.join(ROOT, "build", "tandem.elf")
BUILD = os.path.join(ROOT, "build", "test")


class CannotBoot(Exception):
    """This target cannot be the machine that is asked for."""


class BootTimeout(Exception):
    """The time limit passed: neither pass nor fail, the log says how far the boot came."""


@dataclass(frozen=True)
class Request:
    """One boot. Equal requests are booted once per test session."""

    args: str = "run=none"
    smp: tuple = (1, 2, 2)       # sockets, cores, threads
    cpu: str = ""                # model; empty: the emulator's default
    mem: str = "128M"
    emulator: str = "qemu"
    board: str = "pc"            # QEMU only, as are the next four
    online: int = 0              # CPUs present at start, 0: all
    serial: str = "stdio"
    cdrom: str = ""
    extra: tuple = ()
    until: str = ""              # end the boot once the log matches: for machines that halt
    limit_s: float = 60
    take: int = 1                # a second boot of the same machine has another number

    def __str__(self):
        smp = "x".join(str(n) for n in self.smp)
        return f"{self.emulator} {self.cpu or 'default'} {smp} {self.args[:60]}"


class Emulators:
    """QEMU and Bochs on this host."""

    def boot(self, request):
        """A process.Outcome. The command line gets `end=exit` unless the request has an end."""
        words = command_line.add_missing(command_line.split_words(request.args), ["end=exit"])
        follow = {"limit_s": request.limit_s, "until": request.until.encode() or None}
        if request.emulator == "bochs":
            machine = bochs.Machine(smp=request.smp, mem=request.mem, image=IMAGE,
                                    cpu=request.cpu or bochs.Machine.cpu)
            return bochs.boot(machine, words, iso_folder=os.path.join(BUILD, "bochs"), **follow)
        machine = qemu.Machine(
            smp=request.smp, cpu=request.cpu, mem=request.mem,
            board=request.board, online=request.online, serial=request.serial, image=IMAGE,
            cdrom=request.cdrom, extra=request.extra)
        return qemu.boot(machine, words, **follow)


TARGETS = {"emulators": Emulators}


def make_target():
    name = os.environ.get("TANDEM_TARGET", "emulators")
    if name not in TARGETS:
        raise LookupError(f"TANDEM_TARGET={name}: want one of {', '.join(TARGETS)}")
    return TARGETS[name]()


def boot(target, request):
    """Boots and returns the Log, with the Outcome as its `outcome`; BootTimeout if it hangs."""
    outcome = target.boot(request)
    if outcome.ending == process.TIMEOUT:
        tail = outcome.serial[-1500:].decode("ascii", "replace")
        raise BootTimeout(f"{request}: no end within {request.limit_s:g} s; the log ends:\n{tail}")
    log = Log.parse(outcome.serial)
    log.outcome = outcome
    return log
