"""The section on the columns that reveal most: of each size, the most identifying combination of columns."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from PETWorks.answer.view import View
from PETWorks.measure.result import Part
from PETWorks.render.page.markup import name
from PETWorks.render.page.svg import bar
from PETWorks.risk.attribute_risk import AttributeRisk

FOLDED = 60  # the most other combinations that are listed, folded


def section(view: View) -> Mapping[str, Any]:
    """Return the most revealing combination of each size; the others are folded."""
    result = view.find(AttributeRisk)
    if result is None or not view.published:
        return {"best": [], "rest": [], "more": 0, "compared": 0}
    sets = list(result.parts.values())
    by_size = {len(one.figures["columns"]): one for one in reversed(sets)}  # keeps the first, the most revealing
    best = [by_size[size] for size in sorted(by_size)]
    rest = [one for one in sets if by_size[len(one.figures["columns"])] is not one]
    return {
        "best": [_row(one, view.published) for one in best],
        "rest": [_row(one, view.published) for one in rest[:FOLDED]],
        "more": max(len(rest) - FOLDED, 0),
        "compared": len(sets),
        "withheld": any(one.withheld for one in sets),
    }


def _row(part: Part, rows: int) -> dict[str, Any]:
    names = [name(one) for one in part.figures["columns"]]
    if part.withheld:
        return {"names": names, "withheld": True}
    separation, share = part.figures["separation"], part.exact or Fraction(0)
    return {
        "names": names,
        "withheld": False,
        "combinations": part.figures.get("combinations", int(share * rows)),
        "distinction": float(share),
        "separation": None if separation is None else float(separation),
        "distinction_bar": bar(float(share), "d4", height=10),
        "separation_bar": bar(float(separation or 0), height=10),
    }
