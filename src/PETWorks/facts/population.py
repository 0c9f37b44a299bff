"""A population that holds the released sample: how many of its people look like each released class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Key, Tally, Value, recode, shown, sums
from PETWorks.errors import HierarchyError, PopulationError, plural
from PETWorks.facts.classes import Classes
from PETWorks.facts.hierarchy import Hierarchy

HOLDS_SAMPLE = "a population holds the released sample"


@dataclass(frozen=True, eq=False)
class Crowd:
    """The classes of the population, generalised as the release is."""

    classes: Classes  # sizes are people of the population
    sample: IntArray  # of each class, unsuppressed rows of the release
    sizes: IntArray  # of each class of the release, people of the population that look like it
    of_release: IntArray  # of each class of the release, the class of the population that it is in

    @classmethod
    def of(
        cls, released: Classes, people: Tally, labels: Mapping[str, tuple[Sequence[Value], Value]], marker: str
    ) -> Crowd:
        """Count both together; `labels` has what each value of the population is lifted to, and the top."""
        columns: dict[Key, Coded] = {}
        for name, (lifted, top) in labels.items():
            lexicon: dict[Value, int] = {}
            seen = [top if value == marker else value for value in released.columns[name].values]
            codes = [
                recode(lexicon, lifted)[people.columns[name].codes],
                recode(lexicon, seen)[released.columns[name].codes],
            ]
            columns[name] = Coded(np.concatenate(codes), list(lexicon))
        both = Tally(columns, np.concatenate([people.counts, released.sizes]))
        ids, joined = both.grouped(list(labels))
        of_people, of_release = np.split(ids, [len(people.counts)])
        sizes = sums(of_people, people.counts, len(joined.counts))
        sample = sums(of_release, released.sizes, len(joined.counts))
        crowd = cls(Classes(joined.columns, sizes), sample, sizes[of_release], of_release)
        crowd._check()
        return crowd

    def _check(self) -> None:
        lacking = np.flatnonzero(self.sample > self.classes.sizes)
        if lacking.size:
            values = ", ".join(f"{name}={shown(value)}" for name, value in self.classes.values(lacking[0]).items())
            sizes = f"{self.sample[lacking[0]]:,} in the release, {self.classes.sizes[lacking[0]]:,} in the population"
            problem = f"fewer rows in the population than in the release: {plural(len(lacking), 'class', 'classes')}"
            raise PopulationError(problem, hint=HOLDS_SAMPLE, listed=f"{values}: {sizes}")


def common_level(hierarchy: Hierarchy, released: Coded, marker: str) -> int:
    """Find the lowest level that has all values which occur in a released column."""
    values = [released.values[code] for code in np.unique(released.codes).tolist()]
    for level in range(hierarchy.height + 1):
        if all(level == hierarchy.height if value == marker else hierarchy.under(value, level) for value in values):
            return level
    problem = f'"{hierarchy.name}" is released at several levels, or with values that its hierarchy lacks'
    hint = "a population can be generalised like the release only where each column is at one level"
    raise HierarchyError(problem, hint=hint)
