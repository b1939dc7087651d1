"""One emulator as a child process: its serial output is followed live, under a time limit.

Only the child that was started here is ever ended, by its process id. It dies with its parent
(`setpriv --pdeathsig`), so that an ended test run leaves no emulator behind.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

# How a boot ended, as far as the host can tell.
EXITED = "exited"              # the emulator ended by itself
STOPPED = "stopped"            # the awaited text was seen, and the emulator was ended here
TIMEOUT = "timeout"            # the time limit passed, and the emulator was ended here
INTERRUPTED = "interrupted"    # ^C

END_OK = re.compile(rb"^end: status=ok\b", re.MULTILINE)

GRACE_S = 3    # between asking a child to end and making it
POLL_S = 0.05  # how often a serial log in a file is looked at


@dataclass
class Outcome:
    """What is left of one boot."""

    ending: str        # one of the constants above
    status: int        # exit status of the emulator, negative: ended by that signal
    serial: bytes      # all that the machine sent over its serial port
    messages: str      # what the emulator itself said
    seconds: float     # host time from start to end
    clean: bool = False  # it ended in the way in which the kernel reports success

    @property
    def passed(self):
        """The one test of success: the kernel said so, and the emulator ended accordingly."""
        return self.ending == EXITED and self.clean and bool(END_OK.search(self.serial))


class EmulatorError(Exception):
    """The emulator could not be started at all; the text says why and what to do."""


class PipeSerial:
    """Serial output that arrives on the child's standard output."""

    def __init__(self, process):
        self.process = process

    def read(self, wait_s):
        """Bytes that came within wait_s; empty when none came; None at the end."""
        ready, _, _ = select.select([self.process.stdout], [], [], wait_s)
        if not ready:
            return b""
        return os.read(self.process.stdout.fileno(), 65536) or None


class FileSerial:
    """Serial output that the child appends to a file. `tend` is called at every look at it."""

    def __init__(self, process, path, tend=lambda: None):
        self.process = process
        self.path = path
        self.tend = tend
        self.file = None

    def _more(self):
        if self.file is None and os.path.exists(self.path):
            self.file = open(self.path, "rb", buffering=0)
        return self.file.read() if self.file else b""

    def read(self, wait_s):
        """As PipeSerial.read. The wait for the child's end is what paces the look at the file."""
        self.tend()
        data = self._more()
        if data:
            return data
        try:
            self.process.wait(min(wait_s, POLL_S))
        except subprocess.TimeoutExpired:
            return b""
        data = self._more()
        if not data and self.file:
            self.file.close()
        return data or None


def start(argv, *, own_session=False, **popen_arguments):
    """Starts argv so that it ends with this program, and returns the process.

    own_session takes the terminal away from it (Bochs would draw on it).
    """
    for program in ("setpriv", argv[0]):
        if not shutil.which(program):
            raise EmulatorError(f"{program} is missing: run tools/setup")
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *argv],
                            start_new_session=own_session, **popen_arguments)


def end(process):
    """Ends the child: asks, waits, makes it (Bochs ignores SIGTERM while its machine is halted)."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        process.send_signal(sign)
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            continue
    return process.wait()


def message_file():
    """A nameless file for what an emulator says, read back by follow()."""
    return tempfile.TemporaryFile()


def follow(process, serial, messages, *, limit_s=None, until=None, sink=None):
    """Follows a started machine to its end and returns the Outcome.

    limit_s  host seconds after which it is ended; None: no limit
    until    regular expression (bytes): once the output holds it, the machine is ended
    sink     called with every piece of output as it arrives
    """
    started = time.monotonic()
    deadline = None if limit_s is None else started + limit_s
    pattern = re.compile(until, re.MULTILINE) if until else None
    output = bytearray()
    ending = EXITED
    try:
        while True:
            wait_s = 1.0 if deadline is None else min(1.0, deadline - time.monotonic())
            if wait_s <= 0:
                ending = TIMEOUT
                break
            data = serial.read(wait_s)
            if data is None:
                break
            output += data
            if sink and data:
                sink(data)
            if pattern and pattern.search(output):
                ending = STOPPED
                break
    except KeyboardInterrupt:
        ending = INTERRUPTED
    finally:
        # At the end of its output the child is about to exit: give it the time to.
        if ending == EXITED:
            try:
                process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                ending = TIMEOUT
        status = end(process)
    messages.seek(0)
    said = messages.read().decode("utf-8", "replace").strip()
    messages.close()
    return Outcome(ending, status, bytes(output), said, time.monotonic() - started)
