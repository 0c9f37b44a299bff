"""Steps 2 and 3 in a real browser: by keyboard, with fields that answer at once, and without a script."""

import tomllib
from threading import Thread

import pytest

from app.running import Inside
from support.window import mistakes, windows

SCHOOLS = ["none", "primary", "secondary", "college", "university"]
ROWS = [f"{20 + number % 40},{SCHOOLS[number % 5]},{'MF'[number % 2]},{'abc'[number % 3]}" for number in range(240)]
ROWS += ["unknown,none,M,a"] * 6 + ["secret,rare,F,b"]
DECIDED = ".role-row.decided, .role-row.confirmed"


@pytest.fixture
def shown(browser, tmp_path):
    (tmp_path / "people.csv").write_text("\n".join(["age,school,sex,club", *ROWS]) + "\n", encoding="utf-8")
    app = Inside(tmp_path, tmp_path / "people.csv")
    try:
        with windows(browser, app) as one:
            app.until("/columns", "columns")
            yield one
    finally:
        ending = Thread(target=app.close)  # this thread has the loop of the browser
        ending.start()
        ending.join()


def decided(shown):
    for number, role in enumerate(["quasi_identifier"] * 3 + ["insensitive_attribute"], 1):
        shown.app.post(f"/columns/{number}", revision=shown.app.get("/columns").revision, role=role)


def policy(shown):
    return tomllib.loads((shown.app.running.session.folder / "policy.toml").read_text("utf-8"))


def answered(page, act):
    with page.expect_response(lambda one: one.request.method == "POST") as found:
        act()
    page.wait_for_timeout(50)  # the answer is put into the page
    return found.value.status


def click(number):
    """Return the script that makes a column a quasi-identifier: in one go, so that no answer comes in between."""
    return f"document.getElementById('role-{number}-2').click()"


def test_decisions_that_follow_at_once_are_all_taken(shown):
    """Each is sent with the state that the one before it brought, so that none is refused as an old one."""
    page = shown.open("/columns")
    for number in range(1, 5):
        page.evaluate(click(number))
    page.locator(DECIDED).nth(3).wait_for()
    assert sorted(policy(shown)["roles"]["quasi_identifiers"]) == ["age", "club", "school", "sex"]
    assert "changed" not in page.url


def test_an_answer_does_not_take_away_what_is_being_clicked(shown):
    """The answer to one decision replaces all rows; somebody has pressed the button on another, and not yet let go."""
    page = shown.open("/columns")
    page.locator("label:has(#role-3-2)").hover()
    with page.expect_response("**/columns/1"):
        page.evaluate(click(1))
        page.mouse.down()
    page.wait_for_timeout(100)
    page.mouse.up()
    page.locator(DECIDED).nth(1).wait_for()
    assert policy(shown)["roles"]["quasi_identifiers"] == ["age", "sex"]


def test_columns_are_decided_by_keys(shown):
    page = shown.open("/columns")
    page.focus("#row-1")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "row-2"
    assert answered(page, lambda: page.keyboard.press("3")) == 200
    assert page.evaluate("document.activeElement.id") == "row-2"
    assert page.get_attribute("#row-2", "class") == "role-row decided"
    page.keyboard.press("ArrowUp")
    assert answered(page, lambda: page.keyboard.press("Enter")) == 200
    assert page.get_attribute("#row-1", "class") == "role-row confirmed"
    assert page.evaluate("document.activeElement.id") == "row-2"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find-name"
    page.keyboard.type("2 1")  # in a field, keys are text
    assert page.input_value("#find-name") == "2 1"
    assert policy(shown)["roles"] == {"quasi_identifiers": ["age"], "sensitive": ["school"]}


def test_fields_answer_at_once_and_keep_the_focus(shown):
    decided(shown)
    page = shown.open("/hierarchies/1")
    assert answered(page, lambda: page.click("#use")) == 200
    assert policy(shown)["hierarchies"]["age"]["intervals"][0] == 2
    before = policy(shown)
    page.fill("#f-intervals-2", "7")
    assert answered(page, lambda: page.keyboard.press("Tab")) == 200
    assert "does not divide into 7" in page.inner_text("#wrong")
    assert page.evaluate("document.activeElement.id") == "f-intervals-3"
    assert page.input_value("#f-intervals-2") == "7"
    assert policy(shown) == before
    page.fill("#f-intervals-2", "4")
    page.fill("#f-intervals-3", "")
    assert answered(page, lambda: page.keyboard.press("Tab")) == 200
    assert page.locator("#wrong").count() == 0
    assert "leaves out 2 values" in page.inner_text("h1")
    assert "secret" not in page.content()
    assert answered(page, lambda: page.click("#fix-star")) == 200
    assert page.get_attribute("#door .primary", "href").endswith("/requirements")


