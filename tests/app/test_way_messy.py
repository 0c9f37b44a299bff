"""A table as messy as life goes from the raw file to a release by clicks alone, in each language.

The commands and the Python that the application prints then make the same release byte for byte, elsewhere.
"""

from __future__ import annotations

import csv
import io
import os
import re
import runpy
import shutil
import subprocess

import pytest

from app.running import process
from app.test_way_whole import searched, told_as_text
from support.places import ROOT
from support.process import COMMAND, PLAIN
from support.window import LANGUAGES, windows

SCRIPT = runpy.run_path(str(ROOT / "docs" / "messy_hospital.py"))
FILES = {"en": "hospital.xlsx", "zh_TW": "hospital.csv"}
ROLES = {"性別": 2, "年齡": 2, "居住地": 2, "診斷碼": 3, "費用(元)": 3}  # places of roles among the buttons
MADE = ("released*", "report.html", "record.json")


def clicked(page, button) -> None:
    """Click what sends a form, and wait for its answer."""
    with page.expect_response(lambda one: one.request.method == "POST") as answered:
        button.click()
    assert answered.value.status in (200, 303), answered.value.text()[:500]
    page.wait_for_timeout(50)


def went_on(page, wanted: str) -> None:
    """Take the door to the next step."""
    page.wait_for_selector("#door a.primary:not([aria-disabled=true])")
    with page.expect_navigation():
        page.click("#door a.primary")
    page.wait_for_selector(wanted, timeout=60_000)


def prepared(page) -> None:
    """Accept what loses nothing, decide about the rest one by one, and derive two columns."""
    assert page.get_attribute("#door a.primary", "aria-disabled") == "true"
    clicked(page, page.locator("#together"))
    page.wait_for_selector("#door a.primary:not([aria-disabled=true])")
    for kind in ("duplicates", "spellings", "remove"):
        card = page.locator(".find.open", has=page.locator(".astext", has_text=kind))
        number = card.get_attribute("id").removeprefix("find-")
        clicked(page, page.locator(f"#accept-{number}"))
        page.wait_for_selector(f"#accept-{number}[aria-pressed=true]")
    for name, kind, source, to in (("年齡", "years", "生日", "就診日期"), ("居住地", "place", "縣市", "鄉鎮市區")):
        page.fill("#derive-name", name)
        for field, value in (("kind", kind), ("source", source), ("to", to)):
            page.select_option(f"#derive-{field}", value)
        clicked(page, page.locator("#derive-form button"))
        page.wait_for_selector(f".derived b:has-text('{name}')")


def row_of(page, name: str):
    return page.locator(
        "[data-row]", has=page.locator("[role=rowheader] code", has_text=re.compile(f"^{re.escape(name)}$"))
    )


def treated(page) -> None:
    """Answer whose row a row is; give roles, round the fees, and make a key for the pseudonyms."""
    assert page.get_attribute("#door a.primary", "aria-disabled") == "true"
    page.check("#person-several")
    page.select_option("#person-column", label="病歷號碼")
    with page.expect_navigation():
        page.click("#person-take")
    page.wait_for_selector("#persons.holds")
    page.wait_for_selector("[data-row]")
    for name, place in ROLES.items():
        row = row_of(page, name)
        clicked(page, row.locator(".seg label").nth(place - 1))
        row.and_(page.locator(".confirmed, .decided")).wait_for()
    for name, word, fields in (
        ("費用(元)", "round", {"round": "500", "top": "99%"}),
        ("病歷號碼", "pseudonym", {"new_key": "study-2026", "scope": "clinic", "kept_by": "records office"}),
    ):
        row = row_of(page, name)
        number = row.get_attribute("id").removeprefix("row-")
        with page.expect_response(lambda one: one.request.method == "POST"):
            page.select_option(f"#treatment-{number}", word)
        page.wait_for_selector(f"#set-{number}")
        for field, value in fields.items():
            page.fill(f"#{field}-{number}", value)
        clicked(page, page.locator(f"#set-{number}"))
        page.wait_for_selector(f"#treat-{number}:not(:has(.warn))")


def suggested_hierarchies(page) -> None:
    """Take the hierarchies that are suggested."""
    for place in range(page.locator(".side a").count()):
        with page.expect_navigation():
            page.locator(".side a").nth(place).click()
        button = page.locator("#builder button.primary")
        if button.count():
            clicked(page, button)
            page.wait_for_timeout(100)


