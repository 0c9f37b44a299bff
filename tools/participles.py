"""Print functions of the package that are named by a participle or an auxiliary, and classes that share a name.

``python tools/participles.py`` prints each with its place. A function is named by a verb in the base form; a participle
is the name of a value, such as a property. ``tests/laws/test_names.py`` counts both.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "PETWorks"

PARTICIPLES = (  # without an ending that tells
    "been begun born bought broken brought built caught chosen come dealt done drawn driven fallen felt forbidden "
    "forgiven forgotten found given gone grown heard held hidden kept known laid learnt led left lent lost made "
    "meant met mistaken paid proven risen said seen sent shown shrunk sold sought spent spoken spun stood struck "
    "stuck swept taken taught thought thrown told torn understood withheld won worn woven written"
)
AUXILIARIES = (
    "am are be can cannot could did does had has have having is may might must ought shall should was were will would"
)
IRREGULAR = {*PARTICIPLES.split(), *AUXILIARIES.split()}
EXCEPTIONS = {
    "ceiling": "the mathematical function",
    "embed": "base form",
    "exceed": "base form",
    "feed": "base form",
    "need": "base form",
    "proceed": "base form",
    "seed": "base form",
    "string": "a noun",
    "succeed": "base form",
}
PROPERTIES = frozenset(("property", "cached_property", "kept", "cached", "setter"))  # the last words of decorators


@dataclass(frozen=True, order=True)
class Place:
    """Where a name is defined."""

    file: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}"


def is_participle(name: str) -> bool:
    """Return True if the whole name of a function is a participle or an auxiliary."""
    word = name.strip("_")
    if "_" in word or word in EXCEPTIONS:
        return False
    stem = word.removeprefix("un").removeprefix("re")
    return word.endswith(("ed", "ing")) or not IRREGULAR.isdisjoint((word, stem))


def find_participles() -> list[Place]:
    """Find the functions, not the properties, that are named by a participle or an auxiliary."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return sorted(
        Place(file, node.lineno, node.name)
        for file, node in _nodes()
        if isinstance(node, functions) and is_participle(node.name) and not _is_property(node)
    )


def find_equal_classes() -> dict[str, list[Place]]:
    """Find the classes that share a name, by name."""
    classes = defaultdict(list)
    for file, node in _nodes():
        if isinstance(node, ast.ClassDef):
            classes[node.name].append(Place(file, node.lineno, node.name))
    return {name: sorted(places) for name, places in sorted(classes.items()) if len(places) > 1}


def _is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(one).rpartition(".")[2] in PROPERTIES for one in function.decorator_list)


@cache
def _nodes() -> tuple[tuple[str, ast.AST], ...]:
    return tuple(_read_nodes())


def _read_nodes() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield str(path.relative_to(ROOT)), node


def main() -> None:
    """Print all places, and how many there are."""
    places = find_participles()
    print(*places, f"{len(places)} functions named by a participle or an auxiliary", "", sep="\n")
    classes = find_equal_classes()
    for name, homes in classes.items():
        print(name, *(f"  {home.file}:{home.line}" for home in homes), sep="\n")
    print(f"{len(classes)} names that several classes share")


if __name__ == "__main__":
    main()
