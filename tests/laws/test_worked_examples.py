"""On the worked examples of the five source documents, the steps arrive at the same fractions."""

from fractions import Fraction as F  # noqa: N817
from math import log2

import pytest

import PETWorks as pw
from laws.samples import walk
from PETWorks.plugin import Step

STAFF = {
    "出生年": ["197*", "197*", "198*", "198*", "198*"],
    "薪水": [3000, 4000, 5000, 6000, 8000],
    "疾病": ["胃癌", "流感", "流感", "胃炎", "胃癌"],
}
DISEASES = [("流感", "呼吸感染", "疾病"), ("胃癌", "胃部疾病", "疾病"), ("胃炎", "胃部疾病", "疾病")]
PLACES = {"出生地": ["Germany", "France", "France", "France"], "出生年": [1970, 1977, 1983, 1988]}
MONEY = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}


def steps(result: pw.Result, kind: str) -> list[Step]:
    return [step for step in walk(result.steps) if step.kind == kind]


def text(result: pw.Result, language: str = "en") -> str:
    """The explanation without line breaks."""
    return " ".join(str(result.explain(language)).split())


@pytest.fixture
def closeness() -> pw.Result:
    roles = {"quasi_identifiers": ["出生年"], "sensitive": ["薪水", "疾病"]}
    return pw.Release(STAFF, **roles, hierarchies={"疾病": DISEASES}).ask(pw.TCloseness(t="0.4"))


def test_precision():
    released = {"出生地": ["Europe"] * 4, "出生年": ["197*", "197*", "198*", "198*"]}
    hierarchies = {
        "出生地": [("Germany", "Europe", "*"), ("France", "Europe", "*")],
        "出生年": [(year, f"{year // 10}*", "19**", "*") for year in PLACES["出生年"]],
    }
    result = pw.Release(released, original=PLACES, hierarchies=hierarchies).ask(pw.Precision())
    assert [step.figures["sum"] for step in steps(result, "level")] == [2, F(4, 3)]
    assert steps(result, "mean")[0].figures["share"] == F(5, 12)
    assert steps(result, "one_minus")[0].figures["value"] == F(7, 12)
    assert "Mean loss: (2 + 4/3) / 8 = 5/12." in text(result)
    assert "1 - 5/12 = 7/12" in text(result)
    assert "平均失真：(2 + 4/3) / 8 = 5/12。" in text(result, "zh_TW")


def test_average_class_size():
    original = {"年齡": [53, 65, 53], "性別": ["Male", "Female", "Female"]}
    released = {"年齡": [53, 65, 53], "性別": ["*", "Female", "*"]}
    result = pw.Release(released, original=original).ask(pw.AECS())
    averages = [steps(result, kind)[0].figures["size"] for kind in ("per_class", "per_class_original")]
    assert averages == [F(3, 2), 1]
    last = steps(result, "one_minus")[0].figures
    assert (last["share"], last["value"]) == (F(1, 4), F(3, 4))
    assert "3 published rows in 2 classes: 3/2 per class" in text(result)
    assert "3/2 - 1 = 1/2" in text(result)
    assert "a share of 1/4: 1 - 1/4 = 3/4" in text(result)
    assert "平均每類 3/2 筆" in text(result, "zh_TW")
    assert "1 - 1/4 = 3/4" in text(result, "zh_TW")


def test_non_uniform_entropy():
    years = [1970, 1981, 1983, 1988]
    hierarchies = {"出生年": [(year, f"{year // 10}*", "*") for year in years]}
    released = {"出生年": ["197*", "198*", "198*", "198*"]}
    result = pw.Release(released, original={"出生年": years}, hierarchies=hierarchies).ask(pw.NonUniformEntropy())
    cells = [step.figures for step in steps(result, "lifted")]
    assert [(one["cells"], one["fine"], one["coarse"]) for one in cells] == [(3, 1, 3), (1, 1, 1)]
    assert sum(one["bits"] for one in cells) == pytest.approx(3 * log2(3))
    last = steps(result, "one_minus")[0].figures
    assert (last["lost"], last["possible"]) == (pytest.approx(3 * log2(3)), 8)
    assert "3 cells × -log2(1 ÷ 3) = 4.755" in text(result)
    assert "1 cell × -log2(1 ÷ 1) = 0" in text(result)
    assert "Lost is 4.755 of 8, a share of 0.5944: 1 - 0.5944 = 0.4056." in text(result)
    assert "可損失的 8 中損失了 4.755，占 0.5944：1 - 0.5944 = 0.4056。" in text(result, "zh_TW")


