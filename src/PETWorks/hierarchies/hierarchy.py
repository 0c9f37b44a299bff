"""A hierarchy: the more general values that the values of a column can be replaced by, level by level.

It has a row for each leaf: the raw value, then its ancestors at levels 1, 2, … The highest level has a single value. If
the rows do not all end in the same value, a level ``*`` is added.

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
    """The levels of one column's values. Level 0 has the leaves, level `height` the single value at the top."""

    def __init__(self, name: str, rows: Iterable[Sequence[Value]], where: str = "", digest: str | None = None) -> None:
        self.name = name
        self.digest = digest  # SHA-256 of the file
        self.where = where or f'hierarchy of "{name}"'
        self._rows = self._checked(rows)
        if len({row[-1] for row in self._rows.values()}) != 1:
            self._rows = {leaf: (*row, TOP) for leaf, row in self._rows.items()}
        self.height = len(next(iter(self._rows.values()))) - 1 if self._rows else 1

    @classmethod
    def flat(cls, name: str, values: Iterable[Value]) -> Hierarchy:
        """Build a hierarchy for a column that has none: each value as a leaf, and ``*`` above all of them."""
        return cls(name, [(value, TOP) for value in values])

    def with_missing(self) -> Hierarchy:
        """Return the hierarchy with a row for the missing value, which stays missing on every level below the top.

        >>> Hierarchy("zip", [("100", "1**", "*"), ("101", "1**", "*")]).with_missing().lift(None, 1) is None
        True
        """
        missing = (*[None] * self.height, self.top) if self.height else (None,)
        return Hierarchy(self.name, [*self._rows.values(), missing], self.where, self.digest)

    def _checked(self, rows: Iterable[Sequence[Value]]) -> dict[Value, tuple[Value, ...]]:
        """Return the rows by leaf; raise an error if rows differ in length, or if a value has two parents."""
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
                    hint = "give every value one parent only"
                    raise HierarchyError(problem, where=where, hint=hint, listed=listed)
            by_leaf[row[0]] = row
        return by_leaf

    @property
    def leaves(self) -> Sequence[Value]:
        """The raw values, each once."""
        return tuple(self._rows)

    @property
    def top(self) -> Value:
        """The single value of the highest level."""
        return next(iter(self._rows.values()))[-1] if self._rows else TOP

    @cached_property
    def lowest(self) -> dict[Value, int]:
        """The lowest level at which each value of the hierarchy occurs."""
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

    @cached_property
    def one_meaning(self) -> bool:
        """True if every value stands for the same leaves on all levels that have it."""
        meanings: dict[Value, list[Value]] = {}
        return all(meanings.setdefault(value, leaves) == leaves for (value, _), leaves in self._under.items())

    def under(self, value: Value, level: int) -> Sequence[Value]:
        """Return the leaves that a value of a level stands for; none if the level does not have the value."""
        return self._under.get((value, level), ())

    def __contains__(self, leaf: Value) -> bool:
        """Return True if a value is a leaf."""
        return leaf in self._rows

    def lift(self, leaf: Value, level: int) -> Value:
        """Return the ancestor of a leaf at a level."""
        return self._rows[leaf][level]
