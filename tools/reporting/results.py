"""What one boot measured: its results with the tasks behind them, and what they are worth.

Logs may be damaged, so nothing in a record is taken for granted: number() and text() give a value
of the wanted kind, or none.
"""

import math
from dataclasses import dataclass, field

# Which of several results of one experiment and policy this is. Any other text in a record that
# is no condition counts as well.
VARIANT_KEYS = ("variant", "first", "second", "placement", "jobs")
PLAIN_KEYS = ("first", "second", "placement")   # whose values say by themselves what they are
CONDITIONS = ("rounds", "slice_us", "smt_model", "blocks", "groups", "platform", "host_cpus",
              "sharing")
NOT_A_VARIANT = frozenset(CONDITIONS) | {"experiment", "sched", "reason", "topology"}
MOST = 1e15   # a number beyond is damage
MOST_CPUS = 4096          # as is a machine beyond
SLOWDOWNS = (1.0, 4.0)    # and a price of sharing a core outside of these


def number(record, key):
    """The number of a record's key; None where it is not there, or is no sensible number."""
    value = record.get(key) if record is not None else None
    if isinstance(value, (int, float)) and math.isfinite(value) and abs(value) < MOST:
        return value
    return None


def text(record, key, default=""):
    """The value of a key as text for people."""
    value = record.get(key) if record is not None else None
    if value is None or value == "":
        return default
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)


def variant_of(record):
    """((key, value), ...) that tells a result from others of its experiment and policy."""
    keys = [key for key in VARIANT_KEYS if key in record]
    keys += [key for key, value in record.fields.items()
             if isinstance(value, str) and key not in NOT_A_VARIANT and key not in keys]
    return tuple((key, text(record, key)) for key in keys)


@dataclass
class Result:
    """One experiment under one policy, in one variant."""

    experiment: str
    sched: str
    variant: tuple = ()
    record: object = None                       # the result record; None: it never came
    tasks: list = field(default_factory=list)   # task records of the measured rounds
    solo_us: float = None

    @property
    def reliable(self):
        return number(self.record, "reliable") == 1

    @property
    def reason(self):
        """Why the times mean nothing; empty where they mean something."""
        if self.reliable:
            return ""
        if self.record is None:
            return "the log has tasks of it, but no result"
        return text(self.record, "reason", "the log does not say why")

    @property
    def name(self):
        """Variant in words: `j4`, `md5 chase`, `slice_us 1000`; empty where there is but one."""
        if self.part("variant"):
            return self.part("variant")
        return " ".join(value if key in PLAIN_KEYS else f"{key} {value}"
                        for key, value in self.variant)

    @property
    def title(self):
        """Experiment and variant in words."""
        return f"{self.experiment} {self.name}".strip()

    def value(self, key):
        return number(self.record, key)

    @property
    def median(self):
        return self.value("ratio_median")

    def part(self, key):
        """The value of one key of the variant, empty where it has none."""
        return dict(self.variant).get(key, "")

    def samples(self, by_round=False):
        """{part: ratios to the time of one task alone}, of the tasks that ended well.

        by_round: of the longest task of each round.
        """
        found = {}
        for place, task in enumerate(self.tasks):
            wall_us = number(task, "wall_us")
            if self.solo_us and wall_us is not None and number(task, "ok") != 0:
                sample = number(task, "round") if by_round else place
                times = found.setdefault(text(task, "part"), {})
                times[sample] = max(wall_us / self.solo_us, times.get(sample, 0))
        return {part: list(times.values()) for part, times in found.items()}


def belongs(task, variant):
    """Whether nothing in a task contradicts the variant of a result."""
    return all(text(task, key, value) == value for key, value in variant) and \
        ("variant" not in task or "variant" in dict(variant))


class Collector:
    """Puts the task records of a boot to their results: a result closes the tasks before it."""

    def __init__(self):
        self.results = []
        self.pending = {}     # (experiment, sched) -> tasks
        self.disturbed = {}   # (experiment, sched) -> rounds in which something else ran, too

    def add(self, record):
        key = (text(record, "experiment"), text(record, "sched"))
        if record.tag not in ("run", "task", "round", "result") or not key[0]:
            return
        if record.tag == "run":
            self.give_up(key)
            self.disturbed.pop(key, None)
        elif record.tag == "round":
            if number(record, "clean") == 0:
                self.disturbed.setdefault(key, set()).add(number(record, "round"))
        elif record.tag == "task":
            if number(record, "round") != 0:   # the warm-up
                self.pending.setdefault(key, []).append(record)
        else:
            self.close(key, record)

    def close(self, key, record):
        variant = variant_of(record)
        tasks = self.pending.pop(key, [])
        others = [task for task in tasks if not belongs(task, variant)]
        if others:
            self.pending[key] = others
            tasks = [task for task in tasks if belongs(task, variant)]
        # The kernel calls a result reliable only if it did not use such rounds.
        if number(record, "reliable") == 1:
            tasks = [task for task in tasks
                     if number(task, "round") not in self.disturbed.get(key, ())]
        self.results.append(Result(*key, variant, record, tasks))

    def give_up(self, key):
        """No result comes for these tasks."""
        tasks = self.pending.pop(key, [])
        if tasks:
            self.results.append(Result(*key, (), None, tasks))

    def end(self):
        for key in list(self.pending):
            self.give_up(key)
        return self.results


