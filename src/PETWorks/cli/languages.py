"""The language of the answer: from an option, the policy or the environment."""

from __future__ import annotations

import argparse
import os

from PETWorks.errors import ParameterError
from PETWorks.presentation import Language

LANGUAGES: dict[str, Language] = {"en": "en", "zh_tw": "zh_TW", "zh": "zh_TW"}
TRADITIONAL = ("zh", "zh_tw", "zh_hk", "zh_mo", "zh_hant")  # locales that write Chinese as Taiwan does


def language(given: str) -> Language:
    """Read the name of a language; accept spellings such as zh-TW and ZH-tw."""
    if (folded := given.casefold().replace("-", "_")) not in LANGUAGES:
        raise argparse.ArgumentTypeError(f"unknown language {given!r}; known: en, zh_TW")
    return LANGUAGES[folded]


def choose_language(options: argparse.Namespace, otherwise: Language | None = None) -> Language:
    """Return the language: of --lang, of the policy (`otherwise`), of PETWORKS_LANG, of the locale, else English."""
    if given := options.lang or otherwise:
        return given
    if not (own := os.environ.get("PETWORKS_LANG")):
        return _find_locale_language()
    try:
        return language(own)
    except argparse.ArgumentTypeError as error:
        raise ParameterError(str(error), where="PETWORKS_LANG") from error


def _find_locale_language() -> Language:
    """Return the first known language of the environment, looked up as gettext does."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "C")
    if locale.partition(".")[0] in ("C", "POSIX"):
        return "en"
    for name in (*os.environ.get("LANGUAGE", "").split(":"), locale):
        folded = name.partition(".")[0].partition("@")[0].casefold().replace("-", "_")
        if folded.startswith(TRADITIONAL[-1]) or folded in TRADITIONAL:
            return "zh_TW"
        if folded.partition("_")[0] == "en":
            return "en"
    return "en"
