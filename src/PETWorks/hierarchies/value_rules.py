"""Rules for texts: prefixes of codes, ordered groups, parents by hand, and rare values last.

Of a code, only the first or the last characters stay, fewer from level to level:

>>> zip_code = Prefixes("zip", [3, 1]).build(["10617", "10089"])
>>> [zip_code.lift("10617", level) for level in range(4)]
['10617', '106**', '1****', '*']
>>> phone = Prefixes("phone", [3, 1], keep_from="right").build(["10617", "9617"])
>>> [phone.lift("10617", level) for level in range(4)], phone.lift("9617", 1)
(['10617', '**617', '****7', '*'], '*617')

Neighbours in an order become one group, larger from level to level:

>>> school = Ordered("school", ["none", "primary", "secondary", "college", "university"], [2, 4])
>>> school = school.build(["primary", "university"])
>>> [school.lift("primary", level) for level in range(4)]
['primary', 'none - primary', 'none - college', '*']
>>> school.lift("university", 1)
'university'

Each value has a parent, which may have a parent in turn:

>>> degree = Parents("degree", {"MA": "graduate", "PhD": "graduate", "BA": "first degree", "graduate": "university"})
>>> degree = degree.build(["MA", "PhD", "BA"])
>>> [degree.lift("MA", level) for level in range(4)], [degree.lift("BA", level) for level in range(4)]
(['MA', 'graduate', 'university', '*'], ['BA', 'first degree', 'first degree', '*'])

Values that few people have become one group, more of them from level to level:

>>> job = RareLast("job", ["10%", "30%"]).build({"clerk": 70, "nurse": 20, "diver": 6, "judge": 4})
>>> [job.lift("judge", level) for level in range(4)], [job.lift("nurse", level) for level in range(3)]
(['judge', 'other (<10%)', 'other (<30%)', '*'], ['nurse', 'nurse', 'other (<30%)'])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate, count, pairwise
from typing import Any, ClassVar, get_args

import numpy as np

from PETWorks.errors import HierarchyError, ParameterError, Quantity, SourceError, list_quoted, show_value
from PETWorks.exact.limit import Limit, Number
from PETWorks.hierarchies.hierarchy import Side
from PETWorks.hierarchies.number_rules import count_decimal_places, write_decimal
from PETWorks.hierarchies.rule import Rule, generalise, read_levels, require_word
from PETWorks.tables.counting.tally import Coded, IntArray
from PETWorks.tables.text_form import text_form


@dataclass(frozen=True)
class Prefixes(Rule):
    """Codes of which the first or last `keep` characters stay; `mask` replaces each of the others.

    A code with no more characters stays unchanged. No code changes its length.
    """

    kind: ClassVar[str] = "prefixes"
    main: ClassVar[str] = "keep"
    expects: ClassVar[str] = "a text"

    keep: tuple[int, ...]
    mask: str = "*"
    keep_from: Side = "left"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "keep", read_levels(self.name, self.keep, "numbers of characters", self.example()))
        for keep in self.keep:
            if type(keep) is not int or keep < 1:
                problem = f"keep must be whole numbers from 1, not {show_value(keep)}"
                raise ParameterError(problem, hint=f"{self.example()}; the top is always *")
        for more, fewer in pairwise(self.keep):
            if fewer >= more:
                problem = f"keep must fall from level to level, but {fewer} follows {more}"
                raise ParameterError(problem, hint=self.example())
        if not isinstance(self.mask, str) or len(self.mask) != 1 or not self.mask.strip():
            raise ParameterError(f"mask must be one character, not {show_value(self.mask)}", hint='pass mask="*"')
        require_word("keep_from", self.keep_from, get_args(Side))

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.prefixes("zip", keep=[3, 1])'

    @property
    def height(self) -> int:
        """The highest level of the hierarchy that the rule builds."""
        return len(self.keep) + 1

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of all values, and the masked text of each on each level."""
        if masked := sum(self.mask in value for value in values):
            values_have = Quantity(masked, "value of the column has", "values of the column have")
            hint = "choose another character than {mask} as mask"
            figures = {"values_have": values_have, "mask": self.mask}
            raise HierarchyError("{values_have} the mask in it", where=self.where, hint=hint, figures=figures)
        levels = [Coded(np.arange(len(values)), values)]
        for keep in self.keep:
            levels.append(generalise(levels[-1], partial(self._mask_text, keep)))
        return range(len(values)), levels[1:]

    def _mask_text(self, keep: int, text: str) -> str:
        hidden = self.mask * (len(text) - keep)
        return hidden + text[-keep:] if self.keep_from == "right" else text[:keep] + hidden


