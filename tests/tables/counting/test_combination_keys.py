"""Each combination becomes a different integer key, even if the possible combinations do not fit in 64 bits."""

from __future__ import annotations

import numpy as np
import pytest

import PETWorks as pw
from PETWorks.tables.counting.builder import condense_batch
from PETWorks.tables.counting.tally import Coded, Tally, pack

COLUMNS, VALUES = 11, 64  # 64 to the power of 11 is 2 to the power of 66
ROWS = [(value,) * COLUMNS for value in range(VALUES)]
ROWS.append((16, *ROWS[0][1:]))  # 16 · 64¹⁰ overflows to 0 in 64 bits: this row would get the key of the first row


@pytest.mark.parametrize(
    "sizes",
    [
        [2**15, 2**16 - 1],  # the largest product that fits in 32 bits
        [2**15, 2**16],
        [3 * 2**14, 2**16],
        [2**16, 2**16],
        [2**31, 2**31 - 1],  # the largest product that is packed without ranks
        [2**31, 2**31],
        [2**32, 2**32],
        [VALUES] * COLUMNS,
    ],
)
def test_keys_can_be_unpacked_and_sort_as_codes_do(sizes):
    alike = {tuple(min(code, size - 1) for size in sizes) for code in (0, 1, 15, 16, 63, 2**33)}
    rows = sorted(alike | {(16, *row[1:]) for row in alike})
    keys, unpack = pack([np.array(codes) for codes in zip(*rows, strict=True)], sizes)
    assert keys.tolist() == sorted(set(keys.tolist()))
    assert min(keys) >= 0
    assert [tuple(row) for row in zip(*(codes.tolist() for codes in unpack(keys)), strict=True)] == rows


def test_more_possible_combinations_than_keys():
    batch = [Coded(np.array(codes), [str(value) for value in range(VALUES)]) for codes in zip(*ROWS, strict=True)]
    combinations, counts = condense_batch(batch)
    assert counts.tolist() == [1] * len(ROWS)
    assert sorted(zip(*(column.codes.tolist() for column in combinations), strict=True)) == sorted(ROWS)


def test_sizes_where_few_of_the_possible_combinations_occur():
    columns = {
        f"c{place}": Coded(np.array(codes), range(VALUES)) for place, codes in enumerate(zip(*ROWS, strict=True))
    }
    tally = Tally(columns, np.arange(1, len(ROWS) + 1))
    assert sorted(tally.count_by([*columns]).tolist()) == list(range(1, len(ROWS) + 1))


def test_classes_of_a_table_with_more_possible_combinations_than_keys():
    table = {f"c{place}": [f"{value:02}" for value in cells] for place, cells in enumerate(zip(*ROWS, strict=True))}
    assert pw.Release(table).ask("class sizes").figures["classes"] == len(ROWS)
    assert pw.Release(table).ask("k-anonymity").judged_classes == len(ROWS)
