"""The classes of a release as a frame: a row for each class, with its size and the values that its rows share."""

from __future__ import annotations

from typing import Any

from PETWorks.counting.tally import Coded, Mask, sums
from PETWorks.facts.facts import Facts
from PETWorks.facts.of_people import HistoryClasses
from PETWorks.sources.user_frames import Library, library_of, unused, user_frame


def frame_library(facts: Facts | None) -> Library:
    """Return the library in which the release was passed; for a file, the first that is installed."""
    return library_of(None if facts is None else facts._tables.given[0])  # noqa: SLF001 (of this room)


def class_frame(facts: Facts, failing: Mask | None, library: Library | None = None) -> Any:  # noqa: ANN401
    """Build the frame. Values stay codes with a dictionary, so that a class takes up few bytes for each column."""
    import pyarrow as pa

    known = facts.known_classes
    if isinstance(known, HistoryClasses):
        told = [known.values(index) for index in range(len(known))]
        cells = {name: Coded.of([one[name] for one in told]) for name in facts.roles.quasi_identifiers}
        columns = {name: _categories(column) for name, column in cells.items()}
    else:
        columns = {str(name): _categories(column.trimmed()) for name, column in known.columns.items()}
    columns[unused("size", columns)] = pa.array(known.sizes)
    if known.members is not None:
        columns[unused("rows", columns)] = pa.array(sums(known.members.of_entry, known.members.rows, len(known)))
    if failing is not None:
        columns[unused("failing", columns)] = pa.array(failing)
    return user_frame(pa.table(columns), library or frame_library(facts))


def _categories(column: Coded) -> Any:  # noqa: ANN401 (an Arrow array)
    """Return the column as an Arrow array of categories; a missing value, the last if there is one, is null."""
    import pyarrow as pa

    values = [value for value in column.values if value is not None]
    codes = pa.array(column.codes, mask=column.codes == column.code(None))
    signed = codes.cast(pa.int32())  # older versions of Arrow convert no others to pandas
    return pa.DictionaryArray.from_arrays(signed, pa.array(values, pa.string()))
