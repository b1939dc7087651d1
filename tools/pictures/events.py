"""The `trace:` records of one boot as events in order of time, without what damage made of them.

Logs come over cables, so nothing in a record is believed before it is checked: an event that lacks
what its kind needs, or has only part of it, that is there twice, or whose time does not fit in with the others, is left
out, and each is a fault.
"""

import bisect
import re
from dataclasses import dataclass

from tandem_log import Fault

# What an event of each kind needs beside cpu, ns and event.
NEEDS = {
    "start": ("pid", "task"), "wake": ("pid",), "dispatch": ("pid",), "preempt": ("pid",),
    "block": ("pid",), "end": ("pid",), "migrate": ("pid",), "idle": (), "ipi": ("to",),
    "fault": ("pid", "vector"), "mark": ("what",),
}
OPTIONAL = ("from",)    # tells more of a kind that does without it
# Beyond these a number is damage: more CPUs than the kernel or its simulator have, and 292 years.
MAX_CPUS = 4096
LIMITS = {"cpu": MAX_CPUS, "to": MAX_CPUS, "from": MAX_CPUS, "ns": 1 << 63, "pid": 1 << 32,
          "vector": 1 << 8}
TEXTS = ("task", "what")


@dataclass(frozen=True)
class Event:
    """One trace record; what a kind does not have is None."""

    line: int
    cpu: int
    ns: int
    kind: str
    pid: int = None
    to: int = None
    origin: int = None    # `from`
    vector: int = None
    text: str = None      # `task` or `what`

    @property
    def content(self):
        """Everything but the place in the log."""
        return (self.ns, self.cpu, self.kind, self.pid, self.to, self.origin, self.vector,
                self.text)


def is_legible(record, key):
    """Whether the value of a key is all of what was there, in a record that damage has touched.

    It is not where anything but the next key comes after it, and where there is another one.
    """
    values = re.findall(rf' {key}=("[^"]*"|[^" ]+)(?= [a-z][a-z0-9_]*=|$)', record.text)
    return len(values) == record.text.count(f" {key}=") == 1


def trouble_of(record):
    """What is wrong with a trace record, or None."""
    kind = record.get("event")
    if kind not in NEEDS:
        return f"unknown event {kind!r}" if kind is not None else "lacks event"
    missing = [key for key in ("cpu", "ns", *NEEDS[kind]) if key not in record]
    if missing:
        return f"event={kind} lacks {', '.join(missing)}"
    if not record.whole:
        doubtful = [key for key in ("cpu", "ns", "event", *NEEDS[kind], *OPTIONAL)
                    if key in record and not is_legible(record, key)]
        if doubtful:
            return f"event={kind} has been damaged in {', '.join(doubtful)}"
    for key, limit in LIMITS.items():
        value = record.get(key, 0)
        if not isinstance(value, int) or not 0 <= value < limit:
            return f"{key}={str(value)[:24]} is no number that can be"
    return None


def event_of(record):
    """The Event of a record without trouble."""
    text = next((str(record[key]) for key in TEXTS if key in record), None)
    return Event(record.line, record["cpu"], record["ns"], record["event"], record.get("pid"),
                 record.get("to"), record.get("from"), record.get("vector"), text)


def in_order(events):
    """The longest part of the events in which time never goes back, and the events not in it.

    So one damaged time costs one event, whether it is too early or too late.
    """
    ends, places, before = [], [], [None] * len(events)
    for place, event in enumerate(events):
        length = bisect.bisect_right(ends, event.ns)
        before[place] = places[length - 1] if length else None
        ends[length:length + 1] = [event.ns]
        places[length:length + 1] = [place]
    kept, place = set(), places[-1] if places else None
    while place is not None:
        kept.add(place)
        place = before[place]
    return ([event for place, event in enumerate(events) if place in kept],
            [event for place, event in enumerate(events) if place not in kept])


def without_repeats(events):
    """The events without those that are there twice at the same time, and the latter."""
    seen, kept, repeated = set(), [], []
    for event in events:
        (repeated if event.content in seen else kept).append(event)
        seen.add(event.content)
    return kept, repeated


def read_events(boot):
    """(events in order of time, faults) of a tandem_log.Boot."""
    events, faults = [], []
    for record in boot.records:
        if record.tag != "trace":
            continue
        trouble = trouble_of(record)
        if not record.whole and record is boot.records[-1]:
            trouble = trouble or "is cut off, or may be"
        if trouble:
            faults.append(Fault(record.line, f"`trace:` {trouble}; left out"))
        else:
            events.append(event_of(record))
    events, strays = in_order(events)
    events, repeated = without_repeats(events)
    faults += [Fault(event.line, f"`trace:` ns={event.ns} does not fit in with the lines around "
                     "it; left out") for event in strays]
    faults += [Fault(event.line, "`trace:` line is there twice") for event in repeated]
    return events, faults
