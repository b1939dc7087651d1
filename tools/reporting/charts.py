"""The charts that every experiment gets: an overview, and where each task's time lies.

Colours are told apart by the colour-blind, and every series is also named in words. What cannot
be relied on is drawn hollow and says so.
"""

from math import ceil

from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from . import svg

COLOURS = {"naive": "#c4501b", "smt": "#1f6fb2", "nosmt": "#2e8a63", "core": "#9a4f96"}
OTHER_COLOURS = ("#8a6d1f", "#4f6475", "#b03060", "#3f7f7f")
FAINT = "#8796a5"
MARK = "#6b3fa0"        # the article's figures
HEAT = "#9c2c13"        # slow, in a heat map
WIDTH = 4.8             # inches
MOST_ROWS = 40
MOST_RATIO = 4.0        # an experiment with a larger median is not in the overview
UNIT = "time, as a multiple of one task alone"
MOST_DOTS = 250         # of one row; the box is always of all
FEWEST_FOR_BOX = 4      # tasks; fewer are dots only
NAME_LENGTH = 28
NAME_WIDTH = 0.2        # of the axis: a mark's name needs that much
LEGEND_COLUMNS = 4


def colour_of(sched, policies):
    """One colour for each policy, the same all over the page."""
    if sched in COLOURS:
        return COLOURS[sched]
    others = [name for name in policies if name not in COLOURS]
    return OTHER_COLOURS[others.index(sched) % len(OTHER_COLOURS)] if sched in others else FAINT


def short(words):
    return words if len(words) <= NAME_LENGTH else words[:NAME_LENGTH - 3] + "..."


def label(*parts, reliable=True):
    words = short(" ".join(part for part in parts if part))
    return words if reliable else words + "\n(not reliable)"


