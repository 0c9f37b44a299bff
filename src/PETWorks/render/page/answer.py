"""The section with the answer: whether the requirements hold, in one sentence, and people by class size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from PETWorks.answer.evaluation import Requirement
from PETWorks.answer.view import View
from PETWorks.explain.step import Name
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.privacy.t_closeness import TCloseness
from PETWorks.render.page.markup import Said, joined, say, title_of
from PETWorks.render.page.svg import strip
from PETWorks.utility.precision import Precision

BANDS = ((1, 4), (5, 9), (10, 19), (20, 99), (100, None))


def section(view: View) -> Mapping[str, Any]:
    """Return the headline, the sentences below it, and people by the size of their class."""
    verdicts = [requirement.holds for requirement in view.requirements]
    counts = {"all": len(verdicts), "fails": verdicts.count(False), "holds": verdicts.count(True)}
    counts |= {"unasked": verdicts.count(None), "measures": len(view.results)}
    if not view.published:
        status, headline = "na", say("headline_suppressed", rows=view.scope.rows)
    elif not verdicts:
        status, headline = "na", say("headline_none", **counts)
    elif counts["fails"]:
        kind = "headline_fails_one" if counts["fails"] == 1 else "headline_fails"
        status, headline = "fails", say("headline_fails_unasked" if counts["unasked"] else kind, **counts)
    elif counts["unasked"]:
        status, headline = "na", say("headline_unasked", **counts)
    else:
        one = len(verdicts) == 1
        status, headline = "holds", say("headline_holds_one" if one else "headline_holds", **counts)
    bands = list(_bands(view))
    return {
        "status": status,
        "headline": headline,
        "lead": joined(_lead(view, status)) if view.published else "",
        "strip": strip(((band["kind"], band["share"]) for band in bands), 34),
        "bands": bands,
    }


def _lead(view: View, status: str) -> Iterator[Said]:
    """Yield sentences on what the verdict means for people, on suppressed rows, and on the detail that is left."""
    failing = [one for one in view.requirements if one.holds is False]
    if status == "fails":
        yield from _failing(view, failing)
    else:
        yield from _holding(view)
    suppressed = view.scope.suppressed
    if suppressed and status != "fails":
        yield say("lead_price", suppressed=suppressed, rows=view.scope.rows, share=suppressed / view.scope.rows)
    precision = view.find(Precision)
    if precision is not None and precision.value is not None and view.has_original:
        yield say("lead_detail", share=precision.value, value=precision.value)


def _failing(view: View, failing: list[Requirement]) -> Iterator[Said]:
    small = next((one.result for one in failing if isinstance(one.measure, KAnonymity)), None)
    learn = next((one.result for one in failing if _about_values(one)), None)
    if small:
        share = small.failing_rows / view.scope.rows
        yield say("lead_small", people=small.failing_rows, rows=view.scope.rows, share=share, limit=small.limit)
    if learn:
        part = learn.figures["part"]
        people = learn.parts[part].failing_rows if part in learn.parts else learn.failing_rows
        yield say("lead_learn", people=people, share=people / view.scope.rows, column=Name(part))
    rest = [one for one in failing if one.result not in (small, learn)]
    if rest:
        kind = "lead_others" if len(rest) > 1 else "lead_other"
        yield say(kind, measure=title_of(rest[0].measure), more=len(rest) - 1, count=len(rest))


def _about_values(one: Requirement) -> bool:
    """Return True if a requirement is about what a class reveals of a sensitive attribute."""
    return one.measure.family == "privacy" and one.result is not None and "part" in one.result.figures


def _holding(view: View) -> Iterator[Said]:
    size = min(view.sizes)
    close = view.find(TCloseness)
    if close and close.holds and close.limit is not None:
        yield say("lead_holds_both", size=size, column=Name(close.figures["part"]), limit=close.limit)
    else:
        yield say("lead_holds", size=size)


def _bands(view: View) -> Iterator[dict[str, Any]]:
    """Count people by how many share their class, and those whose rows are suppressed."""
    rows = view.scope.rows
    for number, (low, high) in enumerate(BANDS):
        people = sum(size * many for size, many in view.sizes.items() if low <= size and (high is None or size <= high))
        label = say("band", low=low, high=high) if high else say("band_open", low=low)
        yield {"kind": f"band{number}", "label": label, "people": people, "share": people / rows}
    suppressed = view.scope.suppressed
    yield {"kind": "hatched", "label": say("band_suppressed"), "people": suppressed, "share": suppressed / rows}
