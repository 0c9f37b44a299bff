"""The words of each language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.render.words.vocabulary import Vocabulary

LANGUAGES = ("en", "zh_TW")


def words(language: str) -> Vocabulary:
    """Give the words of a language."""
    if language not in LANGUAGES:
        raise UnknownNameError(f'there is no language "{language}"', hint=did_you_mean(language, LANGUAGES))
    vocabulary: Vocabulary = import_module(f"{__name__}.{language}").VOCABULARY
    return vocabulary


@lru_cache
def described(language: str) -> Mapping[str, Any]:
    """Give the pages of the measures, by the names of their classes; in English they stand in the measures' files."""
    page = files(__name__).joinpath(language, "measures.yaml")
    if not page.is_file():
        return {}
    import yaml

    pages: Mapping[str, Any] = yaml.safe_load(page.read_text(encoding="utf-8"))
    return pages
