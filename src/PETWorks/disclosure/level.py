"""What an output may show of a release with classes below the threshold.

If every class has enough people, and so have the suppressed rows, everything may be shown. Otherwise an output shows
how many, never where: what names no value stays exact, and a band of counts stands beside a value. No class is named
and nothing stands beside a value if a class could be inferred even so, if scores of levels could disclose how many
people have a value, or if people have several rows.
"""

from __future__ import annotations

from PETWorks.disclosure.audit import every_small_class_is_ambiguous
from PETWorks.errors import PETWorksError
from PETWorks.facts.columns import count_released_values
from PETWorks.facts.facts import Facts
from PETWorks.shown import Disclosure, DisclosureLevel


def find_disclosure(facts: Facts, least: int) -> Disclosure:
    """Return what may be shown of these facts, cached."""
    return facts.cache(("discretion", least), lambda: _find_disclosure(facts, least))


def find_disclosure_without_audit(facts: Facts, least: int) -> Disclosure:
    """Return what may be shown, without running the audit: if there are small classes, no counts beside values.

    It is for outputs that show no values and must be fast.
    """
    return facts.cache(
        ("discretion", least),
        lambda: Disclosure(least, _find_level_without_small_classes(facts, least) or DisclosureLevel.UNLABELLED),
    )


def _find_disclosure(facts: Facts, least: int) -> Disclosure:
    told = _find_level_without_small_classes(facts, least)
    if told is DisclosureLevel.EXACT:
        return Disclosure(least, told)
    mixed = _levels_differ(facts)
    return Disclosure(least, told or (DisclosureLevel.UNLABELLED if mixed else _audit(facts, least)), mixed)


def _audit(facts: Facts, least: int) -> DisclosureLevel:
    """Return what may be shown beside values if some class is small."""
    if not facts.fits_in_memory or facts.classes.members is not None:  # values count rows, classes people
        return DisclosureLevel.UNLABELLED
    if any(count_released_values(facts, column).has_few_of_a_kind(least) for column in facts.roles.quasi_identifiers):
        return DisclosureLevel.UNLABELLED
    return DisclosureLevel.BANDED if every_small_class_is_ambiguous(facts, least) else DisclosureLevel.UNLABELLED


def _levels_differ(facts: Facts) -> bool:
    """Return True if cells of a column are on different levels; False also if no score of levels can be computed."""
    try:
        return any(not cells.on_one_level for cells in facts.columns.cells_with_levels)
    except PETWorksError:
        return False


def _find_level_without_small_classes(facts: Facts, least: int) -> DisclosureLevel | None:
    """Return what may be shown if no class is small; None if one is."""
    if least <= 1:
        return DisclosureLevel.FULL
    crowds = [*facts.classes.histogram, *([facts.scope.suppressed_people] if facts.scope.suppressed else [])]
    return DisclosureLevel.EXACT if min(crowds, default=least) >= least else None
