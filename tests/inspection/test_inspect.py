"""Looking at a raw table: kinds, figures by naive definitions, roles, questions and warnings."""

import json
import pickle
import random
from collections import Counter

import pytest

import PETWorks as pw
from PETWorks.attributetypes import Role
from PETWorks.errors import MalformedError, MissingFileError, UnknownNameError
from PETWorks.inspection.suggestion import WHOLE_NAME, _read_words, find_topic
from PETWorks.inspection.uniqueness import find_published_identifiers
from support import taiwan
from support.output import display_width
from support.process import petworks

ADULT = {
    "identifier": [],
    "quasi_identifier": ["sex", "age", "race", "marital-status", "education", "native-country", "occupation"],
    "sensitive_attribute": ["salary-class"],
    None: ["workclass"],
}
TAIWAN = {
    "identifier": ["病歷號", "身分證字號", "姓名", "手機"],
    "quasi_identifier": ["出生年月日", "性別", "縣市", "鄉鎮市區", "就診日期"],
    "sensitive_attribute": ["診斷碼", "月薪"],
    None: ["滿意度", "院區"],
}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return taiwan.write(tmp_path_factory.mktemp("taiwan") / "people.csv")


@pytest.fixture(scope="module")
def inspection(people):
    return pw.inspect(people)


def by_role(inspection):
    roles = ("identifier", "quasi_identifier", "sensitive_attribute", None)
    return {role: [column.name for column in inspection if column.role == role] for role in roles}


def test_roles_of_adult():
    found = pw.inspect("data/adult.csv")
    assert by_role(found) == ADULT
    assert (found.small, found.alone) == (18241, 10533)
    assert {name: found[name].adds for name in ("occupation", "workclass")} == {"occupation": 9163, "workclass": 3736}


def test_roles_of_a_table_from_taiwan_in_big5(inspection):
    assert by_role(inspection) == TAIWAN
    assert inspection.form[1] == "CP950"
    reasons = {note.kind: note.figures for note in inspection["身分證字號"].reasons}
    assert reasons["looks_checked"] == {"form": "national_id", "share": 1.0, "right": 1 - 1 / taiwan.INVALID}
    assert [note.figures["form"] for note in inspection["出生年月日"].reasons if note.kind == "looks"] == [
        "minguo_date"
    ]


def test_the_law_is_named_beside_sensitive_kinds(inspection):
    says = json.loads(inspection.to_json())["columns"][9]["says"]
    assert "個資法" in says["en"] and "Article 9 of the GDPR" in says["en"]  # noqa: PT018
    assert "個資法第 6 條" in says["zh_TW"] and "GDPR 第 9 條" in says["zh_TW"]  # noqa: PT018


def small(rows, columns):
    classes = Counter(tuple(row[column] for column in columns) for row in rows)
    return sum(size for size in classes.values() if size < 5)


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_the_definitions(seed):
    draw = random.Random(seed)
    rows = [
        {"age": draw.choice(["30", "31", "40", ""]), "sex": draw.choice("MF"), "x": draw.choice("abcd"), "city": "T"}
        for _ in range(draw.randint(1, 80))
    ]
    found = pw.inspect({name: [row[name] for row in rows] for name in rows[0]})
    quasi = [column.name for column in found if column.role is Role.QUASI_IDENTIFIER]
    assert quasi == ["age", "sex", "city"]
    assert found.small == small(rows, quasi)
    for column in found:
        counts = Counter(row[column.name] for row in rows)
        missing = counts.pop("", 0)
        assert (column.distinct, column.missing) == (len(counts), missing)
        assert column.unique == sum(1 for count in counts.values() if count == 1)
        assert column.few == sum(count for count in counts.values() if count < 5)
        top = sorted(
            ((value, count) for value, count in counts.items() if count >= 5), key=lambda one: (-one[1], one[0])
        )
        assert column.common == tuple(top[:3])
        if column.name in quasi:
            others = [name for name in quasi if name != column.name]
            assert column.adds == small(rows, quasi) - small(rows, others)
        else:
            assert column.adds == small(rows, [*quasi, column.name]) - small(rows, quasi)


