"""Combinations that are spilled to disk, and counted part by part, give the same tally."""

from __future__ import annotations

import errno
import io
import os
import tempfile
from collections import Counter
from random import Random
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.errors import MalformedError, PairingError, ParameterError, SourceError, TooLargeError
from PETWorks.tables import paired
from PETWorks.tables.counting import count as counting
from PETWorks.tables.counting.builder import TallyBuilder
from PETWorks.tables.counting.count import count, estimate_memory
from PETWorks.tables.counting.size_histogram import Grouping, SizeSummary
from PETWorks.tables.counting.tally import Coded, Tally
from PETWorks.tables.counting.workspace import LEAST_MEMORY, Spill, Workspace
from PETWorks.tables.opening import open_source
from support.output import listen
from support.strategies import brute

TINY = Workspace(memory=1)  # too little memory for any table
VALUES = ["a", "b", "c", "高雄", "*", None]


@st.composite
def batches(draw):
    """Batches of rows of two or three columns, from few values."""
    columns = draw(st.integers(2, 3))
    cells = st.lists(st.sampled_from(VALUES), min_size=columns, max_size=columns)
    return [
        [Coded.of(list(column)) for column in zip(*rows, strict=True)]
        for rows in draw(st.lists(st.lists(cells, min_size=1, max_size=8), min_size=1, max_size=5))
    ]


def counted(batches, workspace, grouping=None):
    return count("table", [str(place) for place in range(len(batches[0]))], batches, workspace, grouping)


def items(tally: Tally) -> list:
    return list(tally.items())


@brute
@given(batches())
def test_the_tally_is_the_same(batches):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "COUNTING_SHARE", 0)  # so that every batch is spilled
        spilled = counted(batches, Workspace())
    plain = counted(batches, Workspace())
    assert items(spilled) == items(plain)
    assert spilled.counts.dtype == plain.counts.dtype == np.int64
    assert [column.values for column in spilled.columns.values()] == [
        column.values for column in plain.columns.values()
    ]


@brute
@given(batches(), st.sampled_from(["*", "a", "#"]), st.sampled_from([0, counting.PART_SHARE, 10**9]))
def test_the_outline_is_that_of_the_tally(batches, marker, share):
    """The outline is right for parts that are counted in memory, and for parts that are spilled again."""
    grouping = Grouping(("1",), marker)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PART_SHARE", share)
        with pytest.raises(TooLargeError) as raised:
            counted(batches, TINY, grouping)
    assert raised.value.summary == SizeSummary.of(counted(batches, Workspace()), grouping)


@brute
@given(batches(), st.sampled_from(["*", "a", "#"]), st.sampled_from([0, counting.PART_SHARE, 10**9]))
def test_the_outline_of_people_is_that_of_the_tally(batches, marker, share):
    """Rows without a person, missing or suppressed, are one person in a class, in whichever part they are."""
    person = str(len(batches[0]) - 1)
    grouping = Grouping(("0",), marker, person)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PART_SHARE", share)
        with pytest.raises(TooLargeError) as raised:
            counted(batches, TINY, grouping)
    people, rows, unnamed, classes = {}, Counter(), [0, 0], {}
    for (one, *_, who), many in counted(batches, Workspace()).items():
        people.setdefault(one, set()).add(None if who == marker else who)
        rows[one] += many
        unnamed[0] += many * (who in (None, marker))
        unnamed[1] += many * (who == marker)
    outline = raised.value.summary
    assert outline.crowds == Counter((len(people[one]), rows[one]) for one in people if one != marker)
    assert outline.suppressed_people == len(people.get(marker, ()))
    assert [outline.unnamed, outline.marked] == unnamed
    assert person not in outline.missing
    for one, crowd in people.items():
        for who in crowd:
            classes.setdefault(who, set()).update({len(crowd)} if one != marker else ())
    assert outline.smallest == Counter(min(sizes, default=0) for sizes in classes.values())
    assert outline.holders == Counter(size for sizes in classes.values() for size in sizes)
    assert outline.several == (len(classes) < sum(rows.values()))


TEXTS = [f"{number:04}" * 62 for number in range(2000)]  # half a megabyte


