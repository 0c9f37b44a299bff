"""The words of each language. What belongs to a measure stands in the measure's file, and is added for its results."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import get_args

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.measure.base import Measure
from PETWorks.presentation import Language
from PETWorks.render.words.vocabulary import Vocabulary

LANGUAGES: tuple[str, ...] = get_args(Language)


def words(language: str, measure: Measure | type[Measure] | None = None) -> Vocabulary:
    """Return the words of a language, with those of a measure if one is named."""
    kind = type(measure) if isinstance(measure, Measure) else measure
    return _words(language, kind)


@lru_cache(maxsize=256)
def _words(language: str, kind: type[Measure] | None) -> Vocabulary:
    if language not in LANGUAGES:
        raise UnknownNameError(f'there is no language "{language}"', hint=did_you_mean(language, LANGUAGES))
    shared: Vocabulary = import_module(f"{__name__}.{language}").VOCABULARY
    if kind is None:
        return shared
    own = kind.words[language]
    notes, steps = {**shared.notes, **own.notes}, {**shared.steps, **own.steps}
    return replace(shared, terms=own.terms, short=own.short, parts=own.parts, notes=notes, steps=steps)
