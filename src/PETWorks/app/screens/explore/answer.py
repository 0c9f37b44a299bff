"""The answer of step 5: if the requirements hold for the shown release, its cost, and the sizes of its classes.

`list_goals` evaluates the requirements on the release, and on the table before classes were suppressed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from markupsafe import Markup

from PETWorks.anonymization.exploration import NodeFigures, ReleasePreview
from PETWorks.app.notices import append_published, find_published, render_published
from PETWorks.app.responses import Say
from PETWorks.app.screens.explore.state import ExploreState, preview_recoding
from PETWorks.app.screens.explore.strips import format_share
from PETWorks.disclosure import choose_threshold
from PETWorks.disclosure.level import find_disclosure_without_audit
from PETWorks.disclosure.results import disclose_result
from PETWorks.evaluation.requirement import Requirement
from PETWorks.evaluation.run import judge_requirements
from PETWorks.measure.result import ResultPart
from PETWorks.measure.steps import Name
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.render.lines import HIGHER, LineWriter, ReportLine
from PETWorks.render.page.markup import PAGE
from PETWorks.render.page.svg import draw_bullet
from PETWorks.render.typography import format_percent

CLASS_SIZES = ((1, 4), (5, 9), (10, 19), (20, 99), (100, None))


@dataclass(frozen=True)
class RiskRange:
    """The people in classes of a range of sizes, as a part of the bar of risk."""

    kind: str
    label: Markup
    people: int
    start: float  # in percent
    share: float
    text: str


@dataclass(frozen=True)
class ExploreAnswer:
    """The shown release, and the answer about it."""

    state: ExploreState
    say: Say
    language: str
    small: bool
    waits: bool = True  # False: wait for all prices
    asks_again: bool = False  # True: the search process was at work when the request began

    @cached_property
    def preview(self) -> ReleasePreview | None:
        """The shown release; None while the search has no result."""
        if self.state.local:
            return preview_recoding(self.state)
        levels = self.state.levels
        return None if levels is None else self.state.exploration.preview(levels)

    @property
    def now(self) -> NodeFigures | None:
        """The figures of the shown release."""
        return self.preview.weighed if self.preview else None

    @property
    def least(self) -> int:
        """The minimum number of people that a figure may describe."""
        return choose_threshold(small=self.small)

    @property
    def rate(self) -> str:
        """The limit on suppressed rows, as a percentage."""
        return format_share(self.state.plan.suppress_at_most.exact)

    @property
    def measure(self) -> str:
        """The name of the measure that the search optimises."""
        utility = self.state.plan.utility
        if utility is None:
            return str(self.say("explore_loss"))
        title = utility.words[self.language].title
        return str(self.say("explore_weighted", measure=title)) if self.state.plan.weights else title

    @cached_property
    def kind(self) -> str:
        """The kind of answer: holds, over (the limit), never (a requirement fails), none, nothing_found or waits."""
        if self.state.chosen is None and self.state.helper.task == "best":
            return "waits"  # the best so far is shown
        if self.now is None:
            sought = self.state.sought
            if self.state.helper.task or not (sought and sought.ended) or self.state.local:
                return "waits"
            return "none" if sought.proven else "nothing_found"
        if self.now.is_within(self.state.allowed):
            return "holds"
        if (sought := self.state.sought) and sought.ended and sought.proven and sought.best is None:
            return "none"
        return "over" if self.now.holds else "never"

    @cached_property
    def published(self) -> tuple[str, ...] | None:
        """The columns that look like identifiers and would be published unchanged; None if not known yet."""
        return find_published(self.state.session)

    @property
    def published_warning(self) -> Markup:
        """The warning that an identifier would be published; "" if none is."""
        return render_published(self.published, self.language)

    @property
    def mark(self) -> str:
        """The icon and colour of the answer."""
        kind = "fails" if self.kind == "holds" and self.published else self.kind
        return {"holds": "holds", "waits": "waits"}.get(kind, "fails")

    @property
    def title(self) -> Markup:
        """The answer."""
        return append_published(self._measured, self.published, self.say) if self.kind == "holds" else self._measured

    @property
    def _measured(self) -> Markup:
        requirements = len(self.state.requirements)
        if self.kind == "waits":
            return self._describe_search()
        if self.kind in ("none", "nothing_found"):
            return self.say(f"explore_{self.kind}", combinations=self.state.combinations)
        assert self.now is not None  # noqa: S101
        if self.kind == "holds":
            key = "explore_holds" if self.now.suppressed else "explore_holds_all"
            key += "_one" if requirements == 1 else ""
            return self.say(key, requirements=requirements, people=self.now.suppressed)
        if self.kind == "never":
            return self.say("explore_never", people=self.now.suppressed)
        return self.say("explore_over", people=self.now.suppressed, allowed=self.state.allowed)

    def _describe_search(self) -> Markup:
        helper = self.state.helper
        if helper.task == "local" or self.state.local:
            return self.say("explore_recoding")
        counts = helper.best.counts if helper.best else None
        if not counts:
            return self.say("explore_counting")
        done = counts["vectors"] - counts["open"]
        return self.say("explore_searching", done=done, combinations=counts["vectors"])

    @property
    def lead(self) -> Markup:
        """The meaning of the answer."""
        say, state = self.say, self.state
        if self.kind == "waits":
            return say("explore_waits_local" if state.local else "explore_waits")
        if self.kind == "nothing_found":
            return say("explore_nothing_found_lead")
        if self.kind == "none" and self.now is None:
            return say("explore_none_lead", combinations=state.combinations, rate=self.rate)
        assert self.now is not None  # noqa: S101
        share = Fraction(self.now.suppressed, state.rows or 1)
        key = self.kind if self.now.suppressed or self.kind != "holds" else "nobody"
        key = key if self.now.holds else "never"
        sentences = [say(f"explore_lead_{key}", share=share, rows=state.rows, rate=self.rate)]
        if isinstance(state.plan.utility, Granularity) and not state.plan.weights:
            sentences.append(
                say("explore_lead_left", left=self.now.score, measure=self.measure, score=f"{self.now.score:.4f}")
            )
        else:
            sentences.append(say("explore_lead_score", measure=self.measure, score=f"{self.now.score:.4f}"))
        if self.gone:
            key = "explore_gone" if len(self.gone) > 1 else "explore_gone_one"
            sentences.append(say(key, columns=[Name(name) for name in self.gone]))
        if state.local:
            sentences.append(say("explore_lead_local"))
        elif self.preview and self.now.suppressed and self.now.published:
            for key, names in self.preview.find_emptied(self.least)._asdict().items():
                if names:
                    sentences.append(say(f"explore_{key}", columns=[Name(name) for name in names]))
        return say("explore_gap").join(sentences)

    @property
    def gone(self) -> list[str]:
        """The columns that are completely generalised."""
        if self.preview is None:
            return []
        return [name for name, left in self.preview.left.items() if left == 0 and self.now and self.now.published]

    @property
    def bands(self) -> tuple[RiskRange, ...]:
        """The bar of all people, by the sizes of their classes; suppressed people last."""
        return tuple(self._list_bands()) if self.preview else ()

    def _list_bands(self) -> Iterator[RiskRange]:
        assert self.preview is not None  # noqa: S101
        persons = self.state.exploration.table.facts.persons
        classes, rows, start = self.preview.released.groups(with_values=True), self.everybody or 1, 0.0
        least, people = classes.find_least_by_person(
            classes.sizes
        )  # a person in several classes counts in the smallest
        counts = [int(people[(low <= least) & (least <= (high or least))].sum()) for low, high in CLASS_SIZES]
        labels = [
            self.say("explore_band_last", low=low) if high is None else self.say("explore_band", low=low, high=high)
            for low, high in CLASS_SIZES
        ]
        kinds = [f"band{place}" for place in range(len(CLASS_SIZES))]
        entries = [
            *zip(kinds, labels, counts, strict=True),
            (
                "hatched",
                self.say("explore_suppressed" if persons is None else "explore_suppressed_all"),
                rows - sum(counts),
            ),
        ]
        for kind, label, many in entries:
            yield RiskRange(kind, label, many, start, many / rows * 100, format_percent(Fraction(many, rows)))
            start += many / rows * 100

    @property
    def everybody(self) -> int:
        """The number of people in the table."""
        persons = self.state.exploration.table.facts.persons
        return self.state.exploration.table.rows if persons is None else persons.occurring


@dataclass(frozen=True)
class GoalRow:
    """A requirement, or a part of it."""

    verdict: str
    name: Markup
    called: str  # the name of the value; "" if `name` is the same
    value: Markup
    limit: Markup
    bar: Markup
    classes: int  # that fail before suppression
    people: int
    detail: Markup  # what still fails, or why it is withheld


def list_goals(state: ExploreState, preview: ReleasePreview, language: str, least: int) -> tuple[GoalRow, ...]:
    """Return a line for each limit of each requirement."""
    with state.exploration.lock:
        after = judge_requirements(preview.released, state.requirements).requirements
        before = (
            judge_requirements(preview.before, state.requirements).requirements
            if preview.before is not preview.released
            else after
        )
        find_disclosure_without_audit(preview.released, least)
        shown = [_withhold_small(one, least) for one in after]
    writer = LineWriter(language, PAGE)
    found: list[GoalRow] = []
    for one, other in zip(shown, before, strict=True):
        called = "" if one.measure.fixed_parts else one.measure.words[language].measured
        found += [_make_row(line, other, called) for line in writer.write_requirement(one)]
    return tuple(found)


def _withhold_small(one: Requirement, least: int) -> Requirement:
    if one.result is None:
        return one
    return Requirement(one.measure, disclose_result(one.result, least, explained=False), why=one.why)


def _make_row(line: ReportLine, before: Requirement, called: str) -> GoalRow:
    part, past = _find_part(line.result, line.part), _find_part(before.result, line.part)
    drawn = Markup()
    if part is not None and part.limit is not None:
        low = part.side in HIGHER
        drawn = draw_bullet(part.value, float(part.limit), low_is_bad=low, holds=part.holds)
    name, value, limit, detail = map(Markup, (line.name, line.value, line.limit, line.detail))  # escaped by the scribe
    classes, people = (past.failing_classes, past.failing_people) if past is not None else (0, 0)
    return GoalRow(line.verdict, name, called, value, limit, drawn, classes, people, detail)


def _find_part(result: object, name: str) -> ResultPart | None:
    parts: dict[str, ResultPart] = getattr(result, "parts", {})
    return parts.get(name, result if isinstance(result, ResultPart) else None)


def count_holding(shown: Sequence[GoalRow]) -> int:
    """Return how many goals hold."""
    return sum(one.verdict == "holds" for one in shown)
