"""Write the lists of measures in files such as README.md, and short pages in docs/reference, from the measures.

``python tools/lists.py`` writes them; with ``--check`` it only prints which files are out of date, and fails if any is.
All other lists of measures are read from the registry at run time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from pointers import pointers

from PETWorks.measure.base import Measure
from PETWorks.measure.parameter import find_parameters
from PETWorks.measure.registry import FAMILIES, measures
from PETWorks.settings.section import Section, write_parameters
from PETWorks.settings.sections import (
    CellReading,
    EarlierReleases,
    Engine,
    InputFiles,
    KeyFile,
    Person,
    Preparing,
    Reading,
    RoleLists,
    RowPairing,
    Search,
    Writing,
)

ROOT = Path(__file__).parents[1]


def built_in() -> list[type[Measure]]:
    """Return the measures of PETWorks, without those of installed plug-ins."""
    return [kind for kind in measures().values() if kind.__module__.rpartition(".")[0] in FAMILIES]


def imports() -> Iterator[str]:
    """Yield the imports that show every measure to type checkers and editors."""
    for kind in sorted(built_in(), key=lambda kind: kind.__module__):
        yield f"    from {kind.__module__} import {kind.__name__}"


def exports() -> Iterator[str]:
    """Yield the names of all measures as entries of ``__all__``."""
    yield from (f'    "{name}",' for name in sorted(kind.__name__ for kind in built_in()))


def table() -> Iterator[str]:
    """Yield the README's table: family, call of the measure, and what it says."""
    yield "| family | measure | says |"
    yield "| --- | --- | --- |"
    for kind in built_in():
        yield f"| {kind.family} | `{kind.example_call()}` | {summary(kind)} |"


def titles(language: str, against: str) -> str:
    """Write the titles of the measures that protect against a kind of disclosure."""
    found = [kind.words[language].title for kind in built_in() if kind.against == against]
    return {"en": ", ", "zh_TW": "、"}[language].join(found)


def disclosures(language: str) -> Iterator[str]:
    """Yield the table of kinds of disclosure, with the measures against each."""
    head = {"en": "| what an adversary finds out | called | measures |", "zh_TW": "| 攻擊者得知 | 稱為 | 指標 |"}
    told = {
        "en": {
            "identity": "*this row is Ms Lin* | identity disclosure",
            "attribute": "*Ms Lin has the flu*, even without knowing which row is hers | attribute disclosure",
            "membership": "*Ms Lin is in this table at all* | membership disclosure",
        },
        "zh_TW": {
            "identity": "**這一列是林小姐** | 身分揭露",
            "attribute": "**林小姐得了流感**，即使不知道哪一列是她 | 屬性揭露",
            "membership": "**林小姐在這份資料表中** | 成員揭露",
        },
    }
    yield head[language]
    yield "| --- | --- | --- |"
    yield from (f"| {text} | {titles(language, against)} |" for against, text in told[language].items())


def attribute_measures(language: str) -> Iterator[str]:
    """Yield a table of the measures against attribute disclosure: what each requires, and what it does not tell."""
    yield {"en": "| measure | asks that | does not tell |", "zh_TW": "| 指標 | 要求 | 未說明之處 |"}[language]
    yield "| --- | --- | --- |"
    for kind in built_in():
        if kind.against == "attribute":
            own = kind.words[language]
            asks = summary(kind) if own.page is None else own.page.summary
            yield f"| {own.title} | {asks.rstrip('.。')} | {own.steps['untold'].rstrip('.。')} |"


def glossary(first: str) -> Iterator[str]:
    """Yield the names of all measures, with their variants, in both languages."""
    second = {"en": "zh_TW", "zh_TW": "en"}[first]
    names = {"en": "English", "zh_TW": "繁體中文"}
    yield f"| {names[first]} | {names[second]} |"
    yield "| --- | --- |"
    for kind in built_in():
        yield f"| {_with_forms(kind, first)} | {_with_forms(kind, second)} |"


