"""Hierarchies from a folder, a file or rows; errors name the file, the row and the value."""

from fractions import Fraction

import pandas as pd
import pytest

from PETWorks import (
    AECS,
    Hierarchy,
    KAnonymity,
    NonUniformEntropy,
    Precision,
    Profitability,
    Release,
    TCloseness,
    anonymize,
)
from PETWorks.errors import HierarchyError, ParameterError, PETWorksError, UnknownLevelsError, UnknownValueError
from PETWorks.tables import frames

YEARS = [("1977", "197*", "*"), ("1983", "198*", "*"), ("1988", "198*", "*")]
FILE = "1977;197*;*\n1983;198*;*\n1988;198*;*\n"
ORIGINAL = {"year": ["1977", "1983", "1988", "1988"]}
RELEASED = {"year": ["197*", "198*", "198*", "*"]}
PROFITABILITY = Profitability(cost=4, gain=300, loss=300, benefit=1200)


def complaint(call, kind=HierarchyError):
    with pytest.raises(kind) as caught:
        call()
    return caught.value


def precision(hierarchies, released=RELEASED, original=ORIGINAL, **options):
    return Release(released, original=original, hierarchies=hierarchies, **options).ask("Precision").exact


@pytest.fixture
def folder(write):
    """Write a folder with one hierarchy, that of the year."""

    def folder(content, name="adult_hierarchy_year.csv"):
        return write(content, f"hierarchies/{name}").parent

    return folder


# Where they come from


EXPECTED = Fraction(3, 8)  # levels 1, 1, 1 of 2, and a suppressed row


@pytest.mark.parametrize(
    "given",
    [
        YEARS,
        [list(row) for row in YEARS],
        (tuple(row) for row in YEARS),
        [(1977, "197*", "*"), (1983.0, " 198*", "*　"), ("1988", "198*", "*")],
        Hierarchy("year", YEARS),
    ],
    ids=["tuples", "lists", "a generator", "typed and padded cells", "a hierarchy"],
)
def test_rows(given):
    assert precision({"year": given}) == EXPECTED


@pytest.mark.parametrize(
    "content",
    [
        FILE,
        FILE.replace(";", ","),
        FILE.replace(";", "\t"),
        FILE.replace(";", "|"),
        FILE.replace("\n", "\r\n"),
        FILE.removesuffix("\n"),
        "\ufeff" + FILE,
        FILE.replace(";", " ; "),
        FILE.replace(";", ";　"),
        FILE.replace("1977;", '"1977";'),
        "\n" + FILE.replace("\n", "\n\n"),
        FILE + FILE,
    ],
    ids=[
        "; ",
        ",",
        "tab",
        "|",
        "crlf",
        "no last line end",
        "mark",
        "padded",
        "U+3000",
        "quoted",
        "blank lines",
        "twice",
    ],
)
def test_file(folder, content):
    assert precision(folder(content)) == EXPECTED


def test_file_in_cp950(folder):
    path = folder("台北;北部;*\n高雄;南部;*\n".encode("cp950"), "x_hierarchy_city.csv")
    assert precision(path, {"city": ["北部", "高雄"]}, {"city": ["台北", "高雄"]}) == Fraction(3, 4)


def test_a_single_file_by_its_path(folder):
    path = folder(FILE) / "adult_hierarchy_year.csv"
    assert precision({"year": path}) == precision({"year": str(path)}) == EXPECTED


def test_folder_as_text(folder):
    assert precision(str(folder(FILE))) == EXPECTED


@pytest.mark.parametrize(
    "name", ["_hierarchy_year.csv", "a_b-c.d_hierarchy_year.csv", "my_hierarchy_of_hierarchy_year.csv"]
)
def test_anything_may_stand_before_the_mark(folder, name):
    assert precision(folder(FILE, name)) == EXPECTED


@pytest.mark.parametrize("name", ["marital-status", "年齡", "a b", "zip_code"])
def test_any_attribute(folder, name):
    path = folder(FILE, f"x_hierarchy_{name}.csv")
    assert precision(path, {name: RELEASED["year"]}, {name: ORIGINAL["year"]}) == EXPECTED


def test_other_files_of_the_folder_do_not_matter(folder):
    folder("?", "README.md")
    folder("?", "years.csv")
    assert precision(folder(FILE)) == EXPECTED


def test_hierarchies_that_fit_no_column_are_told(folder):
    for name in ("yeer", "zip", "disease"):
        folder("x;*\n", f"adult_hierarchy_{name}.csv")
    notes = Release(RELEASED, original=ORIGINAL, hierarchies=folder(FILE)).ask("Precision").notes
    files = [f"adult_hierarchy_{name}.csv" for name in ("disease", "yeer", "zip")]  # no other column lacks a hierarchy
    assert [note.figures for note in notes if note.kind == "stray_hierarchies"] == [{"names": files}]


