"""The best level vector by definition: every vector is tried, row by row, in exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor, prod

from oracle.naive import Ladder, Row, Rows, Value, hierarchical_distance, is_number, ordered_distance, shares

Tree = dict[Value, Ladder]  # by leaf, its labels from level 0 to the top
Key = tuple[Value, ...]
Fails = Callable[[Rows], bool]  # whether the rows of a class fail
MARKER = "*"


@dataclass
class Question:
    """Rows, the hierarchies of their quasi-identifiers in the order of the table, and the share that may go."""

    rows: Rows
    trees: dict[str, Tree]
    rate: Fraction

    def vectors(self) -> Iterator[tuple[int, ...]]:
        """Yield all level vectors."""
        heights = [len(next(iter(tree.values()))) for tree in self.trees.values()]
        return product(*map(range, heights))

    def key(self, row: Row, vector: Sequence[int]) -> Key:
        """Return a row's quasi-identifiers on the levels of a vector."""
        return tuple(tree[row[name]][level] for (name, tree), level in zip(self.trees.items(), vector, strict=True))

    def classes(self, rows: Rows, vector: Sequence[int]) -> dict[Key, Rows]:
        """Group rows by their labels."""
        found: dict[Key, Rows] = {}
        for row in rows:
            found.setdefault(self.key(row, vector), []).append(row)
        return found

    def lost(self, name: str, level: int, labels: Sequence[Value | None]) -> Fraction:
        """Return the share that a column lost; None stands for a suppressed cell."""
        tree = self.trees[name]
        leaves, many = Counter(ladder[level] for ladder in tree.values()), len(tree)
        if many == 1:
            return Fraction(0)
        covered = [many if label in (None, MARKER) else leaves[label] for label in labels]
        mean = Fraction(sum(covered), len(covered) * many)
        return (mean - Fraction(1, many)) / (1 - Fraction(1, many))

    def best(self, gone: Callable[[Sequence[int]], set[Key]]) -> tuple[tuple[int, ...], set[Key]] | None:
        """Return the best vector and its suppressed classes; `gone` says which classes are suppressed at a vector."""
        found = []
        for vector in self.vectors():
            classes = self.classes(self.rows, vector)
            out = gone(vector) | {key for key in classes if set(key) == {MARKER}}
            suppressed = sum(len(rows) for key, rows in classes.items() if key in out)
            if suppressed > floor(self.rate * len(self.rows)):
                continue
            keys = [self.key(row, vector) for row in self.rows]
            columns = zip(*[[None] * len(vector) if key in out else key for key in keys], strict=True)
            named = zip(self.trees, vector, columns, strict=True)
            loss = prod(1 + self.lost(name, level, labels) for name, level, labels in named)
            found.append(((loss, suppressed, sum(vector), vector[::-1]), vector, out))
        return min(found, key=lambda one: one[0])[1:] if found else None

    def released(self, rows: Rows, vector: Sequence[int], out: set[Key]) -> Rows:
        """Return rows as they are released at a vector."""
        keys = [self.key(row, vector) for row in rows]
        marked = (MARKER,) * len(vector)
        return [
            {**row, **dict(zip(self.trees, marked if key in out else key, strict=True))}
            for row, key in zip(rows, keys, strict=True)
        ]


def failing(question: Question, fails: Fails) -> Callable[[Sequence[int]], set[Key]]:
    """Suppress the classes that fail, each judged on its own."""
    return lambda vector: {key for key, rows in question.classes(question.rows, vector).items() if fails(rows)}


def fewer_than(k: int) -> Fails:
    """Judge by k-anonymity."""
    return lambda rows: len(rows) < k


def less_diverse_than(l: int, sensitive: Sequence[str]) -> Fails:  # noqa: E741
    """Judge by distinct l-diversity of each sensitive attribute."""
    return lambda rows: any(len({row[name] for row in rows}) < l for name in sensitive)


def farther_than(t: Fraction, name: str, everybody: Rows, tree: Tree | None) -> Fails:
    """Judge by t-closeness: ordered if all values are numbers, else hierarchical."""
    whole = shares(Counter(row[name] for row in everybody))
    ordered = all(map(is_number, whole))

    def fails(rows: Rows) -> bool:
        inside = shares(Counter(row[name] for row in rows))
        return (ordered_distance(inside, whole) if ordered else hierarchical_distance(inside, whole, tree or {})) > t

    return fails


def present(
    question: Question, everybody: Rows, least: Fraction, most: Fraction
) -> Callable[[Sequence[int]], set[Key]]:
    """Suppress classes with too many people in the sample; everybody, if others have too few or nobody is left."""

    def gone(vector: Sequence[int]) -> set[Key]:
        sample, people = (question.classes(rows, vector) for rows in (question.rows, everybody))
        share = {key: Fraction(len(sample.get(key, ())), len(rows)) for key, rows in people.items()}
        out = {key for key in sample if not least <= share[key] <= most}
        out |= {key for key in sample if set(key) == {MARKER}}
        left = [0 if key in out else share[key] for key in people]
        return set(people) if out == set(sample) or any(one < least for one in left) else out

    return gone
