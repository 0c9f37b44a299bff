"""Which classes fail, and how many people are in them, where bounds are on classes of several kinds."""

from __future__ import annotations

import numpy as np
import pytest

import PETWorks as pw
from PETWorks.measure.bounds import Bound, count_failing
from PETWorks.plugin import Ratios, Side
from support.release_facts import ClassParts, SizeGroups

TABLE = {"q": "aabbcccc", "illness": "xxxyxxyy", "city": "uvuuuvuv"}
RELEASE = pw.Release(
    {name: list(cells) for name, cells in TABLE.items()}, quasi_identifiers=["q"], sensitive=["illness", "city"]
)


def test_classes_by_each_other_attribute():
    """By city, both classes of a know one illness; by illness, both classes of b know one city; c is diverse."""
    measure = pw.LDiversity(l=2, others="join")
    result = RELEASE.ask(measure)
    assert (result.failing_classes, result.judged_classes, result.failing_rows) == (2 + 2, 5 + 5, 4)
    assert measure.find_failing(RELEASE.facts).tolist() == [True, True, False]
    assert {name: part.failing_classes for name, part in result.parts.items()} == {"illness": 2, "city": 2}
    assert {name: part.failing_rows for name, part in result.parts.items()} == {"illness": 2, "city": 2}


@pytest.mark.parametrize(
    ("measure", "failing"),
    [
        (pw.LDiversity(l=2), [True, True, False]),  # a has one illness, b one city
        (pw.LDiversity(l=2, sensitive="illness"), [True, False, False]),
        (pw.KAnonymity(k=3), [True, True, False]),
        (pw.KAnonymity(k=2), [False, False, False]),
        (pw.KAnonymity(), [False, False, False]),
    ],
)
def test_classes_of_the_release(measure, failing):
    facts = RELEASE.facts
    assert measure.find_failing(facts).tolist() == failing
    people = sum(size for size, fails in zip([2, 2, 4], failing, strict=True) if fails)
    result = RELEASE.ask(measure)
    assert (result.failing_classes, result.failing_rows) == (sum(failing), people)
    assert measure.count_failing_people(facts) == people
    assert result.judged_classes == 3


def test_a_bound_on_classes_beside_one_on_finer_classes():
    """As a measure of one's own may yield: a fails by its size score, and of b those who have illness y."""
    facts = RELEASE.facts
    finer = facts.form_finer_classes(["illness"])
    assert [finer.values(index) for index in range(2)] == [{"q": "a", "illness": "x"}, {"q": "b", "illness": "x"}]
    coarse = Bound(Side.AT_MOST, 0, Ratios(np.array([1, 0, 0])), facts.classes)
    fine = Bound(Side.AT_MOST, 0, Ratios(np.array([0, 0, 1, 0, 0])), finer)
    expected = {"failing_classes": 1 + 1, "judged_classes": 3 + 5, "failing_rows": 2 + 1}
    assert count_failing([coarse, fine], facts) == count_failing([fine, coarse], facts) == expected


def test_parts_of_classes_count_as_their_classes():
    """Of class c only those with illness x fail, in one of two bounds; by people, all four of the class do."""
    facts = RELEASE.facts
    finer = facts.form_finer_classes(["illness"])
    parts = ClassParts(finer.sizes, finer.columns, finer.within, finer.classes)
    part = Bound(Side.AT_MOST, 0, Ratios(np.array([0, 0, 0, 1, 0])), parts)
    whole = Bound(Side.AT_MOST, 0, Ratios(np.array([1, 0, 0])), facts.classes)
    expected = {"failing_classes": 1 + 1, "judged_classes": 3 + 3, "failing_rows": 4 + 2}
    assert count_failing([part, whole], facts) == expected


def test_people_of_classes_of_which_only_sizes_are_known():
    sizes = SizeGroups.of({1: 3, 5: 2})
    bound = Bound(Side.AT_LEAST, 2, Ratios(sizes.sizes), sizes)
    counts = count_failing([bound], RELEASE.facts)
    assert counts == {"failing_classes": 3, "judged_classes": 5, "failing_rows": 3}
