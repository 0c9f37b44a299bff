"""What Explore shows below its answer: proof, strips, limit, plot, pins, requirements, columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from markupsafe import Markup

from PETWorks.app.screens.explore.answer import Answer
from PETWorks.app.screens.explore.limit import Limit, limit
from PETWorks.app.screens.explore.looking import Looked, Looking, told_of
from PETWorks.app.screens.explore.pins import Pin, pins
from PETWorks.app.screens.explore.plot import Plot, links, marks, plot, scale_of, text_of
from PETWorks.app.screens.explore.proof import Proof, proof
from PETWorks.app.screens.explore.rows import Goal, goals
from PETWorks.app.screens.explore.scale import Scale
from PETWorks.app.screens.explore.strips import Strip, strips
from PETWorks.app.screens.explore.weights import WrongWeight
from PETWorks.explain.step import Cell, Name
from PETWorks.making.exploring import Weighed
from PETWorks.render.numbers import percent


@dataclass(frozen=True)
class ExploreView(Answer):
    """The screen."""

    looking: Looking = Looking()
    wrong: WrongWeight | None = None

    @cached_property
    def proof(self) -> Proof:
        """How it is known to be the best, or what is better."""
        return proof(
            self.state, self.now, self.say, rate=self.rate, measure=self.measure, kind=self.kind, language=self.language
        )

    @cached_property
    def strips(self) -> tuple[Strip, ...]:
        """The levels of each column, with their prices."""
        return strips(self.state, self.say, waits=self.waits)

    @property
    def beyond(self) -> Markup:
        """What striped steps are: over the limit; or, if there are such, those where a requirement fails anyway."""
        never = any(step.never for strip in self.strips for step in strip.steps)
        return self.say("explore_over_or_fails" if never else "explore_over_limit", rate=self.rate)

    @property
    def prices_missing(self) -> bool:
        """True if some prices are still to come."""
        return self.state.levels is not None and any(not one.share for strip in self.strips for one in strip.steps)

    @cached_property
    def limit(self) -> Limit:
        """The limit on suppressed people, with its curve."""
        return limit(self.state)

    @cached_property
    def scale(self) -> Scale:
        """The axes of the plot."""
        return scale_of(self.state, self.looking.across)

    @cached_property
    def plot(self) -> Plot:
        """The dots and the front."""
        return plot(self.state, self.scale)

    @cached_property
    def pins(self) -> tuple[Pin, ...]:
        """What is pinned."""
        return pins(self.state, self.say, self.language, self.measure)

    @property
    def none_keeps(self) -> bool:
        """True if it is proven that no combination within the limit keeps every column."""
        keeping = self.state.helper.keeping if self.state.sought else None
        return keeping is not None and keeping.ended and keeping.proven and keeping.best is None

    @property
    def marks(self) -> Markup:
        """The pins, the combination that is chosen and the one that is looked at, in the plot."""
        rings = {"now": self.now, "seen": self._seen}
        return marks([(one.letter, one.weighed) for one in self.pins if one.weighed], rings, self.scale)

    @property
    def links(self) -> Markup:
        """The dots of the front, to be clicked."""
        return links(self.plot.front, self.scale, self.looking.at)

    @cached_property
    def _seen(self) -> Weighed | None:
        """The combination that is looked at; None if it is the one that is chosen."""
        levels = self.looking.levels
        return None if levels in (None, self.state.levels) else self.state.exploration.weigh(levels)

    @property
    def query(self) -> str:
        """What the address of the page says of how the plot is looked at."""
        return self.looking.query if self._seen else replace(self.looking, levels=None).query

    @property
    def looked(self) -> Looked | None:
        """What is told of the combination that is looked at."""
        if (one := self._seen) is None:
            return None
        beside = [other.gone for other in (self.now, self.state.found, *self.plot.front) if other]
        figures = told_of(one, self.state, beside, small=self.small)
        key = "explore_looked_told" if "people" in figures else "explore_looked_untold"
        told = [self.say(key, measure=self.measure, score=f"{one.score:.4f}", **figures)]
        if not one.within(self.state.allowed):
            told.append(self.say("explore_looked_over" if one.holds else "explore_looked_never", rate=self.rate))
        return Looked(self._levels(one), text_of(one.levels), tuple(told))

    def _levels(self, one: Weighed) -> Markup:
        named = [f"{name} {level}" for name, level in zip(self.state.exploration.names, one.levels, strict=True)]
        return self.say("explore_levels", levels=[Name(text) for text in named])

    @property
    def pin(self) -> str:
        """The letter under which what is in sight is pinned."""
        return next((one.letter for one in self.pins if one.shown), "")

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """The requirements, before and after suppression."""
        return goals(self.state, self.look, self.language, self.least) if self.look else ()

    @property
    def together(self) -> Mapping[str, int] | None:
        """How many classes and people fail any of them before suppression."""
        if self.look is None or self.state.local:
            return None
        return {
            "classes": len(self.look.before.known_classes) - self.look.weighed.classes,
            "people": self.look.weighed.suppressed,
        }

    @property
    def left(self) -> list[tuple[Markup, float, str]]:
        """What is left of each column, least first."""
        if self.look is None:
            return []
        ordered = sorted(self.look.left.items(), key=lambda one: one[1])
        return [
            (self.say("explore_column", column=Name(name)), float(left), f"{float(left):.4f}") for name, left in ordered
        ]

    @property
    def hardest(self) -> Markup | None:
        """The value that suppression falls hardest on, if it may be told."""
        found = self.look.hardest(self.least) if self.look and self.now and self.now.suppressed else None
        if found is None or self.now is None:
            return None
        column, value, whole = found
        rows = self.state.exploration.table.rows
        share, overall = percent(value.share), percent(Fraction(self.now.published, rows or 1))
        told: dict[str, Any] = {
            "column": Name(column),
            "value": Cell(value.value or ""),
            "share": share,
            "overall": overall,
        }
        return self.say("explore_hardest" if whole else "explore_hardest_told", **told)

    @property
    def untold(self) -> bool:
        """True if small classes keep something from being told."""
        now = self.now
        counted = self.look is not None and bool(self.look.rows_by_label)  # not those of local recoding
        return bool(counted and now and not self.small and now.suppressed and self.hardest is None)

    @property
    def front(self) -> list[dict[str, Any]]:
        """The front as a table, most detail first."""
        return [
            {
                "address": self.looking.at(one.levels),
                "levels": self._levels(one),
                "suppressed": self.say(
                    "explore_people_share", people=one.suppressed, share=Fraction(one.suppressed, self.state.rows or 1)
                ),
                "risk": f"{float(one.risk or 0):.4g}",
                "score": f"{one.score:.4f}",
                "here": self.state.chosen == one.levels or (self.now is not None and self.now.levels == one.levels),
                "seen": self._seen is not None and self._seen.levels == one.levels,
            }
            for one in self.plot.front
        ]

    @property
    def neighbours(self) -> tuple[str, str]:
        """The addresses that look at what is beside the present one along the front; "" if there is none."""
        points, here = self.plot.front, self._seen or self.now
        if here is None:
            return "", ""
        before = [one for one in points if one.lost < here.lost]
        after = [one for one in points if one.lost > here.lost]
        return (self.looking.at(before[-1].levels) if before else "", self.looking.at(after[0].levels) if after else "")

    @property
    def may_be_local(self) -> bool:
        """True if local recoding may suppress fewer rows; it counts rows, so nobody may have several."""
        suppresses = self.now is not None and self.now.suppressed > 0
        return suppresses and not self.state.local and self.state.exploration.table.facts.persons is None

    @property
    def quote(self) -> Markup | None:
        """What local recoding would give, if that is known."""
        quote = self.state.helper.quote
        if quote is None or self.now is None or self.state.local:
            return None
        gone = int(self.state.exploration.table.counts[quote.suppressed].sum())
        figures = {"people": gone, "now": self.now.suppressed, "measure": self.measure, "score": f"{quote.score:.4f}"}
        return self.say("explore_local_price", **figures)
