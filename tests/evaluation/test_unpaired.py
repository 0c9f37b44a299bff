"""Releases whose rows do not pair with those of the original: synthetic and perturbed tables."""

import sys

import pytest

import PETWorks as pw
from PETWorks.errors import NotAskableError, ParameterError, SourceError

ORIGINAL = {"sex": ["F", "F", "M", "M"], "zip": ["1", "2", "1", "2"], "ill": ["flu", "hiv", "flu", "cold"]}
RELEASED = {"sex": ["F", "M", "M"], "zip": ["1", "1", "2"], "ill": ["flu", "flu", "flu"]}
ROLES = {"quasi_identifiers": ["sex", "zip"], "sensitive": ["ill"]}
OF_PEOPLE = [
    *("k-anonymity", "l-diversity", "t-closeness", "(α,k)-anonymity", "β-likeness", "δ-disclosure"),
    *("p-sensitive k-anonymity", "profitability", "re-identification", "sample uniqueness", "population uniqueness"),
    *("special uniques", "individual risk", "context risk", "class sizes", "k-map", "δ-presence"),
]
OF_ROWS = [
    *("Precision", "Non-Uniform Entropy", "Ambiguity", "granularity", "squared error", "AECS", "discernibility"),
    "shares",
]


def release(**options):
    return pw.Release(RELEASED, original=ORIGINAL, **ROLES, **options)


def test_a_synthetic_table_has_no_value_that_is_about_people_or_generalised_rows():
    skipped = release(synthetic=True).evaluate().skipped
    known = {name.casefold() for name in pw.measures()}
    assert {name for name in OF_PEOPLE + OF_ROWS if name.casefold() not in known} == set()
    kinds = {name.casefold(): note.kind for name, note in skipped.items()}
    assert {name: kinds[name.casefold()] for name in OF_PEOPLE} == dict.fromkeys(OF_PEOPLE, "not_people")
    assert {name: kinds[name.casefold()] for name in OF_ROWS} == dict.fromkeys(OF_ROWS, "needs_recoding")


def test_asked_for_by_name_it_says_why_there_is_no_value():
    with pytest.raises(NotAskableError, match="a class of one is nobody"):
        release(synthetic=True).ask(pw.KAnonymity(2))
    judged = release(synthetic=True).check(pw.KAnonymity(2))
    assert judged.requirements_hold is None
    assert judged.requirements[0].problem.kind == "not_people"


def test_a_perturbed_table_has_classes_with_a_note_and_no_utility_of_generalisation():
    perturbed = release(pairing="none")
    result = perturbed.ask(pw.KAnonymity(2))
    assert (result.value, [note.kind for note in result.notes]) == (1, ["perturbed"])
    assert "nobody may be in a class" in " ".join(result.text().split())
    with pytest.raises(NotAskableError, match="do not pair"):
        perturbed.ask("Precision")


def test_attribute_risk_is_that_of_the_original():
    result = release(synthetic=True).ask("attribute risk")
    of_original = pw.Release(ORIGINAL, **ROLES).ask("attribute risk")
    assert {name: part.exact for name, part in result.parts.items()} == {
        name: part.exact for name, part in of_original.parts.items()
    }
    assert result.notes[0].kind == "of_original"


def test_utility_bias_is_as_it_is():
    assert release(synthetic=True).ask(pw.UtilityBias(lambda table: len(table["sex"]), max_bias=1)).holds


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"synthetic": True, "pairing": "position"}, "synthetic rows belong to nobody"),
        ({"synthetic": True, "key": "zip"}, "synthetic rows belong to nobody"),
        ({"pairing": "none", "key": "zip"}, "contradict each other"),
    ],
)
def test_rows_cannot_pair_and_not_pair(options, problem):
    with pytest.raises(ParameterError, match=problem):
        release(**options)


