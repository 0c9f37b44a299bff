"""What has to be put right: findings as cards, the text that a decision writes, and columns that are derived."""

from __future__ import annotations

import runpy
import tomllib

import pytest

from app.running import inside
from PETWorks.app.project.draft import Draft
from support.places import ROOT

SCRIPT = runpy.run_path(str(ROOT / "docs" / "messy_hospital.py"))


@pytest.fixture
def hospital(tmp_path):
    pytest.importorskip("xlsxwriter")
    SCRIPT["write_tables"](tmp_path)
    return tmp_path


def cards(page) -> dict[str, str]:
    """Return the number of each card by its title."""
    found = [one for one in page.markup.elements if one.get("class", "").startswith("find ")]
    return {page[f"title-{number}"].text: number for one in found for number in [one.attributes["id"][5:]]}


def decide(app, page, number: str, answer: str, **fields: str):
    """Send the decision about a card, and return the page after it."""
    form = page[f"do-{number}"]
    what = next(one.attributes["value"] for one in form.all("input") if one.get("name") == "what")
    sent = {"revision": page.revision, "what": what, "waited": "0", "answer": answer, **fields}
    return app.follow(app.post(f"/prepare/{number}", **sent))


def written(app) -> dict:
    return tomllib.loads(app.running.session.project.text)


@pytest.mark.parametrize("name", ["hospital.csv", "hospital.xlsx"])
def test_what_clicks_write(hospital, name):  # noqa: PLR0915 (one way, step by step)
    with inside(hospital, hospital / name, "zh_TW") as app:
        app.until("/", "content")
        page = app.until("/prepare", "prepare")
        assert page.h1 == "10 項發現：已採用 0 項，10 項待您決定"
        assert page["shut"].text == "決定哪些列是資料之後即可繼續。"
        assert "H000" not in page.text
        assert "0912" not in page.text, "of notes, only numbers"
        assert "不足 5" in page["find-3"].text, "two rows are repeated"
        page = app.follow(app.post("/prepare/together", revision=page.revision, waited="0"))
        again = app.post("/prepare/together", revision=page.revision, waited="0", fragments=True)
        assert again["prepare"].first("h1").text == page.h1
        assert "shut" not in page.markup.ids
        said = written(app)["prepare"]
        assert said["header_row"] == 3
        assert said["skip_last"] == 1
        assert said["就診日期"] == {"date": "any"}
        assert said["診斷碼"] == {"code": "ICD-10"}
        assert "性別" not in said, "what 1 and 2 mean is for somebody to say"
        assert "duplicates" not in said
        waiting = cards(page)
        page = decide(app, page, waiting["性別 有 6 種寫法，其實只有 2 種值"], "accept")
        page = decide(app, page, waiting["有重複出現的列"], "leave")
        page = decide(app, page, waiting["備註 是自由文字"], "accept")
        birth = waiting["生日 的日期有多種寫法"]
        page = decide(app, page, birth, "accept", short_years="roc", order="", otherwise="missing")
        assert page.h1 == "10 項發現：已採用 9 項，全部已決定"
        text = app.running.session.project.text
        said = tomllib.loads(text)
        assert said["prepare"]["性別"]["spellings"]["女"] == ["F", "2"]
        assert said["prepare"]["生日"] == {"date": "any", "short_years": "roc", "otherwise": "missing"}
        assert said["treat"] == {"備註": {"remove": True}}
        assert "\n# left: duplicates\n" in text
        assert Draft.read(text).left == ("duplicates",)
        page = app.follow(app.post("/undo", revision=page.revision))
        page = app.get("/prepare")
        assert written(app)["prepare"]["生日"] == {"date": "any"}
        page = decide(app, page, birth, "leave")
        assert "生日" not in written(app)["prepare"]
        page = decide(app, page, birth, "accept")
        sent = {"name": "年齡", "kind": "years", "source": "生日", "to": "就診日期", "date": "", "waited": ""}
        page = app.follow(app.post("/prepare/derive", revision=page.revision, **sent))
        assert written(app)["derive"] == {"年齡": {"years": {"from": "生日", "at": "就診日期"}}}
        refused = app.post("/prepare/derive", revision=page.revision, **sent | {"name": "性別"})
        assert refused.status == 422
        assert "derive-problem" in refused.markup.ids
        later = sent | {"name": "天數", "kind": "days", "source": "就診日期", "to": "first"}
        assert app.post("/prepare/derive", revision=page.revision, **later).status == 422, "nobody is named"
        columns = app.until("/columns", "columns")
        assert "年齡" in columns.text
        assert "台北市" not in columns.text
        page = app.follow(app.post("/prepare/underive", revision=columns.revision, name="年齡", waited=""))
        assert "derive" not in written(app)


