"""Exploring a table whose people have several rows: vectors give what a release that is made gives."""

from fractions import Fraction
from itertools import product

import pytest

import PETWorks as pw
from anonymization.test_best_people import HIERARCHIES, ROLES, visits
from PETWorks.anonymization.exploration import Exploration, NodeFigures
from PETWorks.app.screens.explore.plot import may_be_shown
from PETWorks.errors import GoalError


@pytest.mark.parametrize("known", ["one", "all"])
@pytest.mark.parametrize("suppress", ["rows", "people"])
def test_a_vector_gives_what_a_release_with_its_levels_gives(known, suppress):
    asked = {**ROLES, "known": known, "suppress": suppress, "goals": pw.KAnonymity(3), "suppress_at_most": "1"}
    made = pw.anonymize(visits(4), **asked)
    exploration = Exploration(made.facts.combination_labels.table, made.plan)
    for vector in product(*(range(len(rows[0])) for rows in HIERARCHIES.values())):
        weighed = exploration.evaluate(vector)
        try:
            one = pw.anonymize(visits(4), **asked, levels=dict(zip(HIERARCHIES, vector, strict=True)))
        except GoalError:
            assert not weighed.holds
            continue
        risk = one.release.ask(pw.ReidentificationRisk()).parts["average"].exact
        assert weighed.suppressed == (one.suppressed if suppress == "rows" else one.suppressed_people)
        assert weighed.people == one.suppressed_people
        assert weighed.score == pytest.approx(one.utility.value, abs=1e-12)
        assert weighed.risk == (risk or None)


def test_the_front_on_the_screen_leaves_out_what_differs_by_few_people():
    def weighed(suppressed, people):
        return NodeFigures((0,), True, suppressed, 1000 - suppressed, 50, 5, 0.5, Fraction(1, 2), people=people)

    best = weighed(40, 10)
    few, many, rows = weighed(60, 13), weighed(41, 15), weighed(9, None)
    assert not may_be_shown(few, [best.gone])
    assert may_be_shown(many, [best.gone])
    assert not may_be_shown(weighed(12, 3), [])  # twelve rows, of three people
    assert may_be_shown(rows, [])  # every row is one person
    assert not may_be_shown(weighed(3, None), [rows.gone])


def test_a_front_of_people_is_told_in_people():
    made = pw.anonymize(visits(4), **ROLES, goals=pw.KAnonymity(3), suppress_at_most="1")
    told = {(one.suppressed, one.people) for one in made.alternatives().points}
    found = {(one.made.suppressed, one.made.suppressed_people) for one in made.front()}
    assert told == found
    assert any(rows != people for rows, people in told)
