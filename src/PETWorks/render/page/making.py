"""The section on how a release was made: levels, suppressed rows, proof, and the front of alternative releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from math import ceil, floor
from string import ascii_uppercase
from typing import Any

from PETWorks.disclosure.report import EvaluationView
from PETWorks.evaluation.provenance import Alternative, Front, Provenance
from PETWorks.exact.limit import Limit
from PETWorks.measure.steps import Name, Step
from PETWorks.render.page.markup import (
    BilingualMarkup,
    BilingualText,
    fill_both,
    find_title,
    join_entries,
    join_sentences,
    say,
    write_figure,
    write_name,
)
from PETWorks.render.page.svg import draw_scatter, draw_steps, draw_strip
from PETWorks.render.page.utility import shade
from PETWorks.render.typography import format_percent
from PETWorks.render.words import LANGUAGES, words
from PETWorks.shown import Exact, show_exactly

HEIGHT = 260
FINE_RANGE = 0.5  # up to this range of scores, the drawing has a line for every tenth
RIGHT_MARGIN = 1.08  # to the right of the highest risk
MIN_TICK_GAP = 0.1  # minimum distance of numbers at an axis, as a share of its length


def build_front(front: Front, making: Provenance, least: int) -> dict[str, Any]:
    """Return the drawing, the rows of the table, and remarks on them."""
    points = letter_releases(front)
    remarks = [say("front_given")] if making.plan["levels"] else []
    if not front.complete:
        remarks.append(say("front_cut", nodes=Exact(front.nodes)))
    if front.left_out:
        remarks.append(say("front_left_out", number=Exact(front.left_out), least=Exact(least)))
    return {
        "rows": [_row(letter, one) for letter, one in points],
        "title": say("front_lost") if making.plan["utility"] == "loss" else write_figure(score_title(making)),
        "plot": _plot(points) if points else None,
        "reading": _describe_front(points, making),
        "remarks": join_sentences(remarks) if remarks else "",
        "order": say("front_order", columns=[Name(column) for column in making.levels]),
    }


def letter_releases(front: Front) -> list[tuple[str, Alternative]]:
    """Return the releases, the least risk first, each with a letter."""
    points = sorted(front.points, key=lambda one: (one.risk, one.suppressed))
    return list(zip(_letters(len(points)), points, strict=True))


def score_title(making: Provenance) -> BilingualText:
    """Return the title of the objective."""
    title = find_title(making.utility.measure)
    if not making.plan["weights"] or making.plan["recoding"] == "microaggregate":
        return title
    return BilingualText({one: words(one).page["making_weighted"].format(utility=title[one]) for one in LANGUAGES})


def _letters(many: int) -> Iterator[str]:
    """Yield A to Z, then A2, B2 …"""
    for number in range(many):
        turn, place = divmod(number, len(ascii_uppercase))
        yield ascii_uppercase[place] + (str(turn + 1) if turn else "")


def _row(letter: str, one: Alternative) -> dict[str, Any]:
    return {
        "letter": letter,
        "chosen": one.chosen,
        "limit": write_figure([Name(f"{name} {value}") for name, value in one.limits.items()]),
        "rate": format_percent(one.rate),
        "suppressed": one.suppressed,
        "risk": one.risk,
        "score": f"{one.score:.3f}",
        "levels": " ".join(map(str, one.levels.values())),
    }


def _plot(points: Sequence[tuple[str, Alternative]]) -> dict[str, Any]:
    """Draw every release: risk on the horizontal axis, the objective on the vertical."""
    most = max(float(one.risk) for _, one in points) * RIGHT_MARGIN
    scores = [one.score for _, one in points]
    tenths = 1 if max(scores) - min(scores) <= FINE_RANGE else 2  # from one line to the next
    low, high = floor(min(scores) * 10 / tenths), ceil(max(scores) * 10 / tenths)
    parts = max(high - low, 1)
    places = [
        (letter, float(one.risk) / most, (one.score * 10 / tenths - low) / parts, one.chosen) for letter, one in points
    ]
    return {
        "svg": draw_scatter([place[1:] for place in places], HEIGHT, parts),
        "labels": places,
        "x": [("0", 0.0), *((text, float(risk) / most) for text, risk in _ticks(points, most))],
        "y": [(f"{(low + part) * tenths / 10:.1f}", part / parts) for part in range(parts + 1)],
    }


def _ticks(points: Sequence[tuple[str, Alternative]], most: float) -> list[tuple[str, Fraction]]:
    """Return the risks to write at the axis, far enough apart; the highest is always there."""
    ticks: list[tuple[str, Fraction]] = []
    for risk in sorted({one.risk for _, one in points}, reverse=True):
        if not ticks or float(ticks[-1][1] - risk) / most > MIN_TICK_GAP < float(risk) / most:
            ticks.append((str(risk), risk))
    return ticks[::-1]


def _describe_front(points: Sequence[tuple[str, Alternative]], making: Provenance) -> BilingualMarkup:
    kind = "_lost" if making.plan["utility"] == "loss" else ""
    own = next(((letter, one) for letter, one in points if one.chosen), None)
    if own is None:
        return say(f"front_reading_other{kind}")
    figures: Mapping[str, Any] = {"letter": own[0], "risk": own[1].risk, "score": making.score}
    return say(f"front_reading{kind}", utility=score_title(making), **figures)


DIGITS = Decimal("0.0001")


def build_making_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return the content of the section; nothing if the release was not made by PETWorks."""
    if (making := view.evaluation.provenance) is None:
        return {"is_made": False, "front": _front(view)}
    original = next((one.name for one in view.record.inputs if one.role == "original"), "")
    return {
        "is_made": True,
        "sentences": join_sentences(_sentences(making, original)),
        "mixed": making.plan["recoding"] == "local",
        "treatments": [_treatment(step) for one in making.treatments for step in one.list_steps()],
        "columns": [_column(column, level, making) for column, level in making.levels.items()],
        "proof": join_sentences(_proof(making)),
        "sum": _sum(making),
        "front": _front(view),
    }


