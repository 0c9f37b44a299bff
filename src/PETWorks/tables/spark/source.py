"""Read a table on a Spark cluster, which counts it in one job and returns only the combinations and their counts.

Inside Spark, columns are called by their number: Spark ignores case in names (`n` and `N`), and treats dots and quotes
in names specially. The values that Spark returns are turned into text as for any source, so the results are the same.
Rows on a cluster have no order. So they have no row numbers, and can be paired only by a key (`tally_pairs`).

To pair an original and its release, the union of both tables is grouped by the key, and the resulting pairs are grouped
by their values, in one job. That takes no more work than a join. If the key is wrong, for example has the same value in
every row, a join would return the square of the number of rows; a union does not. The same job counts the wrong keys.
If there are any, a second job lists them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import NotAskableError, PairingError, SourceError, TooLargeError
from PETWorks.tables.counting.count import PAIR_BYTES, Batch, build_too_large_error, count, estimate_memory
from PETWorks.tables.counting.margins import Margin
from PETWorks.tables.counting.size_histogram import Grouping, SizeSummary
from PETWorks.tables.counting.tally import Before, IntArray, Key, Tally, Value
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.source import (
    MAX_LISTED_VALUES,
    TableSource,
    build_lone_key_error,
    build_missing_key_error,
    build_repeated_key_error,
    check_column_names,
)
from PETWorks.tables.spark.errors import translate_errors
from PETWorks.tables.text_form import BLANKS, SUPPORTED_TYPES_HINT, encode

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

COUNTABLE = re.compile(
    r"void|string( collate \w+)?|(var)?char\(\d+\)|binary|boolean|tinyint|smallint|int|bigint|float|double"
    r"|decimal\(.*\)|date|timestamp(_ntz)?|time\(\d+\)|interval (day|hour|minute|second).*"
)
TEXT = re.compile(r"string|(var)?char\(")
SAME_TEXT = ("tinyint", "smallint", "int", "bigint", "boolean", "date", "void")  # Spark's text equals our text form
FLOATING = ("float", "double")
LIMIT = 2**31 - 2  # most rows that are fetched: LIMIT + 1 is the largest number that DataFrame.limit accepts
BATCH_ROWS = 2**20  # combinations that are coded at a time
NO_NUMBERS = "rows on a Spark cluster have no order, so they have no row numbers"


class SparkSource(TableSource):
    """The rows of a Spark DataFrame."""

    counts_in_cluster = True

    def __init__(self, frame: DataFrame, name: str, columns: Sequence[str] = (), form: Sequence[str] = ()) -> None:
        self.name = name
        self._form = tuple(form)
        with translate_errors(name):
            fields = frame.schema.fields
            self._stored = [*columns] or [field.name for field in fields]
            self.columns = check_column_names(self._stored, name)
            self.kinds = [field.dataType.simpleString() for field in fields]
            self.frame = frame.toDF(*(f"c{place}" for place in range(len(fields))))

    @property
    def local_kind(self) -> str:
        """A Spark DataFrame: only this process has its session."""
        return "a Spark DataFrame"

    @property
    def stored_columns(self) -> Sequence[str]:
        """The names of the DataFrame's columns."""
        return self._stored

    @property
    def form(self) -> tuple[str, ...]:
        """Spark, and the format of the files that it reads."""
        return ("Spark", *self._form)

    def tally(
        self, columns: Sequence[str], workspace: Workspace | None = None, grouping: Grouping | None = None
    ) -> Tally:
        """Count in the cluster. If there are too many combinations for this machine, they are not fetched."""
        names = [f"g{place}" for place in range(len(columns))]
        with translate_errors(self.name):
            rows = self.frame.select(*self.select(columns))
            counted = rows.groupBy(*names).count()
        try:
            each = PAIR_BYTES if grouping and grouping.person is not None else estimate_memory(1, len(columns))
            table = self.fetch_if_it_fits(counted, len(columns), workspace or Workspace(), each)
        except TooLargeError as error:
            error.summary = self._summarise(rows, columns, grouping) if grouping else None
            raise
        places = [f"{self.name}, {name}" for name in columns]
        return count(self.name, columns, read_combinations(table, places), workspace, grouping)

    def count_margins(
        self,
        columns: Sequence[str],
        workspace: Workspace | None = None,
        person: str | None = None,  # noqa: ARG002
    ) -> Mapping[str, Margin]:
        """Count each of some columns in the cluster, by rows only."""
        return {column: Margin.of(self.tally([column], workspace)) for column in columns}

    def fetch_if_it_fits(
        self, counted: DataFrame, columns: int, workspace: Workspace, each: int | None = None
    ) -> pa.Table:
        """Fetch combinations of `each` bytes with their counts; raise a TooLargeError if they are too many."""
        most = min(workspace.memory // (each or estimate_memory(1, columns)), LIMIT)
        table = self.fetch(counted.limit(most + 1))
        if table.num_rows <= most:
            return table
        many = self.fetch(counted.groupBy().count())["count"][0].as_py()
        raise build_too_large_error(self.name, columns, many, workspace)

    def _summarise(self, rows: DataFrame, columns: Sequence[str], grouping: Grouping) -> SizeSummary | None:
        """Count in the cluster how many classes have each size.

        Return None if Spark writes the type of a column in another way than PETWorks: suppressed rows are not found
        then.
        """
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        by = [columns.index(str(key)) for key in grouping.keys]
        kinds = [self.kinds[self.columns.index(columns[place])] for place in by]
        if not all(TEXT.match(kind) or kind in SAME_TEXT for kind in kinds):
            return None
        hidden = reduce(and_, (_equals_text(f"g{place}", grouping.marker) for place in by)).alias("hidden")
        of_class = rows.groupBy(*(f"g{place}" for place in by), hidden)
        histogram = self.fetch(of_class.count().groupBy("hidden", F.col("count").alias("size")).count())
        missing = [F.count_if(self._is_missing(name, F.col(f"g{place}"))) for place, name in enumerate(columns)]
        cells = self.fetch(rows.agg(*missing)).to_pylist()[0].values()
        held = Counter[bool]()  # number of rows that are suppressed (True) or not (False)
        for one in histogram.to_pylist():
            held[one["hidden"]] += one["size"] * one["count"]
        classes = {one["size"]: one["count"] for one in histogram.to_pylist() if not one["hidden"]}
        found: dict[Key, int] = {key: number for key, number in zip(columns, cells, strict=True) if number}
        summary = SizeSummary(held.total(), suppressed=held[True], histogram=classes, missing=found)
        if grouping.person is None:
            return summary
        name = str(grouping.person)
        place = f"g{columns.index(name)}"
        person, suppressed = F.col(place), _equals_text(place, grouping.marker)
        nobody = self._is_missing(name, person) | suppressed  # rows without a person are one person together
        everybody = F.count_distinct(F.when(~nobody, person)) + F.max(nobody.cast("int"))
        marked = self.fetch(rows.agg(F.count_if(suppressed).alias("rows")))["rows"][0].as_py()
        unnamed = found.pop(name, 0) + marked
        both = of_class.agg(everybody.alias("people"), F.count("*").alias("rows"))
        found_by = self.fetch(both.groupBy("hidden", "people", "rows").count()).to_pylist()
        crowds = {(one["people"], one["rows"]): one["count"] for one in found_by if not one["hidden"]}
        hiding = sum(one["people"] for one in found_by if one["hidden"])
        pairs = rows.select(*(f"g{place}" for place in by), hidden, F.when(~nobody, person).alias("who")).distinct()
        crowd = F.count("*").over(Window.partitionBy(*(f"g{place}" for place in by)))
        sizes = pairs.select("who", F.when(~F.col("hidden"), crowd).alias("size")).distinct()
        least = sizes.groupBy("who").agg(F.min("size").alias("size"))
        smallest, holders = (
            {one["size"] or 0: one["count"] for one in self.fetch(frame.groupBy("size").count()).to_pylist()}
            for frame in (least, sizes.where(F.col("size").isNotNull()))
        )
        counted = replace(summary, crowds=crowds, suppressed_people=hiding, unnamed=unnamed, marked=marked)
        return replace(counted, person=grouping.person, smallest=smallest, holders=holders)

    def _is_missing(self, name: str, cell: Column) -> Column:
        """Return a Spark expression that is true for the cells that `text_form` reads as missing."""
        from pyspark.sql import functions as F  # noqa: N812

        kind = self.kinds[self.columns.index(name)]
        if kind in FLOATING:
            return cell.isNull() | F.isnan(cell)
        if kind == "binary":
            return cell.isNull() | (F.btrim(cell.cast("string"), F.lit(BLANKS)) == "")
        return cell.isNull()

    def fetch(self, frame: DataFrame) -> pa.Table:
        """Run a job, and return its result. If it fails, raise the most specific error."""
        try:
            with translate_errors(self.name):
                return frame.toArrow()
        except SourceError as error:
            if problem := self.find_problem():
                raise problem from error
            raise

    def find_problem(self) -> SourceError | None:
        """Search the table for the cause after a job failed; return the error, or None if nothing is found."""
        return None

    def select(self, columns: Sequence[str], alias: str = "g") -> list[Column]:
        """Return columns named `alias` and a number; raise an error for a type that cannot be counted."""
        from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

        chosen = []
        for number, name in enumerate(columns):
            place = self.columns.index(name)
            kind = self.kinds[place]
            if not COUNTABLE.fullmatch(kind):
                problem = f"the column has the type {kind:.60}, which is not supported"
                raise SourceError(problem, where=f"{self.name}, {name}", hint=SUPPORTED_TYPES_HINT)
            cell = F.col(f"c{place}")
            if TEXT.match(kind):
                if kind != "string":  # a collation may treat "A" and "a" as equal
                    cell = F.collate(cell.cast("string"), "UTF8_BINARY")
                cell = F.nullif(F.btrim(cell, F.lit(BLANKS)), F.lit(""))
            chosen.append(cell.alias(f"{alias}{number}"))
        return chosen

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:  # noqa: ARG002
        """Raise an error: the rows stay on the cluster."""
        raise NotAskableError(NO_NUMBERS, where=self.name, hint="pass a column that identifies the rows: key=")

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:  # noqa: ARG002
        """Raise an error: the rows stay on the cluster."""
        hint = "let Spark write the release: frame() returns it as a Spark DataFrame"
        raise NotAskableError("the rows of a table on a Spark cluster stay there", where=self.name, hint=hint)

    def locate(self, column: str, values: Iterable[Value]) -> dict[Value, int]:  # noqa: ARG002
        """Return an empty dict, since rows on a cluster have no numbers."""
        return {}

    def find_rows(self, combinations: Tally) -> IntArray:  # noqa: ARG002
        """Raise an error: rows on a cluster have no numbers."""
        hint = "select the rows by their values in Spark, or write the table to a file and measure the file"
        raise NotAskableError(NO_NUMBERS, where=self.name, hint=hint)


def _equals_text(column: str, text: str) -> Column:
    """Return a Spark expression that is true for the cells with a text, and false for missing ones."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.coalesce(F.col(column).cast("string") == text, F.lit(False))


def read_combinations(counted: pa.Table, places: Sequence[str]) -> Iterator[tuple[Batch, IntArray]]:
    """Yield coded combinations and their counts from a table whose last column has the counts.

    `places` name the columns in errors.
    """
    for batch in counted.combine_chunks().to_batches(BATCH_ROWS):
        *cells, counts = batch.columns
        coded = [encode(convert_to_utc(cell), place) for cell, place in zip(cells, places, strict=True)]
        yield coded, np.from_dlpack(counts)


def convert_to_utc(column: Any) -> Any:  # noqa: ANN401 (Arrow has no types)
    """Convert timestamps to UTC, as in Parquet, so that they do not depend on the session's time zone."""
    import pyarrow as pa

    moment = pa.types.is_timestamp(column.type) and column.type.tz
    return column.cast(pa.timestamp(column.type.unit, "UTC")) if moment else column


WHOLE = re.compile(r"decimal\(\d+,0\)")  # the type of whole decimal numbers
TEXT_OR_WHOLE = "use a key that is text or whole numbers in both tables"


def tally_pairs(
    tables: tuple[TableSource, TableSource],
    key: str | None,
    before: Sequence[str],
    after: Sequence[str],
    workspace: Workspace | None = None,
) -> Tally:
    """Count how often each combination of original and released values occurs in rows that have the same key."""
    from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

    left, right = _require_spark(*tables)
    if key is None:
        hint = "pass a column that both tables have as key="
        raise PairingError("the rows cannot be paired: rows on a Spark cluster have no order", hint=hint, figures={})
    with translate_errors(f"{left.name} and {right.name}"):
        sides = [_select_side(left, key, before, "l"), _select_side(right, key, after, "r")]
        rows = sides[0].unionByName(sides[1], allowMissingColumns=True)
        cells = [f"l{place}" for place in range(len(before))] + [f"r{place}" for place in range(len(after))]
        of_key = [F.first(cell, ignorenulls=True).alias(cell) for cell in cells]
        pairs = rows.groupBy("k").agg(F.count("l").alias("l"), F.count("r").alias("r"), *of_key)
        wrong = F.expr("count_if(k IS NULL OR l != 1 OR r != 1)").alias("wrong")
        counted = pairs.groupBy(*cells).agg(wrong, F.expr("count(1)").alias("count"))
    try:
        table = right.fetch_if_it_fits(counted, len(cells), workspace or Workspace())
    except SourceError as error:
        if problem := left.find_problem():
            raise problem from error
        raise
    if any(table["wrong"].to_pylist()):
        raise _build_key_error(rows, key, left, right)
    keys: list[Key] = [*map(Before, before), *after]
    places = [f"{left.name}, {name}" for name in before] + [f"{right.name}, {name}" for name in after]
    return count(right.name, keys, read_combinations(table.drop(["wrong"]), places), workspace)


def _require_spark(original: TableSource, release: TableSource) -> tuple[SparkSource, SparkSource]:
    """Return both tables; raise an error unless one Spark session can read them together."""
    if not (isinstance(original, SparkSource) and isinstance(release, SparkSource)):
        there, here = (original, release) if isinstance(original, SparkSource) else (release, original)
        problem = f"the rows cannot be paired: {there.name} is on a Spark cluster, {here.name} is not"
        raise PairingError(problem, hint="read both tables with Spark, or neither of them")
    if type(original.frame) is not type(release.frame):
        problem = "the rows cannot be paired: one table is of Spark Connect, the other of a classic session"
        raise PairingError(problem, hint="read both tables in one session")
    return original, release


def _select_side(source: SparkSource, key: str, columns: Sequence[str], side: str) -> DataFrame:
    """Select the key as `k`, a constant named like the side ("l" or "r"), and the columns as side and number."""
    from pyspark.sql import functions as F  # noqa: N812

    source.require([key], "the key")
    kind = source.kinds[source.columns.index(key)]
    cell = source.select([key])[0]
    if TEXT.match(kind) or kind in SAME_TEXT or WHOLE.fullmatch(kind):
        text = cell.cast("string")
    elif kind in FLOATING:
        text = _write_whole_numbers(source, key, cell)
    else:
        problem = f'the key "{key}" has the type {kind}, which cannot pair rows on a cluster'
        raise PairingError(problem, where=source.name, hint=TEXT_OR_WHOLE)
    return source.frame.select(text.alias("k"), F.lit(1).alias(side), *source.select(columns, side))


def _write_whole_numbers(source: SparkSource, key: str, cell: Column) -> Column:
    """Return whole numbers as text without decimal point; raise an error for others, which Java writes differently."""
    from pyspark.sql import functions as F  # noqa: N812

    number = source.frame.select(cell.alias("k")).where("k IS NOT NULL AND NOT isnan(k)")
    if number.where("abs(k) >= 9e18 OR k != rint(k)").limit(1).count():
        problem = f'the key "{key}" has numbers that are not whole, or too large'
        raise PairingError(problem, where=source.name, hint=TEXT_OR_WHOLE)
    return F.when(~F.isnan(cell), cell.cast("bigint")).cast("string")


def _build_key_error(rows: DataFrame, key: str, left: SparkSource, right: SparkSource) -> PairingError:
    """Build the error for wrong keys. Missing keys come first, then repeated ones, then those in one table only.

    One job counts them all, and another lists some of the wrong keys of the kind that is reported.
    """
    from pyspark.sql import functions as F  # noqa: N812

    keys = rows.groupBy("k").agg(F.count("l").alias("l"), F.count("r").alias("r"))
    lone = "(l = 0) != (r = 0)"
    faults = {"k IS NULL AND l > 0": left, "l > 1": left, "k IS NULL AND r > 0": right, "r > 1": right, lone: right}
    counts = [F.expr(f"count_if({fault})").alias(f"n{place}") for place, fault in enumerate(faults)]
    with translate_errors(f"{left.name} and {right.name}"):
        counted = zip(faults, right.fetch(keys.agg(*counts)).to_pylist()[0].values(), strict=True)
        fault, many = next((one for one in counted if one[1]), (lone, 0))
        if fault.startswith("k IS NULL"):
            return build_missing_key_error(faults[fault].name, key)
        some = right.fetch(keys.where(fault).orderBy("k").limit(MAX_LISTED_VALUES).select("k"))["k"].to_pylist()
    if fault == lone:
        return build_lone_key_error((left.name, right.name), key, some, many)
    return build_repeated_key_error(faults[fault].name, key, some, many)
