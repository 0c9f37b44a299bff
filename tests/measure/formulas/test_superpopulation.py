"""Population uniqueness: the estimates solve the equations they are defined by, evaluated term by term."""

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import PETWorks as pw
from oracle import naive_risk
from PETWorks.measure.formulas import superpopulation
from support.strategies_family import quick, thorough

MODELS = ["pitman", "zayatz", "snb"]
EXAMPLE = {1: 100, 2: 40, 3: 20, 4: 12, 5: 8, 8: 5, 15: 3, 40: 2, 120: 1}
NO_MAXIMUM = {1: 5, 10: 100}  # few unique rows, and all other classes have the same size
NO_ZERO = {1: 1, 2: 5, 3: 1}


def rows(sizes: dict[int, int]) -> int:
    return sum(size * many for size, many in sizes.items())


def released(sizes: dict[int, int], suppressed: int = 0) -> pw.Release:
    cells = [f"{size}-{number}" for size, many in sizes.items() for number in range(many) for _ in range(size)]
    return pw.Release({"class": cells + ["*"] * suppressed})


def estimated(sizes: dict[int, int], population: int, **options):
    return released(sizes).ask(pw.PopulationUniqueness(population_size=population, **options))


def why_not(result) -> dict[str, str]:
    return {note.figures["estimator"]: note.figures["why"] for note in result.notes if note.kind == "no_estimate"}


def histograms() -> st.SearchStrategy[dict[int, int]]:
    return st.builds(made_histogram, st.randoms(use_true_random=True), st.integers(1, 8))


