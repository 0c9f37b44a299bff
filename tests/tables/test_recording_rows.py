"""The rows that a pass records are those of the table, however its batches store them."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from PETWorks.errors import TooLargeError
from PETWorks.tables.counting.tally import Coded
from PETWorks.tables.counting.texts import Numerals, Texts, WholeNumbers, text_array
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.row_codes import RowRecorder
from PETWorks.tables.source import TableSource

KINDS = ("list", "texts", "numbers", "numerals")
BATCHES = st.lists(st.tuples(st.sampled_from(KINDS), st.lists(st.integers(-2, 3), min_size=1, max_size=6)), max_size=5)


class Given(TableSource):
    """A table of one column, whose batches are stored in several ways."""

    name, columns = "given", ("n",)

    def __init__(self, batches: Sequence[tuple[str, list[int]]]) -> None:
        self.given, self.passes = batches, 0

    def batches(self, columns: Sequence[str]) -> Iterator[list[Coded]]:
        self.passes += 1
        for kind, numbers in self.given:
            plain = Coded.of([str(one) for one in numbers])
            texts = {
                "list": plain.values,
                "texts": Texts(text_array(plain.values)),
                "numerals": Numerals(np.array([int(str(one)) for one in plain.values])),
            }
            column = WholeNumbers(np.array(numbers)) if kind == "numbers" else Coded(plain.codes, texts[kind])
            yield [column for _ in columns]


@given(BATCHES)
def test_the_recorded_rows_are_those_of_the_table(batches):
    table = Given(batches)
    table.recorder = recorder = RowRecorder(table)
    read = [batch[0] for batch in table.read_to_count(["n"])]
    expected = [str(one) for _, numbers in batches for one in numbers]
    assert [column.values[code] for column in read for code in column.codes.tolist()] == expected
    column = recorder.codes["n"]
    assert [column.values[code] for code in column.codes.tolist()] == expected
    assert len(set(column.values)) == len(column.values)
    assert table.passes == 1


def test_a_pass_that_was_left_early_is_not_taken_for_the_table():
    table = Given([("list", [1, 2]), ("texts", [2, 3])])
    recorder = RowRecorder(table)
    next(recorder.batches(["n"]))
    assert not recorder.recorded
    assert recorder.codes.rows == 4


def test_rows_that_do_not_fit_are_still_counted():
    table = Given([("texts", [1, 2]), ("list", [2, 3])])
    table.recorder = recorder = RowRecorder(table, Workspace(memory=100))
    assert table.tally(["n"]).counts.tolist() == [1, 2, 1]
    assert recorder.recorded
    with pytest.raises(TooLargeError):
        _ = recorder.codes
