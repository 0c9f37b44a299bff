"""The results of an evaluation as a frame."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PETWorks.facts.class_frame import frame_library
from PETWorks.facts.notes import plain_values
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Part
from PETWorks.sources.user_frames import Library, user_frame

if TYPE_CHECKING:
    from PETWorks.answer.evaluation import Evaluation

NUMBERS = ("failing_classes", "failing_rows", "judged_classes", "judged_rows")
TEXTS = ("measure", "part", "family", "parameters", "exact", "side", "limit", "problem")


def results_frame(evaluation: Evaluation, *, parts: bool, library: Library | None) -> Any:  # noqa: ANN401
    """Build the frame: a row for each result, its parts if wanted, and requirements that could not be evaluated."""
    import pyarrow as pa

    kinds = dict.fromkeys(TEXTS, pa.string()) | dict.fromkeys(NUMBERS, pa.int64())
    kinds |= {"value": pa.float64(), "holds": pa.bool_()}
    order = ("measure", "part", "value", "exact", "side", "limit", "holds", *NUMBERS, "family", "parameters", "problem")
    names = [name for name in order if parts or name != "part"]
    schema = pa.schema([(name, kinds[name]) for name in names])
    table = pa.Table.from_pylist(list(_rows(evaluation, parts=parts)), schema)
    return user_frame(table, library or frame_library(evaluation.facts))


def _rows(evaluation: Evaluation, *, parts: bool) -> Iterator[dict[str, Any]]:
    for result in evaluation:
        yield _row(result.measure, result)
        for name, part in result.parts.items():
            if parts and name:  # a part without name is the whole
                yield _row(result.measure, part) | {"part": name}
    for one in evaluation.requirements:
        if one.problem is not None:
            yield _row(one.measure) | {"problem": str(one.problem)}


def _row(measure: Measure, part: Part | None = None) -> dict[str, Any]:
    parameters = json.dumps(measure.parameters(), ensure_ascii=False)
    known = {name: getattr(part, name) for name in ("value", "holds", *NUMBERS)} if part else {}
    texts = {name: plain_values(getattr(part, name)) or None for name in ("exact", "side", "limit")} if part else {}
    return {"measure": measure.name, "family": measure.family, "parameters": parameters, **known, **texts}
