"""Errors about populations that lack people of the sample, functions that fail, and parameters out of range."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import PETWorks as pw
from PETWorks.errors import (
    FunctionError,
    HierarchyError,
    NotAskableError,
    ParameterError,
    PETWorksError,
    PopulationError,
    SourceError,
    UnknownNameError,
    UnknownValueError,
)

YEARS = [("1970", "197*", "*"), ("1975", "197*", "*"), ("1981", "198*", "*"), ("1988", "198*", "*")]
PEOPLE = ["1970", "1975", "1981", "1988"]
AMOUNTS = {"cost": 1, "gain": 1, "loss": 1, "benefit": 1}

QUESTIONS = [
    pw.DeltaPresence(d_min=0, d_max=1),
    pw.KMap(k=2),
    pw.ReidentificationRisk(),
    pw.PopulationUniqueness(),
    pw.Profitability(**AMOUNTS, attacker="journalist"),
]
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)


def sample(released, people=PEOPLE, hierarchies=YEARS, **options) -> pw.Release:
    trees = {"year": hierarchies} if hierarchies else None
    return pw.Release({"year": released}, population={"year": people}, hierarchies=trees, **options)


# Populations.


@each_question
def test_a_population_smaller_than_the_sample(question):
    with pytest.raises(
        PopulationError, match=r"population: 2 rows, but the release has 3 rows(.|\n)*all people of the release"
    ):
        sample(["197*", "197*", "*"], people=["1970", "1975"]).ask(question)


@each_question
def test_a_class_that_the_population_lacks(question):
    with pytest.raises(PopulationError, match=r"year=198\*: 1 in the release, 0 in the population"):
        sample(["197*", "198*"], people=["1970", "1975", "1970"]).ask(question)


@each_question
def test_a_class_of_which_the_population_has_fewer_rows(question):
    with pytest.raises(PopulationError, match=r"year=198\*: 3 in the release, 2 in the population"):
        sample(["198*", "198*", "198*"]).ask(question)


@each_question
def test_a_person_who_is_no_leaf(question):
    with pytest.raises(UnknownValueError, match=r'year: 1 value is not on the lowest level .* "1999" \(row 3\)'):
        sample(["197*"], people=["1970", "1975", "1999"]).ask(question)


@each_question
def test_a_missing_person_who_is_no_leaf(question):
    with pytest.raises(UnknownValueError, match=r"not on the lowest level of the hierarchy: .*missing.* \(row 2\)"):
        sample(["197*"], people=["1970", None, "1981"]).ask(question)


@each_question
def test_a_person_at_a_level_is_no_leaf(question):
    with pytest.raises(UnknownValueError, match=r'"197\*" \(row 2\)'):
        sample(["197*"], people=["1970", "197*", "1981"]).ask(question)


@each_question
@pytest.mark.parametrize(
    "released", [["197*", "1981"], ["1970", "198*"], ["*", "198*"], ["197*", "elsewhere"], ["197*", None]]
)
def test_mixed_levels(question, released):
    """The marker is at the top: beside decades it is another level. The second column keeps the row unsuppressed."""
    table = {"year": released, "sex": ["f", "f"]}
    population = {"year": PEOPLE, "sex": ["f"] * 4}
    release = pw.Release(table, population=population, hierarchies={"year": YEARS})
    with pytest.raises(HierarchyError, match=r'"year" is released at several levels(.|\n)*one level'):
        release.ask(question)


@each_question
def test_a_marker_among_values_without_a_hierarchy_is_another_level(question):
    release = pw.Release({"n": ["x", "*"], "m": ["y", "y"]}, population={"n": ["x", "z"], "m": ["y", "y"]})
    with pytest.raises(HierarchyError, match="several levels"):
        release.ask(question)


def test_the_marker_is_at_the_top_even_if_a_lower_level_has_it():
    """A node at a middle level may have the marker's name. A released marker still means the top."""
    tree = [("1", "a", "all"), ("2", "*", "all"), ("3", "*", "all")]
    population = {"n": ["1", "2", "3"], "m": ["x"] * 3}
    release = pw.Release({"n": ["*", "*"], "m": ["x", "x"]}, population=population, hierarchies={"n": tree})
    assert release.ask("k-map").exact == 3
    assert release.ask("δ-presence").exact == Fraction(2, 3)
    mixed = pw.Release({"n": ["*", "a"], "m": ["x", "x"]}, population=population, hierarchies={"n": tree})
    with pytest.raises(HierarchyError, match="several levels"):
        mixed.ask("k-map")


