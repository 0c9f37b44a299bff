"""The first sections of the page: the answer, the requirements (those that fail first), and the clauses of sources.

Also the page for readers who may not see the table: the answer, the requirements and the measured values, no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from markupsafe import Markup

from PETWorks.disclosure.report import EvaluationView, sort_by_verdict
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.requirement import Requirement
from PETWorks.facts.notes import Name, Scope
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.privacy.t_closeness import TCloseness
from PETWorks.measure.result import Result, ResultPart
from PETWorks.measure.risk.re_identification import ReidentificationRisk
from PETWorks.measure.utility.precision import Precision
from PETWorks.render.attack import write_tried
from PETWorks.render.blocks import group_by_source, write_clause_heads
from PETWorks.render.lines import HIGHER, WITHHELD, LineWriter, count_failing_people, count_verdicts, list_failing
from PETWorks.render.page.markup import (
    PAGE,
    BilingualMarkup,
    BilingualText,
    combine_languages,
    find_heading,
    find_term,
    find_title,
    join_sentences,
    join_texts,
    say,
    show_unprintable,
    write_figure,
    write_name,
    write_notes,
    write_openings,
    write_reason,
    write_warnings,
)
from PETWorks.render.page.svg import draw_bullet, draw_strip
from PETWorks.render.parts import (
    describe_table_parameters,
    find_fixed_part,
    is_attribute,
    list_few_suppressed_notes,
    list_notes_below,
    select_line_parts,
)
from PETWorks.render.parts import write_part_name as named
from PETWorks.render.premises import PremiseWriter, write_premise_lines
from PETWorks.render.typography import display_width, format_exact
from PETWorks.render.words import LANGUAGES, words
from PETWorks.shown import Exact, show_exactly

SCRIBES = [LineWriter(language, PAGE) for language in LANGUAGES]
CLAUSES = 2  # maximum number of requirements in the sentences on who fails
BANDS = ((1, 4), (5, 9), (10, 19), (20, 99), (100, None))


def build_answer_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return the headline, the sentences below it, and the people by class size."""
    status, text = write_headline(view.requirements, view.scope, len(view.results), view.evaluation)
    bands = list(_bands(view))
    return {
        "status": status,
        "headline": text,
        "lead": join_sentences(_lead(view, status)) if view.published or status == "fails" else "",
        "openings": write_openings(view.warnings),
        "warnings": [*write_warnings(view.warnings), *write_notes(list_few_suppressed_notes(Evaluation(view.results)))],
        "strip": draw_strip(((band["kind"], band["share"]) for band in bands), 34),
        "bands": bands,
        "by_band": "by_band" + "_rows" * _counts_rows(view),
    }


def write_counting(known: str) -> BilingualMarkup:
    """Write what is counted: each row as one person; or people, and what an adversary knows of them (`known`)."""
    return say(f"counted_{known}") if known else say("one_row")


def write_headline(
    requirements: Sequence[Requirement], scope: Scope, measures: int, evaluation: Evaluation
) -> tuple[str, BilingualMarkup]:
    """Return the overall verdict, and the sentence for it, on requirements and premises."""
    status, text = _write_headline(requirements, scope, measures)
    if not evaluation.judges_premises:
        return status, text
    answers = {one.language: PremiseWriter(one).write_answer(evaluation, text.texts[one.language]) for one in SCRIBES}
    if evaluation.premises_fail:
        status = "fails"
    elif status == "holds" and evaluation.premises.accepted:
        status = "accepted"
    return status, combine_languages(answers)


def _write_headline(requirements: Sequence[Requirement], scope: Scope, measures: int) -> tuple[str, BilingualMarkup]:
    counts = count_verdicts(requirements) | {"measures": measures}
    shown = show_exactly(counts)
    if scope.suppressed == scope.rows and not counts["fails"]:
        return "na", say("headline_suppressed", rows=Exact(scope.rows))
    if not requirements:
        return "na", say("headline_none", **shown)
    withheld = [say("headline_withheld", **shown)] if counts[WITHHELD] else []
    if counts["fails"]:
        kind = "headline_fails_one" if counts["fails"] == 1 else "headline_fails"
        return "fails", join_texts(say(kind + "_unasked" * bool(counts["unasked"]), **shown), *withheld)
    if counts["unasked"] or withheld:
        return "na", join_texts(say("headline_unasked" if counts["unasked"] else "headline_some", **shown), *withheld)
    return "holds", say("headline_holds_one" if len(requirements) == 1 else "headline_holds", **shown)


