"""The benchmark runs end to end on tiny tables; how fast is not evaluated here."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

for needed in ("duckdb", "pandas", "polars"):
    pytest.importorskip(needed)

BENCH = Path(__file__).parents[2] / "bench"
# all but pycanon, for which more must be installed, and those that differ from these in size only
CASES = (
    "classes",
    "pair",
    "csv",
    "write",
    "write_parquet",
    "search_2",
    "make",
    "memory",
    "people",
    "uniques",
    "microaggregation",
    "hierarchy",
    "local",
)


def python(*words: object, **variables: str) -> str:
    command = [sys.executable, *map(str, words)]
    environment = {**os.environ, "PYTHONUTF8": "1", **variables}
    done = subprocess.run(command, cwd=BENCH, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_suite_runs_and_writes_its_table(tmp_path):
    printed = python("run.py", "--sizes", 1000, "--rounds", 0, "--cases", *CASES, PETWORKS_BENCH_DATA=str(tmp_path))
    came = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [record["case"] for record in came["results"]] == list(CASES)
    contestants = [one for record in came["results"] for one in record["contestants"].values()]
    assert [one["failed"] for one in contestants if "failed" in one] == []
    assert all(one["peak"] > 0 < min(one["seconds"]) for one in contestants if "skipped" not in one)
    assert re.search(
        r"^\| Original against release, Parquet: \d+ measures<br>.* \| 1,000 \| .* s \| .* s \| .* × \| .* MB \|$",
        printed,
        re.MULTILINE,
    )


def test_published_pages_are_up_to_date():
    stale = "import publish, json; r = json.loads(publish.RESULTS.read_text(encoding='utf-8')); "
    stale += "print(*(path.name for path, text in publish.pages(r) if path.read_text(encoding='utf-8') != text))"
    assert python("-c", stale).strip() == "", "run: python bench/publish.py"
