"""Every screen in a real browser, in its states: axe, keyboard, narrow and wide, light and dark, motion, print."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread

import pytest

from app.running import Inside, process, trust_all
from PETWorks import demo
from PETWorks.app import session
from render.page.looks import violations
from support.window import LANGUAGES, Windows, mistakes, stops, windows

KNOWN = ("sex", "age", "race", "marital-status", "education", "native-country")
TABLE = '[data]\noriginal = "../adult.csv"\nreleased = "released.csv"\n[report]\nhtml = "report.html"\n'
ROLES = f'[roles]\nquasi_identifiers = {[*KNOWN]}\nsensitive = ["occupation"]\nthe_rest = "insensitive"\n'
ONE = "[hierarchies.age]\nintervals = [5, 10, 20]\nbottom = 0\ntop = 100\n"
FILES = "".join(f'[hierarchies.{name}]\nfile = "../{name}.csv"\n' for name in KNOWN if name != "age")
ASKED = '[[require]]\nmeasure = "k-anonymity"\nk = {k}\n[[require]]\nmeasure = "t-closeness"\nt = 0.5\n'
ALLOWED = '[anonymize]\nsuppress_at_most = "5%"\n'
FINE = dict(zip(KNOWN, (1, 2, 0, 1, 2, 2), strict=True))
COARSE = dict(zip(KNOWN, (0, 4, 1, 1, 3, 2), strict=True))


def levels(chosen: dict[str, int]) -> str:
    return "".join(f"{name} = {level}\n" for name, level in chosen.items())


def pins(*all_of_them: dict[str, int]) -> str:
    return "".join(
        f'[[anonymize.pinned]]\nname = "{"AB"[n]}"\n[anonymize.pinned.levels]\n{levels(one)}'
        for n, one in enumerate(all_of_them)
    )


PROJECTS = {
    "new": TABLE,
    "half": TABLE + f"[roles]\nquasi_identifiers = {[*KNOWN]}\n",
    "decided": TABLE + ROLES + FILES,
    "built": TABLE + ROLES + ONE + FILES,
    "asked": TABLE + ROLES + ONE + FILES + ASKED.format(k=5) + ALLOWED,
    "never": TABLE + ROLES + ONE + FILES + ASKED.format(k=30_000),
    "chosen": TABLE
    + ROLES
    + ONE
    + FILES
    + ASKED.format(k=5)
    + ALLOWED
    + f"[anonymize.levels]\n{levels(COARSE)}"
    + pins(COARSE, FINE),
}
STATES = {  # the project, the screen, and what is there when the state is reached; a project's states in a row
    "open, done": ("new", "/", "table.prev"),
    "columns, open": ("new", "/columns", "[data-row]"),
    "hierarchies, none": ("new", "/hierarchies", "#answer"),
    "columns, decided": ("decided", "/columns", "[data-row].confirmed"),
    "hierarchies, intervals": ("built", "/hierarchies/2", "#levels"),
    "hierarchies, by hand": ("built", "/hierarchies/5?builder=parents", "table.hand"),
    "requirements, empty": ("built", "/requirements", "#templates"),
    "explore, shut": ("built", "/explore", "#answer"),
    "release, shut": ("built", "/release", "#released"),
    "requirements, set": ("asked", "/requirements", ".rq .now .badge.fails"),
    "explore, done": ("asked", "/explore", "#search.proven:not([data-poll])"),
    "compare, none": ("asked", "/compare", "#compared"),
    "refused": ("asked", "/nothing", "h1"),
    "explore, never": ("never", "/explore", "#search.none"),
    "find, tried": ("chosen", "/find", ".adversaries"),
    "compare, two": ("chosen", "/compare", "table.compare"),
    "release, before": ("chosen", "/release", "[action$='/release/write']"),
    "text": ("chosen", "/text", "#text-python"),
}
BOTH = (
    "open, done",
    "columns, open",
    "hierarchies, intervals",
    "requirements, set",
    "explore, done",
    "find, tried",
    "compare, two",
)


def write_projects(folder: Path) -> None:
    """Write the table, its hierarchies, and a project for each stage of the way."""
    data = demo.find_data_folder()
    shutil.copy(data / "adult.csv", folder)
    for name in KNOWN:
        shutil.copy(data / "adult_hierarchy" / f"adult_hierarchy_{name}.csv", folder / f"{name}.csv")
    for name, text in PROJECTS.items():
        (folder / name).mkdir()
        (folder / name / "policy.toml").write_text(f"version = 1\n{text}".replace("'", '"'), encoding="utf-8")
        trust_all(folder / name)
    (folder / "broken.csv").write_text('a;b\n1;2\n"3;4\n5;6;7\n', encoding="utf-8")


@pytest.fixture(scope="module")
def shown(browser, tmp_path_factory) -> Iterator[Windows]:
    folder = tmp_path_factory.mktemp("looks")
    write_projects(folder)
    with process(cwd=folder) as app, windows(browser, app) as one:
        yield one


def at(shown: Windows, state: str, language: str = "en", **options):
    """Return a window that shows a state."""
    project, path, wanted = STATES[state]
    assert shown.app.post("/open", path=project).status == 303
    page = shown.open(path, language, **options)
    while not options.get("java_script_enabled", True) and not page.locator(wanted).count():
        page.wait_for_timeout(300)
        page.reload()  # without script, the reader looks again
    page.wait_for_selector(wanted, state="attached", timeout=30_000)
    return page


@pytest.mark.parametrize("state", STATES)
def test_a_state_of_a_screen(shown, state):
    """The most important ones in both languages, the others in one of them; axe looks at one."""
    first = ("en", "zh_TW")[len(state) % 2]
    for language in LANGUAGES if state in BOTH else (first,):
        page = at(shown, state, language)
        assert mistakes(page, layout_only=language != first) == []
        if language == "en":
            tags = page.evaluate("[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].map((one) => one.tagName)")
            assert tags[0] == "H1"
            assert all(int(after[1]) <= int(before[1]) + 1 for before, after in pairwise(tags)), tags
        else:
            reach_all(page)
        if state in BOTH:
            look_at_print(page)
        page.close()
    shown.check()


def reach_all(page) -> None:
    """Go through a page by Tab: each stop is seen, and what can be clicked is reached."""
    found = stops(page)
    assert [one for one in found if not (one["ring"] and one["seen"])] == []
    reached = {one["name"] for one in found}
    name = "(all) => all.map((one) => one.id || one.name || one.textContent.trim().slice(0, 40))"
    # dots of the plot are reached by its table
    clicked = "main button:visible:enabled, main a:visible:not([tabindex='-1']), #dock button:enabled"
    lacking = page.locator(clicked).evaluate_all(name)
    assert [one for one in lacking if one not in reached] == []


def look_at_print(page) -> None:
    """On paper there are no buttons, nothing is cut off, and the ground is white whatever the theme."""
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 688, "height": 900})  # A4 without its margins
    for gone in ("#dock", "#steps", "header .tools"):
        assert not page.locator(gone).is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_first_screen_without_a_project(browser, tmp_path):
    (tmp_path / "broken.csv").write_text('a;b\n1;2\n"3;4\n5;6;7\n', encoding="utf-8")
    with process(cwd=tmp_path) as app, windows(browser, app) as shown:
        for language in LANGUAGES:
            page = shown.open("/", language)
            assert mistakes(page) == []
            page.fill("#path", "broken.csv")
            with page.expect_navigation():
                page.press("#path", "Enter")
            page.wait_for_selector("#answer.fails, .problems")
            assert mistakes(page) == []
            page.close()


def test_busy_screens(browser, tmp_path, monkeypatch):
    """While a table is counted, each screen says so, and can be left."""
    write_projects(tmp_path)
    counted, survey = Event(), session.survey
    monkeypatch.setattr(session, "survey", lambda *given, **named: counted.wait(60) and survey(*given, **named))
    app = Inside(tmp_path, tmp_path / "asked")
    with windows(browser, app) as shown:
        page = shown.open("/")
        for path in ("/", "/columns"):
            page.goto(app.address + path)
            page.wait_for_selector("progress")
            assert mistakes(page) == []
        page.goto(f"{app.address}/requirements")  # the screen answers meanwhile
        page.goto(f"{app.address}/columns")
        counted.set()
        page.wait_for_selector("[data-row]")  # without a further click
    closing = Thread(target=app.close)  # where no loop of the browser's driver runs
    closing.start()
    closing.join()


def test_a_release_that_was_written(shown):
    page = at(shown, "release, before", "zh_TW")
    page.locator("[action$='/release/write'] button").click()
    page.wait_for_selector(".done-line", timeout=30_000)
    assert mistakes(page) == []
    look_at_print(page)
    page.close()
    other = shown.open("/release", "en")
    other.wait_for_selector(".done-line")
    assert mistakes(other) == []
    other.close()


@pytest.mark.parametrize(
    ("state", "field", "typed"),
    [
        ("requirements, set", "#requirement-1 .limits input", "0"),
        ("hierarchies, intervals", "#builder fieldset input", "7"),
        ("explore, done", ".menu input", "1.5"),
    ],
)
def test_a_field_that_is_wrong_says_why(shown, state, field, typed):
    page = at(shown, state)
    page.evaluate("document.querySelectorAll('main .menu').forEach((one) => { one.open = true; })")
    page.locator(field).first.fill(typed)
    page.keyboard.press("Tab")
    page.wait_for_selector("[aria-invalid=true]")
    assert page.locator("main .wrong").first.inner_text()
    assert mistakes(page) == []
    page.close()


def test_the_sheet_of_text_is_opened_and_closed_by_key(shown):
    page = at(shown, "release, before")
    page.keyboard.press("t")
    page.wait_for_selector("#sheet #text-policy")
    assert mistakes(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("#sheet", state="detached")
    assert page.evaluate("document.activeElement.id") == "as-text"
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.close()


def test_values_are_hidden_at_once(shown):
    """When somebody walks in: no cell of the table can be read until the key is pressed again."""
    page = at(shown, "columns, open")
    page.keyboard.press("h")
    assert page.evaluate("document.documentElement.classList.contains('veiled')")
    assert page.evaluate("getComputedStyle(document.getElementById('find-role')).color") != "rgba(0, 0, 0, 0)"
    page.goto(f"{shown.app.address}/")
    page.wait_for_selector("table.prev")
    assert page.evaluate("document.documentElement.classList.contains('veiled')")  # also on the next screen
    page.keyboard.press("h")
    page.close()


def test_words_are_read_aloud_after_a_change(shown):
    page = at(shown, "columns, open")
    title = page.inner_text("h1")
    with page.expect_response(lambda one: one.request.method == "POST"):
        page.locator("[data-row] [type=radio]").nth(3).check(force=True)
    page.wait_for_function("(title) => document.querySelector('h1').innerText !== title", arg=title)
    heard = "() => document.getElementById('live').textContent.includes(document.querySelector('h1').textContent)"
    page.wait_for_function(heard)
    with page.expect_response(lambda one: one.request.method == "POST"):
        page.keyboard.press("Control+z")
    page.close()


def test_a_dot_is_looked_at_by_click_or_key_and_chosen_after_that(shown):
    page = at(shown, "explore, done")
    page.wait_for_selector("#search:not([data-poll])")
    title, undone = page.inner_text("h1"), page.locator("#dock .last").inner_text()
    page.locator(".pa a[tabindex='-1']").last.click()  # the dot with the least risk
    page.wait_for_selector("#looked")
    first = page.url
    assert "?look=" in first
    page.keyboard.press("[")
    page.wait_for_function("(first) => location.href !== first", arg=first)
    page.locator("#across-suppressed").click()
    page.wait_for_selector("#across-suppressed[aria-current]")
    assert "x=suppressed&look=" in page.url
    assert mistakes(page) == []
    assert (page.inner_text("h1"), page.locator("#dock .last").inner_text()) == (title, undone)  # nothing is chosen
    page.keyboard.press("c")
    page.wait_for_selector("#looked", state="detached")
    page.wait_for_function("(title) => document.querySelector('h1').innerText !== title", arg=title)
    assert page.url.endswith("/explore?x=suppressed")
    box = page.locator(".pa").bounding_box()
    page.locator(".pa").click(position={"x": box["width"] * 0.8, "y": box["height"] * 0.5})  # into the cloud
    page.wait_for_selector("#looked")
    page.keyboard.press("Control+z")
    page.wait_for_function("(title) => document.querySelector('h1').innerText === title", arg=title)
    page.close()


def test_nothing_moves_for_who_asks_for_that(shown):
    page = at(shown, "explore, done", reduced_motion="reduce")
    moving = """() => [...document.querySelectorAll("*")].filter((one) => {
      const style = getComputedStyle(one);
      const seconds = (text) => Math.max(...text.split(",").map((part) => parseFloat(part)));
      const moves = style.animationName !== "none" && seconds(style.animationDuration) > 0.01;
      return moves || seconds(style.transitionDuration) > 0.01;
    }).map((one) => one.className)"""
    assert page.evaluate(moving) == []
    page.close()


def test_without_script_every_form_has_a_button(shown):
    """Each screen works by forms alone: what the script sends by itself has a button then."""
    for state in BOTH:
        page = at(shown, state, java_script_enabled=False)
        forms = page.locator("main :not(.cannot) > form[method=post]").all()
        named = {one.get_attribute("form") for one in page.locator("button[form]").all()}
        lacking = [
            one.get_attribute("action")
            for one in forms
            if not one.locator("button").count() and one.get_attribute("id") not in named
        ]
        assert lacking == []
        page.close()
