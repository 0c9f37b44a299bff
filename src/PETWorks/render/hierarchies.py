"""Hierarchies as text: what was suggested, and how complete one is. Values of fewer than five people are not named."""

from __future__ import annotations

from collections.abc import Iterator

from PETWorks.counting.tally import cell_text
from PETWorks.errors import MANY
from PETWorks.explain.step import Cell, Name
from PETWorks.facts.bands import Band
from PETWorks.hierarchies.coverage import Coverage
from PETWorks.hierarchies.suggestion import Suggestion
from PETWorks.render.fill import fill
from PETWorks.render.words import words
from PETWorks.render.words.vocabulary import Vocabulary
from PETWorks.render.wrapping import WIDTH, display_width, folded, indented, padded

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
    """Write a line for each level; only groups of five people or more are named, as far as the line is wide."""
    said = word.hierarchies
    rows = [[said["level"], said["groups"], said["smallest"], said["largest"]]]
    for one in reversed(coverage.levels):
        smallest = Band(0, MANY - 1) if one.smallest < MANY else one.smallest
        named = [Cell(cell_text(value)) for value, people in one.largest.items() if people >= MANY]
        figures = (one.level, one.groups, smallest, named)
        rows.append([fill("{figure}", {"figure": figure}, word) for figure in figures[:3]])
        rows[-1].append(fill("{cells}", {"cells": named}, word) if named else "")
    widths = [max(display_width(row[place]) for row in rows) for place in range(3)]
    for row in rows:
        *cells, last = row
        line = "  " + "  ".join(padded(cell, width) for cell, width in zip(cells, widths, strict=True))
        first, *rest = folded(last, WIDTH - display_width(line) - 2)
        yield f"{line}  {first}{'…' if rest else ''}".rstrip()
