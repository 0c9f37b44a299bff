"""A type checker refuses a raw number where words are filled."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

RIGHT = """
import PETWorks as pw
from PETWorks.render.fill import fill
from PETWorks.render.lines import LineWriter
from PETWorks.render.page.markup import say
from PETWorks.render.words import words
from PETWorks.shown import CountBand, Exact, Rounded, disclose_count, show_exactly

scope, word = pw.Release("a.csv").facts.scope, words("en")
fill("{rows}", {"rows": Exact(scope.rows), "band": CountBand.of(7), "score": Rounded(0.12345), "name": "age"}, word)
fill("{rows}", show_exactly({"rows": scope.rows}), word)
LineWriter("en").say("scope", rows=disclose_count(scope.rows))
"""
RAW = (
    'fill("{rows}", {"rows": scope.rows}, word)',
    'fill("{rows}", {"share": scope.suppressed / scope.rows}, word)',
    'LineWriter("en").say("scope", rows=scope.rows)',
    'say("headline_suppressed", rows=scope.rows)',
    'say("headline_suppressed", rows=len("abc"))',
)


def test_words_are_not_filled_with_raw_numbers(tmp_path):
    """Each number that is shown is vouched for where it is written, or is what disclosure control returned."""
    pytest.importorskip("mypy")
    lines = [*RIGHT.strip().splitlines(), *RAW]
    (tmp_path / "use.py").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "use.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    errors = dict(re.findall(r"use\.py:(\d+): error: (.*)", done.stdout))
    assert sorted(map(int, errors)) == [*range(len(lines) - len(RAW) + 1, len(lines) + 1)], done.stdout + done.stderr
    assert all("incompatible type" in error for error in errors.values()), errors
