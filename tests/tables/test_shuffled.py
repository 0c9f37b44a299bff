"""Shuffled releases: a real permutation of all rows, the same for a seed whatever the memory."""

import gzip
from collections import Counter
from unittest.mock import patch

import pandas as pd
import pyarrow.parquet as pq
import pytest

from anonymization.recodings import writing
from PETWorks.errors import ParameterError, SourceError
from PETWorks.tables.formats import delimited
from PETWorks.tables.opening import open_source
from PETWorks.tables.rewriting import cells

ROWS = 500


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "original.csv"
    lines = [f"{number % 3};{number}" for number in range(ROWS)]
    path.write_text("\n".join(["age;number", *lines, ""]), encoding="utf-8")
    return path


def lines_of(original, target, **options):
    with patch.object(delimited, "BLOCK", 1000):
        writing(open_source(original, "original"), ["age"], **options).write(target, lambda _: None)
    text = target.read_bytes()
    return (gzip.decompress(text) if target.suffix == ".gz" else text).decode().splitlines()


@pytest.mark.parametrize("largest", [2**28, 2000, 300])
def test_the_same_order_whatever_the_memory(original, tmp_path, largest):
    straight = lines_of(original, tmp_path / "straight.csv")
    with patch.object(cells, "MAX_PART_BYTES", largest):
        header, *lines = lines_of(original, tmp_path / "a.csv", order="shuffled", seed=7)
    assert lines_of(original, tmp_path / "b.csv.gz", order="shuffled", seed=7) == [header, *lines]
    assert header == straight[0]
    assert lines != straight[1:]
    assert Counter(lines) == Counter(straight[1:])
    with patch.object(cells, "MAX_PART_BYTES", largest):
        passes = writing(open_source(original, "original"), ["age"], order="shuffled", seed=7)
        passes.write(tmp_path / "a.parquet", lambda _: None)
    numbers = [line.rpartition(";")[2] for line in lines]
    assert pq.read_table(tmp_path / "a.parquet")["number"].to_pylist() == numbers
    assert passes.frame("polars")["number"].to_list() == numbers


def test_every_order_is_equally_likely(original, tmp_path):
    """Without a seed, the row that stands first is another one each time; it comes from everywhere in the table."""
    firsts = [int(lines_of(original, tmp_path / "a.csv", order="shuffled")[1].rpartition(";")[2]) for _ in range(40)]
    assert len(set(firsts)) > 30
    assert min(firsts) < ROWS / 4 < 3 * ROWS / 4 < max(firsts)


def test_a_frame_is_shuffled_as_a_whole(original):
    frame = pd.read_csv(original, sep=";", index_col="number")
    frame["number"] = frame.index
    released = writing(open_source(frame, "original"), ["age"], order="shuffled", seed=7).frame()
    assert list(released.index) == list(range(ROWS))
    assert sorted(released["number"]) == list(range(ROWS)) != list(released["number"])


def test_no_space_for_temporary_files(original, tmp_path, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cells, "MAX_PART_BYTES", 300)
    monkeypatch.setattr(cells.tempfile, "TemporaryFile", full)
    with pytest.raises(SourceError, match="temporary files cannot be written: No space left on device"):
        lines_of(original, tmp_path / "a.csv", order="shuffled")
    assert [path.name for path in tmp_path.iterdir()] == ["original.csv"]


@pytest.mark.parametrize(
    "wrong", [{"order": "shufled"}, {"seed": -1}, {"seed": "x"}, {"identifiers": "delete"}, {"suppressed_rows": "no"}]
)
def test_wrong_options(original, wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        writing(open_source(original, "original"), ["age"], **wrong)
