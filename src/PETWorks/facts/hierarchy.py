"""A hierarchy: what the values of a column may be generalised to, level by level.

A row for each leaf: the raw value, then its ancestor at level 1, 2, … The top is one single value; where the rows do
not end in one, a level ``*`` is put on top.

>>> year = Hierarchy("year", [("1977", "197*"), ("1983", "198*"), ("1988", "198*")])
>>> year.height, year.lift("1988", 1), year.lift("1988", 2)
(2, '198*', '*')
>>> year.lowest["198*"], year.under("198*", 1)
(1, ['1983', '1988'])
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from PETWorks.counting.tally import Value, cell_text
from PETWorks.errors import HierarchyError

TOP = "*"


class Hierarchy:
    """The levels of one column's values. Level 0 holds the leaves, level `height` the single top."""

    def __init__(self, name: str, rows: Iterable[Sequence[Value]], where: str = "") -> None:
        self.name = name
        self.where = where or f'hierarchy of "{name}"'
        self._rows = self._checked(rows)
        if len({row[-1] for row in self._rows.values()}) != 1:
            self._rows = {leaf: (*row, TOP) for leaf, row in self._rows.items()}
        self.height = len(next(iter(self._rows.values()))) - 1 if self._rows else 1

    @classmethod
    def flat(cls, name: str, values: Iterable[Value]) -> Hierarchy:
        """Make the hierarchy of a column that has none: every value, then ``*``."""
        return cls(name, [(value, TOP) for value in values])

    def _checked(self, rows: Iterable[Sequence[Value]]) -> dict[Value, tuple[Value, ...]]:
        """Check that rows are equally long, and that every value has one parent."""
        by_leaf: dict[Value, tuple[Value, ...]] = {}
        parents: dict[tuple[int, Value], tuple[Value, int]] = {}
        width = 0
        for number, row in enumerate(map(tuple, rows), 1):
            where = f"{self.where}, row {number}"
            if len(row) != (width := width or len(row)) or not row:
                problem = f"the row has {len(row)} cells, the rows above have {width}"
                hint, listed = "give every value the same number of levels", " ; ".join(map(cell_text, row))
                raise HierarchyError(problem, where=where, hint=hint, listed=listed)
            for level, (value, parent) in enumerate(pairwise(row)):
                known, first = parents.setdefault((level, value), (parent, number))
                if known != parent:
                    problem = f"a value of level {level} has another parent here than in row {first}"
                    listed = f'"{cell_text(value)}" below "{cell_text(parent)}", not "{cell_text(known)}"'
                    hint = "a value may have one parent only"
                    raise HierarchyError(problem, where=where, hint=hint, listed=listed)
            by_leaf[row[0]] = row
        return by_leaf

    @property
    def leaves(self) -> Sequence[Value]:
        """The raw values, each once."""
        return tuple(self._rows)

    @property
    def top(self) -> Value:
        """The one value of the highest level."""
        return next(iter(self._rows.values()))[-1] if self._rows else TOP

    @cached_property
    def lowest(self) -> dict[Value, int]:
        """For every value of the hierarchy, the lowest level on which it occurs."""
        levels: dict[Value, int] = {}
        for level in range(self.height + 1):
            for row in self._rows.values():
                levels.setdefault(row[level], level)
        return levels

    @cached_property
    def _under(self) -> dict[tuple[Value, int], list[Value]]:
        under = defaultdict[tuple[Value, int], list[Value]](list)
        for leaf, row in self._rows.items():
            for level, value in enumerate(row):
                under[value, level].append(leaf)
        return dict(under)

    def under(self, value: Value, level: int) -> Sequence[Value]:
        """Give the leaves that a value stands for on a level."""
        return self._under.get((value, level), ())

    def __contains__(self, leaf: Value) -> bool:
        """Whether a value is a leaf."""
        return leaf in self._rows

    def lift(self, leaf: Value, level: int) -> Value:
        """Give the ancestor of a leaf at a level."""
        return self._rows[leaf][level]
