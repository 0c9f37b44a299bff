"""Places of Taiwan among the values of a column.

>>> kind_of_place("台北市"), kind_of_place("東區"), kind_of_place("花蓮縣秀林鄉富世村"), kind_of_place("東京")
('county', 'township', 'township', None)
"""

from __future__ import annotations

from collections import Counter
from functools import cache

from PETWorks.hierarchies.places import known_places, read_place
from PETWorks.inspection.values import Values

MOST = 0.8  # the share of people whose values must be places
MANY = 10_000  # a column with more different values has addresses, not places


def place_form(values: Values) -> tuple[str, float] | None:
    """Return what most values are, counties or townships, and the share of people who have one; None if neither."""
    if not 0 < len(values.texts) <= MANY:
        return None
    people = Counter[str]()
    for text, count in zip(values.texts, values.counts.tolist(), strict=True):
        if kind := kind_of_place(text):
            people[kind] += count
    share = people.total() / values.people
    return (people.most_common(1)[0][0], share) if share >= MOST else None


def kind_of_place(text: str) -> str | None:
    """Return "county" or "township"; None for a text that names no place, or begins with none."""
    if place := read_place(text):
        return "township" if place.district else "county"
    return "township" if text.replace("台", "臺") in _townships() else None


@cache
def _townships() -> frozenset[str]:
    """Return the names of townships and districts, also those that several counties have."""
    return frozenset(place.district for place in known_places()[1].values())
