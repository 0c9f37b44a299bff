"""Ambiguity, discernibility, granularity, squared error and shares, against their definitions."""

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_utility as naive
from oracle.naive import keeps_at_least, unknown_levels
from PETWorks.errors import NotAskableError, UnknownLevelsError, UnknownValueError
from support.strategies import NUDGE, forms, levelled, limits_near, release_of, tables, unpaired
from support.strategies_family import limits_at, numeric_tables, thorough

paired = tables(original=True)


def check_score(part, expected: Fraction | None) -> None:
    """The loss is rounded once."""
    assert part.exact == expected
    assert part.value == (None if expected is None else 1.0 - float(1 - expected))


def check_verdicts(release, measure, score: Fraction) -> None:
    for limit in limits_near(score):
        assert release.ask(measure(at_least=limit)).holds is keeps_at_least(score, limit), limit


# Ambiguity.


@thorough
@given(levelled(), forms)
def test_ambiguity(tables, form):
    release, score = release_of(tables, form), naive.ambiguity(tables)
    check_score(release.ask("Ambiguity"), score)
    check_verdicts(release, pw.Ambiguity, score)


def test_ambiguity_in_integers_beyond_64_bits():
    """Twenty columns of ten leaves: 10**20 combinations, and 1 - (1 + 10**20 - 2)/(2·10**20 - 2)."""
    leaves = [(str(leaf), "*") for leaf in range(10)]
    table = {f"c{number}": ["0", "*"] for number in range(20)}
    result = pw.Release(table, hierarchies=dict.fromkeys(table, leaves)).ask("Ambiguity")
    assert result.exact == 1 - Fraction(10**20 - 1, 2 * 10**20 - 2)


# Discernibility.


@thorough
@given(paired, forms)
def test_discernibility(tables, form):
    release, score = release_of(tables, form), naive.discernibility(tables)
    result = release.ask("discernibility")
    check_score(result, score)
    assert result.figures["alike_before"] == naive.average_alike(tables)
    assert result.figures["alike"] == Fraction(naive.penalty(tables), len(tables.released))
    check_verdicts(release, pw.Discernibility, score)


@thorough
@given(unpaired())
def test_discernibility_of_other_rows_is_on_the_scale(tables):
    result = release_of(tables).ask("discernibility")
    assert 0 <= result.exact <= 1


def test_a_release_like_its_original_is_as_discernible():
    """Also where rows of the original were suppressed before: x_in is the same sum over the original."""
    table = {"n": ["x", "y", "*", "*"]}
    assert pw.Release(table, original=table).ask("discernibility").exact == 1


# Granularity.


@thorough
@given(levelled(), forms)
def test_granularity(tables, form):
    release, score = release_of(tables, form), naive.granularity(tables)
    result = release.ask("granularity")
    check_score(result, score)
    assert set(result.parts) == set(tables.quasi_identifiers)
    for name, part in result.parts.items():
        check_score(part, naive.column_granularity(tables, name))
    check_verdicts(release, pw.Granularity, score)


@pytest.mark.parametrize("measure", ["granularity", "Ambiguity"])
def test_a_column_without_leaves_takes_no_part(measure):
    """Suppressed throughout, with nothing known about its values: as if it had one leaf."""
    table, original = {"n": ["x", "*", "y"]}, {"n": ["x", "y", "y"]}
    alone = pw.Release(table, original=original).ask(measure)
    beside = pw.Release(table | {"m": ["*"] * 3}, original=original | {"m": ["*"] * 3}).ask(measure)
    assert beside.exact == alone.exact == Fraction(2, 3)
    assert not beside.parts or beside.parts["m"].value is None


# Without an original, and without hierarchies.


@thorough
@given(tables(original=False), st.sampled_from(["Precision", "Ambiguity", "granularity", "information loss"]))
def test_levels_that_nobody_knows(tables, asked):
    """Without an original and a hierarchy, a column may be generalised any far, and the error names it."""
    game = pw.Profitability(cost=0, gain=1, loss=1, benefit=2, information_loss=True)
    measure = game if asked == "information loss" else asked
    if unknown := unknown_levels(tables):
        with pytest.raises(UnknownLevelsError) as caught:
            release_of(tables).ask(measure)
        assert sorted(caught.value.columns) == sorted(unknown)
        assert all(f'"{name}"' in str(caught.value) for name in unknown)
        assert pickle.loads(pickle.dumps(caught.value)).columns == caught.value.columns
    else:
        assert release_of(tables).ask(measure)


