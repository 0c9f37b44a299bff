"""A virtual environment for pycanon, which needs older versions of packages. It is built when it is first needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / ".pycanon"
PACKAGES = ("pycanon", "pyarrow")  # pyarrow reads Parquet


class UnavailableError(Exception):
    """pycanon cannot be installed on this machine."""


def python() -> Path:
    """Return the path of that environment's Python; build the environment first if it does not exist."""
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
