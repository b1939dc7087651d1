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
    """Of each experiment and policy, the first of the rounds with the most sharing."""
    best = {}
    for each in rounds:
        key = (each.experiment, each.sched)
        score = sharing_of(trace, each)
        if key not in best or score > best[key][0]:
            best[key] = (score, each)
    # An experiment's policies under each other, to be compared.
    experiments = list(dict.fromkeys(experiment for experiment, _ in best))
    return [each for (experiment, _), (_, each)
            in sorted(best.items(), key=lambda item: experiments.index(item[0][0]))]


def choose(trace, selections, at_most):
    """The rounds of a drawing: those selected, else at most so many that are worth looking at."""
    if selections:
        chosen = []
        for wanted in selections:
            chosen += most_sharing(trace, select(trace, [wanted]))
        return chosen
    measured = [each for each in trace.rounds if each.number != WARM_UP]
    return most_sharing(trace, measured or trace.rounds)[:at_most]
