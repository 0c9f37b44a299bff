"""How complete a hierarchy is: which values of a table it lacks, and how many people each of its groups has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.tally import Value
from PETWorks.errors import MANY
from PETWorks.hierarchies.holders import in_groups, together
from PETWorks.presentation import Language, presenter

if TYPE_CHECKING:
    from PETWorks.hierarchies.counts import Counts
    from PETWorks.hierarchies.hierarchy import Hierarchy


LARGEST = 3  # so many of the largest groups are kept


@dataclass(frozen=True)
class LevelSize:
    """A level of a hierarchy: how many groups of a table it has, and how many people the smallest and largest have."""

    level: int
    groups: int
    smallest: int
    largest: Mapping[Value, int]  # the three groups with most people


@dataclass(frozen=True)
class Coverage:
    """What a hierarchy makes of the values of a table. Printed, it names only values that five people or more have."""

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
        """How many people have a value that the hierarchy lacks."""
        return self._lacking_people

    @property
    def common(self) -> Mapping[Value, int]:
        """The lacking values that five people or more have."""
        return {value: count for value, count in self.lacking.items() if count >= MANY}

    def text(self, language: Language = "en") -> str:
        """Write it as text."""
        return presenter().coverage_text(self, language)

    def __str__(self) -> str:
        """Write it as English text."""
        return self.text()


def coverage_of(hierarchy: Hierarchy, counts: Counts) -> Coverage:
    """Compare a hierarchy with the values of a table; missing values need no row, and ``*`` is suppressed."""
    values = [value for value in counts if value != hierarchy.top]
    lacking = {value: counts[value] for value in values if value is not None and value not in hierarchy}
    known = hierarchy if None not in counts or None in hierarchy else hierarchy.with_missing()
    present = np.array([leaf in counts and leaf != hierarchy.top for leaf in known.leaves], dtype=bool)
    leaves = [leaf for leaf, is_there in zip(known.leaves, present.tolist(), strict=True) if is_there]
    levels = []
    for level, one in enumerate(known.levels):
        groups = np.unique(one.codes[present])
        sizes = in_groups(counts, leaves, one.codes[present], len(one.values))[groups]
        first = np.argsort(-sizes, kind="stable")[:LARGEST]
        largest = {one.values[int(groups[place])]: int(sizes[place]) for place in first}
        levels.append(LevelSize(level, len(groups), int(sizes.min()) if len(groups) else 0, largest))
    ordered: dict[Value, int] = dict(sorted(lacking.items(), key=lambda item: (-item[1], item[0] or "")))
    people = (together(counts, values), together(counts, lacking))
    return Coverage(hierarchy.name, len(values), people[0], ordered, tuple(levels), people[1])