def test_ages_in_decades_do_not_pass():
    """By their own values alone, two suppressed cells of 512 would leave a Precision of 0.9961."""
    ages = ["20-29", "30-39", "40-49"] * 170 + ["*", "*"]
    evaluation = pw.Release({"age": ages}).check(pw.Precision(at_least="0.9"))
    assert evaluation.requirements_hold is None
    told = "it needs to know how far each column was generalised: pass original=, or hierarchies= for age."
    assert str(evaluation.requirements[0].problem) == told
    assert "Precision" in pw.Release({"age": ages}).evaluate().skipped


# Squared error.


@thorough
@given(numeric_tables(), forms)
def test_squared_error(tables, form):
    result = release_of(tables, form).ask("squared error")
    assert set(result.parts) == set(naive.numeric_columns(tables))
    for name, part in result.parts.items():
        check_score(part, naive.column_error(tables, name))
        assert part.figures["mean_squared_error"] == naive.mean_squared_error(tables, name)
    score = naive.record_error(tables)
    assert result.value == pytest.approx(float(score), rel=1e-15, abs=1e-16)
    assert result.exact is None or abs(result.exact - Fraction(score)) < Fraction(1, 10**50)
    near = Fraction(score).limit_denominator(10**6)
    limits = [near, Fraction(score), *(near + step for step in (-NUDGE, NUDGE, -(NUDGE**3), NUDGE**3))]
    for limit in limits:
        if 0 <= limit <= 1:
            asked = release_of(tables).ask(pw.SquaredError(at_least=limit))
            assert asked.holds is naive.keeps_record_error(tables, limit)


@thorough
@given(numeric_tables(quasi=1))
def test_squared_error_of_one_column_is_a_fraction(tables):
    """Its roots are plain distances; a verdict at the very value must not depend on rounding."""
    (name,) = tables.quasi_identifiers
    score = naive.single_record_error(tables, name)
    if score is None:
        return
    for limit in limits_at(score, most=1):
        holds = release_of(tables).ask(pw.SquaredError(at_least=limit)).holds
        assert holds is (score >= Fraction(limit)), (score, limit)


NUMBERS = [0, 3, 4, 10, 12, 20, 21, 28]


@thorough
@given(st.lists(st.tuples(st.sampled_from(NUMBERS), st.booleans()), min_size=2, max_size=8), st.integers(1, 5))
def test_squared_error_of_columns_that_are_multiples(rows, factor):
    """All radicands belong together: the score is the fraction of a single column, and verdicts at it are exact."""
    first = [str(number) for number, _ in rows]
    second = [str(number * factor) for number, _ in rows]
    released = [
        ["*" if hidden else cell for cell, (_, hidden) in zip(column, rows, strict=True)] for column in (first, second)
    ]
    alone = pw.Release({"a": released[0]}, original={"a": first}).ask("squared error")
    both = pw.Release(dict(zip("ab", released, strict=True)), original={"a": first, "b": second})
    assert both.ask("squared error").exact == alone.exact
    for limit in limits_near(alone.exact):
        assert both.ask(pw.SquaredError(at_least=limit)).holds is keeps_at_least(alone.exact, limit)


def test_two_equal_columns_keep_four_fifths():
    """Sums of floats were a little more than a fifth of each other."""
    original = ["7", "14", "13", "8", "18", "10", "11", "17"]
    released = ["*" if number in ("14", "11") else number for number in original]
    table, before = {"a": released, "b": released}, {"a": original, "b": original}
    result = pw.Release(table, original=before).ask(pw.SquaredError(at_least="0.8"))
    assert (result.exact, result.value, result.holds) == (Fraction(4, 5), 0.8, True)


