"""Re-identification risks, uniqueness, class sizes and attribute risk, against their definitions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_population
from oracle import naive_risk as naive
from oracle.naive import classes, keeps_at_most
from oracle.naive_population import DoesNotHold
from PETWorks.errors import HierarchyError, PopulationError
from support.strategies import NUDGE, forms, release_of, tables
from support.strategies_family import limits_at, quick, release_from, samples, thorough

thresholds = st.one_of(
    st.sampled_from([0, 1, "1/5", 0.2, 1 / 3, "0.333333333333", 0.5]),
    st.builds(Fraction, st.just(1), st.integers(1, 12)),
    st.builds(lambda size: Fraction(1, size) * (1 - NUDGE), st.integers(1, 12)),
)


def check_figures(result, expected: dict[str, Fraction]) -> None:
    assert {name: part.exact for name, part in result.parts.items()} == expected
    assert {name: part.value for name, part in result.parts.items()} == {k: float(v) for k, v in expected.items()}
    first = next(iter(expected.values()))
    assert (result.exact, result.value) == (first, float(first))


# Re-identification.


@thorough
@given(tables(), forms, thresholds)
def test_re_identification_without_a_population(tables, form, threshold):
    result = release_of(tables, form).ask(pw.ReidentificationRisk(threshold=threshold))
    check_figures(result, naive.re_identification(tables, None, threshold))
    assert result.holds is None


@thorough
@given(samples(), forms, thresholds)
def test_re_identification_with_a_population(sample, form, threshold):
    (tables, population), release = sample, release_from(*sample, form)
    question = pw.ReidentificationRisk(threshold=threshold)
    try:
        expected = naive.re_identification(tables, population, threshold)
    except DoesNotHold:
        with pytest.raises((PopulationError, HierarchyError)):
            release.ask(question)
        return
    check_figures(release.ask(question), expected)


@thorough
@given(tables())
def test_limits_of_risks(tables):
    release, risks = release_of(tables), naive.re_identification(tables, None, "1/5")
    for name, figure in {"highest": "highest", "average": "average", "above": "above threshold"}.items():
        risk = risks[figure]
        for limit in [*limits_at(risk, most=1), float(risk)]:
            result = release.ask(pw.ReidentificationRisk(**{name: limit}))
            assert result.holds is result.parts[figure].holds is keeps_at_most(risk, limit), (name, limit)


@thorough
@given(tables(), st.sampled_from(["1/3", "1/2", 0]), st.sampled_from(["1/2", 1, 0]))
def test_all_limits_of_risks_must_be_kept(tables, highest, average):
    risks = naive.re_identification(tables, None, "1/5")
    result = release_of(tables).ask(pw.ReidentificationRisk(highest=highest, average=average, above="1/2"))
    kept = [
        risks["highest"] <= Fraction(highest),
        risks["average"] <= Fraction(average),
        risks["above threshold"] <= Fraction(1, 2),
    ]
    assert result.holds is all(kept)


# Uniqueness.


@thorough
@given(tables(), forms)
def test_sample_uniqueness(tables, form):
    release, share = release_of(tables, form), naive.sample_uniqueness(tables)
    check_figures(release.ask("sample uniqueness"), {"unique": share})
    for limit in limits_at(share, most=1):
        assert release.ask(pw.SampleUniqueness(at_most=limit)).holds is (share <= Fraction(limit))


@thorough
@given(samples(), forms)
def test_counted_population_uniqueness(sample, form):
    (tables, population), release = sample, release_from(*sample, form)
    try:
        share = naive.population_uniqueness(tables, population)
    except DoesNotHold:
        with pytest.raises((PopulationError, HierarchyError)):
            release.ask("population uniqueness")
        return
    result = release.ask("population uniqueness")
    check_figures(result, {"unique": share})
    assert result.figures["estimator"] == "counted"
    for limit in limits_at(share, most=1):
        assert release.ask(pw.PopulationUniqueness(at_most=limit)).holds is (share <= Fraction(limit))


@quick
@given(samples())
def test_nobody_is_more_unique_in_the_population_than_in_the_sample(sample):
    """A law that holds class by class: the people of a class are at least its rows."""
    tables, population = sample
    try:
        people = naive_population.crowds(tables, population) if classes(tables) else []
    except DoesNotHold:
        return
    parts = release_from(tables, population).ask("re-identification").parts
    assert all(many >= len(rows) for many, rows in zip(people, classes(tables), strict=True))
    assert parts["journalist highest"].exact <= parts["highest"].exact
    assert parts["marketer"].exact <= parts["average"].exact


# Class sizes.


@thorough
@given(tables(), forms)
def test_class_sizes(tables, form):
    result, sizes = release_of(tables, form).ask("class sizes"), [len(rows) for rows in classes(tables)]
    assert result.figures["histogram"] == naive.histogram(tables)
    check_figures(
        result,
        {
            "average": Fraction(sum(sizes), len(sizes) or 1),
            "smallest": Fraction(min(sizes, default=0)),
            "largest": Fraction(max(sizes, default=0)),
            "classes": Fraction(len(sizes)),
        },
    )


# Attribute risk.


@thorough
@given(tables(), forms)
def test_attribute_risk(tables, form):
    release = release_of(tables, form)
    result, expected = release.ask("attribute risk"), naive.attribute_risk(tables)
    assert len(result.parts) == len(expected) == 2 ** len(tables.quasi_identifiers) - 1
    for names, (distinction, separation) in expected.items():
        part = result.parts[" + ".join(name for name in release.roles.quasi_identifiers if name in names)]
        assert (part.exact, part.figures["separation"]) == (distinction, separation)
        assert part.value == float(distinction)
    separations = [part.figures["separation"] or 0 for part in result.parts.values()]
    single = separations[: len(tables.quasi_identifiers)]
    assert single == sorted(single, reverse=True)


@pytest.mark.parametrize(("columns", "subsets"), [(10, 2**10 - 1), (11, 11 + 55 + 165)])
def test_beyond_ten_columns_subsets_are_small(columns, subsets):
    table = {f"c{number}": ["a", "b", "a" if number % 2 else "b"] for number in range(columns)}
    result = pw.Release(table).ask("attribute risk")
    assert len(result.parts) == subsets
    assert ("subsets" in {note.kind for note in result.notes}) == (columns > 10)
    part = result.parts["c0 + c1"]
    assert (part.exact, part.figures["separation"]) == (1, 1)


def test_columns_called_like_figures():
    table = {"suppressed rows": ["a", "b"], "unique": ["c", "c"], "average": ["d", "d"]}
    release = pw.Release(table)
    assert release.ask("re-identification").parts["average"].exact == 1
    assert release.ask("attribute risk").parts["suppressed rows"].exact == 1
    assert release.ask("attribute risk").parts["unique"].exact == Fraction(1, 2)
