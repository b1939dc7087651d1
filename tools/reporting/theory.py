"""What docs/scheduling.md says a machine should measure, as multiples of one task alone.

C cores of two threads; a task whose sibling CPU is busy too takes s times as long.
"""

from math import ceil, comb


def rate(tasks, cores, slowdown):
    """Work done per time by that many tasks placed as well as possible, in tasks alone."""
    if tasks <= cores:
        return tasks
    if tasks <= 2 * cores:
        return (2 * cores - tasks) + 2 * (tasks - cores) / slowdown
    return 2 * cores / slowdown


def makespan(tasks, cores, slowdown):
    """When equal tasks started at once have all ended, at best."""
    return tasks / rate(tasks, cores, slowdown)


def chance_of_sharing(tasks, cores):
    """That blind placement of tasks on different CPUs puts two on one core."""
    if tasks > cores:
        return 1.0
    return 1 - comb(cores, tasks) * 2 ** tasks / comb(2 * cores, tasks)


def ideal(result, shape, slowdown):
    """The theory's figure for a result in words, empty where there is none."""
    if result.experiment in ("solo", "same_cpu"):
        return "1.00" if result.experiment == "solo" else "2.00"
    if shape is None or slowdown is None or shape[0] != 2 * shape[1]:
        return ""
    cores, shared = shape[1], f"{slowdown:.2f}"
    tasks = result.value("tasks") or 0
    if result.experiment == "siblings":
        return shared
    if result.experiment == "pause":
        return {"together": shared, "other_paused": "1.00", "resumed": "1.00"} \
            .get(result.part("variant"), "")
    if result.experiment == "oversub" and result.sched == "smt" and (result.value("j") or 0) > 0:
        return f"{tasks / rate(result.value('j'), cores, slowdown):.2f}"
    if result.experiment in ("pair", "peg") and cores >= 2:
        return f"1.00 or {shared}" if result.sched == "naive" else "1.00"
    if result.experiment == "fill" and tasks > 0 and \
            (result.sched == "smt" or (result.sched, tasks) == ("naive", 2 * cores)):
        return f"{makespan(tasks, cores, slowdown):.2f}"
    return ""


def ideal_batches(result, shape):
    """The same work in batches of one task a core, in words."""
    tasks = result.value("tasks")
    return f"{ceil(tasks / shape[1]):.2f}" if tasks and tasks > 0 and shape else ""
