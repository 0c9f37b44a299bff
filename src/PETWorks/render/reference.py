"""The publications that a measure comes from."""

from __future__ import annotations

import inspect

from PETWorks.measure.base import Measure


def reference(measure: Measure | type[Measure], language: str = "en") -> str:
    """Return the reference of a measure; titles of publications are not translated."""
    if translated := measure.words[language].reference:
        return translated
    text = inspect.getdoc(inspect.getmodule(measure if isinstance(measure, type) else type(measure))) or ""
    return " ".join(text.partition("\nReference\n")[2].split())
