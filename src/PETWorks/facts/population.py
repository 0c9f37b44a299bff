"""A population from which the release is a sample: how many of its people look like each released class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from PETWorks.counting.tally import Coded, IntArray, Key, Tally, Value, cell_text, recode, sums
from PETWorks.errors import HierarchyError, PopulationError, plural
from PETWorks.facts.classes import Classes, PopulationClasses
from PETWorks.facts.tallies import HOLDS_SAMPLE
from PETWorks.hierarchies.hierarchy import Hierarchy


class Lifted(NamedTuple):
    """The combinations of a population, generalised as the release is, grouped together with those of the release."""

    joined: Tally
    of_people: IntArray  # for each combination of the population, its group
    of_release: IntArray  # for each combination of the release, its group


def lifted_population(
    released: Classes,
    people: Tally,
    hierarchies: Mapping[str, Hierarchy],
    marker: str,
    refuse: Callable[[str, Tally], None],
) -> Lifted:
    """Lift the combinations of a population to the levels of the release.

    `refuse` raises an error if a column of the population has values that are not leaves of its hierarchy.
    """
    columns: dict[Key, Coded] = {}
    for name, column in released.columns.items():
        known = {*people.columns[name].values, *column.values} - {marker}
        tree = hierarchies.get(str(name)) or Hierarchy.flat(str(name), known)
        level = common_level(tree, column, marker)
        refuse(str(name), people)
        columns[name] = _joined(people.columns[name], column, tree, level, marker)
    both = Tally(columns, np.concatenate([people.counts, released.sizes]))
    ids, joined = both.grouped(list(columns))
    of_people, of_release = np.split(ids, [len(people.counts)])
    return Lifted(joined, of_people, of_release)


def population_classes(lifted: Lifted, released: Classes, people: Tally) -> PopulationClasses:
    """Count the rows of the population, and of the release, in the classes that both form together."""
    sizes = sums(lifted.of_people, people.counts, len(lifted.joined.counts))
    sample = sums(lifted.of_release, released.sizes, len(lifted.joined.counts))
    return PopulationClasses(sizes, lifted.joined.columns, sample, lifted.of_release)


def _joined(people: Coded, released: Coded, tree: Hierarchy, level: int, marker: str) -> Coded:
    """Lift a column of the population to a level, and append the same column of the released classes to it."""
    lexicon: dict[Value, int] = {}
    lifted = recode(lexicon, [tree.lift(value, level) for value in people.values])[people.codes]
    seen = recode(lexicon, [tree.top if value == marker else value for value in released.values])[released.codes]
    return Coded(np.concatenate([lifted, seen]), list(lexicon))


def checked_population(classes: PopulationClasses, counted: str = "rows") -> PopulationClasses:
    """Return the classes; raise an error if one has fewer people in the population than in the release."""
    lacking = np.flatnonzero(classes.sample > classes.sizes)
    if lacking.size:
        values = ", ".join(f"{name}={cell_text(value)}" for name, value in classes.values(lacking[0]).items())
        sizes = f"{classes.sample[lacking[0]]:,} in the release, {classes.sizes[lacking[0]]:,} in the population"
        classes_have = plural(len(lacking), "class has", "classes have")
        problem = f"{classes_have} fewer {counted} in the population than in the release"
        raise PopulationError(problem, hint=HOLDS_SAMPLE, listed=f"{values}: {sizes}")
    return classes


def common_level(hierarchy: Hierarchy, released: Coded, marker: str) -> int:
    """Return the lowest level that has all values which occur in a released column."""
    values = [released.values[code] for code in np.unique(released.codes).tolist()]
    for level in range(hierarchy.height + 1):
        if all(level == hierarchy.height if value == marker else hierarchy.under(value, level) for value in values):
            return level
    problem = f'"{hierarchy.name}" is released at several levels, or with values that its hierarchy lacks'
    hint = "release each column at one level of its hierarchy: only then can the population be generalised the same way"
    raise HierarchyError(problem, hint=hint)
