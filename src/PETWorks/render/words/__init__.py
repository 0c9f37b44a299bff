"""The words of each language, from the TOML files beside this one. The words of a measure stand in the measure's file.

A file is read when a text in it is first used. Names of tables are part of the keys: `fails` in `[answer]` is
`answer_fails`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.measure.base import Measure
from PETWorks.presentation import Language


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The words of one language; braces are filled with figures."""

    colon: str
    comma: str
    separator: str  # of the entries of a list
    missing: str  # a cell without a value
    band: str  # a range of counts
    band_below: str  # the range of the smallest counts
    gap: str  # between sentences
    untold: str  # a value that must not be told
    withheld: str  # the values of a small class
    lift: str  # a column generalised to a level
    complete_lift: str  # a column generalised completely
    leads: Mapping[str, str]  # what a kind of step opens with
    steps: Mapping[str, str]
    page: Mapping[str, str]
    app: Mapping[str, str]  # the application
    command: Mapping[str, str]
    making: Mapping[str, str]  # how a release was made
    inspection: Mapping[str, str]  # what was found in a raw table
    hierarchies: Mapping[str, str]
    templates: Mapping[str, str]  # what each template is for
    brackets: str
    holds: str
    fails: str
    higher: str
    lower: str
    sides: Mapping[str, str]
    scope: str
    failing: str
    worst: str
    one_class: str
    skipped: str
    more: str
    hopeless: str
    notes: Mapping[str, str]
    terms: Mapping[str, str] = field(default_factory=dict)  # this and the two below: of one measure
    short: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)


LANGUAGES: tuple[str, ...] = get_args(Language)
SCREENS = (
    "frame",
    "open",
    "prepare",
    "columns",
    "hierarchies",
    "requirements",
    "explore",
    "find",
    "compare",
    "release",
)
FILES: dict[str, tuple[str, ...]] = {  # the files that each field of a vocabulary is read from
    "steps": ("steps",),
    "page": ("report", "annex", "report_making", "comparison", "signoff"),
    "app": tuple(f"app/{screen}" for screen in SCREENS),
    "command": ("command", "premises"),
    "making": ("making",),
    "inspection": ("inspection", "starting"),
    "hierarchies": ("hierarchies",),
    "templates": ("templates",),
}


class FileTexts(Mapping[str, str]):
    """The texts of some files of a language. A file is read only if those before it lack a text."""

    def __init__(self, language: str, files: tuple[str, ...]) -> None:
        self._language, self._files = language, files

    def __getitem__(self, key: str) -> str:
        """Return a text by its key."""
        for file in self._files:
            texts = read_texts(self._language, file)
            if key in texts:
                return texts[key]
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        """Yield the keys of all texts."""
        for file in self._files:
            yield from read_texts(self._language, file)

    def __len__(self) -> int:
        """Count the texts."""
        return sum(len(read_texts(self._language, file)) for file in self._files)


def words(language: str, measure: Measure | type[Measure] | None = None) -> Vocabulary:
    """Return the words of a language, with those of a measure if one is named."""
    kind = type(measure) if isinstance(measure, Measure) else measure
    return _words(language, kind)


@lru_cache(maxsize=256)
def _words(language: str, kind: type[Measure] | None) -> Vocabulary:
    if language not in LANGUAGES:
        raise UnknownNameError(f'there is no language "{language}"', hint=did_you_mean(language, LANGUAGES))
    if kind is None:
        texts: dict[str, Any] = {name: FileTexts(language, files) for name, files in FILES.items()}
        return Vocabulary(**_load(language, "shared"), **texts)
    shared, own = words(language), kind.words[language]
    notes, steps = {**shared.notes, **own.notes}, {**read_texts(language, "steps"), **own.steps}
    return replace(shared, terms=own.terms, short=own.short, parts=own.parts, notes=notes, steps=steps)


@lru_cache(maxsize=64)
def read_texts(language: str, file: str) -> dict[str, str]:
    """Return the texts of a file, by the joined names of their tables and their own."""
    return dict(_join_names(_load(language, file)))


def _join_names(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, str):
            yield name, value
        else:
            yield from ((f"{name}_{inner}", text) for inner, text in _join_names(value))


def _load(language: str, file: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / language / f"{file}.toml").read_text(encoding="utf-8"))
