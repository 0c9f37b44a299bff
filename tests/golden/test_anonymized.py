"""The optima that ARX found, on our own data and on the shared hierarchies: levels, suppressed rows, and score."""

import json
from functools import cache
from pathlib import Path

import pytest

import PETWorks as pw
from support.places import ROOT, SHARED

OWN = json.loads((Path(__file__).parent / "own_data.json").read_text(encoding="utf-8"))["cases"]
NOT_OFFERED = ("10", "13", "23", "25")  # ARX's own AECS, height, its gs factor, the arithmetic mean
KINDS = {name: kind for kind in pw.measures().values() for name in (kind.name, kind.__name__)}
NAMES = {"beta-likeness": "BetaLikeness", "delta-disclosure": "DeltaDisclosure"}
UTILITIES = {
    "precision": pw.Precision(),
    "nue": pw.NonUniformEntropy(),
    "dm": pw.Discernibility(),
    "ambiguity": pw.Ambiguity(),
}
EXACT = {  # ARX rejects classes whose entropy l is exactly 4
    "o15": (1486, 0.2474441079170524),
    "r15": (1434, 0.2654900181862956),
}


@cache
def shared_cases():
    path = SHARED / "golden" / "anonymise.json"
    return json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else []


def goal(given):
    parameters = dict(given)
    name = parameters.pop("measure")
    return KINDS[NAMES.get(name, name)](**parameters)


def made(case, data, hierarchies):
    roles = {"quasi_identifiers": case["quasi_identifiers"], "sensitive": case["sensitive"]}
    return pw.anonymize(
        data,
        hierarchies=hierarchies,
        **roles,
        the_rest="insensitive",
        goals=[goal(one) for one in case["goals"]],
        suppress_at_most=case["suppression"],
        utility=UTILITIES.get(case["utility"], case["utility"]),
        coarsest=case.get("max_levels"),
        weights={name: str(weight) for name, weight in case.get("weights", {}).items()},
    )


def score(case, found):
    """Return the score as ARX counts it."""
    rows, suppressed = found.facts.scope.rows, found.suppressed
    match case["utility"]:
        case "loss":
            return found.loss
        case "precision":
            return 1 - found.utility.value
        case "nue":
            return float(found.utility.figures["lost"])
        case "dm":
            return float((found.facts.classes.sizes**2).sum() + suppressed * rows)
        case "ambiguity":
            from PETWorks.measure.formulas.attack_game import count_leaf_combinations

            return float((count_leaf_combinations(found.facts) * found.facts.joint.counts).sum())
    raise AssertionError(case["utility"])


def compare(case, found):
    suppressed, best = EXACT.get(case["id"], (case["suppressed"], case["score"]))
    levels = dict(zip(case["quasi_identifiers"], case["levels"], strict=True))
    assert (found.levels, found.suppressed, found.proven) == (levels, suppressed, True)
    assert score(case, found) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("case", [pytest.param(one, id=one["id"]) for one in OWN if one["id"][1:] not in NOT_OFFERED])
def test_own_data(case):
    compare(case, made(case, ROOT / "data" / "adult.csv", ROOT / "data" / "adult_hierarchy"))


@pytest.mark.parametrize("number", [f"{number:02}" for number in range(5, 28) if f"{number:02}" not in NOT_OFFERED])
def test_shared_hierarchies(shared, number):
    (case,) = [one for one in shared_cases() if one["id"] == f"r{number}"]
    compare(case, made(case, shared / case["data"], shared / case["hierarchies"]))
