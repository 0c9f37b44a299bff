"""The old interface: what earlier scripts call, and exactly what they get."""

import json
from pathlib import Path

import pytest

from PETWorks import PETValidation, Release, TCloseness, report
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import ParameterError, PETWorksError, RoleError, UnknownNameError
from PETWorks.plugin import Result

ADULT = ("data/adult.csv", "data/adult_anonymized.csv")
DELTA = ("data/delta.csv", "data/delta_anonymized.csv")
PATIENT = (None, "data/patient_anonymized.csv")
MONEY = {"adversaryCost": 4, "adversaryGain": 300, "publisherLost": 300, "publisherBenefit": 1200}
DELTA_TYPES = {
    "zip": QUASI_IDENTIFIER,
    "age": QUASI_IDENTIFIER,
    "nationality": QUASI_IDENTIFIER,
    "salary-class": INSENSITIVE_ATTRIBUTE,
}
PATIENT_TYPES = {"ZIPCode": QUASI_IDENTIFIER, "Age": QUASI_IDENTIFIER, "Disease": SENSITIVE_ATTRIBUTE}
PROFITABILITY = {
    "dataHierarchy": "data/delta_hierarchy",
    "attributeTypes": DELTA_TYPES,
    "allowAttack": True,
    **MONEY,
}
T_CLOSENESS = {"dataHierarchy": "data/patient_hierarchy", "attributeTypes": PATIENT_TYPES, "tLimit": 0.376}

CALLS = {  # as in the source documents: tables, arguments
    "Precision": (ADULT, {"dataHierarchy": "data/adult_hierarchy"}),
    "AECS": (ADULT, {}),
    "Non-Uniform Entropy": (ADULT, {"dataHierarchy": "data/adult_hierarchy"}),
    "profitability": (DELTA, PROFITABILITY),
    "t-closeness": (PATIENT, T_CLOSENESS),
}
PRINTED = {  # what they print
    "Precision": """\
{
    "precision": 0.7271401100722763
}
""",
    "AECS": """\
{
    "AECS": 0.9992930131052006
}
""",
    "profitability": """\
{
    "allow attack": true,
    "adversary's cost": 4,
    "adversary's gain": 300,
    "publisher's loss": 300,
    "publisher's benefit": 1200,
    "profitability": true
}
""",
    "t-closeness": """\
{
    "t": 0.376,
    "fulfill t-closeness": true
}
""",
}


@pytest.fixture(autouse=True)
def at_home(monkeypatch):
    """Run where the scripts run: beside the folder data/."""
    monkeypatch.chdir(Path(__file__).parents[2])


def validate(tech, **changes):
    tables, arguments = CALLS[tech]
    return PETValidation(*tables, tech, **{**arguments, **changes})


def complaint(kind, *arguments, **options):
    with pytest.raises(kind) as caught:
        PETValidation(*arguments, **options)
    return caught.value


# What they get


@pytest.mark.parametrize("tech", PRINTED)
def test_what_is_printed(capsys, tech):
    report(validate(tech), "json")
    assert capsys.readouterr().out == PRINTED[tech]


def test_what_is_printed_for_non_uniform_entropy(capsys):
    """The last digits of the source are accumulated rounding (0.6691909578638351)."""
    report(validate("Non-Uniform Entropy"), "json")
    assert capsys.readouterr().out == '{\n    "Non-Uniform Entropy": 0.6691909578638309\n}\n'


KEYS = {
    "Precision": ["precision"],
    "AECS": ["AECS"],
    "Non-Uniform Entropy": ["Non-Uniform Entropy"],
    "profitability": [
        "allow attack",
        "adversary's cost",
        "adversary's gain",
        "publisher's loss",
        "publisher's benefit",
        "profitability",
    ],
    "t-closeness": ["t", "fulfill t-closeness"],
}


@pytest.mark.parametrize("tech", CALLS)
def test_keys_stand_in_order(tech):
    assert list(validate(tech)) == KEYS[tech]


@pytest.mark.parametrize("tech", CALLS)
def test_the_answer_is_a_dictionary_of_plain_values(tech):
    answer = validate(tech)
    assert isinstance(answer, dict)
    assert json.loads(json.dumps(answer)) == answer
    assert {type(value) for value in answer.values()} <= {bool, int, float}


@pytest.mark.parametrize("tech", CALLS)
def test_the_answer_carries_the_result(tech):
    result = validate(tech).result
    assert isinstance(result, Result)
    assert result.name == tech


