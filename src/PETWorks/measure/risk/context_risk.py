"""Context risk: the chance that somebody tries, and finds the right person.

Definition
    Re-identification risk is the chance that an attempt succeeds. How likely an attempt is, no table tells: these
    chances are stated, by a name for each kind of attempt, and nothing has a default. A public release is attempted for
    certain (`attempts="public"`), whatever stands beside it. The chance of knowing somebody with a condition follows
    from its `prevalence` and a number of `acquaintances`.

Formula
    T·r, T the largest stated chance, r the highest or the average re-identification risk for the chosen adversary (of
    the journalist, the average is the success rate; the marketer has an average only), or `individual`: by weights.
    With `combine="any"`, one of several independent attempts succeeds: 1 - Π(1 - T·r). Acquaintances: T = 1 - (1 -
    prevalence)^acquaintances. It holds if ≤ the limit; a highest 1/size asks for classes of T/limit people, rounded up.

Example
    Five people look alike, so that one of five attempts succeeds. A breach is the likelier attempt: 0.27/5 is above
    0.05. Six people would do.

    >>> from PETWorks import Release
    >>> stated = ContextRisk(
    ...     attempts={"insider": "0.05", "breach": "0.27"}, risk="highest", adversary="prosecutor", limit="0.05"
    ... )
    >>> result = Release({"year": ["198*"] * 5}).ask(stated)
    >>> print(result.exact, result.holds, result.figures["people asked"])
    27/500 False 6

Reading
    Lower is better. A chance that is stated too low hides a table that fails; if T is at most the limit, no table can.
    A public release takes the highest risk, that of whoever is found most easily; the average is of a random person.

Reference
    K. El Emam, "Guide to the De-Identification of Personal Health Information", CRC Press, 2013; Information and
    Privacy Commissioner of Ontario, "De-identification Guidelines for Structured Data", 2016.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Literal, TypeVar, cast

from PETWorks.exact.limit import LARGEST_LIMIT
from PETWorks.exact.sums import convert_to_decimal, is_simple
from PETWorks.measure.plugin import (
    Facts,
    Figure,
    Limit,
    Note,
    Number,
    Page,
    ParameterError,
    Result,
    Risk,
    Side,
    Step,
    Words,
    build_grouping_step,
    number,
    table,
    word,
)
from PETWorks.measure.risk.individual_risk import find_success
from PETWorks.measure.steps import Name

PUBLIC = "public"  # the name of an attempt that is certain
HALVINGS = 200  # enough for sixty digits
BITS = 13_000  # the most of all chances together: Python writes no whole number of more than 4,300 digits


def find_chance_of_acquaintance(prevalence: Fraction, acquaintances: int) -> Fraction:
    """Return the chance of knowing somebody with a condition of this prevalence among so many acquaintances.

    >>> float(find_chance_of_acquaintance(Fraction("0.001"), 150))
    0.13935661731696358
    """
    return 1 - (1 - prevalence) ** acquaintances


class Attempts:
    """The stated attempts by name: a chance each, or a prevalence and a number of acquaintances.

    `any_of`: one success of several independent attempts is enough; else the likeliest attempt counts.
    """

    def __init__(self, stated: Mapping[str, Any], *, any_of: bool) -> None:
        self.stated, self.any_of = stated, any_of
        self.chances = {name: _read_chance(one) for name, one in stated.items()}
        if sum(chance.denominator.bit_length() for chance in self.chances.values()) > BITS:
            raise ParameterError("attempts have too many digits", hint="write prevalences with fewer digits")

    @property
    def counted(self) -> Mapping[str, Fraction]:
        """The chances that matter: beside a public release, which is attempted for certain, no other does."""
        return {PUBLIC: self.chances[PUBLIC]} if PUBLIC in self.chances else self.chances

    @property
    def largest(self) -> Fraction:
        """The chance of the most likely attempt."""
        return max(self.counted.values())

    def format_chances(self) -> dict[str, str]:
        """Return the chances as decimals of at most four digits, or in full if that is shorter."""
        return {name: f"{float(chance):.4g}" for name, chance in self.chances.items()}

    def compute_success(self, risk: Fraction) -> Fraction:
        """Return the chance that somebody tries and succeeds, if an attempt succeeds with a chance of `risk`."""
        if self.any_of:
            return 1 - math.prod((1 - chance * risk for chance in self.counted.values()), start=Fraction(1))
        return self.largest * risk

    def find_allowed_risk(self, limit: Fraction) -> Fraction:
        """Return about the largest chance of success at which an attempt keeps the limit, to compare a risk with."""
        if not self.any_of:
            return limit / self.largest if self.largest else Fraction(1)
        low, high = Fraction(0), Fraction(1)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.compute_success(middle) > limit else (middle, high)
        return low

    def cannot_exceed(self, limit: Limit) -> bool:
        """Return True if even attempts that succeed for certain keep the limit."""
        return _meets_limit(limit, self.compute_success(Fraction(1)))

    def find_required_people(self, limit: Limit) -> int | None:
        """Return the least number of people to choose among so that the limit is kept; None if there is none."""
        if limit.exact == 0:
            return None if self.largest else 1
        least, enough = 1, max(1, math.ceil(sum(self.counted.values()) / limit.exact))
        while least < enough:  # ranges of Python end at 64 bits
            people = (least + enough) // 2
            if _meets_limit(limit, self.compute_success(Fraction(1, people))):
                enough = people
            else:
                least = people + 1
        return least


def _read_chance(stated: Limit | Mapping[str, Limit]) -> Fraction:
    if isinstance(stated, Limit):
        return stated.exact
    return find_chance_of_acquaintance(stated["prevalence"].exact, int(stated["acquaintances"].exact))


def _meets_limit(limit: Limit, value: Fraction) -> bool:
    return Side.AT_MOST.allows(limit.compare(value))


T = TypeVar("T")


def explain_chances(known: Attempts) -> Step:
    """Build the step that lists the chances of attempts, as they were stated or computed from a prevalence."""
    return Step(
        "stated", {}, tuple(_explain_chance(name, one, known.chances[name]) for name, one in known.stated.items())
    )


def _explain_chance(name: str, one: Limit | Mapping[str, Limit], chance: Fraction) -> Step:
    if isinstance(one, Limit):
        return Step("attempt", {"name": Name(name), "chance": one})
    return Step("acquaintance", {"name": Name(name), "chance": chance, **one})


def name_counted(known: Attempts) -> list[Name]:
    """Return the names of the attempts that count: the likeliest, or all."""
    return [Name(name) for name, chance in known.counted.items() if known.any_of or chance == known.largest]


def combine_chances(known: Attempts, found: Fraction | float, score: Fraction | float) -> Step:
    """Build the step that combines the chances with that of success: the largest, or those of all."""
    if not known.any_of:
        return Step("largest", {"names": name_counted(known), "chance": known.largest, "found": found, "score": score})
    return Step("any", {"missed": 1 - score, "score": score}, tuple(_explain_missed(known, found)))


def _explain_missed(known: Attempts, found: Fraction | float) -> Iterator[Step]:
    for name, chance in known.counted.items():
        success: Fraction | float = chance * found
        figures = {"chance": chance, "found": found, "success": success, "missed": 1 - success}
        yield Step("missed", {"name": Name(name), **figures})


def explain_needed_people(
    known: Attempts, limit: Limit, kind: Callable[[str, Mapping[str, Any]], T] | None
) -> Iterator[T]:
    """Yield the step or note on the number of people that an attempt must choose among, if a kind is given."""
    people = known.find_required_people(limit)
    if kind and people is None:
        yield kind("needed_none", {"limit": limit})
    elif kind and not known.cannot_exceed(limit):
        yield kind("needed", {"limit": limit, "people": people})


def find_doubts(known: Attempts, limit: Limit, risk: str) -> Iterator[Note]:
    """Yield notes that put the verdict in doubt: a limit that no table exceeds, an average for the highest."""
    if known.cannot_exceed(limit):
        figures = {"reach": known.compute_success(Fraction(1)), "limit": limit}
        yield Note("cannot_fail", figures, warning=True, leading=True)
    if PUBLIC in known.chances and risk == "average":
        yield Note("public_average", warning=True)


Figured = Literal["highest", "average"]
Adversary = Literal["prosecutor", "journalist", "marketer", "individual"]
Combination = Literal["largest", "any"]
ASKING = ("prosecutor highest", "journalist highest")  # risks whose limits require a class size
KNOWING = {"prevalence": number(least=0, most=1), "acquaintances": number(least=1, most=10_000, whole=True)}
NEEDED = {
    "en": {
        "needed": "To keep {limit}, an attempt must have to choose among at least {people:person|people}.",
        "needed_none": "However many people an attempt has to choose among, {limit} cannot be kept.",
    },
    "zh_TW": {
        "needed": "要使機率不超過 {limit}，嘗試者須自至少 {people} 人中猜測。",
        "needed_none": "無論自多少人中猜測，機率都會超過 {limit}。",
    },
}
KNOWN = {"insider": "0.05", "neighbour": {"prevalence": "0.001", "acquaintances": 150}}


class ContextRisk(Risk):
    """Chance that somebody tries and finds the right person."""

    attempts: Mapping[str, Any] | Literal["public"] = table(least=0, most=1, alone=("public",), inner=KNOWING)
    risk: Figured = word(Figured)
    adversary: Adversary = word(Adversary)
    limit: Number = number(limit=Side.AT_MOST, least=0, most=1)
    combine: Combination = word(Combination, default="largest")

    name: ClassVar[str] = "context risk"
    against: ClassVar[str] = "identity"
    scales: ClassVar[bool] = True
    examples: ClassVar = (
        {"attempts": {"breach": "0.27"}, "risk": "highest", "adversary": "prosecutor", "limit": "0.05"},
        {"attempts": "public", "risk": "average", "adversary": "journalist", "limit": "0.09"},
        {"attempts": KNOWN, "risk": "average", "adversary": "marketer", "limit": "0.2", "combine": "any"},
    )
    fixed_parts: ClassVar = ("success",)
    population_if: ClassVar = {"adversary": ("journalist", "marketer")}
    variant_figure: ClassVar[str] = "whose"
    words: ClassVar = {
        "en": Words(
            "context risk",
            "Somebody tries and finds the right person with a chance of {value}. Stated chances: {attempts}; counted:"
            " {counted}. An attempt succeeds with a chance of {found} ({whose}).",
            "chance of an attempt that succeeds",
            {
                "stated": "The chances of attempts were stated, not measured:",
                "attempt": "{name}: {chance}",
                "acquaintance": "{name}: one of {acquaintances} acquaintances has what {prevalence} of people have:"
                " 1 - (1 - {prevalence})^{acquaintances} = {chance}",
                "found": "An attempt succeeds with a chance of {found:exact}: re-identification risk, {whose}.",
                "no_population": "No population was given: the adversary chooses among the people of the release.",
                "largest": "The likeliest attempt counts ({names}): {chance} × {found} = {score:exact}.",
                "missed": "{name}: {chance} × {found} = {success}; it does not succeed with {missed}",
                "any": "If they are independent, none succeeds with the product of these chances, {missed}; at least"
                " one does: 1 - {missed} = {score:exact}.",
                **NEEDED["en"],
                "untold": "whether the stated chances are right: they follow from contracts and safeguards.",
                "improve": "generalise quasi-identifiers further, or make attempts less likely, and state why.",
            },
            parts={"success": "success"},
            terms={
                "public": "public",
                "prosecutor highest": "prosecutor, highest",
                "prosecutor average": "prosecutor, average",
                "journalist highest": "journalist, highest",
                "journalist average": "journalist, success rate",
                "marketer average": "marketer",
                "individual highest": "individual risk by weights, highest",
                "individual average": "individual risk by weights, average",
            },
            notes={
                **NEEDED["en"],
                "cannot_fail": "No table can fail this context risk: even if everybody were found, the chance would be"
                " {reach}, and {limit} is allowed. That it holds says nothing about the table.",
                "brief_cannot_fail": "no table can fail this.",
                "public_average": "a public release is judged by its highest risk, of the person found most easily.",
            },
            parameters={
                "attempts": "each attempt with its chance, or with a prevalence and acquaintances; `public`: certain",
                "risk": "which re-identification risk is taken",
                "adversary": "whose re-identification risk is taken",
                "limit": "the largest chance that is allowed",
                "combine": "whether the likeliest attempt counts, or the chance that any succeeds",
            },
        ),
        "zh_TW": Words(
            "情境風險",
            "有人嘗試並識別出正確的人的機率為 {value}。所述的嘗試機率：{attempts}；計入：{counted}。"
            "嘗試成功的機率為 {found}（{whose}）。",
            "嘗試且成功的機率",
            {
                "stated": "嘗試的機率係由使用者陳述，並非量測所得：",
                "attempt": "{name}：{chance}",
                "acquaintance": "{name}：所認識的 {acquaintances} 人中，有人具有盛行率為 {prevalence} 之狀況的機率為"
                " 1 - (1 - {prevalence})^{acquaintances} = {chance}",
                "found": "嘗試成功的機率為 {found:exact}：再識別風險，{whose}。",
                "no_population": "未提供母體：攻擊者自發布資料表的人中猜測。",
                "largest": "以最可能的嘗試計（{names}）：{chance} × {found} = {score:exact}。",
                "missed": "{name}：{chance} × {found} = {success}；不成功的機率為 {missed}",
                "any": "若互相獨立，皆不成功的機率為各項之積 {missed}；至少一項成功：1 - {missed} = {score:exact}。",
                **NEEDED["zh_TW"],
                "untold": "所述的機率是否正確。這取決於契約、接收者與保護措施，資料表無法顯示。",
                "improve": "進一步概化準識別屬性，使等價類變大；遮蔽人數少的等價類；或降低嘗試的可能性，並說明其理由。",
            },
            parts={"success": "嘗試成功"},
            terms={
                "public": "公開發布",
                "prosecutor highest": "檢察官攻擊模型，最高風險",
                "prosecutor average": "檢察官攻擊模型，平均風險",
                "journalist highest": "記者攻擊模型，最高風險",
                "journalist average": "記者攻擊模型，成功率",
                "marketer average": "行銷者攻擊模型",
                "individual highest": "依權數的個別風險，最高",
                "individual average": "依權數的個別風險，平均",
            },
            notes={
                **NEEDED["zh_TW"],
                "cannot_fail": "任何資料表都不會違反這項情境風險要求：即使每個人都被識別出來，機率也只有 {reach}，"
                "而上限為 {limit}。滿足並不表示資料表安全。",
                "brief_cannot_fail": "任何資料表都不會違反。",
                "public_average": "公開發布應看最高風險：平均無法說明最容易被識別的人。",
            },
            parameters={
                "attempts": "各種嘗試及其機率（0 至 1），或盛行率與認識的人數；`public` 表示必然有人嘗試",
                "risk": "採用哪一項再識別風險",
                "adversary": "採用哪一種攻擊模型的再識別風險",
                "limit": "容許的最大機率",
                "combine": "以最可能的嘗試計，或以任一嘗試成功的機率計",
            },
            page=Page(
                summary="有人嘗試，並且找到正確的人的機率。",
                definition="再識別風險是嘗試成功的機率。有人嘗試的機率取決於誰接收資料，資料表無法顯示，"
                '因此須逐一陳述各種嘗試及其機率，沒有任何預設值。公開發布必然有人嘗試（`attempts="public"`），並列的其他嘗試不影響結果。'
                "認出熟人的機率，由盛行率（`prevalence`）與認識的人數（`acquaintances`）算出。",
                formula="T·r，T 為最大的所述機率，r 為所選攻擊模型的最高或平均再識別風險（記者：成功率），"
                "或依權數的個別風險（`individual`）。"
                '`combine="any"`：至少一項獨立嘗試成功，1 - Π(1 - T·r)。熟人：T = 1 - (1 - prevalence)^acquaintances\n'
                "≤ 上限即滿足。r 為最高風險時，等價類須有 T/limit 人（無條件進位）。",
                example="五人看起來相同，故五次嘗試中有一次成功。外洩是較可能的嘗試：0.27/5 高於 0.05；六人則可。",
                reading="越小越好。陳述過低的機率，會掩蓋不滿足的資料表。若 T 不超過上限，任何資料表都不會違反，"
                "結果會先說明這一點。最高風險屬於最容易被識別者，公開發布應採用；平均風險屬於隨機一人。",
            ),
        ),
    }

    def __post_init__(self) -> None:
        """Check the parameters, and that the adversary has the risk that was asked for."""
        super().__post_init__()
        if (self.adversary, self.risk) == ("marketer", "highest"):
            raise ParameterError("the marketer has no highest risk", hint='pass risk="average"')
        _ = self._stated  # raises an error if there are too many digits

    @property
    def _whose(self) -> str:
        return f"{self.adversary} {self.risk}"

    @property
    def _stated(self) -> Attempts:
        return Attempts(cast("Mapping[str, Any]", self.attempts), any_of=self.combine == "any")

    @property
    def cannot_fail(self) -> bool:
        """True if no table can fail the limit."""
        return self._stated.cannot_exceed(Limit.of(self.limit))

    @property
    def requested_size(self) -> int | None:
        """The class size that the limit requires, if the risk is the highest of a prosecutor."""
        people = (
            self._stated.find_required_people(Limit.of(self.limit)) if self._whose == "prosecutor highest" else None
        )
        return min(people, LARGEST_LIMIT) if people and people != 1 else None

    def figures(self, facts: Facts) -> Iterator[Figure]:
        """Yield the chance that somebody tries and succeeds."""
        known, limit, highest = self._stated, Limit.of(self.limit), self._whose in ASKING
        found = find_success(facts, self._whose, known.find_allowed_risk(limit.exact))
        success, told = known.compute_success(found), Fraction(found) if is_simple(found) else float(found)
        notes = (*find_doubts(known, limit, self.risk), *explain_needed_people(known, limit, Note if highest else None))
        figures: dict[str, Any] = {"whose": self._whose, "found": told, "attempts": known.format_chances()}
        asked = {"people asked": known.find_required_people(limit)} if highest else {}
        figures |= {"counted": name_counted(known), **asked}
        yield Figure(
            "success", success if is_simple(found) else convert_to_decimal(success), limit, figures=figures, notes=notes
        )

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield the stated chances, the re-identification risk, and their combination."""
        facts, known, found = result.measured, self._stated, result.figures["found"]
        yield from (build_grouping_step(facts), explain_chances(known))
        yield Step("found", {"found": found, "whose": self._whose})
        if self.adversary in ("journalist", "marketer") and not facts.has_population:
            yield Step("no_population")
        yield combine_chances(known, found, result.best_known or Fraction(0))
        yield from explain_needed_people(known, Limit.of(self.limit), Step if self._whose in ASKING else None)
