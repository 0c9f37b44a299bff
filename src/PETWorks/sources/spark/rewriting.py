"""A release as an expression on the user's Spark DataFrame. Rows are read only when the user writes or counts it.

The released cells of each combination are a small table, which Spark sends to all workers and joins. The join compares
the text form of quasi-identifiers. Where Spark would write a type differently, the distinct values of the column are
fetched first, and joined with their text forms.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

import numpy as np

from PETWorks.counting.arrow_arrays import integers, text_array
from PETWorks.sources.rewriting.rewriting import CHANGED, Rewriting
from PETWorks.sources.spark.errors import answered
from PETWorks.sources.spark.source import SAME_TEXT, TEXT, SparkSource, utc
from PETWorks.sources.text_form import encode

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def rewritten(rewriting: Rewriting, source: SparkSource) -> DataFrame:
    """Return the release as a DataFrame. A job on it fails if a row has values that were not counted."""
    from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

    with answered(source.name):
        rows = source.frame
        for place, name in enumerate(rewriting.coded):
            rows = _with_text(rows, source, name, f"t{place}")
        cells = F.broadcast(rows.sparkSession.createDataFrame(_combinations(rewriting)))
        same = [F.col(f"t{place}").eqNullSafe(F.col(f"k{place}")) for place in range(len(rewriting.coded))]
        joined = rows.join(cells, reduce(and_, same), "left").where("removed IS NULL OR removed = 0")
        lost = F.when(F.col("removed").isNull(), F.raise_error(F.lit(CHANGED)))
        new = {name: lost.otherwise(F.col(f"a{place}")) for place, name in enumerate(rewriting.after)}
        new |= {name: F.lit(rewriting.marker) for name in rewriting.marked}
        places = dict(zip(rewriting.columns, source.places(rewriting.columns), strict=True))
        chosen = [new.get(name, F.col(f"c{place}")).alias(f"o{place}") for name, place in places.items()]
        released = joined.select(*chosen).toDF(*(source.stored[place] for place in places.values()))
        return released.orderBy(F.rand(rewriting.shuffle.seed)) if rewriting.shuffle else released


def _combinations(rewriting: Rewriting) -> pa.Table:
    """Return the quasi-identifiers of each combination, their released cells, and whether its rows are left out."""
    import pyarrow as pa

    known, cells = [*rewriting.before.columns.values()], [*rewriting.after.values()]
    names = [f"k{place}" for place in range(len(known))] + [f"a{place}" for place in range(len(cells))]
    columns = [text_array(coded.values).take(integers(coded.codes)) for coded in (*known, *cells)]
    removed = np.zeros(len(rewriting.before.counts)) if rewriting.removed is None else rewriting.removed
    return pa.table([*columns, integers(removed.astype(np.int8))], names=[*names, "removed"])


def _with_text(rows: DataFrame, source: SparkSource, name: str, alias: str) -> DataFrame:
    """Add the text form of a column."""
    import pyarrow as pa
    from pyspark.sql import functions as F  # noqa: N812

    kind, cell = source.kinds[source.columns.index(name)], source.chosen([name])[0]
    if TEXT.match(kind) or kind in SAME_TEXT:
        return rows.withColumn(alias, cell.cast("string"))
    values = source.fetched(source.frame.select(cell).distinct()).combine_chunks().column(0).combine_chunks()
    coded = encode(utc(values), f"{source.name}, {name}")
    texts = pa.table([values, text_array(coded.values).take(integers(coded.codes))], names=[f"{alias}v", alias])
    known = F.broadcast(rows.sparkSession.createDataFrame(texts))
    return rows.join(known, cell.eqNullSafe(F.col(f"{alias}v")), "left")
