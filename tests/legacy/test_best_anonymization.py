"""What the old interface makes has the least loss of all level vectors, which are all tried, by definition."""

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.best_levels import Question, failing, farther_than, fewer_than, less_diverse_than, present
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE
from PETWorks.errors import GoalError
from support.old_calls import DELTA, TYPES, records, release, rows_of, trees_of
from support.strategies import brute


@pytest.mark.parametrize("rate", [0, 0.2, 0.5, 1])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_k_anonymity_of_delta_is_the_best(k, rate):
    rows = rows_of(DELTA["originalData"])
    question = Question(rows, trees_of(DELTA["dataHierarchy"], TYPES), Fraction(str(rate)))
    expect(question, failing(question, fewer_than(k)), lambda: release(DELTA, "k-anonymity", rate, TYPES, k=k), rows)


@pytest.mark.parametrize("rate", [0, 0.2, 1])
def test_l_diversity_of_delta_is_the_best(rate):
    rows = rows_of(DELTA["originalData"])
    question = Question(rows, trees_of(DELTA["dataHierarchy"], TYPES), Fraction(str(rate)))
    types = {**TYPES, "salary-class": SENSITIVE_ATTRIBUTE}
    gone = failing(question, less_diverse_than(2, ["salary-class"]))
    expect(question, gone, lambda: release(DELTA, "l-diversity", rate, types, l=2), rows, kept=["salary-class"])


@pytest.mark.parametrize("sensitive", ["Salary", "Disease"])
@pytest.mark.parametrize("t", ["0.2", "0.4", "0.6"])
@pytest.mark.parametrize("rate", [0, 0.4])
def test_t_closeness_of_disease_is_the_best(shared, sensitive, t, rate):
    folder = shared / "datasets/disease"
    place = {"originalData": str(folder / "disease.csv"), "dataHierarchy": str(folder / "disease_hierarchy")}
    rows = rows_of(place["originalData"])
    question = Question(rows, trees_of(place["dataHierarchy"], ["ZIPCode", "Age"]), Fraction(str(rate)))
    tree = trees_of(place["dataHierarchy"], ["Disease"])["Disease"]
    gone = failing(question, farther_than(Fraction(t), sensitive, rows, tree))
    types = {"ZIPCode": QUASI_IDENTIFIER, "Age": QUASI_IDENTIFIER, sensitive: SENSITIVE_ATTRIBUTE}
    expect(question, gone, lambda: release(place, "t-closeness", rate, types, t=t), rows, kept=[sensitive])


def expect(question, gone, make, rows, kept=()):
    """Compare a release with the best one; columns that are neither quasi-identifiers nor kept are marked."""
    best = question.best(gone)
    if best is None:
        with pytest.raises(GoalError):
            make()
        return
    released = question.released(rows, *best)
    visible = {*question.trees, *kept}
    expected = [{name: cell if name in visible else "*" for name, cell in row.items()} for row in released]
    assert records(make()) == expected


TREES = {  # of random tables
    "a": {"1": ("1", "1-2", "*"), "2": ("2", "1-2", "*"), "3": ("3", "3-4", "*"), "4": ("4", "3-4", "*")},
    "b": {"x": ("x", "any"), "y": ("y", "any"), "z": ("z", "any")},
    "c": {"p": ("p", "p", "*"), "q": ("q", "r", "*"), "s": ("s", "r", "*")},
}
DISEASES = {
    "flu": ("flu", "lung", "*"),
    "cold": ("cold", "lung", "*"),
    "ulcer": ("ulcer", "stomach", "*"),
    "gastritis": ("gastritis", "stomach", "*"),
}
COARSENED = dict.fromkeys(TREES, QUASI_IDENTIFIER)
HIERARCHIES = {name: list(tree.values()) for name, tree in {**TREES, "disease": DISEASES}.items()}
RATES = st.sampled_from(["0", "0.1", "0.3", "0.5", "1"])
ROW = st.fixed_dictionaries(
    {
        "disease": st.sampled_from(list(DISEASES)),
        **{name: st.sampled_from(list(tree)) for name, tree in TREES.items()},
        "salary": st.sampled_from(["3", "4", "9", "10"]),
    }
)
COLUMNS = ["disease", *TREES, "salary"]  # ties depend on their order
ROWS = st.lists(ROW, min_size=1, max_size=12)


def best_is_made(tech, question, gone, secret, **arguments):
    """Compare what is made of a random table with the best release; `rows` are those of the question, or all."""
    rows = arguments.pop("rows", question.rows)
    place = {"originalData": pd.DataFrame(rows, columns=COLUMNS), "dataHierarchy": HIERARCHIES}
    types = COARSENED | dict.fromkeys(secret, SENSITIVE_ATTRIBUTE)
    rate = str(float(question.rate))
    expect(question, gone, lambda: release(place, tech, rate, types, **arguments), rows, secret)


@brute
@given(ROWS, RATES, st.integers(1, 4))
def test_k_anonymity_is_the_best(rows, rate, k):
    question = Question(rows, TREES, Fraction(rate))
    best_is_made("k-anonymity", question, failing(question, fewer_than(k)), ["disease"], k=k)


@brute
@given(ROWS, RATES, st.integers(1, 3))
def test_l_diversity_of_each_sensitive_attribute_is_the_best(rows, rate, diverse):
    question, secret = Question(rows, TREES, Fraction(rate)), ["disease", "salary"]
    best_is_made("l-diversity", question, failing(question, less_diverse_than(diverse, secret)), secret, l=diverse)


@brute
@given(ROWS, RATES, st.sampled_from(["0", "0.2", "0.3", "0.5", "1"]), st.sampled_from(["disease", "salary"]))
def test_t_closeness_ordered_and_hierarchical_is_the_best(rows, rate, t, secret):
    question = Question(rows, TREES, Fraction(rate))
    gone = failing(question, farther_than(Fraction(t), secret, rows, DISEASES))
    best_is_made("t-closeness", question, gone, [secret], t=t)


@brute
@given(ROWS, RATES, st.sampled_from(["0", "0.2", "0.5"]), st.sampled_from(["0.5", "0.7", "1"]), st.randoms())
def test_presence_is_the_best_for_the_subset_and_all_rows_come_back(rows, rate, least, most, random):
    sample = random.sample(rows, random.randint(1, len(rows)))
    question = Question(sample, TREES, Fraction(rate))
    gone = present(question, rows, Fraction(least), Fraction(most))
    subset = pd.DataFrame(sample, columns=COLUMNS)
    best_is_made("d-presence", question, gone, ["salary"], rows=rows, dMin=least, dMax=most, subsetData=subset)
