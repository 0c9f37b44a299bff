"""A measure's own words in one language. Each measure's file has them in every language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Page(NamedTuple):
    """A measure's page in the docs; each line is a paragraph. The English page is the docstring of the module."""

    summary: str
    definition: str
    formula: str
    example: str
    reading: str


@dataclass(frozen=True)
class Words:
    """The templates of a measure in one language; figures replace what is in braces (see `render/fill.py`).

    `sentence` states a result in words, `measured` names its value ("smallest class"). `steps` has a template for each
    kind of step that only this measure has: "untold" is what the number does not tell, "improve" what would improve it.
    """

    title: str
    sentence: str
    measured: str = ""
    steps: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)  # names of the parts of a result that are not columns
    terms: Mapping[str, str] = field(default_factory=dict)  # translations of figures that are words, such as "ordered"
    short: Mapping[str, str] = field(default_factory=dict)  # shorter terms, for narrow columns
    notes: Mapping[str, str] = field(default_factory=dict)  # a sentence for each kind of note
    decided: str = ""  # what decided the value, for a narrow column; "": the deciding classes are named
    parameters: Mapping[str, str] = field(default_factory=dict)  # what each parameter means
    people: str = ""  # the sentence where people have several rows; "": the same
    page: Page | None = None
    reference: str = ""  # with remarks on it; "": that of the docstring, which has none to be translated
