"""Tests reach other rooms through doors: public names, or what `tests/support` gives them.

A test imports the modules of its own room. What it needs of another it takes from `PETWorks`, `PETWorks.plugin`,
`PETWorks.attributetypes`, or a file that every room may import, such as `PETWorks.errors`, so that moving a module
edits the tests of one room. The exceptions are counted here, and their number may only fall.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from support.places import ROOT

TESTS = ROOT / "tests"
DOORS = {"plugin", "errors", "shown", "progress", "attributetypes", "legacy", "demo"}
NAMED = re.compile(r"(?:from |import |\")PETWorks\.([a-z_]+)")
HIDDEN = re.compile(r"\._facts\b")
MOST_CROSSING = 54
MOST_HIDDEN = 0


def lines() -> Iterator[tuple[Path, int, str]]:
    """Yield each line of the tests, with its file and number."""
    for path in sorted(TESTS.rglob("*.py")):
        if path != Path(__file__):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield path.relative_to(TESTS), number, line


def test_few_tests_import_the_modules_of_another_room():
    crossing = [
        f"{path}:{number}: {line.strip()}"
        for path, number, line in lines()
        for room in NAMED.findall(line)
        if room not in DOORS | {path.parts[0]}
    ]
    assert len(crossing) <= MOST_CROSSING, "\n".join(crossing)


def test_no_test_reads_the_hidden_facts_of_a_release():
    hidden = [f"{path}:{number}" for path, number, line in lines() if HIDDEN.search(line)]
    assert len(hidden) <= MOST_HIDDEN, hidden
