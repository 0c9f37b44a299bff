"""Notes, errors and tallies as plain values that JSON can hold, from which equal ones are built again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from PETWorks import errors
from PETWorks.counting.size_histogram import Outline
from PETWorks.counting.tally import Before, Coded, Key, Tally, narrow
from PETWorks.errors import PETWorksError, TooLargeError
from PETWorks.facts.notes import Cell, Name, Note, Reason

Plain = Any  # what JSON can hold

TAGS = {"name": Name, "cell": Cell, "reason": Reason, "fraction": Fraction}  # types of texts that have a tag


def plain_figure(figure: Any) -> Plain:  # noqa: ANN401
    """Convert a figure of a note; `figure_of` builds it again.

    >>> figure_of(plain_figure({"file": Name("a.csv"), "share": Fraction(1, 3), "sizes": [1, 2]}))
    {'file': 'a.csv', 'share': Fraction(1, 3), 'sizes': [1, 2]}
    """
    if isinstance(figure, Mapping):
        return {"figures": {str(name): plain_figure(one) for name, one in figure.items()}}
    if isinstance(figure, list | tuple):
        return [plain_figure(one) for one in figure]
    tag = next((tag for tag, kind in TAGS.items() if isinstance(figure, kind)), None)
    return {tag: str(figure)} if tag else figure


def figure_of(plain: Plain) -> Any:  # noqa: ANN401
    """Build a figure from what `plain_figure` returned."""
    if isinstance(plain, list):
        return [figure_of(one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    ((tag, content),) = plain.items()
    if tag == "figures":
        return {name: figure_of(one) for name, one in content.items()}
    return TAGS[tag](content)


def plain_note(note: Note) -> Plain:
    """Convert a note."""
    instead = note.instead and plain_note(note.instead)
    return {**vars(note), "figures": plain_figure(note.figures), "instead": instead}


def note_of(plain: Plain) -> Note:
    """Build a note."""
    figures, instead = figure_of(plain["figures"]), plain["instead"] and note_of(plain["instead"])
    return Note(**{**plain, "figures": figures, "instead": instead})


def plain_error(error: PETWorksError) -> Plain:
    """Convert an error, with all that it knows."""
    known = {name: one for name, one in vars(error).items() if name != "outline"}
    outline = getattr(error, "outline", None)
    return {"kind": type(error).__name__, "known": plain_figure(known), "outline": outline and _plain_outline(outline)}


def error_of(plain: Plain) -> PETWorksError:
    """Build an error; its kind is one of PETWorks."""
    kind: type[PETWorksError] = getattr(errors, plain["kind"])
    if not issubclass(kind, PETWorksError):
        raise TypeError(plain["kind"])
    known = figure_of(plain["known"])
    error = kind(known.pop("problem"), **{name: known.pop(name) for name in ("where", "hint", "listed")})
    vars(error).update(known)
    if isinstance(error, TooLargeError):
        error.outline = plain["outline"] and _outline_of(plain["outline"])
    return error


def _plain_outline(outline: Outline) -> Plain:
    missing = [[_plain_key(key), cells] for key, cells in outline.missing.items()]
    crowds = [[*sizes, many] for sizes, many in outline.crowds.items()]
    sizes = list(map(list, outline.histogram.items()))
    person = None if outline.person is None else _plain_key(outline.person)
    people = {name: list(map(list, getattr(outline, name).items())) for name in ("smallest", "holders")}
    return vars(outline) | {"histogram": sizes, "missing": missing, "crowds": crowds, "person": person} | people


def _outline_of(plain: Plain) -> Outline:
    outline = Outline(**plain)
    missing = {_key_of(key): many for key, many in plain["missing"]}
    crowds = {(people, rows): many for people, rows, many in plain["crowds"]}
    person = None if plain.get("person") is None else _key_of(plain["person"])
    smallest, holders = dict(plain["smallest"]), dict(plain["holders"])
    sizes = replace(outline, histogram=dict(plain["histogram"]), smallest=smallest, holders=holders)
    return replace(sizes, missing=missing, crowds=crowds, person=person)


def plain_tally(tally: Tally) -> Plain:
    """Convert a tally: for each column its values, and for each combination the number of its value."""
    columns = [
        {"column": _plain_key(key), "values": list(column.values), "codes": column.codes.tolist()}
        for key, column in tally.columns.items()
    ]
    return {"columns": columns, "counts": tally.counts.tolist()}


def tally_of(plain: Plain) -> Tally:
    """Build a tally; raise a ValueError if its columns differ in length, or have values that do not exist."""
    counts = np.array(plain["counts"], dtype=np.int64)
    columns: dict[Key, Coded] = {}
    for one in plain["columns"]:
        codes = np.array(one["codes"], dtype=np.int64)
        if len(codes) != len(counts) or not _fit(codes, one["values"]) or (counts < 1).any():
            raise ValueError(one["column"])
        columns[_key_of(one["column"])] = Coded(narrow(codes, len(one["values"])), one["values"])
    return Tally(columns, counts)


def _fit(codes: np.ndarray, values: Sequence[object]) -> bool:
    return bool(((codes >= 0) & (codes < len(values))).all()) and all(isinstance(one, str | None) for one in values)


def _plain_key(key: Key) -> str:
    """Write the name of a column; one of the original after ``original:``, any other after ``:``."""
    return f"original:{key.name}" if isinstance(key, Before) else f":{key}"


def _key_of(plain: str) -> Key:
    table, _, name = plain.partition(":")
    return Before(name) if table else name
