"""The few words of QEMU's machine protocol (QMP) that are needed here."""

import json
import socket

ANSWER_LIMIT_S = 30


class QmpError(Exception):
    """QEMU ended, or refused a command."""


class Qmp:
    """One QMP connection over a socket pair: `fileno` goes to QEMU, the rest stays here.

    A socket pair needs no name in the file system, no waiting for it to appear, and nobody else
    can connect to it.
    """

    def __init__(self):
        self.ours, self.theirs = socket.socketpair()
        self.ours.settimeout(ANSWER_LIMIT_S)
        self.lines = self.ours.makefile("rb")

    @property
    def fileno(self):
        return self.theirs.fileno()

    def connect(self):
        """After QEMU was started: close its end here, read the greeting, enter command mode."""
        self.theirs.close()
        self._read("QMP")
        self.command("qmp_capabilities")

    def _read(self, key):
        while True:
            try:
                line = self.lines.readline()
            except OSError as error:
                raise QmpError(f"QEMU does not answer: {error}") from error
            if not line:
                raise QmpError("QEMU ended before the machine was started")
            message = json.loads(line)
            if "error" in message:
                raise QmpError(message["error"].get("desc", "error"))
            if key in message:
                return message[key]

    def command(self, name, **arguments):
        request = {"execute": name, "arguments": arguments}
        try:
            self.ours.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise QmpError("QEMU ended before the machine was started") from error
        return self._read("return")

    def close(self):
        self.theirs.close()
        self.lines.close()
        self.ours.close()
