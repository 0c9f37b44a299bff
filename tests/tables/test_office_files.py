"""Workbooks, and files of SPSS, Stata and SAS: the same numbers as CSV, and errors that name the cell."""

import shutil
import struct
import sys
import zipfile
from contextlib import suppress
from datetime import date, datetime, time

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import CoveredTableCell, Table, TableCell, TableRow
from odf.text import P

from PETWorks import Hierarchy, KAnonymity, Policy, Precision, Release, TCloseness, anonymize
from PETWorks.errors import MalformedError, ParameterError, SourceError, UnknownNameError
from PETWorks.tables.formats.workbooks import checks
from PETWorks.tables.formats.workbooks import checks as archive
from PETWorks.tables.formats.workbooks.checks import parse_cell_name, write_cell_name
from PETWorks.tables.opening import open_source
from support.process import petworks

PEOPLE = {
    "age": [34.0, 34.0, 51.0, 51.0, None, 29.5],
    "city": ["台北", "台北", "高雄", "高雄", "台北", " 台北 "],
    "seen": [date(2026, 5, 1), date(2026, 5, 1), date(2026, 6, 2), None, date(2026, 6, 2), date(2026, 6, 2)],
    "code": ["007", "007", "12", "12", "12", None],
    "income": [3000.0, 4000.5, 0.1, 8000.0, 3000.0, 9000.0],
}
TEXT = {
    "age": ["34", "34", "51", "51", None, "29.5"],
    "city": ["台北", "台北", "高雄", "高雄", "台北", "台北"],
    "seen": ["2026-05-01", "2026-05-01", "2026-06-02", None, "2026-06-02", "2026-06-02"],
    "code": ["007", "007", "12", "12", "12", None],
    "income": ["3000", "4000.5", "0.1", "8000", "3000", "9000"],
}


def rows_of(table):
    return [list(table), *map(list, zip(*table.values(), strict=True))]


def xlsx(table, path, *, sheets=("Sheet1",), start=(1, 1)):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in sheets:
        sheet = book.create_sheet(name)
        for row, cells in enumerate(rows_of(table), start[0]):
            for column, cell in enumerate(cells, start[1]):
                sheet.cell(row, column, cell)
    book.save(path)


def xls(table, path):
    book = xlwt.Workbook()
    sheet = book.add_sheet("Sheet1")
    day = xlwt.easyxf(num_format_str="yyyy-mm-dd")
    for row, cells in enumerate(rows_of(table)):
        for column, cell in enumerate(cells):
            if cell is not None:
                sheet.write(row, column, cell, day if isinstance(cell, date) else xlwt.Style.default_style)
    book.save(str(path))


def ods_cell(cell):
    if cell is None:
        return TableCell()
    if isinstance(cell, date):
        return TableCell(valuetype="date", datevalue=cell.isoformat())
    if isinstance(cell, float):
        return TableCell(valuetype="float", value=cell)
    made = TableCell(valuetype="string")
    made.addElement(P(text=cell))
    return made


def ods(table, path, change=lambda _: None):
    book = OpenDocumentSpreadsheet()
    sheet = Table(name="Sheet1")
    for cells in rows_of(table):
        row = TableRow()
        for cell in cells:
            row.addElement(ods_cell(cell))
        sheet.addElement(row)
    change(sheet)
    book.spreadsheet.addElement(sheet)
    book.save(path)


def frame(table):
    return pl.DataFrame(table)


def csv(table, path):
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows_of(table)]
    path.write_text("\n".join(lines) + "\n")


FORMS = {
    "csv": lambda table, path: csv(TEXT if table is PEOPLE else table, path),
    "parquet": lambda table, path: pq.write_table(pa.table(table), path),
    "xlsx": xlsx,
    "xls": xls,
    "ods": ods,
    "sav": lambda table, path: pyreadstat.write_sav(frame(table), path),
    "zsav": lambda table, path: pyreadstat.write_sav(frame(table), path, compress=True),
    "dta": lambda table, path: pyreadstat.write_dta(frame(table), path),
    "xpt": lambda table, path: pyreadstat.write_xport(frame(table), path),
}


