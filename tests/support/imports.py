"""Which module of the package imports which, as its text says."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

from support.places import ROOT

PACKAGE = "PETWorks"


@cache
def read_imports() -> Mapping[str, frozenset[str]]:
    """Return what each module imports: names of modules, and of what is imported from them; without the package."""
    files = sorted((ROOT / "src" / PACKAGE).rglob("*.py"))
    assert len(files) > 150
    found = {}
    for file in files:
        parts = file.relative_to(ROOT / "src" / PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = frozenset(_list_names(ast.parse(file.read_text(encoding="utf-8"))))
    return found


def _list_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names of modules, and of what is imported from them; other packages have a leading dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (_shorten(one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield _shorten(node.module)
            yield from (_shorten(f"{node.module}.{one.name}") for one in node.names)


def _shorten(name: str) -> str:
    return name.removeprefix(f"{PACKAGE}.") if name.startswith(f"{PACKAGE}.") else f".{name}"


def find_importers() -> Mapping[str, set[str]]:
    """Return the modules that import each module; the package, which lists public names, does not count."""
    importers = defaultdict(set)
    for module, names in read_imports().items():
        for name in names & read_imports().keys():
            if module and name != module:
                importers[name].add(module)
    return importers


def is_below(name: str, *rooms: str) -> bool:
    """Return True if a name is one of some rooms or modules, or stands below one."""
    return any(name == room or name.startswith(f"{room}.") for room in rooms)