def tell_apart(results):
    """Where results have the same name, adds the condition in which they differ, or a number."""
    groups = {}
    for result in results:
        groups.setdefault((result.experiment, result.sched, result.variant), []).append(result)
    for same in groups.values():
        if len(same) < 2:
            continue
        keys = [key for key in ("tasks",) + CONDITIONS
                if len({text(result.record, key) for result in same}) > 1]
        for count, result in enumerate(same, 1):
            extra = tuple((key, text(result.record, key, "unknown")) for key in keys)
            result.variant += extra or (("run", str(count)),)


def set_solo(results):
    """The time of one task alone for each result: its own word, else that of the boot."""
    known = [result.value("solo_us") for result in results if result.value("solo_us")]
    alone = sorted(number(task, "wall_us") for result in results if result.experiment == "solo"
                   for task in result.tasks if number(task, "wall_us"))
    fallback = known[0] if known else alone[len(alone) // 2] if alone else None
    for result in results:
        solo_us = result.value("solo_us") or fallback
        result.solo_us = solo_us if solo_us and solo_us > 0 else None


class BootResults:
    """All that the page needs of one boot."""

    def __init__(self, boot):
        self.boot = boot
        collector = Collector()
        for record in boot.records:
            collector.add(record)
        self.results = collector.end()
        set_solo(self.results)
        tell_apart(self.results)

    def of(self, tag):
        return [record for record in self.boot.records if record.tag == tag]

    def last(self, tag):
        """The last record of a tag, or None."""
        found = self.of(tag)
        return found[-1] if found else None

    @property
    def experiments(self):
        """Names, in the order of the log."""
        return list(dict.fromkeys(result.experiment for result in self.results))

    @property
    def policies(self):
        return list(dict.fromkeys(result.sched for result in self.results))

    def results_of(self, experiment):
        return [result for result in self.results if result.experiment == experiment]

    def find(self, experiment, sched):
        """The only or first result of an experiment under a policy that has a record, or None."""
        for result in self.results:
            if (result.experiment, result.sched) == (experiment, sched) and result.record:
                return result
        return None

    def condition(self, key):
        """All values of a condition in the boot, in order of appearance."""
        values = [text(record, key) for record in self.boot.records
                  if record.tag in ("run", "result")]
        return [value for value in dict.fromkeys(values) if value]

    @property
    def shape(self):
        """(CPUs, cores) that tasks can use, or None where the log does not say."""
        online = [cpu for cpu in self.of("cpu") if text(cpu, "state") == "online"]
        cores = {text(cpu, "core") for cpu in online}
        topology, capacity = self.last("topology"), self.last("capacity")
        for pair in ((number(capacity, "logical"), number(capacity, "cores")),
                     (len(online), len(cores)),
                     (number(topology, "cpus"), number(topology, "cores"))):
            if all(isinstance(each, int) for each in pair) and 0 < pair[1] <= pair[0] <= MOST_CPUS:
                return pair
        return None

    def slowdown(self):
        """(s, where it comes from, whether it can be relied on), or None.

        s: how many times longer a task takes that shares its core all the time, within SLOWDOWNS.
        """
        low, high = SLOWDOWNS
        models = [float(model) for model in self.condition("smt_model")
                  if model.replace(".", "", 1).isdecimal()]
        models = [model for model in models if low <= model <= high]
        if models:
            return models[0], "as the kernel's model of a shared core was told", True
        for sched in ("smt", "naive"):   # the others may not let two tasks share
            siblings = self.find("siblings", sched)
            if siblings and siblings.median and low <= siblings.median <= high:
                return siblings.median, f"measured by siblings under {sched}", siblings.reliable
        return None

    def unreliable(self):
        """{reason: results} of those whose times mean nothing."""
        found = {}
        for result in self.results:
            if not result.reliable:
                found.setdefault(result.reason, []).append(result)
        return found