def _front(view: EvaluationView) -> dict[str, Any] | None:
    """Return the front; None if there is none."""
    return build_front(*view.front, view.disclosure.least) if view.front else None


def _sentences(making: Provenance, original: str) -> Iterator[BilingualMarkup]:
    """Return sentences on the recoding, the objective, and suppression."""
    plan = making.plan
    yield say(f"making_{plan['recoding']}", original=Name(original))
    if plan["parts"]:
        yield say("making_parts" if making.divided else "making_parts_not_needed")
    if bounds := making.shown_bounds:
        yield say("making_bounds", bounds=bounds)
    if given := plan["levels"]:
        yield say("making_given", levels=_levels(given))
    way = "" if not given else "fixed_" if len(given) < len(making.levels) else "given_"
    kind = "lost" if is_loss(making) else "kept"
    yield say(f"making_{way}{kind}", utility=score_title(making), **show_exactly({"score": making.score}))
    rate = Limit.of(plan["suppress_at_most"])
    if plan["recoding"] != "microaggregate":  # which suppresses nobody
        share = Fraction(making.suppressed, making.rows or 1)
        figures = {"rate": rate.exact, "suppressed": making.suppressed, "share": share}
        if making.people and plan["suppress"] == "people":
            everybody = making.people["people"]
            figures |= {"allowed": rate.count_within(everybody), "people": everybody}
        else:
            figures |= {"allowed": rate.count_within(making.rows), "rows": making.rows}
        allowed = "making_people_allowed" if "people" in figures else "making_allowed"
        yield say(allowed, **show_exactly(figures)) if rate.exact else say("making_none")
    if making.people:
        yield say("making_people", **making.people)
    if making.suppressed and plan["suppressed_rows"] == "remove":
        yield say("making_removed")
    if plan["order"] == "shuffled":
        yield say("making_shuffled")


def is_loss(making: Provenance) -> bool:
    """Return True if the objective is the loss, not a utility."""
    return bool(making.plan["utility"] == "loss")


def _column(column: str, level: int | Mapping[int, int] | None, making: Provenance) -> dict[str, Any]:
    height = making.heights[column]
    if isinstance(level, int):
        level_text = say("level_one", level=Exact(level), height=Exact(height))
        return {
            "name": write_name(column),
            "text": level_text,
            "strip": draw_steps(level, height),
            "gone": level == height,
        }
    rows, hidden = making.rows or 1, [("hatched", making.suppressed / (making.rows or 1))]
    if level is None:
        drawn_part = draw_strip([("track", 1 - hidden[0][1]), *hidden])
        return {"name": write_name(column), "text": say("levels_differ"), "strip": drawn_part, "gone": False}
    shares = [(one, many / rows) for one, many in sorted(level.items())]
    parts = [(f"level{shade(one, height)}", share) for one, share in shares]
    text = join_entries([say("making_rows_at", level=Exact(one), share=Exact(share)) for one, share in shares])
    return {"name": write_name(column), "text": text, "strip": draw_strip([*parts, *hidden]), "gone": False}


def _treatment(step: Step) -> BilingualMarkup:
    """Return what was done to a column."""
    return fill_both({one: words(one).making[step.kind] for one in LANGUAGES}, dict(step.figures))


def _proof(making: Provenance) -> Iterator[BilingualMarkup]:
    """Return the proof that the release is the best, or that there is none."""
    if making.better:
        yield _better(making)
    elif making.proof:
        within = "_within" if making.bounds else ""
        unproven = "given" if making.plan["levels"] else "stopped" if making.proof["open"] else "trimmed"
        yield say(f"proof_proven{within}" if making.proven else f"proof_{unproven}")
    elif making.polish_rounds is not None:
        yield say("proof_local", rounds=Exact(making.polish_rounds))
    else:
        yield say("proof_groups" if making.proven else "proof_groups_open")
    found = making.better and making.better.score == making.bound  # the best itself, which the sentence above names
    if making.bound is not None and not making.proven and not found:
        rounding = ROUND_FLOOR if is_loss(making) else ROUND_CEILING  # never tighter than it is
        bound = Decimal(making.bound).quantize(DIGITS, rounding)
        yield say(
            "proof_below" if is_loss(making) else "proof_above",
            bound=f"{bound}",
            **show_exactly({"score": making.score}),
        )


def _better(making: Provenance) -> BilingualMarkup:
    """Return which levels would lose less than those that the user fixed."""
    better = making.better
    if better is None or better.levels is None:
        return say("proof_better_untold")
    figures = show_exactly({"score": better.score, "suppressed": better.suppressed})
    kind = "proof_better_lost" if is_loss(making) else "proof_better"
    return say(
        kind,
        utility=score_title(making),
        levels=_levels(better.levels),
        **figures,
    )


def _levels(levels: Mapping[str, int]) -> list[Name]:
    return [Name(f"{name} {level}") for name, level in levels.items()]


def _sum(making: Provenance) -> BilingualMarkup | None:
    if (proof := making.proof) is None:
        return None
    key = "proof_allowed" if making.bounds else "proof_all"
    which = BilingualText({one: words(one).page[key] for one in LANGUAGES})
    return say("proof_sum_open" if proof["open"] else "proof_sum", **show_exactly(proof), which=which)