@pytest.fixture(params=FORMS)
def written(request, tmp_path):
    """Return the path of the table in one of the forms."""
    path = tmp_path / f"people.{request.param}"
    FORMS[request.param](PEOPLE, path)
    return path


def texts(source):
    """Return the cells of a source."""
    found = {name: [] for name in source.columns}
    for batch in source.batches(source.columns):
        for name, coded in zip(source.columns, batch, strict=True):
            values = list(coded.values)
            found[name] += [values[code] for code in coded.codes]
    return found


def test_the_same_cells_in_each_form(written):
    assert texts(open_source(written, "table")) == TEXT


def test_the_same_numbers_in_each_form(written):
    roles = {"quasi_identifiers": ["age", "city", "seen", "code"], "sensitive": ["income"]}
    asked = KAnonymity(2), TCloseness("0.5"), Precision()
    by_text = Release(TEXT, original=TEXT, **roles).evaluate(*asked)
    found = Release(written, original=written, **roles).evaluate(*asked)
    assert [(one.value, one.holds, one.parts) for one in found] == [
        (one.value, one.holds, one.parts) for one in by_text
    ]


def test_a_release_is_made_of_each_form(written, tmp_path):
    made = anonymize(
        written,
        quasi_identifiers=["age", "city"],
        the_rest="insensitive",
        goals=KAnonymity(2),
        suppress_at_most="50%",
    )
    made.write(tmp_path / "released.csv")
    released = texts(open_source(tmp_path / "released.csv", "released"))
    assert {name: released[name] for name in ("seen", "code", "income")} == {
        name: TEXT[name] for name in ("seen", "code", "income")
    }


def test_old_stata_files(tmp_path):
    pyreadstat.write_dta(pl.DataFrame({"age": [34.0, None], "code": ["007", "x"]}), tmp_path / "old.dta", version=8)
    source = open_source(tmp_path / "old.dta", "table")
    assert (texts(source), source.form) == ({"age": ["34", None], "code": ["007", "x"]}, ("Stata",))


def test_typed_cells(tmp_path):
    book = openpyxl.Workbook()
    for row in (
        ["flag", "moment", "hour", "number", "text"],
        [True, datetime(2026, 5, 1, 8, 30), time(8, 30), 1e20, "　高雄 "],  # noqa: DTZ001
        [False, datetime(2026, 5, 1), time(0, 0), -0.5, "  "],  # noqa: DTZ001
    ):
        book.active.append(row)
    book.save(tmp_path / "typed.xlsx")
    assert texts(open_source(tmp_path / "typed.xlsx", "table")) == {
        "flag": ["true", "false"],
        "moment": ["2026-05-01T08:30:00", "2026-05-01"],
        "hour": ["08:30:00", "00:00:00"],
        "number": ["100000000000000000000", "-0.5"],
        "text": ["高雄", None],
    }


def test_single_precision_of_stata(tmp_path):
    table = pd.DataFrame({"x": np.array([0.1, float("nan"), 3.0], dtype=np.float32)})
    table.to_stata(tmp_path / "x.dta", write_index=False)
    assert texts(open_source(tmp_path / "x.dta", "table")) == {"x": ["0.1", None, "3"]}


def test_value_labels_are_the_text_and_codes_on_request(tmp_path):
    table, labels = pl.DataFrame({"sex": [1.0, 2.0, 9.0, None]}), {"sex": {1: "male", 2: "female", 3: " "}}
    for write, name in ((pyreadstat.write_sav, "labels.sav"), (pyreadstat.write_dta, "labels.dta")):
        write(table, tmp_path / name, variable_value_labels=labels)
        assert texts(open_source(tmp_path / name, "table")) == {"sex": ["male", "female", "9", None]}
        by_code = open_source(tmp_path / name, "table", None, None, None, "codes")
        assert texts(by_code) == {"sex": ["1", "2", "9", None]}


