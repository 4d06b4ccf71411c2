"""How readings err: standard deviations, censoring and what each reading costs.

A model's standard deviation is s w(f) with a common scale s and a shape w; the shape of the combined
model has one parameter, rho. Costs are twice negative log-likelihoods without their constants.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

FLOOR_G_PER_KG = 0.01
"""The level below which an error that is proportional alone does not shrink."""

LEAST_SD_G_PER_KG = 1e-4
"""The least constant error of the combined model, where no resolution d is stated; else d / sqrt(12)."""


def floored_level(predictions: np.ndarray) -> np.ndarray:
    """The level to which an error that is proportional alone relates: the prediction f, and below 2 F
    2 F (1/2 + u^3 - u^4 / 2) with u = f / 2 F, which has continuous second derivatives."""
    twice = 2 * FLOOR_G_PER_KG
    u = predictions / twice
    return np.where(predictions < twice, twice * (0.5 + u**3 - u**4 / 2), predictions)


@dataclass(frozen=True)
class Readings:
    """What was read [g/kg]; censored readings are only known to be below `limits`.

    `rule` says what censored ones cost: "m3" their likelihood, "one-sided" the square of what
    the prediction exceeds the limit by.
    """

    times_h: np.ndarray
    values: np.ndarray
    limits: np.ndarray
    censored: np.ndarray
    rule: str

    @property
    def quantified(self) -> np.ndarray:
        """Which readings have a value."""
        return ~self.censored

    def active(self, predictions: np.ndarray) -> np.ndarray:
        """Which censored readings were predicted above their limit."""
        return self.censored & (predictions > self.limits)

    def counted(self, predictions: np.ndarray) -> int:
        """How many squares there are: with the one-sided rule also those of active readings."""
        count = int(np.sum(self.quantified))
        if self.rule == "one-sided":
            count += int(np.sum(self.active(predictions)))
        return count

    def costs(self, predictions: np.ndarray, sigma: np.ndarray) -> "Costs":
        """The cost of each reading and its slopes."""
        u = (predictions - self.values) / sigma
        squares = Costs(u**2, 2 * u / sigma, -2 * u**2)
        if self.rule == "m3":
            return squares.where(self.quantified, censored_likelihood(self, predictions, sigma))
        excess = np.maximum(0, predictions - self.limits) / sigma
        one_sided = Costs(excess**2, 2 * excess / sigma, -2 * excess**2)
        return squares.where(self.quantified, one_sided)

    def information(self, predictions: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        """The weight of each reading in the information matrix."""
        if self.rule == "one-sided":
            return np.where(self.quantified | self.active(predictions), 1 / sigma**2, 0)
        z = (self.limits - predictions) / sigma
        ratio = mills(z)
        return np.where(self.quantified, 1, ratio * (z + ratio)) / sigma**2


@dataclass(frozen=True)
class Costs:
    """What each reading costs, and the slopes of that by f and by the logarithm of sigma."""

    values: np.ndarray
    by_prediction: np.ndarray
    by_log_sigma: np.ndarray

    def where(self, chosen: np.ndarray, other: "Costs") -> "Costs":
        """These costs where chosen, the others elsewhere."""
        return Costs(
            np.where(chosen, self.values, other.values),
            np.where(chosen, self.by_prediction, other.by_prediction),
            np.where(chosen, self.by_log_sigma, other.by_log_sigma),
        )

    @property
    def total(self) -> float:
        """The sum."""
        return float(np.sum(self.values))


def mills(z: np.ndarray) -> np.ndarray:
    """phi(z) / Phi(z)."""
    return np.exp(norm.logpdf(z) - norm.logcdf(z))


def censored_likelihood(readings: Readings, predictions: np.ndarray, sigma: np.ndarray) -> Costs:
    """-2 log Phi((L - f) / sigma)."""
    z = (readings.limits - predictions) / sigma
    ratio = mills(z)
    return Costs(-2 * norm.logcdf(z), 2 * ratio / sigma, 2 * ratio * z)


@dataclass(frozen=True)
class ErrorModel:
    """One of the error models, by name, with the instrument's data where they are needed."""

    name: str
    resolution_g_per_kg: float = 0.0
    accuracy: float = 0.0

    @property
    def is_known(self) -> bool:
        """Whether there is nothing to estimate."""
        return self.name == "instrument"

    @property
    def estimated(self) -> int:
        """How many parameters are estimated."""
        return {"instrument": 0, "combined": 2}.get(self.name, 1)

    @property
    def least_sd_g_per_kg(self) -> float:
        """What rounding alone leaves."""
        d = self.resolution_g_per_kg
        return d / np.sqrt(12) if d > 0 else LEAST_SD_G_PER_KG

    def shape(self, predictions: np.ndarray, log_rho: float) -> np.ndarray:
        """The standard deviations but for their common scale, which is 1 if they are known."""
        if self.name == "additive":
            return np.ones_like(predictions)
        if self.name == "proportional":
            return floored_level(predictions)
        if self.name == "combined":
            return np.sqrt(1 + (np.exp(log_rho) * predictions) ** 2)
        variance = self.resolution_g_per_kg**2 / 12 + (self.accuracy * predictions) ** 2 / 3
        return np.sqrt(variance)

    def parameters(self, log_scale: float, log_rho: float) -> tuple[float | None, float | None]:
        """a [g/kg] and b, None where the model has none."""
        scale = float(np.exp(log_scale))
        return {
            "additive": (scale, None),
            "proportional": (None, scale),
            "combined": (scale, scale * float(np.exp(log_rho))),
        }.get(self.name, (None, None))
