"""`Hierarchy`: the more general values that the values of a column can be replaced by, level by level.

It has a row for each leaf: the raw value, then its ancestors at levels 1, 2, … The highest level has a single value. If
the rows do not all end in the same value, a level ``*`` is added.

>>> year = Hierarchy("year", [("1977", "197*"), ("1983", "198*"), ("1988", "198*")])
>>> year.height, year.lift("1988", 1), year.lift("1988", 2)
(2, '198*', '*')
>>> year.lowest["198*"], year.under("198*", 1)
(1, ['1983', '1988'])

`Rules` are the methods that return a rule, from which the hierarchy of a table's values is built. A rule is passed
where a hierarchy is: `Release` and `anonymize` build it on the values of the original. `rule.build(values)` builds it
directly. `Coverage` shows which values of a table a hierarchy lacks, and how many people each of its groups has.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from PETWorks.errors import HierarchyError
from PETWorks.hierarchies.values import count_people, count_people_by_group, read_counts
from PETWorks.presentation import Language, presenter
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import Coded, IntArray, Value, cell_text, is_missing

if TYPE_CHECKING:
    from PETWorks.exact.limit import Number
    from PETWorks.hierarchies.rule import Rule
    from PETWorks.hierarchies.values import Counts

LARGEST_GROUPS = 3  # the number of largest groups that are reported


@dataclass(frozen=True)
class LevelSize:
    """A level of a hierarchy: how many groups of a table it has, and how many people the smallest and largest have."""

    level: int
    groups: int
    smallest: int
    largest: Mapping[Value, int]  # the three groups with most people


@dataclass(frozen=True)
class Coverage:
    """The coverage of a table's values by a hierarchy. Printed, it names only values that five people or more have."""

    name: str
    values: int
    people: int
    lacking: Mapping[Value, int]  # the values that the hierarchy lacks, with their people; most people first
    levels: tuple[LevelSize, ...]  # of the values that it has
    _lacking_people: int  # each counted once

    @property
    def complete(self) -> bool:
        """True if the hierarchy has every value."""
        return not self.lacking

    @property
    def lacking_people(self) -> int:
        """The number of people who have a value that the hierarchy lacks."""
        return self._lacking_people

    @property
    def common(self) -> Mapping[Value, int]:
        """The lacking values that five people or more have."""
        return {value: count for value, count in self.lacking.items() if count >= THRESHOLD}

    def text(self, language: Language = "en") -> str:
        """Write it as text."""
        return presenter().coverage_text(self, language)

    def __str__(self) -> str:
        """Write it as English text."""
        return self.text()


def measure_coverage(hierarchy: Hierarchy, counts: Counts) -> Coverage:
    """Compare a hierarchy with the values of a table; missing values need no row, and ``*`` is suppressed."""
    values = [value for value in counts if value != hierarchy.top]
    lacking = {value: counts[value] for value in values if not is_missing(value) and value not in hierarchy}
    known = hierarchy.complete(counts)
    present = np.array([leaf in counts and leaf != hierarchy.top for leaf in known.leaves], dtype=bool)
    leaves = [leaf for leaf, is_there in zip(known.leaves, present.tolist(), strict=True) if is_there]
    levels = []
    for level, one in enumerate(known.levels):
        groups = np.unique(one.codes[present])
        sizes = count_people_by_group(counts, leaves, one.codes[present], len(one.values))[groups]
        first = np.argsort(-sizes, kind="stable")[:LARGEST_GROUPS]
        largest = {one.values[int(groups[place])]: int(sizes[place]) for place in first}
        levels.append(LevelSize(level, len(groups), int(sizes.min()) if len(groups) else 0, largest))
    ordered: dict[Value, int] = dict(sorted(lacking.items(), key=lambda item: (-item[1], item[0] or "")))
    people = (count_people(counts, values), count_people(counts, lacking))
    return Coverage(hierarchy.name, len(values), people[0], ordered, tuple(levels), people[1])


Calendar = Literal["iso", "roc"]
Side = Literal["left", "right"]


