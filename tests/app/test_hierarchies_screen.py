"""The screen of hierarchies: every way to build one is a rule of the library, and text in the policy."""

import csv
import tomllib

import pytest

import PETWorks as pw
from app.running import inside
from PETWorks.app.screens.hierarchies.column_hierarchies import TILES

SCHOOLS = ["none", "primary", "secondary", "college", "university"]
PEOPLE = {
    "age": [str(20 + number % 40) for number in range(200)] + ["unknown"] * 6 + ["secret"],
    "school": [SCHOOLS[number % 5] for number in range(204)] + ["rare one", "rare two", "rare two"],
    "sex": ["M", "F", "M"] * 69,
    "zip": [f"1{number % 30:04}" for number in range(207)],
    "birth": [f"19{50 + number % 40}-0{1 + number % 9}-1{number % 10}" for number in range(207)],
    "job": ["nurse", "clerk", "judge"] * 69,
}
QUASI = ["age", "school", "sex", "zip", "birth"]


@pytest.fixture
def app(tmp_path):
    with (tmp_path / "people.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(PEOPLE)
        writer.writerows(zip(*PEOPLE.values(), strict=True))
    with inside(tmp_path, tmp_path / "people.csv") as client:
        client.until("/columns", "columns")
        for number in range(1, 7):
            role = "quasi_identifier" if number < 6 else "sensitive_attribute"
            client.post(f"/columns/{number}", revision=client.get("/columns").revision, role=role)
        yield client


def rules(app):
    return tomllib.loads((app.running.session.folder / "policy.toml").read_text("utf-8")).get("hierarchies", {})


def build(app, number, builder, *fields, fragments=False, **named):
    revision = app.get("/columns").revision
    given = [("builder", builder), ("revision", revision), ("use", "1"), *fields]
    return app.post(f"/hierarchies/{number}", given, fragments=fragments, **named)


def test_it_begins_where_something_waits(app):
    assert app.get("/hierarchies").to == "/hierarchies/1"
    page = app.get("/hierarchies/1")
    assert page.h1 == "A suggestion waits for you in 4 of 5 columns"
    assert page["tile-intervals"].get("aria-current") == "true"
    assert rules(app) == {}
    assert page["door"].all("a")[1].get("href") == "/requirements"


def test_what_is_suggested_is_shown_before_it_is_taken_and_then_in_the_policy(app):
    suggested = pw.suggest_hierarchies(PEOPLE, quasi_identifiers=["zip"])["zip"].rule
    page = app.get("/hierarchies/4")
    assert "not in use" in page.text
    fields = [one.get("value") for one in page.markup.all("input") if one.get("name") == "prefixes"]
    assert fields == [*map(str, suggested.keep), ""]
    answer = build(app, 4, "prefixes", *[("prefixes", one) for one in fields], mask="*")
    page = app.follow(answer)
    assert rules(app) == {"zip": {**suggested.settings(), "mask": "*"}}
    assert "not in use" not in page.text
    assert page["tile-prefixes"].text.count("in use") == 1


def test_digits_are_hidden_from_either_side(app):
    build(app, 4, "prefixes", ("prefixes", "3"), ("keep_from", "right"), mask="")
    assert rules(app) == {"zip": {"prefixes": [3], "keep_from": "right"}}
    page = app.get("/hierarchies/4")
    chosen = [one.get("value") for one in page["f-keep_from"].all("option") if "selected" in one.attributes]
    assert chosen == ["right"]
    largest = pw.Hierarchy.prefixes("zip", [3], keep_from="right").build(PEOPLE["zip"]).coverage(PEOPLE["zip"])
    assert next(iter(largest.levels[1].largest)) in page["levels"].text
    build(app, 4, "prefixes", ("prefixes", "3"), ("keep_from", "left"), mask="")
    assert rules(app) == {"zip": {"prefixes": [3]}}  # what is usual is left out


def test_the_table_of_levels_has_the_figures_of_the_library(app):
    build(app, 4, "prefixes", ("prefixes", "3"), ("prefixes", "1"))
    page = app.get("/hierarchies/4")
    hierarchy = pw.Hierarchy.prefixes("zip", [3, 1]).build(PEOPLE["zip"])
    lines = [[cell.text for cell in row.parts if not isinstance(cell, str)] for row in page["levels"].all("tr")[1:]]
    for line, level in zip(lines, reversed(hierarchy.coverage(PEOPLE["zip"]).levels), strict=True):
        assert int(line[0]) == level.level
        assert int(line[2]) == level.groups
        assert line[3] == (str(level.smallest) if level.smallest >= 5 else "fewer than 5")
        columns = {**PEOPLE, "zip": [hierarchy.lift(cell, level.level) for cell in PEOPLE["zip"]]}
        classes = {}
        for row in zip(*(columns[name] for name in QUASI), strict=True):
            classes[row] = classes.get(row, 0) + 1
        assert int(line[4]) == sum(size for size in classes.values() if size < 5)


def test_values_without_a_place_are_counted_by_people_and_small_ones_not_named(app):
    page = app.follow(build(app, 1, "intervals", ("intervals", "10"), ("intervals", "20"), bottom="20", top="60"))
    assert page.h1 == "4 of 5 hierarchies are complete; age leaves out 2 values"
    assert "Not covered: 2 of 42 values, 7 people" in page["coverage"].text
    assert "unknown6" in page["coverage"].text
    assert "secret" not in page.text
    assert "1 further value, 1 person, not shown." in page["coverage"].text
    assert "Opens when every value is covered: age" in page["door"].text
    page = app.follow(app.post("/hierarchies/1", revision=page.revision, fix="star"))
    assert page["door"].all("a")[1].get("href") == "/requirements"
    assert 'unknown_values = "generalised"' in (app.running.session.folder / "policy.toml").read_text("utf-8")
    page = app.follow(app.post("/hierarchies/1", revision=page.revision, fix="error"))
    assert "Opens when every value is covered" in page["door"].text


def test_what_is_wrong_stands_beside_its_field_and_nothing_changes(app):
    build(app, 1, "intervals", ("intervals", "10"))
    before = rules(app)
    page = build(app, 1, "intervals", ("intervals", "10"), ("intervals", "25"))
    assert page.status == 422
    assert "10 does not divide into 25: a value would have two parents" in page["wrong"].text
    assert [one.get("value") for one in page.markup.all("input") if one.get("name") == "intervals"] == ["10", "25", ""]
    assert page["f-intervals-1"].get("aria-invalid") == "true"
    assert page["f-intervals-1"].get("aria-describedby") == "wrong"
    page = build(app, 1, "intervals", ("intervals", "10"), bottom="50", top="20")
    assert page["f-top"].get("aria-invalid") == "true"
    page = build(app, 1, "intervals", ("intervals", "ten"), fragments=True)
    assert "split" in page.markup.ids
    assert "wrong" in page.markup.ids
    assert rules(app) == before


@pytest.mark.parametrize(
    ("number", "builder", "fields", "expected"),
    [
        (1, "quantiles", [("quantiles", "4"), ("quantiles", "2")], {"quantiles": [4, 2]}),
        (1, "intervals", [("intervals", "2.5"), ("bottom", "20")], {"intervals": ["2.5"], "bottom": 20}),
        (2, "rare_last", [("rare_last", "5%"), ("label", "small")], {"rare_last": ["5%"], "label": "small"}),
        (2, "ordered", [("ordered", "\n".join(SCHOOLS)), ("sizes", "2, 3")], {"ordered": SCHOOLS, "sizes": [[2, 3]]}),
        (5, "dates", [("dates", "decade"), ("dates", "year")], {"dates": ["year", "decade"]}),
    ],
)
def test_every_builder_writes_its_rule(app, number, builder, fields, expected):
    page = app.follow(build(app, number, builder, *fields))
    assert [*rules(app).values()] == [expected]
    assert f"hierarchy of {QUASI[number - 1]}" in page["dock"].text


def test_fields_are_tried_before_they_are_taken(app):
    page = app.post("/hierarchies/1", builder="quantiles", quantiles="4", revision=app.get("/columns").revision)
    assert page.status == 200
    assert "not in use" in page.text
    assert rules(app) == {}


def test_a_builder_that_does_not_fit_says_why(app):
    page = app.get("/hierarchies/3?builder=dates")
    assert "make no hierarchy of this column" in page.text
    assert "none of its values is a date" in page.text
    assert "not in use" not in page.text


def test_a_column_may_do_without(app):
    build(app, 4, "prefixes", ("prefixes", "3"))
    page = app.follow(build(app, 4, "none"))
    assert rules(app) == {}
    assert page["tile-none"].text.count("in use") == 1
    assert page["tile-none"].get("aria-current") == "true"


def test_groups_by_hand(app):
    page = app.get("/hierarchies/2?builder=parents")
    number = {row.text: row.first("input").get("value") for row in page["builder"].all("label") if row.all("bdi")}
    assert {*number} == {*SCHOOLS}
    assert "2 values of fewer than five people, 3 people in all, not shown." in page.text
    low = [("value", number["none"]), ("value", number["primary"]), ("action", "new"), ("new", "basic")]
    page = app.follow(build(app, 2, "parents", *low))
    assert rules(app) == {"school": {"parents": {"none": "basic", "primary": "basic"}}}
    assert page["group-0"].get("value") == "basic"
    assert "2 values · 82 people" in page["builder"].text
    high = [("value", number[one]) for one in SCHOOLS[2:]] + [("action", "new"), ("new", "higher")]
    build(app, 2, "parents", *high)
    page = app.follow(build(app, 2, "parents", ("node", "0"), ("node", "1"), ("action", "new"), ("new", "school")))
    assert rules(app)["school"]["parents"] == {
        **dict.fromkeys(SCHOOLS[:2], "basic"),
        **dict.fromkeys(SCHOOLS[2:], "higher"),
        "basic": "school",
        "higher": "school",
    }
    page = app.follow(build(app, 2, "parents", ("action", "rename"), ("group-0", "compulsory")))
    assert rules(app)["school"]["parents"]["none"] == "compulsory"
    assert rules(app)["school"]["parents"]["compulsory"] == "school"
    page = app.follow(build(app, 2, "parents", ("value", number["college"]), ("action", "out")))
    assert "college" not in rules(app)["school"]["parents"]
    assert page["builder"].text.count("in no group") == 1
    build(app, 2, "parents", ("value", number["college"]), ("to", "1"), ("action", "put"))
    assert rules(app)["school"]["parents"]["college"] == "higher"
    build(app, 2, "parents", *[("value", one) for one in number.values()], ("action", "out"))
    assert rules(app) == {}


def test_values_that_are_left_become_a_group(app):
    page = app.get("/hierarchies/2?builder=parents")
    number = {row.text: row.first("input").get("value") for row in page["builder"].all("label") if row.all("bdi")}
    build(app, 2, "parents", ("value", number["none"]), ("action", "new"), ("new", "basic"))
    page = app.get("/hierarchies/2")
    assert page["fix-rest"].text == "Put 4 values into a group “other”"
    app.post("/hierarchies/2", revision=page.revision, fix="rest")
    assert rules(app)["school"]["parents"] == {"none": "basic", **dict.fromkeys(sorted(SCHOOLS[1:]), "other")}
    assert "rare" not in (app.running.session.folder / "policy.toml").read_text("utf-8")


def test_values_that_are_left_go_to_the_end_of_the_order(app):
    build(app, 2, "ordered", ("ordered", "primary\nsecondary"), ("sizes", "2"))
    page = app.get("/hierarchies/2")
    app.post("/hierarchies/2", revision=page.revision, fix="end")
    assert {*rules(app)["school"]["ordered"]} == {*SCHOOLS}
    assert app.get("/hierarchies/2").h1.endswith("school leaves out 2 values")


def test_groups_that_are_in_use_are_gone_on_with_by_hand(app):
    build(app, 2, "ordered", ("ordered", "\n".join([*SCHOOLS, "rare one"])), ("sizes", "2"), ("sizes", "4"))
    page = app.get("/hierarchies/2?builder=parents")
    assert page["copy"].text == "Start from the groups that are in use"
    page = app.follow(app.post("/hierarchies/2", revision=page.revision, builder="parents", fix="copy"))
    assert page["tile-parents"].text.count("in use") == 1
    parents = rules(app)["school"]["parents"]
    assert parents["none"] == "none - primary"
    assert parents["none - primary"] == "none - college"
    assert parents["university"] == "university - …"
    assert "rare" not in page["split"].text.replace("Rare", "")
    hierarchy = pw.Hierarchy.ordered("school", SCHOOLS, [2, 4]).build(SCHOOLS)
    by_hand = pw.Hierarchy.parents("school", {node: group for node, group in parents.items() if "…" not in group})
    for value in SCHOOLS[:4]:
        assert [by_hand.build(SCHOOLS).lift(value, level) for level in range(4)] == [
            hierarchy.lift(value, level) for level in range(4)
        ]


def test_nothing_selected_and_no_name(app):
    page = build(app, 2, "parents", ("action", "new"), ("new", "basic"))
    assert page.status == 422
    assert page["wrong"].text == "Select values or groups first."
    page = build(app, 2, "parents", ("value", "1"), ("action", "new"), ("new", " "))
    assert page["wrong"].text == "Say how the group is called."
    assert rules(app) == {}


def test_a_group_cannot_hold_itself(app):
    build(app, 2, "parents", ("value", "0"), ("action", "new"), ("new", "basic"))
    build(app, 2, "parents", ("node", "0"), ("action", "new"), ("new", "all"))
    before = rules(app)
    page = build(app, 2, "parents", ("node", "1"), ("to", "0"), ("action", "put"))
    assert page.status == 422
    assert "is its own ancestor" in page["wrong"].text
    assert rules(app) == before


def test_small_values_are_shown_when_that_is_asked_for_and_until_the_page_is_left(app):
    assert "rare one" not in app.get("/hierarchies/2?builder=parents").text
    answer = app.post("/show-small", back="/hierarchies/2", revision=app.get("/columns").revision)
    page = app.get(answer.to + "&builder=parents")
    assert "rare one" in page.text
    assert "rare two" in page.text
    assert "rare one" not in app.get("/hierarchies/2?builder=parents").text
    assert "frame_small" in (app.running.session.folder / "journal.jsonl").read_text("utf-8")


def test_an_order_keeps_the_places_of_values_that_are_not_shown(app):
    app.post("/columns/1", revision=app.get("/columns").revision, role="quasi_identifier")
    build(
        app,
        2,
        "ordered",
        ("ordered", "none\nrare one\nprimary\nsecondary\ncollege\nuniversity\nrare two"),
        ("sizes", "2"),
    )
    page = app.get("/hierarchies/2")
    assert page["f-ordered"].text.split() == ["none", "‹1›", "primary", "secondary", "college", "university", "‹2›"]
    assert "rare" not in page["split"].text
    build(app, 2, "ordered", ("ordered", page["f-ordered"].text.replace(" ", "\n")), ("sizes", "3"))
    assert rules(app)["school"]["ordered"] == ["none", "rare one", *SCHOOLS[1:], "rare two"]
    page = build(app, 2, "ordered", ("ordered", "none\n‹1›\n‹1›"), ("sizes", "2"))
    assert 'values are listed twice: "‹1›"' in page["wrong"].text
    assert "rare" not in page["split"].text


def test_a_hierarchy_from_a_file_of_the_project(app):
    folder = app.running.session.folder
    (folder / "sex.csv").write_text("M;*\nF;*\n")
    page = app.get("/hierarchies/3?builder=file")
    assert [one.get("value") for one in page["files"].all("option")] == ["sex.csv"]
    app.follow(build(app, 3, "file", file="sex.csv"))
    assert rules(app) == {"sex": {"file": "sex.csv"}}
    (folder / "bad.csv").write_text("M;a;*\nM;b;*\n")
    page = build(app, 3, "file", file="bad.csv")
    assert "a value of level 0 has another parent here than in row 1" in page["wrong"].text
    for outside in ("/etc/passwd", "../../../../etc/passwd", "missing.csv"):
        assert build(app, 3, "file", file=outside).status == 422
    assert rules(app) == {"sex": {"file": "sex.csv"}}


def test_a_file_of_the_folder_of_hierarchies_can_be_replaced(app, tmp_path):
    folder = app.running.session.folder
    (folder / "trees").mkdir()
    (folder / "trees" / "x_hierarchy_sex.csv").write_text("M;*\nF;*\n")
    (folder / "trees" / "x_hierarchy_zip.csv").write_text("".join(f"1{number:04};*\n" for number in range(30)))
    session, revision = app.running.session, app.get("/columns").revision
    from PETWorks.app.project.draft import Change

    session.project.apply(
        revision, Change("open_table", table="x"), draft := session.draft.with_data(hierarchies="trees"), draft.text()
    )
    assert "from a file" in app.get("/hierarchies/3").text
    build(app, 4, "prefixes", ("prefixes", "3"))
    assert rules(app) == {"sex": {"file": "trees/x_hierarchy_sex.csv"}, "zip": {"prefixes": [3]}}
    assert "hierarchies" not in tomllib.loads((folder / "policy.toml").read_text("utf-8"))["data"]


def test_a_rule_of_the_policy_that_cannot_be_built_is_told(app):
    from PETWorks.app.project.draft import Change

    session = app.running.session
    draft = session.draft.with_rule("sex", {"intervals": [5]})
    session.project.apply(app.get("/columns").revision, Change("open_table", table="x"), draft, draft.text())
    page = app.get("/hierarchies/3")
    assert page.h1 == "4 of 5 hierarchies are complete; that of sex cannot be built"
    assert "none of its values is a number" in page.text


def test_the_commands_of_the_library_read_what_was_written(app):
    build(app, 1, "intervals", ("intervals", "10"), bottom="20", top="60")
    app.post("/hierarchies/1", revision=app.get("/columns").revision, fix="star")
    build(app, 5, "dates", ("dates", "year"), ("dates", "decade"))
    from PETWorks.policy.policy import read_original

    session = app.running.session
    release = read_original(session.draft.content, session.folder, {})[0]
    assert release.roles.quasi_identifiers == tuple(QUASI)


@pytest.mark.parametrize("number", [0, 6, 99])
def test_only_quasi_identifiers_have_a_page(app, number):
    assert app.get(f"/hierarchies/{number}").status == 404


def test_the_borders_of_equal_shares_are_not_told_if_few_people_have_them(tmp_path):
    ages = ["10"] * 10 + ["20"] * 3 + ["21"] * 7 + ["30"] * 10
    (tmp_path / "ages.csv").write_text("age\n" + "\n".join(ages) + "\n")
    with inside(tmp_path, tmp_path / "ages.csv") as app:
        app.until("/columns", "columns")
        app.post("/columns/1", revision=app.get("/columns").revision, role="quasi_identifier")
        page = app.follow(build(app, 1, "quantiles", ("quantiles", "3")))
        assert [*pw.Hierarchy.quantiles("age", 3).build(ages).levels[1].values] == ["<20", "20-29", ">=30"]
        assert "20" not in page["levels"].text
        assert ">=30" in page["levels"].text


def test_no_quasi_identifier(tmp_path):
    (tmp_path / "one.csv").write_text("x,y\n" + "a,b\n" * 9)
    with inside(tmp_path, tmp_path / "one.csv") as app:
        app.until("/columns", "columns")
        assert app.get("/hierarchies").h1 == "No column is a quasi-identifier yet"


@pytest.mark.parametrize("builder", ["ordered", "parents", "rare_last", "file"])
def test_ten_thousand_values_still_fit_on_a_page(tmp_path, builder):
    lines = [f"value number {number % 3000},{number % 7}" for number in range(18_000)]
    (tmp_path / "many.csv").write_text("\n".join(["job,x", *lines]))
    with inside(tmp_path, tmp_path / "many.csv") as app:
        app.until("/columns", "columns")
        app.post("/columns/1", revision=app.get("/columns").revision, role="quasi_identifier")
        assert app.get(f"/hierarchies/1?builder={builder}").status == 200  # the validator knows the largest page
        assert app.get(f"/hierarchies/1?builder={builder}&part=3").status == 200


COMMON = ["hazel", "rowan", "aspen", "cedar", "larch", "maple"]
RARE = {"yew": 1, "sloe": 2, "elder": 3, "holly": 4}


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_no_page_names_a_value_of_few_people(tmp_path, language):
    """Whatever builder is looked at, tried or taken, only values of five people or more can be read."""
    trees = [tree for tree in COMMON for _ in range(9)] + [tree for tree, many in RARE.items() for _ in range(many)]
    lines = [f"{tree},{'ab'[place % 2]}" for place, tree in enumerate(trees)]
    (tmp_path / "trees.csv").write_text("\n".join(["tree,other", *lines]) + "\n", encoding="utf-8")
    orders = [("ordered", "\n".join([*COMMON, *RARE])), ("sizes", "3")]
    parents = [("value", str(number)) for number in range(len(COMMON) + len(RARE))]
    tries = {
        "ordered": orders,
        "prefixes": [("prefixes", "3"), ("prefixes", "1")],
        "rare_last": [("rare_last", "5%"), ("label", "others")],
        "parents": [*parents, ("action", "new"), ("new", "wood")],
        "none": [],
    }
    with inside(tmp_path, tmp_path / "trees.csv", language) as app:
        pages = [app.until("/columns", "columns")]
        app.post("/columns/1", revision=app.get("/columns").revision, role="quasi_identifier")
        pages += [app.get(f"/hierarchies/1?builder={builder}") for builder in TILES]
        for builder, fields in tries.items():
            given = [("builder", builder), ("revision", app.get("/columns").revision), *fields]
            pages.append(app.post("/hierarchies/1", [*given, ("use", "1")], fragments=True))
            pages += [app.get(f"/hierarchies/1?builder={one}") for one in ("", "parents", "ordered")]
        for page in pages:
            assert [tree for tree in RARE if tree in page.text] == [], page.path


def test_a_group_is_not_named_like_a_value_that_is_not_in_it(app):
    number = 1 + [*PEOPLE].index("school")
    page, schools = app.get(f"/hierarchies/{number}?builder=parents"), sorted(set(SCHOOLS))
    assert page.status == 200
    form = {"builder": "parents", "action": "new", "new": schools[2]}
    answer = app.post(
        f"/hierarchies/{number}", [("value", "0"), ("value", "1")], revision=app.get("/columns").revision, **form
    )
    assert "A value of the column has this name" in answer.text
    assert "school" not in rules(app)
    answer = app.post(
        f"/hierarchies/{number}", [("value", "0"), ("value", "2")], revision=app.get("/columns").revision, **form
    )
    assert "A value of the column has this name" not in app.get(f"/hierarchies/{number}").text


def test_what_is_wrong_is_told_without_python_and_without_the_path_of_the_project(app):
    text = build(app, 1, "intervals", ("intervals", "5"), ("intervals", "7"), ("bottom", "0"), ("top", "100")).text
    assert "does not divide into" in text
    assert "Hierarchy.intervals(" not in text
    text = build(app, 1, "file", ("file", "nope.csv")).text
    assert "nope.csv" in text
    assert str(app.running.session.folder) not in text