def test_squared_error_of_thirds():
    """Of 0, 1 and 2 only the 1 is generalised: it is off by 1 at most, and all together might be by 2 + 1 + 2."""
    release = pw.Release({"n": ["0", "0-1", "2"]}, original={"n": ["0", "1", "2"]}, hierarchies={"n": thirds()})
    assert release.ask("squared error").parts["n"].exact == 1 - Fraction(1, 9)
    for at_least, holds in [("4/5", True), (Fraction(4, 5) + Fraction(1, 10**20), False), (0.8, True)]:
        assert release.ask(pw.SquaredError(at_least=at_least)).holds is holds, at_least


def thirds():
    return [("0", "0-1", "*"), ("1", "0-1", "*"), ("2", "2", "*")]


@thorough
@given(numeric_tables())
def test_everything_suppressed_leaves_no_number(tables):
    rows = [dict.fromkeys(row, tables.marker) for row in tables.released]
    result = release_of(replace(tables, released=rows)).ask("squared error")
    assert result.value == 0
    assert all(part.value in (0, None) for part in result.parts.values())


@thorough
@given(numeric_tables())
def test_the_original_itself_has_no_error(tables):
    result = release_of(replace(tables, released=tables.original)).ask("squared error")
    assert result.value == 1
    assert all(part.exact in (1, None) for part in result.parts.values())


def test_squared_error_needs_numbers():
    with pytest.raises(NotAskableError, match="numbers"):
        pw.Release({"n": ["x"]}, original={"n": ["x"]}).ask("squared error")
    with pytest.raises(NotAskableError, match="original"):
        pw.Release({"n": ["1"]}).ask("squared error")
    release = pw.Release({"n": ["0-1", "few"]}, original={"n": ["1", "2"]}, hierarchies={"n": thirds()})
    with pytest.raises(UnknownValueError, match=r'"few" \(row 2\)'):
        release.ask("squared error")


def test_an_interval_is_cut_to_the_column():
    """The band 0-100 of a column from 40 to 60 says no more than the range."""
    bands = [("0", "0-100", "*"), ("40", "0-100", "*"), ("60", "0-100", "*"), ("100", "0-100", "*"), ("200", "b", "*")]
    options = {"original": {"n": ["40", "60"]}, "hierarchies": {"n": bands}, "pairing": "position"}
    assert pw.Release({"n": ["0-100", "0-100"]}, **options).ask("squared error").parts["n"].exact == 0
    assert pw.Release({"n": ["0", "60"]}, **options).ask("squared error").parts["n"].exact == 1
    assert pw.Release({"n": ["b", "60"]}, **options).ask("squared error").parts["n"].exact == Fraction(1, 2)


# Shares.


@thorough
@given(tables(), forms)
def test_shares(tables, form):
    release, share = release_of(tables, form), naive.suppressed_share(tables)
    result = release.ask("shares")
    assert (result.exact, result.value) == (share, float(share))
    unknown = unknown_levels(tables)
    told = [sorted(note.figures["columns"]) for note in result.notes if note.kind == "no_levels"]
    assert told == ([sorted(unknown)] if unknown else [])
    assert set(result.parts) == {"suppressed rows", *tables.quasi_identifiers} - {*unknown}
    for name in {*tables.quasi_identifiers} - {*unknown}:
        part = result.parts[name]
        assert part.exact == naive.generalised_share(tables, name)
        assert part.figures["top"] == naive.top_share(tables, name)
    for limit in limits_at(share, most=1):
        assert release.ask(pw.Shares(at_most=limit)).holds is (share <= Fraction(limit))


def test_a_column_called_like_a_share():
    table = {"suppressed rows": ["x", "*"], "n": ["x", "x"]}
    result = pw.Release(table, original=table).ask("shares")
    assert result.exact == 0
    assert len(result.parts) == 3


# Utility bias.


@thorough
@given(st.fractions(max_denominator=99), st.fractions(max_denominator=99))
def test_utility_bias(released, original):
    release = pw.Release({"n": ["x"]}, original={"n": ["y"]})
    answers = {"x": released, "y": original}

    def answer(table):
        return answers[table["n"][0]]

    bias = abs(released - original)
    result = release.ask(pw.UtilityBias(function=answer))
    assert (result.exact, result.value) == (bias, float(bias))
    assert result.figures["released"] == released
    assert result.figures["original"] == original
    for limit in limits_at(bias):
        assert release.ask(pw.UtilityBias(function=answer, max_bias=limit)).holds is (bias <= Fraction(limit))
