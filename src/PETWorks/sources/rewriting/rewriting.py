"""Which cells of a table are replaced, and by what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from PETWorks.counting.count import Batch
from PETWorks.counting.lookup import Lookup
from PETWorks.counting.tally import Coded, IntArray, Mask, Tally
from PETWorks.errors import SourceError
from PETWorks.progress import advanced
from PETWorks.sources.rewriting.shuffle import Shuffle
from PETWorks.sources.source import ReadAgainError, Source

if TYPE_CHECKING:
    import pyarrow as pa

CHANGED = "the rows are not those that were counted: the table changed while the release was made"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Rewriting:
    """A table, and the released cells of each combination of its quasi-identifiers."""

    source: Source
    before: Tally  # the combinations of quasi-identifiers
    after: Mapping[str, Coded]  # by column, the released cell of each combination
    removed: Mask | None = None  # True for combinations whose rows are left out; None: all rows are kept
    marked: frozenset[str] = frozenset()  # columns whose cells all become the marker
    dropped: frozenset[str] = frozenset()  # columns that are left out
    marker: str = "*"
    encoding: str = "utf-8"  # of a CSV file, or "utf-8-sig": with a byte-order mark
    shuffle: Shuffle | None = None  # None: the rows stay in order

    @cached_property
    def coded(self) -> list[str]:
        """The columns that decide what cells become: the quasi-identifiers."""
        return [str(key) for key in self.before.columns]

    @cached_property
    def columns(self) -> list[str]:
        """The columns of the release."""
        return [name for name in self.source.columns if name not in self.dropped]

    @cached_property
    def kept(self) -> list[str]:
        """The columns whose cells stay as they are."""
        return [name for name in self.columns if name not in self.marked and name not in self.after]

    @cached_property
    def rows(self) -> int:
        """How many rows the release has."""
        return int(self.before.counts.sum() if self.removed is None else self.before.counts[~self.removed].sum())

    @cached_property
    def replacements(self) -> dict[str, Coded]:
        """The released cells of each combination, of all columns that do not stay as they are."""
        marks = Coded(np.zeros(len(self.before.counts), dtype=np.int64), [self.marker])
        return {name: self.after.get(name, marks) for name in self.columns if name in self.after or name in self.marked}

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.before)

    def find(self, batch: Batch) -> tuple[IntArray, IntArray | slice]:
        """Return the combination of each row that is kept, and which rows of the batch these are."""
        found = self._found(batch)
        if self.removed is None or not (gone := self.removed[found]).any():
            return found, slice(None)
        rows = np.flatnonzero(~gone)
        return found[rows], rows

    def _found(self, batch: Batch) -> IntArray:
        found = self._lookup.find(batch)
        if found.size and found.min() < 0:
            raise self.changed
        return found

    @property
    def changed(self) -> SourceError:
        """The error for a table that has other rows than those that were counted."""
        return SourceError(
            CHANGED, where=self.source.name, hint="make the release again from a table that stays as it is"
        )

    def ordered(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Put the rows of the release in their order."""
        return self.shuffle.apply(batches, self.rows) if self.shuffle else batches

    def reading(self, batches: Iterable[tuple[Batch, T]]) -> Iterator[tuple[Batch, T]]:
        """Pass on the batches of the source; raise an error if they are not the rows that were counted."""
        rows = 0
        try:
            for batch, others in batches:
                rows += batch[0].size
                yield batch, others
                advanced(batch[0].size)
        except ReadAgainError as error:
            raise self.changed from error
        except Exception:
            self.source.check_unchanged()  # the change may be the reason
            raise
        self.source.check_unchanged()
        if rows != self.before.rows:
            raise self.changed
