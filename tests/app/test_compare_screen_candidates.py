"""The screen of candidates: what the library makes and compares, guarded, in both languages; one is chosen."""

import re

import pytest

import PETWorks as pw
from app.running import opening
from PETWorks import Policy
from PETWorks.anonymization.table import RawTable
from PETWorks.app.screens.compare import _list_labels
from PETWorks.policy.policy import compare_pinned, make_pinned
from support.process import petworks
from support.written import PINS, policy_of, project

LOCAL = '[[anonymize.pinned]]\nname = "mixed"\nrecoding = "local"\nlevels = {}\n'
HOPELESS = '[[anonymize.pinned]]\nname = "as it is"\nlevels = { age = 0, sex = 0 }\n'


@pytest.fixture
def started(tmp_path):
    with opening(tmp_path) as opened:
        yield lambda more=PINS, language="en": opened(project(tmp_path, more), language)


def settled(app):
    """Return the page when the candidates are made."""
    return app.settled("/compare", "compared")


def send(app, path, **fields):
    return app.post(f"/compare{path}", revision=settled(app).revision, **fields)


def rows_of(page):
    """Return the lines of the table by their label, each with the texts of its cells."""
    found = {}
    for row in page.markup.first("table").all("tr"):
        heads, cells = row.all("th"), row.all("td")
        if heads and cells and heads[0].get("scope") == "row":
            found[heads[0].text] = [cell.text for cell in cells]
    return found


def test_nothing_to_compare(started):
    page = started("").get("/compare")
    assert page.h1 == "Nothing to compare yet"
    assert any(one.get("href") == "/explore" for one in page.markup.all("a"))


def test_one_candidate_is_not_enough(started):
    page = started(PINS.partition('[[anonymize.pinned]]\nname = "B"')[0]).get("/compare")
    assert page.h1 == "One candidate is pinned; it takes two to compare"


def test_the_table_tells_what_the_library_compares(started, tmp_path):
    page = settled(started())
    recipe = Policy(tmp_path / "policy.toml", purpose="anonymize")
    found = compare_pinned(recipe, [make_pinned(recipe, one) for one in recipe.pinned])
    text = found.text()
    assert page.h1 == text.splitlines()[0]
    lines = rows_of(page)
    k = next(cells for label, cells in lines.items() if label.startswith("k-anonymity"))
    sizes = [one["k-anonymity"].value for one in found.evaluations]
    assert [int(re.findall(r"\d+", cell)[0]) for cell in k] == sizes
    granular = next(cells for label, cells in lines.items() if label.startswith("granularity"))
    assert all(f"{one['granularity'].value:.4f}" in cell for one, cell in zip(found.evaluations, granular, strict=True))
    assert sum("best" in cell for cell in granular) == 1


