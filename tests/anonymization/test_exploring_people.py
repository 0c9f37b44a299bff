"""Exploring a table whose people have several rows: vectors give what a release that is made gives."""

from itertools import product

import pytest

import PETWorks as pw
from anonymization.test_best_people import HIERARCHIES, ROLES, visits
from PETWorks.anonymization.exploration import Exploration
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


def test_a_front_of_people_is_told_in_people():
    made = pw.anonymize(visits(4), **ROLES, goals=pw.KAnonymity(3), suppress_at_most="1")
    told = {(one.suppressed, one.people) for one in made.front()}
    found = {(one.made.suppressed, one.made.suppressed_people) for one in made.front()}
    assert told == found
    assert any(rows != people for rows, people in told)
