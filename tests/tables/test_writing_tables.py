"""Parquet and frames, in and out: columns that are not recoded keep their types and their cells."""

import json
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anonymization.recodings import expected, writing
from PETWorks.errors import SourceError
from PETWorks.tables.opening import open_source
from PETWorks.tables.text_form import text_form

KNOWN, NAMED = ["age", "zip", "born"], ["id"]
TYPES = {
    "id": pa.string(),
    "age": pa.float64(),
    "note": pa.string(),
    "zip": pa.int32(),
    "paid": pa.decimal128(9, 2),
    "born": pa.date32(),
    "seen": pa.timestamp("us", "Asia/Taipei"),
    "held": pa.bool_(),
    "took": pa.duration("s"),
    "kind": pa.dictionary(pa.int8(), pa.large_string()),
    "size": pa.float32(),
}
OTHERS = [name for name in TYPES if name not in (*KNOWN, *NAMED)]


def _array(cells, kind):
    """Build an array; the oldest Arrow cannot build one of codes of long text directly."""
    if not pa.types.is_dictionary(kind):
        return pa.array(cells, kind)
    codes = pa.array(cells, kind.value_type).dictionary_encode()
    return pa.DictionaryArray.from_arrays(codes.indices.cast(kind.index_type), codes.dictionary)


def table(seed, rows=60):
    chance = random.Random(seed)

    def column(*values):
        return [chance.choice([None, *values]) for _ in range(rows)]

    cells = [
        [f"p{number}" for number in range(rows)],
        column(20.0, 30.5, 41.0),
        column(" x ", "", "a,b", 'say "y"', "two\nlines"),
        column(100, 200),
        column(Decimal("1.00"), Decimal("-2.50")),
        column(date(1990, 1, 2), date(2001, 3, 4)),
        column(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 1, 8, 30, tzinfo=UTC)),
        column(True, False),
        column(timedelta(seconds=90)),
        column("low", "high"),
        column(0.5, 2.0),
    ]
    arrays = [_array(some, kind) for some, kind in zip(cells, TYPES.values(), strict=True)]
    return pa.table(dict(zip(TYPES, arrays, strict=True)))


def wanted(passes, original):
    rows = original.to_pylist()
    return expected(passes, rows, [{name: text_form(row[name]) for name in KNOWN} for row in rows])


def options_of(seed):
    chance = random.Random(seed)
    return {"identifiers": chance.choice(["mark", "drop"]), "suppressed_rows": chance.choice(["keep", "remove"])}


@pytest.mark.parametrize("seed", range(8))
def test_parquet(tmp_path, seed):
    original = table(seed)
    path, target = tmp_path / "original.parquet", tmp_path / "released.parquet"
    pq.write_table(original.rename_columns([*original.column_names[:-1], " size "]), path, row_group_size=7)
    passes = writing(open_source(path, "original"), KNOWN, NAMED, seed, **options_of(seed))
    passes.write(target, lambda _: None)
    released = pq.read_table(target)
    assert released.column_names[-1] == " size "
    released = released.rename_columns([name.strip() for name in released.column_names])
    assert released.to_pylist() == wanted(passes, original)
    texts = [name for name in (*KNOWN, *NAMED) if name in released.column_names]
    before = pq.read_schema(path)
    assert [released.schema.field(name).type for name in OTHERS[:-1]] == [
        before.field(name).type for name in OTHERS[:-1]
    ]
    assert {released.schema.field(name).type for name in texts} == {pa.string()}


def _read_arrow(path):
    with pa.ipc.open_file(path) as file:
        return file.read_all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("source", ["parquet", "arrow"])
def test_arrow(tmp_path, seed, source):
    original = table(seed)
    path, target = tmp_path / f"original.{source}", tmp_path / "released.feather"
    if source == "parquet":
        pq.write_table(original, path, row_group_size=7)
    else:
        with pa.ipc.new_stream(path, original.schema) as file:
            file.write_table(original, max_chunksize=7)
    passes = writing(open_source(path, "original"), KNOWN, NAMED, seed, **options_of(seed))
    passes.write(target, lambda _: None)
    released = _read_arrow(target)
    assert released.to_pylist() == wanted(passes, original)
    before = pq.read_schema(path) if source == "parquet" else original.schema
    assert [released.schema.field(name).type for name in OTHERS] == [before.field(name).type for name in OTHERS]
    texts = [name for name in (*KNOWN, *NAMED) if name in released.column_names]
    assert {released.schema.field(name).type for name in texts} == {pa.string()}


