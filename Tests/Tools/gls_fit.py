"""Fits by generalized least squares with pseudo-likelihood, and what is said about them.

Source: Davidian and Giltinan, Nonlinear Models for Repeated Measurement Data, 1995, chapter 2. Two
steps alternate: the curve is fitted with the standard deviations sigma of the readings held fixed,
and the error model is estimated with the curve held fixed, by the restricted deviance

    D = sum over quantified readings (2 log sigma + u^2) + sum over censored readings (cost) - 2 p log s

with u = (f - y) / sigma and s the geometric mean of sigma over the quantified readings. Profiles hold
the shape of the sigma, not their scale, unless that is at its least. With the one-sided rule the sum of 2 log sigma counts the
readings that are active at the estimate.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, qmc, t

from one_compartment import Parameters, concentration
from reading_errors import ErrorModel, Readings
from smooth_minimum import Objective, descend, lowest, polish
from study_folder import Series

STEP = 1e-30
START_BOX = {"ka": (0.2, 200.0), "beta": (0.01, 1.0), "r": (0.1, 3.0)}
PROFILE_BOX = {"ka": (1e-3, 1e3), "beta": (1e-3, 10.0), "r": (1e-2, 10.0)}
STARTS = 16
PROFILE_STARTS = 8
TYPICAL_SIGMA = 0.03
SETTLED = 1e-11
"""Alternation ends at this relative change of every sigma."""

STATIONARY = 1e-7
"""The largest slope at a minimum of the profile."""


class NoConvergence(ArithmeticError):
    """What should have settled did not, or a better minimum turned up."""


@dataclass(frozen=True)
class Curve:
    """The one-compartment model at the readings, with the logarithms of some parameters free."""

    series: Series
    free: tuple[str, ...]
    fixed: dict[str, float]

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def __call__(self, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Predictions [g/kg] and their Jacobian, by complex step."""
        columns = [self.predict(logs + 1j * STEP * row) for row in np.eye(len(logs))]
        return columns[0].real, np.column_stack([column.imag / STEP for column in columns])

    def predict(self, logs: np.ndarray) -> np.ndarray:
        """Predictions, complex if the logarithms are."""
        free = dict(zip(self.free, np.exp(logs), strict=True))
        return concentration(self.series, Parameters(**self.fixed, **free))

    def profile_range(self, index: int) -> np.ndarray:
        """Where the profile of a parameter is followed."""
        return np.log(PROFILE_BOX[self.free[index]])

    def starts(self, count: int = STARTS) -> np.ndarray:
        """Sobol points in the logarithms of the start box."""
        box = np.log([START_BOX[name] for name in self.free])
        return qmc.scale(qmc.Sobol(len(box), scramble=False).random(count), *box.T)


@dataclass(frozen=True)
class Problem:
    """Readings, a curve and an error model."""

    curve: Curve
    readings: Readings
    errors: ErrorModel

    @property
    def estimated(self) -> int:
        """The number p of free parameters of the curve."""
        return len(self.curve.free)

    def given_sigma(self, sigma: np.ndarray) -> Objective:
        """What step 1 minimises, by the free logarithms."""

        @np.errstate(over="ignore", invalid="ignore", divide="ignore")
        def objective(logs: np.ndarray) -> tuple[float, np.ndarray]:
            predictions, jacobian = self.curve(logs)
            costs = self.readings.costs(predictions, sigma)
            return costs.total, jacobian.T @ costs.by_prediction

        return objective

    def given_shape(self, shape: np.ndarray, counted: int) -> Objective:
        """The restricted deviance by the free logarithms and the logarithm of the scale."""

        @np.errstate(over="ignore", invalid="ignore", divide="ignore")
        def objective(point: np.ndarray) -> tuple[float, np.ndarray]:
            predictions, jacobian = self.curve(point[:-1])
            costs = self.readings.costs(predictions, shape * np.exp(point[-1]))
            freedom = 2 * (counted - self.estimated)
            slope = freedom + np.sum(costs.by_log_sigma)
            value = costs.total + freedom * point[-1]
            return value, np.append(jacobian.T @ costs.by_prediction, slope)

        return objective

    def error_estimates(self, predictions: np.ndarray, restricted: bool) -> np.ndarray:
        """The logarithms of the scale and of rho, step 2; 0 where the model has none."""
        if self.errors.is_known:
            return np.zeros(2)
        lost = self.estimated if restricted else 0
        counted = self.readings.counted(predictions)

        def objective(point: np.ndarray) -> tuple[float, np.ndarray]:
            log_rho = point[1] if len(point) > 1 else 0.0
            shape = self.errors.shape(predictions, log_rho)
            costs = self.readings.costs(predictions, shape * np.exp(point[0]))
            quantified = self.readings.quantified
            weight = 1 - lost / np.sum(quantified)
            value = costs.total + 2 * weight * np.sum(np.log(shape[quantified]))
            value += 2 * (counted - lost) * point[0]
            slopes = [2 * (counted - lost) + np.sum(costs.by_log_sigma)]
            if len(point) > 1:
                share = 1 - 1 / shape**2
                slopes.append(np.sum(share * (costs.by_log_sigma + 2 * weight * quantified)))
            return value, np.array(slopes)

        scales = np.log([0.003, 0.03, 0.3])
        if self.errors.estimated == 1:
            starts = [np.array([scale]) for scale in scales]
            return np.append(lowest(objective, starts), 0.0)
        starts = [np.array([scale, rho]) for scale in scales for rho in (-1.0, 1.0, 3.0)]
        best = lowest(objective, starts)
        least = np.log(self.errors.least_sd_g_per_kg)
        return best if best[0] > least else self.at_least_sd(objective, least)

    @staticmethod
    def at_least_sd(objective: Objective, least: float) -> np.ndarray:
        """The scale held at its least, and the best rho for it."""

        def held(point: np.ndarray) -> tuple[float, np.ndarray]:
            value, slopes = objective(np.array([least, point[0]]))
            return value, slopes[1:]

        return np.append(least, lowest(held, [np.array([rho]) for rho in (3.0, 6.0, 8.0)]))


