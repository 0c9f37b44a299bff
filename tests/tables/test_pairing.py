"""Pair the rows of the original and of the release by position or by a key, only for measures that need it."""

from fractions import Fraction
from random import Random

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from PETWorks import (
    AECS,
    Ambiguity,
    Granularity,
    NonUniformEntropy,
    Precision,
    Profitability,
    Release,
    Shares,
    SquaredError,
    TCloseness,
)
from PETWorks.errors import MalformedError, PairingError, ParameterError, PETWorksError, UnknownNameError
from PETWorks.tables import decoding, frames

YEARS = [("1977", "197*", "*"), ("1983", "198*", "*"), ("1988", "198*", "*")]
ORIGINAL = {"id": ["a", "b", "c", "d", "e"], "year": ["1977", "1983", "1988", "1988", "1977"], "x": list("pqrst")}
RELEASED = {"id": ["a", "b", "c", "d", "e"], "year": ["197*", "198*", "1988", "198*", "*"], "sick": list("ynyny")}
PAIRING = (Precision(), NonUniformEntropy())
OTHERS = (AECS(), Profitability(cost=4, gain=300, loss=300, benefit=1200), TCloseness(t="0.99"))


def name(measure):
    return measure.name


def reordered(table, order):
    return {column: [cells[place] for place in order] for column, cells in table.items()}


def asked(release, original, *measures, **options):
    options = {"quasi_identifiers": ["year"], "sensitive": ["sick"], "hierarchies": {"year": YEARS}, **options}
    return Release(release, original=original, **options).evaluate(*(measures or PAIRING))


def complaint(release, original, *measures, kind=PairingError, **options):
    with pytest.raises(kind) as caught:
        asked(release, original, *measures, **options)
    return caught.value


def _csv(table, path):
    path.write_text("\n".join([";".join(table), *map(";".join, zip(*table.values(), strict=True))]))
    return path


def _parquet(table, path):
    pq.write_table(pa.table(table), path, row_group_size=2)
    return path


FRAMES = {
    "dict": dict,
    "pandas": lambda table: pd.DataFrame(table, index=range(len(table["id"]), 0, -1)),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "arrow": pa.table,
    "duckdb": lambda table: duckdb.from_arrow(pa.table(table)),
}
FILES = {"csv": _csv, "parquet": _parquet}
FORMS = [*FRAMES, *FILES]


@pytest.fixture
def made(tmp_path):
    """Return a table in some format: a data frame, or the path of a file."""

    def made(table, form, stem):
        return FILES[form](table, tmp_path / f"{stem}.{form}") if form in FILES else FRAMES[form](table)

    return made


EXPECTED = Fraction(1, 2)  # Precision: levels 1, 1, 0, 1, 2 of 2


@pytest.mark.parametrize("form", FORMS)
def test_by_position(made, form):
    results = asked(made(RELEASED, form, "release"), made(ORIGINAL, form, "original"))
    assert results["Precision"].exact == EXPECTED


@pytest.mark.parametrize("form", FORMS)
def test_by_key_shuffled_rows_give_the_same_as_rows_in_order(made, form):
    shuffled = asked(
        made(reordered(RELEASED, [2, 0, 4, 1, 3]), form, "release"), made(ORIGINAL, form, "original"), key="id"
    )
    in_order = asked(RELEASED, ORIGINAL, key="id")
    assert [result.value for result in shuffled] == [result.value for result in in_order]
    assert shuffled["Precision"].exact == EXPECTED


def test_by_key_the_original_may_be_shuffled_too():
    shuffled = asked(RELEASED, reordered(ORIGINAL, [1, 3, 0, 2, 4]), key="id")
    assert [result.value for result in shuffled] == [result.value for result in asked(RELEASED, ORIGINAL)]


