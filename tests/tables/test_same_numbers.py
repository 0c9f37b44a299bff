"""The same table gives the same results in every file format and as every kind of data frame."""

import codecs
import csv
import gzip
import io
import json
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from datetime import date, datetime, time
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from PETWorks import AECS, NonUniformEntropy, Precision, Profitability, Release, TCloseness
from PETWorks.errors import EncodingError, SourceError
from PETWorks.tables import decoding
from PETWorks.tables.opening import open_source

YEARS = [(year, f"{year[:3]}*") for year in ("1970", "1977", "1981", "1983", "1988")]  # a level * is added
DISEASES = [
    ("流感", "呼吸感染", "疾病"),
    ("胃癌", "胃部疾病", "疾病"),
    ("胃炎", "胃部疾病", "疾病"),
    ("", "不明", "疾病"),
]
ORIGINAL = {
    "year": ["1970", "1977", "1977", "1981", "1983", "1988", "1988", "1970", "1981", "1983", "1970", "1983"],
    "城市": ["台北", "台北", "高雄", None, "高雄", "台北", "高雄", None, "台北", "台北", "台北", None],
    "note": ["a,b", "a;b", "two\nlines", 'say "hi"', "x|y", "tab\tin", None, "plain", "", '"', "a,b", 'say "hi"'],
    "disease": ["流感", "胃癌", "胃炎", "流感", "流感", "胃炎", "胃癌", "胃癌", "流感", "胃炎", "流感", "胃炎"],
    "salary": ["3000", "4000", "5000", "6000", "8000", "3000", "4000", "5000", "6000", "8000", "4000", "9000"],
}
RELEASED = {
    "year": ["197*", "197*", "197*", "198*", "198*", "198*", "*", "197*", "198*", "1983", "197*", "198*"],
    "城市": ["台北", "台北", "高雄", None, "高雄", "*", "*", None, "台北", "台北", "台北", None],
    "note": ["a,b", "a;b", "two\nlines", 'say "hi"', "x|y", "tab\tin", "*", "plain", "", "*", "a,b", 'say "hi"'],
    "disease": ["流感", "胃癌", "胃炎", "流感", "流感", "胃炎", "胃癌", "胃癌", None, "胃炎", "流感", "胃炎"],
    "salary": ["3000", "4000", "5000", "6000", "8000", "3000", "4000", "5000", "6000", "8000", "4000", "9000"],
}
FIVE = (
    Precision(),
    AECS(),
    NonUniformEntropy(),
    Profitability(cost=4, gain=300, loss=300, benefit=1200),
    TCloseness(t="0.4"),
)


def written(table, delimiter=";", end="\n", quoting=csv.QUOTE_MINIMAL, pad=""):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    rows = [list(table), *zip(*table.values(), strict=True)]
    writer.writerows([[f"{pad}{'' if cell is None else cell}{pad}" for cell in row] for row in rows])
    return out.getvalue()


def mixed_line_ends(table):
    """End records alternately with CRLF and LF; line feeds inside quotes are not changed."""
    parts = written(table, end="\r\n").split("\r\n")
    return "".join(part + ("\n" if place % 2 else "\r\n") for place, part in enumerate(parts[:-1]))


def arrow(table):
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in table.items()})


def chunked(table):
    return pa.concat_tables([arrow(table).slice(start, 3) for start in range(0, 12, 3)])


def dictionaries(table):
    """Return chunks whose dictionaries differ."""
    chunks = [part.combine_chunks() for part in (arrow(table).slice(0, 4), arrow(table).slice(4))]
    return pa.table(
        {name: pa.chunked_array([part[name].combine_chunks().dictionary_encode() for part in chunks]) for name in table}
    )


def cast(table, kind):
    return pa.table({name: pa.array(cells, kind) for name, cells in table.items()})


def shuffled_labels(table):
    return pd.DataFrame(table, dtype=object, index=[7, 7, 3, 0, 1, 9, 2, 5, 4, -1, 8, 6])


