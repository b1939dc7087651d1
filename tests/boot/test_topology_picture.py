"""tools/topology-picture draws every CPU and cache it is told of. No boot here."""

import os
import re
import subprocess
import xml.etree.ElementTree

import pytest

from target import ROOT
from test_badinput import DATA

TOOL = os.path.join(ROOT, "tools", "topology-picture")
DECODER = os.path.join(ROOT, "build", "host", "topology")
PICTURE = os.path.join(ROOT, "docs", "topology-i3-1220p.svg")
DUMP = os.path.join(DATA, "cpuid", "il_GenuineIntel00906A4_AlderLakeP_00_CPUID.txt")

RECORDS = """\
cpu: cpu=0 apic_id=0x0 package=0 core=0 thread=0 type=uniform state=online reason=""
cpu: cpu=1 apic_id=0x10 package=1 core=1 thread=0 type=uniform state=online reason=""
cpu: cpu=2 apic_id=0x1 package=0 core=0 thread=1 type=uniform state=online reason=""
cpu: cpu=3 apic_id=0x11 package=0 core=0 thread=0 type=uniform state=failed reason="no answer"
cache: level=1 type=data kib=24 cpus=0,2
cache: level=2 type=unified kib=2048 cpus=0,2
topology: packages=2 cores=2 cpus=3 threads_per_core=2 shares=smt method=leaf_04 model_name="A <B>"
"""


def draw(text):
    done = subprocess.run([TOOL], input=text, capture_output=True, text=True, check=False,
                          timeout=60)
    return done.returncode, done.stdout


def words(svg):
    root = xml.etree.ElementTree.fromstring(svg)
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_everything_online_is_drawn_once():
    status, svg = draw(RECORDS)
    assert status == 0
    drawn = words(svg)
    for text in ("CPU 0", "CPU 1", "CPU 2", "core 0", "core 1", "package 0", "package 1", "ID 0x10",
                 "L1d  24 KiB", "L2  2 MiB"):
        assert drawn.count(text) == 1, text
    assert "CPU 3" not in drawn
    assert any("A <B>" in text for text in drawn)


@pytest.mark.parametrize("text", ["", "cpu: cpu=0\n", "noise\n"])
def test_nothing_to_draw_is_an_error(text):
    status, svg = draw(text)
    assert status != 0 and svg == ""


def test_picture_in_the_documentation_is_up_to_date():
    if not os.path.exists(DUMP) or not os.path.exists(DECODER):
        pytest.skip("no dump or no decoder here")
    decoded = subprocess.run([DECODER, DUMP], capture_output=True, text=True, check=True).stdout
    with open(PICTURE, encoding="utf-8") as file:
        assert draw(re.sub(r"^dump:.*\n", "", decoded)) == (0, file.read())
