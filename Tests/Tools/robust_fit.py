"""Fits with robust losses, whose scale is the median residual.

A loss is c^2 rho(z) with z = (u / c)^2 and u = r / s, r the residual; rho is that of SciPy's
`least_squares` for soft-l1, huber and cauchy, and Tukey's for the bisquare. The scale is
s = median |r| / 0.6745 over all readings. From the least squares on, the curve at a fixed scale and
the scale of the curve alternate until they settle.

Standard errors are those of Huber, Robust Statistics, 1981, section 7.6, as in R's `MASS::rlm`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, t

from gls_fit import SETTLED, TYPICAL_SIGMA, Curve, NoConvergence
from smooth_minimum import Objective, descend, lowest

MAD_OF_NORMAL = 0.6745
EFFICIENCY = 0.95


@dataclass(frozen=True)
class Loss:
    """A loss by its rho(z), its weight rho'(z) and its psi' = rho' + 2 z rho''; psi = weight u."""

    tuning: float
    rho: Callable[[np.ndarray], np.ndarray]
    weight: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]


LOSSES = {
    "soft-l1": Loss(
        1.2871,
        lambda z: 2 * (np.sqrt(1 + z) - 1),
        lambda z: (1 + z) ** -0.5,
        lambda z: (1 + z) ** -1.5,
    ),
    "huber": Loss(
        1.345,
        lambda z: np.where(z <= 1, z, 2 * np.sqrt(z) - 1),
        lambda z: np.maximum(z, 1) ** -0.5,
        lambda z: (z <= 1).astype(float),
    ),
    "cauchy": Loss(
        2.385, np.log1p, lambda z: 1 / (1 + z), lambda z: (1 - z) / (1 + z) ** 2
    ),
    "bisquare": Loss(
        4.685,
        lambda z: (1 - np.maximum(1 - z, 0) ** 3) / 3,
        lambda z: np.maximum(1 - z, 0) ** 2,
        lambda z: np.where(z <= 1, (1 - z) * (1 - 5 * z), 0),
    ),
}


def efficiency(loss: Loss, tuning: float) -> float:
    """The efficiency for normal residuals, E[psi']^2 / E[psi^2], by Gauss-Legendre quadrature.

    The pieces end at the tuning constant, where psi may have a kink.
    """
    nodes, weights = np.polynomial.legendre.leggauss(200)
    slope = square = 0.0
    for low, high in ((0, tuning), (tuning, 12.0)):
        u = low + (high - low) * (nodes + 1) / 2
        density = norm.pdf(u) * weights * (high - low) / 2
        z = (u / tuning) ** 2
        slope += 2 * np.sum(loss.slope(z) * density)
        square += 2 * np.sum((loss.weight(z) * u) ** 2 * density)
    return float(slope**2 / square)


def tuning_for(loss: Loss, wanted: float = EFFICIENCY) -> float:
    """The tuning constant of that efficiency."""
    return float(brentq(lambda c: efficiency(loss, c) - wanted, loss.tuning / 2, loss.tuning * 2))


@dataclass(frozen=True)
class RobustFit:
    """Where the alternation settled."""

    curve: Curve
    loss: Loss
    logs: np.ndarray
    scale: float

    @property
    def freedom(self) -> int:
        """n - p."""
        return len(self.curve.series.times_h) - len(self.logs)

    def quantile(self, level: float) -> float:
        """Of Student's t."""
        return float(t.ppf((1 + level) / 2, self.freedom))

    def log_errors(self) -> np.ndarray:
        """Standard errors of the free logarithms."""
        predictions, jacobian = self.curve(self.logs)
        u = (predictions - self.curve.series.readings_g_per_kg) / self.scale
        z = (u / self.loss.tuning) ** 2
        n, p = jacobian.shape
        slope = self.loss.slope(z)
        mean = np.mean(slope)
        correction = 1 + p / n * np.var(slope, ddof=1) / mean**2
        pull = np.sum((self.loss.weight(z) * u) ** 2) / (n - p)
        variance = (correction * self.scale / mean) ** 2 * pull
        return np.sqrt(variance * np.diag(np.linalg.inv(jacobian.T @ jacobian)))


def given_scale(curve: Curve, loss: Loss, scale: float) -> Objective:
    """The sum of the losses."""

    @np.errstate(over="ignore", invalid="ignore")
    def objective(logs: np.ndarray) -> tuple[float, np.ndarray]:
        predictions, jacobian = curve(logs)
        u = (predictions - curve.series.readings_g_per_kg) / scale
        z = (u / loss.tuning) ** 2
        value = loss.tuning**2 * np.sum(loss.rho(z))
        return float(value), jacobian.T @ (2 * loss.weight(z) * u) / scale

    return objective


def least_squares(curve: Curve) -> np.ndarray:
    """The best least squares of many starts."""
    square = Loss(1.0, lambda z: z, np.ones_like, np.ones_like)
    return lowest(given_scale(curve, square, TYPICAL_SIGMA), curve.starts())


def median_scale(curve: Curve, logs: np.ndarray) -> float:
    """The scale of a curve."""
    residuals = curve(logs)[0] - curve.series.readings_g_per_kg
    return float(np.median(np.abs(residuals)) / MAD_OF_NORMAL)


def fit_robustly(curve: Curve, loss: Loss) -> RobustFit:
    """Alternates to the end, and confirms that the last scale leads to the same curve."""
    logs = least_squares(curve)
    scale = median_scale(curve, logs)
    for _ in range(2000):
        logs = descend(given_scale(curve, loss, scale), logs)
        before, scale = scale, median_scale(curve, logs)
        if abs(scale / before - 1) < SETTLED:
            break
    else:
        raise NoConvergence(f"{curve}: the scale changes still")
    objective = given_scale(curve, loss, scale)
    best = lowest(objective, curve.starts())
    if objective(best)[0] < objective(logs)[0] - 1e-7:
        raise NoConvergence(f"{curve}: {best} is below {logs}")
    return RobustFit(curve, loss, logs, scale)
