"""Errors name a value only if five people hold it: six rows of one person are one."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.errors import UnknownValueError

WHO = {"one": ["A"] * 6, "five": ["A", "A", "B", "C", "D", "E"]}
OTHERS = ["F", "G"]
TREES = {"zip": pw.Hierarchy("zip", [("100", "1**", "*"), ("200", "2**", "*")])}


@pytest.fixture(params=WHO)
def who(request):
    return request.param


def raised(release: pw.Release, measure: object) -> UnknownValueError:
    with pytest.raises(UnknownValueError) as error:
        release.ask(measure)
    return error.value


def told(value: str, who: str) -> str:
    return f'"{value}"' if who == "five" else ""


def release(
    who: str, zips: list[str], options: dict[str, object] | None = None, **more: list[str | None]
) -> pw.Release:
    table = {"who": [*WHO[who], *OTHERS], "zip": zips, **more}
    return pw.Release(table, quasi_identifiers=["zip"], person="who", sidecar=False, **(options or {}))


def test_a_value_that_its_hierarchy_lacks(who):
    found = release(who, ["999"] * 6 + ["100"] * 2, {"hierarchies": TREES})
    assert raised(found, "Precision").common == told("999", who)


def test_a_value_of_the_original(who):
    original = {"zip": ["999"] * 6 + ["100"] * 2}
    options = {"hierarchies": TREES, "original": original, "pairing": "position"}
    assert raised(release(who, ["*"] * 6 + ["1**"] * 2, options), "non-uniform entropy").common == told("999", who)


@pytest.mark.parametrize("named", [True, False])
def test_a_value_of_the_population(who, named):
    """A population that does not say whose rows it has is one of as many people as rows."""
    people = {"zip": ["999"] * 6 + ["100"] * 6} | ({"who": [*WHO[who], *"FGHIJK"]} if named else {})
    found = release(who, ["1**"] * 8, {"hierarchies": TREES, "population": people})
    assert raised(found, "k-map").common == told("999", who if named else "five")


def test_a_sensitive_value(who):
    trees = {"ill": pw.Hierarchy("ill", [("flu", "*")])}
    options = {"hierarchies": trees, "sensitive": ["ill"]}
    found = release(who, ["1"] * 8, options, ill=["hiv"] * 6 + ["flu"] * 2)
    assert raised(found, pw.TCloseness(distance="hierarchical")).common == told("hiv", who)


def test_a_weight(who):
    found = release(who, ["1"] * 8, {"weight": "w"}, w=["heavy"] * 6 + ["1"] * 2)
    assert raised(found, "individual risk").common == told("heavy", who)


def test_a_household(who):
    found = release(who, ["1"] * 8, {"weight": "w"}, w=["2"] * 8, home=[None] * 6 + ["x", "y"])
    assert raised(found, pw.IndividualRisk(household="home")).common == told("(missing)", who)


def test_a_value_of_what_a_release_is_made_of(who):
    table = {"who": [*WHO[who], *OTHERS], "zip": ["999"] * 6 + ["100"] * 2}
    with pytest.raises(UnknownValueError) as error:
        pw.anonymize(table, goals=[pw.KAnonymity(2)], quasi_identifiers=["zip"], hierarchies=TREES, person="who")
    assert error.value.common == told("999", who)
