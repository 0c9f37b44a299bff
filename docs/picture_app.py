"""Makes the pictures of the application, one for each step: images/app-1-open.png, images/app-1-open.zh-TW.png, ….

``python docs/picture_app.py`` needs a chromium, playwright and Pillow. It writes projects, starts the application in
each language, and goes through its screens.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from PETWorks.demo import write_raw

IMAGES = Path(__file__).with_name("images")
SUFFIXES = {"en": "", "zh_TW": ".zh-TW"}
COLORS = 160  # size of the palette; enough for pages of flat colours
WIDTH, HEIGHT = 1200, 860
TALLER = {"2-columns": 1060, "5-explore": 1260, "7-release": 1060}
COARSER = 3  # the level of age in the candidate that is compared with the best
BEGUN = """\
version = 1
title = "adult"

[data]
original = "adult.csv"
released = "released.csv"
"""
ROLES = """
[roles]
identifiers = ["record-number"]
quasi_identifiers = ["sex", "age", "race"]
"""
DECIDED = """
[roles]
identifiers = ["record-number"]
quasi_identifiers = ["sex", "age", "race", "marital-status", "education", "native-country"]
sensitive = ["occupation"]
insensitive = ["workclass", "salary-class"]

[hierarchies.age]
intervals = [5, 10, 20]
bottom = 0
top = 100
"""
ASKED = """
[[require]]
measure = "k-anonymity"
k = 5
why = "Researchers under contract"

[[require]]
measure = "t-closeness"
t = "0.5"

[anonymize]
suppress_at_most = "5%"

[report]
html = "report.html"
json = "record.json"
"""
STEPS = {  # the project, the address, and what is there when the picture can be taken
    "1-open": ("begun", "/", "table.prev"),
    "2-columns": ("begun", "/columns", "[data-row]"),
    "3-hierarchies": ("adult-2026", "/hierarchies/3", "#levels"),
    "4-requirements": ("adult-2026", "/requirements", ".rq .now .badge.fails"),
    "5-explore": ("adult-2026", "/explore", "#search.proven:not([data-poll])"),
    "6-compare": ("adult-2026", "/compare", "table.compare"),
    "7-release": ("adult-2026", "/release", ".done-line"),
}


def main() -> None:
    """Take a picture of each step in each language."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for language, suffix in SUFFIXES.items():
            with tempfile.TemporaryDirectory() as folder:
                write_projects(Path(folder))
                with served(Path(folder), language) as address:
                    page = browser.new_page(color_scheme="light")
                    page.set_default_timeout(120_000)
                    page.goto(address)
                    for step in STEPS:
                        page.set_viewport_size({"width": WIDTH, "height": TALLER.get(step, HEIGHT)})
                        go(page, step)
                        save(page, IMAGES / f"app-{step}{suffix}.png")
                    page.close()
        browser.close()


def write_projects(folder: Path) -> None:
    """Write two projects: one in which some columns wait, and one in which all is decided."""
    for name, roles in (("begun", ROLES), ("adult-2026", DECIDED)):
        files = write_raw(folder / name)
        rules = "".join(f'\n[hierarchies.{column}]\nfile = "{file}"\n' for column, file in files.items())
        text = BEGUN + roles + (rules + ASKED if name == "adult-2026" else "")
        (folder / name / "policy.toml").write_text(text, encoding="utf-8")


@contextmanager
def served(folder: Path, language: str) -> Iterator[str]:
    """Start the application, and yield the address that opens it."""
    command = [sys.executable, "-m", "PETWorks", "app", "--no-browser", "--lang", language]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, encoding="utf-8") as process:  # noqa: S603
        try:
            assert process.stdout  # noqa: S101 (for mypy)
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def go(page: Any, step: str) -> None:  # noqa: ANN401 (of playwright)
    """Go to a step, and do there what its picture shows."""
    project, path, wanted = STEPS[step]
    origin = "/".join(page.url.split("/")[:4])  # with the path that changes with every start
    if project not in (page.locator("#project b").all_inner_texts() or [""])[0]:
        page.goto(f"{origin}/")
        page.fill("#path", project)
        page.press("#path", "Enter")
        page.wait_for_selector(f"body:has(#project b:has-text('{project}')) table.prev")
    page.goto(origin + path)
    if step == "6-compare":
        page.goto(f"{origin}/explore")
        page.wait_for_selector("#best")
        page.locator("fieldset.lev").nth(1).locator("[type=radio]").nth(COARSER).check(force=True)
        page.locator("#pin").click()
        page.wait_for_selector("#unpin-B")
        page.goto(origin + path)
    if step == "7-release":
        page.click("[action$='/release/write'] button")
    if step == "5-explore":
        page.wait_for_selector("#best")  # all is weighed
    page.wait_for_selector(wanted)
    page.wait_for_timeout(1500)  # prices and bars that follow
    page.mouse.move(0, 0)


def save(page: Any, path: Path) -> None:  # noqa: ANN401 (of playwright)
    """Save what the window shows, small."""
    with Image.open(BytesIO(page.screenshot())) as image:
        image.convert("RGB").quantize(COLORS, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
