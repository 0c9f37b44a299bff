"""How a release was made, and its front, without figures that describe few people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PETWorks.disclosure.level import find_disclosure
from PETWorks.disclosure.results import disclose_result
from PETWorks.evaluation.provenance import Alternative, BetterLevels, Front, Provenance, SuppressedAmount, build_zero


def disclose_making(making: Provenance, least: int) -> Provenance:
    """Return it without facts, and without figures that describe classes of fewer than `least` people."""
    facts, levels = making.utility.facts, making.levels
    if facts is not None and not find_disclosure(facts, least).shows_counts:  # the cells on a level disclose values
        levels = {name: None if _is_mixed(level) else level for name, level in levels.items()}
    better = making.better and _disclose_better_levels(making.better, making.gone, least)
    return replace(
        making,
        utility=disclose_result(making.utility, least, explained=False),
        levels=levels,
        better=better,
        bound=None if better and better.score is None else making.bound,
        front=making.front and disclose_front(making.front, making.gone, least),
    )


def disclose_front(front: Front, gone: SuppressedAmount, least: int) -> Front:
    """Return the front of a release with suppression `gone`, without points that would disclose a few people.

    Withheld are points with classes of fewer than `least` people, and points that suppress up to `least` - 1 people
    more or less than another. Those that remain are figures only.
    """
    told, points = {build_zero(gone), gone}, list[Alternative]()
    for one in front.points:
        own = SuppressedAmount(one.suppressed, one.people)
        if one.chosen or (one.risk * least <= 1 and own.is_apart(told, least)):
            points.append(replace(one, made=None))
            told.add(own)
    return replace(front, points=tuple(points), left_out=front.left_out + len(front.points) - len(points))


def _disclose_better_levels(better: BetterLevels, gone: SuppressedAmount, least: int) -> BetterLevels:
    """Return it without figures if these, beside those of the release, would disclose a few people."""
    few = better.suppressed is None or better.risk is None or better.risk * least > 1
    if few or not SuppressedAmount(better.suppressed or 0, better.people).is_apart((build_zero(gone), gone), least):
        return BetterLevels(None, None, None, None)
    return better


def _is_mixed(level: Any) -> bool:  # noqa: ANN401
    return isinstance(level, Mapping) and sum(many > 0 for many in level.values()) > 1
