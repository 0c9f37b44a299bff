"""Columns asks first whose rows they are, and nothing is counted before that is answered."""

import random
import re
import time

import pytest

from app.running import inside
from support.written import COLUMNS, POLICY, people, project

KNOWN_ALL = {"answer": "several", "person": "1", "known": "all"}


@pytest.fixture
def visits(tmp_path):
    chance, rows = random.Random(3), ["patient_id,sex,zip,diagnosis"]
    for person in range(60):
        own = f"{chance.choice('MF')},{chance.choice(['100', '103'])}"
        rows += [f"C{10_000 + person},{own},{chance.choice(['flu', 'cold'])}" for _ in range(chance.randint(1, 4))]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def answer(app, **fields):
    """Send an answer, and return the answer of the application."""
    return app.post("/columns/person", **fields, revision=app.running.session.revision)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Opens when it is answered whose row a row is.", "count rows", "says otherwise")),
        ("zh_TW", ("回答一列是誰的資料之後即可繼續。", "以列計", "顯示不是如此")),
    ],
)
def test_the_answer_is_in_the_policy(tmp_path, visits, language, words):
    shut, counts, evidence = words
    with inside(tmp_path, visits, language) as app:
        page = app.until("/columns", "columns")
        assert page["shut"].text == shut
        assert evidence in page["persons"].text
        assert [one for one in page["persons"].all("input") if "checked" in one.attributes] == []
        assert page["bar-2"].first("p").text == "—"
        assert answer(app, **KNOWN_ALL).status == 303
        data, roles = app.running.session.draft.data, app.running.session.draft.section("roles")
        assert (data["person"], data["known"], roles["identifiers"]) == ("patient_id", "all", ["patient_id"])
        page = app.until("/columns", "columns")
        assert counts in page.text
        assert page["bar-2"].first("p").text != "—"
        assert 'person="patient_id"' not in page.text  # which is no place for Python
        missing = answer(app, answer="rows", why=" ")
        assert missing.status == 422
        assert "data-focus" in missing["person-why"].attributes
        assert answer(app, answer="rows", why="一次住院一列").status == 303
        draft = app.running.session.draft
        assert "person" not in draft.data
        assert draft.content["accept"] == [{"premise": "people", "why": "一次住院一列"}]
        page = app.until("/columns", "columns")
        assert counts not in page.text
        assert page["shut"].text != shut
        assert answer(app, **KNOWN_ALL).status == 303
        assert "accept" not in app.running.session.draft.content


def test_wrong_answers_are_refused(tmp_path, visits):
    with inside(tmp_path, visits) as app:
        app.until("/columns", "columns")
        for wrong in (
            {"person": "9"},
            {"person": "x"},
            {"person": "1", "known": "some"},
            {"person": "0"},
            {"answer": "?"},
        ):
            form = {"answer": "several", "known": "one", "person": "1", **wrong}
            assert answer(app, **form).status == 400
        assert "person" not in app.running.session.draft.data


@pytest.mark.parametrize(
    ("language", "said", "not_said"),
    [("en", "All 200 people,", "One row is taken to be one person"), ("zh_TW", "全部 200 人", "一筆資料列視為一人")],
)
def test_the_last_screen_says_who_is_counted(tmp_path, language, said, not_said):
    policy = POLICY.replace("[roles]", 'person = "id"\n\n[roles]')
    rows = [f"P{number // 2:05},{','.join(row[1:])}" for number, row in enumerate(people())]
    path = project(tmp_path, "[anonymize.levels]\nage = 2\nsex = 0\n", policy)
    (tmp_path / "people.csv").write_text("\n".join([",".join(COLUMNS), *rows]) + "\n", encoding="utf-8")
    with inside(tmp_path, path, language) as app:
        for _ in range(2):
            page = app.settled("/release", "released")
            app.post("/release/write", revision=page.revision)
        text = page["released"].text
    assert said in text
    assert 'known="one"' in text
    assert not_said not in text


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
    with inside(tmp_path, counted_project, language) as app:  # nobody has said whose row each is: people are counted
        for path in ("/", "/columns"):
            assert ">999<" not in settled(app, path).text, path


def test_screens_say_rows_where_they_count_rows_and_people_where_they_count_people(tmp_path, counted_project, visits):
    rows = visits.read_text("utf-8").splitlines()[1:]
    people = len({row.split(",")[0] for row in rows})
    with inside(tmp_path, counted_project) as app:
        columns = settled(app, "/columns")["main"].text
        assert f"All {len(rows)} rows, by how many rows share their class now" in columns
        assert f"{len(rows)} people" not in columns
        page = settled(app, "/explore")
        assert "local" not in page.markup.ids  # local recoding counts rows, not people
        explore = page["main"].text
        assert f"All {people} people, by how many share their class" in explore
        assert re.search(r"smallest class \d+ · at least 5", explore)
        assert "yes · required" not in explore
        assert f"at most {len(rows) // 2} rows" in explore
        assert re.search(r"with \d+ rows suppressed", explore)
        app.post("/release/write", revision=app.get("/release").revision)
        page = settled(app, "/release")
        text = page["released"].text
        assert f"All {people} people, by how many share their class in released.csv" in text
        assert "People are counted, not rows" in text
        assert "One row is taken to be one person" not in text
        found = re.search(r"diagnosis sensitive\s*(\d+)", text)
        assert int(found[1]) <= people


def test_groups_of_a_hierarchy_count_everybody_once(tmp_path, counted_project, visits):
    """A person with sixty postal codes is one person in the group of these, which is therefore not named."""
    head, *rows = visits.read_text("utf-8").splitlines()
    zips = [f"C30000,F,88{number:02},flu" for number in range(60)]
    visits.write_text("\n".join([head, *rows, *zips]) + "\n", encoding="utf-8")
    everybody = len({row.split(",")[0] for row in rows}) + 1
    counted_project.write_text(f"{VISITS}[hierarchies.zip]\nprefixes = [2, 1]\n", encoding="utf-8")
    with inside(tmp_path, counted_project) as app:
        page = settled(app, "/hierarchies/3")
        text = page["main"].text
        assert "88**" not in page.text
        assert f"of {everybody} people have a place" in text
        assert "who has several values counts once for each" in text
        top = page["levels"].first("tbody").first("tr")
        assert [cell.text for cell in top.all("td")][2] == str(everybody)  # people of the smallest group
        assert "88**" in app.get(app.post("/show-small", back="/hierarchies/3").to).text
