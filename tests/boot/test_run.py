"""tools/run: what it tells the kernel and the caller. The emulator is mostly played by a script."""

import os
import subprocess

import pytest

from emulator import command_line, iso
from target import IMAGE, ROOT, TOOLS

RUN = os.path.join(TOOLS, "run")
LIMIT_S = 120
GOOD = "tandem: version=0.1 arch=i686 log_format=1\nend: status=ok code=0\n"

# Speaks as much QMP as is needed, then does what the test says.
FAKE_QEMU = """\
#!/usr/bin/python3
import json, os, re, signal, socket, sys
fd = int(re.search(r"id=qmp,fd=([0-9]+)", " ".join(sys.argv))[1])
qmp = socket.socket(fileno=fd).makefile("rw")
print('{"QMP": {}}', file=qmp, flush=True)
for line in qmp:
    print('{"return": []}', file=qmp, flush=True)
    if json.loads(line)["execute"] == "cont":
        break
exec(os.environ["FAKE_DOES"])
"""


@pytest.fixture(name="run_fake")
def fixture_run_fake(tmp_path):
    """run_fake(what the fake QEMU does, options, variables) -> completed tools/run."""
    fake = tmp_path / "qemu-system-i386"
    fake.write_text(FAKE_QEMU)
    fake.chmod(0o755)
    image = tmp_path / "tandem.elf"
    image.write_bytes(b"kernel")

    def run(does, *options, **variables):
        env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "FAKE_DOES": does, **variables}
        return subprocess.run([RUN, "--image", image, *options], env=env, timeout=LIMIT_S,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
    return run


def says(text, status):
    return f"sys.stdout.write({text!r}); sys.stdout.flush(); sys.exit({status})"


def test_pass(run_fake):
    done = run_fake(says(GOOD, 33))
    assert (done.returncode, done.stdout) == (0, GOOD)


@pytest.mark.parametrize("text,status", [
    (GOOD, 0),                                # a power-off, or a triple fault
    (GOOD, 35),
    (GOOD.replace("ok", "failed"), 33),
    (GOOD.replace("end:", "enx:"), 33),
    ("note end: status=ok\n", 33),            # not at the start of a line
    ("", 33),
    ("", 0),
])
def test_fail(run_fake, text, status):
    done = run_fake(says(text, status))
    assert done.returncode == 1
    assert done.stdout == text
    assert done.stderr.count("run: ") >= 1


def test_timeout(run_fake):
    done = run_fake("signal.pause()", "--timeout", "1")
    assert done.returncode == 124
    assert "time limit" in done.stderr


def test_timeout_of_an_emulator_that_will_not_end(run_fake):
    done = run_fake("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: signal.pause()",
                    "--timeout", "1")
    assert done.returncode == 124


def test_death_of_the_emulator(run_fake):
    done = run_fake("print('qemu: out of luck', file=sys.stderr); os.abort()")
    assert done.returncode == 1
    assert "out of luck" in done.stderr


def test_log_file(run_fake, tmp_path):
    run_fake(says(GOOD, 33), "--log", tmp_path / "log")
    assert (tmp_path / "log").read_text() == GOOD


def kernel_args(done):
    argv = done.stdout.split("\n")
    return argv[argv.index("-append") + 1].split()


SHOW = "print('\\n'.join(sys.argv)); sys.exit(33)"


def test_demo_is_the_default(run_fake):
    words = kernel_args(run_fake(SHOW))
    assert "run=demo" in words and "end=exit" in words
    assert command_line.has_key(words, "blocks") and command_line.has_key(words, "host_cpus")


def test_own_arguments_get_nothing_but_the_host_and_the_end(run_fake):
    words = kernel_args(run_fake(SHOW, ARGS="sched=smt"))
    assert words[-1] == "sched=smt"
    assert {word.partition("=")[0] for word in words[:-1]} == {"host_cpus", "sharing", "host_load", "end"}


@pytest.mark.parametrize("args", ["run=monitor", "end=monitor", "run=none host_load=off"])
def test_nobody_answers_where_somebody_types(run_fake, args):
    """Nor where it is not wanted: the machine's input is then not a pipe of ours."""
    done = run_fake(SHOW + "\n", ARGS=args)
    assert "host_load=serial" not in kernel_args(done)


def test_questions_are_answered(run_fake):
    """One question, and what comes of it is a single byte."""
    done = run_fake("print('ask: experiment=solo sched=smt round=1', flush=True)\n"
                    "print('got', os.read(0, 100), flush=True)\nsys.exit(33)")
    assert done.stdout.splitlines()[-1] in {"got b'c'", "got b'd'", "got b'u'"}


def test_own_end_is_kept(run_fake):
    words = kernel_args(run_fake(SHOW, ARGS="run=none end=halt"))
    assert [word for word in words if word.startswith("end=")] == ["end=halt"]


def test_variables_reach_qemu(run_fake):
    argv = run_fake(SHOW, SMP="2,3,1", CPU="n270", MEM="64M").stdout.split("\n")
    assert argv[argv.index("-smp") + 1] == "6,sockets=2,cores=3,threads=1"
    assert argv[argv.index("-cpu") + 1] == "n270"
    assert argv[argv.index("-m") + 1] == "64M"


def test_pin_off_is_told(run_fake):
    done = run_fake(SHOW, PIN="off")
    assert "sharing=none" in kernel_args(done)
    assert "not pinned" in done.stderr


@pytest.mark.parametrize("variables", [
    {"SMP": "4"}, {"SMP": "1,2,x"}, {"SMP": "0,1,1"}, {"EMU": "vax"}, {"ACCEL": "x"},
    {"PIN": "maybe"},
])
def test_bad_variable_is_a_usage_error(run_fake, variables):
    done = run_fake(SHOW, **variables)
    assert done.returncode == 2
    assert "error:" in done.stderr


def test_missing_image_is_said():
    done = subprocess.run([RUN, "--image", "nowhere.elf"], capture_output=True, text=True,
                          timeout=LIMIT_S, check=False)
    assert done.returncode == 1
    assert "run make" in done.stderr


def test_missing_qemu_is_said(tmp_path):
    (tmp_path / "setpriv").symlink_to("/usr/bin/setpriv")
    (tmp_path / "k.elf").write_bytes(b"kernel")
    done = subprocess.run([RUN, "--image", tmp_path / "k.elf"], capture_output=True, text=True,
                          env={"PATH": str(tmp_path)}, timeout=LIMIT_S, check=False)
    assert done.returncode == 1
    assert "tools/setup" in done.stderr


def test_real_boot():
    done = subprocess.run([RUN, "--image", IMAGE, "--args", "run=none"], cwd=ROOT, text=True,
                          capture_output=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("end: status=ok")


def test_real_boot_that_halts_is_ended():
    done = subprocess.run(
        [RUN, "--image", IMAGE, "--args", "run=none end=halt", "--timeout", "5"], cwd=ROOT,
        text=True, capture_output=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 124
    assert "end: status=ok" in done.stdout


# ---- command lines ---------------------------------------------------------------------------

@pytest.mark.parametrize("text,words", [
    ("a=1  b", ["a=1", "b"]), ('a="x y" b', ['a="x y"', "b"]), ('a="x y', ['a="x y']), ("", []),
])
def test_split_words(text, words):
    assert command_line.split_words(text) == words


def test_last_value_counts():
    assert command_line.value_of(["end=halt", "end=exit"], "end") == "exit"
    assert command_line.value_of(["endless=1"], "end") is None


def test_grub_takes_words_literally():
    config = iso.grub_config("a=$x b='q' c=\"d e\"")
    assert r"""multiboot2 /boot/tandem.elf 'a=$x' 'b='\''q'\''' 'c=d e'""" in config