@each_question
def test_suppressed_rows_are_no_level(question):
    release = sample(["197*", "*", "198*"])
    assert release.ask(question).scope.suppressed == 1


@each_question
def test_a_population_without_a_quasi_identifier(question):
    release = pw.Release({"year": ["1970"]}, population={"age": ["1970"]})
    with pytest.raises((SourceError, UnknownNameError), match="year"):
        release.ask(question)


@pytest.mark.parametrize("question", [question for question in QUESTIONS if question.name != "re-identification"])
def test_no_population(question):
    with pytest.raises(NotAskableError, match="population"):
        pw.Release({"year": ["1970"]}).ask(question)


@each_question
def test_nothing_published(question):
    """If nothing is published, every model holds without a value, and risks are 0. The population lacks nobody."""
    result = sample(["*", "*"]).ask(question)
    if result.measure.family == "risk":
        assert {part.value for part in result.parts.values()} == {0.0}
    else:
        assert result.value is None
        assert result.holds is True
        assert "nothing_published" in {note.kind for note in result.notes}


# Sizes of populations.


@pytest.mark.parametrize("fraction", [0, -1, "-1/2", 1.0000001, 2, "3/2", math.nan, math.inf, "half", True, ""])
def test_no_sampling_fraction(fraction):
    with pytest.raises(ParameterError, match="sampling_fraction"):
        pw.PopulationUniqueness(sampling_fraction=fraction)


@pytest.mark.parametrize("size", [0, -5, math.nan, math.inf, "many", False, "0.5"])
def test_no_population_size(size):
    with pytest.raises(ParameterError, match="population_size"):
        pw.PopulationUniqueness(population_size=size)


def test_a_stated_population_smaller_than_the_sample():
    release = pw.Release({"n": ["a", "b", "b"]})
    with pytest.raises(PopulationError, match=r"release has 3 rows, more than a population of 2 people can hold"):
        release.ask(pw.PopulationUniqueness(population_size=2))
    assert release.ask(pw.PopulationUniqueness(population_size=3)).value == 1 / 3


def test_a_stated_population_holds_the_published_rows():
    """n counts unsuppressed rows; a fraction refers to all rows of the release."""
    release = pw.Release({"n": ["a", "b", "b", "*"]})
    assert release.ask(pw.PopulationUniqueness(population_size=3)).value == 1 / 3
    by_fraction = release.ask(pw.PopulationUniqueness(sampling_fraction="1/5")).parts["zayatz"].value
    assert by_fraction == release.ask(pw.PopulationUniqueness(population_size=20)).parts["zayatz"].value


def test_both_ways_to_state_a_population():
    with pytest.raises(ParameterError, match="population_size or sampling_fraction, not both"):
        pw.PopulationUniqueness(population_size=10, sampling_fraction="1/2")


@pytest.mark.parametrize("size", ["10.5", 10.5, Fraction(31, 3)])
def test_people_are_whole(size):
    with pytest.raises(ParameterError, match="whole"):
        pw.PopulationUniqueness(population_size=size)


# Functions.


def biased(function, **options):
    return pw.Release({"n": ["1"]}, original={"n": ["2"]}).ask(pw.UtilityBias(function=function, **options))


def raising(_):
    raise KeyError("no such column")


def test_a_function_that_raises():
    with pytest.raises(FunctionError, match="the function raising raised KeyError: 'no such column'") as caught:
        biased(raising, max_bias=1)
    assert isinstance(caught.value.__cause__, KeyError)


