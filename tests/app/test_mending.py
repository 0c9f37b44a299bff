"""Where something is missing, buttons lead to the screens that decide about it; what is impossible is not offered."""

import pytest
from test_release_screen_written import settled

from app.running import opening
from support.written import POLICY, people, policy_of, project

L = '[[require]]\nmeasure = "l-diversity"\nl = 2\n'


def links(page):
    """Return where the buttons of the answer lead."""
    answer = next(one for one in page.markup.all("section") if one.get("class", "").startswith("answer"))
    return [one.get("href") for one in answer.all("a")]


@pytest.fixture
def started(tmp_path):
    def start(policy=POLICY, rows=None, language="en"):
        path = project(tmp_path, policy=policy)
        if rows:
            (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        return opened(path, language)

    with opening(tmp_path) as opened:
        yield start


@pytest.mark.parametrize(
    ("before", "after", "to"),
    [
        ('quasi_identifiers = ["age", "sex"]', 'the_rest = "insensitive"', ["/columns"]),
        ('sensitive = ["disease"]', 'the_rest = "insensitive"', ["/columns", "/requirements"]),
        ("intervals = [5, 10, 20]", "intervals = [5, 7]", ["/hierarchies"]),
        ("l = 2", "l = 0", ["/requirements"]),
        ('"people.csv"', '"nobody.csv"', ["/"]),
    ],
)
def test_explore_leads_to_what_is_missing(started, before, after, to):
    app = started(POLICY.replace(before, after))
    page = app.get("/explore")
    assert links(page) == to
    for address in to:
        assert app.get(address).status in (200, 303, 422)


@pytest.mark.parametrize("broken", ["gone", "ragged", "policy"])
def test_release_leads_to_open_where_the_table_cannot_be_read(started, tmp_path, broken):
    app = started(POLICY.replace('"people.csv"', '"nobody.csv"') if broken == "policy" else POLICY)
    if broken == "gone":
        settled(app)
        (tmp_path / "people.csv").unlink()
    elif broken == "ragged":
        with (tmp_path / "people.csv").open("a", encoding="utf-8") as file:
            file.write("a,b\n")
    page = settled(app)
    assert page.h1 == "Nothing can be written yet"
    assert links(page) == ["/"]
    for fragments in (False, True):
        refused = app.post("/release/write", revision=page.revision, fragments=fragments)
        assert links(refused) == ["/"]
    assert not (tmp_path / "released.csv").exists()


@pytest.mark.parametrize(("path", "tag"), [("/explore", "code"), ("/release", "code")])
def test_hiding_values_covers_what_is_wrong(started, path, tag):
    app = started(POLICY.replace("intervals = [5, 10, 20]", "intervals = [5, 7]"))
    told = app.get(path).markup.first(tag)
    assert "age" in told.first("bdi").text == told.text


def test_release_leads_to_a_column_without_a_role(started):
    app = started(POLICY.replace('insensitive = ["club"]\n', ""))
    assert links(settled(app)) == ["/columns"]


@pytest.fixture
def visits(started):
    def start(more="", k=2, language="en"):
        each = [",".join([f"C{number // 2:05}", *one[1:]]) for number, one in enumerate(people())]
        policy = POLICY.replace("[roles]", 'person = "id"\n[roles]').replace("l-diversity", "k-anonymity")
        policy = policy.replace("l = 2", f"k = {k}")
        return started(policy + more, ["id,age,sex,disease,club", *each], language)

    return start


@pytest.mark.parametrize(("language", "said"), [("en", "of 400 rows."), ("zh_TW", "整列遮蔽 400 列中的 ")])
def test_what_a_requirement_costs_is_counted_in_rows_where_these_are_suppressed(visits, language, said):
    app = visits("[anonymize.coarsest]\nage = 2\n", k=90, language=language)
    assert said in app.until("/explore", "blamed")["blamed"].text


def radios(page):
    return {one.get("value"): one for one in page.markup.all("input") if one.get("type") == "radio"}


def test_rows_of_people_who_have_several_are_neither_removed_nor_shuffled(visits, tmp_path):
    app = visits()
    page = settled(app)
    offered = radios(page)
    assert [name for name, one in offered.items() if "disabled" in one.attributes] == ["remove", "shuffled"]
    assert page.text.count("Not possible where people have several rows") == 2
    assert "suppressed_rows" not in policy_of(tmp_path)["anonymize"]


@pytest.mark.parametrize("more", ['suppressed_rows = "remove"\n', 'order = "shuffled"\nseed = 1\n'])
def test_a_policy_that_asks_for_it_is_told_before_anything_is_made_and_can_be_mended_here(visits, more, tmp_path):
    app = visits(more)
    page = settled(app)
    assert page.h1 == "Nothing can be written yet"
    assert "the person of each row is unknown" in page.text
    assert links(page) == []
    fields = {"name": "released", "form": "csv", "suppressed": "keep", "order": "original", "identifiers": "mark"}
    app.post("/release/settings", revision=page.revision, **fields)
    assert settled(app).h1 == "released.csv can be written"


def test_one_row_each_may_be_removed(started):
    app = started(POLICY.replace("[roles]", 'person = "id"\n[roles]'))
    app.until("/columns", "columns")
    assert not [one for one in radios(settled(app)).values() if "disabled" in one.attributes]
