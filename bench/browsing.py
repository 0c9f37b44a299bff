"""The contestants that work with the application in a browser: what is measured is what its user sees.

A click is timed in the page, from the event to the frame that shows the new answer. The search that runs when the
screen is first shown is stopped before, so that nothing else runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from layout import DATA, KNOWN, SENSITIVE

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "no-first-run")
CLICKS = 15  # that are timed in each run
PATIENCE = 300_000  # milliseconds until the table is counted
SCREENS = ("/", "/columns", "/hierarchies", "/requirements", "/explore", "/compare", "/release", "/text")
TIMED = """([what, value]) => new Promise((done) => {
  const field = document.querySelector(what), form = field.form;
  const key = form.dataset.queue || form.getAttribute("action"), start = performance.now();
  const came = (event) => {
    if (event.detail !== key) return;  /* prices, or the state of a search */
    document.removeEventListener("replaced", came);
    requestAnimationFrame(() => setTimeout(() => done((performance.now() - start) / 1000)));
  };
  document.addEventListener("replaced", came);
  if (field.type === "range") {
    field.value = value;
    field.dispatchEvent(new Event("input", {bubbles: true}));
  } else field.click();
})"""


class Browsed:
    """Work that is done in a browser, and timed there."""

    def __init__(self, folder: str, table: str) -> None:
        self.folder = Path(folder)
        self._write(Path(table))

    def repeated(self, times: int) -> dict[str, object]:
        """Do the work a few times, and return the times, the peak of memory, and what else was measured."""
        raise NotImplementedError

    def _write(self, table: Path) -> None:
        """Write a project in which all is decided; its files lie below the folder that the application may read."""
        project = self.folder / "project"
        project.mkdir(parents=True, exist_ok=True)
        for made in ("journal.jsonl", "policy.toml"):
            (project / made).unlink(missing_ok=True)
        shutil.copytree(DATA / "adult_hierarchy", self.folder / "hierarchies", dirs_exist_ok=True)
        policy = {
            "data": {"original": os.path.relpath(table, project), "released": "released.csv"},
            "roles": {"quasi_identifiers": list(KNOWN), "sensitive": [SENSITIVE]},
        }
        lines = ["version = 1"]
        for name, section in policy.items():
            lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in section.items())]
        for name in KNOWN:
            lines += [f"[hierarchies.{name}]", f'file = "../hierarchies/adult_hierarchy_{name}.csv"']
        lines += ["[[require]]", 'measure = "k-anonymity"', "k = 5", "[anonymize]", 'suppress_at_most = "5%"']
        (project / "policy.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    @contextmanager
    def served(self) -> Iterator[tuple[subprocess.Popen[str], str]]:
        """Start the application, and yield its process and the address that opens it."""
        root = self.folder.parent
        command = [
            sys.executable,
            "-m",
            "PETWorks",
            "app",
            str(self.folder / "project"),
            "--no-browser",
            "--lang",
            "en",
        ]
        with subprocess.Popen(  # noqa: S603
            [*command, "--root", str(root)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        ) as process:
            try:
                assert process.stdout  # noqa: S101 (for mypy)
                yield process, process.stdout.readline().strip()
            finally:
                process.kill()

    @contextmanager
    def shown(self, address: str) -> Iterator[Any]:
        """Open the application in a browser."""
        from playwright.sync_api import sync_playwright

        path = next(filter(None, map(shutil.which, CHROMIUM)))
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=[f"--{one}" for one in QUIET])
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(PATIENCE)
            page.goto(address)
            yield page
            browser.close()


class Clicked(Browsed):
    """Clicks on the screen Explore: a step of a column, or the limit of suppression."""

    def __init__(self, folder: str, table: str, field: str) -> None:
        super().__init__(folder, table)
        self.field = field

    def repeated(self, times: int) -> dict[str, object]:
        """Return the times of all clicks, and the peak of the application's memory."""
        with self.served() as (process, address), self.shown(address) as page:
            page.goto(page.url.rstrip("/") + "/explore")
            page.wait_for_selector("#best, #stop")
            while page.locator("#stop").count():
                page.evaluate("document.getElementById('stop')?.click()")
                page.wait_for_timeout(500)
            page.wait_for_selector("#best")
            seconds = [self._click(page, number) for number in range(times * CLICKS)]
            return {"seconds": seconds, "processor": [], "peak": peak(process.pid), "gave": None}

    def _click(self, page: Any, number: int) -> float:  # noqa: ANN401 (of playwright)
        page.wait_for_timeout(400)  # prices that follow an answer have come
        if self.field == "limit":
            taken: float = page.evaluate(TIMED, ["#slider", str(1 + number % 7)])
        else:
            strip = page.locator("fieldset.lev").nth(number % len(KNOWN)).get_attribute("id")
            taken = page.evaluate(TIMED, [f"#{strip} input[type=radio]:not(:checked)", ""])
        return taken


class Started(Browsed):
    """Starts the command, and waits until its first screen is shown."""

    def repeated(self, times: int) -> dict[str, object]:
        """Return the times from the start of the command to the first screen, and the largest page."""
        seconds, most, page_size = [], 0, 0
        for _ in range(times):
            start = time.perf_counter()
            with self.served() as (process, address):
                told = time.perf_counter() - start
                with self.shown(address) as page:
                    painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
                    page.wait_for_function(f"() => {painted}")
                    seconds.append(told + page.evaluate(painted) / 1000)
                    page_size = max(page_size, *(_size(page, screen) for screen in SCREENS))
                most = max(most, peak(process.pid))
        return {"seconds": seconds, "processor": [], "peak": most, "gave": None, "page": page_size}


def _size(page: Any, screen: str) -> int:  # noqa: ANN401 (of playwright)
    """Return the bytes of a page."""
    origin = page.url.partition("//")[2].partition("/")[0]
    answer = page.goto(f"http://{origin}{screen}")
    return len(answer.body())


def peak(process: int) -> int:
    """Return the peak of a process's memory in bytes, where /proc tells it."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return 0
    line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def app_step(folder: str, table: str) -> Clicked:
    """Click on steps of columns."""
    return Clicked(folder, table, "step")


def app_limit(folder: str, table: str) -> Clicked:
    """Move the limit of suppression."""
    return Clicked(folder, table, "limit")


def app_start(folder: str, table: str) -> Started:
    """Start the application."""
    return Started(folder, table)