def test_the_result_is_that_of_the_front_door():
    result = validate("t-closeness").result
    release = Release(PATIENT[1], roles=PATIENT_TYPES, hierarchies="data/patient_hierarchy")
    assert result.to_dict() == release.ask(TCloseness(t=0.376)).to_dict()


@pytest.mark.parametrize(
    ("tech", "changes", "key", "holds"),
    [
        ("profitability", {"allowAttack": False}, "profitability", False),
        ("profitability", {"publisherBenefit": 100}, "profitability", False),  # the payoff must be more than nothing
        ("profitability", {"publisherBenefit": 101}, "profitability", True),
        ("profitability", {"allowAttack": False, "adversaryCost": 101}, "profitability", True),
        ("t-closeness", {"tLimit": 0.333}, "fulfill t-closeness", False),
        ("t-closeness", {"tLimit": 1 / 3}, "fulfill t-closeness", True),
        ("t-closeness", {"tLimit": 0.5, "dataHierarchy": None}, "fulfill t-closeness", False),
    ],
)
def test_verdicts(tech, changes, key, holds):
    assert validate(tech, **changes)[key] is holds


@pytest.mark.parametrize(("limit", "t"), [(1, 1.0), (0.376, 0.376), ("0.4", 0.4), ("1/2", 0.5)])
def test_t_is_a_float(limit, t):
    answer = validate("t-closeness", tLimit=limit)
    assert (answer["t"], type(answer["t"])) == (t, float)


def test_amounts_are_repeated_as_given():
    answer = validate("profitability", adversaryCost=4.5, allowAttack=False)
    assert (answer["allow attack"], answer["adversary's cost"], answer["publisher's loss"]) == (False, 4.5, 300)


def test_profitability_needs_no_original():
    assert PETValidation(None, DELTA[1], "profitability", **PROFITABILITY) == validate("profitability")


def test_arguments_by_name():
    answer = PETValidation(original=ADULT[0], anonymized=ADULT[1], tech="AECS")
    assert answer["AECS"] == validate("AECS")["AECS"]


def test_without_types_every_column_is_a_quasi_identifier():
    assert len(validate("Precision").result.parts) == 9


@pytest.mark.parametrize("tech", CALLS)
def test_hierarchies_and_types_are_always_accepted(tech):
    """None for both arguments is the same as leaving them out."""
    tables, arguments = CALLS[tech]
    extra = {"dataHierarchy": None, "attributeTypes": None, **arguments}
    assert list(PETValidation(*tables, tech, **extra)) == KEYS[tech]


def test_types_are_used_where_they_are_not_needed():
    types = {"sex": QUASI_IDENTIFIER, "race": QUASI_IDENTIFIER}
    assert validate("AECS", attributeTypes=types)["AECS"] != validate("AECS")["AECS"]


def test_types_in_the_spelling_of_arx():
    types = {
        "ZIPCode": "QUASI_IDENTIFYING_ATTRIBUTE",
        "Age": "QUASI_IDENTIFYING_ATTRIBUTE",
        "Disease": "SENSITIVE_ATTRIBUTE",
    }
    assert validate("t-closeness", attributeTypes=types) == validate("t-closeness")


def test_types_are_left_as_they_were():
    types = dict(PATIENT_TYPES)
    validate("t-closeness", attributeTypes=types)
    assert types == PATIENT_TYPES


# The other techniques, on tables that can be counted by hand

SMALL = {"zip": ["1", "1", "2"], "age": ["30", "30", "40"], "disease": ["flu", "cold", "flu"]}
SMALL_TYPES = {"zip": QUASI_IDENTIFIER, "age": QUASI_IDENTIFIER, "disease": SENSITIVE_ATTRIBUTE}
POPULATION = {"zip": ["1", "1", "1", "2"], "age": ["30", "30", "30", "40"]}


@pytest.mark.parametrize(
    ("tech", "tables", "arguments", "answer"),
    [
        ("Ambiguity", (SMALL, SMALL), {}, {"ambiguity": 1.0}),
        ("k-anonymity", (None, SMALL), {"k": 1, "attributeTypes": SMALL_TYPES}, {"k": 1, "fulfill k-anonymity": True}),
        ("k-anonymity", (None, SMALL), {"k": 2, "attributeTypes": SMALL_TYPES}, {"k": 2, "fulfill k-anonymity": False}),
        ("l-diversity", (None, SMALL), {"l": 2, "attributeTypes": SMALL_TYPES}, {"l": 2, "fulfill l-diversity": False}),
        (
            "d-presence",
            (POPULATION, SMALL),
            {"dMin": 0.5, "dMax": 1, "attributeTypes": SMALL_TYPES},
            {"dMin": 0.5, "dMax": 1, "d-presence": True},
        ),
        ("ReidentificationRisk", (SMALL, None), {}, {"Re-identification Risk": 1.0}),
        (
            "UtilityBias",
            ([1, 2, 3], [2, 3, 4]),
            {"processingFunc": lambda numbers: sum(numbers) / len(numbers), "maxBias": 1},
            {"UtilityBias": True},
        ),
    ],
)
def test_the_other_techniques(tech, tables, arguments, answer):
    got = PETValidation(*tables, tech, **arguments)
    assert list(got.items()) == list(answer.items())


