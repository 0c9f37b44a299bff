"""Explanations of diversity where people have several rows: the steps give the score, and say nothing false."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

import PETWorks as pw
from laws.samples import walk
from support.strategies_family import thorough
from support.strategies_people import models, peopled

ASKED = [
    pw.LDiversity(l=2),
    pw.LDiversity(l=2, variant="entropy"),
    pw.LDiversity(l=2, c=3, variant="recursive"),
    pw.PSensitiveKAnonymity(p=2),
]


@thorough
@given(peopled(least_sensitive=1, most_sensitive=2), models)
@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_the_steps_give_the_score(measure, people, known):
    steps = list(walk(people.release(known).ask(measure).steps))
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        told = step.figures
        if step.kind.startswith("bits"):
            assert math.isclose(2 ** told["bits"], told["score"], rel_tol=1e-9)
        elif step.kind == "values_implied":
            assert 0 < told["implied"] == told["values"] - told["score"]
        elif step.kind == "values_of_few":
            assert told["size"] == told["score"] < told["values"]
        elif step.kind == "too_few":
            assert told["values"] < told["l"]
        elif step.kind == "too_few_count":
            assert steps[steps.index(step) - 1].figures["score"] < told["l"]
        elif step.kind == "smaller":
            assert after.figures["value"] == told["score"] < steps[steps.index(step) - 2].figures["score"] + 1e-9


def visits() -> pw.Release:
    """Six people who all have the same three diagnoses, and six who have one each."""
    rows = [(f"P{person}", "1", value) for person in range(6) for value in ("flu", "cold", "tb")]
    rows += [(f"P{6 + place}", "2", value) for place, value in enumerate("abcdef")]
    table = dict(zip(("pid", "zip", "dx"), map(list, zip(*rows, strict=True)), strict=True))
    return pw.Release(table, quasi_identifiers=["zip"], sensitive=["dx"], person="pid")


@pytest.mark.parametrize(
    ("measure", "kinds"),
    [
        (pw.LDiversity(2), ["values_implied"]),
        (pw.LDiversity(2, variant="entropy"), ["bits", "values_implied", "smaller"]),
        (pw.LDiversity(2, c=3, variant="recursive"), ["values_implied", "too_few_count"]),
    ],
    ids=repr,
)
def test_a_diagnosis_that_everybody_has_hides_nobody(measure, kinds):
    steps = [step.kind for step in visits().ask(measure).steps]
    assert "counting_values" in steps
    place = steps.index("counted") + 1
    assert steps[place : place + len(kinds)] == kinds
