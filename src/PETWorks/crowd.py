"""A population that holds the released sample: how many of its people look like each released class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from PETWorks.classes import Classes
from PETWorks.errors import HierarchyError, PopulationError
from PETWorks.hierarchy import Hierarchy
from PETWorks.tally import Coded, IntArray, Tally, TallyBuilder, Value, shown, sums

SIDE = ""  # no column is called so


@dataclass(frozen=True, eq=False)
class Crowd:
    """The classes of the population, generalised as the release is."""

    classes: Classes  # sizes are people of the population
    sample: IntArray  # of each class, unsuppressed rows of the release

    @classmethod
    def of(
        cls, released: Classes, people: Tally, labels: Mapping[str, tuple[Sequence[Value], Value]], marker: str
    ) -> Crowd:
        """Count both together; `labels` has what each value of the population is lifted to, and the top."""
        builder = TallyBuilder([*labels, SIDE])
        lifted = [Coded.of(new).take(people.columns[name].codes) for name, (new, _) in labels.items()]
        builder.add([*lifted, _constant("people", len(people.counts))], people.counts)
        seen = [
            Coded(column.codes, [top if value == marker else value for value in column.values])
            for column, (_, top) in zip(released.columns.values(), labels.values(), strict=True)
        ]
        builder.add([*seen, _constant("sample", len(released))], released.sizes)
        both = builder.done()
        ids, joined = both.grouped(list(labels))
        in_sample = both.columns[SIDE].codes == both.columns[SIDE].code("sample")
        sizes = sums(ids[~in_sample], both.counts[~in_sample], len(joined.counts))
        crowd = cls(Classes(joined.columns, sizes), sums(ids[in_sample], both.counts[in_sample], len(sizes)))
        crowd._check()
        return crowd

    def _check(self) -> None:
        lacking = np.flatnonzero(self.sample > self.classes.sizes)
        if lacking.size:
            values = ", ".join(f"{name}={shown(value)}" for name, value in self.classes.values(lacking[0]).items())
            sizes = f"{self.sample[lacking[0]]:,} in the release, {self.classes.sizes[lacking[0]]:,} in the population"
            problem = (
                f"{len(lacking):,} classes have fewer rows in the population than in the release: {values}: {sizes}"
            )
            raise PopulationError(problem, hint="a population holds the released sample")

    @property
    def sizes(self) -> IntArray:
        """People of the population in each class of the release, in the order of the release's classes."""
        return self.classes.sizes[self.sample > 0]


def common_level(hierarchy: Hierarchy, released: Coded, marker: str) -> int:
    """Find the lowest level that has all values which occur in a released column."""
    values = [released.values[code] for code in np.unique(released.codes).tolist()]
    for level in range(hierarchy.height + 1):
        if all(hierarchy.under(value, level) or (value == marker and level == hierarchy.height) for value in values):
            return level
    problem = f'"{hierarchy.name}" is released at several levels, or with values that its hierarchy lacks'
    hint = "a population can be generalised like the release only where each column is at one level"
    raise HierarchyError(problem, hint=hint)


def _constant(value: str, entries: int) -> Coded:
    return Coded(np.zeros(entries, dtype=np.int64), [value])
