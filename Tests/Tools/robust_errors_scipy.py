#!/usr/bin/env python3
"""Standard errors that hold if errors are correlated, for the fit's --standard-errors robust.

    python3 Tests/Tools/robust_errors_scipy.py [--check]

The series of correlated_scipy.py, fitted as if errors were independent. With A = (J^T J)^-1 J^T, its
row a for a parameter, H the hat matrix and c_1, c_2 the first two cosines over the order of the
readings, the estimator of the variance is the quadratic form

    V = r^T Q r,   Q = sum over j of (a c_j) (a c_j)^T,   r = (I - H) e

(equal-weighted cosines; Lazarus, Lewis, Stock & Watson 2018). With the working correlation matrix W of
powers of 1/2, G = (I - H) Q (I - H) and S the square root of W, mean and variance of V are those of a
sum of chi-squared variables with the eigenvalues of S G S as weights. V is multiplied with a^T W a over
their sum, the degrees of freedom are (sum)^2 / sum of squares (Satterthwaite 1946). Everything is done
here with whole matrices and eigenvalues, where the command has vectors and recursions.

Writes fit-robust-errors.csv. Estimates of both end at 1e-8 of a standard error, so that 1e-5 is met.
"""

import sys

import numpy as np
from scipy.linalg import sqrtm
from scipy.optimize import least_squares
from scipy.stats import norm, t

from correlated_scipy import CASES, FREE, STEP, Case, curve, readings
from expectations import Table, Tolerance, deliver, new_parser

FITTED = ("equal-1", "unequal-1", "double-1", "known-1")
# Above the lowest readings, so that some are censored, of the error that is known alone.
LIMIT_G_PER_KG = 1.0
WORKING = 0.5


def row(case: Case, limit: float | None) -> dict[str, object]:
    times = np.array(case.times_min) / 60
    values = readings(case)
    sigma = 0.02 if ":" in case.error else 1.0
    kept, censored = observed(values, limit)
    levels = np.where(censored, limit or 0, values)[kept]
    censored = censored[kept]
    predict = curve(case, times[kept])

    def excess(logs: np.ndarray) -> np.ndarray:
        return (predict(logs).real - levels) / sigma

    def residuals(logs: np.ndarray) -> np.ndarray:
        x = excess(logs)
        return np.where(censored, np.sqrt(-2 * norm.logcdf(-x)), x)

    start = np.log(case.truth)
    logs = least_squares(residuals, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, method="lm").x
    for _ in range(50):
        score, information = score_and_information(excess(logs), censored)
        slopes = jacobian(predict, logs) / sigma
        step = np.linalg.solve(slopes.T @ (information[:, None] * slopes), slopes.T @ score)
        logs = logs - step
    score, information = score_and_information(excess(logs), censored)
    root = np.sqrt(information)
    white = jacobian(predict, logs) / sigma * root[:, None]
    errors, freedoms = robust(white, score / np.where(root > 0, root, 1))
    result: dict[str, object] = {
        "subject": case.subject,
        "error_model": case.error,
        "limit_g_per_kg": limit,
        "dose_g_per_kg": case.dose_g_per_kg,
        "censored": int(censored.sum()),
    }
    for index, name in enumerate(FREE):
        value, error = np.exp(logs[index]), errors[index]
        width = t.ppf(0.975, freedoms[index]) * error
        result[name] = float(value)
        result[f"{name}_se"] = float(value * error)
        result[f"{name}_df"] = float(freedoms[index])
        result[f"{name}_low"] = float(value * np.exp(-width))
        result[f"{name}_high"] = float(value * np.exp(width))
    return result


def observed(values: np.ndarray, limit: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Which readings count, and which of all are below the limit: of those that end it, the first."""
    below = values < (limit or 0)
    kept = np.full(len(values), True)
    end = len(values) - int(np.argmin(below[::-1]))
    kept[end + 1 :] = False
    return kept, below


def jacobian(predict, logs: np.ndarray) -> np.ndarray:
    return np.column_stack([predict(logs + 1j * STEP * one).imag / STEP for one in np.eye(3)])


def score_and_information(x: np.ndarray, censored: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Half the first and second derivatives of the deviance by the prediction in sigma."""
    mills = np.exp(norm.logpdf(x) - norm.logcdf(-x))
    return np.where(censored, mills, x), np.where(censored, mills * (mills - x), 1.0)


def robust(white: np.ndarray, residuals: np.ndarray) -> tuple[list[float], list[float]]:
    n = len(residuals)
    pulls = np.linalg.solve(white.T @ white, white.T)
    rest = np.eye(n) - white @ pulls
    working = WORKING ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    root = sqrtm(working).real
    errors, freedoms = [], []
    for pull in pulls:
        form = np.zeros((n, n))
        for wave in (1, 2):
            weights = pull * np.cos(np.pi * wave * (np.arange(n) + 0.5) / n)
            form += np.outer(weights, weights)
        weights = np.linalg.eigvalsh(root @ rest @ form @ rest @ root)
        variance = residuals @ form @ residuals * (pull @ working @ pull) / weights.sum()
        errors.append(float(np.sqrt(variance)))
        freedoms.append(float(weights.sum() ** 2 / (weights**2).sum()))
    return errors, freedoms


def main() -> int:
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    cases = [(case, None) for case in CASES if case.subject in FITTED]
    cases += [(case, LIMIT_G_PER_KG) for case, _ in cases if case.subject == "known-1"]
    rows = [row(case, limit) for case, limit in cases]
    named = ("subject", "error_model", "limit_g_per_kg", "dose_g_per_kg", "censored")
    tolerances = {name: Tolerance(relative=1e-7) for name in rows[0] if name not in named}
    return deliver([Table("fit-robust-errors.csv", rows, tolerances)], options)


if __name__ == "__main__":
    sys.exit(main())
