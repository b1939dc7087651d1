"""Rounds as a picture: a row for each CPU, the threads of a core adjacent, sharing shaded.

matplotlib draws it. The same trace gives the same SVG, byte for byte.
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Patch, Rectangle
from matplotlib.textpath import text_to_path

from .sharing import active_span, clip, merged, usage_of

MAX_ROWS = 16           # CPUs drawn in a panel
NS_PER_MS = 1_000_000
WIDTH_IN = 10.0
ROW_IN = 0.30
PANEL_IN = 0.95         # title, axis and air of a panel
LEGEND_IN = 0.45
CORE_PT, DIGIT_PT = 40, 6   # from where panels begin to the middle of a core's name, in points
LEFT, RIGHT = 0.095, 0.98   # of the width: where panels begin and end
LEGEND_RIGHT = 0.86     # where they end at most if a legend of tasks stands beside them
DPI = 130
CORE_GAP = 0.55         # between cores, in rows
BAR = 0.74              # height of a bar, in rows
IDLE_FRACTION = 0.085   # of the width: a stretch this wide has room for the word
NAME_SIZE, NAME_PAD = 8, 5   # of a task's name on its bar, and air beside it, in points
PIXEL_FRACTION = 1 / 2000   # of the width: smaller gaps within a task's bars are closed
OUTLINE_FRACTION = 0.004    # what is narrower gets no outline, which would hide it
MAX_BARS = 1000         # in a panel: beyond that an SVG gets them as one image
LEGEND_TASKS = 8
LEGEND_SIZE, LEGEND_PT = 7, 34   # of its names, and the width of all else in it, in points
LEGEND_NAME = 36        # characters; of a longer name both ends are shown

# Told apart by people who do not see red and green alike; red itself is for sharing.
PALETTE = ("#4c8fd0", "#e9a23b", "#3f9e77", "#b07cc6", "#8c8c3c", "#5bc0cf", "#8a6d5a", "#f2c14e",
           "#6f7fd9", "#94c973", "#a9cdee", "#f6d7a8", "#a3d6c0", "#dcc3e6", "#c6c68c", "#b5e3ea",
           "#c9b3a5", "#f9e3ae", "#bcc4f0", "#cbe6b6")
BAND, EDGE, TEXT = "#eff1f4", "#c9cfd6", "#1d2733"
RED, GREY = "#d62728", "#7b8490"
RED_LABEL = "core shared while another core is free"
IDLE_LABEL = "the free core"
GREY_LABEL = "core shared, no core is free"
UNKNOWN_LABEL = "unknown: events are missing"
STYLE = {"svg.hashsalt": "tandem", "svg.fonttype": "none", "font.size": 9, "text.color": TEXT,
         "axes.labelcolor": TEXT, "xtick.color": TEXT, "ytick.color": TEXT, "hatch.linewidth": 0.9,
         "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"]}


def plain(text):
    """Text in which matplotlib finds no formula."""
    return str(text).replace("$", r"\$")


@lru_cache(maxsize=1024)
def text_width(words, size):
    """In points, as is the size."""
    font = FontProperties(family=STYLE["font.sans-serif"][0], size=size)
    return text_to_path.get_text_width_height_descent(words, font, ismath=False)[0]


def legend_name(task):
    words = str(task)
    cut = (LEGEND_NAME - 3) // 2
    return words if len(words) <= LEGEND_NAME else words[:cut] + "..." + words[-cut:]


def width_pt(right):
    """Of a panel that ends at this part of the figure's width."""
    return (right - LEFT) * WIDTH_IN * 72


