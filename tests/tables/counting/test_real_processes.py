"""Run real processes: one with a low memory limit, one that is interrupted, and one whose disk is full."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from support.process import COMMAND, PLAIN

resource = pytest.importorskip("resource", reason="this system does not limit what processes may do")

ROWS = 1_000_000
LIMIT = "100 MB"
STATUS = Path("/proc/self/status")
MEASURED = """
import re, sys
from pathlib import Path
from PETWorks.cli import main
code = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
sys.exit(code)
"""  # not ru_maxrss, which may include the memory of the parent process


@pytest.fixture(scope="module")
def different(tmp_path_factory):
    """A million rows that are all different, though no column has more than a hundred values."""
    numbers = np.random.default_rng(1).permutation(ROWS)
    columns = {name: (numbers // 100**place % 100).astype(str) for place, name in enumerate("abc")}
    path = tmp_path_factory.mktemp("different") / "different.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def command(path, folder, *more):
    asked = ["-m", "k-anonymity", "-m", "class sizes", "-q", "a", "-q", "b", "-q", "c"]
    return ["evaluate", str(path), *asked, "--memory-limit", LIMIT, "--temporary", str(folder), *more]


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not tell how much memory a process took")
def test_a_process_keeps_to_its_memory(different, tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", MEASURED, *command(different, tmp_path, "--format", "json")],
        capture_output=True,
        text=True,
        env=PLAIN,
        check=True,
    )
    assert json.loads(run.stdout)["results"][0]["scope"]["classes"] == ROWS
    assert int(run.stderr.splitlines()[-1]) < 300_000  # kB, including Python and Arrow
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not tell how much memory a process took")
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_reading_is_part_of_the_limit(tmp_path, kind):
    """A column of which no two texts are alike; Python and the imported packages take 70 to 100 MB, by version."""
    path, numbers = tmp_path / f"texts.{kind}", np.random.default_rng(1).permutation(ROWS)
    table = pa.table({"a": numbers.astype(str), "b": (numbers % 50).astype(str), "c": (numbers % 7).astype(str)})
    {"csv": csv.write_csv, "parquet": pq.write_table}[kind](table, path)
    asked = ["evaluate", str(path), "-m", "k-anonymity", "--memory-limit", LIMIT, "--format", "json"]
    run = subprocess.run(
        [sys.executable, "-c", MEASURED, *asked], capture_output=True, text=True, env=PLAIN, check=True
    )
    assert json.loads(run.stdout)["results"][0]["scope"]["classes"] == ROWS
    assert (
        int(run.stderr.splitlines()[-1]) < {"csv": 230_000, "parquet": 250_000}[kind]
    )  # kB; the search of cells adds some 15 MB


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not tell how much memory a process took")
def test_a_class_that_is_half_the_table(tmp_path):
    """A class is never divided between parts, so a class with a million sensitive values makes a part too large."""
    path, numbers = tmp_path / "lopsided.parquet", np.arange(ROWS).astype(str)
    pq.write_table(pa.table({"a": np.where(np.arange(ROWS) % 100, "x", "y"), "b": numbers}), path)
    asked = ["evaluate", str(path), "-m", "class sizes", "-q", "a", "-s", "b", "--memory-limit", LIMIT]
    command = [sys.executable, "-c", MEASURED, *asked, "--format", "json"]
    run = subprocess.run(command, capture_output=True, text=True, env=PLAIN, check=True)
    assert json.loads(run.stdout)["results"][0]["figures"]["histogram"] == {"10000": 1, "990000": 1}
    assert int(run.stderr.splitlines()[-1]) < 700_000  # kB; a million different texts take up much memory


def test_a_measure_that_needs_more_says_so(different, tmp_path):
    arguments = ["evaluate", different, "-m", "attribute risk", "--memory-limit", LIMIT, "--temporary", tmp_path]
    run = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, env=PLAIN, check=False)
    assert run.returncode == 2
    assert "1,000,000 different combinations of 3 columns" in run.stderr
    assert "--memory-limit" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send")
def test_an_interrupt_leaves_nothing_behind(different, tmp_path):
    process = subprocess.Popen(
        [*COMMAND, *command(different, tmp_path, "-o", str(tmp_path / "answer.json"))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PLAIN,
        text=True,
    )
    opened = Path(f"/proc/{process.pid}/fd")
    waiting = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < waiting and not _spilling(opened, tmp_path):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


def _spilling(opened, folder) -> bool:
    """Return True if a process has a nameless file open in a folder, or if this system does not show open files."""
    if not opened.is_dir():
        return True
    with suppress(OSError):  # the process may close a file meanwhile
        return any(folder in number.readlink().parents for number in opened.iterdir())
    return False


@pytest.mark.skipif(os.name != "posix", reason="a process cannot be kept from writing")
def test_a_disk_that_takes_no_more(different, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))

    run = subprocess.run(
        [*COMMAND, *command(different, tmp_path)],
        capture_output=True,
        text=True,
        env=PLAIN,
        check=False,
        preexec_fn=limited,
    )
    assert run.returncode == 2
    assert "temporary files cannot be written: File too large" in run.stderr
    assert "--temporary" in run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []
