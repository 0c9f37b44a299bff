"""The whole way in a real browser, in each language: from the demonstration to a release with its report.

What the application says as text is then run in a shell, elsewhere, and gives the same release byte for byte.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.running import process
from support.process import PLAIN
from support.window import LANGUAGES, windows

PROJECT = "petworks-demonstration"
MADE = ("released*.csv", "report.html", "record.json")
ROLES = {"occupation": "3", "workclass": "4", "salary-class": "4"}  # keys of roles; all others as suggested


def tab_to(page, what: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate("(what) => document.activeElement.matches(what)", what):
            return
    raise AssertionError(f"no number of Tabs leads to {what}: {page.url}")


def pressed(page, key: str) -> int:
    """Press a key that sends a form, and return the status of the answer."""
    with page.expect_response(lambda one: one.request.method == "POST") as answered:
        page.keyboard.press(key)
    page.wait_for_timeout(50)  # the answer is put into the page
    return answered.value.status


def step(page, number: int) -> None:
    """Go to a step by its key."""
    with page.expect_navigation():
        page.keyboard.press(f"Alt+{number}")
    page.wait_for_selector(f".stepper li:nth-child({number}) a[aria-current=step]", state="attached")


def opened(page) -> None:
    """Open the demonstration."""
    tab_to(page, "[action$='/demonstration'] button")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.wait_for_selector("table.prev")  # counted
    page.wait_for_load_state()


def answered(page) -> None:
    """Say that one row is one person, and how that is known."""
    page.check("#person-rows")
    page.fill("#person-why", "one row for each person who was counted")
    with page.expect_navigation():
        page.click("#person-take")
    page.wait_for_selector("#persons.holds")


def roles_by_key(page) -> None:
    """Decide about each column, row by row, by the keyboard."""
    tab_to(page, "[data-row]")
    for _ in range(page.locator("[data-row]").count()):
        row = page.evaluate("document.activeElement.id")
        name = page.inner_text(f"#{row} [role=rowheader] code")
        if name in ROLES:
            assert pressed(page, ROLES[name]) == 200
            assert page.evaluate("document.activeElement.closest('[data-row]')?.id") == row  # the focus is kept
            page.keyboard.press("ArrowDown")
        else:
            assert pressed(page, "Enter") == 200
        page.wait_for_function(
            "(row) => document.activeElement.id !== row || !document.querySelector('.open')", arg=row
        )


def roles_by_mouse(page) -> None:
    """Decide about each column by clicks, in any order."""
    for one in page.locator("[data-row]").all():
        name = one.locator("[role=rowheader] code").inner_text()
        button = one.locator("label").nth(int(ROLES[name]) - 1) if name in ROLES else one.locator("button:visible")
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            button.click()
        one.and_(page.locator(".confirmed, .decided")).wait_for()


def hierarchy_built(page) -> None:
    """Take the suggested intervals of age, and change a width; the others have files."""
    with page.expect_navigation():
        page.locator(".side a", has=page.get_by_text("age", exact=True)).click()
    tab_to(page, "#builder button.primary")
    assert pressed(page, "Enter") == 200
    page.wait_for_selector("#answer.holds")


def requirements_filled(page) -> None:
    """Use a template, and fill in what it leaves open."""
    tab_to(page, "form:has([value=ipc-ontario-2025]) button")
    assert pressed(page, "Enter") == 200
    page.wait_for_selector(".rq")
    while page.locator(".rq .field.open input").count():
        field = page.locator(".rq .field.open input").first
        name, number = field.get_attribute("name"), page.locator(".rq .field.open input").count()
        field.focus()
        page.keyboard.type({"k": "5", "t": "0.5", "l": "3"}[name.rpartition("_")[2]])
        assert pressed(page, "Tab") == 200
        page.wait_for_function("(n) => document.querySelectorAll('.rq .field.open input').length < n", arg=number)
    page.wait_for_selector("#foot a.button:not([aria-disabled=true])")


def searched(page) -> None:
    """Wait until a search has ended and the page knows it, with the state that it brought."""
    page.wait_for_selector("#best", timeout=60_000)
    page.wait_for_selector("#search:not([data-poll])", timeout=60_000)


def explored(page) -> None:
    """Find the best if nobody is suppressed, then if 5% are; coarsen a column of that, and pin it."""
    searched(page)
    page.focus("#limit-number")
    page.keyboard.press("Control+a")
    page.keyboard.type("5")
    assert pressed(page, "Tab") == 200
    searched(page)
    before = page.inner_text("h1")
    page.focus("#best")
    assert pressed(page, "b") == 200
    page.wait_for_function("(before) => document.querySelector('h1').innerText !== before", arg=before, timeout=60_000)
    page.wait_for_selector("#search.proven", timeout=60_000)
    page.wait_for_selector("#best", timeout=60_000)
    pins = page.locator(".pins li").count()
    strip = page.locator("fieldset.lev:not(:has(label:last-child :checked)) :checked").first
    strip.focus()
    before = page.inner_text("h1")
    assert pressed(page, "ArrowRight") == 200  # a strip is radio buttons
    page.wait_for_function("(before) => document.querySelector('h1').innerText !== before", arg=before)
    assert page.evaluate("document.activeElement.type") == "radio"  # the focus is kept
    assert pressed(page, "p") == 200
    page.wait_for_function("(pins) => document.querySelectorAll('.pins li').length === pins + 1", arg=pins)


def looked_for(page) -> None:
    """Let people who might look be tried on the release."""
    page.wait_for_selector(".adversaries", timeout=60_000)
    assert page.locator(".adversary").count() >= 2


def compared(page) -> None:
    """Compare the two, and choose the first."""
    page.wait_for_selector("table.compare")
    assert page.locator("table.compare thead th").count() >= 2
    assert pressed(page, "1") == 200
    page.wait_for_selector("thead th.chosen")


def written(page) -> None:
    """Write the release, and wait until it was read back and measured."""
    tab_to(page, "[action$='/release/write'] button")
    assert pressed(page, "Enter") in (200, 303)
    page.wait_for_selector("section.answer.holds .done-line", timeout=60_000)


def reported(page) -> None:
    """Look at the report, in a window of its own."""
    with page.context.expect_page() as found:
        page.click("[href$='/release/report']")
    report = found.value
    report.wait_for_load_state()
    assert report.locator("h1").count() == 1
    report.close()


def told_as_text(page) -> tuple[str, str]:
    """Return the commands and the Python that the application shows."""
    page.keyboard.press("t")
    page.wait_for_selector("#text-commands")
    return page.inner_text("#text-commands"), page.inner_text("#text-python")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_way(browser, tmp_path, language):
    with process("--lang", language, cwd=tmp_path, enter=False) as app, windows(browser, app) as shown:
        page = shown.context(language, cookies=False).new_page()
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(app.url)
        assert page.url == f"{app.address}/"  # the token is gone
        assert page.get_attribute("html", "lang") == LANGUAGES[language]
        opened(page)
        step(page, 3)
        page.wait_for_selector("[data-row]")
        answered(page)
        (roles_by_key if language == "en" else roles_by_mouse)(page)
        page.wait_for_selector("#door a:not([aria-disabled=true])")
        for number, walk in enumerate(
            (hierarchy_built, requirements_filled, explored, looked_for, compared, written), 4
        ):
            step(page, number)
            walk(page)
        reported(page)
        commands, python = told_as_text(page)
    project = tmp_path / PROJECT
    released = (project / "released.csv").read_bytes()
    assert (project / "report.html").stat().st_size > 0
    assert "petworks check" in commands
    assert made_again(tmp_path, "shell", ["bash", "-euc", commands]) == released
    assert made_again(tmp_path, "python", ["bash", "-euc", 'cd "$0"; python -c "$1"', PROJECT, python]) == released


def made_again(folder: Path, name: str, command: list[str]) -> bytes:
    """Run what was printed in a copy of the project from which all that was made is gone; return the release."""
    copy = folder / name / PROJECT
    shutil.copytree(folder / PROJECT, copy, ignore=shutil.ignore_patterns(".petworks", "journal.jsonl", *MADE))
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    for program, words in (("petworks", "-m PETWorks "), ("python", "")):
        (bin_folder / program).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n', encoding="utf-8")
        (bin_folder / program).chmod(0o755)
    variables = PLAIN | {"PATH": f"{bin_folder}:{PLAIN['PATH']}"}
    done = subprocess.run(command, cwd=copy.parent, env=variables, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return (copy / "released.csv").read_bytes()
