"""How a sensitive attribute spreads over classes, counted row by row."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.facts.classes import Classes
from PETWorks.facts.spread import Spread
from support.strategies import brute

rows = st.lists(st.tuples(st.sampled_from("abcd*"), st.sampled_from("wxyz*")), min_size=1, max_size=30)


def spread_of(rows: list[tuple[str, str]]):
    table = {"q": [q for q, _ in rows], "s": [s for _, s in rows]}
    return next(pw.Release(table, quasi_identifiers=["q"], sensitive=["s"]).facts.spreads())


def by_class(rows: list[tuple[str, str]]) -> list[Counter]:
    return [Counter(s for q, s in rows if q == name) for name in sorted({q for q, _ in rows} - {"*"})]


@brute
@given(rows)
def test_counts(rows):
    """A suppressed row whose cell is suppressed too publishes nothing; other rows count in the whole table."""
    spread, classes = spread_of(rows), by_class(rows)
    overall = Counter(s for q, s in rows if (q, s) != ("*", "*"))
    assert dict(zip(spread.values, spread.overall.tolist(), strict=True)) == overall
    assert (spread.rows, spread.unpublished) == (overall.total(), rows.count(("*", "*")))
    assert spread.sizes.tolist() == [counts.total() for counts in classes]
    for index, counts in enumerate(classes):
        entries = spread.entries(index)
        assert {spread.values[value]: count for value, count in entries} == counts
        assert spread.counts_in(index).tolist() == [count for _, count in entries]
        assert [value for value, _ in entries] == sorted(value for value, _ in entries)
        for value, count in entries:
            expected = Fraction(count, counts.total()), Fraction(overall[spread.values[value]], overall.total())
            assert spread.shares(index, (value, count)) == expected


@brute
@given(rows)
@example([*zip("aaaa" + "bbbb" + "ccccc", "wxxx" + "wwxx" + "wxxxx", strict=True)])
@example([*zip("a" + "bb" + "ccc" + "dddd", "w" + "wx" + "wxx" + "wxxx", strict=True)])
def test_classes_of_one_pattern_have_the_same_counts(rows):
    patterns = spread_of(rows).patterns.tolist()
    counts = [sorted(one.values()) for one in by_class(rows)]
    assert [[one == other for other in patterns] for one in patterns] == [
        [one == other for other in counts] for one in counts
    ]


@brute
@given(rows)
def test_likelihoods(rows):
    """How much more frequent a value is in a class than in the whole table."""
    spread, classes = spread_of(rows), by_class(rows)
    found, expected = spread.likelihoods()
    overall = dict(zip(spread.values, spread.overall.tolist(), strict=True))
    places = zip(spread.of_class.tolist(), spread.of_value.tolist(), strict=True)
    shares = [(classes[index], spread.values[value]) for index, value in places]
    assert [Fraction(int(above), int(below)) for above, below in zip(found, expected, strict=True)] == [
        Fraction(counts[value], counts.total()) / Fraction(overall[value], sum(overall.values()))
        for counts, value in shares
    ]


@pytest.mark.parametrize("many", [2**31 - 1, 2**31, 2**40])
def test_likelihoods_of_many_people(many):
    """Half of a class have x, half y, and one person of another class has y: products may need more than 64 bits."""
    half, place = many // 2, np.array([0, 0, 1])
    classes = Classes(np.array([2 * half, 1]), {}, place)
    spread = Spread(
        "s", ("x", "y"), np.array([half, half + 1]), classes, place, np.array([0, 1, 1]), np.array([half, half, 1]), 0
    )
    found, expected = spread.likelihoods()
    assert found.tolist() == [half * (2 * half + 1), half * (2 * half + 1), 2 * half + 1]
    assert expected.tolist() == [half * 2 * half, (half + 1) * 2 * half, half + 1]


@brute
@given(rows, st.integers(1, 8))
@example([("a", cell) for cell in "xxxxxyyyz"], 3)  # to name y would leave one person
def test_values_are_named_as_long_as_neither_they_nor_the_rest_are_few_people(rows, least):
    spread = spread_of(rows)
    for index in range(len(spread.sizes)):
        counts = sorted((count for _, count in spread.entries(index)), reverse=True)
        fitting = [
            many
            for many in range(len(counts) + 1)
            if all(count >= least for count in counts[:many]) and not 0 < sum(counts[many:]) < least
        ]
        named = spread.find_nameable(index, least)
        assert [count for _, count in named] == (counts[: max(fitting)] if fitting else [])
        assert set(named) <= set(spread.entries(index))


@brute
@given(rows, st.data())
def test_other_values_in_place_of_these(rows, data):
    spread = spread_of(rows)
    into = [data.draw(st.integers(0, 2)) for _ in spread.values]
    other = spread.regroup(np.array(into, dtype=np.int64), ["k", "l", "m"])
    named = dict(zip(spread.values, ("klm"[one] for one in into), strict=True))
    expected = [Counter(named[cell] for cell in counts.elements()) for counts in by_class(rows)]
    found = [
        Counter({other.values[value]: count for value, count in other.entries(index)}) for index in range(len(expected))
    ]
    assert found == expected
    assert all(count for counts in found for count in counts.values())
    overall = Counter(named[s] for q, s in rows if (q, s) != ("*", "*"))
    assert other.overall.tolist() == [overall[name] for name in "klm"]


@pytest.mark.parametrize("suppressed", [True, False])
def test_a_table_of_which_nothing_is_published(suppressed):
    spread = spread_of([("*", "*" if suppressed else "x")] * 3)
    assert (spread.rows, spread.unpublished) == ((0, 3) if suppressed else (3, 0))
    assert spread.patterns.tolist() == spread.sizes.tolist() == []
    assert spread.regroup(np.zeros(len(spread.values), dtype=np.int64), []).of_class.tolist() == []
