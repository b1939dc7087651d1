"""Booting a machine in QEMU."""

import os
import subprocess
from dataclasses import dataclass, replace

from . import pinning, process
from .command_line import join_words
from .qmp import Qmp, QmpError

BINARY = "qemu-system-i386"
PASS_STATUS = 33      # what the kernel's write to isa-debug-exit makes of success
TCG_CPU = "Nehalem"   # a model with leaf 0xB, so that its topology leaves are right
# The host's own CPU with its caches, which `memory` and `migrate` fit their buffers to. That the
# counter keeps its rate is only promised to a guest that is not going to another host.
KVM_CPU = "host,migratable=off,+invtsc,host-cache-info=on"
GDB_HOST = "127.0.0.1"   # nobody else on the network gets at the machine
GDB_PORT = 1234


@dataclass(frozen=True)
class Machine:
    """A machine to boot on. Hashable, so that tests can remember boots by it."""

    smp: tuple = (1, 2, 2)      # sockets, cores, threads
    cpu: str = ""               # -cpu, with its properties; empty: cpu_option() knows one
    mem: str = "128M"
    accel: str = "tcg"
    board: str = "pc"           # -machine, with its options
    online: int = 0             # CPUs present at start; 0: all
    serial: str = "stdio"       # where COM1 goes; anything but stdio gives an empty log
    image: str = ""             # kernel for -kernel
    cdrom: str = ""             # or an ISO
    extra: tuple = ()           # further options of QEMU

    @property
    def cpus(self):
        sockets, cores, threads = self.smp
        return sockets * cores * threads


def cpu_option(machine):
    """-cpu for a machine. Under KVM also a model that the user named is asked for a time stamp
    counter that keeps its rate, unless he said something about it himself: without that promise no
    time is reliable. QEMU itself warns and goes on where the host cannot keep it."""
    if machine.accel != "kvm":
        return machine.cpu or TCG_CPU
    if not machine.cpu:
        return KVM_CPU
    return machine.cpu if "invtsc" in machine.cpu else machine.cpu + ",+invtsc"


def make_argv(machine, append, qmp_fd):
    """QEMU's command line for a machine that waits for QMP's `cont`."""
    sockets, cores, threads = machine.smp
    count = str(machine.cpus)
    if machine.online:
        count = f"{machine.online},maxcpus={machine.cpus}"
    argv = [
        BINARY, "-nodefaults", "-machine", machine.board, "-accel", machine.accel,
        "-cpu", cpu_option(machine), "-m", machine.mem,
        "-smp", f"{count},sockets={sockets},cores={cores},threads={threads}",
        "-display", "none", "-vga", "std", "-net", "none", "-no-reboot",
        "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
        "-serial", machine.serial,
        "-chardev", f"socket,id=qmp,fd={qmp_fd}", "-mon", "chardev=qmp,mode=control", "-S",
    ]
    if machine.cdrom:
        argv += ["-cdrom", machine.cdrom, "-boot", "d"]
    else:
        argv += ["-kernel", machine.image, "-append", join_words(append)]
    return argv + list(machine.extra)


def check(machine):
    """Says what a person can do about a machine that cannot be started."""
    for path in filter(None, (machine.cdrom or machine.image,)):
        if not os.path.exists(path):
            raise process.EmulatorError(f"{path} is missing: run make")
    if machine.accel == "kvm" and not os.access("/dev/kvm", os.R_OK | os.W_OK):
        raise process.EmulatorError("ACCEL=kvm: /dev/kvm is missing or not yours to use")


def boot(machine, append=(), *, plan=None, stdin=subprocess.DEVNULL, gdb_port=0, ready=None,
         watch=None, **follow_arguments):
    """Boots, follows to the end and returns an Outcome (process.follow has the arguments).

    append    words of the kernel command line
    plan      pinning.Plan; None: nothing is pinned
    gdb_port  leave the machine stopped, for a debugger at this port of GDB_HOST
    ready     called once the machine is about to run, or waits for the debugger
    watch     hostload.Watch, which is then given the machine's standard input
    """
    check(machine)
    plan = plan or pinning.Plan("none", 0)
    if gdb_port:
        gdb = ("-gdb", f"tcp:{GDB_HOST}:{gdb_port}")
        machine = replace(machine, extra=machine.extra + gdb)
    qmp = Qmp()
    messages = process.message_file()
    try:
        child = process.start(
            make_argv(machine, append, qmp.fileno), pass_fds=[qmp.fileno],
            stdin=subprocess.PIPE if watch else stdin, stdout=subprocess.PIPE, stderr=messages,
            bufsize=0,
        )
        try:
            qmp.connect()
            assignment = pinning.pin(plan, qmp.command("query-cpus-fast"))
            if watch:
                watch.begin(child.pid, assignment, child.stdin)
            if ready:
                ready()
            if not gdb_port:
                qmp.command("cont")
        except (QmpError, OSError, ValueError, KeyboardInterrupt) as error:
            process.end(child)
            messages.seek(0)
            said = messages.read().decode("utf-8", "replace").strip()
            raise process.EmulatorError(f"QEMU did not start: {said or error}") from error
        outcome = process.follow(child, process.PipeSerial(child), messages, **follow_arguments)
        child.stdout.close()
        if watch:
            child.stdin.close()
    finally:
        qmp.close()
    outcome.clean = outcome.status == PASS_STATUS
    return outcome