def _lead(view: EvaluationView, status: str) -> Iterator[BilingualMarkup]:
    """Yield sentences on what the verdict means for people, on suppressed rows, and on the detail that is left."""
    if not view.published:
        yield say("lead_nothing", rows=Exact(view.scope.rows))
    if status == "fails":
        yield from _write_failing(view)
    else:
        yield from _write_holding(view)
    suppressed = view.scope.suppressed
    if suppressed and status != "fails":
        yield say(
            "lead_price",
            suppressed=Exact(suppressed),
            rows=Exact(view.scope.rows),
            share=Exact(suppressed / view.scope.rows),
        )
    precision = view.find(Precision)
    if precision is not None and precision.value is not None and view.has_original:
        yield say("lead_detail", share=Exact(precision.value), value=Exact(precision.value))


def _write_failing(view: EvaluationView) -> Iterator[BilingualMarkup]:
    """Yield sentences on who fails: first for the requirement that most people fail, then for other kinds."""
    wrong = list_failing(view.evaluation)
    by_kind = {_kind(one): one for one in reversed(wrong) if count_failing_people(one)}
    shown = sorted(by_kind.values(), key=wrong.index)[:CLAUSES]
    for one in shown:
        yield _clause(one, view)
    rest = [one for one in wrong if one not in shown]
    if rest:
        title = find_title(rest[0].measure)
        kind = ("lead_also" if shown else "lead_other") + ("s" if len(rest) > 1 else "")
        yield say(
            kind,
            measure=_place_within_sentence(title) if shown else title,
            more=Exact(len(rest) - 1),
            count=Exact(len(rest)),
        )


def _kind(one: Requirement) -> str:
    """Return the key of the sentence on who fails: small classes, classes that reveal sensitive values, or others."""
    if isinstance(one.measure, KAnonymity):
        return "lead_small"
    parts = _failing_parts(one)
    return "lead_learn" if parts and all(map(is_attribute, parts.values())) else "lead_fails"


def _failing_parts(one: Requirement) -> dict[str, ResultPart]:
    parts = one.result.parts if one.result else {}
    return {name: part for name, part in parts.items() if part.holds is False}


def _clause(one: Requirement, view: EvaluationView) -> BilingualMarkup:
    assert one.result is not None  # noqa: S101
    rows = max(view.scope.everybody, one.result.judged_people)  # a population may have more people than the release
    figures = {
        "people": count_failing_people(one),
        "rows": rows,
        "share": count_failing_people(one) / rows,
    }
    kind = _kind(one) + ("_some" if _kind(one) == "lead_learn" and len(_failing_parts(one)) > 1 else "")
    return say(
        kind,
        **show_exactly(figures),
        limit=one.result.limit,
        columns=list(map(Name, _failing_parts(one))),
        measure=_place_within_sentence(find_title(one.measure)),
    )


def _place_within_sentence(title: BilingualText) -> BilingualText:
    """Return a title for the middle of a sentence; in Chinese, Latin letters get a space before them."""
    chinese = title["zh_TW"]
    return BilingualText(title | {"zh_TW": chinese if display_width(chinese[0]) > 1 else f" {chinese}"})


def _write_holding(view: EvaluationView) -> Iterator[BilingualMarkup]:
    size = min(view.sizes)
    close = view.find(TCloseness)
    if view.evaluation.doubts_people:
        kind = "lead_holds_rows" if view.scope.people is None else "lead_holds_persons"
        yield say(kind, size=Exact(size))
    elif close and close.holds and close.limit is not None:
        yield say("lead_holds_both", size=Exact(size), column=Name(close.figures["part"]), limit=close.limit)
    elif size > 1:  # a class of one needs no sentence
        yield say("lead_holds", size=Exact(size))


def _counts_rows(view: EvaluationView) -> bool:
    """Return True if rows are counted, and nobody could tell from the table that each is one person."""
    return view.evaluation.doubts_people and view.scope.people is None


def _bands(view: EvaluationView) -> Iterator[dict[str, Any]]:
    """Count people by the size of their class, and people whose rows are all suppressed."""
    rows = view.scope.everybody
    for number, (low, high) in enumerate(BANDS):
        people = sum(many for size, many in view.covered.items() if low <= size and (high is None or size <= high))
        kind = ("band" if high else "band_open") + "_rows" * _counts_rows(view)
        label = say(kind, low=Exact(low), **({"high": Exact(high)} if high else {}))
        yield {"kind": f"band{number}", "label": label, "people": people, "share": people / rows}
    suppressed = rows - sum(view.covered.values())  # people without other rows
    label = say("band_suppressed_all" if view.scope.people else "band_suppressed")
    yield {"kind": "hatched", "label": label, "people": suppressed, "share": suppressed / rows}