@pytest.mark.parametrize("name", ["Year", "YEAR", "yeer"])
def test_a_misspelt_hierarchy_is_told_with_the_column_that_it_may_be_for(folder, name):
    release = Release(RELEASED, hierarchies=folder(FILE, f"adult_hierarchy_{name}.csv"))
    assert [note.kind for note in release.remarks] == ["misspelt_hierarchy"]
    assert release.remarks[0].figures == {"name": f"adult_hierarchy_{name}.csv", "column": "year"}
    assert "rename it if it is that of year" in str(release.remarks[0])


@pytest.mark.parametrize("given", [{"Year": [["1977", "*"]]}, [Hierarchy.intervals("yeer", widths=[10])]])
def test_a_hierarchy_passed_for_no_column_is_an_error_with_the_nearest_name(given):
    with pytest.raises(HierarchyError, match="hierarchies: no column is called") as raised:
        Release(RELEASED, hierarchies=given)
    assert 'did you mean "year"?' in raised.value.hint
    with pytest.raises(HierarchyError, match="hierarchies: no column is called"):
        anonymize(RELEASED, quasi_identifiers=["year"], goals=KAnonymity(1), hierarchies=given)


def test_a_hierarchy_of_a_column_that_needs_none_is_noted():
    table = {**RELEASED, "ward": ["a"] * len(RELEASED["year"])}
    release = Release(table, quasi_identifiers=["year"], hierarchies={"ward": [["a", "*"]]})
    assert [note.kind for note in release.remarks] == ["idle_hierarchies"]
    assert "neither quasi-identifiers nor sensitive were not used: ward" in str(release.remarks[0])


# What is wrong with a folder


def test_missing_folder(tmp_path):
    (tmp_path / "adult_hierarchy").mkdir()
    error = complaint(lambda: Release(RELEASED, hierarchies=tmp_path / "adult_hierachy"))
    assert "adult_hierachy" in error.where
    assert 'did you mean "adult_hierarchy"?' in error.hint


@pytest.mark.parametrize("name", ["years.csv", "hierarchy_year.csv", "adult_hierarchy_year.txt"])
def test_a_folder_without_hierarchies(folder, name):
    error = complaint(lambda: Release(RELEASED, hierarchies=folder(FILE, name)))
    assert (error.where.endswith("hierarchies"), "no hierarchy" in error.problem) == (True, True)
    assert "_hierarchy_<attribute>.csv" in error.hint


def test_two_files_for_one_attribute(folder):
    folder(FILE, "a_hierarchy_year.csv")
    error = complaint(lambda: Release(RELEASED, hierarchies=folder(FILE, "b_hierarchy_year.csv")))
    for word in ('"year"', "a_hierarchy_year.csv", "b_hierarchy_year.csv"):
        assert word in str(error)
    assert (error.where, "keep one" in error.hint) == ("hierarchies", True)


def test_a_missing_file_for_an_attribute(tmp_path):
    error = complaint(lambda: precision({"year": tmp_path / "years.csv"}))
    assert ("years.csv" in error.where, '"year"' in error.problem) == (True, True)


def test_a_hierarchy_that_is_needed_and_missing():
    release = Release({"year": ["1"], "disease": ["flu"]}, quasi_identifiers=["year"], sensitive=["disease"])
    error = complaint(lambda: release.ask(TCloseness(distance="hierarchical")))
    assert ('"disease"' in error.problem, "hierarchies=" in error.hint) == (True, True)


# What is wrong with a hierarchy


