"""The frame in a real browser: keys, focus, the text sheet, hiding values, other windows, an app that has stopped."""

from __future__ import annotations

import re

import pytest

from app.running import Process

TABLE = "id;age;sex\n" + "".join(f"P{row:05};{20 + row % 4};{'MF'[row % 2]}\n" for row in range(60))


@pytest.fixture
def app(tmp_path):
    (tmp_path / "people.csv").write_text(TABLE)
    one = Process("people.csv", cwd=tmp_path, enter=False)
    yield one
    one.process.kill()
    one.process.communicate()


@pytest.fixture
def page(app, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    one = context.new_page()
    one.set_default_timeout(20_000)
    told: list[str] = []
    one.on("pageerror", lambda error: told.append(str(error)))
    one.on("console", lambda line: told.append(line.text) if "Content Security Policy" in line.text else None)
    one.on("request", lambda sent: told.append(sent.url) if not sent.url.startswith(app.origin) else None)
    one.goto(app.url)
    one.wait_for_selector("#content")
    yield one
    assert told == [], "no error, nothing that the security policy forbids, no request elsewhere"
    context.close()


def encoded(page, encoding: str) -> None:
    """Change the encoding, and wait for the page that follows."""
    page.click("#change-encoding summary")
    page.select_option("#change-encoding select", encoding)
    page.click("#change-encoding button")
    read_as(page, encoding)


def read_as(page, encoding: str) -> None:
    """Wait until the page tells this encoding. (Playwright's wait_for_function is refused by the security policy.)"""
    page.locator(".found dd > code", has_text=re.compile(encoding.upper())).wait_for()
    page.wait_for_selector("html.scripted")


def test_the_token_leaves_the_address(app, page):
    assert page.url == f"{app.address}/"
    assert page.title() == "PETWorks: Open"
    assert page.evaluate("document.cookie") == "", "scripts cannot read the cookie"


def test_undo_and_redo_by_keys(page):
    encoded(page, "cp950")
    page.keyboard.press("Control+z")
    read_as(page, "UTF-8")
    page.keyboard.press("Control+Shift+z")
    read_as(page, "CP950")
    assert page.inner_text("#dock .last") == "Last: encoding cp950"


def test_a_field_keeps_its_own_keys(page):
    encoded(page, "cp950")
    page.fill("#path", "th?")
    page.press("#path", "t")
    page.press("#path", "Control+z")
    assert page.query_selector("#sheet") is None
    assert "CP950" in page.inner_text(".found")


def test_the_text_sheet(page):
    encoded(page, "cp950")
    page.keyboard.press("t")
    page.wait_for_selector("#text-policy mark")
    assert page.inner_text("#text-policy mark") == 'encoding = "cp950"'
    page.wait_for_selector("#sheet:focus")
    page.keyboard.press("Escape")
    assert page.query_selector("#sheet") is None
    assert page.evaluate("document.activeElement.id") == "as-text"
    page.click("#as-text")
    page.wait_for_selector("#text-python")
    assert page.get_attribute("#as-text", "aria-expanded") == "true"


def test_single_letters_can_be_switched_off(page):
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    page.uncheck("[data-keys]")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("t")
    page.keyboard.press("h")
    assert page.query_selector("#sheet") is None
    assert "veiled" not in page.evaluate("document.documentElement.className")


def test_hide_all(page):
    page.keyboard.press("h")
    color = "getComputedStyle(document.querySelector('.vv bdi')).color"
    assert page.evaluate(color) == "rgba(0, 0, 0, 0)"
    page.reload()
    page.wait_for_selector("#content")
    assert page.evaluate(color) == "rgba(0, 0, 0, 0)", "still after a reload, before any script runs"
    assert page.get_attribute("[data-veil]", "aria-pressed") == "true"
    page.keyboard.press("h")
    assert page.evaluate(color) != "rgba(0, 0, 0, 0)"


def test_steps_by_keys(page):
    page.keyboard.press("Alt+1")
    page.wait_for_selector("#content")
    assert page.get_attribute(".stepper a", "aria-current") == "step"


def test_language_and_theme_stay(app, page):
    page.click("text=繁體中文")
    page.wait_for_selector("html[lang=zh-Hant-TW]")
    page.click("button[name=theme]")
    page.wait_for_selector("html[data-theme=dark]")
    page.goto(f"{app.address}/text")
    assert page.inner_text("h1") == "相同的內容，文字形式"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 22, 28)"


