"""Classes of pieces: of the rows that have equal quasi-identifiers and sensitive values, some may be elsewhere."""

from __future__ import annotations

import numpy as np

from PETWorks.counting.tally import IntArray
from PETWorks.exact.scores import FloatArray
from PETWorks.making.local.classes import NOBODY, LocalClasses
from PETWorks.making.local.forest import Forest

BY_PIECE = {"entry": 0, "rows": 0, "of": 0, "values": 1, "leaves": 1, "spreads": 0}  # arrays, and which axis is that


class PieceClasses(LocalClasses):
    """Classes whose members are pieces, which can be divided further. At first, a piece is a whole entry."""

    def __init__(self, forest: Forest, values: IntArray, rows: IntArray, spreads: FloatArray) -> None:
        super().__init__(forest, values, rows, spreads)
        self.entry = np.arange(len(rows))  # by piece, its entry
        self._values, self._rows = self.values, self.rows  # by entry, as all that follow
        self._leaves, self._has = self.leaves, (spreads > 0).astype(np.float64)

    def divide(self, entry: IntArray, rows: FloatArray, ids: IntArray) -> None:
        """Replace all pieces, and all classes by those that some ids form, as `fill` does.

        Pieces of the same entry that are in the same class become one.
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
        """Replace all classes by those that some ids form, one for each piece, NOBODY for none."""
        self.divide(self.entry, self.rows, ids)

    def gather(self, ids: IntArray) -> None:
        """Replace all classes by those that some ids form, one for each entry, NOBODY for none."""
        self.divide(np.arange(len(self._rows)), self._rows, ids)

    def split(self, piece: int, rows: float) -> int:
        """Divide a piece, which has more rows than that; return the number of the new one, in the same class."""
        new = len(self.rows)
        if new == len(self._room["rows"]):
            self._room = {name: np.concatenate([one, one], BY_PIECE[name]) for name, one in self._room.items()}
        self._show(new + 1)
        for name, axis in BY_PIECE.items():
            array = np.moveaxis(getattr(self, name), axis, 0)
            array[new] = array[piece]
        self._resized(new, rows)
        self._resized(piece, self.rows[piece] - rows)
        if (number := int(self.of[piece])) != NOBODY:
            self.members[number].append(new)
        return new

    def rejoin(self, piece: int) -> None:
        """Undo the last split, which was of this piece, and after which nothing changed."""
        last = len(self.rows) - 1
        self._resized(piece, self.rows[piece] + self.rows[last])
        if (number := int(self.of[piece])) != NOBODY:
            self.members[number].pop()
        self._show(last)

    def _show(self, pieces: int) -> None:
        for name, array in self._room.items():
            setattr(self, name, array[:, :pieces] if BY_PIECE[name] else array[:pieces])

    def _resized(self, piece: int, rows: float) -> None:
        self.rows[piece] = rows
        self.spreads[piece] = self._has[self.entry[piece]] * rows
