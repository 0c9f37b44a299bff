"""A trial of the check whether rows pair: releases of many kinds, with their rows in place and out of place.

The outcomes are those on the page of the docs. ``PYTHONPATH=tests python tests/facts/test_pairing_trial.py`` writes
them there.
"""

import re
from collections import Counter
from functools import cache

import pytest

import PETWorks as pw
from PETWorks.errors import PairingError
from support.pairings import RIGHT, Case, cases
from support.places import ROOT

SEED, TABLES = 2026, 80
PAGES = [ROOT / "docs" / "explanation" / f"pairing{language}.md" for language in ("", ".zh-TW")]
OUTCOMES = ("error", "warning", "counted", "nothing")
MOVED = ("shuffled", "sorted", "partly_shuffled", "blocks_swapped", "shifted", "shifted_late", "slightly_shuffled")
GENERALISED = ("full_domain", "local_recoding", "suppression")


def outcome(case: Case) -> str:
    """Return what a user learns: an error, a warning about rows, a warning that counts cells, or nothing."""
    release = pw.Release(case.released, original=case.table.columns, hierarchies=case.table.hierarchies)
    try:
        kinds = {note.kind for note in release.facts.columns.pairing.notes}
    except PairingError:
        return "error"
    return "warning" if "displaced" in kinds else "counted" if kinds else "nothing"


@cache
def trial() -> Counter[tuple[str, str, str]]:
    """Count the outcomes by how a release was made and how its rows were moved."""
    return Counter((case.made, case.moved, outcome(case)) for case in cases(SEED, TABLES))


def row(found: Counter[tuple[str, str, str]], *, made: str = "", moved: str = "") -> list[int]:
    """Return how often there was each outcome, for one kind of release in place, or one way to move rows."""
    chosen = [(key, many) for key, many in found.items() if key[1] == moved and made in ("", key[0])]
    return [sum(many for key, many in chosen if key[2] == one) for one in OUTCOMES]


def expected() -> list[list[int]]:
    """Return the figures of the two tables of the page: releases in place by kind, then out of place."""
    found = trial()
    return [row(found, made=made) for made in RIGHT] + [row(found, moved=moved) for moved in MOVED]


@pytest.mark.parametrize("made", GENERALISED)
def test_generalised_rows_in_place_never_alarm(made):
    assert row(trial(), made=made)[:3] == [0, 0, 0]


def test_most_rows_out_of_place_are_noticed():
    found = trial()
    errors, warnings, counted, nothing = map(sum, zip(*(row(found, moved=moved) for moved in MOVED), strict=True))
    assert errors + warnings >= 0.8 * (errors + warnings + counted + nothing)
    assert row(found, moved="shuffled")[0] >= 0.95 * TABLES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_has_the_figures(page):
    assert [cells for _, cells in figures(page.read_text(encoding="utf-8"))] == expected()


def figures(text: str) -> list[tuple[str, list[int]]]:
    """Return the rows of tables that end in one number for each outcome."""
    rows = re.findall(r"^(\|[^|\n]+\|)" + r" ([0-9]+) \|" * len(OUTCOMES) + "$", text, re.MULTILINE)
    return [(label, [int(cell) for cell in cells]) for label, *cells in rows]


def main() -> None:
    """Write the figures into the pages."""
    for page in PAGES:
        text, numbers = page.read_text(encoding="utf-8"), iter(expected())
        for label, cells in figures(text):
            old, new = (f"{label} {' | '.join(map(str, one))} |" for one in (cells, next(numbers)))
            text = text.replace(old, new)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