def test_re_identification_risk_takes_every_column_as_quasi_identifier(tmp_path):
    """By zip and age the rows are alike; by all three columns they are not. Neither roles nor a YAML change that."""
    table = tmp_path / "table.csv"
    table.write_text("zip,age,disease\n1,30,flu\n1,30,cold\n", encoding="utf-8")
    yaml = "DATASET: {ATTRIBUTE_TYPE: {QUASI_IDENTIFIER: [zip, age], SENSITIVE_ATTRIBUTE: [disease]}}"
    table.with_suffix(".yaml").write_text(yaml, encoding="utf-8")
    by_yaml = PETValidation(table, None, "ReidentificationRisk")
    by_roles = PETValidation(table, None, "ReidentificationRisk", attributeTypes={"zip": QUASI_IDENTIFIER})
    assert by_yaml == by_roles == {"Re-identification Risk": 1.0}
    assert PETValidation(None, table, "k-anonymity", k=2)["fulfill k-anonymity"]  # the YAML counts elsewhere


@pytest.mark.parametrize("allow", [True, False])
def test_the_key_of_newer_scripts(allow):
    printed = validate("profitability", allowAttack=allow)
    answer = validate("profitability", allowAttack=allow, keys="new")
    assert list(answer.items()) == [*printed.items(), ("isProfitable", allow)]
    assert "isProfitable" not in printed
    assert validate("AECS", keys="new") == validate("AECS")


# What is wrong


def test_keys_that_there_are_not():
    assert 'did you mean "new"?' in complaint(ParameterError, *ADULT, "AECS", keys="newer").hint


@pytest.mark.parametrize(
    ("tech", "near"),
    [
        ("precision", "Precision"),
        ("t-closness", "t-closeness"),
        ("Profitability", "profitability"),
        ("aecs", "AECS"),
        ("non-uniform entropy", "Non-Uniform Entropy"),
    ],
)
def test_an_unknown_measure_suggests_the_nearest(tech, near):
    error = complaint(UnknownNameError, *ADULT, tech)
    assert f'"{tech}"' in error.problem
    assert f'did you mean "{near}"?' in error.hint


def test_an_unknown_measure_lists_the_known_ones():
    hint = complaint(UnknownNameError, *ADULT, "quality").hint
    for tech in CALLS:
        assert tech in hint


@pytest.mark.parametrize("tech", [None, 5])
def test_a_measure_that_is_no_text(tech):
    assert "AECS" in complaint(UnknownNameError, *ADULT, tech).hint


@pytest.mark.parametrize("lacking", ["allowAttack", *MONEY])
def test_a_missing_argument(lacking):
    arguments = {name: value for name, value in PROFITABILITY.items() if name != lacking}
    error = complaint(UnknownNameError, *DELTA, "profitability", **arguments)
    assert ('"profitability" needs' in error.problem, lacking in error.problem) == (True, True)


def test_all_missing_arguments_are_told_at_once():
    problem = complaint(UnknownNameError, *DELTA, "profitability").problem
    for name in ("allowAttack", *MONEY):
        assert name in problem


def test_a_missing_limit():
    assert "tLimit" in complaint(UnknownNameError, *PATIENT, "t-closeness", attributeTypes=PATIENT_TYPES).problem


@pytest.mark.parametrize(
    ("tech", "name", "near"),
    [
        ("AECS", "tLimit", None),
        ("t-closeness", "tlimit", "tLimit"),
        ("profitability", "publisherLoss", "publisherLost"),
        ("Precision", "hierarchy", None),
        ("Precision", "dataHierachy", "dataHierarchy"),
    ],
)
def test_a_superfluous_argument(tech, name, near):
    tables, arguments = CALLS[tech]
    error = complaint(UnknownNameError, *tables, tech, **arguments, **{name: 1})
    assert (f'"{tech}"' in error.problem, f'"{name}"' in error.problem) == (True, True)
    assert near is None or f'did you mean "{near}"?' in error.hint
    for known in ("dataHierarchy", "attributeTypes"):
        assert known in error.hint


