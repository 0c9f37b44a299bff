"""PRAM odds: what a value that was changed by a published matrix of chances tells of the value before.

Definition
    Each value of a column was replaced by chance: P(k → j) is the chance that k is released as j. Somebody who knows
    this matrix, and how many people have each value, works out how likely each original value is. The largest such
    chance counts. The ratio says how much likelier one original value makes a released value than another does; it
    needs no counts.

Formula
    posterior P(k → j)·T_k ÷ Σ_l P(l → j)·T_l; expectation ratio P(k → k)·T_k ÷ Σ_{l≠k} P(l → k)·T_l; gain in odds:
    posterior odds ÷ prior odds; ratio P(k → j) ÷ P(l → j). T are the numbers of people; of each, the largest counts.

Example
    A tenth of 90 "no" is released as "yes", and a fifth of 10 "yes" as "no".

    >>> from PETWorks import Release
    >>> matrix = {"no": {"no": "9/10", "yes": "1/10"}, "yes": {"no": "1/5", "yes": "4/5"}}
    >>> release = Release({"ill": ["no", "yes", "no"]}, pairing="none")
    >>> result = release.ask(PramOdds(target="ill", matrix=matrix, counts={"no": 90, "yes": 10}))
    >>> print(result.exact, result.parts["odds gain"].exact, result.parts["ratio"].exact)
    81/83 8 8

Reading
    Lower is better; 1 is certainty. A large posterior may be nothing new where most people have the value anyway: the
    gain in odds says what the release adds. The logarithm of the ratio is the ε of local differential privacy, of this
    column alone, and only if every cell was drawn anew and by this matrix: no table shows that.

Reference
    J. M. Gouweleeuw, P. Kooiman, L. C. R. J. Willenborg, P.-P. de Wolf, "Post Randomisation for Statistical Disclosure
    Control: Theory and Implementation", Journal of Official Statistics 14(4), 1998.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import ClassVar

import numpy as np

from PETWorks.errors import Quantity
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figure,
    Figures,
    Limit,
    NotAskableError,
    Note,
    Number,
    Page,
    ParameterError,
    Result,
    Side,
    Step,
    Words,
    column,
    number,
    parse_number,
    table,
)
from PETWorks.tables.counting.tally import Tally, is_missing

Matrix = Mapping[str, Mapping[str, Fraction]]  # P(k → j), by k and j


class PramOdds(Figures):
    """Largest chance with which a released value tells the value before it was changed by a published matrix."""

    matrix: Mapping[str, Mapping[str, Number]] = table(least=0, most=1, of_values=True, nested=True)
    max_posterior: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)
    max_ratio: Number | None = number(default=None, limit=Side.AT_MOST, least=1)
    target: str | None = column(default=None)
    counts: Mapping[str, Number] | None = table(least=0, whole=True, of_values=True, default=None)

    name: ClassVar[str] = "PRAM odds"
    family: ClassVar[str] = "risk"
    against: ClassVar[str] = "attribute"
    for_unpaired: ClassVar[bool] = True
    examples: ClassVar = (
        {
            "matrix": {
                "flu": {"flu": "0.9", "cold": "0.1"},
                "cold": {"flu": "0.2", "cold": "0.7", "ulcer": "0.1"},
                "ulcer": {"ulcer": 1},
            },
            "max_posterior": "0.9",
        },
    )
    fixed_parts: ClassVar = ("posterior", "expectation ratio", "odds gain", "ratio")
    words: ClassVar = {
        "en": Words(
            "PRAM odds",
            "A released value tells the value before with a chance of up to {percent}.",
            "largest posterior chance",
            {
                "posterior": "From a released value and the matrix, one value before follows with a chance of up to"
                " {score}; without the release, the most frequent value is right for {prior}.",
                "expectation ratio": "Of the rows released with one value, at most {score} times as many had it before"
                " as got it by chance.",
                "expectation ratio unbounded": "Some released value is always the value before: nobody gets it by"
                " chance.",
                "odds gain": "A released value multiplies the odds of a value before by at most {score}.",
                "odds gain unbounded": "Some released value makes a value before certain, which was not certain"
                " without it: the gain in odds has no bound.",
                "ratio": "One value makes a released value at most {score} times as likely as another value does. This"
                " needs no counts; its logarithm, {epsilon}, is the ε of local differential privacy.",
                "ratio unbounded": "Some released value cannot come from every value: the ratio has no bound, and no ε"
                " of local differential privacy holds.",
                "untold": "whether the cells were drawn by this matrix, each anew; other columns may tell more.",
                "improve": "publish by a matrix whose rows are more alike.",
            },
            parts={
                "posterior": "posterior",
                "expectation ratio": "expectation ratio",
                "odds gain": "gain in odds",
                "ratio": "ratio",
            },
            notes={
                "stated_counts": "The numbers of people with each value are as stated: nobody compared them with an"
                " original.",
                "missing_left_out": "Missing and suppressed cells of the original are left out.",
            },
            parameters={
                "matrix": "by value before, the chance of each released value; each row sums to 1",
                "max_posterior": "the largest chance with which a released value tells the value before",
                "max_ratio": "how many times as likely one value may make a released value as another does",
                "target": "the column that was changed; otherwise the first sensitive attribute",
                "counts": "the number of people with each value; otherwise those of the original",
            },
        ),
        "zh_TW": Words(
            "PRAM 勝算",
            "由發布的值推得原值的機率，最高為 {percent}。",
            "最大的事後機率",
            {
                "posterior": "由發布的值與轉換機率表，可推得某一原值的機率最高為 {score}；"
                "若無發布資料表，猜最常見的值有 {prior} 正確。",
                "expectation ratio": "發布為某一值的資料列中，原本即為該值的列數，至多為隨機轉換而來的 {score} 倍。",
                "expectation ratio unbounded": "某一發布的值必為原值：沒有任何資料列隨機轉換為該值。",
                "odds gain": "發布的值使某一原值的勝算至多成為 {score} 倍。",
                "odds gain unbounded": "某一發布的值使原值成為確定，而發布之前並不確定：勝算的增加沒有上限。",
                "ratio": "發布某一值的可能性，因原值不同，至多相差為 {score} 倍。此比值不需要人數；"
                "其對數 {epsilon} 即為本地差分隱私的 ε。",
                "ratio unbounded": "某一發布的值不可能來自所有原值：比值沒有上限，本地差分隱私的 ε 也不存在。",
                "untold": "各儲存格是否確實依此機率表各自抽取；其他欄位可能透露更多。",
                "improve": "改用各列較為相近的轉換機率表。",
            },
            parts={
                "posterior": "事後機率",
                "expectation ratio": "期望比",
                "odds gain": "勝算的增加",
                "ratio": "比值",
            },
            notes={
                "stated_counts": "各值的人數依使用者所述，未與原始資料比對。",
                "missing_left_out": "未計入原始資料的空白值與已遮蔽的儲存格。",
            },
            parameters={
                "matrix": "各原值發布為各值的機率；每列的總和為 1",
                "max_posterior": "由發布的值推得原值的最大機率",
                "max_ratio": "發布某一值的可能性，因原值不同，最多可相差為幾倍",
                "target": "轉換的欄位；否則為第一個敏感屬性",
                "counts": "各值的人數；否則為原始資料的人數",
            },
            page=Page(
                summary="欄位的值依公開的機率表隨機轉換之後，由發布的值能推知多少原值。",
                definition="欄位的每個值都經隨機轉換：P(k → j) 為 k 發布為 j 的機率。"
                "知道這個機率表以及各值人數的人，可以算出每個原值的可能性，取其中最大的機率。"
                "比值說明發布某一值的可能性因原值不同而相差幾倍，不需要人數。",
                formula="事後機率 P(k → j)·T_k ÷ Σ_l P(l → j)·T_l；期望比 P(k → k)·T_k ÷ Σ_{l≠k} P(l → k)·T_l；"
                "勝算的增加：事後勝算 ÷ 事前勝算；比值 P(k → j) ÷ P(l → j)。T 為人數；各取最大者。",
                example="90 個 no 有十分之一發布為 yes，10 個 yes 有五分之一發布為 no。",
                reading="越低越好；1 表示確定。若多數人本來就是這個值，事後機率大也不代表透露了什麼；"
                "勝算的增加才是發布所添加的。比值的對數即本地差分隱私的 ε，但只限這一個欄位，"
                "且每個儲存格都須確實依此機率表各自抽取；沒有任何資料表能證明這一點。",
            ),
        ),
    }

    def __post_init__(self) -> None:
        """Check the parameters: rows sum to 1, and stated counts have a row each."""
        super().__post_init__()
        for value, row in self._chances.items():
            if (total := sum(row.values())) != 1:
                hint = 'write shares that sum to exactly 1, such as "1/3"; those that are missing are 0'
                raise ParameterError(f"matrix.{value} sums to {total}, not to 1", hint=hint)
        if self.counts is not None:
            if lacking := [value for value in self.counts if value not in self._chances]:
                raise ParameterError(f'counts has "{lacking[0]}", and matrix has no row for it', hint="add the row")
            if not any(Limit.of(many).exact for many in self.counts.values()):
                raise ParameterError("counts has nobody", hint="state how many people have each value")

    @property
    def _chances(self) -> Matrix:
        return {value: {name: Limit.of(one).exact for name, one in row.items()} for value, row in self.matrix.items()}

    def find_odds(self, facts: Facts) -> MatrixOdds:
        """Return what follows from the matrix and the numbers of people."""
        return facts.cache(("PRAM", self), lambda: compute_odds(self._chances, self._find_counts(facts)[0]))

    def _find_counts(self, facts: Facts) -> tuple[dict[str, int], bool]:
        """Return the number of people with each value, and whether missing cells were left out."""
        target = self._find_target(facts)
        yielded = {value for row in self._chances.values() for value, chance in row.items() if chance}
        if target is not None:
            _match(facts.tally_release([target]), target, yielded, facts.marker, "that the matrix never yields")
        if self.counts is not None:
            return {value: int(Limit.of(many).exact) for value, many in self.counts.items()}, False
        if not facts.has_original or target is None:
            hint = "pass original=, or state them as counts={…}"
            raise NotAskableError("this measure needs the number of people with each value", hint=hint)
        original = facts.tally_original([target])
        found = _match(original, target, self._chances, facts.marker, "of the original without a row in the matrix")
        if not found:
            raise NotAskableError(f'all cells of "{target}" are missing', hint="name another column with target=")
        return found, sum(found.values()) < original.rows

    def _find_target(self, facts: Facts) -> str | None:
        if self.target is not None or self.counts is not None:
            return self.target
        if not facts.roles.sensitive:
            raise NotAskableError("this measure needs the column that was changed", hint="pass target=")
        return facts.roles.sensitive[0]

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the largest posterior, expectation ratio, gain in odds, and ratio; None: it has no bound."""
        counts, without_missing = self._find_counts(facts)
        odds = self.find_odds(facts)
        notes = [Note("stated_counts")] if self.counts is not None else []
        notes += [Note("missing_left_out")] if without_missing else []
        few = any(0 < many < THRESHOLD for many in counts.values())
        told = {"prior": odds.prior, "few": few}
        yield Figure("posterior", odds.posterior, self.max_posterior, figures=told, notes=tuple(notes))
        ratios = odds.expectation_ratios.values()
        yield Figure("expectation ratio", None if None in ratios else max(filter(None, ratios), default=Fraction(0)))
        yield Figure("odds gain", odds.odds_gain)
        holds = None if odds.likelihood_ratio is not None else False
        yield Figure("ratio", odds.likelihood_ratio, self.max_ratio, holds=holds)

    def tells_of_few(self, result: Result) -> bool:
        """Return True if fewer than five people have one of the values."""
        return bool(result.figures.get("few"))

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield each figure; those without a bound say so."""
        for name, part in result.parts.items():
            if (score := part.best_known) is None:
                yield Step(f"{name} unbounded")
                continue
            more = {"prior": result.figures["prior"]} if name == "posterior" else {}
            more |= {"epsilon": log(float(score))} if name == "ratio" else {}
            yield Step(name, {**more, "score": score})


@dataclass(frozen=True)
class MatrixOdds:
    """What follows from a matrix of chances and the numbers of people; None: there is no bound."""

    prior: Fraction  # the share of the most frequent value
    posterior: Fraction
    expectation_ratios: Mapping[str, Fraction | None]  # of each value that somebody has
    odds_gain: Fraction | None
    likelihood_ratio: Fraction | None


def compute_odds(matrix: Matrix, counts: Mapping[str, int]) -> MatrixOdds:
    """Compute the odds of the original values.

    >>> same = {"1/2": {"a": Fraction(1, 2), "b": Fraction(1, 2)}}["1/2"]
    >>> compute_odds({"a": same, "b": same}, {"a": 1, "b": 99}).posterior
    Fraction(99, 100)
    """
    people = {value: many for value, many in counts.items() if many}
    everybody = sum(people.values())
    expected: dict[str, Fraction] = {}  # the released rows that are expected of each value
    for value, many in people.items():
        for released, chance in matrix[value].items():
            expected[released] = expected.get(released, Fraction(0)) + chance * many
    posterior, gain, unbounded = Fraction(0), Fraction(0), False
    for value, many in people.items():
        for released, chance in matrix[value].items():
            right, whole = chance * many, expected[released]
            if not right:
                continue
            posterior = max(posterior, right / whole)
            if many == everybody:  # certain before
                gain = max(gain, Fraction(1))
            elif right == whole:
                unbounded = True
            else:
                gain = max(gain, right / (whole - right) / Fraction(many, everybody - many))
    ratios = {
        value: _divide_own(matrix[value].get(value, Fraction(0)) * many, expected.get(value, Fraction(0)))
        for value, many in people.items()
    }
    likelihood = _find_likelihood_ratio(matrix)
    return MatrixOdds(
        Fraction(max(people.values()), everybody), posterior, ratios, None if unbounded else gain, likelihood
    )


def _divide_own(own: Fraction, expected: Fraction) -> Fraction | None:
    """Return the rows that keep a value by those that get it; None if nobody gets it."""
    return None if own and own == expected else own / (expected - own) if own else Fraction(0)


def _find_likelihood_ratio(matrix: Matrix) -> Fraction | None:
    """Return how many times as likely one value makes a released value as another; None if another cannot."""
    largest = Fraction(1)
    for released in {name for row in matrix.values() for name, chance in row.items() if chance}:
        chances = [row.get(released, Fraction(0)) for row in matrix.values()]
        if not min(chances):
            return None
        largest = max(largest, max(chances) / min(chances))
    return largest


def _match(tally: Tally, target: str, known: Collection[str], marker: str, problem: str) -> dict[str, int]:
    """Return the rows of each known value; an error if a cell is neither known nor missing nor suppressed.

    Where all known values are numbers, equal numbers are one value.
    """
    coded = tally.columns[target]
    rows = np.bincount(coded.codes, tally.counts, len(coded.values)).astype(int).tolist()
    numbers = {parse_number(value): value for value in known}
    found: dict[str, int] = {}
    strange = 0
    for value, many in zip(coded.values, rows, strict=True):
        if not many or is_missing(value) or (value == marker and marker not in known):
            continue
        name = value if value in known else None if None in numbers else numbers.get(parse_number(value))
        strange += name is None
        if name is not None:
            found[name] = found.get(name, 0) + many
    if strange:
        figures = {"values": Quantity(strange, "value", "values"), "name": target}
        hint = "pass the matrix by which the column was changed, with a row for each value"
        raise NotAskableError(f'"{{name}}" has {{values}} {problem}', hint=hint, figures=figures)
    return found
