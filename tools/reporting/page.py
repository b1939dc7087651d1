"""Puts the page together: what each boot shows, as plain data for page.html.j2."""

import importlib.machinery
import importlib.util
import os
from dataclasses import dataclass

import jinja2

from . import charts, findings, special, svg, theory, timeline, words
from .results import BootResults, CONDITIONS, number, text

HERE = os.path.dirname(os.path.abspath(__file__))
PICTURE_TOOL = os.path.join(HERE, "..", "topology-picture")
MOST_BOOTS = 12          # of a page; more are named, not shown
MOST_EXPERIMENTS = 24    # with charts, of a boot
MOST_TROUBLE = 40        # lines of one list
MOST_DRAWN_CPUS = 32
MOST_OPEN = 12           # rows of a table that needs no click
# What every result has, beside its ratios and conditions.
USUAL = frozenset("tasks rounds clean_rounds disturbed_rounds unknown_rounds solo_us min_us "
                  "median_us max_us makespan_us failed spread_percent forced_idle_us".split())
RATIOS = ("ratio_min", "ratio_median", "ratio_max")


ALL, SOME, NONE = "all", "some", "none"


def trust_in(results):
    """How many of these results are reliable."""
    reliable = sum(result.reliable for result in results)
    return ALL if reliable == len(results) else SOME if reliable else NONE


@dataclass
class Figure:
    """A drawing with its caption."""

    svg: str
    caption: str
    trust: str = ALL     # how many of the results in it are reliable
    row: str = ""        # how several drawings stand side by side: "two" or "three" in a row
    wide: bool = False   # on a narrow screen it scrolls instead of shrinking


