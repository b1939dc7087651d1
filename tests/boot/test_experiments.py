"""All experiments, as their records tell of them: each runs or says why not, under every policy.

Only what holds on a loaded host is asserted of QEMU: what ran where, counts, order. How long things
take is asserted of Bochs, whose machine is exact (test_exact.py has more of that).
"""

import re

import pytest

POLICIES = ["naive", "smt", "nosmt", "core"]
EXPERIMENTS = ["solo", "pair", "siblings", "same_cpu", "peg", "fill", "slice", "oversub", "memory",
               "migrate", "pause", "interleave", "module"]
JOBS = 16
ROUNDS = 2
# A CPU model with small caches, so that the buffers that must exceed them are soon filled; one host
# CPU each, so that nothing but what is asked for makes a result unreliable.
ALL = (f"run=all sched={','.join(POLICIES)} blocks=300 rounds={ROUNDS} tasks={JOBS} groups=2 "
       "host_cpus=4 sharing=none smt_model=1.50 slice=2ms")
KINDS = ("md5", "chase", "mixed")
PAIRS = ("int_int", "simd_simd", "x87_x87", "int_simd", "simd_int", "int_x87", "x87_int")
VARIANTS = {   # of two cores of two threads
    "slice": {"slice_10ms", "slice_1ms"},
    "oversub": {"j1", "j2", "j4", "j8", f"j{JOBS}"},
    "memory": {f"{a}_{b}_{where}" for a in KINDS for b in KINDS for where in ("sibling", "core")},
    "migrate": {"same_cpu", "sibling", "core"},
    "pause": {"together", "other_paused", "resumed"},
    "interleave": {f"{kind}_{way}" for kind in ("md5", "chase")
                   for way in ("one_task", "siblings", "turns")},
    "module": {f"{pair}_sibling" for pair in PAIRS},
}
MACHINES = {   # what else runs, and why an experiment, or a variant of it, is left out
    (1, 1, 1): {"siblings": "no core has two threads", "pause": "no core has two threads",
                "module": "no core has two threads", "memory": "only one CPU",
                ("migrate", "sibling"): "no core has two threads",
                ("migrate", "core"): "no second core", ("migrate", "package"): "no second package",
                ("interleave", "md5_siblings"): "no core has two threads",
                ("interleave", "chase_siblings"): "no core has two threads"},
    (1, 3, 2): {("migrate", "package"): "no second package"},
    (2, 1, 2): {("migrate", "core"): "no second core"},
}


@pytest.fixture(name="log", scope="module")
def fixture_log(booter):
    return booter(ALL, cpu="n270", limit_s=400)


def cores_of(log, cpus):
    return {log.one("cpu", cpu=cpu)["core"] for cpu in cpus}


def results(log, experiment, sched):
    return log.of("result", experiment=experiment, sched=sched)


def test_all_end_well(log):
    assert log.outcome.passed
    assert log.faults == []
    assert log.of("task", ok=0) == []
    assert log.of("warning") == []


@pytest.mark.parametrize("sched", POLICIES)
def test_every_experiment_runs(log, sched):
    assert [run["experiment"] for run in log.of("run", sched=sched)] == EXPERIMENTS
    for experiment in EXPERIMENTS:
        found = {result.get("variant", "") for result in results(log, experiment, sched)}
        assert found == VARIANTS.get(experiment, {""})


def test_what_cannot_be_done_has_a_reason(log):
    assert {(skip["experiment"], skip["variant"], skip["reason"]) for skip in log.of("skip")} == \
        {("migrate", "package", "no second package")}


def test_each_begins_with_a_question_and_ends_with_what_it_means(log):
    """A question, `run:`, rounds, results, and then one sentence, which says if it is worthless."""
    lines = log.outcome.serial.decode().splitlines()
    for run in log.of("run"):
        assert re.fullmatch(rf"{run['experiment']}, scheduler {run['sched']}: .*\?",
                            lines[run.line - 2])
        last = results(log, run["experiment"], run["sched"])[-1]
        after = [line for line in lines[last.line:last.line + 20]
                 if re.match(r"Meaning: |Not to be relied on \(", line)]
        reliable = all(result["reliable"] for result in
                       results(log, run["experiment"], run["sched"]))
        assert after and after[0].endswith("."), run.text
        assert after[0].startswith("Meaning: ") == reliable, run.text


