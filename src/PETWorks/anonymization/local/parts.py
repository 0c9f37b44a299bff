"""The stages of local recoding in parts: labels may depend on sensitive values, too.

- Sweep: of a cell that fails, the largest part that meets the goals is released.
- Place: a piece that fits into no class as a whole joins classes by half, by a quarter, and so on.
- Polish: if a piece cannot leave its class as a whole, some of its rows do.

A part of λ rows distributed like the whole table has λ·p rows of each sensitive value, with p its share of the whole
table, or all rows that the cell has of it if these are fewer. The largest λ that holds is found by bisection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from PETWorks.anonymization.local.classes import NOBODY, LocalClasses, group_cells, order_vectors
from PETWorks.anonymization.local.forest import HierarchyNodes, Losses
from PETWorks.anonymization.local.judge import DENSE, ClassJudge, Distance
from PETWorks.anonymization.local.polish import ROUNDING, OutsideRows, Polish, find_cheapest_class, gather
from PETWorks.anonymization.local.stages import MAX_LEFT_SHARE, Stage, Stages, compute_means_and_keys, look_up_nodes
from PETWorks.anonymization.table import DividedTable, RawTable
from PETWorks.errors import NotAskableError
from PETWorks.exact.limit import Limit
from PETWorks.exact.scores import FloatArray
from PETWorks.measure.base import Measure
from PETWorks.measure.privacy.beta_likeness import BetaLikeness
from PETWorks.measure.privacy.delta_disclosure import DeltaDisclosure
from PETWorks.measure.privacy.t_closeness import TCloseness
from PETWorks.tables.counting.tally import IntArray, Mask

STEPS = 7  # bisections of log λ
ROUNDED = (1 - 1e-9, 0.5)  # added before rounding down to whole rows: first to round up, then to round to the nearest
COMPARING = (TCloseness, BetaLikeness, DeltaDisclosure)  # goals that compare with the whole table
ALMOST = 1e-9  # tolerance for rounding errors


@dataclass(frozen=True, eq=False)
class Draw:
    """Draws from cells the largest part that meets the goals."""

    judge: ClassJudge
    kind: IntArray  # by entry, a number for its sensitive values
    counted: FloatArray  # by kind, the counts of sensitive values of one row
    weights: FloatArray  # by kind, its share of a part
    distances: Sequence[tuple[Distance, slice, float]]  # of t-closeness: the compared counts, and the limit

    @classmethod
    def of(cls, judge: ClassJudge) -> Draw:
        """Build a draw: parts are distributed like the whole table if goals compare with it, else evenly over kinds."""
        judged = np.zeros(judge.spreads.shape[1], dtype=bool)
        for goal in judge.by_value:
            only = getattr(goal, "sensitive", None)
            for name in judge.attributes if only is None else [only]:
                judged[judge.attributes[name].columns] = True
        has, kind = np.unique(judge.spreads[:, judged] > 0, axis=0, return_inverse=True)
        if has.shape[0] * len(judge.spreads) > DENSE:
            problem = (
                f"parts divides rows by sensitive values, of which {len(has):,} different combinations occur: too many"
            )
            hint = "omit parts, or let the requirement name one sensitive attribute: sensitive="
            raise NotAskableError(problem, hint=hint)
        counted = np.zeros((len(has), len(judged)))
        counted[:, judged] = has
        rows = np.bincount(kind.reshape(-1), judge.table.counts)
        like = any(isinstance(goal, COMPARING) for goal in judge.goals)
        weights = rows / rows.sum() if like else np.ones(len(rows))
        return cls(judge, kind.reshape(-1), counted, weights, list(_list_distances(judge)))

    def draw_parts(self, cells: FloatArray) -> FloatArray:
        """Return, by cell and kind, the rows of the largest part that holds; 0 for a cell without such a part."""
        found = np.zeros_like(cells)
        able = np.flatnonzero(self._find_able(cells))
        for rounded in ROUNDED:
            some = cells[able]
            low, high = np.ones(len(able)), (some / self.weights).max(axis=1, initial=1)
            for _ in range(STEPS if len(able) else 0):
                middle = np.sqrt(low * high)  # the same on every machine, unlike a logarithm
                part = np.minimum(some, np.floor(middle[:, None] * self.weights + rounded))
                holds = self._find_holding(part)
                found[able[holds]] = part[holds]
                low, high = np.where(holds, middle, low), np.where(holds, high, middle)
            able = able[~found[able].any(axis=1)]
        return found

    def _find_able(self, cells: FloatArray) -> Mask:
        """Return a mask of the cells of which a part may hold: enough rows remain after the necessary suppression."""
        sizes, counts = cells.sum(axis=1), cells @ self.counted
        able = np.ones(len(cells), dtype=bool)
        for distance, columns, most in self.distances:
            able &= distance.bound_parts(counts[:, columns], self.judge.least) <= most + ALMOST
        others = [goal for goal in self.judge.by_value if not isinstance(goal, TCloseness)]
        for goal in others:
            where = np.flatnonzero(able)
            if len(where):
                left = sizes[where] * (1 - self.judge.compute_floor(goal, sizes[where], counts[where]))
                able[where] = left >= self.judge.least - ALMOST
        return able

    def _find_holding(self, parts: FloatArray) -> Mask:
        sizes = parts.sum(axis=1)
        holding: Mask = sizes >= self.judge.least
        where = np.flatnonzero(holding)
        if len(where):
            holding[where] = self.judge.find_holding(sizes[where], parts[where] @ self.counted)
        return holding


def _list_distances(judge: ClassJudge) -> Iterator[tuple[Distance, slice, float]]:
    for goal in judge.by_value:
        if isinstance(goal, TCloseness) and goal.t is not None:
            for name in judge.attributes if goal.sensitive is None else [goal.sensitive]:
                one = judge.attributes[name]
                distance = Distance.of(goal, one.spread, judge.table.facts)
                yield distance, one.columns, float(Limit.of(goal.t).exact)


BY_PIECE = {"entry": 0, "rows": 0, "of": 0, "values": 1, "leaves": 1, "spreads": 0}  # arrays, and their axis of pieces


class PieceClasses(LocalClasses):
    """Classes whose members are pieces, which can be divided further. Initially, a piece is a whole entry."""

    def __init__(self, forest: HierarchyNodes, values: IntArray, rows: IntArray, spreads: FloatArray) -> None:
        super().__init__(forest, values, rows, spreads)
        self.entry = np.arange(len(rows))  # by piece, its entry
        self._values, self._rows = self.values, self.rows  # by entry, as all that follow
        self._leaves, self._has = self.leaves, (spreads > 0).astype(np.float64)

    def divide(self, entry: IntArray, rows: FloatArray, ids: IntArray) -> None:
        """Replace all pieces and all classes: each piece is so many `rows` of an `entry`, and goes to a class of `ids`.

        NOBODY stands for no class. Pieces of the same entry in the same class are merged.
        """
        packed = entry * (int(ids.max(initial=NOBODY)) + 2) + ids + 1
        _, first, piece = np.unique(packed, return_index=True, return_inverse=True)
        self.entry, self.rows = entry[first], np.bincount(piece, rows, len(first)).astype(np.float64)
        self.values, self.leaves = self._values[:, self.entry], self._leaves[:, self.entry]
        self.spreads = self._has[self.entry] * self.rows[:, None]
        self.of = np.full(len(first), NOBODY)
        self._room = {name: getattr(self, name) for name in BY_PIECE}
        super().fill(ids[first])

    def fill(self, ids: IntArray) -> None:
        """Assign each piece to the class with its number in `ids`; NOBODY stands for no class."""
        self.divide(self.entry, self.rows, ids)

    def gather(self, ids: IntArray) -> None:
        """Make each entry one piece again, and assign it to the class with its number in `ids`; NOBODY: to none."""
        self.divide(np.arange(len(self._rows)), self._rows, ids)

    def split(self, piece: int, rows: float) -> int:
        """Split `rows` off a piece, which must have more; return the number of the new piece, in the same class."""
        new = len(self.rows)
        if new == len(self._room["rows"]):
            self._room = {name: np.concatenate([one, one], BY_PIECE[name]) for name, one in self._room.items()}
        self._show(new + 1)
        for name, axis in BY_PIECE.items():
            array = np.moveaxis(getattr(self, name), axis, 0)
            array[new] = array[piece]
        self._set_rows(new, rows)
        self._set_rows(piece, self.rows[piece] - rows)
        if (number := int(self.of[piece])) != NOBODY:
            self.members[number].append(new)
        return new

    def rejoin(self, piece: int) -> None:
        """Undo the last split, which must have been of this piece, with no change since."""
        last = len(self.rows) - 1
        self._set_rows(piece, self.rows[piece] + self.rows[last])
        if (number := int(self.of[piece])) != NOBODY:
            self.members[number].pop()
        self._show(last)

    def _show(self, pieces: int) -> None:
        for name, array in self._room.items():
            setattr(self, name, array[:, :pieces] if BY_PIECE[name] else array[:pieces])

    def _set_rows(self, piece: int, rows: float) -> None:
        self.rows[piece] = rows
        self.spreads[piece] = self._has[self.entry[piece]] * rows


def place_parts(classes: PieceClasses, judge: ClassJudge, suppressing: float) -> None:
    """Let every piece join classes: first where this costs less than `suppressing` a row, then at any price.

    Pieces that no class can take stay outside.
    """
    for one in _order_left(classes, -classes.rows):
        settle(classes, judge, one, suppressing)
    costs = np.full(len(classes.rows), np.inf)
    left = np.flatnonzero(classes.of == NOBODY).tolist()
    costs[left] = [classes.find_prices(one)[1].min(initial=np.inf) for one in left]
    for one in _order_left(classes, costs):
        settle(classes, judge, one, np.inf)
        if classes.of[one] == NOBODY:
            gather(classes, judge, one)


def _order_left(classes: PieceClasses, rank: np.ndarray) -> Iterator[int]:
    left = np.flatnonzero((classes.of == NOBODY) & ~classes.forest.find_suppressed(classes.leaves))
    yield from left[np.argsort(rank[left], kind="stable")].tolist()


def settle(classes: PieceClasses, judge: ClassJudge, one: int, price: float) -> None:
    """Add a suppressed piece, or as many of its rows as possible, to the classes where a row loses at most `price`."""
    share = classes.rows[one]
    while share >= 1:
        part = one if share >= classes.rows[one] else classes.split(one, share)
        found = find_cheapest_class(classes, judge, part, limit=classes.rows[part] * price)
        if found is not None:
            classes.join(part, found[0])
            if part == one:
                return
            share = min(share, classes.rows[one])
        else:
            if part != one:
                classes.rejoin(one)
            share //= 2


class PartPolish(Polish):
    """The passes of `Polish`; a piece that cannot leave its class as a whole leaves by fractions of its rows."""

    classes: PieceClasses

    def _move(self, number: int) -> None:
        super()._move(number)
        classes = self.classes
        for one in [member for member in classes.members[number] if classes.rows[member] > 1]:
            share = classes.rows[one] // 2
            while share >= 1:
                if share < classes.rows[one] and self._move_rows(one, number, share):
                    share = min(share, classes.rows[one] // 2)
                else:
                    share //= 2

    def _move_rows(self, one: int, number: int, rows: float) -> bool:
        """Move some rows of a piece to another class if the rest of its class holds and less is lost."""
        classes = self.classes
        new = classes.split(one, rows)
        size, counts = classes.sizes[number] - rows, classes.counts[number] - classes.spreads[new]
        if self.judge.find_holding(np.array([size]), counts[None])[0]:
            gain = float(rows * classes.losses[number]) * (1 - ROUNDING)
            found = find_cheapest_class(classes, self.judge, new, limit=gain, but=number)
            if found is not None:
                classes.leave(new)
                classes.join(new, found[0])
                return True
        classes.rejoin(one)
        return False


DividedRows = tuple[IntArray, FloatArray, IntArray]  # pieces: the entry of each, its rows, and its class or NOBODY


def sweep_parts(forest: HierarchyNodes, values: IntArray, judge: ClassJudge, draw: Draw, left: IntArray) -> DividedRows:
    """Return pieces and their classes; NOBODY is the class of rows in no part that holds.

    `left` are the entries to release.
    """
    rows = judge.table.counts.astype(np.float64)
    means, keys_of = compute_means_and_keys(forest, values, rows, left)
    counts, kind, classes = rows[left], draw.kind[left], 0
    found = list[DividedRows]()
    for vector in order_vectors(means):
        if not len(left):
            break
        crowded, cell, starts = group_cells(keys_of(vector), counts, judge.least)
        if not len(crowded):
            continue
        large = np.add.reduceat(counts[crowded], starts) >= judge.least
        large &= ~forest.find_suppressed(look_up_nodes(forest, values[:, left[crowded[starts]]], vector))
        if not large.any():
            continue
        crowded, cell = crowded[large[cell]], (np.cumsum(large) - 1)[cell[large[cell]]]
        drawn = _draw_rows(draw, counts[crowded], cell, kind[crowded])
        some = drawn > 0
        found.append((left[crowded[some]], drawn[some], classes + cell[some]))
        classes += int(large.sum())
        counts[crowded] -= drawn
        kept = counts > 0
        if kept.sum() < MAX_LEFT_SHARE * len(left):
            left, counts, kind = left[kept], counts[kept], kind[kept]
            keys_of.keep(kept)
    entry, drawn, ids = (np.concatenate(parts) for parts in zip(*found, (left[:0], counts[:0], left[:0]), strict=True))
    rest = rows - np.bincount(entry, drawn, len(rows))
    others = np.flatnonzero(rest)
    nobody = np.full(len(others), NOBODY)
    return np.append(entry, others), np.append(drawn, rest[others]), np.append(ids, nobody)


def _draw_rows(draw: Draw, rows: FloatArray, cell: IntArray, kind: IntArray) -> FloatArray:
    """Return how many rows of each entry are released: all of a cell that holds, else those of its largest part.

    A part takes its rows of a kind from the entries of the cell in turn, the smallest first: the rest of a large entry
    is easier to place, since it can be divided.
    """
    kinds = len(draw.weights)
    place = cell * kinds + kind
    cells = np.bincount(place, rows, (int(cell[-1]) + 1) * kinds).reshape(-1, kinds).astype(np.float64)
    holding = draw.judge.find_holding(cells.sum(axis=1), cells @ draw.counted)
    taken = np.where(holding[:, None], cells, 0)
    taken[~holding] = draw.draw_parts(cells[~holding])
    drawn, wanted = np.zeros_like(rows), taken.ravel()[place]
    some = np.flatnonzero(wanted)
    if len(some):
        order = some[np.lexsort((rows[some], place[some]))]
        before = np.cumsum(rows[order]) - rows[order]
        new = np.append(True, np.diff(place[order]) != 0)
        before -= np.maximum.accumulate(np.where(new, before, 0))
        drawn[order] = np.clip(wanted[order] - before, 0, rows[order])
    return drawn


class PartStages(Stages):
    """The stages of local recoding with pieces in place of combinations."""

    classes: PieceClasses
    placed = False  # True: all pieces are placed

    def __init__(self, table: RawTable, goals: Sequence[Measure], losses: Losses, **asked: Any) -> None:  # noqa: ANN401
        self.whole = table
        super().__init__(DividedTable.divide_by_entry(table), goals, losses, **asked)
        for goal in self.judge.slow:
            problem = (
                f"parts does not go with {goal.name} here: counts of sensitive values, as far as they fit in memory"
            )
            raise NotAskableError(f"{problem}, do not tell whether a class meets it", hint="omit parts")
        self._draw = Draw.of(self.judge)

    def _build_classes(self, values: IntArray) -> PieceClasses:
        return PieceClasses(self.forest, values, self.start.counts, self.judge.spreads)

    @property
    def table(self) -> RawTable:
        """The table divided into the pieces that are the members of the current classes."""
        return DividedTable.divide(self.whole, self.classes.entry, self.classes.rows.astype(np.int64))

    def iterate_stages(  # type: ignore[override]
        self, rounds: int | None, deadline: float | None, done: int, start: Stage | None = None
    ) -> Iterator[Stage]:
        """Yield the release of every stage that meets the goals, from a sweep or from a stage of whole combinations."""
        if start is None:
            self._sweep()
            yield from self._yield_placed(done)
            self.placed = True
        else:
            facts = start.table.build_facts_from_labels(start.table.look_up_labels(start.levels), start.suppressed)
            self.classes.gather(facts.combination_labels.of_combination[self.whole.of_entry])
        yield from self._yield_polished(rounds, deadline, done)

    def _sweep(self) -> None:
        self.classes.gather(np.full(len(self.start.counts), NOBODY))
        everybody = np.flatnonzero(~self.forest.find_suppressed(self.classes.leaves))
        self.classes.divide(*sweep_parts(self.forest, self.classes.values, self.judge, self._draw, everybody))

    def _place(self) -> None:
        place_parts(self.classes, self.judge, self.outside.loss)

    def _polish(self, outside: OutsideRows) -> PartPolish:
        return PartPolish(self.classes, self.judge, outside)
