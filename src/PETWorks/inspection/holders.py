"""How many people have each value of a column; rows without a person are one person's."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from PETWorks.counting.margins import Margin
from PETWorks.counting.memory import Workspace
from PETWorks.errors import TooLargeError
from PETWorks.hierarchies.counts import counts_of
from PETWorks.hierarchies.holders import Holders
from PETWorks.sources import Source


def by_people(source: Source, margins: Mapping[str, Margin], person: str, workspace: Workspace) -> Mapping[str, Margin]:
    """Return all columns, counted by people.

    Columns for which the memory did not suffice, beside the others, are counted again together, as long as that helps.
    """
    found, rest = dict[str, Margin](), [*margins]
    while counted := {name: one for name in rest if (one := _held(margins[name])) is not None}:
        found |= counted
        if not (rest := [name for name in rest if name not in found]):
            break
        margins = source.margins([*rest, person], workspace, person)
    found |= {name: _counted(of_people(source, name, person, workspace)) for name in rest}
    return {name: found[name] for name in source.columns}


def of_people(source: Source, name: str, person: str, workspace: Workspace) -> Holders:
    """Return the values of one column, with the people who have each.

    If there are too many pairs of value and person for the memory, all values count as one person's: none is shown.
    """
    try:
        pairs = source.tally([*dict.fromkeys((name, person))], workspace)
    except TooLargeError:
        values = [*counts_of(source, [name])[name]]
        return Holders(values, np.arange(len(values)), np.zeros(len(values), dtype=np.int64))
    column = pairs.columns[name]
    return Holders(list(column.values), column.codes, pairs.columns[person].codes)


def _counted(holders: Holders) -> Margin:
    return Margin([*holders], np.array([*holders.values()], dtype=np.int64))


def _held(margin: Margin) -> Margin | None:
    return None if margin.holders is None else Margin(margin.values, margin.holders)