KINDS = {
    "number": ["1", "05", "2.5", "-3", "1,234", "1e5"],
    "date": ["2020-01-31", "1999/12/1", "2020-02-03T10:00"],
    "code": ["E11.9", "A01", "0012", "B-77"],
    "text": ["a word", "two", "三"],
    "yes/no": ["yes", "No"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind):
    assert pw.inspect({"c": KINDS[kind] * 2})["c"].kind == kind


@pytest.mark.parametrize("text", ["2024-01", "2024/1", "2024年1月", "113年1月", "民國113/01"])
def test_a_month_of_a_year_is_a_date(text):
    for name in ("month", "就醫年月"):
        found = pw.inspect({name: [text] * 6 + [text.replace("1", "2", 1)] * 6})
        assert (found[name].kind, found[name].role, found[name].pattern) == ("date", "quasi_identifier", None)
        assert found.persons == ()


def test_a_form_that_others_have_names_nobody_if_many_share_a_value():
    plates = [f"ABC-{row:04}" for row in range(60)]
    assert pw.inspect({"x": plates * 2, "y": ["a"] * 120}).persons == ("x",)
    assert pw.inspect({"x": plates[:4] * 30, "y": ["a"] * 120}).persons == ()


def test_nobody_is_asked_whose_rows_they_are_where_a_number_of_people_is_different_in_every_row():
    numbers = [taiwan.national_id("A", 1, row) for row in range(40)]
    names, wrong = ["王小明", "李小華"] * 20, [f"{one[:-1]}{(int(one[-1]) + 1) % 10}" for one in numbers]
    assert pw.inspect({"證號": numbers, "姓名": names}).persons == ()
    assert pw.inspect({"證號": wrong, "姓名": names}).persons == ("姓名",)  # some other code
    assert pw.inspect({"編號": [*range(40)], "姓名": names}).persons == ("姓名",)  # the number of a row
    assert pw.inspect({"證號": numbers[:20] * 2, "姓名": names}).persons == ("證號", "姓名")


@pytest.mark.parametrize("text", ["民國79年5月21日", "79/05/21", "079.5.21", "102-12-01", "中華民國 88 年 1 月 2 日"])
def test_dates_of_the_republic_of_china(text):
    column = pw.inspect({"生日": [text] * 5})["生日"]
    assert (column.kind, column.role) == ("date", "quasi_identifier")
    assert "民國" in str(pw.inspect({"生日": [text] * 5}))


def test_digits_are_a_date_only_if_the_name_says_so():
    digits = ["0790521", "1020131"] * 5
    assert [note.kind for note in pw.inspect({"生日": digits})["生日"].reasons][1] == "looks"
    assert "looks" not in [note.kind for note in pw.inspect({"x": digits})["x"].reasons]


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("date_of_birth", "birth"),
        ("birthDate", "birth"),
        ("ZIP", "postal_code"),
        ("病歷號碼", "record_number"),
        ("國民身分證統一編號", "national_id"),
        ("country of birth father", "native_country"),
        ("language", None),
        ("HbA1c", "health"),
        ("hba1c_2024", "health"),
        ("wage per hour", "money"),
        ("PatientID", "record_number"),
        ("id", "serial_number"),
        ("company name", "occupation"),
        ("宗教", "religion"),
        ("工會會員", "union_membership"),
        ("member of a labor union", "union_membership"),
        ("前科紀錄", "criminal_record"),
        ("SEATING_POSITION", None),
        ("TAKEN_TO_HOSPITAL", None),
    ],
)
def test_names_of_columns(name, topic):
    found = find_topic(name)
    assert (found and found.name) == topic


def test_every_word_is_found_in_a_name():
    for name, one in _read_words().items():
        for phrase in one["english"]:
            assert find_topic(phrase.removeprefix(WHOLE_NAME)).name == name, phrase
        for part in one["chinese"]:
            assert not part.isascii()  # names of ASCII characters are not searched for them
            assert find_topic(part.removeprefix(WHOLE_NAME)), part


@pytest.mark.parametrize(
    ("cells", "form"),
    [(["台北市", "臺北市", "花蓮縣"], "county"), (["東區", "板橋區", "吉安鄉"], "township"), (["東京", "大阪"], None)],
)
def test_places_of_taiwan_are_known_by_their_names(cells, form):
    column = pw.inspect({"x": cells * 3})["x"]
    assert column.role == (form and "quasi_identifier")
    assert [note.figures["form"] for note in column.reasons if note.kind == "looks"] == [form] * bool(form)


def role_of(name, cells):
    return pw.inspect({name: cells, "sex": ["M"] * len(cells)})[name].role


def test_what_is_nearly_unique_names_people():
    assert role_of("x", [f"k{number}q" for number in range(50)]) == "identifier"
    assert role_of("x", [str(number * 7) for number in range(50)]) == "identifier"
    assert role_of("x", [f"{number}.5" for number in range(50)]) is None  # a measurement, or not
    assert role_of("x", [f"k{number}q" for number in range(10)]) is None  # too few rows to tell


def codes(different, rows):
    return [f"k{min(row, different - 1)}q" for row in range(rows)]


