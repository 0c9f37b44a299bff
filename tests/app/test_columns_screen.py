"""The screen of columns: what is shown are the figures of the library, and every click is a line of the policy."""

import csv
import tomllib

import pytest

import PETWorks as pw
from app.running import inside
from PETWorks.attributetypes import Role
from support.taiwan import national_id

ROLES = [str(role) for role in Role]


def write(path, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


PEOPLE = {
    "national-id": [national_id("A", 1, 1_000_000 + number) for number in range(60)],
    "sex": ["M", "F"] * 30,
    "age": [str(20 + number % 12) for number in range(60)],
    "job": ["nurse", "clerk", "judge"] * 20,
    "club": ["a", "b", "c", "d"] * 15,
    "salary": ["low", "high"] * 30,
}


@pytest.fixture
def app(tmp_path):
    write(tmp_path / "people.csv", PEOPLE)
    with inside(tmp_path, tmp_path / "people.csv") as client:
        page = client.until("/columns", "columns")
        client.post("/columns/person", answer="rows", why="one visit each", revision=page.revision)
        yield client


def decide(app, number, **fields):
    return app.post(f"/columns/{number}", revision=app.get("/columns").revision, **fields)


def policy(app):
    return tomllib.loads((app.running.session.folder / "policy.toml").read_text("utf-8"))


def test_nothing_is_decided_until_somebody_does(app):
    page = app.get("/columns")
    assert page.h1 == "6 of 6 columns wait for your decision"
    assert [one for one in page.markup.all("input") if one.get("name") == "role" and "checked" in one.attributes] == []
    suggested = [one.get("value") for one in page.markup.all("input") if one.get("class") == "maybe"]
    assert suggested == [str(one.role) for one in pw.inspect(PEOPLE) if one.role]
    assert "roles" not in policy(app)
    assert page["door"].first("a").get("href") == "/prepare"
    assert "Opens when the 6 open columns are decided." in page["door"].text


def test_a_suggestion_is_confirmed_and_another_role_is_chosen(app):
    assert app.follow(decide(app, 3)).h1 == "5 of 6 columns wait for your decision"
    assert policy(app)["roles"] == {"quasi_identifiers": ["age"]}
    page = app.follow(decide(app, 3, role="sensitive_attribute"))
    assert policy(app)["roles"] == {"sensitive": ["age"]}
    assert "Suggested: quasi-identifier. You chose sensitive." in page["row-3"].text
    assert "age: quasi-identifier → sensitive" in page["dock"].text
    assert page["row-3"].get("class") == "role-row decided"


def test_people_in_small_classes_are_those_of_the_library(app):
    for number in (2, 3, 4):
        decide(app, number, role="quasi_identifier")
    page = app.get("/columns")
    classes = {}
    for row in zip(PEOPLE["sex"], PEOPLE["age"], PEOPLE["job"], strict=True):
        classes[row] = classes.get(row, 0) + 1
    small = sum(size for size in classes.values() if size < 5)
    assert f"{small} of 60 people" in page["answer"].text
    without = {}
    for row in zip(PEOPLE["sex"], PEOPLE["job"], strict=True):
        without[row] = without.get(row, 0) + 1
    fewer = small - sum(size for size in without.values() if size < 5)
    assert page["bar-3"].first("p").text == str(fewer)


def test_the_door_opens_when_all_columns_are_decided_and_one_is_a_quasi_identifier(app):
    for number, name in enumerate(PEOPLE, 1):
        decide(app, number, role="identifier" if name == "national-id" else "insensitive_attribute")
    page = app.get("/columns")
    assert page.h1 == "Nobody can be told apart by nothing: choose at least one quasi-identifier"
    assert page["door"].all("a")[1].get("aria-disabled") == "true"
    page = app.follow(decide(app, 2, role="quasi_identifier"))
    assert page.h1 == "All 6 columns are decided"
    assert page["door"].all("a")[1].get("href") == "/hierarchies"


def test_the_script_gets_the_parts_that_changed(app):
    before = app.get("/columns")
    answer = app.post("/columns/2", fragments=True, revision=before.revision, shown="1,2,3,999,x", confirm="1")
    assert {"answer", "door", "steps", "dock", "row-1", "row-2", "row-3"} <= {*answer.markup.ids}
    assert "row-4" not in answer.markup.ids
    assert answer["row-2"].get("class") == "role-row confirmed"


def test_an_identifier_is_never_shown(app):
    page = app.get("/columns")
    assert not any(value in page.text for value in PEOPLE["national-id"])
    page = app.follow(decide(app, 4, role="identifier"))
    assert "nurse" not in page.text
    assert "Values of identifiers are not shown." in page["row-4"].text
    page = app.follow(decide(app, 3, role="identifier"))
    assert "Numbers that five people" not in page["row-3"].text


def test_columns_are_found_and_confirmed_together_by_one_reason_only(tmp_path):
    wide = {"sex": ["M", "F"] * 30, **{f"{name} age": PEOPLE["age"] for name in ("first", "second", "third")}}
    write(tmp_path / "wide.csv", wide)
    with inside(tmp_path, tmp_path / "wide.csv") as app:
        page = app.until("/columns", "columns")
        assert [one.get("id") for one in page.markup.all("button") if one.get("name") == "role"] == [
            "all-quasi_identifier"
        ]
        assert [one.get("value") for one in page["find-reason"].all("option")][:2] == ["", "name.age"]
        page = app.get("/columns?reason=name.age")
        assert "row-1" not in page.markup.ids
        assert "3 columns have this reason and wait." in page.text
        found = app.get("/columns?name=SECOND")
        assert [one for one in found.markup.ids if one.startswith("row-")] == ["row-3"]
        assert "No column fits" in app.get("/columns?name=nothing").text
        fields = {"reason": "name.age", "name": "", "role_asked": "", "role": "quasi_identifier"}
        answer = app.post("/columns/together", fragments=True, revision=page.revision, **fields)
        assert {"columns", "steps", "dock"} <= {*answer.markup.ids}
        assert policy(app)["roles"] == {"quasi_identifiers": ["first age", "second age", "third age"]}
        page = app.get("/columns")
        assert page.h1 == "1 of 4 columns waits for your decision"
        assert app.post("/columns/together", revision=page.revision, **fields | {"reason": ""}).status == 400


def test_undo_takes_a_role_back(app):
    decide(app, 2)
    app.post("/undo", revision=app.get("/columns").revision)
    assert "roles" not in policy(app)
    assert app.get("/columns").h1 == "6 of 6 columns wait for your decision"


@pytest.mark.parametrize("path", ["/columns/0", "/columns/7", "/columns/100000"])
def test_there_is_no_such_column(app, path):
    assert app.post(path, revision=app.get("/columns").revision, role="identifier").status == 404


def test_a_role_must_be_chosen_where_none_is_suggested(app):
    assert app.get("/columns")["role-5-1"].attributes.get("required") == ""
    assert decide(app, 5).status == 400
    assert decide(app, 5, role="nonsense").status == 400
    assert "roles" not in policy(app)


def test_a_window_with_an_old_state_changes_nothing(app):
    old = app.get("/columns").revision
    decide(app, 2)
    assert app.post("/columns/3", revision=old).status == 409
    assert policy(app)["roles"] == {"quasi_identifiers": ["sex"]}


def test_warnings_stand_beside_their_columns_and_follow_the_roles(app):
    assert "may name people" not in app.get("/columns")["row-1"].all("p")[-2].text
    page = app.follow(decide(app, 1, role="insensitive_attribute"))
    assert "it may name people, whatever it says about them" in page["row-1"].text
    assert "sex and salary say the same" in page["row-2"].text
    decide(app, 2)
    page = app.follow(decide(app, 6, role="quasi_identifier"))
    assert "say the same" not in page["row-2"].text


def test_a_column_that_may_name_people_can_be_known(app):
    decide(app, 2)
    page = app.follow(decide(app, 1, role="quasi_identifier"))
    assert "60 of 60 people" in page["answer"].text
    assert page["bar-1"].first("p").text == "60"


def test_thousands_of_columns_are_shown_in_parts(tmp_path):
    wide = {f"column {number}": ["x", "y"] * 5 for number in range(2_000)}
    write(tmp_path / "wide.csv", wide)
    with inside(tmp_path, tmp_path / "wide.csv") as app:
        page = app.until("/columns", "columns", 60)  # the validator knows the largest page
        assert "1–40 of 2,000 columns" in page.text
        last = app.get("/columns?part=50")
        assert "row-2000" in last.markup.ids
        assert app.get("/columns?part=99999")["row-2000"]
        answer = app.post("/columns/2000", fragments=True, revision=page.revision, role="identifier", shown="2000")
        assert "1,996 more warnings of this kind." in page["row-1"].text
        assert answer.h1 == "1,999 of 2,000 columns wait for your decision"


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_names_and_values_are_text_whatever_they_hold(tmp_path, language):
    hostile = {
        "<script>alert(1)</script>": ["<b>x", "'\"><svg onload=alert(1)>"] * 10,
        "{{ 7*7 }}": ["{say}", "&lt;"] * 10,
    }
    write(tmp_path / "hostile.csv", hostile)
    with inside(tmp_path, tmp_path / "hostile.csv", language) as app:
        page = app.until("/columns", "columns")
        assert [one.text for one in page.markup.all("b") if one.text == "x"] == []
        assert "<script>alert" not in page.text
        decide(app, 1, role="quasi_identifier")
        assert policy(app)["roles"] == {"quasi_identifiers": [*hostile][:1]}
