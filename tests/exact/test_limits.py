"""Limits as callers write them: exact, but a number that rounds to a float is equal to that float."""

import ast
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive
from PETWorks.errors import ParameterError
from PETWorks.exact.limit import Limit, Side
from support.strategies import NUDGE, brute

SALARIES = pw.Release(
    {"year": ["197*"] * 2 + ["198*"] * 3, "salary": [3000, 4000, 5000, 6000, 8000]},
    quasi_identifiers=["year"],
    sensitive=["salary"],
)
NO_NUMBERS = ["", "abc", "0.2x", "nan", "inf", "1/0", "0,2", "٣", "1_0", [0.2], {}, (1, 2), 1j, True, False]
NOT_FINITE = [math.nan, math.inf, -math.inf, Decimal("NaN"), Decimal("Infinity"), np.float64("nan"), np.float32("inf")]


def thirds() -> pw.Release:
    """Three classes of one row each, all different: every distance is 2/3."""
    return pw.Release({"n": ["a", "b", "c"], "s": ["x", "y", "z"]}, quasi_identifiers=["n"], sensitive=["s"])


def shares(part: int, rows: int) -> pw.Release:
    """One class, and suppressed rows of which some have another value: a distance of part/rows."""
    sensitive = ["x"] * (rows - part) + ["y"] * part
    released = ["a"] * (rows - part) + ["*"] * part
    return pw.Release({"n": released, "s": sensitive}, quasi_identifiers=["n"], sensitive=["s"])


@pytest.mark.parametrize("t", [0.375, "0.375", "3/8", Decimal("0.375"), Fraction(3, 8), np.float64(0.375), "375e-3", 1])
def test_three_eighths_hold(t):
    result = SALARIES.ask(pw.TCloseness(t=t))
    assert result.exact == Fraction(3, 8)
    assert result.holds


@pytest.mark.parametrize("t", [0.3749999999999999, "0.374999999999", Fraction(3, 8) - NUDGE, Decimal("0.37"), 0])
def test_three_eighths_fail(t):
    assert not SALARIES.ask(pw.TCloseness(t=t)).holds


@pytest.mark.parametrize("t", [2 / 3, Fraction(2, 3), "2/3", "0.66666666666666666667", Fraction(2, 3) + NUDGE, 0.67])
def test_two_thirds_hold(t):
    result = thirds().ask(pw.TCloseness(t=t))
    assert result.exact == Fraction(2, 3)
    assert result.holds


@pytest.mark.parametrize(
    "t", [math.nextafter(2 / 3, 0), Fraction(2, 3) * (1 - NUDGE), "0.66666666666666666666", Decimal(2 / 3), 0.666]
)
def test_two_thirds_fail(t):
    assert not thirds().ask(pw.TCloseness(t=t)).holds


def test_a_float_as_text_is_exact():
    assert thirds().ask(pw.TCloseness(t=2 / 3)).holds
    assert not thirds().ask(pw.TCloseness(t=str(2 / 3))).holds


@brute
@given(st.integers(1, 60), st.data())
def test_a_value_meets_itself(rows, data):
    part = data.draw(st.integers(0, rows - 1))
    release, value = shares(part, rows), Fraction(part, rows)
    assert release.ask("t-closeness").exact == value
    for limit in (value, str(value), float(value), value + NUDGE):
        assert release.ask(pw.TCloseness(t=min(limit, 1) if not isinstance(limit, str) else limit)).holds
    if value:
        assert not release.ask(pw.TCloseness(t=value * (1 - NUDGE))).holds
        assert not release.ask(pw.TCloseness(t=math.nextafter(float(value), 0))).holds


@brute
@given(st.integers(1, 60), st.data(), st.floats(0, 1))
def test_any_float(rows, data, limit):
    part = data.draw(st.integers(0, rows - 1))
    assert shares(part, rows).ask(pw.TCloseness(t=limit)).holds == naive.keeps_at_most(Fraction(part, rows), limit)


@pytest.mark.parametrize("wrong", [*NO_NUMBERS, *NOT_FINITE, -1, -1e-300, "-0.1", 1.0000000000000002, 2, "1.1"])
@pytest.mark.parametrize(
    "limited", [lambda limit: pw.TCloseness(t=limit), lambda limit: pw.AECS(at_least=limit)], ids=["t", "at_least"]
)
def test_no_limit_between_0_and_1(limited, wrong):
    with pytest.raises(ParameterError):
        limited(wrong)


@pytest.mark.parametrize("wrong", [*NO_NUMBERS, *NOT_FINITE, None, -1, "-1/3", Decimal("-0.01")])
@pytest.mark.parametrize("name", ["cost", "gain", "loss", "benefit"])
def test_no_amount_of_money(name, wrong):
    amounts = {"cost": 1, "gain": 1, "loss": 1, "benefit": 1, name: wrong}
    with pytest.raises(ParameterError):
        SALARIES.ask(pw.Profitability(**amounts))


@pytest.mark.parametrize("limit", [0, 1, 0.0, 1.0, "0", "1", "1.0", -0.0, Fraction(1), np.int64(1), np.float32(0.5)])
def test_the_ends_are_limits(limit):
    assert pw.TCloseness(t=limit).t.exact == Fraction(str(limit))


