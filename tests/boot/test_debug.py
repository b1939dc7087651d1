"""The kernel under GDB, as `make debug` has it: the helpers, and a panic that is made with it."""

import os
import re
import socket
import subprocess

import pytest

from tandem_log import Log
from target import IMAGE, TOOLS

SYMBOLS = os.path.splitext(IMAGE)[0] + ".debug.elf"
LIMIT_S = 60

# Stops where tasks are made: all CPUs are online then.
UNTIL_TASKS = ["tbreak *task_create", "continue"]
# Turns the call that is about to run into panic(name, name).
PANIC = [
    "set {int}($esp + 4) = (int)cpus[0].running->name",
    "set {int}($esp + 8) = (int)cpus[0].running->name",
    "set $pc = (int)panic",
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(name="debug")
def fixture_debug():
    """debug(GDB commands) -> (what GDB printed, the log, exit status of tools/run)."""
    if not os.path.exists(SYMBOLS):
        pytest.skip("the image has no symbols beside it")

    def debug(*commands):
        port = free_port()
        run = subprocess.Popen(
            [os.path.join(TOOLS, "run"), "--image", IMAGE, "--debug", "--gdb-port", str(port),
             "--args", "run=solo blocks=5 rounds=1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            for line in run.stderr:
                if b"gdb -x" in line:
                    break
            argv = ["gdb", "-batch", "-nx", "-x", os.path.join(TOOLS, "gdb-helpers"), SYMBOLS]
            for command in (f"target remote 127.0.0.1:{port}", *commands):
                argv += ["-ex", command]
            said = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S,
                                  check=False).stdout
            output, _ = run.communicate(timeout=LIMIT_S)
        finally:
            run.kill()   # nothing is left to do where it has ended
            run.wait()
        return said, Log.parse(output), run.returncode
    return debug


def test_helpers_show_cpus_and_tasks(debug):
    said, log, status = debug(*UNTIL_TASKS, "tandem-cpus", "tandem-tasks", "tandem-where",
                              "detach")
    rows = re.findall(r"^(\d)\s+0x(\d)\s+0\s+(\d)\s+(\d)\s+CPU_ONLINE", said, re.MULTILINE)
    assert rows == [("0", "0", "0", "0"), ("1", "1", "0", "1"), ("2", "2", "1", "0"),
                    ("3", "3", "1", "1")], said
    assert "runs on 0" in said
    assert "Thread 4" in said and "task_create" in said
    assert status == 0 and log.ok


def test_panic_says_where_and_fails(debug):
    said, log, status = debug(*UNTIL_TASKS, *PANIC, "continue")
    assert status == 1, said
    panic = log.one("panic")
    assert panic["where"] and panic["what"]
    assert log.records[-1].tag == "end" and log.records[-1]["status"] == "failed"
    assert sum("called from 0x" in line for line in log.text) >= 3, "no backtrace"
