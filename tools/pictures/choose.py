"""Which rounds of a trace are shown."""

from .sharing import usage_of

KEYS = ("experiment", "sched", "round", "part")
WARM_UP = 0      # the round that nobody asked for


class SelectError(Exception):
    """A selection that means nothing, or that no round meets; says why."""


def parse_selection(text):
    """{key: value} of `experiment=pair,sched=smt,round=2`."""
    wanted = {}
    for word in text.split(","):
        key, equals, value = word.partition("=")
        if not equals or key not in KEYS or key in wanted:
            raise SelectError(f"{word!r}: want KEY=VALUE, each of {', '.join(KEYS)} at most once")
        wanted[key] = value
    return wanted


def name_of(wanted):
    return ",".join(f"{key}={value}" for key, value in wanted.items())


def select(trace, selections):
    """All rounds that meet one of the selections, in their order; without any, all rounds."""
    if not selections:
        return list(trace.rounds)
    chosen = []
    for wanted in selections:
        found = [each for each in trace.rounds if each.matches(wanted)]
        if not found:
            raise SelectError(f"no round with {name_of(wanted)} in it")
        chosen += [each for each in found if each not in chosen]
    return chosen


def sharing_of(trace, each):
    """What makes a round worth looking at: avoidable sharing first, then any."""
    usage = usage_of(trace, each.begin, each.end)
    return usage.thread_ns(True), usage.thread_ns(False)


def most_sharing(trace, rounds):
    """[(score, round)]: of each experiment and policy, the first of those with the most sharing.

    The policies of an experiment are next to each other, to be compared.
    """
    best = {}
    for each in rounds:
        key = (each.experiment, each.sched)
        score = sharing_of(trace, each)
        if key not in best or score > best[key][0]:
            best[key] = (score, each)
    experiments = list(dict.fromkeys(experiment for experiment, _ in best))
    return [best[key] for key in sorted(best, key=lambda key: experiments.index(key[0]))]


def fewer(found, at_most):
    """At most so many of what most_sharing found: whole experiments, those with most sharing."""
    scores = {}
    for score, each in found:
        scores[each.experiment] = max(score, scores.get(each.experiment, score))
    kept = []
    for experiment in sorted(scores, key=scores.get, reverse=True):
        more = [each for _, each in found if each.experiment == experiment]
        if len(kept) + len(more) <= at_most or not kept:
            kept += more
    return [each for _, each in found if each in kept][:at_most]


def choose(trace, selections, at_most):
    """The rounds of a drawing: those selected, else at most so many that are worth looking at."""
    if selections:
        return [each for wanted in selections
                for _, each in most_sharing(trace, select(trace, [wanted]))]
    measured = [each for each in trace.rounds if each.number != WARM_UP]
    return fewer(most_sharing(trace, measured or trace.rounds), at_most)
