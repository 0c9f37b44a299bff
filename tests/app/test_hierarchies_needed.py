"""Hierarchies of sensitive attributes that a requirement needs, and files that lie beside the table."""

import tomllib

import pytest

from app.running import inside, opening
from support.written import POLICY, project

T = '\n[[require]]\nmeasure = "t-closeness"\nt = 0.5\ndistance = "hierarchical"\n'
NEEDS = POLICY.replace("[anonymize]", f"{T}\n[anonymize]")
DISEASE = 4  # the number of the column


@pytest.fixture
def started(tmp_path):
    with opening(tmp_path) as opened:
        yield lambda policy=NEEDS, language="en": opened(project(tmp_path, policy=policy), language)


def send(app, path, **fields):
    return app.post(path, revision=app.until("/columns", "columns").revision, **fields)


def links(page):
    return [one.get("href") for one in page.markup.first("main").all("a")]


@pytest.mark.parametrize(("language", "said"), [("en", "disease has none, and needs one"), ("zh_TW", "disease 須有")])
def test_a_sensitive_attribute_that_a_requirement_needs_a_hierarchy_of_is_listed(started, language, said):
    app = started(language=language)
    app.until("/columns", "columns")
    shut = app.until("/explore", "answer")
    assert "/hierarchies" in links(shut)
    assert app.get("/hierarchies").to == f"/hierarchies/{DISEASE}"
    page = app.get(f"/hierarchies/{DISEASE}")
    assert said in page.h1
    assert "aria-disabled" not in page["door"].all("a")[1].attributes  # another distance would do, too


def test_with_it_the_way_goes_on_to_a_release(started, tmp_path):
    app = started()
    number = f"/hierarchies/{DISEASE}"
    app.until(number, "hierarchies")
    send(app, number, builder="parents", action="new", new="airways", value="0")
    send(app, number, builder="parents", action="new", new="others", value="1")
    page = send(app, number, builder="parents", action="put", to="1", value="2")
    rule = tomllib.loads((tmp_path / "policy.toml").read_text("utf-8"))["hierarchies"]["disease"]["parents"]
    assert sorted(rule) == ["asthma", "cold", "flu"]
    assert "complete" in app.follow(page).h1
    found = app.until("/explore", "strips")
    assert [one.text for one in found["strips"].all("legend")] == ["age", "sex"]
    assert "t-closeness" in found["figures"].text or found["answer"].get("class") != "fails"


def test_levels_of_sensitive_attributes_are_no_combinations(started):
    app = started(NEEDS.replace("[[require]]", "[hierarchies.disease]\nprefixes = [1]\n[[require]]", 1))
    assert "allow 10 combinations" in app.until(f"/hierarchies/{DISEASE}", "hierarchies")["answer"].text


def test_without_such_a_requirement_only_quasi_identifiers_are_listed(started):
    app = started(POLICY)
    app.until("/hierarchies/2", "hierarchies")
    assert app.get(f"/hierarchies/{DISEASE}").status == 404


@pytest.mark.parametrize("place", [".", "trees", "trees/of age"])
def test_files_beside_the_table_are_offered_and_used_with_a_click(tmp_path, place):
    project(tmp_path)
    (tmp_path / "policy.toml").unlink()
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    lines = [f"{age},{age // 10}0s,*" for age in range(20, 61)]
    (tmp_path / place / "people_hierarchy_age.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / place / "aaa.csv").write_text("x,*\n", encoding="utf-8")
    with inside(tmp_path, tmp_path / "people.csv") as app:
        app.until("/columns", "columns")
        send(app, "/columns/2", role="quasi_identifier")
        page = app.get("/hierarchies/2?builder=file")
        offered = [one.get("value") for one in page.markup.all("button") if one.get("name") == "chosen"]
        fitting = f"../{place}/people_hierarchy_age.csv".replace("/./", "/")
        assert offered[0] == fitting
        assert not [one for one in offered if one.endswith("people.csv")]
        send(app, "/hierarchies/2", builder="file", chosen=offered[0])
        page = app.get("/hierarchies/2")
        assert page["f-file"].get("value") == fitting
        assert "hierarchies are" in page.h1 or "complete" in page.h1
        assert "No CSV file" not in page.text