def build_premises_section(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return the premises in two groups: open, accepted or unchecked ones; and those that hold."""
    entries = []
    for lines in zip(*(write_premise_lines(evaluation, writer) for writer in SCRIBES), strict=True):
        found = zip(*(line.found for line in lines), strict=True)
        entries.append(
            {
                "status": lines[0].status,
                "verdict": _both([line.verdict for line in lines]),
                "title": _both([line.title for line in lines]),
                "found": [_both(texts) for texts in found],
                "why": _both([line.why for line in lines]) if lines[0].why else "",
            }
        )
    unused = zip(*(PremiseWriter(one).write_unused(evaluation.premises) for one in SCRIBES), strict=True)
    texts = {key: _both([one.say(f"premise_{key}") for one in SCRIBES]) for key in ("heading", "sub", "short")}
    holding = [one for one in entries if one["status"] == "holds"]
    tried = zip(*(write_tried(evaluation, one) for one in SCRIBES), strict=True)
    return {
        "told": [one for one in entries if one["status"] != "holds"],
        "holding": holding,
        "held": _both([one.say("premise_held", number=Exact(len(holding))) for one in SCRIBES]),
        "unused": [_both(each) for each in unused] if entries else [],
        "tried": [_both(each) for each in tried],
        "tried_heading": _both([one.say("attack_heading") for one in SCRIBES]),
        **texts,
    }


def build_requirements_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return an entry for each requirement."""
    return {"entries": [build_requirement_entry(one, view.anchors) for one in view.requirements]}


def build_requirement_entry(requirement: Requirement, anchors: Mapping[Result, str]) -> dict[str, Any]:
    """Return a requirement as an entry: its verdict, its values with their limits, and a link to its steps.

    `anchors` are the places of the steps on the page.
    """
    result, problem = requirement.result, requirement.problem
    entry: dict[str, Any] = {
        "title": write_requirement_title(requirement),
        "why": show_unprintable(requirement.why),
        "parts": [],
    }
    entry["warnings"] = write_warnings(result.notes if result else (), brief=True)
    if result is None:
        reason = "" if problem is None else write_reason(problem, requirement.measure)
        return entry | {"status": "na", "reason": reason, "anchor": ""}
    judged: dict[str, ResultPart] = {label: part for label, part in result.parts.items() if part.limit is not None}
    if not judged and result.limit is not None:
        judged = {"": result}
    parts = [_part(result, label, part) for label, part in judged.items()]
    status = "na" if not judged else "holds" if result.holds else "fails"
    if result.holds and result.scope.suppressed == result.scope.rows and result.value is None:
        status = "nothing"
    withheld: Markup | str = ""
    if result.verdict_withheld:
        status, withheld = WITHHELD, _both([writer.say("answer_withheld_why") for writer in SCRIBES])
    return entry | {"status": status, "reason": withheld, "anchor": anchors.get(result, ""), "parts": parts}


def write_requirement_title(requirement: Requirement) -> Markup:
    """Write the title of a measure, with the evaluated variant if all parts have the same."""
    result, measure = requirement.result, requirement.measure
    if result is None or (variant := _variant(result)) is None:
        return say("title", title=find_heading(measure))
    return say("title_variant", title=find_heading(measure), variant=find_term(measure, variant))


def _variant(result: Result) -> str | None:
    """Return the variant of a measure that was evaluated; None if there is none, or if attributes differ in it."""
    figure = result.measure.variant_figure
    variants = {part.figures[figure] for part in result.parts.values() if figure in part.figures}
    return None if len(variants) > 1 else result.figures.get(figure)


def _part(result: Result, label: str, part: ResultPart) -> dict[str, Any]:
    assert part.limit is not None  # noqa: S101
    low_is_bad = part.side in HIGHER
    return {
        "measured": _write_measured(result, label),
        "value": write_value(part),
        "limit": write_limit(part),
        "bullet": draw_bullet(part.value, float(part.limit), low_is_bad=low_is_bad, holds=part.holds),
        "holds": part.holds,
        "beside": _write_beside(result, part),
    }


def _write_measured(result: Result, label: str) -> Markup:
    """Write the name of the value: that of a fixed part, or the measure's own term, after the column name if any."""
    called = combine_languages({one: PAGE.text(result.measure.words[one].measured) for one in LANGUAGES})
    if find_fixed_part(result, label):
        return called if label == next(iter(result.parts)) and called else part_name(result, label)
    if not label:
        return called
    variant, column = result.parts[label].figures.get(result.measure.variant_figure), write_figure(Name(label))
    if variant is not None and _variant(result) is None:
        column = say("title_variant", title=Name(label), variant=find_term(result.measure, variant))
    return combine_languages({one: f"{column.texts[one]} · {called.texts[one]}" for one in LANGUAGES})


def part_name(result: Result, label: str) -> Markup:
    """Write the name of a part: translated for `fixed_parts`, else a column name; nothing for the whole result."""
    if find_fixed_part(result, label):
        return combine_languages({one: named(result, label, words(one, result.measure), PAGE) for one in LANGUAGES})
    return write_name(label) if label else Markup("")


def write_limit(part: ResultPart) -> Markup:
    """Write a limit with its side: at least 5."""
    return combine_languages({one: PAGE.text(words(one).sides[part.side].format(part.limit)) for one in LANGUAGES})


def write_value(part: ResultPart) -> Markup:
    """Write a value as a small fraction with its decimal, or with four digits; a dash if it is not defined."""
    if part.withheld:
        return write_figure(part.band) if part.band else say("withheld")
    if part.value is None:
        return Markup("–")
    texts = {one: format_exact(part.exact, part.value, words(one).brackets, part.limit) for one in LANGUAGES}
    return combine_languages({one: PAGE.text(text) for one, text in texts.items()})


def _write_beside(result: Result, part: ResultPart) -> Markup:
    """Return the text beside a value: who fails; without classes, the highest risk, tables, or the better direction."""
    if part.failing_classes:
        counts = {"classes": part.failing_classes, "all_classes": part.judged_classes, "people": part.failing_people}
        return say("failing", **show_exactly(counts))
    if part.judged_classes:
        return say("all_hold", all_classes=Exact(part.judged_classes)) if part.holds else write_figure("")
    if isinstance(result.measure, ReidentificationRisk) and (highest := result.parts["highest"].exact):
        return say("most_at_risk", size=Exact(int(1 / highest)))
    if describe_table_parameters(result.measure, "en"):
        return combine_languages(
            {one: write_figure(describe_table_parameters(result.measure, one)).texts[one] for one in LANGUAGES}
        )
    better = "higher" if part.side in HIGHER else "lower"
    return combine_languages({one: PAGE.text(getattr(words(one), better)) for one in LANGUAGES})


STATUS = {"unasked": "na"}  # verdicts that the page names differently


def build_clauses_section(view: EvaluationView) -> Mapping[str, Any]:
    """Return the sources of the view's evaluation."""
    return build_sources(view.evaluation)


def build_sources(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return the sources, each with a row for each of its clauses; none if no source is named."""
    sources = []
    for several in zip(*(group_by_source(evaluation, writer) for writer in SCRIBES), strict=True):
        rows = [
            {
                "clause": _both(one.clause for one in each),
                "text": _both(one.text for one in each),
                "status": STATUS.get(each[0].verdict, each[0].verdict),
            }
            for each in zip(*(source.clauses for source in several), strict=True)
        ]
        named = [source.name or writer.say("no_source") for source, writer in zip(several, SCRIBES, strict=True)]
        sources.append({"name": _both(named), "rows": rows})
    heads = [_both(texts) for texts in zip(*map(write_clause_heads, SCRIBES), strict=True)]
    return {"sources": sources, "heads": heads[1:]}


def _both(texts: Iterable[str]) -> BilingualMarkup:
    return combine_languages(dict(zip(LANGUAGES, texts, strict=True)))


def build_public_section(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return the figures of the public page."""
    scope = evaluation.all_results[0].scope
    status, text = write_headline(evaluation.requirements, scope, len(evaluation), evaluation)
    return {
        "status": status,
        "headline": text,
        "openings": write_openings(evaluation.warnings),
        "warnings": [*write_warnings(evaluation.warnings), *write_notes(list_notes_below(evaluation))],
        "file": write_name(scope.name),
        "counted": write_counting(scope.known),
        "scope": _both([writer.write_scope(scope) for writer in SCRIBES]),
        "title": show_unprintable(evaluation.title or scope.name),
        "policy": show_unprintable(evaluation.title),
        "entries": [build_requirement_entry(one, {}) for one in sort_by_verdict(evaluation.requirements)],
        "premises": build_premises_section(evaluation),
        "measured": [line for one in evaluation if not one.is_judged for line in _list_measured(one)],
        "heads": [_both([writer.say(key) for writer in SCRIBES]) for key in ("measure", "measured_head")],
        "clauses": build_sources(evaluation),
        "commitments": [
            {"label": _both([writer.write_file_kind(one) for writer in SCRIBES]), "file": one}
            for one in evaluation.commitments
        ],
        "version": version("petworks"),
    }


def _list_measured(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the values of a result without a limit, each with the better direction."""
    for (_, part), *lines in zip(
        select_line_parts(result), *(writer.write_result_lines(result) for writer in SCRIBES), strict=True
    ):
        yield {
            "name": _both([line.name for line in lines]),
            "value": _both([line.value for line in lines]),
            "better": _both([writer.write_direction(part) for writer in SCRIBES]),
            "warnings": write_warnings(result.notes, brief=True),
        }