def _with_forms(kind: type[Measure], language: str) -> str:
    own = kind.words[language]
    colon, comma = {"en": (": ", ", "), "zh_TW": ("：", "、")}[language]
    choices = [one.words for one in find_parameters(kind).values() if one.kind == "word"]
    forms = [own.terms[word] for words in choices for word in words if word in own.terms]
    return own.title + (colon + comma.join(forms) if forms else "")


def summary(kind: type[Measure]) -> str:
    """Return the summary of a measure, from the first line of its page."""
    return (sys.modules[kind.__module__].__doc__ or "").splitlines()[0].partition(": ")[2].rstrip(".")


def parameters(*sections: type[Section], indent: int, without: Sequence[str] = ()) -> Iterator[str]:
    """Yield the settings of some sections as the parameters of a function."""
    for line in write_parameters(*sections, without=without):
        note = "  # noqa: ANN401" if ": Any" in line else ""
        yield " " * indent + line + note


RELEASE = partial(parameters, indent=8, without=("released",))
MADE = partial(parameters, InputFiles, RoleLists, RowPairing, Person, Search, Writing, Preparing, CellReading, indent=4)
LISTS: dict[tuple[str, str], Callable[[], Iterator[str]]] = {
    ("src/PETWorks/__init__.py", "measures, typed"): imports,
    ("src/PETWorks/__init__.py", "measures, exported"): exports,
    ("src/PETWorks/evaluation/release.py", "tables with roles"): partial(
        RELEASE, InputFiles, EarlierReleases, KeyFile, RoleLists
    ),
    ("src/PETWorks/evaluation/release.py", "reading of a release"): partial(
        RELEASE, RowPairing, Person, Preparing, CellReading, Reading, Engine
    ),
    ("src/PETWorks/anonymization/make.py", "settings of anonymize"): partial(
        MADE, Reading, Engine, without=("released", "original", "holdout", "key", "pairing", "synthetic")
    ),
    ("src/PETWorks/inspection/survey.py", "settings of inspect"): partial(parameters, Reading, Engine, indent=4),
    ("README.md", "measures"): table,
    ("docs/glossary.md", "measures"): partial(glossary, "en"),
    ("docs/glossary.zh-TW.md", "measures"): partial(glossary, "zh_TW"),
    ("docs/explanation/protection.md", "disclosures"): partial(disclosures, "en"),
    ("docs/explanation/protection.zh-TW.md", "disclosures"): partial(disclosures, "zh_TW"),
    ("docs/explanation/protection.md", "attributes"): partial(attribute_measures, "en"),
    ("docs/explanation/protection.zh-TW.md", "attributes"): partial(attribute_measures, "zh_TW"),
}


def updated(text: str, mark: str, lines: Iterator[str]) -> str:
    """Replace the lines between the begin mark and the end mark of a list."""
    begin, end = (rf"^[^\n]*{word}: {re.escape(mark)}\b" for word in ("begin", "end"))
    pattern = re.compile(rf"(?P<begin>{begin}[^\n]*\n).*?(?P<end>{end})", re.DOTALL | re.MULTILINE)
    if not pattern.search(text):
        raise SystemExit(f'there are no marks of the list "{mark}" in this file: begin and end are expected')
    return pattern.sub(lambda found: found["begin"] + "".join(f"{line}\n" for line in lines) + found["end"], text)


def main(*, check: bool) -> int:
    """Write the lists, or with `check` only print which are out of date."""
    outdated = []
    for (name, mark), lines in LISTS.items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        if (new := updated(text, mark, lines())) != text:
            outdated.append(f"{name}: {mark}")
            if not check:
                path.write_text(new, encoding="utf-8")
    for name, new in pointers(built_in()):
        path = ROOT / name
        if not path.is_file() or path.read_text(encoding="utf-8") != new:
            outdated.append(name)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(new, encoding="utf-8")
    for one in outdated:
        print(f"{one} {'is out of date: run make lists' if check else 'written'}")
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
