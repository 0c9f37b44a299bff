"""The optima that ARX found on the project's own data: judged, measured and scored as ARX did. Runs in every clone."""

from fractions import Fraction
from math import prod

import pytest

import PETWorks as pw
from golden.own_data import OPTIMA, Optimum, asked

TOLERANCE = 1e-9
QUALITY = ["Granularity", "Precision", "NonUniformEntropy", "AECS", "Discernibility", "Ambiguity"]


@pytest.fixture(scope="module", params=OPTIMA)
def optimum(request):
    return Optimum(OPTIMA[request.param])


@pytest.fixture(scope="module")
def release(optimum):
    return optimum.release(optimum.suppressed)


@pytest.fixture(scope="module")
def quality(release):
    return dict(zip(QUALITY, release.evaluate(*(getattr(pw, name)() for name in QUALITY)), strict=True))


def test_measures_find_the_classes_that_fail_by_definition(optimum):
    lifted = optimum.release()
    for goal, failing in zip(optimum.case["goals"], optimum.failing, strict=True):
        result = lifted.ask(asked(goal))
        assert result.judged_classes == len(optimum.classes)
        assert (result.failing_classes, result.failing_rows) == (len(failing), sum(map(len, failing)))
        assert result.holds is not bool(failing)


def test_their_rows_are_those_that_arx_suppressed(optimum, release):
    case, result = optimum.case, release.ask("k-anonymity")
    assert len(optimum.suppressed) == result.scope.suppressed == case["suppressed"]
    assert case["suppressed"] <= Fraction(case["suppression"]) * result.scope.rows
    assert result.value == case["k"]


def test_release_meets_its_goals(optimum, release):
    assert release.check(*map(asked, optimum.case["goals"])).requirements_hold


def test_quality(optimum, quality):
    expected = optimum.case["arx_quality"]
    assert {name: quality[name].value for name in expected} == pytest.approx(expected, rel=TOLERANCE)


def test_score(optimum, quality):
    assert float(score(optimum, quality)) == pytest.approx(optimum.case["score"], rel=TOLERANCE)


def score(optimum, quality):
    """Compute ARX's objective (lower is better) from the results of measures."""
    scope = quality["AECS"].scope
    return {
        "loss": lambda: loss(optimum, quality["Granularity"]),
        "precision": lambda: 1 - quality["Precision"].exact,
        "nue": lambda: quality["NonUniformEntropy"].figures["lost"],
        "aecs": lambda: scope.rows / (scope.classes + bool(scope.suppressed)),  # the measure leaves these rows out
        "dm": lambda: quality["Discernibility"].figures["alike"] * scope.rows,
        "ambiguity": lambda: quality["Ambiguity"].figures["combinations"] * scope.rows,
        "height": lambda: sum(optimum.case["levels"]),
    }[optimum.case["utility"]]()


def loss(optimum, granularity):
    """Combine the losses of columns as SPEC §7 does, with the options that ARX was given."""
    case, lost = optimum.case, {name: 1 - part.value for name, part in granularity.parts.items()}
    if factor := case.get("arx_gs_factor"):  # below 1/2, ARX counts this share, doubled, of what suppression adds
        before = {name: 1 - part.value for name, part in optimum.release().ask("granularity").parts.items()}
        lost = {name: before[name] + 2 * float(factor) * (lost[name] - before[name]) for name in lost}
    if case.get("arx_aggregate") == "ARITHMETIC_MEAN":
        return sum(lost.values()) / len(lost)
    weights = case.get("weights", {})
    return prod(1 + weights.get(name, 1) * share for name, share in lost.items()) ** (1 / len(lost)) - 1
