"""What a search yields: the released cells of every combination of quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PETWorks.counting.tally import Coded, Mask, Tally


@dataclass(frozen=True, eq=False)
class Recoding:
    """A map from each combination of the original's quasi-identifiers to released cells."""

    before: Tally  # the combinations of the original's quasi-identifiers, sorted, with their counts
    after: Mapping[str, Coded]  # by quasi-identifier: the released cell of each combination
    suppressed: Mask  # True for combinations that have the marker in every column
    divided: bool = False  # True: `before` has pieces, as `DividedTable` has; those of one entry are adjacent
