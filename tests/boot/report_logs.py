"""Serial logs with results, made up, and what tests look at in their pages."""

import xml.etree.ElementTree as ElementTree

from tandem_log import Log
from reporting import page

FIRST = "tandem: version=0.1 arch=i686 log_format=1\n"
MACHINE = FIRST + """\
boot: protocol=multiboot1 loader="qemu" platform=qemu cmdline="run=demo"
timer: tsc_hz=2600000000 tsc_invariant=0 reference=hpet error_ppm=1 tick=lapic slice_us=10000
cpu: cpu=0 apic_id=0x0 package=0 core=0 thread=0 type=uniform state=online reason=""
cpu: cpu=1 apic_id=0x1 package=0 core=0 thread=1 type=uniform state=online reason=""
cpu: cpu=2 apic_id=0x2 package=0 core=1 thread=0 type=uniform state=online reason=""
cpu: cpu=3 apic_id=0x3 package=0 core=1 thread=1 type=uniform state=online reason=""
core: core=0 package=0 cpus=0,1 shares=smt
core: core=1 package=0 cpus=2,3 shares=smt
topology: packages=1 cores=2 cpus=4 threads_per_core=2 shares=smt method=leaf_0b \
vendor="GenuineIntel" model_name="A $CPU <of> the & test"
"""
SUMMARY = "summary: experiments=1 tasks=1 failed=0 faults=0 warnings=0 lost=0\n"
END = SUMMARY + "end: status=ok code=0\n"
CONDITIONS = "slice_us=10000 smt_model=off blocks=200 platform=qemu host_cpus=2 sharing=host_cpu"
RELIABLE = "reliable=1"
BUSY = 'reliable=0 reason="the machine is <busy>"'


def task(experiment, sched, wall_us, number=1, more="", ok=1):
    return (f'task: experiment={experiment} sched={sched} round={number} task="md5 -t" pid=4 '
            f"cpus=0,2 wall_us={wall_us} run_us={wall_us} wait_us=0 shared_us=0 switches=1 "
            f"migrations=0 sibling_migrations=0 digest=52e5f9c9e6f656f3e1800dfa5579d089 ok={ok}"
            f"{more}\n")


def result(experiment, sched, ratios, trust=RELIABLE, more=""):
    low, median, high = ratios
    return (f"result: experiment={experiment} sched={sched} tasks=2 rounds=3 solo_us=1000 "
            f"min_us={1000 * low:.0f} median_us={1000 * median:.0f} max_us={1000 * high:.0f} "
            f"makespan_us={1000 * high:.0f} ratio_min={low:.2f} ratio_median={median:.2f} "
            f"ratio_max={high:.2f} shared_percent=37 failed=0 {CONDITIONS} {trust}{more}\n")


def measured(experiment, sched, times_us, trust=RELIABLE, more=""):
    """An experiment with its tasks, as the kernel prints it."""
    ratios = [sorted(times_us)[place] / 1000 for place in (0, (len(times_us) - 1) // 2, -1)]
    return (f"run: experiment={experiment} sched={sched} tasks=2 rounds=3 {CONDITIONS}\n"
            + "".join(task(experiment, sched, us, more=more) for us in times_us)
            + result(experiment, sched, ratios, trust, more))


DEMO = (MACHINE + measured("solo", "naive", [1000, 1001, 1002])
        + measured("pair", "naive", [1000, 1003, 1510, 1520])
        + measured("peg", "naive", [1000, 1003, 1510, 1520])
        + measured("pair", "smt", [1000, 1004, 1005], BUSY)
        + measured("peg", "smt", [1000, 1004, 1005], BUSY) + END)


def build(*texts):
    """The page of logs, parsed as XML; that it can be parsed is part of every test."""
    logs = [(f"log{number}", Log.parse(text)) for number, text in enumerate(texts)]
    html = page.build(logs)
    return html, ElementTree.fromstring(html)


def plain(element):
    return " ".join("".join(element.itertext()).split())


def rows(root):
    return [[plain(cell) for cell in row] for row in root.iter("tr")]


def drawings(root):
    """The labels of all drawings."""
    return [svg.get("aria-label") for svg in root.iter("svg")]
