"""What measures declare for the search of the best release is true of tables that are really generalised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.plugin import Facts, Privacy
from support.parameters import Parameter, find_limits, find_parameters
from support.strategies import MARKERS, NUMBERS, TEXTS, brute, hierarchy, some

KINDS = [kind for kind in pw.measures().values() if issubclass(kind, Privacy)]
SHARES = ["0", "1/10", "1/5", "1/4", "0.3", "1/3", 1 / 3, "2/5", "1/2", "3/5", 2 / 3, "3/4", "9/10", "1"]
AMOUNTS = [0, "1/2", "0.7", 1, 1.5, 2, 2.5, 3, 4, 7]

searched = settings(brute, max_examples=40)
randoms = st.randoms(use_true_random=True)

Rows = list[dict[str, str | None]]


@dataclass(frozen=True)
class Original:
    """A table with hierarchies, of which any release can be made."""

    rows: Rows
    quasi: list[str]
    sensitive: list[str]
    trees: dict[str, pw.Hierarchy]
    people: Rows
    marker: str

    def lifted(self, levels: dict[str, int]) -> Rows:
        return [row | {name: self.cell(row[name], name, levels[name]) for name in self.quasi} for row in self.rows]

    def cell(self, value: str | None, name: str, level: int) -> str | None:
        """Lift a cell; one that is suppressed already stays so."""
        return self.trees[name].lift(value, level) if value in self.trees[name] else self.marker

    def facts(self, rows: Rows) -> Facts:
        def columns(table: Rows, names: list[str]) -> dict[str, list[str | None]]:
            return {name: [row[name] for row in table] for name in names}

        return pw.Release(
            columns(rows, [*self.quasi, *self.sensitive]),
            original=columns(self.rows, self.quasi),
            population=columns(self.people, self.quasi),
            hierarchies=self.trees,
            quasi_identifiers=self.quasi,
            sensitive=self.sensitive,
            suppressed=self.marker,
            pairing="position",
            unknown_values="generalised",
        ).facts

    def suppressing(self, rows: Rows, keys: set[tuple]) -> Rows:
        """Suppress the rows of some classes."""
        marked = dict.fromkeys(self.quasi, self.marker)
        return [row | marked if self.key(row) in keys else row for row in rows]

    def key(self, row: dict[str, str | None]) -> tuple:
        return tuple(row[name] for name in self.quasi)

    def merges(self, finer: Rows, coarser: Rows) -> bool:
        """Return False if a class is parted in more general rows: a value on two levels has two different parents."""
        pairs = {(self.key(one), self.key(other)) for one, other in zip(finer, coarser, strict=True)}
        return len(pairs) == len({one for one, _ in pairs})

    def classes(self, rows: Rows) -> Counter[tuple]:
        sizes = Counter(map(self.key, rows))
        sizes.pop((self.marker,) * len(self.quasi), None)
        return sizes


def original(chance: Random) -> Original:
    return chance.choice([split_class, split_class, anything])(chance)


def split_class(chance: Random) -> Original:
    """Draw a class that splits into a part with all values and one with a single value, and the rest of the table."""
    pool = chance.choice([["x", "y", "z", "w"], ["3", "2", "1", "4"]])[: chance.randint(2, 4)]
    rest = chance.choices(pool, weights=[1, 9, 9, 9][: len(pool)], k=chance.choice([0, 3, 10, 40]))
    varied = pool * chance.randint(1, 3) + chance.choice([[], [], pool[:1], pool[1:]])
    parts = {"1": varied, "2": pool[:1] * chance.randint(1, 9), "3": rest}
    rows = [{"a": key, "x": value} for key, values in parts.items() for value in values]
    strangers = [{"a": chance.choice("123")} for _ in range(chance.randint(0, 30))]
    tree = pw.Hierarchy("a", [("1", "g", "*"), ("2", "g", "*"), ("3", "h", "*")])
    values = pw.Hierarchy("x", [(value, "*") for value in pool])
    return Original(rows, ["a"], ["x"], {"a": tree, "x": values}, [*rows, *strangers], "*")


def anything(chance: Random) -> Original:
    marker = chance.choice(MARKERS)
    quasi, sensitive = ["a", "b", "c"][: chance.randint(1, 3)], ["x", "y"][: chance.randint(1, 2)]
    trees, pools = {}, {}
    for name in quasi:
        pools[name] = some(chance, TEXTS)
        trees[name] = pw.Hierarchy(name, hierarchy(chance, [*pools[name], *chance.choice([[], ["spare"]])]))
        pools[name] += [marker] * (chance.random() < 0.1)
    for name in sensitive:
        pools[name] = some(chance, chance.choice([NUMBERS, TEXTS])) + [marker] * (chance.random() < 0.15)
        if chance.random() < 0.3:
            trees[name] = pw.Hierarchy(name, hierarchy(chance, pools[name]))
    rows = drawn_rows(chance, quasi, sensitive, pools)
    whole = [row for row in rows if all(row[name] in trees[name] for name in quasi)]
    strangers = [{name: chance.choice(trees[name].leaves) for name in quasi} for _ in range(chance.randint(0, 30))]
    missing = [{name: chance.choice(trees[name].leaves) for name in quasi} for _ in range(len(rows) - len(whole))]
    return Original(rows, quasi, sensitive, trees, [*whole, *strangers, *missing], marker)


def drawn_rows(chance: Random, quasi: list[str], sensitive: list[str], pools: dict[str, list[str | None]]) -> Rows:
    """Draw rows of a few combinations of quasi-identifiers. The sensitive values of some combinations are one-sided."""
    known = [tuple(chance.choice(pools[name]) for name in quasi) for _ in range(chance.randint(2, 8))]
    held = {one: {name: chance.choice([pools[name], pools[name][:1]]) for name in sensitive} for one in known}
    drawn = chance.choices(known, weights=[chance.choice([1, 1, 3, 9]) for _ in known], k=chance.randint(5, 40))
    return [
        dict(zip(quasi, one, strict=True)) | {name: chance.choice(pool) for name, pool in held[one].items()}
        for one in drawn
    ]


def vectors(chance: Random, table: Original) -> tuple[dict[str, int], dict[str, int]]:
    """Draw a vector and one that is finer, or equal."""
    heights = {name: table.trees[name].height for name in table.quasi}
    coarse = {name: chance.choice([*range(height + 1), *[*range(1, height)] * 3]) for name, height in heights.items()}
    return {name: chance.choice([0, 0, *range(level + 1)]) for name, level in coarse.items()}, coarse


def judging(kind: type[Privacy], chance: Random, facts: Facts) -> Iterator[Privacy]:
    """Draw some measures that judge a release; limits may be the scores of classes, or near them."""
    for _ in range(20):
        with suppress(pw.PETWorksError):
            measure = kind(**{name: drawn_value(one, chance) for name, one in find_parameters(kind).items()})
            bound = chance.choice(measure.compute_bounds(facts))
            if len(bound.failing) and chance.random() < 0.6:
                score = bound.scores.best_known(chance.randrange(len(bound.failing)))
                names = [name for name, side in find_limits(kind).items() if side == bound.side]
                near = score * chance.choice([1, 1, Fraction(9, 10), Fraction(11, 10)])
                measure = replace(measure, **{chance.choice(names): near}) if names else measure
            if measure.judges:
                yield measure


def drawn_value(one: Parameter, chance: Random) -> object:
    match one.kind:
        case "number" if one.required or chance.random() < 0.8:
            return chance.choice(range(1, 7) if one.whole else SHARES if one.most == 1 else AMOUNTS)
        case "word":
            return chance.choice(one.words)
        case "flag":
            return chance.random() < 0.5
    return one.default


def failing(measure: Privacy, facts: Facts) -> set[tuple]:
    """Return the classes that fail; for a class of a population without released rows, a tuple of its own."""
    mask, classes = measure.find_failing(facts), facts.groups(with_values=True)
    keys = {tuple(classes.values(index).values()) for index in mask.nonzero()[0].tolist()}
    return keys or ({("",)} if measure.evaluate(facts).holds is False else set())


def by_class(facts: Facts, floor) -> dict[tuple, float]:
    classes = facts.groups(with_values=True)
    return {tuple(classes.values(index).values()): share for index, share in enumerate(floor.tolist())}


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@searched
@given(randoms)
def test_no_finer_release_keeps_more_than_the_floor_leaves(kind, chance):
    """Whatever is suppressed of a finer release so that it holds, it is at least the floor of each coarser class."""
    table = original(chance)
    fine, coarse = vectors(chance, table)
    before, after = table.lifted(fine), table.lifted(coarse)
    facts, finer = table.facts(after), table.facts(before)
    with suppress(pw.PETWorksError):
        floors = ((one, by_class(facts, one.find_least_suppression(facts))) for one in judging(kind, chance, finer))
        for measure, floor in islice((pair for pair in floors if any(pair[1].values())), 3):
            for kept in releases_that_hold(chance, table, measure, before):
                left = Counter(table.key(row) for row, one in zip(after, kept, strict=True) if one)
                for key, size in table.classes(after).items():
                    assert floor[key] * size <= size - left[key], (measure, fine, coarse, key)


def releases_that_hold(chance: Random, table: Original, measure: Privacy, rows: Rows):
    """Yield which rows are kept by releases that hold: as many as possible, and at random."""
    everything = set(table.classes(rows))
    for _ in range(2):
        gone = {key for key in sorted(everything, key=str) if chance.random() < 0.3}
        gone = chance.choice([gone, gone, set()])
        while gone != everything:
            facts = table.facts(table.suppressing(rows, gone))
            with suppress(pw.PETWorksError):
                if not (wrong := failing(measure, facts) & everything):
                    break
                gone |= wrong
                continue
            gone |= {chance.choice(sorted(everything - gone, key=str))}
        facts = table.facts(table.suppressing(rows, gone))
        with suppress(pw.PETWorksError):
            if measure.evaluate(facts).holds:
                yield [table.key(row) in everything - gone for row in rows]


@searched
@given(randoms)
def test_what_fails_fails_in_more_detail_too(kind, chance):
    """Without suppression, a monotone measure that fails fails for every finer vector, whose classes it merges."""
    table = original(chance)
    lifted = [table.lifted(levels) for levels in vectors(chance, table)]
    if not table.merges(*lifted):
        return
    finer, coarser = map(table.facts, lifted)
    with suppress(pw.PETWorksError):
        for measure in judging(kind, chance, finer):
            if measure.monotone and measure.declarations_hold(coarser) and not finer.scope.suppressed:
                assert measure.evaluate(coarser).holds or not measure.evaluate(finer).holds, measure


@searched
@given(randoms)
def test_no_smaller_class_holds(kind, chance):
    table = original(chance)
    facts = table.facts(table.lifted(vectors(chance, table)[1]))
    for measure in judging(kind, chance, facts):
        assert all(measure.find_failing(facts)[facts.groups(with_values=True).sizes < measure.least_size()]), measure


@searched
@given(randoms)
def test_classes_are_judged_one_by_one(kind, chance):
    """The verdict on a class stays the same whatever other classes are suppressed."""
    table = original(chance)
    rows = table.lifted(vectors(chance, table)[1])
    facts = table.facts(rows)
    with suppress(pw.PETWorksError):
        for measure in judging(kind, chance, facts):
            if measure.classwise and measure.declarations_hold(facts):
                gone = {key for key in table.classes(rows) if chance.random() < 0.5}
                left = failing(measure, table.facts(table.suppressing(rows, gone)))
                assert left == failing(measure, facts) - gone, (measure, gone)