def test_a_rule_that_no_longer_fits_waits_again(tmp_path):
    def write(amounts):
        (tmp_path / "fees.csv").write_text("id;fee\n" + "".join(f"{i};{one}\n" for i, one in enumerate(amounts)))

    write(["1,200", "300", "447元"] * 20)
    with inside(tmp_path, tmp_path / "fees.csv") as app:
        page = app.until("/prepare", "prepare")
        page = decide(app, page, cards(page)["fee has amounts that are texts"], "accept")
        assert page.h1 == "1 finding: 1 accepted, all are decided"
        write(["1,200", "300", "447元"] * 10)
        page = app.until("/prepare", "prepare")
        assert page.h1 == "1 finding: 0 accepted, 1 wait for you"
        assert "Accepted for 40 cells, fits 20 now" in page["find-1"].text
        page = decide(app, page, "1", "accept")
        assert page.h1 == "1 finding: 1 accepted, all are decided"


def test_nothing_to_put_right(tmp_path):
    (tmp_path / "plain.csv").write_text("sex;age\n" + "f;30\nm;40\n" * 10 + "f;50\n")
    with inside(tmp_path, tmp_path / "plain.csv") as app:
        page = app.until("/prepare", "prepare")
        assert "repeated" not in page.h1
        assert "shut" not in page.markup.ids


@pytest.mark.parametrize("sent", [{"what": "dates", "answer": "accept"}, {"answer": "perhaps"}])
def test_what_no_page_sends(tmp_path, sent):
    (tmp_path / "fees.csv").write_text("id;fee\n" + "".join(f"{i};1,{i:03}\n" for i in range(20)))
    with inside(tmp_path, tmp_path / "fees.csv") as app:
        page = app.until("/prepare", "prepare")
        fields = {"what": 'numbers "fee"', "answer": "accept", **sent}
        assert app.post("/prepare/1", revision=page.revision, **fields).status == 400
        assert app.post("/prepare/99", revision=page.revision, **fields).status == 404


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_every_screen_leads_to_the_step_that_cannot_read_a_cell(tmp_path, language):
    amounts = "".join(f"{i};{'Ann Lee' if i == 7 else 1000 + i}\n" for i in range(60)).replace(";1", ";1,")
    (tmp_path / "fees.csv").write_text("id;fee\n" + amounts)
    with inside(tmp_path, tmp_path / "fees.csv", language) as app:
        page = app.until("/prepare", "prepare")
        fields = {"what": 'numbers "fee"', "answer": "accept", "otherwise": "", "waited": "0"}
        app.post("/prepare/1", revision=page.revision, **fields)
        refused = app.until("/columns", "answer")
        assert [one.get("href") for one in refused["answer"].all("a")] == ["/prepare"]
        assert (refused.status, "Ann Lee" in refused.text) == (422, False)
        assert app.until("/hierarchies", "answer").h1 == refused.h1
        page = app.get("/prepare")
        app.post("/prepare/1", revision=page.revision, **{**fields, "otherwise": "missing"})
        assert app.until("/columns", "columns").status == 200
