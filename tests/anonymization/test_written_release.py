"""A release that was made is what its file says: read again, it measures the same, and its goals hold."""

import gzip

import openpyxl
import pytest

import PETWorks as pw
from PETWorks.anonymization.writing import ReleaseWriter
from support.counted_tables import open_source
from support.places import ROOT
from support.process import petworks

DATA = ROOT / "data"
KNOWN = ["sex", "age", "education", "workclass"]


@pytest.mark.parametrize("name", ["released.csv", "released.csv.gz", "released.parquet", "frame"])
@pytest.mark.parametrize("suppressed_rows", ["keep", "remove"])
def test_adult(tmp_path, name, suppressed_rows):
    roles = {"quasi_identifiers": KNOWN, "sensitive": ["salary-class"]}
    others = ["race", "marital-status", "native-country", "occupation"]
    hierarchies, goal = DATA / "adult_hierarchy", pw.KAnonymity(5)
    made = pw.anonymize(
        DATA / "adult.csv", hierarchies=hierarchies, goals=[goal], suppress_at_most="2%", insensitive=others, **roles
    )
    passes = ReleaseWriter(
        open_source(DATA / "adult.csv", "original"), made.original.roles, made.recoding, suppressed_rows=suppressed_rows
    )
    checked = []

    def check(table):
        released = pw.Release(table, hierarchies=hierarchies, **roles)
        assert released.check(goal).requirements_hold
        assert released.classes(library="pyarrow").equals(made.release.classes(library="pyarrow"))
        checked.append(released)

    if name == "frame":
        check(passes.frame())
    else:
        passes.write(tmp_path / name, check)
        assert checked


@pytest.mark.parametrize("name", ["released.csv", "released.csv.gz"])
def test_a_file_for_excel_begins_with_a_byte_order_mark_and_is_read_back(tmp_path, name):
    people = tmp_path / "people.csv"
    people.write_text("城市,病名\n台北,感冒\n台北,氣喘\n", encoding="utf-8")
    about = {"quasi_identifiers": ["城市"], "sensitive": ["病名"], "goals": pw.KAnonymity(2)}
    made, plain = (pw.anonymize(people, **about, output_encoding=one) for one in ("utf-8-sig", "utf-8"))
    made.write(tmp_path / name, record=tmp_path / "record.json")
    plain.write(tmp_path / "plain.csv")
    written = (tmp_path / name).read_bytes()
    written = gzip.decompress(written) if name.endswith(".gz") else written
    assert written == b"\xef\xbb\xbf" + (tmp_path / "plain.csv").read_bytes()
    assert written.decode("utf-8-sig") == people.read_text(encoding="utf-8")
    assert pw.Release(tmp_path / name, quasi_identifiers=["城市"]).ask(pw.KAnonymity(2)).holds
    assert petworks("verify", "record.json", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("form", ["xlsx", "cp950", "utf-8", "utf-8-sig"])
def test_people_with_workbooks_and_big5_get_a_byte_order_mark(tmp_path, form):
    lines = [["城市", "病名"], ["台北", "感冒"], ["台北", "氣喘"]]
    people = tmp_path / f"people.{'xlsx' if form == 'xlsx' else 'csv'}"
    if form == "xlsx":
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(line)
        book.save(people)
    else:
        people.write_text("".join(f"{','.join(line)}\n" for line in lines), encoding=form)
    about = {"quasi_identifiers": ["城市"], "sensitive": ["病名"], "goals": pw.KAnonymity(2)}
    pw.anonymize(people, **about).write(tmp_path / "released.csv", record=tmp_path / "record.json")
    assert (tmp_path / "released.csv").read_bytes().startswith(b"\xef\xbb\xbf") == (form in ("xlsx", "cp950"))
    assert petworks("verify", "record.json", cwd=tmp_path).returncode == 0
    pw.anonymize(people, **about, output_encoding="utf-8").write(tmp_path / "plain.csv")
    assert (tmp_path / "plain.csv").read_bytes().decode().startswith("城市,")


def test_an_encoding_that_is_not_written():
    with pytest.raises(pw.PETWorksError, match=r"output_encoding cannot be .big5.*\n.*utf-8"):
        pw.anonymize({"a": ["1"]}, goals=pw.KAnonymity(1), quasi_identifiers=["a"], output_encoding="big5")
