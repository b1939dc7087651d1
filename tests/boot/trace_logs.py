"""Serial logs with traces, made up: whole ones by the kernel's rules, for tests to damage."""

import random
from dataclasses import dataclass, field

FIRST = "tandem: version=0.1 arch=i686 log_format=1"
DIGEST = "52e5f9c9e6f656f3e1800dfa5579d089"


def cpu_records(cores, threads=2, packages=1):
    """`cpu:` records of packages * cores * threads CPUs, the threads of a core adjacent."""
    lines = []
    for cpu in range(packages * cores * threads):
        core = cpu // threads
        lines.append(f"cpu: cpu={cpu} apic_id={cpu:#x} package={core // cores} core={core} "
                     f"thread={cpu % threads} type=uniform state=online reason=\"\"")
    return lines


def trace(cpu, ns, kind, **more):
    """One trace record; `origin` stands for `from`, which Python keeps for itself."""
    words = [f"trace: cpu={cpu} ns={ns} event={kind}"]
    for key, value in more.items():
        key = "from" if key == "origin" else key
        words.append(f'{key}="{value}"' if isinstance(value, str) else f"{key}={value}")
    return " ".join(words)


def whole_log(*parts, cores=2, threads=2, packages=1):
    """A log of these lists of lines."""
    lines = [FIRST, *cpu_records(cores, threads, packages)]
    for part in parts:
        lines += part
    tasks = sum(line.startswith("task:") for line in lines)
    return "\n".join([*lines, f"summary: experiments=0 tasks={tasks} failed=0 faults=0 warnings=0 "
                      "lost=0", "end: status=ok code=0", ""])


@dataclass
class Account:
    """What the kernel would have counted of a task."""

    pid: int
    name: str
    left: int                # slices it still wants
    run_ns: int = 0
    switches: int = 0
    migrations: int = 0
    cpu: int = None          # that it ran on last
    cpus: set = field(default_factory=set)


class RandomRound:
    """A round in which tasks run on random CPUs for random times, as trace records."""

    def __init__(self, seed, what="pair naive round 1", cores=2, threads=2, tasks=3, start=1000,
                 first_pid=7):
        self.chance = random.Random(seed)
        self.what, self.threads = what, threads
        self.lines = [(start, trace(0, start, "mark", what=what))]
        self.running = [None] * (cores * threads)
        self.since = [0] * (cores * threads)
        names = ["md5 -t", "hog", "md5 -x"]
        self.accounts = [Account(first_pid + n, names[n % 3], self.chance.randrange(1, 6))
                         for n in range(tasks)]
        self.ns = start
        for account in self.accounts:
            self.add(0, "start", pid=account.pid, task=account.name)
            self.add(0, "wake", pid=account.pid, to=self.chance.randrange(len(self.running)))
        while any(account.left for account in self.accounts):
            self.step()
        self.add(0, "mark", what="end")

    def add(self, cpu, kind, **more):
        self.lines.append((self.ns, trace(cpu, self.ns, kind, **more)))

    def step(self):
        """Takes a task off a random CPU, or puts one on it."""
        self.ns += self.chance.choice((1, 900, 5000, 123456, 10_000_000))
        cpu = self.chance.randrange(len(self.running))
        if self.running[cpu] is not None:
            self.take_off(cpu)
        waiting = [account for account in self.accounts
                   if account.left and account not in self.running]
        if waiting:
            self.put_on(cpu, self.chance.choice(waiting))
        elif self.lines[-1][1].split()[1] == f"cpu={cpu}":
            self.add(cpu, "idle")

    def take_off(self, cpu):
        account, self.running[cpu] = self.running[cpu], None
        account.run_ns += self.ns - self.since[cpu]
        account.left -= 1
        kind = self.chance.choice(("preempt", "block")) if account.left else "end"
        self.add(cpu, kind, pid=account.pid)

    def put_on(self, cpu, account):
        more = {"origin": account.cpu} if account.cpu is not None else {}
        if more and account.cpu // self.threads != cpu // self.threads:
            self.add(cpu, "migrate", pid=account.pid, **more)
            account.migrations += 1
        self.add(cpu, "dispatch", pid=account.pid, **more)
        account.cpu, self.running[cpu], self.since[cpu] = cpu, account, self.ns
        account.switches += 1
        account.cpus.add(cpu)

    def records(self):
        """The lines of the dump, then the task records."""
        experiment, sched, _, number = self.what.split()[:4]
        tasks = [f'task: experiment={experiment} sched={sched} round={number} '
                 f'task="{account.name}" pid={account.pid} '
                 f'cpus={",".join(str(cpu) for cpu in sorted(account.cpus))} wall_us=0 '
                 f"run_us={account.run_ns // 1000} wait_us=0 shared_us=0 "
                 f"switches={account.switches} migrations={account.migrations} "
                 f"sibling_migrations=0 digest={DIGEST} ok=1" for account in self.accounts]
        return [line for _, line in self.lines] + tasks


def random_log(seed, rounds=2, cores=2, threads=2, tasks=3):
    """(text of a whole log, its RandomRounds)."""
    made, start, pid = [], 5000, 7
    for number in range(1, rounds + 1):
        for sched in ("naive", "smt"):
            made.append(RandomRound(seed * 1000 + len(made), f"pair {sched} round {number}", cores,
                                    threads, tasks, start, pid))
            start, pid = made[-1].ns + 1_000_000, pid + tasks
    return whole_log(*(each.records() for each in made), cores=cores, threads=threads), made
