"""Numbers of any size, text that is not Unicode, releases of which no row is left: an answer, or an error of ours."""

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

import PETWorks as pw
from PETWorks.errors import PETWorksError

LARGE = 10**5000 + 1  # more digits than Python converts to text
BROKEN = {"a": ["x\ud800", "x\ud800", "y", "y"], "b": [1, 1, 2, 2]}
GONE = {"a": ["x", "y", "z", "w"], "b": [1, 1, 2, 2]}


def make(table, name="a", k=2, **options):
    return pw.anonymize(table, goals=[pw.KAnonymity(k=k)], quasi_identifiers=[name], the_rest="insensitive", **options)


def test_whole_numbers_of_duckdb_that_have_no_bound():
    digits = "123456789012345678901234567890"
    cells = pa.table({"v": [digits, "2", digits, "2"]})
    relation = duckdb.from_arrow(cells).project("v::bignum a, 1 b")
    assert pw.Release(relation, quasi_identifiers=["a"]).ask(pw.KAnonymity(k=2)).holds
    assert {*make(relation).frame("pyarrow").column("a").to_pylist()} == {digits, "2"}
    assert {*make(relation, "b").frame("pyarrow").column("a").to_pylist()} == {digits, "2"}
    assert pw.inspect(relation).columns


@pytest.fixture(params=["list", "pandas", "csv", "jsonl"])
def large(request, tmp_path):
    """Return a table with a number of 5,001 digits."""
    cells = {"a": [LARGE, 2, 2, LARGE], "b": [1, 1, 2, 2]}
    digits = "1" + "0" * 4999 + "1"
    rows = list(zip([digits, "2", "2", digits], cells["b"], strict=True))
    path = tmp_path / f"t.{request.param}"
    if request.param == "csv":
        path.write_text("a;b\n" + "\n".join(f"{a};{b}" for a, b in rows))
    if request.param == "jsonl":
        path.write_text("\n".join(f'{{"a":{a},"b":{b}}}' for a, b in rows))
    return {"list": cells, "pandas": pd.DataFrame(cells, dtype=object)}.get(request.param, path)


def test_numbers_of_any_length(large):
    assert pw.Release(large, quasi_identifiers=["a"]).ask(pw.KAnonymity(k=2)).holds
    assert pw.inspect(large).columns
    for rule in (pw.Hierarchy.intervals("a", widths=[10]), pw.Hierarchy.quantiles("a", parts=[2])):
        assert make(large, hierarchies={"a": rule}).frame("pyarrow").num_rows == 4
    made = make(large, k=4, recoding="microaggregate", hierarchies=None)
    assert len({*made.frame("pyarrow").column("a").to_pylist()}) == 1
    assert pw.Release(large, original=large, quasi_identifiers=["b"], sensitive=["a"]).evaluate().to_json()


def test_labels_of_long_numbers_are_right():
    digits = "1" + "0" * 4999 + "7"
    hierarchy = pw.Hierarchy.intervals("a", widths=[10]).build([digits, "2"])
    assert hierarchy.lift(digits, 1) == f"{digits[:-1]}0-{digits[:-1]}9"


@pytest.mark.parametrize(
    "use",
    [
        lambda _: pw.Release(BROKEN, quasi_identifiers=["a"]).classes(),
        lambda _: pw.inspect(BROKEN).text(),
        lambda _: make(BROKEN).frame(),
        lambda _: make(BROKEN, "b").frame(),
        lambda path: make(BROKEN).write(path),
        lambda path: make(BROKEN, "b").write(path),
    ],
    ids=["classes", "inspect", "frame", "frame of others", "write", "write others"],
)
@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_half_of_a_pair_of_surrogates(tmp_path, use, ending):
    with pytest.raises(PETWorksError) as found:
        use(tmp_path / f"r.{ending}")
    assert "\ud800" not in str(found.value)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("order", ["original", "shuffled"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("form", ["list", "arrow", "csv"])
def test_a_frame_without_rows(tmp_path, order, library, form):
    (tmp_path / "t.csv").write_text("a;b\n" + "\n".join(f"{a};{b}" for a, b in zip(*GONE.values(), strict=True)))
    table = {"list": GONE, "arrow": pa.table(GONE), "csv": tmp_path / "t.csv"}[form]
    made = make(table, k=5, suppress_at_most=1, suppressed_rows="remove", order=order)
    assert (len(made.frame(library)), list(made.frame(library).columns)[:1] != []) == (0, True)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "jsonl"])
def test_a_file_without_rows_is_not_written(tmp_path, ending):
    for order in ("original", "shuffled"):
        made = make(GONE, k=5, suppress_at_most=1, suppressed_rows="remove", order=order)
        with pytest.raises(PETWorksError, match=r"no rows|empty"):
            made.write(tmp_path / f"r.{ending}")
    assert not [*tmp_path.iterdir()]
