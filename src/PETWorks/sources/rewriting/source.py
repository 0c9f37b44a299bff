"""A release that is not written yet, as a source: the rows of the original with their released cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PETWorks.counting.count import Batch
from PETWorks.sources.rewriting.rewriting import Rewriting
from PETWorks.sources.source import Source


class RewrittenSource(Source):
    """The rows that would be written, in the order of the original."""

    def __init__(self, rewriting: Rewriting) -> None:
        self.name = f"{rewriting.source.name}, anonymized"
        self.columns = tuple(rewriting.columns)
        self._rewriting = rewriting

    @property
    def encoding(self) -> str | None:
        """None: it is not in a file."""
        return None

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Read the original, and replace cells."""
        rewriting = self._rewriting
        kept = [name for name in columns if name not in rewriting.replacements]
        names = list(dict.fromkeys([*rewriting.coded, *kept]))
        read = rewriting.source.batches(names)
        for batch, _ in rewriting.reading((batch, None) for batch in read):
            found, rows = rewriting.find(batch[: len(rewriting.coded)])
            cells = {name: column.take(found) for name, column in rewriting.replacements.items() if name in columns}
            cells |= {name: batch[names.index(name)].take(rows) for name in kept}
            yield [cells[name] for name in columns]
