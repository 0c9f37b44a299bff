"""Where classes are small, nothing that is told of levels counts the people who have a value.

Tables are random, with an original, and cells are on different levels of hierarchies with values of different kinds. An
attacker who knows the hierarchies learns no more from levels and their scores than from everything else.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import product

import pytest

import PETWorks as pw
from oracle.attacker import Attacker, Place
from PETWorks.disclosure import exhibits as levels_shown
from PETWorks.disclosure import level as deciding
from PETWorks.plugin import Disclosure, DisclosureLevel
from support.attacks import attack_seeds
from support.release_facts import CountBand, EvaluationView

ASKED = (pw.KAnonymity(5), *(kind(at_least=0) for kind in (pw.Precision, pw.Granularity, pw.Ambiguity)))
VALUES = {"a": (2, 2, 3, 3), "b": (2, 2, 2, 3)}  # of each column, how many leaves its values have
TREES = {
    column: [
        (f"{column}{value}.{leaf}", f"{column}{value}", "*") for value, many in enumerate(sizes) for leaf in range(many)
    ]
    for column, sizes in VALUES.items()
}
PLACES = {
    column: {"*": Place(2, sum(sizes))}
    | {f"{column}{value}": Place(1, many) for value, many in enumerate(sizes)}
    | {leaf: Place(0, 1) for leaf, _, _ in TREES[column]}
    for column, sizes in VALUES.items()
}


def release_of(seed: int, *, odd: float = 0.1) -> pw.Release:
    """Return a release with classes of many sizes; with a chance of `odd` a class has a leaf, or `*`, in a cell."""
    chance = random.Random(seed)
    released, original = [], []
    for row in product(*([f"{column}{value}" for value in range(4)] for column in VALUES)):
        leaves = [f"{value}.{chance.randrange(VALUES[value[0]][int(value[1])])}" for value in row]
        shown = [*row]
        if chance.random() < odd:
            place = chance.randrange(2)
            shown[place] = chance.choice(("*", leaves[place]))
        many = chance.choice((0, 0, 1, 3, 6, 9, 13))
        released += [shown] * many
        original += [leaves] * many
    tables = [dict(zip(VALUES, map(list, zip(*rows, strict=True)), strict=True)) for rows in (released, original)]
    return pw.Release(tables[0], original=tables[1], hierarchies=TREES, quasi_identifiers=list(VALUES))


def counted(release: pw.Release) -> list[tuple[bool | None, bool | None]]:
    """Of each value that fewer than five people have: is that certain by all that is told, and without levels?"""
    view = EvaluationView.of(release.check(*ASKED))
    knowing, other = Attacker(view, PLACES), Attacker(view)
    assert knowing.is_consistent() is not False
    classes, found = release.facts.groups(with_values=True), []
    for place, column in enumerate(VALUES):
        people = Counter[str]()
        for one in range(len(classes)):
            people[classes.values(one)[column]] += int(classes.sizes[one])
        found += [(knowing.counts(place, value), other.counts(place, value)) for value in people if people[value] < 5]
    return found


@pytest.mark.parametrize(
    ("seed", "odd"), [*((seed, 0) for seed in attack_seeds(10, 10)), *((seed, 0.1) for seed in attack_seeds(15, 55))]
)
def test_levels_do_not_count_the_people_of_a_value(seed, odd):
    for knowing, other in counted(release_of(seed, odd=odd)):
        assert knowing is not True or other is not False


def test_the_attacker_counts_what_levels_give_away(monkeypatch):
    """If levels are told beside bands, the attacker counts the people of some value in several tables."""
    monkeypatch.setattr(deciding, "_levels_differ", lambda _facts: False)
    monkeypatch.setattr(deciding, "_audit", lambda _facts, _least: DisclosureLevel.BANDED)
    monkeypatch.setattr(levels_shown.Cells, "on_one_level", True)
    found = [(True, False) in counted(release_of(seed)) for seed in (55, 58, 62, 69)]
    assert sum(found) >= 3


MIXED = {  # one person's age is on another level than all others
    "sex": ["f", "m"] * 20 + ["f"],
    "age": ["20-29"] * 20 + ["30-39"] * 20 + ["60-99"],
    "ill": ["flu", "cold", "flu", "flu"] * 10 + ["hiv"],
}
AGES = [
    (str(ten + one), f"{ten}-{ten + 9}", "20-59" if ten < 60 else "60-99", "*")
    for ten in (20, 30, 60)
    for one in (1, 5)
]
OLD = {"sex": MIXED["sex"], "age": ["21"] * 20 + ["35"] * 20 + ["65"], "ill": MIXED["ill"]}


def mixed_release(times: int = 1) -> pw.Release:
    tables = [{name: [*cells, *[cells[-1]] * (times - 1)] for name, cells in one.items()} for one in (MIXED, OLD)]
    options = {"quasi_identifiers": ["sex", "age"], "sensitive": ["ill"], "hierarchies": {"age": AGES}}
    return pw.Release(tables[0], original=tables[1], **options)


def test_a_column_on_several_levels_is_told_without_labels():
    evaluation = mixed_release().check(*ASKED, pw.TCloseness("0.2"))
    view = EvaluationView.of(evaluation)
    assert view.disclosure.level is DisclosureLevel.UNLABELLED
    (age,) = (one for one in view.levels if one.column == "age")
    assert (age.levels, age.shares) == (None, ())
    for output in (evaluation.to_html(), evaluation.guarded().to_json(), evaluation.public().to_json()):
        assert "60-99" not in output
        assert not re.search(r"1 cell at level|at level 2", output)
    for measure in (pw.Precision, pw.Granularity, pw.Shares, pw.NonUniformEntropy):
        part = view.find(measure).parts["age"]
        assert (part.value, part.exact, part.figures, part.withheld) == (None, None, {}, True)
    assert view.advice.precision is None
    assert {one.precision for one in view.advice.every} == {None}
    assert evaluation.public()["Precision"].value is None


def test_all_is_told_where_every_class_has_five_people():
    evaluation = mixed_release(times=5).check(*ASKED)
    view = EvaluationView.of(evaluation)
    assert view.disclosure.level is DisclosureLevel.EXACT
    (age,) = (one for one in view.levels if one.column == "age")
    assert age.levels == (1, 2)
    assert age.shares[2] == 5 / 45
    assert "5 cells at level 2 of 3" in str(evaluation["Precision"].explain())
    assert view.find(pw.Precision).parts["age"].exact is not None
    assert evaluation.public()["Precision"].value is not None


def test_the_original_is_not_counted_on_another_level():
    """Bands of a column on several levels, as in a comparison, are not those of rows that were never looked for."""
    facts = mixed_release(times=5).facts
    found = levels_shown.compute_values(facts, "age", Disclosure(5, DisclosureLevel.BANDED))
    assert {row.value: row.before for row in found.listed} == {"20-29": None, "30-39": None, "60-99": CountBand.of(5)}


def test_a_column_that_is_all_suppressed_is_compared_at_the_top():
    released = {"age": ["*"] * 30, "sex": ["f", "m"] * 15}
    original = {"age": [f"2{one % 10}" for one in range(30)], "sex": released["sex"]}
    facts = pw.Release(released, original=original, quasi_identifiers=["age", "sex"]).facts
    (row,) = levels_shown.compute_values(facts, "age", Disclosure(5, DisclosureLevel.BANDED)).listed
    assert (row.after, row.before) == (CountBand.of(30), CountBand.of(30))


def test_scores_by_leaves_have_three_digits_where_values_have_different_numbers_of_them():
    """Such a score depends on how often values occur; that of a level does not."""
    for seed in range(40):
        view = EvaluationView.of(release_of(seed, odd=0).check(*ASKED))
        if view.disclosure.level is DisclosureLevel.BANDED:
            assert {part.exact for part in view.find(pw.Granularity).parts.values()} == {None}
            assert None not in {part.exact for part in view.find(pw.Precision).parts.values()}
            kinds = {step.kind for step in view.find(pw.Ambiguity).steps}
            assert "together" in kinds
            return
    raise AssertionError
