"""Which columns reveal most: of each size, the combination of columns that tells most people apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PETWorks.render.page.markup import name
from PETWorks.render.page.svg import bar
from PETWorks.render.page.view import View
from PETWorks.risk.attribute_risk import AttributeRisk

FOLDED = 60  # further combinations that are listed


def section(view: View) -> Mapping[str, Any]:
    """Give the most revealing combination of each size; the others are folded."""
    result = view.find(AttributeRisk)
    if result is None or not view.published:
        return {"best": [], "rest": [], "compared": 0}
    rows = [_row(label, part, view.published) for label, part in result.parts.items()]
    sizes = {row["size"]: row for row in reversed(rows)}  # those of one size stand with the most revealing first
    best = [sizes[size] for size in sorted(sizes)]
    rest = [row for row in rows if row not in best]
    return {"best": best, "rest": rest[:FOLDED], "more": max(len(rest) - FOLDED, 0), "compared": len(rows)}


def _row(label: str, part: Any, rows: int) -> dict[str, Any]:  # noqa: ANN401
    names = part.figures.get("columns") or label.split(" + ")
    separation = part.figures["separation"]
    return {
        "label": label,
        "size": len(names),
        "names": [name(one) for one in names],
        "combinations": int(part.exact * rows),
        "distinction": float(part.exact),
        "separation": None if separation is None else float(separation),
        "distinction_bar": bar(float(part.exact), "d4", height=10),
        "separation_bar": bar(float(separation or 0), height=10),
    }
