"""Quantiles: numbers become ranges that hold about as many people each.

>>> income = Quantiles("income", [4, 2]).build({"10": 3, "20": 1, "30": 2, "90": 2})
>>> [income.lift("30", level) for level in range(4)]
['30', '30-89', '>=30', '*']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from PETWorks.counting.tally import Coded, IntArray
from PETWorks.errors import ParameterError, shown
from PETWorks.hierarchies.numbers import span, units
from PETWorks.hierarchies.rule import Rule, ascending


@dataclass(frozen=True)
class Quantiles(Rule):
    """Parts of about as many people: a number is in part ⌊parts · people with a smaller number / all people⌋.

    The lowest and the highest part have no end, so that no label tells the extreme values.
    """

    kind: ClassVar[str] = "quantiles"
    main: ClassVar[str] = "parts"
    expects: ClassVar[str] = "a number"

    parts: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "parts", ascending(self.name, self.parts, "parts", self.example()))
        for parts in self.parts:
            if type(parts) is not int or parts < 2:  # noqa: PLR2004
                raise ParameterError(f"parts must be whole numbers from 2, not {shown(parts)}", hint=self.example())
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
        """The highest level of what is built."""
        return len(self.parts) + 1

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:
        """Return the places of the numbers, and the part of each on each level."""
        covered, numbers, digits = units(values)
        distinct, ids = np.unique(numbers, return_inverse=True)
        people = np.zeros(len(distinct), dtype=object)  # Python integers: products with the parts may be large
        np.add.at(people, ids, counts[covered].astype(object))
        smaller = np.cumsum(people) - people
        levels = []
        for parts in self.parts:
            part = (smaller * parts // max(int(people.sum()), 1)).astype(np.int64)
            starts, codes = np.unique(part, return_index=True, return_inverse=True)[1:]
            borders = [None, *distinct[starts[1:]].tolist(), None]
            levels.append(Coded(codes[ids], [span(low, high, digits) for low, high in pairwise(borders)]))
        return covered, levels
