from fractions import Fraction
from math import log2

from hypothesis import given

import PETWorks as pw
from oracle import naive
from support.strategies import NUDGE, brute, forms, release_of, tables

with_original = tables(original=True)
CLOSE = Fraction(1, 10**14)
TINY = Fraction(1, 10**30)


def expected_score(tables) -> Fraction:
    score = naive.non_uniform_entropy(tables, tables.quasi_identifiers)
    if score is None:
        return Fraction(1 if naive.classes(tables) else 0)
    return score


@brute
@given(with_original, forms)
def test_is_its_definition(tables, form):
    result = release_of(tables, form).ask("Non-Uniform Entropy")
    assert abs(Fraction(result.value) - expected_score(tables)) < CLOSE
    assert set(result.parts) == set(tables.quasi_identifiers)
    for name, part in result.parts.items():
        own = naive.non_uniform_entropy(tables, [name])
        assert (part.value is None) == (own is None)
        assert own is None or abs(Fraction(part.value) - own) < CLOSE


@brute
@given(with_original)
def test_loss_is_rounded_once(tables):
    assert release_of(tables).ask("Non-Uniform Entropy").value == 1.0 - float(1 - expected_score(tables))


@brute
@given(with_original)
def test_verdict(tables):
    release, score = release_of(tables), expected_score(tables)
    for limit in (score - NUDGE, score + NUDGE, score - TINY, score + TINY):
        if 0 <= limit <= 1:
            assert release.ask(pw.NonUniformEntropy(at_least=limit)).holds == (score >= limit)


@brute
@given(with_original)
def test_rational_scores_meet_themselves(tables):
    score = expected_score(tables)
    rational = score.limit_denominator(10**5)
    if abs(score - rational) < TINY:
        assert release_of(tables).ask(pw.NonUniformEntropy(at_least=rational)).holds


@brute
@given(with_original)
def test_meets_the_float_it_rounds_to(tables):
    nearest = float(expected_score(tables))
    assert release_of(tables).ask(pw.NonUniformEntropy(at_least=nearest)).holds


def test_the_example_of_the_sources():
    years = [(year, year[:3] + "*", "*") for year in ("1970", "1981", "1983", "1988")]
    example = naive.Tables(
        released=[{"n": row[1]} for row in years],
        quasi_identifiers=["n"],
        sensitive=[],
        original=[{"n": row[0]} for row in years],
        hierarchies={"n": years},
    )
    assert f"{float(naive.non_uniform_entropy(example, ['n'])):.4f}" == "0.4056"
    assert release_of(example).ask("Non-Uniform Entropy").value == 1 - 3 * log2(3) / 8
