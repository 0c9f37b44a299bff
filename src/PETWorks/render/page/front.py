"""The front of risk and utility: releases that could be had, drawn beside a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from string import ascii_uppercase
from typing import Any

from PETWorks.answer.making import Alternative, Front, Making
from PETWorks.explain.step import Name
from PETWorks.render.numbers import percent
from PETWorks.render.page.markup import Both, Said, joined, markup_of, say, title_of
from PETWorks.render.page.svg import scatter
from PETWorks.render.words import LANGUAGES, words

HEIGHT = 260
FEW = 0.5  # up to this range of scores, there is a line for every tenth
ROOM = 1.08  # to the right of the highest risk
GAP = 0.1  # the least distance of numbers at an axis, as a share of it


def drawn(front: Front, making: Making, least: int) -> dict[str, Any]:
    """Return the drawing, the rows of the table, and what is to be said about them."""
    points = marked(front)
    remarks = [say("front_given")] if making.plan["levels"] else []
    if not front.complete:
        remarks.append(say("front_cut"))
    if front.left_out:
        remarks.append(say("front_left_out", number=front.left_out, least=least))
    return {
        "rows": [_row(letter, one) for letter, one in points],
        "title": say("front_lost") if making.plan["utility"] == "loss" else markup_of(score_title(making)),
        "plot": _plot(points) if points else None,
        "reading": _reading(points, making),
        "remarks": joined(remarks) if remarks else "",
        "order": say("front_order", columns=[Name(column) for column in making.levels]),
    }


def marked(front: Front) -> list[tuple[str, Alternative]]:
    """Return the releases, the least risk first, each with a letter."""
    points = sorted(front.points, key=lambda one: (one.risk, one.suppressed))
    return list(zip(_letters(len(points)), points, strict=True))


def score_title(making: Making) -> Both:
    """Return the name of what was looked for."""
    title = title_of(making.utility.measure)
    if not making.plan["weights"] or making.plan["recoding"] == "microaggregate":
        return title
    return Both({one: words(one).page["making_weighted"].format(utility=title[one]) for one in LANGUAGES})


def _letters(many: int) -> Iterator[str]:
    """Yield A to Z, then A2, B2 …"""
    for number in range(many):
        turn, place = divmod(number, len(ascii_uppercase))
        yield ascii_uppercase[place] + (str(turn + 1) if turn else "")


def _row(letter: str, one: Alternative) -> dict[str, Any]:
    return {
        "letter": letter,
        "chosen": one.chosen,
        "limit": markup_of([Name(f"{name} {value}") for name, value in one.limits.items()]),
        "rate": percent(one.rate),
        "suppressed": one.suppressed,
        "risk": one.risk,
        "score": f"{one.score:.3f}",
        "levels": " ".join(map(str, one.levels.values())),
    }


def _plot(points: Sequence[tuple[str, Alternative]]) -> dict[str, Any]:
    """Place every point: risk across, what was looked for up."""
    most = max(float(one.risk) for _, one in points) * ROOM
    scores = [one.score for _, one in points]
    tenths = 1 if max(scores) - min(scores) <= FEW else 2  # from one line to the next
    low, high = floor(min(scores) * 10 / tenths), ceil(max(scores) * 10 / tenths)
    parts = max(high - low, 1)
    places = [
        (letter, float(one.risk) / most, (one.score * 10 / tenths - low) / parts, one.chosen) for letter, one in points
    ]
    return {
        "svg": scatter([place[1:] for place in places], HEIGHT, parts),
        "labels": places,
        "x": [("0", 0.0), *((text, float(risk) / most) for text, risk in _ticks(points, most))],
        "y": [(f"{(low + part) * tenths / 10:.1f}", part / parts) for part in range(parts + 1)],
    }


def _ticks(points: Sequence[tuple[str, Alternative]], most: float) -> list[tuple[str, Fraction]]:
    """Return the risks that are written at the axis, with enough room between them, from the highest."""
    ticks: list[tuple[str, Fraction]] = []
    for risk in sorted({one.risk for _, one in points}, reverse=True):
        if not ticks or float(ticks[-1][1] - risk) / most > GAP < float(risk) / most:
            ticks.append((str(risk), risk))
    return ticks[::-1]


def _reading(points: Sequence[tuple[str, Alternative]], making: Making) -> Said:
    kind = "_lost" if making.plan["utility"] == "loss" else ""
    own = next(((letter, one) for letter, one in points if one.chosen), None)
    if own is None:
        return say(f"front_reading_other{kind}")
    figures: Mapping[str, Any] = {"letter": own[0], "risk": own[1].risk, "score": making.score}
    return say(f"front_reading{kind}", utility=score_title(making), **figures)
