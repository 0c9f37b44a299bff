"""The contestants that make a release of Adult: all nine columns are quasi-identifiers, the goal is k-anonymity 5."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from layout import COLUMNS, DATA

Work = Callable[[], object]
HIERARCHIES = DATA / "adult_hierarchy"
FURTHER = ("sex", "race", "marital-status", "workclass")  # columns of thirteen that are like another
ALIKE = 0.8  # share of rows that have the same value in both


def _anonymized(table: Any, **asked: Any) -> Any:  # noqa: ANN401 (any table, and what is made of it)
    import PETWorks as pw

    given = {"hierarchies": HIERARCHIES, "utility": "loss"} | asked
    return pw.anonymize(table, goals=pw.KAnonymity(5), the_rest="quasi_identifier", **given)


def petworks_search(path: str, rate: str) -> Work:
    """Search for the best level vector, after the table was counted and its hierarchies were read."""
    return _searched(_anonymized(path, suppress_at_most=rate))


def petworks_thirteen(path: str, seconds: float) -> Work:
    """Search among 1.5 million level vectors of thirteen columns, after they were counted, for so long at most."""
    import numpy as np
    import pandas as pd

    people, chance = pd.read_parquet(path, columns=COLUMNS), np.random.default_rng(13)
    for name in FURTHER:
        others = chance.permutation(people[name].to_numpy())
        people[f"{name} too"] = np.where(chance.random(len(people)) < ALIKE, people[name], others)
    own = {name: HIERARCHIES / f"adult_hierarchy_{name.removesuffix(' too')}.csv" for name in people}
    return _searched(_anonymized(people, hierarchies=own, suppress_at_most="2%", time_limit=1), seconds)


def _searched(made: Any, seconds: float | None = None) -> Work:  # noqa: ANN401
    """Return the search for a release that was made, on the same counts, but without what earlier searches kept."""
    from dataclasses import replace

    from PETWorks.anonymization.full_domain import find_best_vector
    from PETWorks.anonymization.table import RawTable

    table, plan = made.facts.combination_labels.table, replace(made.plan, time_limit=seconds)

    def search() -> None:
        again = RawTable(table.facts)
        vars(again).update({name: vars(table)[name] for name in ("ladders", "_grouped")})
        find_best_vector(again, plan)

    return search


def petworks_front(path: str) -> Work:
    """Search for the front of risk and utility."""
    made = _anonymized(path, suppress_at_most="5%")
    return lambda: made.front() and None


def petworks_make(path: str, written: str) -> Work:
    """Read the table, search, write the release and measure it again."""

    def make() -> None:
        _anonymized(path, suppress_at_most="5%").write(written)
        Path(written).unlink()

    return make
