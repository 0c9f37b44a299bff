"""How many people columns single out, as figures with words and the lengths of bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from PETWorks.app.answering import Say
from PETWorks.facts.roles import Role
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.inspection.uniqueness import SingledOut

BANDS = ((1, 4), (5, 9), (10, 19), (20, 99), (100, None))  # of class sizes


class Bar(NamedTuple):
    """How many people a column singles out: a figure, what it means, and how long its bar is."""

    figure: Markup
    meaning: Markup
    length: float  # percent of the longest
    solid: bool = False  # True: they are singled out now; False: they would be


class Band(NamedTuple):
    """People by the size of their class."""

    label: Markup
    people: int
    start: float  # percent of all people
    share: float


def bar_of_values(column: InspectedColumn, role: Role | None, rows: int, say: Say) -> Bar:
    """Return the bar of a column that is not counted with others: how many people its values alone single out."""
    left_out = role is Role.IDENTIFIER or (role is None and column.role is Role.IDENTIFIER)
    figure = say("columns_everyone") if column.few == rows else number(column.few)
    meaning = say("columns_apart_left_out" if left_out else "columns_apart_released")
    return Bar(figure, meaning, 100 * column.few / rows)


def bar_with_others(name: str, role: Role | None, singled: SingledOut, say: Say, *, alone: bool) -> Bar:
    """Return the bar of a column: people who are in small classes because of it, or would be if it were known.

    With `alone`, there is no quasi-identifier yet.
    """
    adds = singled.adds[name]
    length = 100 * adds / max(*singled.adds.values(), 1)
    if role is Role.QUASI_IDENTIFIER:
        return Bar(number(adds), say("columns_fewer"), length, solid=True)
    if alone:
        return Bar(number(adds), say("columns_by_itself"), length)
    return Bar(Markup("+") + number(adds), say("columns_more"), length)


def bands(singled: SingledOut, say: Say) -> Iterator[Band]:
    """Yield all people, by the size of their class."""
    rows, start = singled.people(1), 0
    for low, high in BANDS:
        people = singled.people(low, high)
        label = say("columns_band", low=low, high=high) if high else say("columns_band_last", low=low)
        yield Band(label, people, 100 * start / rows, 100 * people / rows)
        start += people


def number(people: int) -> Markup:
    """Write a number of people."""
    return Markup(f"{people:,}")  # noqa: S704 (a number)
