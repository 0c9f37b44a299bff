"""What measures declare for a search of the best release, worked out by hand."""

import pytest

import PETWorks as pw
from support.release_facts import suppress_classes

GAME = {
    "cost": 2,
    "gain": 6,
    "loss": 6,
    "benefit": 3,
}  # a class of 3 is attacked, and worth publishing; of 4 not attacked


def floors(measure, **classes):
    """Return the floor of each class, of which the sensitive values are given, and people of the population."""
    return [round(share, 6) for share in measure.find_least_suppression(facts(**classes)).tolist()]


def facts(people="", **classes):
    rows = [(name, value) for name, values in classes.items() for value in values]
    table = {"a": [name for name, _ in rows], "x": [value for _, value in rows]}
    return pw.Release(
        table,
        original=table,
        population={"a": [*table["a"], *people]},
        hierarchies={"a": [("g", "all", "*"), ("h", "all", "*"), ("i", "all", "*")]},
        quasi_identifiers=["a"],
        sensitive=["x"],
    ).facts


@pytest.mark.parametrize(
    ("measure", "classes", "expected"),
    [
        (pw.KAnonymity(5), {"g": "xxxx", "h": "xxxxx"}, [1, 0]),
        (pw.AlphaKAnonymity(alpha="1/2", k=2), {"g": "xxxy", "h": "xy", "i": "x"}, [1 / 2, 0, 1]),
        (pw.AlphaKAnonymity(alpha="0.7499999999999", k=1), {"g": "xxxy"}, [1 / 4]),  # one row
        (pw.PSensitiveKAnonymity(p=2, k=3), {"g": "xxx", "h": "xxy", "i": "xy"}, [1, 0, 1]),
        (pw.LDiversity(3), {"g": "xxy", "h": "xyz"}, [1, 0]),
        (pw.LDiversity(2, variant="entropy"), {"g": "xxxxxxxy", "h": "xy", "i": "xx"}, [0.456436, 0, 1]),
        (pw.LDiversity("2.5", variant="entropy"), {"g": "xxxy", "h": "xxxyz"}, [1, 0]),
        (pw.LDiversity("2.6", variant="entropy"), {"h": "xxxyz"}, [1 / 5]),  # one row
        (pw.LDiversity(2, variant="recursive", c=2), {"g": "xxxxxy", "h": "xxy", "i": "xx"}, [1 / 2, 1 / 3, 1]),
        (pw.TCloseness("1/4", distance="ordered", order=["x", "y"]), {"g": "xxxx", "h": "y" * 12}, [2 / 3, 0]),
        (pw.TCloseness("1/4"), {"g": "xxxx", "h": "y" * 12}, [1, 0]),
        (pw.TCloseness("1/4"), {"g": "xxxy", "h": "y" * 8}, [1 / 2, 0]),
        (pw.TCloseness(t=0), {"g": "xxxxy", "h": "xxxxxy"}, [1 / 5, 1 / 6]),  # one row
        (pw.BetaLikeness(1), {"g": "xxxy", "h": "y" * 12}, [0.6, 0]),
        (pw.BetaLikeness(3), {"g": "xxxy", "h": "y" * 12}, [0, 0]),
        (pw.BetaLikeness(3, variant="enhanced"), {"g": "xxxy", "h": "y" * 12}, [0.498626, 1]),
        (pw.DeltaDisclosure(1), {"g": "xxxy", "h": "y" * 12}, [0.6, 0]),
        (pw.DeltaDisclosure(1, absent="count"), {"g": "xxxy", "h": "y" * 12}, [0.6, 1]),
        (pw.DeltaDisclosure("1/2", absent="count"), {"g": "xyyy", "h": "xxxy"}, [0.292893] * 2),
        (pw.KMap(4), {"g": "x", "h": "xxx", "people": "ggh"}, [1, 0]),
        (pw.DeltaPresence(d_max="1/2"), {"g": "xxxx", "h": "x", "people": "gh"}, [3 / 8, 0]),
        (pw.DeltaPresence(d_min="1/2"), {"g": "xxxx", "h": "x", "people": "hh"}, [1, 1]),
        (pw.DeltaPresence(d_min="1/4"), {"g": "xxxx", "h": "x", "people": "hh"}, [0, 0]),
        (pw.Profitability(**GAME), {"g": "xx", "h": "xxx"}, [1, 0]),
        (pw.Profitability(**GAME, allow_attack=False), {"g": "xxx", "h": "xxxx"}, [1, 0]),
        (pw.Profitability(**GAME, attacker="journalist"), {"g": "xx", "h": "xx", "people": "h"}, [1, 0]),
    ],
    ids=repr,
)
def test_floors(measure, classes, expected):
    assert floors(measure, **classes) == pytest.approx(expected, abs=2e-6)


def test_information_lost_by_generalising_is_no_floor():
    """A class of ancestors fails because its rows are worth little; in more detail they are worth more."""
    table = {"a": ["all"] * 4, "x": [*"xxxx"]}
    trees = {"a": [("g", "all", "*"), ("h", "all", "*"), ("i", "other", "*")]}
    lifted = pw.Release(table, original={"a": [*"gggg"]}, hierarchies=trees, quasi_identifiers=["a"]).facts
    measure = pw.Profitability(cost=0, gain=6, loss=8, benefit=3, information_loss=True)
    assert measure.evaluate(lifted).holds is False
    assert measure.find_least_suppression(lifted).tolist() == [0]
    dearer = pw.Profitability(cost=0, gain=6, loss=12, benefit=3, information_loss=True)
    assert dearer.find_least_suppression(lifted).tolist() == [1]