class Rules:
    """Hierarchies by rule."""

    @staticmethod
    def intervals(
        name: str,
        widths: Number | Iterable[Number],
        bottom: Number | None = None,
        top: Number | None = None,
        origin: Number | None = None,
    ) -> Rule:
        """Put numbers into ranges, of one width for each level; each width is a multiple of the one before.

        The ranges lie between `bottom` and `top`; numbers outside are in a range of their own. There are borders at
        `origin` plus any multiple of a width (default: at `bottom`, else `top`, else 0).
        """
        from PETWorks.hierarchies.number_rules import Intervals

        return Intervals(name, widths, bottom, top, origin)  # type: ignore[arg-type]

    @staticmethod
    def quantiles(name: str, parts: int | Iterable[int]) -> Rule:
        """Put numbers into so many ranges of about as many people each, fewer ranges on each level."""
        from PETWorks.hierarchies.number_rules import Quantiles

        return Quantiles(name, parts)  # type: ignore[arg-type]

    @staticmethod
    def prefixes(name: str, keep: int | Iterable[int], mask: str = "*", keep_from: Side = "left") -> Rule:
        """Keep so many characters at the start of a code, fewer on each level; `mask` stands for each of the others.

        `keep_from="right"` keeps those at its end: "10617" becomes "**617".
        """
        from PETWorks.hierarchies.value_rules import Prefixes

        return Prefixes(name, keep, mask, keep_from)  # type: ignore[arg-type]

    @staticmethod
    def dates(
        name: str, levels: str | Iterable[str], read: Calendar | None = None, write: Calendar | None = None
    ) -> Rule:
        """Put dates into periods: "day", "month", "quarter", "half-year", "year", "five years", "decade".

        Dates are read in the Western calendar ("iso") and that of Taiwan ("roc", 民國). Labels keep the calendar of the
        column, unless `write` names another. `read="roc"` means that short years, as in 79-05-21, are those of Taiwan.
        """
        from PETWorks.hierarchies.dates import Dates

        return Dates(name, levels, read, write)  # type: ignore[arg-type]

    @staticmethod
    def ordered(name: str, values: Iterable[Any], sizes: int | Iterable[int | Sequence[int]]) -> Rule:
        """Group neighbours in the order of `values`; `sizes` has, for each level, the number of values in a group.

        For groups of different sizes, a level has the list of all their sizes.
        """
        from PETWorks.hierarchies.value_rules import Ordered

        return Ordered(name, values, sizes)  # type: ignore[arg-type]

    @staticmethod
    def rare_last(name: str, share: Number | Iterable[Number], label: str = "other") -> Rule:
        """Group the values that less than a share of the people have ("1%"); the share rises from level to level."""
        from PETWorks.hierarchies.value_rules import RareLast

        return RareLast(name, share, label)  # type: ignore[arg-type]

    @staticmethod
    def parents(name: str, mapping: Mapping[Any, Any]) -> Rule:
        """Group values by hand: each has a parent, which may have a parent in turn, or a list of all its ancestors."""
        from PETWorks.hierarchies.value_rules import Parents

        return Parents(name, mapping)

    @staticmethod
    def places(name: str, levels: str | Iterable[str] = ("district", "county", "region")) -> Rule:
        """Put places of Taiwan, by their Chinese names, into "district" (鄉鎮市區), "county" (縣市) and "region"."""
        from PETWorks.hierarchies.places import Places

        return Places(name, levels)  # type: ignore[arg-type]


TOP = "*"


