"""What analysts learn from a release: regressions and classifiers, beside naive definitions."""

import random
from fractions import Fraction

import numpy as np
import pytest

import PETWorks as pw
from oracle import naive_unpaired as naive
from PETWorks.errors import FunctionError, NotAskableError, ParameterError
from PETWorks.measure.utility.transfer_accuracy import compute_sign_test


def fit(table, names):
    """Return coefficients and standard errors, by NumPy."""
    columns = [[float(one) for one in table[name]] for name in names]
    design = np.column_stack([np.ones(len(columns[0])), *columns[1:]])
    solved, *_ = np.linalg.lstsq(design, np.array(columns[0]), rcond=None)
    errors = np.array(columns[0]) - design @ solved
    variance = errors @ errors / (len(design) - design.shape[1]) * np.linalg.inv(design.T @ design).diagonal()
    return list(zip(solved, np.sqrt(variance), strict=True))


def draw_numbers(chance, rows):
    age = [chance.randint(20, 60) for _ in range(rows)]
    hours = [chance.randint(10, 60) / 4 for _ in range(rows)]
    income = [3 * a - 2 * b + chance.randint(-20, 20) for a, b in zip(age, hours, strict=True)]
    return {name: list(map(str, cells)) for name, cells in {"income": income, "age": age, "hours": hours}.items()}


@pytest.mark.parametrize("seed", range(25))
def test_overlaps_are_those_of_least_squares_with_floats(seed):
    chance = random.Random(seed)
    released, original = (draw_numbers(chance, chance.randint(8, 40)) for _ in range(2))
    result = pw.Release(released, original=original, synthetic=True).ask(pw.RegressionOverlap("income ~ age + hours"))
    names = ("income", "age", "hours")
    overlaps = [naive.overlap(*both) for both in zip(fit(released, names), fit(original, names), strict=True)]
    assert result.value == pytest.approx(min(overlaps), abs=1e-9)
    assert result.parts["mean"].value == pytest.approx(sum(overlaps) / 3, abs=1e-9)


def test_a_copy_overlaps_as_a_whole_and_repeated_rows_are_more_certain():
    table = draw_numbers(random.Random(1), 30)
    asked = pw.RegressionOverlap("income ~ age + hours", min_overlap=1)
    assert pw.Release(table, original=table, pairing="none").ask(asked).holds
    many = {name: cells * 4 for name, cells in table.items()}
    result = pw.Release(many, original=table, pairing="none").ask(asked)
    assert (0.7 < result.value < 0.8, result.holds) == (True, False)


def test_missing_and_suppressed_rows_are_left_out():
    table = draw_numbers(random.Random(2), 30)
    gaps = {name: [*cells, None, "*"] for name, cells in table.items()}
    result = pw.Release(gaps, original=table, pairing="none").ask(pw.RegressionOverlap("income ~ age"))
    assert (result.exact, result.value) in ((1, 1), (None, 1))
    assert {"released": 2, "original": 0} in [note.figures for note in result.notes]


def test_points_and_large_numbers():
    line = {"y": ["1", "2", "3"], "x": ["1", "2", "3"]}
    shifted = {"y": ["2", "3", "4"], "x": ["1", "2", "3"]}
    asked = pw.RegressionOverlap("y ~ x")
    assert pw.Release(line, original=line, pairing="none").ask(asked).exact == 1
    assert pw.Release(shifted, original=line, pairing="none").ask(asked).exact == 0
    large = {name: [f"{cell}0000000000000000000.25" for cell in cells] for name, cells in line.items()}
    assert pw.Release(large, original=large, pairing="none").ask(asked).exact == 1


@pytest.mark.parametrize(
    ("formula", "table", "problem"),
    [
        ("y ~ x", {"y": ["1", "2"], "x": ["1", "2"]}, "2 rows for 2 coefficients"),
        ("y ~ x", {"y": ["1", "2", "4"], "x": ["1", "1", "1"]}, "follow from each other"),
        ("y ~ x", {"y": ["1", "2", "4"], "x": ["1", "a", "b"]}, '2 values are no number in "x"'),
        ("y ~ z", {"y": ["1", "2", "4"], "x": ["1", "2", "2"]}, '"z"'),
        ("y ~ x", {"y": [None] * 3, "x": [None] * 3}, "0 rows for 2 coefficients"),
    ],
)
def test_formulas_that_cannot_be_estimated(formula, table, problem):
    with pytest.raises(NotAskableError, match=problem):
        pw.Release(table, original=table, pairing="none").ask(pw.RegressionOverlap(formula))


