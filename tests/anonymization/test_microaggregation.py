"""Microaggregation: optimal on a line, groups of at least k, goals met as measured on what is written."""

import random
from fractions import Fraction

import numpy as np
import pytest

import PETWorks as pw
from PETWorks.anonymization.microaggregation.aggregate import microaggregate
from PETWorks.anonymization.table import RawTable
from PETWorks.errors import GoalError, NotAskableError, ParameterError, UnknownValueError
from support.places import ROOT


def raw_table(original, names, sensitive=(), population=None):
    roles = {"quasi_identifiers": names, "sensitive": sensitive}
    release = pw.Release(original, original=original, population=population, pairing="position", **roles)
    return RawTable.of(release.facts)


def written(original, names, made):
    """Write the release as a table: each row gets the cells of its combination."""
    before, after = made.facts.combination_labels.table.combinations, made.facts.cells_by_combination
    cells = {}
    for place, (values, _) in enumerate(before.items()):
        cells[values] = [after[name].values[after[name].codes[place]] for name in names]
    rows = [cells[key] for key in zip(*(original[name] for name in names), strict=True)]
    return original | {name: [row[place] for row in rows] for place, name in enumerate(names)}


def people(seed, rows=80, columns=2):
    chance = random.Random(seed)
    numbers = {f"n{place}": [str(chance.randrange(15)) for _ in range(rows)] for place in range(columns)}
    return numbers | {"ill": [chance.choice(["flu", "cold", "hiv", "ok"]) for _ in range(rows)]}


def squared_error(values, counts):
    rows, total = sum(counts), sum(value * count for value, count in zip(values, counts, strict=True))
    mean = Fraction(total, rows)
    return sum((value - mean) ** 2 * count for value, count in zip(values, counts, strict=True))


GOALS = [
    [pw.KAnonymity(4)],
    [pw.KAnonymity(2), pw.LDiversity(3)],
    [pw.LDiversity(2, variant="entropy")],
    [pw.TCloseness("0.2")],
    [pw.KAnonymity(3), pw.DeltaDisclosure(delta="0.7")],
    [pw.PSensitiveKAnonymity(p=2, k=3)],
    [pw.ReidentificationRisk(highest="1/7")],
]


@pytest.mark.parametrize("goals", GOALS)
@pytest.mark.parametrize(("columns", "grouping"), [(1, "halving"), (2, "halving"), (3, "halving"), (2, "mdav")])
def test_goals_hold_as_measured(goals, columns, grouping):
    for seed in range(3):
        original = people(seed, columns=columns)
        names = [f"n{place}" for place in range(columns)]
        made = microaggregate(raw_table(original, names, ["ill"]), goals, k=3, grouping=grouping)
        release = pw.Release(
            written(original, names, made),
            original=original,
            quasi_identifiers=names,
            sensitive=["ill"],
            pairing="position",
        )
        assert release.ask(pw.KAnonymity()).value >= 3
        assert all(release.ask(goal).holds for goal in goals)
        squared = release.ask(pw.SquaredError())
        errors = [squared.parts[name].figures["mean_squared_error"] for name in names]
        spreads = [squared_error([int(cell) for cell in original[name]], [1] * 80) / 80 for name in names]
        assert made.loss == sum(error / spread for error, spread in zip(errors, spreads, strict=True)) / columns
        assert made.facts.scope.suppressed == 0
        assert pw.SquaredError().evaluate(made.facts).value == squared.value


@pytest.mark.parametrize("grouping", ["halving", "mdav"])
def test_same_groups_whatever_the_order_of_rows(grouping):
    original = people(5, rows=200)
    order = random.Random(1).sample(range(200), 200)
    shuffled = {name: [cells[row] for row in order] for name, cells in original.items()}
    found = [
        written(one, ["n0", "n1"], microaggregate(raw_table(one, ["n0", "n1"]), [], k=5, grouping=grouping))
        for one in (original, shuffled)
    ]
    assert {name: [cells[row] for row in order] for name, cells in found[0].items()} == found[1]


def cells_of(numbers, k, **options):
    made = microaggregate(raw_table({"n": numbers}, ["n"]), [], k=k, **options)
    return written({"n": numbers}, ["n"], made)["n"]


