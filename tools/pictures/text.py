"""A round as text of 80 columns, by the rules in docs/serial-log.md, as the kernel prints it.

    core 0   cpu 0   |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|
             cpu 1   |............................................................|
    core 1   cpu 2   |.BBBBBBBBBBBBBBBBBBBBBBBBBbbbbbbbbbbbbbbb:..................|
             cpu 3   |.CCCCCCCCCCCCCCCCCCCCCCCC:..................................|

Where events are missing nobody knows what a CPU did: such columns have a question mark.
"""

import string

from .sharing import clip

CELLS = 60
ROWS = 32                 # CPUs
LETTERS = string.ascii_lowercase
LEGEND_COLUMNS = 78
NS_PER_US, NS_PER_MS = 1000, 1_000_000

IDLE, MOSTLY_IDLE, UNKNOWN = ".", ":", "?"
OTHERS, OTHERS_SHARED = "*", "#"
SIGNS = ". idle   : mostly idle   capital letter: another CPU of the core is busy too"


def milliseconds(ns):
    return f"{ns // NS_PER_MS}.{ns % NS_PER_MS // NS_PER_US:03} ms"


class TextPicture:
    """What happened from one time to another, in ns, as lines."""

    def __init__(self, trace, begin, end):
        self.trace, self.begin, self.end = trace, begin, max(begin, end)
        self.stays = list(clip(trace.intervals, begin, end))
        self.rows = [(index, cpu) for index, core in enumerate(trace.cores)
                     for cpu in sorted(core.cpus)]
        arrivals = self._arrivals()
        self.hidden = 0
        if len(self.rows) > ROWS:
            self._choose_rows(cpu for cpu, _ in arrivals)
        shown = {cpu for _, cpu in self.rows}
        self._give_letters(pid for cpu, pid in arrivals if cpu in shown)
        cells = {cpu: self._cells(cpu) for _, cpu in self.rows}
        self.lines = [self._row(index, cpu, cells) for index, cpu in self.rows]

    def _arrivals(self):
        """[(cpu, pid)] in the order in which tasks come into the picture, repeats included."""
        places = {cpu: place for place, (_, cpu) in enumerate(self.rows)}
        there = sorted((places[stay.cpu], stay.cpu, stay.task.pid) for stay, _, _ in self.stays
                       if stay.begin < self.begin)
        come = [(event.cpu, event.pid) for event in self.trace.events
                if event.kind == "dispatch" and self.begin <= event.ns < self.end]
        # Those whose dispatch is missing come last.
        rest = [(stay.cpu, stay.task.pid) for stay, _, _ in self.stays]
        return [*((cpu, pid) for _, cpu, pid in there), *come, *rest]

    def _choose_rows(self, cpus):
        """On a large machine the cores on which tasks run, the first as long as there is room."""
        chosen, room = set(), ROWS
        for core in dict.fromkeys(self.trace.core_of(cpu) for cpu in cpus):
            size = len(self.trace.cores[core].cpus)
            if size <= room:
                chosen.add(core)
                room -= size
        total = len(self.rows)
        self.rows = [(core, cpu) for core, cpu in self.rows if core in chosen]
        self.hidden = total - len(self.rows)

    def _give_letters(self, pids):
        """The tasks that come first get letters, in the order of their pids."""
        pids = list(dict.fromkeys(pids))
        self.others = len(pids[len(LETTERS):])
        self.letters = dict(zip(sorted(pids[:len(LETTERS)]), LETTERS))
        self.names = {task.pid: task.name for task in self.trace.tasks}
        self.names.update((stay.task.pid, stay.task.name) for stay, _, _ in self.stays)

    def _edge(self, cell):
        return self.begin + (self.end - self.begin) * cell // CELLS

    def _spread(self, stretches):
        """[{key: ns}] for each cell, of (key, begin, end)."""
        cells = [{} for _ in range(CELLS)]
        span = self.end - self.begin
        for key, begin, end in stretches:
            for cell in range((begin - self.begin) * CELLS // span, CELLS):
                first, last = max(begin, self._edge(cell)), min(end, self._edge(cell + 1))
                if first >= end:
                    break
                if first < last:
                    cells[cell][key] = cells[cell].get(key, 0) + last - first
        return cells

    def _cells(self, cpu):
        """What each cell of a CPU shows, before anything is known of its neighbours."""
        ran = self._spread((self.letters.get(stay.task.pid, OTHERS), begin, end)
                           for stay, begin, end in self.stays if stay.cpu == cpu)
        unknown = self._spread((UNKNOWN, begin, end) for stretch, begin, end
                               in clip(self.trace.unknown, self.begin, self.end)
                               if stretch.cpu == cpu)
        return [self._judge(cell, ran[cell], unknown[cell]) for cell in range(CELLS)]

    def _judge(self, cell, ran, unknown):
        total, length = sum(ran.values()), self._edge(cell + 1) - self._edge(cell)
        if total < length - total or not total:
            if unknown:
                return UNKNOWN
            return MOSTLY_IDLE if total else IDLE
        # Of those that ran for equal times the first in the alphabet, those without letter last.
        return max(sorted(ran, key=(LETTERS + OTHERS).index), key=ran.get)

    def _row(self, index, cpu, cells):
        siblings = [cells[other] for core, other in self.rows if core == index and other != cpu]
        row = ""
        for cell, sign in enumerate(cells[cpu]):
            if sign in LETTERS + OTHERS and any(others[cell] in LETTERS + OTHERS
                                                for others in siblings):
                sign = OTHERS_SHARED if sign == OTHERS else sign.upper()
            row += sign
        is_first = (index, cpu) == min(each for each in self.rows if each[0] == index)
        name = self.trace.cores[index].label if is_first else ""
        return f"{name:8} cpu {cpu:<3} |{row}|"

    def _tasks(self):
        """The lines of the legend with the tasks."""
        line = ""
        for pid, letter in self.letters.items():
            entry = f"{letter}={pid} {self.names[pid]}"
            if line and len(line) + 2 + len(entry) > LEGEND_COLUMNS:
                yield line
                line = ""
            line += f", {entry}" if line else entry
        if line:
            yield line
        if self.others:
            yield "* more tasks; # on a core that is shared"

    def legend(self):
        if self.hidden:
            yield f"and {self.hidden} more CPUs"
        yield from self._tasks()
        yield SIGNS
        if any(UNKNOWN in line for line in self.lines):
            yield "? nobody knows: events are missing"

    def __str__(self):
        begin, end = milliseconds(self.begin), milliseconds(self.end)
        axis = " " * 18 + begin + end.rjust(CELLS - len(begin))
        return "\n".join([*self.lines, axis, *self.legend()])


def round_end(trace, each):
    """When the last task of a round ended; to say that the round was over took longer."""
    ends = [event.ns for event in trace.events
            if event.kind == "end" and each.begin < event.ns <= each.end]
    return ends[-1] if ends else each.end


def has_gaps(trace, each):
    """Whether events of a round found no room; that is said behind its trace."""
    after = min((other.line for other in trace.rounds if other.line > each.line), default=None)
    return any(each.line < line and (after is None or line < after)
               for line, _ in trace.drops)


def text_picture(trace, each):
    """The picture of a round under its name; an empty line follows."""
    picture = TextPicture(trace, each.begin, round_end(trace, each))
    gaps = ", with gaps where events found no room" if has_gaps(trace, each) else ""
    return f"Timeline of {each}{gaps}:\n{picture}\n"