def test_two_values_with_one_label_are_an_error(tmp_path):
    pyreadstat.write_sav(
        pl.DataFrame({"answer": [1.0, 9.0]}),
        tmp_path / "twice.sav",
        variable_value_labels={"answer": {1: "other", 9: "other"}},
    )
    with pytest.raises(MalformedError, match=r"twice.sav, answer: two values have the same label.*\n.*value_labels="):
        texts(open_source(tmp_path / "twice.sav", "table"))


def test_missing_values_that_spss_declares_are_different_values(tmp_path):
    table = {
        "age": [34.0, 8.0, 97.0, 99.0, None],
        "word": ["a", "X", "b", "", "c"],
        "seen": [date(2026, 5, 1), date(1900, 1, 1), None, date(2026, 5, 2), date(2026, 5, 3)],
    }
    missing = {"age": [8, {"lo": 97, "hi": 99}], "word": ["X"]}
    labels = {"age": {8: "refused", 34: "thirty-four"}}
    pyreadstat.write_sav(pd.DataFrame(table), tmp_path / "m.sav", missing_ranges=missing, variable_value_labels=labels)
    found = texts(open_source(tmp_path / "m.sav", "table"))
    assert found["age"] == ["thirty-four", "(missing: 8)", "(missing: 97)", "(missing: 99)", None]
    assert found["word"] == ["a", "(missing: X)", "b", None, "c"]
    release = Release(tmp_path / "m.sav", quasi_identifiers=["age"])
    assert release.ask(KAnonymity(k=1)).value == 1


def build_stata(path):
    cells = {"age": [34.0, 34.0, "a", "b", None], "income": [1.0, 2.0, 3.0, 4.0, 5.0]}
    pyreadstat.write_dta(pd.DataFrame(cells), path, missing_user_values={"age": ["a", "b"]})