def test_how_many_values_must_be_different_and_in_how_many_rows():
    assert role_of("x", codes(95, 100)) == "identifier"
    assert role_of("x", codes(94, 100)) is None
    assert role_of("x", codes(20, 20)) == "identifier"
    assert role_of("x", codes(19, 19)) is None


def test_how_many_people_may_share_what_names_one():
    assert role_of("phone", [f"no. {row % 6}" for row in range(60)]) == "identifier"
    assert role_of("phone", [f"no. {row % 6}" for row in range(61)]) is None


def is_free_text(cells):
    return pw.inspect({"x": cells, "sex": ["M"] * len(cells)})["x"].reasons[0].kind == "free_text"


def test_how_long_and_how_different_free_text_is():
    texts = [f"{row:02d} abcdefgh ijklmnop qrst" + "u" for row in range(40)]
    assert len(texts[0]) == 26
    assert is_free_text([text[:25] for text in texts])
    assert not is_free_text([text[:24] for text in texts])
    assert is_free_text([*texts[:21], *texts[:19]])
    assert not is_free_text([*texts[:20], *texts[:20]])
    assert is_free_text([f"{row:02d} 一二三四五六七八九十一" for row in range(40)])  # a Han character counts twice


def test_a_long_text_that_begins_with_a_place_is_free_text():
    assert is_free_text([f"花蓮縣花蓮市的病人，第 {row} 號，狀況良好" for row in range(40)])


@pytest.mark.parametrize("name", ["生日", "date of death", "date"])
def test_days_may_be_written_as_digits(name):
    assert "looks" in [note.kind for note in pw.inspect({name: ["19790521", "20200131"] * 5})[name].reasons]


def test_a_yes_or_no_about_health_is_sensitive():
    assert role_of("diabetes", ["yes", "no"] * 30) == "sensitive_attribute"


@pytest.mark.parametrize(
    "cells", [["男", "女"], ["臺北市", "花蓮縣"], ["2020-01-31", "2020-02-01"], ["E11.9", "I10.0"], ["x", "x"]]
)
def test_values_of_what_others_may_know_are_shown(cells):
    assert {value for value, _ in pw.inspect({"x": cells * 9})["x"].common} == {*cells}


