"""Population uniqueness: the share of the population that is like nobody else, estimated from the release.

Definition
    Whoever is unique in the population is found for sure once the adversary knows the quasi-identifiers. With a table
    of the population such people are counted. Otherwise their number is estimated from the class sizes of the release,
    for a stated population size or sampling fraction, by three models: Zayatz, Pitman, and the slide negative binomial
    (SNB). Dankar's rule chooses: Pitman if the sample is at most a tenth of the population, otherwise the smaller of
    SNB and Zayatz; Zayatz where the chosen one finds no solution.

Formula
    people who are alone on the quasi-identifiers ÷ people of the population; the estimators are in `superpopulation.py`

Example
    One in a hundred of a population was sampled; 100 of 613 people stand alone in the sample.

    >>> from PETWorks import Release
    >>> sizes = {1: 100, 2: 40, 3: 20, 4: 12, 5: 8, 8: 5, 15: 3, 40: 2, 120: 1}
    >>> rows = [f"{size}-{number}" for size, many in sizes.items() for number in range(many) for _ in range(size)]
    >>> result = Release({"class": rows}).ask(PopulationUniqueness(population_size=61300))
    >>> print(result.figures["estimator"], round(result.value, 10), round(result.parts["zayatz"].value, 10))
    pitman 0.0148126726 0.0333056006

Reading
    0: nobody is alone. It is an estimate: where the models differ much, little is known. An estimator without a
    solution gives no value and says why; an estimate of 0 means that the release has no unique rows.

Reference
    F. K. Dankar, K. El Emam, A. Neisa, T. Roffey, "Estimating the Re-Identification Risk of Clinical Data Sets", BMC
    Medical Informatics and Decision Making 12:66, 2012, doi:10.1186/1472-6947-12-66. N. Hoshino, "Applying Pitman's
    Sampling Formula to Microdata Disclosure Risk Assessment", Journal of Official Statistics 17(4), 2001. G. Chen, S.
    Keller-McNulty, "Estimation of Identification Disclosure Risk in Microdata", Journal of Official Statistics 14(1),
    1998. L. Zayatz, "Estimation of the Percent of Unique Population Elements on a Microdata File Using the Sample",
    U.S. Bureau of the Census, 1991.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from PETWorks.errors import PopulationError, Quantity
from PETWorks.measure.formulas import superpopulation
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Limit,
    Need,
    NotAskableError,
    Note,
    Number,
    Page,
    ParameterError,
    Result,
    ResultPart,
    Risk,
    Side,
    Step,
    Words,
    build_grouping_step,
    number,
)

MODELS = {
    "pitman": superpopulation.estimate_by_pitman,
    "zayatz": superpopulation.estimate_by_zayatz,
    "snb": superpopulation.estimate_by_snb,
}
SEVERAL = 'pass known="all", population=, or leave out at_most='
ABOUT_ESTIMATES = ("dankar", "no_estimate")  # notes on which estimate was chosen, and why an estimate is missing


class PopulationUniqueness(Risk):
    """Share of the population that is unique."""

    population_size: Number | None = number(default=None, least=1, whole=True)
    sampling_fraction: Number | None = number(default=None, above=0, most=1)
    at_most: Number | None = number(default=None, limit=Side.AT_MOST, least=0, most=1)

    name: ClassVar[str] = "population uniqueness"
    against: ClassVar[str] = "identity"
    variant_figure: ClassVar[str] = "estimator"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.POPULATION_SIZE})  # met by a population or by a parameter
    scales: ClassVar[bool] = True
    examples: ClassVar = ({"population_size": 100_000}, {"sampling_fraction": "1/10"})
    fixed_parts: ClassVar = ("unique", "pitman", "zayatz", "snb")
    words: ClassVar = {
        "en": Words(
            "population uniqueness",
            "{percent} of the population are like nobody else ({estimator}).",
            "unique people",
            {
                "counted": "The population, generalised as the release is, has {people:person|people}, of whom"
                " {unique} stand alone: a share of {score}.",
                "several_classes": "Somebody is in several classes: nothing can be estimated.",
                "sample": "In the release {unique} of {rows:row|rows} stand alone. The population has"
                " {people:person|people}; the release is {share:%} of it. What the models estimate:",
                "estimate": "{estimator}: {value}",
                "no_estimate": "{estimator}: no value, because {why}",
                "unique": "{estimator} is taken, because {why}: {score}.",
                "untold": "unless it was counted it is an estimate: where the models differ much, little is known.",
                "improve": "generalise quasi-identifiers further, so that fewer stand alone, or suppress those who do.",
            },
            parts={"unique": "unique", "pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB"},
            terms={
                "pitman": "Pitman",
                "zayatz": "Zayatz",
                "snb": "SNB",
                "counted": "counted in the population",
                "none": "not estimated",
                "small_sample": "the release is at most a tenth of the population",
                "smaller": "it is the smaller of SNB and Zayatz",
                "fallback": "the model that Dankar's rule prefers gives no value",
                "no_maximum": "the likelihood has no maximum with 0 < alpha < 1",
                "above_one": "the estimate is above 1",
                "no_pairs": "no class has two rows",
                "no_zero": "its equations have no solution",
                "far_off": "the population it fits is more than ten times off",
                "out_of_range": "its arithmetic leaves the range of floating-point numbers",
            },
            notes={
                "dankar": "{estimator} was taken because {why}.",
                "no_estimate": "{estimator} gives no value: {why}.",
                "several_classes": 'A person is in several classes: nothing can be estimated. With known="all" it can.',
            },
            decided="{estimator}",
            parameters={
                "population_size": "how many people the population has",
                "sampling_fraction": "which share of the population is in the release",
            },
        ),
        "zh_TW": Words(
            "母體唯一性",
            "母體中有 {percent} 的人是獨一無二的（{estimator}）。",
            "獨一無二的人",
            {
                "counted": "母體依發布資料表概化後，{people} 人中有 {unique} 人獨一無二，占 {score}。",
                "several_classes": "有人同時屬於多個等價類，等價類並非人的樣本，因此無法估計。",
                "sample": "發布資料表 {rows} 筆中有 {unique} 筆獨一無二。母體有 {people} 人，"
                "發布資料表占其 {share:%}。各模型的估計值：",
                "estimate": "{estimator}：{value}",
                "no_estimate": "{estimator}：無估計值，因為{why}",
                "unique": "採用 {estimator}，因為{why}：{score}。",
                "untold": "除由母體計數外，均為估計值；各模型差異大時，所知有限。",
                "improve": "進一步概化準識別屬性，使獨一無二的人減少；或遮蔽獨一無二的資料列。",
            },
            parts={"unique": "唯一性", "pitman": "Pitman", "zayatz": "Zayatz", "snb": "SNB"},
            terms={
                "pitman": "Pitman",
                "zayatz": "Zayatz",
                "snb": "SNB",
                "counted": "由母體計數",
                "none": "未估計",
                "small_sample": "發布資料表至多為母體的十分之一",
                "smaller": "其為 SNB 與 Zayatz 中較小者",
                "fallback": "依 Dankar 規則應採用的模型無估計值",
                "no_maximum": "概似函數在 0 < alpha < 1 內無最大值",
                "above_one": "估計值大於 1",
                "no_pairs": "沒有大小為 2 的等價類",
                "no_zero": "方程式無解",
                "far_off": "所配適的母體大小相差超過十倍",
                "out_of_range": "其計算超出浮點數的範圍",
            },
            notes={
                "dankar": "採用 {estimator}，因為{why}。",
                "no_estimate": "{estimator} 無估計值：{why}。",
                "several_classes": '有人同時屬於多個等價類，無法估計；採用 known="all" 則可。',
            },
            decided="{estimator}",
            parameters={"population_size": "母體人數", "sampling_fraction": "發布資料表占母體的比例"},
            page=Page(
                summary="母體中與任何人都不相同者的占比，由發布資料表估計。",
                definition="攻擊者一旦知道準識別屬性，母體中獨一無二的人必定會被找到。若提供母體資料表，即直接計數。"
                "否則依給定的母體大小或抽樣比例，由發布資料表的等價類大小，以三種模型估計：Zayatz、"
                "Pitman 與滑動負二項（SNB）。採用何者依 Dankar 規則：樣本至多為母體的十分之一時採用 Pitman，"
                "否則採用 SNB 與 Zayatz 中較小者；所選模型無解時採用 Zayatz。",
                formula="準識別屬性與他人皆不相同的人數 ÷ 母體人數；估計式見 superpopulation.py",
                example="由母體抽樣百分之一；樣本的 613 人中，有 100 人獨一無二。",
                reading="0：沒有人獨一無二。這是估計：各模型差異很大時，表示所知有限。"
                "無解的模型不提供數值，並說明原因；估計值為 0 表示發布資料表中沒有獨一無二的資料列。",
            ),
        ),
    }

    def __post_init__(self) -> None:
        """Check that the population size is passed in one way only."""
        super().__post_init__()
        if self.population_size is not None and self.sampling_fraction is not None:
            raise ParameterError("pass population_size or sampling_fraction, not both")

    def find_implied_size(self, name: str, part: ResultPart) -> int:  # noqa: ARG002
        """Return 2: where classes have two people or more, nobody is unique."""
        return 2

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the counted share if there is a population; else the estimate that Dankar's rule chooses, then all."""
        if facts.has_population:
            groups = facts.population if len(facts.classes) else facts.classes
            share = Fraction(groups.count_people_in(groups.sizes == 1), groups.everybody or 1)
            yield Figure("unique", share, self.at_most, figures={"estimator": "counted"})
            return
        if facts.classes.everybody < facts.classes.rows:
            if self.at_most is not None:
                raise NotAskableError("nothing can be estimated: a person is in several classes", hint=SEVERAL)
            yield Figure("unique", None, figures={"estimator": "none"}, notes=(Note("several_classes"),))
            return
        sample = superpopulation.Sample(facts.classes.histogram, self._read_population_size(facts))
        estimates = {name: superpopulation.estimate(model, sample) for name, model in MODELS.items()}
        chosen, why = superpopulation.choose_by_dankar(sample, estimates)
        reason = (Note("dankar", {"estimator": chosen, "why": why}),)
        yield Figure("unique", estimates[chosen].value, self.at_most, figures={"estimator": chosen}, notes=reason)
        for name, one in estimates.items():
            notes = (Note("no_estimate", {"estimator": name, "why": one.why_not}),) if one.why_not else ()
            yield Figure(name, one.value, figures=one.fitted or {}, notes=notes)

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the count of unique people; without a population, every estimate and which one is chosen."""
        facts = result.measured
        yield build_grouping_step(facts)
        if not len(facts.classes):
            yield Step("nothing_published")
        elif facts.has_population:
            groups, alone = facts.population, facts.population.sizes == 1
            figures = {"people": groups.everybody, "unique": groups.count_people_in(alone), "score": result.exact}
            yield Step("counted", figures)
        elif facts.classes.everybody < facts.classes.rows:
            yield Step("several_classes")
        else:
            yield from self._explain_estimates(result, facts)

    def _explain_estimates(self, result: Result, facts: Facts) -> Iterator[Step]:
        about = [note for note in result.notes if note.kind in ABOUT_ESTIMATES]
        told = {(note.kind, note.figures["estimator"]): note.figures for note in about}
        lines = []
        for name in MODELS:
            why_not, estimate = told.get(("no_estimate", name)), {"estimator": name, "value": result.figures[name]}
            lines.append(Step("no_estimate", why_not) if why_not else Step("estimate", estimate))
        rows, people = facts.classes.rows, self._read_population_size(facts)
        figures = {"unique": facts.classes.histogram.get(1, 0), "rows": rows, "people": people}
        yield Step("sample", figures | {"share": Fraction(rows, people)}, tuple(lines))
        chosen = told["dankar", result.figures["estimator"]]
        yield Step("unique", {**chosen, "score": result.figures["unique"]})

    def _read_population_size(self, facts: Facts) -> int:
        if self.population_size is not None:
            size = int(Limit.of(self.population_size).exact)
        elif self.sampling_fraction is not None:
            size = round(facts.scope.everybody / Limit.of(self.sampling_fraction).exact)
        else:
            hint = "pass population=, or say how large it is: population_size= or sampling_fraction="
            raise NotAskableError("population uniqueness needs the population or its size", hint=hint)
        if size < (rows := facts.classes.rows):
            hint = "pass a larger population_size=, or a smaller sampling_fraction="
            unit = ("row", "rows") if facts.people_summary is None else ("person", "people")
            figures = {"counted": Quantity(rows, *unit), "people": Quantity(size, "person", "people")}
            problem = "the release has {counted}, more than a population of {people} can hold"
            raise PopulationError(problem, hint=hint, figures=figures)
        return size