@pytest.mark.parametrize(
    ("tech", "name", "value"),
    [
        ("t-closeness", "tLimit", 1.5),
        ("t-closeness", "tLimit", -0.1),
        ("t-closeness", "tLimit", float("nan")),
        ("t-closeness", "tLimit", "a lot"),
        ("profitability", "adversaryCost", -1),
        ("profitability", "publisherBenefit", float("inf")),
        ("profitability", "allowAttack", "yes"),
        ("t-closeness", "tLimit", None),
        ("profitability", "publisherLost", None),
    ],
)
def test_an_argument_out_of_range_is_called_by_the_name_that_the_caller_used(tech, name, value):
    tables, arguments = CALLS[tech]
    error = complaint(ParameterError, *tables, tech, **{**arguments, name: value})
    assert name in str(error)


def test_types_that_name_no_column():
    types = {**PATIENT_TYPES, "Diseases": SENSITIVE_ATTRIBUTE}
    error = complaint(RoleError, *PATIENT, "t-closeness", **{**T_CLOSENESS, "attributeTypes": types})
    assert (error.where, 'did you mean "Disease"?' in error.hint) == ("patient_anonymized.csv", True)


def test_no_original_where_one_is_needed():
    assert "original" in complaint(PETWorksError, None, ADULT[1], "AECS").problem


def test_no_release():
    assert complaint(PETWorksError, ADULT[0], None, "AECS").where == "release"


# report


def test_report_prints_with_indent_4(capsys):
    report({"precision": 0.5, "other": [1, None]}, "json")
    assert capsys.readouterr().out == json.dumps({"precision": 0.5, "other": [1, None]}, indent=4) + "\n"


def test_report_takes_arguments_by_name(capsys):
    report(result={"precision": 0.5}, format="json")
    assert json.loads(capsys.readouterr().out) == {"precision": 0.5}


@pytest.mark.parametrize("unknown", ["jsn", "xml", "JSON", None])
def test_report_in_an_unknown_format(capsys, unknown):
    with pytest.raises(UnknownNameError) as caught:
        report({"precision": 0.5}, unknown)
    assert f'"{unknown}"' in caught.value.problem
    assert "json" in caught.value.hint
    assert capsys.readouterr().out == ""


def test_report_suggests_the_nearest_format():
    with pytest.raises(UnknownNameError, match='did you mean "json"'):
        report({"precision": 0.5}, "jsn")


def test_report_as_a_web_page(tmp_path, monkeypatch, capsys):
    """The page is written where the script runs, and shows more than the one figure that was asked for."""
    answer = validate("Precision")
    monkeypatch.chdir(tmp_path)
    path = report(answer, "web")
    assert path == str(tmp_path / "output.html")
    page = (tmp_path / "output.html").read_text(encoding="utf-8")
    assert "0.7271" in page
    assert "k-anonymity" in page
    assert capsys.readouterr().out == ""


def test_report_as_a_web_page_by_another_name(tmp_path):
    path = report(validate("t-closeness"), "web", tmp_path / "t.html")
    assert path == str(tmp_path / "t.html")
    assert (tmp_path / "t.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("answer", [{"precision": 0.5}, None])
def test_a_web_page_needs_what_was_measured(answer, tmp_path):
    """A web page cannot be written for other dictionaries, nor for an analysis of objects that are not tables."""
    if answer is None:
        answer = PETValidation([1], [2], "UtilityBias", processingFunc=len, maxBias=1)
    with pytest.raises(ValueError, match=r"needs what PETValidation returned|nothing to report"):
        report(answer, "web", tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_rows_in_another_order_are_an_error_unless_the_caller_vouches_for_them():
    ages = [f"{20 + row % 60}" for row in range(200)]
    original, released = {"age": ages, "no": [*map(str, range(200))]}, {"age": ages[100:] + ages[:100]}
    arguments = {"attributeTypes": {"age": QUASI_IDENTIFIER}}
    error = complaint(PETWorksError, original, released, "Precision", **arguments)
    assert "do not seem to be in the same order" in error.problem
    assert PETValidation(original, released, "Precision", pairing="position", **arguments).keys() == {"precision"}
    released["no"] = original["no"][100:] + original["no"][:100]
    assert PETValidation(original, released, "Precision", key="no", **arguments) == {"precision": 1.0}
