"""The reference cases of bins of numbers."""

import json

import pytest

from PETWorks.facts.pool import number_bins
from support.places import SHARED

FILE = SHARED / "golden" / "unpaired.json"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the reference values stand outside the repository")
TINY = json.loads(FILE.read_text())["tiny"] if FILE.exists() else []


def tiny(measure):
    """Return the small cases of a measure."""
    return [pytest.param(one, id=one["case"]) for one in TINY if one["measure"] == measure]


@pytest.mark.parametrize("case", tiny("bins"))
def test_bins(case):
    given = case["inputs"]
    values, original = ([one or None for one in given[name]] for name in ("values", "original"))
    assert number_bins(values, original, given["parts"]) == [one or None for one in case["expected"]]