def test_arrow_dictionaries_that_grow(tmp_path):
    """A file has one dictionary for each column; batches of the original have several."""
    batches = [
        pa.record_batch({"age": ["1", "1"], "kind": pa.array(some).dictionary_encode()}) for some in ("ab", "cb")
    ]
    with pa.ipc.new_stream(tmp_path / "o.arrows", batches[0].schema) as file:
        for batch in batches:
            file.write_batch(batch)
    passes = writing(open_source(tmp_path / "o.arrows", "o"), ["age"])
    passes.write(tmp_path / "r.arrow", lambda _: None)
    released = _read_arrow(tmp_path / "r.arrow")
    assert released["kind"].to_pylist() == ["a", "b", "c", "b"]
    assert pa.types.is_dictionary(released.schema.field("kind").type)


@pytest.mark.parametrize("seed", range(4))
def test_to_json_lines(tmp_path, seed):
    """Numbers, true, false and null stay such; other types are text in their text form, and text is as it is."""
    original, target = table(seed), tmp_path / "released.jsonl"
    pq.write_table(original, tmp_path / "original.parquet")
    passes = writing(open_source(tmp_path / "original.parquet", "o"), KNOWN, NAMED, seed, **options_of(seed))
    passes.write(target, lambda _: None)

    def as_json(name, cell):
        if name in ("note", "kind", *KNOWN, *NAMED) or cell is None or isinstance(cell, bool):
            return cell
        return json.loads(text_form(cell)) if isinstance(cell, float | Decimal) else text_form(cell)

    rows = [{name: as_json(name, cell) for name, cell in row.items()} for row in wanted(passes, original)]
    assert [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()] == rows


def test_from_json_to_json(tmp_path):
    """What is not replaced stays as it is written, but for blanks and escapes."""
    lines = [
        '{"age":20,"x":1.0,"y":"1.0"}',
        '{"age":30,"x":true,"y":" a\\"b"}',
        '{"age":20,"y":null}',
        '{"age":20,"x":-1E3,"y":"高"}',
    ]
    (tmp_path / "o.jsonl").write_text("\n".join(lines), encoding="utf-8")
    passes = writing(open_source(tmp_path / "o.jsonl", "o"), ["age"])
    passes.write(tmp_path / "r.jsonl", lambda _: None)
    released = (tmp_path / "r.jsonl").read_text(encoding="utf-8").splitlines()
    cells = [line.partition(",")[2] for line in lines]
    cells[2] = '"x":null,"y":null}'
    assert [line.partition(",")[2] for line in released] == cells
    rows = [{"age": str(json.loads(line)["age"]), "place": place} for place, line in enumerate(lines)]
    assert [json.loads(line)["age"] for line in released] == [row["age"] for row in expected(passes, rows, rows)]


@pytest.mark.parametrize("source", ["parquet", "frame"])
def test_to_csv(tmp_path, source):
    """What is not text is written in its text form; text as it is."""
    original, target = table(1), tmp_path / "released.csv"
    pq.write_table(original, tmp_path / "original.parquet")
    opened = open_source(tmp_path / "original.parquet" if source == "parquet" else original, "original")
    passes = writing(opened, KNOWN, NAMED)
    passes.write(target, lambda _: None)
    as_is = {"note", *KNOWN, *NAMED}
    rows = [
        {name: (cell if name in as_is else text_form(cell)) or "" for name, cell in row.items()}
        for row in wanted(passes, original)
    ]
    assert pd.read_csv(target, dtype=str, keep_default_na=False).to_dict("records") == rows


