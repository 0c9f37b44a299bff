"""Measure the time of whole commands, compared with starting Python alone: ``python bench/starting.py``.

Each command runs several times and the best time counts: in later runs files are cached and modules compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"
TIMES = 5  # runs of each command
KNOWN = ["sex", "age", "race", "marital-status", "education", "native-country"]
ROLES = [*(part for name in KNOWN for part in ("-q", name)), "-s", "occupation"]


def seconds(command: Sequence[str]) -> float:
    """Run a command several times, and return the best time."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)  # noqa: S603
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the time of each command, and its ratio to the time of starting Python alone."""
    petworks = [sys.executable, "-m", "PETWorks"]
    tables = [str(DATA / "adult_anonymized.csv"), "--original", str(DATA / "adult.csv")]
    evaluate = [*petworks, "evaluate", *tables, "--hierarchies", str(DATA / "adult_hierarchy"), *ROLES]
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "petworks --help": [*petworks, "--help"],
            "petworks measures": [*petworks, "measures"],
            "petworks evaluate (Adult)": evaluate,
            "petworks evaluate (Adult, report)": [*evaluate, "--format", "html", "-o", str(Path(folder) / "r.html")],
        }
        bare = seconds(commands["python -c pass"])
        for name, command in commands.items():
            taken = seconds(command)
            print(f"{name:34} {taken:6.2f} s {taken / bare:6.1f} x")


if __name__ == "__main__":
    main()
