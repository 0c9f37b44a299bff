"""A value beside its limit has as many digits as show on which side of it it is, in every format."""

import pytest

import PETWorks as pw
from PETWorks.plugin import Limit
from PETWorks.render.summary import write_check
from PETWorks.render.typography import format_number


@pytest.fixture(scope="module")
def evaluation():
    """Two classes, each 10001/100000 from the whole table."""
    values = ["a"] * 60_001 + ["b"] * 39_999 + ["a"] * 39_999 + ["b"] * 60_001
    table = {"group": ["1"] * 100_000 + ["2"] * 100_000, "value": values}
    release = pw.Release(table, quasi_identifiers=["group"], sensitive=["value"])
    return release.check(pw.TCloseness(t="0.1"))


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_the_verdict_agrees_with_the_value(evaluation, language):
    (result,) = evaluation
    told = [
        result.text(language).splitlines()[0],
        str(result.explain(language)),
        write_check(evaluation, language),
        evaluation.to_html(language=language),
    ]
    assert all("0.10001" in text for text in told)
    steps = {"en": "0.10001 is above 0.1: it does not hold.", "zh_TW": "0.10001 超過 0.1，不滿足要求"}
    assert steps[language] in told[1]


@pytest.mark.parametrize(
    ("value", "limit", "text"),
    [
        (0.25, "0.3", "0.2500"),
        (0.30000000000000004, "0.3", "0.30000000000000004"),
        (0.1, 0.1, "0.1000"),
        (1234.04, "1234", "1,234.04"),
        (0.29999, "0.3", "0.29999"),
    ],
)
def test_as_many_digits_as_it_takes(value, limit, text):
    assert format_number(value, Limit.of(limit)) == text
