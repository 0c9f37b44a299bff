"""The fuzzers run, find nothing in a few cases, and say how many they ran; damaged pages of Parquet are errors."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from PETWorks import Release
from PETWorks.errors import SourceError
from support.places import ROOT
from support.process import PLAIN


@pytest.mark.parametrize(
    ("name", "cases"), [("csv", 20), ("parquet", 20), ("policies", 20), ("guard", 4), ("tables", 1), ("extremes", 150)]
)
def test_a_few_cases(name, cases):
    if name == "guard":
        pytest.importorskip("ortools", reason="the attacker's solver is not installed")
    command = [sys.executable, str(ROOT / "tools/fuzz"), name, "--seed", "1", "--cases", str(cases)]
    run = subprocess.run(command, env=PLAIN, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"{name}: {cases} cases from seed 1, 0 failed\n", "")


def test_the_attacker_says_what_follows_from_a_report(monkeypatch):
    """A fuzzer that could not fail would find nothing."""
    attack = pytest.importorskip("laws.attack", reason="the attacker's solver is not installed")
    for pinned, words in (
        ([], ""),
        ([False, None], ""),
        ([False, True, True], "2 small classes follow from the report"),
    ):
        monkeypatch.setattr(attack, "attacked", lambda _, pinned=pinned: pinned)
        assert attack.attack(1) == words


def test_a_damaged_page(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"a": [str(number) for number in range(1000)]})
    pq.write_table(table, path, write_page_checksum=True, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"777", b"778", 1))
    with pytest.raises(SourceError, match="not readable as Parquet"):
        Release(path).ask("k-anonymity")
