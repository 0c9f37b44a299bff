"""k-anonymity, (α,k), l-diversity, δ-disclosure and β-likeness, against their definitions."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_privacy as naive
from oracle.naive import Scored, Tables
from support.strategies import NUDGE, forms, release_of, tables
from support.strategies_family import (
    above_zero,
    around,
    check_part,
    check_verdict,
    check_whole,
    limits_at,
    thorough,
    whole_limits_at,
    with_sensitive,
    within,
    worst_of_all,
)


def by_attribute(tables: Tables, score, *, join: bool = False) -> dict[str, list[Scored]]:
    """For each sensitive attribute, the score of every class."""
    return {
        name: [Scored(one.values, one.size, score(one, name)) for one in naive.spreads(tables, name, join=join)]
        for name in tables.sensitive
    }


def failing(parts: dict[str, list[Scored]], is_bad) -> dict[str, list[bool]]:
    return {name: [one.score is None or is_bad(one.score) for one in scores] for name, scores in parts.items()}


def sizes(tables: Tables) -> list[int]:
    return [one.size for one in naive.class_sizes(tables)]


def one_class(*counts: int) -> pw.Release:
    """A single class, in which values occur so often."""
    values = [str(value) for value, count in enumerate(counts) for _ in range(count)]
    return pw.Release({"n": ["a"] * len(values), "s": values}, quasi_identifiers=["n"], sensitive=["s"])


# k-anonymity.


@thorough
@given(tables(), forms)
def test_k_anonymity(tables, form):
    release, scores = release_of(tables, form), naive.class_sizes(tables)
    result = release.ask("k-anonymity")
    check_part(result, scores, high_is_bad=False, fails=None)
    for k in whole_limits_at(result.exact):
        fails = [one.score < Fraction(k) for one in scores]
        check_part(release.ask(pw.KAnonymity(k=k)), scores, high_is_bad=False, fails=fails)


@thorough
@given(tables(), st.integers(1, 13))
def test_k_anonymity_of_any_k(tables, k):
    scores = naive.class_sizes(tables)
    result = release_of(tables).ask(pw.KAnonymity(k=k))
    check_verdict(result, scores, [one.size < k for one in scores])
    assert ("nothing_published" in {note.kind for note in result.notes}) == (not scores)


# (α,k)-anonymity.


def largest_shares(tables: Tables) -> dict[str, list[Scored]]:
    return by_attribute(tables, lambda spread, _: naive.largest_share(spread))


@thorough
@given(with_sensitive, forms, st.integers(1, 4))
def test_alpha_k(tables, form, k):
    release, shares = release_of(tables, form), largest_shares(tables)
    worst = worst_of_all(shares, high_is_bad=True)
    result = release.ask("(α,k)-anonymity")
    assert (result.exact, result.holds) == (worst, None)
    assert set(result.parts) == {*tables.sensitive, "k"}
    for name, scores in shares.items():
        check_part(result.parts[name], scores, high_is_bad=True, fails=None)
    check_part(result.parts["k"], naive.class_sizes(tables), high_is_bad=False, fails=None)
    for alpha in above_zero(limits_at(worst, most=1)):
        result = release.ask(pw.AlphaKAnonymity(alpha=alpha, k=k))
        fails = failing(shares, lambda share, alpha=alpha: share > Fraction(alpha))
        for name, scores in shares.items():
            check_verdict(result.parts[name], scores, fails[name])
        small = [size < k for size in sizes(tables)]
        check_verdict(result.parts["k"], naive.class_sizes(tables), small)
        check_whole(result, sizes(tables), fails | {"k": small})


# p-sensitive k-anonymity.


@thorough
@given(with_sensitive, forms, st.integers(1, 4))
def test_p_sensitive(tables, form, k):
    release = release_of(tables, form)
    values = by_attribute(tables, lambda spread, _: naive.distinct(spread))
    worst = worst_of_all(values, high_is_bad=False)
    result = release.ask(pw.PSensitiveKAnonymity())
    assert (result.exact, result.holds) == (worst, None)
    assert set(result.parts) == {*tables.sensitive, "k"}
    for name, scores in values.items():
        check_part(result.parts[name], scores, high_is_bad=False, fails=None)
    check_part(result.parts["k"], naive.class_sizes(tables), high_is_bad=False, fails=None)
    for p in whole_limits_at(worst):
        result = release.ask(pw.PSensitiveKAnonymity(p=p, k=k))
        fails = failing(values, lambda score, p=p: score < Fraction(p))
        for name, scores in values.items():
            check_verdict(result.parts[name], scores, fails[name])
        small = [size < k for size in sizes(tables)]
        check_verdict(result.parts["k"], naive.class_sizes(tables), small)
        check_whole(result, sizes(tables), fails | {"k": small})


def test_p_sensitive_is_neither_k_anonymity_nor_l_diversity():
    """The patients of Truta & Vinay: 3-anonymous, but one class has a single illness, and so only p = 1 holds."""
    table = {
        "age": ["50", "50", "50", "30", "30", "30"],
        "zip": ["43102"] * 3 + ["43103"] * 3,
        "illness": ["AIDS", "diabetes", "flu", "breast cancer", "breast cancer", "breast cancer"],
    }
    release = pw.Release(table, quasi_identifiers=["age", "zip"], sensitive=["illness"])
    assert release.ask(pw.KAnonymity(3)).holds
    assert release.ask(pw.PSensitiveKAnonymity(p=1, k=3)).holds
    assert not release.ask(pw.PSensitiveKAnonymity(p=2, k=3)).holds
    assert not release.ask(pw.PSensitiveKAnonymity(p=1, k=4)).holds
    assert release.ask(pw.LDiversity(1)).holds


def test_a_sensitive_attribute_may_be_called_k():
    release = pw.Release({"n": ["a", "b"], "k": ["x", "x"]}, quasi_identifiers=["n"], sensitive=["k"])
    result = release.ask(pw.AlphaKAnonymity(alpha="1/2", k=1))
    assert result.exact == 1
    assert result.holds is False
    assert len(result.parts) == 2


# l-diversity.


@thorough
@given(with_sensitive, forms, st.booleans())
def test_distinct_l(tables, form, join):
    release, others = release_of(tables, form), "join" if join else "apart"
    values = by_attribute(tables, lambda spread, _: naive.distinct(spread), join=join)
    worst = worst_of_all(values, high_is_bad=False)
    result = release.ask(pw.LDiversity(others=others))
    assert (result.exact, result.holds) == (worst, None)
    for name, scores in values.items():
        check_part(result.parts[name], scores, high_is_bad=False, fails=None)
    for limit in whole_limits_at(worst):
        result = release.ask(pw.LDiversity(l=limit, others=others))
        fails = failing(values, lambda score, limit=limit: score < Fraction(limit))
        assert result.holds is not any(any(bad) for bad in fails.values())
        for name, scores in values.items():
            check_verdict(result.parts[name], scores, fails[name])


@thorough
@given(with_sensitive, st.integers(1, 4), st.sampled_from(["distinct", "entropy"]))
def test_what_fails_of_several_attributes(tables, least, variant):
    """A class fails if it does for any attribute, as with every other measure."""
    result = release_of(tables).ask(pw.LDiversity(l=least, variant=variant))
    holds = {
        "distinct": lambda spread: naive.distinct(spread) >= least,
        "entropy": lambda spread: naive.entropy_at_least(spread, Fraction(least)),
    }[variant]
    fails = {name: [not holds(one) for one in naive.spreads(tables, name)] for name in tables.sensitive}
    check_whole(result, sizes(tables), fails)


@pytest.mark.parametrize("others", ["apart", "join"])
@pytest.mark.parametrize("names", [["s", "t"], ["t", "s"]])
def test_what_does_not_hold_has_classes_that_fail(names, others):
    """Both people have the same t; apart or joined, and in whatever order, that fails."""
    columns = {"n": ["a", "a"], "s": ["1", "2"], "t": ["1", "1"]}
    table = {name: columns[name] for name in ["n", *names]}
    result = pw.Release(table, quasi_identifiers=["n"], sensitive=names).ask(pw.LDiversity(l=2, others=others))
    assert result.holds is False
    assert result.failing_classes
    assert result.failing_rows == 2


@thorough
@given(with_sensitive, forms, st.booleans())
def test_entropy_l(tables, form, join):
    release, others = release_of(tables, form), "join" if join else "apart"
    spreads = {name: naive.spreads(tables, name, join=join) for name in tables.sensitive}
    result = release.ask(pw.LDiversity(variant="entropy", others=others))
    least = {name: min(map(naive.entropy, found), default=None) for name, found in spreads.items()}
    check_irrational(result, min((value for value in least.values() if value is not None), default=None))
    for name, part in result.parts.items():
        check_irrational(part, least[name])
        shown = [one.value for one in part.worst]
        assert shown == pytest.approx(sorted(float(naive.entropy(one)) for one in spreads[name])[:10], rel=1e-14)
    for limit in limits_beside(min(least.values(), key=lambda one: one or 0), least=1):
        result = release.ask(pw.LDiversity(variant="entropy", l=limit, others=others))
        for name, found in spreads.items():
            fails = [not naive.entropy_at_least(one, Fraction(limit)) for one in found]
            check_verdict(result.parts[name], found, fails)


def limits_beside(value: Decimal | None, least: int = 0) -> list:
    """Limits at a whole number, and one part in 10**12 to either side; beside an irrational one, those of 12 places."""
    at = Fraction(2) if value is None else Fraction(value)
    if abs(at - round(at)) < Fraction(1, 10**50):
        return limits_at(Fraction(round(at)), least)
    return [limit for limit in around(value, 12) if limit >= least]


def check_irrational(part, expected: Decimal | None) -> None:
    """A value of 60 digits: the float is near, and whole numbers are exact."""
    if expected is None:
        assert (part.value, part.exact) == (None, None)
        return
    assert part.value == pytest.approx(float(expected), rel=1e-14, abs=1e-14)
    whole = round(expected)
    assert part.exact == (whole if abs(expected - whole) < Decimal("1e-50") else None)


@pytest.mark.parametrize("many", range(1, 51))
@pytest.mark.parametrize("each", [1, 3])
def test_uniform_over_n_values_is_entropy_n(many, each):
    release = one_class(*[each] * many)
    result = release.ask(pw.LDiversity(variant="entropy"))
    assert (result.exact, result.value) == (many, float(many))
    assert release.ask(pw.LDiversity(variant="entropy", l=many)).holds
    assert release.ask(pw.LDiversity(variant="entropy", l=float(many))).holds
    assert not release.ask(pw.LDiversity(variant="entropy", l=many + NUDGE)).holds


@pytest.mark.parametrize("digits", [12, 18, 30])
@pytest.mark.parametrize("counts", [(2, 1, 1), (1, 2), (5, 4, 3, 2, 1)])
def test_entropy_verdict_beside_an_irrational_value(counts, digits):
    """For (2, 1, 1) that is 2·√2."""
    release, spread = one_class(*counts), naive.Spread({}, sum(counts), dict(enumerate(counts)))
    below, above = around(naive.entropy(spread), digits)
    assert naive.entropy_at_least(spread, below)
    assert not naive.entropy_at_least(spread, above)
    with within(2):
        assert release.ask(pw.LDiversity(variant="entropy", l=below)).holds
        assert not release.ask(pw.LDiversity(variant="entropy", l=above)).holds


def test_entropy_may_be_a_fraction():
    """13 / (8^8 · 2^2)^(1/13) = 13/4."""
    release = one_class(8, 2, 1, 1, 1)
    assert release.ask(pw.LDiversity(variant="entropy", l="13/4")).holds
    assert not release.ask(pw.LDiversity(variant="entropy", l=Fraction(13, 4) + NUDGE)).holds
    result = release.ask(pw.LDiversity(variant="entropy"))
    assert (result.value, result.exact) == (3.25, Fraction(13, 4))


@thorough
@given(with_sensitive, forms, st.integers(1, 4), st.booleans())
def test_recursive_l(tables, form, least, join):
    release, options = release_of(tables, form), {"variant": "recursive", "l": least}
    options |= {"others": "join" if join else "apart"}
    ratios = by_attribute(tables, lambda spread, _: naive.recursive(spread, least), join=join)
    worst = worst_of_all(ratios, high_is_bad=True)
    result = release.ask(pw.LDiversity(**options))
    assert (result.exact, result.holds) == (worst, None)
    for name, scores in ratios.items():
        check_part(result.parts[name], scores, high_is_bad=True, fails=None)
    for c in above_zero(limits_at(worst)):
        result = release.ask(pw.LDiversity(c=c, **options))
        fails = failing(ratios, lambda ratio, c=c: not Fraction(c) > ratio)
        assert result.holds is not any(any(bad) for bad in fails.values())
        for name, scores in ratios.items():
            check_part(result.parts[name], scores, high_is_bad=True, fails=fails[name])


@pytest.mark.parametrize(("c", "holds"), [(7, False), (7 - NUDGE, False), (7 + NUDGE, True), (8, True), ("7.1", True)])
def test_counts_of_7_2_and_1_need_c_above_7(c, holds):
    result = one_class(7, 2, 1).ask(pw.LDiversity(variant="recursive", l=3, c=c))
    assert result.exact == 7
    assert result.holds is holds


@pytest.mark.parametrize("c", ["1e-300", 1, 10**30])
def test_no_c_will_do_for_too_few_values(c):
    result = one_class(7, 2, 1).ask(pw.LDiversity(variant="recursive", l=4, c=c))
    assert (result.exact, result.value, result.holds) == (None, None, False)
    assert (result.failing_classes, result.failing_rows) == (1, 10)
    assert [(score.value, score.size) for score in result.worst] == [(None, 10)]


@pytest.mark.parametrize("options", [{}, {"variant": "entropy"}, {"variant": "recursive", "c": 10**9}])
def test_more_values_than_there_are_cannot_hold(options):
    result = one_class(7, 2, 1).ask(pw.LDiversity(l=4, **options))
    assert result.holds is False
    notes = {note.kind: note.figures for note in result.notes}
    assert notes["too_few_values"]["values"] == 3
    assert "too_few_values" not in {note.kind for note in one_class(7, 2, 1).ask(pw.LDiversity(l=2)).notes}


# δ-disclosure.


@thorough
@given(with_sensitive, forms)
def test_delta_disclosure(tables, form):
    release = release_of(tables, form)
    whole = {name: naive.overall(tables, name) for name in tables.sensitive}
    factors = by_attribute(tables, lambda spread, name: naive.change(spread, whole[name]))
    worst = worst_of_all(factors, high_is_bad=True)
    result = release.ask("δ-disclosure")
    check_logarithm(result, worst)
    for name, scores in factors.items():
        part = result.parts[name]
        check_logarithm(part, max((one.score for one in scores), default=None))
        shown = sorted((float(naive.log2(one.score)) for one in scores), reverse=True)[:10]
        assert [one.value for one in part.worst] == pytest.approx(shown, rel=1e-14, abs=1e-14)
    for delta in above_zero(limits_beside(None if worst is None else naive.log2(worst))):
        result = release.ask(pw.DeltaDisclosure(delta=delta))
        fails = failing(factors, lambda factor, delta=delta: not naive.log2_below(factor, Fraction(delta)))
        for name, scores in factors.items():
            check_verdict(result.parts[name], scores, fails[name])
        check_whole(result, sizes(tables), fails)


def check_logarithm(part, factor: Fraction | None) -> None:
    if factor is None:
        assert (part.value, part.exact) == (None, None)
        return
    assert part.value == pytest.approx(float(naive.log2(factor)), rel=1e-14, abs=1e-14)
    assert part.exact == naive.whole_log2(factor)


@thorough
@given(with_sensitive)
def test_absent_values_that_count(tables):
    whole = {name: naive.overall(tables, name) for name in tables.sensitive}
    lacking = {name: [naive.lacks_a_value(one, whole[name]) for one in naive.spreads(tables, name)] for name in whole}
    result = release_of(tables).ask(pw.DeltaDisclosure(delta=10**9, absent="count"))
    check_whole(result, sizes(tables), lacking)
    for name, part in result.parts.items():
        factors = [naive.change(one, whole[name]) for one in naive.spreads(tables, name)]
        assert part.failing_classes == sum(lacking[name])
        check_logarithm(part, None if any(lacking[name]) else max(factors, default=None))
    if any(map(any, lacking.values())):
        assert result.value is None


@pytest.mark.parametrize("digits", [12, 18, 30])
def test_delta_beside_an_irrational_value(digits):
    """The x are a third of the table and all of their class: log2(3)."""
    release = pw.Release({"n": ["a", "b", "b"], "s": ["x", "y", "y"]}, quasi_identifiers=["n"], sensitive=["s"])
    below, above = around(naive.log2(Fraction(3)), digits)
    with within(2):
        assert not release.ask(pw.DeltaDisclosure(delta=below)).holds
        assert release.ask(pw.DeltaDisclosure(delta=above)).holds


# β-likeness.


@thorough
@given(with_sensitive, forms)
def test_basic_beta(tables, form):
    release = release_of(tables, form)
    whole = {name: naive.overall(tables, name) for name in tables.sensitive}
    check_beta(release, tables, by_attribute(tables, lambda one, name: naive.excess(one, whole[name])), "basic")


@thorough
@given(with_sensitive, forms)
def test_enhanced_beta(tables, form):
    whole = {name: naive.overall(tables, name) for name in tables.sensitive}

    def score(spread, name):
        return None if naive.beyond_log(spread, whole[name]) else naive.excess(spread, whole[name])

    check_beta(release_of(tables, form), tables, by_attribute(tables, score), "enhanced")


def check_beta(release, tables, excesses, variant):
    worst = worst_of_all(excesses, high_is_bad=True)
    result = release.ask(pw.BetaLikeness(variant=variant))
    assert (result.exact, result.holds) == (worst, None)
    for name, scores in excesses.items():
        check_part(result.parts[name], scores, high_is_bad=True, fails=None)
    for beta in above_zero(limits_at(worst)):
        result = release.ask(pw.BetaLikeness(beta=beta, variant=variant))
        fails = failing(excesses, lambda excess, beta=beta: excess > Fraction(beta))
        for name, scores in excesses.items():
            check_part(result.parts[name], scores, high_is_bad=True, fails=fails[name])
        check_whole(result, sizes(tables), fails)