@dataclass(frozen=True)
class Ordered(Rule):
    """Groups of neighbours. `sizes` has for each level the number of values in a group, or the size of every group."""

    kind: ClassVar[str] = "ordered"
    main: ClassVar[str] = "values"
    expects: ClassVar[str] = "in the list"

    values: tuple[str, ...]
    sizes: tuple[int | tuple[int, ...], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        values = [_read_value(value) for value in read_levels(self.name, self.values, "values", self.example())]
        if len({*values}) < len(values):
            twice = [value for value in dict.fromkeys(values) if values.count(value) > 1]
            raise ParameterError(f"values are listed twice: {list_quoted(twice)}", hint="list every value once")
        object.__setattr__(self, "values", tuple(values))
        given = read_levels(self.name, self.sizes, "sizes", self.example())
        sizes = [tuple(one) if isinstance(one, Iterable) and not isinstance(one, str) else one for one in given]
        object.__setattr__(self, "sizes", tuple(sizes))
        for one in sizes:
            for size in one if isinstance(one, tuple) else (one,):
                if type(size) is not int or size < 1:
                    problem = f"sizes must be whole numbers from 1, not {show_value(size)}"
                    raise ParameterError(problem, hint=self.example())
            if isinstance(one, tuple) and sum(one) != len(values):
                problem = f"the groups of {show_value([*one])} have {sum(one)} values, but {len(values)} are listed"
                raise ParameterError(problem, hint="write the size of every group")
        for fine, coarse in pairwise(sizes):
            if coarse == fine or not {*self._find_starts(coarse)} <= {*self._find_starts(fine)}:
                problem = f"groups of {show_value(fine)} do not make groups of {show_value(coarse)}"
                hint = "a value would have two parents: let every group be made of whole groups of the level below"
                raise ParameterError(problem, hint=hint)

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.ordered("size", values=["S", "M", "L", "XL"], sizes=[2])'

    @property
    def height(self) -> int:
        """The highest level of the hierarchy that the rule builds."""
        return len(self.sizes) + 1

    def _find_starts(self, sizes: int | tuple[int, ...]) -> list[int]:
        """Return the place of the first value of each group."""
        if isinstance(sizes, tuple):
            return [0, *accumulate(sizes[:-1])]
        return list(range(0, len(self.values), sizes))

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the values that are listed, and the group of each on each level."""
        order = dict(zip(self.values, count()))
        covered = [place for place, value in enumerate(values) if value in order]
        places = np.fromiter((order[values[place]] for place in covered), np.int64, len(covered))
        levels = []
        for sizes in self.sizes:
            starts = self._find_starts(sizes)
            ends = [*starts[1:], len(self.values)]
            bounds = [(self.values[start], self.values[end - 1]) for start, end in zip(starts, ends, strict=True)]
            groups = [first if first == last else f"{first} - {last}" for first, last in bounds]
            levels.append(Coded(np.searchsorted(starts, places, side="right") - 1, groups).trim())
        return covered, levels


def _read_value(value: object) -> str:
    try:
        text = text_form(value)
    except SourceError:
        text = None
    if text is None:
        raise ParameterError(f"a value in the order must be a text, not {show_value(value)}", hint=Ordered.example())
    return text


@dataclass(frozen=True)
class Parents(Rule):
    """Parents of values and of groups. In place of a parent, a list has all ancestors, the nearest first.

    A value with fewer groups above it than others keeps its last one. A value of the table that is also a group is in
    that group.
    """

    kind: ClassVar[str] = "parents"
    main: ClassVar[str] = "mapping"
    expects: ClassVar[str] = "in the mapping"

    mapping: Mapping[str, str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "mapping", _read_links(self.mapping, self.example()))
        _ = self._heights  # raises an error for groups that contain themselves

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.parents("degree", {"MA": "graduate", "PhD": "graduate"})'

    @property
    def height(self) -> int:
        """The highest level of the hierarchy that the rule builds."""
        return max(self._heights.values()) + 1

    @cached_property
    def _heights(self) -> dict[str, int]:
        """The number of levels that each value or group is above the lowest value in it."""
        heights = dict.fromkeys([*self.mapping, *self.mapping.values()], 0)
        for value in self.mapping:
            node, steps = value, 0
            while (node := self.mapping.get(node, "")) and steps <= len(heights):
                steps += 1
                heights[node] = max(heights[node], steps)
            if node:
                raise ParameterError(f'"{value}" is its own ancestor', hint=self.example())
        return heights

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:  # noqa: ARG002
        """Return the places of the values that are in the mapping, and the group of each on each level."""
        covered = [place for place, value in enumerate(values) if value in self._heights]
        levels = [Coded(np.arange(len(covered)), [values[place] for place in covered])]
        for level in range(1, self.height):
            levels.append(generalise(levels[-1], partial(self._find_parent, level)))
        return covered, levels[1:]

    def _find_parent(self, level: int, node: str) -> str:
        """Return the parent, unless it belongs to a higher level than this."""
        parent = self.mapping.get(node, "")
        return parent if parent and self._heights[parent] <= level else node


def _read_links(given: Any, example: str) -> dict[str, str]:  # noqa: ANN401
    """Return the parent of each value and group."""
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(
            f"parents must be a mapping of values to their groups, not {show_value(given)}", hint=example
        )
    links: dict[str, str] = {}
    for value, ancestors in given.items():
        above = [ancestors] if isinstance(ancestors, str) or not isinstance(ancestors, Iterable) else [*ancestors]
        for low, high in pairwise([_read_group(value, example), *(_read_group(one, example) for one in above)]):
            if links.setdefault(low, high) != high:
                problem = f'"{low}" has two parents, "{links[low]}" and "{high}"'
                raise ParameterError(problem, hint="give every value and group one parent only")
    return links


def _read_group(value: object, example: str) -> str:
    try:
        text = text_form(value)
    except SourceError:
        text = None
    if text is None or text == "*":
        raise ParameterError(f"a value or group must be a text other than *, not {show_value(value)}", hint=example)
    return text


@dataclass(frozen=True)
class RareLast(Rule):
    """Values of less than a share of the people become one group, called `label`; `share` may be one for each level."""

    kind: ClassVar[str] = "rare_last"
    main: ClassVar[str] = "share"
    expects: ClassVar[str] = "a text"

    share: tuple[Number, ...]
    label: str = "other"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "share", read_levels(self.name, self.share, "shares", self.example()))
        for low, high in pairwise(self._shares):
            if high <= low:
                raise ParameterError("shares must rise from level to level", hint=self.example())
        if not isinstance(self.label, str) or not self.label.strip():
            raise ParameterError(f"label must be a text, not {show_value(self.label)}", hint='pass label="other"')

    @classmethod
    def example(cls) -> str:
        """Return a hint that shows how the rule is written."""
        return 'Hierarchy.rare_last("occupation", share=["1%", "5%"])'

    @property
    def height(self) -> int:
        """The highest level of the hierarchy that the rule builds."""
        return len(self.share) + 1

    @property
    def _shares(self) -> list[Fraction]:
        return [_read_share(one) for one in self.share]

    def levels(self, values: Sequence[str], counts: IntArray) -> tuple[Sequence[int], Sequence[Coded]]:
        """Return the places of all values, and on each level the value or the group."""
        people, total = counts.tolist(), int(counts.sum())
        levels = []
        for share in self._shares:
            group = f"{self.label.strip()} (<{_write_percent(share)})"
            few = share.numerator * total
            levels.append(
                Coded.of(
                    [
                        group if count * share.denominator < few else value
                        for value, count in zip(values, people, strict=True)
                    ]
                )
            )
        return range(len(values)), levels


def _read_share(given: Number) -> Fraction:
    percent = isinstance(given, str) and given.strip().endswith("%")
    exact = Limit.of(given.strip()[:-1] if percent else given, "share").exact / (100 if percent else 1)  # type: ignore[union-attr]
    if not 0 < exact <= 1:
        problem = f"share must be a share of the people, more than 0 and at most 1, not {show_value(given)}"
        raise ParameterError(problem, hint='pass for example "1%" or "1/100"')
    return exact


def _write_percent(share: Fraction) -> str:
    percent = share * 100
    return f"{write_decimal(percent)}%" if count_decimal_places(percent.denominator) is not None else str(share)
