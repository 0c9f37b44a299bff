"""What a language must have words for. A measure's own sentences stand in its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The words of one language; braces are filled with figures."""

    colon: str
    comma: str
    separator: str  # of the entries of a list
    missing: str  # a cell without a value
    band: str  # a range of counts
    band_below: str  # the range of the smallest counts
    gap: str  # between sentences
    untold: str  # a value that must not be told
    withheld: str  # the values of a small class
    lift: str  # a column generalised to a level
    complete_lift: str  # a column generalised completely
    leads: Mapping[str, str]  # what a kind of step opens with
    steps: Mapping[str, str]
    page: Mapping[str, str]
    app: Mapping[str, str]  # the application
    command: Mapping[str, str]
    making: Mapping[str, str]  # how a release was made
    inspection: Mapping[str, str]  # what was found in a raw table
    hierarchies: Mapping[str, str]
    templates: Mapping[str, str]  # what each template is for
    brackets: str
    holds: str
    fails: str
    higher: str
    lower: str
    sides: Mapping[str, str]
    scope: str
    failing: str
    worst: str
    one_class: str
    skipped: str
    more: str
    hopeless: str
    notes: Mapping[str, str]
    terms: Mapping[str, str] = field(default_factory=dict)  # this and the two below: of one measure
    short: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
