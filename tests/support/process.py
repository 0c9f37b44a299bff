"""Run the command, in this process or in one of its own, and write small files for it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from PETWorks.cli import main

COMMAND = [sys.executable, "-m", "PETWorks"]
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PETWORKS"))}
PLAIN["PYTHONUTF8"] = "1"

POLICY = """\
version = 1
title = "Five people"
[data]
released = "released.csv"
original = "original.csv"
hierarchies = "hierarchies"
[roles]
quasi_identifiers = ["year", "place"]
sensitive = ["disease"]
[[require]]
measure = "k-anonymity"
k = 2
[[require]]
measure = "t-closeness"
t = "2/5"
[[require]]
measure = "Precision"
at_least = 0.5
"""


def petworks(
    *arguments: object, cwd: Path | str = ".", env: dict[str, str] | None = None, encoding: str = "utf-8"
) -> subprocess.CompletedProcess:
    """Run the command in this process, with a folder, variables and streams of its own."""
    out, err = (TextIOWrapper(BytesIO(), encoding) for _ in range(2))
    with (
        chdir(cwd),
        patch.dict(os.environ, PLAIN | {"COLUMNS": "80"} | (env or {}), clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = main([*map(str, arguments)])
    return subprocess.CompletedProcess(arguments, code, *(one.buffer.getvalue().decode(encoding) for one in (out, err)))


def petworks_process(*arguments: object, **options) -> subprocess.CompletedProcess:
    """Run the command in a process of its own: for tests of how it starts and ends, and of what it inherits."""
    options["env"] = PLAIN | options.get("env", {})
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **options)


def five_people(folder: Path, policy: str = POLICY) -> Path:
    """Write a release that fulfils its policy, the original, hierarchies and policy; return the path of the policy."""
    years, places = ["1970", "1977", "1983", "1988", "1985"], ["Berlin", "Bonn", "Paris", "Lyon", "Paris"]
    diseases = ["flu", "cold", "flu", "cold", "flu"]
    released = [
        f"{year[:3]}*;{'Germany' if place[0] == 'B' else 'France'}" for year, place in zip(years, places, strict=True)
    ]
    rows = zip(released, diseases, strict=True)
    (folder / "hierarchies").mkdir(exist_ok=True)
    write = {
        "released.csv": ["year;place;disease", *(f"{row};{disease}" for row, disease in rows)],
        "original.csv": ["year;place;disease", *map(";".join, zip(years, places, diseases, strict=True))],
        "hierarchies/a_hierarchy_year.csv": [f"{year};{year[:3]}*;*" for year in years],
        "hierarchies/a_hierarchy_place.csv": ["Berlin;Germany;*", "Bonn;Germany;*", "Paris;France;*", "Lyon;France;*"],
        "policy.toml": [policy],
    }
    for name, lines in write.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "policy.toml"
