"""Estimate how many people of a population are unique, from the class sizes of a sample.

There are three models of the population from which the sample was drawn (superpopulation models), and Dankar's rule for
choosing among them. All use the histogram of class sizes: s[i] classes of size i, u classes and n rows in all, N people
in the population. An estimator that finds no valid solution returns the reason instead of a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from PETWorks.exact.scores import FloatArray

DIRECT_TERMS = 50  # terms of a sum that are added one by one; the rest is computed by a closed form
Point = tuple[float, float]  # an argument of a function, and its value
MAX_POPULATION_FACTOR = 10  # largest factor by which the fitted size of the population may differ from the given one


@dataclass(frozen=True)
class Estimate:
    """The estimated share of unique people, or None and the reason (`why_not`); and the fitted parameters."""

    value: float | Fraction | None
    why_not: str = ""
    fitted: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Sample:
    """The class sizes of a sample, and the size of the population it was drawn from."""

    histogram: Mapping[int, int]
    population: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(size * many for size, many in self.histogram.items())

    @property
    def classes(self) -> int:
        """The number of classes."""
        return sum(self.histogram.values())

    @property
    def unique(self) -> int:
        """The number of classes of one row."""
        return self.histogram.get(1, 0)

    @property
    def arrays(self) -> tuple[FloatArray, FloatArray]:
        """The class sizes, and the number of classes of each size."""
        sizes = np.array(sorted(self.histogram), dtype=float)
        return sizes, np.array([self.histogram[int(size)] for size in sizes], dtype=float)

    def trivial(self) -> Estimate | None:
        """Return the estimate if no model is needed: nobody is unique, or the sample is the whole population."""
        if not self.unique:
            return Estimate(Fraction(0))
        return Estimate(Fraction(self.unique, self.rows)) if self.population == self.rows else None


def estimate_by_zayatz(sample: Sample) -> Estimate:
    """Estimate by Zayatz 1991: the probability that a person who is unique in the sample is so in the population."""
    if found := sample.trivial():
        return found
    sizes, many = sample.arrays
    factors = 1 - (sample.rows - 1) / (sample.population - np.arange(1, max(sizes[-1], 2)))
    products = np.concatenate([[1.0], np.cumprod(np.maximum(factors, 0))])
    expected = math.fsum(sizes * many * products[sizes.astype(int) - 1])
    return Estimate(sample.unique / sample.rows * sample.unique / expected)


def estimate_by_pitman(sample: Sample) -> Estimate:
    """Estimate by Pitman's sampling formula, fitted by maximum likelihood (Hoshino 2001) with two nested bisections."""
    if found := sample.trivial():
        return found
    n, u = sample.rows, sample.classes
    if u < 2 or u == n:  # noqa: PLR2004
        return Estimate(None, "no_maximum")
    sizes, many = sample.arrays

    def slope_theta(theta: float, alpha: float) -> float:
        return _sum_inverses(theta, alpha, u - 1) - _sum_inverses(theta, 1.0, n - 1)

    def theta_of(alpha: float) -> float:
        low, high = -40.0, 1.0  # bounds of ln(θ + α)
        while slope_theta(math.exp(high) - alpha, alpha) > 0:
            low, high = high, 2 * high
        return math.exp(_find_zero(lambda log: slope_theta(math.exp(log) - alpha, alpha), low, high)) - alpha

    def slope_alpha(alpha: float) -> float:
        theta = theta_of(alpha)
        return _sum_weighted_inverses(theta, alpha, u - 1) - float(many @ _sum_harmonics(-alpha, 1.0, sizes - 1))

    at_zero = theta_of(0.0)
    if u * (u - 1) / (2 * at_zero) <= float(many @ _sum_harmonics(0.0, 1.0, sizes - 1)):
        return Estimate(None, "no_maximum")
    alpha = _find_zero(slope_alpha, 1e-12, 1 - 1e-12)
    theta = theta_of(alpha)
    value = math.exp(_compute_log_gamma_ratio(theta, alpha) + (alpha - 1) * math.log(sample.population))
    fitted = {"theta": theta, "alpha": alpha}
    return Estimate(value, fitted=fitted) if value <= 1 else Estimate(None, "above_one", fitted)


def estimate_by_snb(sample: Sample) -> Estimate:
    """Estimate by the slide negative binomial model (Chen & Keller-McNulty 1998).

    The number K of classes in the population is estimated by Shlosser's estimator.
    """
    if found := sample.trivial():
        return found
    if not sample.histogram.get(2):
        return Estimate(None, "no_pairs")
    f = sample.rows / sample.population
    s1, s2 = sample.unique, sample.histogram[2]
    sizes, many = sample.arrays
    left = np.exp(sizes * math.log1p(-f))  # (1 - f)^i
    both = np.exp(sizes * math.log1p(-f * f))  # (1 - f²)^i; the formula's (1 - f)^i · ((1 + f)^i - 1) would overflow
    shlosser = (many @ (sizes * f * f * both / (1 - f * f))) / (many @ (both * -np.expm1(-sizes * math.log1p(f))))
    known = (many @ left) / (many @ (sizes * f * left / (1 - f)))
    classes = sample.classes + s1 * float(shlosser) * float(known) ** 2

    def alpha_of(beta: float) -> float:
        w, d = 1 - beta, (1 - f) * (1 - beta)
        c, rho = 1 - d, s2 / s1
        a, b = f * w * d, f * w * (2 - d) - 2 * rho * c * d
        root = math.sqrt(b * b + 8 * a * rho * c * c)
        return 4 * rho * c * c / (b + root) if b > 0 else (root - b) / (2 * a)

    def misfit(beta: float) -> float:
        alpha, d = alpha_of(beta), (1 - f) * (1 - beta)
        return math.log(classes * f / s1) + alpha * math.log(beta / (1 - d)) + math.log1p(alpha * d / (1 - d))

    low, high = 1e-6, 1 - 1e-6
    if misfit(low) * misfit(high) > 0:
        return Estimate(None, "no_zero")
    beta = _find_zero(misfit, low, high)
    alpha = alpha_of(beta)
    people = classes * (1 + alpha * (1 - beta) / beta)
    fitted = {"alpha": alpha, "beta": beta, "K": classes, "fitted_population": people}
    if not 1 / MAX_POPULATION_FACTOR <= people / sample.population <= MAX_POPULATION_FACTOR:
        return Estimate(None, "far_off", fitted)
    return Estimate(classes * beta**alpha / sample.population, fitted=fitted)


