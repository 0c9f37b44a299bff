"""Pairs of combination and person are a counter of rows, whatever persons are called and however they are coded."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from PETWorks.tables.counting import count as pairing
from PETWorks.tables.counting import tally as sorting
from PETWorks.tables.counting import tally as tallying
from PETWorks.tables.counting.count import PairBuilder, count
from PETWorks.tables.counting.persons import split_persons
from PETWorks.tables.counting.size_histogram import Grouping
from PETWorks.tables.counting.tally import Coded, count_keys, number_keys, sum_by_key
from PETWorks.tables.counting.texts import Numerals, WholeNumbers
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.formats import parquet
from PETWorks.tables.opening import open_source
from PETWorks.tables.text_form import encode
from support.strategies import brute

LEAST, MOST = -(2**63), 2**63 - 1
NUMBERS = [0, 1, -1, 7, 70, 10**12, LEAST, MOST]
TEXTS = ["7", "07", "P7", "*", "高", None]


@st.composite
def batches(draw):
    """Batches of rows (age, zip, person); those of a batch are all whole numbers, or texts."""
    rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["1", None])), min_size=1, max_size=6)
    found = []
    for some in draw(st.lists(rows, min_size=1, max_size=4)):
        persons = draw(st.sampled_from([NUMBERS[:5], NUMBERS, TEXTS]))
        found.append([(*row, draw(st.sampled_from(persons))) for row in some])
    return found


def coded(rows: list[tuple]) -> list[Coded]:
    *columns, persons = zip(*rows, strict=True)
    numbers = isinstance(persons[0], int)
    return [*map(Coded.of, columns), WholeNumbers(np.array(persons)) if numbers else Coded.of(persons)]


def expected(found: list[list[tuple]]) -> Counter:
    rows = [row for some in found for row in some]
    return Counter((*row[:-1], str(row[-1]) if isinstance(row[-1], int) else row[-1]) for row in rows)


@pytest.fixture(autouse=True)
def _as_they_were(monkeypatch):
    sizes = [(module, name) for module in (tallying, sorting) for name in ("KEY_SPACE", "DENSE")]
    for module, name in (*sizes, (pairing, "KEY_SPACE")):
        monkeypatch.setattr(module, name, getattr(module, name))


@st.composite
def packings(draw):
    """Say whether all keys fit in 64 bits, and whether keys are sorted."""
    space = draw(st.sampled_from([100, pairing.KEY_SPACE]))
    tallying.KEY_SPACE = sorting.KEY_SPACE = pairing.KEY_SPACE = space
    tallying.DENSE = sorting.DENSE = draw(st.sampled_from([0, 8, 10**6]))


@brute
@given(batches(), packings(), st.booleans(), st.sampled_from(["add", "merge", "counts"]))
def test_builder(found, packing, last_again, how):
    builder = PairBuilder(["age", "zip", "who"])
    for some in found:
        builder.add(coded(some), np.full(len(some), 3) if how == "counts" else None)
        if how == "merge":
            assert builder.merge() > 0
    if last_again and how == "merge":
        builder.merge()
    tally = builder.build()
    times = 3 if how == "counts" else 1
    assert dict(tally.items()) == {row: rows * times for row, rows in expected(found).items()}
    held = split_persons(tally, "who")
    assert list(held.tally.items()) == sorted(
        held.tally.items(), key=lambda one: [(v is None, v or "") for v in one[0]]
    )
    assert held.persons.occurring == held.persons.people == len(held.names) == len({row[-1] for row in expected(found)})
    assert held.persons.several == (tally.rows > held.persons.people)
    pairs = list(zip(held.persons.of_entry.tolist(), held.persons.of_person.tolist(), strict=True))
    assert pairs == sorted(set(pairs))


@brute
@given(batches(), st.integers(0, 2))
def test_counted_wherever_the_persons_stand(found, place):
    """The column of the persons comes last in the tally, wherever it was asked for."""
    keys, order = ["age", "zip"], [0, 1]
    keys.insert(place, "who")
    order.insert(place, 2)
    rows = ([coded(some)[one] for one in order] for some in found)
    tally = count("visits", keys, rows, Workspace(), Grouping(("age", "zip"), person="who"))
    assert [*tally.columns] == ["age", "zip", "who"]
    assert dict(tally.items()) == expected(found)


@brute
@given(st.lists(st.integers(0, 30), max_size=20), st.sampled_from([31, 10**9, 2**61]), packings())
def test_keys_are_numbered_and_counted(keys, space, packing):
    array, times = np.array(keys, dtype=np.int64), Counter(keys)
    different, places = number_keys(array, space)
    assert different[places].tolist() == keys
    if space > 31:
        assert different.tolist() == sorted(times)
    assert [one.tolist() for one in sum_by_key(array, np.full(len(keys), 5), space)] == [
        sorted(times),
        [5 * times[key] for key in sorted(times)],
    ]
    assert [one.tolist() for one in count_keys(array)] == [sorted(times), [times[key] for key in sorted(times)]]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint32(), pa.int64(), pa.uint64()])
def test_whole_numbers_are_their_numerals(kind):
    coded_column = encode(pa.array([7, 100, 7], kind), "t, who")
    assert isinstance(coded_column, WholeNumbers) == (kind != pa.uint64())
    assert (coded_column.size, coded_column.take(slice(1, 3)).size) == (3, 2)
    assert [coded_column.values[code] for code in coded_column.codes] == ["7", "100", "7"]
    with_nulls = encode(pa.array([7, None], kind), "t, who")
    assert [with_nulls.values[code] for code in with_nulls.codes] == ["7", None]


def test_numerals_are_found_as_they_are_written():
    numerals = Numerals(np.array([5, -5, MOST, LEAST]))
    assert numerals.find(["5", "05", "+5", " 5", "5.0", None, "*", str(MOST), "9" * 19, "9" * 40]) == [0, 2]
    assert numerals.find([str(LEAST), "-5", "-0"]) == [1, 3]
    assert list(numerals) == ["5", "-5", str(MOST), str(LEAST)]
    assert numerals[:2] == ["5", "-5"]
    assert list(numerals.clear([0])) == [None, "-5", str(MOST), str(LEAST)]


@pytest.mark.parametrize("numbers", [range(40), range(-20, 20), [one * 10**17 for one in range(-20, 20)]])
def test_numbers_and_their_texts_give_the_same(numbers, tmp_path):
    who = [list(numbers)[row % 37] for row in range(120)]
    table = {"who": who, "zip": [str(row % 5) for row in range(120)], "ill": [str(row % 3) for row in range(120)]}
    pq.write_table(pa.table(table), tmp_path / "visits.parquet")
    asked = {"quasi_identifiers": ["zip"], "sensitive": ["ill"], "person": "who"}
    texts = pw.Release(table | {"who": list(map(str, who))}, **asked).evaluate()
    for form in (table, tmp_path / "visits.parquet"):
        found = pw.Release(form, **asked).evaluate()
        assert [one.value for one in found] == [one.value for one in texts]


def test_a_marker_that_is_a_number():
    """A person called 0 is nobody if "0" is the marker."""
    table = pa.table({"who": [0, 0, 1, 2], "zip": ["100"] * 4})
    release = pw.Release(table, quasi_identifiers=["zip"], person="who", suppressed="0", unknown_person="together")
    assert release.ask(pw.KAnonymity(2)).value == 3
    assert pw.Release(table, quasi_identifiers=["zip"], person="who").ask(pw.KAnonymity(2)).value == 3


def test_many_texts_in_parquet_are_not_read_as_codes(tmp_path):
    """What is read does not depend on how the file stores it; a nested column before it does not matter."""
    rows = 300_000
    table = pa.table(
        {"nested": [[1]] * rows, "few": ["a", "b"] * (rows // 2), "many": [f"P{row:09}" for row in range(rows)]}
    )
    pq.write_table(table, tmp_path / "t.parquet", compression="none")
    with pq.ParquetFile(tmp_path / "t.parquet") as file:
        assert parquet._find_coded(file, file.schema_arrow, table.column_names) == ["few"]
    source = open_source(str(tmp_path / "t.parquet"), "t")
    assert source.tally(["few"]).counts.tolist() == [rows // 2] * 2
    batch = next(iter(source.batches(["many"])))[0]
    assert batch.values[batch.codes[7]] == "P000000007"


def test_the_columns_of_a_wide_parquet_file_are_listed_once(tmp_path, monkeypatch):
    """Not once for each of them, which takes minutes for ten thousand columns."""
    listed = []

    class Listing(pq.ParquetFile):
        @property
        def schema_arrow(self):
            listed.append(1)
            return super().schema_arrow

    pq.write_table(pa.table({f"c{place}": ["a", "b"] for place in range(50)}), tmp_path / "t.parquet", row_group_size=1)
    monkeypatch.setattr(pq, "ParquetFile", Listing)
    source = open_source(str(tmp_path / "t.parquet"), "t")
    assert [batch[49].values for batch in source.batches(source.columns)] == [["a"], ["b"]]
    assert len(listed) <= 2
