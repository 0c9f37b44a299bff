"""pycanon, on the same rows: it leaves suppressed rows out, and takes natural logarithms."""

import math

import pandas as pd
import pytest

import PETWorks as pw
from golden.cases import ARX, SHARED, named


@pytest.fixture(scope="module", params=named(ARX, key="pycanon"))
def case(request):
    return ARX[request.param]


@pytest.fixture(scope="module")
def release(case):
    table = pd.read_csv(SHARED / case["anonymized"], sep=";", dtype=str, skipinitialspace=True, keep_default_na=False)
    cells = table.to_dict("list")
    kept = [
        row for row in range(len(cells["age"])) if any(cells[name][row] != "*" for name in case["quasi_identifiers"])
    ]
    rows = {name: [column[row] for row in kept] for name, column in cells.items()}
    return pw.Release(rows, quasi_identifiers=case["quasi_identifiers"], sensitive=case["sensitive"])


@pytest.mark.parametrize(
    ("theirs", "measure", "base"),
    [
        ("k", pw.KAnonymity(), 1),
        ("l", pw.LDiversity(), 1),
        ("basic_beta", pw.BetaLikeness(), 1),
        ("delta_disclosure", pw.DeltaDisclosure(), math.log(2)),
    ],
)
def test_same_value(case, release, theirs, measure, base):
    assert release.ask(measure).value * base == pytest.approx(case["pycanon"][theirs], rel=1e-9)


def test_alpha_and_k(case, release):
    result = release.ask(pw.AlphaKAnonymity())
    ours = [result.parts[case["sensitive"][0]].value, result.parts["k"].value]
    assert ours == pytest.approx(case["pycanon"]["alpha_k"], rel=1e-9)


def test_t_with_its_own_distance(case, release):
    """It takes the ordered distance for numbers, and the equal one for everything else."""
    distance = "ordered" if case["sensitive"] == ["age"] else "equal"
    assert release.ask(pw.TCloseness(distance=distance)).value == pytest.approx(case["pycanon"]["t"], rel=1e-9)
