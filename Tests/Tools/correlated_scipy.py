#!/usr/bin/env python3
"""Fits with exponentially correlated errors, for the fit's --correlation exponential.

    python3 Tests/Tools/correlated_scipy.py [--check]

The correlation of two errors is (1 - w) exp(-dt / tau), w being the nugget: the continuous-time AR(1) of R's
`corCAR1`, with white noise, except that readings of the same minute are tied to the last one before and otherwise
independent. It is written
here as the full matrix R, whose inverse and determinant come from Cholesky's factors, where the command
uses a recursion. The parameters theta of the curve minimise u^T R^-1 u for the tau, and tau the
restricted deviance

    D = 2 sum log sigma + log |R| + log |J^T R^-1 J| - log |J^T J| + u^T R^-1 u - 2 p log s

for the theta, in turns until neither moves (Harville 1974 for the restricted likelihood; Pinheiro &
Bates 2000, chapter 5). u are residuals in sigma, J the Jacobian in sigma, s the geometric mean of
sigma. Ends of profile intervals hold the shape of sigma and J, and take tau and the scale at their
best at each value. -2 log L takes tau and scale at the maximum of the likelihood for the same theta.

Writes fit-correlated-series.csv and fit-correlated.csv. Estimates must be met to 1e-5, ends to 1e-4:
tau is where a derivative vanishes, which rounding hides at 1e-7, and alternation multiplies that.
"""

import sys
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import brentq, least_squares, minimize_scalar
from scipy.stats import t

from expectations import Table, Tolerance, deliver, new_parser
from one_compartment import Parameters, concentration
from reading_errors import floored_level
from study_folder import Drink, Series

FREE = ("ka", "beta", "r")
PROFILED = ("ka", "beta")
SAME_TIME_H = 0.5 / 60
STEP = 1e-30
EQUAL = tuple(range(15, 361, 15))
UNEQUAL = (10, 20, 30, 45, 60, 80, 95, 120, 150, 170, 200, 240, 255, 300, 330, 345, 390)
DOUBLE = (15, 15, 30, 45, 60, 60, 90, 120, 120, 150, 180, 210, 210, 240, 270, 300, 330, 330)


@dataclass(frozen=True)
class Case:
    """A series and how it is fitted."""

    subject: str
    seed: int
    times_min: tuple[int, ...]
    dose_g_per_kg: float
    truth: tuple[float, float, float]
    correlation: float
    error: str = "additive"
    given_min: float | None = None
    nugget: float = 0.0
    sd: float = 0.02
    cv: float = 0.0


CASES = (
    Case("equal-1", 3, EQUAL, 1.2, (3.0, 0.15, 0.7), 0.6),
    Case("equal-given", 3, EQUAL, 1.2, (3.0, 0.15, 0.7), 0.6, given_min=40),
    Case("equal-white", 5, EQUAL, 1.2, (3.0, 0.15, 0.7), 0.6, given_min=40, nugget=0.25),
    Case("unequal-white", 6, UNEQUAL, 1.3, (2.5, 0.14, 0.7), 0.6, "proportional", 60, 0.1, sd=0, cv=0.05),
    Case("known-white", 7, UNEQUAL, 1.3, (2.5, 0.14, 0.7), 0.6, "additive:0.02", 30, 0.5),
    Case("unequal-1", 8, UNEQUAL, 1.3, (2.5, 0.14, 0.7), 0.6),
    Case("double-1", 12, DOUBLE, 1.1, (2.5, 0.15, 0.68), 0.6),
    Case("proportional-1", 14, UNEQUAL, 1.3, (2.5, 0.14, 0.7), 0.6, "proportional", sd=0, cv=0.05),
    Case("known-1", 3, EQUAL, 1.2, (3.0, 0.15, 0.7), 0.6, "additive:0.02"),
)


def readings(case: Case) -> np.ndarray:
    """The truth with correlated errors, to four decimals; errors of one minute share no more."""
    times = np.array(case.times_min) / 60
    truth = curve(case, times)(np.log(case.truth)).real
    normal = np.random.RandomState(case.seed).normal(size=len(times))
    factor = np.linalg.cholesky(matrix(times, -0.25 / np.log(case.correlation), case.nugget))
    return np.round(truth + np.hypot(case.sd, case.cv * truth) * (factor @ normal), 4)


def curve(case: Case, times_h: np.ndarray):
    """Predictions by the logarithms of the parameters."""
    drink = Drink(0.0, 0.0, case.dose_g_per_kg)
    series = Series(case.subject, "", None, (drink,), times_h, np.zeros(len(times_h)))
    return lambda logs: concentration(series, Parameters(*np.exp(logs.astype(complex))))