ANSWERS = [
    None,
    math.nan,
    math.inf,
    -math.inf,
    "1.5",
    True,
    False,
    [1],
    1j,
    np.bool_(True),
    np.float64("nan"),
    np.array([1.0, 2.0]),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_a_function_that_gives_no_finite_number(answer):
    def given(_):
        return answer

    with pytest.raises(FunctionError, match="the function given must return a finite number, not"):
        biased(given, max_bias=1)


@pytest.mark.parametrize(
    "answer", [0, 1.5, -2, Fraction(1, 3), np.float32(0.1), np.int64(7), np.float64(1e300), 10**20, Decimal("0.1")]
)
def test_a_function_that_gives_a_finite_number(answer):
    assert biased(lambda table: answer if table["n"] == ["1"] else 0).exact == abs(Fraction(str(answer)))


def test_a_number_too_large_for_a_float():
    with pytest.raises(PETWorksError, match="number"):
        biased(lambda _: 10**400)


@pytest.mark.parametrize("wrong", [None, 1, "no such:function", "math:no_such", "math", ""])
def test_no_function(wrong):
    with pytest.raises(ParameterError, match="function"):
        pw.UtilityBias(function=wrong)


def test_a_bias_needs_an_original():
    with pytest.raises(NotAskableError, match="original"):
        pw.Release({"n": ["1"]}).ask(pw.UtilityBias(function=len, max_bias=1))


# Parameters.

NO_NUMBERS = [math.nan, math.inf, -math.inf, "x", "", [1], True, 1j, Decimal("NaN")]
NUMBERS_OF = {
    "k": (pw.KAnonymity, [0, -1, "0.5", 0.999]),
    "k of (α,k)": (pw.AlphaKAnonymity, [0, -1, "1/2"]),
    "k of k-map": (pw.KMap, [0, -1, "1/2"]),
    "alpha": (pw.AlphaKAnonymity, [0, -1, 1.5, "1.0000001", 0.0]),
    "l": (pw.LDiversity, [0, -1, "0.99"]),
    "delta": (pw.DeltaDisclosure, [0, -1, "-0.1", 0.0]),
    "beta": (pw.BetaLikeness, [-1, 0, "-0.1"]),
    "t": (pw.TCloseness, [1.1, -0.1, 2]),
    "d_min": (pw.DeltaPresence, [-0.1, 1.1]),
    "d_max": (pw.DeltaPresence, [-0.1, 1.1, "4/3"]),
    "threshold": (pw.ReidentificationRisk, [-1, 1.5]),
    "highest": (pw.ReidentificationRisk, [-1, 1.5]),
    "average": (pw.ReidentificationRisk, [-1, 1.5]),
    "above": (pw.ReidentificationRisk, [-1, 1.5]),
    "at_most": (pw.SampleUniqueness, [-1, 1.5]),
    "at_most of shares": (pw.Shares, [-1, 1.5]),
    "at_most of population uniqueness": (pw.PopulationUniqueness, [-1, 1.5]),
    "at_least": (pw.Ambiguity, [-1, 1.5]),
    "at_least of discernibility": (pw.Discernibility, [-1, 1.5]),
    "at_least of granularity": (pw.Granularity, [-1, 1.5]),
    "at_least of squared error": (pw.SquaredError, [-1, 1.5]),
}
OUT_OF_RANGE = [
    (kind, name.split(" of ")[0], wrong) for name, (kind, wrongs) in NUMBERS_OF.items() for wrong in wrongs + NO_NUMBERS
]


@pytest.mark.parametrize(("kind", "name", "wrong"), OUT_OF_RANGE)
def test_parameters_out_of_range(kind, name, wrong):
    with pytest.raises(ParameterError, match=rf"{name} must be") as caught:
        kind(**{name: wrong})
    assert (repr(wrong) if not isinstance(wrong, list) else "a list") in str(caught.value)


@pytest.mark.parametrize("wrong", [0, -1, *NO_NUMBERS])
def test_no_c(wrong):
    with pytest.raises(ParameterError, match="c must be"):
        pw.LDiversity(variant="recursive", l=3, c=wrong)


@pytest.mark.parametrize("wrong", [-1, "-0.01", *NO_NUMBERS])
def test_no_bias(wrong):
    with pytest.raises(ParameterError, match="max_bias must be"):
        pw.UtilityBias(function=len, max_bias=wrong)


@pytest.mark.parametrize("least", [None, "2.5", 2.5])
def test_recursive_needs_a_whole_l(least):
    with pytest.raises(ParameterError, match="whole number"):
        pw.LDiversity(variant="recursive", l=least, c=2)


def test_c_without_recursion():
    with pytest.raises(ParameterError, match='variant="recursive"'):
        pw.LDiversity(l=3, c=2)


@pytest.mark.parametrize(("low", "high"), [("0.5", "0.4"), (1, 0), (0.3, "0.29999999999999999999"), ("1/3", "0.333")])
def test_limits_that_leave_no_room(low, high):
    with pytest.raises(ParameterError, match="d_min must be at most d_max"):
        pw.DeltaPresence(d_min=low, d_max=high)


@pytest.mark.parametrize(("low", "high"), [("1/3", 1 / 3), (2 / 3, "2/3"), (0.5, "1/2"), (0, 0), (1, 1)])
def test_limits_that_leave_one_point(low, high):
    """A number that rounds to a float is equal to it: 1/3 is not above the float 1/3."""
    pw.DeltaPresence(d_min=low, d_max=high)


@pytest.mark.parametrize(
    ("kind", "name", "near"),
    [
        (pw.LDiversity, "variant", "entropi"),
        (pw.LDiversity, "others", "joined"),
        (pw.BetaLikeness, "variant", "enhance"),
        (pw.DeltaDisclosure, "absent", "counts"),
        (pw.TCloseness, "distance", "hierarchic"),
    ],
)
def test_no_such_word(kind, name, near):
    with pytest.raises(ParameterError, match=rf"{name} cannot be '{near}'(.|\n)*did you mean"):
        kind(**{name: near})
    with pytest.raises(ParameterError, match=f"{name} cannot be"):
        kind(**{name: 3})


@pytest.mark.parametrize("name", ["allow_attack", "information_loss"])
@pytest.mark.parametrize("wrong", [1, 0, "yes", None])
def test_no_yes_or_no(name, wrong):
    with pytest.raises(ParameterError, match=f"{name} must be True or False"):
        pw.Profitability(**AMOUNTS, **{name: wrong})


@pytest.mark.parametrize("measure", [pw.AlphaKAnonymity, pw.LDiversity, pw.DeltaDisclosure, pw.BetaLikeness])
def test_sensitive_attributes(measure):
    with pytest.raises(NotAskableError, match="sensitive"):
        pw.Release({"n": ["x"]}).ask(measure())
    release = pw.Release({"n": ["x"], "disease": ["flu"]}, quasi_identifiers=["n"], sensitive=["disease"])
    with pytest.raises(UnknownNameError, match=r'"diseases" is not a sensitive attribute(.|\n)*mean "disease"'):
        release.ask(measure(sensitive="diseases"))
    assert release.ask(measure(sensitive="disease")).value is not None


@pytest.mark.parametrize(
    ("technique", "arguments"),
    [
        ("k-anonymity", {"k": 0}),
        ("l-diversity", {"l": 0}),
        ("t-closeness", {"tLimit": 1.1}),
        ("d-presence", {"dMin": "0.6", "dMax": "0.5"}),
        ("d-presence", {"dMin": -0.1, "dMax": 1}),
        ("UtilityBias", {"processingFunc": len, "maxBias": -1}),
        ("UtilityBias", {"processingFunc": raising, "maxBias": 1}),
        ("UtilityBias", {"processingFunc": "no function", "maxBias": 1}),
    ],
)
def test_the_old_door_complains_alike(technique, arguments):
    with pytest.raises(PETWorksError) as caught:
        pw.PETValidation({"year": PEOPLE}, {"year": PEOPLE}, technique, **arguments)
    assert isinstance(caught.value, ValueError)
    assert len(str(caught.value)) > 20
