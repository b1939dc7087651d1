"""Properties of the image that booting alone would not show."""

import os
import re
import shutil
import struct
import subprocess

import pytest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
IMAGE = os.path.join(ROOT, "build", "tandem.elf")
WITH_SYMBOLS = os.path.join(ROOT, "build", "tandem.debug.elf")
LIMIT_S = 300


def output_of(*command):
    return subprocess.run(command, check=True, timeout=LIMIT_S, cwd=ROOT,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


@pytest.fixture(name="image", scope="module")
def read_image():
    with open(IMAGE, "rb") as file:
        return file.read()


def test_class_is_elf32_i386(image):
    assert image[:5] == b"\x7fELF\x01"
    assert struct.unpack_from("<H", image, 18) == (3,)


@pytest.mark.parametrize("magic", [0x1badb002, 0xe85250d6], ids=["multiboot1", "multiboot2"])
def test_header_is_in_the_first_8_kib(image, magic):
    places = [at for at in range(0, 8192, 4) if struct.unpack_from("<I", image, at)[0] == magic]
    assert places and any(
        sum(struct.unpack_from("<3I" if magic == 0x1badb002 else "<4I", image, at)) % 2**32 == 0
        for at in places)


def test_no_segment_is_writable_and_executable():
    segments = re.findall(r"^ +LOAD .* ([R ][W ][E ]) +0x", output_of("readelf", "-lW", IMAGE),
                          re.MULTILINE)
    assert sorted(segments) == ["R  ", "R E", "RW "]


def test_image_is_small(image):
    assert len(image) <= 256 * 1024


def test_kernel_uses_no_fpu_and_no_vector_registers():
    code = output_of("objdump", "-d", "--no-show-raw-insn", IMAGE)
    assert not re.search(r"%(?:[xy]?mm\d|st\b)", code)


def test_nothing_is_undefined():
    assert output_of("nm", WITH_SYMBOLS)
    assert output_of("nm", "-u", WITH_SYMBOLS) == ""


def test_two_checkouts_give_identical_images(tmp_path, image):
    """Built from copies in folders of different names and depths."""
    for folder in (tmp_path / "a", tmp_path / "deeper" / "down" / "b"):
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))
        subprocess.run(["make", "build/tandem.elf"], cwd=folder, check=True, timeout=LIMIT_S,
                       stdout=subprocess.DEVNULL)
        assert (folder / "build" / "tandem.elf").read_bytes() == image, folder