def estimate(model: Callable[[Sample], Estimate], sample: Sample) -> Estimate:
    """Estimate by a model; arithmetic that leaves the range of floats is a reason for no value, never a wrong value."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            return model(sample)
    except (FloatingPointError, OverflowError, ZeroDivisionError):
        return Estimate(None, "out_of_range")


def choose_by_dankar(sample: Sample, estimates: Mapping[str, Estimate]) -> tuple[str, str]:
    """Choose by the rule of Dankar et al. 2012: Pitman for small samples, else the smaller of SNB and Zayatz.

    Return the name of the estimator and the reason.
    """
    first, why = ("pitman", "small_sample") if 10 * sample.rows <= sample.population else ("snb", "smaller")
    chosen, other = estimates[first].value, estimates["zayatz"].value
    if chosen is None:
        return "zayatz", "fallback"
    if first == "snb" and other is not None and other < chosen:
        return "zayatz", why
    return first, why


def _sum_harmonics(start: float, step: float, counts: FloatArray) -> FloatArray:
    """Return Σ 1/(start + i·step), i = 1 … count, for each count: the first terms one by one, then Euler-Maclaurin."""
    table = np.concatenate([[0.0], np.cumsum(1 / (start + step * np.arange(1, DIRECT_TERMS + 1)))])
    few = np.minimum(counts, DIRECT_TERMS).astype(int)
    a, b = start + (DIRECT_TERMS + 1) * step, start + np.maximum(counts, DIRECT_TERMS + 1) * step
    tail = np.log1p((b - a) / a) / step + (1 / a + 1 / b) / 2 + step * (1 / a**2 - 1 / b**2) / 12
    tail -= step**3 * (1 / a**4 - 1 / b**4) / 120
    return np.asarray(table[few] + np.where(counts > DIRECT_TERMS, tail, 0.0))


def _sum_inverses(start: float, step: float, count: int) -> float:
    if not step:
        return count / start
    return float(_sum_harmonics(start, step, np.array([float(count)]))[0])


def _sum_weighted_inverses(theta: float, alpha: float, count: int) -> float:
    """Return Σ i/(θ + i·α), i = 1 … count; by a series if the closed form would lose precision."""
    if theta > 0 and alpha * count < 1e-4 * theta:
        c = float(count)
        powers = (
            c * (c + 1) / 2,
            c * (c + 1) * (2 * c + 1) / 6,
            (c * (c + 1) / 2) ** 2,
            c * (c + 1) * (2 * c + 1) * (3 * c * c + 3 * c - 1) / 30,
        )
        return math.fsum(power * (-alpha / theta) ** k / theta for k, power in enumerate(powers))
    return (count - theta * _sum_inverses(theta, alpha, count)) / alpha


def _compute_log_gamma_ratio(theta: float, alpha: float) -> float:
    """Return ln Γ(θ + 1) - ln Γ(θ + α) without subtracting two large numbers."""
    x, y, d = theta + 1, theta + alpha, 1 - alpha
    if theta < DIRECT_TERMS:
        return math.lgamma(x) - math.lgamma(y)
    series = (1 / x - 1 / y) / 12 - (1 / x**3 - 1 / y**3) / 360 + (1 / x**5 - 1 / y**5) / 1260
    return (x - 0.5) * math.log1p(d / y) + d * math.log(y) - d + series


def _find_zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function changes its sign, to the last digit (Chandrupatla 1997).

    It is not evaluated at `low`, where it may be infinite or too small for floats, but is known to have the other sign.
    Steps halve the interval until both signs were met. Then they follow an inverse quadratic, where that is safe.
    """
    a, b, share = (high, function(high)), (low, math.nan), 0.5
    while True:
        x = a[0] + share * (b[0] - a[0])
        if x in (a[0], b[0]):
            return x
        new = (x, function(x))
        if (new[1] > 0) == (a[1] > 0):
            a, c = new, a
        else:
            a, b, c = new, a, b
        share = _find_step(a, b, c)


def _find_step(a: Point, b: Point, c: Point) -> float:
    """Return how far from a towards b the zero is, by an inverse quadratic; ½ if that is not safe."""
    (x_a, f_a), (x_b, f_b), (x_c, f_c) = a, b, c
    if not f_a:
        return 0.0
    xi, phi = (x_a - x_b) / (x_c - x_b), (f_a - f_b) / (f_c - f_b)
    if not (phi**2 < xi and (1 - phi) ** 2 < 1 - xi):  # also if a value is unknown
        return 0.5
    beyond = (x_c - x_a) / (x_b - x_a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
    least = math.ulp(x_a) / abs(x_b - x_a)
    return min(1 - least, max(least, f_a / (f_b - f_a) * f_c / (f_b - f_c) + beyond))