def released(page) -> None:
    """Require classes of five, find the best at 20%, and write it."""
    clicked(page, page.locator("form:has([name=measure][value=k-anonymity]) button[type=submit]").first)
    field = page.locator(".rq input[type=text], .rq input[type=number]").first
    field.fill("5")
    with page.expect_response(lambda one: one.request.method == "POST"):
        field.press("Tab")
    page.wait_for_selector("#foot a.button:not([aria-disabled=true])")
    page.goto(page.url.replace("/requirements", "/explore"))
    searched(page)
    page.fill("#limit-number", "20")
    with page.expect_response(lambda one: one.request.method == "POST"):
        page.keyboard.press("Tab")
    searched(page)
    clicked(page, page.locator("#best"))
    page.wait_for_selector("#search.proven", timeout=60_000)
    page.goto(page.url.partition("/explore")[0] + "/release")
    clicked(page, page.locator("[action$='/release/write'] button").first)
    page.wait_for_selector("section.answer .done-line", timeout=120_000)


@pytest.mark.parametrize("language", LANGUAGES)
def test_from_the_raw_file_by_clicks_alone(browser, tmp_path, language):
    pytest.importorskip("xlsxwriter")
    SCRIPT["write_tables"](tmp_path)
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    with process("--lang", language, cwd=tmp_path, enter=False, env=env) as app, windows(browser, app) as shown:
        page = shown.context(language, cookies=False).new_page()
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(app.url)
        with page.expect_navigation():
            page.locator(".files button", has_text=FILES[language]).click()
        page.wait_for_selector("table.prev", timeout=60_000)
        with page.expect_navigation():
            page.click("#answer a.primary")
        page.wait_for_selector("#prepare", timeout=60_000)
        prepared(page)
        went_on(page, "[data-row]")
        treated(page)
        went_on(page, ".side a")
        suggested_hierarchies(page)
        page.goto(page.url.partition("/hierarchies")[0] + "/requirements")
        released(page)
        commands, python = told_as_text(page)
    project = tmp_path / "hospital-project"
    made = next(project.glob("released.*")).read_bytes()
    check_release(made)
    for number, run in enumerate((["bash", "-c", f"cd hospital-project\n{shell(commands)}"], None)):
        copy = tmp_path / f"again-{number}"
        shutil.copytree(
            project, copy / project.name, ignore=shutil.ignore_patterns(".petworks", "journal.jsonl", *MADE)
        )
        shutil.copy(tmp_path / FILES[language], copy)
        again = run or [COMMAND[0], "-c", python]
        folder = copy if run else copy / project.name
        done = subprocess.run(
            again, cwd=folder, env={**PLAIN, **env}, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        found = [*(copy / project.name).glob("released.*")]
        assert found, (again, done.returncode, done.stdout, done.stderr)
        assert found[0].read_bytes() == made
    text = (project / "policy.toml").read_text("utf-8")
    assert 'key = "study-2026"' in text
    secret = next((tmp_path / "config").rglob("study-2026.json")).read_text().split('"key": "')[1][:20]
    files = [path for path in project.rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes() or b"0912-" in path.read_bytes()]


def shell(commands: str) -> str:
    """Return the printed commands with this package in place of the program."""
    lines = [line for line in commands.splitlines() if line.startswith("petworks")]
    assert lines[0] == "petworks anonymize policy.toml"
    return f"{' '.join(map(str, COMMAND))} {lines[0].removeprefix('petworks ')}"


def check_release(made: bytes) -> None:
    rows = [*csv.DictReader(io.StringIO(made.decode("utf-8-sig")))]
    assert {*rows[0]} == {"病歷號碼", "性別", "診斷碼", "費用(元)", "年齡", "居住地"}
    assert {row["診斷碼"] for row in rows} == {"E11.9", "I10", "J45.9"}
    assert all(row["費用(元)"].startswith("≥") or int(row["費用(元)"]) % 500 == 0 for row in rows)
    assert len({row["病歷號碼"] for row in rows}) == SCRIPT["PEOPLE"]
    assert not [row for row in rows if row["病歷號碼"].startswith("H")]
    assert len(rows) == len(SCRIPT["build_rows"]()) - 2
    assert os.sep not in rows[0]["居住地"]
