"""Prepared and derived columns: as their definitions say on any table, from every kind of file, and clear errors."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.errors import MalformedError, ParameterError, PETWorksError, SourceError, UnknownNameError
from support.output import LANGUAGES, words

DAYS = st.dates(date(1912, 1, 1), date(2030, 12, 31))
EACH = settings(max_examples=80, deadline=None)


def as_measured(table, **options) -> dict[str, list]:
    """Return the columns of the prepared table, without any treatment of them."""
    reading = {name: options.pop(name) for name in ("prepare", "derive", "person") if name in options}
    columns = options.pop("columns", None)
    made = pw.anonymize(
        table, quasi_identifiers=["k"], the_rest="insensitive", goals=pw.KAnonymity(1), **reading, **options
    )
    found = made.frame("pyarrow").to_pydict()
    cells = {name: [None if one is None else str(one) for one in column] for name, column in found.items()}
    return cells if columns is None else {name: cells[name] for name in columns}


def prepared(cells, others=None, **column) -> list:
    table = {"k": ["x"] * len(cells), "c": list(cells), **(others or {})}
    return as_measured(table, prepare={"c": column})["c"]


def written(day: date, form: int) -> str:
    roc = day.year - 1911
    return [
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{day.year}.{day.month:02}.{day.day:02}",
        f"{day.year}{day.month:02}{day.day:02}",
        f"民國{roc}年{day.month}月{day.day}日",
        f"{roc:03}{day.month:02}{day.day:02}",
        f"{roc:03}/{day.month}/{day.day:02}",
        f"{day.year}年{day.month}月{day.day}日",
    ][form]


@EACH
@given(st.lists(st.tuples(DAYS, st.integers(0, 7)), min_size=1, max_size=30))
def test_dates_in_any_spelling(cases):
    cells = [written(day, form) for day, form in cases]
    assert prepared(cells, date="any", short_years="roc") == [day.isoformat() for day, _ in cases]


@pytest.mark.parametrize(
    ("text", "settings", "read"),
    [
        ("01/02/2020", {"order": "dmy"}, "2020-02-01"),
        ("01/02/2020", {"order": "mdy"}, "2020-01-02"),
        ("13/02/2020", {}, "2020-02-13"),
        ("05/05/2020", {}, "2020-05-05"),
        ("80/4/5", {"short_years": "roc"}, "1991-04-05"),
        ("80/4/5", {"short_years": "western"}, "1980-04-05"),
        ("2020-02-01 8:30", {}, "2020-02-01T08:30"),
        ("２０２０－０２－０１", {}, "2020-02-01"),
    ],
)
def test_one_date(text, settings, read):
    assert prepared([text], date="any", **settings) == [read]


@pytest.mark.parametrize("text", ["01/02/2020", "80/4/5", "2020-02-30", "soon", "1/2/3", "0000405", "2020-1.2"])
def test_a_date_that_cannot_be_read_in_one_way_is_an_error(text):
    with pytest.raises(SourceError, match=r"1 cell is not dates that can be read in one way only: row 2") as caught:
        prepared(["2020-01-01", text], date="any")
    assert text not in str(caught.value)
    assert prepared(["2020-01-01", text], date="any", otherwise="missing") == ["2020-01-01", None]


def test_a_form_that_is_not_listed_is_not_read():
    assert prepared(["2020-01-02"], date=["iso", "slashes"]) == ["2020-01-02"]
    with pytest.raises(SourceError, match="1 cell is not dates"):
        prepared(["2020.1.2"], date=["iso", "slashes"])


@EACH
@given(st.lists(st.decimals(-(10**7), 10**7, places=2), min_size=1, max_size=20), st.sampled_from(["", "元", "NT$"]))
def test_numbers(numbers, unit):
    cells = [f"NT$ {one:,}" if unit == "NT$" else f"{one:,}{unit}" for one in numbers]
    assert prepared(cells, number=True) == [str(one) for one in numbers]


@pytest.mark.parametrize("text", ["3k", "1,20", "5萬", "12 34", "50%", "n/a"])
def test_what_is_no_number_is_an_error(text):
    with pytest.raises(SourceError, match="1 cell is not numbers"):
        prepared(["1", text], number=True)


def test_numbers_of_different_units_are_an_error():
    assert prepared(["NT$ 5", "6元", "7"], number=True) == ["5", "6", "7"]
    with pytest.raises(SourceError, match="different units"):
        prepared(["US$ 5", "6元"], number=True)


def test_texts():
    assert prepared([" a   b ", "a\tb"], trim=True) == ["a b", "a b"]
    assert prepared(["ＡＢ１２（豈）", "豈"], width="half") == ["AB12(豈)", "豈"]
    assert prepared(["-", "NA", "不詳", "ok"], missing=["-", "NA", "不詳"]) == [None, None, None, "ok"]
    spellings = {"男": ["M", "1"], "女": ["F", "2"]}
    assert prepared(["M", "1", "男", "2", "x"], spellings=spellings) == ["男", "男", "男", "女", "x"]
    assert prepared(["台北市", "臺北市", "台中縣太平市"], variants="tw") == ["臺北市", "臺北市", "臺中市太平市"]
    assert prepared(["e119", "E11.9", " i10 ", "?"], code="ICD-10") == ["E11.9", "E11.9", "I10", "?"]
    assert prepared(["１，２００元"], width="half", number=True) == ["1200"]


def test_a_missing_cell_takes_what_all_other_rows_of_the_person_have():
    table = {"k": ["x"] * 6, "who": ["a", "a", "b", "b", "b", "c"], "c": ["1", None, "1", "2", None, None]}
    options = {"prepare": {"c": {"fill_from_person": True}}, "person": "who"}
    assert as_measured(table, **options)["c"] == ["1", "1", "1", "2", None, None]
    with pytest.raises(ParameterError, match="no column names the persons"):
        as_measured(table, prepare={"c": {"fill_from_person": True}})


def naive_age(born: date, at: date) -> int:
    """Count birthdays: that of 29 February is on 1 March in other years."""
    birthdays = 0
    for year in range(born.year + 1, at.year + 1):
        try:
            day = born.replace(year=year)
        except ValueError:
            day = date(year, 3, 1)
        birthdays += day <= at
    return birthdays


@EACH
@given(st.lists(st.tuples(DAYS, st.integers(0, 40000), st.sampled_from("abc")), min_size=1, max_size=25))
def test_derived_columns(rows):
    rows = [(born, min(born + timedelta(days), date(2099, 1, 1)), who) for born, days, who in rows]
    table = {
        "k": ["x"] * len(rows),
        "born": [str(born) for born, _, _ in rows],
        "at": [str(at) for _, at, _ in rows],
        "who": [who for *_, who in rows],
    }
    derive = {
        "age": {"years": {"from": "born", "at": "at"}},
        "then": {"years": {"from": "born", "at": "2100-01-01"}},
        "day": {"days": {"from": "at", "since": "first"}},
        "since": {"days": {"from": "at", "since": "born"}},
        "weekday": {"part": {"of": "at", "keep": "weekday"}},
        "month": {"part": {"of": "at", "keep": "month"}},
    }
    found = as_measured(table, derive=derive, person="who")
    assert found["age"] == [str(naive_age(born, at)) for born, at, _ in rows]
    assert found["then"] == [str(naive_age(born, date(2100, 1, 1))) for born, _, _ in rows]
    first = {who: min(at for _, at, other in rows if other == who) for *_, who in rows}
    assert found["day"] == [str((at - first[who]).days) for _, at, who in rows]
    assert found["since"] == [str((at - born).days) for born, at, _ in rows]
    assert found["weekday"] == [str(at.isoweekday()) for _, at, _ in rows]
    assert found["month"] == [str(at.month) for _, at, _ in rows]
    assert "born" not in found, "a source without a role is removed"


def test_places_and_hours():
    table = {"k": ["x"] * 3, "county": ["臺北市", "基隆市", None], "town": ["中正區", "中正區", "東區"]}
    table["at"] = ["2026-03-01T08:30", "2026-03-01 17:00", None]
    derive = {
        "place": {"place": {"county": "county", "township": "town"}},
        "hour": {"part": {"of": "at", "keep": "hour"}},
    }
    found = as_measured(table, derive=derive)
    assert (found["place"], found["hour"]) == (["臺北市中正區", "基隆市中正區", None], ["8", "17", None])


def test_an_age_before_birth_is_an_error():
    table = {"k": ["x"], "born": ["2026-03-01"], "at": ["2026-02-01"]}
    with pytest.raises(SourceError, match="1 cell is not computed from dates"):
        as_measured(table, derive={"age": {"years": {"from": "born", "at": "at"}}})


LINES = ["Clinic A,,", "made 2026-01-01,,", 'who,"k",fee', 'P1,x,"1,200"', "P2,y,5元", 'P1,x,"1,200"', "sum,,1205"]
ROWS = {"header_row": 3, "skip_last": 1, "duplicates": "remove", "fee": {"number": True}}
EXPECTED = {"who": ["P1", "P2"], "k": ["x", "y"], "fee": ["1200", "5"]}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp950"])
def test_rows_of_a_file(tmp_path, end, encoding):
    (tmp_path / "a.csv").write_bytes((end.join(["診所甲,,", *LINES[1:]]) + end + end).encode(encoding))
    assert as_measured(tmp_path / "a.csv", prepare=ROWS) == EXPECTED


def test_a_footer_of_another_width_and_no_header(tmp_path):
    (tmp_path / "a.csv").write_text("P1,x,1\nP2,y,2\ntotal 3\nmade by me\n")
    prepare = {"names": ["who", "k", "fee"], "skip_last": 2}
    assert as_measured(tmp_path / "a.csv", prepare=prepare) == {"who": ["P1", "P2"], "k": ["x", "y"], "fee": ["1", "2"]}


def test_rows_of_a_workbook_below_merged_titles(tmp_path):
    writer = pytest.importorskip("xlsxwriter")
    with writer.Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.merge_range("A1:C1", "Clinic A")
        sheet.write_row("A2", ["made 2026-01-01", "", " "])
        for place, line in enumerate(
            [["who", "k", "fee"], ["P1", "x", "1,200"], ["P2", "y", "5元"], ["P1", "x", "1,200"]]
        ):
            sheet.write_row(place + 2, 0, line)
        sheet.write_row(6, 0, ["sum", " ", "1205"])
    assert as_measured(tmp_path / "a.xlsx", prepare=ROWS) == EXPECTED


def test_a_large_file_keeps_its_last_row_but_the_sums(tmp_path):
    lines = [f"P{number},x,{number}" for number in range(200_000)]
    (tmp_path / "a.csv").write_text("\n".join(["title", "who,k,fee", *lines, "sum", "", ""]))
    found = as_measured(tmp_path / "a.csv", prepare={"header_row": 2, "skip_last": 1})
    assert (len(found["who"]), found["fee"][-1]) == (200_000, "199999")


def test_other_kinds_of_tables(tmp_path):
    table = pa.table({"k": ["x", "x"], "fee": ["1,200", "5元"], "n": [1, 2]})
    pq.write_table(table, tmp_path / "a.parquet")
    for one in (table, table.to_pandas(), tmp_path / "a.parquet"):
        assert as_measured(one, prepare={"fee": {"number": True}})["fee"] == ["1200", "5"]
        with pytest.raises(ParameterError, match="for CSV files and workbooks"):
            as_measured(one, prepare={"header_row": 2})


WRONG = [
    ({"prepare": {"fe": {"trim": True}}}, UnknownNameError, 'no column "fe"'),
    ({"prepare": {"headerrow": 3}}, UnknownNameError, 'did you mean "header_row"'),
    ({"prepare": {"header_row": 0}}, ParameterError, "whole number from 1"),
    ({"prepare": {"names": ["a"], "header_row": 2}}, ParameterError, "leave out names, or header_row"),
    ({"prepare": {"fee": {"spellings": {"a": ["x"], "b": ["x"]}}}}, ParameterError, 'spellings names "x" twice'),
    ({"prepare": {"fee": {"spellings": {"a": ["b"], "b": ["x"]}}}}, ParameterError, 'spellings names "b" twice'),
    ({"prepare": {"fee": {"date": "roman"}}}, ParameterError, "date cannot be"),
    ({"prepare": {"fee": {"date": "any", "number": True}}}, ParameterError, "dates or numbers, not both"),
    ({"prepare": {"fee": {"order": "dmy"}}}, ParameterError, "order is for dates"),
    ({"prepare": {"fee": {"otherwise": "missing"}}}, ParameterError, "otherwise has an effect only beside date"),
    ({"prepare": {"fee": {"number": "yes"}}}, ParameterError, "must be true or false"),
    ({"derive": {"age": {"years": {"from": "born"}}}}, ParameterError, "years needs from and at"),
    ({"derive": {"age": {"yers": {}}}}, ParameterError, "a derived column needs exactly one of"),
    ({"derive": {"age": {"years": {"from": "bron", "at": "2026-01-01"}}}}, UnknownNameError, 'no column "bron"'),
    ({"derive": {"k": {"part": {"of": "fee", "keep": "year"}}}}, ParameterError, 'a column "k" already'),
    ({"derive": {"d": {"days": {"from": "fee", "since": "first"}}}}, ParameterError, "names the persons"),
    ({"derive": {"d": {"part": {"of": "fee", "keep": "moth"}}}}, ParameterError, 'did you mean "month"'),
]


@pytest.mark.parametrize(("options", "kind", "problem"), WRONG)
def test_wrong_settings_are_errors(options, kind, problem):
    with pytest.raises(kind, match=f"(?s){problem}"):
        as_measured({"k": ["x"], "fee": ["1"]}, **options)


def test_a_header_row_behind_the_end_of_the_file(tmp_path):
    (tmp_path / "a.csv").write_text("k,fee\nx,1\n")
    with pytest.raises(MalformedError, match="no line 9"):
        as_measured(tmp_path / "a.csv", prepare={"header_row": 9})


def test_a_release_is_compared_with_the_prepared_original():
    original = {"k": ["M", "male", "F", "F"], "fee": ["1", "2", "3", "4"]}
    prepare = {"k": {"spellings": {"M": ["male"]}}}
    release = pw.Release({"k": ["M", "M", "F", "F"]}, original=original, quasi_identifiers=["k"], prepare=prepare)
    assert release.ask("Precision").value == 1
    with pytest.raises(PETWorksError, match="for the original, which is not given"):
        pw.Release({"k": ["M"]}, prepare=prepare)


def test_cells_that_cannot_be_are_counted_and_stay():
    ids = ["A123456789", "A123456788", "no number", None] * 4
    table = {"id": [*ids[:-2], None, "A123456789"], "born": ["2000-01-01", "1999-12-31"] * 8, "sex": ["f", "m"] * 8}
    table["visit"] = ["2000-01-01"] * 14 + ["1999-12-31", "1990-01-01"]
    wrong = sum(one in ("A123456788", "no number") for one in table["id"])
    later = sum(a > b for a, b in zip(table["born"], table["visit"], strict=True))
    assert (wrong, later) == (7, 2)
    prepare = {"id": {"check": "tw-id"}, "born": {"not_after": "visit"}}
    others = {"identifiers": ["id"], "insensitive": ["born", "visit"]}
    made = pw.anonymize(table, quasi_identifiers=["sex"], goals=pw.KAnonymity(2), prepare=prepare, **others)
    notes = {note.kind: dict(note.figures) for note in made.original.facts.remarks}
    assert notes["failed_check"]["cells"] == wrong
    assert "cells" not in notes["few_later"]
    assert [*made.frame("pandas")["born"]] == table["born"]
    for language in LANGUAGES:
        assert {*notes, "later", "few_failed_check"} <= {*words(language).notes}


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"check": "tw-passport"}, "check cannot be"), ({"not_after": 5}, "name of a column"), ({"not_after": "x"}, "x")],
)
def test_checks_that_cannot_be(settings, problem):
    with pytest.raises(pw.PETWorksError, match=problem):
        pw.Release({"a": ["1"], "b": ["2"]}, original={"a": ["1"], "b": ["2"]}, prepare={"a": settings})
