"""A tally is a counter of rows, however its keys are packed and whichever way its entries are counted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.tables.counting import builder as building
from PETWorks.tables.counting import tally as sorting
from PETWorks.tables.counting import tally as tallying
from PETWorks.tables.counting.builder import TallyBuilder, condense_batch
from PETWorks.tables.counting.tally import Coded, cell_text, narrow, pack, rank_keys, sum_by_group, sum_by_key, widen
from support.strategies import brute

VALUES = ["b", "a", "", "高雄", None]
NAMES = ["one", "two", "three", "four"]
SPACES = [100, tallying.KEY_SPACE]  # so small that three columns do not fit; as large as it is
DENSITIES = [0, 1, tallying.DENSE, 10**6]  # everything is sorted; …; nothing is


@st.composite
def batches(draw):
    """Batches of rows of one to four columns; columns may have values that no row holds."""
    columns = draw(st.integers(1, 4))
    rows = st.lists(st.tuples(*[st.sampled_from(VALUES)] * columns), min_size=1, max_size=6)
    return draw(st.lists(rows, min_size=1, max_size=3))


def coded(rows: list[tuple]) -> list[Coded]:
    """All possible values have a code."""
    return [Coded(np.array([VALUES.index(cell) for cell in cells]), VALUES) for cells in zip(*rows, strict=True)]


def in_order(rows: Counter) -> list:
    """Sorted by their values, missing ones last."""
    return sorted(rows.items(), key=lambda one: [(cell is None, cell or "") for cell in one[0]])


@pytest.fixture(autouse=True)
def _as_they_were(monkeypatch):
    """Put back the sizes that tests change."""
    sizes = [(module, name) for module in (tallying, sorting) for name in ("KEY_SPACE", "DENSE")]
    for module, name in (*sizes, (building, "MERGE_AT")):
        monkeypatch.setattr(module, name, getattr(module, name))


def packed_in(space: int, dense: int, merge_at: int) -> None:
    """Say when keys are packed in steps, when they are sorted, and when combinations are merged."""
    tallying.KEY_SPACE = sorting.KEY_SPACE = space
    tallying.DENSE = sorting.DENSE = dense
    building.MERGE_AT = merge_at


packings = st.builds(
    packed_in, st.sampled_from(SPACES), st.sampled_from(DENSITIES), st.sampled_from([0, building.MERGE_AT])
)


def tally_of(batches: list[list[tuple]], *, with_counts: bool = False):
    builder = TallyBuilder(NAMES[: len(batches[0][0])])
    for rows in batches:
        if with_counts:
            builder.add(coded(rows), np.arange(1, len(rows) + 1))
        else:
            builder.add(coded(rows))
    return builder.build()


@brute
@given(batches(), packings)
def test_a_tally_counts_rows(batches, packing):
    rows = Counter(row for batch in batches for row in batch)
    tally, counted = tally_of(batches), tally_of(batches, with_counts=True)
    assert list(tally.items()) == in_order(rows)
    assert tally.rows == rows.total()
    weights = Counter()
    for batch in batches:
        for weight, row in enumerate(batch, 1):
            weights[row] += weight
    assert list(counted.items()) == in_order(weights)
    for place, name in enumerate(tally.columns):
        cells = {row[place] for row in rows}
        assert list(tally.columns[name].values) == sorted(cells, key=lambda cell: (cell is None, cell or ""))


@brute
@given(batches(), packings, st.data())
def test_fewer_columns_and_fewer_rows(batches, packing, data):
    tally = tally_of(batches)
    names = data.draw(st.lists(st.sampled_from([*tally.columns]), min_size=1, unique=True))
    places = [[*tally.columns].index(name) for name in names]
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(tally.counts), max_size=len(tally.counts))))
    some = tally.where(kept)
    items = [one for one, keeps in zip(tally.items(), kept, strict=True) if keeps]
    assert list(some.items()) == items
    expected = Counter()
    for row, many in items:
        expected[tuple(row[place] for place in places)] += many
    place_of, smaller = some.group(names)
    assert list(smaller.items()) == list(some.select(names).items()) == in_order(expected)
    held = [row for row, _ in smaller.items()]
    assert [held[place] for place in place_of] == [tuple(row[place] for place in places) for row, _ in items]
    assert sorted(some.count_by(names).tolist()) == sorted(expected.values())


@brute
@given(batches(), packings)
def test_a_condensed_batch_has_the_same_rows(batches, packing):
    for rows in batches:
        columns, counts = condense_batch(coded(rows))
        cells = zip(*([column.values[code] for code in column.codes] for column in columns), strict=True)
        assert dict(zip(cells, counts.tolist(), strict=True)) == Counter(rows)
        assert len(counts) == len(set(rows))


@brute
@given(batches(), packings)
def test_keys_sort_as_the_rows_do_and_unpack_to_them(batches, packing):
    for rows in batches:
        columns = [column.codes for column in coded(rows)]
        sizes = [len(VALUES)] * len(columns)
        keys, unpack = pack(columns, sizes)
        codes = list(zip(*(column.tolist() for column in columns), strict=True))
        assert [codes[place] for place in np.argsort(keys, kind="stable")] == sorted(codes)
        assert [column.tolist() for column in unpack(keys)] == [column.tolist() for column in columns]
        first, ids = rank_keys(keys, max(keys.tolist()) + 1)
        assert keys[first].tolist() == sorted(set(keys.tolist()))
        assert keys[first][ids].tolist() == keys.tolist()
        counts = np.arange(1, len(keys) + 1)
        different, added = sum_by_key(keys, counts, max(keys.tolist()) + 1)
        assert different.tolist() == sorted(set(keys.tolist()))
        assert added.tolist() == [counts[keys == key].sum() for key in different]


@brute
@given(st.lists(st.sampled_from(VALUES[1:4]), max_size=8))
def test_values_that_nobody_has_are_left_out(cells):
    column = Coded(np.array([VALUES.index(cell) for cell in cells], dtype=np.int64), VALUES)
    trimmed = column.trim()
    assert [trimmed.values[code] for code in trimmed.codes] == cells
    assert list(trimmed.values) == [value for value in VALUES if value in cells]
    assert [column.code(value) for value in (*VALUES, "?")] == [0, 1, 2, 3, 4, -1]
    assert Coded.of(cells).values == list(dict.fromkeys(cells))


def test_groups_that_nothing_belongs_to_have_the_sum_zero():
    assert sum_by_group(np.array([1, 1]), np.array([2, 3]), 3).tolist() == [0, 5, 0]


@pytest.mark.parametrize(("largest", "dtype"), [(2**63 - 1, np.int64), (2**63, object)])
def test_numbers_are_wide_if_results_need_more_than_63_bits(largest, dtype):
    assert widen(np.array([1, 2]), largest).dtype == dtype


def test_a_missing_value_is_shown_as_such():
    assert [cell_text(value) for value in ("a", "", None)] == ["a", "", "(missing)"]


def test_a_tally_of_no_rows():
    tally = TallyBuilder(NAMES).build()
    assert (list(tally.items()), tally.rows) == ([], 0)
    assert list(tally.select(NAMES[:2]).items()) == tally.count_by(NAMES[:2]).tolist() == []
    columns, counts = condense_batch([Coded.of([]), Coded.of([])])
    assert [column.codes.tolist() for column in columns] == [[], []] == [counts.tolist()] * 2


@pytest.mark.parametrize(
    ("values", "bits"), [(0, 8), (1, 8), (2, 8), (256, 8), (257, 16), (65_536, 16), (65_537, 32), (2**32 + 1, 64)]
)
def test_codes_are_as_narrow_as_the_number_of_values_allows(values, bits):
    assert narrow(np.array([], dtype=np.int64), values).dtype == f"uint{bits}"
