"""Tables of all kinds on Spark: names of columns, types of cells, and types that cannot be counted."""

from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import PETWorks as pw
from PETWorks.errors import MalformedError, NotAskableError, SourceError, UnknownValueError
from PETWorks.tables.opening import open_source
from PETWorks.tables.spark.files import SparkPath
from tables.spark.on_spark import to_spark
from tables.test_same_numbers import TYPED

HOSTILE = [
    "n",
    "N",
    "a.b",
    "`q`",
    'say "hi"',
    "it's",
    " edge",
    "城市",
    "count",
    "rows",
    "c0",
    "g0",
    "k",
    "l",
    "-",
    "*",
    "ß",
    "SS",
]
MOMENT = datetime(2026, 5, 1, 12, 30)  # noqa: DTZ001 (tables rarely have time zones)


def counted(table, columns=None):
    source = open_source(table, "table")
    return list(source.tally(columns or source.columns).items())


@pytest.fixture(params=["true", "false"])
def either_case(request, spark):
    """Set whether Spark distinguishes n from N; by default it does not."""
    before = spark.conf.get("spark.sql.caseSensitive")
    spark.conf.set("spark.sql.caseSensitive", request.param)
    yield
    spark.conf.set("spark.sql.caseSensitive", before)


@pytest.mark.usefixtures("either_case")
def test_hostile_names(spark):
    table = {name: [f"{place}{row % 2}" for row in range(4)] for place, name in enumerate(HOSTILE)}
    there = to_spark(spark, table)
    assert open_source(there, "table").columns == tuple(name.strip() for name in HOSTILE)
    assert counted(there) == counted(table)
    some = ["N", "count", "n", "城市"]
    assert counted(there, some) == counted(table, some)
    measured = pw.Release(there, quasi_identifiers=["n", "`q`"], sensitive=["N"]).ask("l-diversity")
    assert measured.value == 1


@pytest.mark.usefixtures("either_case")
def test_names_that_differ_in_case_hold_their_own_values(spark):
    there = to_spark(spark, {"n": ["1", "2"], "N": ["x", "x"]})
    assert (counted(there, ["n"]), counted(there, ["N"])) == ([(("1",), 1), (("2",), 1)], [(("x",), 2)])


def test_names_that_are_the_same(spark):
    with pytest.raises(MalformedError, match="same name"):
        open_source(spark.createDataFrame([("1", "2")], "a string, b string").toDF("a", "a "), "table")


UNREADABLE = ("nanoseconds", "midnights in nanoseconds", "times")  # Spark does not read these types by default


BINARY = pa.array([b"ab", " 高雄".encode(), b"", None], pa.binary())
ZONED = pa.array([MOMENT, None], pa.timestamp("us", "UTC"))  # Parquet stores UTC only; Arrow stores the zone separately
MORE = {
    "binary": BINARY,
    "moments": ZONED,
    "large decimals": pa.array([Decimal("0.0000001"), Decimal("12345678901234567890.5")], pa.decimal128(38, 10)),
    "days": pa.array([date(1, 1, 1), date(9999, 12, 31)], pa.date32()),
    "blanks": pa.array(["\u3000a\u2003", "\x85a\xa0", "a\x1f", "\u200ba"]),
}


def test_text_of_parquet(spark, tmp_path):
    """All types are columns of one table, since each job takes a while; the shorter ones repeat their last cell."""
    typed = {kind: cells for kind, (cells, _) in TYPED.items() if kind not in UNREADABLE} | MORE
    rows = range(max(map(len, typed.values())))
    columns = {kind: cells.take([min(row, len(cells) - 1) for row in rows]) for kind, cells in typed.items()}
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({**columns, "row": pa.array(rows)}), path)
    there = counted(SparkPath(path, spark))
    assert there == counted(path)
    found = dict(zip(columns, map(set, zip(*(values for values, _ in there), strict=True)), strict=False))
    assert {kind: found[kind] for kind in TYPED if kind in typed} == {
        kind: set(expected) for kind, (_, expected) in TYPED.items() if kind in typed
    }


def test_types_of_spark(spark):
    columns = {
        "NULL": None,
        "2Y": "2",
        "1.50BD": "1.50",
        "float(0.1)": "0.1",
        "39.0D": "39",
        "double('NaN')": None,
        "date'2026-05-01'": "2026-05-01",
        "timestamp_ntz'2026-05-01 00:00:00'": "2026-05-01",
        "timestamp'2026-05-01 08:00:00'": "2026-05-01T00:00:00+00:00",  # the time in Taipei, converted to UTC
        "true": "true",
        "X'6162'": "ab",
        "interval '1 02:00:00' day to second": "1 day, 2:00:00",
        "cast('a　' as varchar(9))": "a",
    }
    table = spark.sql("SELECT " + ", ".join(f"{sql} AS c{place}" for place, sql in enumerate(columns)))
    assert counted(table) == [(tuple(columns.values()), 1)]


def test_a_collation_does_not_merge_values(spark):
    table = to_spark(spark, {"q": ["A", "a"], "s": ["x", "x"]})
    folded = table.selectExpr("q COLLATE UTF8_LCASE AS q", "s")
    assert folded.groupBy("q").count().count() == 1  # otherwise this test proves nothing
    assert counted(folded) == counted(table) == [(("A", "x"), 1), (("a", "x"), 1)]


@pytest.mark.parametrize(
    "sql", ["map('a', 1)", "array(1)", "named_struct('a', 1)", "parse_json('1')", "interval '1' year"]
)
def test_what_cannot_be_counted(spark, sql):
    table = spark.sql(f"SELECT 'x' AS age, {sql} AS odd, raise_error('a job ran') AS never")
    source = open_source(table, "release")
    with pytest.raises(SourceError, match="the column has the type") as caught:
        source.tally(["age", "odd"])
    assert (caught.value.where, bool(caught.value.hint)) == ("release, odd", True)
    assert list(source.tally(["age"]).items()) == [(("x",), 1)]


def test_rows_have_no_numbers(frame):
    release = pw.Release(frame({"age": ["1", "2", "2"]}), hierarchies={"age": [("1", "x"), ("3", "x")]})
    result = release.ask(pw.KAnonymity(k=2))
    assert result.holds is False
    with pytest.raises(NotAskableError, match="have no row numbers"):
        release.check(pw.KAnonymity(k=2)).failing_positions()
    with pytest.raises(UnknownValueError) as caught:
        release.ask("Precision")
    assert caught.value.listed == '"2"'


def test_no_rows(spark):
    with pytest.raises(MalformedError, match="no rows"):
        pw.Release(to_spark(spark, {"a": [], "b": []})).ask("k-anonymity")


def test_an_error_of_spark_is_one_line(spark):
    table = spark.sql("SELECT raise_error('out of order') AS a, 'x' AS b")
    with pytest.raises(SourceError) as caught:
        pw.Release(table).ask("k-anonymity")
    assert (caught.value.where, caught.value.problem) == ("release", "Spark could not read or count the table")
    assert caught.value.listed == "out of order"  # in `listed`, since it may quote cells
    assert "\tat " not in str(caught.value)
    assert len(str(caught.value).splitlines()) == 2


def test_another_session_of_the_same_cluster(spark):
    table = to_spark(spark.newSession(), {"a": ["1"]})
    assert pw.Release(table).ask("k-anonymity").value == 1
