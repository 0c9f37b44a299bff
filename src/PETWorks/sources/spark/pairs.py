"""Pair an original and its release by a key on a Spark cluster, and count the pairs there, in one job.

The union of both tables is grouped by the key, and the resulting pairs are grouped by their values. That takes no more
work than a join. If the key is wrong, for example has the same value in every row, a join would return the square of
the number of rows; a union does not. The same job counts the wrong keys. If there are any, a second job lists them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PETWorks.counting.count import count
from PETWorks.counting.memory import Workspace
from PETWorks.counting.tally import Before, Key, Tally
from PETWorks.errors import PairingError, SourceError
from PETWorks.sources.keys import LISTED, lone_key, missing_key, repeated_key
from PETWorks.sources.source import Source
from PETWorks.sources.spark.errors import answered
from PETWorks.sources.spark.source import FLOATING, SAME_TEXT, TEXT, SparkSource, combinations

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

WHOLE = re.compile(r"decimal\(\d+,0\)")  # the type of whole decimal numbers
TEXT_OR_WHOLE = "use a key that is text or whole numbers in both tables"


def tally_pairs(
    tables: tuple[Source, Source],
    key: str | None,
    before: Sequence[str],
    after: Sequence[str],
    workspace: Workspace | None = None,
) -> Tally:
    """Count how often each combination of original and released values occurs in rows that have the same key."""
    from pyspark.sql import functions as F  # noqa: N812 (as everybody calls it)

    left, right = _both(*tables)
    if key is None:
        hint = "pass a column that both tables have as key="
        raise PairingError("the rows cannot be paired: rows on a Spark cluster have no order", hint=hint)
    with answered(f"{left.name} and {right.name}"):
        sides = [_side(left, key, before, "l"), _side(right, key, after, "r")]
        rows = sides[0].unionByName(sides[1], allowMissingColumns=True)
        cells = [f"l{place}" for place in range(len(before))] + [f"r{place}" for place in range(len(after))]
        of_key = [F.first(cell, ignorenulls=True).alias(cell) for cell in cells]
        pairs = rows.groupBy("k").agg(F.count("l").alias("l"), F.count("r").alias("r"), *of_key)
        wrong = F.expr("count_if(k IS NULL OR l != 1 OR r != 1)").alias("wrong")
        counted = pairs.groupBy(*cells).agg(wrong, F.expr("count(1)").alias("count"))
    try:
        table = right.fetched_if_it_fits(counted, len(cells), workspace or Workspace())
    except SourceError as error:
        if problem := left.problem():
            raise problem from error
        raise
    if any(table["wrong"].to_pylist()):
        raise _complaint(rows, key, left, right)
    keys: list[Key] = [*map(Before, before), *after]
    places = [f"{left.name}, {name}" for name in before] + [f"{right.name}, {name}" for name in after]
    return count(right.name, keys, combinations(table.drop(["wrong"]), places), workspace)


def _both(original: Source, release: Source) -> tuple[SparkSource, SparkSource]:
    """Return both tables, or raise an error unless one Spark session can read them together."""
    if not (isinstance(original, SparkSource) and isinstance(release, SparkSource)):
        there, here = (original, release) if isinstance(original, SparkSource) else (release, original)
        problem = f"the rows cannot be paired: {there.name} is on a Spark cluster, {here.name} is not"
        raise PairingError(problem, hint="read both tables with Spark, or neither of them")
    if type(original.frame) is not type(release.frame):
        problem = "the rows cannot be paired: one table is of Spark Connect, the other of a classic session"
        raise PairingError(problem, hint="read both tables in one session")
    return original, release


def _side(source: SparkSource, key: str, columns: Sequence[str], side: str) -> DataFrame:
    """Select the key as `k`, a constant named like the side ("l" or "r"), and the columns as side and number."""
    from pyspark.sql import functions as F  # noqa: N812

    source.require([key], "the key")
    kind = source.kinds[source.columns.index(key)]
    cell = source.chosen([key])[0]
    if TEXT.match(kind) or kind in SAME_TEXT or WHOLE.fullmatch(kind):
        text = cell.cast("string")
    elif kind in FLOATING:
        text = _whole(source, key, cell)
    else:
        problem = f'the key "{key}" has the type {kind}, which cannot pair rows on a cluster'
        raise PairingError(problem, where=source.name, hint=TEXT_OR_WHOLE)
    return source.frame.select(text.alias("k"), F.lit(1).alias(side), *source.chosen(columns, side))


def _whole(source: SparkSource, key: str, cell: Column) -> Column:
    """Return whole numbers as text without decimal point; raise an error for others, which Java writes differently."""
    from pyspark.sql import functions as F  # noqa: N812

    number = source.frame.select(cell.alias("k")).where("k IS NOT NULL AND NOT isnan(k)")
    if number.where("abs(k) >= 9e18 OR k != rint(k)").limit(1).count():
        problem = f'the key "{key}" has numbers that are not whole, or too large'
        raise PairingError(problem, where=source.name, hint=TEXT_OR_WHOLE)
    return F.when(~F.isnan(cell), cell.cast("bigint")).cast("string")


def _complaint(rows: DataFrame, key: str, left: SparkSource, right: SparkSource) -> PairingError:
    """Build the error for wrong keys. Missing keys come first, then repeated ones, then those in one table only.

    One job counts them all, and another lists some of those that the error is about.
    """
    from pyspark.sql import functions as F  # noqa: N812

    keys = rows.groupBy("k").agg(F.count("l").alias("l"), F.count("r").alias("r"))
    lone = "(l = 0) != (r = 0)"
    faults = {"k IS NULL AND l > 0": left, "l > 1": left, "k IS NULL AND r > 0": right, "r > 1": right, lone: right}
    counts = [F.expr(f"count_if({fault})").alias(f"n{place}") for place, fault in enumerate(faults)]
    with answered(f"{left.name} and {right.name}"):
        counted = zip(faults, right.fetched(keys.agg(*counts)).to_pylist()[0].values(), strict=True)
        fault, many = next((one for one in counted if one[1]), (lone, 0))
        if fault.startswith("k IS NULL"):
            return missing_key(faults[fault].name, key)
        some = right.fetched(keys.where(fault).orderBy("k").limit(LISTED).select("k"))["k"].to_pylist()
    if fault == lone:
        return lone_key((left.name, right.name), key, some, many)
    return repeated_key(faults[fault].name, key, some, many)
