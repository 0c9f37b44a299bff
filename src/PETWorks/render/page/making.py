"""The section on how a release was made: levels, suppressed rows, proof, and what else could be had."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Any

from PETWorks.answer.making import Making
from PETWorks.answer.view import View
from PETWorks.explain.step import Name
from PETWorks.render.page.front import drawn, score_title
from PETWorks.render.page.markup import Said, joined, listed, name, say
from PETWorks.render.page.svg import steps, strip
from PETWorks.render.page.utility import shade

DIGITS = Decimal("0.0001")


def section(view: View) -> Mapping[str, Any]:
    """Return what the section shows; nothing if the release was not made by PETWorks."""
    if (making := view.evaluation.making) is None:
        return {"told": False}
    original = next((one.name for one in view.record.inputs if one.role == "original"), "")
    return {
        "told": True,
        "sentences": joined(_sentences(making, original)),
        "mixed": making.plan["recoding"] == "local",
        "columns": [_column(column, level, making) for column, level in making.levels.items()],
        "proof": joined(_proof(making)),
        "sum": _sum(making.proof),
        "front": drawn(view.front, making, view.discretion.least) if view.front and making.proof else None,
    }


def _sentences(making: Making, original: str) -> Iterator[Said]:
    """Write what was done, what was looked for, and what was suppressed."""
    plan = making.plan
    yield say(f"making_{plan['recoding']}", original=Name(original))
    if plan["parts"]:
        yield say("making_parts" if making.divided else "making_parts_not_needed")
    yield say("making_lost" if is_loss(making) else "making_kept", utility=score_title(making), score=making.score)
    rate = Fraction(plan["suppress_at_most"])
    if plan["recoding"] != "microaggregate":  # which suppresses nobody
        share = Fraction(making.suppressed, making.rows or 1)
        told = {"rate": rate, "suppressed": making.suppressed, "share": share}
        if making.people and plan["suppress"] == "people":
            everybody = making.people["people"]
            told |= {"allowed": int(rate * everybody), "people": everybody}
        else:
            told |= {"allowed": int(rate * making.rows), "rows": making.rows}
        kind = "making_people_allowed" if "people" in told else "making_allowed"
        yield say(kind, **told) if rate else say("making_none")
    if making.people:
        yield say("making_people", **making.people)
    if making.suppressed and plan["suppressed_rows"] == "remove":
        yield say("making_removed")
    if plan["order"] == "shuffled":
        yield say("making_shuffled")


def is_loss(making: Making) -> bool:
    """Return True if the loss was looked for, not a utility."""
    return bool(making.plan["utility"] == "loss")


def _column(column: str, level: int | Mapping[int, int] | None, making: Making) -> dict[str, Any]:
    height = making.heights[column]
    if isinstance(level, int):
        told = say("level_one", level=level, height=height)
        return {"name": name(column), "text": told, "strip": steps(level, height), "gone": level == height}
    rows, hidden = making.rows or 1, [("hatched", making.suppressed / (making.rows or 1))]
    if level is None:
        drawn_part = strip([("track", 1 - hidden[0][1]), *hidden])
        return {"name": name(column), "text": say("levels_differ"), "strip": drawn_part, "gone": False}
    shares = [(one, many / rows) for one, many in sorted(level.items())]
    parts = [(f"level{shade(one, height)}", share) for one, share in shares]
    text = listed([say("making_rows_at", level=one, share=share) for one, share in shares])
    return {"name": name(column), "text": text, "strip": strip([*parts, *hidden]), "gone": False}


def _proof(making: Making) -> Iterator[Said]:
    """Write how it is known to be the best, or that it is not."""
    if making.proof:
        yield say("proof_proven" if making.proven else "proof_stopped" if making.proof["open"] else "proof_trimmed")
    elif making.polish_rounds is not None:
        yield say("proof_local", rounds=making.polish_rounds)
    else:
        yield say("proof_groups" if making.proven else "proof_groups_open")
    if making.bound is not None and not making.proven:
        rounding = ROUND_FLOOR if is_loss(making) else ROUND_CEILING  # never tighter than it is
        bound = Decimal(making.bound).quantize(DIGITS, rounding)
        yield say("proof_below" if is_loss(making) else "proof_above", bound=f"{bound}", score=making.score)


def _sum(proof: Mapping[str, int] | None) -> Said | None:
    return None if proof is None else say("proof_sum_open" if proof["open"] else "proof_sum", **proof)