@pytest.mark.parametrize(
    ("numbers", "cells"),
    [
        (["29", "30"], ["29.5", "29.5"]),
        (["1", "2", "2"], ["1.6667"] * 3),  # four decimal places at least
        (["0.001", "0.002", "0.002"], ["0.00167"] * 3),  # two more than the column has
        (["-1", "-2", "-2"], ["-1.6667"] * 3),
        (["1.50", "+3", "1e0"], ["1.8333"] * 3),
        (["1e3", "1000.0"], ["1000", "1000"]),
        (["1e300", "3e300"], [str(2 * 10**300)] * 2),
        (["1e-300", "3e-300"], ["0." + "0" * 299 + "2"] * 2),
        (["-1", "1"], ["0", "0"]),
        (["0.00005", "0.00004999999"], ["0.000049999995"] * 2),
    ],
)
def test_means_are_plain_decimals(numbers, cells):
    assert cells_of(numbers, len(numbers)) == cells


def test_equal_numbers_stay_together():
    assert cells_of(["1.5", "1.50", "1.500", "9"], 2) == ["3.375"] * 4
    assert cells_of(["1.5", "1.50", "9", "9.0"], 2) == ["1.5", "1.5", "9", "9"]


def test_large_numbers_are_told_apart():
    assert cells_of([f"1{'0' * 30}{digit}" for digit in "1289"], 2) == [f"1{'0' * 30}{mean}.5" for mean in "1188"]


def test_columns_that_do_not_vary_or_have_no_weight():
    original = {"a": ["7"] * 6, "b": list("112299"), "c": ["1", "90", "2", "80", "3", "70"]}
    made = microaggregate(raw_table(original, ["a", "b", "c"]), [], k=2, weights={"c": Fraction(0)})
    assert written(original, ["a", "b", "c"], made)["b"] == original["b"]
    assert (made.loss, made.proven) == (0, True)
    assert cells_of(["7"] * 3, 2) == ["7"] * 3


def test_weights_say_what_is_lost():
    original = people(3, rows=300)
    names, losses = ["n0", "n1"], []
    for weight in ("1/100", "1", "100"):
        made = microaggregate(raw_table(original, names), [], k=20, weights={"n1": Fraction(weight)})
        release = pw.Release(written(original, names, made), original=original, quasi_identifiers=names)
        parts = release.ask(pw.SquaredError()).parts
        losses.append(parts["n1"].figures["mean_squared_error"])
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 2 * losses[2]


def test_merged_groups_on_a_line_are_ranges():
    original = {"n": [str(number) for number in range(40)], "ill": ["flu"] * 37 + ["cold"] * 3}
    made = microaggregate(raw_table(original, ["n"], ["ill"]), [pw.LDiversity(2)], k=2)
    cells = [float(cell) for cell in written(original, ["n"], made)["n"]]
    assert cells == sorted(cells)
    assert not made.proven


def test_groups_with_the_same_means_are_one_class():
    original = {"a": ["0", "2", "1", "1"], "b": ["1", "1", "0", "2"], "ill": list("xyxx")}
    made = microaggregate(raw_table(original, ["a", "b"], ["ill"]), [pw.KAnonymity(2)], k=2)
    assert len(made.facts.classes) <= made.groups.max() + 1


def test_heavy_points():
    """A group may have to take more rows than it needs; a rest that is too small is merged."""
    original = {"a": ["0"] + ["1"] * 100 + ["5"], "b": ["0"] * 101 + ["1"]}
    for grouping in ("halving", "mdav"):
        made = microaggregate(raw_table(original, ["a", "b"]), [pw.KAnonymity(3)], k=3, grouping=grouping)
        assert pw.KAnonymity(3).evaluate(made.facts).holds


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        (["1", "two", "3", "4"], 'n: 1 value is not numeric: "two" (row 2)'),
        (["1", None, "3k", "4"], 'n: 2 values are not numeric: "(missing)" (row 2), "3k" (row 3)'),
        (["1", "*", "3", "4"], 'n: 1 value is not numeric: "*" (row 2)'),
    ],
)
def test_cells_that_are_not_numbers(numbers, told):
    with pytest.raises(UnknownValueError) as caught:
        cells_of(numbers, 2)
    assert told in str(caught.value)
    assert "recoding=" in caught.value.hint
    assert "3k" not in caught.value.summarise()


