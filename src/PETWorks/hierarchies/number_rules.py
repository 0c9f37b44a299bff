"""Rules for numbers: ranges of given widths (`Intervals`), and ranges with about equally many people (`Quantiles`).

>>> age = Intervals("age", [5, 10, 20], bottom=15, top=95).build(["37", "17", "98"])
>>> [age.lift("37", level) for level in range(5)]
['37', '35-39', '35-44', '35-54', '*']
>>> age.lift("98", 1), age.lift("98", 3)
('>=95', '>=95')

>>> income = Quantiles("income", [4, 2]).build({"10": 3, "20": 1, "30": 2, "90": 2})
>>> [income.lift("30", level) for level in range(4)]
['30', '30-89', '>=30', '*']

Numbers are read exactly, each as a whole number of units, so that borders are compared without rounding.

>>> read_units(["37", "-1.5", "old"])
([0, 1], array([370, -15]), 1)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from PETWorks.errors import ParameterError, show_value
from PETWorks.exact.limit import Limit, Number, format_decimal, parse_number, read_whole, write_whole
from PETWorks.hierarchies.rule import Rule, read_levels
from PETWorks.tables.counting.tally import Coded, IntArray, rank_keys

INT61, INT62 = 2**61, 2**62
SIMPLE = re.compile(r"(?:-?[0-9]{1,300}(?:\.[0-9]{0,300})?\n)+")  # numbers, a line for each


def read_units(values: Sequence[str], further: Iterable[Fraction] = ()) -> tuple[list[int], IntArray, int]:
    """Return the indices of the values that are numbers, the numbers in a decimal unit, and its decimal places.

    The numbers of `further` are whole in these units, too. The array has Python integers if 64 bits might not hold the
    difference of two of all these numbers.
    """
    further = list(further)
    digits = max((count_decimal_places(one.denominator) or 0 for one in further), default=0)
    lines = "\n".join([*values, ""])
    if lines.replace("\n", "").isdigit() and lines.isascii() and lines.count("\n") == len(values):
        covered, whole = [*range(len(values))], [read_whole(text) * 10**digits for text in values]
    elif SIMPLE.fullmatch(lines) and lines.count("\n") == len(values):
        parts = [text.partition(".") for text in values]
        fractions = [fraction.rstrip("0") for _, _, fraction in parts]
        digits = max(digits, *map(len, fractions))
        ends = [fraction.ljust(digits, "0") for fraction in fractions]
        covered = [*range(len(values))]
        whole = [read_whole(part[0] + end) for part, end in zip(parts, ends, strict=True)]
    else:
        read = [parse_number(text) for text in values]
        covered = [place for place, one in enumerate(read) if one is not None]
        ratios = [one.as_integer_ratio() for one in read if one is not None]
        digits = max(digits, *(count_decimal_places(below) or 0 for below in {below for _, below in ratios}), 0)
        scale = 10**digits
        whole = [above * (scale // below) for above, below in ratios]
    bounds = [*whole, *(int(one * 10**digits) for one in further)]
    fits = min(bounds, default=0) > -INT61 and max(bounds, default=0) < INT61
    return covered, np.array(whole, dtype=np.int64 if fits else object), digits


def read_number(given: Any, name: str) -> Fraction:  # noqa: ANN401
    """Read a number that can be written as a decimal; raise a ParameterError if it cannot."""
    exact = Limit.of(given, name).exact
    if count_decimal_places(exact.denominator) is None:
        raise ParameterError(f"{name} must be a decimal number, not {show_value(given)}", hint="write it as 0.25")
    return exact


def count_decimal_places(denominator: int) -> int | None:
    """Return how many decimal places a fraction with this denominator has; None if they have no end.

    >>> [count_decimal_places(denominator) for denominator in (1, 8, 50, 3)]
    [0, 3, 2, None]
    """
    rest, most = denominator, 0
    for factor in (2, 5):
        power = 0
        while rest % factor == 0:
            rest, power = rest // factor, power + 1
        most = max(most, power)
    return most if rest == 1 else None


def write_decimal(exact: Fraction) -> str:
    """Write a number as a decimal."""
    digits = count_decimal_places(exact.denominator) or 0
    return format_decimal(int(exact * 10**digits), digits)


def write_range(low: int | None, high: int | None, digits: int) -> str:
    """Write the range from `low` to just below `high`, in units of a decimal place; None means unbounded.

    >>> [write_range(*args) for args in ((35, 40, 0), (-5, 0, 0), (5, 10, 1), (None, 15, 0), (95, None, 0))]
    ['35-39', '[-5, 0)', '[0.5, 1)', '<15', '>=95']
    """
    if low is None:
        return "*" if high is None else f"<{format_decimal(high, digits)}"
    if high is None:
        return f">={format_decimal(low, digits)}"
    if digits or low < 0:
        return f"[{format_decimal(low, digits)}, {format_decimal(high, digits)})"
    return write_whole(low) if high == low + 1 else f"{write_whole(low)}-{write_whole(high - 1)}"


@dataclass(frozen=True)
class Intervals(Rule):
    """Ranges of numbers; the upper end is excluded. There are borders at `origin` plus any multiple of the width.

    Numbers below `bottom` are in one range of their own on every level, and so are those from `top` on. `origin` is
    `bottom` by default, else `top`, else 0. Whole numbers have ranges such as 35-39, others [35, 37.5).
    """

    kind: ClassVar[str] = "intervals"
    main: ClassVar[str] = "widths"
    expects: ClassVar[str] = "a number"

    widths: tuple[Number, ...]
    bottom: Number | None = None
    top: Number | None = None
    origin: Number | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "widths", read_levels(self.name, self.widths, "widths", self.example()))
        widths, (bottom, top, origin) = self._widths, self._borders
        if min(widths) <= 0:
            raise ParameterError(f"a width must be more than 0, not {write_decimal(min(widths))}", hint=self.example())
        for narrow, wide in pairwise(widths):
            if wide <= narrow or wide % narrow:
                fine, coarse = write_decimal(narrow), write_decimal(wide)
                problem = f"{fine} does not divide into {coarse}: a value would have two parents"
                hint = f"write widths of which each is a multiple of the one before, as in {self.example()}"
                raise ParameterError(problem, hint=hint)
        if bottom is not None and top is not None and top <= bottom:
            problem = f"top must be more than bottom, but {write_decimal(top)} is not more than {write_decimal(bottom)}"
            raise ParameterError(problem, hint=self.example())
        widest = widths[-1]
        for name, border in (("bottom", bottom), ("top", top)):
            if border is not None and (border - origin) % widest:
                steps = (border - origin) // widest
                near = " or ".join(write_decimal(origin + step * widest) for step in (steps, steps + 1))
                start = (
                    f"the borders of width {write_decimal(widest)} are at {write_decimal(origin)} plus its multiples"
                )
                raise ParameterError(f"{name} is {write_decimal(border)}, but {start}", hint=f"choose {near}")

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.intervals("age", widths=[5, 10, 20], bottom=15, top=95)'

    @property
    def height(self) -> int:
        """The number of levels below the top of the built hierarchy."""
        return len(self.widths) + 1

    @property
    def _widths(self) -> list[Fraction]:
        return [read_number(width, "a width") for width in self.widths]

    @property
    def _borders(self) -> tuple[Fraction | None, Fraction | None, Fraction]:
        given = {"bottom": self.bottom, "top": self.top, "origin": self.origin}
        read = {name: None if one is None else read_number(one, name) for name, one in given.items()}
        known = (read[name] for name in ("origin", "bottom", "top"))
        return read["bottom"], read["top"], next((one for one in known if one is not None), Fraction(0))

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the numbers, and the range of each on each level."""
        widths, borders = self._widths, self._borders
        covered, numbers, digits = read_units(values, [*widths, *(border for border in borders if border is not None)])
        bottom, top, start = (None if border is None else int(border * 10**digits) for border in borders)
        assert start is not None  # noqa: S101
        levels: list[Coded] = []
        ids = np.arange(len(numbers))  # of each number, its place in the level below
        for width in [int(one * 10**digits) for one in widths]:
            steps = (numbers - start) // width
            below, above = min(steps, default=0) - 1, max(steps, default=0) + 1
            ends = {below: write_range(None, bottom, digits), above: write_range(top, None, digits)}
            steps = steps if bottom is None else np.where(numbers < bottom, below, steps)
            steps = steps if top is None else np.where(numbers >= top, above, steps)
            space = int(above - below) + 1
            keys = steps - below
            first, codes = rank_keys(keys.astype(np.int64) if space < INT62 else keys, space)
            ranges = [(step, start + step * width) for step in steps[first].tolist()]
            texts = [ends[step] if step in ends else write_range(low, low + width, digits) for step, low in ranges]
            ids, numbers = codes[ids], numbers[first]  # the next level is that of one number of each range
            levels.append(Coded(ids, texts))
        return covered, levels