def test_another_window_was_faster(app, page):
    encoded(page, "cp950")
    other = page.context.new_page()
    other.goto(f"{app.address}/")
    other.wait_for_selector("#content")
    other.click("#undo")
    read_as(other, "UTF-8")
    page.click("#undo")
    page.wait_for_url(re.compile(r"/\?changed$"))
    assert "your last click was not applied" in page.inner_text("#main")
    other.close()


def test_the_app_has_stopped(app, page):
    encoded(page, "cp950")
    app.process.kill()
    app.process.wait()
    page.click("#undo")
    page.wait_for_selector("#stopped:not([hidden])")
    assert "Nothing is lost" in page.inner_text("#stopped")
    assert "petworks app people-project" in page.inner_text("#stopped")


def test_the_answer_is_read_aloud(page):
    page.locator("#live", has_text="people.csv was read").wait_for(state="attached")


def went(page, what: str) -> None:
    """Click what leads to another page, and look again, as somebody without script does, until the table was read."""
    with page.expect_navigation():
        page.click(what)
    while page.locator(".look-again").count():
        page.reload()


def test_everything_works_without_script(app, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(app.url)
    went(page, ".stepper a")
    page.click("#change-encoding summary")
    page.select_option("#change-encoding select", "cp950")
    went(page, "#change-encoding button")
    assert "CP950" in page.inner_text(".found")
    went(page, "#as-text")
    assert page.url == f"{app.address}/text"
    went(page, "#undo")
    assert page.url == f"{app.address}/"
    assert "UTF-8" in page.inner_text(".found")
    page.click("#ask-rows summary")
    went(page, "#ask-rows button")
    assert "P00001" in page.inner_text("#main")
    context.close()


def test_a_large_table_shows_its_progress(tmp_path, browser):
    with (tmp_path / "large.csv").open("w") as file:
        file.write("id;age;zip;sex\n")
        for row in range(1_200_000):
            file.write(f"{row};{row % 90};{row % 7919};{row % 2}\n")
    app = Process("large.csv", cwd=tmp_path, enter=False)
    try:
        page = browser.new_page()
        page.goto(app.url)
        assert page.inner_text("h1") == "large.csv is being read: 4 columns"
        assert page.is_visible("progress")
        page.wait_for_selector("#content", timeout=60_000)
        assert page.inner_text("h1") == "large.csv was read: 1,200,000 rows, 4 columns"
        page.close()
    finally:
        app.process.kill()
        app.process.communicate()


OVERLAPPING = """() => [...document.querySelectorAll(".stepper b")]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect().right > one.closest("a").getBoundingClientRect().right + 0.5;
  })
  .map((one) => one.textContent)"""


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_steps_do_not_overlap_at_any_width(app, page, language):
    page.context.add_cookies([{"name": "petworks_language", "value": language, "url": app.origin}])
    page.goto(f"{app.address}/requirements")
    for width in range(360, 1300, 20):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OVERLAPPING) == [], width
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


def test_a_field_to_change_fits_a_narrow_screen(page):
    page.set_viewport_size({"width": 345, "height": 800})
    for one in page.query_selector_all(".change summary"):
        one.click()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_focus_goes_to_the_field_of_what_was_added(app, page):
    page.goto(f"{app.address}/requirements")
    page.click('#add form:has(input[value="k-anonymity"]) button')
    page.wait_for_selector("#r1-k:focus")
    assert page.evaluate(
        "(({top, bottom}) => top > 0 && bottom < innerHeight)(document.activeElement.getBoundingClientRect())"
    )
    page.click(".remove button")
    page.wait_for_selector("#requirement-1", state="detached")
    assert page.evaluate("document.activeElement.id") != "main"
