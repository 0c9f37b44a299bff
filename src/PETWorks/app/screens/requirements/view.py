"""What the screen of requirements shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from markupsafe import Markup

from PETWorks.answer.requirement import Requirement
from PETWorks.app.answering import Say
from PETWorks.app.desk import Desk
from PETWorks.app.screens.requirements.asking import (
    explored,
    given_to,
    is_open,
    kind_of,
    measure_of,
    sensitive_of,
)
from PETWorks.app.screens.requirements.fields import Fields, Typed
from PETWorks.app.screens.requirements.offers import Offer, Tile, heading, offers, tiles
from PETWorks.app.screens.requirements.original import contradicted, judged, original
from PETWorks.app.screens.requirements.rows import Row
from PETWorks.errors import PETWorksError
from PETWorks.explain.step import Name
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import declared, limits
from PETWorks.measure.utility import Utility
from PETWorks.policy.faults import WHOLE
from PETWorks.policy.fill_in import FILL_IN
from PETWorks.policy.requirements import with_changes
from PETWorks.policy.templates.template import templates
from PETWorks.render.fill import fill
from PETWorks.render.lines import Line, Scribe
from PETWorks.render.numbers import four_digits
from PETWorks.render.page.markup import PAGE
from PETWorks.render.words import words

SOON = 0.08  # seconds that a page waits for what the original has
BLANK = "…"  # stands in a sentence for a number that is not set


class RequirementsView:
    """The requirements, the templates, the measures that can be added, and what the original has."""

    def __init__(self, desk: Desk, language: str, say: Say, *, typed: Typed | None = None, small: bool = False) -> None:
        self._desk, self._language, self._say, self._typed = desk, language, say, typed
        self._asked = [measure_of(one) for one in desk.draft.requirements]
        self.explored = explored(desk)
        self.problem: PETWorksError | None = None  # why the original cannot be measured
        self.busy = self.searching = False
        self._now: Mapping[int, Requirement] = {}
        self._marks: dict[int, list[Markup]] = {}
        self._measure(small=small)
        self.rows = tuple(self._row(number, one) for number, one in enumerate(desk.draft.requirements))

    @property
    def open(self) -> int:
        """How many requirements wait for a number."""
        return sum(row.is_open for row in self.rows)

    @property
    def meets(self) -> int | None:
        """How many requirements the original meets; None if that is not known."""
        return None if not self._now else sum(one.holds is True for one in self._now.values())

    @property
    def status(self) -> str:
        """The mark beside the headline."""
        return "holds" if self.rows and not self.open and not self.searching and not self._marks else "waits"

    @property
    def headline(self) -> Markup:
        """The answer of the screen."""
        told = {"all": len(self.rows), "open": self.open, "meets": self.meets}
        if not self.rows:
            return self._say("requirements_h1_none")
        if self.open:
            return self._say("requirements_h1_open", **told)
        if self.meets is None:
            return self._say("requirements_h1_wait", **told)
        kind = "_none" if not self.meets else "_all" if self.meets == len(self.rows) else ""
        return self._say(f"requirements_h1_meets{kind}", **told)

    @property
    def lead(self) -> Markup:
        """What the answer means."""
        if not self.rows or self.open:
            return self._say(f"requirements_lead_{'open' if self.rows else 'none'}")
        if self.meets is None:
            return self._say(f"requirements_lead_{'counting' if self.busy else 'unknown'}")
        return self._say(f"requirements_lead_{'meets_all' if self.meets == len(self.rows) else 'expected'}")

    @property
    def shut(self) -> Markup | str:
        """Why the next step waits; "" if it does not."""
        if not self.rows:
            return self._say("requirements_next_none")
        return self._say("requirements_next_wait", open=self.open) if self.open else ""

    def _measure(self, *, small: bool) -> None:
        """Look at the original, as far as it is known."""
        asked = {number: one for number, one in enumerate(self._asked) if one is not None}
        if not asked:
            return
        try:
            work = judged(self._desk, list(asked.values()), small=small)
            if not work.wait(SOON):
                self.busy = True
                return
            if self._problem(work.problem):
                return
            self._now = dict(zip(asked, work.value.requirements, strict=True))
            self._contradict(asked)
        except PETWorksError as error:
            self.problem = error

    def _problem(self, error: PETWorksError | None) -> bool:
        self.problem = error
        return error is not None

    def _contradict(self, asked: Mapping[int, Measure]) -> None:
        """Mark requirements that contradict each other."""
        work = contradicted(self._desk, list(asked.values()))
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
            utility = heading(asked[pair[0]], self._language)
            for mine, other in (pair, pair[::-1]):
                told = {
                    "title": heading(asked[other], self._language),
                    "utility": utility,
                    "best": four_digits(one.best),
                }
                self._marks.setdefault(mine, []).append(self._say("requirements_contradicts", **told))

    def _row(self, place: int, content: Mapping[str, Any]) -> Row:
        kind, number = kind_of(content), place + 1
        if kind is None:
            return self._unknown(place, content)
        typed = self._typed if self._typed and self._typed.number == number else None
        fields = Fields(self._language, self._say, sensitive_of(self._desk), self._desk.columns)
        given = given_to(kind, content)
        found = fields.of(kind, given, _meant(content), typed)
        others = typed.others if typed else {}
        whole = typed.wrong.get(WHOLE) if typed else None
        measure = self._asked[place]
        changed = content.get("changed", [])
        first = [name for name in limits(kind) if name in given] or list(limits(kind))  # the others are unfolded
        return Row(
            number=number,
            title=heading(kind, self._language),
            sentences=tuple(self._sentences(kind, given)),
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
            now=tuple(self._lines(place)),
        )

    def _unknown(self, place: int, content: Mapping[str, Any]) -> Row:
        """Return a requirement of a measure that is not installed."""
        texts = {key: str(content.get(key, "")) for key in ("why", "source", "clause")}
        problem = f'unknown measure "{content.get("measure", "")}"'
        return Row(
            number=place + 1, title=str(content.get("measure", "?")), sentences=(), limits=(), others=(), **texts,
            reason="", is_open=True,  reason_missing=False, error=self._say("requirements_cannot"),
            problem=problem, changes="", marks=(), now=(),
        )  # fmt: skip

    def _lines(self, place: int) -> Sequence[Line]:
        found = self._now.get(place)
        return [] if found is None else Scribe(self._language, PAGE).requirement(found)

    def _sentences(self, kind: type[Measure], given: Mapping[str, Any]) -> Iterator[Markup]:
        """Yield what is asked, a sentence for each limit that is set; for the first one if none is."""
        word, own = words(self._language, kind), kind.words[self._language]
        known = {
            name: _shown(given.get(name, one.default)) for name, one in declared(kind).items() if one.kind == "number"
        }
        named = [name for name in limits(kind) if name in given] or list(limits(kind))[:1]
        if not limits(kind):
            yield self._filled(f"requirements_asks_{kind.__name__}", {}, word)
        for name in named:
            key = f"requirements_asks_{kind.__name__}_{name}"
            key = "requirements_asks_at_least" if issubclass(kind, Utility) and name == "at_least" else key
            if key not in word.app:
                side = word.sides[limits(kind)[name]].format("").strip()
                told = {"measured": own.measured or own.title, "side": side, "limit": known[name]}
                yield self._filled("requirements_asks_other", told, word)
            else:
                yield self._filled(key, known, word)

    def _filled(self, key: str, figures: Mapping[str, Any], word: Any) -> Markup:  # noqa: ANN401
        return Markup(fill(word.app.get(key, ""), figures, word, PAGE))  # noqa: S704 (all parts are escaped)

    @property
    def tiles(self) -> list[Tile]:
        """The templates."""
        return tiles(self._desk.draft.requirements, self._language, self._say)

    @cached_property
    def offers(self) -> dict[str, list[Offer]]:
        """The measures by family."""
        try:
            facts = original(self._desk)._facts  # noqa: SLF001 (of our own)
        except PETWorksError:  # nobody knows yet
            facts = None
        return offers(facts, self._language, self._say)

    @property
    def not_shown(self) -> list[tuple[str, str]]:
        """What the sources ask for and no table can show, each with its source and clause."""
        listed = []
        for one in self._desk.draft.content.get("not_shown", ()):
            what = one.get("what", "")
            told = what.get(self._language, "") if isinstance(what, Mapping) else str(what)
            listed.append((told, ", ".join(filter(None, (str(one.get("source", "")), str(one.get("clause", "")))))))
        return listed


def _meant(content: Mapping[str, Any]) -> Mapping[str, str]:
    """Return what is meant by the blanks of a requirement that comes from a template."""
    same = ("measure", "source", "clause")
    for template in templates().values():
        for one in template.asked:
            if all(one.content.get(key) == content.get(key) for key in same):
                return one.meant
    return {}


def _shown(value: Any) -> str | Name:  # noqa: ANN401
    """Return a number as it stands in a sentence."""
    return BLANK if value in (None, FILL_IN, "") or not isinstance(value, str | int) else str(value)
