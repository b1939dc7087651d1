"""Goes through the events of a trace and puts together what ran where and when.

Events may be missing. What follows from those that are there is used: a CPU that begins with one
task has ended with the one before, and a task that ends has begun when the CPU last became free.
What remains open is an Unknown stretch of that CPU, never a guess.
"""

import re
from dataclasses import dataclass

from tandem_log import Fault

from .parts import CUT, LOST, MISSING, NEXT, Interval, OnTheWay, Round, Task, Unknown

ROUND = re.compile(r"(\S+) (\S+) round (\d{1,9})(?: (.*))?")
ROUND_END = "end"
NO_NAME = "(unknown)"    # of a task whose start is not in the trace


class Travellers:
    """Counts the tasks that are on their way to a CPU.

    Such a task can run and does not, and an interrupt has been sent that its CPU has not answered
    yet. In an emulator that may take as long as a slice. One interrupt brings one task at most.
    """

    ANSWERS = ("dispatch", "preempt", "block", "end", "idle")

    def __init__(self):
        self.waiting = set()    # pids
        self.called = set()     # CPUs
        self.since = 0
        self.stretches = []

    def count(self):
        return min(len(self.waiting), len(self.called))

    def see(self, event):
        before = self.count()
        if event.kind in self.ANSWERS:
            self.called.discard(event.cpu)
        if event.kind in ("wake", "preempt"):
            self.waiting.add(event.pid)
        elif event.kind in ("dispatch", "block", "end"):
            self.waiting.discard(event.pid)
        elif event.kind == "mark":
            self.waiting.clear()
        elif event.kind == "ipi" and self.waiting:
            self.called.add(event.to)
        if not self.waiting:
            self.called.clear()
        if self.count() != before:
            if before and self.since < event.ns:
                self.stretches.append(OnTheWay(before, self.since, event.ns))
            self.since = event.ns


@dataclass
class State:
    """What is known of a CPU at some moment."""

    task: Task = None        # what it runs
    begin: int = 0           # since when, or since when nobody knows what it runs
    origin: int = None
    closed: int = None       # its last task was taken off at this time, and nothing came since


