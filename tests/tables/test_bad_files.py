"""A file that is not a table raises an error with the place, the problem and a hint; nothing is guessed."""

import gzip
import signal
import zipfile
from dataclasses import dataclass

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from PETWorks import Release
from PETWorks.errors import EncodingError, MalformedError, MissingFileError, ParameterError, PETWorksError, SourceError
from PETWorks.tables import decoding
from PETWorks.tables.counting.workspace import count_cores
from PETWorks.tables.opening import open_source
from PETWorks.tables.records import LINE_LIMIT

ROWS = "1;2\n" * 9
NESTED = pa.table({"tags": [["x"], ["y"]], "b": [1, 2]})


@dataclass
class Bad:
    """A file that is not a table, and what its error must say."""

    content: str | bytes
    where: str  # the exact text: the file, and the line if there is one
    found: tuple[str, ...]  # words of the problem
    kind: type[PETWorksError] = MalformedError
    name: str = "release.csv"


def gzipped(text: str, cut: int | None = None, spoil: int | None = None) -> bytes:
    content = bytearray(gzip.compress(text.encode(), mtime=0))
    if spoil is not None:
        content[spoil] ^= 0xFF
    return bytes(content[:cut])


def parquet(table: pa.Table, **options) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()


def spoilt(content: bytes) -> bytes:
    """Overwrite the data; the footer stays."""
    return content[:4] + b"\xff" * 400 + content[404:]


