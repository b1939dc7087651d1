"""The experiments in plain English, and the figures of the article that began all this.

The article ran `md5 -t` on two machines with hyperthreads: an i7, and a small Atom. Its figures
are kept here as text for the tables and as numbers for the marks in the charts; the kernel's own
table (kernel/experiment/experiments.c) says the same.
"""

from dataclasses import dataclass


TASK = "task"
ROUND = "round"         # from the start of its tasks to the end of the last
NOT_IN_LOG = "part"     # of a task; the log has the smallest, the median and the largest


@dataclass(frozen=True)
class Experiment:
    """What to say about one experiment, whatever it measures."""

    what: str                 # what runs
    read: str                 # how to read the picture
    article: str = ""         # the article's figures; empty: it has none
    article_batches: str = ""
    marks: tuple = ()         # (name, ratio) of the article, for the chart
    sample: str = TASK        # what its ratios are the times of
    unit: str = "time, as a multiple of one task alone"


EXPERIMENTS = {
    "solo": Experiment(
        "One task has the whole machine to itself.",
        "All dots should lie on 1.00. Where they spread, something else used the machine, and "
        "nothing below can be trusted.", "i7 2.0 s, Atom 0.4 s"),
    "pair": Experiment(
        "Two tasks start at once, and the scheduler chooses a CPU for each.",
        "At 1.00 a task had a core of its own. Further to the right it shared one, while another "
        "core was idle.", "1.00 Windows 7", marks=(("Windows 7", 1.00),)),
    "siblings": Experiment(
        "Two tasks are pinned to the two threads of one core.",
        "How far the boxes are from 1.00 is the price of sharing a core. At 2.00 the second "
        "thread would bring nothing.", "1.15 i7, 1.50 Atom",
        marks=(("i7", 1.15), ("Atom", 1.50))),
    "same_cpu": Experiment(
        "Two tasks are pinned to one logical CPU and take turns.",
        "The one that ends last takes twice its time alone. With few time slices the other one "
        "may end long before it.", "1.75 i7", marks=(("i7", 1.75),)),
    "peg": Experiment(
        "A task that never ends keeps one CPU busy. Then one more task is started, again and "
        "again, at random moments.",
        "Two heaps mean luck of the draw: some runs got a core of their own, others landed "
        "beside the hog.", "1.00 or 1.50 Atom", marks=(("Atom", 1.00), ("Atom", 1.50))),
    "fill": Experiment(
        "Twice as many tasks as cores: all at once, and in batches of one task a core.",
        "In batches every task takes its time alone, but the second batch has to wait for the "
        "first. All at once, every task is slower, and the whole may still be done sooner.",
        "1.50 Atom", "2.00 Atom", marks=(("Atom", 1.50),)),
    "slice": Experiment(
        "Every CPU is busy, and a job of one millisecond arrives.",
        "Short time slices let the job in sooner, and cost more switches."),
    "oversub": Experiment(
        "The same amount of work, a given number of tasks at a time, as in make -j.",
        "More tasks at a time than CPUs should not make the whole faster; they only wait longer "
        "for their turn."),
    "memory": Experiment(
        "Pairs of programs on two threads of one core, and on two cores: md5 computes, chase "
        "waits for memory, mixed does both.",
        "A second thread is worth most where the first one waits."),
    "migrate": Experiment(
        "A task with its data in the cache sleeps, and goes on at the same CPU, at the sibling, on "
        "another core.",
        "The first pass over its data after the move. Threads of one core share its caches, so a "
        "move between them should cost nearly nothing.", sample=NOT_IN_LOG,
        unit="time, as a multiple of a pass with warm caches"),
    "pause": Experiment(
        "Two tasks on the threads of one core; one is paused, then the other.",
        "The speed of a task from the moment at which it has the core to itself, as the time that "
        "its whole work would take. While its neighbour sleeps, a task should run as if alone.",
        sample=NOT_IN_LOG),
    "interleave": Experiment(
        "Two streams of work: interleaved inside one task, on the two threads of a core, and by "
        "turns on one CPU.",
        "What a hyperthread does is what a program can do by hand: it goes on with the other "
        "stream while the first one waits.", sample=ROUND,
        unit="time of both streams, as a multiple of one alone"),
    "module": Experiment(
        "Pairs of tasks that use the integer units, and the floating-point and SIMD units.",
        "Where only floating-point pairs suffer, the two CPUs are a module that shares just those "
        "units; where all suffer, they are threads of one core."),
}
UNKNOWN = Experiment("", "Each dot is one task.")

POLICIES = {
    "naive": "knows nothing of cores: all CPUs are alike, and an idle one is drawn by lot",
    "smt": "fills idle cores first, then idle threads, and takes turns at sharing",
    "nosmt": "uses one thread of each core only",
    "core": "lets only tasks of one group run on a core at the same time",
}

SHARES = {
    "none": "share nothing: each CPU is a core",
    "smt": "are threads of it and share all of it (shares=smt)",
    "module": "are a module and share its front end and floating-point unit (shares=module)",
}

PLATFORMS = {
    "bare": "On real hardware",
    "qemu": "In QEMU, an emulator",
    "kvm": "In a virtual machine, on the host's CPUs (KVM)",
    "bochs": "In Bochs, an emulator with exact virtual time",
    "vmware": "In a virtual machine (VMware)",
    "hyperv": "In a virtual machine (Hyper-V)",
    "virtualbox": "In a virtual machine (VirtualBox)",
}

CONDITIONS = {
    "rounds": "measured rounds of each experiment",
    "slice_us": "microseconds a task may run before another gets its turn",
    "smt_model": "how many times slower the kernel makes a task while it shares its core; off: "
                 "nothing is imitated",
    "blocks": "blocks of 10000 bytes that one md5 -t works through (the article: 10000)",
    "groups": "groups that the tasks are dealt to; only the policy core tells them apart",
    "platform": "what the kernel ran on; bare is real hardware",
    "host_cpus": "CPUs of the host that play the guest's cores; 0: nobody said",
    "sharing": "what the threads of one guest core share on the host: host_cpu is one CPU by "
               "turns, host_smt two real threads",
}


def describe(name):
    return EXPERIMENTS.get(name, UNKNOWN)
