"""`topology --self` on the machine that runs the tests, against what Linux says of it.

No boot here. On a machine whose CPUID is wrong, Linux may know better than both: it has a list of
quirks. So far none was met.
"""

import os
import re
import shutil
import subprocess

import pytest

from tandem_log import parse_fields
from target import ROOT
from test_topology import partition

TOOL = os.path.join(ROOT, "build", "host", "topology")
SYSFS = "/sys/devices/system/cpu"
NOBODY = 65534
CACHE_TYPES = {"Data": "data", "Instruction": "instruction", "Unified": "unified"}


def run(argv, **arguments):
    return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60,
                          **arguments).stdout


def records(text, tag):
    head = tag + ":"
    return [parse_fields(tag, line[len(head):])[0] for line in text.splitlines()
            if line.startswith(head)]


def sysfs(path):
    try:
        with open(os.path.join(SYSFS, path), encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        pytest.skip(f"no {path} in {SYSFS}")


def cpu_list(text):
    """The CPUs of "0-2,5" that this process may use, for --self sees no others."""
    numbers = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers & os.sched_getaffinity(0))


@pytest.fixture(name="cpus", scope="module")
def fixture_cpus():
    """Linux's numbers of the CPUs that --self decodes, in its order."""
    if not os.path.exists(TOOL):
        pytest.skip("build/host/topology is not built")
    if not os.path.exists("/proc/cpuinfo") or os.uname().machine not in ("x86_64", "i686"):
        pytest.skip("not a Linux on x86")
    return sorted(os.sched_getaffinity(0))


@pytest.fixture(name="output", scope="module")
def fixture_output(cpus):
    text = run([TOOL, "--self"])
    assert len(records(text, "cpu")) == len(cpus)
    return text


def groups(output, cpus, key):
    return partition((cpus[cpu["cpu"]], cpu[key]) for cpu in records(output, "cpu"))


@pytest.mark.parametrize("key,file", [("core", "thread_siblings_list"),
                                      ("package", "core_siblings_list")])
def test_self_agrees_with_sysfs(output, cpus, key, file):
    assert groups(output, cpus, key) == {cpu_list(sysfs(f"cpu{cpu}/topology/{file}"))
                                         for cpu in cpus}


def test_self_agrees_with_lscpu(output, cpus):
    if not shutil.which("lscpu"):
        pytest.skip("no lscpu")
    rows = [line.split(",") for line in run(["lscpu", "-p=CPU,CORE,SOCKET"]).splitlines()
            if not line.startswith("#")]
    rows = [row for row in rows if int(row[0]) in cpus]
    for index, key in ((1, "core"), (2, "package")):
        assert groups(output, cpus, key) == partition((int(row[0]), row[index]) for row in rows)


def test_self_agrees_with_sysfs_on_caches(output, cpus):
    wanted = set()
    for cpu in cpus:
        folder = os.path.join(SYSFS, f"cpu{cpu}", "cache")
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if re.fullmatch(r"index\d+", name):
                level, kind, size, shared = (
                    sysfs(f"cpu{cpu}/cache/{name}/{file}")
                    for file in ("level", "type", "size", "shared_cpu_list"))
                wanted.add((int(level), CACHE_TYPES[kind], int(size.rstrip("K")),
                            cpu_list(shared)))
    if not wanted:
        pytest.skip("Linux knows no caches here")
    assert wanted == {
        (cache["level"], cache["type"], cache["kib"],
         frozenset(cpus[number] for number in cpu_numbers(cache["cpus"])))
        for cache in records(output, "cache")}


def cpu_numbers(value):
    return value if isinstance(value, list) else [value]


def test_self_needs_no_root(output, tmp_path):
    """As nobody, from a copy, since nobody may not be able to look into this folder."""
    if os.geteuid() != 0:
        return   # the other tests have shown it
    tool = shutil.copy(TOOL, tmp_path)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            if not str(folder).startswith(str(tmp_path.parents[2])):
                pytest.skip(f"nobody cannot enter {folder}")
            folder.chmod(folder.stat().st_mode | 0o011)
    assert run([tool, "--self"], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/") == output


def test_self_is_the_same_every_time(output):
    assert run([TOOL, "--self"]) == output


def test_cpuid_r_is_read(output, cpus, tmp_path):
    """The dump of Debian's `cpuid` gives the same machine as looking at it."""
    if not shutil.which("cpuid"):
        pytest.skip("no cpuid(1)")
    dump = tmp_path / "dump.txt"
    dump.write_text(run(["cpuid", "-r"]), encoding="ascii")
    text = run([TOOL, str(dump)])
    if len(records(text, "cpu")) != len(cpus):
        pytest.skip("not all CPUs of this machine may be used")
    assert text.splitlines()[1:] == output.splitlines()[1:]
    assert not records(text, "warning")


def test_summary_is_one_line(output):
    topology = records(output, "topology")[0]
    assert run([TOOL, "--summary", "--self"]) == (
        "self packages={packages} cores={cores} cpus={cpus} method={method}\n".format(**topology))
