"""Releases of the same people: the definitions by brute force over all people, in exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

MARKER = "*"
Label = tuple[Any, ...]


@dataclass(frozen=True)
class Edition:
    """The rows of an edition: who they are of (None: nobody), their labels, values, and true quasi-identifiers."""

    people: Sequence[str | None]
    labels: Sequence[Label]
    values: Sequence[Any]
    originals: Sequence[Label] | None = None

    def row_numbers(self, person: str | None) -> list[int]:
        return [row for row, one in enumerate(self.people) if one == person]

    def find_label(self, person: str) -> Label | None:
        """Return the labels of a person's one row; None for somebody who is not in it."""
        rows = self.row_numbers(person)
        return self.labels[rows[0]] if rows else None

    def candidates(self, label: Label) -> list[int]:
        return [row for row, one in enumerate(self.labels) if one == label]


def is_suppressed(label: Label) -> bool:
    return all(cell == MARKER for cell in label)


def find_sets(editions: Sequence[Edition]) -> set[tuple[int, ...]]:
    """Return every set of two or more editions that is all the editions of somebody."""
    people = {one for edition in editions for one in edition.people if one is not None}
    found = {tuple(e for e, one in enumerate(editions) if person in one.people) for person in people}
    return {one for one in found if len(one) > 1}


def find_shared(editions: Sequence[Edition]) -> list[str]:
    return sorted(
        {one for one in editions[0].people if one is not None and all(one in other.people for other in editions)}
    )


def measure(editions: Sequence[Edition], k: int) -> dict[str, Any]:
    """Return the figures of people who are in all of the editions, each with one row there."""
    shared = find_shared(editions)
    own = {person: tuple(one.find_label(person) for one in editions) for person in shared}
    judged = [person for person in shared if not all(is_suppressed(label) for label in own[person])]
    everybody = {one for edition in editions for one in edition.people if one is not None}
    sizes, unsure, left, kinds, certain, misled, distinct, sure = [], [], [], [], 0, 0, [], 0
    joined, independent = [], []
    for person in judged:
        labels = own[person]
        together = [other for other in shared if own[other] == labels]
        sizes.append(len(together))
        unsure.append(
            sum(
                all(edition.find_label(other) in (None, label) for edition, label in zip(editions, labels, strict=True))
                for other in everybody
            )
        )
        classes = [
            Counter(edition.values[row] for row in edition.candidates(label))
            for edition, label in zip(editions, labels, strict=True)
        ]
        common = set.intersection(*(set(one) for one in classes))
        left.append(sum(min(one[value] for one in classes) for value in common))
        kinds.append(len(common))
        values = [edition.values[edition.row_numbers(person)[0]] for edition in editions]
        certain += len(common) == 1 and all(value in common for value in values)
        misled += any(value not in common for value in values)
        newest = Counter(editions[-1].values[editions[-1].row_numbers(other)[0]] for other in together)
        distinct.append(len(newest))
        sure += len(newest) == 1
        joined.append(Fraction(max(newest.values()), len(together)))
        if common:
            weights = [prod(one[value] for one in classes) for value in common]
            independent.append(Fraction(max(weights), sum(weights)))
    return {
        "people": len(everybody),
        "in_all": len(shared),
        "judged": len(judged),
        "joint_size": min(sizes, default=None),
        "below_k": sum(one < k for one in sizes),
        "alone": sum(one == 1 for one in sizes),
        "unsure_size": min(unsure, default=None),
        "unsure_below_k": sum(one < k for one in unsure),
        "rows_left": min(left, default=None),
        "rows_left_below_k": sum(one < k for one in left),
        "values": min(kinds, default=None),
        "certain": certain,
        "misled": misled,
        "joint_distinct": min(distinct, default=None),
        "joint_certain": sure,
        "joint_alpha": max(joined, default=None),
        "independent_alpha": max(independent, default=None),
        "m_invariance": measure_invariance(editions),
    }


def measure_invariance(editions: Sequence[Edition]) -> int | None:
    """Return the smallest class if the editions are m-invariant, else 0; None if nothing is published."""
    smallest = []
    for edition in editions:
        for label in {one for one in edition.labels if not is_suppressed(one)}:
            values = [edition.values[row] for row in edition.candidates(label)]
            if len(set(values)) < len(values):
                return 0
            smallest.append(len(values))
    for person in find_shared(editions):
        labels = [one.find_label(person) or () for one in editions]
        if all(map(is_suppressed, labels)):
            continue
        sets = [{one.values[row] for row in one.candidates(label)} for one, label in zip(editions, labels, strict=True)]
        if any(map(is_suppressed, labels)) or any(one != sets[0] for one in sets):
            return 0
    return min(smallest, default=None)


