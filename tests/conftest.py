import os
from pathlib import Path

import pytest

from support.places import ROOT, SHARED

LOCALE = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "PETWORKS_LANG")
os.environ.update(dict.fromkeys(LOCALE, ""), LANG="C.UTF-8")  # for these processes and those that they start


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with tests that one worker must do by itself, so that the others do not wait for it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference values and data that are not part of the project."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("reference values (../shared) are not there")
    return SHARED
