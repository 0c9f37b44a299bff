"""Write the lists of measures that must stand in files as text, from the measures themselves.

``python tools/lists.py`` writes them; with ``--check`` it only says which files are out of date, and fails if any is.
Everything else that lists measures reads the registry when it runs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PETWorks.measure.base import Measure
from PETWorks.measure.registry import FAMILIES, measures

ROOT = Path(__file__).parents[1]


def built_in() -> list[type[Measure]]:
    """Return the measures of this project: plug-ins that happen to be installed are not listed."""
    return [kind for kind in measures().values() if kind.__module__.rpartition(".")[0] in FAMILIES]


def imports() -> Iterator[str]:
    """Yield the imports by which type checkers and editors know every measure."""
    for kind in sorted(built_in(), key=lambda kind: kind.__module__):
        yield f"    from {kind.__module__} import {kind.__name__}"


def exports() -> Iterator[str]:
    """Yield the names of all measures as entries of ``__all__``."""
    yield from (f'    "{name}",' for name in sorted(kind.__name__ for kind in built_in()))


def table() -> Iterator[str]:
    """Yield the README's table: family, how a measure is made, and what it says."""
    yield "| family | measure | says |"
    yield "| --- | --- | --- |"
    for kind in built_in():
        summary = (sys.modules[kind.__module__].__doc__ or "").splitlines()[0].partition(": ")[2].rstrip(".")
        yield f"| {kind.family} | `{kind.example_call()}` | {summary} |"


LISTS: dict[tuple[str, str], Callable[[], Iterator[str]]] = {
    ("src/PETWorks/__init__.py", "measures, typed"): imports,
    ("src/PETWorks/__init__.py", "measures, exported"): exports,
    ("README.md", "measures"): table,
}


def updated(text: str, mark: str, lines: Iterator[str]) -> str:
    """Put lines between the marks that say where a list begins and ends."""
    begin, end = (rf"^[^\n]*{word}: {re.escape(mark)}\b" for word in ("begin", "end"))
    pattern = re.compile(rf"(?P<begin>{begin}[^\n]*\n).*?(?P<end>{end})", re.DOTALL | re.MULTILINE)
    if not pattern.search(text):
        raise SystemExit(f'there is no list "{mark}"')
    return pattern.sub(lambda found: found["begin"] + "".join(f"{line}\n" for line in lines) + found["end"], text)


def main(*, check: bool) -> int:
    """Write the lists, or only say which are out of date."""
    outdated = []
    for (name, mark), lines in LISTS.items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        if (new := updated(text, mark, lines())) != text:
            outdated.append(f"{name}: {mark}")
            if not check:
                path.write_text(new, encoding="utf-8")
    for one in outdated:
        print(f"{one} {'is out of date: run make lists' if check else 'written'}")
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main(check="--check" in sys.argv[1:]))
