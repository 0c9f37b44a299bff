"""The view of step 4: the requirements, the templates, and the measures that can be added.

The original is evaluated by each requirement, and contradictions are searched for, in the background.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup

from PETWorks.anonymization.plan import PARAMETERS, read_search
from PETWorks.anonymization.treatments import treat_original
from PETWorks.app.project.draft import Draft
from PETWorks.app.responses import Say
from PETWorks.app.screens.requirements.requirement_form import (
    FieldBuilder,
    ParameterField,
    RejectedForm,
    build_measure,
    find_measure_class,
    has_explored,
    is_open,
    list_sensitive,
    read_parameters,
)
from PETWorks.app.session import Session, Work
from PETWorks.disclosure import choose_threshold
from PETWorks.disclosure.evaluation import disclose_evaluation
from PETWorks.errors import PETWorksError
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.release import Release
from PETWorks.evaluation.requirement import Requirement
from PETWorks.evaluation.run import find_obstacle
from PETWorks.facts.facts import Facts
from PETWorks.measure.base import Measure
from PETWorks.measure.losses import Utility
from PETWorks.measure.parameter import find_limits, find_parameters
from PETWorks.measure.registry import measures
from PETWorks.measure.steps import Name
from PETWorks.policy.policy import read_original
from PETWorks.policy.requirements import FILL_IN, WHOLE, Contradiction, find_contradictions, with_changes
from PETWorks.policy.templates import Template, templates
from PETWorks.render.fill import fill
from PETWorks.render.lines import LineWriter, ReportLine
from PETWorks.render.page.markup import PAGE
from PETWorks.render.typography import format_number
from PETWorks.render.words import words
from PETWorks.settings.treatments import Treatment
from PETWorks.tables.source import read_signature

ORIGINAL_SECTIONS = ("data", "roles", "hierarchies", "prepare", "derive", "treat")  # they define the original


def original_key(session: Session) -> Hashable:
    """Return the cache key of the original with roles and hierarchies: the policy and the files that it names."""
    said = json.dumps([session.draft.section(name) for name in ORIGINAL_SECTIONS], default=str)
    folder = session.folder / str(session.draft.data.get("hierarchies", "hierarchies"))
    files = tuple((one.name, read_signature(one)) for one in sorted(folder.glob("*.csv"))) if folder.is_dir() else ()
    return ("original", session.table_key, said, files)


def get_original(session: Session) -> Release:
    """Return the treated original as a release of itself; raise an error that lists open decisions."""
    return session.cache(("treated", original_key(session)), lambda: treat_original(*get_untreated(session)))


def get_untreated(session: Session) -> tuple[Release, dict[str, Treatment]]:
    """Return the original as a release of itself, and its treatments; raise an error that lists open decisions."""
    return session.cache(
        original_key(session), lambda: read_original(session.draft.content, session.folder, session.memory)
    )


def judge_original(session: Session, requested: Sequence[Measure], *, small: bool = False) -> Work[Evaluation]:
    """Evaluate the requirements on the original in the background, without figures of few people."""
    release, least = get_original(session), choose_threshold(small=small)

    def work(_: Work[Evaluation]) -> Evaluation:
        evaluation = release.check(*map(Requirement, requested))
        return disclose_evaluation(evaluation, least, explained=False)

    return session.run_in_background(("judged", original_key(session), tuple(requested), least), work)


def search_contradictions(session: Session, requested: Sequence[Measure]) -> Work[list[Contradiction]] | None:
    """Search for contradictions in the background; None if no requirement is on utility, or the plan is invalid."""
    if not any(isinstance(one, Utility) for one in requested):
        return None
    (release, treat), making = get_untreated(session), _read_bounds(session.draft)
    try:
        wanted = read_search(requested, treat=treat, **making)
    except PETWorksError:  # shown where it is decided
        return None
    key = ("contradictions", original_key(session), tuple(requested), json.dumps(making, default=str))
    running = session.cache(("contradicting",), list[Work[list[Contradiction]]])
    work = session.get_cached(("work", key))
    if not isinstance(work, Work) or work not in running:
        for one in running:  # for requirements that were changed since
            one.stop()
        if isinstance(work, Work) and work.state != "done":
            session.forget(("work", key))
    work = session.run_in_background(key, lambda progress: find_contradictions(release, wanted, progress.report))
    running[:] = [work]
    return work


def _read_bounds(draft: Draft) -> Mapping[str, Any]:
    """Return the bounds of a search: the rows it may suppress, and the levels it may use."""
    named = ("suppress_at_most", "coarsest", "finest")
    return {name: value for name, value in draft.making.items() if name in named and name in PARAMETERS}


FAMILIES = ("privacy", "risk", "utility")


@dataclass(frozen=True)
class TemplateTile:
    """A template."""

    name: str
    title: Markup
    about: str
    sets: tuple[tuple[str, str], ...]  # titles of measures with their limits; "" if open
    sources: tuple[str, ...]
    used: bool


@dataclass(frozen=True)
class MeasureOffer:
    """A measure that can be added; `reason` says why not."""

    name: str
    title: str
    about: str
    reason: Markup | None


def list_tiles(asked: Sequence[Mapping[str, Any]], language: str, say: Say) -> list[TemplateTile]:
    """Return the templates, for a reader of Chinese those of Taiwan first; `asked` are the present requirements."""
    local = "tw-" if language == "zh_TW" else ""
    found = sorted(templates().values(), key=lambda one: not one.name.startswith(local))
    return [_make_tile(one, asked, language, say) for one in found]


def _make_tile(template: Template, asked: Sequence[Mapping[str, Any]], language: str, say: Say) -> TemplateTile:
    sets = list[tuple[str, str]]()
    for one in template.asked:
        kind = find_measure_class(one.content)
        assert kind is not None  # noqa: S101 (shipped templates name shipped measures)
        given = {name: one.content.get(name) for name in find_limits(kind)}
        values = [f"{name} {value}" for name, value in given.items() if value not in (None, FILL_IN)]
        sets.append((kind.words[language].title, ", ".join(values)))
    used = all(any(_is_of(content, one.content) for content in asked) for one in template.asked)
    title, about = say(f"requirements_template_{template.name}"), words(language).templates[template.name]
    return TemplateTile(template.name, title, about, tuple(sets), template.sources, used)


def _is_of(content: Mapping[str, Any], template: Mapping[str, Any]) -> bool:
    """Return True if a requirement belongs to a template, whatever its limits and filled-in blanks."""
    kind = find_measure_class(template)
    free = find_limits(kind) if kind else ()
    fixed = {key: value for key, value in template.items() if key not in free and value != FILL_IN}
    return all(_read_names(content.get(key)) == _read_names(value) for key, value in fixed.items())


def _read_names(value: Any) -> Any:  # noqa: ANN401
    """Return the names of a parameter that is a table, without numbers; a single word is a set of one."""
    return {*value} if isinstance(value, Mapping) else {value} if isinstance(value, str) else value


def list_offers(facts: Facts | None, language: str, say: Say) -> dict[str, list[MeasureOffer]]:
    """Return the measures by family; without facts, measures that the table does not support are included."""
    found: dict[str, list[MeasureOffer]] = {family: [] for family in FAMILIES}
    for kind in measures().values():
        own = kind.words[language]
        about = own.page.summary if own.page else (kind.__doc__ or "").strip().partition("\n")[0]
        reason = _explain_unavailable(kind, facts, say)
        found.setdefault(kind.family, []).append(MeasureOffer(kind.name, format_title(kind, language), about, reason))
    return found


def _explain_unavailable(kind: type[Measure], facts: Facts | None, say: Say) -> Markup | None:
    """Return the reason why a measure cannot be added; None if it can."""
    if any(one.kind == "function" for one in find_parameters(kind).values()):
        return say("requirements_cannot_function")
    if not find_limits(kind) and not kind.always_judges:
        return say("requirements_cannot_no_limit")
    note = facts and find_obstacle(kind, facts, with_parameters=True)
    return say(f"requirements_cannot_{note.kind}") if note else None


def format_title(measure: Measure | type[Measure], language: str) -> str:
    """Return the title of a measure with a capital letter; a symbol stays as it is (k-anonymity)."""
    title = measure.words[language].title
    return title[0].upper() + title[1:] if title[:2].isalpha() else title


@dataclass(frozen=True)
class RequirementRow:
    """A requirement in the list."""

    number: int
    title: str
    sentences: tuple[Markup, ...]
    limits: tuple[ParameterField, ...]
    others: tuple[ParameterField, ...]
    why: str
    source: str
    clause: str
    reason: str
    is_open: bool
    reason_missing: bool
    error: Markup | None  # of the whole requirement
    problem: str
    changes: str
    marks: tuple[Markup, ...]  # contradictions
    now: tuple[ReportLine, ...]  # the result of the original

    @property
    def wrong(self) -> bool:
        """True if the form was rejected."""
        return bool(self.error) or self.reason_missing or any(one.error for one in (*self.limits, *self.others))


WAIT_SECONDS = 0.08  # that a page waits for the result of the original
BLANK = "…"  # in a sentence, for a number that is not set


class RequirementsView:
    """The view: the requirements with the results of the original, the templates, and the measures to add."""

    def __init__(
        self, session: Session, language: str, say: Say, *, typed: RejectedForm | None = None, small: bool = False
    ) -> None:
        self._desk, self._language, self._say, self._typed = session, language, say, typed
        self._asked = [build_measure(one) for one in session.draft.requirements]
        self.explored = has_explored(session)
        self.problem: PETWorksError | None = None  # the reason why the original cannot be evaluated
        self.busy = self.searching = False
        self._now: Mapping[int, Requirement] = {}
        self._marks: dict[int, list[Markup]] = {}
        self._measure(small=small)
        self.rows = tuple(self._make_row(number, one) for number, one in enumerate(session.draft.requirements))

    @property
    def open(self) -> int:
        """The number of open requirements."""
        return sum(row.is_open for row in self.rows)

    @property
    def meets(self) -> int | None:
        """The number of requirements that the original meets; None if not known."""
        return None if not self._now else sum(one.holds is True for one in self._now.values())

    @property
    def status(self) -> str:
        """The mark beside the headline."""
        return "holds" if self.rows and not self.open and not self.searching and not self._marks else "waits"

    @property
    def headline(self) -> Markup:
        """The answer of the screen."""
        figures = {"all": len(self.rows), "open": self.open, "meets": self.meets}
        if not self.rows:
            return self._say("requirements_h1_none")
        if self.open:
            return self._say("requirements_h1_open", **figures)
        if self.meets is None:
            return self._say("requirements_h1_wait", **figures)
        kind = "_none" if not self.meets else "_all" if self.meets == len(self.rows) else ""
        return self._say(f"requirements_h1_meets{kind}", **figures)

    @property
    def lead(self) -> Markup:
        """The meaning of the answer."""
        if not self.rows or self.open:
            return self._say(f"requirements_lead_{'open' if self.rows else 'none'}")
        if self.meets is None:
            return self._say(f"requirements_lead_{'counting' if self.busy else 'unknown'}")
        return self._say(f"requirements_lead_{'meets_all' if self.meets == len(self.rows) else 'expected'}")

    @property
    def closed_reason(self) -> Markup | str:
        """The reason why the next step is closed; "" if it is open."""
        if not self.rows:
            return self._say("requirements_next_none")
        return self._say("requirements_next_wait", open=self.open) if self.open else ""

    def _measure(self, *, small: bool) -> None:
        """Evaluate the original, and wait shortly for the result."""
        asked = {number: one for number, one in enumerate(self._asked) if one is not None}
        if not asked:
            return
        try:
            work = judge_original(self._desk, list(asked.values()), small=small)
            if not work.wait(WAIT_SECONDS):
                self.busy = True
                return
            self.problem = work.problem
            if self.problem:
                return
            self._now = dict(zip(asked, work.value.requirements, strict=True))
            self._mark_contradictions(asked)
        except PETWorksError as error:
            self.problem = error

    def _mark_contradictions(self, asked: Mapping[int, Measure]) -> None:
        """Mark the requirements that contradict each other."""
        work = search_contradictions(self._desk, list(asked.values()))
        if work is None:
            return
        if not work.wait(0):
            self.searching = True
            return
        places = list(asked)
        for one in [] if work.problem else work.value:
            pair = places[one.utility], places[one.other]
            if one.best is None:
                self._marks.setdefault(pair[0], []).append(self._say("requirements_impossible"))
                continue
            utility = format_title(asked[pair[0]], self._language)
            for mine, other in (pair, pair[::-1]):
                figures = {
                    "title": format_title(asked[other], self._language),
                    "utility": utility,
                    "best": format_number(one.best),
                }
                self._marks.setdefault(mine, []).append(self._say("requirements_contradicts", **figures))

    def _make_row(self, place: int, content: Mapping[str, Any]) -> RequirementRow:
        kind, number = find_measure_class(content), place + 1
        if kind is None:
            return self._make_unknown_row(place, content)
        typed = self._typed if self._typed and self._typed.number == number else None
        fields = FieldBuilder(self._language, self._say, list_sensitive(self._desk), self._desk.columns)
        given = read_parameters(kind, content)
        found = fields.build_fields(kind, given, _find_meanings(content), typed)
        others = typed.others if typed else {}
        whole = typed.wrong.get(WHOLE) if typed else None
        measure = self._asked[place]
        changed = content.get("changed", [])
        first = [name for name in find_limits(kind) if name in given] or list(
            find_limits(kind)
        )  # the others are folded
        return RequirementRow(
            number=number,
            title=format_title(kind, self._language),
            sentences=tuple(self._list_sentences(kind, given)),
            limits=tuple(one for one in found if one.name in first or one.error),
            others=tuple(one for one in found if one.name not in first and not one.error),
            **{key: others.get(key, str(content.get(key, ""))) for key in ("why", "source", "clause")},
            reason=others.get("reason", ""),
            is_open=is_open(content),
            reason_missing=bool(typed and typed.reason_needed),
            error=None if whole is None else self._say("requirements_wrong_limit"),
            problem="" if whole is None else whole.problem,
            changes=with_changes("", measure, changed) if measure and changed else "",
            marks=tuple(self._marks.get(place, ())),
            now=tuple(self._describe_original(place)),
        )

    def _make_unknown_row(self, place: int, content: Mapping[str, Any]) -> RequirementRow:
        """Return the row of a requirement whose measure is not installed."""
        texts = {key: str(content.get(key, "")) for key in ("why", "source", "clause")}
        problem = f'unknown measure "{content.get("measure", "")}"'
        return RequirementRow(
            number=place + 1, title=str(content.get("measure", "?")), sentences=(), limits=(), others=(), **texts,
            reason="", is_open=True,  reason_missing=False, error=self._say("requirements_cannot"),
            problem=problem, changes="", marks=(), now=(),
        )  # fmt: skip

    def _describe_original(self, place: int) -> Sequence[ReportLine]:
        found = self._now.get(place)
        return [] if found is None else LineWriter(self._language, PAGE).write_requirement(found)

    def _list_sentences(self, kind: type[Measure], given: Mapping[str, Any]) -> Iterator[Markup]:
        """Yield a sentence for each limit that is set; for the first limit if none is."""
        word, own = words(self._language, kind), kind.words[self._language]
        known = {
            name: _format_number(given.get(name, one.default))
            for name, one in find_parameters(kind).items()
            if one.kind == "number"
        }
        named = [name for name in find_limits(kind) if name in given] or list(find_limits(kind))[:1]
        if not find_limits(kind):
            yield self._fill(f"requirements_asks_{kind.__name__}", {}, word)
        for name in named:
            key = f"requirements_asks_{kind.__name__}_{name}"
            key = "requirements_asks_at_least" if issubclass(kind, Utility) and name == "at_least" else key
            if key not in word.app:
                side = word.sides[find_limits(kind)[name]].format("").strip()
                figures = {"measured": own.measured or own.title, "side": side, "limit": known[name]}
                yield self._fill("requirements_asks_other", figures, word)
            else:
                yield self._fill(key, known, word)

    def _fill(self, key: str, figures: Mapping[str, Any], word: Any) -> Markup:  # noqa: ANN401
        return Markup(fill(word.app.get(key, ""), figures, word, PAGE))  # noqa: S704 (all parts are escaped)

    @property
    def tiles(self) -> list[TemplateTile]:
        """The templates."""
        return list_tiles(self._desk.draft.requirements, self._language, self._say)

    @cached_property
    def offers(self) -> dict[str, list[MeasureOffer]]:
        """The measures by family."""
        try:
            facts = get_original(self._desk).facts
        except PETWorksError:  # decisions are still open
            facts = None
        return list_offers(facts, self._language, self._say)

    @property
    def not_shown(self) -> list[tuple[str, str]]:
        """Clauses of the sources that no table can show: the text, and its source and clause."""
        listed = []
        for one in self._desk.draft.content.get("not_shown", ()):
            what = one.get("what", "")
            text = what.get(self._language, "") if isinstance(what, Mapping) else str(what)
            listed.append((text, ", ".join(filter(None, (str(one.get("source", "")), str(one.get("clause", "")))))))
        return listed


def _find_meanings(content: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the explanations of the blanks of a requirement that comes from a template."""
    same = ("measure", "source", "clause")
    for template in templates().values():
        for one in template.asked:
            if all(one.content.get(key) == content.get(key) for key in same):
                return one.meant
    return {}


def _format_number(value: Any) -> str | Name:  # noqa: ANN401
    """Format a number for a sentence."""
    return BLANK if value in (None, FILL_IN, "") or not isinstance(value, str | int) else str(value)
