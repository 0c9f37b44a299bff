"""Groups by hand: the table that is the tree, and what is done to it. A value or group has at most one parent.

>>> tree = Tree({"MA": "graduate", "PhD": "graduate"}, {"MA": 9, "PhD": 7, "BA": 8, "none": 2})
>>> [(one.value, one.path) for one in tree.rows()]
[('BA', ()), ('MA', ('graduate',)), ('PhD', ('graduate',))]
>>> tree.put(["BA", "graduate"], "university")
{'MA': 'graduate', 'PhD': 'graduate', 'BA': 'university', 'graduate': 'university'}
>>> tree.taken_out(["MA", "PhD"])
{}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np

from PETWorks.errors import MANY
from PETWorks.hierarchies.counts import Counts
from PETWorks.hierarchies.hierarchy import TOP
from PETWorks.hierarchies.holders import together
from PETWorks.hierarchies.parents import Parents

PART = 80  # values on one page


class Line(NamedTuple):
    """A value of the table, its people, and the groups above it, the nearest first."""

    number: int  # in forms, in place of the value
    value: str
    people: int
    path: tuple[str, ...]


class Box(NamedTuple):
    """A group as a cell of the table: how many lines it spans; `again`: it was named on a level below."""

    group: str
    number: int
    span: int
    again: bool
    values: int
    people: int


@dataclass(frozen=True)
class Tree:
    """The groups that were made so far, and the values of the table; those of fewer than `least` are not named."""

    mapping: Mapping[str, str]
    counts: Counts
    least: int = MANY

    @cached_property
    def values(self) -> list[str]:
        """The values that a hierarchy needs, in the order of their text."""
        return [value for value in self.counts if value is not None and value != TOP]

    @cached_property
    def groups(self) -> list[str]:
        """The groups, as they were made."""
        return [*dict.fromkeys(self.mapping.values())]

    @property
    def height(self) -> int:
        """How many levels of groups there are."""
        return Parents("x", self.mapping).height - 1 if self.mapping else 0

    def rows(self) -> list[Line]:
        """Return the values that may be named: those without a group first, then group by group."""
        levels = self._levels
        place = dict(zip(self.groups, count()))
        found = [
            Line(number, value, people, tuple(above[value] for above in levels) if value in self._known else ())
            for number, value in enumerate(self.values)
            if (people := self.counts[value]) >= self.least
        ]

        def order(one: Line) -> tuple[object, ...]:
            if not one.path:
                return (0, -one.people, one.value)
            return (1, tuple(place.get(group, -1) for group in reversed(one.path)), one.number)

        return sorted(found, key=order)

    @cached_property
    def _known(self) -> set[str]:
        return {*self.mapping, *self.mapping.values()}

    @cached_property
    def _levels(self) -> list[Mapping[str, str]]:
        """By level above the values, the group of each value, as the library builds it."""
        if not self.mapping:
            return []
        covered, levels = Parents("x", self.mapping).levels(self.values, np.zeros(0, dtype=np.int64))
        names = [self.values[place] for place in covered]
        return [dict(zip(names, [str(one.values[code]) for code in one.codes.tolist()], strict=True)) for one in levels]

    def own_group(self, line: Line) -> int | None:
        """Return the number of the group that a value is in, the nearest one; None if it is in none."""
        return next((self.groups.index(group) for group in line.path if group in self.groups), None)

    def boxes(self, rows: Sequence[Line]) -> list[list[Box | None]]:
        """Return, for each line, the cells of groups that begin there; None where a cell from above goes on."""
        table: list[list[Box | None]] = [[] for _ in rows]
        for level in range(self.height):
            start = 0
            while start < len(rows):
                path = rows[start].path
                end = start + 1
                while path and end < len(rows) and rows[end].path[level:] == path[level:]:
                    end += 1
                if path:
                    table[start].append(self._box(path, level, end - start))
                    for place in range(start + 1, end):
                        table[place].append(None)
                start = end
        return table

    def _box(self, path: tuple[str, ...], level: int, span: int) -> Box:
        group, above = path[level], self._levels[level]
        members = [value for value, other in above.items() if other == group]
        again = group in path[:level] or group not in self.groups
        number = self.groups.index(group) if group in self.groups else -1
        return Box(group, number, span, again, len(members), together(self.counts, members))

    def put(self, nodes: Iterable[str], group: str) -> dict[str, str]:
        """Return the mapping in which values and groups are in another group."""
        return self._pruned({**self.mapping, **{node: group for node in nodes if node != group}})

    def taken_out(self, nodes: Iterable[str]) -> dict[str, str]:
        """Return the mapping in which values and groups are in no group."""
        gone = {*nodes}
        return self._pruned({node: group for node, group in self.mapping.items() if node not in gone})

    def renamed(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return the mapping in which groups have other names."""
        return {
            node if node in self.counts else names.get(node, node): names.get(group, group)
            for node, group in self.mapping.items()
        }

    def _pruned(self, mapping: dict[str, str]) -> dict[str, str]:
        """Leave out groups that hold nothing."""
        kept = {node: group for node, group in mapping.items() if node in self.counts or node in mapping.values()}
        return kept if len(kept) == len(mapping) else self._pruned(kept)
