"""What rooms pass to each other never changes; what holds arrays, which have no one equality, compares by identity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import getmembers
from pkgutil import walk_packages

import pytest

import PETWorks

ROOMS = ("exact", "counting", "facts", "formulas", "explain", "measure", "privacy", "risk", "utility", "answer")


def kinds() -> Iterator[type]:
    for room in ROOMS:
        for found in walk_packages([f"{PETWorks.__path__[0]}/{room}"], f"PETWorks.{room}."):
            members = getmembers(import_module(found.name), is_dataclass)
            yield from (kind for _, kind in members if isinstance(kind, type) and kind.__module__ == found.name)


def holds_arrays(kind: type) -> bool:
    return any("Array" in str(field.type) or "Mask" in str(field.type) for field in fields(kind))


@pytest.mark.parametrize("kind", [*kinds()], ids=lambda kind: kind.__name__)
def test_values(kind):
    assert kind.__dataclass_params__.frozen
    assert not holds_arrays(kind) or kind.__eq__ is object.__eq__
