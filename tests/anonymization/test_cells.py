"""The order in which local recoding visits level vectors."""

import random
from itertools import product

import pytest

from PETWorks.anonymization.local import classes as cells


def drawn(seed, columns):
    chance = random.Random(seed)
    return [[chance.random() for _ in range(chance.randint(1, 5))] for _ in range(columns)]


def loss(means, vector):
    return sum(levels[place] for levels, place in zip(means, vector, strict=True))


def test_all_vectors_by_loss():
    means = drawn(1, 4)
    every = sorted(product(*(range(len(levels)) for levels in means)), key=lambda vector: loss(means, vector))
    assert list(cells.order_vectors(means)) == every


@pytest.mark.parametrize("seed", range(5))
def test_a_lattice_that_is_too_large_to_be_sorted(seed, monkeypatch):
    """The vectors that lose least come first, then others, and at last the one that loses most."""
    means = drawn(seed, 5)
    every = sorted(product(*(range(len(levels)) for levels in means)), key=lambda vector: loss(means, vector))
    monkeypatch.setattr(cells, "MAX_VISITED_VECTORS", 8)
    monkeypatch.setattr(cells, "MAX_SORTED_VECTORS", 8)
    found = list(cells.order_vectors(means))
    assert found[:8] == every[:8]
    assert found[-1] == every[-1]
    assert len(found) <= 17
    losses = [loss(means, vector) for vector in found]
    assert losses == sorted(losses)


def test_no_lattice_is_too_large():
    assert len(list(cells.order_vectors([[*range(8)]] * 40))) <= 2 * cells.MAX_VISITED_VECTORS + 1