def test_non_uniform_entropy_adds_up_level_by_level():
    years = [1970, 1981, 1983, 1988]
    hierarchies = {"出生年": [(year, f"{year // 10}*", "*") for year in years]}
    released = {"出生年": ["1970", "198*", "198*", "*"]}
    result = pw.Release(released, original={"出生年": years}, hierarchies=hierarchies).ask(pw.NonUniformEntropy())
    levels = [(one.figures["below"], one.figures["level"], one.figures["cells"]) for one in steps(result, "lifted")]
    assert levels == [(0, 1, 3), (1, 2, 1)]
    assert sum(step.figures["bits"] for step in steps(result, "lifted")) == pytest.approx(result.figures["lost"])


def test_profitability():
    release = pw.Release({"出生年": ["197*", "198*", "198*"]})
    result = release.ask(pw.Profitability(**MONEY))
    attacks = [step.figures for step in steps(result, "attack_pays")]
    by_row = [(one["expected"], one["risk"]) for one in attacks for _ in range(one["people"])]
    assert by_row == [(300, 300), (150, 150), (150, 150)]
    assert steps(result, "payoff")[0].figures["score"] == 900
    assert "300 ÷ 1 = 300, not below 4" in text(result)
    assert "300 ÷ 2 = 150, not below 4" in text(result)
    assert "1200, is above the risk 300: 1200 - 300 = 900" in text(result)
    assert "發布者收益 1200 大於發布者風險 300：1200 - 300 = 900。" in text(result, "zh_TW")
    strict = release.ask(pw.Profitability(**MONEY, allow_attack=False))
    assert steps(strict, "strict")[0].figures["size"] == 75
    assert steps(strict, "attack")[0].figures["score"] == 296
    assert "300 ÷ 1 - 4 = 296. " in text(strict)
    assert "296 is not below 0: it does not hold. 2 classes fail, with 3 people." in text(strict)


def test_profitability_where_nobody_attacks():
    result = pw.Release({"出生年": ["197*", "198*", "198*"]}).ask(pw.Profitability(**MONEY | {"cost": 200}))
    assert [step.kind for step in walk(result.steps) if step.kind.startswith("attack_")] == [
        "attack_pays",
        "attack_idle",
    ]
    assert "300 ÷ 2 = 150, below 200: nobody attacks, the risk is 0" in text(result)


def test_closeness_of_numbers(closeness):
    carried, cost = steps(closeness, "carried")[0], steps(closeness, "carried_cost")[0]
    assert list(carried.figures["amounts"].values) == [F(3, 10), F(6, 10), F(4, 10), F(2, 10)]
    assert list(cost.figures["costs"].values) == [F(3, 40), F(6, 40), F(4, 40), F(2, 40)]
    assert cost.figures["score"] == closeness.exact == F(3, 8)
    assert "Cost: 3/40 + 6/40 + 4/40 + 2/40 = 3/8." in text(closeness)
    assert "成本：3/40 + 6/40 + 4/40 + 2/40 = 3/8。" in text(closeness, "zh_TW")
    assert "3/8 不超過 0.4，滿足要求。" in text(closeness, "zh_TW")


def test_closeness_of_diseases(closeness):
    nodes = {step.figures["node"]: step.figures["cost"] for step in steps(closeness, "node")}
    assert nodes == {"胃部疾病": F(1, 20), "疾病": F(1, 10)}
    assert steps(closeness, "nodes_sum")[0].figures["score"] == closeness.parts["疾病"].exact == F(3, 20)
    assert "Sum: 1/20 + 1/10 = 3/20." in text(closeness)
    assert "合計：1/20 + 1/10 = 3/20。" in text(closeness, "zh_TW")
