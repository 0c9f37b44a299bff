"""How much of a class must be suppressed, compared with all that could be kept of it."""

from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest

from PETWorks.measure.formulas.floors import find_loss_by_equal_distance
from PETWorks.plugin import Spread
from support.release_facts import Classes


@pytest.mark.parametrize("seed", range(40))
def test_rows_that_are_not_too_far(seed):
    """No part of a class that is at most t away has more rows than are left; in fractions of rows, one has as many."""
    chance = Random(seed)
    overall = [chance.randint(1, 9) for _ in range(chance.randint(1, 4))]
    classes = [[chance.choice([0, 1, 2, 5]) for _ in overall] for _ in range(3)]
    classes = [one if any(one) else [1] * len(overall) for one in classes]
    t = Fraction(chance.randint(0, 9), 10)
    shares = [Fraction(one, sum(overall)) for one in overall]
    found = find_loss_by_equal_distance(spread(overall, classes), float(t))
    for counts, lost in zip(classes, found.tolist(), strict=True):
        left = (1 - lost) * sum(counts)
        assert max(map(sum, parts_that_hold(counts, shares, t)), default=0) <= left + 1e-6
        assert nearest(counts, shares, left - 0.001) <= t
        assert left > sum(counts) - 0.001 or nearest(counts, shares, left + 0.001) > t


def spread(overall, classes):
    counts = np.array(classes)
    of_class, of_value = np.nonzero(counts)
    groups = Classes(counts.sum(axis=1), {}, np.zeros(0, dtype=np.int64))
    values = tuple(map(str, range(len(overall))))
    return Spread("x", values, np.array(overall), groups, of_class, of_value, counts[of_class, of_value], 0)


def parts_that_hold(counts, shares, t):
    for part in product(*(range(many + 1) for many in counts)):
        if size := sum(part):
            distance = sum(max(share - Fraction(many, size), 0) for many, share in zip(part, shares, strict=True))
            if distance <= t:
                yield part


def nearest(counts, shares, rows):
    """Return the least distance of a part of so many rows, in fractions of rows."""
    if rows <= 0:
        return 0
    return 1 - sum(min(many / rows, float(share)) for many, share in zip(counts, shares, strict=True)) - 1e-9
