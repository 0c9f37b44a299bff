"""The value that suppression hit hardest: only where rows are lost by suppression, not by another level."""

import pytest

import PETWorks as pw
from PETWorks.disclosure.exhibits import compute_values
from PETWorks.plugin import Disclosure

AGES = [(str(age), f"{age // 10}x", "*") for age in range(20, 40)]


def hardest(released: list[str], original: list[str]):
    release = pw.Release({"age": released}, original={"age": original}, hierarchies={"age": AGES})
    return compute_values(release.facts, "age", Disclosure()).hardest


def test_rows_lost_by_suppression():
    found = hardest(["2x"] * 6 + ["3x"] * 6 + ["*"] * 6, ["21"] * 6 + ["33"] * 12)
    assert (found.value, found.share) == ("3x", 0.5)


@pytest.mark.parametrize("gone", [0, 6])
def test_rows_released_at_a_finer_level_are_not_lost(gone):
    assert hardest(["21"] * 6 + ["2x"] * 6 + ["*"] * gone, ["21"] * 6 + ["23"] * 6 + ["24"] * gone) is None
