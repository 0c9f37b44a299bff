"""An environment of its own for pycanon, made when it is first needed: it wants older versions than we do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / ".pycanon"
PACKAGES = ("pycanon", "pyarrow")  # the latter to read Parquet


class UnavailableError(Exception):
    """pycanon cannot be had here."""


def python() -> Path:
    """Give the Python of that environment."""
    interpreter = FOLDER / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = FOLDER / ".done"
    if not done.exists():
        print("setting up pycanon, once …", file=sys.stderr)
        install = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
        try:
            for command in ([sys.executable, "-m", "venv", str(FOLDER)], install):
                subprocess.run(command, check=True, capture_output=True, encoding="utf-8")  # noqa: S603
        except (OSError, subprocess.CalledProcessError) as error:
            raise UnavailableError("pycanon could not be installed") from error
        done.touch()
    return interpreter
