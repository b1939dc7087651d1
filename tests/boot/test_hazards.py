"""docs/hazards.md names tests; they exist. No boot here."""

import os
import re

import pytest

from target import ROOT

DEFINITION = re.compile(r"^(?:static void|def) (test_\w+)\(", re.MULTILINE)
NAME = re.compile(r"`(test_\w+?)(_\.\.\.)?`")
ROW = re.compile(r"^\| ([A-Z]\d\d) \|.*", re.MULTILINE)
WITHOUT_TEST = re.compile(r"needs hardware|on every boot|all boots")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def all_tests():
    names = []
    for folder in ("tests/host", "tests/boot"):
        for file in sorted(os.listdir(os.path.join(ROOT, folder))):
            if file.startswith("test_") and file.endswith((".c", ".py")):
                names += DEFINITION.findall(read(os.path.join(folder, file)))
    return names


TESTS = all_tests()
DOCUMENT = read("docs/hazards.md")
ROWS = {match[1]: match[0] for match in ROW.finditer(DOCUMENT)}


def test_every_test_that_is_named_exists():
    for name, many in NAME.findall(DOCUMENT):
        assert any(test.startswith(name) if many else test == name for test in TESTS), name


@pytest.mark.parametrize("hazard", ROWS)
def test_row_has_a_test_or_says_why_not(hazard):
    assert NAME.search(ROWS[hazard]) or WITHOUT_TEST.search(ROWS[hazard])


def test_every_hazard_with_a_test_has_a_row():
    """Of the kinds that the document is about."""
    matches = (re.match(r"test_([admpcx]\d\d)_", name) for name in TESTS)
    tested = {match[1].upper() for match in matches if match}
    assert tested <= set(ROWS)