DELIMITED = {  # functions that return the content of a file
    "semicolon": written,
    "comma": lambda table: written(table, ","),
    "tab": lambda table: written(table, "\t"),
    "pipe": lambda table: written(table, "|"),
    "crlf": lambda table: written(table, end="\r\n"),
    "mixed line ends": mixed_line_ends,
    "no line end at the end": lambda table: written(table).removesuffix("\n"),
    "blank lines": lambda table: written(table).replace("\n197*", "\n\n197*", 1) + "\n  \n\n",
    "byte-order mark": lambda table: "\ufeff" + written(table),
    "every cell quoted": lambda table: written(table, quoting=csv.QUOTE_ALL),
    "blanks before quotes": lambda table: written(table, quoting=csv.QUOTE_ALL).replace(';"', ';  "'),
    "padded": lambda table: written(table, pad="  "),
    "padded with U+3000": lambda table: written(table, ",", pad="　"),
    "gzip": lambda table: gzip.compress(written(table).encode()),
    "cp950": lambda table: written(table).encode("cp950"),
    "cp950, gzip": lambda table: gzip.compress(written(table).encode("cp950")),
}
PARQUET = {
    "plain": lambda table, path: pq.write_table(arrow(table), path, use_dictionary=False),
    "dictionary": lambda table, path: pq.write_table(arrow(table), path, use_dictionary=True),
    "row groups": lambda table, path: pq.write_table(arrow(table), path, row_group_size=3),
    "dictionary type": lambda table, path: pq.write_table(dictionaries(table), path, row_group_size=3),
    "folder": lambda table, path: _folder(arrow(table), path),
}
ARROW = {
    "file": lambda table, path: _write_ipc(arrow(table), path, pa.ipc.new_file),
    "batches": lambda table, path: _write_ipc(chunked(table), path, pa.ipc.new_file),
    "compressed": lambda table, path: feather.write_feather(arrow(table), path, compression="zstd"),
    "dictionaries": lambda table, path: _write_ipc(dictionaries(table), path, pa.ipc.new_stream),
    "stream": lambda table, path: _write_ipc(chunked(table), path, pa.ipc.new_stream),
    "string_view": lambda table, path: _write_ipc(cast(table, pa.string_view()), path, pa.ipc.new_file),
    "by polars": lambda table, path: pl.DataFrame(table).write_ipc(path),
}
JSON = {  # functions that return the content of a file
    "lines": lambda table: "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in records(table)),
    "escapes, CRLF": lambda table: "\r\n".join(json.dumps(row) for row in records(table)),
    "blank lines": lambda table: "\n \n".join(json.dumps(row) for row in records(table)) + "\n\n",
    "byte-order mark": lambda table: "\ufeff" + JSON["lines"](table),
    "gzip": lambda table: gzip.compress(JSON["lines"](table).encode()),
    "list": lambda table: json.dumps(records(table)),
    "indented list": lambda table: json.dumps(records(table), indent=2, ensure_ascii=False),
    "gaps": lambda table: "\n".join(
        json.dumps({name: cell for name, cell in row.items() if place == 0 or cell is not None})
        for place, row in enumerate(records(table))
    ),
}
FRAMES = {
    "dict": lambda table: table,
    "dict of arrays": lambda table: {name: np.array(cells, dtype=object) for name, cells in table.items()},
    "pandas": pd.DataFrame,
    "pandas object": lambda table: pd.DataFrame(table, dtype=object),
    "pandas NaN": lambda table: pd.DataFrame(table, dtype=object).replace({None: float("nan")}),
    "pandas string": lambda table: pd.DataFrame(table, dtype="string"),
    "pandas category": lambda table: pd.DataFrame(table, dtype="category"),
    "pandas Arrow": lambda table: pd.DataFrame(table, dtype=pd.ArrowDtype(pa.string())),
    "pandas shuffled labels": shuffled_labels,
    "polars": pl.DataFrame,
    "polars categorical": lambda table: pl.DataFrame(table, schema=dict.fromkeys(table, pl.Categorical)),
    "polars lazy": pl.LazyFrame,
    "polars lazy categorical": lambda table: pl.LazyFrame(table, schema=dict.fromkeys(table, pl.Categorical)),
    "arrow": arrow,
    "arrow chunks": chunked,
    "arrow dictionaries": dictionaries,
    "arrow large_string": lambda table: cast(table, pa.large_string()),
    "arrow string_view": lambda table: cast(table, pa.string_view()),
    "duckdb": lambda table: duckdb.from_arrow(arrow(table)),
}
FORMS = [
    *(f"csv: {form}" for form in DELIMITED),
    *(f"parquet: {form}" for form in PARQUET),
    *(f"ipc: {form}" for form in ARROW),
    *(f"json: {form}" for form in JSON),
    *FRAMES,
]


