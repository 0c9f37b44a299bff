"""Rows of original and release on a cluster can be paired by a key only."""

import random
from fractions import Fraction

import pytest

import PETWorks as pw
from PETWorks.errors import PairingError, PETWorksError, UnknownNameError
from PETWorks.tables.spark.source import BLANKS
from tables.spark.on_spark import to_spark
from tables.test_pairing import EXPECTED, ORIGINAL, RELEASED, YEARS, reordered

OPTIONS = {"quasi_identifiers": ["year"], "sensitive": ["sick"], "hierarchies": {"year": YEARS}}


def precision(released, original, key="id", **options):
    return pw.Release(released, original=original, key=key, **(OPTIONS | options)).ask("Precision").exact


def complaint(released, original, key="id", kind=PairingError):
    with pytest.raises(kind) as caught:
        precision(released, original, key)
    return caught.value


def test_blanks_are_those_that_python_trims():
    assert set(BLANKS) == {chr(code) for code in range(0x110000) if not chr(code).strip()}


def test_in_any_order(frame):
    assert (
        precision(frame(reordered(RELEASED, [2, 0, 4, 1, 3])), frame(reordered(ORIGINAL, [4, 3, 1, 0, 2]))) == EXPECTED
    )


def test_many_rows(spark):
    rows = list(range(5000))
    random.Random(1).shuffle(rows)
    original = {"id": [str(row) for row in rows], "year": [("1977", "1983", None)[row % 3] for row in rows]}
    random.Random(2).shuffle(rows)
    released = {"id": [f" {row}" for row in rows], "year": [("197*", "1983", None)[row % 3] for row in rows]}
    released["sick"] = ["y"] * len(rows)
    hierarchies = {"year": [*YEARS, (None, "?", "*")]}
    result = precision(to_spark(spark, released), to_spark(spark, original), hierarchies=hierarchies)
    assert result == precision(released, original, hierarchies=hierarchies) == 1 - Fraction(1667, 10000)


def test_of_one_table_derived_from_the_other(frame):
    original = frame({**ORIGINAL, "sick": list("ynyny")})
    released = original.withColumn("year", original["year"].substr(1, 3))
    assert precision(
        released, original, hierarchies={"year": [(row[0], row[0][:3], "*") for row in YEARS]}
    ) == Fraction(1, 2)


def test_the_key_may_be_a_quasi_identifier(frame):
    release = pw.Release(
        frame(RELEASED), original=frame(ORIGINAL), key="id", **OPTIONS | {"quasi_identifiers": ["id", "year"]}
    )
    assert {name: part.value for name, part in release.ask("Precision").parts.items()} == {"id": 1, "year": 0.5}


KEYS = {
    "int": ["1", "2", "3", "4", "5"],
    "bigint": ["-1", "9007199254740993", "3", "4", "5"],
    "double": ["1", "-0", "9007199254740992", "4", "5"],
    "float": ["1", "2", "3", "4", "16777216"],
    "date": [f"2026-05-0{day}" for day in range(1, 6)],
    "string": ["a\u3000", "\xa0b", "\x1f3", "A", "  5\n"],
    "varchar(9)": ["a\u3000", "\xa0b", "3", "A", "  5\n"],
}


@pytest.mark.parametrize("kind", KEYS)
def test_keys_are_compared_as_text(frame, kind):
    written = (
        [key.strip().replace("-0", "0") for key in KEYS[kind]]
        if kind == "double"
        else [key.strip() for key in KEYS[kind]]
    )
    typed = frame({**RELEASED, "id": KEYS[kind]})
    typed = typed.selectExpr(f"cast(id AS {kind}) AS id", "year", "sick")
    assert precision(typed, frame({**ORIGINAL, "id": written})) == EXPECTED


def same_as_here(frame, released, original):
    """Compare an error with that of the same tables here."""
    there, here = complaint(frame(released), frame(original)), complaint(released, original)
    assert str(there) == str(here)
    return there


