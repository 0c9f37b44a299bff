"""The page that is signed: one sheet of A4 in black and white, in both languages, written beside the report.

What a policy leaves out is a line to write on. Where a requirement or a premise does not hold, there is nothing to
sign: the page then says why. Columns that the sheet has no room for are on an annex, which the sheet names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from math import ceil
from pathlib import Path
from typing import Any

from markupsafe import Markup

from PETWorks.disclosure.approval import UNPUBLISHED, Approval, ApprovedColumn, ApprovedFile, disclose_approval
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.facts.notes import Name, Reason
from PETWorks.facts.roles import Role
from PETWorks.presentation import Language
from PETWorks.render.fill import TAGS
from PETWorks.render.page import fill_page, read_template
from PETWorks.render.page.answer import SCRIBES, build_public_section
from PETWorks.render.page.markup import (
    BilingualMarkup,
    BilingualText,
    combine_languages,
    join_entries,
    say,
    show_unprintable,
    write_figure,
    write_name,
)
from PETWorks.render.premises import PremiseWriter, write_premise_lines
from PETWorks.render.typography import display_width
from PETWorks.render.words import LANGUAGES, words
from PETWorks.settings.sections import SignOff
from PETWorks.shown import CountBand, Exact

MOST_COLUMNS = 20  # on the sheet
SHEET_LINES = 43  # of tables and entries on the sheet, besides what is always there
BEFORE_ROC = 1911
DATES = ("from", "until", "review")
FIELDS = ("agency", "case", "purpose", "legal_basis", "recipient", "period")  # in the order of the sheet
HEAD, TAIL = 8, 6  # digits of a digest that are printed
MARKS = {"accepted": "◐", "unchecked": "○", "holds": "●", "fails": "✕"}
# the half-width characters that fit in a line of each cell
NAME_WIDTH, DONE_WIDTH, EXACT_WIDTH = 26, 72, 32
FIELD_WIDTH, REQUIREMENT_WIDTH, PREMISE_WIDTH, WHO_WIDTH, WHY_WIDTH = 40, 105, 38, 24, 62


def approval_page(evaluation: Evaluation, signoff: SignOff, report: Path, *, language: Language = "en") -> str:
    """Return the page for signing: a release that was measured, and the digest of its report on disk."""
    return write_approval(disclose_approval(evaluation, signoff, report), language=language)


def write_approval(approval: Approval, *, language: str = "en") -> str:
    """Write the page."""
    if approval.evaluation is not None and not approval.holds:
        shown = build_public_section(approval.evaluation)
        return fill_page("unsigned.html", language, "signoff_title", **shown)
    style = read_template("approval.css")
    return fill_page("approval.html", language, "signoff_title", style=style, **_build_sheet(approval))


@dataclass(frozen=True)
class SheetRow:
    """A row of a table on the sheet, and how many lines it takes."""

    cells: tuple[Markup, ...]
    lines: int
    mark: str = ""


def _build_sheet(approval: Approval) -> dict[str, Any]:
    """Return what the template shows."""
    fields = [(say(f"signoff_{key}"), _write_field(approval.signoff, key)) for key in FIELDS]
    shown = None if approval.evaluation is None else build_public_section(approval.evaluation)
    requirements = [] if shown is None else _list_requirements(shown)
    premises = [*_list_premises(approval), *_list_keys(approval)]
    taken = sum(map(_count_field_lines, fields)) // 2 + sum(row.lines for row in premises) + sum(
        _count_lines(text, REQUIREMENT_WIDTH) for text in requirements
    ) + len(approval.files)  # fmt: skip
    rows, annex = _divide(list(_list_columns(approval)), SHEET_LINES - taken - (2 if premises else 0))
    return {
        "title": show_unprintable(approval.name),
        "agency": approval.signoff.agency or "",
        "fields": fields,
        "dataset": _write_dataset(approval),
        "earlier": _write_earlier(approval),
        "mark": "" if shown is None else "◐" if any(row.mark in "◐○" for row in premises) else "●",
        "headline": _write_headline(shown),
        "requirements": requirements,
        "columns": rows,
        "annex": annex,
        "annex_rows": len(annex),
        "premises": premises,
        "results": [] if shown is None else list(_list_results(approval)),
        "files": [_write_file(one) for one in approval.files],
        "review": _write_review(approval.signoff),
        "counted": "" if shown is None else shown["counted"],
        "is_draft": approval.is_draft,
        "written_in": [(TAGS[one], words(one).page["signoff_written"]) for one in LANGUAGES],
        "written": approval.written and approval.written.isoformat(),
        "version": version("petworks"),
    }


def _write_headline(shown: Mapping[str, Any] | None) -> Markup:
    """Write the verdict; where that of one requirement is withheld from the public, of all of them together."""
    if shown is None:
        return say("signoff_draft_head")
    withheld = any(one["status"] != "holds" for one in shown["entries"])
    return say("signoff_all_hold") if withheld else Markup(shown["headline"])  # noqa: S704 (markup already)


def _write_field(signoff: SignOff, key: str) -> BilingualMarkup | None:
    """Return the entry of the policy; None if it has none, so that the page gets a line to write on."""
    given = signoff.values()
    if key == "period":
        if not given["from"] and not given["until"]:
            return None
        days = {name: write_day(given[name]) if given[name] else BilingualText(_blank()) for name in ("from", "until")}
        return say("signoff_days", first=days["from"], last=days["until"])
    return write_figure(Reason(given[key])) if given[key] else None


def _blank() -> dict[str, str]:
    return dict.fromkeys(LANGUAGES, "＿＿＿＿＿")


def write_day(day: str) -> BilingualText:
    """Write a day; in Chinese in the calendar of Taiwan, if that has its year."""
    found = date.fromisoformat(day)
    roc = found.year - BEFORE_ROC
    chinese = f"民國 {roc} 年 {found.month} 月 {found.day} 日" if roc > 0 else day
    return BilingualText({one: chinese if one == "zh_TW" else day for one in LANGUAGES})


def _write_review(signoff: SignOff) -> BilingualMarkup:
    days = {name: write_day(given) if given else BilingualText(_blank()) for name, given in signoff.values().items()
            if name in DATES}  # fmt: skip
    return say("signoff_review_days", review=days["review"], until=days["until"])


def _write_dataset(approval: Approval) -> BilingualMarkup:
    if approval.is_draft:
        return write_figure(Name(approval.name))
    return say("signoff_rows", file=Name(approval.name), rows=Exact(approval.rows))


def _write_earlier(approval: Approval) -> BilingualMarkup:
    """Write which earlier releases of the same people were measured with this one."""
    if approval.is_draft:
        return write_figure("–")
    return say("signoff_earlier_some", files=list(map(Name, approval.earlier))) if approval.earlier else say(
        "signoff_earlier_none"
    )  # fmt: skip


def _list_requirements(shown: Mapping[str, Any]) -> list[BilingualMarkup]:
    """Write each requirement in a line: its measure, the values and the limits."""
    written = []
    for one in shown["entries"]:
        told = one["status"] == "holds"  # else the verdict would say the value, or the value the verdict
        key = "signoff_measured" if told else "signoff_required"
        parts = [_combine(key, value=part["value"], limit=part["limit"]) for part in one["parts"]]
        measured = _join(parts) if parts else one["reason"]
        written.append(_combine("signoff_requirement", title=one["title"], parts=measured))
    return written


def _combine(key: str, **parts: Any) -> BilingualMarkup:  # noqa: ANN401
    """Fill a sentence with what is markup already."""
    texts = {one: words(one).page[key].format(**{name: _text(part, one) for name, part in parts.items()})
             for one in LANGUAGES}  # fmt: skip
    return combine_languages(texts)


def _text(part: Any, language: str) -> str:  # noqa: ANN401
    return str(part.texts[language]) if hasattr(part, "texts") else str(part)


def _join(parts: Sequence[BilingualMarkup]) -> BilingualMarkup:
    """Join what stands in one cell, with semicolons."""
    return combine_languages({one: words(one).page["semicolon"].join(_text(part, one) for part in parts)
                              for one in LANGUAGES})  # fmt: skip


def _list_columns(approval: Approval) -> Iterator[SheetRow]:
    """Yield a row for each column; with many columns, those of which nothing is published share one."""
    columns = list(approval.columns)
    if len(columns) > MOST_COLUMNS:
        for what in UNPUBLISHED:
            several = [one for one in columns if one.what == what]
            if len(several) > 1:
                columns = [one for one in columns if one.what != what]
                names = join_entries([write_figure(Name(one.name)) for one in several])
                yield _row((names, NAME_WIDTH), (say(f"signoff_{what}"), DONE_WIDTH), (write_figure("–"), EXACT_WIDTH))
    for one in columns:
        name = write_figure(Name(one.name))
        exact = write_figure("–") if _is_inexact(one) else say(_find_exact(one))
        yield _row((name, NAME_WIDTH), (_write_done(one), DONE_WIDTH), (exact, EXACT_WIDTH))


def _is_inexact(column: ApprovedColumn) -> bool:
    return not _find_exact(column)


def _find_exact(column: ApprovedColumn) -> str:
    """Return the key of what stays exact in a column; "" if nothing does."""
    given = column.treatment.settings if column.treatment else {}
    if column.what == "kept" or (column.what == "treated" and "as_it_is" in given):
        return "signoff_exact_values"
    if "pseudonym" in given:
        return "signoff_exact_pseudonym"
    if "shift" in given:
        return "signoff_exact_shift"
    if isinstance(given.get("mask"), Mapping):
        return "signoff_exact_mask"
    return ""


def _write_done(column: ApprovedColumn) -> BilingualMarkup:
    """Write what was done to a column."""
    parts = list(_write_treatment(column))
    if column.what in ("removed", "masked", "gone", "mixed", "means", "unknown", "open"):
        parts.append(say(f"signoff_{column.what}"))
    elif column.what == "level":
        figures = {"level": Exact(column.level or 0), "height": Exact(column.height or 0)}
        parts.append(say("signoff_level", **figures))
    elif column.what == "kept":
        parts.append(say("signoff_kept"))
    if column.one_value:
        parts.append(say("signoff_one_value"))
    if column.vanished:
        parts.append(say("signoff_vanished"))
    return _join(parts)


def _write_treatment(column: ApprovedColumn) -> Iterator[BilingualMarkup]:
    """Yield what a treatment does to the cells of a column."""
    treatment = column.treatment
    for word, given in treatment.settings.items() if treatment and column.what not in UNPUBLISHED else ():
        match word, given:
            case "mask", {"keep": keep}:
                yield say("signoff_mask", keep=Exact(keep))
            case "pseudonym", _:
                yield say("signoff_pseudonym")
            case "shift", {"within": within}:
                yield say("signoff_shift", days=Exact(int(str(within).split()[0])))
            case "round", step:
                yield say("signoff_round", step=Name(str(step)))
            case "top" | "bottom", bound:
                yield say(f"signoff_{word}", label=Name(str(bound)))
            case "as_it_is", reason:
                yield say("signoff_as_it_is", reason=Reason(str(reason)))


def _list_premises(approval: Approval) -> Iterator[SheetRow]:
    """Yield a row for each premise that was accepted or not checked, and one for all that were checked."""
    evaluation = approval.evaluation
    if evaluation is None or not evaluation.has_premises:
        return
    names = [[PremiseWriter(writer).write_name(one) for writer in SCRIBES] for one in evaluation.premises.all]
    known = {one.name: _both(texts) for one, texts in zip(evaluation.premises.all, names, strict=True)}
    held, rows = [], []
    for lines in zip(*(write_premise_lines(evaluation, writer) for writer in SCRIBES), strict=True):
        first = lines[0]
        if first.name == "adversaries" and not approval.names_adversaries:
            continue  # nobody was asked about
        if first.status == "holds":
            held.append(known[first.name])
            continue
        found = [_both(texts) for texts in zip(*(line.found for line in lines), strict=True)]
        if first.why:
            found.append(_both([line.why for line in lines]))
        cells = (_both([line.title for line in lines]), say(f"signoff_who_{first.status}"), _join(found))
        rows.append(_premise_row(MARKS[first.status], *cells))
    yield from rows
    if held:
        number = Exact(len(held))
        yield _premise_row(
            MARKS["holds"], say("signoff_held", number=number), say("signoff_who_holds"), join_entries(held)
        )


def _list_keys(approval: Approval) -> Iterator[SheetRow]:
    """Yield a row for each secret key: nothing in the table shows that the recipient does not have it."""
    keys: dict[tuple[str, str], list[Name]] = {}
    for one in approval.keys:
        given = one.settings.get("pseudonym") or one.settings["shift"]
        keys.setdefault((given.get("kept_by") or "", given.get("until") or ""), []).append(Name(one.column))
    for (keeper, until), columns in keys.items():
        kept = say("signoff_key_kept", by=Reason(keeper or "＿＿＿＿＿"))
        day = _write_key_day(until)
        title = say("signoff_key", columns=columns)
        yield _premise_row(MARKS["accepted"], title, kept, say("signoff_key_until", until=day))


def _write_key_day(until: str) -> BilingualText:
    try:
        return write_day(until)
    except ValueError:  # written in another way, or not at all
        return BilingualText(dict.fromkeys(LANGUAGES, until) if until else _blank())


def _premise_row(mark: str, title: Markup, who: Markup, why: Markup) -> SheetRow:
    row = _row((title, PREMISE_WIDTH), (who, WHO_WIDTH), (why, WHY_WIDTH))
    return SheetRow(row.cells, row.lines, mark)


def _list_results(approval: Approval) -> Iterator[tuple[BilingualMarkup, BilingualMarkup]]:
    """Yield what is left: the risk, what was suppressed, and the identifiers."""
    if isinstance(approval.smallest, int):
        size = approval.smallest
        yield say("signoff_risk"), say("signoff_guessed", size=Exact(size))
    unit = "people" if approval.counts_people else "rows"
    if approval.suppressed is None:
        yield say("signoff_suppressed"), say("signoff_suppressed_most")
    elif isinstance(approval.suppressed, CountBand):
        yield say("signoff_suppressed"), say(f"signoff_suppressed_few_{unit}", size=approval.suppressed)
    else:
        figures: dict[str, Any] = {"share": approval.suppressed, "rows": Exact(approval.rows)}
        key = f"signoff_suppressed_{unit}" if approval.suppressed else "signoff_suppressed_none"
        yield say("signoff_suppressed"), say(key, **figures)
    removed = [Name(one.name) for one in approval.columns if one.role is Role.IDENTIFIER and one.what in UNPUBLISHED]
    many = len(removed) > MOST_COLUMNS // 2
    yield (
        say("signoff_identifiers"),
        say("signoff_identifiers_many", number=Exact(len(removed))) if many
        else say("signoff_identifiers_gone", columns=removed) if removed else say("signoff_identifiers_none"),
    )  # fmt: skip


def _write_file(file: ApprovedFile) -> dict[str, Any]:
    digest = f"{file.method} {file.value[:HEAD]}…{file.value[-TAIL:]}" if file.value else ""
    whom = "hand_over" if file.is_published else "keep" if file.role == "policy" else "never"
    return {"name": write_name(file.name), "whom": say(f"signoff_{whom}"), "digest": digest}


def _row(*cells: tuple[Markup, int]) -> SheetRow:
    """Return a row of cells, each with the half-width characters that fit in one of its lines."""
    return SheetRow(tuple(text for text, _ in cells), max(_count_lines(text, width) for text, width in cells))


def _count_lines(text: Markup, width: int) -> int:
    """Return how many lines a text takes, in the language in which it is longer."""
    plain = [Markup(_text(text, one)).striptags() for one in LANGUAGES]  # noqa: S704 (to be counted)
    return max(1, *(ceil(display_width(one) / width) for one in plain))


def _count_field_lines(field: tuple[BilingualMarkup, BilingualMarkup | None]) -> int:
    return 1 if field[1] is None else _count_lines(field[1], FIELD_WIDTH)


def _divide(rows: Sequence[SheetRow], room: int) -> tuple[list[SheetRow], list[SheetRow]]:
    """Divide the rows into those that fit on the sheet and those of the annex, whose row takes a line, too."""
    if len(rows) <= MOST_COLUMNS and sum(row.lines for row in rows) <= room:
        return list(rows), []
    fitting, lines = 0, 1
    for row in rows[: MOST_COLUMNS - 1]:
        if (lines := lines + row.lines) > room:
            break
        fitting += 1
    return list(rows[:fitting]), list(rows[fitting:])


def _both(texts: Sequence[str]) -> BilingualMarkup:
    return combine_languages(dict(zip(LANGUAGES, texts, strict=True)))