def _folder(table, path):
    path.mkdir()
    pq.write_table(table.slice(0, 4), path / "part-0.parquet")
    pq.write_table(table.slice(4).select(table.column_names[::-1]), path / "part-1.parquet")


def _write_ipc(table, path, writer):
    with writer(path, table.schema) as file:
        file.write_table(table)


def records(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


@pytest.fixture
def made(tmp_path):
    """Return a table in some format: a data frame, or the path of a file."""

    def made(table, form, name):
        kind, _, detail = form.partition(": ")
        if kind in ("csv", "json"):
            content = (DELIMITED if kind == "csv" else JSON)[detail](table)
            path = tmp_path / f"{name}.{kind}"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return path
        if kind in ("parquet", "ipc"):
            (PARQUET if kind == "parquet" else ARROW)[detail](table, tmp_path / name)
            return tmp_path / name
        return FRAMES[form](deepcopy(table))

    return made


def counted(table, columns):
    """Count by definition: blank cells are missing, values are sorted, missing values last."""
    cells = [[cell or None for cell in table[name]] for name in columns]
    counts = Counter(zip(*cells, strict=True))
    return sorted(counts.items(), key=lambda item: [(cell is None, cell or "") for cell in item[0]])


def tallied(source, columns=None):
    source = open_source(source, "table")
    return list(source.tally(columns or source.columns).items())


def numbers(release, original):
    """Evaluate all five measures; leave out the file's name and encoding, which depend on the format."""
    answers = (
        Release(
            release,
            original=original,
            quasi_identifiers=["year", "城市", "note"],
            sensitive=["disease", "salary"],
            hierarchies={"year": YEARS, "disease": DISEASES},
        )
        .evaluate(*FIVE)
        .to_dict()
    )
    del answers["scope"]
    for result in answers["results"]:
        del result["scope"]["name"]
        result["notes"] = [note for note in result["notes"] if note["kind"] != "encoding"]
    return json.dumps(answers, ensure_ascii=False, indent=1)


@pytest.fixture(scope="module")
def expected():
    return numbers(RELEASED, ORIGINAL)


def test_the_expected_numbers(expected):
    """The expected results are right: otherwise the comparisons below might compare equally wrong results."""
    by_name = {result["measure"]: result for result in json.loads(expected)["results"]}
    exact = {name: by_name[name]["exact"] for name in ("Precision", "AECS", "profitability")}
    assert exact == {"Precision": "13/18", "AECS": "1067/1080", "profitability": "900"}
    assert 0 < by_name["Non-Uniform Entropy"]["value"] < 1
    assert by_name["t-closeness"]["figures"] == {"distance": "hierarchical", "part": "disease"}
    assert by_name["Precision"]["scope"] == {
        "rows": 12,
        "suppressed": 1,
        "classes": 9,
        "missing": {"城市": 3, "note": 1, "disease": 1},
    }


@pytest.mark.parametrize("form", FORMS)
def test_tally(made, form):
    for name, table in (("original", ORIGINAL), ("release", RELEASED)):
        assert tallied(made(table, form, name)) == counted(table, table)


@pytest.mark.parametrize("form", FORMS)
def test_tally_of_some_columns_in_another_order(made, form):
    columns = ["salary", "城市"]
    assert tallied(made(RELEASED, form, "release"), columns) == counted(RELEASED, columns)


@pytest.mark.parametrize("form", FORMS)
def test_five_measures(made, expected, form):
    assert numbers(made(RELEASED, form, "release"), made(ORIGINAL, form, "original")) == expected


@pytest.mark.parametrize(("of_release", "of_original"), list(zip(FORMS, FORMS[11:] + FORMS[:11], strict=True)))
def test_five_measures_of_mixed_pairs(made, expected, of_release, of_original):
    assert numbers(made(RELEASED, of_release, "release"), made(ORIGINAL, of_original, "original")) == expected


@pytest.mark.parametrize("block", [5, 16, 61])
@pytest.mark.parametrize("form", [one for one in FORMS if one.startswith(("csv: ", "json: "))])
def test_five_measures_of_a_file_in_many_slabs(monkeypatch, made, expected, form, block):
    monkeypatch.setattr(decoding, "BLOCK", block)
    assert numbers(made(RELEASED, form, "release"), made(ORIGINAL, form, "original")) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "big5", "gb18030", "utf-8-sig"])