def test_numbers_that_repeat_are_a_question():
    found = pw.inspect({"id": [str(number // 4) for number in range(80)], "sex": ["M"] * 80})["id"]
    assert (found.role, found.common, found.pattern) == (None, (), "#")
    assert "4 rows" in str(pw.inspect({"id": [str(number // 4) for number in range(80)]}))


def test_a_yes_or_no_about_a_name_names_nobody():
    assert role_of("phone", ["yes", "no"] * 30) is None


def test_long_texts_that_name_people_are_identifiers_and_others_free_text():
    addresses = [f"臺北市大安區和平東路二段{number}號" for number in range(60)]
    assert (
        role_of("x", addresses) == role_of("聯絡地址", [f"{one} 3 樓之 2，近公園" for one in addresses]) == "identifier"
    )
    assert kinds_of_warnings({"x": addresses, "sex": ["M"] * 60}) == []
    assert role_of("x", [f"a remark, the {number}th of them all" for number in range(60)]) is None


def test_a_business_number_needs_a_name_or_different_values():
    numbers = ["04595257", "10458575", "22099131"]
    assert role_of("x", numbers * 20) is None
    assert role_of("公司統編", numbers * 9) == "identifier"
    assert role_of("公司統編", numbers * 20) is None  # many people share one: it names their employer


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_text_is_80_columns_wide(language):
    long = {f"a very long name of a column, number {number}, 又長又寬的欄位名稱": ["x y"] * 9 for number in range(3)}
    text = pw.inspect({**long, "age": ["31"] * 9}).text(language)
    assert max(map(display_width, text.splitlines())) <= 80


def test_every_form_of_a_table_gives_the_same(people, tmp_path):
    pa, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    import pyarrow.parquet as pq

    header, *lines = people.read_text("cp950").splitlines()
    columns = {name: [line.split(",")[place] for line in lines] for place, name in enumerate(header.split(","))}
    table = pa.table(columns)
    pq.write_table(table, tmp_path / "people.parquet")
    expected = pw.inspect(people)
    for other in (table, table.to_pandas(), tmp_path / "people.parquet", duckdb.from_arrow(table)):
        found = pw.inspect(other)
        assert (found.columns, found.small, found.warnings) == (expected.columns, expected.small, expected.warnings)


def kinds_of_warnings(table):
    return [note.kind for note in pw.inspect(table).warnings]


def test_warnings():
    many = range(60)
    assert kinds_of_warnings({"a": ["1"], "b": ["2"]}) == ["few_rows"]
    assert kinds_of_warnings({"a": ["x"] * 9}) == ["one_column"]
    assert kinds_of_warnings({"diagnosis": ["flu"] * 9, "sex": ["M"] * 9}) == ["same_for_all"]
    same = {"education": [f"e{one % 7}" for one in many], "education-num": [str(one % 7) for one in many]}
    assert kinds_of_warnings(same) == ["say_the_same"]
    text = {"note": [f"a long remark about person number {one}" for one in many], "sex": ["M"] * 60}
    assert kinds_of_warnings(text) == ["free_text_column"]
    assert kinds_of_warnings({"income": [f"{one}.25" for one in many], "sex": ["M"] * 60}) == ["names_people"]
    assert kinds_of_warnings({"Taipei": ["Taipei"] * 9, "30": ["30"] * 9}) == ["no_header"]


def test_the_order_of_rows_changes_nothing(people):
    header, *lines = people.read_text("cp950").splitlines()
    columns = {name: [line.split(",")[place] for line in lines] for place, name in enumerate(header.split(","))}
    backwards = {name: cells[::-1] for name, cells in columns.items()}
    assert pw.inspect(columns) == pw.inspect(backwards)


def test_all_cells_missing():
    found = pw.inspect({"x": ["", None, ""], "sex": ["M", "F", "M"]})
    assert (found["x"].distinct, found["x"].missing, found["x"].role) == (0, 3, None)
    assert "All cells are missing" in str(found)


def test_errors(tmp_path, inspection):
    with pytest.raises(MissingFileError):
        pw.inspect(tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_text("a,b\n")
    with pytest.raises(MalformedError, match="no rows"):
        pw.inspect(tmp_path / "empty.csv")
    with pytest.raises(UnknownNameError, match="there is no column"):
        inspection["手機號"]


def test_values_that_do_not_fit_in_memory_are_counted_all_the_same(tmp_path):
    rows = 400_000
    file = tmp_path / "large.csv"
    file.write_text("token,sex\n" + "".join(f"t{row}x,{'MF'[row % 2]}\n" for row in range(rows)))
    found = pw.inspect(file, memory_limit="100 MB")
    assert (found["token"].distinct, found["token"].unique, found["token"].role) == (rows, rows, "identifier")
    assert found["sex"].common == (("F", rows // 2), ("M", rows // 2))


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_the_command(people, language):
    done = petworks("inspect", people, "--lang", language)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == pw.inspect(people).text(language) + "\n"


def test_the_command_writes_json(people, tmp_path):
    done = petworks("inspect", people, "-o", "found.json", cwd=tmp_path)
    assert done.returncode == 0
    document = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert document["schema"] == "petworks/inspection/1"
    assert [one["role"] for one in document["columns"]][:3] == ["identifier"] * 3


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["policy.toml"], "that is a policy"),
        (["people.csv", "-o", "people.csv"], "would be overwritten"),
        (["people.csv", "-o", "found.html"], "petworks inspect cannot write html"),
        (["nobody.csv"], "there is no such file"),
    ],
)
def test_mistakes_on_the_command_line(people, arguments, problem):
    done = petworks("inspect", *arguments, cwd=people.parent)
    assert done.returncode == 2
    assert problem in done.stderr


def test_it_can_be_pickled_and_rendered(inspection):
    assert pickle.loads(pickle.dumps(inspection)) == inspection
    assert "<table" in inspection._repr_html_()
    assert str(inspection.__rich__()) == str(inspection)


def test_values_count_by_identifiers_that_repeat_and_that_is_told():
    table = {"patient_id": [f"P{row // 3:04}" for row in range(300)], "age": [f"{20 + row % 40}" for row in range(300)]}
    assert "values are counted by patient_id" in " ".join(str(pw.inspect(table)).split())
    assert "依 patient_id 計算人數" in pw.inspect(table).text("zh_TW").replace("\n", "")
    once = table | {"patient_id": [f"P{row:04}" for row in range(300)]}
    assert "are counted by" not in " ".join(str(pw.inspect(once)).split())


def test_amounts_that_all_differ_are_no_identifiers_if_they_are_sensitive():
    found = pw.inspect({"sex": ["f", "m"] * 50, "zq": [str(7 * one) for one in range(100)]})
    assert find_published_identifiers(found, {"zq": Role.SENSITIVE_ATTRIBUTE}, None) == ()
    assert find_published_identifiers(found, {"zq": Role.INSENSITIVE_ATTRIBUTE}, None) == ("zq",)
