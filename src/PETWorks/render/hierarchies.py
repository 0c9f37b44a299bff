"""Hierarchies as text: what was suggested, and how complete one is. Values of fewer than five people are not named."""

from __future__ import annotations

from collections.abc import Iterator

from PETWorks.errors import MANY
from PETWorks.explain.step import Cell, Name
from PETWorks.facts.bands import Band
from PETWorks.hierarchies.coverage import Coverage
from PETWorks.hierarchies.suggestion import Suggestion
from PETWorks.render.fill import fill
from PETWorks.render.text import display_width, indented, padded
from PETWorks.render.words import words
from PETWorks.render.words.vocabulary import Vocabulary

LISTED = 10  # the most values that are named


def suggestion_text(suggestion: Suggestion, language: str = "en") -> str:
    """Write what was found in a column, and what is suggested."""
    word = words(language)
    terms = {term: word.hierarchies[f"level_{term}"] for term in suggestion.figures.get("levels", ())}
    figures = dict(suggestion.figures) | {"levels": [*terms.values()]}
    figures |= {"column": Name(suggestion.name), "values": suggestion.values}
    text = fill(word.hierarchies[f"suggest_{suggestion.kind}"], figures, word)
    asked = word.hierarchies.get(f"question_{suggestion.kind}", word.hierarchies["question"])
    return "\n".join(indented(text + (word.gap + asked if suggestion.question else ""), 2))[2:]


def coverage_text(coverage: Coverage, language: str = "en") -> str:
    """Write which values are not covered, and how large the groups of each level are."""
    return "\n".join([*_lacking(coverage, words(language)), "", *_levels(coverage, words(language))])


def _lacking(coverage: Coverage, word: Vocabulary) -> Iterator[str]:
    said = word.hierarchies
    figures = {"column": Name(coverage.name), "values": coverage.values, "people": coverage.people}
    figures |= {"lacking": len(coverage.lacking), "lacking_people": coverage.lacking_people}
    yield from indented(fill(said["covered" if coverage.complete else "not_covered"], figures, word), 0)
    common = list(coverage.common.items())
    for value, people in common[:LISTED]:
        yield from indented(fill(said["lacks"], {"value": Cell(value), "people": people}, word), 2)
    if rest := common[LISTED:]:
        figures = {"values": len(rest), "people": sum(people for _, people in rest)}
        yield from indented(fill(said["lacks_more"], figures, word), 2)
    if few := len(coverage.lacking) - len(common):
        figures = {"values": few, "people": coverage.lacking_people - sum(count for _, count in common)}
        yield from indented(fill(said["lacks_few"], figures, word), 2)


def _levels(coverage: Coverage, word: Vocabulary) -> Iterator[str]:
    said = word.hierarchies
    rows = [(said["level"], said["groups"], said["smallest"])]
    for one in reversed(coverage.levels):
        smallest = fill("{size}", {"size": Band(0, MANY - 1) if one.smallest < MANY else one.smallest}, word)
        rows.append((str(one.level), fill("{groups}", {"groups": one.groups}, word), smallest))
    widths = [max(display_width(row[place]) for row in rows) for place in range(2)]
    for level, groups, smallest in rows:
        yield f"  {padded(level, widths[0])}  {padded(groups, widths[1])}  {smallest}"
