"""Short pages in docs/reference, for readers of a checkout: where to read what `make docs` writes from the code.

MkDocs replaces them by the pages themselves (docs/hooks.py). Without them, links to the reference would lead nowhere in
a checkout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PETWorks.measure.base import Measure

SUFFIXES = {"en": ".md", "zh_TW": ".zh-TW.md"}
BUILT = {
    "en": "This page is written from the code; `make docs` builds it in full.",
    "zh_TW": "本頁由程式碼產生；執行 `make docs` 可得完整內容。",
}
MEASURE = {
    "en": "`petworks measures {name}` prints it. The definition begins [the file of the measure]({file}).",
    "zh_TW": "`petworks measures {name} --lang zh_TW` 可印出內容。定義見[該指標的原始檔]({file})。",
}
PAGES = {
    "command-line": {
        "en": ("Command line", "`petworks --help` prints it, and for each command `petworks evaluate --help` …"),
        "zh_TW": ("命令列", "`petworks --help` 可印出內容；各命令則如 `petworks evaluate --help`。"),
    },
    "policy": {
        "en": (
            "Policy file",
            "`petworks check --help` shows one; the [tutorial](../tutorial.md) explains it.",
        ),
        "zh_TW": (
            "政策檔",
            "`petworks check --help` 附有範例；[教學](../tutorial.zh-TW.md)有說明。",
        ),
    },
    "python": {
        "en": (
            "Python",
            "`help(PETWorks)` prints it. It begins with [`Release`](../../src/PETWorks/evaluation/release.py).",
        ),
        "zh_TW": (
            "Python",
            "`help(PETWorks)` 可印出內容，由 [`Release`](../../src/PETWorks/evaluation/release.py) 開始。",
        ),
    },
    "json": {
        "en": ("JSON", "The schema is [here](../../src/PETWorks/render/evaluation.schema.json)."),
        "zh_TW": ("JSON", "結構描述見[此檔](../../src/PETWorks/render/evaluation.schema.json)。"),
    },
}
MEASURES = {"en": "Measures", "zh_TW": "指標"}


def pointers(kinds: Iterable[type[Measure]]) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every page, in both languages."""
    kinds = list(kinds)
    for language, suffix in SUFFIXES.items():
        for page, told in PAGES.items():
            title, where = told[language]
            yield f"docs/reference/{page}{suffix}", _page(title, BUILT[language], where)
        links = [f"- [{kind.words[language].title}](measures/{_slug(kind)}{suffix})" for kind in kinds]
        yield f"docs/reference/index{suffix}", _page(MEASURES[language], BUILT[language], "\n".join(links))
        for kind in kinds:
            file = f"../../../src/{kind.__module__.replace('.', '/')}.py"
            where = MEASURE[language].format(name=kind.__name__, file=file)
            text = _page(kind.words[language].title, BUILT[language], where)
            yield f"docs/reference/measures/{_slug(kind)}{suffix}", text


def _slug(kind: type[Measure]) -> str:
    return kind.__module__.rpartition(".")[2].replace("_", "-")


def _page(title: str, *paragraphs: str) -> str:
    return "\n\n".join([f"# {title}", *paragraphs]) + "\n"
