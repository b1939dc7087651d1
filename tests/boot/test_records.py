"""tools/records gives exactly the records that the parser finds, as JSON and as CSV."""

import csv
import io
import json
import os
import random
import re
import subprocess
import textwrap

import pytest

import damage
from tandem_log import KEYS, Log
from target import ROOT, TOOLS
from test_tandem_log import END, TASK, WHOLE
from trace_logs import random_log

TOOL = os.path.join(TOOLS, "records")
OWN = ["file", "boot", "line", "whole"]
# Text that a spreadsheet would take for a formula, and text that looks protected already.
HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "'=1", "''", "a,b", "a;b", "x=1", ""]


def run(*arguments, data=b"", status=0):
    """(stdout as text, lines of stderr)"""
    done = subprocess.run([TOOL, *map(str, arguments)], input=data, capture_output=True, timeout=60,
                          check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    assert b"Traceback" not in done.stderr
    return done.stdout.decode(), done.stderr.decode().splitlines()


def rows(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.fixture(name="logs", scope="module")
def fixture_logs(tmp_path_factory):
    """{path: Log}: a good one, one of two boots, one with hostile text, and damaged ones."""
    hostile = "".join(f'warning: where=cmdline what="{text}"\n' for text in HOSTILE)
    texts = {"good": WHOLE, "two": WHOLE * 2, "hostile": WHOLE.replace(TASK, TASK + hostile),
             "keys": WHOLE.replace(END, END.rstrip() + " file=a boot=7 line=1,2 whole=-3 x=0x10\n")}
    datas = {name: text.encode() for name, text in texts.items()}
    lines = datas["two"].splitlines(keepends=True)
    for number, damaged in enumerate(damage.random_damage(lines, random.Random(5), 8)):
        datas[f"damaged{number}"] = damaged.data
    folder = tmp_path_factory.mktemp("logs")
    logs = {}
    for name, data in datas.items():
        path = folder / f"{name}.log"
        path.write_bytes(data)
        logs[path] = Log.parse(data)
    return logs


def value_of(text, like):
    """The value of a CSV cell, which has the kind of another."""
    if isinstance(like, list):
        return [int(number) for number in text.split()]
    if isinstance(like, str):
        return text[1:] if text.startswith("'") else text
    return type(like)(text)


def test_json_is_what_the_parser_finds(logs):
    text, said = run("--json", *logs)
    files = json.loads(text)["files"]
    assert [file["file"] for file in files] == [str(path) for path in logs]
    for file, log in zip(files, logs.values()):
        assert len(file["boots"]) == len(log.boots)
        for boot, wanted in zip(file["boots"], log.boots):
            assert (boot["ended"], boot["ok"]) == (wanted.ended, wanted.ok)
            assert boot["records"] == [
                {"tag": record.tag, "line": record.line, "whole": record.whole,
                 "fields": record.fields} for record in wanted.records]
        assert file["faults"] == [vars(fault) for fault in log.faults]
    assert said == [f"records: {path}: {fault}" for path, log in logs.items()
                    for fault in log.faults]


def test_long_csv_is_what_the_parser_finds(logs):
    text, _ = run("--csv", *logs)
    head, *found = rows(text)
    assert head == ["file", "boot", "line", "tag", "key", "value"]
    wanted = [(str(path), record, key, value) for path, log in logs.items()
              for record in log.records for key, value in record.fields.items()]
    assert len(found) == len(wanted)
    for row, (path, record, key, value) in zip(found, wanted):
        assert row[:5] == [path, str(record.boot), str(record.line), record.tag, key]
        assert value_of(row[5], value) == value


def check_table(text, tag, logs):
    head, *found = rows(text)
    assert head[:4] == OWN and len(set(head)) == len(head)
    wanted = [(str(path), record) for path, log in logs.items() for record in log.of(tag)]
    keys = set(KEYS.get(tag, ())).union(*(record.fields for _, record in wanted))
    assert {name.removeprefix("key.") for name in head[4:]} == keys
    assert len(found) == len(wanted)
    for row, (path, record) in zip(found, wanted):
        assert row[:4] == [path, str(record.boot), str(record.line), str(int(record.whole))]
        cells = {name.removeprefix("key."): cell for name, cell in zip(head[4:], row[4:])}
        for key, cell in cells.items():
            assert value_of(cell, record.get(key, "")) == record.get(key, "")


@pytest.mark.parametrize("tag", ["task", "warning", "end", "cpu", "panic"])
def test_table_of_one_tag(logs, tag):
    found = any(log.of(tag) for log in logs.values())
    check_table(run("--csv", "--tag", tag, *logs, status=0 if found else 1)[0], tag, logs)


@pytest.mark.parametrize("slash", ["", "/"])
def test_tables_in_a_directory(logs, tmp_path, slash):
    folder = tmp_path if slash == "" else tmp_path / "new" / "tables"
    run("--csv", "--out", f"{folder}{slash}", *logs)
    tags = {record.tag for log in logs.values() for record in log.records}
    assert {path.name for path in folder.iterdir()} == {f"{tag}.csv" for tag in tags}
    for tag in tags:
        check_table((folder / f"{tag}.csv").read_text(encoding="utf-8"), tag, logs)


def test_text_that_looks_like_a_formula_is_marked():
    text = "".join(f'warning: where=x what="{word}"\n' for word in HOSTILE)
    found = rows(run("-", "--csv", "--tag", "warning", data=WHOLE.encode() + text.encode())[0])
    for row, word in zip(found[1:], HOSTILE):
        marked = word[:1] in tuple("=+-@\t'")
        assert row[-1] == ("'" + word if marked else word)
    assert all(cell[:1] not in tuple("=+-@\t") for row in found for cell in row)


def test_negative_numbers_stay_numbers():
    found = rows(run("-", "--csv", "--tag", "cpu", data=WHOLE.encode())[0])
    assert [row[found[0].index("package")] for row in found[1:]] == ["0", "-1", "0"]


def test_several_tags(logs):
    text, _ = run("--json", "--tag", "task", "--tag", "end", *logs)
    boots = [boot for file in json.loads(text)["files"] for boot in file["boots"]]
    assert {record["tag"] for boot in boots for record in boot["records"]} == {"task", "end"}
    head, *found = rows(run("--csv", "--tag", "task", "--tag", "end", *logs)[0])
    assert head[3] == "tag" and {row[3] for row in found} == {"task", "end"}


def test_out_names_a_file(logs, tmp_path):
    for form in ("--csv", "--json"):
        path = tmp_path / "out"
        assert run(form, "--out", path, *logs)[0] == ""
        assert path.read_text(encoding="utf-8") == run(form, *logs)[0]


def test_standard_input():
    assert json.loads(run("-", "--json", data=WHOLE.encode())[0])["files"][0]["file"] == "stdin"


@pytest.mark.parametrize("arguments,data,status", [
    ("--json", "whole", 0), ("--json --strict", "whole", 0),
    ("--csv", "cut", 0), ("--csv --strict", "cut", 1),
    ("--csv", "", 1), ("--json", "SeaBIOS", 1), ("--json --tag panic", "whole", 1),
    ("", "whole", 2), ("--csv --json", "whole", 2), ("--json --out /", "whole", 2),
    ("--csv nowhere.log", "whole", 1), ("--csv --out nowhere/out.csv", "whole", 1)])
def test_status(arguments, data, status):
    text = {"whole": WHOLE, "cut": WHOLE[:-1]}.get(data, data)
    run("-", *arguments.split(), data=text.encode(), status=status)


def test_what_there_is_of_several_logs_is_given(tmp_path):
    path = tmp_path / "good.log"
    path.write_text(WHOLE, encoding="ascii")
    text, said = run(tmp_path / "none.log", path, "--csv", status=1)
    assert "none.log" in said[0] and rows(text)[1][0] == str(path)


def test_log_is_never_overwritten(tmp_path):
    path = tmp_path / "good.log"
    path.write_text(WHOLE, encoding="ascii")
    run(path, "--csv", "--out", path, status=2)
    assert path.read_text(encoding="ascii") == WHOLE


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_closed_pipe(tmp_path, form):
    path = tmp_path / "long.log"
    path.write_text(WHOLE * 200, encoding="ascii")
    with subprocess.Popen([TOOL, form, str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as tool:
        assert tool.stdout.read(5)
        tool.stdout.close()
        assert tool.stderr.read() == b""
        assert tool.wait(60) == 1


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_full_disk_and_no_output(tmp_path, form):
    path = tmp_path / "good.log"
    path.write_text(WHOLE, encoding="ascii")
    for command in (f"'{TOOL}' {form} '{path}' >/dev/full", f"'{TOOL}' {form} '{path}' >&-"):
        done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith(b"records: ")


def test_name_that_is_not_utf_8(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"=\xe9.log")
    with open(path, "wb") as file:
        file.write(WHOLE.encode())
    done = subprocess.run([TOOL, "--csv", os.path.basename(path)], cwd=tmp_path,
                          capture_output=True, timeout=60, check=True)
    assert done.stdout.splitlines()[1].startswith(b"'=\xe9.log,0,1,tandem,")


def test_script_in_the_documentation_works(tmp_path):
    """On a log, from the folder above tools/."""
    with open(os.path.join(ROOT, "docs", "host-tools.md"), encoding="utf-8") as file:
        script = re.search(r"^    import sys\n(    .*\n|\n)+", file.read(), re.MULTILINE)[0]
    path = tmp_path / "serial.log"
    path.write_text(WHOLE.replace("pid=4 cpus", "pid=4\0 cpus") + WHOLE, encoding="latin-1")
    done = subprocess.run(
        ["/usr/bin/python3", "-B", "-c",
         textwrap.dedent(script).replace("serial.log", str(path))],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "smt 1.0 1.0\n" * 2
    assert done.stderr.startswith("line ")


def test_log_of_a_boot(boot, tmp_path):
    log = boot("run=pair blocks=5 rounds=1 trace=on smt_model=1.50")
    path = tmp_path / "serial.log"
    path.write_bytes(log.outcome.serial)
    found = json.loads(run(path, "--json", "--strict")[0])["files"][0]["boots"][0]["records"]
    assert [record["fields"] for record in found] == [record.fields for record in log.records]
    for tag in ("trace", "task", "result"):
        check_table(run(path, "--csv", "--tag", tag)[0], tag, {path: log})


# ---- files and pipes, of all tools that read logs ------------------------------------------------

# The command line of each, given a log, and what each may be told to write.
READERS = {"records": ["--csv"], "report": [], "timeline": [], "tandem_log.py": []}
OUTPUTS = [("records", "--out"), ("report", "--out"), ("timeline", "--json"), ("timeline", "--svg"),
           ("timeline", "--png")]


def run_reader(name, log, *more, **options):
    argv = ["/usr/bin/python3", os.path.join(TOOLS, name), str(log), *READERS[name], *more]
    return subprocess.run(argv, capture_output=True, timeout=60, check=False, **options)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("log", ["none.log", "."])
def test_logs_that_cannot_be_read_are_one_line(name, log, tmp_path):
    done = run_reader(name, tmp_path / log, cwd=tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and str(tmp_path).encode() in done.stderr


@pytest.mark.parametrize("name,option", OUTPUTS)
def test_no_tool_writes_over_the_log(name, option, tmp_path):
    """Not by its own name, and not by another."""
    log, link = tmp_path / "a.log", tmp_path / "link"
    log.write_bytes(random_log(1)[0].encode())
    link.symlink_to(log)
    for path in (log, link):
        before = log.read_bytes()
        done = run_reader(name, log, option, str(path))
        assert done.returncode == 2 and b"log" in done.stderr.splitlines()[-1]
        assert log.read_bytes() == before


@pytest.mark.parametrize("name", READERS)
def test_reader_of_the_output_that_is_gone(name, tmp_path):
    log = tmp_path / "a.log"
    log.write_bytes(random_log(1)[0].encode())
    out, end = os.pipe()
    os.close(out)
    try:
        done = subprocess.run(["/usr/bin/python3", os.path.join(TOOLS, name), str(log),
                               *READERS[name]], stdout=end, stderr=subprocess.PIPE, cwd=tmp_path,
                              timeout=60, check=False)
    finally:
        os.close(end)
    assert done.returncode == 1 and b"Traceback" not in done.stderr and b"Error" not in done.stderr
