"""The sentences that tools/report chooses: one case for each. No boot here."""

import pytest

from report_logs import END, MACHINE, result, task
from tandem_log import Log
from reporting.findings import findings
from reporting.results import BootResults

NEVER = "never put two tasks on one core while another was idle."
LITTLE = "share a core, with another core idle, for less than 1 % of their running time."
SAME = "always took about the same, 1.00 times its time alone."


def sentences(text):
    return [found.words for found in findings(BootResults(Log.parse(MACHINE + text + END).boots[0]))]


def shared(experiment, sched, parts, ratios, percent):
    """Tasks of 100 ms that shared their core for such parts of it, and the result."""
    return "".join(task(experiment, sched, 100000).replace("shared_us=0", f"shared_us={part}")
                   for part in parts) + \
        result(experiment, sched, ratios).replace("shared_percent=37", f"shared_percent={percent}")


def fill(sched, tasks, at_once, batches):
    return result("fill", sched, (at_once, at_once, at_once),
                  more=f" ratio_batches={batches:.2f}").replace("tasks=2 ", f"tasks={tasks} ")


@pytest.mark.parametrize("parts, percent, ending", [
    ((0, 0), 0, NEVER),
    ((0, 300), 0, LITTLE),
    ((42000, 42000), 42, "share a core, with another core idle, for 42 % of their running time."),
])
def test_never_means_never(parts, percent, ending):
    found, = sentences(shared("pair", "smt", parts, (1, 1, 1), percent))
    assert found.endswith(ending)


@pytest.mark.parametrize("parts, high, ending", [
    ((0, 300), 1.14, SAME),
    ((100000, 99000), 1.14, SAME),
    ((0, 100000, 99000), 1.14, "was lucky or not: 1 had a core of their own, 2 had to share one; "
                               "they took from 1.00 to 1.14 times their time alone."),
    ((0, 300), 1.50, "took anything from 1.00 to 1.50 times its time alone."),
])
def test_luck_is_where_tasks_were_placed(parts, high, ending):
    found, = sentences(shared("peg", "naive", parts, (1, 1, high), 50))
    assert found.endswith(ending)


@pytest.mark.parametrize("at_once, ending", [
    (1.5, "second threads are worth having. Keep all CPUs busy, cores first."),
    (2.0, "here second threads bring nothing."),
    (2.4, "here second threads do harm."),
])
def test_second_threads_help_or_do_nothing_or_harm(at_once, ending):
    found, = sentences(fill("smt", 4, at_once, 2.0))
    assert found.endswith("2.00 in batches of one a core: " + ending)


def test_only_policies_that_use_all_cpus_speak_for_second_threads():
    alone = result("siblings", "nosmt", (1, 1, 2)) + fill("nosmt", 4, 2.0, 2.0)
    assert sentences(alone) == []
    found = sentences(alone + result("siblings", "naive", (1.5, 1.5, 1.5)) +
                      fill("naive", 4, 1.5, 2.0))
    assert len(found) == 2
    assert "1.50 times its time alone" in found[0] and found[1].startswith("4 tasks took 1.50")


def test_fewer_tasks_than_cpus_say_nothing_of_second_threads():
    assert sentences(fill("smt", 3, 1.33, 2.0)) == []
