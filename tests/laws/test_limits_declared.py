"""The limits and sides that measures declare are those that they really apply."""

from __future__ import annotations

from contextlib import suppress

import pytest

import PETWorks as pw
from PETWorks.plugin import Limit
from support.parameters import find_limits, find_parameters

PEOPLE = {"year": ["1970", "1970", "1980", "1980"], "salary": ["1", "2", "1", "2"]}
PEOPLE |= {"age": ["9"] * 4, "zip": ["1"] * 4, "disease": ["flu"] * 4}
TREES = {"year": [("1970", "*"), ("1980", "*")], "disease": [("flu", "*")], "salary": [("1", "*"), ("2", "*")]}
ROLES = {"quasi_identifiers": ["year"], "sensitive": ["disease", "salary"]}
RELEASE = pw.Release(
    {**PEOPLE, "weight": ["9"] * 4},
    weight="weight",
    original=PEOPLE,
    population=PEOPLE,
    holdout=PEOPLE,
    earlier=[{"released": PEOPLE, "original": PEOPLE, "pairing": "position"}],
    hierarchies=TREES,
    **ROLES,
)


@pytest.fixture(params=pw.measures().values(), ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def judged(measure) -> set[tuple[str, str]]:
    """Return the sides and limits that a measure applies to four people."""
    result = RELEASE.ask(measure)
    return {(str(part.side), str(part.limit)) for part in (result, *result.parts.values()) if part.limit is not None}


def test_declared_limits_are_found_by_experiment(kind):
    """Limits are inferred by evaluating with and without the parameter."""
    found = {}
    for name, parameter in find_parameters(kind).items():
        if parameter.kind != "number":
            continue
        if parameter.required:
            judging = judged(kind(**kind.examples[0])) - judged(kind(**kind.examples[0] | {name: 1}))
            found |= {name: side for side, limit in judging if limit == str(Limit.of(kind.examples[0][name]))}  # noqa: B035
            continue
        required = {one: value for one, value in kind.examples[0].items() if one in kind.list_required()}
        for parameters in (required, *kind.examples):
            without = {one: value for one, value in parameters.items() if one != name}
            with suppress(pw.PETWorksError):
                for side, _ in judged(kind(**without, **{name: parameters.get(name, 1)})) - judged(kind(**without)):
                    found[name] = side
    assert found == {name: str(side) for name, side in find_limits(kind).items()}


def test_a_measure_knows_whether_it_judges(kind):
    required = {name: value for name, value in kind.examples[0].items() if name in kind.list_required()}
    for parameters in (required, *kind.examples):
        measure = kind(**parameters)
        result = RELEASE.ask(measure)
        assert measure.judges == (result.holds is not None)
