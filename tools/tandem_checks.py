"""Whether the records of one boot fit together: what is missing though no line is damaged.

Part of tandem_log.py, which see.
"""

LOG_FORMAT = 1
# Every boot with a result has these.
NEEDED = ("boot", "timer", "topology")
# (tag, key, tag of the records that it counts, what those have)
COUNTS = (("topology", "cores", "core", {}), ("topology", "cpus", "cpu", {"state": "online"}),
          ("summary", "tasks", "task exec", {}), ("summary", "faults", "fault", {}),
          ("summary", "warnings", "warning", {}), ("summary", "errors", "error", {}),
          ("summary", "experiments", "result", {}))


def check(boot):
    """Yields (record, what is wrong) of a Boot."""
    first = boot.records[0]
    if first.get("log_format", LOG_FORMAT) != LOG_FORMAT:
        yield first, f"log_format={first['log_format']} is not known here"
    lost = [record for record in boot.whole("summary") if record["lost"] != 0]
    for record in lost:
        yield record, f"the kernel lost {record['lost']} bytes of its log"
    if first.tag == "tandem" and not lost:
        yield from check_counts(boot)
        yield from check_order(boot)


def check_counts(boot):
    """Fewer records than another one says, as when whole lines are lost."""
    for tag, key, counted, wanted in COUNTS:
        for record in boot.whole(tag):
            found = sum(len(boot.of(each, **wanted)) for each in counted.split())
            if record.get(key, 0) > found:
                names = " or ".join(f"`{each}:`" for each in counted.split())
                yield record, f"says {key}={record[key]}, but there are {found} {names}"
    cpus = boot.of("cpu")
    if all(cpu.whole for cpu in cpus):
        numbers = {cpu["cpu"] for cpu in cpus}
        for cpu in cpus:
            if cpu["cpu"] > 0 and cpu["cpu"] - 1 not in numbers:
                yield cpu, f"but none with cpu={cpu['cpu'] - 1} before it"


def check_order(boot):
    """Results need the run that they belong to, and what all boots print before."""
    results = boot.whole("result")
    if not results:
        return
    for tag in NEEDED:
        if not boot.of(tag):
            yield results[0], f"but no `{tag}:` before it"
    if boot.ended and not boot.of("panic") and not boot.of("summary"):
        yield boot.records[-1], "but no `summary:` before it"
    runs = boot.of("run")
    known = {(run["experiment"], run["sched"]) for run in runs if run.whole}
    for result in results if all(run.whole for run in runs) else []:
        if (result["experiment"], result["sched"]) not in known:
            yield result, f"but no `run:` of {result['experiment']}, {result['sched']} before it"
