"""The charts of single experiments, where more is to be shown than the time of each task."""

from math import ceil

from . import charts, theory

PEG_BIN = 0.05       # width of a bar, in ratio; twice that, and so on, where they are many
MOST_BINS = 40
MOST_POLICIES = 6


def peg_peaks(boot):
    """[(name, ratio)]: where theory has the two heaps."""
    slowdown = boot.slowdown()
    return [("alone", 1.0)] + ([("shared, s =", slowdown[0])] if slowdown else [])


def peg_caption(boot):
    caption = "How many runs took how long beside a task that never ends. One heap: every run " \
              "got the same. Two heaps: luck of the draw."
    slowdown = boot.slowdown()
    if slowdown:
        caption += f" Dashed: alone on a core, and sharing one all the time, s = " \
                   f"{slowdown[0]:.2f}, {slowdown[1]}"
        caption += "." if slowdown[2] else ", which is not to be relied on."
    if boot.shape and boot.shape[0] == 2 * boot.shape[1] and boot.shape[1] > 1:
        chance = theory.chance_of_sharing(2, boot.shape[1])
        caption += f" By blind chance {100 * chance:.0f} % of the runs land beside the hog."
    return caption + " The article's Atom: 1.00 or 1.50."


def draw_peg(boot, results, drawer):
    """One histogram for each policy, all on the same axes."""
    values = {id(result): [value for part in result.samples().values() for value in part]
              for result in results}
    drawn = [result for result in results if values[id(result)]][:MOST_POLICIES]
    if not drawn:
        return []
    peaks = peg_peaks(boot)
    everything = [value for result in drawn for value in values[id(result)]]
    bins = bins_for(min([1.0, *everything]), max([*everything, *(peak for _, peak in peaks)]))
    most = max(charts.count_most(values[id(result)], *bins) for result in drawn)
    return [drawer.draw_row([(charts.histogram(result, boot.policies, *bins, most, peaks),
                              f"peg under {result.sched}: how often which time")
                             for result in drawn], peg_caption(boot),
                            reliable=all(result.reliable for result in drawn))]


def bins_for(lowest, highest):
    """(span, number of bars) that hold these ratios, with 1.00 in the middle of a bar."""
    step = PEG_BIN
    while (highest - lowest) / step > MOST_BINS:
        step *= 2
    below = ceil((1 - lowest) / step) + 1
    above = ceil((highest - 1) / step) + 1
    return (1 - (below + 0.5) * step, 1 + (above + 0.5) * step), below + above + 1


DRAWERS = {"peg": draw_peg}


def draw(boot, experiment, drawer):
    """The special figures of an experiment, none where it has none or its records do not do."""
    draw_it = DRAWERS.get(experiment)
    return draw_it(boot, boot.results_of(experiment), drawer) if draw_it else []
