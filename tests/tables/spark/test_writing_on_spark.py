"""A release of a table on Spark is an expression on the user's DataFrame, and equal to the one made on this machine."""

from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from anonymization.recodings import writing
from PETWorks.errors import NotAskableError
from PETWorks.tables.opening import open_source

MOMENT = datetime(2026, 5, 1, 12, 30)  # noqa: DTZ001
CELLS = {
    "id": ["a", "b", "c", "d", "e", "f"],
    "a.b": [" x", "x", "", None, "y", "y"],
    "A.B": [1, 1, 2, None, 2, 2],
    "double": [0.1, 1e20, 2.0, None, float("nan"), 1e-7],
    "paid": [Decimal("1.50"), Decimal("1.00"), None, None, Decimal("2.00"), Decimal("2.00")],
    "born": [date(1990, 1, 2), None, None, date(1990, 1, 2), None, None],
    "seen": [MOMENT, MOMENT, None, None, MOMENT, MOMENT],
    "held": [True, False, None, None, True, True],
    "note": [" kept ", "", "x", None, "1.0", "y"],
    "size": [1.5, None, 2.0, 2.0, 3.0, 3.0],
}
KNOWN = [name for name in CELLS if name not in ("id", "note", "size")]


@pytest.fixture(scope="module")
def tables(spark):
    here = pa.table(CELLS)
    return here, spark.createDataFrame(here.rename_columns([f"c{n}" for n in range(len(CELLS))])).toDF(*CELLS)


def rows_of(frame):
    return Counter(repr([None if cell != cell else cell for cell in row.values()]) for row in frame.to_pylist())


@pytest.mark.parametrize(
    "options", [{}, {"identifiers": "drop", "suppressed_rows": "remove"}, {"order": "shuffled", "seed": 1}]
)
def test_the_same_release(tables, options):
    here, there = (writing(open_source(table, "original"), KNOWN, ["id"], **options) for table in tables)
    released = there.frame()
    assert type(released) is type(tables[1])
    assert released.columns == here.frame("pyarrow").column_names
    kinds = dict(tables[1].dtypes)
    assert dict(released.dtypes) == {
        name: kinds[name] if name in ("note", "size") else "string" for name in released.columns
    }
    assert rows_of(released.toArrow()) == rows_of(here.frame("pyarrow"))
    assert rows_of(there.frame("pyarrow")) == rows_of(here.frame("pyarrow"))


def test_a_row_that_was_not_counted(tables):
    from pyspark.errors import PySparkException

    there = writing(open_source(tables[1].limit(3), "original"), KNOWN, ["id"])
    there.source.frame = open_source(tables[1], "original").frame
    with pytest.raises(PySparkException, match="the rows are not those that were counted"):
        there.frame().collect()


def test_written_by_spark(tables, tmp_path):
    passes = writing(open_source(tables[1], "original"), KNOWN, ["id"])
    passes.frame().write.parquet(str(tmp_path / "released"))
    assert open_source(tmp_path / "released", "release").tally(["id"]).rows == len(CELLS["id"])
    with pytest.raises(NotAskableError, match="stay there"):
        passes.write(tmp_path / "released.csv", lambda _: None)
    assert not (tmp_path / "released.csv").exists()
