"""The programs of user/, run one by one by `exec=`: their results, their arguments, their memory; and
the FPU registers of tasks, on CPUs that save them in different ways."""

import struct

import pytest

import program_results as expected

# How the registers of tasks are saved, and a QEMU model that does it so.
FPU_MODELS = {
    "fxsave": "Nehalem",
    "fxsave, AMD's": "Opteron_G4",
    "fxsave without SSE": "pentium2",
    "fnsave": "pentium3,-fxsr,-sse",
}
NO_FPU = "pentium3,-fpu"
ONE = (1, 2, 1)


def run(boot, *commands, **machine):
    """The exec records of these commands, in their order, and the log."""
    machine.setdefault("smp", ONE)
    log = boot(f'run=none exec="{"; ".join(commands)}"', **machine)
    return log.of("exec"), log


def statuses(records):
    return [(record["status"], record["faulted"]) for record in records]


# ---- results -------------------------------------------------------------------------------------

COMPUTE = {"int -n 3": expected.int_(3), "simd -n 3": expected.simd(3), "x87 -n 3": expected.x87(3),
           "job -n 20": expected.job(20), "pairmd5 -n 7": expected.pairmd5(7),
           "mixed -k 64 -n 30": expected.mixed(64, 30), "int -n 0": expected.int_(0)}


@pytest.mark.parametrize("cpu", ["Nehalem", "n270", "pentium2"])
def test_fixed_work_has_the_result_it_must_have(boot, cpu):
    records, log = run(boot, *COMPUTE, cpu=cpu)
    assert {record["task"]: str(record["result"]) for record in records} == COMPUTE
    assert set(statuses(records)) == {(0, 0)}
    assert log.outcome.status == 33


def test_bochs_computes_the_same(boot):
    records, _ = run(boot, *COMPUTE, emulator="bochs", smp=(1, 1, 1), limit_s=120)
    assert {record["task"]: str(record["result"]) for record in records} == COMPUTE


def chase_result(record):
    return struct.unpack("<IIQ", bytes.fromhex(record["result"]))


def test_chase_ends_where_it_must(boot):
    records, _ = run(boot, "chase -k 64 -n 5000", "chase -k 64 -n 5000 -s 77",
                     "chase -n 4999 -2 -k 64", "chase -k 1 -n 0", "chase -k 2048 -n 1")
    assert statuses(records) == [(0, 0)] * 5
    assert [chase_result(record)[:2] for record in records] == [
        (expected.chase_position(64, 5000), 5000),
        (expected.chase_position(64, 5000, seed=77), 5000),
        (expected.chase_position(64, 4999, two=True), 4999),
        (expected.chase_position(1, 0), 0),
        (expected.chase_position(2048, 1), 1),
    ]


def test_chase_times_its_steps(boot):
    """Ten times as many loads take longer; times are not compared with anything else."""
    records, _ = run(boot, "chase -k 64 -n 20000", "chase -k 64 -n 2000000",
                     extra=("-icount", "shift=0,sleep=off"))
    short, long = (chase_result(record)[2] for record in records)
    assert long == pytest.approx(100 * short, rel=0.02)


def test_passes_come_back_and_take_time(boot):
    records, _ = run(boot, "passes -k 64 -z 3000", "passes -k 1 -z 0")
    for record, lines in zip(records, (1024, 16)):
        warm, first, second, check = struct.unpack("<4I", bytes.fromhex(record["result"]))
        assert check == lines
        assert warm > 0 and second > 0   # alone, it stays where it is
        assert first > 0
    assert records[0]["wall_us"] - records[0]["run_us"] >= 2900   # it slept


# ---- arguments -----------------------------------------------------------------------------------

BAD = ["chase", "chase -k 4", "chase -k 0 -n 1", "chase -k 4 -n 1 -x", "chase -k 4 -n 1 -2 -2",
       "mixed -k 4 -n 1 9", "passes -k 4", "int", "int -n", "int -n 1x", "int -n 4000001",
       "x87 -n -1", "simd -n 1 -n 1", "job n 1", "pairmd5 -n 0", "fpu -n 1"]


def test_bad_arguments_end_with_status_2_and_say_the_usage(boot):
    for commands in (BAD[:8], BAD[8:]):
        records, log = run(boot, *commands)
        assert [record["task"] for record in records] == commands
        assert set(statuses(records)) == {(2, 0)}
        assert [line.split()[1] for line in log.text if line.startswith("usage:")] == [
            command.split()[0] for command in commands]
        assert log.outcome.status == 33