def test_by_position_shuffled_rows_give_something_else():
    """The measure depends on the pairing: otherwise the tests above would prove nothing."""
    shuffled = asked(reordered(RELEASED, [2, 0, 4, 1, 3]), ORIGINAL, pairing="position")
    assert shuffled["Non-Uniform Entropy"].value != asked(RELEASED, ORIGINAL)["Non-Uniform Entropy"].value


def test_keys_are_compared_as_text():
    released = {**RELEASED, "id": [3, 1, 2.0, "4 ", 5]}
    original = {**ORIGINAL, "id": ["3", " 1", "2", 4, "5"]}
    assert asked(released, original, key="id")["Precision"].exact == EXPECTED


@pytest.mark.parametrize("form", FORMS)
def test_the_key_may_be_a_quasi_identifier(made, form):
    release, original = made(reordered(RELEASED, [4, 3, 2, 1, 0]), form, "release"), made(ORIGINAL, form, "original")
    results = asked(release, original, key="id", quasi_identifiers=["id", "year"])
    assert {column: part.value for column, part in results["Precision"].parts.items()} == {"id": 1, "year": 0.5}


def test_the_key_may_be_sensitive():
    results = asked(RELEASED, ORIGINAL, TCloseness(t=1), Precision(), key="id", sensitive=["id"])
    assert results["Precision"].exact == EXPECTED


def test_batches_of_different_sizes_pair_up(monkeypatch, made):
    monkeypatch.setattr(decoding, "BLOCK", 20)
    monkeypatch.setattr(frames, "BATCH_ROWS", 3)
    results = asked(made(RELEASED, "csv", "release"), made(ORIGINAL, "pandas", "original"))
    assert results["Precision"].exact == EXPECTED


def test_many_rows_by_key():
    order = np.random.default_rng(1).permutation(20_000)
    ids, years = np.arange(20_000), np.array(["1977", "1983"])[np.arange(20_000) % 2]
    original = pd.DataFrame({"id": ids, "year": years})
    released = pd.DataFrame({"id": ids[order], "year": [f"{year[:3]}*" for year in years[order]], "sick": "y"})
    result = asked(released, original, Precision(), key="id")[0]
    assert (result.exact, [note for note in result.notes if note.kind == "unexplained"]) == (Fraction(1, 2), [])


# Another number of rows


SHORT = reordered(RELEASED, [0, 1, 2])


@pytest.mark.parametrize("measure", PAIRING, ids=name)
@pytest.mark.parametrize(("release", "original"), [(SHORT, ORIGINAL), (RELEASED, reordered(ORIGINAL, [0, 1, 2]))])
def test_another_number_of_rows(measure, release, original):
    error = complaint(release, original, measure)
    rows = len(release["id"]), len(original["id"])
    assert error.problem.endswith(f"{rows[1]} rows in original, {rows[0]} rows in release")
    assert "key=" in error.hint


@pytest.mark.parametrize("form", FORMS)
def test_another_number_of_rows_in_any_form(made, form):
    error = complaint(made(SHORT, form, "release"), made(ORIGINAL, form, "original"))
    assert ("5 rows" in error.problem, "3 rows in release" in error.problem) == (True, True)


@pytest.mark.parametrize("measure", OTHERS, ids=name)
def test_another_number_of_rows_where_nothing_is_paired(measure):
    assert asked(SHORT, ORIGINAL, measure)[0].value is not None


def test_measures_that_pair_no_rows_are_answered_beside_one_that_does():
    evaluation = Release(
        SHORT, original=ORIGINAL, quasi_identifiers=["year"], sensitive=["sick"], hierarchies={"year": YEARS}
    ).evaluate()
    assert evaluation["AECS"].value == asked(SHORT, ORIGINAL, AECS())[0].value
    assert "cannot be paired" in str(evaluation.skipped["Precision"])


def test_an_original_without_rows(write):
    original = write("id;year\n", "original.csv")
    error = complaint(RELEASED, original, kind=PETWorksError)
    assert "original.csv" in str(error)


