import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.places import ROOT, SHARED

LOCALE = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "PETWORKS_LANG")
os.environ.update(dict.fromkeys(LOCALE, ""), LANG="C.UTF-8")  # for these processes and those that they start
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each worker has one core; read when NumPy is first imported
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first draws no window
QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync")
TOGETHER = (  # what they start, or build, is shared by their tests
    "tests/sources/spark/",
    "tests/docs/test_site.py",
    "tests/render/page/",
    "tests/facts/test_pairing_trial.py",
    "tests/app/test_way_looks.py",
    "tests/app/test_way_hostile.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each test to any worker, but all tests of a place in TOGETHER to the same one, and these first."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next(filter(nodeid.startswith, TOGETHER), nodeid)

    return Scheduling(config, log)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference values and data that are not part of the project."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("reference values (../shared) are not there")
    return SHARED


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser; each test opens a context of its own in it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser is tried")
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        pytest.skip("no chromium is installed: pages are not tried in a browser")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=[f"--{one}" for one in (*QUIET, "no-first-run")])
        yield browser
        browser.close()
