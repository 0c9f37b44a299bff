"""Intervals: numbers become ranges, wider from level to level.

>>> age = Intervals("age", [5, 10, 20], bottom=15, top=95).build(["37", "17", "98"])
>>> [age.lift("37", level) for level in range(5)]
['37', '35-39', '35-44', '35-54', '*']
>>> age.lift("98", 1), age.lift("98", 3)
('>=95', '>=95')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, ranked
from PETWorks.errors import ParameterError
from PETWorks.exact.limit import Number
from PETWorks.hierarchies.numbers import INT62, number, span, units, written
from PETWorks.hierarchies.rule import Rule, ascending


@dataclass(frozen=True)
class Intervals(Rule):
    """Ranges of numbers: from a start up to, but without, an end. There are borders at `origin` plus any multiple.

    Numbers below `bottom` are in one range of their own on every level, and so are those from `top` on. `origin` is
    `bottom` if nothing else is said, else `top`, else 0. Whole numbers have ranges such as 35-39, others [35, 37.5).
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
        object.__setattr__(self, "widths", ascending(self.name, self.widths, "widths", self.example()))
        widths, (bottom, top, origin) = self._widths, self._borders
        if min(widths) <= 0:
            raise ParameterError(f"a width must be more than 0, not {written(min(widths))}", hint=self.example())
        for narrow, wide in pairwise(widths):
            if wide <= narrow or wide % narrow:
                problem = f"{written(narrow)} does not divide into {written(wide)}: a value would have two parents"
                hint = f"write widths of which each is a multiple of the one before, as in {self.example()}"
                raise ParameterError(problem, hint=hint)
        if bottom is not None and top is not None and top <= bottom:
            problem = f"top must be more than bottom, but {written(top)} is not more than {written(bottom)}"
            raise ParameterError(problem, hint=self.example())
        widest = widths[-1]
        for name, border in (("bottom", bottom), ("top", top)):
            if border is not None and (border - origin) % widest:
                steps = (border - origin) // widest
                near = " or ".join(written(origin + step * widest) for step in (steps, steps + 1))
                start = f"the borders of width {written(widest)} are at {written(origin)} plus its multiples"
                raise ParameterError(f"{name} is {written(border)}, but {start}", hint=f"choose {near}")

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.intervals("age", widths=[5, 10, 20], bottom=15, top=95)'

    @property
    def height(self) -> int:
        """The highest level of what is built."""
        return len(self.widths) + 1

    @property
    def _widths(self) -> list[Fraction]:
        return [number(width, "a width") for width in self.widths]

    @property
    def _borders(self) -> tuple[Fraction | None, Fraction | None, Fraction]:
        given = {"bottom": self.bottom, "top": self.top, "origin": self.origin}
        read = {name: None if one is None else number(one, name) for name, one in given.items()}
        known = (read[name] for name in ("origin", "bottom", "top"))
        return read["bottom"], read["top"], next((one for one in known if one is not None), Fraction(0))

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the numbers, and the range of each on each level."""
        widths, borders = self._widths, self._borders
        covered, numbers, digits = units(values, [*widths, *(border for border in borders if border is not None)])
        bottom, top, start = (None if border is None else int(border * 10**digits) for border in borders)
        assert start is not None  # noqa: S101
        levels: list[Coded] = []
        ids = np.arange(len(numbers))  # of each number, its place in the level below
        for width in [int(one * 10**digits) for one in widths]:
            steps = (numbers - start) // width
            below, above = min(steps, default=0) - 1, max(steps, default=0) + 1
            ends = {below: span(None, bottom, digits), above: span(top, None, digits)}
            steps = steps if bottom is None else np.where(numbers < bottom, below, steps)
            steps = steps if top is None else np.where(numbers >= top, above, steps)
            space = int(above - below) + 1
            keys = steps - below
            first, codes = ranked(keys.astype(np.int64) if space < INT62 else keys, space)
            ranges = [(step, start + step * width) for step in steps[first].tolist()]
            texts = [ends[step] if step in ends else span(low, low + width, digits) for step, low in ranges]
            ids, numbers = codes[ids], numbers[first]  # the next level is that of one number of each range
            levels.append(Coded(ids, texts))
        return covered, levels