def test_the_command_compares_the_same_candidates(started, tmp_path):
    page = settled(started())
    done = petworks("compare", "--policy", "policy.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, page.h1)
    refused = petworks("compare", "--policy", "policy.toml", "--name", "A", cwd=tmp_path)
    assert (refused.returncode, "--name names tables" in refused.stderr) == (2, True)


def test_no_line_adds_anything_up(started):
    page = settled(started())
    assert not re.search(r"\b(total|overall|score of)\b", page.markup.first("table").text, re.IGNORECASE)


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_each_language_is_alone_on_the_page(started, language):
    page = settled(started(PINS + LOCAL, language))
    other = "zh-Hant-TW" if language == "en" else "en"
    spans = [one for one in page.markup.first("main").walk() if one.get("lang") == other]
    assert spans == []
    han = re.search("[\u4e00-\u9fff]", page.markup.first("main").text)
    assert bool(han) is (language == "zh_TW")


def test_only_what_differs_needs_no_script(started):
    page = settled(started())
    box = page["only-differences"]
    assert (box.tag, box.get("type")) == ("input", "checkbox")
    assert "same" in {row.get("class") for row in page.markup.all("tr")}


def test_a_candidate_is_chosen_and_becomes_text(started, tmp_path):
    app = started()
    page = app.follow(send(app, "/2/choose"))
    assert policy_of(tmp_path)["anonymize"]["levels"] == {"age": 1, "sex": 1}
    heads = [one for one in page.markup.all("th") if one.get("class") == "chosen"]
    assert len(heads) == 1
    assert "B is chosen" in heads[0].text
    assert any(one.get("href") == "/release" and "Release B" in one.text for one in page.markup.all("a"))
    assert petworks("anonymize", "policy.toml", "--dry-run", cwd=tmp_path).returncode == 0


def test_bounds_that_a_choice_does_not_keep_are_dropped(started, tmp_path):
    app = started("coarsest = { age = 1, sex = 0 }\n" + PINS)
    send(app, "/1/choose")
    assert policy_of(tmp_path)["anonymize"]["coarsest"] == {"sex": 0}
    Policy(tmp_path / "policy.toml", purpose="anonymize")  # which would refuse levels beyond their bounds


def test_local_recoding_is_chosen_without_levels(started, tmp_path):
    app = started("[anonymize.levels]\nage = 1\nsex = 1\n" + PINS + LOCAL)
    send(app, "/3/choose")
    making = policy_of(tmp_path)["anonymize"]
    assert (making["recoding"], "levels" in making) == ("local", False)
    send(app, "/1/choose")
    making = policy_of(tmp_path)["anonymize"]
    assert ("recoding" in making, making["levels"]) == (False, {"age": 2, "sex": 0})


def test_a_candidate_that_cannot_be_made_is_told_and_unpinned(started, tmp_path):
    app = started(PINS + HOPELESS)
    page = settled(app)
    assert "as it is cannot be made as the policy is now" in page["compared"].text
    assert "no level vector meets the goals" in page["compared"].text
    page = app.follow(send(app, "/3/remove"))
    assert [one["name"] for one in policy_of(tmp_path)["anonymize"]["pinned"]] == ["A", "B"]
    assert "cannot be made" not in page["compared"].text


def test_what_stands_in_the_way_is_told(started):
    app = started(PINS)
    asked = {"template": "wp216", "reason": "as the board decided"}
    app.post("/requirements/template", revision=app.get("/requirements").revision, **asked)
    page = settled(app)
    assert page.h1 == "The candidates cannot be made yet"
    assert 'k is still "fill in"' in page["compared"].text


def test_shares_are_told_only_where_nobody_can_be_worked_out(started, tmp_path):
    """A share beside a count tells how many rows of a value were suppressed: never 1 to 4."""
    page = settled(started())
    lines = (tmp_path / "people.csv").read_text("utf-8").splitlines()[1:]
    before = {sex: sum(line.split(",")[2] == sex for line in lines) for sex in "fm"}
    (table,) = [one for one in page.markup.all("table") if one.text.startswith("A sex")]
    shares = [row for row in table.all("tr") if "%" in row.text]
    for row in shares:
        sex, after = row.all("th")[0].text, int(row.all("td")[1].text)
        assert before[sex] - after == 0 or before[sex] - after >= 5


def test_numbers_of_candidates_that_are_not_there(started):
    app = started()
    assert send(app, "/3/choose").status == 400
    assert send(app, "/0/remove").status == 400
    assert app.post("/compare/1/choose", revision="1.0").status == 409


def test_names_of_candidates_are_escaped(started):
    app = started(PINS.replace('"B"', '"<b onclick=alert(1)>B"'))
    assert "<b onclick=alert(1)>B" in settled(app)["compared"].text


def test_a_level_that_does_nothing_or_all_says_so(started):
    pins = PINS.replace("{ age = 2, sex = 0 }", "{ age = 4, sex = 0 }").replace(
        "{ age = 1, sex = 1 }", "{ age = 2, sex = 0 }"
    )
    page = settled(started(pins))
    age, sex = (rows_of(page)[name] for name in ("age", "sex"))
    assert "completely" in age[0]
    assert re.search(r"level 2 of 4, as in \d+ ?[-–] ?\d+", age[1])
    assert all("as original" in one for one in sex)
    gone = next(one for one in page.markup.all("caption") if "age" in one.text)
    assert "compared at" not in gone.text


@pytest.mark.parametrize(("language", "said"), [("en", ", as in "), ("zh_TW", "，如 ")])
def test_a_level_is_named_by_a_label(started, language, said):
    page = settled(started(PINS, language))
    assert said in rows_of(page)["age"][0]


def test_only_labels_of_five_people_are_examples():
    ages = {"age": [(str(age), f"{age // 10}0s", "*") for age in range(20, 40)]}
    people = {"age": ["20", "21", "22", "23", "31", "32", "33", "34"], "who": [*"abcd", *"eeee"]}
    table = RawTable.of(pw.Release(people, original=people, hierarchies=ages, quasi_identifiers=["age"]).facts)
    assert _list_labels(table) == {"age": ["", "", "*"]}
    more = {name: [*cells, *cells[:1]] for name, cells in people.items()}
    table = RawTable.of(pw.Release(more, original=more, hierarchies=ages, quasi_identifiers=["age"]).facts)
    assert _list_labels(table) == {"age": ["", "20s", "*"]}
    table = RawTable.of(
        pw.Release(more, original=more, hierarchies=ages, quasi_identifiers=["age"], person="who").facts
    )
    assert _list_labels(table) == {"age": ["", "", "*"]}  # four people, one of whom has two rows
