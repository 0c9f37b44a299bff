"""Transfer accuracy: what is learnt from the release, tried on people who took no part.

Definition
    A naive Bayes classifier learns the target from the other columns: once from the release, once from the original.
    Both are tried on the hold-out. The loss is what the release costs somebody who learns from it.

Formula
    share of the hold-out that is named correctly; loss = that of the original - that of the release. A class t gets
    count(t) · Π_c (count(c, t) + 1)/(count(t) + values of c).

Example
    Where disease is independent of zip in the release, nothing can be learnt about it.

    >>> from PETWorks import Release
    >>> people = {"zip": ["1", "1", "2", "2"], "ill": ["flu", "flu", "hay", "hay"]}
    >>> dealt = {"zip": ["1", "2", "1", "2"], "ill": ["flu", "flu", "hay", "hay"]}
    >>> release = Release(dealt, original=people, holdout=people, synthetic=True)
    >>> result = release.ask(TransferAccuracy(target="ill"))
    >>> print(result.exact, result.parts["of the original"].exact, result.parts["loss"].exact)
    1/2 1 1/2

    Other classifiers are those of scikit-learn (extra `analysis`): ``model=DecisionTreeClassifier``, or a function that
    builds one, such as ``lambda: RandomForestClassifier(random_state=0)``. Columns of numbers are numbers to these, and
    each value of another column is a column of 0 and 1.

Reading
    A loss of 0: as good to learn from as the original. It speaks of this target and this classifier only. With a model
    of scikit-learn, figures may differ by its version and its seed.

Reference
    C. Esteban, S. L. Hyland, G. Rätsch, "Real-valued (Medical) Time Series Generation with Recurrent Conditional GANs",
    2017, arXiv:1706.02633 (train on synthetic, test on real).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import comb, prod
from typing import Any, ClassVar

import numpy as np

from PETWorks.errors import CellText
from PETWorks.facts.pool import Pool
from PETWorks.measure.original_people import COARSER, PoolFigures
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    FloatArray,
    FunctionError,
    IntArray,
    Name,
    Need,
    NotAskableError,
    Note,
    Number,
    Page,
    Result,
    Side,
    Step,
    Words,
    column,
    model,
    number,
    parse_number,
)

CLOSE = 1e-9  # scores whose logarithms differ by less are compared as fractions
MOST_FEATURES = 2 * 10**8  # cells of what a model learns from, at most: 1.6 GB


class TransferAccuracy(PoolFigures):
    """Share of the hold-out that a classifier trained on the release classifies correctly."""

    target: str | None = column(default=None)
    max_loss: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    model: Callable[[], Any] | None = model(default=None)

    name: ClassVar[str] = "transfer accuracy"
    family: ClassVar[str] = "utility"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL, Need.HOLDOUT})
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"target": "disease", "max_loss": "0.9"},)
    fixed_parts: ClassVar = ("of the release", "of the original", "loss", "chance")
    words: ClassVar = {
        "en": Words(
            "transfer accuracy",
            "Learnt from the release, {target} is named right for {percent} of the hold-out.",
            "named right",
            {
                "of the release": "Learnt from the release, {target} is right for {right} of {of:person|people} of the"
                " hold-out: {score}.",
                "of the original": "Learnt from the original, for {right}: {score}.",
                "loss": "The release costs {score}.",
                "chance": "{only_original} are right only if learnt from the original, {only_release} only if learnt"
                " from the release; by chance so many of these, or more, are the original's with {score}.",
                "untold": "it speaks of this target and this classifier; another one may lose more or less.",
                "improve": "let the model that makes the release learn the target with the columns it depends on.",
            },
            parts={
                "of the release": "learnt from the release",
                "of the original": "learnt from the original",
                "loss": "loss",
                "chance": "by chance",
            },
            parameters={
                "target": "the column that is to be named; otherwise the sensitive attribute",
                "max_loss": "how much less is right than if learnt from the original",
                "model": "builds a classifier of scikit-learn; otherwise naive Bayes is used, which is exact",
                **COARSER["en"],
            },
            notes={"of_model": "Learnt by {model}: these figures are not exact, and may differ by version and seed."},
        ),
        "zh_TW": Words(
            "遷移準確率",
            "以發布資料表學習，對照組中有 {percent} 的「{target}」判斷正確。",
            "判斷正確",
            {
                "of the release": "以發布資料表學習，對照組 {of} 人中有 {right} 人的「{target}」判斷正確：{score}。",
                "of the original": "以原始資料學習，有 {right} 人：{score}。",
                "loss": "使用發布資料表的損失為 {score}。",
                "chance": "{only_original} 人僅在以原始資料學習時正確，{only_release} 人僅在以發布資料表學習時正確；"
                "其中屬於前者的人數出於隨機而有這麼多或更多的機率為 {score}。",
                "untold": "僅就此目標與此分類器而言，其他分類器的損失可能更多或更少。",
                "improve": "讓產生資料的模型一併學習目標與其相關的欄位。",
            },
            parts={
                "of the release": "以發布資料表學習",
                "of the original": "以原始資料學習",
                "loss": "損失",
                "chance": "出於隨機的機率",
            },
            parameters={
                "target": "要判斷的欄位；否則為敏感屬性",
                "max_loss": "比以原始資料學習時，判斷正確的比例最多可少多少",
                "model": "建立 scikit-learn 分類器的函式；否則使用精確的單純貝氏分類器",
                **COARSER["zh_TW"],
            },
            notes={"of_model": "以 {model} 學習：數值並非精確，可能因版本與亂數種子而異。"},
            page=Page(
                summary="由發布資料表學到的，在未參與的人身上是否適用。",
                definition="以單純貝氏分類器由其他欄位學習目標欄位：一次用發布資料表，一次用原始資料；"
                "兩者都在對照組上測試。損失即為以發布資料表學習的代價。",
                formula="對照組中判斷正確的比例；損失 = 原始資料的比例 - 發布資料表的比例。"
                "類別 t 的分數為 count(t) · Π_c (count(c, t) + 1)/(count(t) + c 的值數)。",
                example="發布資料表使疾病與郵遞區號無關，由此學不到任何事。",
                reading="損失 0：與原始資料一樣適合學習。僅就此目標與此分類器而言。"
                "若使用 scikit-learn 的模型（選用套件 `analysis`），數值可能因版本與亂數種子而異。",
            ),
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the shares that are right, the loss, and the sign test."""
        target = self._find_target(facts)
        pool = self.find_pool(facts, facts.comparable, with_holdout=True)
        assert pool.holdout is not None  # noqa: S101 (this measure needs one)
        known = [name for name in pool.columns if name != target]
        learnt = Bayes if self.model is None else partial(Learnt, build=self.model)
        ones = [learnt(pool, known, target, counts) for counts in (pool.released, pool.original.counts)]
        right = [one.guess() == pool.columns[target].codes for one in ones]
        of, people = int(pool.holdout.counts.sum()), pool.holdout.counts
        release, original = (int(people[some].sum()) for some in right)
        only_original, only_release = int(people[right[1] & ~right[0]].sum()), int(people[right[0] & ~right[1]].sum())
        told = {"target": Name(target), "right": release, "of": of}
        notes = tuple(self.list_notes(facts))
        if self.model is not None:
            notes = (*notes, Note("of_model", {"model": Name(getattr(self.model, "__name__", "model"))}))
        yield Figure("of the release", Fraction(release, of), side=Side.AT_LEAST, figures=told, notes=notes)
        yield Figure("of the original", Fraction(original, of), side=None, figures={"right": original})
        yield Figure("loss", Fraction(original - release, of), self.max_loss)
        once = {"only_original": only_original, "only_release": only_release}
        yield Figure("chance", compute_sign_test(only_original, only_release), side=None, figures=once)

    def _find_target(self, facts: Facts) -> str:
        target = self.target if self.target is not None else next(iter(facts.roles.sensitive), None)
        if target is None:
            raise NotAskableError(
                "this measure needs a target column", hint="pass target=, or name a sensitive attribute"
            )
        if target not in facts.comparable:
            known = ", ".join(facts.comparable)
            raise NotAskableError(f'"{target}" is no compared column', hint=f"name one of: {known}")
        if len(facts.comparable) == 1:
            raise NotAskableError("no other column can be compared", hint="a second column is needed")
        return target

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield both shares, the loss and the sign test."""
        for name, part in result.parts.items():
            more = {"target": result.figures["target"]} if name == "of the release" else {}
            figures = {key: one for key, one in part.figures.items() if key != "part"}
            score = part.value if name == "chance" else part.best_known
            yield Step(name, {**figures, **more, "score": score})


@dataclass(frozen=True, eq=False)
class Bayes:
    """A naive Bayes classifier that was learnt from the rows of one table."""

    pool: Pool
    known: list[str]
    target: str
    counts: IntArray

    @cached_property
    def classes(self) -> IntArray:
        """The rows of each class."""
        codes = self.pool.columns[self.target]
        return np.bincount(codes.codes, self.counts, len(codes.values)).astype(np.int64)

    @cached_property
    def tables(self) -> dict[str, IntArray]:
        """By column, the rows with each value (down) of each class (across)."""
        classes = self.pool.columns[self.target]
        found = {}
        for name in self.known:
            own = self.pool.columns[name]
            cells = own.codes.astype(np.int64) * len(classes.values) + classes.codes
            sums = np.bincount(cells, self.counts, len(own.values) * len(classes.values)).astype(np.int64)
            found[name] = sums.reshape(len(own.values), len(classes.values))
        return found

    @cached_property
    def values(self) -> dict[str, int]:
        """The number of values of each column in release and original."""
        used = (self.pool.released > 0) | (self.pool.original.counts > 0)
        return {name: len(np.unique(self.pool.columns[name].codes[used])) for name in self.known}

    def guess(self) -> IntArray:
        """Return the class that each combination of the pool gets."""
        scores: FloatArray = np.log(np.where(self.classes > 0, self.classes, 1e-300))[None, :]
        for name, table in self.tables.items():
            own = np.log(table + 1) - np.log(self.classes + self.values[name])
            scores = scores + own[self.pool.columns[name].codes]
        scores[:, self.classes == 0] = -np.inf
        best: IntArray = scores.argmax(axis=1)
        near = scores >= scores.max(axis=1, keepdims=True) - CLOSE
        for row in np.flatnonzero(near.sum(axis=1) > 1):
            ranks = [(self._rank(int(row), one), one) for one in np.flatnonzero(near[row]).tolist()]
            best[row] = max(ranks)[1]
        return best

    def _rank(self, row: int, one: int) -> tuple[Fraction, int, tuple[int, ...]]:
        """Return the sort key of classes: the score, the rows of the class, and its text; the first one wins."""
        size = int(self.classes[one])
        shares = (
            Fraction(int(table[self.pool.columns[name].codes[row], one]) + 1, size + self.values[name])
            for name, table in self.tables.items()
        )
        text = self.pool.columns[self.target].values[one]
        return prod(shares, start=Fraction(size)), size, tuple(-ord(letter) for letter in text or "")


@dataclass(frozen=True, eq=False)
class Learnt:
    """A classifier of the caller's that was learnt from the rows of one table."""

    pool: Pool
    known: list[str]
    target: str
    counts: IntArray
    build: Callable[[], Any]

    @cached_property
    def features(self) -> FloatArray:
        """What is known of each combination: a number, or for each value 0 or 1."""
        found = list[FloatArray]()
        for name in self.known:
            column = self.pool.columns[name]
            numbers = [parse_number(value) for value in column.values]
            if None in numbers:
                found.append(np.eye(len(numbers), dtype=np.float64)[column.codes])
            else:
                found.append(np.array(numbers, dtype=np.float64)[column.codes][:, None])
        return np.hstack(found)

    def guess(self) -> IntArray:
        """Return the class that each combination of the pool gets."""
        wide = sum(len(self.pool.columns[name].values) for name in self.known)
        if wide * max(int(self.counts.sum()), len(self.counts)) > MOST_FEATURES:
            hint = "make columns coarser with levels= or bins=, or leave model= out"
            raise NotAskableError("the columns have too many values for a model", hint=hint)
        name = getattr(self.build, "__name__", "model")
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        classes = self.pool.columns[self.target].codes
        try:
            learnt = self.build()
            learnt.fit(self.features[rows], classes[rows])
            return np.asarray(learnt.predict(self.features), dtype=np.int64)
        except Exception as error:
            figures = {"name": name, "kind": type(error).__name__, "error": CellText(str(error))}
            hint = "pass the class of a classifier of scikit-learn, or a function without arguments that builds one"
            raise FunctionError("the model {name} raised {kind}: {error}", hint=hint, figures=figures) from error


def compute_sign_test(first: int, second: int) -> Fraction:
    """Return the probability that at least `first` of a number of fair coins show heads.

    >>> compute_sign_test(1, 1)
    Fraction(3, 4)
    """
    coins = first + second
    return Fraction(sum(comb(coins, heads) for heads in range(first, coins + 1)), 2**coins)
