"""How much an output may tell of a release that has small classes.

Where every class has enough people, and so have the suppressed rows, everything may be told. Otherwise an output tells
how many, never where: what names no value stays exact, and beside a value stands a band of counts. If a class could be
worked out even so, if scores of levels could tell how many people have a value, or if people have several rows, no
class is named and nothing stands beside a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from PETWorks.errors import PETWorksError
from PETWorks.facts.alibi import all_have_alibis
from PETWorks.facts.released_values import released_values

if TYPE_CHECKING:
    from PETWorks.facts.facts import Facts


class Telling(StrEnum):
    """What may stand beside the values of a table."""

    EVERYTHING = "everything"  # the reader may see small classes
    EXACT = "exact"  # there are no small classes
    BANDS = "bands"  # bands beside values; larger classes may be named
    NO_LABELS = "no_labels"  # nothing beside values, and no class is named
    PUBLIC = "public"  # no value of a column at all, and no count of classes or people


@dataclass(frozen=True)
class Discretion:
    """What may be told, where classes of fewer than `least` people are small."""

    least: int = 1
    telling: Telling = Telling.EVERYTHING
    mixed: bool = False  # True: some class is small, and scores of levels would tell how many cells are on each

    @property
    def names(self) -> bool:
        """True if classes that are not small may be named."""
        return self.telling not in (Telling.NO_LABELS, Telling.PUBLIC)

    @property
    def counts(self) -> bool:
        """True if exact counts and shares may stand beside values."""
        return self.telling in (Telling.EVERYTHING, Telling.EXACT)


def discretion(facts: Facts, least: int) -> Discretion:
    """Find out how much may be told, once for these facts."""
    return facts.once(("discretion", least), lambda: _discretion(facts, least))


def name_nothing(facts: Facts, least: int) -> Discretion:
    """Settle that nothing is told beside values if there are small classes, without looking for alibis.

    For outputs that name no value anyway, and must be quick.
    """
    return facts.once(
        ("discretion", least), lambda: Discretion(least, _if_none_is_small(facts, least) or Telling.NO_LABELS)
    )


def _discretion(facts: Facts, least: int) -> Discretion:
    told = _if_none_is_small(facts, least)
    if told is Telling.EXACT:
        return Discretion(least, told)
    mixed = _levels_differ(facts)
    return Discretion(least, told or (Telling.NO_LABELS if mixed else _audited(facts, least)), mixed)


def _audited(facts: Facts, least: int) -> Telling:
    """Return what may be told beside values, where some class is small."""
    if not facts.fits or facts.classes.members is not None:  # rows stand beside values, people in classes: no alibis
        return Telling.NO_LABELS
    if any(released_values(facts, column).few_of_a_kind(least) for column in facts.roles.quasi_identifiers):
        return Telling.NO_LABELS
    return Telling.BANDS if all_have_alibis(facts, least) else Telling.NO_LABELS


def _levels_differ(facts: Facts) -> bool:
    """Return True if cells of a column are on different levels; False also if no score of levels can be evaluated."""
    try:
        return any(not cells.on_one_level for cells in facts.columns.cells_with_levels)
    except PETWorksError:
        return False


def _if_none_is_small(facts: Facts, least: int) -> Telling | None:
    """Return what may be told where no class is small; None if one is."""
    if least <= 1:
        return Telling.EVERYTHING
    crowds = [*facts.classes.histogram, *([facts.scope.suppressed_people] if facts.scope.suppressed else [])]
    return Telling.EXACT if min(crowds, default=least) >= least else None
