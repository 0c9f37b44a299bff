"""Progress is shown only on a terminal, and only for work that takes long."""

import os
import subprocess
import sys

import pytest

from PETWorks import Release
from support.output import listen
from support.process import PLAIN, five_people

MEASURE = '''"""Slow: a measure that takes its time."""

import time
from typing import ClassVar

from PETWorks.plugin import Figure, Risk, Words


class Slow(Risk):
    """Waits."""

    name: ClassVar[str] = "slow"
    words: ClassVar = {"en": Words("slow", "{value}"), "zh_TW": Words("slow", "{value}")}

    def figures(self, facts):
        len(facts.classes)
        time.sleep(SECONDS)
        yield Figure("slow", 1.0)
'''

TERMINAL = """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    output = os.open("out", os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.execv(sys.executable, [sys.executable, "-m", "PETWorks", *sys.argv[1:]])
shown = b""
try:
    while piece := os.read(terminal, 10_000):
        shown += piece
except OSError:
    pass
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.fixture
def slow(tmp_path):
    """Install a measure that takes some seconds."""

    def install(seconds: float) -> dict[str, str]:
        five_people(tmp_path)
        about = tmp_path / "slow-1.dist-info"
        about.mkdir()
        (tmp_path / "slow.py").write_text(MEASURE.replace("SECONDS", str(seconds)))
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1\n")
        (about / "entry_points.txt").write_text("[petworks.measures]\nslow = slow\n")
        return {**PLAIN, "PYTHONPATH": str(tmp_path), "TERM": "xterm"}

    return install


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("language", "told"), [("en", "Read 5 rows"), ("zh_TW", "已讀取 5 列")])
def test_slow_work_on_a_terminal(tmp_path, slow, language, told):
    command = [sys.executable, "-c", TERMINAL, "evaluate", "released.csv", "-m", "slow", "--lang", language]
    run = subprocess.run(command, cwd=tmp_path, env=slow(2.5), capture_output=True, check=True)
    assert told in run.stdout.decode()
    assert "slow" in (tmp_path / "out").read_text()
    assert told not in (tmp_path / "out").read_text()


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
def test_quick_work_on_a_terminal(tmp_path, slow):
    command = [sys.executable, "-c", TERMINAL, "evaluate", "released.csv", "-m", "slow"]
    run = subprocess.run(command, cwd=tmp_path, env=slow(0), capture_output=True, check=True)
    assert run.stdout == b""


def test_slow_work_without_a_terminal(tmp_path, slow):
    command = [sys.executable, "-m", "PETWorks", "evaluate", "released.csv", "-m", "slow"]
    run = subprocess.run(command, cwd=tmp_path, env=slow(2), capture_output=True, check=True)
    assert run.stderr == b""


def test_sources_tell_how_many_rows_they_read(tmp_path):
    five_people(tmp_path)
    seen, shares = [], []

    def tell(rows, share):
        seen.append(rows)
        shares.extend([] if share is None else [share])

    with listen(tell):
        tables = {"original": tmp_path / "original.csv", "hierarchies": tmp_path / "hierarchies"}
        Release(tmp_path / "released.csv", **tables, quasi_identifiers=["year"]).ask("Precision")
    Release(tmp_path / "released.csv").ask("k-anonymity")
    assert sum(seen) == 5
    assert shares
    assert shares[-1] == 1