def test_missing_values_of_stata_are_different_values(tmp_path):
    build_stata(tmp_path / "m.dta")
    found = texts(open_source(tmp_path / "m.dta", "table"))
    assert found["age"] == ["34", "34", "(missing: .a)", "(missing: .b)", None]


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_missing_codes_are_written_back_and_other_columns_keep_their_types(tmp_path, ending, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.formats.statistics.MIN_PART_ROWS", 2)
    monkeypatch.setattr("PETWorks.tables.formats.statistics.CELL_BYTES", 2**40)
    build_stata(tmp_path / "m.dta")
    roles = {"quasi_identifiers": ["income"], "insensitive": ["age"]}
    made = anonymize(tmp_path / "m.dta", goals=[KAnonymity(k=1)], order="original", **roles)
    made.write(tmp_path / f"r{ending}")
    found = texts(open_source(tmp_path / f"r{ending}", "table"))
    assert found["age"] == ["34", "34", "(missing: .a)", "(missing: .b)", None]
    made = anonymize(tmp_path / "m.dta", goals=[KAnonymity(k=1)], quasi_identifiers=["age"], insensitive=["income"])
    assert pa.types.is_floating(made.frame("pyarrow").schema.field("income").type)


def test_missing_codes_stay_below_the_top_of_a_hierarchy(tmp_path):
    cells = {"age": [34.0] * 2 + [37.0] * 2 + [98.0] * 4 + [99.0] * 4, "disease": ["x", "y"] * 6}
    pyreadstat.write_sav(pd.DataFrame(cells), tmp_path / "m.sav", missing_ranges={"age": [98, 99]})
    for hierarchy in ([["34", "30-39", "*"], ["37", "30-39", "*"]], Hierarchy.intervals("age", widths=[10])):
        roles = {"quasi_identifiers": ["age"], "sensitive": ["disease"]}
        made = anonymize(tmp_path / "m.sav", goals=[KAnonymity(k=4)], hierarchies={"age": hierarchy}, **roles)
        values = {*made.frame("pyarrow").column("age").to_pylist()}
        assert values == {"30-39", "(missing: 98)", "(missing: 99)"}


def test_rows_are_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("PETWorks.tables.formats.statistics.MIN_PART_ROWS", 4)
    monkeypatch.setattr("PETWorks.tables.formats.statistics.CELL_BYTES", 2**40)
    for number in (4, 6, 8):
        for write in (pyreadstat.write_sav, pyreadstat.write_xport):
            write(pl.DataFrame({"x": [float(one) for one in range(number)]}), tmp_path / "x")
            source = open_source(tmp_path / "x", "table")
            assert texts(source) == {"x": [str(one) for one in range(number)]}
    monkeypatch.setattr("PETWorks.tables.formats.workbooks.sheets.BATCH_ROWS", 2)
    xlsx(PEOPLE, tmp_path / "x.xlsx")
    assert texts(open_source(tmp_path / "x.xlsx", "table")) == TEXT


def test_several_sheets_need_a_name(tmp_path):
    path = tmp_path / "book.xlsx"
    xlsx(PEOPLE, path, sheets=("people", "notes"))
    with pytest.raises(MalformedError, match=r'book.xlsx: the workbook has 2 sheets: "people", "notes"\n.*sheet='):
        Release(path)
    with pytest.raises(UnknownNameError, match=r'there is no sheet "peple"\n.*"?people'):
        Release(path, sheet="peple")
    assert Release(path, sheet="people").ask("k-anonymity").value == 1
    ran = petworks("evaluate", path, "-m", "k-anonymity", "--sheet", "people")
    assert ran.returncode == 0
    assert "--sheet" in petworks("evaluate", path).stderr


def test_a_policy_names_the_sheet(tmp_path):
    xlsx(PEOPLE, tmp_path / "book.xlsx", sheets=("people", "notes"))
    (tmp_path / "policy.toml").write_text(
        'version = 1\n[data]\nreleased = "book.xlsx"\nsheet = "people"\n[roles]\nquasi_identifiers = ["city"]\n'
        'the_rest = "insensitive"\n[[require]]\nmeasure = "k-anonymity"\nk = 2\n'
    )
    checked = Policy(tmp_path / "policy.toml").check()
    assert checked.requirements_hold
    assert checked.record.to_dict()["sheet"] == "people"


def test_a_table_may_start_below_and_beside(tmp_path):
    xlsx(PEOPLE, tmp_path / "beside.xlsx", start=(4, 3))
    assert texts(open_source(tmp_path / "beside.xlsx", "table")) == TEXT


def test_blank_rows(tmp_path):
    """Between rows, one is a row without values, as in every other form; after the last, it is none."""
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [None, None], [3, 4], [" ", None]):
        book.active.append(row)
    book.save(tmp_path / "blank.xlsx")
    assert texts(open_source(tmp_path / "blank.xlsx", "table"))["a"][:3] == ["1", None, "3"]


def edited(path, member, *changes):
    """Replace text in a member of an archive."""
    with zipfile.ZipFile(path) as old:
        content = {one.filename: old.read(one) for one in old.infolist()}
    for before, after in changes:
        assert before.encode() in content[member]
        content[member] = content[member].replace(before.encode(), after.encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in content.items():
            new.writestr(name, data)


SHEET = "xl/worksheets/sheet1.xml"


def small(path, **cells):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [3, 4]):
        book.active.append(row)
    for name, value in cells.items():
        book.active[name] = value
    book.save(path)


def test_error_cells_and_formulas_without_value_are_named(tmp_path):
    path = tmp_path / "bad.xlsx"
    small(path, B3="=A2/0")
    with pytest.raises(MalformedError, match=r"bad.xlsx, sheet Sheet: a formula whose value was not saved: B3"):
        open_source(path, "table")
    edited(path, SHEET, ("<v />", "<v>7</v>")) if "<v />" in _sheet(path) else edited(path, SHEET, ("<v/>", "<v>7</v>"))
    assert texts(open_source(path, "table"))["b"] == ["2", "7"]
    edited(path, SHEET, ('r="B3"', 'r="B3" t="e"'), ("<v>7</v>", "<v>#DIV/0!</v>"))
    with pytest.raises(MalformedError, match=r"sheet Sheet: an error value such as #N/A: B3"):
        open_source(path, "table")


