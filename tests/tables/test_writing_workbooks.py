"""Releases written as workbooks: what is read again, text that stays text, and what a sheet cannot hold."""

import random
import zipfile
from datetime import date, datetime, time
from decimal import Decimal

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from anonymization.recodings import expected, writing
from PETWorks.errors import OutputError
from PETWorks.tables.formats.workbooks import writing as workbooks
from PETWorks.tables.opening import open_source
from PETWorks.tables.text_form import text_form
from support.process import petworks

MORNING, MIDNIGHT = datetime.fromisoformat("2026-05-01T08:30"), datetime.fromisoformat("2026-05-01")
LETTERS = st.characters(exclude_characters="\ufffe\uffff", codec="utf-8")
TRAPS = [
    "=1+1",
    "+886912345678",
    "-1",
    "@SUM(A1)",
    "007",
    "1e5",
    "TRUE",
    "2026-05-01",
    "https://example.org",
    "<r><t>x</t></r>",
    "<b>&amp;",
    "_x0041_",
    "_x000D_",
    "a\r\nb",
    "tab\tin",
    "高雄",
    "😀",
    "\x01",
    'say "hi"',
    "{=A1}",
]


def read(path, **options):
    source = open_source(path, "r", **options)
    batches = list(source.batches(source.columns))
    return {
        name: [value for batch in batches for value in batch[place].texts()]
        if hasattr(batches[0][place], "texts")
        else [batch[place].values[code] for batch in batches for code in batch[place].codes]
        for place, name in enumerate(source.columns)
    }


def write(table, path, names=("age",)):
    goals = [pw.KAnonymity(k=1)]
    made = pw.anonymize(table, goals=goals, quasi_identifiers=[*names], the_rest="insensitive", order="original")
    made.write(path)
    return path


CELLS = {
    pa.string(): st.one_of(
        st.none(),
        st.sampled_from(TRAPS),
        st.text(LETTERS, max_size=6),
    ),
    pa.int64(): st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(-99, 99)),
    pa.float64(): st.one_of(st.none(), st.floats(), st.floats(-10, 10)),
    pa.bool_(): st.one_of(st.none(), st.booleans()),
    pa.date32(): st.one_of(st.none(), st.dates()),
    pa.timestamp("us"): st.one_of(st.none(), st.datetimes(), st.dates().map(lambda day: datetime.combine(day, time()))),
    pa.time64("us"): st.one_of(st.none(), st.times()),
    pa.decimal128(9, 2): st.one_of(st.none(), st.decimals(-999, 999, places=2)),
}


@pytest.mark.parametrize("kind", CELLS, ids=str)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_every_value_is_read_again(tmp_path_factory, kind, data):
    cells = data.draw(st.lists(CELLS[kind], min_size=1, max_size=8))
    table = pa.table({"age": ["1"] * len(cells), "x": pa.array(cells, kind)})
    path = write(table, tmp_path_factory.mktemp("w") / "r.xlsx")
    assert read(path)["x"] == [text_form(cell) for cell in cells]


@pytest.mark.parametrize("seed", range(4))
def test_random_releases(tmp_path, seed):
    chance = random.Random(seed)
    rows = [{"id": f"p{place}", "age": chance.choice(["1", "2"]), "x": chance.choice(TRAPS)} for place in range(40)]
    passes = writing(open_source(pa.Table.from_pylist(rows), "o"), ["age"], ["id"], seed)
    passes.write(tmp_path / "r.xlsx", lambda _: None)
    wanted = expected(passes, rows, rows)
    assert read(tmp_path / "r.xlsx") == {name: [text_form(row[name]) for row in wanted] for name in wanted[0]}


def test_text_stays_text_and_types_are_kept(tmp_path):
    table = pa.table(
        {
            "age": ["30", "30"],
            "id": ["=1+1", "007"],
            "fee": [0.1 + 0.2, 3.0],
            "paid": [Decimal("1.50"), Decimal("2.25")],
            "seen": [date(2026, 5, 1), date(1850, 1, 1)],
            "at": [MORNING] * 2,
            "held": [True, False],
            "from": [time(8, 30), time(0, 0, 1)],
            "long": [12345678901234567, 5],
        }
    )
    sheet = openpyxl.load_workbook(write(table, tmp_path / "r.xlsx"))["release"]
    rows = list(sheet.iter_rows(min_row=2))
    assert [cell.data_type for cell in rows[0]] == ["s", "s", "n", "s", "d", "d", "b", "d", "s"]
    assert rows[0][1].value == "=1+1"
    assert rows[0][2].value == 0.1 + 0.2
    assert [row[4].value for row in rows] == [MIDNIGHT, "1850-01-01"]
    assert [row[-1].value for row in rows] == ["12345678901234567", 5]


def test_a_text_is_never_markup(tmp_path):
    path = write(pa.table({"age": ["1"], "x": ["<r><f>1+1</f></r>"]}), tmp_path / "r.xlsx")
    with zipfile.ZipFile(path) as archive:
        content = archive.read("xl/worksheets/sheet1.xml")
    assert b"<f>" not in content
    assert b"&lt;r&gt;&lt;f&gt;1+1" in content


def test_the_same_release_gives_the_same_bytes(tmp_path, monkeypatch):
    table = pa.table({"age": ["1", "2"] * 50, "x": [str(number) for number in range(100)]})
    first = write(table, tmp_path / "a.xlsx").read_bytes()
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    assert write(table, tmp_path / "b.xlsx").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert {one.date_time[0] for one in archive.infolist()} == {1980}
        assert b"2000-01-01" in archive.read("docProps/core.xml")


