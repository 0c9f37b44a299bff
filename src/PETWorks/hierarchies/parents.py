"""Groups by hand: each value has a parent, which may have a parent in turn.

>>> degree = Parents("degree", {"MA": "graduate", "PhD": "graduate", "BA": "first degree", "graduate": "university"})
>>> degree = degree.build(["MA", "PhD", "BA"])
>>> [degree.lift("MA", level) for level in range(4)], [degree.lift("BA", level) for level in range(4)]
(['MA', 'graduate', 'university', '*'], ['BA', 'first degree', 'first degree', '*'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from PETWorks.counting.tally import Coded, IntArray
from PETWorks.errors import ParameterError, SourceError, shown
from PETWorks.hierarchies.rule import Rule, lifted
from PETWorks.sources.text_form import text_form


@dataclass(frozen=True)
class Parents(Rule):
    """Parents of values and of groups. In place of a parent, a list has all ancestors, the nearest first.

    A value with fewer groups above it than others keeps its last one. A value of the table that is a group, too, is in
    that group.
    """

    kind: ClassVar[str] = "parents"
    main: ClassVar[str] = "mapping"
    expects: ClassVar[str] = "in the mapping"

    mapping: Mapping[str, str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", _links(self.mapping, self.example()))
        _ = self._heights  # raises an error for groups that contain themselves

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.parents("degree", {"MA": "graduate", "PhD": "graduate"})'

    @property
    def height(self) -> int:
        """The highest level of what is built."""
        return max(self._heights.values()) + 1

    @cached_property
    def _heights(self) -> dict[str, int]:
        """By value or group, how many levels it is above the lowest value in it."""
        heights = dict.fromkeys([*self.mapping, *self.mapping.values()], 0)
        for value in self.mapping:
            node, steps = value, 0
            while (node := self.mapping.get(node, "")) and steps <= len(heights):
                steps += 1
                heights[node] = max(heights[node], steps)
            if node:
                raise ParameterError(f'"{value}" is its own ancestor', hint=self.example())
        return heights

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the values that are in the mapping, and the group of each on each level."""
        covered = [place for place, value in enumerate(values) if value in self._heights]
        levels = [Coded(np.arange(len(covered)), [values[place] for place in covered])]
        for level in range(1, self.height):
            levels.append(lifted(levels[-1], partial(self._up, level)))
        return covered, levels[1:]

    def _up(self, level: int, node: str) -> str:
        """Return the parent, unless it belongs to a higher level than this."""
        parent = self.mapping.get(node, "")
        return parent if parent and self._heights[parent] <= level else node


def _links(given: Any, example: str) -> dict[str, str]:  # noqa: ANN401
    """Return the parent of each value and group."""
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(f"parents must be a mapping of values to their groups, not {shown(given)}", hint=example)
    links: dict[str, str] = {}
    for value, ancestors in given.items():
        above = [ancestors] if isinstance(ancestors, str) or not isinstance(ancestors, Iterable) else [*ancestors]
        for low, high in pairwise([_text(value, example), *(_text(one, example) for one in above)]):
            if links.setdefault(low, high) != high:
                problem = f'"{low}" has two parents, "{links[low]}" and "{high}"'
                raise ParameterError(problem, hint="give every value and group one parent only")
    return links


def _text(value: object, example: str) -> str:
    try:
        text = text_form(value)
    except SourceError:
        text = None
    if text is None or text == "*":
        raise ParameterError(f"a value or group must be a text other than *, not {shown(value)}", hint=example)
    return text
