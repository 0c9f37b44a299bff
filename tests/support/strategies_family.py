"""Draw random samples with their populations and random tables of numbers, and check results of privacy measures."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

from hypothesis import settings
from hypothesis import strategies as st

import PETWorks as pw
from oracle.naive import Ladder, Rows, Scored, Tables, Value, ladders
from PETWorks.plugin import Result, ResultPart
from support.strategies import (
    FORMS,
    MARKERS,
    NAMES,
    NUDGE,
    TEXTS,
    brute,
    columns_of,
    hierarchy,
    release_of,
    rows_of,
    shuffled_columns,
    some,
    tables,
)

WORST = 10
PEOPLE = 24
FIGURES = ["1", "1.0", "2", "3", "-3", "7", "10", "1e1", "0.5", "2.25", "40", "100000000000000000000.5"]
BANDS = ["low", "high", "1-9", "10-99", "5", "50", "1e2"]

thorough = settings(brute, max_examples=60)
quick = settings(brute, max_examples=30)
with_sensitive = tables(least_sensitive=1, most_sensitive=3)


# Populations.


def samples() -> st.SearchStrategy[tuple[Tables, Rows]]:
    """Draw a release and the population it is a sample of; most columns are released at one level."""
    return st.builds(
        made_sample, st.randoms(use_true_random=True), people=st.integers(1, PEOPLE), quasi=st.integers(1, 3)
    )


def made_sample(chance: Random, *, people: int, quasi: int) -> tuple[Tables, Rows]:
    names = chance.sample(NAMES, quasi)
    marker = chance.choice(MARKERS)
    columns, trees = {}, {}
    for name in names:
        pool = some(chance, TEXTS)
        columns[name] = chance.choices(pool, k=people)
        if chance.random() < 0.7:
            trees[name] = hierarchy(chance, [*pool, *chance.choice([[], ["spare"]])])
    population = rows_of(shuffled_columns(chance, columns))
    drawn = chance.sample(population, chance.randint(1, people))
    known = Tables(drawn, names, [], population, trees, marker)

    everything = chance.random() < 0.06
    gone = [everything or chance.random() < 0.15 for _ in drawn]
    after = {name: released_column(chance, known, name, gone) for name in names}
    return replace(known, released=rows_of(shuffled_columns(chance, after)), original=None), population


def released_column(chance: Random, known: Tables, name: str, gone: Sequence[bool]) -> list[Value]:
    """Lift all cells to one level, rarely each to its own; at the top some may be suppressed."""
    own: list[Ladder] = [ladders(known, name)[row[name]] for row in known.released]
    top = len(own[0]) - 1
    step = chance.randint(0, top)
    steps = [chance.randint(0, top) if chance.random() < 0.02 else step for _ in own]
    share = chance.choice([0, 0.3]) if step == top else 0
    cells = [ladder[one] for ladder, one in zip(own, steps, strict=True)]
    return [known.marker if hide or chance.random() < share else cell for hide, cell in zip(gone, cells, strict=True)]


def release_from(tables: Tables, population: Rows, form: str = "dict", **options: object) -> pw.Release:
    """Build a release from a sample and its population."""
    return release_of(tables, form, population=FORMS[form](columns_of(population)), **options)


# Numbers.


def numeric_tables(quasi: int | None = None) -> st.SearchStrategy[Tables]:
    """Draw a release of numbers with its original: generalised with or without a hierarchy, rounded, suppressed."""
    return st.builds(
        made_numbers,
        st.randoms(use_true_random=True),
        rows=st.integers(1, 10),
        quasi=st.integers(1, 3) if quasi is None else st.just(quasi),
    )


def made_numbers(chance: Random, *, rows: int, quasi: int) -> Tables:
    names = chance.sample(NAMES, quasi)
    before, trees = {}, {}
    for name in names:
        pool = some(chance, FIGURES if name == names[0] or chance.random() < 0.7 else [*FIGURES, "x", None])
        before[name] = chance.choices(pool, k=rows)
        if chance.random() < 0.5 and {*pool} <= {*FIGURES}:
            spare = [figure for figure in FIGURES if figure not in pool]
            trees[name] = banded(chance, [*pool, *chance.sample(spare, 2)])
    known = Tables([], names, [], rows_of(before), trees, chance.choice(MARKERS))
    gone = [chance.random() < 0.15 for _ in range(rows)]
    after = {name: numbers_released(chance, known, name, gone) for name in names}
    return replace(known, released=rows_of(shuffled_columns(chance, after)))


def banded(chance: Random, leaves: list[Value]) -> list[Ladder]:
    """Merge numbers into bands, level by level; the names of some bands are numbers."""
    rows: list[Ladder] = [(leaf,) for leaf in leaves]
    for _ in range(chance.choice([1, 1, 2])):
        below = list(dict.fromkeys(row[-1] for row in rows))
        above = dict(zip(below, chance.choices(BANDS, k=len(below)), strict=True))
        rows = [(*row, above[row[-1]]) for row in rows]
    top = chance.choice(["*", "*", "all", "50"])
    return [(*row, top) for row in rows]


def numbers_released(chance: Random, known: Tables, name: str, gone: Sequence[bool]) -> list[Value]:
    """Release some cells as they are, some generalised, some as other numbers, some suppressed."""
    tree = ladders(known, name)
    kinds = chance.choice([["column"], ["kept"], ["kept", "cells", "anything"], ["kept", "other", "marker"]])
    step = chance.randrange(len(next(iter(tree.values()))))
    cells = []
    for row in known.original:
        match chance.choice(kinds):
            case "kept":
                cell = row[name]
            case "column":
                cell = tree[row[name]][step]
            case "cells":
                cell = chance.choice(tree[row[name]])
            case "anything":
                cell = chance.choice(chance.choice([*tree.values()]))
            case "other":
                # Without a hierarchy any text is a generalised value; numbers need no hierarchy.
                cell = chance.choice(FIGURES if name in known.hierarchies else [*FIGURES, *BANDS, None])
            case _:
                cell = known.marker
        cells.append(cell)
    return [known.marker if hide else cell for hide, cell in zip(gone, cells, strict=True)]


# Limits.


def limits_at(score: Fraction | None, least: int = 0, most: int | None = None) -> list[str | Fraction]:
    """Return a score, and the numbers that differ from it by one part in 10**12, if in the parameter's range."""
    score = Fraction(2) if score is None else score
    limits = [score, str(score), score * (1 - NUDGE), score * (1 + NUDGE), score - NUDGE, score + NUDGE]
    return [limit for limit in limits if least <= Fraction(limit) and (most is None or Fraction(limit) <= most)]


