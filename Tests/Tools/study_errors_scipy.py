#!/usr/bin/env python3
"""The error model that the people of a study share, for the fit's --error-from study.

    python3 Tests/Tools/study_errors_scipy.py [--check]

SD at zero a, coefficient of variation b, correlation time tau and nugget w (the share of the variance that
is white noise) minimise, for curves f_i with Jacobians J_i, the sum over people of the restricted deviance

    D = log |V| + r^T P r + log |J^T V^-1 J| - log |J^T J|,   P = V^-1 - V^-1 J (J^T V^-1 J)^-1 J^T V^-1

(Harville 1974), written here with whole matrices; then every curve is fitted again with these errors
(generalised least squares), and so on until nothing moves (Davidian & Giltinan 1995, section 5.2.2). For
combined errors D is weighted by -log w(1 - w), w the share of a^2 in the variance at the root mean square
of f (Chung et al. 2013); intervals are those of the profile of D without that weight, curves held, with
the quantile of Student's t of the summed n - p; times beyond those of the readings are open ends. For additive errors every person has a scale, for which D
is at its least. Whether all people have errors of one size is Bartlett's test.

Writes study-errors-series.csv and study-errors.csv. Estimates must be met to 1e-3 and ends to 5e-3: the
command ends its turns at a change of 1e-4, and looks for ends to 1e-4.
"""

import sys
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, least_squares, minimize, minimize_scalar
from scipy.special import digamma, polygamma
from scipy.stats import chi2, t

from correlated_scipy import correlation
from expectations import Table, Tolerance, deliver, new_parser
from one_compartment import Parameters, concentration
from reading_errors import floored_level
from study_folder import Drink, Series

STEP = 1e-30
LEAST = 1e-4
"""The smallest SD at zero, in g/kg, and below all other parameters."""
FEWEST = 3
"""Degrees of freedom of a person who takes part in Bartlett's test."""


@dataclass(frozen=True)
class Study:
    """A study, and how its errors are."""

    name: str
    seed: int
    people: int
    times_min: tuple[int, ...]
    sd: float
    cv: float
    tau_min: float = 0.0
    white: float = 0.0
    spread: float = 0.0

    @property
    def error(self) -> str:
        return {"flat": "combined", "correlated-white": "correlated"}.get(self.name, self.name)


STUDIES = (
    Study("combined", 11, 12, (8, 16, 35, 60, 90, 130, 180, 230, 280, 330, 380), 0.01, 0.05),
    Study("flat", 15, 8, (10, 30, 60, 100, 150, 200), 0.01, 0.05),
    Study("proportional", 12, 8, (10, 20, 40, 70, 110, 160, 220), 0.0, 0.06, spread=0.6),
    # No curve reaches zero at a reading, where its slope and so D have two values.
    Study("correlated", 13, 10, tuple(range(9, 181, 9)), 0.02, 0.0, tau_min=15),
    Study("correlated-white", 16, 20, tuple(range(4, 181, 4)), 0.02, 0.0, tau_min=15, white=0.3),
)