@dataclass
class Panel:
    """One round, with what of it is drawn."""

    trace: object
    round: object
    max_rows: int = MAX_ROWS
    cores: list = field(default_factory=list)     # indexes of the cores that are drawn
    left_out: int = 0                             # CPUs that are not

    def __post_init__(self):
        self.begin, self.end = active_span(self.trace, self.round)
        self.end = max(self.end, self.begin + 1)
        self.usage = usage_of(self.trace, self.begin, self.end)
        self._choose_cores()
        self.rows = {}
        top = 0.0
        for core in self.cores:
            for cpu in self.trace.cores[core].cpus:
                self.rows[cpu] = top
                top += 1
            top += CORE_GAP
        self.height = max(top - CORE_GAP, 1)

    def _choose_cores(self):
        """All cores if there is room, else those that are busy first, in order of number."""
        busy = [any(count for _, count in steps) for steps in self.usage.steps]
        order = sorted(range(len(busy)), key=lambda core: (not busy[core], core))
        room = self.max_rows
        for core in order:
            size = len(self.trace.cores[core].cpus)
            if size <= room or not self.cores:
                self.cores.append(core)
                room -= size
            else:
                self.left_out += size
        self.cores.sort()

    def ms(self, ns):
        return (ns - self.begin) / NS_PER_MS

    @cached_property
    def bars(self):
        """[(task, [(cpu, begin, end)])] in ns, what nobody could tell apart put together."""
        gap = (self.end - self.begin) * PIXEL_FRACTION
        bars = {}
        shown = [each for each in self.trace.intervals if each.cpu in self.rows]
        for interval, begin, end in clip(shown, self.begin, self.end):
            mine = bars.setdefault(id(interval.task), (interval.task, []))[1]
            if mine and mine[-1][0] == interval.cpu and begin - mine[-1][2] < gap:
                mine[-1] = (interval.cpu, mine[-1][1], end)
            else:
                mine.append((interval.cpu, begin, end))
        first = {key: min(bar[1] for bar in mine) for key, (_, mine) in bars.items()}
        return [bars[key] for key in sorted(bars, key=lambda key: (first[key], bars[key][0].pid))]

    def named(self, task, mine, ns_per_pt):
        """Those of a task's bars on which there is room for its name."""
        room = (text_width(str(task), NAME_SIZE) + NAME_PAD) * ns_per_pt
        return [bar for bar in mine if bar[2] - bar[1] >= room]


