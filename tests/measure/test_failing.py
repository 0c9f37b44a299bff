"""Which classes fail, and how many people are in them, where bounds are on classes of several kinds."""

from __future__ import annotations

import pytest

import PETWorks as pw

TABLE = {"q": "aabbcccc", "illness": "xxxyxxyy", "city": "uvuuuvuv"}
RELEASE = pw.Release(
    {name: list(cells) for name, cells in TABLE.items()}, quasi_identifiers=["q"], sensitive=["illness", "city"]
)


def test_classes_by_each_other_attribute():
    """By city, both classes of a know one illness; by illness, both classes of b know one city; c is diverse."""
    measure = pw.LDiversity(l=2, others="join")
    result = RELEASE.ask(measure)
    assert (result.failing_classes, result.judged_classes, result.failing_rows) == (2 + 2, 5 + 5, 4)
    assert measure.failing(RELEASE._facts).tolist() == [True, True, False]
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
    facts = RELEASE._facts
    assert measure.failing(facts).tolist() == failing
    people = sum(size for size, fails in zip([2, 2, 4], failing, strict=True) if fails)
    result = RELEASE.ask(measure)
    assert (result.failing_classes, result.failing_rows) == (sum(failing), people)
    assert measure.failing_rows(facts) == people
    assert result.judged_classes == 3
