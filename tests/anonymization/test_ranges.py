"""Optimal groups on a line, compared with every other grouping in exact fractions."""

import random
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

import PETWorks as pw
from PETWorks.anonymization.microaggregation.groups import group_by_ranges


def squared_error(values, counts):
    rows, total = sum(counts), sum(value * count for value, count in zip(values, counts, strict=True))
    mean = Fraction(total, rows)
    return sum((value - mean) ** 2 * count for value, count in zip(values, counts, strict=True))


def of_groups(values, counts, groups):
    """Return the squared error, and the rows of the smallest group."""
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    parts = [([values[place] for place in some], [counts[place] for place in some]) for some in members]
    return sum(squared_error(*part) for part in parts), min(sum(rows) for _, rows in parts)


@pytest.mark.parametrize("seed", range(60))
def test_no_ranges_lose_less(seed):
    chance = random.Random(seed)
    values = sorted(chance.sample(range(60), chance.randrange(1, 11)))
    counts = [chance.choice([1, 1, 2, 3, 7]) for _ in values]
    k = chance.randrange(1, min(9, sum(counts)) + 1)
    least = min(
        sum(squared_error(values[part], counts[part]) for part in parts)
        for parts in all_ranges(len(values))
        if all(sum(counts[part]) >= k for part in parts)
    )
    shuffled = chance.sample(range(len(values)), len(values))
    groups, proven = group_by_ranges(np.array(values)[shuffled], np.array(counts)[shuffled], k)
    assert proven
    found, smallest = of_groups([values[place] for place in shuffled], [counts[place] for place in shuffled], groups)
    assert (found, smallest >= k) == (least, True)


def all_ranges(end):
    for cuts in range(end):
        for chosen in combinations(range(1, end), cuts):
            yield [slice(*edges) for edges in pairwise([0, *chosen, end])]


def partitions(items):
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for place in range(len(rest)):
            yield [*rest[:place], [items[0], *rest[place]], *rest[place + 1 :]]


@pytest.mark.parametrize("seed", range(8))
def test_no_groups_at_all_lose_less_where_values_are_unique(seed):
    chance = random.Random(seed)
    values, k = chance.sample(range(40), 8), chance.randrange(1, 5)
    least = min(
        sum(squared_error(part, [1] * len(part)) for part in parts)
        for parts in partitions(values)
        if min(map(len, parts)) >= k
    )
    assert of_groups(values, [1] * 8, group_by_ranges(np.array(values), np.ones(8, dtype=int), k)[0])[0] == least


@pytest.mark.parametrize("k", [3, 40, 700])
def test_ranges_in_several_steps(k):
    """Costs are computed step by step; far away from zero they are as exact as near to it."""
    chance = random.Random(k)
    values = np.array(sorted(chance.sample(range(10**6), 2000)))
    counts = np.array([chance.choice([1, 2]) for _ in values])
    (near, proven), (far, _) = group_by_ranges(values, counts, k), group_by_ranges(values + 10**9, counts, k)
    assert proven
    assert np.array_equal(near, far)
    assert np.bincount(near, weights=counts).min() >= k
    best = [0.0, *[float("inf")] * len(values)]  # the shortest path, over all ranges that have enough rows
    rows, total, squares = (np.append(0, np.cumsum(counts * (values - values.mean()) ** power)) for power in range(3))
    for end in range(1, len(best)):
        starts = np.flatnonzero(rows[end] - rows[:end] >= k)[-4 * k :]
        if len(starts):
            lost = squares[end] - squares[starts] - (total[end] - total[starts]) ** 2 / (rows[end] - rows[starts])
            best[end] = float((np.array(best)[starts] + lost).min())
    assert float(of_groups(values.astype(int).tolist(), counts.tolist(), near)[0]) == pytest.approx(best[-1], rel=1e-6)


@pytest.mark.parametrize("outlier", [10**17, -(10**17), 10**40])
@pytest.mark.parametrize("seed", range(6))
def test_an_outlier_does_not_change_the_groups_of_the_others(outlier, seed):
    chance = random.Random(seed)
    values = [*chance.sample(range(100), 9), *(outlier + step for step in range(3))]
    least = min(
        sum(squared_error(sorted(values)[part], [1] * len(values[part])) for part in parts)
        for parts in all_ranges(len(values))
        if all(len(values[part]) >= 3 for part in parts)
    )
    table = {"fee": list(map(str, values))}
    made = pw.anonymize(table, goals=[pw.KAnonymity(k=3)], quasi_identifiers=["fee"], recoding="microaggregate")
    assert made.proven
    groups = {}
    for value, mean in zip(values, made.frame("pyarrow").column("fee").to_pylist(), strict=True):
        groups.setdefault(mean, []).append(value)
    assert sum(squared_error(group, [1] * len(group)) for group in groups.values()) == least


def test_rounded_means_lose_no_more_than_everything():
    table = {"fee": ["0", "0", "1"], "more": ["0", "1", "1"]}
    made = pw.anonymize(table, goals=[pw.KAnonymity(k=3)], quasi_identifiers=["fee", "more"], recoding="microaggregate")
    assert made.loss == 1
    assert made.outcome.lost_variance == 1
