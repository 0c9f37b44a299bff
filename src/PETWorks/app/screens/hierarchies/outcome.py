"""What a hierarchy makes of the values of the table: which it lacks, its levels, and the drawing of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from PETWorks.app.screens.hierarchies.answer import HAND, Answer
from PETWorks.app.screens.hierarchies.present import Present
from PETWorks.counting.tally import Value, cell_text
from PETWorks.errors import MANY
from PETWorks.explain.step import Cell
from PETWorks.facts.bands import Band
from PETWorks.hierarchies.holders import together
from PETWorks.hierarchies.spans import Span
from PETWorks.render.wrapping import display_width

BETWEEN, HIDDEN = " - ", "…"
WHOLE = re.compile(r"\d+")
LISTED = 12  # values without a place that are named


class Level(NamedTuple):
    """A line of the table of levels."""

    level: int
    groups: int
    smallest: Any  # a number, or a band
    largest: Sequence[Cell]
    small: int | None  # people in small classes; None: not known
    length: float  # of the bar, percent


@dataclass(frozen=True)
class Outcome(Answer):
    """What the hierarchy of one quasi-identifier gives."""

    @property
    def looked(self) -> Present:
        """The hierarchy that is looked at."""
        return self.present

    @property
    def named(self) -> list[tuple[Cell, int, float]]:
        """The values without a place that may be named, with their people and the length of a bar."""
        lacking = self.looked.coverage.lacking if self.looked.coverage else {}
        common = {value: people for value, people in lacking.items() if people >= self.least}
        most = max(common.values(), default=1)
        return [(_cell(value), people, 100 * people / most) for value, people in [*common.items()][:LISTED]]

    @property
    def unnamed(self) -> tuple[int, int]:
        """How many values without a place are not named, and how many people have one of them."""
        coverage = self.looked.coverage
        if coverage is None:
            return 0, 0
        others = [*coverage.lacking][len(self.named) :]  # most people first, as those that are named
        return len(others), together(self.looked.counts, others)

    @property
    def fixes(self) -> list[tuple[str, Markup]]:
        """What would give every value a place: the names of buttons, and what they say."""
        coverage = self.looked.coverage
        if coverage is None or not coverage.lacking:
            return []
        common = sum(people >= self.least for people in coverage.lacking.values())
        ways = {"ordered": "end", HAND: "rest"}.get(self.looked.kind)
        found = [(ways, self.say(f"hierarchies_fix_{ways}", values=common))] if ways and common else []
        return found if self.all.forgiving else [*found, ("star", self.say("hierarchies_fix_star"))]

    @property
    def spans(self) -> list[list[Span]]:
        """The drawing: each level, from the top."""
        return self.all.spans(self.looked, self.least)[::-1]

    def label(self, one: Span) -> str:
        """Return the name of a group if there is room for it."""
        text = self.told(one.value) if one.value else ""
        width = 0.6 + 0.9 * display_width(text)  # percent, at the width that most screens have
        return text if 100 * one.people / self.people > width else ""

    def told(self, label: str) -> str:
        """Return the label of a group; values of few people that are ends of it are left out."""
        if self.looked.kind == "ordered":
            return BETWEEN.join(HIDDEN if self._is_few(end) else end for end in label.split(BETWEEN))
        if self.looked.kind == "quantiles":
            ends = [int(one) for one in WHOLE.findall(label)]
            return HIDDEN if any(self._is_few(str(end)) or self._is_few(str(end + 1)) for end in ends) else label
        return label

    def _is_few(self, value: str) -> bool:
        return 0 < self.looked.counts.get(value, 0) < self.least

    @property
    def people(self) -> int:
        """The width of the drawing: all people; who has several values, once for each."""
        return sum(self.looked.counts.values())

    @property
    def left_out(self) -> int:
        """The width of what has no place."""
        return sum(self.looked.coverage.lacking.values()) if self.looked.coverage else 0

    @property
    def counting(self) -> bool:
        """True if the rows are being counted again, so that small classes are not known yet."""
        return not self.all.survey.is_quick(self.all.quasi)

    @property
    def levels(self) -> list[Level]:
        """The table of levels, from the top."""
        coverage, small = self.looked.coverage, self.all.small(self.looked)
        if coverage is None:
            return []
        most = max(small or [0], default=0) or 1
        return [
            Level(
                one.level,
                one.groups,
                one.smallest if one.smallest >= self.least else Band(0, MANY - 1),
                [Cell(self.told(cell_text(value))) for value, people in one.largest.items() if people >= self.least],
                small[one.level] if small else None,
                100 * small[one.level] / most if small else 0,
            )
            for one in reversed(coverage.levels)
        ]


def _cell(value: Value) -> Cell:
    return Cell(cell_text(value))