def ipc(table: pa.Table, writer=pa.ipc.new_file) -> bytes:
    sink = pa.BufferOutputStream()
    with writer(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue().to_pybytes()


WORDS = ipc(pa.table({"a": ["long enough to stand apart"] * 100}))
STREAM = ipc(pa.table({"a": ["1"] * 100}), pa.ipc.new_stream)
NUMBERS = parquet(pa.table({"a": [str(number) for number in range(1000)]}))
XLSX = b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00"
BAD = {
    "empty": Bad("", "release.csv", ("empty",)),
    "nothing but blanks": Bad(" \n\n\t\n", "release.csv", ("empty",)),
    "empty gzip": Bad(gzipped(""), "release.csv", ("empty",)),
    "header only": Bad("a;b\n", "release.csv", ("header", "no rows")),
    "header and blank lines": Bad("a;b\n\n \n", "release.csv", ("header", "no rows")),
    "one column, blank lines": Bad("a\n\n\n", "release.csv", ("header", "no rows")),
    "too few cells": Bad("a;b\n1;2\n3\n", "release.csv, line 3", ("1 cell", "2 columns")),
    "too many cells": Bad("a;b\n1;2\n3;4;5\n", "release.csv, line 3", ("3 cells", "2 columns")),
    "ragged first line": Bad("a;b\n1\n", "release.csv, line 2", ("1 cell", "2 columns")),
    "ragged last line": Bad(f"a;b\n{ROWS}1;2;3", "release.csv, line 11", ("3 cells", "2 columns")),
    "ragged in one column": Bad("a\n1\n2;3\n", "release.csv, line 3", ("2 cells", "1 column")),
    "ragged after CRLF": Bad("a;b\r\n1;2\r\n3\r\n", "release.csv, line 3", ("1 cell", "2 columns")),
    "ragged after blank lines": Bad("a;b\n\n\n1;2\n\n3\n", "release.csv, line 6", ("1 cell", "2 columns")),
    "ragged after quoted line feeds": Bad('a;b\n"x\ny\nz";2\n3\n', "release.csv, line 5", ("1 cell", "2 columns")),
    "ragged after a header of two lines": Bad('a;"b\nb"\n1;2\n3\n', "release.csv, line 4", ("1 cell", "2 columns")),
    "ragged with quoted line feeds of its own": Bad('a;b\n1;2\n"x\ny"\n', "release.csv, line 3", ("1 cell",)),
    "ragged after a byte-order mark": Bad("\ufeffa;b\n1;2\n3\n", "release.csv, line 3", ("1 cell", "2 columns")),
    "trailing delimiter": Bad("a;b\n1;2;\n", "release.csv, line 2", ("3 cells", "2 columns")),
    "ragged gzip": Bad(gzipped("a;b\n1;2\n3\n"), "release.csv.gz, line 3", ("1 cell",), name="release.csv.gz"),
    "same header twice": Bad("age;zip;age\n1;2;3\n", "release.csv, line 1", ("columns 1 and 3", "same name")),
    "same header but for blanks": Bad("age; age\n1;2\n", "release.csv, line 1", ("columns 1 and 2", "same name")),
    "empty header": Bad("a;;c\n1;2;3\n", "release.csv, line 1", ("column 2", "empty name")),
    "blank header": Bad("a;b;　\n1;2;3\n", "release.csv, line 1", ("column 3", "empty name")),
    "header line is blank": Bad("\na;b\n1;2\n", "release.csv, line 1", ("empty name",)),
    "NUL": Bad("a;b\n1;2\n3;\x004\n", "release.csv, line 3", ("NUL",)),
    "NUL in the header": Bad("a;\0b\n1;2\n", "release.csv, line 1", ("NUL",)),
    "UTF-16": Bad("a;b\n1;2\n".encode("utf-16"), "release.csv, line 1", ("neither UTF-8", "CP950"), EncodingError),
    "UTF-16 without mark": Bad("a;b\n1;2\n".encode("utf-16-le"), "release.csv, line 1", ("NUL",)),
    "no encoding": Bad(b"a;b\n1;2\n3;\xff\n", "release.csv, line 3", ("0xff", "neither UTF-8", "CP950"), EncodingError),
    "UTF-8 with one bad byte": Bad(
        "a;b\n1;é\n2;3\n".encode() + b"4;\xff\n", "release.csv, line 4", ("0xff", "neither UTF-8"), EncodingError
    ),
    "CP950 with one bad byte": Bad(
        "a;b\n1;中\n2;3\n4;".encode("cp950") + b"\xff", "release.csv, line 4", ("0xff", "neither UTF-8"), EncodingError
    ),
    "UTF-8 cut within a character": Bad("a;b\n1;é".encode()[:-1], "release.csv, line 2", ("0xc3",), EncodingError),
    "unclosed quote": Bad('a;b\n1;2\n3;"4\n5;6\n', "release.csv, line 3", ("quote", "never closed")),
    "unclosed quote in the header": Bad('a;"b\n1;2\n3;4\n', "release.csv, line 1", ("quote", "never closed")),
    "cell after its quotes": Bad('a;b\n1;"2" x\n', "release.csv, line 2", ("after the closing quote",)),
    "stray quotes in the header": Bad('5" disk,7" disk\n1,2\n', "release.csv, line 1", ("quote",)),
    "stray quote in the header": Bad('5" disk;b\n1;2\n3;4\n', "release.csv, line 1", ("quote",)),
    "lone CR": Bad("a;b\n1;2\r3;4\n", "release.csv, line 2", ("CR",)),
    "lone CR in one column": Bad("a\n1\r2\n", "release.csv, line 2", ("CR",)),
    "lone CR everywhere": Bad("a;b\r1;2\r3;4\r", "release.csv, line 1", ("CR",)),
    "gzip cut short": Bad(gzipped(ROWS * 99, cut=-20), "release.csv", ("gzip", "damaged"), SourceError),
    "gzip with a wrong checksum": Bad(gzipped(ROWS, spoil=-6), "release.csv", ("gzip", "damaged"), SourceError),
    "gzip with wrong data": Bad(gzipped(ROWS, spoil=12), "release.csv", ("gzip", "damaged"), SourceError),
    "gzip header only": Bad(b"\x1f\x8b", "release.csv", ("gzip", "damaged"), SourceError),
    "xlsx": Bad(XLSX, "release.xlsx", ("Excel",), SourceError, "release.xlsx"),
    "xlsx called csv": Bad(XLSX, "release.csv", ("Excel",), SourceError),
    "xls": Bad(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "release.xls", ("Excel",), SourceError, "release.xls"),
    "PDF": Bad(b"%PDF-1.7\n%\xe2\xe3", "release.pdf", ("PDF",), SourceError, "release.pdf"),
    "SQLite": Bad(b"SQLite format 3\0", "release.db", ("SQLite",), SourceError, "release.db"),
    "Parquet cut short": Bad(NUMBERS[:-9], "release.parquet", ("Parquet",), SourceError, "release.parquet"),
    "Parquet start only": Bad(b"PAR1", "release.parquet", ("Parquet",), SourceError, "release.parquet"),
    "Parquet with spoilt data": Bad(spoilt(NUMBERS), "release.parquet", ("Parquet",), SourceError, "release.parquet"),
    "Parquet without rows": Bad(
        parquet(pa.table({"a": pa.array([], pa.string())})), "release.parquet", ("no rows",), name="release.parquet"
    ),
    "Parquet without columns": Bad(
        parquet(pa.table({})), "release.parquet", ("no columns",), name="release.parquet"
    ),
    "Parquet with a nested column": Bad(
        parquet(NESTED), "release.parquet, tags", ("list",), SourceError, "release.parquet"
    ),
    "Parquet with bytes that are no text": Bad(
        parquet(pa.table({"a": pa.array([b"\xff\xfe"], pa.binary())})),
        "release.parquet, a",
        ("UTF-8",),
        SourceError,
        "release.parquet",
    ),
}  # fmt: skip
BAD |= {
    "JSON with an object": Bad(
        '{"a":1}\n{"a":{"b":2}}\n', "t.jsonl, line 2", ('the key "a"', "object"), name="t.jsonl"
    ),
    "JSON with a list": Bad('{"a":1}\n\n{"a":[2]}\n', "t.jsonl, line 3", ('the key "a"', "a list"), name="t.jsonl"),
    "JSON with identifiers as keys": Bad(
        '{"A123456789":{"b":1}}', "t.jsonl, line 1", ("key 1 ", "object"), name="t.jsonl"
    ),
    "JSON with a key twice": Bad('{"a":1}\n{"a":1,"a":2}\n', "t.jsonl, line 2", ('the key "a" twice',), name="t.jsonl"),
    "JSON with a key twice in a list": Bad(
        '[{"a":1},\n{"a":1,"a":2}]', "t.json, line 2", ('the key "a" twice',), name="t.json"
    ),
    "JSON with the same key but for blanks": Bad(
        '{"a":1,"a ":2}', "t.json", ("columns 1 and 2", "same name"), name="t.json"
    ),
    "JSON with an empty key": Bad('{"a":1,"":2}', "t.json", ("column 2", "empty name"), name="t.json"),
    "JSON cut short": Bad('{"a":1}\n{"a":', "t.jsonl, line 2", ("not a JSON record",), name="t.jsonl"),
    "JSON with two records in a line": Bad(
        '{"a":1}\n{"a":1}{"a":2}', "t.jsonl, line 2", ("Extra data",), name="t.jsonl"
    ),
    "JSON with a record in two lines": Bad(
        '{"a":[{}\n{}]}\n{"b":1},{"b":2}', "t.jsonl, line 1", ("not a JSON",), name="t.jsonl"
    ),
    "JSON with a line that is no record": Bad('{"a":1}\n7\n', "t.jsonl, line 2", ("a single value",), name="t.jsonl"),
    "JSON with half a character": Bad(
        '{"a":"x"}\n{"a":"\\ud83d"}', "t.jsonl, line 2", ('the key "a"', "Unicode"), name="t.jsonl"
    ),
    "JSON with half a character in a key": Bad('{"\\ud83d":1}', "t.jsonl", ("a key", "Unicode"), name="t.jsonl"),
    "JSON that is one indented object": Bad('{\n "a": 1\n}', "t.json, line 1", ("not a JSON record",), name="t.json"),
    "JSON with columns": Bad('{"a": [1, 2]}', "t.json, line 1", ('the key "a"', "a list"), name="t.json"),
    "JSON list that is not closed": Bad('[{"a":1},\n{"a":2}', "t.json, line 2", ("not closed",), name="t.json"),
    "JSON list without a comma": Bad('[{"a":1}\n{"a":2}]', "t.json, line 2", ("no comma",), name="t.json"),
    "JSON list with a comma too many": Bad('[{"a":1},\n]', "t.json, line 2", ("not JSON",), name="t.json"),
    "JSON list with text after it": Bad('[{"a":1}]\n{"a":2}', "t.json, line 1", ("after the list",), name="t.json"),
    "JSON list of numbers": Bad("[1, 2]", "t.json, line 1", ("a single value",), name="t.json"),
    "JSON list of lists": Bad("[[1, 2]]", "t.json, line 1", ("a list",), name="t.json"),
    "JSON that is too deep": Bad('{"a":' + "[" * 10**5, "t.json, line 1", ("nested",), name="t.json"),
    "JSON without records": Bad("[]", "t.json", ("no records",), name="t.json"),
    "empty JSON": Bad(" \n", "t.jsonl", ("empty",), name="t.jsonl"),
    "JSON that is not UTF-8": Bad(
        b'{"a":1}\n{"a":"\xb0\xaa"}', "t.jsonl, line 2", ("0xb0", "not UTF-8"), EncodingError, "t.jsonl"
    ),
    "JSON in gzip cut short": Bad(
        gzipped('{"a":1}\n' * 99, cut=-9), "t.jsonl.gz", ("gzip", "damaged"), SourceError, "t.jsonl.gz"
    ),
    "Feather version 1": Bad(b"FEA1" + bytes(99), "t.feather", ("version 1",), SourceError, "t.feather"),
    "Arrow cut short": Bad(WORDS[:-9], "t.arrow", ("Arrow",), SourceError, "t.arrow"),
    "Arrow start only": Bad(b"ARROW1\0\0", "t.arrow", ("Arrow",), SourceError, "t.arrow"),
    "empty Arrow": Bad(b"", "t.feather", ("Arrow",), SourceError, "t.feather"),
    "Arrow with wrong offsets": Bad(
        WORDS.replace(bytes([26, 0, 0, 0, 52]), bytes([26, 0, 255, 255, 52])),
        "t.arrow",
        ("damaged",),
        SourceError,
        "t.arrow",
    ),
    "Arrow stream without its end": Bad(STREAM[:-8], "t.arrows", ("no end",), SourceError, "t.arrows"),
    "Arrow stream cut short": Bad(STREAM[:200], "t.arrows", ("Arrow",), SourceError, "t.arrows"),
    "Arrow with a nested column": Bad(ipc(NESTED), "t.arrow, tags", ("list",), SourceError, "t.arrow"),
    "Arrow without columns": Bad(ipc(pa.table({})), "t.arrow", ("no columns",), name="t.arrow"),
    "Arrow without rows": Bad(ipc(pa.table({"a": pa.array([], pa.string())})), "t.arrow", ("no rows",), name="t.arrow"),
    "Parquet in gzip": Bad(gzip.compress(NUMBERS), "t.parquet.gz", ("gzip", "Parquet"), SourceError, "t.parquet.gz"),
    "Avro": Bad(b"Obj\x01\x04", "t.avro", ("Avro",), SourceError, "t.avro"),
    "ORC": Bad(b"ORC\n\x0b", "t.orc", ("ORC",), SourceError, "t.orc"),
    "DuckDB": Bad(bytes(8) + b"DUCK@" + bytes(99), "t.duckdb", ("DuckDB",), SourceError, "t.duckdb"),
    "Zstandard": Bad(b"\x28\xb5\x2f\xfd\x04", "t.csv.zst", ("Zstandard",), SourceError, "t.csv.zst"),
}


def complaint(call, *arguments, kind=PETWorksError, **options):
    with pytest.raises(kind) as caught:
        call(*arguments, **options)
    return caught.value


def read(table, **options):
    source = open_source(table, "release", **options)
    return source.tally(source.columns)


@pytest.mark.parametrize("case", BAD)
def test_where_and_what(write, case):
    bad = BAD[case]
    error = complaint(read, write(bad.content, bad.name), kind=bad.kind)
    assert error.where == bad.where
    for word in bad.found:
        assert word in error.problem


@pytest.mark.parametrize("case", BAD)
def test_what_to_do(write, case):
    bad = BAD[case]
    error = complaint(read, write(bad.content, bad.name))
    assert len(error.hint.split()) > 2


@pytest.mark.parametrize("case", BAD)
def test_the_front_door_says_the_same(write, case):
    """A measure raises the error of the file, whether it occurs on opening the file or while reading it."""
    path = write(BAD[case].content, BAD[case].name)
    error = complaint(lambda: Release(path).ask("k-anonymity"))
    assert error.where == BAD[case].where


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("too many cells", "quote"),
        ("empty header", "name"),
        ("same header twice", "rename"),
        ("NUL", "utf-16"),
        ("UTF-16", 'encoding="utf-16"'),
        ("no encoding", "encoding="),
        ("unclosed quote", '""'),
        ("lone CR in one column", "CRLF"),
        ("xlsx", "save it as CSV"),
        ("PDF", "CSV or Parquet"),
    ],
)
def test_the_way_out(write, case, words):
    assert words in complaint(read, write(BAD[case].content, BAD[case].name)).hint


