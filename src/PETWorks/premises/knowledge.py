"""The people whom an adversary finds by known columns: those in groups of fewer than five.

A column is known as released, or coarser: its values are then replaced by their ancestors at a level of the hierarchy.
Knowledge finer than the released values does not help, since the file does not have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from PETWorks.errors import ParameterError, UnknownNameError, did_you_mean
from PETWorks.premises.adversary import Adversary
from PETWorks.premises.people_of_rows import group_columns
from PETWorks.premises.tables import CheckedTables
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import Coded, Mask, Value, recode


class FoundPeople(NamedTuple):
    """The people whom an adversary finds."""

    found: int  # people whom fewer than five fit
    certain: int  # people whom nobody else fits
    people: int
    rows: Mask  # of those who are found


def find_people(tables: CheckedTables, adversary: Adversary) -> FoundPeople:
    """Return the people whom an adversary finds, from the group of each row."""
    return find_by_columns(tables, adversary.knows, all_rows=adversary.rows == "all")


def find_by_columns(tables: CheckedTables, knows: Mapping[str, int | str], *, all_rows: bool = False) -> FoundPeople:
    """Return the people found by somebody who knows columns at levels, of one row of each person or `all_rows`."""
    columns = [generalise_column(tables, name, level) for name, level in knows.items()]
    ids, many = group_columns(columns, tables.released.rows)
    people = tables.people
    if all_rows and people.of_row is not None:
        ids = people.find_histories(ids)
        many = int(ids.max(initial=-1)) + 1
    few, lone = people.find_fewer(ids, many, THRESHOLD - 1), people.find_fewer(ids, many, 1)
    return FoundPeople(few.people, lone.people, people.people, few.rows)


def generalise_column(tables: CheckedTables, name: str, level: int | str) -> Coded:
    """Return a released column with each value that is finer than a level replaced by its ancestor at that level."""
    if name not in tables.published:
        raise UnknownNameError(f'there is no published column "{name}"', hint=did_you_mean(name, tables.published))
    column = tables.released[name]
    if level == 0:
        return column
    tree = tables.facts.hierarchies.get(name)
    if tree is None:
        hint = "give it one, or let the adversary know the column as it is released"
        raise ParameterError(f'"{name}" is known by a level, but has no hierarchy', hint=hint)
    target = _read_level(name, level, tree.height)

    def ancestor(value: Value) -> Value:
        lowest = tree.lowest.get(value, tree.height)
        return value if value == tables.marker or lowest >= target else tree.lift(tree.under(value, lowest)[0], target)

    lexicon: dict[Value, int] = {}
    codes = recode(lexicon, [ancestor(value) for value in column.values])
    return Coded(codes[column.codes] if len(codes) else np.zeros(0, dtype=np.int64), list(lexicon))


def _read_level(name: str, level: int | str, height: int) -> int:
    """Return the number of a level; levels of hierarchies do not have names yet."""
    number = int(level) if str(level).isdecimal() else None
    if number is None or number > height:
        problem = f'the hierarchy of "{name}" has no level "{level}"'
        raise ParameterError(problem, hint=f"give its number, from 0 to {height}")
    return number