def test_a_part_too_large_to_be_counted_by_itself():
    """All rows of x are in one class, so in one part. It is the larger the longer its few texts are."""
    workspace = Workspace(10**6)
    batch = [Coded.of(["y", *["x"] * len(TEXTS)]), Coded.of(["z", *TEXTS])]
    assert estimate_memory(len(TEXTS) + 1, len(batch)) < workspace.memory
    with pytest.raises(TooLargeError) as raised:
        counted([batch], workspace, Grouping(("0",)))
    assert raised.value.summary == SizeSummary(len(TEXTS) + 1, len(TEXTS) + 1, 0, {1: 1, len(TEXTS): 1})
    assert raised.value.figures["combinations"] == len(TEXTS) + 1


def test_what_fits_is_not_spilled(monkeypatch):
    monkeypatch.delattr(counting, "Spill")
    assert counted([[Coded.of(TEXTS)]] * 2, Workspace(10**7)).rows == 2 * len(TEXTS)


def test_what_was_counted_after_the_last_spill_is_counted_too():
    tally = counted([[Coded.of(TEXTS)], [Coded.of(["x"])]], Workspace(10**6))
    assert (tally.rows, tally.counts.tolist()) == (len(TEXTS) + 1, [1] * (len(TEXTS) + 1))


def test_what_is_said_of_too_many_combinations():
    error = counting.build_too_large_error("people.csv", 3, 2_000_000, Workspace(10**9))
    assert error.problem == "2,000,000 different combinations of 3 columns need about 720 MB of memory"
    assert (error.where, error.hint) == (
        "people.csv",
        "the limit is 1.0 GB: raise it with memory_limit=, or name fewer quasi-identifiers",
    )
    assert error.figures == {"combinations": 2_000_000, "columns": 3, "needed": "720 MB", "memory": "1.0 GB"}


def test_what_is_said_of_no_rows():
    with pytest.raises(MalformedError) as raised:
        count("people.csv", ["a"], [])
    assert (raised.value.problem, raised.value.where) == ("the table has a header but no rows", "people.csv")
    assert raised.value.hint == "check that this is the right table, and that it was written completely"


def test_an_outline_by_hand():
    rows = [("x", "1"), ("x", "2"), ("y", "1"), ("y", None), ("y", "1"), ("*", "1"), ("z", None)]
    tally = open_source({"q": [q for q, _ in rows], "s": [s for _, s in rows]}, "t").tally(["q", "s"])
    outline = SizeSummary.of(tally, Grouping(("q",), "*"))
    assert (outline.rows, outline.combinations, outline.suppressed) == (7, 6, 1)
    assert (dict(outline.histogram), dict(outline.missing)) == ({1: 1, 2: 1, 3: 1}, {"s": 2})
    both = SizeSummary.of(tally, Grouping(("q", "s"), "*"))
    assert (both.suppressed, both.histogram) == (0, {1: 5, 2: 1})  # suppressed only if all columns are
    assert SizeSummary.of(tally, Grouping(("q",))).suppressed == 0


