"""No size of a small class stands beside its score: neither in the table of values by class, nor in a sentence."""

from __future__ import annotations

import pytest

import PETWorks as pw
from PETWorks.disclosure.exhibits import Diversity
from PETWorks.disclosure.report import EvaluationView


def view_of(few: int, *, show: bool = False, person: bool = False) -> EvaluationView:
    """Two classes of ten people, and one of a few who have two values of the sensitive attribute between them."""
    sexes, ages = ["f"] * 10 + ["m"] * 10 + ["f"] * few, ["1"] * 20 + ["2"] * few
    table = {"sex": sexes, "age": ages, "ill": ["a", "b"] * 10 + ["c", "d", *["c"] * few][:few]}
    table |= {"who": [str(one) for one in range(20 + few)]}
    options = {"person": "who"} if person else {"identifiers": ["who"]}
    release = pw.Release(table, quasi_identifiers=["sex", "age"], sensitive=["ill"], **options)
    return EvaluationView.of(release.check(pw.TCloseness("0.1")), show_small_classes=show)


@pytest.mark.parametrize("person", [False, True])
def test_small_classes_are_not_in_the_table_of_values(person):
    (shown,) = view_of(3, person=person).distances
    assert shown.diversity == (Diversity(2, 2, 20),)
    assert shown.undrawn == 1
    assert shown.failing.keys() == {"fails", "small", "large"}


@pytest.mark.parametrize("few", [3, 5])
def test_everything_is_told_where_it_may_be(few):
    (shown,) = view_of(few, show=few == 3).distances
    assert sum(row.people for row in shown.diversity) == 20 + few
    assert {"small_people", "large_people"} <= shown.failing.keys()


def test_the_page_says_that_small_classes_are_left_out():
    evaluation_page = pw.Release(
        {"sex": ["f"] * 9 + ["m"] * 2, "ill": ["a", "b", "c"] * 3 + ["d"] * 2},
        quasi_identifiers=["sex"],
        sensitive=["ill"],
    ).check(pw.TCloseness("0.1"))
    assert "Neither drawn nor in the table below: 1 class of fewer than 5 people." in evaluation_page.to_html()