@dataclass(frozen=True)
class Fit:
    """Where the alternation settled."""

    problem: Problem
    logs: np.ndarray
    log_scale: float
    log_rho: float

    @cached_property
    def predictions(self) -> np.ndarray:
        """The curve at the readings [g/kg]."""
        return self.problem.curve(self.logs)[0]

    @cached_property
    def shape(self) -> np.ndarray:
        """The standard deviations but for their scale."""
        return self.problem.errors.shape(self.predictions, self.log_rho)

    @property
    def sigma(self) -> np.ndarray:
        """The standard deviations [g/kg]."""
        return self.shape * np.exp(self.log_scale)

    @property
    def is_at_least_sd(self) -> bool:
        """Whether the constant error of the combined model is at its least."""
        errors = self.problem.errors
        return errors.name == "combined" and np.exp(self.log_scale) <= (
            errors.least_sd_g_per_kg * (1 + 1e-12)
        )

    @property
    def counted(self) -> int:
        """N: quantified readings and, unless one-sided rules leave them out, censored ones."""
        readings = self.problem.readings
        if readings.rule == "m3":
            return len(readings.values)
        return readings.counted(self.predictions)

    @property
    def freedom(self) -> int:
        """N - p."""
        return self.counted - self.problem.estimated

    def quantile(self, level: float) -> float:
        """Of Student's t, or of the normal distribution if the standard deviations are known."""
        known = self.problem.errors.is_known
        upper = (1 + level) / 2
        return float(norm.ppf(upper) if known else t.ppf(upper, self.freedom))

    def log_errors(self) -> np.ndarray:
        """Standard errors of the free logarithms."""
        jacobian = self.problem.curve(self.logs)[1]
        weights = self.problem.readings.information(self.predictions, self.sigma)
        return np.sqrt(np.diag(np.linalg.inv(jacobian.T @ (jacobian * weights[:, None]))))

    def minus_2_log_likelihood(self) -> float:
        """By maximum likelihood of the error model at the same curve."""
        problem, readings = self.problem, self.problem.readings
        log_scale, log_rho = problem.error_estimates(self.predictions, restricted=False)
        sigma = problem.errors.shape(self.predictions, log_rho) * np.exp(log_scale)
        constants = np.log(2 * np.pi) + 2 * np.log(sigma[readings.quantified])
        return float(readings.costs(self.predictions, sigma).total + np.sum(constants))

    def profile_interval(self, name: str, level: float) -> tuple[float | None, float | None]:
        """Where the profile of a parameter leaves the level, None where it does not."""
        ends = [Profile(self, name).end(level, side) for side in (-1, 1)]
        return tuple(None if end is None else float(np.exp(end)) for end in ends)


def fit(problem: Problem, restricted: bool = True) -> Fit:
    """Alternates to the end, and confirms that the last sigma lead to the same curve."""
    equal = np.full(len(problem.readings.values), TYPICAL_SIGMA)
    start = lowest(problem.given_sigma(equal), problem.curve.starts())
    fitted = alternate(problem, start, restricted)
    objective = problem.given_sigma(fitted.sigma)
    best = lowest(objective, problem.curve.starts())
    if objective(best)[0] < objective(fitted.logs)[0] - 1e-7:
        raise NoConvergence(f"{problem}: {best} is below {fitted.logs}")
    return fitted