class Person:
    """Readings of one dose, and the curve that was last fitted to them."""

    def __init__(self, study: Study, number: int):
        random = np.random.RandomState(1000 * study.seed + number)
        self.subject = f"{study.name}-{number}"
        self.dose = round(random.uniform(0.4, 1.0), 3)
        truth = np.log([4 * np.exp(0.4 * random.normal()), random.normal(0.15, 0.02), 0.68])
        self.times = np.array(study.times_min) / 60
        errors = random.normal(size=len(self.times))
        if study.tau_min > 0:
            white = random.normal(size=len(self.times)) if study.white > 0 else 0.0
            errors = np.linalg.cholesky(correlation(self.times, study.tau_min / 60)) @ errors
            errors = np.sqrt(1 - study.white) * errors + np.sqrt(study.white) * white
        errors *= np.exp(study.spread * random.normal())
        curve = self.predict(truth).real
        self.values = np.round(np.maximum(0, curve + np.hypot(study.sd, study.cv * curve) * errors), 4)
        self.logs = truth

    def predict(self, logs: np.ndarray) -> np.ndarray:
        drink = Drink(0.0, 0.0, self.dose)
        series = Series(self.subject, "", None, (drink,), self.times, np.zeros(len(self.times)))
        return concentration(series, Parameters(*np.exp(logs.astype(complex))))

    def jacobian(self, logs: np.ndarray) -> np.ndarray:
        rows = STEP * 1j * np.eye(len(logs))
        return np.column_stack([self.predict(logs + row).imag / STEP for row in rows])

    def fit(self, covariance: "Covariance") -> None:
        """The curve by generalised least squares; its own predictions make the covariance."""
        for _ in range(200):
            old = self.logs
            factor = np.linalg.cholesky(covariance(self.predict(old).real, self.times))
            self.logs = least_squares(
                lambda x: np.linalg.solve(factor, self.predict(x).real - self.values), old,
                jac=lambda x: np.linalg.solve(factor, self.jacobian(x)),
                xtol=1e-15, ftol=1e-15, gtol=1e-15, method="lm",
            ).x  # fmt: skip
            if np.max(np.abs(self.logs - old)) < 1e-9:
                break
        self.curve, self.slopes = self.predict(self.logs).real, self.jacobian(self.logs)
        # A zero that a curve of zero meets is no residual.
        self.kept = (self.values > 0) | (self.curve > 0)

    def parts(self, covariance: "Covariance") -> tuple[float, float, int]:
        """log |V| + log |J^T V^-1 J| - log |J^T J|, r^T P r, and n - p."""
        kept = self.kept
        curve, slopes = self.curve[kept], self.slopes[kept]
        inverse = np.linalg.inv(covariance(curve, self.times[kept]))
        information = slopes.T @ inverse @ slopes
        rest = self.values[kept] - curve
        pull = slopes.T @ inverse @ rest
        logarithms = (
            -np.linalg.slogdet(inverse)[1] + np.linalg.slogdet(information)[1]
            - np.linalg.slogdet(slopes.T @ slopes)[1]
        )  # fmt: skip
        square = rest @ inverse @ rest - pull @ np.linalg.solve(information, pull)
        return logarithms, square, len(curve) - slopes.shape[1]


@dataclass(frozen=True)
class Covariance:
    """V of the readings of a person by the parameters of the error model."""

    sd: float
    cv: float
    tau_h: float = 0.0
    nugget: float = 0.0

    def __call__(self, curve: np.ndarray, times_h: np.ndarray) -> np.ndarray:
        if self.sd == 0:
            sigma = self.cv * floored_level(curve)
        else:
            sigma = np.hypot(self.sd, self.cv * curve)
        matrix = np.eye(len(curve))
        if self.tau_h > 0:
            matrix = (1 - self.nugget) * correlation(times_h, self.tau_h) + self.nugget * matrix
        return sigma[:, None] * matrix * sigma


