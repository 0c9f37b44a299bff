"""Draw random releases with their originals, hierarchies and roles, including unusual ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

import PETWorks as pw
from oracle.naive import Ladder, Rows, Tables, Value, is_suppressed, ladders, unknown_levels

NAMES = ["n", "count", "N", "a b", "年齡", "rows", "c0"]
TEXTS = ["a", "b", "c", "d", "高雄", "10", "2", None]
NODES = ["g", "h", "i", "j", "*", "50", None]
NUMBERS = ["1", "1.0", "01", "2", "-3", "10", "1e1", "+.5", "0.5", "100000000000000000000.5"]
MARKERS = ["*", "*", "*", "#"]
ROWS = 12
WORST = 10  # most classes that a result names

brute = settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


# Hypothesis chooses the shape of the tables, and shrinks it. A random number generator draws the cells, which is faster
# and makes more different tables.


def tables(
    *, original: bool | None = None, least_sensitive: int = 0, most_sensitive: int = 2
) -> st.SearchStrategy[Tables]:
    """Draw a release of 1 to 12 rows with its original (False: never; None: sometimes)."""
    return st.builds(
        made_tables,
        st.randoms(use_true_random=True),
        rows=st.sampled_from([*range(1, ROWS + 1), *range(4, ROWS + 1)]),
        quasi=st.integers(1, 3),
        sensitive=st.integers(least_sensitive, most_sensitive),
        original=st.booleans() if original is None else st.just(original),
    )


def levelled() -> st.SearchStrategy[Tables]:
    """Draw a release of which it is known how far each column was generalised: by an original or by hierarchies."""
    return tables().filter(lambda drawn: not unknown_levels(drawn))


def unpaired() -> st.SearchStrategy[Tables]:
    """Draw an original and a release whose number of rows may differ from it."""
    return st.builds(with_other_rows, tables(original=True), st.randoms(use_true_random=True), st.integers(0, 2 * ROWS))


def made_tables(chance: Random, *, rows: int, quasi: int, sensitive: int, original: bool) -> Tables:
    names = chance.sample(NAMES, quasi + sensitive)
    before, trees = {}, {}
    for name in names[:quasi]:
        pool = some(chance, TEXTS)
        before[name] = chance.choices(pool, k=rows)
        if chance.random() < 0.6:
            trees[name] = hierarchy(chance, [*pool, *chance.choice([[], ["spare"]])])
    made = Tables([], names[:quasi], names[quasi:], rows_of(before), trees, chance.choice(MARKERS))

    everything = chance.random() < 0.06
    gone = [everything or chance.random() < 0.15 for _ in range(rows)]
    after = {name: lifted(chance, made, name, gone) for name in names[:quasi]}
    for name in names[quasi:]:
        after[name], tree = sensitive_attribute(chance, made.marker, rows)
        trees |= {name: tree} if tree else {}
    if chance.random() < 0.3:
        after["unused"] = before["unused"] = ["?"] * rows
    return replace(
        made,
        released=rows_of(shuffled_columns(chance, after)),
        original=rows_of(shuffled_columns(chance, before)) if original else None,
    )


def some(chance: Random, values: list[Value]) -> list[Value]:
    """Draw the values of a column: sometimes a single one (a constant column), which may be the missing value."""
    return chance.sample(values, chance.choice([1, 2, 3, 3, 4, 4]))


def hierarchy(chance: Random, leaves: list[Value]) -> list[Ladder]:
    """Merge nodes level by level. A node may have the same name as a leaf, or as a node of another level."""
    rows: list[Ladder] = [(leaf,) for leaf in leaves]
    for _ in range(chance.choice([0, 1, 1, 2, 3])):
        below = list(dict.fromkeys(row[-1] for row in rows))
        names = chance.sample([*NODES, *(leaf for leaf in leaves if leaf not in NODES)], len(below))
        above = dict(zip(below, chance.choices(names, k=len(below)), strict=True))
        rows = [(*row, above[row[-1]]) for row in rows]
    if top := chance.choice(["*", "*", "all", leaves[0], "", ""]):
        rows = [(*row, top) for row in rows]
    rows += chance.choices(rows, k=chance.choice([0, 0, 1, 2]))
    return chance.sample(rows, len(rows))


def lifted(chance: Random, tables: Tables, name: str, gone: list[bool]) -> list[Value]:
    """Lift a column as a whole or cell by cell, or take any values of its hierarchy; then suppress."""
    tree = ladders(tables, name)
    own = [tree[row[name]] for row in tables.original]
    match chance.choice(["column", "column", "cells", "cells", "anything"]):
        case "column":
            step = chance.choice([*range(len(own[0])), *range(len(own[0]) - 1)] or [0])
            cells = [ladder[step] for ladder in own]
        case "cells":
            cells = [chance.choice(ladder) for ladder in own]
        case _:
            cells = [chance.choice(chance.choice([*tree.values()])) for _ in own]
    share = chance.choice([0, 0, 0.2])
    return [tables.marker if hide or chance.random() < share else cell for hide, cell in zip(gone, cells, strict=True)]


def sensitive_attribute(chance: Random, marker: str, rows: int) -> tuple[list[Value], list[Ladder] | None]:
    """Draw a sensitive attribute: numbers, texts or both, with or without a hierarchy, some cells suppressed."""
    pool = some(chance, chance.choice([NUMBERS, TEXTS, TEXTS, [*NUMBERS, "x", None]]))
    share = chance.choice([0, 0, 0.3])
    cells = [marker if chance.random() < share else chance.choice(pool) for _ in range(rows)]
    extra = chance.choice([[], ["other"], [marker], [marker]])
    return cells, hierarchy(chance, [*pool, *extra]) if chance.random() < 0.5 else None


def shuffled_columns(chance: Random, columns: dict[str, list[Value]]) -> dict[str, list[Value]]:
    return {name: columns[name] for name in chance.sample([*columns], len(columns))}


def with_other_rows(tables: Tables, chance: Random, rows: int) -> Tables:
    return replace(tables, released=chance.choices(tables.released, k=rows)) if rows else tables


def rows_of(columns: dict[str, list[Value]]) -> Rows:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def columns_of(rows: Rows) -> dict[str, list[Value]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


FORMS = {
    "dict": lambda columns: columns,
    "pandas": lambda columns: pd.DataFrame(columns, index=range(7, 7 + len(next(iter(columns.values()))))),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
forms = st.sampled_from([*FORMS])


def release_of(tables: Tables, form: str = "dict", **options: object) -> pw.Release:
    """Build a release from tables. Roles are passed only if some column is not a quasi-identifier.

    Some of the tables hold values that have nothing to do with their original, so nobody checks that the rows pair.
    """
    make = FORMS[form]
    roles = {"quasi_identifiers": tables.quasi_identifiers, "sensitive": tables.sensitive}
    return pw.Release(
        make(columns_of(tables.released)),
        original=None if tables.original is None else make(columns_of(tables.original)),
        hierarchies=tables.hierarchies,
        suppressed=tables.marker,
        pairing="position",
        **(roles if set(tables.released[0]) != set(tables.quasi_identifiers) else {}),
        **options,
    )


def suppressed_rows(tables: Tables) -> int:
    return sum(is_suppressed(tables, row) for row in tables.released)


NUDGE = Fraction(1, 10**12)


def limits_near(score: Fraction) -> list[float | str | Fraction]:
    """Draw limits from 0 to 1: a score, or a number that differs from it by one part in 10**12."""
    rounded = float(score)
    fractions = [score, score * (1 - NUDGE), score * (1 + NUDGE), score - NUDGE, score + NUDGE]
    floats = [rounded, rounded - 1e-12, rounded + 1e-12]
    return [limit for limit in (*fractions, str(score), *floats) if 0 <= Fraction(limit) <= 1]


LARGE = 10**8  # n/(n+1) and its neighbours are a relative 1e-16 apart
close_ratios = st.one_of(
    st.tuples(st.integers(0, 4), st.integers(1, 4)),
    st.builds(lambda step: (LARGE + step, LARGE + step + 1), st.integers(0, 2)),
    st.builds(lambda step: (3 * LARGE + step, LARGE), st.integers(-1, 1)),
    st.builds(lambda step: (LARGE**2 // 2 + step, LARGE), st.integers(-1, 1)),
    st.builds(lambda step: (step, LARGE**2), st.integers(0, 2)),
    st.builds(lambda above, below: (2**60 + above, 2**60 + below), st.integers(0, 999), st.integers(0, 999)),
)