def alternate(problem: Problem, logs: np.ndarray, restricted: bool) -> Fit:
    """The fixed point of the two steps."""
    sigma = np.full(len(problem.readings.values), 1.0)
    for _ in range(2000):
        predictions = problem.curve(logs)[0]
        log_scale, log_rho = problem.error_estimates(predictions, restricted)
        before = sigma
        sigma = problem.errors.shape(predictions, log_rho) * np.exp(log_scale)
        if np.max(np.abs(sigma / before - 1)) < SETTLED:
            return Fit(problem, logs, float(log_scale), float(log_rho))
        logs = descend(problem.given_sigma(sigma), logs)
    raise NoConvergence(f"{problem}: sigma changes still by {np.max(np.abs(sigma / before - 1))}")


class Profile:
    """The profile of the restricted deviance of one parameter about a fit."""

    def __init__(self, fitted: Fit, name: str):
        problem = fitted.problem
        self.fitted = fitted
        self.index = problem.curve.free.index(name)
        self.range = problem.curve.profile_range(self.index)
        self.known = problem.errors.is_known or fitted.is_at_least_sd
        counted = problem.readings.counted(fitted.predictions)
        self.objective = (
            problem.given_sigma(fitted.sigma)
            if self.known
            else problem.given_shape(fitted.shape, counted)
        )
        self.estimate = fitted.logs if self.known else np.append(fitted.logs, fitted.log_scale)
        self.least = self.objective(self.estimate)[0]

    def held(self, log: float) -> Objective:
        """The deviance with the parameter held, by all other coordinates."""

        def objective(others: np.ndarray) -> tuple[float, np.ndarray]:
            value, slopes = self.objective(np.insert(others, self.index, log))
            return value, np.delete(slopes, self.index)

        return objective

    def minimum(self, log: float, neighbours: list[np.ndarray]) -> np.ndarray:
        """The least deviance with the parameter held, from what it was for other values."""
        objective = self.held(log)
        ends = [polish(objective, start) for start in neighbours]
        ends = [
            end if np.max(np.abs(objective(end)[1])) < STATIONARY else descend(objective, end)
            for end in ends
        ]
        return min(ends, key=lambda end: objective(end)[0])

    def searched_minimum(self, log: float) -> np.ndarray:
        """The least deviance with the parameter held, from many starts."""
        scale = self.estimate[self.fitted.problem.estimated :]
        points = [np.append(logs, scale) for logs in self.fitted.problem.curve.starts(PROFILE_STARTS)]
        starts = [np.delete(point, self.index) for point in [self.estimate, *points]]
        return lowest(self.held(log), starts)

    def rise(self, log: float, others: np.ndarray) -> float:
        """What the deviance is above that of the fit."""
        return self.held(log)(others)[0] - self.least

    def root(self, log: float) -> float:
        """The signed root of the rise at a value, on the scale of Student's t: R's tau."""
        others = np.delete(self.estimate, self.index)
        for step in np.linspace(self.estimate[self.index], log, 17)[1:]:
            others = self.minimum(step, [others])
        rise = self.rise(log, others)
        freedom = self.fitted.freedom
        size = np.sqrt(freedom * np.expm1(max(0.0, rise) / freedom))
        return float(np.copysign(size, log - self.estimate[self.index]))

    def threshold(self, level: float) -> float:
        """How far the deviance may rise."""
        quantile = self.fitted.quantile(level)
        if self.known:
            return quantile**2
        freedom = self.fitted.freedom
        return freedom * float(np.log1p(quantile**2 / freedom))

    def end(self, level: float, side: int) -> float | None:
        """Where the profile first leaves the level on one side."""
        threshold = self.threshold(level)
        inside = self.estimate[self.index]
        step = self.fitted.log_errors()[self.index] / 2
        near = np.delete(self.estimate, self.index)
        while self.range[0] < inside < self.range[1]:
            outside = float(np.clip(inside + side * step, *self.range))
            far = self.minimum(outside, [near])
            if self.rise(outside, far) > threshold:
                return self.crossing(inside, outside, [near, far], threshold)
            inside, step, near = outside, 1.4 * step, far
        return None

    def crossing(
        self, inside: float, outside: float, neighbours: list[np.ndarray], threshold: float
    ) -> float:
        """The root between two values, where a search from many starts must find nothing lower."""

        def above(log: float) -> float:
            return self.rise(log, self.minimum(log, neighbours)) - threshold

        log = brentq(above, inside, outside, xtol=1e-13, rtol=1e-13)
        if self.rise(log, self.searched_minimum(log)) < threshold - 1e-6:
            raise NoConvergence(f"{self.fitted.problem}: a lower profile at {log}")
        return float(log)