@pytest.mark.parametrize("key", [None, "id"])
def test_no_rows_on_either_side(write, key):
    header = "id;year;sick\n"
    error = complaint(write(header), write(header, "original.csv"), kind=MalformedError, key=key)
    assert "no rows" in error.problem


# What is wrong with a key


def test_a_key_that_occurs_twice():
    error = complaint({**RELEASED, "id": list("aabbc")}, ORIGINAL, key="id")
    assert error.where == "release"
    for word in ("2 values", '"id"', "more than once", '"a", "b"'):
        assert word in str(error)


def test_a_key_that_occurs_twice_in_the_original():
    assert complaint(RELEASED, {**ORIGINAL, "id": list("abcdd")}, key="id").where == "original"


@pytest.mark.parametrize("cell", [None, "", " "])
def test_a_missing_key(cell):
    error = complaint({**RELEASED, "id": [*"abcd", cell]}, ORIGINAL, key="id")
    assert (error.where, '"id"' in error.problem, "missing" in error.problem) == ("release", True, True)


def test_keys_of_one_table_only():
    error = complaint({**RELEASED, "id": list("abcyz")}, ORIGINAL, key="id")
    for word in ('"id"', '"d"', '"e"', '"y"', '"z"', "one table only"):
        assert word in str(error)
    assert ("original" in error.where, "release" in error.where) == (True, True)


def test_one_key_of_one_table_only():
    error = complaint(SHORT, reordered(ORIGINAL, [0, 1, 2, 3]), key="id")
    assert "1 value " in error.problem


@pytest.mark.parametrize(
    ("release", "original"),
    [
        ({**RELEASED, "id": list("aabbc")}, ORIGINAL),
        ({**RELEASED, "id": [*"abcd", None]}, ORIGINAL),
        ({**RELEASED, "id": list("abcyz")}, ORIGINAL),
    ],
    ids=["twice", "missing", "one-sided"],
)
def test_what_to_do_about_a_key(release, original):
    assert complaint(release, original, key="id").hint


@pytest.mark.parametrize(
    ("release", "original", "where"),
    [
        ({"year": RELEASED["year"], "sick": RELEASED["sick"]}, ORIGINAL, "release"),
        (RELEASED, {"year": ORIGINAL["year"], "idx": ORIGINAL["id"]}, "original"),
    ],
)
def test_a_key_that_is_no_column(release, original, where):
    error = complaint(release, original, kind=UnknownNameError, key="id")
    assert (error.where, '"id"' in error.problem, "key" in error.problem) == (where, True, True)
    assert "Known:" in error.hint


@pytest.mark.parametrize("measure", OTHERS, ids=name)
def test_a_bad_key_where_nothing_is_paired(measure):
    released = {**RELEASED, "id": list("aabbc")}
    assert asked(released, ORIGINAL, measure, key="id")[0].value is not None


def test_a_key_without_original():
    assert asked(RELEASED, None, Precision(), key="id")[0].exact == EXPECTED


# Rows that do not seem to pair


PLACES = ["Taipei", "Tainan", "Taichung", "Hualien", "Keelung"]
CHANCE = Random(1)
PEOPLE = {
    "id": [f"p{row}" for row in range(300)],
    "year": CHANCE.choices(["1977", "1983", "1988"], k=300),
    "place": CHANCE.choices(PLACES, k=300),
}
LIFTED = {**PEOPLE, "year": [f"{year[:3]}*" for year in PEOPLE["year"]], "sick": ["y"] * 300}
UNORDERED = reordered(LIFTED, [row * 7 % 300 for row in range(300)])
BOTH = {"quasi_identifiers": ["year", "place"]}
LEVELS = [Precision(), NonUniformEntropy(), Ambiguity(), Granularity(), Shares()]
MONEY = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}


