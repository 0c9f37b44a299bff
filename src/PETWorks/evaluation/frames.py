"""Frames of the results of an evaluation, and of the classes of a release with their sizes and shared values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import to_plain_values
from PETWorks.facts.people_classes import HistoryClasses
from PETWorks.facts.tallies import find_tables
from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import list_value_parameters
from PETWorks.measure.result import ResultPart
from PETWorks.tables.counting.tally import Coded, Mask, sum_by_group
from PETWorks.tables.counting.texts import text_array
from PETWorks.tables.frames import Library, convert_frame, find_library, make_unused_name

if TYPE_CHECKING:
    from PETWorks.evaluation.evaluation import Evaluation


def frame_library(facts: Facts | None) -> Library:
    """Return the library in which the release was passed; for a file, the first that is installed."""
    return find_library(None if facts is None else find_tables(facts).given[0])


def build_class_frame(facts: Facts, failing: Mask | None, library: Library | None = None) -> Any:  # noqa: ANN401
    """Build the frame of classes. Values stay dictionary codes, so a class takes few bytes for each column."""
    import pyarrow as pa

    known = facts.groups(with_values=True)
    if isinstance(known, HistoryClasses):
        told = [known.values(index) for index in range(len(known))]
        cells = {name: Coded.of([one[name] for one in told]) for name in facts.roles.quasi_identifiers}
        columns = {name: _build_categories(column) for name, column in cells.items()}
    else:
        columns = {str(name): _build_categories(column.trim()) for name, column in known.columns.items()}
    columns[make_unused_name("size", columns)] = pa.array(known.sizes)
    if known.members is not None:
        columns[make_unused_name("rows", columns)] = pa.array(
            sum_by_group(known.members.of_entry, known.members.rows, len(known))
        )
    if failing is not None:
        columns[make_unused_name("failing", columns)] = pa.array(failing)
    return convert_frame(pa.table(columns), library or frame_library(facts))


def _build_categories(column: Coded) -> Any:  # noqa: ANN401 (an Arrow array)
    """Return the column as an Arrow array of categories; a missing value, the last if there is one, is null."""
    import pyarrow as pa

    values = [value for value in column.values if value is not None]
    codes = pa.array(column.codes, mask=column.codes == column.code(None))
    signed = codes.cast(pa.int32())  # older versions of Arrow convert no others to pandas
    return pa.DictionaryArray.from_arrays(signed, text_array(values).cast(pa.string()))


NUMBERS = ("failing_classes", "failing_rows", "judged_classes", "judged_rows")
TEXTS = ("measure", "part", "family", "parameters", "exact", "side", "limit", "problem")


def build_results_frame(evaluation: Evaluation, *, parts: bool, library: Library | None) -> Any:  # noqa: ANN401
    """Build the frame of results: a row for each result, with `parts` also its parts, and for failed requirements."""
    import pyarrow as pa

    kinds = dict.fromkeys(TEXTS, pa.string()) | dict.fromkeys(NUMBERS, pa.int64())
    kinds |= {"value": pa.float64(), "holds": pa.bool_()}
    order = ("measure", "part", "value", "exact", "side", "limit", "holds", *NUMBERS, "family", "parameters", "problem")
    names = [name for name in order if parts or name != "part"]
    schema = pa.schema([(name, kinds[name]) for name in names])
    table = pa.Table.from_pylist(list(_build_rows(evaluation, parts=parts)), schema)
    return convert_frame(table, library or frame_library(evaluation.facts))


def _build_rows(evaluation: Evaluation, *, parts: bool) -> Iterator[dict[str, Any]]:
    for result in evaluation:
        yield _build_row(result.measure, result, public=evaluation.is_public)
        for name, part in result.parts.items():
            if parts and name:  # a part without name is the whole
                yield _build_row(result.measure, part, public=evaluation.is_public) | {"part": name}
    for one in evaluation.requirements:
        if one.problem is not None:
            yield _build_row(one.measure, public=evaluation.is_public) | {"problem": str(one.problem)}


def _build_row(measure: Measure, part: ResultPart | None = None, *, public: bool) -> dict[str, Any]:
    hidden = list_value_parameters(type(measure)) if public else ()
    parameters = json.dumps(
        {name: value for name, value in measure.parameters().items() if name not in hidden}, ensure_ascii=False
    )
    known = {name: getattr(part, name) for name in ("value", "holds", *NUMBERS)} if part else {}
    texts = {name: to_plain_values(getattr(part, name)) or None for name in ("exact", "side", "limit")} if part else {}
    return {"measure": measure.name, "family": measure.family, "parameters": parameters, **known, **texts}
