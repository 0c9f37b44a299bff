"""Arrange a hierarchy for a drawing: groups side by side on each level, as wide as their people, below their parents.

>>> from PETWorks.hierarchies.hierarchy import Hierarchy
>>> year = Hierarchy("year", [("1977", "197*", "*"), ("1983", "198*", "*"), ("1988", "198*", "*")])
>>> for level in reversed(arrange_spans(year, {"1977": 6, "1983": 2, "1988": 9})):
...     print([(one.value, one.start, one.people) for one in level])
[('*', 0, 17)]
[('197*', 0, 6), ('198*', 6, 11)]
[('1977', 0, 6), ('1988', 6, 9), (None, 15, 2)]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.hierarchies.number_rules import read_units
from PETWorks.hierarchies.values import Counts, count_people_by_group
from PETWorks.shown import THRESHOLD
from PETWorks.tables.counting.tally import IntArray, Mask, Value, cell_text, sum_by_group

MAX_GROUPS = 60  # groups of a level that are drawn by themselves at most


class Span(NamedTuple):
    """A group on a level; or several small groups that are drawn as one, without a name."""

    value: str | None  # None: not named
    start: int  # people to the left of it
    people: int
    groups: int = 1


def arrange_spans(
    hierarchy: Hierarchy, counts: Counts, order: Sequence[str] | None = None, least: int = THRESHOLD
) -> list[list[Span]]:
    """Return the drawn groups on each level, from level 0 on; values that the table lacks are left out.

    Numbers are in numeric order, other values in the order of `order` or of their text. Within each parent, groups of
    fewer than `least` people are merged into one unnamed group at the end, and so are all but the widest groups of a
    level. If people have several rows, a person with two values is counted for each, so that groups stay within their
    parents.
    """
    known = hierarchy.complete(counts)
    people = np.array([counts.get(leaf, 0) for leaf in known.leaves], dtype=np.int64)
    if not (present := people > 0).any():
        return [[] for _ in known.levels]
    ranks = _rank_leaves(
        [leaf for leaf, is_there in zip(known.leaves, present.tolist(), strict=True) if is_there], order
    )
    codes = [one.codes[present] for one in known.levels]
    sizes = [sum_by_group(one.codes, people, len(one.values)) for one in known.levels]
    told = [count_people_by_group(counts, known.leaves, one.codes, len(one.values)) for one in known.levels]
    pooled = [_find_pooled(each, people_of, least) for each, people_of in zip(sizes, told, strict=True)]
    keys = [ranks]
    for level, each in enumerate(codes):
        first = np.full(len(sizes[level]), len(ranks))
        np.minimum.at(first, each, ranks)
        keys.append(np.where(pooled[level], len(ranks), 0)[each] + first[each])
    places, parents, found = np.lexsort(keys), np.zeros(len(ranks), dtype=np.int64), list[list[Span]]()
    for level in reversed(range(len(codes))):
        one = known.levels[level]
        drawn, parents = _arrange_level(one.values, codes[level][places], sizes[level], pooled[level], parents)
        found.append(drawn)
    return found[::-1]


def _rank_leaves(leaves: Sequence[Value], order: Sequence[str] | None) -> IntArray:
    """Return the position of each leaf from left to right; the missing one is last."""
    texts = [leaf for leaf in leaves if leaf is not None]
    covered, numbers, _ = read_units(texts)
    if order is None and len(covered) == len(texts):
        key = dict(zip(texts, numbers.tolist(), strict=True))
        ordered = sorted(leaves, key=lambda leaf: (leaf is None, key.get(leaf or "", 0)))
    else:
        listed = dict(zip(order or (), count()))
        ordered = sorted(leaves, key=lambda leaf: (leaf is None, listed.get(leaf or "", len(listed)), leaf or ""))
    rank = dict(zip(ordered, count()))
    return np.array([rank[leaf] for leaf in leaves], dtype=np.int64)


def _find_pooled(sizes: IntArray, people: IntArray, least: int) -> Mask:
    """Return a mask of the groups to merge in the drawing: those of few people, and narrow ones."""
    narrow: Mask = people < least
    if (~narrow).sum() > MAX_GROUPS:
        narrow[np.argsort(-sizes, kind="stable")[MAX_GROUPS:]] = True
    return narrow


def _arrange_level(
    values: Sequence[Value], codes: IntArray, sizes: IntArray, pooled: Mask, parents: IntArray
) -> tuple[list[Span], IntArray]:
    """Return the groups of a level in the order of its leaves, and the index of the group of each leaf.

    Groups that are pooled become one group within each group of the level above.
    """
    begins = np.flatnonzero(np.diff(codes, prepend=-1))  # each group is in one piece
    found, last, drawn = list[Span](), -1, list[int]()
    for code, parent in zip(codes[begins].tolist(), parents[begins].tolist(), strict=True):
        size = int(sizes[code])
        if pooled[code] and found and found[-1].value is None and parent == last:
            one = found[-1]
            found[-1] = Span(None, one.start, one.people + size, one.groups + 1)
        else:
            start = found[-1].start + found[-1].people if found else 0
            found.append(Span(None if pooled[code] else cell_text(values[code]), start, size))
        last = parent
        drawn.append(len(found) - 1)
    lengths = np.diff([*begins.tolist(), len(codes)])
    return found, np.repeat(np.array(drawn, dtype=np.int64), lengths)
