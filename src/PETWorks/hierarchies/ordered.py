"""Ordered groups: neighbours in an order become one group, larger from level to level.

>>> school = Ordered("school", ["none", "primary", "secondary", "college", "university"], [2, 4])
>>> school = school.build(["primary", "university"])
>>> [school.lift("primary", level) for level in range(4)]
['primary', 'none - primary', 'none - college', '*']
>>> school.lift("university", 1)
'university'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from typing import ClassVar

import numpy as np

from PETWorks.counting.tally import Coded, IntArray
from PETWorks.errors import ParameterError, SourceError, listing, shown
from PETWorks.hierarchies.rule import Rule, ascending
from PETWorks.sources.text_form import text_form


@dataclass(frozen=True)
class Ordered(Rule):
    """Groups of neighbours. `sizes` has for each level how many values make a group, or the size of every group."""

    kind: ClassVar[str] = "ordered"
    main: ClassVar[str] = "values"
    expects: ClassVar[str] = "in the list"

    values: tuple[str, ...]
    sizes: tuple[int | tuple[int, ...], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        values = [_text(value) for value in ascending(self.name, self.values, "values", self.example())]
        if len({*values}) < len(values):
            twice = [value for value in dict.fromkeys(values) if values.count(value) > 1]
            raise ParameterError(f"values are listed twice: {listing(twice)}", hint="list every value once")
        object.__setattr__(self, "values", tuple(values))
        given = ascending(self.name, self.sizes, "sizes", self.example())
        sizes = [tuple(one) if isinstance(one, Iterable) and not isinstance(one, str) else one for one in given]
        object.__setattr__(self, "sizes", tuple(sizes))
        for one in sizes:
            for size in one if isinstance(one, tuple) else (one,):
                if type(size) is not int or size < 1:
                    problem = f"sizes must be whole numbers from 1, not {shown(size)}"
                    raise ParameterError(problem, hint=self.example())
            if isinstance(one, tuple) and sum(one) != len(values):
                problem = f"the groups of {shown([*one])} have {sum(one)} values, but {len(values)} are listed"
                raise ParameterError(problem, hint="write the size of every group")
        for fine, coarse in pairwise(sizes):
            if coarse == fine or not {*self._starts(coarse)} <= {*self._starts(fine)}:
                problem = f"groups of {shown(fine)} do not make groups of {shown(coarse)}"
                hint = "a value would have two parents: let every group be made of whole groups of the level below"
                raise ParameterError(problem, hint=hint)

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.ordered("size", values=["S", "M", "L", "XL"], sizes=[2])'

    @property
    def height(self) -> int:
        """The highest level of what is built."""
        return len(self.sizes) + 1

    def _starts(self, sizes: int | tuple[int, ...]) -> list[int]:
        """Return the place of the first value of each group."""
        if isinstance(sizes, tuple):
            return [0, *accumulate(sizes[:-1])]
        return list(range(0, len(self.values), sizes))

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the values that are listed, and the group of each on each level."""
        order = dict(zip(self.values, count()))
        covered = [place for place, value in enumerate(values) if value in order]
        places = np.fromiter((order[values[place]] for place in covered), np.int64, len(covered))
        levels = []
        for sizes in self.sizes:
            starts = self._starts(sizes)
            ends = [*starts[1:], len(self.values)]
            bounds = [(self.values[start], self.values[end - 1]) for start, end in zip(starts, ends, strict=True)]
            groups = [first if first == last else f"{first} - {last}" for first, last in bounds]
            levels.append(Coded(np.searchsorted(starts, places, side="right") - 1, groups).trimmed())
        return covered, levels


def _text(value: object) -> str:
    try:
        text = text_form(value)
    except SourceError:
        text = None
    if text is None:
        raise ParameterError(f"a value in the order must be a text, not {shown(value)}", hint=Ordered.example())
    return text
