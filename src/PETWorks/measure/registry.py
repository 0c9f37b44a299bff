"""The registry of all measures: those in the three family packages, and those of installed plug-ins.

Measures are found by searching these packages, not from a list. A plug-in names its module or package in the
entry-point group ``petworks.measures``, and its modules are searched in the same way.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.measure.base import Measure

FAMILIES = ("PETWorks.measure.privacy", "PETWorks.measure.risk", "PETWorks.measure.utility")
PLUGINS = "petworks.measures"


@lru_cache
def measures() -> Mapping[str, type[Measure]]:
    """Return every measure by its name, sorted by family and name."""
    places = [*FAMILIES, *(entry.value for entry in entry_points(group=PLUGINS))]
    found = {kind for place in places for module in _find_modules(place) for kind in _find_measures(module)}
    return {kind.name: kind for kind in sorted(found, key=lambda kind: (kind.family, kind.name.casefold()))}


def find(name: str) -> type[Measure]:
    """Return a measure by its name or by the name of its class; ignore case."""
    for kind in measures().values():
        if kind.is_called(name):
            return kind
    raise UnknownNameError(f'there is no measure "{name}"', hint=did_you_mean(name, measures()))


def _find_modules(place: str) -> Iterator[ModuleType]:
    package = import_module(place)
    yield package
    for module in pkgutil.iter_modules(getattr(package, "__path__", [])):
        yield import_module(f"{place}.{module.name}")


def _find_measures(module: ModuleType) -> Iterator[type[Measure]]:
    for _, kind in inspect.getmembers(module, inspect.isclass):
        if issubclass(kind, Measure) and kind.__module__ == module.__name__ and not inspect.isabstract(kind):
            yield kind