def test_goals_that_cannot_be_met():
    original = {"n": list("1234"), "ill": ["flu"] * 4}
    table = raw_table(original, ["n"], ["ill"])
    with pytest.raises(GoalError, match=r'"l-diversity" cannot be met even if everybody is in one group'):
        microaggregate(table, [pw.KAnonymity(2), pw.LDiversity(2)], k=2)
    with pytest.raises(GoalError, match=r"4 rows, but every group needs 5"):
        microaggregate(table, [], k=5)
    with pytest.raises(GoalError, match=r'"squared error" cannot be met by any groups'):
        microaggregate(table, [pw.SquaredError(at_least="0.99")], k=2)
    with pytest.raises(NotAskableError, match="k-map cannot be a goal"):
        microaggregate(table, [pw.KMap(2)], k=2)


def test_measures_of_levels_cannot_be_evaluated_on_means():
    original = people(2)
    made = microaggregate(raw_table(original, ["n0", "n1"]), [], k=3)
    with pytest.raises(UnknownValueError, match="not in the hierarchy"):
        pw.Granularity().evaluate(made.facts)
    with pytest.raises(UnknownValueError, match="not in the hierarchy"):
        microaggregate(raw_table(original, ["n0", "n1"]), [pw.Granularity(at_least="0.5")], k=3)


def test_ages_of_adult():
    made = microaggregate(raw_table(str(ROOT / "data/adult.csv"), ["age"]), [pw.KAnonymity(5)], k=5)
    assert (len(made.facts.classes), made.proven) == (70, True)
    assert float(made.loss) == pytest.approx(2.7e-6, rel=0.1)


def normal(rows):
    chance = np.random.default_rng(7)
    return {name: np.rint(chance.normal(size=rows) * 1000).astype(int).astype(str).tolist() for name in "abc"}


def test_losses_in_several_columns():
    """Halving loses a little more than MDAV, whose loss is that of the literature's implementations."""
    original = normal(2000)
    table = raw_table(original, list("abc"))
    halved, farthest = (microaggregate(table, [], k=5, grouping=grouping) for grouping in ("halving", "mdav"))
    assert float(halved.loss) == pytest.approx(0.03, abs=0.01)
    assert farthest.loss < halved.loss < 2 * farthest.loss


NUMBERS = {"quasi_identifiers": ["n0", "n1"], "sensitive": ["ill"], "recoding": "microaggregate"}


def test_made():
    made = pw.anonymize(people(4), goals=[pw.KAnonymity(4), pw.LDiversity(2)], grouping="mdav", **NUMBERS)
    assert (made.levels, made.suppressed, made.proven, made.bound) == ({}, 0, False, None)
    assert made.utility.measure == pw.SquaredError()
    assert 0 < made.loss < 1
    assert made.release.ask(pw.KAnonymity(4)).holds
    lone = pw.anonymize({"n": list("1155")}, goals=pw.KAnonymity(2), quasi_identifiers=["n"], recoding="microaggregate")
    assert (lone.proven, lone.loss, lone.utility.value) == (True, 0, 1)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"grouping": "mdaw"}, 'did you mean "mdav"'),
        ({"grouping": "mdav", "recoding": "global"}, "grouping is for microaggregation only"),
        ({"utility": "precision"}, "Precision is not what microaggregation keeps"),
        ({"utility": "loss"}, "loss is not what microaggregation keeps"),
        ({"coarsest": {"n0": 0}}, "coarsest does not go with microaggregation"),
        ({"time_limit": "1 min"}, "time_limit does not go with microaggregation"),
        ({"weights": {"m0": 1}}, '"m0" is not a quasi-identifier'),
        ({"weights": {"n0": 2}}, "must be from 0 to 1"),
    ],
)
def test_what_cannot_be_asked(wrong, told):
    with pytest.raises(ParameterError) as caught:
        pw.anonymize(people(4), goals=pw.KAnonymity(4), **NUMBERS | wrong)
    assert told in str(caught.value)
