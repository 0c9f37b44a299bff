"""A table that ends the process that reads it, or takes all memory, is an answer of the application, not its end."""

import gzip
import sys

import pytest

import PETWorks as pw
from app.running import inside
from PETWorks.app import probe
from PETWorks.errors import SourceError

needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="processes have no limits")
CRASHES = {
    "abort": "import os; os.abort()",
    "exits": "raise SystemExit(9)",
    "segment": "import ctypes; ctypes.string_at(0)",
}


@pytest.fixture
def parquet(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"age": ["30", "40"] * 30, "job": ["a", "b"] * 30}), tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


def test_a_sound_table_is_opened(parquet):
    assert probe.open_safely(parquet, pw.Reading()).columns == ("age", "job")


@pytest.mark.parametrize("how", CRASHES)
def test_a_crash_is_told_and_the_application_goes_on(tmp_path, parquet, monkeypatch, how):
    monkeypatch.setattr(probe, "COMMAND", (sys.executable, "-c", CRASHES[how]))
    with inside(tmp_path) as app:
        answer = app.post("/open", path=parquet.name)
        assert answer.status == 422
        assert "ended the process that read it" in answer.text
        assert app.get("/").status == 200
        assert not (tmp_path / "people-project").exists()


@needs_limits
def test_memory_has_an_end(parquet, monkeypatch):
    monkeypatch.setattr(probe, "find_limit", lambda: 2**20)
    with pytest.raises(SourceError, match=r"more memory than there is|ended the process"):
        probe.open_safely(parquet, pw.Reading())


def test_what_is_wrong_with_a_table_is_told_by_its_format(tmp_path):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(20))
    with pytest.raises(SourceError) as found:
        probe.open_safely(tmp_path / "cut.parquet", pw.Reading())
    assert "ended the process" not in str(found.value)


def test_a_small_text_needs_no_process(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("a;b\n1;2\n")
    monkeypatch.setattr(probe, "COMMAND", (sys.executable, "-c", "raise SystemExit(9)"))
    assert probe.open_safely(tmp_path / "people.csv", pw.Reading()).columns == ("a", "b")


LINES = b"a;b\n" + b"1;2\n" * 2**18
TEXTS = {
    "large.csv": LINES,
    "large.jsonl": b'{"a": 1, "b": 2}\n' * 2**17,
    "small.csv.gz": gzip.compress(LINES[:8]),
    "large.csv.gz": gzip.compress(LINES),
}


@pytest.mark.parametrize("name", TEXTS)
def test_any_other_text_is_tried_apart(tmp_path, monkeypatch, name):
    (tmp_path / name).write_bytes(TEXTS[name])
    assert probe.open_safely(tmp_path / name, pw.Reading()).columns == ("a", "b")
    monkeypatch.setattr(probe, "COMMAND", (sys.executable, "-c", "raise SystemExit(9)"))
    with pytest.raises(SourceError, match="ended the process"):
        probe.open_safely(tmp_path / name, pw.Reading())
