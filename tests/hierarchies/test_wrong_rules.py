"""What is wrong with a rule, or with values for it, is told: what was found, and what to do."""

from __future__ import annotations

import pytest

from PETWorks import Hierarchy, PETWorksError

H = Hierarchy
WRONG = {
    "widths that do not nest": (
        lambda: H.intervals("age", [10, 25]),
        "10 does not divide into 25: a value would have two parents",
    ),
    "widths that fall": (lambda: H.intervals("age", [10, 5]), "10 does not divide into 5"),
    "equal widths": (lambda: H.intervals("age", [5, 5]), "5 does not divide into 5"),
    "no widths": (lambda: H.intervals("age", []), "age has no widths"),
    "width 0": (lambda: H.intervals("age", [0, 5]), "a width must be more than 0, not 0"),
    "no number": (lambda: H.intervals("age", ["five"]), "a width must be a finite number, not 'five'"),
    "no decimal": (lambda: H.intervals("age", ["1/3"]), "a width must be a decimal number"),
    "end before start": (
        lambda: H.intervals("age", [5], bottom=90, top=20),
        "top must be more than bottom, but 20 is not more than 90",
    ),
    "a range that is no multiple": (
        lambda: H.intervals("age", [5, 20], bottom=15, top=90),
        "top is 90, but the borders of width 20 are at 15",
    ),
    "a border beside the origin": (lambda: H.intervals("age", [10], bottom=15, origin=0), "bottom is 15"),
    "no column": (lambda: H.intervals([5, 10], "age"), "a hierarchy is built for a column, not for a list"),
    "parts that do not nest": (lambda: H.quantiles("age", [5, 2]), "2 does not divide into 5"),
    "one part": (lambda: H.quantiles("age", 1), "parts must be whole numbers from 2, not 1"),
    "keep that rises": (lambda: H.prefixes("zip", [1, 3]), "keep must fall from level to level, but 3 follows 1"),
    "keep nothing": (lambda: H.prefixes("zip", [3, 0]), "keep must be whole numbers from 1, not 0"),
    "a long mask": (lambda: H.prefixes("zip", 3, mask="**"), "mask must be one character, not '**'"),
    "another side": (lambda: H.prefixes("zip", 3, keep_from="rigth"), 'did you mean "right"?'),
    "the mask in a value": (
        lambda: H.prefixes("zip", 1).build(["1*", "12"]),
        "1 value of the column has the mask in it",
    ),
    "a period that does not exist": (lambda: H.dates("born", ["months"]), 'did you mean "month"?'),
    "a period that is not coarser": (lambda: H.dates("born", ["year", "month"]), '"month" is not coarser than "year"'),
    "a calendar that does not exist": (lambda: H.dates("born", "year", read="rocc"), 'did you mean "roc"?'),
    "both calendars": (lambda: H.dates("born", "year").build(["2026-11-16", "民國79年"]), "both calendars"),
    "no date": (lambda: H.dates("born", "year").build(["a", "b"]), "none of its values is a date"),
    "a value twice in an order": (lambda: H.ordered("size", ["S", "M", "S"], [2]), 'values are listed twice: "S"'),
    "sizes that do not nest": (lambda: H.ordered("size", [*"abcdef"], [2, 3]), "groups of 2 do not make groups of 3"),
    "sizes that do not add up": (lambda: H.ordered("size", [*"abc"], [[1, 1]]), "have 2 values, but 3 are listed"),
    "a size of 0": (lambda: H.ordered("size", [*"abc"], [0]), "sizes must be whole numbers from 1, not 0"),
    "a share above 1": (lambda: H.rare_last("job", "120%"), "at most 1, not '120%'"),
    "shares that fall": (lambda: H.rare_last("job", ["5%", "1%"]), "shares must rise"),
    "two parents": (lambda: H.parents("x", {"a": ["b", "c"], "d": ["b", "e"]}), '"b" has two parents, "c" and "e"'),
    "its own ancestor": (lambda: H.parents("x", {"a": "b", "b": "a"}), "is its own ancestor"),
    "no mapping": (lambda: H.parents("x", ["a"]), "parents must be a mapping"),
    "a group called *": (lambda: H.parents("x", {"a": "*"}), "a text other than *"),
    "a label of another branch": (
        lambda: H.parents("x", {"a": ["A", "x"], "x": "B", "b": ["x", "Y"]}),
        '"x" has two parents',
    ),
    "a level that does not exist": (lambda: H.places("home", ["village"]), "Known: county, district, region"),
    "a label that is a value": (
        lambda: H.ordered("x", ["a", "b", "a - b", "c"], [2]).build(["a", "a - b"]),
        'have the same text: "a - b"',
    ),
    "no values": (lambda: H.quantiles("x", 2).build(5), "5 has no values"),
    "no such column": (lambda: H.quantiles("aeg", 2).build({"age": ["1"], "sex": ["m"]}), 'there is no column "aeg"'),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong(case):
    build, words = WRONG[case]
    with pytest.raises(PETWorksError) as caught:
        build()
    assert words in str(caught.value)
    assert caught.value.hint or caught.value.where
