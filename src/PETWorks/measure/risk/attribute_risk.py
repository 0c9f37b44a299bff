"""Attribute risk: which columns, together, come near to identifying people.

Definition
    For a subset of the quasi-identifiers: distinction is the number of different combinations divided by the rows;
    separation is the share of pairs of rows that the subset tells apart. Over the unsuppressed rows.

Formula
    distinction = combinations ÷ n, separation = 1 - Σ s(s - 1) / (n(n - 1)), s rows with the same combination

Example
    The sex tells three of the six pairs of people apart, the year four; both together, five.

    >>> from PETWorks import Release
    >>> result = Release({"sex": ["m", "f", "f", "f"], "year": ["197*", "197*", "198*", "198*"]}).ask(AttributeRisk())
    >>> for name, part in result.parts.items():
    ...     print(name, part.exact, part.figures["separation"])
    year 1/2 2/3
    sex 1/2 1/2
    sex + year 3/4 5/6

Reading
    Distinction 1: every row is different. Separation 1: any two rows are different. Smaller subsets come first, and of
    each size the most identifying: a small subset with a high separation is what to generalise. Up to ten
    quasi-identifiers every subset is looked at, beyond that subsets of up to three columns, or fewer if these subsets
    would be too many.

Reference
    R. Motwani, Y. Xu, "Efficient Algorithms for Masking and Finding Quasi-Identifiers", Stanford University, 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, combinations
from math import comb, prod
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from PETWorks.facts.classes import Unit, sum_squares
from PETWorks.facts.columns import ReleasedValues, count_released_values
from PETWorks.facts.people import Known
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Name,
    Note,
    Page,
    ReleasedRows,
    Result,
    ResultPart,
    Risk,
    Step,
    Words,
    build_grouping_step,
)
from PETWorks.shown import DisclosureLevel, find_edges
from PETWorks.tables.counting.persons import PersonPairs, find_histories
from PETWorks.tables.counting.tally import KEY_SPACE, IntArray, Key, Tally, pack, sum_adjacent, sum_by_key

Subset = frozenset[Key]


class Distinction(NamedTuple):
    """The rows, or people, that a subset of columns distinguishes."""

    distinct: int  # different combinations
    alike: int  # the sum of the squares of the number of rows with each
    rows: int  # the number of rows, or people
    pairs: int  # ordered pairs that could be distinguished

    @property
    def separation(self) -> Fraction | None:
        """The share of pairs that are distinguished; None if there are none."""
        return Fraction(self.pairs - (self.alike - self.rows), self.pairs) if self.pairs else None

    @property
    def order(self) -> tuple[Fraction, int]:
        """The sort key of subsets: the most identifying first."""
        return -(self.separation or Fraction(0)), -self.distinct


def compare_subsets(facts: Facts, largest: int) -> dict[Subset, Distinction]:
    """Return how far all subsets of up to `largest` quasi-identifiers distinguish unsuppressed rows, or people."""
    table, persons = facts.combinations, facts.published_persons
    if persons is None:
        pairs = table.rows * (table.rows - 1)
        sizes = count_sizes_by_subset(table, largest)
        return {subset: Distinction(len(many), sum_squares(many), table.rows, pairs) for subset, many in sizes}
    by_row = facts.groups(Unit.ROWS, with_values=True)
    return dict(compare_subsets_by_people(table, persons.regroup(by_row.of_entry), largest, facts.known))


def compare_subsets_by_people(
    tally: Tally, persons: PersonPairs, largest: int, known: Known
) -> Iterator[tuple[Subset, Distinction]]:
    """Yield all subsets of up to `largest` columns, with how far they distinguish people who have several rows.

    The same combination in several rows of a person counts once; if all rows are known, these are compared. People with
    one combination have one in every subset, and are counted without examining each.
    """
    combinations_of = np.bincount(persons.of_person, minlength=persons.people)
    single = combinations_of[persons.of_person] == 1
    alone = np.bincount(persons.of_entry[single], minlength=len(tally.counts))
    if known == "all":
        single = np.zeros(len(single), dtype=bool)
    others = PersonPairs(persons.of_entry[~single], persons.of_person[~single], persons.rows[~single], persons.people)
    for size in range(1, largest + 1):
        for subset in combinations(tally.columns, size):
            ids, smaller = tally.group(subset)
            if known == "all":
                yield frozenset(subset), _compare_by_history(others.regroup(ids))
                continue
            shared = others.regroup(ids)
            sizes = np.bincount(ids, weights=alone, minlength=len(smaller.counts)).astype(np.int64)
            sizes += np.bincount(shared.of_entry, minlength=len(smaller.counts))
            own = np.bincount(shared.of_person)
            rows = int(sizes.sum())
            pairs = rows**2 - int(alone.sum()) - sum_squares(own)
            yield frozenset(subset), Distinction(len(sizes), sum_squares(sizes), rows, pairs)


def _compare_by_history(persons: PersonPairs) -> Distinction:
    of_person = find_histories(persons).of_person
    sizes = np.bincount(of_person[of_person >= 0])
    people = int(sizes.sum())
    return Distinction(len(sizes), sum_squares(sizes), people, people * (people - 1))


def count_sizes_by_subset(tally: Tally, largest: int) -> Iterator[tuple[Subset, IntArray]]:
    """Yield all subsets of up to `largest` columns, each with the number of rows of every combination of its values.

    The counts of a subset are computed from those of a larger subset by dropping a column. That is fast, since the
    larger subset has far fewer combinations than the table has rows.

    >>> from PETWorks.tables.counting.builder import Coded, TallyBuilder
    >>> people = TallyBuilder(["sex", "year"])
    >>> people.add([Coded.of(["m", "f", "f", "f"]), Coded.of(["197*", "197*", "198*", "198*"])])
    >>> for subset, sizes in count_sizes_by_subset(people.build(), largest=2):
    ...     print(*sorted(subset), sizes)
    sex year [1 2 1]
    year [2 2]
    sex [3 1]
    """
    values = {key: len(column.values) or 1 for key, column in tally.columns.items()}
    if largest < len(values) or prod(values.values()) >= KEY_SPACE:
        for size in range(1, largest + 1):
            for subset in combinations(values, size):
                yield frozenset(subset), tally.count_by(subset)
        return
    order = sorted(values, key=lambda key: -values[key])  # dropping the columns with most values first leaves least
    sizes = [values[key] for key in order]
    packed, _ = pack([tally.columns[key].codes for key in order], sizes)
    yield from _drop_columns(order, sizes, *sum_by_key(packed, tally.counts, prod(sizes)))


def _drop_columns(
    names: Sequence[Key], sizes: Sequence[int], packed: IntArray, counts: IntArray, start: int = 0
) -> Iterator[tuple[Subset, IntArray]]:
    """Yield the given columns, then each subset that lacks one or more of the columns from index `start` on.

    `packed` are the sorted keys of the combinations of these columns, `counts` their numbers of rows.
    """
    yield frozenset(names), counts
    for place in range(start, len(names)) if len(names) > 1 else ():
        below = prod(sizes[place + 1 :])  # number of possible combinations of the columns after this one
        kept, rest = ([*every[:place], *every[place + 1 :]] for every in (names, sizes))
        if below == 1:  # dropping the last column leaves the keys sorted
            smaller = sum_adjacent(packed // sizes[place], counts)
        else:
            keys = packed // (below * sizes[place]) * below + packed % below
            smaller = sum_by_key(keys, counts, prod(rest))
        yield from _drop_columns(kept, rest, *smaller, place)


ALL_SUBSETS = 10  # the most quasi-identifiers of which every subset is counted
LARGEST_SUBSET = 3  # with more quasi-identifiers, the most columns in a subset
AFFORDABLE = 10**9  # limit of the effort: subsets * (classes + EACH)
EACH = 2000  # fixed effort for a subset, in classes that could be counted in the same time

P = TypeVar("P", bound=ResultPart)


class AttributeRisk(Risk):
    """How close subsets of the quasi-identifiers come to identifying people."""

    name: ClassVar[str] = "attribute risk"
    against: ClassVar[str] = "identity"
    rows: ClassVar[ReleasedRows] = ReleasedRows.ANY
    scales: ClassVar[bool] = True
    words: ClassVar = {
        "en": Words(
            "attribute risk",
            "Of single columns, {most} reveals most: it tells {separation:%} of pairs of rows apart.",
            "distinction",
            {
                "subsets": "Looked at {subsets:combination|combinations} of columns over {rows:published row|published"
                " rows}. Distinction: different combinations of values ÷ rows. Separation: pairs of rows with different"
                " values ÷ all pairs. Of each number of columns, the most identifying:",
                "subsets_people_one": "Looked at {subsets:combination|combinations} of columns over the records of"
                " {people:person|people}, each record of a person once. Distinction: different combinations of values ÷"
                " records. Separation: pairs of records of different people with different values ÷ all such pairs. Of"
                " each number of columns, the most identifying:",
                "subsets_people_all": "Looked at {subsets:combination|combinations} of columns over all records of"
                " {people:person|people}. Distinction: different sets of records ÷ people. Separation: pairs of people"
                " with different records ÷ all pairs. Of each number of columns, the most identifying:",
                "subset_people": "{columns}: distinction {score}, separation {separation}",
                "subset_withheld": "{columns} (its figures are withheld: they would help to find small classes)",
                "subset": "{columns}: distinction {distinct} ÷ {rows} = {score}, separation {separation}",
                "untold": "it does not know which columns an attacker can find out about, nor how rare single values"
                " are.",
                "improve": "generalise the columns that come first: few columns with a high separation reveal most.",
            },
            notes={
                "subsets": "{columns} quasi-identifiers: only subsets of up to {most} columns were looked at.",
                "of_original": "Of the original only: the rows of the release are nobody's.",
            },
            decided="tells {separation:%} of pairs apart",
            people="Of single columns, {most} reveals most: it tells {separation:%} of pairs of people apart.",
        ),
        "zh_TW": Words(
            "欄位風險",
            "單一欄位中以「{most}」最容易識別個人，可區分 {separation:%} 的資料列配對。",
            "區別度",
            {
                "subsets": "於 {rows} 筆發布的資料列中檢視 {subsets} 種欄位組合。區別度為相異值組合數 ÷ 資料列數，"
                "分離度為值不同的資料列配對 ÷ 全部配對。依欄位數，最容易識別個人者為：",
                "subsets_people_one": "於 {people} 人的紀錄中檢視 {subsets} 種欄位組合，同一人的相同紀錄計一次。"
                "區別度為相異值組合數 ÷ 紀錄數，分離度為不同人之間值不同的紀錄配對 ÷ 全部此類配對。"
                "依欄位數，最容易識別個人者為：",
                "subsets_people_all": "於 {people} 人的全部紀錄中檢視 {subsets} 種欄位組合。"
                "區別度為相異紀錄集合數 ÷ 人數，分離度為紀錄不同的人的配對 ÷ 全部配對。依欄位數，最容易識別個人者為：",
                "subset_people": "{columns}：區別度 {score}，分離度 {separation}",
                "subset_withheld": "{columns}（數值不予揭露，以免推知人數少的等價類）",
                "subset": "{columns}：區別度 {distinct} ÷ {rows} = {score}，分離度 {separation}",
                "untold": "未考量攻擊者能得知哪些欄位，亦未考量個別值是否罕見。",
                "improve": "概化排序在前的欄位；欄位少而分離度高者，最容易識別個人。",
            },
            notes={
                "subsets": "共 {columns} 個準識別屬性，僅檢視至多 {most} 個欄位的組合。",
                "of_original": "僅就原始資料表計算：發布的資料列不屬於任何人。",
            },
            decided="可區分 {separation:%} 的配對",
            people="單一欄位中以「{most}」最容易識別個人，可區分 {separation:%} 的人的配對。",
            page=Page(
                summary="哪些欄位合在一起，最接近能識別個人。",
                definition="對準識別屬性的每個子集：區別度為相異組合數除以列數；"
                "分離度為該子集能區分的資料列配對占比。均以未整列遮蔽的資料列計算。",
                formula="區別度 = 組合數 ÷ n，分離度 = 1 - Σ s(s - 1) / (n(n - 1))，s 為具有相同組合的列數",
                example="六個配對中，性別能區分三對，出生年能區分四對；兩者合用能區分五對。",
                reading="區別度 1：每列都不同。分離度 1：任兩列都不同。"
                "先列較小的子集，同樣大小者先列最能識別的：欄位少而分離度高的子集，就是應該概化的對象。"
                "十個以內的準識別屬性，檢視所有子集；超過十個則檢視至多三個欄位的子集，若數量仍過多則更少。",
            ),
        ),
    }

    def _compute(self, facts: Facts) -> Result:
        """Compute the result; of a synthetic table, whose rows are nobody's, that of the original."""
        if not facts.synthetic:
            return super()._compute(facts)
        result = super()._compute(facts.of_original)
        return replace(result, facts=facts, notes=(Note("of_original"), *result.notes))

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the figure of every subset, smaller subsets first; of each size, the most identifying first."""
        names = facts.roles.quasi_identifiers
        table, persons = facts.combinations, facts.published_persons
        largest = _find_largest_subset(len(names), len(table.counts if persons is None else persons.rows))
        notes = (Note("subsets", {"columns": len(names), "most": largest}),) if largest < len(names) else ()
        found = compare_subsets(facts, largest)
        for size in range(1, largest + 1):
            subsets = [(subset, found[frozenset(subset)]) for subset in combinations(names, size)]
            for subset, told in sorted(subsets, key=lambda one: one[1].order):
                figure, notes = _build_figure(subset, told, notes), ()
                counted = {} if persons is None else {"combinations": told.distinct}
                yield replace(figure, figures={**figure.figures, **counted})

    def withhold(self, result: Result) -> Result:
        """Withhold the figures of proper subsets where bands stand beside values: they would narrow the bands down.

        The subsets are sorted by the bands, so that their order discloses nothing more.
        """
        if result.disclosure.level is not DisclosureLevel.BANDED:
            return result
        quasi_identifiers = result.measured.roles.quasi_identifiers
        whole = len(quasi_identifiers)
        if whole == 1:
            return result
        alike = {
            column: _estimate_alike(count_released_values(result.measured, column)) for column in quasi_identifiers
        }
        parts = {
            name: _withhold(part) if len(part.figures["columns"]) < whole else part
            for name, part in result.parts.items()
        }

        def place(named: tuple[str, ResultPart]) -> tuple[int, float, list[int]]:
            columns = named[1].figures["columns"]
            return len(columns), prod(alike[one] for one in columns), [*map(quasi_identifiers.index, columns)]

        ordered = dict(sorted(parts.items(), key=place))
        return replace(_withhold(result, next(iter(ordered.values()))), parts=ordered)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the most identifying subset of each size."""
        facts, parts = result.measured, list(result.parts.items())
        facts = facts.of_original if facts.synthetic else facts
        columns, rows = len(facts.roles.quasi_identifiers), facts.classes.rows
        yield build_grouping_step(facts)
        if not rows:
            yield Step("nothing_published")
            return
        first = accumulate((comb(columns, size) for size in range(1, columns)), initial=0)
        lines = []
        for name, part in (parts[place] for place in first if place < len(parts)):
            if part.withheld:
                lines.append(Step("subset_withheld", {"columns": Name(name)}))
                continue
            if facts.persons is not None:
                figures = {"columns": Name(name), "score": part.exact, "separation": part.figures["separation"]}
                lines.append(Step("subset_people", figures))
                continue
            distinct = (part.exact or 0) * rows
            figures = {"distinct": distinct, "rows": rows, "score": part.exact}
            lines.append(Step("subset", figures | {"columns": Name(name), "separation": part.figures["separation"]}))
        if facts.persons is None:
            yield Step("subsets", {"subsets": len(parts), "rows": rows}, tuple(lines))
        else:
            people = facts.classes.everybody
            yield Step(f"subsets_people_{facts.known}", {"subsets": len(parts), "people": people}, tuple(lines))


