"""Drawings of hierarchies: children lie below their parents, nobody is lost, and no small group has a name."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from PETWorks import Hierarchy
from PETWorks.hierarchies.spans import MAX_GROUPS, arrange_spans

NUMBERS = st.dictionaries(st.integers(-40, 120).map(str), st.integers(1, 40), min_size=1, max_size=60)


@given(NUMBERS, st.booleans())
def test_every_level_has_everybody_and_children_lie_below_their_parents(counts, missing):
    counts = {**counts, None: 7} if missing else counts
    hierarchy = Hierarchy.intervals("n", [5, 10, 20], bottom=0, top=80).build(counts)
    drawn = arrange_spans(hierarchy, counts)
    assert len(drawn) == hierarchy.height + 1
    for level in drawn:
        assert [one.start for one in level] == [
            sum(other.people for other in level[:place]) for place in range(len(level))
        ]
        assert sum(one.people for one in level) == sum(counts.values())
        assert all(one.people >= 5 for one in level if one.value is not None)
    for below, above in pairwise(drawn):
        ends = {one.start + one.people for one in below}
        assert {one.start + one.people for one in above if one.value is not None} <= ends


@given(NUMBERS)
def test_each_named_group_is_one_of_the_hierarchy_with_its_people(counts):
    hierarchy = Hierarchy.intervals("n", [10, 20]).build(counts)
    for level, drawn in enumerate(arrange_spans(hierarchy, counts)):
        named = {one.value: one.people for one in drawn if one.value is not None}
        groups = {}
        for value, people in counts.items():
            groups[hierarchy.lift(value, level)] = groups.get(hierarchy.lift(value, level), 0) + people
        assert named == {value: people for value, people in groups.items() if people >= 5}
        assert sum(one.groups for one in drawn) == len(groups)


def test_numbers_are_in_their_order_and_small_groups_at_the_end_of_their_parent():
    counts = {"9": 6, "10": 2, "11": 7, "100": 1, "2": 5, "12": 1}
    hierarchy = Hierarchy.intervals("n", [10]).build(counts)
    assert [(one.value, one.people, one.groups) for one in arrange_spans(hierarchy, counts)[0]] == [
        ("2", 5, 1),
        ("9", 6, 1),
        ("11", 7, 1),
        (None, 3, 2),
        (None, 1, 1),
    ]
    assert [one.value for one in arrange_spans(hierarchy, counts, least=1)[0]] == ["2", "9", "10", "11", "12", "100"]


def test_an_order_that_was_said():
    rule = Hierarchy.ordered("size", ["S", "M", "L"], 2)
    counts = {"L": 9, "M": 8, "S": 7}
    drawn = arrange_spans(rule.build(counts), counts, order=["S", "M", "L"])
    assert [one.value for one in drawn[0]] == ["S", "M", "L"]
    assert [one.value for one in drawn[1]] == ["S - M", "L"]


def test_many_narrow_groups_are_drawn_as_few():
    counts = {f"{number:05}": 1 for number in range(20_000)}
    drawn = arrange_spans(Hierarchy.prefixes("x", [4, 3, 2, 1]).build(counts), counts)
    assert max(map(len, drawn)) < 3 * MAX_GROUPS
    assert all(sum(one.people for one in level) == 20_000 for level in drawn)


def test_values_that_the_hierarchy_lacks_are_left_out_and_only_the_widest_groups_are_drawn():
    hierarchy = Hierarchy("x", [(f"v{number:04}", "*") for number in range(1000)])
    counts = {f"v{number:04}": 10 + number for number in range(1000)}
    drawn = arrange_spans(hierarchy, {**counts, "other": 5})[0]
    assert len(drawn) == MAX_GROUPS + 1
    assert drawn[-1].groups == 1000 - MAX_GROUPS
    assert arrange_spans(hierarchy, {"other": 5}) == [[], []]
