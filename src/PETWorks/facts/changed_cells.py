"""What two editions tell of those who left or joined: cells of labels that can be set against each other.

Two released labels meet if they stand for a common value in every column. A cell is a connected component of the labels
of both editions under meeting, with edges between the editions only. Where every column has one level in each edition,
these are the labels lifted to the coarser of the two levels: a coarse class is set against the sum of fine ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from PETWorks.facts.editions import MAX_PAIRS, PersonLabels
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.tables.counting.persons import NOBODY
from PETWorks.tables.counting.tally import IntArray, Mask, Value, find_distinct, pack, rank_keys


@dataclass(frozen=True, eq=False)
class ChangedCells:
    """The cells of two editions, and by how many people and rows each differs."""

    rows: tuple[IntArray, IntArray]  # of each cell, in both editions
    gone: IntArray  # people of the first edition who are not in the cell of the second
    come: IntArray  # the reverse
    shown: tuple[int, int]  # of those who left, and of those who joined, whose value the difference shows
    nested: bool  # False: labels overlap in other ways than levels do, so equal labels were not compared

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.gone)

    @property
    def smallest(self) -> int | None:
        """The smallest number of people who left or joined a cell; None if nobody did."""
        both = np.concatenate([self.gone, self.come])
        return int(both[both > 0].min()) if (both > 0).any() else None

    def find_below(self, k: int) -> tuple[int, int, int]:
        """Return the cells that point at fewer than `k` people, these people, and the cells whose rows tell it."""
        left, joined = ((one > 0) & (one < k) for one in (self.gone, self.come))
        people = int(self.gone[left].sum() + self.come[joined].sum())
        net = np.abs(self.rows[0] - self.rows[1])
        return int((left | joined).sum()), people, int(((net > 0) & (net < k)).sum())


def find_changed_cells(first: PersonLabels, second: PersonLabels, target: str | None) -> ChangedCells | None:
    """Return what two editions tell; `target` is the sensitive attribute. None where comparing takes too long."""
    sides = (first, second)
    names = list(dict.fromkeys(name for one in sides for name in one.edition.roles.quasi_identifiers))
    kept = [np.flatnonzero(~one.is_suppressed_tuple) for one in sides]
    found = _find_components(sides, names, kept)
    if found is None:
        return None
    cell_of, cells, nested = found
    people, rows, pairs = [], [], []
    bound = max(int(one.row_person.max(initial=0)) for one in sides) + 1
    for one, kept_tuples, cell in zip(sides, kept, cell_of, strict=True):
        by_tuple = np.full(len(one.tuples.counts), NOBODY, dtype=np.int64)
        by_tuple[kept_tuples] = cell
        of_row = by_tuple[one.row_tuple]
        rows.append(of_row)
        named = (of_row != NOBODY) & (one.row_person != NOBODY)
        pairs.append(find_distinct(of_row[named] * bound + one.row_person[named]))
    counts = [
        np.bincount(of_row[of_row != NOBODY], weights=one.row_count[of_row != NOBODY], minlength=cells).astype(np.int64)
        for one, of_row in zip(sides, rows, strict=True)
    ]
    left, joined = (
        np.setdiff1d(pairs[0], pairs[1], assume_unique=True),
        np.setdiff1d(pairs[1], pairs[0], assume_unique=True),
    )
    people = [np.bincount(some // bound, minlength=cells) for some in (left, joined)]
    shown = (0, 0)
    if target is not None and all(target in one.row_values for one in sides):
        shown = _count_shown(sides, rows, (left, joined), target, cells, bound)
    return ChangedCells((counts[0], counts[1]), people[0], people[1], shown, nested)


def _count_shown(  # noqa: PLR0917 (what two editions have, side by side)
    sides: Sequence[PersonLabels],
    rows: Sequence[IntArray],
    moved: Sequence[IntArray],
    target: str,
    cells: int,
    bound: int,
) -> tuple[int, int]:
    """Return of how many who left, and who joined, the difference of the values shows the value."""
    kinds = max(int(one.row_values[target].max(initial=0)) for one in sides) + 1
    sums = []
    for one, of_row in zip(sides, rows, strict=True):
        inside = of_row != NOBODY
        keys = of_row[inside] * kinds + one.row_values[target][inside]
        sums.append(np.unique(keys, return_inverse=True))
        sums[-1] = (sums[-1][0], np.bincount(sums[-1][1], weights=one.row_count[inside]).astype(np.int64))
    keys = find_distinct(np.concatenate([sums[0][0], sums[1][0]]))
    change = np.zeros(len(keys), dtype=np.int64)
    change[np.searchsorted(keys, sums[0][0])] += sums[0][1]
    change[np.searchsorted(keys, sums[1][0])] -= sums[1][1]
    found = []
    for sign, one, of_row, some in zip((1, -1), sides, rows, moved, strict=True):
        more = keys[sign * change > 0]
        many = np.bincount(more // kinds, minlength=cells)
        only = np.full(cells, NOBODY, dtype=np.int64)
        only[more // kinds] = more % kinds
        only[many != 1] = NOBODY
        named = (of_row != NOBODY) & (one.row_person != NOBODY)
        pair = of_row[named] * bound + one.row_person[named]
        same = one.row_values[target][named] == only[of_row[named]]
        chosen = np.isin(pair, some)
        right, wrong = find_distinct(pair[chosen & same]), find_distinct(pair[chosen & ~same])
        found.append(len(np.setdiff1d(right, wrong, assume_unique=True)))
    return found[0], found[1]


def _find_components(
    sides: Sequence[PersonLabels], names: Sequence[str], kept: Sequence[IntArray]
) -> tuple[list[IntArray], int, bool] | None:
    """Return the cell of each kept combination of both editions, the number of cells, and whether they nest."""
    meets, nested = list[Mask](), True
    codes: list[list[IntArray]] = [[], []]
    groups: list[list[IntArray]] = [[], []]
    for name in names:
        values, places = [], []
        for one, some in zip(sides, kept, strict=True):
            column = one.tuples.columns.get(name)
            if column is None:  # this edition says nothing of the column: any value fits
                values.append([one.edition.tables.marker])
                places.append(np.zeros(len(some), dtype=np.int64))
            else:
                used, place = np.unique(column.codes[some], return_inverse=True)
                values.append([column.values[code] for code in used.tolist()])
                places.append(place)
        mask = _find_meeting(sides, name, values)
        here, complete = _group_values(mask)
        nested &= complete
        meets.append(mask)
        for side in (0, 1):
            codes[side].append(places[side])
            groups[side].append(here[side][places[side]])
    if nested:
        return *_group_tuples(groups), True
    if len(kept[0]) * len(kept[1]) > MAX_PAIRS:
        return None
    return *_search_components(meets, codes), False


def _find_meeting(sides: Sequence[PersonLabels], name: str, values: Sequence[Sequence[Value]]) -> Mask:
    """Return which values of a column in one edition stand for a common one with which of the other."""
    mask = np.zeros((len(values[0]), len(values[1])), dtype=bool)
    leaves = [
        [_find_leaves(one.edition.hierarchies.get(name) or _other_tree(sides, name), value) for value in some]
        for one, some in zip(sides, values, strict=True)
    ]
    holders: dict[Value, tuple[list[int], list[int]]] = {}
    for side in (0, 1):
        for place, some in enumerate(leaves[side]):
            for leaf in some:
                holders.setdefault(leaf, ([], []))[side].append(place)
    for here, there in holders.values():
        if here and there:
            mask[np.ix_(here, there)] = True
    for side in (0, 1):
        marked = np.array([value == sides[side].edition.tables.marker for value in values[side]], dtype=bool)
        mask |= marked[:, None] if side == 0 else marked[None, :]
    return mask


def _other_tree(sides: Sequence[PersonLabels], name: str) -> Hierarchy | None:
    return next((one.edition.hierarchies[name] for one in sides if name in one.edition.hierarchies), None)


def _find_leaves(tree: Hierarchy | None, value: Value) -> frozenset[Value]:
    """Return the values that a released one stands for: the leaves under it, on any level; itself if there are none."""
    if tree is None:
        return frozenset([value])
    levels = (tree.under(value, level) for level in range(1, tree.height + 1))
    return frozenset([*([value] if value in tree else []), *(leaf for one in levels for leaf in one)] or [value])


def _group_values(mask: Mask) -> tuple[tuple[IntArray, IntArray], bool]:
    """Return the component of each value of a column, and whether all values of a component meet."""
    here, there = _connect(mask)
    complete = bool((mask == (here[:, None] == there[None, :])).all())
    return (here, there), complete


def _connect(mask: Mask) -> tuple[IntArray, IntArray]:
    """Return the connected component of each row and column of a matrix of edges; numbers may have gaps."""
    rows, columns = np.nonzero(mask)
    return _spread_least(rows, columns, *mask.shape)


def _spread_least(rows: IntArray, columns: IntArray, many: int, more: int) -> tuple[IntArray, IntArray]:
    """Return the component of each node of a graph with edges between two sides: its least number."""
    here, there = np.arange(many), many + np.arange(more)
    while True:
        before = here.copy(), there.copy()
        np.minimum.at(there, columns, here[rows])
        np.minimum.at(here, rows, there[columns])
        root = np.concatenate([here, there])  # follow what was found, so that long chains end soon
        here, there = root[here], root[there]
        if (here == before[0]).all() and (there == before[1]).all():
            return here, there


def _group_tuples(groups: Sequence[Sequence[IntArray]]) -> tuple[list[IntArray], int]:
    """Return the cell of each combination; where only one edition has any, each is a cell of its own."""
    parting = len(groups[0][0]) if groups[0] else 0
    columns = [np.concatenate(both) for both in zip(*groups, strict=True)]
    sizes = [int(one.max(initial=0)) + 1 for one in columns]
    packed, _ = pack(columns, sizes)
    first, ids = rank_keys(packed, prod(sizes))
    both = np.isin(np.arange(len(first)), ids[:parting]) & np.isin(np.arange(len(first)), ids[parting:])
    alone = ~both[ids]
    cells = np.where(alone, len(first) + np.arange(len(ids)), ids)
    distinct, cells = np.unique(cells, return_inverse=True)
    return [cells[:parting], cells[parting:]], len(distinct)


def _search_components(meets: Sequence[Mask], codes: Sequence[Sequence[IntArray]]) -> tuple[list[IntArray], int]:
    """Return the cell of each combination, from all pairs of combinations that meet."""
    many, more = len(codes[0][0]), len(codes[1][0])
    here, there = np.arange(many), many + np.arange(more)
    edges: list[tuple[IntArray, IntArray]] = []
    for start, rows in _chunk(many, max(1, 2 * 10**7 // max(more, 1))):
        mask = np.ones((len(rows), more), dtype=bool)
        for meet, mine, yours in zip(meets, codes[0], codes[1], strict=True):
            mask &= meet[mine[rows]][:, yours]
        found, columns = np.nonzero(mask)
        edges.append((found + start, columns))
    rows, columns = (np.concatenate([one[side] for one in edges]) for side in (0, 1)) if edges else (here, there)
    here, there = _spread_least(rows, columns, many, more)
    distinct, cells = np.unique(np.concatenate([here, there]), return_inverse=True)
    return [cells[:many], cells[many:]], len(distinct)


def _chunk(many: int, step: int) -> Iterator[tuple[int, IntArray]]:
    for start in range(0, many, step):
        yield start, np.arange(start, min(start + step, many))
