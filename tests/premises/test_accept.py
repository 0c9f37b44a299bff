"""What is accepted is checked when it is written, not when it is used."""

import pickle

import pytest

import PETWorks as pw
from PETWorks import Accept, Adversary
from PETWorks.errors import ParameterError
from PETWorks.premises.accept import KINDS, PREMISES, check_acceptances
from PETWorks.premises.premise import Premise, Premises, PremiseVerdict

WHY = "read by two people"
WRONG = {
    "free-text": ({"premise": "free-text", "columns": ["note"], "why": WHY}, 'did you mean "free_text"'),
    "no column": ({"premise": "free_text", "why": WHY}, "names no column"),
    "one text": ({"premise": "free_text", "columns": "note", "why": WHY}, "must be a list of names"),
    "twice": ({"premise": "rest", "columns": ["a", "a"], "why": WHY}, "twice"),
    "columns of the whole": ({"premise": "changed", "columns": ["a"], "why": WHY}, "about the whole table"),
    "no kind": ({"premise": "contents", "columns": ["a"], "why": WHY}, "names no kind"),
    "unknown kind": (
        {"premise": "contents", "columns": ["a"], "of": ["mobil"], "why": WHY},
        'did you mean "mobile"',
    ),
    "kinds elsewhere": ({"premise": "rest", "columns": ["a"], "of": ["mobile"], "why": WHY}, "only contents has kinds"),
    "blank": ({"premise": "changed", "why": "  "}, "gives no reason"),
    "unfinished": ({"premise": "changed", "why": "Fill in"}, "gives no reason"),
    "negative": ({"premise": "changed", "at_most": -1, "why": WHY}, "whole number"),
    "a truth value": ({"premise": "changed", "at_most": True, "why": WHY}, "whole number"),
    "nothing to count": ({"premise": "requirement", "at_most": 3, "why": WHY}, "nothing to count"),
}


@pytest.mark.parametrize(("given", "told"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_at_once(given, told):
    with pytest.raises(ParameterError) as caught:
        Accept(**given)
    assert told in str(caught.value)


def test_names_are_read_like_those_of_columns():
    accepted = pw.Accept(" contents ", [" note "], of=("mobile",), at_most=3, why=WHY)
    assert (accepted.premise, accepted.columns, accepted.of) == ("contents", ("note",), ("mobile",))
    assert Accept.from_dict(accepted.to_dict()) == accepted == pickle.loads(pickle.dumps(accepted))


def test_unknown_columns_and_second_acceptances_are_errors():
    once = Accept("rest", ["ward"], why=WHY)
    check_acceptances([once, Accept("free_text", ["ward"], why=WHY)], ["ward"])
    for accept, told in [
        ([Accept("rest", ["wards"], why=WHY)], 'did you mean "ward"'),
        ([once, Accept("rest", ["ward"], why="another")], 'accepted twice for the column "ward"'),
        ([Accept("changed", why=WHY), Accept("changed", why=WHY)], "accepted twice"),
        (["changed"], "an acceptance is expected"),
        ([Accept("adversaries", ["ward"], why=WHY)], 'the adversary "ward", which is not there'),
    ]:
        with pytest.raises(ParameterError) as caught:
            check_acceptances(accept, ["ward"], ["neighbour"])
        assert told in str(caught.value)


def test_kinds_of_one_column_can_be_accepted_for_different_reasons():
    mobile = Accept("contents", ["note"], of=["mobile"], why="the ward's own telephone")
    names = Accept("contents", ["note"], of=["titled_name"], why="staff")
    check_acceptances([mobile, names], ["note"])
    assert not mobile.covers("note", "titled_name", 1)


def test_premises_are_found_by_name_and_pickle_without_rows():
    premise = Premise(
        "rest", PremiseVerdict.DOES_NOT_HOLD, {"job": {"alone": 20}}, {"all": 20}, finder=lambda name: {name: [1]}
    )
    premises = Premises((premise,), (Accept("changed", why=WHY),))
    assert premises["rest"].rows == {"rest": [1]}
    again = pickle.loads(pickle.dumps(premises))
    assert (again, again.holds, again["rest"].finder) == (premises, False, None)
    assert Premise.from_dict(premise.to_dict()) == premise
    with pytest.raises(pw.PETWorksError):
        _ = again["rest"].rows
    with pytest.raises(pw.PETWorksError, match="there is no premise"):
        premises["contnts"]
    assert premises.digest == Premises(unused=premises.unused).digest is not None
    assert Premises().digest is None
    assert len({*PREMISES, *KINDS}) == len(PREMISES) + len(KINDS)


def test_adversaries_know_something():
    assert Adversary("boss", ["sex", {"birth": "decade"}]).knows == {"sex": 0, "birth": "decade"}
    for given in [("", ["sex"]), ("boss", []), ("boss", "sex"), ("boss", ["sex", "sex"]), ("boss", [{"sex": -1}])]:
        with pytest.raises(ParameterError):
            Adversary(*given)
    with pytest.raises(ParameterError):
        Adversary("boss", ["sex"], "some")
    with pytest.raises(ParameterError):
        Adversary("boss", ["sex"], at_most=-1)
