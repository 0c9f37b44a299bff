"""Privacy models where people have several rows, against their definitions; both models of what is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_people as naive
from oracle import naive_privacy as by_rows
from oracle.naive import distance_kind
from oracle.naive_people import Folk, Group, Holders
from support.strategies import forms
from support.strategies_family import above_zero, limits_at, thorough, whole_limits_at
from support.strategies_people import Peopled, models, peopled

Scores = list[tuple[Group, Fraction | None]]

with_sensitive = peopled(least_sensitive=1, most_sensitive=3)
WORST = 10


def by_attribute(folk: Folk, score: Callable[[Holders, str], Fraction | None], *, join: bool = False) -> dict:
    """For each sensitive attribute, the score of every class."""
    return {
        name: [(held.group, score(held, name)) for held in naive.holders(folk, name, join=join)]
        for name in folk.tables.sensitive
    }


def sizes_of(folk: Folk) -> Scores:
    return [(group, Fraction(group.size)) for group in naive.groups(folk)]


def sorted_scores(scores: Scores, *, high_is_bad: bool) -> list[Fraction | None]:
    found = sorted((score for _, score in scores if score is not None), reverse=high_is_bad)
    return [None] * (len(scores) - len(found)) + found


def worst_of(scores: Scores, *, high_is_bad: bool) -> Fraction | None:
    return next(iter(sorted_scores(scores, high_is_bad=high_is_bad)), None)


def check_values(part, scores: Scores, *, high_is_bad: bool) -> None:
    """Compare value and worst classes, which are counted in people."""
    worst = worst_of(scores, high_is_bad=high_is_bad)
    assert (part.exact, part.value) == (worst, None if worst is None else float(worst))
    assert [one.exact for one in part.worst] == sorted_scores(scores, high_is_bad=high_is_bad)[:WORST]
    every = [(group.size, score) for group, score in scores]
    for one in part.worst:
        every.remove((one.size, one.exact))


def check_fails(part, groups: Sequence[Group], fails: Sequence[bool]) -> None:
    """Compare a verdict with the classes that fail, their people and rows."""
    bad = [group for group, wrong in zip(groups, fails, strict=True) if wrong]
    assert (part.holds, part.failing_classes) == (not bad, len(bad))
    assert part.failing_rows == sum(len(group.places) for group in bad)
    assert part.failing_people == len(frozenset().union(*(group.people for group in bad)))


def check_parts(result, parts: dict[str, Scores], is_bad: Callable[[Fraction], bool]) -> dict[str, list[bool]]:
    fails = {name: [score is None or is_bad(score) for _, score in scores] for name, scores in parts.items()}
    for name, scores in parts.items():
        check_fails(result.parts[name], [group for group, _ in scores], fails[name])
    assert result.holds is not any(map(any, fails.values()))
    return fails


def check_whole(result, folk: Folk, fails: dict[str, list[bool]]) -> None:
    """A class fails if it does for any part."""
    check_fails(result, naive.groups(folk), [any(bad) for bad in zip(*fails.values(), strict=True)])


# k-anonymity and its companions.


@thorough
@given(peopled(), forms, models)
def test_k_anonymity(people: Peopled, form, known):
    release, sizes = people.release(known, form), sizes_of(people.folk(known))
    result = release.ask("k-anonymity")
    check_values(result, sizes, high_is_bad=False)
    for k in whole_limits_at(result.exact):
        result = release.ask(pw.KAnonymity(k=k))
        check_fails(result, [group for group, _ in sizes], [size < Fraction(k) for _, size in sizes])


@thorough
@given(with_sensitive, forms, models, st.integers(1, 3))
def test_alpha_k(people, form, known, k):
    folk, release = people.folk(known), people.release(known, form)
    shares = by_attribute(folk, lambda held, _: by_rows.largest_share(held.beliefs))
    worst = worst_of([one for scores in shares.values() for one in scores], high_is_bad=True)
    result = release.ask("(α,k)-anonymity")
    assert (result.exact, result.holds) == (worst, None)
    for name, scores in shares.items():
        check_values(result.parts[name], scores, high_is_bad=True)
    check_values(result.parts["k"], sizes_of(folk), high_is_bad=False)
    for alpha in above_zero(limits_at(worst, most=1)):
        result = release.ask(pw.AlphaKAnonymity(alpha=alpha, k=k))
        small = [size < k for _, size in sizes_of(folk)]
        check_fails(result.parts["k"], naive.groups(folk), small)
        fails = {name: [score > Fraction(alpha) for _, score in scores] for name, scores in shares.items()}
        for name, bad in fails.items():
            check_fails(result.parts[name], naive.groups(folk), bad)
        check_whole(result, folk, fails | {"": small})


@thorough
@given(with_sensitive, models, st.integers(1, 3))
def test_p_sensitive(people, known, k):
    """Values count as they do for l-diversity."""
    folk, release = people.folk(known), people.release(known)
    values = by_attribute(folk, lambda held, _: Fraction(naive.distinct(held)))
    worst = worst_of([one for scores in values.values() for one in scores], high_is_bad=False)
    result = release.ask(pw.PSensitiveKAnonymity())
    assert result.exact == worst
    for name, scores in values.items():
        check_values(result.parts[name], scores, high_is_bad=False)
    for p in whole_limits_at(worst):
        result = release.ask(pw.PSensitiveKAnonymity(p=p, k=k))
        fails = {name: [score < Fraction(p) for _, score in scores] for name, scores in values.items()}
        check_whole(result, folk, fails | {"": [size < k for _, size in sizes_of(folk)]})


# l-diversity.


@thorough
@given(with_sensitive, forms, models, st.booleans())
def test_distinct_l(people, form, known, join):
    folk, release, others = people.folk(known), people.release(known, form), "join" if join else "apart"
    values = by_attribute(folk, lambda held, _: Fraction(naive.distinct(held)), join=join)
    worst = worst_of([one for scores in values.values() for one in scores], high_is_bad=False)
    result = release.ask(pw.LDiversity(others=others))
    assert result.exact == worst
    for name, scores in values.items():
        check_values(result.parts[name], scores, high_is_bad=False)
    for limit in whole_limits_at(worst):
        result = release.ask(pw.LDiversity(l=limit, others=others))
        fails = check_parts(result, values, lambda score, limit=limit: score < Fraction(limit))
        if not join:
            check_whole(result, folk, fails)


@thorough
@given(with_sensitive, forms, models, st.booleans())
def test_entropy_l(people, form, known, join):
    folk, release, others = people.folk(known), people.release(known, form), "join" if join else "apart"
    held = {name: naive.holders(folk, name, join=join) for name in folk.tables.sensitive}
    result = release.ask(pw.LDiversity(variant="entropy", others=others))
    for name, part in result.parts.items():
        expected = sorted(map(naive.entropy, held[name]))
        assert part.value == (pytest.approx(float(expected[0]), rel=1e-14) if expected else None)
        assert [one.value for one in part.worst] == pytest.approx([float(one) for one in expected[:WORST]], rel=1e-14)
        if expected and abs(expected[0] - round(expected[0])) < Decimal("1e-50"):
            assert part.exact == round(expected[0])
    for limit in ("1", "3/2", "2", Fraction(2) + Fraction(1, 10**12), "5/2", "3"):
        result = release.ask(pw.LDiversity(variant="entropy", l=limit, others=others))
        for name, found in held.items():
            fails = [not naive.entropy_at_least(one, Fraction(limit)) for one in found]
            check_fails(result.parts[name], [one.group for one in found], fails)


@thorough
@given(with_sensitive, models, st.integers(1, 4), st.booleans())
def test_recursive_l(people, known, least, join):
    folk, release = people.folk(known), people.release(known)
    options = {"variant": "recursive", "l": least, "others": "join" if join else "apart"}
    ratios = by_attribute(folk, lambda held, _: naive.recursive(held, least), join=join)
    worst = worst_of([one for scores in ratios.values() for one in scores], high_is_bad=True)
    result = release.ask(pw.LDiversity(**options))
    assert result.exact == worst
    for name, scores in ratios.items():
        check_values(result.parts[name], scores, high_is_bad=True)
    for c in above_zero(limits_at(worst)):
        check_parts(release.ask(pw.LDiversity(c=c, **options)), ratios, lambda ratio, c=c: not Fraction(c) > ratio)


# Distributions.


@thorough
@given(with_sensitive, forms, models, st.sampled_from(["automatic", "equal"]))
def test_t_closeness(people, form, known, distance):
    folk, release = people.folk(known), people.release(known, form)
    kinds = {
        name: "equal" if distance == "equal" else distance_kind(folk.tables, name) for name in folk.tables.sensitive
    }
    options = {} if distance == "automatic" else {"distance": distance}
    try:
        found = {name: naive.distances(folk, name, kind) for name, kind in kinds.items()}
    except KeyError:  # a value is no leaf of its hierarchy
        with pytest.raises(pw.PETWorksError):
            release.ask(pw.TCloseness(**options))
        return
    worst = worst_of([one for scores in found.values() for one in scores], high_is_bad=True)
    result = release.ask(pw.TCloseness(**options))
    assert result.exact == worst
    for name, scores in found.items():
        check_values(result.parts[name], scores, high_is_bad=True)
    for t in limits_at(worst, most=1):
        result = release.ask(pw.TCloseness(t=t, **options))
        check_whole(result, folk, check_parts(result, found, lambda score, t=t: score > Fraction(t)))


@thorough
@given(with_sensitive, forms, models)
def test_delta_disclosure(people, form, known):
    folk, release = people.folk(known), people.release(known, form)
    whole = {name: naive.overall_beliefs(folk, name) for name in folk.tables.sensitive}
    factors = by_attribute(folk, lambda held, name: by_rows.change(held.beliefs, whole[name]))
    result = release.ask("δ-disclosure")
    for name, scores in factors.items():
        part, worst = result.parts[name], worst_of(scores, high_is_bad=True)
        expected = None if worst is None else pytest.approx(float(by_rows.log2(worst)), rel=1e-14, abs=1e-14)
        assert part.value == expected
        assert part.exact == (None if worst is None else by_rows.whole_log2(worst))
    for delta in ("1/2", "1", Fraction(1) + Fraction(1, 10**12), "1.3219280948", "1.3219280949", "2"):
        result = release.ask(pw.DeltaDisclosure(delta=delta))
        is_bad = lambda factor, delta=delta: not by_rows.log2_below(factor, Fraction(delta))  # noqa: E731
        check_whole(result, folk, check_parts(result, factors, is_bad))


@thorough
@given(with_sensitive, models)
def test_values_that_nobody_of_a_class_has(people, known):
    folk = people.folk(known)
    result = people.release(known).ask(pw.DeltaDisclosure(delta=10**9, absent="count"))
    for name, part in result.parts.items():
        whole = naive.overall_beliefs(folk, name)
        lacking = [by_rows.lacks_a_value(held.beliefs, whole) for held in naive.holders(folk, name)]
        check_fails(part, naive.groups(folk), lacking)


@thorough
@given(with_sensitive, forms, models, st.sampled_from(["basic", "enhanced"]))
def test_beta_likeness(people, form, known, variant):
    folk, release = people.folk(known), people.release(known, form)
    whole = {name: naive.overall_beliefs(folk, name) for name in folk.tables.sensitive}

    def score(held: Holders, name: str) -> Fraction | None:
        beyond = variant == "enhanced" and by_rows.beyond_log(held.beliefs, whole[name])
        return None if beyond else by_rows.excess(held.beliefs, whole[name])

    excesses = by_attribute(folk, score)
    worst = worst_of([one for scores in excesses.values() for one in scores], high_is_bad=True)
    result = release.ask(pw.BetaLikeness(variant=variant))
    assert result.exact == worst
    for name, scores in excesses.items():
        check_values(result.parts[name], scores, high_is_bad=True)
    for beta in above_zero(limits_at(worst)):
        result = release.ask(pw.BetaLikeness(beta=beta, variant=variant))
        check_whole(result, folk, check_parts(result, excesses, lambda excess, beta=beta: excess > Fraction(beta)))
