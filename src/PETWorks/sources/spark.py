"""A table on a Spark cluster. It is counted there, in one job, and only the combinations come back.

Columns are numbered inside, so that neither names that Spark takes for the same (`n` and `N`) nor dots and quotes in
them matter. What comes back is turned into text as everywhere, so the numbers are those of the same table elsewhere.
Rows have no order on a cluster: they pair by a key only (`spark_pairs.py`), and have no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import NotAskableError, SourceError
from PETWorks.outline import Grouping
from PETWorks.sources.counting import Batch, count
from PETWorks.sources.source import Source, column_names
from PETWorks.sources.spark_errors import answered
from PETWorks.sources.text import PLAIN, encode
from PETWorks.tally import IntArray, Tally, Value
from PETWorks.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

COUNTABLE = re.compile(
    r"void|string( collate \w+)?|(var)?char\(\d+\)|binary|boolean|tinyint|smallint|int|bigint|float|double"
    r"|decimal\(.*\)|date|timestamp(_ntz)?|time\(\d+\)|interval (day|hour|minute|second).*"
)
TEXT = re.compile(r"string|(var)?char\(")
BATCH_ROWS = 2**20
NO_NUMBERS = "rows on a cluster have no order, so they have no numbers"


def is_spark(table: object) -> bool:
    """Whether a table is a DataFrame of Spark's, classic or of Spark Connect; Spark is not imported for others."""
    kinds = [kind for kind in type(table).__mro__ if kind.__name__ == "DataFrame"]
    return any(kind.__module__.startswith("pyspark.sql") for kind in kinds)


class SparkSource(Source):
    """A DataFrame of Spark's."""

    def __init__(self, frame: DataFrame, name: str, columns: Sequence[str] = (), form: Sequence[str] = ()) -> None:
        self.name = name
        self._form = tuple(form)
        with answered(name):
            fields = frame.schema.fields
            self.columns = column_names(columns or [field.name for field in fields], name)
            self.kinds = [field.dataType.simpleString() for field in fields]
            self.frame = frame.toDF(*(f"c{place}" for place in range(len(fields))))

    @property
    def form(self) -> tuple[str, ...]:
        """Spark, and what it reads."""
        return ("Spark", *self._form)

    def tally(
        self, columns: Sequence[str], workspace: Workspace | None = None, grouping: Grouping | None = None
    ) -> Tally:
        """Count in the cluster."""
        with answered(self.name):
            counted = self.frame.groupBy(*self.chosen(columns)).count()
        places = [f"{self.name}, {name}" for name in columns]
        return count(self.name, columns, combinations(self.fetched(counted), places), workspace, grouping)

    def fetched(self, frame: DataFrame) -> pa.Table:
        """Run a job, and fetch what it gives."""
        try:
            with answered(self.name):
                return frame.toArrow()
        except SourceError as error:
            if problem := self.problem():
                raise problem from error
            raise

    def problem(self) -> SourceError | None:
        """Look, after a job failed, for something in the table that says why."""
        return None

    def chosen(self, columns: Sequence[str], alias: str = "g") -> list[Column]:
        """Select columns, under an alias and a number; those that cannot be counted are an error."""
        from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

        chosen = []
        for number, name in enumerate(columns):
            place = self.columns.index(name)
            kind = self.kinds[place]
            if not COUNTABLE.fullmatch(kind):
                raise SourceError(f"the column holds {kind:.60}", where=f"{self.name}, {name}", hint=PLAIN)
            cell = F.col(f"c{place}")
            if TEXT.match(kind) and kind != "string":  # a collation may take "A" and "a" for the same
                cell = F.collate(cell.cast("string"), "UTF8_BINARY")
            chosen.append(cell.alias(f"{alias}{number}"))
        return chosen

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:  # noqa: ARG002
        """Refuse: rows stay on the cluster."""
        raise NotAskableError(NO_NUMBERS, where=self.name, hint="count them, or pair them by a key: key=")

    def locate(self, column: str, values: Iterable[Value]) -> dict[Value, int]:  # noqa: ARG002
        """Find no rows: they have no numbers."""
        return {}

    def numbers(self, combinations: Tally) -> IntArray:  # noqa: ARG002
        """Refuse: rows have no numbers."""
        hint = "select the rows by their values there, or write the table to a file and measure that"
        raise NotAskableError(NO_NUMBERS, where=self.name, hint=hint)


def combinations(counted: pa.Table, places: Sequence[str]) -> Iterator[tuple[Batch, IntArray]]:
    """Code combinations, whose counts are the last column, by their text; `places` are what errors call the columns."""
    for batch in counted.combine_chunks().to_batches(BATCH_ROWS):
        *cells, counts = batch.columns
        coded = [encode(_utc(cell), place) for cell, place in zip(cells, places, strict=True)]
        yield coded, np.from_dlpack(counts)


def _utc(column: Any) -> Any:  # noqa: ANN401 (Arrow has no types)
    """Write moments in UTC, as Parquet does, whatever the time zone of the session."""
    import pyarrow as pa

    moment = pa.types.is_timestamp(column.type) and column.type.tz
    return column.cast(pa.timestamp(column.type.unit, "UTC")) if moment else column
