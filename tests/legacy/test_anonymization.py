"""Making a release by the old interface: what earlier scripts call, and exactly what they get."""

from pathlib import Path

import pandas as pd
import pytest

from PETWorks import PETAnonymization, PETValidation, output
from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import PETWorksError
from support.old_calls import DELTA, TYPES, read, records, release, rows_of, trees_of

FIRST = "Male;29.5;White;spouse not present;Undergraduate;North America;Government;*;<=50K"  # of Adult


# What the sources have


def test_k_anonymity_of_adult_is_as_the_predecessor_writes_it(shared, tmp_path):
    hierarchies, adult = tmp_path / "hierarchies", shared / "datasets/adult"
    hierarchies.mkdir()
    for folder in ("adult_hierarchy", "adult_hierarchy_numeric_top"):
        for file in (adult / folder).iterdir():
            (hierarchies / file.name).write_bytes(file.read_bytes())
    original = rows_of(adult / "adult.csv")
    types = dict.fromkeys(original[0], QUASI_IDENTIFIER)
    frame = PETAnonymization(str(adult / "adult.csv"), "k-anonymity", str(hierarchies), types, 0.04, k=5)
    output(frame, tmp_path / "output.csv")
    lines = (tmp_path / "output.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == [";".join(types), FIRST]
    assert lines.count(";".join("*" * 9)) == 1_178
    trees = trees_of(hierarchies, types)
    for name, level in zip(types, [0, 3, 0, 1, 1, 1, 1, 2, 0], strict=True):
        expected = [trees[name][row[name]][level] for row in original]
        assert all(cell == label for cell, label in zip(frame[name], expected, strict=True) if cell != "*")
    assert PETValidation(None, str(tmp_path / "output.csv"), "k-anonymity", k=5)["fulfill k-anonymity"]


@pytest.mark.parametrize("missing", [None, ""])
def test_values_missing_in_the_data_only_stay_missing_below_the_top(missing):
    places = [("Ulm", "north", "*"), ("Bern", "north", "*"), ("Como", "south", "*")]
    everybody = {"place": ["Ulm", "Bern", "Ulm", "Bern", missing, "Como"]}
    frame = PETAnonymization(
        everybody,
        "d-presence",
        {"place": places},
        {"place": QUASI_IDENTIFIER},
        0,
        dMin=0,
        dMax=0.5,
        subsetData={"place": ["Ulm", "Ulm"]},
    )
    assert frame["place"].tolist()[:4] == ["north"] * 4
    assert frame["place"].isna()[4] or frame["place"][4] == ""


def test_presence_is_as_the_predecessor_writes_it(shared, tmp_path):
    folder = shared / "datasets/presence"
    header, *lines = read(folder / "presence.csv")
    subset = tmp_path / "subset.csv"
    subset.write_text("\n".join(";".join(line) for line in [header, *(one for one in lines if one[-1] == "1")]))
    frame = PETAnonymization(
        str(folder / "presence.csv"),
        "d-presence",
        str(folder / "presence_hierarchy"),
        {**TYPES, "sen": SENSITIVE_ATTRIBUTE},
        maxSuppressionRate=0.0,
        dMin=1 / 2,
        dMax=2 / 3,
        subsetData=str(subset),
    )
    assert records(frame) == rows_of(folder / "presence_transformed.csv")


# Calls


SPELLINGS = {
    "by position": lambda data, folder: PETAnonymization(data, "k-anonymity", folder, TYPES, 0.2, k=2),
    "rate by name": lambda data, folder: PETAnonymization(
        data, "k-anonymity", folder, TYPES, maxSuppressionRate=0.2, k=2
    ),
    "by name": lambda data, folder: PETAnonymization(
        k=2, maxSuppressionRate=0.2, attributeTypes=TYPES, dataHierarchy=folder, tech="k-anonymity", originalData=data
    ),
    "rate by position": lambda data, folder: PETAnonymization(
        data, "k-anonymity", 0.2, dataHierarchy=folder, attributeTypes=TYPES, k=2
    ),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_gives_the_same(spelling):
    made = SPELLINGS[spelling](DELTA["originalData"], DELTA["dataHierarchy"])
    assert made.equals(release(DELTA, "k-anonymity", 0.2, TYPES, k=2))


@pytest.mark.parametrize("rate", [(0.2,), ()])
def test_roles_and_hierarchies_come_from_the_yaml_beside_the_data(tmp_path, rate):
    data = tmp_path / "delta.csv"
    data.write_bytes(Path(DELTA["originalData"]).read_bytes())
    types = f"DATASET:\n  ATTRIBUTE_TYPE:\n    QUASI_IDENTIFIER: [{', '.join(TYPES)}]\n"
    data.with_suffix(".yaml").write_text(f"{types}  HIERARCHY: {DELTA['dataHierarchy']}\n", encoding="utf-8")
    named = {} if rate else {"maxSuppressionRate": 0.2}
    made = PETAnonymization(str(data), "k-anonymity", *rate, **named, k=2)
    assert made.equals(release(DELTA, "k-anonymity", 0.2, TYPES, k=2))


def test_cells_are_text_and_columns_without_a_role_are_marked():
    people = pd.DataFrame({"id": [7, 8], "age": [30, 30], "pay": [1.5, 2.0], "note": [" a", None], "job": ["x", "y"]})
    types = {"age": QUASI_IDENTIFIER, "pay": SENSITIVE_ATTRIBUTE, "note": INSENSITIVE_ATTRIBUTE, "job": IDENTIFIER}
    made = PETAnonymization(people, "k-anonymity", 0, attributeTypes=types, k=2)
    assert made.astype(object).where(made.notna(), None).to_dict("list") == {
        "id": ["*", "*"],
        "age": ["30", "30"],
        "pay": ["1.5", "2"],
        "note": ["a", None],
        "job": ["*", "*"],
    }


def test_few_rows_may_be_suppressed():
    people = {"age": ["30", "30", "30", "31"]}
    made = PETAnonymization(people, "k-anonymity", None, {"age": QUASI_IDENTIFIER}, 0.25, k=3)
    assert list(made["age"]) == ["30", "30", "30", "*"]


def test_all_of_a_class_is_suppressed_with_its_part_of_the_subset():
    everybody, subset = {"age": ["30", "30", "31", "31", "32"]}, {"age": ["30", "30", "31"]}
    limits = {"dMin": 0, "dMax": 0.5, "subsetData": subset}
    made = PETAnonymization(everybody, "d-presence", None, {"age": QUASI_IDENTIFIER}, 0.7, **limits)
    assert list(made["age"]) == ["*", "*", "31", "31", "32"]


def test_what_is_written_can_be_measured(tmp_path):
    types = {**TYPES, "salary-class": SENSITIVE_ATTRIBUTE}
    output(release(DELTA, "l-diversity", 0.2, types, l=2), tmp_path / "made.csv")
    answer = PETValidation(None, str(tmp_path / "made.csv"), "l-diversity", attributeTypes=types, l=2)
    assert answer == {"l": 2, "fulfill l-diversity": True}


def test_output_has_semicolons_and_no_index(tmp_path):
    output(pd.DataFrame({"名": ["a;b", None], "x": ["1", "*"]}, index=[5, 6]), tmp_path / "made.csv")
    assert (tmp_path / "made.csv").read_bytes() == '名;x\n"a;b";1\n;*\n'.encode()


# Mistakes


MISTAKES = {
    "unknown model": ({"tech": "k-anonimity"}, 'no privacy model "k-anonimity"\n  did you mean "k-anonymity"'),
    "model that is none": ({"tech": {"zip": "x"}}, "no privacy model"),
    "measure that is no model": ({"tech": "Precision"}, "Known: d-presence, k-anonymity, l-diversity, t-closeness"),
    "lacking": ({"k": ...}, '"k-anonymity" needs k'),
    "no rate": ({"maxSuppressionRate": ...}, '"k-anonymity" needs maxSuppressionRate'),
    "unknown keyword": ({"l": 2}, '"k-anonymity" has no argument "l"'),
    "rate too large": ({"maxSuppressionRate": 4}, "maxSuppressionRate must be a share of the rows, from 0 to 1, not 4"),
    "rate below 0": ({"maxSuppressionRate": -0.1}, "maxSuppressionRate must be a share"),
    "rate that is no number": ({"maxSuppressionRate": "many"}, "maxSuppressionRate"),
    "no k": ({"k": None}, "k must not be None"),
    "k below 1": ({"k": 0}, "k must be"),
    "unknown column": ({"attributeTypes": {"zipp": QUASI_IDENTIFIER}}, 'no column "zipp"'),
    "no quasi-identifier": ({"attributeTypes": {"zip": IDENTIFIER}}, "no column is a quasi-identifier"),
    "no roles": ({"attributeTypes": None}, "no column is a quasi-identifier"),
    "impossible": ({"k": 13, "maxSuppressionRate": 0}, "ask for less, or raise maxSuppressionRate"),
    "no sensitive attribute": ({"tech": "l-diversity", "k": ..., "l": 2}, "sensitive"),
    "no subset": ({"tech": "d-presence", "k": ..., "dMin": 0, "dMax": 1}, '"d-presence" needs subsetData'),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake):
    changes, words = MISTAKES[mistake]
    whole = {**DELTA, "tech": "k-anonymity", "attributeTypes": TYPES, "maxSuppressionRate": 0, "k": 2, **changes}
    with pytest.raises(PETWorksError) as caught:
        PETAnonymization(**{name: value for name, value in whole.items() if value is not ...})
    assert words in str(caught.value)


def test_arguments_passed_twice_or_too_many():
    data, folder = DELTA.values()
    with pytest.raises(PETWorksError, match="dataHierarchy is passed twice"):
        PETAnonymization(data, "k-anonymity", folder, TYPES, 0, dataHierarchy=folder, k=2)
    with pytest.raises(PETWorksError, match="4 arguments are passed by position after tech"):
        PETAnonymization(data, "k-anonymity", folder, TYPES, 0, 2)


@pytest.mark.parametrize("subset", [{"age": ["30", "30"]}, {"age": ["30"], "id": ["2"]}])
def test_a_subset_that_is_not_part_of_the_data(subset):
    everybody = {"id": ["1", "2"], "age": ["30", "31"]}
    limits = {"dMin": 0, "dMax": 1, "subsetData": subset}
    with pytest.raises(PETWorksError) as caught:
        PETAnonymization(everybody, "d-presence", None, {"age": QUASI_IDENTIFIER}, 0, **limits)
    assert "rows of subsetData do not occur in originalData" in str(caught.value)
    assert "30" not in str(caught.value)


def test_a_subset_without_a_quasi_identifier():
    limits = {"dMin": 0, "dMax": 1, "subsetData": {"id": ["1"]}}
    with pytest.raises(PETWorksError, match='no column "age"'):
        PETAnonymization({"id": ["1"], "age": ["30"]}, "d-presence", None, {"age": QUASI_IDENTIFIER}, 0, **limits)


def test_output_of_something_else(tmp_path):
    with pytest.raises(PETWorksError, match="output needs what PETAnonymization returned"):
        output({"k": 5}, tmp_path / "made.csv")
    with pytest.raises(PETWorksError, match="cannot be written"):
        output(pd.DataFrame({"a": ["1"]}), tmp_path / "absent" / "made.csv")