class Drawer:
    """Draws one panel into its axes."""

    def __init__(self, axes, panel, span_ns, right):
        self.axes, self.panel = axes, panel
        self.span_ns = span_ns      # that the axis covers
        self.ns_per_pt = span_ns / width_pt(right)
        self.unlabelled = []        # (task, colour) of tasks without room for a name

    def draw(self):
        self.frame()
        self.sharing()
        self.tasks()
        self.unknown()
        self.title()

    def frame(self):
        axes, panel = self.axes, self.panel
        axes.set_xlim(0, self.span_ns / NS_PER_MS)
        axes.set_ylim(panel.height + 0.15, -0.15)
        axes.set_yticks([row + 0.5 for row in panel.rows.values()])
        axes.set_yticklabels([f"CPU {cpu}" for cpu in panel.rows])
        axes.tick_params(axis="y", length=0)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.set_xlabel("ms since the first task was started", loc="right", labelpad=1)
        for index in panel.cores:
            core = panel.trace.cores[index]
            top = panel.rows[core.cpus[0]]
            self.box(0, self.span_ns, top, len(core.cpus), facecolor=BAND, edgecolor="none",
                     zorder=0)
            far = CORE_PT + DIGIT_PT * len(str(max(panel.rows)))
            axes.annotate(plain(f"{core.label}\n{core.package}".strip()),
                          (0, top + len(core.cpus) / 2), xytext=(-far, 0),
                          xycoords=axes.get_yaxis_transform(),
                          textcoords="offset points", rotation=90, fontsize=7.5, weight="bold",
                          ha="center", va="center")
        if panel.left_out:
            axes.annotate(f"{panel.left_out} more CPUs are not drawn", (0, 0),
                          xycoords="axes fraction", xytext=(0, -22), textcoords="offset points",
                          ha="left", va="top", style="italic")

    def box(self, begin, end, top, height, **look):
        """A rectangle from and to a time after the panel's begin."""
        self.axes.add_patch(Rectangle((begin / NS_PER_MS, top), (end - begin) / NS_PER_MS, height,
                                      **look))

    def core_box(self, index, begin, end, **look):
        core = self.panel.trace.cores[index]
        self.box(begin - self.panel.begin, end - self.panel.begin,
                 self.panel.rows[core.cpus[0]] - 0.1, len(core.cpus) + 0.2, **look)

    def sharing(self):
        panel = self.panel
        gap = self.span_ns * PIXEL_FRACTION
        for index in panel.cores:
            for avoidable, colour in ((False, GREY), (True, RED)):
                for begin, end in merged(panel.usage.shared, index, avoidable, gap):
                    self.core_box(index, begin, end, facecolor=colour, alpha=0.28,
                                  edgecolor="none", zorder=1)
                    if end - begin < self.span_ns * OUTLINE_FRACTION:
                        continue
                    self.core_box(index, begin, end, facecolor="none", edgecolor=colour,
                                  hatch="////", linewidth=0, zorder=1.1)
                    self.core_box(index, begin, end, facecolor="none", edgecolor=colour,
                                  linewidth=1.2, zorder=4)
            for begin, end in panel.usage.idle_meanwhile(index, gap):
                if end - begin < self.span_ns * OUTLINE_FRACTION:
                    continue
                self.core_box(index, begin, end, facecolor="none", edgecolor=RED, linewidth=1.2,
                              linestyle=(0, (4, 3)), zorder=4)
                if end - begin > self.span_ns * IDLE_FRACTION:
                    self.label(index, begin, end, "idle")

    def label(self, index, begin, end, words):
        core = self.panel.trace.cores[index]
        self.axes.text(self.panel.ms((begin + end) / 2),
                       self.panel.rows[core.cpus[0]] + len(core.cpus) / 2, words, color=RED,
                       ha="center", va="center", fontsize=9, style="italic", zorder=5)

    def tasks(self):
        crowded = sum(len(mine) for _, mine in self.panel.bars) > MAX_BARS
        for number, (task, mine) in enumerate(self.panel.bars):
            colour = PALETTE[number % len(PALETTE)]
            for cpu in sorted({bar[0] for bar in mine}):
                spans = [(self.panel.ms(begin), (end - begin) / NS_PER_MS)
                         for where, begin, end in mine if where == cpu]
                self.axes.broken_barh(spans, (self.panel.rows[cpu] + (1 - BAR) / 2, BAR),
                                      facecolors=colour, edgecolor="white", zorder=2,
                                      linewidth=[self.edge_of(width) for _, width in spans],
                                      rasterized=crowded)
            self.name(task, mine, colour)

    def edge_of(self, width):
        """The width of the line around a bar so many ms wide: none where it would be all of it."""
        return 0.5 if width * NS_PER_MS > self.span_ns * OUTLINE_FRACTION else 0

    def name(self, task, mine, colour):
        """Writes the task's name on bars with room for it, or else into the legend."""
        wide = self.panel.named(task, mine, self.ns_per_pt)
        if not wide:
            self.unlabelled.append((task, colour))
        for cpu, begin, end in wide:
            self.axes.text(self.panel.ms((begin + end) / 2), self.panel.rows[cpu] + 0.52,
                           plain(task), ha="center", va="center", fontsize=NAME_SIZE,
                           color="#0b0f14", zorder=3, clip_on=True)

    def unknown(self):
        for stretch, begin, end in clip(self.panel.trace.unknown, self.panel.begin,
                                        self.panel.end):
            if stretch.cpu in self.panel.rows:
                self.box(begin - self.panel.begin, end - self.panel.begin,
                         self.panel.rows[stretch.cpu] + (1 - BAR) / 2, BAR, facecolor="white",
                         edgecolor=GREY, hatch="xx", linewidth=0.6, zorder=2)

    def title(self):
        panel, usage = self.panel, self.panel.usage
        each = panel.round
        part = f", {each.part}" if each.part else ""
        self.axes.set_title(plain(f"{each.experiment}, scheduler {each.sched}, round "
                                  f"{each.number}{part}"), loc="left", fontsize=10.5,
                            weight="bold")
        words = f"{(panel.end - panel.begin) / NS_PER_MS:.1f} ms; "
        if usage.shared:
            words += (f"shared {usage.percent(False)} % of the running time, "
                      f"{usage.percent(True)} % while a core was free")
        else:
            words += "no core was shared"
        self.axes.set_title(words, loc="right", fontsize=8.5)


