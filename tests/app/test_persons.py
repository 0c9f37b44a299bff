"""Step 1 asks whose rows they are, where a column repeats as persons do."""

import random
import re
import time

import pytest

from support.app import inside

KNOWN_ALL = {"person": "1", "known": "all"}


@pytest.fixture
def visits(tmp_path):
    chance, rows = random.Random(3), ["patient_id,sex,zip,diagnosis"]
    for person in range(60):
        own = f"{chance.choice('MF')},{chance.choice(['100', '103'])}"
        rows += [f"C{10_000 + person},{own},{chance.choice(['flu', 'cold'])}" for _ in range(chance.randint(1, 4))]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def read(app):
    app.running.desk.survey.wait(30)
    return app.get("/").text


@pytest.mark.parametrize(
    ("language", "asked", "counts"),
    [("en", "Does a person have several rows?", "count rows"), ("zh_TW", "一個人是否有多列？", "以列計")],
)
def test_the_answer_is_in_the_policy(tmp_path, visits, language, asked, counts):
    with inside(tmp_path, visits, language) as app:
        page = read(app)
        assert asked in page
        assert counts not in page
        revision = app.running.desk.revision
        assert app.post("/open/persons", **KNOWN_ALL, revision=revision).status == 303
        data, roles = app.running.desk.draft.data, app.running.desk.draft.section("roles")
        assert (data["person"], data["known"], roles["identifiers"]) == ("patient_id", "all", ["patient_id"])
        assert counts in read(app)
        assert 'person="patient_id"' not in app.get("/columns").text  # which is no place for Python
        app.post("/open/persons", person="", known="one", revision=app.running.desk.revision)
        assert "person" not in app.running.desk.draft.data
        assert counts not in read(app)


def test_nothing_is_asked_where_nothing_repeats(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,sex\n" + "".join(f"A{1000 + row},{'MF'[row % 2]}\n" for row in range(30)), encoding="utf-8")
    with inside(tmp_path, path) as app:
        assert "several rows" not in read(app)


def test_wrong_answers_are_refused(tmp_path, visits):
    with inside(tmp_path, visits) as app:
        read(app)
        for wrong in ({"person": "9"}, {"person": "x"}, {"person": "1", "known": "some"}, {"person": "0"}):
            form = {"known": "one", **wrong, "revision": app.running.desk.revision}
            assert app.post("/open/persons", **form).status == 400
        assert "person" not in app.running.desk.draft.data


VISITS = """
version = 1
[data]
original = "visits.csv"
released = "released.csv"
person = "patient_id"
[roles]
identifiers = ["patient_id"]
quasi_identifiers = ["sex", "zip"]
sensitive = ["diagnosis"]
[[require]]
measure = "k-anonymity"
k = 5
[anonymize]
suppress_at_most = "50%"
[anonymize.levels]
sex = 0
zip = 0
"""


def settled(app, path):
    while "data-poll" in (page := app.get(path)).text:
        time.sleep(0.02)
    return page


@pytest.fixture
def counted_project(tmp_path, visits):
    text = visits.read_text("utf-8")
    rare = "".join(f"C20000,F,{zip_},hiv\n" for zip_ in ("999",) * 6)  # six rows of one person
    visits.write_text(text + rare, encoding="utf-8")
    (tmp_path / "policy.toml").write_text(VISITS, encoding="utf-8")
    return tmp_path / "policy.toml"


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_a_value_of_one_person_is_not_shown_however_many_rows_have_it(tmp_path, counted_project, language):
    with inside(tmp_path, counted_project, language) as app:
        for path in ("/", "/columns", "/hierarchies/3", "/hierarchies/3?builder=parents", "/explore"):
            text = re.sub(r"<script.*?</script>", "", settled(app, path).text)
            assert ">999<" not in text, path
            assert ">hiv<" not in text, path
    everybody = counted_project.read_text().replace('person = "patient_id"', "")
    counted_project.write_text(everybody, encoding="utf-8")
    with inside(tmp_path, counted_project, language) as app:
        assert ">999<" in settled(app, "/").text
