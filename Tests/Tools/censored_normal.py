"""The normal distribution of numbers that are known between limits only, by maximum likelihood.

Nelder and Mead's method finds the maximum of the likelihood, whose probabilities are differences of
SciPy's `norm.logcdf`. SciPy's `root` then finds it to rounding: both derivatives are zero where
z = (x - mean) / sd, expected between the limits, is 0 on average over all numbers, and z^2 is 1.
Expected values are by Gauss and Legendre's quadrature in z, not by formulas.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import minimize, root

Limits = tuple[float, float]
"""What a number lies between; infinite where it has no limit."""

Function = Callable[[np.ndarray], np.ndarray]

FARTHEST = 40.0
"""So many standard deviations away the density is nothing."""

WIDEST = 0.5
"""The width of a panel of the quadrature, in standard deviations."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)

NOT_ZERO = 1e-11
"""Conditions of the maximum must be met as closely as this; they are sums of numbers about 1."""


@dataclass(frozen=True)
class Normal:
    """A normal distribution; a single number if `sd` is 0."""

    mean: float
    sd: float

    def expected(self, function: Function, limits: Limits, kink: float = -math.inf) -> float:
        """The mean of a function of an x that is between limits; it may have a kink."""
        if self.sd == 0:
            return float(function(np.clip(np.array([self.mean]), *limits))[0])
        low, high, kink = ((end - self.mean) / self.sd for end in (*limits, kink))
        return mean_between(lambda z: function(self.mean + self.sd * z), (low, high), kink)


def mean_between(function: Function, limits: Limits, kink: float = -math.inf) -> float:
    """The mean of a function of a standard normal number that is between limits."""
    low = max(limits[0], min(limits[1], 0) - FARTHEST)
    high = min(limits[1], max(limits[0], 0) + FARTHEST)
    ends = [low, *([kink] if low < kink < high else []), high]
    edges = np.concatenate(
        [
            np.linspace(begin, end, 2 + int((end - begin) / WIDEST))[:-1]
            for begin, end in zip(ends[:-1], ends[1:], strict=True)
        ]
        + [np.array([high])]
    )
    halves = np.diff(edges)[:, None] / 2
    z = edges[:-1, None] + halves * (1 + NODES)
    logs = -(z**2) / 2
    weights = halves * WEIGHTS * np.exp(logs - logs.max())
    return float((weights * function(z)).sum() / weights.sum())


def most_likely(numbers: Sequence[Limits]) -> Normal | None:
    """The distribution of greatest likelihood; None if all limits are on one side.

    If one number can be all of them, it is taken, or the middle if there are several, with SD 0: no
    distribution is likelier. Raises ArithmeticError if no maximum is found.
    """
    low, high = max(low for low, _ in numbers), min(high for _, high in numbers)
    if low <= high:
        return Normal((low + high) / 2, 0.0) if math.isfinite(low + high) else None

    def without_maximum(place: np.ndarray) -> float:
        normal = Normal(place[0], math.exp(place[1]))
        return -sum(log_probability(limits, normal) for limits in numbers)

    def conditions(place: np.ndarray) -> list[float]:
        mean, sd = place[0], math.exp(place[1])
        standard = [((low - mean) / sd, (high - mean) / sd) for low, high in numbers]
        return [
            float(np.mean([mean_between(lambda z: z, limits) for limits in standard])),
            float(np.mean([mean_between(lambda z: z**2, limits) for limits in standard])) - 1,
        ]

    ends = [end for limits in numbers for end in limits if math.isfinite(end)]
    start = np.array([np.mean(ends), math.log(np.std(ends))])
    rough = minimize(without_maximum, start, method="Nelder-Mead", options={"fatol": 1e-12})
    found = root(conditions, rough.x, options={"xtol": 1e-15}).x
    if not np.abs(conditions(found)).max() < NOT_ZERO or np.abs(found - rough.x).max() > 1e-2:
        raise ArithmeticError(f"no maximum found: {rough.x} and {found}")
    return Normal(float(found[0]), math.exp(found[1]))


def log_probability(limits: Limits, normal: Normal) -> float:
    """The logarithm of the probability of being between limits."""
    low, high = ((end - normal.mean) / normal.sd for end in limits)
    if low > 0:
        low, high = -high, -low
    above, below = stats.norm.logcdf([high, low])
    return float(above + np.log1p(-np.exp(below - above)))
