"""Limits and thresholds far beyond 64 bits get a verdict, of every measure: no integer or float overflows."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.errors import GoalError, NotAskableError, ParameterError
from support.parameters import find_parameters

EXTREMES = ("1e-19", "1e-299", "1/3000000000000000000007", "9223372036854775808", "1e299", 5e-324, 2**63)
REQUIRED = {
    "context risk": {
        "attempts": {"a": "0.5", "b": "0.2"},
        "risk": "highest",
        "adversary": "prosecutor",
        "combine": "any",
    },
    "utility bias": {"function": len},
    "PRAM odds": {"matrix": {"a": {"a": "0.5", "b": "0.5"}, "b": {"b": 1}}, "counts": {"a": 1, "b": 2**70}},
    "regression overlap": {"formula": "sum ~ age"},
}
EQUAL = {"age": ["1", "1", "2", "2"], "zip": ["1"] * 4, "ill": ["a", "b"] * 2, "sum": ["1", "2"] * 2, "w": list("1211")}
OTHER = {
    "age": ["1", "1", "2", "*"],
    "zip": ["1", "*", "1", "*"],
    "ill": list("abab"),
    "sum": list("1234"),
    "w": list("1211"),
}
ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": ["ill", "sum"]}
CASES = [
    (kind, name)
    for kind in pw.measures().values()
    for name, parameter in find_parameters(kind).items()
    if parameter.kind == "number"
]


def build_measures(kind, name):
    """Yield the measure with each extreme that it allows."""
    others = REQUIRED.get(kind.name) or dict.fromkeys((one for one in kind.list_required() if one != name), 1)
    for extreme in EXTREMES:
        try:
            yield kind(**{**others, name: extreme})
        except ParameterError:
            continue


@pytest.mark.parametrize(("kind", "name"), CASES, ids=lambda one: getattr(one, "name", one))
def test_extreme_numbers_are_judged(kind, name):
    inputs = [
        (EQUAL, {}),
        (EQUAL, {"population": EQUAL}),
        (EQUAL, {"holdout": OTHER}),
        (EQUAL, {"weight": "w"}),
        (OTHER, {}),
        (OTHER, {"weight": "w"}),
    ]
    for measure in build_measures(kind, name):
        for table, further in inputs:
            release = pw.Release(table, original=EQUAL, pairing="position", **ROLES, **further)
            try:
                result = release.ask(measure)
            except NotAskableError:
                continue
            assert str(result.explain())
            assert result.holds in ((True, False) if measure.judges else (None,))


@pytest.mark.parametrize(("kind", "name"), CASES, ids=lambda one: getattr(one, "name", one))
def test_extreme_goals_are_searched(kind, name):
    for measure in build_measures(kind, name):
        if measure.judges and not measure.for_editions:  # no search keeps to what compares files
            try:
                made = pw.anonymize(EQUAL, **ROLES, insensitive=["w"], goals=measure, suppress_at_most=1)
            except (GoalError, NotAskableError):
                continue
            assert made.explain()


def test_scores_of_zero_meet_the_least_limit():
    for measure in (pw.TCloseness(t="1e-19"), pw.BetaLikeness(beta="1e-19"), pw.TCloseness(t=5e-324)):
        assert pw.Release(EQUAL, **ROLES).ask(measure).holds
        assert pw.anonymize(EQUAL, **ROLES, insensitive=["w"], goals=measure).suppressed == 0
