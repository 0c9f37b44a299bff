"""A measure's own words in one language. They stand in the measure's file, in every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Page(NamedTuple):
    """A measure's page in the docs; paragraphs are lines. In English, it is the docstring of the measure's module."""

    summary: str
    definition: str
    formula: str
    example: str
    reading: str


@dataclass(frozen=True)
class Words:
    """What a measure says in one language; braces are filled with figures (see `render/fill.py`).

    `sentence` reads a result out, `measured` names its value ("smallest class"). `steps` has a template for each kind
    of step that is the measure's own; "untold" says what the number does not tell, "improve" what would improve it.
    """

    title: str
    sentence: str
    measured: str = ""
    steps: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)  # names of the parts of a result that are not columns
    terms: Mapping[str, str] = field(default_factory=dict)  # figures that are words, such as "ordered"
    short: Mapping[str, str] = field(default_factory=dict)  # shorter terms, for narrow columns
    notes: Mapping[str, str] = field(default_factory=dict)  # a sentence for each kind of note
    decided: str = ""  # what decided the value, for a narrow column; "": the classes that did
    parameters: Mapping[str, str] = field(default_factory=dict)  # what each parameter means
    page: Page | None = None
