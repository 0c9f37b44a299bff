"""The words of each language."""

from __future__ import annotations

from importlib import import_module

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.render.words.vocabulary import Vocabulary

LANGUAGES = ("en", "zh_TW")


def words(language: str) -> Vocabulary:
    """Give the words of a language."""
    if language not in LANGUAGES:
        raise UnknownNameError(f'there is no language "{language}"', hint=did_you_mean(language, LANGUAGES))
    vocabulary: Vocabulary = import_module(f"{__name__}.{language}").VOCABULARY
    return vocabulary
