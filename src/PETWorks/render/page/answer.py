"""The section with the answer: whether the requirements hold, in one sentence, and people by class size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.requirement import Requirement
from PETWorks.answer.view import View
from PETWorks.explain.step import Name
from PETWorks.facts.notes import Scope
from PETWorks.measure.result import Part
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.privacy.t_closeness import TCloseness
from PETWorks.render.below import few_suppressed
from PETWorks.render.lines import failing, people_of
from PETWorks.render.page.markup import Both, Said, joined, noted, openings, say, title_of, warnings
from PETWorks.render.page.svg import strip
from PETWorks.render.parts import is_attribute
from PETWorks.render.wrapping import display_width
from PETWorks.utility.precision import Precision

CLAUSES = 2  # the most requirements that the sentences on who fails are about
BANDS = ((1, 4), (5, 9), (10, 19), (20, 99), (100, None))


def section(view: View) -> Mapping[str, Any]:
    """Return the headline, the sentences below it, and people by the size of their class."""
    status, said = headline(view.requirements, view.scope, len(view.results))
    bands = list(_bands(view))
    return {
        "status": status,
        "headline": said,
        "lead": joined(_lead(view, status)) if view.published or status == "fails" else "",
        "openings": openings(view.warnings),
        "warnings": [*warnings(view.warnings), *noted(few_suppressed(Evaluation(view.results)))],
        "strip": strip(((band["kind"], band["share"]) for band in bands), 34),
        "bands": bands,
    }


def counted(known: str) -> Said:
    """Write who is counted: each row as one person, or people, and what is `known` of them."""
    return say(f"counted_{known}") if known else say("one_row")


def headline(requirements: Sequence[Requirement], scope: Scope, measures: int) -> tuple[str, Said]:
    """Return the overall verdict, and a sentence that says it."""
    verdicts = [requirement.holds for requirement in requirements]
    counts = {"all": len(verdicts), "fails": verdicts.count(False), "holds": verdicts.count(True)}
    counts |= {"unasked": verdicts.count(None), "measures": measures}
    if scope.suppressed == scope.rows and not counts["fails"]:
        return "na", say("headline_suppressed", rows=scope.rows)
    if not verdicts:
        return "na", say("headline_none", **counts)
    if counts["fails"]:
        kind = "headline_fails_one" if counts["fails"] == 1 else "headline_fails"
        return "fails", say(kind + "_unasked" * bool(counts["unasked"]), **counts)
    if counts["unasked"]:
        return "na", say("headline_unasked", **counts)
    return "holds", say("headline_holds_one" if len(verdicts) == 1 else "headline_holds", **counts)


def _lead(view: View, status: str) -> Iterator[Said]:
    """Yield sentences on what the verdict means for people, on suppressed rows, and on the detail that is left."""
    if not view.published:
        yield say("lead_nothing", rows=view.scope.rows)
    if status == "fails":
        yield from _failing(view)
    else:
        yield from _holding(view)
    suppressed = view.scope.suppressed
    if suppressed and status != "fails":
        yield say("lead_price", suppressed=suppressed, rows=view.scope.rows, share=suppressed / view.scope.rows)
    precision = view.find(Precision)
    if precision is not None and precision.value is not None and view.has_original:
        yield say("lead_detail", share=precision.value, value=precision.value)


def _failing(view: View) -> Iterator[Said]:
    """Yield who fails: first the requirement that most people fail, then the next of another kind, then the others."""
    wrong = failing(view.evaluation)
    by_kind = {_kind(one): one for one in reversed(wrong) if people_of(one)}
    told = sorted(by_kind.values(), key=wrong.index)[:CLAUSES]
    for one in told:
        yield _clause(one, view)
    rest = [one for one in wrong if one not in told]
    if rest:
        title = title_of(rest[0].measure)
        kind = ("lead_also" if told else "lead_other") + ("s" if len(rest) > 1 else "")
        yield say(kind, measure=_within(title) if told else title, more=len(rest) - 1, count=len(rest))


def _kind(one: Requirement) -> str:
    """Return which sentence tells who fails: too small classes, or classes that reveal sensitive values, or neither."""
    if isinstance(one.measure, KAnonymity):
        return "lead_small"
    parts = _failing_parts(one)
    return "lead_learn" if parts and all(map(is_attribute, parts.values())) else "lead_fails"


def _failing_parts(one: Requirement) -> dict[str, Part]:
    parts = one.result.parts if one.result else {}
    return {name: part for name, part in parts.items() if part.holds is False}


def _clause(one: Requirement, view: View) -> Said:
    assert one.result is not None  # noqa: S101
    rows = max(view.scope.everybody, one.result.judged_people)  # more than the release has, if a population is judged
    figures = {"people": people_of(one), "rows": rows, "share": people_of(one) / rows, "limit": one.result.limit}
    kind = _kind(one) + ("_some" if _kind(one) == "lead_learn" and len(_failing_parts(one)) > 1 else "")
    return say(kind, **figures, columns=list(map(Name, _failing_parts(one))), measure=_within(title_of(one.measure)))


def _within(title: Both) -> Both:
    """Return a title for the middle of a sentence: in Chinese a space separates it from Han, if it begins in Latin."""
    chinese = title["zh_TW"]
    return Both(title | {"zh_TW": chinese if display_width(chinese[0]) > 1 else f" {chinese}"})


def _holding(view: View) -> Iterator[Said]:
    size = min(view.sizes)
    close = view.find(TCloseness)
    if close and close.holds and close.limit is not None:
        yield say("lead_holds_both", size=size, column=Name(close.figures["part"]), limit=close.limit)
    elif size > 1:  # else there is nothing to say
        yield say("lead_holds", size=size)


def _bands(view: View) -> Iterator[dict[str, Any]]:
    """Count people by how many share their class, and those whose rows are suppressed."""
    rows = view.scope.everybody
    for number, (low, high) in enumerate(BANDS):
        people = sum(many for size, many in view.hidden.items() if low <= size and (high is None or size <= high))
        label = say("band", low=low, high=high) if high else say("band_open", low=low)
        yield {"kind": f"band{number}", "label": label, "people": people, "share": people / rows}
    suppressed = rows - sum(view.hidden.values())  # who has no other rows
    label = say("band_suppressed_all" if view.scope.people else "band_suppressed")
    yield {"kind": "hatched", "label": label, "people": suppressed, "share": suppressed / rows}
