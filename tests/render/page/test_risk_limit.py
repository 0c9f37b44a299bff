"""The limit in the drawing of risk is one that a requirement sets, where it sets it; without one there is none."""

import math
import re
from collections import Counter
from fractions import Fraction

import pytest

import PETWorks as pw
from render.page.reading import read

ZIPS = [f"{size:02}" for size in (1, 2, 5, 11, 12, 30) for _ in range(size)]
TABLE = {"zip": ZIPS, "disease": ["flu", "cold", "ulcer"] * 20 + ["flu"]}
RELEASE = pw.Release(TABLE, original=TABLE, quasi_identifiers=["zip"], sensitive=["disease"])
DECADES = 2  # the largest class has 30 people


def drawn(page: str) -> tuple[float | None, str]:
    """Where the limit is drawn, as a risk, and how it is called."""
    (curve,) = re.findall(
        r'<svg class="curve".*?</svg>\s*(?:<span class="limit-mark.*?</span></span>|</div>)', page, re.DOTALL
    )
    at = re.search(r'<line class="limit" x1="([\d.]+)%"', curve)
    label = re.search(r'limit-mark.*?<span lang="en">(.*?)</span>', curve)
    return (10 ** ((float(at[1]) / 100 - 1) * DECADES), label[1]) if at else (None, "")


@pytest.mark.parametrize(
    ("asked", "risk", "label", "least"),
    [
        ([pw.KAnonymity(k=5)], Fraction(1, 5), "limit 1/5", 5),
        ([pw.KAnonymity(k=12)], Fraction(1, 12), "limit 1/12", 12),
        ([pw.ReidentificationRisk(highest="0.09")], Fraction(9, 100), "limit 0.09", 12),
        ([pw.ReidentificationRisk(highest=1 / 11)], Fraction(1, 11), "limit 0.09090909090909091", 11),
        ([pw.ReidentificationRisk(highest="0.2"), pw.KAnonymity(k=3)], Fraction(1, 5), "limit 0.2", 5),
        ([pw.ReidentificationRisk(highest="0.5"), pw.KAnonymity(k=30)], Fraction(1, 30), "limit 1/30", 30),
        ([pw.AlphaKAnonymity(alpha="0.5", k=4)], Fraction(1, 4), "limit 1/4", 4),
        ([pw.PSensitiveKAnonymity(p=2, k=4)], Fraction(1, 4), "limit 1/4", 4),
        ([pw.KAnonymity(k=2), pw.TCloseness(t="0.1")], Fraction(1, 2), "limit 1/2", 2),
    ],
)
def test_the_limit_is_where_the_strictest_requirement_sets_it(asked, risk, label, least):
    page = RELEASE.evaluate(*asked).to_html()
    at, called = drawn(page)
    assert math.isclose(at, float(risk), rel_tol=5e-4)  # drawn to a hundredth of a percent
    assert called == label
    above = sum(size for size in Counter(ZIPS).values() if size < least) / len(ZIPS)
    told = read(page, "en")["risk"]
    assert f"Risk above {label.split()[1]}: {above:.1%} of people in the original, {above:.1%} in the release." in told
    assert f"the limit asks for {least} or more" in told


@pytest.mark.parametrize(
    "asked",
    [
        [],
        [pw.ReidentificationRisk(average="0.5", above="0.9")],
        [pw.TCloseness(t="0.1")],
        [pw.AlphaKAnonymity(alpha=1)],
    ],
)
def test_nobody_set_a_limit(asked):
    page = RELEASE.evaluate(*asked).to_html()
    assert drawn(page) == (None, "")
    told = {language: read(page, language)["risk"] for language in ("en", "zh_TW")}
    assert "The highest risk is 1 in the original and 1 in the release; no limit on it was given." in told["en"]
    assert "最高風險：原始資料 1，發布資料 1；未設定風險上限。" in told["zh_TW"]
    assert "1/5:" not in told["en"]
    assert "the limit asks" not in told["en"]


@pytest.mark.parametrize("asked", [pw.ReidentificationRisk(highest=0), pw.KAnonymity(k=10**30)])
def test_a_limit_that_nobody_can_keep(asked):
    told = read(RELEASE.evaluate(asked).to_html(), "en")["risk"]
    assert ": 100% of people in the original, 100% in the release." in told