def test_an_encoding_that_the_caller_names(write, encoding):
    path = write(written(RELEASED).encode(encoding))
    tally = open_source(path, "table", encoding=encoding).tally(list(RELEASED))
    assert list(tally.items()) == counted(RELEASED, RELEASED)


def test_a_delimiter_that_the_caller_names(write):
    path = write("a:b;c;d\n1:2;3;4\n")
    assert list(open_source(path, "table", delimiter=":").tally(["a", "b;c;d"]).items()) == [(("1", "2;3;4"), 1)]


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("a;b,c", ("a", "b,c")),  # equally frequent: ; comes first
        ("a,b|c", ("a", "b|c")),
        ("a\tb|c", ("a", "b|c")),
        ("a,b;c,d", ("a", "b;c", "d")),  # the most frequent
        ('"a,b,c";d', ("a,b,c", "d")),  # outside quotes
        ("one", ("one",)),
        (" a ;　b　;c\t", ("a", "b", "c")),
        ('a; "b;c"', ("a", "b;c")),
        ('"two\nlines";b', ("two\nlines", "b")),
    ],
)
def test_header(write, header, columns):
    path = write(f"{header}\n")
    assert open_source(path, "table").columns == columns


def test_a_cp950_file_is_said_to_be_one(write):
    path = write(written(RELEASED).encode("cp950"))
    result = Release(path, quasi_identifiers=["year"]).ask("k-anonymity")
    assert [note.figures for note in result.notes if note.kind == "encoding"] == [
        {"file": "release.csv", "encoding": "cp950"}
    ]


def test_a_utf8_file_gets_no_note_on_its_encoding(write):
    result = Release(write(written(RELEASED)), quasi_identifiers=["year"]).ask("k-anonymity")
    assert not [note for note in result.notes if note.kind == "encoding"]


def test_an_encoding_that_shows_late_is_used_from_the_start(monkeypatch, write):
    """The first slabs happen to be valid UTF-8. The last is not, so the whole file is read as CP950."""
    monkeypatch.setattr(decoding, "BLOCK", 16)
    both = "中".encode("cp950")
    assert both.decode("cp950") == "中"
    chance = b"\xc2\xa7"  # § in UTF-8, a Chinese character in CP950
    path = write(b"a;b\n" + b"1;" + chance + b"\n" + b"2;x\n" * 20 + b"3;" + both + b"\n")
    assert {values for values, _ in tallied(path)} == {("1", chance.decode("cp950")), ("2", "x"), ("3", "中")}


@pytest.mark.parametrize(
    ("body", "cells"),
    [
        ("1\n2\n", ["1", "2"]),
        ("1\n\n2\n", ["1", None, "2"]),
        ("\n\n1\n", [None, None, "1"]),
        ("1\n\n\n", ["1"]),
        ("1\n  \n2", ["1", None, "2"]),
        ('1\n""\n', ["1", None]),  # not a blank line
        ("1\r\n\r\n2\r\n\r\n", ["1", None, "2"]),
    ],
)
def test_blank_lines_of_a_one_column_file(write, body, cells):
    assert tallied(write(f"a\n{body}")) == counted({"a": cells}, ["a"])


@pytest.mark.parametrize(
    "body", ["1;2\n\n3;4\n", "\n1;2\n3;4\n", "1;2\n3;4\n\n\n", "1;2\n \t　\n3;4", "1;2\r\n\r\n3;4\r\n"]
)
def test_blank_lines_of_a_wider_file_are_no_rows(write, body):
    assert tallied(write(f"a;b\n{body}")) == [(("1", "2"), 1), (("3", "4"), 1)]


def test_a_line_of_delimiters_is_a_row_of_missing_cells(write):
    assert tallied(write("a;b\n;\n\t;  \n")) == [((None, None), 2)]


# Typed columns