def test_groups_are_made_by_keyboard_alone(shown):
    decided(shown)
    page = shown.open("/hierarchies/2?builder=parents")
    for value in ("none", "primary"):
        page.get_by_label(value, exact=True).focus()
        page.keyboard.press("Space")
    page.keyboard.press("g")
    assert page.evaluate("document.activeElement.id") == "put-new"
    page.keyboard.type("basic")
    assert answered(page, lambda: page.keyboard.press("Enter")) == 200
    page.get_by_label("college", exact=True).focus()
    page.keyboard.press("Space")
    page.keyboard.press("g")
    page.keyboard.type("higher")
    assert answered(page, lambda: page.keyboard.press("Enter")) == 200  # a new group, not the one that is first
    page.focus("#group-0")
    page.keyboard.press("Control+a")
    page.keyboard.type("compulsory")
    assert answered(page, lambda: page.keyboard.press("Enter")) == 200
    assert page.input_value("#group-0") == "compulsory"
    grouped = {"none": "compulsory", "primary": "compulsory", "college": "higher"}
    assert policy(shown)["hierarchies"] == {"school": {"parents": grouped}}
    assert "1 value of fewer than five people, 1 person in all, not shown." in page.inner_text("#split")


def test_values_are_selected_on_and_groups_renamed_by_keys(shown):
    decided(shown)
    page = shown.open("/hierarchies/2?builder=parents")
    boxes = page.locator("[name=value]")
    boxes.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    assert [one.is_checked() for one in boxes.all()] == [False, True, True, True, False]
    assert page.evaluate("document.activeElement.id") == boxes.nth(3).get_attribute("id")
    page.keyboard.press("F2")  # it is in no group
    assert page.evaluate("document.activeElement.id") == boxes.nth(3).get_attribute("id")
    page.keyboard.press("g")
    page.keyboard.type("some")
    assert answered(page, lambda: page.keyboard.press("Enter")) == 200
    boxes.last.focus()
    page.keyboard.press("F2")
    assert page.evaluate("document.activeElement.id") == "group-0"
    page.keyboard.type("few")
    assert answered(page, lambda: page.keyboard.press("Enter")) == 200
    assert {*policy(shown)["hierarchies"]["school"]["parents"].values()} == {"few"}


def test_all_works_without_a_script(shown):
    page = shown.open("/columns", java_script_enabled=False)
    page.check("#role-4-4", force=True)
    page.click("#row-4 .act button")
    assert page.get_attribute("#row-4", "class") == "role-row decided"
    for number in (1, 2):
        page.click(f"#confirm-{number}")
    page.click("#confirm-3")
    assert page.inner_text("h1") == "All 4 columns are decided"
    page.check("#person-rows")
    page.click("#person-take")  # the reason is asked for
    page.fill("#person-why", "one row for each")
    page.click("#person-take")
    page.click("#door .primary")
    page.click("#use")
    assert "leaves out" in page.inner_text("h1")
    page.fill("#f-intervals-1", "0")
    page.click("#builder .actions button")
    assert "a width must be more than 0" in page.inner_text("#wrong")
    page.click("#fix-star")
    page.click("#tile-none")
    page.click("#builder button")
    assert "hierarchies" not in policy(shown)


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_every_builder_looks_right(shown, language):
    decided(shown)
    for address in (
        "/columns?reason=nothing",
        "/hierarchies/1?builder=dates",
        "/hierarchies/1?builder=quantiles",
        "/hierarchies/1?builder=file",
        "/hierarchies/2?builder=ordered",
        "/hierarchies/2?builder=rare_last",
        "/hierarchies/2?builder=none",
        "/hierarchies/3?builder=places",
    ):
        page = shown.open(address, language)
        assert mistakes(page, layout_only=language != "zh_TW") == []
        page.close()


def test_what_is_wrong_looks_right(shown):
    decided(shown)
    page = shown.open("/hierarchies/1?builder=intervals")
    page.fill("#f-intervals-2", "7")
    page.click("#use")
    page.wait_for_selector("#wrong")
    assert mistakes(page) == []