def _sheet(path):
    with zipfile.ZipFile(path) as archive:
        return archive.read(SHEET).decode()


def test_a_formula_may_have_an_empty_text(tmp_path):
    path = tmp_path / "empty.xlsx"
    small(path, B3='=""')
    edited(path, SHEET, ('<c r="B3">', '<c r="B3" t="str">'))
    assert texts(open_source(path, "table"))["b"] == ["2", None]


def test_cells_without_names_are_counted(tmp_path):
    path = tmp_path / "unnamed.xlsx"
    small(path, B3="=A2/0")
    edited(path, SHEET, *((f' r="{name}"', "") for name in ("A1", "B1", "A2", "B2", "A3", "B3")))
    with pytest.raises(MalformedError, match=": B3"):
        open_source(path, "table")


def test_merged_cells_are_named(tmp_path):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [1, 3]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.save(tmp_path / "merged.xlsx")
    old = xlwt.Workbook()
    sheet = old.add_sheet("Sheet")
    sheet.write(0, 0, "a")
    sheet.write(0, 1, "b")
    sheet.write_merge(1, 2, 0, 0, 1)
    sheet.write(2, 1, 5)
    old.save(str(tmp_path / "merged.xls"))

    def span(table):
        first, second = table.getElementsByType(TableRow)[1:3]
        first.getElementsByType(TableCell)[0].setAttribute("numberrowsspanned", 2)
        second.insertBefore(CoveredTableCell(), second.firstChild)
        second.removeChild(second.getElementsByType(TableCell)[0])

    ods({"a": [1.0, 1.0], "b": [2.0, 3.0]}, tmp_path / "merged.ods", span)
    for form in ("xlsx", "xls", "ods"):
        with pytest.raises(MalformedError, match=r"merged cells: A2:A3\n.*unmerge"):
            open_source(tmp_path / f"merged.{form}", "table")


def test_error_cells_of_ods(tmp_path):
    path = tmp_path / "bad.ods"
    ods({"a": [1.0, 3.0]}, path)
    value = 'office:value-type="float" office:value="3.0"'
    edited(path, "content.xml", (value, 'table:formula="of:=1/0"'))
    with pytest.raises(MalformedError, match="value was not saved: A3"):
        open_source(path, "table")
    calc = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    told = f'{calc} office:value-type="string" calcext:value-type="error"'
    edited(path, "content.xml", ('table:formula="of:=1/0"', f'table:formula="of:=1/0" {told}'))
    with pytest.raises(MalformedError, match="an error value such as #N/A: A3"):
        open_source(path, "table")


def test_error_cells_of_xls(tmp_path):
    book = xlwt.Workbook()
    book.add_sheet("first").write(0, 0, "x")
    sheet = book.add_sheet("second")
    sheet.write(0, 0, "a")
    sheet.row(2).set_cell_error(0, "#N/A!")
    book.save(str(tmp_path / "bad.xls"))
    with pytest.raises(MalformedError, match=r"bad.xls, sheet second: an error value such as #N/A: A3"):
        open_source(tmp_path / "bad.xls", "table", None, None, "second")


def test_a_single_far_cell_does_not_fill_the_memory(tmp_path):
    for name, cells in (("far.xlsx", {"XFD1048576": 1}), ("near.xlsx", {"B9": 1})):
        small(tmp_path / name, **cells)
    with pytest.raises(SourceError, match=r"17,179,869,184 cells, from A1 to XFD1048576"):
        open_source(tmp_path / "far.xlsx", "table")
    open_source(tmp_path / "near.xlsx", "table")
    ods({"a": [1.0, 3.0]}, tmp_path / "far.ods")
    repeated = 'table:number-columns-repeated="16384"', 'table:number-rows-repeated="1000000"'
    changes = (("<table:table-row>", f"<table:table-row {repeated[1]}>"), ('value="3.0"', f'value="3.0" {repeated[0]}'))
    edited(tmp_path / "far.ods", "content.xml", *changes)
    with pytest.raises(SourceError, match="Cell limit exceeded"):
        open_source(tmp_path / "far.ods", "table")


