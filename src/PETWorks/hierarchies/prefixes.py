"""Prefixes: of a code, only the first characters stay, or the last, fewer from level to level.

>>> zip_code = Prefixes("zip", [3, 1]).build(["10617", "10089"])
>>> [zip_code.lift("10617", level) for level in range(4)]
['10617', '106**', '1****', '*']
>>> phone = Prefixes("phone", [3, 1], keep_from="right").build(["10617", "9617"])
>>> [phone.lift("10617", level) for level in range(4)], phone.lift("9617", 1)
(['10617', '**617', '****7', '*'], '*617')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar, get_args

import numpy as np

from PETWorks.counting.tally import Coded, IntArray
from PETWorks.errors import HierarchyError, ParameterError, plural, shown
from PETWorks.hierarchies.rule import Rule, ascending, lifted, word
from PETWorks.hierarchies.rules import Side


@dataclass(frozen=True)
class Prefixes(Rule):
    """Codes of which the first `keep` characters stay, from the right the last; `mask` stands for each of the others.

    A code of no more characters stays as it is; none changes its length.
    """

    kind: ClassVar[str] = "prefixes"
    main: ClassVar[str] = "keep"
    expects: ClassVar[str] = "a text"

    keep: tuple[int, ...]
    mask: str = "*"
    keep_from: Side = "left"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "keep", ascending(self.name, self.keep, "numbers of characters", self.example()))
        for keep in self.keep:
            if type(keep) is not int or keep < 1:
                problem = f"keep must be whole numbers from 1, not {shown(keep)}"
                raise ParameterError(problem, hint=f"{self.example()}; the top is always *")
        for more, fewer in pairwise(self.keep):
            if fewer >= more:
                problem = f"keep must fall from level to level, but {fewer} follows {more}"
                raise ParameterError(problem, hint=self.example())
        if not isinstance(self.mask, str) or len(self.mask) != 1 or not self.mask.strip():
            raise ParameterError(f"mask must be one character, not {shown(self.mask)}", hint='pass mask="*"')
        word("keep_from", self.keep_from, get_args(Side))

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.prefixes("zip", keep=[3, 1])'

    @property
    def height(self) -> int:
        """The highest level of what is built."""
        return len(self.keep) + 1

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of all values, and the masked text of each on each level."""
        if masked := sum(self.mask in value for value in values):
            problem = f"{plural(masked, 'value')} of the column {'has' if masked == 1 else 'have'} the mask in it"
            hint = f"choose another character than {self.mask} as mask"
            raise HierarchyError(problem, where=self.where, hint=hint)
        levels = [Coded(np.arange(len(values)), values)]
        for keep in self.keep:
            levels.append(lifted(levels[-1], partial(self._masked, keep)))
        return range(len(values)), levels[1:]

    def _masked(self, keep: int, text: str) -> str:
        hidden = self.mask * (len(text) - keep)
        return hidden + text[-keep:] if self.keep_from == "right" else text[:keep] + hidden
