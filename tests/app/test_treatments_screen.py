"""Columns: what is done with a column is a second answer beside its role; keys are made there, and never shown."""

from __future__ import annotations

import tomllib

import pytest

from app.running import inside

ROWS = [
    f"H{number // 2:04},{'MF'[number % 2]},{100 + 50 * (number % 4)},2026-0{1 + number % 9}-01" for number in range(60)
]


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(["patient_id,sex,fee,visit", *ROWS]) + "\n", encoding="utf-8")
    with inside(tmp_path, path) as client:
        page = client.until("/columns", "columns")
        client.post("/columns/person", answer="several", person="1", known="one", revision=page.revision)
        client.until("/columns", "columns")
        for number, role in enumerate(("quasi_identifier", "sensitive_attribute", "insensitive_attribute"), 2):
            client.post(f"/columns/{number}", role=role, revision=client.get("/columns").revision)
        yield client


def treat(app, number, treatment, **fields):
    sent = {"treatment": treatment, "shown": "1,2,3,4", **fields}
    return app.post(f"/columns/{number}/treatment", revision=app.get("/columns").revision, fragments=True, **sent)


def written(app):
    return tomllib.loads(app.running.session.project.text).get("treat", {})


def test_what_is_chosen_is_written(app, tmp_path):
    page = treat(app, 3, "round")
    assert written(app) == {}, "nothing before it is known to what"
    assert "Not set yet" in page["row-3"].text
    page = treat(app, 3, "round", set="1", round="0")
    assert "round must be above 0" in page["row-3"].text
    assert page["round-3"].get("value") == "0", "what was typed stays"
    treat(app, 3, "round", set="1", round="100", top="200", bottom="")
    assert written(app) == {"fee": {"round": 100, "top": 200}}
    page = app.get("/columns")
    assert "a value of at least five people" in page["row-3"].text
    treat(app, 4, "shift", set="1", within="90", new_key="study", kept_by="records office")
    treat(app, 1, "pseudonym", set="1", key="study", scope="clinic", until="2030-01-31")
    assert written(app)["visit"] == {"shift": {"key": "study", "kept_by": "records office", "within": "90 days"}}
    assert written(app)["patient_id"] == {"pseudonym": {"key": "study", "scope": "clinic", "until": "2030-01-31"}}
    key = next((tmp_path / "config").rglob("study.json"))
    assert key.stat().st_mode & 0o077 == 0
    secret = key.read_text().split('"key": "')[1][:20]
    project = app.running.session.folder
    assert not [path for path in project.rglob("*") if path.is_file() and secret in path.read_text(errors="replace")]
    page = app.get("/columns")
    assert secret not in page.text
    assert "H0001" not in page.text
    treat(app, 4, "remove")
    assert written(app)["visit"] == {"remove": True}
    assert app.running.session.draft.roles_of(["visit"])["visit"] == "identifier"
    treat(app, 4, "")
    assert "visit" not in written(app)
    app.post("/undo", revision=app.get("/columns").revision)
    assert written(app)["visit"] == {"remove": True}


@pytest.mark.parametrize(
    ("number", "treatment", "why"),
    [
        (1, "as_it_is", "it names people"),
        (2, "pseudonym", "somebody knows its values"),
        (3, "shift", "these are no dates"),
        (4, "round", "these are no numbers"),
        (3, "generalise", "for quasi-identifiers only"),
    ],
)
def test_what_does_not_fit_is_listed_with_why(app, number, treatment, why):
    options = app.get("/columns")[f"treatment-{number}"].all("option")
    found = next(one for one in options if one.get("value") == treatment)
    assert "disabled" in found.attributes
    assert why in found.text
    assert treat(app, number, treatment).status == 400
    assert written(app) == {}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"key": ""}, "missing"),
        ({"key": "nobody's"}, "no name of a key"),
        ({"key": "unknown"}, "there is no key"),
        ({"new_key": "../../etc/passwd"}, "no name of a key"),
        ({"new_key": "study", "until": "tomorrow"}, "until must be a date"),
    ],
)
def test_keys_that_cannot_be(app, tmp_path, fields, problem):
    page = treat(app, 1, "pseudonym", set="1", **fields)
    assert problem in page["row-1"].text
    assert written(app) == {}
    assert not [*(tmp_path / "config").rglob("keys/*")]


def test_rounding_a_quasi_identifier_drops_levels_that_mean_others(app):
    app.post("/columns/3", role="quasi_identifier", revision=app.get("/columns").revision)
    session = app.running.session
    draft = session.draft.with_making("levels", {"sex": 0, "fee": 1}).with_making("coarsest", {"fee": 2})
    draft = draft.with_pin({"name": "A", "levels": {"sex": 0, "fee": 1}})
    after = draft.with_treatment("fee", {"round": 100})
    assert after.making == {"levels": {"sex": 0}}
    assert after.with_treatment("fee", {"round": 50}).making == after.making
    assert draft.with_treatment("fee", {"as_it_is": "why"}).making == draft.making


def test_one_kind_is_confirmed_at_once(tmp_path):
    path = tmp_path / "people.csv"
    rows = [f"A{number:05},user{number}@example.org,{20 + number % 9}" for number in range(40)]
    path.write_text("\n".join(["patient_id,email,age", *rows]) + "\n", encoding="utf-8")
    with inside(tmp_path, path) as client:
        page = client.until("/columns", "columns")
        assert page["all-identifier"].text == "2 identifiers: remove"
        client.post("/columns/together", all="1", role="identifier", revision=page.revision)
        assert client.running.session.draft.section("roles") == {"identifiers": ["patient_id", "email"]}
        assert written(client) == {"patient_id": {"remove": True}, "email": {"remove": True}}