@pytest.mark.parametrize("values", [255, 256, 257, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("share", [0, counting.COUNTING_SHARE])
def test_columns_of_as_many_values_as_fill_a_byte_or_two(monkeypatch, share, values):
    """Codes have the smallest integer type that holds them."""
    cells = [f"{number:06}" for number in range(values)]
    Random(1).shuffle(cells)
    halves = [[Coded.of(cells[: values // 2 + 1])], [Coded.of(cells[values // 2 :])]]
    monkeypatch.setattr(counting, "COUNTING_SHARE", share)
    tally = counted(halves, Workspace())
    assert sorted(tally.columns["0"].values) == list(tally.columns["0"].values) == sorted(cells)
    assert (tally.rows, tally.counts.max()) == (values + 1, 2)
    assert tally.columns["0"].codes.tolist() == list(range(values))


@pytest.mark.parametrize("values", [255, 256])
def test_suppressing_in_a_column_that_fills_a_byte(values):
    released = {"a": [str(number) for number in range(values)] * 2, "b": ["x"] * (2 * values - 1) + ["y"]}
    result = pw.Release(released).evaluate(pw.KAnonymity(k=2))[0]
    assert (result.failing_classes, result.failing_rows) == (2, 2)
    assert "would make it hold" in str(result.explain("en"))


def test_what_was_put_aside_is_gone(tmp_path):
    tally = TallyBuilder(["a"])
    tally.add([Coded.of(["x", "y"])])
    with Spill(str(tmp_path), ["a"]) as spill:
        spill.put(tally.build())
        assert list(tmp_path.iterdir()) == []  # the temporary file has no name, so no file is left


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device"
LOST = OSError("the disk is gone"), "the disk is gone"


@pytest.mark.parametrize(("error", "reason"), [FULL, LOST])
@pytest.mark.parametrize("step", ["write", "flush"])
@pytest.mark.parametrize("folder", ["/somewhere", None])
def test_a_full_disk(monkeypatch, folder, step, error, reason):
    file = io.BytesIO()
    setattr(file, step, Mock(side_effect=error))
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **options: {folder: file}[options["dir"]])
    with pytest.raises(SourceError) as raised:
        counted([[Coded.of(["x", "y"]), Coded.of(["x", "y"])]], Workspace(1, folder))
    assert raised.value.problem == f"temporary files cannot be written: {reason}"
    assert raised.value.where == (folder or tempfile.gettempdir())
    assert raised.value.hint == "free space on that disk, or name another folder: temporary="
    assert file.closed


def test_no_folder_to_write_to(tmp_path):
    with pytest.raises(SourceError, match="cannot be written"):
        counted([[Coded.of(["x"]), Coded.of(["x"])]], Workspace(1, str(tmp_path / "gone")))


@pytest.mark.parametrize(
    ("written", "memory"),
    [("500 MB", 500 * 10**6), ("2gb", 2 * 10**9), (" 1.5 GiB ", 3 * 2**29), (10**9, 10**9), ("1,000 MB", 10**9)],
)
def test_amounts_of_memory(written, memory):
    assert Workspace.of(written).memory == memory


@pytest.mark.parametrize("written", ["", "much", "5 PB", "-1 GB", "1 GB or so", True, "12", LEAST_MEMORY - 1, "1e9"])
def test_what_is_no_amount_of_memory(written):
    with pytest.raises(ParameterError, match="memory limit"):
        pw.Release({"a": [1]}, memory_limit=written)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ParameterError, match="temporary"):
        pw.Release({"a": [1]}, temporary=tmp_path / "gone")


def test_parts_keep_classes_together():
    """The part of a row depends only on the columns that form classes, on all of them; few classes share a part."""
    builder = TallyBuilder(["q", "r", "s"])
    rows = [(str(row % 8), str(row // 8 % 8)) for row in range(999)]
    builder.add([*map(Coded.of, zip(*rows, strict=True)), Coded.of([str(row) for row in range(999)])])
    with Spill(None, ["q", "r"]) as spill:
        spill.put(builder.build())
        parts = [(size, classes_in(pieces)) for size, pieces in spill.read_parts()]
    assert all(size for size, _ in parts)
    assert sum(len(seen) for _, seen in parts) == len(set().union(*(seen for _, seen in parts))) == 64
    assert len(parts) > 40  # of 256 parts; about 57 have any of 64 classes


def classes_in(pieces) -> set[tuple[str, str]]:
    return {(q.values[a], r.values[b]) for (q, r, _), _ in pieces for a, b in zip(q.codes, r.codes, strict=True)}


def test_a_key_that_takes_too_much_memory(monkeypatch):
    table = {"id": [str(number) for number in range(9)], "a": ["x"] * 9}
    monkeypatch.setattr(paired, "VALUE_BYTES", 10**9)
    with pytest.raises(PairingError, match="more memory than the limit allows"):
        pw.Release(table, original=table, key="id", quasi_identifiers=["a"], memory_limit="1 GB").ask("Precision")


def test_repeated_combinations_are_merged_before_any_are_spilled(monkeypatch):
    """Batches are small under a low limit: a thousand of them with the same combination take up little memory."""
    monkeypatch.setattr(counting, "Spill", None)
    batch = [Coded.of([str(number) for number in range(5_000)])] * 2
    assert len(counted([batch] * 200, Workspace(memory=10**8)).counts) == 5_000


def test_every_row_that_is_counted_is_reported():
    rows = [Coded.of(["x", "x", "y"])]
    seen = []
    with listen(lambda rows, _: seen.append(rows)):
        counted([rows, (rows, np.array([5, 1, 1]))], Workspace())
    assert seen == [3, 7]
