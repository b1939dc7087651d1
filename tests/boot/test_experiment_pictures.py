"""docs/experiments.md has all experiments of the kernel, each with a picture and commands to try.

No boot here: tools/experiment-pictures makes the pictures, which takes minutes.
"""

import glob
import os
import re
import subprocess
import xml.etree.ElementTree

import pytest

from target import ROOT

DOCS = os.path.join(ROOT, "docs")
TOOL = os.path.join(ROOT, "tools", "experiment-pictures")
MOST_BYTES = 40_000


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def questions():
    """{name: question} of the experiments that the kernel has."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, "kernel", "experiment", "exp_*.c")):
        found.update(re.findall(r'\.name = "(\w+)",\s+\.question = "([^"]*)"', read(path)))
    return found


def sections():
    """{heading: text below it}"""
    parts = re.split(r"^## (.*)$", read(os.path.join(DOCS, "experiments.md")), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


QUESTIONS, SECTIONS = questions(), sections()


def test_there_are_thirteen():
    assert len(QUESTIONS) == 13
    assert set(QUESTIONS) <= set(SECTIONS)


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_section(name):
    section = SECTIONS[name]
    assert QUESTIONS[name] in section.replace("`", "").replace("\n", " ")
    assert f"](experiments/{name}.svg)" in section
    commands = re.findall(r'^    make run .*\bARGS="([^"]*)"', section, re.MULTILINE)
    assert len(commands) == 2
    assert any(re.search(rf"\brun={name}\b", command) for command in commands)


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_picture(name):
    text = read(os.path.join(DOCS, "experiments", name + ".svg"))
    assert len(text.encode()) < MOST_BYTES
    root = xml.etree.ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter())) > 50


def test_unknown_experiment_is_refused():
    done = subprocess.run([TOOL, "nosuch"], capture_output=True, text=True, check=False,
                          timeout=60)
    assert done.returncode == 2
    assert "nosuch: no such experiment" in done.stderr