@pytest.mark.parametrize("measure", [*LEVELS, SquaredError(), Profitability(**MONEY, information_loss=True)], ids=name)
def test_another_order_is_an_error_of_measures_that_pair_rows(measure):
    assert asked(LIFTED, PEOPLE, measure, **BOTH)[0].warnings == ()
    error = complaint(UNORDERED, PEOPLE, measure, **BOTH)
    assert error.problem == "the rows of the two tables do not seem to be in the same order"
    assert error.hint == 'pass key=, or pairing="position" if they are in the same order'


@pytest.mark.parametrize("measure", OTHERS, ids=name)
def test_another_order_is_no_error_of_other_measures(measure):
    result, expected = (asked(table, PEOPLE, measure, **BOTH)[0] for table in (UNORDERED, LIFTED))
    assert (result.exact, result.holds, result.warnings) == (expected.exact, expected.holds, ())


@pytest.mark.parametrize("measure", [*LEVELS, SquaredError()], ids=name)
def test_the_caller_may_vouch_for_the_order(measure):
    result = asked(UNORDERED, PEOPLE, measure, **BOTH, pairing="position")[0]
    assert [note.kind for note in result.warnings] == ["unexplained"]


def test_a_key_puts_rows_in_order():
    assert asked(UNORDERED, PEOPLE, **BOTH, key="id")["Precision"].warnings == ()


def test_a_wrong_key_is_an_error_unless_vouched_for():
    wrong = {**UNORDERED, "id": PEOPLE["id"]}
    error = complaint(wrong, PEOPLE, **BOTH, key="id")
    assert error.problem == 'rows with the same "id" do not seem to belong together'
    assert 'pairing="key"' in error.hint
    assert asked(wrong, PEOPLE, **BOTH, key="id", pairing="key")["Precision"].warnings


@pytest.mark.parametrize(("lost", "on"), [(1, "1 row on"), (3, "3 rows on"), (-1, "1 row back"), (-2, "2 rows back")])
@pytest.mark.parametrize("batch", [1, 2, 7, 1000])
def test_it_says_from_where_on_rows_are_out_of_place(monkeypatch, lost, on, batch):
    monkeypatch.setattr(frames, "BATCH_ROWS", batch)
    rows = [*range(200), *range(200 + lost, 300), *range(200, 200 + lost), *([200] * -lost)]
    error = complaint(reordered(LIFTED, rows[:300]), PEOPLE, **BOTH)
    assert error.problem.endswith(f"on they fit the original {on}")
    assert 195 <= int(error.problem.split("near row ")[1].split(" ")[0]) <= 205


def test_few_rows_out_of_place_are_a_warning():
    order = list(range(300))
    order[10:16], order[200:206] = order[200:206], order[10:16]
    result = asked(reordered(LIFTED, order), PEOPLE, Precision(), **BOTH)[0]
    assert [note.kind for note in result.warnings] == ["unexplained", "displaced"]
    assert 6 <= result.warnings[1].figures["rows"] <= 18


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairing": "postion"}, 'did you mean "position"'),
        ({"pairing": "key"}, "pass key="),
        ({"pairing": "position", "key": "id"}, 'pass pairing="key"'),
    ],
)
def test_a_pairing_that_makes_no_sense(options, said):
    assert said in complaint(RELEASED, ORIGINAL, kind=ParameterError, **options).hint


def test_a_release_in_one_class_has_no_order():
    """Every order of equal rows is the same; cells that do not fit are counted all the same."""
    released = {"year": ["1983"] * 5, "sick": list("ynyny")}
    assert [note.figures["cells"] for note in asked(released, ORIGINAL, Precision())[0].warnings] == [4]


def test_values_that_count_as_fully_generalised_fit_every_original():
    released = {**UNORDERED, "year": ["the past"] * 300, "place": ["somewhere"] * 300}
    result = asked(released, PEOPLE, Precision(), **BOTH, unknown_values="generalised")[0]
    assert (result.exact, result.warnings) == (0, ())
