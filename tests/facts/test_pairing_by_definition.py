"""The rules that decide whether rows pair, compared with their definition, row by row in exact fractions."""

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_pairing
from oracle.naive import Tables
from PETWorks.errors import PairingError
from PETWorks.facts.fit import Gains
from support.strategies import brute, columns_of, made_tables, rows_of

WHOLE = [str(number) for number in range(12)]
DECIMALS = ["-1.5", "0", "+2", "2.25", "1e1", "07", "100000000000000000000.5"]
WORDS = ["a", "b", "c", "d"]


@st.composite
def drawn(draw):
    """Draw a table, a release of it, and an order of its rows."""
    chance = draw(st.randoms(use_true_random=True))
    rows = draw(st.sampled_from([1, 2, 5, 12, 30, 60, 120]))
    if draw(st.booleans()):
        tables = made_tables(chance, rows=rows, quasi=draw(st.integers(1, 3)), sensitive=0, original=True)
    else:
        tables = of_numbers(chance, rows, draw(st.integers(1, 4)))
    order = draw(st.sampled_from([in_place, in_place, shuffled, some_shuffled, moved_on, sorted_by_first]))
    return replace(tables, released=order(chance, tables.released))


def of_numbers(chance: Random, rows: int, columns: int) -> Tables:
    """Draw columns of numbers and words; released with noise, at random, or unchanged, with cells suppressed."""
    before, after, trees = {}, {}, {}
    for name in WORDS[:columns]:
        pool = chance.choice([WHOLE, WHOLE, DECIMALS, WORDS])
        before[name] = chance.choices(pool, k=rows)
        share, gone = chance.choice([0, 0.02, 0.3, 1]), chance.choice([0, 0, 0.1])
        after[name] = [chance.choice(near(cell, pool)) if chance.random() < share else cell for cell in before[name]]
        if pool is WHOLE and chance.random() < 0.3:
            trees[name] = of_shared_labels(chance)
            after[name] = [chance.choice(trees[name][int(cell)][chance.choice([0, 1, 1]) :]) for cell in before[name]]
        after[name] = ["*" if chance.random() < gone else cell for cell in after[name]]
    for row in [row for row in range(rows) if chance.random() < 0.1]:
        for cells in after.values():
            cells[row] = "*"
    return Tables(rows_of(after), WORDS[:columns], [], rows_of(before), trees)


def of_shared_labels(chance):
    """Draw a hierarchy of numbers whose labels are numbers, many of them above every leaf."""
    levels = chance.choice([["30", "50"], ["5", "50"], ["30", "50", "*"]])
    return [(leaf, *levels) for leaf in WHOLE]


def near(cell, pool):
    """Return the values next to one in the pool, and itself."""
    place = pool.index(cell)
    return pool[max(place - 1, 0) : place + 2]


def in_place(chance, rows):
    return rows


def shuffled(chance, rows):
    return chance.sample(rows, len(rows))


def some_shuffled(chance, rows):
    cut = chance.randrange(len(rows) + 1)
    return [*shuffled(chance, rows[:cut]), *rows[cut:]]


def moved_on(chance, rows):
    start, many = chance.randrange(len(rows)), chance.choice([1, 2, 3])
    return [*rows[:start], *rows[start + many :], *rows[start : start + many]]


def sorted_by_first(chance, rows):
    return sorted(rows, key=lambda row: str(next(iter(row.values()))))


def release_of(tables):
    return pw.Release(
        columns_of(tables.released),
        original=columns_of(tables.original),
        quasi_identifiers=tables.quasi_identifiers,
        hierarchies=tables.hierarchies,
        suppressed=tables.marker,
    )


def test_is_its_definition():
    seen = Counter()

    @brute
    @given(drawn())
    def compare(tables):
        (pairs, displaced), shift = naive_pairing.pairing(tables), naive_pairing.shift(tables)
        columns = release_of(tables).facts.columns
        seen[pairs, shift is not None] += 1
        if pairs and shift is None:
            assert columns.pairing.displaced == displaced
            return
        with pytest.raises(PairingError) as caught:
            _ = columns.pairing
        said = caught.value.problem.partition(": ")[2]
        if shift is None:
            assert not said
        else:
            row, on = shift
            assert f"near row {row} on" in said
            assert f"the original {abs(on)} row" in said
            assert said.endswith("on" if on > 0 else "back")

    compare()
    assert {pairs for pairs, _ in seen} == {True, False}
    assert {shifted for _, shifted in seen} == {True, False}


@brute
@given(drawn())
def test_columns_are_their_definition(tables):
    columns = release_of(tables).facts.columns
    fits = {fit.cells.name: fit for fit in columns._unchecked_pairing.fits}
    for name in tables.quasi_identifiers if naive_pairing.kept(tables) else ():
        expected, fit = naive_pairing.Column(tables, name), fits[name]
        assert fit.unexplained == expected.unexplained
        assert fit.by_chance == expected.chance * fit.rows**2
        assert fit.is_informative == expected.telling
        if expected.telling:
            assert (fit.misfit, fit.off, fit.confirms_pairing) == (expected.misfit, expected.off, expected.vouches)


@pytest.mark.parametrize(
    ("gain", "variance", "clear"),
    [(6, 16, True), (6, 17, False), (-6, 16, False), (0, 0, False), (1, 0, True), (10**30, 4 * 10**60 // 9, True)],
)
def test_three_standard_deviations_are_enough(gain, variance, clear):
    """Of five rows, 6/5 more cells fit than on average; the variance of deals is 16/100."""
    assert Gains(*(np.array([number], dtype=object) for number in (5, gain, variance))).is_clear is clear


def test_gains_of_groups_add_up():
    """The first group gains 1/2 with a variance of 1/4, the second 1 with a variance of 0: 3/2 is three deviations."""
    sizes, gains, variances = ([2, 3], [1, 3], [1, 0])
    assert Gains(*map(np.array, (sizes, gains, variances))).is_clear
    assert not Gains(*map(np.array, (sizes, gains, [2, 0]))).is_clear


def test_a_column_in_which_every_order_matches_is_silent():
    """Each released value is above every original one, so no order is wrong; the covariance says nothing either."""
    ages = [("20", "30", "50"), ("40", "30", "50")]
    release = pw.Release({"age": ["30", "50"]}, original={"age": ["20", "40"]}, hierarchies={"age": ages})
    assert release.ask("Precision").value == 0.25