def test_rounds_are_numbered_and_counted(log):
    for run in log.of("run"):
        wanted = {"experiment": run["experiment"], "sched": run["sched"]}
        assert [r["round"] for r in log.of("round", **wanted)] == list(range(1, ROUNDS + 1))
        assert {result["rounds"] for result in log.of("result", **wanted)} == {ROUNDS}


def test_the_middle_lies_between_the_ends(log):
    for result in log.of("result"):
        assert 0 < result["min_us"] <= result["median_us"] <= result["max_us"], result.text
        assert result["ratio_min"] <= result["ratio_median"] <= result["ratio_max"], result.text
        assert result["spread_percent"] >= 0


def test_table_fits_a_terminal(log):
    lines = log.outcome.serial.decode().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("Times as multiples"))
    assert max(len(line) for line in lines[start:]
               if not re.match(r"[a-z]+: [a-z]+=", line)) <= 80


# ---- reliability ----------------------------------------------------------------------------

def test_emulated_caches_are_said_to_be(log):
    about_caches = [r for r in log.of("result", experiment="memory") if "md5_md5" not in
                    r["variant"]] + log.of("result", experiment="migrate") + \
        [r for r in log.of("result", experiment="interleave") if r["streams"] == "chase"]
    assert about_caches
    for result in about_caches:
        assert result["reliable"] == 0, result.text
        assert result["reason"] == "this emulator has no caches of its own", result.text


def test_unreliable_results_have_a_reason_and_no_others(log):
    for result in log.of("result"):
        assert ("reason" in result) == (result["reliable"] == 0), result.text


@pytest.mark.parametrize("words,reason", [
    ("", "nobody said how many CPUs the emulator has"),
    ("host_cpus=2 sharing=none", "the emulator has fewer CPUs than the guest keeps busy"),
    ("host_cpus=1", "the emulator has fewer CPUs than the guest keeps busy"),
    ("host_cpus=1 sharing=host_cpu", "the machine has more cores than the emulator has CPUs"),
    ("host_cpus=4 sharing=none", "in this emulator the CPUs of one core share nothing"),
    ("host_cpus=2 sharing=host_cpu smt_model=1.5",
     "the model of a shared core on top of real sharing"),
])
def test_conditions_that_make_times_worthless(boot, words, reason):
    log = boot(f"run=fill sched=smt blocks=20 rounds=1 {words}")
    result = log.one("result", experiment="fill")
    assert (result["reliable"], result["reason"]) == (0, reason)


# ---- what ran where -------------------------------------------------------------------------

def test_nothing_shares_a_core_under_nosmt(log):
    assert {task["shared_us"] for task in log.of("task", sched="nosmt")} == {0}
    assert {result["shared_percent"] for result in log.of("result", sched="nosmt")} == {0}


def test_strangers_share_no_core(log):
    """Of the two tasks of each of these one is in either group."""
    for experiment in ("pair", "siblings"):
        tasks = log.of("task", experiment=experiment, sched="core")
        assert {task["group"] for task in tasks} == {0, 1}
        assert {task["shared_us"] for task in tasks} == {0}
    assert log.one("result", experiment="siblings", sched="core")["forced_idle_us"] > 0


def test_only_the_policy_for_strangers_leaves_cpus_idle(log):
    for sched in ("naive", "smt", "nosmt"):
        assert {r["forced_idle_us"] for r in log.of("result", sched=sched)} == {0}


def test_tasks_that_trust_each_other_share(boot):
    log = boot("run=siblings sched=core blocks=300 rounds=1 smt_model=1.5")
    assert {task["group"] for task in log.of("task")} == {0}
    assert log.one("result", experiment="siblings")["shared_percent"] > 0
    assert log.one("result", experiment="siblings")["forced_idle_us"] == 0


@pytest.mark.parametrize("sched", POLICIES)
def test_oversub_does_the_same_work_each_time(log, sched):
    for variant in VARIANTS["oversub"]:
        tasks = log.of("task", experiment="oversub", sched=sched, variant=variant)
        assert len(tasks) == ROUNDS * JOBS
    alone = log.of("task", experiment="oversub", sched=sched, variant="j1")
    assert {task["shared_us"] for task in alone} == {0}