def made_histogram(chance: Random, kinds: int) -> dict[int, int]:
    """Draw histograms: mostly many small classes and few large ones, sometimes no unique rows, or hardly any other."""
    sizes = chance.sample([*range(1, 8), 10, 15, 40, 120], kinds)
    chosen = {size: chance.randint(1, 1 + 120 // size**2) for size in sizes}
    return chosen | ({1: chance.randint(1, chance.choice([100, 2000]))} if chance.random() < 0.8 else {})


samples = st.builds(
    lambda sizes, factor: (sizes, math.ceil(rows(sizes) * factor)),
    histograms(),
    st.one_of(st.floats(1, 30), st.sampled_from([1, 1.001, 2, 9.99, 10, 10.01, 100, 1e6])),
)


# The equations, term by term.


def pitman_slopes(sizes: dict[int, int], theta: float, alpha: float) -> tuple[list[float], list[float]]:
    """Return the terms of the derivatives of the log-likelihood with respect to θ and to α."""
    classes, total = sum(sizes.values()), rows(sizes)
    by_theta = [1 / (theta + i * alpha) for i in range(1, classes)] + [-1 / (theta + i) for i in range(1, total)]
    by_alpha = [i / (theta + i * alpha) for i in range(1, classes)]
    by_alpha += [-many / (i - alpha) for size, many in sizes.items() for i in range(1, size)]
    return by_theta, by_alpha


def vanishes(terms: list[float]) -> bool:
    return abs(math.fsum(terms)) <= 1e-9 * math.fsum(map(abs, terms))


def has_pitman_maximum(sizes: dict[int, int]) -> bool:
    """Return True if u(u - 1)/(2θ₀) > Σ s·H, where θ₀ is the zero of (u - 1)/θ - Σ 1/(θ + i)."""
    classes, total = sum(sizes.values()), rows(sizes)
    if not 2 <= classes < total:
        return False
    low, high = 1e-12, 1e12

    def slope(theta: float) -> float:
        return (classes - 1) / theta - math.fsum(1 / (theta + i) for i in range(1, total))

    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    harmonics = math.fsum(many / i for size, many in sizes.items() for i in range(1, size))
    return classes * (classes - 1) / (2 * low) > harmonics


def shlosser_classes(sizes: dict[int, int], f: float) -> float:
    """Return K, computed by its definition."""
    first = math.fsum(i * f**2 * (1 - f**2) ** (i - 1) * many for i, many in sizes.items())
    second = math.fsum((1 - f) ** i * ((1 + f) ** i - 1) * many for i, many in sizes.items())
    third = math.fsum((1 - f) ** i * many for i, many in sizes.items())
    fourth = math.fsum(i * f * (1 - f) ** (i - 1) * many for i, many in sizes.items())
    return sum(sizes.values()) + sizes[1] * first / second * (third / fourth) ** 2


def expected_small_classes(k: float, alpha: float, beta: float, f: float) -> tuple[float, float]:
    """Return the expected numbers of classes of one and of two rows in a sample of the fitted population."""
    d = (1 - f) * (1 - beta)
    ones = k * f * (beta / (1 - d)) ** alpha * (1 + alpha * d / (1 - d))
    twos = k * alpha * f**2 * (1 - beta) * beta**alpha * (2 - (1 - alpha) * d) / (2 * (1 - d) ** (alpha + 2))
    return ones, twos


# Estimates that exist.


@quick
@given(samples)
def test_estimates(sample):
    """Check everything about an estimate in one test, since estimating is slow."""
    sizes, population = sample
    result = estimated(sizes, population)
    check_zayatz(result, sizes, population)
    check_dankar(result, sizes, population)
    check_reasons(result, sizes)
    if sizes.get(1) and population > rows(sizes):
        check_pitman(result.parts["pitman"], sizes, population)
        check_snb(result.parts["snb"], sizes, population)


def check_zayatz(result, sizes, population):
    expected = float(naive_risk.zayatz(sizes, population))
    assert result.parts["zayatz"].value == pytest.approx(expected, rel=1e-12)


def check_pitman(part, sizes, population):
    assert ("alpha" in part.figures) == has_pitman_maximum(sizes)
    if "alpha" not in part.figures:
        return
    theta, alpha = part.figures["theta"], part.figures["alpha"]
    assert 0 < alpha < 1
    assert theta > -alpha
    by_theta, by_alpha = pitman_slopes(sizes, theta, alpha)
    assert vanishes(by_theta)
    assert vanishes(by_alpha)
    value = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(population))
    assert part.value == (pytest.approx(value, rel=1e-9) if value <= 1 else None)


@pytest.mark.parametrize(
    "sizes",
    [
        EXAMPLE,
        {1: 1000, 2: 1},
        {1: 2, 2: 1, 50: 3},
        {1: 5000, 2: 900, 3: 300, 7: 80, 30: 12, 400: 3, 5000: 1},
        {1: 3, 1000: 2},
        {1: 1, 2: 1},
    ],
)
def test_pitman_of_all_shapes(sizes):
    part = estimated(sizes, 100 * rows(sizes)).parts["pitman"]
    assert ("alpha" in part.figures) == has_pitman_maximum(sizes)
    if "alpha" in part.figures:
        assert all(map(vanishes, pitman_slopes(sizes, part.figures["theta"], part.figures["alpha"])))


def check_snb(part, sizes, population):
    if "beta" not in part.figures:
        assert part.value is None
        return
    f, fitted = rows(sizes) / population, part.figures
    assert fitted["K"] == pytest.approx(shlosser_classes(sizes, f), rel=1e-9)
    assert 1e-6 <= fitted["beta"] <= 1 - 1e-6
    assert fitted["alpha"] > 0
    ones, twos = expected_small_classes(fitted["K"], fitted["alpha"], fitted["beta"], f)
    assert ones == pytest.approx(sizes[1], rel=1e-9)
    assert twos == pytest.approx(sizes[2], rel=1e-9)
    people = fitted["K"] * (1 + fitted["alpha"] * (1 - fitted["beta"]) / fitted["beta"])
    assert people == pytest.approx(fitted["fitted_population"], rel=1e-9)
    if 1 / 10 <= people / population <= 10:
        value = fitted["K"] * fitted["beta"] ** fitted["alpha"] / population
        assert part.value == pytest.approx(value, rel=1e-9)
    else:
        assert part.value is None


def test_the_printed_example():
    result = estimated(EXAMPLE, 61_300)
    assert result.parts["zayatz"].value == pytest.approx(0.0333056006, abs=5e-11)
    assert result.parts["pitman"].value == pytest.approx(0.0148126726, abs=5e-11)
    assert result.parts["snb"].value == pytest.approx(0.0200836134, abs=5e-11)
    assert (result.value, result.figures["estimator"]) == (result.parts["pitman"].value, "pitman")


# Estimates that do not exist.


def check_reasons(result, sizes):
    """The value is 0 only if nobody is unique; it is None only with a reason."""
    values = {name: result.parts[name].value for name in ["unique", *MODELS]}
    if not sizes.get(1):
        assert set(values.values()) == {0.0}
        return
    assert all(value is None or 0 < value <= 1 for value in values.values())
    assert values["zayatz"] is not None
    assert result.value is not None
    assert set(why_not(result)) == {name for name in MODELS if values[name] is None}


def test_no_maximum():
    assert not has_pitman_maximum(NO_MAXIMUM)
    result = estimated(NO_MAXIMUM, 100 * rows(NO_MAXIMUM))
    assert result.parts["pitman"].value is None
    assert why_not(result)["pitman"] == "no_maximum"
    assert (result.value, result.figures["estimator"]) == (result.parts["zayatz"].value, "zayatz")
    assert "no maximum with 0 < alpha < 1" in str(result)


@pytest.mark.parametrize("sizes", [{1: 7}, {1: 1}])
def test_all_unique_rows_have_no_maximum(sizes):
    result = estimated(sizes, 1000)
    assert why_not(result)["pitman"] == "no_maximum"
    assert result.value == result.parts["zayatz"].value > 0


def test_snb_of_a_large_class():
    """(1 + f)^i overflows for classes of a few thousand rows; the value became another estimator's."""
    sizes = {1: 100, 2: 40, 3: 20, 4: 12, 5: 8, 8: 5, 15: 3, 40: 2, 120: 1, 2000: 1}
    rows = [f"{size}-{one}" for size, many in sizes.items() for one in range(many) for _ in range(size)]
    result = pw.Release({"class": rows}).ask(pw.PopulationUniqueness(population_size=2 * len(rows)))
    assert result.figures["estimator"] == "snb"
    assert result.value == pytest.approx(0.0212911, abs=5e-8)


@pytest.mark.parametrize("size", [10**4, 10**6, 10**9])
def test_snb_of_huge_classes(size):
    sample = superpopulation.Sample({1: 100, 2: 40, size: 1}, 3 * size)
    assert superpopulation.estimate(superpopulation.estimate_by_snb, sample).why_not != "out_of_range"


def test_arithmetic_out_of_range_is_a_reason():
    def model(_):
        return superpopulation.Estimate(float(np.exp(np.array([1e3]))[0]))

    sample = superpopulation.Sample({1: 1, 2: 1}, 10)
    assert superpopulation.estimate(model, sample) == superpopulation.Estimate(None, "out_of_range")


def test_snb_needs_pairs():
    result = estimated({1: 10, 3: 4}, 40)
    assert result.parts["snb"].value is None
    assert why_not(result)["snb"] == "no_pairs"
    assert result.figures["estimator"] == "zayatz"


def test_snb_without_a_zero():
    result = estimated(NO_ZERO, 20)
    assert result.parts["snb"].value is None
    assert why_not(result)["snb"] == "no_zero"
    assert (result.value, result.figures["estimator"]) == (result.parts["zayatz"].value, "zayatz")


# Cases that need no model.


@thorough
@given(histograms())
def test_everybody_in_the_sample(sizes):
    result = estimated(sizes, rows(sizes))
    expected = sizes.get(1, 0) / rows(sizes)
    assert {result.parts[name].value for name in ["unique", *MODELS]} == {expected}


@pytest.mark.parametrize("unique", [1, 2, 3, 7])
@pytest.mark.parametrize("at_most", [str, Fraction, float])
def test_a_share_meets_itself(unique, at_most):
    """If no model is needed, the value is a fraction, and a verdict at a limit equal to it is exact."""
    share = Fraction(unique, 10)
    sizes = {1: unique, 10 - unique: 1}
    result = estimated(sizes, 10, at_most=at_most(share))
    assert result.value == float(share)
    assert result.holds
    assert not estimated(sizes, 10, at_most=share * (1 - Fraction(1, 10**12))).holds


@pytest.mark.parametrize("population", [30, 300, 10**9])
def test_nobody_unique(population):
    result = estimated({2: 5, 3: 1}, population)
    assert {result.parts[name].value for name in ["unique", *MODELS]} == {0.0}
    assert result.holds is None
    assert estimated({2: 5, 3: 1}, population, at_most=0).holds


def test_nothing_published():
    result = released({}, suppressed=3).ask(pw.PopulationUniqueness(population_size=100))
    assert result.value == 0


# Dankar's choice.


def check_dankar(result, sizes, population):
    pitman, zayatz, snb = (result.parts[name].value for name in MODELS)
    if 10 * rows(sizes) <= population:
        chosen = {"pitman": pitman} if pitman is not None else {"zayatz": zayatz}
    elif snb is None:
        chosen = {"zayatz": zayatz}
    else:
        chosen = {name: value for name, value in (("snb", snb), ("zayatz", zayatz)) if value == min(snb, zayatz)}
    assert result.figures["estimator"] in chosen
    assert result.value in chosen.values()


def test_a_tenth_is_small():
    """At N = 10·n Pitman is chosen; with one person fewer, the smaller of SNB and Zayatz."""
    at, below = estimated(EXAMPLE, 10 * rows(EXAMPLE)), estimated(EXAMPLE, 10 * rows(EXAMPLE) - 1)
    assert at.figures["estimator"] == "pitman"
    assert below.figures["estimator"] in ("snb", "zayatz")
    assert below.value == min(below.parts["snb"].value, below.parts["zayatz"].value)
