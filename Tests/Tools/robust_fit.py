"""Fits with robust losses: MM-estimates (Yohai, Ann Stat 15 (1987) 642-656).

A loss is c^2 rho(z) with z = (u / c)^2 and u = r / s, r the residual; rho is that of SciPy's
`least_squares` for soft-l1, huber and cauchy, and Tukey's for the bisquare.

The scale s is that of the S-estimate (Rousseeuw and Yohai, 1984): of all curves the least s for which
the sum over the readings of rho_0(r / s) is (n - p) / 2, rho_0 being Tukey's bisquare, 1 at its largest,
with the c that makes its mean 1/2 for normal errors, and n the number of readings above zero. Here its
logarithm is minimised by BFGS, with the derivative that the implicit function theorem gives it. At this
scale the curve is the one of the least loss. Both are looked for from many starts.

Standard errors are those of Huber, Robust Statistics, 1981, section 7.6, as in R's `MASS::rlm`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, t

from gls_fit import TYPICAL_SIGMA, Curve, NoConvergence
from smooth_minimum import Objective, lowest

EFFICIENCY = 0.95
BREAKDOWN = 0.5
STARTS = 64


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
    """The curve of the least loss at the scale of the S-estimate."""

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


def mean_of_bisquare(tuning: float) -> float:
    """E rho_0 for a standard normal residual, by Gauss-Legendre quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    u = tuning * (nodes + 1) / 2
    inside = np.sum((1 - (1 - (u / tuning) ** 2) ** 3) * norm.pdf(u) * weights) * tuning
    return float(inside + 2 * norm.sf(tuning))


SCALE_TUNING = float(brentq(lambda c: mean_of_bisquare(c) - BREAKDOWN, 0.5, 5.0, xtol=1e-14))
"""c of the scale; 1.547 in Rousseeuw and Yohai."""


def m_scale(residuals: np.ndarray, freedom: int) -> float:
    """The root of the sum of rho_0 less its target."""
    sizes = np.abs(residuals)
    least, most = np.log(sizes[sizes > 0].min()), np.log(sizes.max())

    def excess(log_scale: float) -> float:
        z = np.minimum((sizes / (SCALE_TUNING * np.exp(log_scale))) ** 2, 1)
        return float(np.sum(1 - (1 - z) ** 3) - BREAKDOWN * freedom)

    return float(np.exp(brentq(excess, least - 5, most + 5, xtol=1e-15, rtol=1e-14)))


def log_scale(curve: Curve) -> Objective:
    """The logarithm of the scale of a curve and its slopes."""
    readings = curve.series.readings_g_per_kg
    freedom = int(np.sum(readings > 0)) - len(curve.free)

    @np.errstate(over="ignore", invalid="ignore")
    def objective(logs: np.ndarray) -> tuple[float, np.ndarray]:
        predictions, jacobian = curve(logs)
        residuals = predictions - readings
        if not np.all(np.isfinite(residuals)):
            return np.nan, np.full(len(logs), np.nan)
        scale = m_scale(residuals, freedom)
        u = residuals / scale
        pull = u * np.maximum(1 - (u / SCALE_TUNING) ** 2, 0) ** 2
        return float(np.log(scale)), jacobian.T @ pull / scale / np.sum(pull * u)

    return objective


def fit_robustly(curve: Curve, loss: Loss) -> RobustFit:
    """The S-estimate, and from everywhere the least loss at its scale."""
    starts = [least_squares(curve), *curve.starts(STARTS)]
    spread = log_scale(curve)
    steady = lowest(spread, starts)
    again = lowest(spread, curve.starts(2 * STARTS)[STARTS:])
    if spread(again)[0] < spread(steady)[0] - 1e-9:
        raise NoConvergence(f"{curve}: the scale of {again} is below that of {steady}")
    scale = float(np.exp(spread(steady)[0]))
    logs = lowest(given_scale(curve, loss, scale), [steady, *starts])
    return RobustFit(curve, loss, logs, scale)
