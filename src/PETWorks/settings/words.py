"""The meaning of each setting, in each language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from PETWorks.settings.section import Section, declared


@cache
def read_words(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return the meanings in a language, by table and setting."""
    return tomllib.loads(Path(__file__).with_name(f"words.{language}.toml").read_text(encoding="utf-8"))


def meaning(section: type[Section], name: str, language: str = "en") -> str:
    """Return what a setting means."""
    return read_words(language)[section.table or "engine"][name]


def meanings(*sections: type[Section], language: str = "en") -> dict[str, str]:
    """Return the meaning of each setting of some sections."""
    return {name: meaning(section, name, language) for section in sections for name in declared(section)}
