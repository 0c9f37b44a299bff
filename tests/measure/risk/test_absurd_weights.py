"""Weights of very many digits, very small ones, and ones that only a mistake can explain."""

from __future__ import annotations

from fractions import Fraction

import pytest

import PETWorks as pw
from PETWorks.errors import ParameterError, UnknownValueError

DIGITS = "3." + "3" * 400
LONG = f"2.{'0' * 30}1"


def release(first: str, *, people: bool = False, **options: object) -> pw.Release:
    """A class of two, of which one has a weight, and a unique; with people, each has two rows."""
    again = 1 + people
    table = {"zip": ["1", "1", "2"] * again, "w": [first, "1.5", first] * again, "who": list("ABC") * again}
    person = {"person": "who"} if people else {"identifiers": ["who"]}
    return pw.Release(table, quasi_identifiers=["zip"], weight="w", **person, **options)


def measured(weight: str, **options: object) -> dict[str, float | None]:
    return {name: part.value for name, part in release(weight, **options).ask("individual risk").parts.items()}


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize(("weight", "near"), [(DIGITS, "3.3333333333333333"), (LONG, "2"), ("1e-400", "0.0000001")])
def test_digits_that_no_float_holds(weight, near, people):
    """They measure what the nearest plain number does."""
    assert measured(weight, people=people) == pytest.approx(measured(near, people=people), rel=1e-6)
    result = release(weight, people=people).ask(pw.IndividualRisk(highest=Fraction(1, 2)))
    assert result.holds is False
    assert str(result.explain())
    assert str(result.explain("zh_TW"))


@pytest.mark.parametrize("weight", ["1e99", f"1{'0' * 100}"])
def test_the_largest_weights(weight):
    assert measured(weight)["highest"] < 1e-90


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("weight", ["1e400", "1e101", "9" * 150])
def test_weights_that_are_mistakes(weight, people):
    with pytest.raises(UnknownValueError, match="1 value is more than 1e100"):
        release(weight, people=people).ask("individual risk")
    skipped = release(weight, people=people).evaluate().skipped
    assert "individual risk" in skipped


def test_weights_that_name_persons():
    table = {"zip": ["1", "1"], "who": ["1", "2"]}
    for make in (
        lambda: pw.Release(table, quasi_identifiers=["zip"], weight="who", person="who"),
        lambda: pw.Release(table, quasi_identifiers=["zip"], weight="who", person=" who"),
        lambda: pw.anonymize(table, goals=pw.KAnonymity(2), quasi_identifiers=["zip"], weight="who", person="who"),
    ):
        with pytest.raises(ParameterError, match='"who" cannot be both the column of persons and the sampling weights'):
            make()


def test_a_policy_whose_weights_name_persons(tmp_path):
    (tmp_path / "t.csv").write_text("zip,who\n1,1\n1,2\n", encoding="utf-8")
    policy = tmp_path / "p.toml"
    data = '[data]\nreleased = "t.csv"\nperson = "who"\nweight = "who"\n[roles]\nquasi_identifiers = ["zip"]\n'
    policy.write_text(f'version = 1\n{data}[[require]]\nmeasure = "k-anonymity"\nk = 2\n', encoding="utf-8")
    with pytest.raises(pw.PETWorksError, match="column of persons"):
        pw.Policy(policy).check()