def thin(values):
    """At most MOST_DOTS of sorted values, evenly chosen, the smallest and largest among them."""
    values = sorted(values)
    if len(values) <= MOST_DOTS:
        return values
    last = len(values) - 1
    return [values[index * last // (MOST_DOTS - 1)] for index in range(MOST_DOTS)]


def spread(count):
    """Offsets between -0.5 and 0.5 that keep neighbours apart, the same on every run."""
    return [(index * 0.618034) % 1 - 0.5 for index in range(count)]


def mark_article(axes, marks):
    """The article's figures as lines across the rows, named at the top."""
    left, right = axes.get_xlim()
    groups = []   # of marks that are too close for names of their own
    for name, ratio in sorted(marks, key=lambda mark: mark[1]):
        axes.axvline(ratio, color=MARK, linewidth=1.1, linestyle=(0, (4, 3)), zorder=1)
        if groups and ratio - groups[-1][-1][1] < NAME_WIDTH * (right - left):
            groups[-1].append((name, ratio))
        else:
            groups.append([(name, ratio)])
    for group in groups:
        middle = sum(ratio for _, ratio in group) / len(group)
        axes.annotate(", ".join(f"{name} {ratio:.2f}" for name, ratio in group), (middle, 1),
                      (0, 3), ha="center", xycoords=("data", "axes fraction"),
                      textcoords="offset points", color=MARK, fontsize=8.5)


def ratio_axis(axes, lowest, highest, unit=UNIT):
    """The x axis of ratios, with 1.00 always in sight."""
    lowest, highest = min(lowest, 1.0), max(highest, 1.25)
    room = (highest - lowest) * 0.06
    axes.set_xlim(lowest - room, highest + room)
    axes.set_xlabel(unit)
    axes.grid(axis="x")
    axes.axvline(1, color="#1d2733", linewidth=1.0, zorder=1)


def row_axis(axes, names):
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def quartiles(values):
    """What a box shows. As the kernel does, it takes the lower of two in the middle."""
    values = sorted(values)
    low, middle, high = (values[(len(values) - 1) * part // 4] for part in (1, 2, 3))
    return {"whislo": values[0], "q1": low, "med": middle, "q3": high, "whishi": values[-1]}


def draw_box(axes, row, values, colour, reliable):
    """Box from quartile to quartile, whiskers to the extremes, and the tasks as dots."""
    face = colour if reliable else "none"
    if len(values) >= FEWEST_FOR_BOX:
        lines = {"color": colour, "linewidth": 1.0}
        parts = axes.bxp([quartiles(values)], positions=[row], widths=0.6, vert=False,
                         showfliers=False, patch_artist=True, manage_ticks=False,
                         whiskerprops=lines, capprops=lines,
                         medianprops={"color": colour, "linewidth": 2.6})
        parts["boxes"][0].set(facecolor=(*to_rgb(colour), 0.25 if reliable else 0.0),
                              edgecolor=colour, linestyle="-" if reliable else ":")
    dots = thin(values)
    axes.scatter(dots, [row + 0.4 * offset for offset in spread(len(dots))], s=13, zorder=3,
                 facecolors=face, edgecolors=colour, linewidths=0.7 if reliable else 1.1, alpha=0.8)


def series_of(results, by_round):
    """[(result, part, ratios)] of all that has tasks."""
    return [(result, part, values) for result in results
            for part, values in result.samples(by_round).items()]


def boxes(results, policies, marks, by_round=False, unit=UNIT):
    """Where the times of the tasks of one experiment lie; None where there are no tasks.

    by_round: the times of its rounds.
    """
    series = series_of(results, by_round)[:MOST_ROWS]
    if not series:
        return None
    made = svg.figure(WIDTH, 0.95 + 0.52 * len(series))
    axes = made.add_subplot()
    for row, (result, part, values) in enumerate(series):
        draw_box(axes, row, values, colour_of(result.sched, policies), result.reliable)
    mixed = len({result.reliable for result, *_ in series}) > 1
    row_axis(axes, [label(result.sched, result.name, part,
                          reliable=result.reliable or not mixed) for result, part, _ in series])
    everything = [value for _, _, values in series for value in values]
    ratio_axis(axes, min(everything), max([*everything, *(ratio for _, ratio in marks)]), unit)
    mark_article(axes, marks)
    return made


def apart(results):
    """Experiments that compare variants, or whose ratios would push all others into a corner."""
    variants = {}
    for result in results:
        variants.setdefault(result.experiment, set()).add(result.variant)
    return {result.experiment for result in results if len(variants[result.experiment]) > 1 or
            (result.median is not None and result.median > MOST_RATIO)}


def ranges(results, policies, name, marks=lambda experiment: (), unit=UNIT):
    """Smallest, median and largest ratio of results, a row for each name; None without any.

    name(result) is that of its row; marks(experiment) gives the article's figures.
    """
    results = [result for result in results if result.median is not None][:2 * MOST_ROWS]
    if not results:
        return None
    names = list(dict.fromkeys(name(result) for result in results))
    made = svg.figure(WIDTH, 1.15 + 0.42 * len(names))
    axes = made.add_subplot()
    present = [sched for sched in policies if any(each.sched == sched for each in results)]
    for result in results:
        draw_range(axes, names.index(name(result)), result, present, policies)
    row_axis(axes, [label(each) for each in names])
    bounds = [bound for result in results for bound in bounds_of(result)]
    marked = [(ratio, names.index(name(result))) for result in results
              for _, ratio in marks(result.experiment) if ratio <= 2 * max(bounds)]
    ratio_axis(axes, min(bounds), max([*bounds, *(ratio for ratio, _ in marked)]), unit)
    if marked:
        axes.plot(*zip(*marked), "D", color="none", markeredgecolor=MARK, markersize=6,
                  label="the article", zorder=4)
    legend(axes, results, present, policies)
    return made


def legend(axes, results, present, policies):
    """Which colour is which policy, above the chart."""
    for sched in present:
        axes.plot([], [], "o-", color=colour_of(sched, policies), label=sched or "no policy")
    if len({result.reliable for result in results}) > 1:
        axes.plot([], [], "o:", color=FAINT, markerfacecolor="white", label="not reliable")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=LEGEND_COLUMNS, fontsize=8.5,
                borderpad=0, columnspacing=1.0, handlelength=1.4)


def bounds_of(result):
    """(smallest, largest) ratio to draw: a lone slow one far out would hide all others."""
    low, high = result.value("ratio_min"), result.value("ratio_max")
    return (result.median if low is None else low,
            min(result.median if high is None else high, 3 * max(result.median, 1)))


def draw_range(axes, place, result, present, policies):
    """One line from the smallest to the largest, and the median on it."""
    colour = colour_of(result.sched, policies)
    step = min(0.7 / len(present), 0.3)
    row = place + step * (present.index(result.sched) - (len(present) - 1) / 2)
    low, high = bounds_of(result)
    axes.plot([low, high], [row, row], color=colour, linewidth=2.4, solid_capstyle="round",
              linestyle="-" if result.reliable else ":", alpha=0.6)
    axes.plot([result.median], [row], "o", color=colour, markersize=6,
              markerfacecolor=colour if result.reliable else "white")


def histogram(result, policies, span, bins, most, peaks):
    """How often which ratio occurred under one policy; `peaks`: where theory has heaps."""
    values = [value for part in result.samples().values() for value in part]
    colour = colour_of(result.sched, policies)
    made = svg.figure(WIDTH / 1.3, 2.4)
    axes = made.add_subplot()
    axes.hist(values, bins=bins, range=span, color=colour if result.reliable else "white",
              edgecolor="white" if result.reliable else colour, linewidth=0.8,
              hatch=None if result.reliable else "////")
    for place, (name, ratio) in enumerate(peaks):
        if span[0] <= ratio <= span[1]:
            axes.axvline(ratio, color="#1d2733", linewidth=1.1, linestyle=(0, (4, 3)))
            right = ratio > sum(span) / 2
            axes.annotate(f"{name} {ratio:.2f}", (ratio, 1), (-3 if right else 3, -9 - 11 * place),
                          ha="right" if right else "left", fontsize=8.5,
                          xycoords=("data", "axes fraction"), textcoords="offset points")
    axes.set_ylim(0, most * 1.3 + 0.5)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_title(label(result.sched, result.name, reliable=result.reliable), color=colour,
                   pad=4)
    axes.set_xlabel("time / time alone")
    axes.set_ylabel("runs")
    axes.grid(axis="y")
    return made


def curves(results, policies, x, y, ideal=None):
    """A line for each policy. x and y are (name of the axis, function of a result): the function
    gives a number or None. ideal(x), if any, is drawn dashed.
    """
    (x_name, place), (y_name, value) = x, y
    points = [(place(result), value(result), result) for result in results]
    points = [point for point in points if None not in point[:2]][:2 * MOST_ROWS]
    if not points:
        return None
    places = sorted({point[0] for point in points})
    made = svg.figure(WIDTH / 1.3, 2.7)
    axes = made.add_subplot()
    present = [sched for sched in policies if any(each.sched == sched for *_, each in points)]
    if ideal:
        axes.plot(range(len(places)), [ideal(each) for each in places], "k--", linewidth=1.1,
                  label="theory")
    for sched in present:
        mine = sorted((at, up, each.reliable) for at, up, each in points if each.sched == sched)
        trusted = all(reliable for *_, reliable in mine)
        axes.plot([places.index(at) for at, *_ in mine], [up for _, up, _ in mine],
                  "o-" if trusted else "o:", color=colour_of(sched, policies), markersize=5,
                  markerfacecolor=colour_of(sched, policies) if trusted else "white")
    axes.set_xticks(range(len(places)), [f"{each:g}" for each in places])
    axes.set_xlim(-0.3, len(places) - 0.7)
    highest = max([up for _, up, _ in points] + [ideal(at) for at in places if ideal])
    axes.set_ylim(0, 1.12 * highest or 1)
    axes.set_xlabel(x_name)
    axes.grid(axis="y")
    legend(axes, [each for *_, each in points], present, policies)
    rows = ceil(len(axes.get_legend_handles_labels()[0]) / LEGEND_COLUMNS)
    axes.set_title(y_name, pad=6 + 14 * rows)
    return made


def heat_map(values, names, title, most, reliable):
    """values: {(row, column): ratio}; darker is slower, and the number stands in each field.

    most: the ratio that is darkest.
    """
    made = svg.figure(WIDTH / 1.3, 0.9 + 0.5 * len(names))
    axes = made.add_subplot()
    for (first, second), ratio in values.items():
        depth = min(max((ratio - 1) / (most - 1), 0), 1)
        column, row = names.index(second), names.index(first)
        axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, edgecolor="white", linewidth=2,
                                 facecolor=(*to_rgb(HEAT), 0.08 + 0.82 * depth)))
        axes.annotate(f"{ratio:.2f}", (column, row), ha="center", va="center", fontsize=11,
                      color="white" if depth > 0.55 else "#1d2733")
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xticks(range(len(names)), [short(name) for name in names])
    axes.set_yticks(range(len(names)), [short(name) for name in names])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("beside")
    axes.set_title(label(title, reliable=reliable), pad=6)
    return made


def count_most(values, span, bins):
    """The height of the highest bar of a histogram."""
    width = (span[1] - span[0]) / bins
    counts = [0] * bins
    for value in values:
        if span[0] <= value <= span[1]:
            counts[min(int((value - span[0]) / width), bins - 1)] += 1
    return max(counts)
