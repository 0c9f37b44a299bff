"""What Explore shows below its answer: proof, strips, limit, plot, pins, requirements, columns."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from markupsafe import Markup

from PETWorks.app.screens.explore.answer import Answer
from PETWorks.app.screens.explore.limit import Limit, limit
from PETWorks.app.screens.explore.pins import Pin, pins
from PETWorks.app.screens.explore.plot import Plot, Scale, marks, plot, text_of
from PETWorks.app.screens.explore.proof import Proof, proof
from PETWorks.app.screens.explore.rows import Goal, goals
from PETWorks.app.screens.explore.strips import Strip, strips
from PETWorks.explain.step import Cell, Name
from PETWorks.render.numbers import percent


class ExploreView(Answer):
    """The screen."""

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
        return Scale.of(self.state.exploration.all_known(), loss=self.state.plan.utility is None)

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
        """The pins and the present combination, in the plot."""
        return marks([(one.letter, one.weighed) for one in self.pins if one.weighed], self.now, self.scale)

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
        names = self.state.exploration.names
        return [
            {
                "text": text_of(one.levels),
                "levels": self.say(
                    "explore_levels",
                    levels=[Name(f"{name} {level}") for name, level in zip(names, one.levels, strict=True)],
                ),
                "suppressed": self.say(
                    "explore_people_share", people=one.suppressed, share=Fraction(one.suppressed, self.state.rows or 1)
                ),
                "risk": f"{float(one.risk or 0):.4g}",
                "score": f"{one.score:.4f}",
                "here": self.state.chosen == one.levels or (self.now is not None and self.now.levels == one.levels),
            }
            for one in self.plot.front
        ]

    @property
    def neighbours(self) -> tuple[str, str]:
        """The combinations beside the present one along the front, as forms send them; "" if there is none."""
        points = list(self.plot.front)
        if not points or self.now is None:
            return "", ""
        scores = [one.lost for one in points]
        before = [one for one, lost in zip(points, scores, strict=True) if lost < self.now.lost]
        after = [one for one, lost in zip(points, scores, strict=True) if lost > self.now.lost]
        return (text_of(before[-1].levels) if before else "", text_of(after[0].levels) if after else "")

    @property
    def quote(self) -> Markup | None:
        """What local recoding would give, if that is known."""
        quote = self.state.helper.quote
        if quote is None or self.now is None or self.state.local:
            return None
        gone = int(self.state.exploration.table.counts[quote.suppressed].sum())
        figures = {"people": gone, "now": self.now.suppressed, "measure": self.measure, "score": f"{quote.score:.4f}"}
        return self.say("explore_local_price", **figures)
