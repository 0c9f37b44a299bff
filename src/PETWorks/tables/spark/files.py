"""Read files with Spark instead of PETWorks (Parquet, and single CSV files), and build a release on a Spark DataFrame.

The header and the delimiter of a CSV file are read here, as for any CSV file; Spark parses the other lines. Spark's
parser accepts two faults that would change the results. Bytes that are not UTF-8 become replacement characters, and a
quote that is never closed makes one cell of all the rows after it. So the lines are checked once for these faults.

A release is an expression on the user's DataFrame; rows are read only when the user writes or counts it. The released
cells of each combination are a small table, which Spark sends to all workers and joins by the text form of
quasi-identifiers. Where Spark would write a type differently, the distinct values of the column are fetched first, and
joined with their text forms.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Sequence
from functools import cached_property, reduce
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from PETWorks.errors import (
    EncodingError,
    MalformedError,
    MissingFileError,
    ParameterError,
    Quantity,
    SourceError,
    did_you_mean,
)
from PETWorks.tables.counting.texts import integer_array, text_array
from PETWorks.tables.records import read_header
from PETWorks.tables.rewriting.cells import CHANGED, Rewriting
from PETWorks.tables.source import check_column_names
from PETWorks.tables.spark.errors import EVERYWHERE, translate_errors
from PETWorks.tables.spark.source import SAME_TEXT, TEXT, SparkSource, convert_to_utc
from PETWorks.tables.text_form import encode

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

SCHEME = re.compile(r"[A-Za-z][\w+.-]*:/")
PATTERN = re.compile(r"([\[\]{}*?\\])")  # characters of glob patterns, which are escaped in a path
PARQUET = "PAR1"
TO_PARQUET = "write the table as Parquet"
CSV = {
    "header": True,  # skip the first line, which was already read
    "enforceSchema": True,
    "multiLine": True,  # allow line breaks in cells; a single worker then reads the file
    "lineSep": "\n",  # the CR of CRLF is trimmed; Spark's own detection fails if a file has both LF and CRLF
    "escape": '"',
    "unescapedQuoteHandling": "RAISE_ERROR",
    "ignoreLeadingWhiteSpace": True,
    "ignoreTrailingWhiteSpace": True,
    "columnPruning": False,  # with it, Spark does not check the number of cells in a row
    "columnNameOfCorruptRecord": "ragged",
}


class SparkPath(str):  # noqa: SLOT000 (few are made)
    """A path, or an address such as hdfs://…, that a Spark session opens."""

    spark: SparkSession

    def __new__(cls, path: str | os.PathLike[str], spark: SparkSession) -> Self:
        """Build the text of the path, and keep the session with it."""
        made = super().__new__(cls, os.fspath(path))
        made.spark = spark
        return made

    @classmethod
    def from_folder(cls, folder: Path, path: str, spark: SparkSession) -> Self:
        """Build one from an address, or from a path that is relative to a folder."""
        return cls(path if SCHEME.match(path) else folder / path, spark)

    def open(self, delimiter: str | None = None, encoding: str | None = None) -> SparkSource:
        """Open the table. Its first bytes decide whether it is Parquet or CSV."""
        name = self.rstrip("/").rpartition("/")[2] or str(self)
        if self._options and self.local and not next(self.local.rglob("*.parquet"), None):
            raise MalformedError("the folder holds no .parquet file", where=name, hint=TO_PARQUET, figures={})
        try:
            with translate_errors(str(self)):
                lines = self.spark.read.options(**self._options).text(self._address, lineSep="\n").select("value")
                files, first = lines.inputFiles(), [str(row[0]) for row in lines.head(1)]
        except MissingFileError as error:
            near = [other.name for other in Path(self).parent.iterdir()] if Path(self).parent.is_dir() else []
            hint = EVERYWHERE if SCHEME.match(self) else did_you_mean(name, near)
            raise MissingFileError(error.template, where=str(self), hint=hint) from error
        if not first:
            raise MalformedError(
                "the file is empty", where=name, hint="the first line must name the columns", figures={}
            )
        if first[0].startswith(PARQUET):
            with translate_errors(name):
                frame = self.spark.read.options(**self._options).parquet(self._address, mergeSchema=True)
            many = [f"{len(files):,} files"] if len(files) > 1 else []
            return SparkFile(self, frame, name, form=["Parquet", *many])
        if len(files) > 1:
            problem, figures = "found {files:,} files that are not Parquet", {"files": len(files)}
            raise MalformedError(problem, where=name, hint=TO_PARQUET, figures=figures)
        if encoding and codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig", "ascii"):
            problem = f"a CSV file that Spark reads must be UTF-8, not {encoding}"
            raise ParameterError(problem, where=name, hint=TO_PARQUET)
        return SparkCSV(self, name, first[0].removeprefix("\ufeff"), delimiter)

    @property
    def local(self) -> Path | None:
        """The path of the file or folder if it is on this machine, else None."""
        path = Path(self.removeprefix("file://") if self.startswith("file:///") else self)
        return path.absolute() if path.exists() else None

    @property
    def _options(self) -> dict[str, str]:
        """The option that makes Spark read only the *.parquet files of a folder."""
        return {"pathGlobFilter": "*.parquet"} if self.local and self.local.is_dir() else {}

    @cached_property
    def _address(self) -> str:
        """The address for Spark. A path that exists here becomes a file:// address with glob characters escaped."""
        return "file://" + PATTERN.sub(r"\\\1", str(self.local)) if self.local else str(self)

    def read(self, kind: str, **options: Any) -> DataFrame:  # noqa: ANN401
        """Return the DataFrame that Spark reads from this path in the format `kind`."""
        schema = options.pop("schema", None)
        reader = self.spark.read.format(kind).options(**options)
        return (reader.schema(schema) if schema else reader).load(self._address)


