"""Utility bias: how much the result of your own analysis differs between the release and the original.

Definition
    A function of a table, such as a mean or the accuracy of a model, is computed on the release and on the original;
    the difference must be at most a given bias. The function receives each table just as it was passed to `Release`.

Formula
    |f(release) - f(original)|; holds if ≤ max_bias

Example
    Ages in bands of ten, read at their lower end, are 2.5 years too low on average.

    >>> from PETWorks import Release
    >>> def mean_age(table):
    ...     return sum(int(age[:2]) for age in table["age"]) / len(table["age"])
    >>> release = Release({"age": ["30-39", "40-49"]}, original={"age": ["34", "41"]})
    >>> result = release.ask(UtilityBias(function=mean_age, max_bias="2.5"))
    >>> print(result.exact, result.holds)
    5/2 True

Reading
    0: the analysis gives the same result on both. It says nothing about any other analysis.

Reference
    ISO/IEC 20889:2018 discusses the usefulness of de-identified data for intended analyses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar

from PETWorks.errors import CellText, FunctionError
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Figures,
    Limit,
    Need,
    Number,
    Page,
    ParameterError,
    Result,
    Scope,
    Side,
    Step,
    Words,
    function,
    number,
)


class UtilityBias(Figures):
    """Difference between the values of a function on the release and on the original, at most a bias."""

    function: Callable[[Any], Any] = function(kw_only=False)
    max_bias: Number | None = number(default=None, limit=Side.AT_MOST, least=0)

    name: ClassVar[str] = "utility bias"
    family: ClassVar[str] = "utility"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.ORIGINAL})
    examples: ClassVar = ({"function": "builtins:len", "max_bias": 1},)
    fixed_parts: ClassVar = ("bias",)
    words: ClassVar = {
        "en": Words(
            "utility bias",
            "The analysis gives {released} on the release and {original} on the original.",
            "difference",
            {
                "bias": "The analysis gives {released} on the release and {original} on the original; they differ by"
                " |{released} - {original}| = {score}.",
                "untold": "it speaks of this one analysis and no other.",
                "improve": "generalise less the columns that the analysis reads.",
            },
            parts={"bias": "bias"},
            parameters={"function": "a function that computes a number from a table"},
        ),
        "zh_TW": Words(
            "效用偏差",
            "以同一分析計算，發布資料表得 {released}，原始資料表得 {original}。",
            "差異",
            {
                "bias": "以同一分析計算，發布資料表得 {released}，原始資料表得 {original}；"
                "差異為 |{released} - {original}| = {score}。",
                "untold": "僅反映此項分析，不代表其他分析。",
                "improve": "降低分析所用欄位的概化層級。",
            },
            parts={"bias": "偏差"},
            parameters={"function": "由資料表計算出一個數字的函式"},
            page=Page(
                summary="您自己的分析，在發布資料表與原始資料表上的結果相差多少。",
                definition="以資料表為輸入的函式，例如平均數或模型的準確率，分別在發布資料表與原始資料表上計算；"
                "差異不得超過給定的偏差。函式收到的資料表，與傳給 `Release` 的完全相同。",
                formula="|f(發布資料表) - f(原始資料表)|；≤ max_bias 即滿足",
                example="以十歲為一組的年齡，取下限計算，平均低 2.5 歲。",
                reading="0：該分析看不出差異。它只說明這一項分析，不代表其他分析。",
            ),
            reference="ISO/IEC 20889:2018 論及去識別化資料對預定分析的有用程度。",
        ),
    }

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the difference of the function's values on the release and on the original."""
        yield self._build_figure(*facts.apply_to_both(self.call_function))

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield both values and their difference."""
        answers = {name: result.figures[name] for name in ("released", "original")}
        yield Step("bias", answers | {"score": result.exact})

    def of_anything(self, released: Any, original: Any) -> Result:  # noqa: ANN401
        """Return the result for two objects that the function accepts, instead of for a release."""
        return self.result([self._build_figure(*map(self.call_function, (released, original)))], Scope("", 0, 0, 0, {}))

    def _build_figure(self, released: Fraction, original: Fraction) -> Figure:
        figures = {"released": released, "original": original}
        return Figure("bias", abs(released - original), self.max_bias, figures=figures)

    def call_function(self, table: Any) -> Fraction:  # noqa: ANN401
        """Return the function's value for a table; raise a FunctionError if it fails or returns no finite number."""
        name = getattr(self.function, "__name__", repr(self.function))
        try:
            answer = self.function(table)
        except Exception as error:
            figures = {"name": name, "kind": type(error).__name__, "error": CellText(str(error))}
            raise FunctionError("the function {name} raised {kind}: {error}", figures=figures) from error
        try:
            return Limit.of(None if isinstance(answer, str) else answer).exact  # type: ignore[arg-type]
        except ParameterError:
            problem = "the function {name} must return a finite number, not {answer}"
            figures = {"name": name, "answer": CellText(f"{answer!r:.60}")}
            raise FunctionError(
                problem, hint="return a float, an int, a Decimal or a Fraction", figures=figures
            ) from None