class Builder:
    """Goes through the events of a trace in order and fills in the rest of it."""

    def __init__(self, trace, names):
        self.trace = trace
        self.names = names
        self.drops = list(trace.drops)
        self.now = trace.begin
        self.seen = {}       # CPU -> time of its last event
        self.tasks = {}      # pid -> the Task that has it now
        self.states = {}     # CPU -> State
        self.places = {}     # pid -> CPU that runs it now
        self.round = None
        self.begun = False   # whether any round has begun
        self.travellers = Travellers()

    def build(self):
        for event in self.trace.events:
            self.pass_drops(event.line)
            self.now = event.ns
            getattr(self, f"on_{event.kind}", self.on_other)(event)
            self.travellers.see(event)
            # A mark finds room where others no longer do.
            if event.kind != "mark":
                self.seen[event.cpu] = event.ns
        self.pass_drops(None)
        self.finish()
        self.trace.on_the_way = self.travellers.stretches
        self.trace.intervals.sort(key=lambda interval: (interval.cpu, interval.begin))

    def fault(self, event, what):
        self.trace.faults.append(Fault(event.line, what))

    def task_of(self, pid):
        if pid not in self.tasks:
            self.tasks[pid] = Task(pid, self.names.get(pid, NO_NAME))
            self.trace.tasks.append(self.tasks[pid])
        return self.tasks[pid]

    def state_of(self, cpu):
        return self.states.setdefault(cpu, State(begin=self.trace.begin))

    def close(self, cpu, ns, why):
        """Ends what a CPU runs."""
        state = self.states[cpu]
        task = state.task
        self.trace.intervals.append(
            Interval(cpu, state.begin, ns, task, why, state.origin))
        task.run_ns += ns - state.begin
        task.complete = task.complete and why not in MISSING
        self.places.pop(task.pid, None)
        self.states[cpu] = State(begin=ns, closed=ns)

    def pass_drops(self, line):
        """Carries out the drops that stand before a line (None: all that are left)."""
        while self.drops and (line is None or self.drops[0][0] < line):
            self.drop(self.drops.pop(0)[1])

    def drop(self, cpu):
        """Between its last event and the end of this dump nobody knows what a CPU did."""
        since = self.seen.get(cpu, self.trace.begin)
        if self.state_of(cpu).task:
            self.close(cpu, since, LOST)
        if since < self.now:
            self.trace.unknown.append(Unknown(cpu, since, self.now))
        self.states[cpu] = State(begin=self.now)
        self.seen[cpu] = self.now

    # ---- one method for each kind of event -------------------------------------------------

    def on_start(self, event):
        running = self.places.get(event.pid)
        if running is not None:
            self.fault(event, f"pid {event.pid} starts while it runs on CPU {running}")
            self.close(running, event.ns, NEXT)
        known = self.tasks.pop(event.pid, None)
        # Only one that has run is another task: of this one the wake-up came first.
        if known and not known.dispatches:
            known.name = event.text
            self.tasks[event.pid] = known
            return
        self.names[event.pid] = event.text
        self.task_of(event.pid)

    def on_dispatch(self, event):
        state = self.state_of(event.cpu)
        if state.task:
            self.fault(event, f"CPU {event.cpu} begins to run pid {event.pid} and has not ended "
                       f"{state.task}")
            self.close(event.cpu, event.ns, NEXT)
        elsewhere = self.places.get(event.pid)
        if elsewhere is not None:
            self.fault(event, f"pid {event.pid} begins on CPU {event.cpu} and has not ended on "
                       f"CPU {elsewhere}")
            self.close(elsewhere, event.ns, NEXT)
        task = self.task_of(event.pid)
        task.dispatches += 1
        self.states[event.cpu] = State(task, event.ns, event.origin)
        self.places[event.pid] = event.cpu

    def on_close(self, event):
        state = self.state_of(event.cpu)
        if state.task and state.task.pid == event.pid:
            self.close(event.cpu, event.ns, event.kind)
            return
        task = self.task_of(event.pid)
        task.complete = False
        self.fault(event, f"pid {event.pid} ends on CPU {event.cpu}, where it had not begun")
        if state.task:
            self.close(event.cpu, event.ns, NEXT)
        elif state.closed is not None and self.places.get(event.pid) is None:
            # Something else was taken off the CPU before, so it ran this from then on.
            self.states[event.cpu] = State(task, state.closed)
            self.close(event.cpu, event.ns, event.kind)
        else:
            self.trace.unknown.append(Unknown(event.cpu, state.begin, event.ns))
            self.states[event.cpu] = State(begin=event.ns, closed=event.ns)

    on_preempt = on_block = on_end = on_close

    def on_idle(self, event):
        state = self.state_of(event.cpu)
        if state.task:
            self.fault(event, f"CPU {event.cpu} is idle and has not ended {state.task}")
            self.close(event.cpu, event.ns, NEXT)
        self.states[event.cpu] = State(begin=event.ns)

    def on_wake(self, event):
        self.task_of(event.pid)

    def on_migrate(self, event):
        self.task_of(event.pid).migrations += 1

    def on_other(self, event):
        """Interrupts and faults of tasks are in `events`, and change nothing here."""

    def on_mark(self, event):
        match = ROUND.fullmatch(event.text)
        if match:
            self.end_round(event, "another round begins")
            experiment, sched, number, part = match.groups()
            self.round = Round(experiment, sched, int(number), part or "", event.ns, event.ns,
                               event.line)
            self.trace.rounds.append(self.round)
            self.begun = True
        elif event.text == ROUND_END:
            if self.round is None:
                self.fault(event, "a round ends that has not begun")
            else:
                self.round.end = event.ns
            self.round = None

    def end_round(self, event, why):
        """Ends a round whose end is not in the trace."""
        if self.round is not None:
            self.fault(event, f"{self.round} has no end: {why}")
            self.round.end = event.ns
            self.round = None

    def finish(self):
        last = self.trace.events[-1]
        for cpu, state in self.states.items():
            if state.task:
                self.fault(last, f"the trace ends while CPU {cpu} runs {state.task}")
                self.close(cpu, last.ns, CUT)
        self.end_round(last, "the trace ends")
        if not self.begun:
            self.fault(last, "no round in it; all of it is shown as one")
            self.trace.rounds.append(Round("trace", "-", 0, "", self.trace.begin, self.trace.end,
                                           self.trace.events[0].line))
