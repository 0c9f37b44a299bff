from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive
from PETWorks.errors import UnknownValueError
from support.strategies import WORST, brute, forms, limits_near, release_of, tables

with_sensitive = tables(least_sensitive=1)


def expected_distances(tables) -> dict[str, list[naive.Scored]] | None:
    """By attribute, the distance of every class; None if some value should be a leaf and is not."""
    try:
        return {name: naive.distances(tables, name, naive.distance_kind(tables, name)) for name in tables.sensitive}
    except KeyError:
        return None


def scores(distances) -> list[Fraction]:
    return [one.score for one in distances]


def worst_of(by_name) -> Fraction | None:
    return max((score for distances in by_name.values() for score in scores(distances)), default=None)


@brute
@given(with_sensitive, forms)
def test_is_its_definition(tables, form):
    release, expected = release_of(tables, form), expected_distances(tables)
    if expected is None:
        with pytest.raises(UnknownValueError, match="lowest level of the hierarchy"):
            release.ask("t-closeness")
        return
    result, worst = release.ask("t-closeness"), worst_of(expected)
    assert result.exact == worst
    assert result.value == (None if worst is None else float(worst))
    assert result.holds is None
    assert set(result.parts) == set(tables.sensitive)
    for name, part in result.parts.items():
        assert part.figures["distance"] == naive.distance_kind(tables, name)
        assert part.exact == max(scores(expected[name]), default=None)
        shown = [naive.Scored(dict(one.values), one.size, one.exact) for one in part.worst]
        assert scores(shown) == sorted(scores(expected[name]), reverse=True)[:WORST]
        assert all(one in expected[name] for one in shown)
        assert len({tuple(one.values.items()) for one in shown}) == len(shown)


@brute
@given(with_sensitive)
def test_counts_rows_that_say_nothing(tables):
    if expected_distances(tables) is None:
        return
    notes = release_of(tables).ask("t-closeness").notes
    counted = {note.figures["part"]: note.figures["rows"] for note in notes if note.kind == "unpublished"}
    expected = {name: len(naive.unpublished(tables, name)) for name in tables.sensitive}
    assert counted == {name: rows for name, rows in expected.items() if rows}
    assert ("nothing_published" in {note.kind for note in notes}) == (not naive.classes(tables))


@brute
@given(with_sensitive, st.sampled_from(["equal", "hierarchical", "ordered"]))
def test_a_distance_that_is_asked_for(tables, kind):
    release, name = release_of(tables), tables.sensitive[0]
    if kind == "hierarchical" and name not in tables.hierarchies:
        return
    if kind == "ordered" and not all(map(naive.is_number, naive.overall_cells(tables, name))):
        return
    question = pw.TCloseness(distance=kind, sensitive=name)
    try:
        expected = max(scores(naive.distances(tables, name, kind)), default=None)
    except KeyError:
        with pytest.raises(UnknownValueError, match="lowest level of the hierarchy"):
            release.ask(question)
        return
    assert release.ask(question).exact == expected


@brute
@given(with_sensitive)
def test_verdict(tables):
    expected = expected_distances(tables)
    if expected is None:
        return
    release, worst = release_of(tables), worst_of(expected)
    for limit in limits_near(Fraction(1, 2) if worst is None else worst):
        result = release.ask(pw.TCloseness(t=limit))
        bad = {
            number: one.size
            for distances in expected.values()
            for number, one in enumerate(distances)
            if not naive.keeps_at_most(one.score, limit)
        }
        assert result.holds is not bool(bad), limit
        assert (result.failing_classes, result.failing_rows) == (len(bad), sum(bad.values()))
        for name, distances in expected.items():
            sizes = [one.size for one in distances if not naive.keeps_at_most(one.score, limit)]
            part = result.parts[name]
            assert (part.holds, part.failing_classes, part.failing_rows) == (not sizes, len(sizes), sum(sizes))


@brute
@given(with_sensitive)
def test_an_order_of_texts(tables):
    name = tables.sensitive[0]
    silent = naive.unpublished(tables, name)
    values = sorted({row[name] for row in tables.released if row not in silent}, key=backwards)
    if None in values:
        return
    place = {value: str(rank) for rank, value in enumerate(values)}
    numbered = [{**row, name: place[row[name]]} for row in tables.released if row not in silent]
    as_numbers = naive.Tables(numbered, tables.quasi_identifiers, [name], None, {}, tables.marker)
    expected = max(scores(naive.distances(as_numbers, name, "ordered")), default=None)
    assert release_of(tables).ask(pw.TCloseness(order=values, sensitive=name)).exact == expected


def backwards(value: str | None) -> str:
    return (value or "")[::-1]


def test_the_example_of_the_sources():
    """With the two cells of its last table that are swapped put right."""
    years = ["197*", "197*", "198*", "198*", "198*"]
    diseases = ["gastric cancer", "flu", "flu", "gastritis", "gastric cancer"]
    stomach = [(disease, "stomach disease", "disease") for disease in ("gastric cancer", "gastritis")]
    rows = zip(years, ["3000", "4000", "5000", "6000", "8000"], diseases, strict=True)
    example = naive.Tables(
        released=[{"n": year, "count": salary, "N": disease} for year, salary, disease in rows],
        quasi_identifiers=["n"],
        sensitive=["count", "N"],
        original=None,
        hierarchies={"N": [("flu", "respiratory infection", "disease"), *stomach]},
    )
    expected = {"count": [Fraction(3, 8), Fraction(1, 4)], "N": [Fraction(3, 20), Fraction(1, 10)]}
    assert {name: scores(found) for name, found in expected_distances(example).items()} == expected
    parts = release_of(example).ask("t-closeness").parts
    assert {name: [one.exact for one in part.worst] for name, part in parts.items()} == expected
