"""The people whom each column singles out: those in classes of fewer than five because of it.

Also finds columns that are published unchanged although their values look like identifiers. No measure can find this
mistake, since requirements judge only the quasi-identifiers and sensitive attributes.

>>> from PETWorks.inspection.survey import survey
>>> names = [f"{letter}{digit}" for letter in "ABCDE" for digit in range(10, 20)]
>>> found = survey({"sex": ["M", "F"] * 25, "code": names, "pay": ["30.5", "41.5"] * 25}).inspection
>>> find_published_identifiers(found, {"sex": Role.QUASI_IDENTIFIER, "code": Role.INSENSITIVE_ATTRIBUTE}, None)
('code',)
>>> find_published_identifiers(found, {"sex": Role.QUASI_IDENTIFIER, "code": Role.IDENTIFIER}, None)
()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

import numpy as np

from PETWorks.facts.notes import Name, Note
from PETWorks.facts.roles import Role
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.inspection.inspection import InspectedColumn
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import Coded, IntArray, Tally, pack, sum_by_key


@dataclass(frozen=True)
class SingledOut:
    """The sizes of classes, and by column how many people are in classes of fewer than five because of it."""

    histogram: Mapping[int, int]  # how many classes there are of each size
    adds: Mapping[str, int]

    def count_people(self, least: int, most: int | None = None) -> int:
        """Return how many people are in classes of these sizes."""
        return sum(size * times for size, times in self.histogram.items() if least <= size <= (most or size))

    @property
    def small(self) -> int:
        """The number of people in classes of fewer than five."""
        return self.count_people(1, THRESHOLD - 1)

    @property
    def alone(self) -> int:
        """The number of people who are alone in their class."""
        return self.histogram.get(1, 0)


def count_in_small_classes(sizes: IntArray) -> int:
    """Return how many people are in classes of fewer than five."""
    return int(sizes[sizes < THRESHOLD].sum())


def count_singled_out(tally: Tally, quasi_identifiers: Sequence[str], of: Iterable[str] | None = None) -> SingledOut:
    """Return the sizes of the classes of some columns, and how many people each column (or each of `of`) adds."""
    sizes = tally.count_by(quasi_identifiers) if quasi_identifiers else np.array([tally.rows])
    different, times = np.unique(sizes, return_counts=True)
    histogram = dict(zip(different.tolist(), times.tolist(), strict=True))
    return SingledOut(histogram, count_added(tally, quasi_identifiers, of))


def count_added(tally: Tally, quasi_identifiers: Sequence[str], of: Iterable[str] | None = None) -> Mapping[str, int]:
    """Return, for each column, how many people are in classes of fewer than five because of it.

    For a quasi-identifier: how many fewer there would be without it. For another column: how many more there would be
    if it were known, too. With `of`, only some columns are counted.
    """
    asked = [str(name) for name in tally.columns] if of is None else [name for name in of if name in tally.columns]
    if not quasi_identifiers:
        return {name: count_in_small_classes(tally.count_by([name])) for name in asked}
    of_entry, classes = tally.group(quasi_identifiers)
    small = count_in_small_classes(classes.counts)
    large = (classes.counts >= THRESHOLD)[of_entry]  # classes that are small stay small
    ids, counts = of_entry[large], tally.counts[large]
    found = {}
    for name in asked:
        if name in quasi_identifiers:
            found[name] = small - _count_without(classes, name, quasi_identifiers)
            continue
        column = tally.columns[name]
        sizes = [len(classes.counts), len(column.values)]
        packed, _ = pack([ids, column.codes[large]], sizes)
        found[name] = count_in_small_classes(sum_by_key(packed, counts, sizes[0] * sizes[1])[1]) if len(packed) else 0
    return found


def _count_without(classes: Tally, name: str, quasi_identifiers: Sequence[str]) -> int:
    others = [other for other in quasi_identifiers if other != name]
    return count_in_small_classes(classes.count_by(others) if others else np.array([classes.rows]))


def count_small_by_level(tally: Tally, hierarchy: Hierarchy, quasi_identifiers: Sequence[str]) -> list[int]:
    """Return, for each level of a column, how many people are in classes of fewer than five; other columns stay.

    A value that the hierarchy lacks is fully generalised on every level above 0, as in evaluations.
    """
    classes, name = tally.select(quasi_identifiers), hierarchy.name
    column = classes.columns[name]
    known = hierarchy.complete(column.values)
    leaves = dict(zip(known.leaves, count()))
    places = np.array([leaves.get(value, -1) for value in column.values], dtype=np.int64)
    found = [count_in_small_classes(classes.counts)]
    for one in known.levels[1:]:
        code = one.code(known.top)
        unknown = len(one.values) if code < 0 else code
        lifted = Coded(np.where(places < 0, unknown, one.codes[places])[column.codes], [*one.values, known.top])
        sizes = Tally({**classes.columns, name: lifted}, classes.counts).count_by(quasi_identifiers)
        found.append(count_in_small_classes(sizes))
    return found


def find_equivalent(tally: Tally) -> list[tuple[str, str]]:
    """Return the pairs of columns with the same information: each value of one occurs with a single value of the other.

    If several columns are equivalent, each is paired with the first of them.
    """
    first, pairs = dict[bytes, str](), list[tuple[str, str]]()
    for name, column in ((str(key), column) for key, column in tally.columns.items() if len(column.values) > 1):
        other = first.setdefault(sha256(_code_by_appearance(column).tobytes()).digest(), name)
        if other != name:
            pairs.append((other, name))
    return pairs


def _code_by_appearance(column: Coded) -> IntArray:
    """Return codes that number values in the order of their first appearance; equivalent columns have equal codes."""
    codes = column.codes[::-1]
    appears = np.full(len(column.values), len(codes), dtype=np.int64)
    appears[codes] = np.arange(len(codes))[::-1]  # the last assignment to an index stays: that of the first entry
    rank = np.empty_like(appears)
    rank[np.argsort(appears, kind="stable")] = np.arange(len(appears))
    return rank[column.codes]


DIFFERENT = ("all_different", "different")  # reasons that mean only that values differ


def find_published_identifiers(
    columns: Iterable[InspectedColumn], roles: Mapping[str, Role], weight: str | None
) -> tuple[str, ...]:
    """Return the columns that look like identifiers although their role leaves every cell unchanged.

    Sampling weights may all differ, and are not identifiers.
    """
    return tuple(one.name for one in columns if one.name != weight and _is_published(one, roles.get(one.name)))


def build_published_note(columns: Sequence[str]) -> Note:
    """Build the warning about published identifiers, with which every output begins."""
    return Note("publishes_identifier", {"columns": [Name(one) for one in columns]}, warning=True, leading=True)


def _is_published(column: InspectedColumn, role: Role | None) -> bool:
    """Return True if a column is published, and looks like an identifier.

    Sensitive values may all differ, as amounts do: of these, only a form or a name indicates an identifier.
    """
    if column.role is not Role.IDENTIFIER:
        return False
    if role is Role.SENSITIVE_ATTRIBUTE:
        return column.reasons[0].kind not in (*DIFFERENT, "person_per_value")
    return role is Role.INSENSITIVE_ATTRIBUTE
