"""Local recoding from beginning to end: sweep, place, polish; every stage is measured, and the best one is returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PETWorks.counting.tally import IntArray, Mask
from PETWorks.making.local.losses import Losses
from PETWorks.making.local.part_stages import PartStages
from PETWorks.making.local.stages import Stage, Stages, Start
from PETWorks.making.table import RawTable
from PETWorks.measure.base import Measure

Listener = Callable[[str, int, float], None]  # called with the stage, the rounds of polishing, and the loss


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """The best release that local recoding found."""

    table: RawTable  # whose combinations have these levels
    levels: tuple[IntArray, ...]  # by column, the level of each combination
    suppressed: Mask  # by combination
    stage: str  # "given", "placed", "polished", "suppressed": what brought it about
    rounds: int  # rounds of polishing that were completed
    loss: float
    complete: bool  # True: polishing ended because it gained too little, not because of time or rounds


def recode_locally(
    table: RawTable,
    goals: Sequence[Measure],
    losses: Losses,
    *,
    allowed: int = 0,
    crowd: int = 0,
    removes: bool = False,
    ranges: Sequence[range] | None = None,
    start: Start | None = None,
    parts: bool = False,
    polish_rounds: int | None = None,
    deadline: float | None = None,
    listener: Listener | None = None,
) -> LocalRecoding:
    """Return the release with the least loss that was found, in which rows may have different levels.

    At most `allowed` rows are suppressed, and if any, then at least `crowd`. If it `removes` them from the release,
    what is left holds by itself, too. `ranges` restricts the levels of columns.

    `start` is a release that is known to meet the goals, as levels and suppressed combinations: nothing worse is
    returned. Polishing ends after some rounds, at a deadline, a time of `time.monotonic`, or at Ctrl-C; a round that
    this interrupts does not count, so that as many `polish_rounds` give the same release again.

    With `parts`, rows of one combination may get different labels, by their sensitive values. What combinations as a
    whole give is found first, in all rounds that it takes, so that nothing worse is returned; the other rounds follow.
    """
    asked: dict[str, Any] = {"ranges": ranges, "allowed": allowed, "crowd": crowd, "removes": removes}
    search, best = Stages(table, goals, losses, **asked), _Best(listener)
    pieces = PartStages(table, goals, losses, **asked) if parts else None
    best.follow(search.stages(start, polish_rounds, deadline))
    complete = search.complete
    if pieces is not None:
        whole = best.stage
        best.follow(pieces.stages(best.most(polish_rounds), deadline, best.rounds))
        if not pieces.placed:  # since Ctrl-C stopped it; what as many rounds give again has everybody placed
            best.take(pieces.stages(best.rounds, deadline, best.rounds))
        if pieces.complete and whole is not None and best.stage is whole:
            best.follow(pieces.stages(best.most(polish_rounds), deadline, best.rounds, whole))
        complete &= pieces.complete
    if best.stage is None:
        raise search.unmet()
    name, _, divided, levels, suppressed, _, loss = best.stage
    return LocalRecoding(divided, levels, suppressed, name, best.rounds, loss, complete)


class _Best:
    """The best of all stages so far."""

    stage: Stage | None = None
    rounds = 0
    stopped = False  # True: by Ctrl-C

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener

    def follow(self, stages: Iterator[Stage]) -> None:
        """Take further stages. Ctrl-C ends them, as a deadline does, unless there is nothing to return yet."""
        try:
            self.take(stages)
        except KeyboardInterrupt:
            if self.stage is None:
                raise
            self.stopped = True

    def take(self, stages: Iterator[Stage]) -> None:
        """Take further stages to the end."""
        for stage in stages:
            if self._listener is not None:
                self._listener(stage.name, stage.rounds, stage.loss)
            self.rounds = stage.rounds
            if self.stage is None or stage.loss < self.stage.loss:
                self.stage = stage

    def most(self, rounds: int | None) -> int | None:
        """Return how many rounds of polishing there may be in all: no more if they were stopped."""
        return self.rounds if self.stopped else rounds
