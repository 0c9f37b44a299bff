"""Codes name things and count nothing: no intervals are suggested for them; a weight is seen as one."""

import random

import pytest

import PETWorks as pw

CHANCE = random.Random(3)
NUMBERS = [str(CHANCE.randrange(52)) for _ in range(600)]


@pytest.mark.parametrize("name", ["industry_code", "occupation code", "detailed industry recode", "行業代碼", "職類"])
def test_codes_get_no_intervals(name):
    found = pw.suggest_hierarchies({name: NUMBERS})[name]
    assert (found.rule, found.question, found.kind) == (None, True, "nominal")
    assert "would mean nothing" in found.text()
    assert "沒有意義" in found.text("zh_TW")


@pytest.mark.parametrize("name", ["age", "hours", "encoded_hours", "年齡"])
def test_quantities_keep_them(name):
    assert pw.suggest_hierarchies({name: NUMBERS})[name].kind == "numbers"


@pytest.mark.parametrize("name", ["instance_weight", "fnlwgt", "sampling weight", "抽樣權數"])
def test_a_weight_is_seen(name):
    weights = [f"{CHANCE.random() * 3000:.2f}" for _ in range(600)]
    found = pw.inspect({name: weights, "sex": ["f", "m"] * 300})[name]
    assert str(found.role) == "insensitive_attribute"
    assert "stands_for_many" in [note.kind for note in found.reasons]


@pytest.mark.parametrize("name", ["weight", "體重"])
def test_body_weight_is_none(name):
    weights = [str(40 + CHANCE.randrange(60)) for _ in range(600)]
    assert "stands_for_many" not in [note.kind for note in pw.inspect({name: weights})[name].reasons]
