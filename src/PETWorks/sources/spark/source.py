"""A table on a Spark cluster. It is counted there, in one job, and only the combinations come back.

Columns are numbered inside, so that neither names that Spark takes for the same (`n` and `N`) nor dots and quotes in
them matter. What comes back is turned into text as everywhere, so the numbers are those of the same table elsewhere.
Rows have no order on a cluster: they pair by a key only (`spark_pairs.py`), and have no numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.counting.count import Batch, count, needed, too_large
from PETWorks.counting.memory import Workspace
from PETWorks.counting.size_histogram import Grouping, Outline
from PETWorks.counting.tally import IntArray, Key, Tally, Value
from PETWorks.errors import NotAskableError, SourceError, TooLargeError
from PETWorks.sources.source import Source, column_names
from PETWorks.sources.spark.errors import answered
from PETWorks.sources.text_form import PLAIN, encode

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

COUNTABLE = re.compile(
    r"void|string( collate \w+)?|(var)?char\(\d+\)|binary|boolean|tinyint|smallint|int|bigint|float|double"
    r"|decimal\(.*\)|date|timestamp(_ntz)?|time\(\d+\)|interval (day|hour|minute|second).*"
)
TEXT = re.compile(r"string|(var)?char\(")
SAME_TEXT = ("tinyint", "smallint", "int", "bigint", "boolean", "date", "void")  # that Spark writes as we do
FLOATING = ("float", "double")
LIMIT = 2**31 - 2  # rows that Spark can be evaluated for
SPACES = "".join(map(chr, range(0x2000, 0x200B)))  # of all widths
BLANKS = f"\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680{SPACES}\u2028\u2029\u202f\u205f\u3000"  # what str.strip() cuts
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
        """Count in the cluster; combinations that are too many for this machine stay there."""
        names = [f"g{place}" for place in range(len(columns))]
        with answered(self.name):
            rows = self.frame.select(*self.chosen(columns))
            counted = rows.groupBy(*names).count()
        try:
            table = self.fetched_if_it_fits(counted, len(columns), workspace or Workspace())
        except TooLargeError as error:
            error.outline = self._outline(rows, columns, grouping) if grouping else None
            raise
        places = [f"{self.name}, {name}" for name in columns]
        return count(self.name, columns, combinations(table, places), workspace, grouping)

    def fetched_if_it_fits(self, counted: DataFrame, columns: int, workspace: Workspace) -> pa.Table:
        """Fetch combinations, but no more than memory can hold; an error says how many there are if they are more."""
        most = min(workspace.memory // needed(1, columns), LIMIT)
        table = self.fetched(counted.limit(most + 1))
        if table.num_rows <= most:
            return table
        many = self.fetched(counted.groupBy().count())["count"][0].as_py()
        raise too_large(self.name, columns, many, workspace)

    def _outline(self, rows: DataFrame, columns: Sequence[str], grouping: Grouping) -> Outline | None:
        """Find out in the cluster how large classes are; None if it cannot tell there which rows are suppressed."""
        from pyspark.sql import functions as F  # noqa: N812

        by = [columns.index(str(key)) for key in grouping.keys]
        kinds = [self.kinds[self.columns.index(columns[place])] for place in by]
        if not all(TEXT.match(kind) or kind in SAME_TEXT for kind in kinds):
            return None
        marked = [F.coalesce(F.col(f"g{place}").cast("string") == grouping.marker, F.lit(False)) for place in by]
        hidden = reduce(and_, marked).alias("hidden")
        sizes = rows.groupBy(*(f"g{place}" for place in by), hidden).count()
        histogram = self.fetched(sizes.groupBy("hidden", F.col("count").alias("size")).count())
        missing = [F.count_if(self._missing(name, F.col(f"g{place}"))) for place, name in enumerate(columns)]
        cells = self.fetched(rows.agg(*missing)).to_pylist()[0].values()
        held = Counter[bool]()  # rows that are hidden, or not
        for one in histogram.to_pylist():
            held[one["hidden"]] += one["size"] * one["count"]
        classes = {one["size"]: one["count"] for one in histogram.to_pylist() if not one["hidden"]}
        found: dict[Key, int] = {key: number for key, number in zip(columns, cells, strict=True) if number}
        return Outline(held.total(), suppressed=held[True], histogram=classes, missing=found)

    def _missing(self, name: str, cell: Column) -> Column:
        """Whether a cell counts as missing, as it does when its text is read here."""
        from pyspark.sql import functions as F  # noqa: N812

        kind = self.kinds[self.columns.index(name)]
        if kind in FLOATING:
            return cell.isNull() | F.isnan(cell)
        if kind == "binary":
            return cell.isNull() | (F.btrim(cell.cast("string"), F.lit(BLANKS)) == "")
        return cell.isNull()

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
            if TEXT.match(kind):
                if kind != "string":  # a collation may take "A" and "a" for the same
                    cell = F.collate(cell.cast("string"), "UTF8_BINARY")
                cell = F.nullif(F.btrim(cell, F.lit(BLANKS)), F.lit(""))
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