@dataclass(frozen=True)
class Quantiles(Rule):
    """Ranges with about equally many people: a number is in part ⌊parts · people with a smaller number / all people⌋.

    The lowest and the highest part have no end, so that no label reveals the extreme values.
    """

    kind: ClassVar[str] = "quantiles"
    main: ClassVar[str] = "parts"
    expects: ClassVar[str] = "a number"

    parts: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "parts", read_levels(self.name, self.parts, "parts", self.example()))
        for parts in self.parts:
            if type(parts) is not int or parts < 2:  # noqa: PLR2004
                raise ParameterError(
                    f"parts must be whole numbers from 2, not {show_value(parts)}", hint=self.example()
                )
        for many, few in pairwise(self.parts):
            if few >= many or many % few:
                problem = f"{few} does not divide into {many}: a value would have two parents"
                hint = f"write parts from many to few, each a divisor of the one before, as in {self.example()}"
                raise ParameterError(problem, hint=hint)

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.quantiles("income", parts=[8, 4, 2])'

    @property
    def height(self) -> int:
        """The number of levels below the top of the built hierarchy."""
        return len(self.parts) + 1

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:
        """Return the places of the numbers, and the part of each on each level."""
        covered, numbers, digits = read_units(values)
        distinct, ids = np.unique(numbers, return_inverse=True)
        people = np.zeros(len(distinct), dtype=object)  # Python integers: products with the parts may be large
        np.add.at(people, ids, counts[covered].astype(object))
        smaller = np.cumsum(people) - people
        levels = []
        for parts in self.parts:
            part = (smaller * parts // max(int(people.sum()), 1)).astype(np.int64)
            starts, codes = np.unique(part, return_index=True, return_inverse=True)[1:]
            borders = [None, *distinct[starts[1:]].tolist(), None]
            levels.append(Coded(codes[ids], [write_range(low, high, digits) for low, high in pairwise(borders)]))
        return covered, levels
