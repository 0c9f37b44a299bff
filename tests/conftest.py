from pathlib import Path

import pytest

from places import ROOT, SHARED


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference values and data that are not part of the project."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("reference values (../shared) are not there")
    return SHARED
