"""Figures that stand beside others are withheld: costs of remedies, points of a front, levels, sizes, missing cells."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

import PETWorks as pw
from PETWorks.disclosure import evaluation as disclosing
from PETWorks.disclosure import results
from PETWorks.disclosure.evaluation import disclose_advice, disclose_front, disclose_making
from PETWorks.plugin import THRESHOLD, Disclosure, DisclosureLevel
from support.release_facts import Alternative, CountBand, Front, SuppressedAmount, find_disclosure


def build_point(suppressed: int, size: int, *, chosen: bool = False, people: int | None = None) -> Alternative:
    return Alternative({}, Fraction(0), {}, suppressed, Fraction(1, size), 0.5, chosen, people, made=object())


POINTS = {  # a point: is it shown beside a release that suppresses 20 rows?
    "no class of few people": (build_point(40, 5), True),
    "a class of few people": (build_point(40, 4), False),
    "four rows more": (build_point(24, 9), False),
    "five rows more": (build_point(25, 9), True),
    "four rows fewer": (build_point(16, 9), False),
    "as many rows": (build_point(20, 9), True),
    "four rows at all": (build_point(4, 9), False),
    "none at all": (build_point(0, 9), True),
    "the release itself": (build_point(20, 2, chosen=True), True),
}


@pytest.mark.parametrize(("point", "shown"), POINTS.values(), ids=POINTS)
def test_a_point_is_withheld_if_it_tells_of_few_people(point, shown):
    front = disclose_front(Front((point,), True, left_out=2), SuppressedAmount(20), THRESHOLD)
    assert front.points == ((point,) if shown else ())
    assert [one.made for one in front.points] == [None] * shown
    assert front.left_out == 2 + (not shown)
    complete = disclose_front(Front((point,), True, left_out=2), SuppressedAmount(20), 1)
    assert (len(complete), complete.left_out) == (1, 2)


def test_a_point_is_withheld_beside_one_that_is_shown():
    """Not beside one that is withheld, however near."""
    points = (build_point(50, 9), build_point(53, 9), build_point(57, 9))
    front = disclose_front(Front(points, True), SuppressedAmount(20), THRESHOLD)
    assert [one.suppressed for one in front.points] == [50, 57]
    people = (build_point(50, 9, people=9), build_point(80, 9, people=12))
    front = disclose_front(Front(people, True), SuppressedAmount(20, 4), THRESHOLD)
    assert [one.suppressed for one in front.points] == [50]


SEXES = ["f"] * 14 + ["m"] * 6
AGES = ["21", "22"] * 7 + ["31"] * 6
TREES = {"age": [("21", "2*", "*"), ("22", "2*", "*"), ("31", "3*", "*")], "sex": [("f", "*"), ("m", "*")]}


def make(levels: dict[str, int], rows: int = 20, **settings: object) -> pw.AnonymizedTable:
    table = {"sex": SEXES[:rows], "age": AGES[:rows]}
    return pw.anonymize(
        table, quasi_identifiers=["sex", "age"], hierarchies=TREES, goals=pw.KAnonymity(2), levels=levels, **settings
    )


def test_levels_that_lose_less_are_withheld_if_they_tell_of_few_people():
    """Classes of six and seven people may be told, and those of two are not."""
    making = make({"sex": 1, "age": 1}).provenance
    assert making.better is not None
    told = disclose_making(making, THRESHOLD)
    assert told.better == making.better
    assert told.bound == making.bound
    for few in (
        {"risk": Fraction(1, 4)},
        {"suppressed": 4},
        {"suppressed": 9, "people": 4},
        {"risk": None},
        {"suppressed": None},
    ):
        changed = replace(making, better=replace(making.better, **few), bound=0.9)
        told = disclose_making(changed, THRESHOLD)
        assert {told.better.levels, told.better.suppressed, told.better.risk, told.better.score, told.bound} == {None}
    enough = replace(making.better, suppressed=5, risk=Fraction(1, 5))
    assert disclose_making(replace(making, better=enough), THRESHOLD).better == enough


@pytest.mark.parametrize(("rows", "told"), [(20, True), (16, False)])
def test_how_many_cells_are_on_each_level_is_told_if_no_class_is_small(rows, told):
    making = make({"sex": 0, "age": 0}, rows).provenance
    assert (find_disclosure(making.utility.facts, THRESHOLD).level is DisclosureLevel.EXACT) == told
    counts = {0: 5, 1: rows - 5}
    mixed = replace(making, levels={"sex": {0: 0, 1: rows}, "age": counts})
    assert disclose_making(mixed, THRESHOLD).levels == {"sex": {0: 0, 1: rows}, "age": counts if told else None}
    assert disclose_making(mixed, THRESHOLD).utility.facts is None


def remedies(*lost: float) -> tuple[SimpleNamespace, ...]:
    """Return a failing evaluation, with a remedy for each cost."""
    table = {"sex": [*"ffffffffffmm"], "age": ["21"] * 6 + ["22"] * 5 + ["2*"]}
    options = {"quasi_identifiers": ["sex", "age"], "hierarchies": TREES, "original": {**table, "age": ["21"] * 12}}
    evaluation = pw.Release(table, **options).check(pw.KAnonymity(3))
    known = evaluation.advice
    (one,) = known.every[:1]
    costly = [replace(one, lost=cost, precision=0.5) for cost in lost]
    advice = replace(known, suppress=tuple(costly[:1]), generalise=tuple(costly[1:-1]), combined=costly[-1])
    return SimpleNamespace(advice=replace(advice, precision=0.75), facts=evaluation.facts)


def test_costs_of_remedies_are_an_order_where_cells_are_on_several_levels():
    given = remedies(0.3, 0.1, 0.2, 0.1)
    told = disclose_advice(given)
    assert [one.lost for one in told.suppress] == [2]
    assert [one.lost for one in told.generalise] == [0, 1]
    assert told.combined.lost == 0
    assert {told.precision, *(one.precision for one in told.every)} == {None}
    assert disclose_advice(given, 1) == given.advice


@pytest.mark.parametrize("helps", [False, True])
def test_nothing_is_told_of_generalising_beside_bands(monkeypatch, helps):
    """Not even whether it helps: that depends on where the small classes are."""
    given = remedies(0.3, 0.1, 0.2)
    if not helps:
        given.advice = replace(given.advice, generalise=(), combined=None)
    banded = SimpleNamespace(level=DisclosureLevel.BANDED)
    monkeypatch.setattr(disclosing, "find_disclosure", lambda _facts, _least: banded)
    told = disclose_advice(given)
    assert (told.suppress, told.generalise, told.combined) == (given.advice.suppress, (), None)
    assert told.untold
    assert disclose_advice(SimpleNamespace(advice=None, facts=given.facts)) is None
    assert disclose_advice(SimpleNamespace(advice=given.advice, facts=None)) == given.advice


ALIKE = {  # sizes of classes in which half of the people have each value: what is told of those that decide
    (6, 8): (6, 8),
    (4, 8): (1, 8),
    (2, 2, 10): (1, 10),
    (2, 4): (1, 4),
}


@pytest.mark.parametrize(("sizes", "told"), ALIKE.items(), ids=map(str, ALIKE))
def test_sizes_of_classes_that_decide_alike_are_told_if_none_is_small(sizes, told):
    cells = [(f"c{place}", "ab"[row % 2]) for place, size in enumerate(sizes) for row in range(size)]
    groups, ills = zip(*cells, strict=True)
    release = pw.Release({"group": [*groups], "ill": [*ills]}, quasi_identifiers=["group"], sensitive=["ill"])
    part = release.check(pw.TCloseness("0.5")).guarded()[0]
    assert (part.alike.classes, part.alike.least, part.alike.most) == (len(sizes), *told)
    assert (part.exact is None) == (max(sizes) < THRESHOLD)


LEVELS = {  # what is told of twelve missing cells: by the scope, and by a note
    DisclosureLevel.EXACT: ({"zip": 12}, []),
    DisclosureLevel.BANDED: ({}, [CountBand(10, 19)]),
    DisclosureLevel.UNLABELLED: ({}, []),
}


@pytest.mark.parametrize(("level", "told"), LEVELS.items(), ids=LEVELS)
def test_missing_cells_are_counted_as_values_are(monkeypatch, level, told):
    release = pw.Release({"zip": [None] * 12 + ["a"] * 8}, quasi_identifiers=["zip"])
    monkeypatch.setattr(results, "find_disclosure", lambda _facts, least: Disclosure(least, level))
    guarded = release.check(pw.KAnonymity(2)).guarded()[0]
    notes = [note.figures for note in guarded.notes if note.kind == "missing"]
    assert guarded.scope.missing == told[0]
    assert notes == [{"column": "zip", "cells": band} for band in told[1]]


def test_a_public_part_has_verdict_and_value_only():
    table = {"sex": ["f"] * 10 + ["m"] * 12, "ill": [*"ab"] * 11}
    release = pw.Release(table, quasi_identifiers=["sex"], sensitive=["ill"])
    evaluation = release.check(pw.AlphaKAnonymity(alpha="0.4", k=2))
    known, public = evaluation[0].parts["ill"], evaluation.public()[0].parts["ill"]
    assert (known.judged_classes, known.judged_rows, known.failing_classes, known.failing_rows) == (2, 22, 2, 22)
    assert (public.judged_classes, public.judged_rows, public.failing_classes, public.failing_rows) == (0, 0, 0, 0)
    assert (public.worst, public.alike, public.exact, public.persons) == ((), None, None, None)
    assert (public.value, public.limit, public.holds) == (0.5, known.limit, False)
    scope = evaluation.public()[0].scope
    assert (scope.rows, scope.suppressed, scope.classes, scope.missing, scope.people) == (22, 0, 0, {}, None)


@pytest.mark.parametrize(("rows", "told"), [(1, 4), (3, 4), (4, 4), (5, 5), (60, 60)])
def test_fewer_than_five_rows_are_the_same_to_the_public(rows, told):
    release = pw.Release({"sex": ["f"] * rows}, quasi_identifiers=["sex"])
    assert release.check(pw.KAnonymity(2)).public()[0].scope.rows == told


@pytest.mark.parametrize(("rows", "suppressed"), [(4, 0), (5, 5), (60, 60)])
def test_the_public_is_told_that_nothing_is_published(rows, suppressed):
    release = pw.Release({"sex": ["*"] * rows}, quasi_identifiers=["sex"])
    assert release.check(pw.KAnonymity(2)).public()[0].scope.suppressed == suppressed


@pytest.mark.parametrize(("suppressed", "told"), [(0, True), (1, False), (4, False), (5, True)])
def test_a_utility_is_public_if_no_few_rows_are_suppressed(suppressed, told):
    original = {"sex": ["f", "m"] * 20}
    table = {"sex": [*original["sex"][: 40 - suppressed], *["*"] * suppressed]}
    options = {"original": original, "hierarchies": {"sex": TREES["sex"]}, "quasi_identifiers": ["sex"]}
    public = pw.Release(table, **options).check(pw.Precision(at_least="0.1")).public()[0]
    assert (public.value is not None) == told


@pytest.mark.parametrize(("k", "told"), [(2, []), (5, [5]), (9, [9])])
def test_the_public_is_not_told_that_fewer_than_two_rows_are_suppressed(k, told):
    release = pw.Release({"sex": ["f"] * 20 + ["*"]}, quasi_identifiers=["sex"])
    notes = [note for note in release.check(pw.KAnonymity(k)).public()[0].notes if note.kind == "few_suppressed"]
    assert [float(note.figures["size"]) for note in notes] == told


def test_a_public_result_leads_to_no_class_and_no_hint():
    release = pw.Release({"sex": ["f"] * 10 + ["m"] * 12}, quasi_identifiers=["sex"])
    evaluation = release.check(pw.KAnonymity(2), pw.Precision(at_least="0.1"))
    public = evaluation.public()
    assert (public[0].facts, public[0].bounds, public[0].figures) == (None, (), {})
    assert evaluation[0].bounds


def test_a_public_problem_has_no_hint():
    """A hint may quote what the caller wrote."""
    table = {"sex": ["f"] * 10 + ["x"], "age": ["21"] * 11}
    release = pw.Release(table, hierarchies=TREES, quasi_identifiers=["sex", "age"])
    evaluation = release.check(pw.Precision(at_least="0.1"))
    (known,), (public,) = ([one.problem for one in each.requirements] for each in (evaluation, evaluation.public()))
    assert known.public.figures.keys() == {"text", "hint"}
    assert public.figures == {"text": known.public.figures["text"]}


def test_costs_are_told_where_all_cells_of_a_column_are_on_one_level():
    table = {"sex": [*"ffffffffffmm"], "age": ["21"] * 6 + ["22"] * 6}
    evaluation = pw.Release(table, quasi_identifiers=["sex", "age"], hierarchies=TREES).check(pw.KAnonymity(3))
    assert find_disclosure(evaluation.facts, THRESHOLD) == Disclosure(THRESHOLD, DisclosureLevel.UNLABELLED)
    assert disclose_advice(SimpleNamespace(advice=evaluation.advice, facts=evaluation.facts)) == evaluation.advice


def test_a_disclosed_result_is_disclosed_again_as_it_is():
    result = pw.Release({"sex": ["f"] * 10 + ["m"] * 2}, quasi_identifiers=["sex"]).ask(pw.KAnonymity(2)).guarded()
    again = result.guarded()
    assert (again.value, again.steps, again.notes) == (result.value, result.steps, result.notes)


@pytest.mark.parametrize(("removed", "exact"), [(0, True), (2, False), (4, False), (5, True)])
def test_removed_rows_are_suppressed_rows(removed, exact):
    """Beside the original, they are those that no released row has."""
    table = {"who": [f"p{row}" for row in range(30)], "zip": ["1"] * 12 + ["2"] * (18 - removed) + ["3"] * removed}
    trees = {"zip": [(one, "*") for one in "123"]}
    options = {"hierarchies": trees, "quasi_identifiers": ["zip"], "insensitive": ["who"], "suppress_at_most": "0.2"}
    made = pw.anonymize(table, goals=pw.KAnonymity(6), suppressed_rows="remove", **options)
    assert made.evaluate(pw.KAnonymity()).guarded()[0].disclosure.shows_counts == exact
    assert made.evaluate(pw.KAnonymity()).public()[0].value == min(12, 18 - removed)
