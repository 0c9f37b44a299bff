"""A column that looks like an identifier, with a role that publishes it: no screen that decides is blue."""

import json

import pytest
from test_release_screen_written import LEVELS, send, settled

from app.running import inside
from support.written import COLUMNS, POLICY, people, policy_of, project

WRONG = POLICY.replace('identifiers = ["id"]\n', "").replace('insensitive = ["club"]', 'insensitive = ["club", "id"]')
LOOKING = {
    "en": "Nothing was written: the table is still being looked at. Write again in a moment.",
    "zh_TW": "尚未寫出：仍在檢視資料表，請稍後再寫出。",
}
BUT = {"en": "but id would be published unchanged", "zh_TW": "但 id 將照原樣發布"}


@pytest.fixture(params=BUT)
def app(tmp_path, request):
    with inside(tmp_path, project(tmp_path, LEVELS, WRONG), request.param) as app:
        app.language = request.param
        yield app


def verdict(page):
    """Return the colour of the answer."""
    return next(one.get("class").split()[1] for one in page.markup.all("section") if one.get("class")[:6] == "answer")


def test_every_screen_that_decides_says_so(app):
    for path, answer in (("/columns", "answer"), ("/explore", "answer"), ("/release", "released")):
        page = app.until(path, {"/columns": "door", "/explore": "search", "/release": "how"}[path])
        assert BUT[app.language] in page.h1, path
        assert any(one.get("class") == "warn" for one in page[answer].walk()), path
        assert verdict(page) == "fails", path


def test_nothing_is_written_until_it_is_confirmed(app, tmp_path):
    refused = send(app, "/write")
    assert refused.status == 422
    assert "unconfirmed" in refused.markup.ids
    assert "unconfirmed" in send(app, "/write", fragments=True).markup.ids
    assert not (tmp_path / "released.csv").exists()
    send(app, "/write", confirmed="1")
    page = settled(app)
    assert BUT[app.language] in page.h1
    assert (tmp_path / "released.csv").exists()
    assert json.loads((tmp_path / "record.json").read_text("utf-8"))["warnings"][0]["kind"] == "publishes_identifier"
    assert "release_confirm" in (tmp_path / "journal.jsonl").read_text("utf-8")


def test_a_click_while_the_table_is_looked_at_is_told_that_nothing_was_written(app, tmp_path, monkeypatch):
    page = settled(app)
    monkeypatch.setattr("PETWorks.app.screens.release.find_published", lambda _: None)
    for fragments in (False, True):
        refused = app.post("/release/write", revision=page.revision, fragments=fragments)
        assert refused["unconfirmed"].text == LOOKING[app.language]
    assert not (tmp_path / "released.csv").exists()


def test_with_the_right_role_nothing_is_asked(app, tmp_path):
    page = app.get("/columns")
    app.post("/columns/1", revision=page.revision, role="identifier")
    assert policy_of(tmp_path)["roles"]["identifiers"] == ["id"]
    assert "published unchanged" not in app.get("/columns").text
    assert "confirmed" not in settled(app).markup.ids
    send(app, "/write")
    assert verdict(settled(app)) == "holds"


def test_weights_that_all_differ_are_no_identifiers_on_any_screen(tmp_path):
    policy = POLICY.replace("[roles]", 'weight = "zq"\n\n[roles]').replace('["club"]', '["club", "zq"]')
    project(tmp_path, LEVELS, policy)
    lines = [",".join([*COLUMNS, "zq"]), *(",".join([*row, str(7 * number)]) for number, row in enumerate(people(), 1))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with inside(tmp_path, tmp_path / "policy.toml") as app:
        for path, part in {"/columns": "door", "/explore": "search", "/release": "how"}.items():
            page = app.until(path, part)
            assert "published unchanged" not in page.h1, path
            assert verdict(page) != "fails", path
