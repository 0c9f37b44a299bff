"""Sampling weights and individual risk, against definitions and against values from outside."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_weights as naive
from oracle.naive import classes
from PETWorks.errors import ParameterError, UnknownNameError, UnknownValueError
from PETWorks.measure.risk.individual_risk import compute_household_risk, compute_precise_risk, compute_risks
from support.strategies import columns_of, tables
from support.strategies_family import quick, thorough

REFERENCE = {  # computed with mpmath to 60 digits
    (1, "1.0001"): "0.99995000333308335",
    (1, "1.5"): "0.81093021621632876",
    (1, "100"): "0.046516870565536276",
    (2, "84.5"): "0.022042326183256164",
    (3, "9"): "0.13732653608351371",
    (3, "300"): "0.0049532207805903006",
    (4, "1000000"): "1.3333306666879973e-6",
    (20, "25"): "0.040388065752367186",
    (50, "10000"): "0.00010203018933563571",
    (100000, "3000000"): "3.3333655558562989e-7",
    (3, "3"): "0.33333333333333333",
}
GUIDE = {  # ten people of the SDC practice guide
    "residence": ["Urban"] * 4 + ["Rural"] + ["Urban"] * 5,
    "gender": ["f", "f", "f", "m", "f", "m", "f", "m", "f", "f"],
    "education": ["2i", "2i", "1i", "2c", "2c", "2c", "1c", "3", "2i", "2i"],
    "labor": ["yes", "yes", "not", "yes", "no", "yes", "not", "no", "not", "not"],
    "weight": ["180", "180", "215", "76", "186", "76", "180", "215", "131", "131"],
}
FRANCDAT = {  # data set francdat of sdcMicro (Capobianchi, Polettini, Lucarelli)
    "Key1": ["1", "1", "1", "3", "4", "4", "6", "1"],
    "Key2": ["2", "2", "2", "3", "3", "3", "2", "2"],
    "Key3": ["5", "1", "1", "1", "1", "1", "1", "5"],
    "Key4": ["1", "1", "1", "5", "4", "1", "5", "1"],
    "w": ["18", "45.5", "39", "17", "541", "8", "5", "92"],
    "household": ["h1", "h1", "h2", "h2", "h2", "h3", "h3", "h3"],
}


def of_one(sample: int, people: Fraction) -> float:
    pair = np.array([float(people)]), np.array([float(people - sample)])
    return float(compute_risks(np.array([sample]), *pair)[0])


@pytest.mark.parametrize(("sample", "people"), REFERENCE)
def test_reference_values(sample, people):
    expected = Decimal(REFERENCE[sample, people])
    assert of_one(sample, Fraction(people)) == pytest.approx(float(expected), rel=1e-15)
    assert compute_precise_risk(sample, Fraction(people)) == pytest.approx(expected, rel=Decimal("1e-16"))
    if sample <= 100:
        assert naive.risk(sample, Fraction(people)) == pytest.approx(expected, rel=Decimal("1e-16"))


def test_six_thousand_random_classes():
    chance = random.Random(7)
    sizes = [chance.choice([1, 2, 3, 5, 20, 49, 50, 51, 60, chance.randint(1, 40)]) for _ in range(6000)]
    people = [size * (1 + Fraction(str(round(10 ** chance.uniform(-6, 6), 6))) / 7) for size in sizes]
    unseen = [float(every - size) for every, size in zip(people, sizes, strict=True)]
    found = compute_risks(np.array(sizes), np.array(list(map(float, people))), np.array(unseen))
    for size, every, one in list(zip(sizes, people, found.tolist(), strict=True)):
        assert one == pytest.approx(float(compute_precise_risk(size, every)), rel=1e-13), (size, every)
        share = size / every
        assert (1 - 1e-15) / every <= Fraction(one) <= min(Fraction(1, size), share / (size - 1 + share)) * (1 + 1e-14)
    for size, every in random.Random(8).sample([*zip(sizes, people, strict=True)], 60):
        assert abs(compute_precise_risk(size, every) / naive.risk(size, every) - 1) < Decimal("1e-20")


def test_a_merged_class_is_below_both():
    chance = random.Random(9)
    for _ in range(200):
        one, other = ((chance.randint(1, 20), Fraction(chance.randint(20, 500), 3)) for _ in range(2))
        merged = of_one(one[0] + other[0], one[1] + other[1])
        assert merged < min(of_one(*one), of_one(*other))


def test_the_guide():
    result = pw.Release(GUIDE, weight="weight").ask(pw.IndividualRisk())
    assert result.figures["average"] == pytest.approx(0.0158234649401, abs=1e-13)
    assert result.parts["highest"].value == pytest.approx(0.0290, abs=5e-5)
    assert result.figures["expected"] == pytest.approx(0.158234649401, abs=1e-12)


def test_francdat():
    keys = ["Key1", "Key2", "Key3", "Key4"]
    release = pw.Release(FRANCDAT, quasi_identifiers=keys, weight="w")
    result = release.ask(pw.IndividualRisk(household="household", threshold="0.1"))
    assert result.figures["household"] == pytest.approx(0.58709877654261056, rel=1e-14)
    assert result.figures["above threshold"] == Fraction(3, 8)
    assert "published_weight" in {note.kind for note in result.notes}


def test_a_household():
    household, members = np.zeros(3, dtype=int), np.ones(3, dtype=int)
    assert compute_household_risk(np.array([0.02, 0.03, 0.03]), household, members) == pytest.approx(
        0.077918, abs=1e-15
    )


weights = st.sampled_from(["1", "1.5", "0.5", "2e1", "180", "45.25", "1000000", "0.001"])


@thorough
@given(tables(), st.data())
def test_figures(tables, data):
    written = data.draw(st.lists(weights, min_size=len(tables.released), max_size=len(tables.released)))
    table = {**columns_of(tables.released), "the weight": written}
    release = pw.Release(
        table, quasi_identifiers=tables.quasi_identifiers, suppressed=tables.marker, weight="the weight", sidecar=False
    )
    found = naive.risks(tables, list(map(Fraction, written)))
    expected = sum((size * one for size, one in found), Decimal(0))
    rows = sum(size for size, _ in found)
    parts = release.ask(pw.IndividualRisk(threshold="0.2")).parts
    assert parts["highest"].value == pytest.approx(float(max((one for _, one in found), default=0)), rel=1e-14)
    assert parts["expected"].value == pytest.approx(float(expected), rel=1e-14)
    assert parts["average"].value == pytest.approx(float(expected / (rows or 1)), rel=1e-14)
    above = sum(size for size, one in found if one > Decimal("0.2"))
    assert parts["above threshold"].exact == Fraction(above, rows or 1)
    alone = [rows for rows in classes(tables) if len(rows) == 1]
    assert parts["population uniques"].value <= len(alone)


@quick
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 40)), min_size=1, max_size=6))
def test_verdicts_are_exact(found):
    """The limit is moved by less than any float could tell."""
    cells = [str(place) for place, (size, _) in enumerate(found) for _ in range(size)]
    written = [str(1 + Fraction(more, 8) / size * 5) for size, more in found for _ in range(size)]
    written = [f"{float(Fraction(one)):.3f}" for one in written]
    release = pw.Release({"a": cells, "w": written}, weight="w")
    sizes = {place: cells.count(place) for place in cells}
    totals = {
        place: sum(map(Fraction, (w for c, w in zip(cells, written, strict=True) if c == place))) for place in cells
    }
    each = {place: Fraction(naive.risk(sizes[place], totals[place], 90)) for place in sizes}
    truth = {
        "highest": max(each.values()),
        "expected": sum(sizes[place] * each[place] for place in sizes),
        "average": sum(sizes[place] * each[place] for place in sizes) / len(cells),
    }
    nudge = Fraction(1, 10**60)
    for name, value in truth.items():
        for limit, holds in [(value - nudge, False), (value + nudge, True)]:
            if name == "expected" or 0 <= limit <= 1:
                assert release.ask(pw.IndividualRisk(**{name: limit})).holds is holds, (name, limit)


def test_weights_say_that_nobody_else_looks_alike():
    result = pw.Release({"a": ["x", "x", "y"], "w": ["1", "1", "0.5"]}, weight="w").ask(pw.IndividualRisk(highest=1))
    assert (result.exact, result.holds, result.parts["expected"].exact) == (1, True, 2)
    assert {note.kind for note in result.notes} >= {"few", "below_one"}


def test_all_rows_suppressed():
    result = pw.Release({"a": ["*", "*"], "w": ["3", "4"]}, weight="w").ask(pw.IndividualRisk(highest=0, threshold=0))
    assert (result.exact, result.holds) == (0, True)


def test_no_weights_are_not_evaluated():
    evaluation = pw.Release({"a": ["x", "y"]}).evaluate()
    assert evaluation.skipped["individual risk"].kind == "needs_weight"


def test_the_weight_is_no_quasi_identifier_unless_it_is_said():
    release = pw.Release({"a": ["x", "y"], "w": ["3", "4"]}, weight="w")
    assert (release.roles.quasi_identifiers, release.roles.insensitive) == (("a",), ("w",))


@pytest.mark.parametrize("wrong", ["0", "-1", "many", None, "1,5", "nan", "*"])
def test_weights_that_are_no_positive_numbers(wrong):
    release = pw.Release({"a": ["x", "y", "z"], "w": ["3", wrong, "4"]}, weight="w")
    with pytest.raises(UnknownValueError, match="row 2"):
        release.ask(pw.IndividualRisk())


def test_misspelt_columns():
    with pytest.raises(UnknownNameError, match='did you mean "weight"'):
        pw.Release({"a": ["x"], "weight": ["1"]}, weight="wieght")
    with pytest.raises(ParameterError, match="weight must be text"):
        pw.Release({"a": ["x"]}, weight=1)
    with pytest.raises(UnknownNameError, match="did you mean"):
        pw.Release({"a": ["x"], "hid": ["1"], "w": ["2"]}, quasi_identifiers=["a"], weight="w").ask(
            pw.IndividualRisk(household="hidd")
        )


def test_a_row_without_a_household():
    release = pw.Release({"a": ["x", "y"], "h": ["1", None], "w": ["2", "3"]}, quasi_identifiers=["a"], weight="w")
    with pytest.raises(UnknownValueError, match="missing"):
        release.ask(pw.IndividualRisk(household="h"))


def test_a_release_is_made_that_keeps_a_limit():
    """Weights go along with their rows while a release is searched for."""
    ages = [(str(age), f"{age // 10}x", "*") for age in range(20, 40)]
    table = {"age": [str(20 + place % 20) for place in range(40)], "w": ["2.5", "40"] * 20}
    goal = pw.IndividualRisk(highest="0.05")
    made = pw.anonymize(
        table, hierarchies={"age": ages}, quasi_identifiers=["age"], insensitive=["w"], goals=[goal], weight="w"
    )
    assert made.levels == {"age": 1}
    assert made.release.ask(goal).holds


def test_individual_risk_says_what_it_assumes():
    people = {"labor": ["yes", "yes", "no"], "w": ["180", "180", "215"], "home": ["1", "1", "2"]}
    release = pw.Release(people, quasi_identifiers=["labor"], weight="w")
    plain, homes = (release.ask(pw.IndividualRisk(**given)) for given in ({}, {"household": "home"}))
    for result in (plain, homes):
        assert "Estimated: weights are taken to be 1 ÷ the chance of being sampled" in " ".join(str(result).split())
        assert "此為估計值" in result.text("zh_TW")
    assert "estimated_households" not in {note.kind for note in plain.notes}
    assert "estimated_households" in {note.kind for note in homes.notes}