@pytest.mark.parametrize("target", ["released.parquet", "frame"])
def test_from_csv(tmp_path, target):
    """Cells of a CSV file are text, without their quotes and with their blanks."""
    path = tmp_path / "original.csv"
    path.write_text('age;note;zip\n20; "a;b" ;1\n30;" x ";\n20;;2\n'.replace('" ;', '";'), encoding="utf-8")
    passes = writing(open_source(path, "original"), ["age"])
    if target == "frame":
        released = passes.frame("pyarrow")
    else:
        passes.write(tmp_path / target, lambda _: None)
        released = pq.read_table(tmp_path / target)
    rows = [
        {"age": age, "note": note, "zip": code}
        for age, note, code in (("20", "a;b", "1"), ("30", " x ", ""), ("20", "", "2"))
    ]
    assert released.to_pylist() == expected(passes, rows, rows)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_the_same_library(library, seed):
    """Columns that are not recoded are the very same, of the very same type."""
    original = table(seed)
    frame = {"pandas": original.to_pandas, "polars": lambda: pl.from_arrow(original), "pyarrow": lambda: original}[
        library
    ]()
    if library == "pandas":
        frame["held"] = frame["held"].astype("boolean")
        frame["mixed"] = [1, "1", None, 2.5] * (len(frame) // 4)
        frame.index = [f"person {number}" for number in range(len(frame))]
    passes = writing(open_source(frame, "original"), KNOWN, NAMED, seed, **options_of(seed))
    released = passes.frame()
    assert type(released) is type(frame)
    rows = wanted(passes, original)
    kept = [place for place, row in enumerate(_places(passes, original)) if row is not None]
    others = [*OTHERS, *(["mixed"] if library == "pandas" else [])]
    if library == "pandas":
        assert list(released.index) == list(range(len(rows)))
        pd.testing.assert_frame_equal(released[others], frame[others].iloc[kept].reset_index(drop=True))
    elif library == "polars":
        assert released[others].equals(frame[kept][others])
        assert released[others].schema == frame[others].schema
    else:
        assert released.select(others).equals(frame.select(others).take(kept))
    texts = [name for name in (*KNOWN, *NAMED) if name in rows[0]]
    found = (
        released[texts].to_dict("records")
        if library == "pandas"
        else released.select(texts).to_pylist()
        if library == "pyarrow"
        else released.select(texts).to_dicts()
    )
    assert [{name: None if pd.isna(cell) else cell for name, cell in row.items()} for row in found] == [
        {name: row[name] for name in texts} for row in rows
    ]


def _places(passes, original):
    """Return the place of each row, or None if it is removed."""
    numbered = [{**row, "place": place} for place, row in enumerate(original.to_pylist())]
    left = expected(passes, numbered, [{name: text_form(row[name]) for name in KNOWN} for row in numbered])
    places = {row["place"] for row in left}
    return [place if place in places else None for place in range(len(numbered))]


@pytest.mark.parametrize("lazy", ["polars", "duckdb", "dict"])
def test_lazy_frames(tmp_path, lazy):
    original = table(2).select([*KNOWN, "note", "paid"])
    given = {
        "polars": lambda: pl.from_arrow(original).lazy(),
        "duckdb": lambda: duckdb.from_arrow(original),
        "dict": original.to_pydict,
    }[lazy]()
    passes = writing(open_source(given, "original"), KNOWN)
    rows = wanted(passes, original)
    released = passes.frame("pyarrow").to_pylist()
    assert Counter(map(repr, released)) == Counter(map(repr, rows))
    passes.write(tmp_path / "released.parquet", lambda _: None)
    assert Counter(map(repr, pq.read_table(tmp_path / "released.parquet").to_pylist())) == Counter(map(repr, rows))


def test_other_libraries(tmp_path):
    original = table(3)
    passes = writing(open_source(original.to_pandas(), "original"), KNOWN, NAMED)
    assert isinstance(passes.frame("polars"), pl.DataFrame)
    pq.write_table(original, tmp_path / "original.parquet")
    passes = writing(open_source(tmp_path / "original.parquet", "original"), KNOWN, NAMED)
    assert isinstance(passes.frame(), pd.DataFrame)
    assert passes.frame("pyarrow").to_pylist() == wanted(passes, original)


def test_a_frame_that_changed():
    frame = table(4).to_pandas()
    passes = writing(open_source(frame, "original"), KNOWN, NAMED)
    frame.loc[0, "zip"] = 999
    with pytest.raises(SourceError, match="the rows are not those that were counted"):
        passes.frame()