def test_the_second_sheet_says_what_was_done(tmp_path):
    table = pa.table({"age": ["30", "31"] * 2, "name": list("abcd"), "ward": ["x"] * 4, "note": ["n"] * 4})
    hierarchy = [["30", "3*", "*"], ["31", "3*", "*"]]
    made = pw.anonymize(
        table,
        goals=[pw.KAnonymity(k=4)],
        quasi_identifiers=["age"],
        identifiers=["name"],
        sensitive=["ward"],
        insensitive=["note"],
        hierarchies={"age": hierarchy},
    )
    made.write(tmp_path / "r.xlsx")
    lines = list(openpyxl.load_workbook(tmp_path / "r.xlsx")["columns"].iter_rows(values_only=True))
    assert [line[0] for line in lines] == ["Column / 欄位", "age", "name", "ward", "note"]
    assert lines[1][2] == "level 1 of 2 of its hierarchy / 資料階層的第 1 層／共 2 層"
    assert lines[2][1:] == ("identifier / 直接識別屬性", "every cell is * / 所有儲存格均為 *")
    assert lines[3][2] == lines[4][2] == "as in the original / 與原始資料相同"


def test_the_release_is_read_without_naming_its_sheet(tmp_path):
    path = write(pa.table({"age": ["1", "2"]}), tmp_path / "r.xlsx")
    assert read(path) == {"age": ["1", "2"]}
    assert read(path, sheet="columns")["Column / 欄位"] == ["age"]
    assert read(path, sheet="Sheet of the original") == {"age": ["1", "2"]}


def test_a_workbook_becomes_a_workbook_with_its_types(tmp_path):
    book = openpyxl.Workbook()
    lines = [["age", "fee", "seen", "code", "held", "mixed"], [34, 0.5, date(2026, 5, 1), "007", True, 1]]
    for line in [*lines, [51, None, MORNING, "12", False, "x"]]:
        book.active.append(line)
    book.save(tmp_path / "o.xlsx")
    sheet = openpyxl.load_workbook(write(tmp_path / "o.xlsx", tmp_path / "r.xlsx"))["release"]
    rows = list(sheet.iter_rows(min_row=2))
    assert [[cell.data_type for cell in row] for row in rows] == [list("nndsbs"), ["n", "n", "d", "s", "b", "s"]]
    write(tmp_path / "o.xlsx", tmp_path / "r.parquet")
    kinds = pa.parquet.read_schema(tmp_path / "r.parquet").types
    assert kinds == [pa.float64(), pa.float64(), pa.timestamp("us"), pa.large_string(), pa.bool_(), pa.large_string()]


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_types_of_a_workbook_do_not_change_other_formats(tmp_path, ending):
    book = openpyxl.Workbook()
    for line in [["age", "fee", "at"], [34, 1000000.0, time(8, 30)], [51, 0.1, None]]:
        book.active.append(line)
    book.save(tmp_path / "o.xlsx")
    assert read(write(tmp_path / "o.xlsx", tmp_path / f"r{ending}")) == read(tmp_path / "o.xlsx")


def test_what_a_sheet_cannot_hold(tmp_path, monkeypatch):
    def problem(table):
        with pytest.raises(OutputError) as found:
            write(table, tmp_path / "r.xlsx")
        assert list(tmp_path.iterdir()) == []
        assert "😀" not in str(found.value)
        return found.value.problem

    assert problem(pa.table({"age": ["1"], "x": ["😀" * 16_384]})).startswith("a cell has more than 32,767 characters")
    assert problem(pa.table({"age": ["1"], "x": ["\uffff"]})).startswith("a cell has U+FFFE or U+FFFF")
    assert "the last row" in problem(pa.table({"age": ["1", None], "x": ["a", None]}))
    monkeypatch.setattr(workbooks, "MAX_ROWS", 3)
    assert problem(pa.table({"age": ["1"] * 3})).startswith("a sheet has at most 2 rows")
    monkeypatch.setattr(workbooks, "MAX_COLUMNS", 1)
    assert problem(pa.table({"age": ["1"], "x": ["a"]})).startswith("a sheet has at most 1 columns")


def test_no_temporary_file_stays(tmp_path):
    (tmp_path / "t").mkdir()
    made = pw.anonymize(
        pa.table({"age": ["1", "2"]}), goals=[pw.KAnonymity(k=1)], quasi_identifiers=["age"], temporary=tmp_path / "t"
    )
    made.write(tmp_path / "r.xlsx")
    assert list((tmp_path / "t").iterdir()) == []


def test_verify_repeats_a_workbook(tmp_path):
    rows = "\n".join(f"{age},{code:03d}" for code, age in enumerate([30, 31, 40, 41] * 3))
    (tmp_path / "o.csv").write_text(f"age,code\n{rows}\n")
    (tmp_path / "p.toml").write_text(
        'version = 1\n[data]\noriginal = "o.csv"\n[roles]\nquasi_identifiers = ["age"]\ninsensitive = ["code"]\n'
        '[hierarchies.age]\nintervals = [10]\n[[require]]\nmeasure = "k-anonymity"\nk = 4\n'
        '[[accept]]\npremise = "rest"\ncolumns = ["code"]\nwhy = "made codes, which nobody knows"\n'
    )
    told = petworks("anonymize", "p.toml", "-o", "r.xlsx", "--record", "r.json", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    told = petworks("verify", "r.json", cwd=tmp_path)
    assert told.returncode == 0, told.stdout + told.stderr