class SparkFile(SparkSource):
    """A table in files that Spark reads."""

    def __init__(
        self, path: SparkPath, frame: DataFrame, name: str, columns: Sequence[str] = (), form: Sequence[str] = ()
    ) -> None:
        super().__init__(frame, name, columns, form)
        self.path = path

    @property
    def files(self) -> Sequence[Path]:
        """The paths of the files if they are on this machine, else none."""
        if (path := self.path.local) is None:
            return ()
        return sorted(path.rglob("*.parquet")) if path.is_dir() else (path,)


class SparkCSV(SparkFile):
    """A CSV file that Spark reads."""

    read_with = ("delimiter", "encoding")

    def __init__(self, path: SparkPath, name: str, header: str, delimiter: str | None) -> None:
        self._delimiter, first = read_header(header, delimiter, name)
        columns = check_column_names(first.cells, f"{name}, line 1")
        if len(columns) == 1:
            problem = "Spark cannot read a CSV file of one column: it would skip blank lines, which are rows"
            raise MalformedError(problem, where=name, hint=TO_PARQUET, figures={})
        self._schema = ", ".join(f"c{place} string" for place in range(len(columns)))
        self.path = path
        with translate_errors(name):
            frame = self._parse("FAILFAST", self._schema)
        mark = {"\t": "tab"}.get(self._delimiter, self._delimiter)
        super().__init__(path, frame, name, columns, ["CSV", "UTF-8", f'"{mark}"'])

    def select(self, columns: Sequence[str], alias: str = "g") -> list[Column]:
        """Return the columns, after checking the lines of the file."""
        if self._line_error:
            raise self._line_error
        return super().select(columns, alias)

    def find_problem(self) -> SourceError | None:
        """Return the error for rows that have too few or too many cells; None if there are none."""
        with translate_errors(self.name):
            lines = self._parse("PERMISSIVE", f"{self._schema}, ragged string")
            # Spark refuses a query on the column of corrupt records only, so another column is selected too.
            found = lines.where("ragged IS NOT NULL").selectExpr("count(1)", "max(c0)").head()
        if not found or not (ragged := found[0]):
            return None
        problem = "{rows} with more or fewer cells than the {columns} columns of the header"
        hint = "cells are delimited by {delimiter!r}; quote a cell that contains it"
        figures = {"rows": Quantity(ragged, "row"), "columns": len(self.columns), "delimiter": self._delimiter}
        return MalformedError(problem, where=self.name, hint=hint, figures=figures)

    @cached_property
    def _line_error(self) -> SourceError | None:
        """Check the lines for faults that Spark's parser accepts; return the error, or None."""
        quotes = "sum(length(value) - length(replace(value, '\"')))"
        counts = [quotes, "count_if(NOT is_valid_utf8(value))", "count_if(contains(value, char(0)))"]
        with translate_errors(self.name):
            marks, foreign, nul = self.path.read("text", lineSep="\n").selectExpr(*counts).head() or (0, 0, 0)
        if foreign:
            figures = {"lines": Quantity(foreign, "line is", "lines are")}
            return EncodingError("{lines} not UTF-8", where=self.name, hint=TO_PARQUET, figures=figures)
        if nul:
            figures = {"lines": Quantity(nul, "line")}
            return MalformedError("{lines} with a NUL byte", where=self.name, hint=TO_PARQUET, figures=figures)
        if (marks or 0) % 2:
            hint = 'write a quote inside quotes as ""'
            return MalformedError("a quote is opened and never closed", where=self.name, hint=hint, figures={})
        return None

    def _parse(self, mode: str, schema: str) -> DataFrame:
        return self.path.read("csv", sep=self._delimiter, mode=mode, schema=schema, **CSV)