def whole_limits_at(score: Fraction | None) -> list[str | Fraction]:
    """Return a score, which is a whole number, and the numbers next to it, from 1 on."""
    score = Fraction(2) if score is None else score
    return [limit for limit in (score, str(score), score - 1, score + 1) if Fraction(limit) >= 1]


def above_zero(limits: Sequence[str | Fraction]) -> list[str | Fraction]:
    """Leave out limits that are not positive."""
    return [limit for limit in limits if Fraction(limit) > 0]


def around(value: Decimal, digits: int = 30) -> tuple[Fraction, Fraction]:
    """Return the nearest decimals with so many places below and above an irrational number."""
    below = Fraction(int(Fraction(value) * 10**digits), 10**digits)
    return below, below + Fraction(1, 10**digits)


# What the result of a privacy measure must be.


def check_part(part: ResultPart, scores: Sequence[Scored], *, high_is_bad: bool, fails: Sequence[bool] | None) -> None:
    """Compare a part with the score of every class (None: fails at every limit), and with the classes that fail."""
    worst = worst_score(scores, high_is_bad=high_is_bad)
    assert part.exact == worst
    assert part.value == (None if worst is None else float(worst))
    check_verdict(part, scores, fails)
    shown = [Scored(dict(one.values), one.size, one.exact) for one in part.worst]
    assert [one.score for one in shown] == ordered(scores, high_is_bad=high_is_bad)[:WORST]
    assert all(one in scores for one in shown)
    assert len({tuple(one.values.items()) for one in shown}) == len(shown)


def check_verdict(part: ResultPart, scores: Sequence[Scored], fails: Sequence[bool] | None) -> None:
    """Compare a verdict with the classes that fail; None: there is no limit."""
    if fails is None:
        assert (part.holds, part.failing_classes, part.failing_rows) == (None, 0, 0)
        return
    sizes = [one.size for one, bad in zip(scores, fails, strict=True) if bad]
    assert (part.holds, part.failing_classes, part.failing_rows) == (not sizes, len(sizes), sum(sizes))


def check_whole(result: Result, sizes: Sequence[int], fails: Mapping[str, Sequence[bool]]) -> None:
    """Compare the verdict of a result with the classes that fail for any of its parts."""
    failing = [any(bad) for bad in zip(*fails.values(), strict=True)]
    bad_sizes = [size for size, bad in zip(sizes, failing, strict=True) if bad]
    assert result.holds is not bool(bad_sizes)
    assert (result.failing_classes, result.failing_rows) == (len(bad_sizes), sum(bad_sizes))


def worst_score(scores: Sequence[Scored], *, high_is_bad: bool) -> Fraction | None:
    """Return the worst score; None if there are no classes, or if one fails at every limit."""
    found = ordered(scores, high_is_bad=high_is_bad)
    return found[0] if found else None


def ordered(scores: Sequence[Scored], *, high_is_bad: bool) -> list[Fraction | None]:
    """Return the scores, the worst first."""
    found = sorted((one.score for one in scores if one.score is not None), reverse=high_is_bad)
    return [None] * (len(scores) - len(found)) + found


def worst_of_all(parts: Mapping[str, Sequence[Scored]], *, high_is_bad: bool) -> Fraction | None:
    """Return the worst score of several parts."""
    return worst_score([one for scores in parts.values() for one in scores], high_is_bad=high_is_bad)


# Time.


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail the test if the block takes longer than the limit."""

    def stop(*_: object) -> None:
        raise AssertionError(f"took longer than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
