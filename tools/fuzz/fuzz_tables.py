"""Random tables: measures against their naive definitions in exact fractions (tests/oracle).

The tests of the families compare every measure with its definition on random tables; a case is one run of such a test,
with the examples of this seed.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from random import Random

import pytest

TESTS = Path(__file__).parents[2] / "tests" / "measure"
FAMILIES = (
    "privacy/test_privacy_family.py",
    "privacy/test_population_family.py",
    "privacy/test_profitability.py",
    "privacy/test_t_closeness_by_definition.py",
    "risk/test_risk_family.py",
    "utility",
)


def case(seed: int) -> str:
    """Run the tests of one family."""
    path = TESTS / Random(seed).choice(FAMILIES)
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        code = pytest.main(["-q", "-n0", "-p", "no:cacheprovider", f"--hypothesis-seed={seed}", str(path)])
    return "" if code == 0 else told.getvalue()[-3000:]
