"""A fixture that writes files, for all tests of this folder."""

from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path):
    """Write files into a temporary folder; text is encoded as UTF-8, and line ends are not changed."""

    def write(content: str | bytes, name: str = "release.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