class Fit:
    """Where curves and errors settled."""

    def __init__(self, study: Study):
        self.study = study
        self.people = [Person(study, number) for number in range(1, study.people + 1)]
        start = {"combined": (0.01, 0.05), "proportional": (0.05,), "correlated": (0.3, 0.25)}
        self.logs = np.log(start[study.error])
        for _ in range(200):
            for person in self.people:
                person.fit(self.covariance(self.logs))
            old = self.logs
            self.logs = self.best(lambda x: self.deviance(x) + self.weight(x), old)
            if np.max(np.abs(self.logs - old)) < 1e-8:
                break
        self.freedom = sum(p.parts(self.covariance(self.logs))[2] for p in self.people)
        self.least = self.deviance(self.best(self.deviance, self.logs))

    def covariance(self, logs: np.ndarray) -> Covariance:
        values = np.exp(np.minimum(logs, 20))
        if self.study.error == "combined":
            return Covariance(*values)
        if self.study.error == "proportional":
            return Covariance(0.0, values[0])
        return Covariance(1.0, 0.0, values[0], values[1] / (1 + values[1]))

    def deviance(self, logs: np.ndarray) -> float:
        covariance = self.covariance(logs)
        parts = [person.parts(covariance) for person in self.people]
        if self.study.error != "correlated":
            return sum(logarithms + square for logarithms, square, _ in parts)
        # Everybody has a scale s: (n - p) log s^2 + square / s^2 at its least.
        return sum(logs + nu * np.log(square / nu) + nu for logs, square, nu in parts)

    def weight(self, logs: np.ndarray) -> float:
        if self.study.error != "combined":
            return 0.0
        square = np.mean([np.mean(p.curve[p.kept] ** 2) for p in self.people])
        share = np.exp(2 * (logs[1] - logs[0])) * square
        return 2 * np.log1p(share) - np.log(share)

    def best(self, objective, start: np.ndarray) -> np.ndarray:
        if len(start) == 1 and self.study.error == "correlated":
            # A nugget may be next to nothing on the way.
            center = max(start[0], np.log(LEAST))
            grid = np.linspace(center - 5, center + 8, 53)
            at = grid[int(np.argmin([objective(np.array([x])) for x in grid]))]
            found = minimize_scalar(
                lambda x: objective(np.array([x])), bounds=(at - 0.25, at + 0.25),
                method="bounded", options={"xatol": 1e-10},
            )  # fmt: skip
            return np.array([found.x])
        if len(start) == 1:
            found = minimize_scalar(
                lambda x: objective(np.array([x])),
                bounds=(max(start[0] - 6, np.log(LEAST)), start[0] + 1.5),
                method="bounded", options={"xatol": 1e-10},
            )  # fmt: skip
            return np.array([found.x])
        options = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000}
        return minimize(objective, start, method="Nelder-Mead", options=options).x

    def end(self, index: int, side: int, scale: float) -> float | None:
        """Where the profile of a parameter leaves its interval."""

        def excess(log: float) -> float:
            def held(others: np.ndarray) -> float:
                return self.deviance(np.insert(others, index, log))

            others = np.delete(self.logs, index)
            value = held(self.best(held, others)) if len(others) else held(others)
            return value - self.least - t.ppf(0.975, self.freedom) ** 2

        center = self.logs[index]
        if self.study.error == "correlated" and index == 1 and np.exp(center) < LEAST:
            center = np.log(LEAST)
        reaches = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8)
        reach = next((r for r in reaches if excess(center + side * r) > 0), None)
        if reach is None:
            return None
        end = self.value(index, brentq(excess, center, center + side * reach, xtol=1e-9), scale)
        if self.study.error == "correlated" and index == 0:
            # Times beyond the longest series are not told from each other.
            return None if end > np.ptp(self.study.times_min) else end
        return end

    def value(self, index: int, log: float, scale: float) -> float:
        """The parameter; of a nugget w the logarithm is that of w / (1 - w), and less than LEAST is none."""
        value = float(np.exp(log))
        if self.study.error != "correlated" or index == 0:
            return scale * value
        return value / (1 + value) if value > LEAST else 0.0

    def spread(self) -> tuple[float, float]:
        """The SD between people of log s, and p of Bartlett's test."""
        parts = [p.parts(self.covariance(self.logs))[1:] for p in self.people]
        squares, nu = np.array([p for p in parts if p[1] >= FEWEST]).T
        total = nu.sum()
        statistic = total * np.log(squares.sum() / total) - np.sum(nu * np.log(squares / nu))
        count = len(nu)
        correction = 1 + (np.sum(1 / nu) - 1 / total) / (3 * (count - 1))
        logarithms = np.log(squares / nu) - (digamma(nu / 2) - np.log(nu / 2))
        variance = np.var(logarithms, ddof=1) - np.mean(polygamma(1, nu / 2))
        return float(np.sqrt(max(0, variance) / 4)), float(chi2.sf(statistic / correction, count - 1))

    def rows(self) -> list[dict[str, object]]:
        names = {"combined": ("sd", "cv"), "proportional": ("cv",), "correlated": ("tau_min", "nugget")}
        scales = {"sd": 1, "cv": 1, "tau_min": 60, "nugget": 1}
        spread, p_value = self.spread()
        return [
            {
                "study": self.study.name,
                "parameter": name,
                "value": self.value(index, self.logs[index], scales[name]),
                "low": self.end(index, -1, scales[name]),
                "high": self.end(index, 1, scales[name]),
                "degrees_of_freedom": self.freedom,
                "log_sd": spread,
                "p": p_value,
            }
            for index, name in enumerate(names[self.study.error])
        ]


def main() -> int:
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    fits = [Fit(study) for study in STUDIES]
    series = [
        {
            "study": fit.study.name, "subject": person.subject, "dose_g_per_kg": person.dose,
            "time_min": minutes, "bac_g_per_kg": float(value),
        }
        for fit in fits
        for person in fit.people
        for minutes, value in zip(fit.study.times_min, person.values)
    ]  # fmt: skip
    close = Tolerance(relative=1e-5, absolute=1e-9)
    tolerances = {name: close for name in ("value", "low", "high", "log_sd", "p")}
    rows = [row for fit in fits for row in fit.rows()]
    return deliver(
        [
            Table("study-errors-series.csv", series),
            Table("study-errors.csv", rows, tolerances),
        ],
        options,
    )


if __name__ == "__main__":
    sys.exit(main())
