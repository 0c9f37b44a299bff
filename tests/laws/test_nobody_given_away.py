"""A guarded explanation reveals no person, and no explanation reveals a value of the original.

Marked with QQ: values of classes with few people. XX: sensitive values that few people of a class hold. ZZ and 9900..:
values of the original.
"""

import json

import pytest

import PETWorks as pw
from laws.samples import questions, walk
from support.output import LANGUAGES

OF_OTHERS = ("nearest linkage", "interval disclosure", "regression overlap", "PRAM odds")  # need numbers, or a matrix
KINDS = [kind for kind in pw.measures().values() if kind.name not in OF_OTHERS]
MONEY = {"cost": 4, "gain": 300, "loss": 300, "benefit": 1200}

FEW = {"tinyQQ1": 1, "tinyQQ2": 2, "tinyQQ3": 4}
MANY = {"large": 61, "small": 7, "smaller": 5}


def marked() -> pw.Release:
    table: dict[str, list[str]] = {"group": [], "age": [], "illness": [], "salary": []}
    for group, rows in (FEW | MANY).items():
        for row in range(rows):
            few = group in FEW or row < 3
            rare = f"rareXX{row % 3}" if few else ("flu", "flu", "cold")[row % 3]
            cells = (group, "adult", rare, "987654XX" if few else str(1000 * (row % 2)))
            for name, cell in zip(table, cells, strict=True):
                table[name].append(cell)
    people = range(len(table["group"]))
    original = {"group": [f"ZZ{one}" for one in people], "age": [f"{990000 + one}" for one in people]}
    further = {"zip": [f"ZZ{one % 3}" for one in people], **{name: table[name] for name in ("illness", "salary")}}
    further["disease"] = table["illness"]
    groups = [(raw, group, "*") for raw, group in zip(original["group"], table["group"], strict=True)]
    groups += [("stranger", "absentQQ", "*")]
    strangers = [("group", original["group"], "stranger"), ("age", original["age"], "990000")]
    illnesses = [(one, "nodeXX" if "XX" in one else "common", "any") for one in sorted({*table["illness"]})]
    before = original | further
    cut = {name: before[name] for name in ("group", "age", "illness", "salary")}
    return pw.Release(
        {**table, "weight": ["40"] * len(people), "zip": ["100"] * len(people), "disease": table["illness"]},
        weight="weight",
        original=before,
        earlier=[{"released": cut, "original": before, "pairing": "position"}],
        holdout={name: cells[::7] for name, cells in before.items()},
        population={name: [*raw, *raw[:20], strange] for name, raw, strange in strangers},
        quasi_identifiers=["group", "age"],
        sensitive=["illness", "salary"],
        hierarchies={"group": groups, "age": [(age, "adult", "*") for age in original["age"]], "illness": illnesses},
    )


GIVEN_AWAY = marked()
ASKED = [
    *(one for kind in KINDS for one in questions(kind)),
    pw.LDiversity(l=3, others="join", sensitive="illness"),
    pw.Profitability(**MONEY, attacker="journalist", information_loss=True),
    pw.TCloseness(t="0.1", distance="equal"),
]


@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_nobody_is_given_away(measure):
    result = GIVEN_AWAY.ask(measure).guarded()
    size = 0
    for step in walk(result.steps):
        size = step.figures.get("stand_in") or step.figures.get("size") or size
        assert not step.kind.startswith("deciding") or step.figures["size"] >= 5 or "values" not in step.figures
        if "count" in step.figures:
            assert step.figures["count"] >= 5
        if "inside" in step.figures:
            assert step.figures["inside"] * size >= 5
    told = [str(result.explain(language)) for language in LANGUAGES]
    for text in (*told, json.dumps(result.explain().to_dict())):
        for never in ("QQ", "XX", "ZZ", "9900"):
            assert never not in text


@pytest.mark.parametrize("measure", ASKED, ids=repr)
def test_no_original_value_is_told_even_to_the_analyst(measure):
    told = json.dumps(GIVEN_AWAY.ask(measure).explain().to_dict())
    assert "ZZ" not in told
    assert "9900" not in told