@brute
@given(st.one_of(st.integers(-(10**40), 10**40), st.fractions(max_denominator=10**6), st.decimals(-(10**9), 10**9)))
def test_an_exact_limit_is_written_as_something_that_makes_the_same(number):
    limit = Limit.of(number)
    assert limit.exact == Fraction(number)
    assert Limit.of(str(limit)) == limit
    assert Limit.of(ast.literal_eval(repr(limit))) == limit
    assert ("/" in str(limit)) == (10**30 % limit.exact.denominator != 0)


@brute
@given(st.floats(-1e300, 1e300))
def test_a_float_is_written_as_something_that_makes_the_same(number):
    limit = Limit.of(number)
    assert (limit.exact, limit.written) == (Fraction(str(number)), number)
    assert float(str(limit)) == float(repr(limit)) == float(limit) == number
    assert Limit.of(ast.literal_eval(repr(limit))) == limit


FLOATS = [(0.1, "0.1"), (1.0, "1"), (1e22, "1e+22"), (0.1 + 0.2, "0.30000000000000004")]
SHORT = [("-0.050", "-0.05"), ("6/4", "1.5"), ("-7/3", "-7/3"), (3, "3"), (-20, "-20"), ("-0.0", "0")]
LONG = [("1e-30", f"0.{'0' * 29}1"), ("1e-31", f"1/1{'0' * 31}")]  # a fraction beyond 30 places


@pytest.mark.parametrize(("number", "written"), [*FLOATS, *SHORT, *LONG])
def test_how_limits_are_written(number, written):
    assert str(Limit.of(number)) == written


def test_whole_limits_show_themselves_as_integers():
    assert [repr(Limit.of(number)) for number in (3, "4/2", "1/4", 0.5)] == ["3", "2", "'0.25'", "0.5"]


class Looking:
    """No number, though it looks like one."""

    def __str__(self):
        return "1"


@pytest.mark.parametrize("wrong", [Looking(), True, None, [1]])
def test_what_only_looks_like_a_number(wrong):
    with pytest.raises(ParameterError, match=r"^t must be a finite number, not "):
        Limit.of(wrong, "t")


def test_the_largest_limit():
    assert Limit.of(10**300).exact == 10**300
    for number in (10**300 + 1, -(10**300) - 1, 1.1e300, "1e301"):
        with pytest.raises(ParameterError, match="amount is too large"):
            Limit.of(number, "amount")


@pytest.mark.parametrize(
    ("side", "kept", "high_is_bad"),
    [("at most", {-1, 0}, True), ("less than", {-1}, True), ("at least", {0, 1}, False), ("more than", {1}, False)],
)
def test_sides(side, kept, high_is_bad):
    assert {relation for relation in (-1, 0, 1) if Side(side).allows(relation)} == kept
    assert Side(side).high_is_bad is high_is_bad


HINT = 'write it as 0.2 or "1/5"'


@pytest.mark.parametrize(
    ("number", "problem", "hint"),
    [
        (True, "limit must be a finite number, not True", HINT),
        (math.nan, "limit must be a finite number, not nan", HINT),
        ("abc", "limit must be a finite number, not 'abc'", HINT),
        ("1/0", "limit must be a finite number, not '1/0'", HINT),
        ("1e301", "limit is too large: '1e301'", "write a number of at most 1e300"),
    ],
)
def test_what_is_said_of_no_limit(number, problem, hint):
    with pytest.raises(ParameterError) as raised:
        Limit.of(number)
    assert (raised.value.problem, raised.value.hint) == (problem, hint)


@pytest.mark.parametrize("wrong", ["five", 2.5, "5/2", Limit.of("2.5"), True])
def test_what_is_said_of_no_whole_number(wrong):
    with pytest.raises(ParameterError) as raised:
        Limit.of(wrong, "k", whole=True)
    assert raised.value.problem == f"k must be a whole number, not {wrong!r}"
    assert raised.value.hint == "write it in digits, as in 5"


@pytest.mark.parametrize("right", [5, 5.0, "5", "10/2", "5.0", Limit.of(5)])
def test_ways_to_write_a_whole_number(right):
    assert Limit.of(right, whole=True).exact == 5


@brute
@given(st.fractions(max_denominator=99), st.fractions(max_denominator=99))
@example(Fraction(1, 3), Fraction(1, 3))
@example(Fraction(1), Fraction(10**400))  # larger than any float
def test_an_exact_limit_compares_as_its_number_does(limit, value):
    assert Limit(limit).compare(value) == (value > limit) - (value < limit)


def test_the_most_digits():
    """A thousand characters of text, or of a denominator a thousand digits and the next power of ten."""
    assert Limit.of(f"0.{'3' * 998}").exact == Fraction(int("3" * 998), 10**998)
    assert Limit.of(Fraction(1, 10**1000)).exact == Fraction(1, 10**1000)
    for number in (f"0.{'3' * 999}", Fraction(1, 10**1000 + 1)):
        with pytest.raises(ParameterError, match=r"^limit has too many digits: ") as raised:
            Limit.of(number)
        assert raised.value.hint == "write at most 1,000 digits"


@given(st.integers(1, 10**6), st.data())
def test_a_share_allows_the_rows_that_meet_it(rows, data):
    many = data.draw(st.integers(0, rows))
    for written in (Fraction(many, rows), f"{many}/{rows}", many / rows):
        assert Limit.of(written).count_within(rows) == many
    below = Fraction(many, rows) - Fraction(1, 10**30)
    assert Limit(below).count_within(rows) == max(many - 1, 0) if many else True
