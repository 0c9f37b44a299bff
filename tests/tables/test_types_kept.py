"""A quasi-identifier at level 0 keeps its type, wherever a release is written to; a changed one is text."""

import json
from datetime import date
from decimal import Decimal

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import PETWorks as pw

TABLE = pa.table(
    {
        "age": pa.array([34, 34, 51, 51], pa.int16()),
        "seen": pa.array([date(2026, 5, 1)] * 2 + [None] * 2, pa.date32()),
        "at": pa.array([1_777_622_400_000] * 2 + [1_777_593_600_000] * 2, pa.timestamp("ms")),
        "smokes": pa.array([True, True, False, False]),
        "city": pa.array(["台北", "台北", "高雄", "高雄"]).dictionary_encode(),
        "name": pa.array(["x", "x", "y", "y"], pa.large_string()),
        "fee": pa.array([Decimal("1.50")] * 2 + [None] * 2, pa.decimal128(9, 2)),
        "weight": pa.array([0.1, 0.1, 2.0, 2.0]),
        "income": pa.array([1, 2, 3, 4]),
    }
)
QUASI = TABLE.column_names[:-1]


def make(table, names=QUASI, k=2, **options):
    goals = [pw.KAnonymity(k=k)]
    return pw.anonymize(table, goals=goals, quasi_identifiers=names, insensitive=["income"], **options)


def write(table, path):
    make(table).write(path)
    return path


def test_an_arrow_table_is_released_as_it_is():
    assert make(TABLE).frame().sort_by("income") == TABLE


@pytest.mark.parametrize("frame", [TABLE.to_pandas(), pl.from_arrow(TABLE)], ids=["pandas", "polars"])
def test_a_frame_keeps_its_types(frame):
    released = make(frame, order="original").frame()
    assert list(released.dtypes) == list(frame.dtypes)
    assert released.equals(frame)


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize("form", ["arrow", "pandas", "polars", "file", "query"])
def test_a_file_keeps_the_types(tmp_path, ending, form):
    pq.write_table(TABLE, tmp_path / "o.parquet")
    tables = {
        "arrow": TABLE,
        "pandas": TABLE.to_pandas(),
        "polars": pl.from_arrow(TABLE),
        "file": tmp_path / "o.parquet",
        "query": pl.from_arrow(TABLE).lazy(),
    }
    path = write(tables[form], tmp_path / f"r{ending}")
    read = pq.read_table(path) if ending == ".parquet" else pa.ipc.open_file(path).read_all()
    for name in TABLE.column_names if form in ("arrow", "file") else ("age", "seen", "smokes", "weight"):
        assert read.schema.field(name).type == TABLE.schema.field(name).type
    assert sorted(map(str, read.column("weight").to_pylist())) == ["0.1", "0.1", "2.0", "2.0"]


def test_json_keeps_numbers_and_truth_values(tmp_path):
    rows = [{"age": 34.50, "smokes": True, "income": 1}] * 2 + [{"age": None, "smokes": False, "income": 2}] * 2
    text = "\n".join(map(json.dumps, rows))
    (tmp_path / "o.jsonl").write_text(text)
    make(tmp_path / "o.jsonl", ["age", "smokes"], order="original").write(tmp_path / "r.jsonl")
    assert [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()] == rows
    made = make(pa.Table.from_pylist(rows), ["age", "smokes"], order="original")
    made.write(tmp_path / "s.jsonl")
    assert [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()] == rows


def test_duckdb_relations_keep_their_types():
    relation = duckdb.sql("select 34::smallint age, date '2026-05-01' seen, 1 income from range(4)")
    assert make(relation, ["age", "seen"]).frame("pyarrow").schema.types == [pa.int16(), pa.date32(), pa.int32()]


def test_a_changed_column_is_text_and_the_others_keep_their_types():
    hierarchy = {"age": [["34", "30-59", "*"], ["51", "30-59", "*"]]}
    table = TABLE.select(["age", "smokes", "income"])
    made = make(table, ["age", "smokes"], k=2, hierarchies=hierarchy, levels={"age": 1, "smokes": 0})
    schema = made.frame().schema
    assert (schema.field("age").type, schema.field("smokes").type) == (pa.large_string(), pa.bool_())


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_cells_that_count_as_one_value_are_written_alike(library):
    """Blanks, NaN and the sign of zero would tell rows of a class apart."""
    table = pa.table(
        {
            "city": pa.array(["a", "a ", "", None]).dictionary_encode(),
            "rate": pa.array([0.0, -0.0, float("nan"), None]),
            "part": pa.array([0.0, -0.0, float("nan"), None], pa.float32()),
            "income": [1, 2, 3, 4],
        }
    )
    frame = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table), "pyarrow": lambda: table}[library]()
    released = make(frame, ["city", "rate", "part"], order="original").frame("pyarrow")
    assert released.schema.field("part").type == pa.float32()
    for column in (released.column("city").cast(pa.string()), released.column("rate"), released.column("part")):
        cells = column.to_pylist()
        assert [repr(cell) for cell in cells[:2]] == [repr(cells[0])] * 2
        assert [repr(cell) for cell in cells[2:]] == [repr(cells[2])] * 2


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_categories_of_removed_rows_are_not_published(library):
    cities = pa.array(["a", "a", "b", "b", "secret"]).dictionary_encode()
    table = pa.table({"city": cities, "age": [1, 1, 2, 2, 3], "income": [1, 2, 3, 4, 5]})
    options = {"suppress_at_most": "20%", "suppressed_rows": "remove", "levels": {"city": 0, "age": 0}}
    made = make(table.to_pandas() if library == "pandas" else table, ["city", "age"], **options)
    released = made.frame()
    kinds = released["city"].dtype if library == "pandas" else released.column("city").combine_chunks().dictionary
    assert "secret" not in repr(kinds)
    assert "int" in str(released["age"].dtype if library == "pandas" else released.schema.field("age").type)