def test_floor_of_classes_by_more_columns():
    """The other sensitive attribute joins the quasi-identifiers: only some rows of the class must go."""
    table = {"a": [*"gggg"], "x": [*"uvvv"], "y": [*"1123"]}
    release = pw.Release(table, quasi_identifiers=["a"], sensitive=["x", "y"])
    assert pw.LDiversity(2, sensitive="y", others="join").find_least_suppression(
        release.facts
    ).tolist() == pytest.approx([1 / 4])


@pytest.mark.parametrize(
    ("measure", "size"),
    [
        (pw.KAnonymity(5), 5),
        (pw.KAnonymity(), 1),
        (pw.AlphaKAnonymity(alpha="0.3", k=2), 4),
        (pw.AlphaKAnonymity(alpha=1 / 3), 3),
        (pw.AlphaKAnonymity(alpha="1/3", k=4), 4),
        (pw.PSensitiveKAnonymity(p=4, k=3), 4),
        (pw.LDiversity(3), 3),
        (pw.LDiversity("2.5", variant="entropy"), 3),
        (pw.LDiversity(3, variant="recursive"), 1),
        (pw.LDiversity(3, variant="recursive", c=2), 3),
        (pw.LDiversity(3, variant="recursive", c=1), 4),
        (pw.LDiversity(3, variant="recursive", c="0.4"), 5),
        (pw.TCloseness("0.1"), 1),
        (pw.KMap(5), 1),
        (pw.Profitability(**GAME), 3),
        (pw.Profitability(**GAME, allow_attack=False), 4),
        (pw.Profitability(**GAME | {"cost": 0}), 3),
        (pw.Profitability(**GAME | {"cost": 0}, allow_attack=False), 1),
        (pw.Profitability(**GAME, attacker="journalist"), 1),
    ],
    ids=repr,
)
def test_least_sizes(measure, size):
    assert measure.least_size() == size


def test_sizes_asked():
    asked = [
        pw.KAnonymity(5),
        pw.AlphaKAnonymity(k="6"),
        pw.PSensitiveKAnonymity(p=9, k=7),
        pw.KMap(5),
        pw.LDiversity(3),
    ]
    assert [measure.requested_size for measure in asked] == [5, 6, 7, None, None]
    assert pw.AlphaKAnonymity(alpha="1/2").requested_size is None


# Tables that refute the declarations.


@pytest.mark.parametrize(
    "measure", [pw.TCloseness("3/10"), pw.BetaLikeness("1/10"), pw.DeltaDisclosure("1/10")], ids=repr
)
def test_a_suppressed_sensitive_cell_leaves_with_its_row(measure):
    release = facts(g="xxyy", h="****")
    kept = suppress_classes(release, release.groups(with_values=True).columns["a"].codes == 1)
    assert not measure.evaluate(release).holds
    assert measure.evaluate(kept).holds
    assert not measure.declarations_hold(release)
    assert measure.find_least_suppression(release).tolist() == [0, 0]
    assert measure.declarations_hold(facts(g="xxyy", h="xxxx"))


@pytest.mark.parametrize(
    "measure",
    [
        pw.KMap(5),
        pw.DeltaPresence(d_max="1/2"),
        pw.Profitability(cost=0, gain=6, loss=9, benefit=3, attacker="journalist"),
    ],
    ids=repr,
)
def test_a_value_on_two_levels_can_be_read_at_the_lower_one(measure):
    """50 is a leaf and the top. Two people of 10 look like 100 others as "low", but like three as "50"."""
    trees = {"a": [("10", "low", "50"), ("50", "high", "50")]}
    population = {"a": ["10"] * 100 + ["50"] * 3}
    low, top = (pw.Release({"a": [name] * 2}, population=population, hierarchies=trees).facts for name in ("low", "50"))
    assert measure.evaluate(low).holds
    assert not measure.evaluate(top).holds
    assert not measure.declarations_hold(top)
    assert measure.find_least_suppression(top).tolist() == [0]


@pytest.mark.parametrize(
    ("tree", "cells", "steady"),
    [
        ([("1", "a", "*"), ("2", "b", "*")], ["1", "2"], True),
        ([("1", "1", "*"), ("2", "b", "*")], ["1", "2"], True),  # the same leaf on two levels
        ([("1", "2", "*"), ("2", "b", "*")], ["1", "2"], False),  # another leaf
        ([("1", "*", "all"), ("2", "b", "all")], ["b"], False),  # suppressed cells are read as the top
        ([("1", "a", "all"), ("2", "b", "all")], ["b"], True),
        ([("1", "a", "all"), ("2", "b", "all")], ["b", "*"], False),
        (None, ["1"], True),
    ],
)
def test_tables_whose_population_can_be_read_at_any_level(tree, cells, steady):
    trees = {} if tree is None else {"a": tree}
    release = pw.Release({"a": cells}, population={"a": ["1", "2", "2"]}, hierarchies=trees)
    assert pw.KMap(2).declarations_hold(release.facts) is steady
