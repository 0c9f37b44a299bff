"""JSON: every document follows the published schema, in full digits."""

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

import PETWorks as pw
from laws.samples import SAMPLES, questions
from PETWorks.errors import NotAskableError
from PETWorks.render.formats.json import SCHEMA, schema
from render.evaluations import HOSTILE, Requirement, all_sorts, hostile, judged, small, unasked

VALIDATOR = Draft202012Validator(schema())
ASKED = [question for kind in pw.measures().values() for question in questions(kind)]


def read(evaluation):
    """Return the document, after checking that it is valid and has no NaN or Infinity."""

    def refuse(constant):
        raise AssertionError(constant)

    text = evaluation.to_json()
    document = json.loads(text.encode(), parse_constant=refuse)
    VALIDATOR.validate(document)
    assert document.items() >= json.loads(json.dumps(evaluation.to_dict())).items()
    return document


def objects(node, path=()):
    if isinstance(node, dict):
        if node.get("type") == "object" or "properties" in node:
            yield path, node
        for key, value in node.items():
            yield from objects(value, (*path, key))


def test_the_schema_is_one():
    Draft202012Validator.check_schema(schema())
    assert files("PETWorks.render").joinpath("evaluation.schema.json").is_file()
    assert schema()["properties"]["schema"]["const"] == SCHEMA


def test_every_property_is_described_and_no_other_allowed():
    for path, node in objects(schema()):
        if "properties" in node:
            assert node["additionalProperties"] is False, path
            asked = [name for name, one in node["properties"].items() if "absent: " not in one["description"]]
            assert node["required"] == asked, path
            assert all(one.get("description") for one in node["properties"].values()), path
        else:
            assert node["additionalProperties"], path  # a mapping must declare the type of its values


@pytest.mark.parametrize("kind", all_sorts())
def test_every_sort_is_valid(kind):
    for evaluation in (all_sorts()[kind], all_sorts()[kind].guarded()):
        read(evaluation)


@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_every_measure_is_valid(measure):
    for sample in SAMPLES:
        try:
            evaluation = sample.release().evaluate(measure)
        except NotAskableError:
            continue
        for one in (evaluation, evaluation.guarded()):
            (result,) = read(one)["results"]
            assert result["steps"]
            assert result["value"] == one[0].value


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_names_are_kept_as_they_are(name):
    document = read(hostile(name).evaluate(pw.LDiversity(l=9)))
    assert list(document["results"][0]["parts"]) == [f"{name} of the sensitive".strip()]


def test_requirements_point_to_their_results():
    evaluation = unasked()
    document = read(evaluation)
    first, second, third, _ = document["requirements"]
    assert (document["title"], document["holds"]) == ("Small", None)
    assert (first["result"], first["holds"], second["result"], second["holds"]) == (1, True, None, None)
    assert second["problem"] == {"kind": "needs_population", "figures": {}, "warning": False, "leading": False}
    assert document["results"][third["result"]]["measure"] == third["measure"] == "k-anonymity"
    assert third["why"] == "rule 7"


def test_results_of_requirements_are_all_there():
    """A requirement may have a result that is not among those of the evaluation."""
    result = small().ask(pw.KAnonymity(k=3))
    document = read(pw.Evaluation([], requirements=[Requirement(result.measure, result)]))
    assert document["requirements"][0]["result"] == 0
    assert document["results"][0]["failing_rows"] == 2


def test_a_guarded_class_has_no_values():
    plain, guarded = (read(one)["results"][0]["worst"] for one in (judged(small()), judged(small()).guarded()))
    assert [one["values"] for one in plain] == [{"sex": "m", "age": "4x"}, {"sex": "f", "age": "3x"}]
    assert guarded == []  # two small classes of two columns: one of them could be worked out if any were named


def test_digits_are_not_cut():
    result = small().ask("Non-Uniform Entropy")
    assert read(pw.Evaluation([result]))["results"][0]["value"] == result.value
    assert str(result.value) in pw.Evaluation([result]).to_json()
