"""How special uniques are explained: who stands out, with which chance of a right match, and by which columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from PETWorks.explain.step import Step
from PETWorks.facts.notes import Name
from PETWorks.formulas.intrusion import Intrusion
from PETWorks.formulas.special_uniques import MinimalUniques


def standing_out(
    told: Mapping[str, Any], rows: int, uniques: MinimalUniques, simulated: Intrusion | None, threshold: object
) -> Iterator[Step]:
    """Yield a step for each figure that is `told`, by its name."""
    sizes = ", ".join(f"{size}: {many:,}" for size, many in enumerate(uniques.by_size, 1))
    further: dict[str, dict[str, object]] = {
        "special": {"rows": uniques.special, "all_rows": rows, "sets": sizes},
    }
    if simulated is not None:
        further |= {
            "highest": {"share": simulated.fraction},
            "average": {},
            "above threshold": {"threshold": threshold},
            "file": {"unique": simulated.unique, "pairs": simulated.pairs},
        }
    for name, figures in further.items():
        if told.get(name) is not None:
            in_each_class = name == "file" and uniques.holders is not None
            yield Step("file_people" if in_each_class else name, {**figures, "score": told[name]})


def columns_by_share(shares: Mapping[str, Any]) -> Iterator[Step]:
    """Yield how much of all scores comes from each column, the largest share first."""
    order = sorted(shares, key=lambda name: -shares[name])
    lines = tuple(Step("column", {"column": Name(name), "score": shares[name]}) for name in order)
    if lines:
        yield Step("columns", lines=lines)