def rewrite_frame(rewriting: Rewriting, source: SparkSource) -> DataFrame:
    """Return the release as a DataFrame. A job on it fails if a row has values that were not counted."""
    from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

    with translate_errors(source.name):
        rows = source.frame
        for place, name in enumerate(rewriting.coded):
            rows = _add_text(rows, source, name, f"t{place}")
        cells = F.broadcast(rows.sparkSession.createDataFrame(_build_combination_table(rewriting)))
        same = [F.col(f"t{place}").eqNullSafe(F.col(f"k{place}")) for place in range(len(rewriting.coded))]
        joined = rows.join(cells, reduce(and_, same), "left").where("removed IS NULL OR removed = 0")
        lost = F.when(F.col("removed").isNull(), F.raise_error(F.lit(CHANGED)))
        cells_of = {name: _unify_cells(source, name) for name in rewriting.unchanged}
        new = {
            name: lost.otherwise(F.col(f"a{place}") if (own := cells_of.get(name)) is None else own)
            for place, name in enumerate(rewriting.after)
        }
        new |= {name: F.lit(rewriting.marker) for name in rewriting.marked}
        places = dict(zip(rewriting.columns, source.find_places(rewriting.columns), strict=True))
        chosen = [new.get(name, F.col(f"c{place}")).alias(f"o{place}") for name, place in places.items()]
        released = joined.select(*chosen).toDF(*(source.stored_columns[place] for place in places.values()))
        return released.orderBy(F.rand(rewriting.shuffle.seed)) if rewriting.shuffle else released


def _unify_cells(source: SparkSource, name: str) -> Column | None:
    """Return the cells of an unchanged column, without -0.0 and NaN; None for text, which may have blanks around it."""
    from pyspark.sql import functions as F  # noqa: N812

    place = source.columns.index(name)
    kind, cell = source.kinds[place], F.col(f"c{place}")
    if kind in ("double", "float"):
        return F.when(~F.isnan(cell), (cell + F.lit(0.0)).cast(kind))
    return None if TEXT.match(kind) or kind == "binary" else cell


def _build_combination_table(rewriting: Rewriting) -> pa.Table:
    """Return the quasi-identifiers of each combination, their released cells, and whether its rows are left out."""
    import pyarrow as pa

    known, cells = [*rewriting.before.columns.values()], [*rewriting.after.values()]
    names = [f"k{place}" for place in range(len(known))] + [f"a{place}" for place in range(len(cells))]
    columns = [text_array(coded.values).take(integer_array(coded.codes)) for coded in (*known, *cells)]
    removed = np.zeros(len(rewriting.before.counts)) if rewriting.removed is None else rewriting.removed
    return pa.table([*columns, integer_array(removed.astype(np.int8))], names=[*names, "removed"])


def _add_text(rows: DataFrame, source: SparkSource, name: str, alias: str) -> DataFrame:
    """Add the text form of a column."""
    import pyarrow as pa
    from pyspark.sql import functions as F  # noqa: N812

    kind, cell = source.kinds[source.columns.index(name)], source.select([name])[0]
    if TEXT.match(kind) or kind in SAME_TEXT:
        return rows.withColumn(alias, cell.cast("string"))
    values = source.fetch(source.frame.select(cell).distinct()).combine_chunks().column(0).combine_chunks()
    coded = encode(convert_to_utc(values), f"{source.name}, {name}")
    texts = pa.table([values, text_array(coded.values).take(integer_array(coded.codes))], names=[f"{alias}v", alias])
    known = F.broadcast(rows.sparkSession.createDataFrame(texts))
    return rows.join(known, cell.eqNullSafe(F.col(f"{alias}v")), "left")
