"""The section on what ran where and when, drawn by tools/pictures from the `trace:` records."""

import matplotlib.style

from pictures import choose, model, plot

MOST_ROUNDS = 4
CHOSEN_BY_POLICY = ("pair", "peg")   # experiments that show what a policy does, if they are there
MOST_FAULTS = 10
CAPTION = ("One round of each experiment and policy, the one with the most sharing. A row is a "
           "CPU, the two threads of a core are next to each other, a bar is a task. Red: two tasks "
           "share a core, although another core is idle.")
NONE = "The log has no trace, so there is no picture of what ran where: boot with trace=on."


def panels_of(log, number):
    """(rounds to draw, what is wrong with the trace); NoTrace where there is nothing to draw."""
    trace = model.Trace.of(log, number)
    telling = [{"experiment": name} for name in CHOSEN_BY_POLICY
               if any(each.experiment == name for each in trace.rounds)]
    rounds = choose.choose(trace, telling, MOST_ROUNDS)[:MOST_ROUNDS]
    return [plot.Panel(trace, each) for each in rounds], [str(fault) for fault in trace.faults]


def section(log, number, boot, drawer):
    """{figure, words, faults} of a boot; the figure is None where the words say why."""
    if not boot.of("trace"):
        return {"figure": None, "words": NONE, "faults": []}
    try:
        panels, faults = panels_of(log, number)
    except model.NoTrace as error:
        return {"figure": None, "words": f"The trace cannot be drawn: {error}.", "faults": []}
    drawn = [(panel.round.experiment, panel.round.sched) for panel in panels]
    with matplotlib.style.context(plot.STYLE, after_reset=True):
        figure = drawer.draw(plot.draw(panels), "What ran where and when", CAPTION,
                             [result for result in boot.results
                              if (result.experiment, result.sched) in drawn])
    figure.wide = True
    return {"figure": figure, "words": "", "faults": faults[:MOST_FAULTS]}
