from fractions import Fraction

from hypothesis import given

import PETWorks as pw
from oracle import naive
from support.strategies import brute, forms, limits_near, release_of, unpaired


@brute
@given(unpaired(), forms)
def test_is_its_definition(tables, form):
    result = release_of(tables, form).ask("AECS")
    expected = naive.aecs(tables)
    assert result.exact == expected
    assert result.value == 1.0 - float(1 - expected)
    assert not result.parts
    assert result.figures["class_size"] == naive.average_class_size(tables)
    assert result.figures["original_class_size"] == naive.original_class_size(tables)


@brute
@given(unpaired())
def test_verdict(tables):
    release, score = release_of(tables), naive.aecs(tables)
    for limit in limits_near(score):
        assert release.ask(pw.AECS(at_least=limit)).holds == naive.keeps_at_least(score, limit), limit


def aecs(original, released):
    return pw.Release({"n": released}, original={"n": original}).ask("AECS").exact


def test_original_all_alike():
    assert aecs(["a", "a", "a"], ["*", "a", "a"]) == 1


def test_nothing_published():
    assert aecs(["a", "a", "a"], ["*", "*", "*"]) == 0


def test_suppression_can_raise_it_to_1_and_no_further():
    assert aecs(["a", "b", "b", "b"], ["a", "*", "*", "*"]) == 1


def test_larger_than_the_original():
    assert aecs(["a", "b"], ["a", "a", "a"]) == 0
    assert aecs(["a", "b", "c"], ["a", "a", "b", "b"]) == Fraction(1, 2)


def test_the_example_of_the_sources():
    example = naive.Tables(
        released=[{"n": "53", "N": "*"}, {"n": "65", "N": "Female"}, {"n": "53", "N": "*"}],
        quasi_identifiers=["n", "N"],
        sensitive=[],
        original=[{"n": "53", "N": "Male"}, {"n": "65", "N": "Female"}, {"n": "53", "N": "Female"}],
        hierarchies={},
    )
    assert naive.aecs(example) == release_of(example).ask("AECS").exact == Fraction(3, 4)
