"""Scores are told apart exactly, however close: the largest of each class, and which classes are alike."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.exact.scores import Ratios, largest
from support.strategies import brute, close_ratios


@brute
@given(st.lists(st.lists(close_ratios, min_size=1, max_size=5), max_size=5))
def test_the_largest_quotient_of_each_class(classes):
    pairs = np.array([pair for scores in classes for pair in scores], dtype=np.int64).reshape(-1, 2)
    starts = np.cumsum([0, *(len(scores) for scores in classes)], dtype=np.int64)[:-1]
    found = largest(pairs[:, 0], pairs[:, 1], starts)
    expected = [max(Fraction(*pair) for pair in scores) for scores in classes]
    assert [found.exact(index) for index in range(len(classes))] == expected
    firsts = [[Fraction(*pair) for pair in scores].index(top) for scores, top in zip(classes, expected, strict=True)]
    assert found.entries.tolist() == [start + first for start, first in zip(starts.tolist(), firsts, strict=True)]


@brute
@given(st.lists(close_ratios, max_size=9), st.data())
def test_one_class_of_each_score(ratios, data):
    pairs = np.array(ratios, dtype=np.int64).reshape(-1, 2)
    scores = Ratios(pairs[:, 0], pairs[:, 1])
    asked = data.draw(st.lists(st.sampled_from(range(len(ratios))), unique=True)) if ratios else []
    chosen, like = scores.alike(np.array(asked, dtype=np.int64))
    exact = [Fraction(*ratios[index]) for index in asked]
    assert sorted(scores.exact(index) for index in chosen.tolist()) == sorted(set(exact))
    assert set(chosen.tolist()) <= set(asked)
    assert [scores.exact(chosen[place]) for place in like.tolist()] == exact