def test_a_key_more_than_once(frame):
    assert same_as_here(frame, {**RELEASED, "id": list("aabbc")}, ORIGINAL).where == "release"
    assert same_as_here(frame, RELEASED, {**ORIGINAL, "id": list("abcdd")}).where == "original"


@pytest.mark.parametrize("cell", [None, "", "\u3000"])
def test_a_missing_key(frame, cell):
    assert "missing cells" in same_as_here(frame, {**RELEASED, "id": [*"abcd", cell]}, ORIGINAL).problem


def test_keys_of_one_table_only(frame):
    assert '"d", "e", "y", "z"' in str(same_as_here(frame, {**RELEASED, "id": list("abcyz")}, ORIGINAL))
    same_as_here(frame, reordered(RELEASED, [0, 1]), ORIGINAL)


def test_many_wrong_keys_are_counted_and_some_listed(frame):
    ids = [str(row) for row in range(100, 120)]
    many = {"id": ids, "year": ["1977"] * 20, "sick": ["y"] * 20}
    assert " and 15 more" in str(same_as_here(frame, many, {**ORIGINAL}))


def test_no_key(frame):
    error = complaint(frame(RELEASED), frame(ORIGINAL), key=None)
    assert ("have no order" in error.problem, "key=" in error.hint) == (True, True)


def test_measures_that_pair_nothing_are_answered_without_a_key(frame):
    evaluation = pw.Release(frame(RELEASED), original=frame(ORIGINAL), **OPTIONS).evaluate()
    assert evaluation["AECS"].value == pw.Release(RELEASED, original=ORIGINAL, **OPTIONS).ask("AECS").value
    assert "have no order" in str(evaluation.skipped["Precision"])


def test_one_table_here_and_one_there(frame):
    for released, original in ((frame(RELEASED), ORIGINAL), (RELEASED, frame(ORIGINAL))):
        assert "Spark cluster" in complaint(released, original).problem


def test_a_key_that_is_no_column(frame):
    assert complaint(frame(RELEASED), frame(ORIGINAL), "idx", UnknownNameError).where == "release"


@pytest.mark.parametrize(
    "sql", ["cast(ascii(id) + 0.5 AS double)", "cast('1e300' AS double)", "timestamp'2026-05-01'", "X'61'"]
)
def test_keys_that_have_no_text_of_their_own(frame, sql):
    released = frame(RELEASED).selectExpr(f"{sql} AS id", "year", "sick")
    error = complaint(released, frame(ORIGINAL))
    assert (error.where, bool(error.hint)) == ("release", True)


def test_a_constant_as_a_key_makes_no_square_of_rows(frame):
    rows = 3000
    released = {"id": ["x"] * rows, "year": ["197*"] * rows, "sick": ["y"] * rows}
    original = {"id": ["x"] * rows, "year": ["1977"] * rows}
    assert "1 value of the key" in complaint(frame(released), frame(original)).problem


def test_no_rows(frame):
    empty = frame(RELEASED).where("id = 'none'")
    with pytest.raises(PETWorksError):
        precision(empty, frame(ORIGINAL))
    with pytest.raises(PETWorksError, match="no rows"):
        precision(empty, frame(ORIGINAL).where("id = 'none'"))


def test_a_whole_number_that_spark_keeps_as_a_decimal(spark):
    """Spark reads unsigned 64-bit numbers of Parquet as such a type."""
    table = {"id": ["1", "2", "3"], "a": ["x", "y", "x"]}
    frame = to_spark(spark, table).selectExpr("CAST(id AS DECIMAL(20, 0)) AS id", "a")
    there = pw.Release(frame, original=to_spark(spark, table), key="id", quasi_identifiers=["a"])
    here = pw.Release(table, original=table, quasi_identifiers=["a"])
    assert there.ask("Precision").to_dict() == here.ask("Precision").to_dict()
