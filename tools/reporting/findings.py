"""Sentences about what was measured, chosen by the measured values.

A finding that rests on a time which means nothing says so itself, wherever it is shown.
"""

from dataclasses import dataclass

from .results import number, text

LITTLE_GAIN = 1.05   # less is within what the measurements themselves differ
APART = 0.15         # ratios further apart than this are two kinds of luck
ALONE = 0.1          # a task that shared its core for less of its time had one of its own
SHARING = 0.5        # and for more than this, had to share one
USE_ALL_CPUS = ("smt", "naive")   # the policies that do, the one that places best first


@dataclass(frozen=True)
class Finding:
    words: str
    reliable: bool


def count(amount, one):
    """`1 core`, `2 cores`."""
    return f"{amount:g} {one}" if amount == 1 else f"{amount:g} {one}s"


def shares(result):
    """Of each task of a result that has run, what part of its running time it shared its core."""
    times = [(number(task, "shared_us"), number(task, "run_us")) for task in result.tasks]
    return [shared_us / run_us for shared_us, run_us in times if run_us and shared_us is not None]


def find_placement(boot):
    """Two tasks and room for both: did each policy see it?"""
    found = []
    for sched in boot.policies:
        pair = boot.find("pair", sched)
        shared = pair.value("shared_percent") if pair else None
        if shared is None or boot.shape is None or boot.shape[1] < 2:
            continue
        if shared == 0 and any(shares(pair)):
            words = f"{sched} had two tasks share a core, with another core idle, for less than " \
                    "1 % of their running time."
        elif shared == 0:
            words = f"{sched} never put two tasks on one core while another was idle."
        else:
            words = f"{sched} had two tasks share a core, with another core idle, for " \
                    f"{shared:g} % of their running time."
        found.append(Finding(words, pair.reliable))
    return found


def find_luck(boot):
    """Beside a hog: is it always the same?"""
    found = []
    for sched in boot.policies:
        peg = boot.find("peg", sched)
        low, high = (peg.value("ratio_min"), peg.value("ratio_max")) if peg else (None, None)
        if low is None or high is None:
            continue
        parts = shares(peg)
        alone, sharing = sum(part <= ALONE for part in parts), sum(part > SHARING for part in parts)
        if alone and sharing:
            words = f"Beside a task that never ends, a new task under {sched} was lucky or not: " \
                    f"{alone} had a core of their own, {sharing} had to share one; they took " \
                    f"from {low:.2f} to {high:.2f} times their time alone."
        elif high >= low + APART:
            words = f"Beside a task that never ends, a new task under {sched} took anything from " \
                    f"{low:.2f} to {high:.2f} times its time alone."
        else:
            median = peg.median or high
            words = f"Beside a task that never ends, a new task under {sched} always took about " \
                    f"the same, {median:.2f} times its time alone."
        found.append(Finding(words, peg.reliable))
    return found


def first_of(boot, experiment):
    """The result that speaks for the machine, or None.

    What the other policies measured says nothing of second threads, which they leave empty.
    """
    for sched in USE_ALL_CPUS:
        result = boot.find(experiment, sched)
        if result and result.median:
            return result
    return None


def find_price(boot):
    """What a busy sibling costs, against waiting for one's turn."""
    siblings, same_cpu = first_of(boot, "siblings"), first_of(boot, "same_cpu")
    if siblings is None:
        return []
    words = f"Sharing a core costs a task {siblings.median:.2f} times its time alone"
    reliable = siblings.reliable
    turns = same_cpu.value("ratio_max") if same_cpu else None
    if turns is not None:
        words += f"; taking turns on one CPU costs the later one {turns:.2f} times"
        reliable = reliable and same_cpu.reliable
    return [Finding(words + ".", reliable)]


def find_gain(boot):
    """Is a second thread worth having?"""
    fill = first_of(boot, "fill")
    batches = fill.value("ratio_batches") if fill else None
    tasks = (fill.value("tasks") or 0) if fill else 0
    if not batches or boot.shape is None or boot.shape[0] == boot.shape[1] or \
            tasks < boot.shape[0]:
        return []
    words = f"{count(tasks, 'task')} took {fill.median:.2f} times the time of " \
            f"one alone when all ran at once, and {batches:.2f} in batches of one a core: "
    if fill.median * LITTLE_GAIN < batches:
        words += "second threads are worth having. Keep all CPUs busy, cores first."
    elif batches * LITTLE_GAIN < fill.median:
        words += "here second threads do harm."
    else:
        words += "here second threads bring nothing."
    return [Finding(words, fill.reliable)]


def find_capacity(boot):
    """What all logical CPUs together are worth."""
    record = boot.last("capacity")
    logical, cores, measured = (number(record, key) for key in ("logical", "cores", "measured"))
    if not logical or not cores or measured is None:
        return []
    words = f"All CPUs together ({count(logical, 'logical CPU')} on {count(cores, 'core')}) are " \
            f"worth {measured:.2f} CPUs that have a core to themselves."
    return [Finding(words, number(record, "reliable") == 1)]


def findings(boot):
    """All that can be said about a boot, the most important first."""
    return [*find_placement(boot), *find_luck(boot), *find_price(boot), *find_gain(boot),
            *find_capacity(boot)]


def ending(boot):
    """(whether the run went well, how it ended in words)."""
    record, panic = boot.last("end"), boot.last("panic")
    if panic is not None:
        return False, f"The kernel panicked: {text(panic, 'what', 'it does not say why')}."
    if record is None:
        return False, "The log breaks off: it has no `end:` line. What follows is what came " \
                      "before that."
    if text(record, "status") == "ok":
        return True, "The run ended well."
    return False, f"The run failed (code {text(record, 'code', 'unknown')})."


def trouble(boot):
    """Records of what went wrong, the worst first."""
    return [record for tag in ("panic", "error", "fault", "warning", "skip")
            for record in boot.of(tag)]


def bad_tasks(boot):
    """Tasks that did not end well, of all rounds."""
    return [task for task in boot.of("task") if number(task, "ok") == 0]
