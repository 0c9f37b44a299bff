"""Polish pieces: some rows of a piece leave their class if all of them cannot."""

from __future__ import annotations

import numpy as np

from PETWorks.making.local.pieces import PieceClasses
from PETWorks.making.local.place import cheapest
from PETWorks.making.local.polish import ROUNDING, Polish


class PartPolish(Polish):
    """The same passes; what cannot leave its class as a whole does so in fractions of its rows."""

    classes: PieceClasses

    def _move(self, number: int) -> None:
        super()._move(number)
        classes = self.classes
        for one in [member for member in classes.members[number] if classes.rows[member] > 1]:
            share = classes.rows[one] // 2
            while share >= 1:
                if share < classes.rows[one] and self._shared(one, number, share):
                    share = min(share, classes.rows[one] // 2)
                else:
                    share //= 2

    def _shared(self, one: int, number: int, rows: float) -> bool:
        """Let some rows of a piece leave its class, which keeps its labels, if the rest holds and less is lost."""
        classes = self.classes
        new = classes.split(one, rows)
        size, counts = classes.sizes[number] - rows, classes.counts[number] - classes.spreads[new]
        if self.judge.holds(np.array([size]), counts[None])[0]:
            gain = float(rows * classes.losses[number]) * (1 - ROUNDING)
            found = cheapest(classes, self.judge, new, limit=gain, but=number)
            if found is not None:
                classes.leave(new)
                classes.join(new, found[0])
                return True
        classes.rejoin(one)
        return False