NAN = float("nan")
NOON = datetime(2026, 5, 1, 12, 30)  # noqa: DTZ001 (tables rarely have time zones)
LOOKS = ["039", "1.0", "True", "nan", "NA", "null", "1e3"]
TYPED = {  # an Arrow array, and the text form of its values
    "ints": (pa.array([39, -1, 0, None], pa.int64()), ["39", "-1", "0", None]),
    "small ints": (pa.array([39, 255], pa.uint8()), ["39", "255"]),
    "large ints": (pa.array([2**63 - 1, 2**53 + 1], pa.int64()), ["9223372036854775807", "9007199254740993"]),
    "whole floats": (pa.array([39.0, -1.0, 1e15, 1e22], pa.float64()), ["39", "-1", "1" + 15 * "0", "1" + 22 * "0"]),
    "floats": (pa.array([0.1, 1 / 3, 1.5e-7], pa.float64()), ["0.1", "0.3333333333333333", "1.5e-07"]),
    "negative zero": (pa.array([-0.0, 0.0], pa.float64()), ["0", "0"]),
    "float32": (pa.array([0.1, 39.0, 2.5], pa.float32()), ["0.1", "39", "2.5"]),
    "NaN and null": (pa.array([0.5, NAN, None], pa.float64()), ["0.5", None, None]),
    "float32 NaN": (pa.array([0.5, NAN, None], pa.float32()), ["0.5", None, None]),
    "booleans": (pa.array([True, False, None]), ["true", "false", None]),
    "dates": (pa.array([date(2026, 5, 1), None], pa.date32()), ["2026-05-01", None]),
    "datetimes": (pa.array([NOON, None], pa.timestamp("us")), ["2026-05-01T12:30:00", None]),
    "microseconds": (pa.array([NOON.replace(microsecond=5)], pa.timestamp("us")), ["2026-05-01T12:30:00.000005"]),
    "midnights": (pa.array([datetime(2026, 5, 1)], pa.timestamp("us")), ["2026-05-01"]),  # noqa: DTZ001
    "seconds": (pa.array([NOON], pa.timestamp("ms")), ["2026-05-01T12:30:00"]),
    "nanoseconds": (
        pa.array([1, 1_000, None], pa.timestamp("ns")),
        ["1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000001", None],
    ),
    "midnights in nanoseconds": (pa.array([0, 86_400 * 10**9], pa.timestamp("ns")), ["1970-01-01", "1970-01-02"]),
    "times": (pa.array([time(8, 30)], pa.time64("us")), ["08:30:00"]),
    "decimals": (pa.array([Decimal("1.50"), Decimal("-20.00"), None], pa.decimal128(6, 2)), ["1.50", "-20.00", None]),
    "padded text": (pa.array([" a ", "　a", "a\n", "", "  ", None]), ["a", "a", "a", None, None, None]),
    "text that looks typed": (pa.array(LOOKS), LOOKS),
    "nothing but nulls": (pa.nulls(2), [None, None]),
    "dictionary of ints": (pa.array([3, 4, 3, None]).dictionary_encode(), ["3", "4", "3", None]),
}  # fmt: skip


def plain(table):
    """Return NumPy floats, which keep single or double precision, and Python values for other types."""
    return {
        name: cells.to_numpy() if pa.types.is_floating(cells.type) else cells.to_pylist()
        for name, cells in zip(table.column_names, table.columns, strict=True)
    }


ENGINES = {
    "arrow": lambda table: table,
    "parquet": None,  # see below
    "feather": None,
    "pandas": lambda table: table.to_pandas(),
    "pandas dates": lambda table: table.to_pandas(date_as_object=False),
    "pandas object": lambda table: table.to_pandas().astype(object),
    "pandas Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": duckdb.from_arrow,
    "dict": plain,
}


@pytest.fixture
def held(tmp_path):
    """Convert an Arrow table to an engine's own kind of table."""

    def held(table, engine):
        if engine == "parquet":
            pq.write_table(table, tmp_path / "table.parquet")
            return tmp_path / "table.parquet"
        if engine == "feather":
            feather.write_feather(table, tmp_path / "table.feather")
            return tmp_path / "table.feather"
        return ENGINES[engine](table)

    return held


