"""The charts of single experiments, where more is to be shown than the time of each task."""

from math import ceil

from . import charts, theory

PEG_BIN = 0.05       # width of a bar, in ratio; twice that, and so on, where they are many
MOST_BINS = 40
MOST_POLICIES = 6
MOST_PROGRAMS = 8    # of a matrix
MOST_MAPS = 8
PLACEMENTS = {"sibling": "two threads", "core": "two cores"}   # where pairs run, in words


def peg_peaks(boot):
    """[(name, ratio)]: where theory has the two heaps."""
    slowdown = boot.slowdown()
    told_apart = slowdown and slowdown[0] >= 1 + 2 * PEG_BIN
    return [("alone", 1.0)] + ([("shared, s =", slowdown[0])] if told_apart else [])


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
        return None
    peaks = peg_peaks(boot)
    everything = [value for result in drawn for value in values[id(result)]]
    bins = bins_for(min([1.0, *everything]), max([*everything, *(peak for _, peak in peaks)]))
    most = max(charts.count_most(values[id(result)], *bins) for result in drawn)
    return drawer.draw_row([(charts.histogram(result, boot.policies, *bins, most, peaks),
                             f"peg under {result.sched}: how often which time")
                            for result in drawn], peg_caption(boot), drawn)


def bins_for(lowest, highest):
    """(span, number of bars) that hold these ratios, with 1.00 in the middle of a bar."""
    step = PEG_BIN
    while (highest - lowest) / step > MOST_BINS:
        step *= 2
    below = ceil((1 - lowest) / step) + 1
    above = ceil((highest - 1) / step) + 1
    return (1 - (below + 0.5) * step, 1 + (above + 0.5) * step), below + above + 1


def draw_oversub(boot, results, drawer):
    """What more tasks at a time do to the whole, to each of them, and to the number of switches."""
    slowdown, jobs = boot.slowdown(), max((result.value("tasks") or 0 for result in results),
                                          default=0)
    ideal = None
    caption = "The same jobs, more and more of them at a time. Left: how long all take together. " \
              "Then: how long one takes from its start to its end. Then: how often a CPU went " \
              "from one job to another."
    if slowdown and jobs and boot.shape and boot.shape[0] == 2 * boot.shape[1]:
        cores, shared = boot.shape[1], slowdown[0]
        ideal = lambda at_once: jobs / theory.rate(at_once, cores, shared)
        caption += f" Dashed: the best that {cores} cores can do with s = {shared:.2f}."
        caption += "" if slowdown[2] else " (That s is not to be relied on.)"
    parts = [("all jobs, in times of one alone", "ratio_median", ideal),
             ("one job, in times of one alone", "ratio_response", None),
             ("switches", "switches", None)]
    drawn = [(charts.curves(results, boot.policies, ("jobs at a time", jobs_at_once),
                            (title, scaled(key, 1)), line),
              f"oversub against jobs at a time: {title}") for title, key, line in parts]
    return drawer.draw_row(drawn, caption, results)


def jobs_at_once(result):
    """How many jobs a result of oversub ran at a time, or None."""
    at_once = result.value("j") or result.value("jobs")
    digits = result.part("variant").lstrip("j")
    if at_once is None and digits.isdecimal() and len(digits) < 9:
        at_once = int(digits)
    return at_once if at_once and at_once > 0 else None


def scaled(key, unit):
    """A function that gives a result's value of a key in another unit."""
    def value(result):
        number = result.value(key)
        return None if number is None else number / unit
    return value


def draw_slice(boot, results, drawer):
    """How long a short job waits, and what the shorter slices cost."""
    parts = [("mean wait of the job, ms", scaled("wait_mean_us", 1000)),
             ("longest wait, ms", scaled("wait_max_us", 1000)),
             ("time lost to switches, %", scaled("lost_ppm", 10_000))]
    length = ("length of a slice, ms", scaled("slice_us", 1000))
    drawn = [(charts.curves(results, boot.policies, length, (title, value)),
              f"slice against the length of a slice: {title}") for title, value in parts]
    return drawer.draw_row(drawn, "Short slices let the job in sooner, and more time goes into "
                           "switching.", results)


def draw_memory(boot, results, drawer):
    """A matrix for each policy and placement: how slow the first program is beside the second."""
    maps = {}
    for result in results:
        pair = (result.part("first"), result.part("second"))
        if all(pair) and result.median is not None:
            maps.setdefault((result.sched, result.part("placement")), {})[pair] = result
    names = list(dict.fromkeys(name for found in maps.values() for pair in found
                               for name in pair))[:MOST_PROGRAMS]
    drawn, most = [], max([1.5, *(result.median for found in maps.values()
                                  for result in found.values())])
    for (sched, placement), found in list(maps.items())[:MOST_MAPS]:
        values = {pair: result.median for pair, result in found.items() if set(pair) <= set(names)}
        title = f"{PLACEMENTS.get(placement, placement) or 'pairs'}, {sched}"
        drawn.append((charts.heat_map(values, names, title, most,
                                      all(result.reliable for result in found.values())),
                      f"{results[0].experiment} on {title}: how slow each is beside each other"))
    return drawer.draw_row(drawn, "Each field: how many times longer the one at the left takes "
                           "beside the one below. Darker is slower; 1.00 is as if alone.",
                           results)


def draw_variants(boot, results, drawer, known):
    """For any other experiment that compares something: its variants under each other."""
    if len({result.variant for result in results}) < 2:
        return None
    return drawer.draw(charts.ranges(results, boot.policies, lambda result: result.name or "-",
                                     unit=known.unit),
                       f"{results[0].experiment}: variants",
                       "Dot: the median. Line: from the smallest to the largest.", results)


DRAWERS = {"peg": draw_peg, "oversub": draw_oversub, "slice": draw_slice, "memory": draw_memory,
           "module": draw_memory}


def draw(boot, experiment, drawer, known):
    """The figure that an experiment needs beside the times of its tasks, or None.

    Where the records do not have what the experiment's own chart shows, it gets the general one.
    """
    results = boot.results_of(experiment)
    own = DRAWERS[experiment](boot, results, drawer) if experiment in DRAWERS else None
    return own or draw_variants(boot, results, drawer, known)
