"""PRAM odds: random matrices beside a naive definition, and what is refused."""

import json
import random
from fractions import Fraction

import pytest

import PETWorks as pw
from oracle import naive_unpaired as naive
from PETWorks.errors import NotAskableError, ParameterError

ROLES = {"quasi_identifiers": ["age"], "sensitive": ["ill"]}
MATRIX = {"no": {"no": "9/10", "yes": "1/10"}, "yes": {"no": "1/5", "yes": "4/5"}}


def draw_matrix(chance, values):
    found = {}
    for value in values:
        cuts = sorted(chance.randint(0, 6) for _ in values[1:])
        shares = [high - low for low, high in zip([0, *cuts], [*cuts, 6], strict=True)]
        found[value] = {name: f"{share}/6" for name, share in zip(values, shares, strict=True) if share}
    return found


@pytest.mark.parametrize("seed", range(60))
def test_odds_are_those_of_the_definition(seed):
    chance = random.Random(seed)
    values = "abcd"[: chance.randint(1, 4)]
    matrix = draw_matrix(chance, values)
    original = [chance.choice(values) for _ in range(chance.randint(1, 30))]
    yielded = sorted({name for value in original for name in matrix[value]})
    released = {"ill": yielded, "age": ["1"] * len(yielded)}
    both = {"original": {"ill": original, "age": ["1"] * len(original)}, "pairing": "none"}

    result = pw.Release(released, **both, **ROLES).ask(pw.PramOdds(matrix=matrix, max_ratio=2))
    shares = {value: {name: Fraction(one) for name, one in row.items()} for value, row in matrix.items()}
    expected = naive.compute_odds(shares, original)
    assert (result.exact, *(result.parts[name].exact for name in ("odds gain", "ratio"))) == expected
    assert result.holds == (expected[2] is not None and expected[2] <= 2)
    text = " ".join(str(result.explain()).split())
    assert ("no bound" in text) == (None in (expected[1], expected[2]))


def release(cells, original=None, **options):
    tables = {} if original is None else {"original": {"ill": original, "age": ["1"] * len(original)}}
    return pw.Release({"ill": cells, "age": ["1"] * len(cells)}, **tables, **ROLES, pairing="none", **options)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"matrix": {"no": {"no": "0.9", "yes": "0.2"}}}, "matrix.no sums to 11/10, not to 1"),
        ({"matrix": {"no": {"no": 1 / 3, "yes": 2 / 3}}}, "not to 1"),
        ({"matrix": {"no": 1}}, "matrix.no must be names with numbers, not 1"),
        ({"matrix": MATRIX, "counts": {"maybe": 3}}, "matrix has no row for it"),
        ({"matrix": MATRIX, "counts": {"no": 0}}, "counts has nobody"),
        ({"matrix": MATRIX, "counts": {"no": "1/2"}}, "a whole number"),
    ],
)
def test_what_is_no_matrix(parameters, problem):
    with pytest.raises(ParameterError, match=problem):
        pw.PramOdds(**parameters)


@pytest.mark.parametrize(
    ("cells", "original", "parameters", "problem"),
    [
        (["no", "odd"], ["no"], {}, '"ill" has 1 value that the matrix never yields'),
        (["no"], ["no", "odd", "strange"], {}, "2 values of the original without a row in the matrix"),
        (["no"], None, {}, "needs the number of people with each value"),
        (["no"], [None], {}, "are missing"),
        (["no"], ["no"], {"target": "sex"}, '"sex"'),
    ],
)
def test_a_matrix_that_is_not_that_of_the_table(cells, original, parameters, problem):
    with pytest.raises(NotAskableError, match=problem) as caught:
        release(cells, original).ask(pw.PramOdds(matrix=MATRIX, **parameters))
    assert '"odd"' not in str(caught.value)


def test_numbers_are_compared_as_numbers_and_missing_cells_left_out():
    matrix = {"1": {"1": "0.5", "2": "0.5"}, "2": {"2": 1}}
    result = release(["1.0", "2", None, "*"], ["01", "2.0", "2", None, "*"]).ask(pw.PramOdds(matrix=matrix))
    assert (result.exact, [note.kind for note in result.notes]) == (1, ["missing_left_out"])
    assert release(["no"], ["no"]).ask(pw.PramOdds(matrix={"no": {"no": 1}, "NO": {"NO": 1}})).exact == 1


def test_the_public_gets_no_counts_and_nothing_of_fewer_than_five():
    asked = pw.PramOdds(matrix=MATRIX, counts={"no": 90, "yes": 4}, max_posterior="0.9")
    judged = release(["no", "yes"] * 10).check(asked)
    public = json.loads(judged.public().to_json())
    assert "90" not in json.dumps(public["results"] + public["requirements"])
    assert judged.public()["PRAM odds"].value is None
    many = release(["no", "yes"] * 10).check(pw.PramOdds(matrix=MATRIX, counts={"no": 90, "yes": 10}, max_posterior=1))
    assert many.public()["PRAM odds"].value == 0.976
    assert "90" not in many.text()
