"""Errors in the reader's language: the problem, and what to do on the screens.

Errors are in English, as on the command line, where people search for them and report them. If a translation is known,
the application shows it first.

>>> error = PETWorksError("there is no requirement")
>>> translate_problem(error, "zh_TW")
'尚未設定任何要求。請至「要求」選用範本，或新增一項指標。'
>>> translate_problem(error, "en") is None
True
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache, partial
from importlib.resources import files

from PETWorks.errors import PETWorksError

QUOTED = re.compile(r'"([^"]*)"(?:, )?')
PLACE = re.compile(r"\\\{(\d)\\\}")  # a place in an escaped sentence


def translate_problem(error: PETWorksError, language: str) -> str | None:
    """Return the translation of a problem to a language other than English; None if there is none."""
    problem = error.problem
    for pattern, sentence in _load_sentences(language).items():
        if found := pattern.fullmatch(problem):
            return re.sub(r"\{(\d)\}", partial(_write_part, found), sentence)
    return None


def _write_part(found: re.Match[str], place: re.Match[str]) -> str:
    """Return a placeholder's text of the English problem, with Chinese quotation marks."""
    return QUOTED.sub(r"「\1」", found[f"p{place[1]}"])


@lru_cache
def _load_sentences(language: str) -> Mapping[re.Pattern[str], str]:
    """Return the translations by the pattern of the English text; those with more fixed text first."""
    file = files("PETWorks.app").joinpath(f"problems.{language}.toml")
    if not file.is_file():
        return {}
    given: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))["problems"]
    ordered = sorted(given, key=lambda english: len(re.sub(r"\{\d\}", "", english)), reverse=True)
    return {re.compile(PLACE.sub(r"(?P<p\1>.+?)", re.escape(one)), re.DOTALL): given[one] for one in ordered}