def correlation(times_h: np.ndarray, tau_h: float) -> np.ndarray:
    """R: of two different minutes exp(-dt/tau); of one minute what the last reading before leaves."""
    n = len(times_h)
    matrix = np.eye(n)
    for i in range(n):
        before = [j for j in range(i) if times_h[j] <= times_h[i] - SAME_TIME_H]
        if not before:
            continue
        parent = before[-1]
        phi = np.exp(-(times_h[i] - times_h[parent]) / tau_h)
        matrix[i, :i] = matrix[:i, i] = phi * matrix[parent, :i]
    return matrix


def matrix(times_h: np.ndarray, tau_h: float, nugget: float) -> np.ndarray:
    """R with white noise, of which no two errors have the same."""
    return (1 - nugget) * correlation(times_h, tau_h) + nugget * np.eye(len(times_h))


class Fit:
    """Where the turns settled."""

    def __init__(self, case: Case):
        self.case = case
        self.times = np.array(case.times_min) / 60
        self.values = readings(case)
        self.predict = curve(case, self.times)
        self.n, self.p = len(self.values), len(FREE)
        gap, span = np.diff(np.unique(self.times)).min(), np.ptp(self.times)
        self.range = (gap / 8, span)
        self.settle()

    def jacobian(self, logs: np.ndarray) -> np.ndarray:
        columns = [self.predict(logs + 1j * STEP * row).imag / STEP for row in np.eye(len(logs))]
        return np.column_stack(columns)

    def shape(self, logs: np.ndarray) -> np.ndarray:
        if self.case.error == "proportional":
            return floored_level(self.predict(logs).real)
        return np.full(self.n, 0.02 if ":" in self.case.error else 1.0)

    def settle(self) -> None:
        logs, tau = np.log(self.case.truth), 0.4
        shape = np.ones(self.n)
        for turn in range(3000):
            old = np.append(logs, tau)
            logs = self.generalised(logs, shape, tau, 1 if turn else 3)
            shape = self.shape(logs)
            jacobian = self.jacobian(logs) / shape[:, None]
            residuals = (self.predict(logs).real - self.values) / shape
            tau = self.best_tau(lambda x: self.deviance(residuals, jacobian, x))
            if np.max(np.abs(np.append(logs, tau) - old)) < 1e-9:
                break
        self.logs, self.tau, self.shapes, self.weighted = logs, tau, shape, jacobian
        self.least = self.deviance(residuals, jacobian, tau)
        self.scale = self.scale_of(residuals, tau, self.n - self.p)

    def generalised(self, logs: np.ndarray, shape: np.ndarray, tau: float, count: int):
        factor = cholesky(matrix(self.times, tau, self.case.nugget), lower=True)

        def white(values: np.ndarray) -> np.ndarray:
            return solve_triangular(factor, values, lower=True)

        starts = [logs, np.log(self.case.truth), np.log([1.0, 0.2, 0.6])]
        found = [
            least_squares(
                lambda x: white((self.predict(x).real - self.values) / shape),
                start,
                jac=lambda x: white(self.jacobian(x) / shape[:, None]),
                xtol=1e-15, ftol=1e-15, gtol=1e-15, method="lm",
            )
            for start in starts[:count]
        ]  # fmt: skip
        return min(found, key=lambda result: result.cost).x

    @property
    def is_known(self) -> bool:
        return ":" in self.case.error

    def scale_of(self, residuals: np.ndarray, tau: float, freedom: int) -> float:
        if self.is_known:
            return 1.0
        return np.sqrt(residuals @ self.solve(tau, residuals) / freedom)

    def solve(self, tau: float, values: np.ndarray) -> np.ndarray:
        return cho_solve((cholesky(matrix(self.times, tau, self.case.nugget), lower=True), True), values)

    def deviance(self, residuals, jacobian, log_or_tau, is_log=False) -> float:
        """The restricted deviance, the scale at its best."""
        tau = np.exp(log_or_tau) if is_log else log_or_tau
        square = residuals @ self.solve(tau, residuals)
        value = np.linalg.slogdet(matrix(self.times, tau, self.case.nugget))[1]
        value += np.linalg.slogdet(jacobian.T @ self.solve(tau, jacobian))[1]
        value -= np.linalg.slogdet(jacobian.T @ jacobian)[1]
        if self.is_known:
            return value + square
        return value + (self.n - self.p) * np.log(square)

    def best_tau(self, objective, points: int = 40) -> float:
        if self.case.given_min is not None:
            return self.case.given_min / 60
        grid = np.linspace(*np.log(self.range), points)
        values = [objective(np.exp(x)) for x in grid]
        best = int(np.argmin(values))
        if best == len(grid) - 1:
            return self.range[1]
        low, high = grid[max(best - 1, 0)], grid[best + 1]
        result = minimize_scalar(
            lambda x: objective(np.exp(x)), bounds=(low, high), method="bounded",
            options={"xatol": 1e-9},
        )  # fmt: skip
        return float(np.exp(result.x))

    def standard_errors(self) -> np.ndarray:
        covariance = np.linalg.inv(self.weighted.T @ self.solve(self.tau, self.weighted))
        return np.exp(self.logs) * np.sqrt(np.diag(covariance)) * self.scale

    def minus_2_log_likelihood(self) -> float:
        residuals = (self.predict(self.logs).real - self.values) / self.shapes

        def deviance(tau: float) -> float:
            square = residuals @ self.solve(tau, residuals)
            value = np.linalg.slogdet(matrix(self.times, tau, self.case.nugget))[1]
            if self.is_known:
                return value + square
            return value + self.n * np.log(square / self.n) + self.n

        value = deviance(self.best_tau(deviance))
        return value + self.n * np.log(2 * np.pi) + 2 * np.sum(np.log(self.shapes))

    def rise(self, index: int, log: float, start: np.ndarray) -> tuple[float, np.ndarray]:
        """By how much the deviance is above its minimum with a parameter held, tau at its best."""
        found = {}

        def at(tau: float) -> float:
            factor = cholesky(matrix(self.times, tau, self.case.nugget), lower=True)

            def white(values: np.ndarray) -> np.ndarray:
                return solve_triangular(factor, values, lower=True)

            result = least_squares(
                lambda x: white((self.predict(np.insert(x, index, log)).real - self.values)
                                / self.shapes),
                start,
                jac=lambda x: white(np.delete(self.jacobian(np.insert(x, index, log)), index, 1)
                                    / self.shapes[:, None]),
                xtol=1e-14, ftol=1e-14, gtol=1e-14, method="lm",
            )  # fmt: skip
            residuals = (self.predict(np.insert(result.x, index, log)).real - self.values) / self.shapes
            found[tau] = (self.deviance(residuals, self.weighted, tau), result.x)
            return found[tau][0]

        tau = self.best_tau(at, points=7)
        at(tau)
        value, others = found[tau]
        return value - self.least, others

    def interval(self, index: int) -> tuple[float, float]:
        freedom = self.n - self.p
        quantile = 1.959963984540054 if self.is_known else t.ppf(0.975, freedom)
        threshold = (
            quantile**2 if self.is_known else freedom * np.log1p(quantile**2 / freedom)
        )
        ends = []
        for side in (-1, 1):
            start = np.delete(self.logs, index)
            inside, step = self.logs[index], 0.05
            while True:
                outside = inside + side * step
                rise, start = self.rise(index, outside, start)
                if rise > threshold or abs(outside - self.logs[index]) > 4:
                    break
                inside = outside
            log = brentq(
                lambda x: self.rise(index, x, start)[0] - threshold, inside, outside, xtol=1e-8
            )
            ends.append(float(np.exp(log)))
        return tuple(ends)

    def row(self) -> dict[str, object]:
        row: dict[str, object] = {
            "subject": self.case.subject,
            "error_model": self.case.error,
            "given_min": self.case.given_min,
            "nugget": self.case.nugget,
            "dose_g_per_kg": self.case.dose_g_per_kg,
            "tau_min": float(60 * self.tau),
            "scale": float(self.scale),
            "minus_2_log_likelihood": float(self.minus_2_log_likelihood()),
        }
        errors = self.standard_errors()
        for index, name in enumerate(FREE):
            low, high = self.interval(index) if name in PROFILED else (None, None)
            row[f"{name}"] = float(np.exp(self.logs[index]))
            row[f"{name}_se"] = float(errors[index])
            row[f"{name}_low"], row[f"{name}_high"] = low, high
        return row


def main() -> int:
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    fits = [Fit(case) for case in CASES]
    series = [
        {"subject": fit.case.subject, "time_min": time, "bac_g_per_kg": float(value)}
        for fit in fits
        for time, value in zip(fit.case.times_min, fit.values)
    ]
    rows = [fit.row() for fit in fits]
    close, ends = Tolerance(relative=1e-6, absolute=1e-6), Tolerance(relative=2e-5)
    tolerances = {column: close for column in rows[0] if column not in ("subject", "error_model")}
    tolerances |= {column: ends for column in rows[0] if column.endswith(("_low", "_high"))}
    return deliver(
        [
            Table("fit-correlated-series.csv", series),
            Table("fit-correlated.csv", rows, tolerances),
        ],
        options,
    )


if __name__ == "__main__":
    sys.exit(main())
