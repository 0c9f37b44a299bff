"""Risks where people have several rows, against their definitions: each person counts once, with their worst class."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_people as naive
from oracle import naive_people_risk as naive_risk
from oracle import naive_suda
from oracle.naive import keeps_at_most
from PETWorks.errors import NotAskableError
from support.strategies import columns_of, forms
from support.strategies_family import limits_at, quick, thorough
from support.strategies_people import PERSON, Peopled, models, peopled

THRESHOLDS = [0, 1, "1/5", 0.2, 1 / 3, "0.333333333333", 0.5]
WEIGHTS = ["1", "1.5", "0.5", "2e1", "180", "45.25", "1000000", "0.001"]


def released_with(people: Peopled, known: str, **columns: list[str]) -> pw.Release:
    """Build the release with further columns, of which `weight` is one."""
    return pw.Release(
        columns_of(people.tables.released) | {PERSON: people.cells} | columns,
        quasi_identifiers=people.tables.quasi_identifiers,
        suppressed=people.tables.marker,
        person=PERSON,
        known=known,
        weight="the weight",
        sidecar=False,
        **({} if people.unknown is None else {"unknown_person": people.unknown}),
    )


# Re-identification and uniqueness.


@thorough
@given(peopled(), forms, models, st.sampled_from(THRESHOLDS))
def test_re_identification(people, form, known, threshold):
    release, folk = people.release(known, form), people.folk(known)
    expected = naive_risk.re_identification(folk, None, lambda risk: not keeps_at_most(risk, threshold))
    parts = release.ask(pw.ReidentificationRisk(threshold=threshold)).parts
    assert [part.exact for part in parts.values()] == list(expected.values())
    for name, figure in {"highest": "highest", "average": "average", "above": "above threshold"}.items():
        risk = expected[figure] if name != "above" else None
        for limit in limits_at(risk, most=1) if risk is not None else ():
            holds = release.ask(pw.ReidentificationRisk(**{name: limit})).holds
            assert holds is keeps_at_most(risk, limit), (name, limit)


@thorough
@given(peopled(), forms, models)
def test_sample_uniqueness(people, form, known):
    release, share = people.release(known, form), naive_risk.sample_uniqueness(people.folk(known))
    assert release.ask("sample uniqueness").exact == share
    for limit in limits_at(share, most=1):
        assert release.ask(pw.SampleUniqueness(at_most=limit)).holds is (share <= Fraction(limit))


@thorough
@given(peopled(), models)
def test_class_sizes(people, known):
    folk = people.folk(known)
    sizes = [group.size for group in naive.groups(folk)]
    result = people.release(known).ask("class sizes")
    assert result.figures["histogram"] == {size: sizes.count(size) for size in sizes}
    expected = {
        "average": Fraction(sum(sizes), len(sizes) or 1),
        "smallest": min(sizes, default=0),
        "largest": max(sizes, default=0),
        "classes": len(sizes),
    }
    assert {name: result.parts[name].exact for name in expected} == expected


@thorough
@given(peopled(), models, st.sampled_from(["1", "1/2", "1/10", "1/50"]))
def test_estimated_population_uniqueness(people, known, fraction):
    """It follows from the histogram of class sizes, as for rows; a person in several classes has no such size."""
    folk = people.folk(known)
    question = pw.PopulationUniqueness(sampling_fraction=fraction)
    result = people.release(known).ask(question)
    if not naive_risk.everybody_in_one_class(folk):
        assert known == "one"
        assert (result.value, result.exact) == (None, None)
        return
    groups = naive.groups(folk)
    rows = [str(place) for place, group in enumerate(groups) for _ in group.people]
    rows += ["*"] * (len(set(folk.persons)) - len(rows))  # people with suppressed rows only count for the population
    plain = pw.Release({"n": rows}, sidecar=False).ask(question)
    assert (result.value, result.exact) == (plain.value, plain.exact)
    assert [part.value for part in result.parts.values()] == [part.value for part in plain.parts.values()]


@thorough
@given(peopled(), forms, models)
def test_attribute_risk(people, form, known):
    release, expected = people.release(known, form), naive_risk.attribute_risk(people.folk(known))
    result = release.ask("attribute risk")
    assert len(result.parts) == len(expected)
    for names, (distinction, separation) in expected.items():
        part = result.parts[" + ".join(name for name in release.roles.quasi_identifiers if name in names)]
        assert (part.exact, part.figures["separation"]) == (distinction, separation), names


# Weights.


@thorough
@given(peopled(), models, st.randoms(use_true_random=True))
def test_individual_risk(people, known, chance):
    folk = people.folk(known)
    weight = {person: chance.choice(WEIGHTS) for person in folk.persons}
    written = [weight[person] for person in folk.persons]
    each = naive_risk.individual_risks(folk, list(map(Fraction, written))).values()
    parts = released_with(people, known, **{"the weight": written}).ask(pw.IndividualRisk(threshold="0.2")).parts
    expected, many = sum(each, Decimal(0)), len(each) or 1
    assert parts["highest"].value == pytest.approx(float(max(each, default=0)), rel=1e-14)
    assert parts["expected"].value == pytest.approx(float(expected), rel=1e-14)
    assert parts["average"].value == pytest.approx(float(expected / many), rel=1e-14)
    assert parts["above threshold"].exact == Fraction(sum(one > Decimal("0.2") for one in each), many)
    alone = naive_risk.population_uniques(folk, list(map(Fraction, written)))
    assert parts["population uniques"].value == pytest.approx(float(alone), rel=1e-14)


@quick
@given(peopled(), models, st.randoms(use_true_random=True))
def test_verdicts_on_individual_risk_are_exact(people, known, chance):
    """The limit is moved by less than any float could tell."""
    folk = people.folk(known)
    weight = {person: chance.choice(WEIGHTS) for person in folk.persons}
    written = [weight[person] for person in folk.persons]
    each = naive_risk.individual_risks(folk, list(map(Fraction, written)), digits=90).values()
    release, nudge = released_with(people, known, **{"the weight": written}), Fraction(1, 10**60)
    total = sum(map(Fraction, each), Fraction(0))
    truth = {"highest": Fraction(max(each, default=0)), "expected": total, "average": total / (len(each) or 1)}
    for name, value in truth.items():
        for limit, holds in [(value - nudge, False), (value + nudge, True)]:
            if limit >= 0 and (name == "expected" or limit <= 1):
                assert release.ask(pw.IndividualRisk(**{name: limit})).holds is holds, (name, limit)


@quick
@given(peopled(), models, st.randoms(use_true_random=True))
def test_households(people, known, chance):
    folk = people.folk(known)
    everybody = sorted(set(folk.persons), key=str)
    weight = {person: chance.choice(WEIGHTS) for person in everybody}
    house = {person: chance.choice(["h1", "h2", "h3"]) for person in everybody}
    written, houses = ([of[person] for person in folk.persons] for of in (weight, house))
    expected = naive_risk.household_risks(folk, list(map(Fraction, written)), houses).values()
    release = released_with(people, known, **{"the weight": written, "the house": houses})
    found = release.ask(pw.IndividualRisk(household="the house")).figures["household"]
    assert found == pytest.approx(float(max(expected, default=0)), rel=1e-13)


@quick
@given(peopled(), models, st.randoms(use_true_random=True))
def test_everybody_is_a_household_of_their_own(people, known, chance):
    """The households are the persons, also those who are not known."""
    folk = people.folk(known)
    weight = {person: chance.choice(WEIGHTS) for person in sorted(set(folk.persons), key=str)}
    written = [weight[person] for person in folk.persons]
    each = naive_risk.individual_risks(folk, list(map(Fraction, written))).values()
    release = released_with(people, known, **{"the weight": written})
    found = release.ask(pw.IndividualRisk(household=PERSON)).figures["household"]
    assert found == pytest.approx(float(max(each, default=0)), rel=1e-13)


def test_context_risk_takes_the_risk_of_people():
    table = {PERSON: ["A", "A", "B", "C", "C"], "zip": ["1", "1", "1", "2", "2"], "w": ["9", "9", "30", "4", "4"]}
    release = pw.Release(table, quasi_identifiers=["zip"], person=PERSON, weight="w")
    options = {"attempts": {"insider": "1/4"}, "limit": 1}
    assert release.ask(pw.ContextRisk(risk="highest", adversary="prosecutor", **options)).exact == Fraction(1, 4)
    assert release.ask(pw.ContextRisk(risk="average", adversary="prosecutor", **options)).exact == Fraction(1, 6)
    individual = release.ask(pw.ContextRisk(risk="highest", adversary="individual", **options)).value
    assert individual == pytest.approx(release.ask(pw.IndividualRisk()).parts["highest"].value / 4, rel=1e-14)


# Special uniques.


@thorough
@given(peopled(), st.integers(1, 4), st.sampled_from(["value", "unknown"]))
def test_special_uniques(people, largest, missing):
    """Shares of columns are over the pairs of a class and a person; the others over people, by their highest."""
    folk = people.folk()
    found = naive_risk.minimal_uniques(folk, largest, missing_is_known=missing == "value")
    result = people.release().ask(pw.SpecialUniques(max_size=largest, missing=missing))
    special = {person for (_, person), sets in found.items() if sets}
    assert result.exact == Fraction(len(special), len(folk.present) or 1)
    columns = len(folk.tables.quasi_identifiers)
    for name in folk.tables.quasi_identifiers:
        key = name if name not in result.measure.fixed_parts else f"{name}'"
        share = naive_suda.share_of(name, list(found.values()), columns, min(largest, columns))
        assert result.parts[key].exact == share, name


@thorough
@given(peopled(), st.sampled_from(["1", "1/2", "1/10", "0.001"]))
def test_chances_of_right_matches(people, fraction):
    folk = people.folk()
    columns = len(folk.tables.quasi_identifiers)
    found = naive_risk.minimal_uniques(folk, columns)
    scored = naive_suda.scores(list(found.values()), columns, min(6, columns))
    chances = naive_risk.right_matches(folk, scored, Fraction(fraction))
    highest = {person: Decimal(0) for person in folk.present}
    for (_, person), chance in zip(found, chances, strict=True):
        highest[person] = max(highest[person], chance)
    each = highest.values()
    parts = people.release().ask(pw.SpecialUniques(fraction=fraction, threshold="0.3")).parts
    assert parts["highest"].value == float(max(each, default=0))
    assert parts["average"].value == pytest.approx(float(sum(each) / (len(each) or 1)), rel=1e-15)
    assert parts["above threshold"].exact == Fraction(sum(one > Decimal("0.3") for one in each), len(each) or 1)
    sizes = [group.size for group in naive.groups(folk)]
    right, wrong = sizes.count(1) * Fraction(fraction), 2 * sizes.count(2) * (1 - Fraction(fraction))
    assert parts["file"].exact == (right / (right + wrong) if right + wrong else None)


def test_special_uniques_are_about_one_record():
    release = pw.Release({PERSON: ["A", "A"], "zip": ["1", "2"]}, quasi_identifiers=["zip"], person=PERSON, known="all")
    with pytest.raises(NotAskableError, match="one"):
        release.ask(pw.SpecialUniques())
    assert "special uniques" in release.evaluate().skipped
