"""The reference cases of bounds, excess, odds and overlaps."""

import json
from fractions import Fraction

import pytest

from PETWorks.measure.formulas.excess import Excess, find_upper_bound, is_upper_bound
from PETWorks.measure.risk.pram_odds import compute_odds
from PETWorks.measure.utility.regression_overlap import Term, fit_overlap
from support.places import SHARED

FILE = SHARED / "golden" / "unpaired.json"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the reference values stand outside the repository")
TINY = json.loads(FILE.read_text())["tiny"] if FILE.exists() else []


def tiny(measure):
    """Return the small cases of a measure."""
    return [pytest.param(one, id=one["case"]) for one in TINY if one["measure"] == measure]


@pytest.mark.parametrize("case", tiny("PramOdds"))
def test_expectation_ratios(case):
    given = case["inputs"]
    matrix = {value: {name: Fraction(one) for name, one in row.items()} for value, row in given["matrix"].items()}
    ratios = compute_odds(matrix, given["counts"]).expectation_ratios
    assert {name: one and str(one) for name, one in ratios.items()} == case["expected"]["expectation_ratio"]


@pytest.mark.parametrize("case", tiny("RegressionOverlap"))
def test_overlaps(case):
    first, second = (Term(*map(Fraction, case["inputs"][name])) for name in ("original", "release"))
    for one, other in ((first, second), (second, first)):
        assert float(fit_overlap(one, other)) == pytest.approx(float(case["expected"]["overlap"]), abs=1e-15)


@pytest.mark.parametrize("case", tiny("upper bound (Clopper-Pearson, one-sided)"))
def test_upper_bounds(case):
    x, n, limit, alpha = (Fraction(case["inputs"][name]) for name in ("x", "n", "limit", "alpha"))
    assert is_upper_bound(int(x), int(n), limit, alpha) == case["expected"]["holds"]
    assert find_upper_bound(int(x), int(n), alpha) == Fraction(case["expected"]["shown"])


@pytest.mark.parametrize("case", tiny("excess over the hold-out"))
def test_excess(case):
    given, expected = case["inputs"], case["expected"]
    seen, alpha = Excess(*given["original"], *given["holdout"]), Fraction(given["alpha"])
    assert seen.excess == Fraction(expected["excess"])
    assert float(seen.chance) == pytest.approx(float(Fraction(expected["p"])), rel=1e-8)
    assert seen.is_at_most(Fraction(given["limit"]), alpha) == expected["holds"]
    assert seen.find_bound(alpha) == Fraction(expected["excess_at_most_shown"])
