"""The old names of attacks on synthetic tables: first the synthetic table, then its original, and `control`."""

import pytest

import PETWorks as pw
from PETWorks import PETValidation
from PETWorks.errors import ParameterError, UnknownNameError

PEOPLE = {
    "sex": list("FFFMMM"),
    "zip": list("112123"),
    "ill": ["flu", "flu", "hiv", "flu", "cold", "cold"],
}
OTHERS = {"sex": list("FMFM"), "zip": list("1233"), "ill": ["cold", "flu", "hiv", "cold"]}
DRAWN = {"sex": list("FFMMMF"), "zip": list("122233"), "ill": ["flu", "hiv", "cold", "flu", "flu", "cold"]}
MAIN, CONTROL, BASELINE = (f"Success rate of {attack} attack" for attack in ("main", "control", "baseline"))
MIA = "Does the data processed with differential privacy"


def test_singling_out_looks_at_original_and_hold_out_together():
    answer = PETValidation(DRAWN, PEOPLE, "SinglingOutRisk", control=OTHERS, nAttack=9)
    assert answer == {MAIN: 2 / 6, CONTROL: 1 / 4, BASELINE: None}
    assert "everybody_tried" in [note.kind for note in answer.result.notes]
    assert PETValidation(DRAWN, PEOPLE, "SinglingOutRisk")[CONTROL] is None


def test_singling_out_by_any_set_of_fewer_columns():
    answer = PETValidation(DRAWN, PEOPLE, "SinglingOutRisk", n_col=2)
    pairs = [("sex", "zip"), ("sex", "ill"), ("zip", "ill")]

    def key(table, row, names):
        return tuple(table[name][row] for name in names)

    def is_found(row, names):
        wanted = key(PEOPLE, row, names)
        own, drawn = ([key(table, one, names) for one in range(6)] for table in (PEOPLE, DRAWN))
        return own.count(wanted) == drawn.count(wanted) == 1

    assert answer[MAIN] == sum(any(is_found(row, names) for names in pairs) for row in range(6)) / 6


def test_linkability_takes_two_groups_of_columns():
    answer = PETValidation(
        DRAWN, PEOPLE, "LinkabilityRisk", control=OTHERS, auxiliaryColumns=(["sex", "zip"], ["ill"]), keys="new"
    )
    assert {key: answer[key] for key in (MAIN, CONTROL, "excess")} == {MAIN: 0.5, CONTROL: 0, "excess": 0.5}
    with pytest.raises(ParameterError, match="two lists of columns"):
        PETValidation(DRAWN, PEOPLE, "LinkabilityRisk", auxiliaryColumns=["sex"])


def test_inference_by_column_beside_guessing_the_most_frequent_value():
    answer = PETValidation(DRAWN, PEOPLE, "InferenceRisk", control=OTHERS)
    assert {key: answer[key]["ill"] for key in answer} == {MAIN: 0.5, CONTROL: 0, BASELINE: 0.5}
    assert list(answer[MAIN]) == list(PEOPLE)
    by_hand = pw.Release(DRAWN, original=PEOPLE, synthetic=True).ask(
        pw.AttributeDisclosure(target="sex", keys=["zip", "ill"])
    )
    assert answer[MAIN]["sex"] == by_hand.value


def test_a_copy_is_refuted_and_without_hold_out_nothing_is_claimed():
    many = {name: [f"{cell}{row}" for row in range(40) for cell in cells] for name, cells in PEOPLE.items()}
    others = {name: [f"{cell}x{row}" for row in range(40) for cell in cells] for name, cells in OTHERS.items()}
    assert PETValidation(many, many, "MIATest", control=others) == {MIA: "No"}
    assert PETValidation(others, many, "MIATest", control=many)[MIA] == "Possibly Yes"
    without = PETValidation(many, many, "MIATest", keys="new")
    assert without == {MIA: "Cannot be told", "AUC": None, "TPR at 1% FPR": None}
    with pytest.raises(ParameterError, match="nothing was measured"):
        pw.report(without, "web")


def test_the_page_of_several_results(tmp_path):
    answer = PETValidation(DRAWN, PEOPLE, "InferenceRisk", control=OTHERS)
    assert len(answer.results) == 3
    assert pw.report(answer, "web", tmp_path / "page.html")


def test_an_unknown_argument_is_named():
    with pytest.raises(UnknownNameError, match='"MIATest" has no argument "contrl"'):
        PETValidation(DRAWN, PEOPLE, "MIATest", contrl=OTHERS)