@pytest.mark.parametrize("command,what", [
    ("nonsense -k 1", "no such program"), ("", "no command"), ("int 1 2 3 4 5 6 7 8", "too long"),
    ("arena -k 4000000", "no memory"), ("arena -k 4294967295", "no memory")])
def test_what_cannot_be_run_is_said(boot, command, what):
    records, log = run(boot, command, "int -n 0")
    assert what in log.one("error")["what"]
    assert statuses(records) == [(0, 0)]     # and the next one runs
    assert log.outcome.status == 35


# ---- the arena -----------------------------------------------------------------------------------


def test_arena_is_empty_and_readable_by_the_kernel(boot):
    """Again after others have written to the same memory."""
    commands = ["arena -k 8192", "chase -k 8192 -n 1", "arena -k 8192", "arena -k 1"]
    records, log = run(boot, *commands)
    assert statuses(records) == [(0, 0)] * 4
    sizes = [struct.unpack("<II", bytes.fromhex(r["result"])) for r in records if r["task"] != commands[1]]
    assert sizes == [(0x40200000, 8 << 20), (0x40200000, 8 << 20), (0x40200000, 2 << 20)]
    assert log.text.count("arena: this text lies in the arena") == 6


def test_arena_is_given_back(boot):
    """Four times most of the machine's memory."""
    records, log = run(boot, *["arena -k 40000"] * 4, mem="64M")
    assert statuses(records) == [(0, 0)] * 4
    assert not log.of("error")


def test_behind_the_arena_is_nothing(boot):
    records, log = run(boot, "arena -k 2049 -x")
    assert statuses(records) == [(-1, 1)]
    fault, = log.of("fault")
    assert (fault["vector"], fault["cr2"]) == (14, 0x40200000 + (4 << 20))


def test_without_memory_there_is_no_arena(boot):
    records, log = run(boot, "arena -k 30000", "arena -k 4096", mem="16M")
    assert statuses(records) == [(0, 0)]
    assert "no memory" in log.one("error")["what"]


# ---- the FPU -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cpu", FPU_MODELS.values(), ids=FPU_MODELS)
@pytest.mark.parametrize("smp", [(1, 1, 1), (1, 2, 2)], ids=["1 CPU", "4 CPUs"])
def test_tasks_keep_their_registers(boot, cpu, smp):
    log = boot("run=none inject=fpu", cpu=cpu, smp=smp)
    tests = log.of("selftest")
    assert [test["sched"] for test in tests] == ["naive", "smt", "nosmt", "core"]
    cpus = smp[0] * smp[1] * smp[2]
    for test in tests:
        assert (test["vectors"], test["failed"]) == (6 * cpus, 0)
        assert test["switches"] > 2 * test["vectors"]    # each was interrupted
    assert log.outcome.status == 33


def test_tasks_keep_their_registers_in_bochs(boot):
    log = boot("run=none inject=fpu topology=1x1x2", emulator="bochs", smp=(1, 1, 2), limit_s=180)
    assert {test["failed"] for test in log.of("selftest")} == {0}
    assert log.outcome.clean


@pytest.mark.parametrize("cpu,state,sse", [
    ("Nehalem", "fxsave", 1), ("pentium2", "fxsave", 0), ("pentium3,-fxsr,-sse", "fnsave", 0),
    (NO_FPU, "none", 0)])
def test_the_log_says_how_registers_are_saved(boot, cpu, state, sse):
    record = run(boot, "int -n 0", cpu=cpu)[1].one("fpu")
    assert (record["state"], record["sse"]) == (state, sse)


def test_without_an_fpu_its_instructions_are_faults(boot):
    log = boot("run=pair blocks=20 rounds=1 inject=task_faults", cpu=NO_FPU, smp=ONE)
    assert {fault["task"]: fault["vector"] for fault in log.of("fault")}["x87"] == 7
    assert all(task["ok"] == 1 for task in log.of("task"))
    assert log.outcome.status == 33


def test_without_an_fpu_its_programs_say_so(boot):
    records, log = run(boot, "x87 -n 1", "simd -n 1", "fpu -n 1 -p 1", "int -n 3", cpu=NO_FPU)
    assert statuses(records) == [(3, 0), (3, 0), (3, 0), (0, 0)]
    assert not log.of("fault")