@pytest.mark.parametrize("formula", ["y", "y ~", "~ x", "y ~ x + x", "y ~ x + y", "a + b ~ c", "y ~ x ~ z", 3, None])
def test_what_is_no_formula(formula):
    with pytest.raises(ParameterError, match="formula must be a formula"):
        pw.RegressionOverlap(formula)


NAMES = ("sex", "zip", "ill")


def draw(chance, rows):
    return [(chance.choice("FM"), chance.choice(["x", "y", None]), chance.choice(["flu", "hay"])) for _ in range(rows)]


def table(rows):
    return {name: [row[place] for row in rows] for place, name in enumerate(NAMES)}


@pytest.mark.parametrize("seed", range(40))
def test_naive_bayes_is_that_of_the_definition(seed):
    chance = random.Random(seed)
    released, original, holdout = (draw(chance, chance.randint(1, 15)) for _ in range(3))
    release = pw.Release(table(released), original=table(original), holdout=table(holdout), synthetic=True)
    result = release.ask(pw.TransferAccuracy(target="ill"))
    values = [len({row[place] for row in (*released, *original)}) for place in range(3)]
    right = [[naive.classify(rows, 2, values, row) == row[2] for row in holdout] for rows in (released, original)]
    assert result.exact == Fraction(sum(right[0]), len(holdout))
    assert result.parts["loss"].exact == Fraction(sum(right[1]) - sum(right[0]), len(holdout))
    once = [sum(b and not a for a, b in zip(*some, strict=True)) for some in (right, right[::-1])]
    assert result.parts["chance"].exact == compute_sign_test(*once)


class Majority:
    """A classifier that names the most frequent class."""

    def fit(self, known, classes):
        self.shape, self.named = known.shape, np.bincount(classes).argmax()

    def predict(self, known):
        assert known.shape[1] == self.shape[1]
        return np.full(len(known), self.named)


def test_a_model_of_the_caller_is_tried():
    released, original = [("F", "x", "hay")] * 3, [("F", "x", "flu")] * 2 + [("M", "y", "hay")]
    release = pw.Release(table(released), original=table(original), holdout=table(original), synthetic=True)
    result = release.ask(pw.TransferAccuracy(target="ill", model=Majority))
    assert (result.exact, result.parts["of the original"].exact) == (Fraction(1, 3), Fraction(2, 3))
    assert "of_model" in [note.kind for note in result.notes]
    assert "Majority" in result.text()
    with pytest.raises(FunctionError, match="the model Fraction raised"):
        release.ask(pw.TransferAccuracy(target="ill", model=Fraction))
    with pytest.raises(ParameterError, match="model must be a function"):
        pw.TransferAccuracy(target="ill", model=3)


def test_a_tree_of_scikit_learn_learns_what_is_there():
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier
    rows = [("F", "x", "flu"), ("F", "y", "hay"), ("M", "x", "hay"), ("M", "y", "flu")] * 5  # no single column tells it
    release = pw.Release(table(rows), original=table(rows), holdout=table(rows[:7]), synthetic=True)
    result = release.ask(pw.TransferAccuracy(target="ill", model="sklearn.tree:DecisionTreeClassifier"))
    assert (result.exact, result.measure.model) == (1, tree)


def test_a_policy_file_names_no_model():
    policy = {
        "data": {"release": "r.csv", "original": "o.csv", "synthetic": True},
        "columns": {"quasi_identifiers": ["sex"], "sensitive": ["ill"]},
        "require": [{"measure": "transfer accuracy", "model": "os:system", "max_loss": "0.1", "why": "x"}],
    }
    with pytest.raises(pw.PETWorksError, match="a policy file cannot pass model"):
        pw.Policy(policy)


@pytest.mark.parametrize("seed", range(40))
def test_perturbed_numbers_are_linked_as_defined(seed):
    chance = random.Random(seed)
    rows = chance.randint(2, 12)
    original = [[Fraction(chance.randint(0, 6)) for _ in range(2)] for _ in range(rows)]
    released = [[one + Fraction(chance.randint(-2, 2), 2) for one in row] for row in original]
    tables = [
        {name: [str(float(row[place])) for row in some] for place, name in enumerate("xy")}
        for some in (released, original)
    ]
    release = pw.Release(tables[0], original=tables[1], pairing="position")
    assert release.ask("NearestLinkage").exact == naive.link(released, original)
    ranks = Fraction(chance.randint(1, 9), 10)
    result = release.ask(pw.IntervalDisclosure(ranks=ranks))
    columns = [([row[place] for row in released], [row[place] for row in original]) for place in range(2)]
    assert result.exact == max(naive.count_in_intervals(*both, ranks) for both in columns)
