"""The distinct values of a column, with the number of people who have each: hierarchies are built on them.

If people have several rows, `PeopleByValue` counts a person with two values of a group once.

>>> found = PeopleByValue(["a", "b"], np.array([0, 0, 1]), np.array([7, 8, 7]))
>>> found["a"], found["b"], count_people(found), count_people({"a": 2, "b": 1})
(2, 1, 2, 3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from PETWorks.errors import HierarchyError, NotAskableError, SourceError, show_value
from PETWorks.tables.counting.tally import IntArray, Value, sum_by_group
from PETWorks.tables.opening import OpenedTable, TableSource, open_source
from PETWorks.tables.source import ReadAgainError
from PETWorks.tables.text_form import text_form

Counts = Mapping[Value, int]


def count_values(source: TableSource, names: Sequence[str]) -> dict[str, Counts]:
    """Count the values of several columns, each by itself; rows are read once."""
    while True:
        found = {name: Counter[Value]() for name in names}
        try:
            for batch in source.batches(names):
                for name, column in zip(names, batch, strict=True):
                    sizes = np.bincount(column.codes, minlength=len(column.values)).tolist()
                    for value, size in zip(column.values, sizes, strict=True):
                        found[name][value] += size
        except ReadAgainError:
            continue
        except NotAskableError:  # the rows stay on a cluster
            return {name: read_counts(OpenedTable(None, source), name) for name in names}
        source.check_unchanged()
        return {name: sort_values(counts) for name, counts in found.items()}


def sort_values(counts: Counts) -> Counts:
    """Sort the values, as in a tally: by text, missing last."""
    values = sorted(counts, key=lambda value: (value is None, value or ""))
    return {value: counts[value] for value in values if counts[value]}


def read_counts(given: Any, name: str) -> Counts:  # noqa: ANN401
    """Return the distinct values of a column with their counts: from a table, from values, or from counts."""
    if isinstance(given, Mapping) and {*map(type, given.values())} <= {int}:
        return _count_texts(given, name)
    if isinstance(given, str | Mapping | OpenedTable) or hasattr(given, "__fspath__") or hasattr(given, "columns"):
        source = open_source(given, "table")
        source.require([name], "of which a hierarchy is built")
        tally = source.tally([name])
        column = tally.columns[name]
        return dict(zip([column.values[code] for code in column.codes.tolist()], tally.counts.tolist(), strict=True))
    if isinstance(given, Iterable):
        return _count_texts(Counter(given), name)
    hint = 'pass values, as in ["17", "18"], their counts as a dict, or a table with the column'
    raise HierarchyError(f"{show_value(given)} has no values", where=f'hierarchy of "{name}"', hint=hint)


def _count_texts(counts: Mapping[Any, int], name: str) -> Counts:
    """Return the counts by the text form of each value."""
    try:
        plain = {*map(type, counts)} == {str}
        texts = [text.strip() or None for text in counts] if plain else [text_form(value) for value in counts]
    except SourceError as error:
        raise error.convert(HierarchyError, where=f'hierarchy of "{name}"') from error
    if texts == [*counts]:
        return counts
    found = dict(zip(texts, counts.values(), strict=True))
    if len(found) < len(texts):  # some are the same as text
        found = dict.fromkeys(found, 0)
        for text, count in zip(texts, counts.values(), strict=True):
            found[text] += count
    return found


class PeopleByValue(dict[Value, int]):
    """The values of a column, with the number of people who have each, and the pairs of value and person."""

    def __init__(self, values: Sequence[Value], of_value: IntArray, of_person: IntArray) -> None:
        people = np.bincount(of_value, minlength=len(values)).tolist()
        super().__init__(zip(values, people, strict=True))
        self._of_value, self._of_person = of_value, of_person

    def count_by_group(self, groups: IntArray, many: int) -> IntArray:
        """Count the people of each group; `groups` has the group of each value, -1 for none."""
        group, persons = groups[self._of_value], int(self._of_person.max(initial=0)) + 1
        pairs = np.unique(group[group >= 0] * persons + self._of_person[group >= 0])  # each person once
        return np.bincount(pairs // persons, minlength=many).astype(np.int64)


def count_people(counts: Counts, values: Iterable[Value] | None = None) -> int:
    """Return how many people have one of some values, or any value; without a person column, counts are added."""
    chosen = {*counts} if values is None else {*values}
    if not isinstance(counts, PeopleByValue):
        return sum(count for value, count in counts.items() if value in chosen)
    return int(
        counts.count_by_group(np.array([0 if value in chosen else -1 for value in counts], dtype=np.int64), 1)[0]
    )


def count_people_by_group(counts: Counts, leaves: Sequence[Value], codes: IntArray, many: int) -> IntArray:
    """Return how many people have a value of each group; `codes` has the group of each leaf."""
    if not isinstance(counts, PeopleByValue):
        return sum_by_group(codes, np.array([counts.get(leaf, 0) for leaf in leaves], dtype=np.int64), many)
    group = dict(zip(leaves, codes.tolist(), strict=True))
    return counts.count_by_group(np.array([group.get(value, -1) for value in counts], dtype=np.int64), many)
