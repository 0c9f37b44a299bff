"""Results, classes and failing rows as frames of the library that the user works with."""

import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import PETWorks as pw
from PETWorks.errors import NotAskableError, ParameterError, TooLargeError

PEOPLE = {
    "zip": ["100", "100", "200", None, "*"],
    "age": ["30", "30", "40", "40", "*"],
    "illness": ["flu", "cold", "flu", "flu", "flu"],
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


def release(library, people=PEOPLE):
    return pw.Release(LIBRARIES[library](people), quasi_identifiers=["zip", "age"], sensitive=["illness"])


def cells(frame):
    """Return a frame as a dict of lists, with None for what is missing."""
    if isinstance(frame, pd.DataFrame):
        listed = frame.astype(object).where(frame.notna(), None).to_dict("list")
        return {name: list(column) for name, column in listed.items()}
    return frame.to_dict(as_series=False) if isinstance(frame, pl.DataFrame) else frame.to_pydict()


# Classes


def test_classes_are_a_frame_of_the_library_of_the_table(library):
    frame = release(library).classes()
    assert isinstance(frame, KINDS[library])
    assert cells(frame) == {"zip": ["100", "200", None], "age": ["30", "40", "40"], "size": [2, 1, 1]}


def test_classes_that_fail(library):
    frame = release(library).classes(pw.KAnonymity(k=2), pw.LDiversity(l=2))
    assert cells(frame)["failing"] == [False, True, True]


@pytest.mark.parametrize("wanted", LIBRARIES)
def test_another_library_may_be_chosen(library, wanted):
    frame = release(library).classes(library=wanted)
    assert isinstance(frame, KINDS[wanted])
    assert cells(frame) == cells(release(library).classes())


def test_a_column_may_be_called_size():
    frame = pw.Release({"size": ["L", "L"], "failing": ["no", "no"]}).classes(pw.KAnonymity(k=3), library="polars")
    assert cells(frame) == {"size": ["L"], "failing": ["no"], "size'": [2], "failing'": [True]}


def test_values_are_categories_of_those_that_occur():
    frame = release("pandas").classes()
    assert list(frame["zip"].cat.categories) == ["100", "200"]


@pytest.mark.parametrize("measure", ["Precision", pw.KAnonymity(), pw.ReidentificationRisk(highest="0.5")])
def test_measures_that_do_not_judge_classes(measure):
    with pytest.raises(ParameterError, match="does not tell which classes fail"):
        release("pandas").classes(measure)


def test_an_unknown_library():
    with pytest.raises(ParameterError, match="library cannot be 'panda'") as caught:
        release("pandas").classes(library="panda")
    assert 'did you mean "pandas"?' in caught.value.hint


def test_files_come_in_the_first_library_that_is_installed(tmp_path, monkeypatch):
    file = tmp_path / "a.csv"
    file.write_text("zip\n100\n", encoding="utf-8")
    assert isinstance(pw.Release(file).classes(), pd.DataFrame)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(pw.Release(file).classes(), pl.DataFrame)
    assert isinstance(pw.Release(file).evaluate().to_frame(), pl.DataFrame)
    with pytest.raises(ParameterError, match="pandas is not installed"):
        pw.Release(file).classes(library="pandas")


def test_classes_that_do_not_fit_in_memory(count_only_sizes):
    count_only_sizes()
    with pytest.raises(TooLargeError):
        pw.Release(PEOPLE).classes()


# Rows


def test_failing_rows_of_an_evaluation(library):
    table = LIBRARIES[library](PEOPLE)
    evaluation = release(library).check(pw.KAnonymity(k=2), pw.Shares(at_most="1/2"))
    positions, mask = evaluation.failing_positions(), evaluation.failing_mask()
    assert (positions.tolist(), mask.tolist()) == ([2, 3], [False, False, True, True, False])
    expected = {name: column[2:4] for name, column in PEOPLE.items()}
    if library == "pandas":
        chosen = table[mask], table.iloc[positions]
    elif library == "polars":
        chosen = table.filter(mask), table[positions]
    else:
        chosen = table.filter(mask), table.take(positions)
    assert [cells(one) for one in chosen] == [expected, expected]


def test_failing_rows_of_each_measure():
    people = PEOPLE | {"illness": ["flu", "flu", "flu", "flu", "flu"]}
    evaluation = release("pandas", people).check(pw.KAnonymity(k=2), pw.LDiversity(l=2))
    assert [result.failing_positions().tolist() for result in evaluation] == [[2, 3], [0, 1, 2, 3]]
    assert evaluation["k-anonymity"].failing_mask().sum() == evaluation["k-anonymity"].failing_rows
    assert evaluation.failing_positions().tolist() == [0, 1, 2, 3]


def test_nothing_fails():
    result = release("pandas").ask(pw.KAnonymity(k=1))
    assert (result.failing_positions().tolist(), result.failing_mask().tolist()) == ([], [False] * 5)


def test_a_measure_of_the_whole_table_knows_no_failing_rows():
    with pytest.raises(NotAskableError, match="judges the table as a whole"):
        release("pandas").ask("shares").failing_positions()


def test_a_guarded_result_knows_no_rows():
    with pytest.raises(NotAskableError, match="guarded"):
        release("pandas").ask(pw.KAnonymity(k=2)).guarded().failing_mask()


# Results


def test_results_are_a_frame(library):
    frame = release(library).check(pw.KAnonymity(k=2), pw.TCloseness(t="1/3")).to_frame()
    assert isinstance(frame, KINDS[library])
    listed = cells(frame)
    assert {name: listed[name] for name in ("measure", "value", "exact", "side", "limit", "holds")} == {
        "measure": ["k-anonymity", "t-closeness"],
        "value": [1.0, 0.3],
        "exact": ["1", "3/10"],
        "side": ["at least", "at most"],
        "limit": ["2", "1/3"],
        "holds": [False, True],
    }
    assert (listed["failing_rows"], listed["family"]) == ([2, 0], ["privacy", "privacy"])
    assert "part" not in listed


def test_parts_have_rows_of_their_own(library):
    asked = pw.ReidentificationRisk(highest="1/2"), pw.KAnonymity(k=2)
    listed = cells(release(library).evaluate(*asked).to_frame(parts=True))
    assert listed["part"][:3] == [None, "highest", "lowest"]
    assert listed["part"][-1] is None
    assert listed["holds"][:3] == [False, False, None]


def test_requirements_that_could_not_be_evaluated_have_a_row(library):
    listed = cells(release(library).check(pw.KAnonymity(k=2), pw.KMap(k=3)).to_frame())
    assert (listed["measure"], listed["holds"], listed["value"]) == (
        ["k-anonymity", "k-map"],
        [False, None],
        [1.0, None],
    )
    assert listed["problem"][0] is None
    assert "population" in listed["problem"][1]


# The page


def test_to_html_returns_the_path_it_wrote(tmp_path):
    evaluation = release("pandas").evaluate(pw.KAnonymity(k=2))
    path = evaluation.to_html(tmp_path / "page.html")
    assert path == tmp_path / "page.html"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert evaluation.to_html().startswith("<!DOCTYPE html>")
