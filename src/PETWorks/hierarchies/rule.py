"""`Rule`: builds the hierarchy of a column from the values that a table has.

A rule is small, and the same for every table. Each value that it covers becomes a leaf; the levels of the rule follow,
even where two of them are equal for the values at hand, and ``*`` is the top. `Hierarchy.coverage` counts the values
that it does not cover, and measures that need their level raise an error. Missing values stay missing on every level
below the top.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, cast

import numpy as np

from PETWorks.errors import HierarchyError, ParameterError, did_you_mean, show_value
from PETWorks.hierarchies.hierarchy import TOP, Hierarchy, are_nested
from PETWorks.hierarchies.values import read_counts
from PETWorks.tables.counting.tally import Coded, IntArray, is_missing


@dataclass(frozen=True)
class Rule(ABC):
    """A way to build a hierarchy. `name` is the column's; the other fields are the parameters."""

    kind: ClassVar[str]  # its name in a policy
    main: ClassVar[str]  # the field that the policy stores under this name
    expects: ClassVar[str]  # what a value must be for the rule to place it, for errors

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ParameterError(
                f"a hierarchy is built for a column, not for {show_value(self.name)}", hint=self.example()
            )
        object.__setattr__(self, "name", self.name.strip())

    @classmethod
    @abstractmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""

    @property
    @abstractmethod
    def height(self) -> int:
        """The highest level of the hierarchy."""

    @abstractmethod
    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int] | IntArray, Sequence[Coded]]:
        """Return the places of the values that the rule covers, and their ancestors on each level below the top."""

    def build(self, values: Any) -> Hierarchy:  # noqa: ANN401 (values, with or without counts, or a table)
        """Build the hierarchy of values: any iterable of them, their counts as a dict, or a table with the column."""
        counts = read_counts(values, self.name)
        known = counts
        if TOP in counts or any(map(is_missing, counts)):
            known = {value: count for value, count in counts.items() if not is_missing(value) and value != TOP}
        texts = cast("list[str]", [*known])
        covered, levels = self.levels(texts, np.fromiter(known.values(), np.int64, len(texts)))
        if texts and not len(covered):
            problem, hint = f"none of its values is {self.expects}", f"build it in another way than by {self.kind}"
            raise HierarchyError(problem, where=self.where, hint=hint)
        leaves = [texts[place] for place in covered]
        top = Coded(np.zeros(len(leaves), dtype=np.int64), [TOP])
        built = [Coded(np.arange(len(leaves)), leaves), *levels, top]
        hierarchy = Hierarchy.of_levels(self.name, built, self.where)
        if not are_nested(built):
            hierarchy = Hierarchy(self.name, hierarchy.rows(), self.where)  # raises the error
        if found := hierarchy.find_collision():
            text, low, high = found
            problem = "a value of level {low} and one of level {high} that does not include it have the same text"
            hint, figures = "write one of them in another way", {"low": low, "high": high}
            raise HierarchyError(problem, where=self.where, hint=hint, listed=f'"{text}"', figures=figures)
        return hierarchy.complete(counts) if len(known) < len(counts) else hierarchy

    @property
    def where(self) -> str:
        """The name of the hierarchy in messages."""
        return f'hierarchy of "{self.name}" ({self.kind})'

    def settings(self) -> dict[str, Any]:
        """Return the rule as plain values, as in the section [hierarchies.<column>] of a policy."""
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "name"}
        main = {self.kind: _to_plain(given.pop(self.main))}
        defaults = {one.name: one.default for one in fields(self)}
        return main | {name: _to_plain(value) for name, value in given.items() if value != defaults[name]}


def _to_plain(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, Mapping):
        return {key: _to_plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_to_plain(one) for one in value]
    return value


def generalise(below: Coded, parent: Callable[[str], str]) -> Coded:
    """Return the next level: the parent of each value of the level below."""
    above = Coded.of([parent(value or "") for value in below.values])
    return Coded(above.codes[below.codes], above.values)


def read_levels(name: str, given: Any, what: str, example: str) -> tuple[Any, ...]:  # noqa: ANN401
    """Return a parameter that has a value for each level as a tuple; a single value is for a single level."""
    found = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not found:
        raise ParameterError(f"{name} has no {what}", hint=example)
    return found


def require_word(name: str, given: object, words: Sequence[str]) -> None:
    """Raise an error if a word is not one of the known ones."""
    if given not in words:
        raise ParameterError(f"{name} cannot be {show_value(given)}", hint=did_you_mean(str(given), words))