def test_the_report_asks_first_what_the_file_tells_of_people():
    page = release(synthetic=True, holdout=ORIGINAL).evaluate().to_html()
    question = "What does this file tell about the people it was made from?"
    assert page.index(question) < page.index('id="requirements"') < page.index('id="utility"')
    assert "製作它所用的人" in page
    assert "Who could be singled out?" not in page  # rows of a synthetic table are nobody's
    assert 'id="f-bands"' not in page
    assert question not in release().evaluate().to_html()
    assert "no original table was given" not in page
    perturbed = release(pairing="none").evaluate().to_html()
    assert question in perturbed
    assert "Who could be singled out?" in perturbed


def test_the_record_says_that_rows_do_not_pair():
    record = release(synthetic=True, holdout=RELEASED).evaluate().record.to_dict()
    assert (record["pairing"], record["synthetic"]) == ("none", True)
    assert [one["role"] for one in record["tables"]] == ["release", "original", "holdout"]
    assert "synthetic" not in release().evaluate().record.to_dict()


MATRIX = {"flu": {"flu": 1}, "hiv": {"flu": "1/2", "hiv": "1/2"}, "cold": {"flu": "1/2", "cold": "1/2"}}
NUMBERS = [pw.PramOdds(matrix=MATRIX, max_posterior="0.9"), pw.RegressionOverlap("zip ~ 1", min_overlap="0.1")]


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"synthetic": True}, []),
        (
            {"synthetic": True, "holdout": RELEASED},
            [pw.MembershipRisk(max_auc="0.6"), pw.TransferAccuracy(max_loss="0.1")],
        ),
        ({"pairing": "none", "holdout": RELEASED}, [pw.ExactCopies(max_excess="0.1", bins={"zip": 2}), *NUMBERS]),
        ({"synthetic": True, "identifiers": ["ill"], "sensitive": []}, [pw.MarginDistance(1)]),
    ],
)
def test_what_is_loaded_shows_the_same(tmp_path, options, asked):
    made = pw.Release(RELEASED, original=ORIGINAL, **(ROLES | options))
    evaluation = made.check(*asked) if asked else made.evaluate()
    loaded = pw.Evaluation.load(evaluation.save(tmp_path / "evaluation.json"))
    for one, other in ((evaluation, loaded), (evaluation.public(), loaded.public())):
        assert one.to_json() == other.to_json()
        assert [str(result.explain("zh_TW")) for result in one] == [str(result.explain("zh_TW")) for result in other]
    assert len(evaluation.to_html()) == len(loaded.to_html())


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ({"holdout": RELEASED}, pw.TransferAccuracy(target="ill", model=dict)),
        ({"person": "sex", "quasi_identifiers": ["zip"]}, pw.ExactCopies(max_share=1)),
    ],
)
def test_what_cannot_be_loaded_is_not_saved(tmp_path, options, asked):
    released = pw.Release(RELEASED, original=ORIGINAL, **(ROLES | {"synthetic": True} | options))
    with pytest.raises(NotAskableError, match="cannot be saved"):
        released.check(asked).save(tmp_path / "evaluation.json")


def test_a_saved_evaluation_runs_no_model(tmp_path):
    evaluation = release(synthetic=True, holdout=RELEASED).check(pw.TransferAccuracy(target="ill", max_loss=1))
    path = evaluation.save(tmp_path / "evaluation.json")
    path.write_text(path.read_text().replace('"model": null', '"model": "antigravity:fly"'))
    with pytest.raises(SourceError, match="damaged"):
        pw.Evaluation.load(path)
    assert "antigravity" not in sys.modules


def test_the_public_cannot_work_out_how_few_stand_at_the_top():
    """Half of the members are found; of 30 people, a hundredth is nobody, which "by chance" would tell."""
    people = {"age": [str(20 + row) for row in range(20)], "sex": ["F", "M"] * 10}
    others = {"age": [str(50 + row) for row in range(10)], "sex": ["F", "M"] * 5}
    copied = {name: cells[:10] for name, cells in people.items()}
    made = pw.Release(copied, original=people, holdout=others, quasi_identifiers=["age", "sex"], synthetic=True)
    judged = made.check(pw.MembershipRisk(max_tpr="0.6"))
    public = judged.public()["membership risk"].parts
    assert judged["membership risk"].parts["top"].figures["x"] == 0
    assert (public["TPR"].value, public["top"].value, public["top"].withheld) == (0.5, None, True)
