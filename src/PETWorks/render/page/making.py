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
from PETWorks.render.page.markup import Both, Said, joined, listed, name, say
from PETWorks.render.page.svg import steps, strip
from PETWorks.render.page.utility import shade
from PETWorks.render.words import LANGUAGES, words

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
        "sum": _sum(making),
        "front": drawn(view.front, making, view.discretion.least) if view.front and making.proof else None,
    }


def _sentences(making: Making, original: str) -> Iterator[Said]:
    """Write what was done, what was looked for, and what was suppressed."""
    plan = making.plan
    yield say(f"making_{plan['recoding']}", original=Name(original))
    if plan["parts"]:
        yield say("making_parts" if making.divided else "making_parts_not_needed")
    if bounds := making.told_bounds:
        yield say("making_bounds", bounds=bounds)
    if given := plan["levels"]:
        yield say("making_given", levels=_levels(given))
    way = "" if not given else "fixed_" if len(given) < len(making.levels) else "given_"
    kind = "lost" if is_loss(making) else "kept"
    yield say(f"making_{way}{kind}", utility=score_title(making), score=making.score)
    rate = Fraction(plan["suppress_at_most"])
    if plan["recoding"] != "microaggregate":  # which suppresses nobody
        share = Fraction(making.suppressed, making.rows or 1)
        told = {"rate": rate, "suppressed": making.suppressed, "share": share}
        if making.people and plan["suppress"] == "people":
            everybody = making.people["people"]
            told |= {"allowed": int(rate * everybody), "people": everybody}
        else:
            told |= {"allowed": int(rate * making.rows), "rows": making.rows}
        allowed = "making_people_allowed" if "people" in told else "making_allowed"
        yield say(allowed, **told) if rate else say("making_none")
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
    if making.better:
        yield _better(making)
    elif making.proof:
        within = "_within" if making.bounds else ""
        unproven = "given" if making.plan["levels"] else "stopped" if making.proof["open"] else "trimmed"
        yield say(f"proof_proven{within}" if making.proven else f"proof_{unproven}")
    elif making.polish_rounds is not None:
        yield say("proof_local", rounds=making.polish_rounds)
    else:
        yield say("proof_groups" if making.proven else "proof_groups_open")
    found = making.better and making.better.score == making.bound  # the best itself, which is told already
    if making.bound is not None and not making.proven and not found:
        rounding = ROUND_FLOOR if is_loss(making) else ROUND_CEILING  # never tighter than it is
        bound = Decimal(making.bound).quantize(DIGITS, rounding)
        yield say("proof_below" if is_loss(making) else "proof_above", bound=f"{bound}", score=making.score)


def _better(making: Making) -> Said:
    """Write that others keep more than the levels that were given, and which do."""
    better = making.better
    if better is None or better.levels is None:
        return say("proof_better_untold")
    told = {"utility": score_title(making), "score": better.score, "suppressed": better.suppressed}
    return say("proof_better_lost" if is_loss(making) else "proof_better", levels=_levels(better.levels), **told)


def _levels(levels: Mapping[str, int]) -> list[Name]:
    return [Name(f"{name} {level}") for name, level in levels.items()]


def _sum(making: Making) -> Said | None:
    if (proof := making.proof) is None:
        return None
    key = "proof_allowed" if making.bounds else "proof_all"
    which = Both({one: words(one).page[key] for one in LANGUAGES})
    return say("proof_sum_open" if proof["open"] else "proof_sum", **proof, which=which)
