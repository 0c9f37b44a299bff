"""Ctrl-C while Spark starts, and while it works: the command ends, and so does the Java process that it started."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.process import COMMAND, PLAIN
from tables.spark.on_spark import FAST, spark_settings

pytestmark = [
    pytest.mark.usefixtures("needs_spark"),
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system does not tell which processes there are"),
]
PATIENCE = 60  # seconds


def test_while_it_starts(tmp_path):
    interrupt(tmp_path, lambda session: len(in_session(session)) > 1)  # the second process is Java


def test_while_it_works(tmp_path):
    interrupt(tmp_path, lambda _: next(tmp_path.glob("blockmgr-*/*/shuffle_*"), None))


def interrupt(tmp_path, ready):
    """Send SIGINT when a condition is true, or let the command end before that."""
    path = tmp_path / "many.parquet"
    pq.write_table(pa.table({"a": [str(number) for number in range(200_000)]}), path)
    arguments = ["evaluate", str(path), "-m", "k-anonymity", "--engine", "spark", "--master", "local[1]"]
    places = {"TMPDIR": tmp_path, "SPARK_LOCAL_DIRS": tmp_path, "SPARK_CONF_DIR": spark_settings(tmp_path)}
    process = subprocess.Popen(
        [*COMMAND, *arguments, "-o", str(tmp_path / "answer.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=PLAIN | {"JAVA_TOOL_OPTIONS": FAST} | {name: str(path) for name, path in places.items()},
        start_new_session=True,
    )
    while not (ended := process.poll() is not None) and not ready(process.pid):
        time.sleep(0.05)
    if not ended:
        os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == (0 if ended else 130)
    assert "Traceback" not in told
    waiting = time.monotonic() + PATIENCE
    while (left := in_session(process.pid)) and time.monotonic() < waiting:
        time.sleep(0.1)
    assert left == []


def in_session(leader: int) -> list[str]:
    """Return the processes that a process started, and that still run."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = status.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(after[3]) == leader and after[0] != "Z":
            found.append(status.parent.name)
    return found
