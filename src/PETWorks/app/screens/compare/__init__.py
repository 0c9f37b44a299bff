"""Step 6: compare the pinned candidates, and choose the one to release.

The candidates are made and compared in the background. Each is cached by its inputs.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from PETWorks.anonymization.table import RawTable
from PETWorks.app.files import StepState
from PETWorks.app.forms import BadRequestError, form_of
from PETWorks.app.project.draft import Change, Draft, find_step
from PETWorks.app.responses import Say, language_of, make_say, render_fragments, render_page, wants_fragments
from PETWorks.app.screens.explore.pins import CandidateTitle, name_candidates
from PETWorks.app.screens.explore.state import LETTERS
from PETWorks.app.screens.requirements.view import original_key
from PETWorks.app.session import Session, Work, require_session
from PETWorks.disclosure.comparison import ColumnRow, ComparisonView
from PETWorks.disclosure.exhibits import ReportedValues
from PETWorks.errors import PETWorksError
from PETWorks.facts.notes import Cell, Name
from PETWorks.policy.policy import PinnedRelease, Policy, compare_pinned, make_pinned
from PETWorks.progress import report_part
from PETWorks.render.comparison.lines import ComparisonEntry, ComparisonLine, ComparisonWriter
from PETWorks.render.comparison.page import draw_mark
from PETWorks.render.page.markup import PAGE as MEDIUM
from PETWorks.render.page.svg import draw_bar, draw_strip
from PETWorks.render.page.utility import build_values_table, list_level_shares
from PETWorks.shown import THRESHOLD

MIN_PINS, MAX_PINS = 2, 4  # numbers of candidates that are compared
OWN_SETTINGS = ("recoding", "suppress_at_most")  # settings of a candidate besides its levels


@dataclass(frozen=True, eq=False)
class CompareResult:
    """The candidates and their comparison; `view` is None if fewer than two could be made."""

    candidates: tuple[PinnedRelease, ...]
    view: ComparisonView | None
    examples: Mapping[str, Sequence[str]]  # by column, a frequent label of each level; "" if none is frequent


def start_comparison(session: Session, *, small: bool = False) -> Work[CompareResult]:
    """Make and compare the candidates in the background."""
    pins, key = session.draft.pins[:MAX_PINS], _make_key(session)

    def work(progress: Work[CompareResult]) -> CompareResult:
        recipe = Policy(session.project.path, **session.memory, purpose="anonymize")
        found = []
        for number, (pinned, pin) in enumerate(zip(recipe.pinned, pins, strict=False)):
            progress.report(share=number / (len(pins) + 1))
            mine = ("candidate", key, json.dumps(pin, default=str))
            with report_part(len(pins) + 1, number):
                found.append(session.cache(mine, lambda pinned=pinned: make_pinned(recipe, pinned)))  # type: ignore[misc]
        progress.report(share=len(pins) / (len(pins) + 1))
        made = [one for one in found if one.made]
        view = compare_pinned(recipe, found).view(show_small_classes=small) if len(made) >= MIN_PINS else None
        return CompareResult(tuple(found), view, _find_examples(found))

    return session.run_in_background(("compared", key, json.dumps(pins, default=str), small), work)


def _find_examples(found: Sequence[PinnedRelease]) -> dict[str, Sequence[str]]:
    """Return the most frequent label of each level of each column; "" if fewer than five people have it."""
    made = next((one.made for one in found if one.made and one.made.plan.recoding != "microaggregate"), None)
    return {} if made is None else _list_labels(made.facts.combination_labels.table)


def _list_labels(table: RawTable) -> dict[str, Sequence[str]]:
    examples: dict[str, Sequence[str]] = {}
    for place, ladder in enumerate(table.ladders):
        by_level = [table.count_people_by_label(place, level) for level in range(ladder.height + 1)]
        most = [max(people, key=lambda code: (people[code], -code)) for people in by_level]
        examples[ladder.name] = [
            (ladder.labels[code] or "") if people[code] >= THRESHOLD else ""
            for code, people in zip(most, by_level, strict=True)
        ]
    return examples


def _make_key(session: Session) -> Hashable:
    """Return the cache key of candidates: the original, the requirements, and the rest of the plan."""
    making = {name: value for name, value in session.draft.making.items() if name not in ("pinned", "levels")}
    return (original_key(session), json.dumps([list(session.draft.requirements), making], default=str))


def is_chosen(draft: Draft, pin: Mapping[str, Any]) -> bool:
    """Return True if this candidate would be released."""
    levels, recoding = draft.making.get("levels", {}), draft.making.get("recoding", "global")
    return bool(levels == pin.get("levels", {}) and recoding == pin.get("recoding", "global"))


def with_chosen(draft: Draft, pin: Mapping[str, Any]) -> Draft:
    """Return a draft that releases a candidate; bounds that its levels violate are dropped."""
    levels: Mapping[str, int] = pin.get("levels", {})
    draft = draft.with_making("levels", dict(levels))
    for name in OWN_SETTINGS:
        if name in pin or name == "recoding":
            draft = draft.with_making(name, pin.get(name))
    for name, is_kept in (("coarsest", int.__le__), ("finest", int.__ge__)):
        bounds = draft.making.get(name, {})
        kept = {column: bound for column, bound in bounds.items() if is_kept(levels.get(column, bound), bound)}
        draft = draft.with_making(name, kept)
    return draft


MAX_UNFOLDED = 4  # columns whose values are shown unfolded


@dataclass(frozen=True)
class CandidateHead:
    """The column head of a candidate that could be made."""

    number: int  # among the pins, from 1
    letter: str
    mark: Markup
    label: Markup  # a smaller mark
    name: str
    title: Markup  # the best within a limit, local recoding, or its levels
    kind: Markup
    rows: int
    classes: int
    chosen: bool
    holds: bool | None


@dataclass(frozen=True)
class CandidateRefusal:
    """A candidate that cannot be made, with the problem."""

    number: int
    name: str
    problem: PETWorksError


class ScreenComparer(ComparisonWriter):
    """A comparer that describes levels by their effect: original, completely generalised, or an example label."""

    def __init__(self, view: ComparisonView, language: str, say: Say, examples: Mapping[str, Sequence[str]]) -> None:
        super().__init__(view, language, MEDIUM)
        self._fill, self._examples = say, examples

    def _levels(self, column: Any) -> str:  # noqa: ANN401
        if is_gone(column):
            return self.write_page_text("cmp_key_complete")
        levels, examples = [*(column.levels or ())], self._examples.get(column.column, ())
        if levels == [0]:
            return self.write_page_text("cmp_key_original")
        said, label = super()._levels(column), examples[levels[0]] if len(levels) == 1 and examples else ""
        example = self.write_text(self.word.comma) + self._fill("compare_as_in", label=Cell(label)) if label else ""
        return said + example


def is_gone(column: Any) -> bool:  # noqa: ANN401
    """Return True if every published cell of a column is completely generalised; False if levels are withheld."""
    return bool(column.height) and [*(column.levels or ())] == [column.height]


class CompareView:
    """The view of the candidates side by side."""

    def __init__(
        self, result: CompareResult, draft: Draft, language: str, say: Say, named: Mapping[str, CandidateTitle]
    ) -> None:
        self._result, self._say, self._named = result, say, named
        self.view = result.view
        numbered = list(enumerate(result.candidates, 1))
        self.refusals = [
            CandidateRefusal(number, one.pinned.name, one.problem) for number, one in numbered if one.problem
        ]
        self.heads: list[CandidateHead] = []
        self.groups: list[tuple[Markup, list[dict[str, Any]]]] = []
        self.columns: list[dict[str, Any]] = []
        self.status, self.headline, self.lead, self.withheld_note = (
            "waits",
            say("compare_h1_few"),
            say("compare_lead_few"),
            Markup(),
        )
        self.values: list[dict[str, Any]] = []
        if result.view is None:
            return
        comparer = ScreenComparer(result.view, language, say, result.examples)
        self._comparer, self._language = comparer, language
        self.heads = [
            self._make_head(number, one, draft)
            for (number, _), one in zip(
                [pair for pair in numbered if pair[1].made], result.view.candidates, strict=True
            )
        ]
        self.status, headline = comparer.write_headline()
        self.headline = Markup(headline)  # noqa: S704 (escaped by the medium, as all that follows)
        self.lead = Markup(comparer.word.gap.join(comparer.write_lead()))  # noqa: S704
        self.withheld_note = Markup(comparer.write_withheld())  # noqa: S704
        self.groups = [
            (Markup(head), [self._make_line(one) for one in lines])  # noqa: S704
            for head, lines in comparer.group_lines()
        ]
        costs = next((lines for head, lines in self.groups if head == self.page("cmp_costs")), [])
        costs.extend(self._list_proofs())
        self.columns = [self._make_column(row) for row in result.view.columns]
        self.values = [self._make_values(column, result.view) for column in result.view.values]

    @property
    def chosen(self) -> CandidateHead | None:
        """The candidate that would be released."""
        return next((one for one in self.heads if one.chosen), None)

    @property
    def unfolded(self) -> list[dict[str, Any]]:
        """The columns whose values are shown at once."""
        return self.values[:MAX_UNFOLDED]

    @property
    def folded(self) -> list[dict[str, Any]]:
        """The other columns."""
        return self.values[MAX_UNFOLDED:]

    @property
    def shares(self) -> bool:
        """True if shares of rows are shown."""
        return any(table["shares"] for column in self.values for table in column["tables"])

    def page(self, key: str, **figures: Any) -> Markup:  # noqa: ANN401
        """Fill a phrase of the page of a comparison, in the reader's language."""
        return Markup(self._comparer.write_page_text(key, **figures))  # noqa: S704

    def _list_proofs(self) -> Iterator[dict[str, Any]]:
        """Yield the line on whether each candidate is proven to be the best, if that is known of all."""
        found = [self._named.get(one.name) for one in self.heads]
        if not all(found):
            return
        entries = [{"text": one.proven, "verdict": "", "best": False, "drawn": ""} for one in found if one]
        differs = len({one["text"] for one in entries}) > 1
        yield {"label": self._say("compare_proven_best"), "remark": "", "differs": differs, "entries": entries}

    def _make_head(self, number: int, one: Any, draft: Draft) -> CandidateHead:  # noqa: ANN401
        pin = draft.pins[number - 1]
        kind = self._say(f"compare_{pin.get('recoding', 'global')}")
        return CandidateHead(
            number=number,
            letter=one.letter,
            mark=draw_mark(one.letter, 28),
            label=draw_mark(one.letter, 20),
            name=one.name,
            title=self._render_title(one.name, pin),
            kind=kind,
            rows=one.scope.rows,
            classes=one.scope.classes,
            chosen=is_chosen(draft, pin),
            holds=one.holds,
        )

    def _render_title(self, name: str, pin: Mapping[str, Any]) -> Markup:
        if name in self._named or name not in LETTERS:  # a name of its own, in a policy that was written by hand
            return self._named[name].title if name in self._named else self._say("compare_name", name=Name(name))
        if pin.get("recoding") == "local":
            return self._say("explore_pin_local")
        levels = " ".join(map(str, pin.get("levels", {}).values()))
        return self._say("explore_pin_levels", levels=levels) if levels else self._say("compare_name", name=name)

    def _make_line(self, line: ComparisonLine) -> dict[str, Any]:
        return {
            "label": Markup(line.label),  # noqa: S704
            "remark": Markup(line.remark),  # noqa: S704
            "differs": line.differs,
            "entries": [self._make_entry(one) for one in line.entries],
        }

    def _make_entry(self, one: ComparisonEntry) -> dict[str, Any]:
        drawn = Markup() if one.share is None else draw_bar(one.share, height=10)
        return {"text": Markup(one.text), "verdict": one.verdict, "best": one.best, "drawn": drawn}  # noqa: S704

    def _make_column(self, row: ColumnRow) -> dict[str, Any]:
        line = self._make_line(self._comparer.write_levels(row))
        for entry, levels in zip(line["entries"], row.levels, strict=True):
            entry["drawn"] = Markup() if levels is None else draw_strip(list_level_shares(levels), 14)
        return line

    def _make_values(self, column: Sequence[ReportedValues], view: ComparisonView) -> dict[str, Any]:
        tables, levels = [], {row.column: row.levels for row in view.columns}
        known = levels.get(column[0].column, [None] * len(column))
        for one, compared_release, may, level in zip(column, view.candidates, view.may.by_release, known, strict=True):
            scope = compared_release.scope
            table = build_values_table(one, (scope.rows - scope.suppressed) / scope.rows if scope.rows else 0)
            exact = may[one.column].shows_counts
            rows = [{**row, "value": Markup(row["value"].texts[self._language])} for row in table["rows"]]  # noqa: S704
            shares = exact and any(row["before"] is not None for row in table["rows"])
            table["level"] = None if level and is_gone(level) else table["level"]  # there is nothing to compare with
            tables.append({**table, "rows": rows, "shares": shares, "label": draw_mark(compared_release.letter, 20)})
        return {"name": Name(column[0].column), "tables": tables}


STEP, PAGE, HERE = find_step("compare"), "compare.html", "/compare"
PARTS = ("compared", "steps", "dock")


def describe_step(session: Session, say: Say) -> StepState:
    """Return the state of the step: the number of candidates."""
    pins = session.draft.pins
    done = any(is_chosen(session.draft, pin) for pin in pins)
    return StepState(done, say("compare_standing" if pins else "compare_standing_none", pins=len(pins)))


def show(request: Request) -> Response:
    """Show the candidates side by side."""
    session = require_session(request)
    known = _build_context(request, session)
    if wants_fragments(request):
        return render_fragments(request, PAGE, ["compared"], to=HERE, step=STEP, **known)
    return render_page(request, PAGE, step=STEP, **known)


def choose(request: Request) -> Response:
    """Choose the candidate that is to be released."""
    session, form = require_session(request), form_of(request)
    pin = _find_pin(request, session)
    session.apply(form, Change("compare_choose", name=str(pin.get("name", ""))), with_chosen(session.draft, pin))
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, session))


def remove(request: Request) -> Response:
    """Remove a candidate from the comparison."""
    session, form = require_session(request), form_of(request)
    name = str(_find_pin(request, session).get("name", ""))
    session.apply(form, Change("compare_remove", name=name), session.draft.without_pin(name))
    return render_fragments(request, PAGE, PARTS, to=HERE, step=STEP, **_build_context(request, session))


def _find_pin(request: Request, session: Session) -> Any:  # noqa: ANN401
    place = int(request.path_params["number"]) - 1
    if not 0 <= place < len(session.draft.pins):
        raise BadRequestError("there is no such candidate")
    return session.draft.pins[place]


def _build_context(request: Request, session: Session) -> dict[str, Any]:
    """Return the variables of the page: too few candidates, running work, a problem, or the comparison."""
    known: dict[str, Any] = {"sheets": ("compare",), "view": None, "work": None, "problem": None}
    if len(session.draft.pins) < MIN_PINS:
        return known
    language = language_of(request)
    say = make_say(language)
    try:
        work = start_comparison(session, small=request.app.state.running.shows_small(request))
        if not work.wait(0.2):
            return known | {"work": work}
        if work.problem:
            return known | {"problem": work.problem}
        return known | {"view": CompareView(work.value, session.draft, language, say, name_candidates(session, say))}
    except PETWorksError as error:
        return known | {"problem": error}


ROUTES = [
    Route(HERE, show),
    Route(f"{HERE}/{{number:int}}/choose", choose, methods=["POST"]),
    Route(f"{HERE}/{{number:int}}/remove", remove, methods=["POST"]),
]