def measure_compatible(editions: Sequence[Edition], k: int, trees: Any) -> dict[str, Any]:
    """Return the figures of who takes the rows that fit the true values; `trees` has each value's ancestors."""

    def fits(label: Label, true: Label) -> bool:
        return all(
            cell in (MARKER, own) or cell in trees[column].get(own, ())
            for column, (cell, own) in enumerate(zip(label, true, strict=True))
        )

    shared = find_shared(editions)
    own = {person: tuple(one.find_label(person) for one in editions) for person in shared}
    sizes, kinds = [], []
    for person in shared:
        if all(is_suppressed(label) for label in own[person]):
            continue
        true = [one.originals[one.row_numbers(person)[0]] for one in editions if one.originals is not None]
        sizes.append(sum(all(map(fits, own[other], true)) for other in shared))
        values = [
            {one.values[row] for row, label in enumerate(one.labels) if fits(label, x)}
            for one, x in zip(editions, true, strict=True)
        ]
        kinds.append(len(set.intersection(*values)))
    return {
        "compatible_size": min(sizes, default=None),
        "compatible_below_k": sum(one < k for one in sizes),
        "compatible_values": min(kinds, default=None),
    }


def find_cells(editions: Sequence[Edition], leaves: Any) -> Iterator[tuple[set[Label], set[Label]]]:
    """Yield the connected components of the labels of two editions; `leaves(column, cell)` are those it stands for."""
    sides = [{label for label in one.labels if not is_suppressed(label)} for one in editions]

    def meet(a: Label, b: Label) -> bool:
        return all(leaves(column, x) & leaves(column, y) for column, (x, y) in enumerate(zip(a, b, strict=True)))

    nodes = [(0, label) for label in sorted(sides[0], key=repr)] + [(1, label) for label in sorted(sides[1], key=repr)]
    todo = set(nodes)
    while todo:
        component, edge = set(), [todo.pop()]
        while edge:
            node = edge.pop()
            component.add(node)
            near = {one for one in todo if one[0] != node[0] and meet(one[1], node[1])}
            todo -= near
            edge += near
        yield {label for e, label in component if e == 0}, {label for e, label in component if e == 1}


def difference(editions: Sequence[Edition], k: int, leaves: Any) -> dict[str, Any]:
    """Return what two editions tell of those who left or joined, cell by cell."""
    found: Counter[str] = Counter()
    changes = []
    for cells in find_cells(editions, leaves):
        rows = [
            [row for row, label in enumerate(one.labels) if label in cell]
            for one, cell in zip(editions, cells, strict=True)
        ]
        a, b = ({one.people[row] for row in some} - {None} for one, some in zip(editions, rows, strict=True))
        counts = [Counter(one.values[row] for row in some) for one, some in zip(editions, rows, strict=True)]
        gone, come = a - b, b - a
        changes += [len(one) for one in (gone, come) if one]
        found["cells"] += 1
        pointed = [one for one in (gone, come) if 0 < len(one) < k]
        found["cells_pointed"] += bool(pointed)
        found["people_pointed"] += sum(map(len, pointed))
        found["cells_net"] += 0 < abs(len(rows[0]) - len(rows[1])) < k
        for name, some, e, more in (
            ("left_shown", gone, 0, counts[0] - counts[1]),
            ("joined_shown", come, 1, counts[1] - counts[0]),
        ):
            own = [{editions[e].values[row] for row in rows[e] if editions[e].people[row] == one} for one in some]
            found[name] += sum(values == set(more) for values in own) if len(more) == 1 else 0
    names = ("cells", "cells_pointed", "people_pointed", "cells_net", "left_shown", "joined_shown")
    return {"smallest_change": min(changes, default=None), **{name: found[name] for name in names}}


def measure_several(editions: Sequence[Edition], k: int, known: str) -> dict[str, Any]:
    """Return the joint size of people with several rows: who knows one record of each edition, or all of them."""
    shared = find_shared(editions)
    sizes = []
    for person in shared:
        if known == "all":
            history = [_history(one, person) for one in editions]
            if all(not one for one in history):
                continue
            sizes.append(sum([_history(one, other) for one in editions] == history for other in shared))
            continue
        rows = [{one.labels[row] for row in one.row_numbers(person)} for one in editions]
        choices = [one for one in product(*rows) if not all(is_suppressed(label) for label in one)]
        if choices:
            sizes.append(
                min(
                    sum(
                        all(
                            label in {one.labels[row] for row in one.row_numbers(other)}
                            for one, label in zip(editions, labels, strict=True)
                        )
                        for other in shared
                    )
                    for labels in choices
                )
            )
    return {"joint_size": min(sizes, default=None), "below_k": sum(one < k for one in sizes)}


def _history(edition: Edition, person: str) -> list[Label]:
    labels = [edition.labels[row] for row in edition.row_numbers(person)]
    return sorted((label for label in labels if not is_suppressed(label)), key=repr)
