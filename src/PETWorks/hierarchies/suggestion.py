"""Suggested hierarchies: for each column the rule that its values call for, with the reason.

Nothing is applied: rules are offered, and what is not clear is a question. The same values always get the same
suggestion.

>>> found = suggest_hierarchies({"age": [str(number) for number in range(17, 91)] * 5})
>>> print(found["age"])
age: 74 different numbers: intervals of 5, 10, 20.
>>> found["age"].rule
Intervals(name='age', widths=(5, 10, 20), bottom=0, top=100, origin=None)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from PETWorks.hierarchies.counts import counts_of
from PETWorks.hierarchies.guesses import GUESSES
from PETWorks.hierarchies.hierarchy import TOP
from PETWorks.hierarchies.rule import Rule
from PETWorks.presentation import Language, presenter
from PETWorks.sources import open_source


@dataclass(frozen=True)
class Suggestion:
    """A rule for a column, and why. Without a rule, values are kept or suppressed.

    If `question` is True, somebody who knows the data must decide whether the rule fits, or group values by hand.
    """

    name: str
    kind: str  # what was found: dates, dates_roc, places, codes, numbers, ordinal, few, different, words
    rule: Rule | None
    question: bool
    values: int
    figures: Mapping[str, Any] = field(default_factory=dict)

    def text(self, language: Language = "en") -> str:
        """Write what was found and what is suggested, without any value of the table."""
        return presenter().suggestion_text(self, language)

    def __str__(self) -> str:
        """Write it in English."""
        return self.text()


class Suggestions(Mapping[str, Suggestion]):
    """Suggestions by column."""

    def __init__(self, found: Iterable[Suggestion]) -> None:
        self._found = {one.name: one for one in found}

    def __getitem__(self, name: str) -> Suggestion:
        """Return the suggestion for a column."""
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the columns."""
        return iter(self._found)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._found)

    @property
    def rules(self) -> list[Rule]:
        """The rules that are no question, to be passed as hierarchies."""
        return [one.rule for one in self.values() if one.rule and not one.question]

    def text(self, language: Language = "en") -> str:
        """Write a line for each column."""
        return "\n".join(one.text(language) for one in self.values())

    def __str__(self) -> str:
        """Write it in English."""
        return self.text()


def suggest_hierarchies(
    table: Any,  # noqa: ANN401 (any kind of table)
    *,
    quasi_identifiers: Iterable[str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Suggestions:
    """Suggest a hierarchy for each quasi-identifier of a table, by default for every column, with the reason."""
    source = open_source(table, "table", delimiter, encoding)
    names = list(source.columns if quasi_identifiers is None else quasi_identifiers)
    source.require(names, "of which a hierarchy is suggested")
    return Suggestions(suggest(name, counts) for name, counts in counts_of(source, names).items())


def suggest(name: str, counts: Mapping[str | None, int]) -> Suggestion:
    """Suggest a hierarchy for the values of a column, with their counts."""
    known = {value: count for value, count in counts.items() if value is not None and value != TOP}
    guesses = (guess(name, known) for guess in (GUESSES if known else GUESSES[-1:]))
    found = next(one for one in guesses if one)
    return Suggestion(name, found.kind, found.rule, found.question, len(known), found.figures)