BAD = {  # content of the file, number of the wrong row, words of the error
    "too few cells": ("1977;197*;*\n1983;198*\n", 2, ("1983", "2 cells", "3")),
    "too many cells": ("1977;197*\n1983;198*\n1988;198*;*\n", 3, ("1988", "3 cells", "2")),
    "a leaf with two ancestries": ("1977;197*\n1983;198*\n1977;70s\n", 3, ('"1977"', '"70s"', '"197*"', "row 1")),
    "a leaf that differs at the top": ("1977;197*;a\n1977;197*;b\n", 2, ('"197*"', '"a"', '"b"', "row 1")),
    "a value with two parents": ("1977;7*;x\n1978;7*;x\n1979;7*;y\n", 3, ('"7*"', "level 1", '"x"', '"y"', "row 1")),
    "a missing ancestor": ("1977;197*;*\n1978;197*;\n", 2, ('"197*"', "(missing)", "row 1")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file(folder, case):
    content, row, words = BAD[case]
    path = folder(content)
    error = complaint(lambda: precision(path))
    assert error.where == f"adult_hierarchy_year.csv, row {row}"
    assert error.hint
    for word in words:
        assert word in str(error)


@pytest.mark.parametrize("case", BAD)
def test_bad_rows(case):
    content, row, words = BAD[case]
    error = complaint(lambda: precision({"year": [line.split(";") for line in content.splitlines()]}))
    assert error.where == f'hierarchy of "year", row {row}'
    for word in words:
        assert word in str(error)


@pytest.mark.parametrize("content", ["", "\n", " \n\t\n"])
def test_an_empty_file(folder, content):
    path = folder(content)
    error = complaint(lambda: precision(path))
    assert (error.where, "empty" in error.problem) == ("adult_hierarchy_year.csv", True)


@pytest.mark.parametrize(
    "content", ['1977;"197*\n', '1977;"197*"x\n', b"1977;\xff\n", "1977;\0\n"], ids=["open", "after", "bytes", "NUL"]
)
def test_an_unreadable_file(folder, content):
    path = folder(content)
    error = complaint(lambda: precision(path), PETWorksError)
    assert error.where == "adult_hierarchy_year.csv, line 1"


@pytest.mark.parametrize(
    "given",
    [None, 5, ["1977;197*"], ["1977", "1983"], [1977, 1983], {"1977": ["197*", "*"]}, [["1977", ["197*"]]]],
    ids=repr,
)
def test_what_is_no_hierarchy(given):
    """A text would be a row of its letters, a dict a row of its keys: these are mistakes."""
    error = complaint(lambda: precision({"year": given}))
    assert type(error) is HierarchyError
    assert "year" in error.where
    assert "list" in str(error)  # what is expected: rows that are lists of cells


def test_a_dict_in_place_of_rows_gives_no_number():
    """Keys of one letter could be read as rows, but the levels above them would be lost."""
    letters = {"A": ["vowel", "*"], "B": ["consonant", "*"]}
    complaint(lambda: precision({"letter": letters}, {"letter": ["A", "B"]}, {"letter": ["A", "B"]}))


def test_no_rows_at_all():
    error = complaint(lambda: precision({"year": []}))
    assert ("year" in error.where, "empty" in error.problem) == (True, True)


def test_a_bad_hierarchy_is_no_matter_to_measures_without_levels(folder):
    """Measures that need no hierarchy do not read the file."""
    release = Release(RELEASED, original=ORIGINAL, hierarchies=folder("1977;197*\n1977\n"))
    assert release.evaluate(AECS(), PROFITABILITY)["AECS"].value is not None


def test_a_hierarchy_of_a_column_without_role_is_no_matter(folder):
    folder("flu\nflu;x\n", "x_hierarchy_disease.csv")
    released, original = {**RELEASED, "disease": list("abcd")}, {**ORIGINAL, "disease": list("abcd")}
    assert precision(folder(FILE), released, original, quasi_identifiers=["year"]) == EXPECTED


# Its shape


def test_identical_rows_count_once():
    assert list(Hierarchy("year", [*YEARS, *YEARS]).leaves) == ["1977", "1983", "1988"]


@pytest.mark.parametrize("top", ["50", "any", "1977"])
def test_a_single_top_stays(top):
    hierarchy = Hierarchy("year", [(year, decade, top) for year, decade, _ in YEARS])
    assert (hierarchy.height, hierarchy.top) == (2, top)


def test_several_tops_get_one_more_level():
    hierarchy = Hierarchy("year", [row[:2] for row in YEARS])
    assert (hierarchy.height, hierarchy.top, hierarchy.lift("1988", 1)) == (2, "*", "198*")


def test_a_star_beside_another_top_gets_one_more_level():
    hierarchy = Hierarchy("year", [("1977", "*"), ("1983", "198*")])
    assert (hierarchy.height, hierarchy.lift("1977", 1), hierarchy.lift("1977", 2)) == (2, "*", "*")


def test_leaves_alone_get_a_top():
    hierarchy = Hierarchy("year", [("1977",), ("1983",)])
    assert (hierarchy.height, hierarchy.top) == (1, "*")


def test_one_value_alone_is_its_own_top():
    assert Hierarchy("year", [("1977",)]).height == 0


def test_a_value_on_two_levels_has_the_lower_one():
    hierarchy = Hierarchy("age", [("49", "50", "50"), ("50", "50", "50"), ("51", "50", "50")])
    assert (hierarchy.height, hierarchy.lowest["50"]) == (2, 0)


def test_a_column_without_hierarchy_has_the_values_of_the_original_and_a_star():
    """Without a hierarchy, a released value that the original lacks is not in any level."""
    assert precision(None, {"year": ["1977", "*"]}, {"year": ["1977", "1983"]}) == Fraction(1, 2)
    error = complaint(
        lambda: precision(None, {"year": ["1977", "197*"]}, {"year": ["1977", "1978"]}), UnknownValueError
    )
    assert ('"197*" (row 2)' in error.listed, "pass a hierarchy" in error.hint) == (True, True)


def test_a_column_without_hierarchy_or_original_may_be_generalised_any_far():
    error = complaint(lambda: precision(None, {"year": ["197*", "*", "1983"]}, None), UnknownLevelsError)
    assert '"year"' in error.problem


# Values that it lacks


def unknown(released=RELEASED, original=ORIGINAL, **options):
    hierarchies = {"year": YEARS}
    return complaint(lambda: precision(hierarchies, released, original, **options), UnknownValueError)


def test_a_released_value_that_is_nowhere():
    error = unknown({"year": ["197*", "19**", "198*", "199*"]})
    assert error.where == "release, year"
    assert "2 values are not in the hierarchy" in error.problem
    for place in ('"19**" (row 2)', '"199*" (row 4)'):
        assert place in error.listed
    assert 'unknown_values="generalised"' in error.hint


def test_an_original_value_that_is_no_leaf():
    error = unknown(
        original={"year": ["1977", "1983", "1999", "1999"]}, released={"year": ["197*", "198*", "198*", "198*"]}
    )
    assert error.where == "original, year"
    assert "1 value is not on the lowest level" in error.problem
    assert '"1999" (row 3)' in error.listed


def test_a_missing_cell_is_called_missing():
    assert '"(missing)" (row 2)' in unknown({"year": ["197*", None, "198*", "*"]}).listed


def test_up_to_ten_values_are_listed():
    cells = [f"x{number:02}" for number in range(14)]
    error = unknown({"year": cells}, {"year": ["1977"] * 14})
    assert "14 values" in error.problem
    assert error.listed.count("(row ") == 10
    assert error.listed.endswith("and 4 more")


def test_the_file_of_the_hierarchy_is_named(folder):
    hierarchies = folder(FILE)
    error = complaint(lambda: precision(hierarchies, {"year": ["197*", "19**", "198*", "*"]}), UnknownValueError)
    assert "adult_hierarchy_year.csv" in error.hint


def test_row_numbers_beyond_the_first_batch(monkeypatch):
    monkeypatch.setattr(frames, "BATCH_ROWS", 1000)
    released, original = pd.DataFrame({"year": ["197*"] * 2500 + ["19**"]}), pd.DataFrame({"year": ["1977"] * 2501})
    assert '"19**" (row 2,501)' in unknown(released, original).listed


def test_row_numbers_of_a_file_count_rows(write):
    path = write('year;b\n\n197*;"two\nlines"\n19**;x\n')
    error = complaint(lambda: precision({"year": YEARS}, path, None, quasi_identifiers=["year"]), UnknownValueError)
    assert '"19**" (row 2)' in error.listed


def test_a_value_that_is_nowhere_can_count_as_fully_generalised():
    released = {"year": ["197*", "19**", "198*", "198*"]}
    result = Release(released, original=ORIGINAL, hierarchies={"year": YEARS}, unknown_values="generalised").ask(
        "Precision"
    )
    assert result.exact == Fraction(3, 8)  # levels 1, 2, 1, 1 of 2
    assert [note.figures for note in result.notes if note.kind == "forgiven"] == [{"column": "year", "cells": 1}]


def test_an_original_that_is_no_leaf_can_be_forgiven():
    release = Release(
        {"year": ["197*", "198*", "198*", "*"]},
        original={"year": ["1977", "1983", "1999", "1999"]},
        hierarchies={"year": YEARS},
        unknown_values="generalised",
    )
    assert [0 <= result.value <= 1 for result in release.evaluate(Precision(), NonUniformEntropy())] == [True, True]


@pytest.mark.parametrize("choice", ["generalized", "ignore", None, True])
def test_another_choice_for_unknown_values(choice):
    error = complaint(lambda: Release(RELEASED, unknown_values=choice), ParameterError)
    assert "error, generalised" in error.hint


@pytest.mark.parametrize("measure", [AECS(), PROFITABILITY], ids=lambda one: one.name)
def test_unknown_values_are_no_matter_to_measures_without_levels(measure):
    release = Release({"year": ["19**"] * 4}, original=ORIGINAL, hierarchies={"year": YEARS})
    assert release.ask(measure).value is not None


def test_every_sensitive_value_must_be_a_leaf_where_the_distance_is_hierarchical():
    table = {"year": ["1", "2"], "disease": ["flu", "cold"]}
    release = Release(
        table,
        quasi_identifiers=["year"],
        sensitive=["disease"],
        hierarchies={"disease": [("flu", "*")]},
        unknown_values="generalised",  # does not apply to sensitive values
    )
    error = complaint(lambda: release.ask("t-closeness"), UnknownValueError)
    assert (error.where, '"cold" (row 2)' in error.listed) == ("release, disease", True)
