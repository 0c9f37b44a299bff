"""The words of each language. A measure's own sentences stand in its file."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from PETWorks.errors import UnknownNameError, did_you_mean

LANGUAGES = ("en", "zh_TW")


def words(language: str) -> ModuleType:
    """Give the words of a language."""
    if language not in LANGUAGES:
        raise UnknownNameError(f'there is no language "{language}"', hint=did_you_mean(language, LANGUAGES))
    return import_module(f"{__name__}.{language}")
