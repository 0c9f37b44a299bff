"""The distinct values of a column, with how many people have each: what hierarchies are built on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from PETWorks.counting.tally import Value
from PETWorks.errors import HierarchyError, NotAskableError, SourceError, shown
from PETWorks.sources import OpenedTable, Source, open_source
from PETWorks.sources.source import ReadAgainError
from PETWorks.sources.text_form import text_form

Counts = Mapping[Value, int]


def counts_of(source: Source, names: Sequence[str]) -> dict[str, Counts]:
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
            return {name: counted(OpenedTable(None, source), name) for name in names}
        source.check_unchanged()
        return {name: in_order(counts) for name, counts in found.items()}


def in_order(counts: Counts) -> Counts:
    """Sort the values, as in a tally: by text, missing last."""
    values = sorted(counts, key=lambda value: (value is None, value or ""))
    return {value: counts[value] for value in values if counts[value]}


def counted(given: Any, name: str) -> Counts:  # noqa: ANN401
    """Return the distinct values of a column with their counts: from a table, from values, or from counts."""
    if isinstance(given, Mapping) and {*map(type, given.values())} <= {int}:
        return _text(given, name)
    if isinstance(given, str | Mapping | OpenedTable) or hasattr(given, "__fspath__") or hasattr(given, "columns"):
        source = open_source(given, "table")
        source.require([name], "of which a hierarchy is built")
        tally = source.tally([name])
        column = tally.columns[name]
        return dict(zip([column.values[code] for code in column.codes.tolist()], tally.counts.tolist(), strict=True))
    if isinstance(given, Iterable):
        return _text(Counter(given), name)
    hint = 'pass values, as in ["17", "18"], their counts as a dict, or a table with the column'
    raise HierarchyError(f"{shown(given)} has no values", where=f'hierarchy of "{name}"', hint=hint)


def _text(counts: Mapping[Any, int], name: str) -> Counts:
    """Return the counts by the text form of each value."""
    try:
        plain = {*map(type, counts)} == {str}
        texts = [text.strip() or None for text in counts] if plain else [text_form(value) for value in counts]
    except SourceError as error:
        raise HierarchyError(error.problem, where=f'hierarchy of "{name}"', hint=error.hint) from error
    if texts == [*counts]:
        return counts
    found = dict(zip(texts, counts.values(), strict=True))
    if len(found) < len(texts):  # some are the same as text
        found = dict.fromkeys(found, 0)
        for text, count in zip(texts, counts.values(), strict=True):
            found[text] += count
    return found