def _find_largest_subset(columns: int, classes: int) -> int:
    """Return the most columns in a subset: all if there are up to ten, else three, or fewer if that takes too long."""
    if columns <= ALL_SUBSETS:
        return columns
    affordable = [size for size in range(1, LARGEST_SUBSET + 1) if comb(columns, size) * (classes + EACH) <= AFFORDABLE]
    return max(affordable, default=1)


def _estimate_alike(values: ReleasedValues) -> float:
    """Return the share of pairs of rows that a column does not distinguish, as far as bands show it."""
    low, high = find_edges(values.after[values.after > 0])
    middle = (low + high) / 2
    return float((middle**2).sum() / middle.sum() ** 2) if len(middle) else 1.0


def _withhold(part: P, of: ResultPart | None = None) -> P:
    """Return a part that shows only the columns it is about."""
    figures = {name: (of or part).figures[name] for name in ("most", "columns")}
    return replace(part, value=None, exact=None, withheld=True, figures=figures)


def _join(names: Sequence[str]) -> str:
    return " + ".join(f'"{name}"' if " + " in name else name for name in names)


def _build_figure(names: Sequence[str], told: Distinction, notes: tuple[Note, ...]) -> Figure:
    """Build the figure of a subset."""
    name = Name(_join(names))
    figures = {"separation": told.separation, "most": name, "columns": tuple(names)}
    return Figure(str(name), Fraction(told.distinct, told.rows or 1), figures=figures, notes=notes)