UNABLE = {  # the engine itself changes the value
    ("nanoseconds", "dict"): "Python's datetime has no nanoseconds",
    ("float32", "pandas object"): "pandas makes doubles of them",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", TYPED)
def test_text_form_of_typed_columns(held, kind, engine):
    if reason := UNABLE.get((kind, engine)):
        pytest.skip(reason)
    cells, texts = TYPED[kind]
    assert tallied(held(pa.table({"a": cells}), engine)) == counted({"a": texts}, ["a"])


@pytest.mark.parametrize("kind", TYPED)
def test_the_csv_of_a_typed_column_gives_the_same(write, kind):
    cells, texts = TYPED[kind]
    assert tallied(pa.table({"a": cells, "b": ["x"] * len(cells)})) == tallied(
        write(written({"a": texts, "b": ["x"] * len(cells)}))
    )


MIXED = {  # cells of several types in one column, and their text forms
    "numbers and text": ([1, "1", 1.0, " x ", 2.5], ["1", "1", "1", "x", "2.5"]),
    "booleans and numbers": ([True, 1, False, 0], ["true", "1", "false", "0"]),
    "all ways to be missing": (["x", None, NAN, pd.NaT, pd.NA, "", " "], ["x", *[None] * 6]),
    "numbers and NA": ([1, pd.NA, 2.5], ["1", None, "2.5"]),
    "dates and NaT": ([date(2026, 5, 1), pd.NaT], ["2026-05-01", None]),
    "datetimes before dates": ([NOON, date(2026, 5, 1)], ["2026-05-01T12:30:00", "2026-05-01"]),
    "dates before datetimes": ([date(2026, 5, 1), NOON], ["2026-05-01", "2026-05-01T12:30:00"]),
    "timestamps": ([pd.Timestamp(NOON), pd.Timestamp("2026-05-01")], ["2026-05-01T12:30:00", "2026-05-01"]),
    "timestamps in nanoseconds": ([pd.Timestamp(1, unit="ns"), pd.NaT], ["1970-01-01T00:00:00.000000001", None]),
    "decimals of one scale": ([Decimal("1.50"), Decimal("2.25"), Decimal("NaN")], ["1.50", "2.25", None]),
    "decimals of several scales": ([Decimal("1.50"), Decimal(2), Decimal("1E+2")], ["1.50", "2", "100"]),
    "decimals and floats": ([Decimal("1.50"), 0.1], ["1.50", "0.1"]),
    "singles and doubles": ([np.float32(0.1), 0.25], ["0.1", "0.25"]),
    "large ints and floats": ([2**53 + 1, 0.5], ["9007199254740993", "0.5"]),
    "ints beyond 64 bits": ([10**30, 1], ["1" + 30 * "0", "1"]),
    "bytes and text": ([b"x", "x", " y"], ["x", "x", "y"]),
    "NumPy scalars": ([np.int8(3), np.bool_(True), np.float64(2.0), np.str_(" z")], ["3", "true", "2", "z"]),
    "NumPy dates": ([np.datetime64("2026-05-01"), np.datetime64("NaT", "D")], ["2026-05-01", None]),
}


@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("frame", [dict, lambda table: pd.DataFrame(table, dtype=object)], ids=["dict", "pandas"])
def test_text_form_of_mixed_columns(frame, kind):
    cells, texts = MIXED[kind]
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    assert tallied(frame({"a": column})) == counted({"a": texts}, ["a"])


@pytest.mark.parametrize(
    "column",
    [
        pd.cut([25, 30, 50], [20, 40, 60]),
        pd.arrays.IntervalArray.from_tuples([(20, 40), (20, 40), (40, 60)]),
        pd.PeriodIndex(["2026-05", "2026-05", "2026-06"], freq="M"),
        pd.Series([25, 30, 50], dtype="float16"),
        pd.Series([0.5, NAN, 0.25], dtype="Float32"),
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean").astype(object),
    ],
    ids=["pandas.cut", "intervals", "periods", "float16", "Float32", "Int64", "boolean"],
)
def test_columns_that_only_pandas_has(write, column):
    """A CSV file that pandas writes is the same table (except for whole floats and booleans)."""
    frame = pd.DataFrame({"a": column, "b": "x"})
    text = frame.to_csv(sep=";", index=False).replace(".0;", ";").replace("True", "true").replace("False", "false")
    assert tallied(frame) == tallied(write(text))


@pytest.mark.parametrize("engine", ["arrow", "parquet", "pandas", "polars", "polars lazy", "duckdb", "dict"])
def test_typed_tables_give_the_same_five_measures_as_their_csv(held, write, engine):
    typed = pa.table(
        {
            "age": pa.array([39.0, NAN, 40.5, 39.0, None], pa.float64()),
            "born": pa.array([date(2026, 5, 1), date(2026, 5, 2), None, date(2026, 5, 1), date(2026, 5, 1)]),
            "well": pa.array([True, False, None, True, False]),
            "salary": pa.array([3000, 4000, 5000, 3000, 4000], pa.int32()),
        }
    )
    rows = [
        "39;2026-05-01;true;3000",
        ";2026-05-02;false;4000",
        "40.5;;;5000",
        "39;2026-05-01;true;3000",
        ";2026-05-01;false;4000",
    ]

    def ask(table):
        release = Release(table, original=table, quasi_identifiers=["age", "born", "well"], sensitive=["salary"])
        answers = release.evaluate(*FIVE).to_dict()["results"]
        for result in answers:
            del result["scope"]["name"]
        return json.dumps(answers)

    assert ask(held(typed, engine)) == ask(write("\n".join(["age;born;well;salary", *rows])))


# What belongs to the caller


@pytest.mark.parametrize("form", [form for form in FRAMES if form.startswith("pandas")])
def test_a_pandas_frame_is_left_as_it_was(form):
    release, original = FRAMES[form](RELEASED), FRAMES[form](ORIGINAL)
    copies = release.copy(deep=True), original.copy(deep=True)
    numbers(release, original)
    pd.testing.assert_frame_equal(release, copies[0], check_exact=True)
    pd.testing.assert_frame_equal(original, copies[1], check_exact=True)


@pytest.mark.parametrize("form", ["polars", "arrow", "arrow chunks"])
def test_another_frame_is_left_as_it_was(form):
    release, original = FRAMES[form](RELEASED), FRAMES[form](ORIGINAL)
    numbers(release, original)
    assert release.equals(FRAMES[form](RELEASED))
    assert original.equals(FRAMES[form](ORIGINAL))


def test_lists_are_left_as_they_were():
    release, original = deepcopy(RELEASED), deepcopy(ORIGINAL)
    numbers(release, original)
    assert (release, original) == (RELEASED, ORIGINAL)


def test_a_mixed_pandas_column_is_left_as_it_was():
    frame = pd.DataFrame({"a": pd.Series([1, "1", 1.0, None, NAN, True], dtype=object)}, index=list("zyxwvu"))
    copy = frame.copy(deep=True)
    tallied(frame)
    pd.testing.assert_frame_equal(frame, copy, check_exact=True)


def test_hierarchies_and_roles_are_left_as_they_were():
    roles, hierarchies = {"year": "quasi_identifier"}, {"year": [list(row) for row in YEARS]}
    given = deepcopy((roles, hierarchies))
    Release(RELEASED, roles=roles, hierarchies=hierarchies).ask("Precision")
    assert (roles, hierarchies) == given


# Names of columns


NAMES = ["n", "count", "N", "a b", "年齡", "rows", "c0", "a.b", "a", "index", "select", 'quo"te', "len", "1"]
HOLDERS = {
    **dict.fromkeys(["pandas", "polars", "polars lazy", "arrow", "dict"], NAMES),
    **dict.fromkeys(["csv: semicolon", "csv: every cell quoted", "parquet: dictionary", "parquet: folder"], NAMES),
    "duckdb": [name for name in NAMES if name != "N"],  # DuckDB does not distinguish n and N
}


@pytest.mark.parametrize("form", HOLDERS)
def test_any_name_of_a_column(made, form):
    names = HOLDERS[form]
    cells = [["x", "y", "x", None], ["x", "x", "x", "y"]]
    table = {
        name: [f"{place}{cell}" if cell else None for cell in cells[place % 2]] for place, name in enumerate(names)
    }
    assert tallied(made(table, form, "release")) == counted(table, names)


@pytest.mark.parametrize("form", HOLDERS)
def test_measures_with_any_names_of_columns(made, form):
    *names, sensitive = HOLDERS[form]
    table = {name: [f"{place}x", f"{place}y", f"{place}x"] for place, name in enumerate(names)}
    table[sensitive] = ["1", "2", "3"]
    release, original = made(table, form, "release"), made(table, form, "original")
    asked = Release(release, original=original, quasi_identifiers=names, sensitive=[sensitive])
    aecs, precision, t = asked.evaluate("AECS", "Precision", "t-closeness")
    assert (aecs.figures["class_size"], precision.value, list(precision.parts), list(t.parts)) == (
        1.5,
        1,
        names,
        [sensitive],
    )
    assert [list(score.values) for score in t.worst] == [names, names]


def test_names_of_columns_are_trimmed():
    assert open_source(pd.DataFrame({" a ": ["1"], "　b": ["2"]}), "table").columns == ("a", "b")
    assert tallied(pl.LazyFrame({" a ": ["1"], "　b": ["2"]}), ["b", "a"]) == [(("2", "1"), 1)]


def test_names_that_are_numbers_are_read_as_text():
    assert tallied(pd.DataFrame([[1, "x"], [2, "y"]]), ["1"]) == [(("x",), 1), (("y",), 1)]


@pytest.mark.parametrize("kind", ["str", "object", "category", "int64", "Int64", "string[pyarrow]"])
def test_pandas_frames_that_were_put_together(kind):
    """The columns of concatenated data frames may have several chunks."""
    parts = [pd.DataFrame({"a": pd.Series(["1", "2", "1"]).astype(kind)}) for _ in range(2)]
    table = pd.concat(parts, ignore_index=True)
    assert list(open_source(table, "t").tally(["a"]).items()) == [(("1",), 4), (("2",), 2)]


@pytest.mark.parametrize("by", [None, "id"])
def test_categories_that_no_cell_has(by):
    """The values of a column are only those that occur, not all its categories."""
    released = pd.DataFrame({"id": ["1", "2", "3", "4"], "x": ["*", "b", "a", "*"], "y": ["1", "1", "2", "2"]})
    plain = pd.DataFrame({"id": ["1", "2", "3", "4"], "x": ["a", "b", "a", "b"], "y": ["1", "1", "2", "2"]})
    more = {"x": pd.Categorical(plain["x"], list("abcde")), "id": pd.Categorical(plain["id"], ["", *"12345"])}
    answers = [
        [
            result.to_dict()
            for result in Release(released, original=original, key=by, quasi_identifiers=["x", "y"]).evaluate()
        ]
        for original in (plain, plain.assign(**more))
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("rows", [0, 1, 40_000])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_mark_says_that_a_file_is_utf_8(tmp_path, rows, pack):
    path = tmp_path / "marked.csv"
    path.write_bytes(pack(codecs.BOM_UTF8 + b"age,b\n" + b"1,2\n" * rows + b"1,\xb0\xaa\n"))
    with pytest.raises(EncodingError) as raised:
        open_source(path, "t").tally(["age"])
    assert raised.value.where == f"marked.csv, line {rows + 2}"
    assert raised.value.problem == "byte 0xb0 is not UTF-8"


@pytest.mark.parametrize(
    "cells",
    [pa.array([4_000_000, 10], pa.int32()).cast(pa.date32()), pa.array([2**62, 1]).cast(pa.timestamp("us"))],
)
def test_moments_that_python_cannot_hold(cells):
    with pytest.raises(SourceError, match="a value that Python cannot") as raised:
        open_source(pa.table({"a": cells}), "t").tally(["a"])
    assert raised.value.where == "t, a"


def test_bytes_that_are_no_text_are_not_told_to_anybody():
    with pytest.raises(SourceError) as raised:
        open_source(pa.table({"a": [b"secret\xff"]}), "t").tally(["a"])
    assert "secret" not in raised.value.summarise()
    assert "secret" in raised.value.listed


def test_a_file_that_is_gone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1;2\n")
    source = open_source(path, "t")
    path.unlink()
    with pytest.raises(SourceError, match="changed after it was opened"):
        source.tally(["a"])


def test_a_thread_that_outlives_the_main_thread():
    code = (
        "import threading, time, PETWorks as pw, PETWorks.tables.counting.workspace\n"
        "def late(): time.sleep(0.5); print(pw.Release({'a': ['1']}).ask('k-anonymity').value)\n"
        "threading.Thread(target=late).start()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("1.0\n", "")
