"""The stages of local recoding in parts: labels may depend on sensitive values, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.errors import NotAskableError
from PETWorks.making.divided import DividedTable
from PETWorks.making.local.classes import NOBODY
from PETWorks.making.local.draw import Draw
from PETWorks.making.local.losses import Losses
from PETWorks.making.local.part_place import place_parts
from PETWorks.making.local.part_polish import PartPolish
from PETWorks.making.local.part_sweep import sweep_parts
from PETWorks.making.local.pieces import PieceClasses
from PETWorks.making.local.polish import Outside
from PETWorks.making.local.stages import Stage, Stages
from PETWorks.making.table import RawTable
from PETWorks.measure.base import Measure


class PartStages(Stages):
    """The same stages, with pieces in the place of combinations."""

    classes: PieceClasses
    placed = False  # True: everybody is placed

    def __init__(self, table: RawTable, goals: Sequence[Measure], losses: Losses, **asked: Any) -> None:  # noqa: ANN401
        self.whole = table
        super().__init__(DividedTable.by_entry(table), goals, losses, **asked)
        for goal in self.judge.slow:
            problem = (
                f"parts does not go with {goal.name} here: counts of sensitive values, as far as they fit in memory"
            )
            raise NotAskableError(f"{problem}, do not tell whether a class meets it", hint="omit parts")
        self._draw = Draw.of(self.judge)

    def _classes(self, values: IntArray) -> PieceClasses:
        return PieceClasses(self.forest, values, self.start.counts, self.judge.spreads)

    @property
    def table(self) -> RawTable:
        """The table divided into the pieces that are members of the present classes."""
        return DividedTable.into(self.whole, self.classes.entry, self.classes.rows.astype(np.int64))

    def stages(  # type: ignore[override]
        self, rounds: int | None, deadline: float | None, done: int, start: Stage | None = None
    ) -> Iterator[Stage]:
        """Yield every stage that meets the goals: from a sweep on, or from a stage of combinations as a whole."""
        if start is None:
            self._sweep()
            yield from self._placed(done)
            self.placed = True
        else:
            facts = start.table.released(start.table.labels(start.levels), start.suppressed)
            self.classes.gather(facts.lifted.of_combination[self.whole.of_entry])
        yield from self._polished(rounds, deadline, done)

    def _sweep(self) -> None:
        self.classes.gather(np.full(len(self.start.counts), NOBODY))
        everybody = np.flatnonzero(~self.forest.suppressed(self.classes.leaves))
        self.classes.divide(*sweep_parts(self.forest, self.classes.values, self.judge, self._draw, everybody))

    def _place(self) -> None:
        place_parts(self.classes, self.judge, self.outside.loss)

    def _polish(self, outside: Outside) -> PartPolish:
        return PartPolish(self.classes, self.judge, outside)