# Line numbers are right wherever slabs end


@pytest.mark.parametrize("block", [4, 7, 50])
@pytest.mark.parametrize(
    "case", [case for case, bad in BAD.items() if ", line" in bad.where and bad.content[0] != "\n"]
)
def test_lines_beyond_the_first_slab(monkeypatch, write, case, block):
    monkeypatch.setattr(decoding, "BLOCK", block)
    bad = BAD[case]
    assert complaint(read, write(bad.content, bad.name)).where == bad.where


def test_a_ragged_line_beyond_a_real_slab(write):
    lines = decoding.BLOCK // 4 + 100_000
    path = write("a;b\n" + "1;2\n" * lines + "3\n" + "1;2\n" * 9)
    assert complaint(read, path).where == f"release.csv, line {lines + 2}"


def test_bytes_of_no_encoding_beyond_the_first_slab(monkeypatch, write):
    monkeypatch.setattr(decoding, "BLOCK", 64)
    path = write(("a;b\n" + "é;2\n" * 500).encode() + b"\xff;2\n")
    error = complaint(read, path, kind=EncodingError)
    assert (error.where, "0xff" in error.problem) == ("release.csv, line 502", True)


def test_the_byte_that_is_named_stands_on_the_line_that_is_named(write):
    """The file stops being UTF-8 in one line and CP950 in another: the message must not confuse these lines."""
    lines = [b"a;b", "1;中".encode("cp950"), b"2;\xff", b"3;4"]
    error = complaint(read, write(b"\n".join(lines)), kind=EncodingError)
    line = lines[int(error.where.rpartition(" ")[2]) - 1]
    byte = int(error.problem.partition("0x")[2][:2], 16)
    assert byte in line


