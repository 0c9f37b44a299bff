"""What the tests of this folder share: a way to write files."""

from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file into a folder of the test's own; text is written as UTF-8, line ends as they are."""

    def write(content: str | bytes, name: str = "release.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
