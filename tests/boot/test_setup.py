"""tools/setup and tools/test: what can be tried without installing anything."""

import importlib.machinery
import importlib.util
import os
import subprocess

import pytest

from target import TOOLS

SETUP = os.path.join(TOOLS, "setup")


def setup(*options, path=os.environ["PATH"]):
    return subprocess.run(["/bin/sh", SETUP, *options], env={"PATH": path}, text=True,
                          capture_output=True, timeout=60, check=False)


def table():
    return [line.split() for line in setup("--list").stdout.splitlines() if line]


def test_table_has_a_probe_and_a_package_per_row():
    rows = table()
    assert len(rows) > 15
    assert all(len(row) == 2 for row in rows)


def test_nothing_to_do_where_all_is_there():
    """The boot tests run, so all is there."""
    done = setup()
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing to do" in done.stdout


def test_missing_programs_are_named(tmp_path):
    done = setup("--dry-run", path=str(tmp_path))
    assert done.returncode == 0
    for probe, package in table():
        if "/" not in probe:
            assert package in done.stdout.split()


def test_without_apt_it_says_what_is_missing_and_fails(tmp_path):
    done = setup(path=str(tmp_path))
    assert done.returncode == 1
    assert "qemu-system-x86" in done.stderr


@pytest.mark.parametrize("fails_at,calls", [
    ("", ["install"]),
    ("show", ["update", "install"]),
    ("install", ["install", "update", "install"]),
])
def test_apt_is_called_as_needed(tmp_path, fails_at, calls):
    """A fake apt, on a machine where every command is missing; it fails the first time."""
    log = tmp_path / "calls"
    for name in ("apt-get", "apt-cache", "env", "id"):
        (tmp_path / name).write_text(FAKE_APT.format(name=name, log=log, fails_at=fails_at))
        (tmp_path / name).chmod(0o755)
    done = setup(path=str(tmp_path))
    assert done.returncode == 1   # the fake installs nothing, and that is noticed
    called = log.read_text().split()
    assert [word for word in called if word in ("update", "install")] == calls


FAKE_APT = """#!/bin/sh
case {name} in
id) echo 0; exit ;;
env) shift; exec "$@" ;;
apt-cache) [ "{fails_at}" != show ]; exit ;;
esac
for word; do
    case $word in update | install) break ;; esac
done
echo "$word" >>{log}
if [ "$word" = "{fails_at}" ] && [ ! -e {log}.failed ]; then
    : >{log}.failed
    exit 100
fi
"""


def test_usage():
    assert setup("--nonsense").returncode == 2


def load_test_tool():
    path = os.path.join(TOOLS, "test")
    loader = importlib.machinery.SourceFileLoader("test_tool", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("test_tool", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("output,status,counts", [
    ("[  PASSED  ] 5 test(s).\n", 0, (5, 0, 0)),
    ("[  PASSED  ] 5 test(s).\n[  PASSED  ] 2 test(s).\n", 0, (7, 0, 0)),
    ("[  PASSED  ] 3 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] test_x\n", 0,
     (3, 0, 1)),
    ("[  PASSED  ] 3 test(s).\n[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] test_x\n", 2,
     (3, 2, 0)),
    ("[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n", -11, (1, 1, 0)),   # crashed in b
    ("[  PASSED  ] 5 test(s).\n", 1, (5, 1, 0)),                            # leak found at exit
    ("all well\n", 0, (1, 0, 0)),
    ("", 1, (0, 1, 0)),
])
def test_counting_of_host_tests(output, status, counts):
    count = load_test_tool().count_cmocka(output, status)
    assert (count.passed, count.failed, count.skipped) == counts


def test_a_missing_report_is_a_failure(tmp_path):
    assert load_test_tool().count_junit(str(tmp_path / "none.xml")).failed == 1
