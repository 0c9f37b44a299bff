import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from support.places import ROOT, SHARED

LOCALE = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "PETWORKS_LANG")
os.environ.update(dict.fromkeys(LOCALE, ""), LANG="C.UTF-8")  # for these processes and those that they start
SETTINGS = tempfile.mkdtemp(prefix="petworks-settings-")  # in place of the settings folder of whoever runs the tests
atexit.register(shutil.rmtree, SETTINGS, ignore_errors=True)
os.environ.update(XDG_CONFIG_HOME=SETTINGS, APPDATA=SETTINGS)
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # started in the background: Ctrl-C would reach no process of the tests
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each worker has one core; read when NumPy is first imported
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")  # on every machine, however busy it is; `make fuzz` draws fresh seeds
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first draws no window
QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync")
TOGETHER = (  # what they start, or build, is shared by all tests of a folder
    "tests/tables/spark/",
    "tests/render/page/",
)
APART = (  # their tests take seconds each and share little: they fill the gaps between files
    "tests/app/test_way_",
    "tests/docs/test_docs.py",
    "tests/anonymization/test_parts.py",
    "tests/anonymization/test_local.py",
    "tests/golden/test_anonymized.py",
)
ALONG = ("tests/app/test_way_looks.py", "tests/app/test_way_hostile.py")  # of those, what is one place all the same


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Spare the garbage collector the tests while they are collected: none of these objects is garbage."""
    gc.disable()
    yield
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On several workers, what takes longest comes first, so that none is left with it at the end."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not item.nodeid.startswith(TOGETHER + APART))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give the tests of a file to one worker, as what they share is then made once; see TOGETHER and APART."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if together := next(filter(nodeid.startswith, TOGETHER + ALONG), None):
                return together
            return nodeid if nodeid.startswith(APART) else nodeid.partition("::")[0]

    config.option.loadscopereorder = False  # the order is that of pytest_collection_modifyitems
    return Scheduling(config, log)


class Failures:
    """Says at once what fails: a run that is cut off has no summary."""

    def __init__(self, terminal: Any) -> None:
        self.terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            reason = getattr(getattr(report.longrepr, "reprcrash", None), "message", report.longreprtext)
            first = reason.strip().partition("\n")[0][:300]
            self.terminal.ensure_newline()
            self.terminal.write_line(f"FAILED {report.nodeid[:200]} ({report.duration:.0f} s): {first}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput") and (terminal := config.pluginmanager.getplugin("terminalreporter")):
        config.pluginmanager.register(Failures(terminal))


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


@pytest.fixture
def count_only_sizes(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function; once it is called, no tally fits in memory, and only the sizes of classes are counted."""
    return lambda: monkeypatch.setattr("PETWorks.tables.counting.count.COMBINATION_BYTES", 10**15)
