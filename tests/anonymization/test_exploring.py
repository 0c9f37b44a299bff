"""Every level vector gives what its rows, really generalised and judged as any release, give; so do curve and front."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import PETWorks as pw
from oracle import naive_making as naive
from PETWorks.anonymization.exploration import (
    Exploration,
    exclude_tops,
    find_best,
    find_best_by_limit,
    find_fewest_suppressed,
    find_front,
    run_search,
    select_inside,
)
from PETWorks.anonymization.plan import read_search
from PETWorks.anonymization.table import RawTable

AGES = [(str(age), f"{age // 4 * 4}+", "young" if age < 32 else "old", "*") for age in range(20, 44)]
PLACES = [("A", "north", "land"), ("B", "north", "land"), ("C", "south", "land"), (None, None, "land")]
ODD = [("x", "x", "*"), ("y", "z", "*"), ("z", "z", "*")]  # "z" is on two levels
TREES = {"age": AGES, "place": PLACES, "odd": ODD}
GOALS = [
    [pw.KAnonymity(2)],
    [pw.KAnonymity(3), pw.LDiversity(2, sensitive="ill")],
    [pw.TCloseness("0.4", distance="equal", sensitive="pay")],
    [pw.KAnonymity(2), pw.ReidentificationRisk(average="0.3")],
    [pw.KAnonymity(2), pw.ReidentificationRisk(average="1/7")],
    [pw.KAnonymity(2), pw.Granularity("0.3")],
    [pw.DeltaDisclosure(delta="1.5", sensitive="pay")],
    [pw.SampleUniqueness(at_most="0.1")],
]
SENSITIVE = ["ill", "pay"]


def drawn(seed):
    chance = random.Random(seed)
    rows, names = chance.choice([6, 12, 24, 40]), chance.sample(list(TREES), chance.randint(1, 3))
    names.sort(key=list(TREES).index)
    cells = {
        "age": lambda: str(chance.choice(range(20, 44, chance.choice([1, 4])))),
        "place": lambda: chance.choice(["A", "B", "C", None]),
        "odd": lambda: chance.choice("xyz"),
        "ill": lambda: chance.choice(["flu", "flu", "cold"]),
        "pay": lambda: str(chance.randrange(3)),
    }
    original = {name: [cells[name]() for _ in range(rows)] for name in [*names, *SENSITIVE]}
    return original, {name: TREES[name] for name in names}


@pytest.mark.parametrize("columns", range(1, 8))
def test_where_everything_is_suppressed_nothing_is_left(columns):
    for rows in range(3, 40):
        tree = [(str(row), str(row % 5), "*") for row in range(rows)]
        trees = {f"c{place}": tree for place in range(columns)}
        original = {name: [leaf for leaf, *_ in tree] for name, tree in trees.items()}
        original |= {name: ["x"] * rows for name in SENSITIVE}
        score = explored(original, trees, [pw.KAnonymity(rows)]).evaluate((0,) * columns).score
        assert f"{score:.4f}" == "0.0000"


def explored(original, hierarchies, goals, **asked):
    release = pw.Release(
        original,
        original=original,
        quasi_identifiers=list(hierarchies),
        sensitive=SENSITIVE,
        hierarchies=hierarchies,
        pairing="position",
    )
    return Exploration(RawTable.of(release.facts), read_search(goals, **asked))


def rows_of(original):
    return len(original["pay"])


def really(original, hierarchies, exploration, levels):
    """Return the release of really generalised rows, with what must be suppressed; None if the goals cannot hold."""
    named = dict(zip(hierarchies, levels, strict=True))
    goals, crowd = exploration.plan.goals, exploration.plan.crowd
    asked = {"allowed": rows_of(original), "crowd": crowd}
    found = naive.at_vector(original, hierarchies, SENSITIVE, named, goals, **asked)
    return found and (naive.release(found[0], original, hierarchies, SENSITIVE), found[1])


@pytest.mark.parametrize("seed", range(64))
def test_every_vector_gives_what_its_rows_give(seed):
    original, hierarchies = drawn(seed)
    goals = GOALS[seed % len(GOALS)]
    exploration = explored(original, hierarchies, goals)
    vectors = list(exploration.iterate_levels())
    assert len(vectors) == exploration.vectors == len(set(vectors))
    for levels in random.Random(seed).sample(vectors, min(len(vectors), 12)):
        weighed, expected = exploration.evaluate(levels), really(original, hierarchies, exploration, levels)
        assert weighed.holds is (expected is not None)
        if expected is None:
            continue
        release, suppressed = expected
        sizes = (
            release.ask(pw.KAnonymity())._find_failing()[0].groups(with_values=True).sizes
            if suppressed < rows_of(original)
            else []
        )
        assert weighed.suppressed == suppressed
        assert (weighed.classes, weighed.smallest) == (len(sizes), min(sizes, default=0))
        assert weighed.score == pytest.approx(release.ask(pw.Granularity()).value, abs=1e-12)
        look = exploration.preview(levels)
        parts = release.ask(pw.Granularity()).parts
        assert {name: one for name, one in look.left.items() if one != 1} == {
            name: part.exact for name, part in parts.items() if part.exact not in (None, 1)
        }
        judged = [goal.evaluate(look.released).holds for goal in goals]
        assert judged == [release.ask(goal).holds for goal in goals]
        lifted = naive.lifted(hierarchies, dict(zip(hierarchies, levels, strict=True)), original)
        before = naive.release(lifted, original, hierarchies, SENSITIVE)
        for goal in goals:
            ours, theirs = goal.evaluate(look.before), before.ask(goal)
            assert (ours.holds, ours.failing_classes, ours.failing_rows) == (
                theirs.holds,
                theirs.failing_classes,
                theirs.failing_rows,
            )


@pytest.mark.parametrize("seed", range(40))
def test_best_curve_and_front_are_those_of_all(seed):
    original, hierarchies = drawn(seed)
    exploration = explored(original, hierarchies, GOALS[seed % len(GOALS)])
    every = [exploration.evaluate(levels) for levels in exploration.iterate_levels()]
    rows = rows_of(original)
    curve = find_best_by_limit(every)
    for allowed in range(rows + 1):
        admitted = [one for one in every if one.holds and one.suppressed <= allowed]
        least = min((one.lost for one in admitted), default=None)
        found = find_best(every, allowed)
        assert (found and found.lost) == least
        on_curve = [one for one in curve if one.suppressed <= allowed]
        assert (on_curve[-1].lost if on_curve else None) == least
        points = find_front(every, allowed)
        undominated = {
            (one.risk, one.lost)
            for one in admitted
            if one.classes
            and not any(
                other.classes
                and other.risk <= one.risk
                and other.lost <= one.lost
                and (other.risk, other.lost) != (one.risk, one.lost)
                for other in admitted
            )
        }
        assert {(one.risk, one.lost) for one in points} == undominated
        assert [one.lost for one in points] == sorted(one.lost for one in points)
        assert len(points) == len(undominated)
    holding = [one.suppressed for one in every if one.holds and one.classes]
    least_of_all = find_fewest_suppressed(every)
    assert (least_of_all.suppressed if least_of_all else None) == min(holding, default=None)


@pytest.mark.parametrize("seed", range(24))
def test_the_search_finds_the_best_of_all(seed):
    original, hierarchies = drawn(seed)
    rate = random.Random(seed).choice(["0", "10%", "1/4", "1"])
    exploration = explored(original, hierarchies, GOALS[seed % len(GOALS)], suppress_at_most=rate)
    every = [exploration.evaluate(levels) for levels in exploration.iterate_levels()]
    allowed = exploration.plan.allowed(rows_of(original))
    sought = run_search(exploration, exploration.plan, lambda _: None)
    assert sought.ended
    assert sought.proven
    assert sought.best == find_best(every, allowed)
    counts = sought.counts
    assert counts["evaluated"] + counts["by_goals"] + counts["by_bound"] == counts["vectors"] == exploration.vectors
    ladders = exploration.table.ladders
    keeping = exclude_tops(exploration.plan, ladders)
    within = select_inside(every, keeping.ranges(ladders))
    assert all(level < top for one in within for level, top in zip(one.levels, exploration.heights, strict=True) if top)
    assert run_search(exploration, keeping, lambda _: None).best == find_best(within, allowed)


def test_a_search_that_is_stopped_keeps_the_best_so_far(monkeypatch):
    monkeypatch.setattr("PETWorks.anonymization.search.REPORT_INTERVAL", 0.0)
    original, hierarchies = drawn(2)
    exploration = explored(original, hierarchies, [pw.KAnonymity(2)], suppress_at_most="1/4")
    told = []

    def stop(sought):
        told.append(sought)
        if sought.best:
            raise KeyboardInterrupt

    found = run_search(exploration, exploration.plan, stop)
    assert found.ended
    assert not found.proven
    assert found.counts["open"] > 0
    assert found.best == told[-1].best
    assert (
        found.reach
        >= find_best([exploration.evaluate(one) for one in exploration.iterate_levels()], 10**6).score - 1e-9
    )


def test_prices_change_one_column():
    original, hierarchies = drawn(5)
    exploration = explored(original, hierarchies, [pw.KAnonymity(2)])
    now = tuple(1 for _ in hierarchies)
    prices = exploration.evaluate_steps(now)
    assert [len(one) for one in prices] == [height + 1 for height in exploration.heights]
    for place, column in enumerate(prices):
        for level, weighed in enumerate(column):
            expected = (*now[:place], level, *now[place + 1 :])
            assert weighed == exploration.evaluate(expected)
            assert weighed.levels == expected


@pytest.mark.parametrize("average", ["1/2", "0.3", "1/4", "1/7", "0.05", "0"])
@pytest.mark.parametrize("seed", range(6))
def test_the_mean_says_how_many_of_the_smallest_classes_must_go(seed, average):
    chance = random.Random(seed)
    sizes = np.sort(np.array([chance.randint(1, 12) for _ in range(chance.randint(1, 30))]))
    goal, limit = pw.ReidentificationRisk(average=average), Fraction(average)

    def mean(gone):
        left = sizes[gone:]
        return Fraction(len(left), int(left.sum())) if len(left) else Fraction(0)

    expected = next(gone for gone in range(1, len(sizes) + 1) if mean(gone) <= limit)
    assert goal.count_smallest_to_suppress(sizes) == expected


def test_the_hardest_value_is_told_only_if_nobody_is_given_away():
    people = {
        "place": ["A"] * 12 + ["B"] * 9 + ["C"] * 20,
        "odd": ["x"] * 6 + ["y", "y", "y", "z", "z", "z"] + ["x"] * 9 + ["x"] * 20,
        "ill": ["flu"] * 41,
        "pay": ["1"] * 41,
    }
    hierarchies = {"place": PLACES, "odd": ODD}
    exploration = explored(people, hierarchies, [pw.KAnonymity(5)])
    look = exploration.preview((0, 0))  # suppresses the six rows of A with y and z
    assert look.weighed.suppressed == 6
    column, found, whole = look.find_hardest(5)
    assert (column, found.value, found.share, whole) == ("place", "A", 0.5, False)  # y and z lost three rows each
    column, found, whole = look.find_hardest(1)
    assert (column, found.value, found.share, whole) == ("odd", "y", 0.0, True)
    assert exploration.preview((0, 0)).find_hardest(7) is None
    small = explored(people, hierarchies, [pw.KAnonymity(2)])
    assert small.preview((0, 0)).weighed.smallest == 3
    assert small.preview((0, 0)).find_hardest(5) is None


def test_all_vectors_of_a_lattice_are_tried_from_the_coarsest():
    original, hierarchies = drawn(1)
    exploration = explored(original, hierarchies, [pw.KAnonymity(2)])
    heights = [range(height + 1) for height in exploration.heights]
    assert set(exploration.iterate_levels()) == set(product(*heights))
    assert next(exploration.iterate_levels()) == exploration.heights
