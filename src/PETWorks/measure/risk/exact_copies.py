"""Exact copies: people of the original whose whole row occurs in the release.

Definition
    A person is copied if the release has a row with the same value in every column that is compared. With few columns
    most copies are coincidence: people who took no part are copied as well. What exceeds their share is due to the
    original.

Formula
    people copied ÷ people of the original; beside it the same of the hold-out, and a/n - b/h

Example
    Of four people, two are copied, and one of the two who took no part.

    >>> from PETWorks import Release
    >>> people = {"sex": ["F", "F", "M", "M"], "zip": ["1", "2", "1", "2"]}
    >>> others = {"sex": ["F", "M"], "zip": ["1", "3"]}
    >>> release = Release({"sex": ["F", "M"], "zip": ["1", "2"]}, original=people, holdout=others, synthetic=True)
    >>> result = release.ask(ExactCopies())
    >>> print(result.exact, result.parts["hold-out"].exact, result.parts["excess"].exact)
    1/2 1/2 0

Reading
    The share alone is no verdict where columns are few. 0 does not mean that nobody is told of: see replicated uniques
    and attribute disclosure.

Reference
    M. Platzer, T. Reutterer, "Holdout-Based Empirical Assessment of Mixed-Type Synthetic Data", Frontiers in Big Data
    4, 2021, doi:10.3389/fdata.2021.679939; R. A. Fisher, The Design of Experiments, 1935.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import ClassVar

from PETWorks.measure.formulas.excess import Excess
from PETWorks.measure.original_people import OriginalPeople, PeopleShare, build_words
from PETWorks.measure.plugin import Facts, Note, Page, Result, Step, columns

COINCIDENCE = Fraction(1, 20)  # above this share of the hold-out, most copies are coincidence


class ExactCopies(OriginalPeople):
    """Share of the original's people whose whole row occurs in the release."""

    columns: Sequence[str] | None = columns(default=None)

    name: ClassVar[str] = "exact copies"
    examples: ClassVar = ({"max_share": "0.9"},)
    words: ClassVar = {
        "en": build_words(
            "en",
            "exact copies",
            "{percent} of the people of the original occur in the release with their whole row.",
            "people copied",
            steps={
                "share": "Compared in {columns:column|columns}: of {of:person|people} of the original, {people} occur"
                " in the release with all values, a share of {score}.",
                "copies": "{unique:row|rows} of the original have no double there; {unique_copied} of them are copied."
                " {released:released row|released rows} are copies.",
                "untold": "values that were changed a little are no copies, and still tell of the person.",
                "improve": "draw rows from a model that is told less of single people, and leave out copies of unique"
                " rows.",
            },
            notes={
                "coincidence": "{share:%} of the hold-out are copied too: with so few columns most copies are"
                " coincidence, so the share alone is no verdict."
            },
            parameters={"columns": "the columns that are compared; otherwise all but identifiers"},
        ),
        "zh_TW": build_words(
            "zh_TW",
            "完全相同的資料列",
            "原始資料中有 {percent} 的人，其整列出現在發布資料表中。",
            "整列相同的人",
            steps={
                "share": "比較 {columns} 個欄位：原始資料的 {of} 人中，有 {people} 人的所有值都出現在發布的同一列，"
                "占 {score}。",
                "copies": "原始資料中有 {unique} 列沒有其他列與之相同，其中 {unique_copied} 列被複製。"
                "發布的資料列中有 {released} 列是複製。",
                "untold": "稍加更動的值不算複製，仍可能透露該人。",
                "improve": "以較不受單一個人影響的模型產生資料列，並剔除與唯一資料列相同者。",
            },
            notes={"coincidence": "對照組也有 {share:%} 整列相同：欄位這麼少，相同多屬巧合，僅憑此比例不能下結論。"},
            parameters={"columns": "比較的欄位；否則為識別屬性以外的所有欄位"},
            page=Page(
                summary="原始資料中，整列出現在發布資料表的人。",
                definition="若發布資料表有一列，在比較的每個欄位上都與某人相同，該人即被複製。"
                "欄位少時，相同多屬巧合：未參與的人也會相同。超出其比例的部分，才是因原始資料而來。",
                formula="被複製的人數 ÷ 原始資料人數；並列對照組的比例，以及 a/n - b/h",
                example="四人中有兩人被複製，未參與的兩人中也有一人。",
                reading="欄位少時，僅憑此比例不能下結論。0 也不表示沒有透露任何人：請見重現的唯一值與屬性揭露。",
            ),
        ),
    }

    def tell(self, facts: Facts) -> PeopleShare:
        """Return how many people occur in the release with their whole row."""
        names = self.columns or facts.comparable
        pool = self.find_pool(facts, names)
        keys = [name for name in names if name in facts.roles.quasi_identifiers]
        released = pool.matchable(keys)
        copied, alone = released > 0, pool.original.counts == 1
        people, seen = pool.original.count(copied), None
        notes: tuple[Note, ...] = ()
        if pool.holdout is not None:
            seen = Excess(people, pool.original.people, pool.holdout.count(copied), pool.holdout.people)
            share = Fraction(seen.b, seen.h)
            notes = (Note("coincidence", {"share": share}),) if share > COINCIDENCE else ()
        figures = {
            "columns": len(names),
            "unique": int(alone.sum()),
            "unique_copied": int((alone & copied).sum()),
            "released": int(released[pool.original.counts > 0].sum()),
        }
        few = (figures["unique_copied"],)
        return PeopleShare(people, pool.original.people, seen, figures, notes=notes, few=few)

    def explain_further(self, result: Result) -> Iterator[Step]:
        """Yield how many unique rows are copied."""
        yield Step("copies", {name: result.figures[name] for name in ("unique", "unique_copied", "released")})