def test_a_pause_is_time_in_which_nothing_runs(log):
    """On a loaded host a task may have ended before its pause comes, but not always."""
    tasks = log.of("task", experiment="pair") + log.of("task", experiment="pause")
    paused = {task["variant"] for task in tasks if task["blocked_us"] > 0}
    assert paused == {"resumed"}


@pytest.mark.parametrize("sched", POLICIES)
@pytest.mark.parametrize("variant,cpus,cores,moves", [
    ("same_cpu", 1, 1, (0, 0)), ("sibling", 2, 1, (0, 1)), ("core", 2, 2, (1, 0))])
def test_a_task_goes_on_where_it_is_sent(log, sched, variant, cpus, cores, moves):
    for task in log.of("task", experiment="migrate", sched=sched, variant=variant):
        assert len(task["cpus"]) == cpus, task.text
        assert len(cores_of(log, task["cpus"])) == cores, task.text
        assert (task["migrations"], task["sibling_migrations"]) == moves, task.text


@pytest.mark.parametrize("experiment", ["memory", "module"])
def test_what_is_measured_stays_where_it_was_put(log, experiment):
    for task in log.of("task", experiment=experiment, sched="smt"):
        assert len(task["cpus"]) == 1, task.text
        if task["variant"].endswith("_sibling") and task["run_us"] > 4000:
            assert task["shared_us"] > task["run_us"] // 2, task.text
        if task["variant"].endswith("_core"):
            assert task["shared_us"] == 0, task.text


def test_buffers_are_larger_than_the_cache(log):
    buffers = log.one("buffers")
    assert buffers["cache_kib"] == max(cache["kib"] for cache in log.of("cache"))
    assert buffers["kib"] > buffers["cache_kib"]
    assert {result["kib"] for result in log.of("result", experiment="memory")} == {buffers["kib"]}


def test_buffers_stay_within_memory(boot):
    log = boot("run=memory sched=smt blocks=20 rounds=1", cpu="Nehalem", mem="32M", limit_s=200)
    buffers = log.one("buffers")
    assert buffers["kib"] < log.one("memory")["free_kib"] // 2 < buffers["cache_kib"]
    assert log.outcome.passed


@pytest.mark.parametrize("sched", POLICIES)
def test_short_slices_cost_more_switches(log, sched):
    long, short = (log.one("result", experiment="slice", sched=sched, variant=variant)
                   for variant in ("slice_10ms", "slice_1ms"))
    assert (long["slice_us"], short["slice_us"]) == (10000, 1000)
    assert long["switch_ns"] == short["switch_ns"] > 0
    assert short["lost_ppm"] > long["lost_ppm"] > 0
    for result in (long, short):
        assert result["wait_us"] <= result["wait_max_us"], result.text
        assert result["wait_mean_us"] <= result["wait_max_us"], result.text


# ---- other machines -------------------------------------------------------------------------

@pytest.mark.parametrize("smp", MACHINES)
def test_each_by_name_on_other_machines(boot, smp):
    log = boot(f"run={','.join(EXPERIMENTS)} sched=smt blocks=50 rounds=1 tasks={JOBS}", smp=smp,
               cpu="n270", limit_s=300)
    assert log.outcome.passed
    assert log.of("task", ok=0) == []
    skipped = {(skip["experiment"], skip["variant"]) if "variant" in skip else skip["experiment"]:
               skip["reason"] for skip in log.of("skip")}
    assert skipped == MACHINES[smp]
    assert [run["experiment"] for run in log.of("run")] == \
        [name for name in EXPERIMENTS if name not in skipped]


def test_what_the_cpu_cannot_compute_is_left_out(boot):
    log = boot("run=module sched=smt blocks=50 rounds=1",
               cpu="Nehalem,mmx=off,sse=off,sse2=off,ssse3=off,sse4.1=off,sse4.2=off,fxsr=off")
    assert log.outcome.passed
    skip = log.one("skip")
    assert (skip["experiment"], skip["variant"]) == ("module", "simd")
    assert {result["variant"] for result in log.of("result", experiment="module")} == \
        {"int_int_sibling", "x87_x87_sibling", "int_x87_sibling", "x87_int_sibling"}


def test_oversub_follows_the_number_of_cores(boot):
    log = boot(f"run=oversub sched=smt blocks=50 rounds=1 tasks={JOBS}", smp=(1, 3, 2), cpu="n270")
    assert [result["j"] for result in log.of("result", experiment="oversub")] == [1, 3, 6, 12, JOBS]