def legend_entries(panels):
    """(patches of the figure's legend), only for what is in it."""
    shared = [stretch.avoidable for panel in panels for stretch in panel.usage.shared
              if stretch.core in panel.cores]
    entries = []
    if True in shared:
        entries.append(Patch(facecolor="#f3c6c6", edgecolor=RED, hatch="////", label=RED_LABEL))
        entries.append(Patch(facecolor="white", edgecolor=RED, linestyle=(0, (4, 3)),
                             label=IDLE_LABEL))
    if False in shared:
        entries.append(Patch(facecolor="#d5d8dc", edgecolor=GREY, hatch="////",
                             label=GREY_LABEL))
    if any(panel.trace.unknown for panel in panels):
        entries.append(Patch(facecolor="white", edgecolor=GREY, hatch="xx", label=UNKNOWN_LABEL))
    return entries


def draw_task_legend(axes, unlabelled):
    if not unlabelled:
        return
    patches = [Patch(facecolor=colour, label=plain(f" {legend_name(task)}"))
               for task, colour in unlabelled[:LEGEND_TASKS]]
    if len(unlabelled) > LEGEND_TASKS:
        patches.append(Patch(facecolor="none",
                             label=f"and {len(unlabelled) - LEGEND_TASKS} more"))
    axes.legend(handles=patches, loc="upper left", bbox_to_anchor=(1.0, 1.02), fontsize=LEGEND_SIZE,
                frameon=False, handlelength=1.0, handleheight=0.9, labelspacing=0.3)


def axis_spans(panels):
    """{experiment: how many ns its panels cover}: the same for all, so that they compare."""
    spans = {}
    for panel in panels:
        key = panel.round.experiment
        spans[key] = max(spans.get(key, 0), (panel.end - panel.begin) * 1.01)
    return spans


def unnamed(panels, spans, right):
    """The tasks that have no bar with room for their name."""
    return [task for panel in panels for task, mine in panel.bars if not
            panel.named(task, mine, spans[panel.round.experiment] / width_pt(right))]


def right_edge(panels, spans):
    """Where panels end, so that the legend of tasks has room. It takes some from the bars, so that
    more names may have to go there."""
    right, tasks = RIGHT, unnamed(panels, spans, RIGHT)
    while tasks:
        widest = max(text_width(legend_name(task), LEGEND_SIZE) for task in tasks)
        needed = min(LEGEND_RIGHT, 1 - (widest + LEGEND_PT) / (WIDTH_IN * 72))
        if needed >= right:
            break
        right, tasks = needed, unnamed(panels, spans, needed)
    return right


def draw(panels):
    """A Figure with the panels under each other."""
    heights = [panel.height * ROW_IN + PANEL_IN for panel in panels]
    total = sum(heights) + LEGEND_IN
    figure = Figure(figsize=(WIDTH_IN, total), facecolor="white")
    FigureCanvasAgg(figure)
    spans = axis_spans(panels)
    right = right_edge(panels, spans)
    top = total
    for panel, height in zip(panels, heights):
        low = top - height + 0.48
        axes = figure.add_axes((LEFT, low / total, right - LEFT, panel.height * ROW_IN / total))
        axes.set_facecolor("white")
        drawer = Drawer(axes, panel, spans[panel.round.experiment], right)
        drawer.draw()
        draw_task_legend(axes, drawer.unlabelled)
        top -= height
    entries = legend_entries(panels)
    if entries:
        figure.legend(handles=entries, loc="lower center", ncol=len(entries), frameon=False,
                      fontsize=8.5, bbox_to_anchor=(0.5, 0.0))
    return figure


def save(panels, svg=None, png=None):
    """Writes the picture of the panels to files. OSError where that fails."""
    with rc_context(STYLE):
        figure = draw(panels)
        if svg:
            figure.savefig(svg, format="svg", dpi=DPI, metadata={"Date": None})
        if png:
            figure.savefig(png, format="png", dpi=DPI, metadata={"Software": "Tandem"})
