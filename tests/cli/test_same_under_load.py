"""A release, its report and its record are the same, byte for byte, on an idle machine and on a busy core."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import PETWorks
from support.places import ROOT
from support.process import PLAIN

ROWS = 1500
COLUMNS = ("sex", "age", "race", "education", "workclass")
POLICY = f"""\
version = 1
[data]
original = "adult.csv"
released = "released.csv"
hierarchies = "adult_hierarchy"
[roles]
quasi_identifiers = {list(COLUMNS)}
sensitive = ["salary-class"]
the_rest = "insensitive"
[[require]]
measure = "k-anonymity"
k = 5
[[require]]
measure = "t-closeness"
t = 0.5
[anonymize]
suppress_at_most = "5%"
[report]
html = "report.html"
json = "record.json"
"""
BUSY = "while True: sum(range(10_000))"
ON_CORES = """
import os, sys
os.sched_setaffinity(0, {{{cores}}})
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
VARIES = (  # times, and the random secret of a record with the commitments that it opens
    rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)?",
    rb"\d{4}-\d\d-\d\d \d\d:\d\d( UTC)?",
    rb'(?<="secret": ")[0-9a-f]{64}',
    rb'(?<="commitment": ")[0-9a-f]{64}',
    rb"(?<=HMAC-SHA-256 )[0-9a-f]{64}",
)
ENVIRONMENT = {**PLAIN, "PYTHONPATH": str(Path(PETWorks.__file__).parents[1])}  # the same code as in this process
COMMAND = ("-m", "PETWorks", "anonymize", "policy.toml", "--front", "front.html")


def cores():
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


@contextmanager
def neighbour(core: int) -> Iterator[None]:
    busy = subprocess.Popen([sys.executable, "-c", ON_CORES.format(cores=core), "-c", BUSY])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


def outputs(folder, lead=()):
    folder.mkdir()
    lines = (ROOT / "data" / "adult.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "adult.csv").write_text("".join(lines[: ROWS + 1]), encoding="utf-8")
    (folder / "adult_hierarchy").symlink_to(ROOT / "data" / "adult_hierarchy", target_is_directory=True)
    (folder / "policy.toml").write_text(POLICY)
    command = [sys.executable, *lead, *COMMAND]
    run = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)
    assert run.returncode == 1, run.stderr  # the release is written; a premise does not hold
    files = {one: (folder / one).read_bytes() for one in ("released.csv", "report.html", "record.json", "front.html")}
    files = {name: re.sub(b"|".join(VARIES), b"(varies)", content) for name, content in files.items()}
    return {**files, "answer": run.stdout, "notes": run.stderr}


@pytest.mark.skipif(not cores(), reason="this system cannot give a process one core")
def test_outputs_do_not_depend_on_the_load(tmp_path):
    first, *more = cores()
    both = ("-c", ON_CORES.format(cores=", ".join(map(str, [first, *more[:1]]))))
    idle = outputs(tmp_path / "idle", both)
    assert b'"front"' in idle["record.json"]
    assert b"What else could be had" in idle["report.html"]
    assert b'recoding = "local" would keep at least' in idle["notes"]
    with neighbour(first):
        assert outputs(tmp_path / "busy", ("-c", ON_CORES.format(cores=first))) == idle
