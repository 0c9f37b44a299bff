"""Writes the reference from the code: measures, command line, policy file, Python, JSON; in English and 繁體中文.

Names, signatures, ranges, defaults, examples and results come from the code. `reference.zh-TW.yaml` has the Chinese of
what the code says in English only. Both YAML files describe the keys of a policy file, which the code does not. An entry
that is missing or not used stops the build.

``python docs/reference.py FOLDER`` writes the pages to a folder for reading.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

from reference_command import command_page
from reference_json import json_page
from reference_measures import index_page, measure_page, slug
from reference_policy import policy_page
from reference_python import python_page
from reference_words import Words

from PETWorks.measure.registry import measures

LOCALES = ("en", "zh-TW")


def navigation() -> dict[str, list[str]]:
    """Return the paths of all measures' pages, by family."""
    found: dict[str, list[str]] = {}
    for kind in measures().values():
        found.setdefault(kind.family, []).append(f"reference/measures/{slug(kind)}.md")
    return found


@lru_cache
def pages(locale: str) -> dict[str, str]:
    """Return all pages in a language, by their paths without suffix."""
    word = Words(locale)
    written = {
        "reference/index": index_page(word),
        "reference/command-line": command_page(word),
        "reference/policy": policy_page(word),
        "reference/python": python_page(word),
        "reference/json": json_page(word),
        **{f"reference/measures/{slug(kind)}": measure_page(kind, word) for kind in measures().values()},
    }
    word.done()
    return written


def main(folder: Path) -> None:
    """Write the pages to a folder."""
    for locale in LOCALES:
        for path, text in pages(locale).items():
            place = folder / locale / f"{path}.md"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