def test_zip_bombs_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "bomb.xlsx"
    small(path)
    monkeypatch.setattr(archive, "MAX_XML_BYTES", 2**20)
    edited(path, "xl/workbook.xml", ("</workbook>", " " * 2**21 + "</workbook>"))
    with pytest.raises(SourceError, match="GiB of XML"):
        open_source(path, "table")
    small(path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as book:
        size = book.getinfo(SHEET).file_size
    path.write_bytes(content.replace(struct.pack("<I", size), struct.pack("<I", size - 100)))
    with pytest.raises(SourceError, match="longer than the archive says"):
        open_source(path, "table")


def test_a_document_type_is_refused(tmp_path):
    path = tmp_path / "entities.xlsx"
    small(path)
    edited(path, SHEET, ("<worksheet", '<!DOCTYPE x [<!ENTITY a "b">]><worksheet'))
    with pytest.raises(SourceError, match="has a document type"):
        open_source(path, "table")


@pytest.mark.parametrize("form", ["xlsx", "xls", "ods", "sav", "dta", "xpt"])
def test_damaged_files_are_errors_of_ours(form, tmp_path):
    whole = tmp_path / f"whole.{form}"
    FORMS[form](PEOPLE, whole)
    content, path = whole.read_bytes(), tmp_path / f"damaged.{form}"
    for length in (4, 33, 100, 600, len(content) // 2, len(content) - 40):
        path.write_bytes(content[:length])
        _opened_or_refused(path)
    for place in range(40, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        _opened_or_refused(path)


def _opened_or_refused(path):
    with suppress(SourceError):
        texts(open_source(path, "table"))


@pytest.mark.parametrize(
    ("module", "form", "extra"), [("python_calamine", "xlsx", "excel"), ("pyreadstat", "sav", "statistics")]
)
def test_a_missing_extra_is_named(module, form, extra, tmp_path, monkeypatch):
    FORMS[form](PEOPLE, tmp_path / "table")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SourceError, match=rf"is not installed\n.*pip install \"petworks\[{extra}\]\""):
        open_source(tmp_path / "table", "table")


def test_other_archives_are_not_tables(tmp_path):
    with zipfile.ZipFile(tmp_path / "files.zip", "w") as made:
        made.writestr("a.csv", "a\n1\n")
    with pytest.raises(SourceError, match="this is a zip archive, not an Excel workbook"):
        open_source(tmp_path / "files.zip", "table")
    xlsx(PEOPLE, tmp_path / "b.xlsx")
    shutil.copy(tmp_path / "b.xlsx", tmp_path / "b.xlsb")
    with zipfile.ZipFile(tmp_path / "b.xlsb", "a") as made:
        made.writestr("xl/workbook.bin", b"")
    with pytest.raises(SourceError, match=r"\.xlsb\) are not read"):
        open_source(tmp_path / "b.xlsb", "table")


def test_options_are_checked():
    with pytest.raises(ParameterError, match="value_labels cannot be 'labels'"):
        Release({"a": ["1"]}, value_labels="labels")
    with pytest.raises(ParameterError, match="sheet must be text"):
        Release({"a": ["1"]}, sheet=1)


def test_places():
    names = [write_cell_name(row, column) for row in (0, 9) for column in (0, 25, 26, 701, 702, 16383)]
    assert names[:6] == ["A1", "Z1", "AA1", "ZZ1", "AAA1", "XFD1"]
    assert [parse_cell_name(name) for name in names] == [
        (row, c) for row in (0, 9) for c in (0, 25, 26, 701, 702, 16383)
    ]
    assert parse_cell_name("7B") is None
    assert checks.MAX_CELLS > 1_048_576 * 40
