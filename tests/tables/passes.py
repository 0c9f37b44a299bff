"""How often the rows of files are read."""

from collections.abc import Sequence

import pytest

from PETWorks.tables.formats.delimited import DelimitedSource


def list_passes(patch: pytest.MonkeyPatch) -> list[tuple[str, Sequence[str]]]:
    """Return a list that receives, for each pass over the rows of a CSV file, its name and the columns read."""
    passes, batches = [], DelimitedSource.batches
    patch.setattr(
        DelimitedSource, "batches", lambda self, columns: passes.append((self.name, columns)) or batches(self, columns)
    )
    return passes