class Hierarchy(Rules):
    """The levels of one column's values. Level 0 has the leaves, level `height` the single value at the top.

    `Hierarchy.intervals` and its siblings are rules, from which the hierarchy of a table's values is built.
    """

    def __init__(self, name: str, rows: Iterable[Sequence[Value]], where: str = "", digest: str | None = None) -> None:
        where = where or f'hierarchy of "{name}"'
        given = [tuple(row) for row in rows]
        distinct = list(dict.fromkeys(given))
        if len({*map(len, distinct)}) > 1 or () in distinct:
            raise _build_contradiction_error(given, where)
        levels = [Coded.of(column) for column in zip(*distinct, strict=True)] or [Coded.of([])]
        if not are_nested(levels):
            raise _build_contradiction_error(given, where)
        self._set(name, levels, where, digest)

    @classmethod
    def of_levels(cls, name: str, levels: Sequence[Coded], where: str = "", digest: str | None = None) -> Hierarchy:
        """Build a hierarchy from coded columns: the leaves, each once, and their ancestors on each level."""
        built = cls.__new__(cls)
        built._set(name, levels, where or f'hierarchy of "{name}"', digest)  # noqa: SLF001 (its own)
        return built

    def _set(self, name: str, levels: Sequence[Coded], where: str, digest: str | None) -> None:
        leaves, highest = levels[0], levels[-1]
        top = [] if len(highest.values) == 1 else [Coded(np.zeros(len(leaves.codes), dtype=np.int64), [TOP])]
        self.name, self.where = name, where
        self.digest = digest  # SHA-256 of the file
        self.levels: tuple[Coded, ...] = (*levels, *top)
        self.height = len(self.levels) - 1

    @classmethod
    def flat(cls, name: str, values: Iterable[Value]) -> Hierarchy:
        """Build a hierarchy for a column that has none: each value as a leaf, and ``*`` above all of them."""
        return cls(name, [(value, TOP) for value in values])

    def complete(self, values: Iterable[Value]) -> Hierarchy:
        """Return the hierarchy with a row for each of these values that is missing, and that it lacks."""
        lacking = [value for value in values if is_missing(value) and value not in self]
        return self.with_missing(lacking) if lacking else self

    def with_missing(self, values: Iterable[Value] = (None,)) -> Hierarchy:
        """Return the hierarchy with rows for missing values, which stay as they are on every level below the top.

        >>> Hierarchy("zip", [("100", "1**", "*"), ("101", "1**", "*")]).with_missing().lift(None, 1) is None
        True
        """
        added = list(values)
        if not self.height:
            return Hierarchy(self.name, [*self.rows(), *((value,) for value in added)], self.where, self.digest)
        further = np.arange(len(added))
        below = [
            Coded(np.append(one.codes, len(one.values) + further), [*one.values, *added]) for one in self.levels[:-1]
        ]
        top = Coded(np.append(self.levels[-1].codes, 0 * further), self.levels[-1].values)
        return Hierarchy.of_levels(self.name, [*below, top], self.where, self.digest)

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """Yield a row for each leaf: the raw value, then its ancestors."""
        columns = [[one.values[code] for code in one.codes.tolist()] for one in self.levels]
        return zip(*columns, strict=True)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the hierarchy to a CSV file: a line for each leaf, cells with ``;`` between them, no header.

        The file can be edited, and passed in place of the hierarchy. Every measure is the same with it.
        """
        lines = [";".join(map(_quote, row)) for row in self.rows()]
        return presenter().write_file(path, "\n".join(lines) + "\n")

    def coverage(self, values: Any) -> Coverage:  # noqa: ANN401 (values, with or without counts, or a table)
        """Return the values that it lacks, with their people, and the sizes of its groups; values as for `Rule.build`.

        >>> print(Hierarchy("sex", [("m", "*"), ("f", "*")]).coverage({"m": 9, "f": 7, "x": 5, "y": 1}))
        Not covered in sex: 2 of 4 values, 6 of 22 people.
          x: 5 people
          1 value of fewer than 5 people each, 1 person, not shown
        <BLANKLINE>
          Level  Groups  Smallest group, people  Largest groups
          1      1       16                      *
          0      2       7                       m, f
        """
        return measure_coverage(self, read_counts(values, self.name))

    @property
    def leaves(self) -> Sequence[Value]:
        """The distinct raw values."""
        return self.levels[0].values

    @property
    def top(self) -> Value:
        """The single value of the highest level."""
        return self.levels[-1].values[0]

    @cached_property
    def lowest(self) -> Mapping[Value, int]:
        """The lowest level at which each value of the hierarchy occurs."""
        lowest: dict[Value, int] = {}
        for level, one in reversed([*enumerate(self.levels)]):
            lowest.update(dict.fromkeys(one.values, level))
        return lowest

    @cached_property
    def _codes(self) -> tuple[dict[Value, int], ...]:
        """By level, the code of each value; of level 0 also the place of the leaf."""
        return tuple(dict(zip(one.values, count())) for one in self.levels)

    @cached_property
    def _sizes(self) -> tuple[list[int], ...]:
        """By level and code, how many leaves a value stands for."""
        return tuple(np.bincount(one.codes, minlength=len(one.values)).tolist() for one in self.levels)

    @cached_property
    def _members(self) -> tuple[tuple[IntArray, IntArray], ...]:
        """By level, the places of the leaves sorted by code, and where those of each code end."""
        return tuple(
            (np.argsort(one.codes, kind="stable"), np.cumsum(sizes))
            for one, sizes in zip(self.levels, self._sizes, strict=True)
        )

    @cached_property
    def one_meaning(self) -> bool:
        """True if every value stands for the same leaves on all levels that have it."""
        again = [(value, level) for level, one in enumerate(self.levels) for value in one.values]
        return all(
            level == (low := self.lowest[value])
            or (self.size(value, level) == self.size(value, low) and self.under(value, level) == self.under(value, low))
            for value, level in again
        )

    def under(self, value: Value, level: int) -> Sequence[Value]:
        """Return the leaves that a value of a level stands for; none if the level does not have the value."""
        if (code := self._codes[level].get(value)) is None:
            return []
        places, ends = self._members[level]
        mine = places[ends[code] - self._sizes[level][code] : ends[code]]
        return [self.leaves[place] for place in mine.tolist()]

    def size(self, value: Value, level: int) -> int:
        """Return how many leaves a value of a level stands for; 0 if the level does not have the value."""
        code = self._codes[level].get(value)
        return 0 if code is None else self._sizes[level][code]

    def __contains__(self, leaf: Value) -> bool:
        """Return True if a value is a leaf."""
        return leaf in self._codes[0]

    def lift(self, leaf: Value, level: int) -> Value:
        """Return the ancestor of a leaf at a level."""
        one = self.levels[level]
        return one.values[int(one.codes[self._codes[0][leaf]])]

    def find_collision(self) -> tuple[Value, int, int] | None:
        """Return a text that two branches share, and on which two levels; None if there is none.

        The ancestor of a value may have the same text: it is then its own branch.
        """
        for high, one in enumerate(self.levels if self.leaves else ()):
            for low, below in enumerate(self._codes[:high]):
                for value in [value for value in one.values if value in below]:
                    leaf = np.flatnonzero(self.levels[low].codes == below[value])[0]
                    if one.values[int(one.codes[leaf])] != value:
                        return value, low, high
        return None


def are_nested(levels: Sequence[Coded]) -> bool:
    """Return True if every value of a level has one parent only."""
    for low, high in pairwise(levels):
        parents = np.zeros(len(low.values), dtype=np.int64)
        parents[low.codes] = high.codes
        if (parents[low.codes] != high.codes).any():
            return False
    return True


def _build_contradiction_error(rows: Sequence[tuple[Value, ...]], where: str) -> HierarchyError:
    """Build the error for the first row of another length than those above, or that gives a value a second parent."""
    parents: dict[tuple[int, Value], tuple[Value, int]] = {}
    for number, row in enumerate(rows, 1):
        place = f"{where}, row {number}"
        if len(row) != (width := len(rows[0])) or not row:
            problem = "the row has {cells} cells, the rows above have {width}"
            figures = {"cells": len(row), "width": width}
            hint, listed = "give every value the same number of levels", " ; ".join(map(cell_text, row))
            return HierarchyError(problem, where=place, hint=hint, listed=listed, figures=figures)
        for level, (value, parent) in enumerate(pairwise(row)):
            known, first = parents.setdefault((level, value), (parent, number))
            if known != parent:
                problem = "a value of level {level} has another parent here than in row {first}"
                hint, figures = "give every value one parent only", {"level": level, "first": first}
                listed = f'"{cell_text(value)}" below "{cell_text(parent)}", not "{cell_text(known)}"'
                return HierarchyError(problem, where=place, hint=hint, listed=listed, figures=figures)
    raise AssertionError


def _quote(cell: Any) -> str:  # noqa: ANN401
    text = "" if cell is None else str(cell)
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(mark in text for mark in ';,\t|"\n\r') else text