class Drawer:
    """Makes figures of one boot, each with names of its own."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.count = 0

    def draw(self, made, title, caption, results):
        """A Figure of these results, or None where there was nothing to draw."""
        if made is None:
            return None
        return Figure(self.element(made, title), caption, trust_in(results))

    def draw_row(self, drawings, caption, results):
        """Several drawings, each (made, title), as one Figure; None where none of them is made."""
        elements = [self.element(made, title) for made, title in drawings if made is not None]
        if not elements:
            return None
        return Figure("\n".join(elements), caption, trust_in(results),
                      row="two" if len(elements) in (2, 4) else "three")

    def element(self, made, title):
        self.count += 1
        return svg.render(made, f"{self.prefix}f{self.count}-", title)


def cpus_in_words(boot):
    topology = boot.last("topology")
    packages, cores, cpus = (number(topology, key) for key in ("packages", "cores", "cpus"))
    if None in (packages, cores, cpus):
        return "The log does not say which CPUs there are"
    return ", ".join((findings.count(cpus, "logical CPU"), findings.count(cores, "core"),
                      findings.count(packages, "package")))


def machine_facts(boot):
    """[(name, value)] about the machine; what the log does not have is left out."""
    topology, timer = boot.last("topology"), boot.last("timer")
    start, kernel, memory = boot.last("boot"), boot.last("tandem"), boot.last("memory")
    clock_hz, free_kib = number(timer, "tsc_hz"), number(memory, "free_kib")
    facts = [
        ("processor", text(topology, "model_name").strip()),
        ("shape", cpus_in_words(boot)),
        ("CPUs of one core", words.SHARES.get(text(topology, "shares"), "")),
        ("topology found by", text(topology, "method")),
        ("platform", text(start, "platform")),
        ("clock", f"time stamp counter, {clock_hz / 1e6:.1f} MHz, measured against "
                  f"{text(timer, 'reference', 'nothing')}" if clock_hz else ""),
        ("memory", f"{free_kib / 1024:.0f} MiB free" if free_kib else ""),
        ("kernel", f"Tandem {text(kernel, 'version')}" if text(kernel, "version") else ""),
        ("command line", text(start, "cmdline")),
    ]
    return [fact for fact in facts if fact[1]]


def summary(boot):
    """The machine in one line."""
    parts = [text(boot.last("topology"), "model_name").strip(), cpus_in_words(boot),
             words.PLATFORMS.get(text(boot.last("boot"), "platform"), "")]
    models = [model for model in boot.condition("smt_model") if model != "off"]
    if models:
        parts.append(f"Shared cores imitated, {', '.join(models)} times slower")
    return ". ".join(part for part in parts if part) + "."


def conditions(boot):
    """[(key, values, what it means)] of those that the log has."""
    return [(key, ", ".join(boot.condition(key)), words.CONDITIONS[key])
            for key in CONDITIONS if boot.condition(key)]


def load_picture_tool():
    loader = importlib.machinery.SourceFileLoader("topology_picture", PICTURE_TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def machine_picture(boot, prefix):
    """The machine as tools/topology-picture draws it, or None where the records do not do."""
    tool = load_picture_tool()
    records = {tag: [record.fields for record in boot.of(tag)] for tag in tool.TAGS}
    if not 0 < len(records["cpu"]) <= MOST_DRAWN_CPUS:
        return None
    try:
        drawing = tool.draw(tool.Machine(records))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None   # a damaged record; the table above has what can be read
    title = "The machine: packages, caches, cores, CPUs"
    return Figure(svg.inline(drawing, f"{prefix}m-", title),
                  "From the shared caches at the top down to the threads. CPUs in one box are "
                  "threads of one core: they share what is inside it.")


def row_of(result, name, ratios, shared, ideal, article):
    return {"result": result, "name": name, "ratios": ratios, "shared": shared, "theory": ideal,
            "article": article}


def comparison(boot):
    """The rows of the table, experiment by experiment: policies of one variant together."""
    order, rows = boot.experiments, []
    slowdown = boot.slowdown()
    for name in order:
        known, batches = words.describe(name), []
        results = boot.results_of(name)
        variants = list(dict.fromkeys(result.variant for result in results))
        for result in sorted(results, key=lambda result: variants.index(result.variant)):
            ideal = theory.ideal(result, boot.shape, slowdown[0] if slowdown else None)
            rows.append(row_of(result, result.name,
                               [text(result.record, key, "-") for key in RATIOS],
                               text(result.record, "shared_percent", "-"), ideal, known.article))
            if result.value("ratio_batches") is not None:
                batches.append(row_of(result, f"{result.name} in batches".strip(),
                                      ["", text(result.record, "ratio_batches"), ""], "",
                                      theory.ideal_batches(result, boot.shape),
                                      known.article_batches))
        rows += batches
    return rows


def extra_values(results):
    """(keys, [(result, values)]) of what the records have beyond the table."""
    shown = set(RATIOS) | set(CONDITIONS) | {"ratio_batches", "shared_percent", "reliable"}
    keys = dict.fromkeys(key for result in results if result.record
                         for key in result.record.fields
                         if key not in shown and number(result.record, key) is not None
                         and key not in dict(result.variant))
    # What is special about the experiment comes first.
    keys = sorted(keys, key=lambda key: key in USUAL)
    return keys, [(result, [text(result.record, key, "-") for key in keys])
                        for result in results if result.record]


def questions(boot):
    """{experiment: its question}, from the lines that the kernel prints for people."""
    found = {}
    for line in boot.boot.text:
        name, comma, rest = line.partition(", scheduler ")
        if comma and ": " in rest and name.isidentifier():
            found.setdefault(name, rest.partition(": ")[2])
    return found


def box_figure(boot, name, drawer, known):
    """The samples of an experiment, or None where the log has none."""
    if known.sample == words.NOT_IN_LOG:
        return None
    results = boot.results_of(name)
    # The samples of one variant under all policies are next to each other.
    variants = list(dict.fromkeys(result.variant for result in results))
    results.sort(key=lambda result: variants.index(result.variant))
    caption = known.read
    if known.marks:
        caption += " Dashed: the article's figures."
    if known.sample == words.ROUND:
        caption += " Each dot is a round."
    if len(results) > charts.MOST_ROWS:
        caption += f" Only the first {charts.MOST_ROWS} rows are drawn."
    return drawer.draw(charts.boxes(results, boot.policies, known.marks,
                                    known.sample == words.ROUND, known.unit),
                       f"{name}: time of each {known.sample}", caption, results)


def experiment_section(boot, name, question, drawer):
    """What the page shows of one experiment."""
    results, known = boot.results_of(name), words.describe(name)
    figures = [special.draw(boot, name, drawer, known), box_figure(boot, name, drawer, known)]
    keys, values = extra_values(results)
    return {"name": name, "question": question, "known": known,
            "figures": [figure for figure in figures if figure],
            "keys": keys, "values": values,
            "open": not USUAL.issuperset(keys) and len(values) <= MOST_OPEN}


def overview_figure(boot, drawer):
    left_out = charts.apart(boot.results)
    shown = [result for result in boot.results if result.experiment not in left_out]
    caption = "Dot: the median of all tasks. Line: from the fastest to the slowest. 1.00 is one " \
              "task that has the machine to itself; further to the right is slower. Diamond: " \
              "what the article measured on its machines."
    if left_out:
        names = [name for name in boot.experiments if name in left_out]
        caption += f" With pictures of their own: {', '.join(names[:MOST_EXPERIMENTS])}."
    return drawer.draw(
        charts.ranges(shown, boot.policies, lambda result: result.title,
                      lambda name: words.describe(name).marks),
        "All experiments at a glance", caption, shown)


def boot_section(log, number_of, name, prefix):
    """What the page shows of one boot, which is known by its place in the log."""
    boot = BootResults(log.boots[number_of])
    drawer = Drawer(prefix)
    asked = questions(boot)
    names = boot.experiments
    ok, ending = findings.ending(boot)
    trouble = [record.text for record in findings.trouble(boot)]
    return {
        "name": name, "prefix": prefix, "boot": boot, "ok": ok,
        "number": number_of + 1 if len(log.boots) > 1 else 0,
        "ending": ending, "summary": summary(boot), "findings": findings.findings(boot),
        "unreliable": boot.unreliable(),
        "facts": machine_facts(boot), "picture": machine_picture(boot, prefix),
        "conditions": conditions(boot), "rows": comparison(boot),
        "overview": overview_figure(boot, drawer),
        "experiments": [experiment_section(boot, experiment, asked.get(experiment, ""), drawer)
                        for experiment in names[:MOST_EXPERIMENTS]],
        "not_drawn": names[MOST_EXPERIMENTS:],
        "trouble": trouble[:MOST_TROUBLE], "more_trouble": len(trouble[MOST_TROUBLE:]),
        "bad_tasks": len(findings.bad_tasks(boot)), "slowdown": boot.slowdown(),
        "timeline": timeline.section(log, number_of, boot, drawer),
    }


def display_names(paths):
    """What the page calls the files: without their folders, if that tells them apart."""
    bases = [os.path.basename(path) for path in paths]
    names = bases if len(set(bases)) == len(bases) else paths
    return ["".join(c if c.isprintable() else "?" for c in name) for name in names]


def side_by_side(sections):
    """[(result of some boot, [that of each boot, or None])] of what more than one boot has."""
    found = {}
    for place, section in enumerate(sections):
        for result in section["boot"].results:
            key = (result.title, result.sched)
            found.setdefault(key, [None] * len(sections))[place] = result
    rows = [(next(filter(None, each)), each) for each in found.values()]
    names = list(dict.fromkeys(one.experiment for one, _ in rows))
    rows.sort(key=lambda row: (names.index(row[0].experiment), row[0].title))
    return [row for row in rows if sum(each is not None for each in row[1]) > 1]


def build(logs):
    """The page as text; `logs` are (path, Log) pairs."""
    sources, boots, left_out = [], [], 0
    for name, (_, log) in zip(display_names([path for path, _ in logs]), logs):
        faults = [str(fault) for fault in log.faults]
        sources.append({"name": name, "boots": len(log.boots), "faults": faults[:MOST_TROUBLE],
                        "more_faults": len(faults[MOST_TROUBLE:])})
        shown = range(min(len(log.boots), MOST_BOOTS - len(boots)))
        left_out += len(log.boots) - len(shown)
        with svg.style():
            boots += [boot_section(log, number_of, name, f"b{len(boots) + number_of + 1}-")
                      for number_of in shown]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True,
                                     trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)
    return environment.get_template("page.html.j2").render(
        sources=sources, boots=boots, left_out=left_out, policies=words.POLICIES,
        side_by_side=side_by_side(boots))
