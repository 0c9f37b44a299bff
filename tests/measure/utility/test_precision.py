from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive
from PETWorks.errors import UnknownValueError
from support.strategies import brute, forms, levelled, limits_near, release_of, suppressed_rows, tables


@brute
@given(levelled(), forms)
def test_is_its_definition(tables, form):
    result = release_of(tables, form).ask("Precision")
    expected = naive.precision(tables, tables.quasi_identifiers)
    assert result.exact == expected
    assert result.value == 1.0 - float(1 - expected)
    assert set(result.parts) == set(tables.quasi_identifiers)
    for name, part in result.parts.items():
        assert part.exact == (own := naive.precision(tables, [name]))
        assert part.value == 1.0 - float(1 - own)


@brute
@given(levelled())
def test_says_what_it_saw(tables):
    result = release_of(tables).ask("Precision")
    assert result.scope.rows == len(tables.released)
    assert result.scope.suppressed == suppressed_rows(tables)
    assert result.scope.classes == len(naive.classes(tables))
    for name in (*tables.quasi_identifiers, *tables.sensitive):
        assert result.scope.missing.get(name, 0) == sum(row[name] is None for row in tables.released)


@brute
@given(tables(original=True))
def test_counts_cells_that_their_original_does_not_explain(tables):
    result = release_of(tables).ask("Precision")
    counted = [note.figures for note in result.notes if note.kind == "unexplained"]
    expected = {name: naive.unexplained(tables, name) for name in tables.quasi_identifiers}
    expected = {name: cells for name, cells in expected.items() if cells}
    of = len(expected) * sum(not naive.is_suppressed(tables, row) for row in tables.released)
    figures = {"cells": sum(expected.values()), "of": of, "by_column": expected}
    assert [{name: one[name] for name in figures} for one in counted] == ([figures] if expected else [])


@brute
@given(levelled())
def test_verdict(tables):
    release = release_of(tables)
    score = naive.precision(tables, tables.quasi_identifiers)
    for limit in limits_near(score):
        assert release.ask(pw.Precision(at_least=limit)).holds == naive.keeps_at_least(score, limit), limit


@brute
@given(levelled(), st.data())
def test_released_values_that_occur_nowhere(tables, data):
    name = data.draw(st.sampled_from(sorted(set(tables.quasi_identifiers) & set(tables.hierarchies)) or [None]))
    if name is None:
        return
    place = data.draw(st.integers(0, len(tables.released) - 1))
    strange = [{**row, name: "nowhere"} if number == place else row for number, row in enumerate(tables.released)]
    tables = replace(tables, released=strange)
    with pytest.raises(UnknownValueError, match=rf'"nowhere" \(row {place + 1}\)'):
        release_of(tables).ask("Precision")
    forgiving = release_of(tables, unknown_values="generalised").ask("Precision")
    assert forgiving.exact == naive.precision(tables, tables.quasi_identifiers)


@pytest.mark.parametrize("released", ["1977", "197*", "*"])
def test_an_original_that_is_no_leaf_counts_as_fully_generalised_when_forgiven(released):
    tree = [("1977", "197*", "*"), ("1988", "198*", "*")]
    release = {"year": [released, "1988"]}
    options = {"original": {"year": ["197*", "1988"]}, "hierarchies": {"year": tree}}
    assert pw.Release(release, **options, unknown_values="generalised").ask("Precision").exact == Fraction(1, 2)
    if released != "*":
        with pytest.raises(UnknownValueError, match=r'"197\*" \(row 1\)'):
            pw.Release(release, **options).ask("Precision")


def test_the_example_of_the_sources():
    places = [("Germany", "Europe", "*"), ("France", "Europe", "*")]
    years = [(year, year[:3] + "*", "19**", "*") for year in ("1970", "1977", "1983", "1988")]
    example = naive.Tables(
        released=[{"n": "Europe", "count": year[:3] + "*"} for year, *_ in years],
        quasi_identifiers=["n", "count"],
        sensitive=[],
        original=[{"n": place[0], "count": year[0]} for place, year in zip(places * 2, years, strict=True)],
        hierarchies={"n": places, "count": years},
    )
    assert naive.precision(example, ["n", "count"]) == release_of(example).ask("Precision").exact == Fraction(7, 12)