# A line that is too long


class Metered:
    """A file that records how far it was read."""

    furthest = 0

    def __init__(self, file):
        self.file = file

    def read(self, size=-1):
        got = self.file.read(size)
        Metered.furthest = max(Metered.furthest, self.file.tell())
        return got

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.file.close()


@pytest.fixture
def metered(monkeypatch):
    monkeypatch.setattr(Metered, "furthest", 0)
    unzip = gzip.open
    monkeypatch.setattr(decoding, "nullcontext", Metered)
    monkeypatch.setattr(decoding.gzip, "open", lambda *arguments: Metered(unzip(*arguments)))
    return Metered


@pytest.fixture
def patience():
    """Fail instead of reading without end. The tests assert how far the file is read, not the time."""

    def give_up(*_):
        pytest.fail("no answer after 10 seconds of computing")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, 10)  # it stands still while other processes compute
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


LONG = b"x" * (50 << 20)
ENDLESS = {
    "header": (LONG, 1),
    "body": (b"a;b\n1;2\n3;" + LONG, 3),
    "quoted header": (b'"' + LONG, 1),
    "quoted body": (b'a;b\n1;2\n3;"' + LONG, 3),
    "quote open over many lines": (b'a;b\n1;2\n3;"' + b"x;y\n" * (50 << 18), 3),
    "quote open over many lines, in the header": (b'a;"b\n' + b"x;y\n" * (50 << 18), 1),
    "stray quote in the header, cells quoted": (b'5" disk;b\n' + b'"x";"y"\n' * (50 << 17), 1),
    "one column": (b"a\n1\n" + LONG, 3),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_a_line_of_50_mb(monkeypatch, write, metered, patience, case):
    monkeypatch.setattr(decoding, "BLOCK", 2**22)
    content, line = ENDLESS[case]
    error = complaint(read, write(content), kind=MalformedError)
    assert error.where == f"release.csv, line {line}"
    assert "MiB" in error.problem or "quote" in error.problem
    assert 0 < metered.furthest <= LINE_LIMIT + (4 + count_cores()) * decoding.BLOCK  # some slabs are read ahead


@pytest.mark.parametrize("names", ["all different", "one twice"])
def test_a_header_of_100_000_columns(write, patience, names):
    header = [f"c{number}" for number in range(100_000)]
    header[-1] = "c7" if names == "one twice" else header[-1]
    path = write(";".join(header) + "\n" + ";".join("1" * 100_000) + "\n")
    if names == "one twice":
        assert "same name" in complaint(open_source, path, "t", kind=MalformedError).problem
    else:
        source = open_source(path, "t")
        source.require(header, "a column")
        assert source.find_places(header) == list(range(100_000))


def test_a_line_of_a_gigabyte_in_a_small_gzip_file(write, metered, patience):
    path = write(gzip.compress(b"a;b\n") + gzip.compress(b"x" * (16 << 20), 1) * 64, "release.csv.gz")
    error = complaint(read, path, kind=MalformedError)
    assert error.where == "release.csv.gz, line 2"
    assert 0 < metered.furthest <= (4 + count_cores()) * decoding.BLOCK


def test_what_to_do_about_a_line_of_50_mb(write):
    assert complaint(read, write(LONG)).hint


# Paths


def test_missing_file(write):
    path = write("a;b\n1;2\n", "adult_anonymized.csv")
    error = complaint(read, path.with_name("adult_anonimised.csv"), kind=MissingFileError)
    assert "adult_anonimised.csv" in error.where
    assert 'did you mean "adult_anonymized.csv"?' in error.hint


def test_a_missing_file_is_a_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        Release(tmp_path / "nowhere.csv")


def test_missing_folder(tmp_path):
    assert "there is no such file" in complaint(read, tmp_path / "nowhere" / "release.csv").problem


def test_missing_original(write):
    path = write("a;b\n1;2\n")
    error = complaint(Release, path, original=path.with_name("releases.csv"), kind=MissingFileError)
    assert 'did you mean "release.csv"?' in error.hint


@pytest.mark.parametrize("rows", [1, 2000])
def test_the_text_of_a_table_in_place_of_its_path(rows):
    """Passing text instead of a path is an easy mistake; the system has its own error for names that are too long."""
    assert complaint(read, "a;b\n" + "1;2\n" * rows, kind=MissingFileError).problem


def test_folder_without_parquet(write):
    folder = write("a;b\n1;2\n", "tables/release.csv").parent
    error = complaint(read, folder)
    assert (error.where, ".parquet" in error.problem) == ("tables", True)


def test_what_to_do_about_a_folder_without_parquet(tmp_path):
    assert complaint(read, tmp_path).hint


@pytest.mark.parametrize("path", [".", ""])
def test_the_present_folder_is_named(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    assert complaint(read, path).where


def test_a_folder_whose_files_have_different_columns(write):
    write(parquet(pa.table({"a": ["1"]})), "tables/1.parquet")
    folder = write(parquet(pa.table({"b": ["1"]})), "tables/2.parquet").parent
    error = complaint(read, folder)
    assert (error.where, "1.parquet" in error.problem) == ("2.parquet", True)


def test_a_spoilt_file_in_a_folder_is_named(write):
    write(NUMBERS, "tables/1.parquet")
    folder = write(NUMBERS[:-9], "tables/2.parquet").parent
    assert "2.parquet" in str(complaint(read, folder))


def test_an_excel_workbook_for_real(tmp_path):
    with zipfile.ZipFile(tmp_path / "book.xlsx", "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
    assert "Excel" in complaint(read, tmp_path / "book.xlsx").problem


# What the caller passes about a file


@pytest.mark.parametrize("encoding", ["utf-9", "klingon"])
def test_unknown_encoding(write, encoding):
    error = complaint(read, write("a;b\n1;2\n"), encoding=encoding, kind=ParameterError)
    assert (f'"{encoding}"' in error.problem, "utf-8" in error.hint) == (True, True)


@pytest.mark.parametrize("encoding", ["rot13", "hex", "zip", "punycode", "undefined"])
def test_an_encoding_that_is_none_of_text(write, encoding):
    assert complaint(read, write("a;b\n1;2\n"), encoding=encoding).problem


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "cp950", "utf-16", "utf-32"])
def test_an_encoding_that_does_not_fit(write, encoding):
    """Only the encoding that the caller passes is tried; there is no fallback."""
    error = complaint(read, write(b"a;b\n1;2\n3;\xff\n"), encoding=encoding, kind=EncodingError)
    assert encoding.upper() in error.problem
    assert "CP950" not in error.problem or encoding == "cp950"


@pytest.mark.parametrize("delimiter", [";;", "；", '"', "\n", "\r", "\0"])
def test_impossible_delimiter(write, delimiter):
    error = complaint(read, write("a;b\n1;2\n"), delimiter=delimiter, kind=ParameterError)
    assert "delimiter" in error.problem
    assert "one ASCII character" in error.problem


def test_a_delimiter_that_does_not_occur_makes_one_column(write):
    assert open_source(write("a;b\n1;2\n"), "release", delimiter="|").columns == ("a;b",)


# Tables in memory


FRAMES = {  # functions that convert an Arrow table
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": duckdb.from_arrow,
}


@pytest.mark.parametrize("frame", FRAMES)
def test_nested_column(frame):
    error = complaint(read, FRAMES[frame](NESTED), kind=SourceError)
    assert error.where == "release, tags"
    assert "list" in error.problem or "array" in error.problem


def test_a_nested_column_that_has_no_role_does_not_matter():
    release = Release(NESTED, quasi_identifiers=["b"])
    assert release.ask("shares").value == 0


def test_a_nested_cell_in_a_dict():
    assert complaint(read, {"tags": [["x"], "y"]}, kind=SourceError).where == "release, tags"


@pytest.mark.parametrize("cells", [[b"\xff\xfe", b"x"], [b"\xff\xfe", "x"]])
@pytest.mark.parametrize("frame", [dict, lambda table: pd.DataFrame(table, dtype=object)], ids=["dict", "pandas"])
def test_bytes_that_are_no_text(frame, cells):
    assert complaint(read, frame({"a": cells}), kind=SourceError).where == "release, a"


def test_lists_of_different_lengths():
    error = complaint(read, {"age": [1, 2], "zip": [1, 2, 3]}, kind=SourceError)
    assert error.where == "release"
    for word in ("age", "zip", "2", "3", "length"):
        assert word in error.problem


@pytest.mark.parametrize("cells", [5, None, "text"])
def test_a_column_that_is_no_list(cells):
    """A text is also a sequence of its letters, but it is never meant as a column."""
    assert "age" in str(complaint(read, {"age": cells}, kind=SourceError))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([["1", "2"]], columns=["age", "age"]),
        pd.DataFrame([["1", "2"]], columns=["age", " age"]),
        pa.table([["1"], ["2"]], names=["age", "age"]),
        {"age": ["1"], "age ": ["2"]},
    ],
    ids=["pandas", "pandas but for blanks", "arrow", "dict but for blanks"],
)
def test_the_same_name_twice(table):
    error = complaint(read, table, kind=SourceError)
    assert (error.where, "age" in str(error)) == ("release", True)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_without_rows(frame):
    error = complaint(read, FRAMES[frame](NESTED.select(["b"]).slice(0, 0)), kind=MalformedError)
    assert (error.where, "no rows" in error.problem) == ("release", True)


def test_lists_without_cells():
    assert "no rows" in complaint(read, {"a": [], "b": []}, kind=MalformedError).problem


@pytest.mark.parametrize("table", [{}, pd.DataFrame(index=[1, 2]), pl.DataFrame()], ids=["dict", "pandas", "polars"])
def test_a_frame_without_columns(table):
    assert "no columns" in complaint(read, table, kind=SourceError).problem


@pytest.mark.parametrize("table", [None, 5, [1, 2], [{"a": 1}], pd.Series([1, 2]), b"a;b\n1;2\n"])
def test_what_is_no_table(table):
    error = complaint(read, table, kind=SourceError)
    assert type(table).__name__ in error.problem
    for kind in ("path", "pandas", "polars", "Arrow", "DuckDB", "dict of lists"):
        assert kind in error.hint


def test_a_bad_original_is_called_so():
    error = complaint(Release, {"a": ["1"]}, original={"a": ["1"], "b": []}, kind=SourceError)
    assert error.where == "original"


def test_errors_are_value_errors_too(write):
    with pytest.raises(ValueError, match="line 2"):
        read(write("a;b\n1\n"))
