"""Try to find somebody: numbers of people, never fewer than five counted out, remedies that are text in the policy."""

from __future__ import annotations

import re
import tomllib

import pytest

import PETWorks as pw
from app.running import opening
from support.window import LANGUAGES
from support.written import project

WARDS = "[anonymize.levels]\nage = 2\nsex = 0\n"


@pytest.fixture
def started(tmp_path):
    def written():
        """Write the project; sixty people have a club of their own."""
        path, table = project(tmp_path, WARDS), tmp_path / "people.csv"
        head, *lines = table.read_text("utf-8").splitlines()
        lines = [f"{line}{number}" if number < 60 else line for number, line in enumerate(lines)]
        table.write_text("\n".join([head, *lines]) + "\n", "utf-8")
        return path

    with opening(tmp_path) as opened:
        yield lambda language="en": opened(written(), language)


def settled(app):
    return app.settled("/find", "tried")


def policy(tmp_path):
    return tomllib.loads((tmp_path / "policy.toml").read_text("utf-8"))


def test_it_tells_what_the_library_finds(started, tmp_path):
    page = settled(started())
    released = pw.Policy(tmp_path / "policy.toml", purpose="anonymize").anonymize().release
    tried = pw.attack(released)
    told = [one.first("h3").text for one in page.markup.elements if one.get("class", "").startswith("adversary ")]
    assert len(told) == len(tried)
    for one in tried:
        if one.found >= 5 and one.people - one.found >= 5:
            assert f"Finds {one.found:,} of {one.people:,} people." in page["tried"].text
    assert "Finds 60 of" in page["tried"].text
    assert "Not tried" in page["tried"].text


def test_fewer_than_five_are_not_counted_out(started):
    text = settled(started())["tried"].text
    assert not re.search(r"(Finds |Then )[1-4] |(?<![\d,.])[1-4] for certain", text)


def test_a_remedy_is_text_and_can_be_undone(started, tmp_path):
    app = started()
    page = settled(app)
    buttons = [one for one in page.markup.elements if one.get("action") == "/find/take"]
    assert buttons
    before = policy(tmp_path)
    number = next(one.attributes["value"] for one in buttons[0].all("input") if one.get("name") == "number")
    app.post("/find/take", revision=page.revision, number=number)
    taken = policy(tmp_path)
    assert {**taken.get("treat", {}), **taken["anonymize"].get("levels", {})} != {
        **before.get("treat", {}),
        **before["anonymize"].get("levels", {}),
    }
    page = settled(app)
    app.post("/undo", revision=page.revision)
    assert policy(tmp_path) == before
    assert app.post("/find/take", revision=settled(app).revision, number="99").status == 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_somebody_is_added_by_the_form_and_judged(started, tmp_path, language):
    app = started(language=language)
    page = settled(app)
    columns = {label.first("bdi").text: label.first("select").attributes["name"] for label in page["tried"].all("label")
               if label.all("select")}  # fmt: skip
    wrong = app.post("/find/add", revision=page.revision, name="鄰居")
    assert wrong.status == 422
    app.post("/find/add", revision=settled(app).revision, name="鄰居", **{columns["age"]: "1", columns["club"]: "0"})
    assert policy(tmp_path)["adversary"] == [{"name": "鄰居", "knows": [{"age": 1}, "club"]}]
    page = settled(app)
    assert "鄰居" in page["tried"].text
    assert pw.Policy(tmp_path / "policy.toml", purpose="anonymize").adversaries[0].name == "鄰居"
    app.post("/find/remove", revision=page.revision, name="鄰居")
    assert "adversary" not in policy(tmp_path)
