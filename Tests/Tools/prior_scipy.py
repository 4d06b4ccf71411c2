#!/usr/bin/env python3
"""Fits with a prior of the parameters, for the library's `Prior`.

    python3 Tests/Tools/prior_scipy.py [--check]

A curve of one dose is fitted by its parameters k_a, beta and r as logarithms, with a normal prior of
mean m and covariance S. With a known standard deviation sigma the mode of the posterior minimises

    sum ((y - c(theta)) / sigma)^2 + (theta - m)^T S^-1 (theta - m)

The second term is minimised as it stands by damped Newton steps with gradients by complex steps,
where the library has more rows of residuals and a Gauss-Newton method. The covariance is
(J^T J / sigma^2 + S^-1)^-1. An estimated sigma solves sigma^2 = RSS / (n - p) together with the mode, by
fixed-point iteration to the last digits.

Curves stop at zero in the command; the times here end before the mode's curve gets there, which is checked.

Writes fit-prior-series.csv and fit-prior.csv. Estimates are met to 1e-7: the sum of squares is flat at its
mode, and the command settles an estimated sigma to 1e-7.
"""

import sys

import numpy as np

from expectations import Table, Tolerance, deliver, new_parser

FREE = ("ka", "beta", "r")
DOSE_G_PER_KG = 0.7
STEP = 1e-30
TYPICAL = np.log([3.0, 0.15, 0.68])
SPREAD = np.array([0.5, 0.2, 0.12])
CORRELATION = np.array([[1.0, 0.2, -0.1], [0.2, 1.0, 0.4], [-0.1, 0.4, 1.0]])
COVARIANCE = CORRELATION * np.outer(SPREAD, SPREAD)
LONG = (20, 40, 60, 90, 120, 150, 180, 210, 240)
SHORT = (45, 80)
NONE_EARLY = (120, 150, 180, 210, 240)

CASES = [
    # subject, seed, times, truth, sd of the readings, whether sigma is estimated
    ("long", 1, LONG, (4.0, 0.17, 0.7), 0.02, False),
    ("long-estimated", 1, LONG, (4.0, 0.17, 0.7), 0.02, True),
    ("two-readings", 2, SHORT, (2.5, 0.14, 0.62), 0.02, False),
    ("late", 3, NONE_EARLY, (6.0, 0.12, 0.75), 0.05, False),
    ("late-estimated", 3, NONE_EARLY, (6.0, 0.12, 0.75), 0.05, True),
]


def curve(logs, hours):
    """Concentrations [g/kg] as long as none is zero."""
    ka, beta, r = np.exp(logs)
    return DOSE_G_PER_KG / r * (1 - np.exp(-ka * hours)) - beta * hours


def jacobian(logs, hours):
    """Derivatives of the concentrations by the logarithms."""
    steps = 1j * STEP * np.eye(len(logs))
    return np.column_stack([curve(logs + step, hours).imag / STEP for step in steps])


def mode(hours, readings, sigma, start):
    """The mode of the posterior by damped Newton steps on the exact objective."""
    precision = np.linalg.inv(COVARIANCE)

    def objective(logs):
        return (
            np.sum(((curve(logs, hours) - readings) / sigma) ** 2)
            + (logs - TYPICAL) @ precision @ (logs - TYPICAL)
        )

    def gradient(logs):
        steps = 1j * STEP * np.eye(len(logs))
        return np.array([objective(logs + step).imag / STEP for step in steps])

    def hessian(logs):
        width = 1e-6
        return np.column_stack(
            [(gradient(logs + s) - gradient(logs - s)) / (2 * width) for s in width * np.eye(3)]
        )

    logs = np.array(start)
    for _ in range(500):
        matrix = hessian(logs)
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        step = -vectors @ ((vectors.T @ gradient(logs)) / np.maximum(np.abs(values), 1e-8))
        length = 1.0
        while objective(logs + length * step) > objective(logs) and length > 1e-12:
            length /= 2
        if np.all(np.abs(step) < 1e-13) or length <= 1e-12:
            break
        logs = logs + length * step
    return logs, objective(logs)


def fit(hours, readings, sigma, is_estimated):
    """The mode, its objective and the sigma that goes with it."""
    logs, value = mode(hours, readings, sigma, TYPICAL)
    for _ in range(1000 if is_estimated else 0):
        before = sigma
        rss = np.sum((curve(logs, hours) - readings) ** 2)
        sigma = float(np.sqrt(rss / (len(hours) - len(FREE))))
        logs, value = mode(hours, readings, sigma, logs)
        if abs(sigma / before - 1) < 1e-12:
            break
    return logs, value, sigma


def main() -> int:
    arguments = new_parser(__doc__).parse_args()
    series, rows = [], []
    for subject, seed, minutes, truth, sd, is_estimated in CASES:
        generator = np.random.default_rng(seed)
        hours = np.array(minutes) / 60
        exact = curve(np.log(truth), hours)
        readings = np.round(exact + sd * generator.standard_normal(len(hours)), 4)
        for minute, reading in zip(minutes, readings):
            series.append({"subject": subject, "time_min": minute, "bac_g_per_kg": float(reading)})
        logs, value, sigma = fit(hours, readings, sd, is_estimated)
        if np.any(curve(logs, hours) <= 0) or np.any(readings <= 0):
            raise SystemExit(f"{subject}: the curve is zero at a reading")
        slopes = jacobian(logs, hours) / sigma
        covariance = np.linalg.inv(slopes.T @ slopes + np.linalg.inv(COVARIANCE))
        row = {
            "subject": subject, "dose_g_per_kg": DOSE_G_PER_KG,
            "known_sd": "" if is_estimated else sd, "sd": sigma, "objective": float(value),
        }
        for index, name in enumerate(FREE):
            row[name] = float(np.exp(logs[index]))
            row[f"log_{name}_se"] = float(np.sqrt(covariance[index, index]))
        row["covariance_ka_r"] = float(covariance[0, 2])
        rows.append(row)
    exact = Tolerance(relative=1e-12)
    close = Tolerance(relative=1e-7)
    prior = [
        {"row": i, "column": j, "mean": float(TYPICAL[i]), "covariance": float(COVARIANCE[i, j])}
        for i in range(3) for j in range(3)
    ]
    return deliver(
        [
            Table("fit-prior-series.csv", series, {"time_min": exact, "bac_g_per_kg": exact}),
            Table("fit-prior-distribution.csv", prior, {"mean": exact, "covariance": exact}),
            Table(
                "fit-prior.csv", rows,
                {
                    name: close
                    for name in ("sd", "objective", "covariance_ka_r", *FREE)
                    + tuple(f"log_{name}_se" for name in FREE)
                },
            ),
        ],
        arguments,
    )


if __name__ == "__main__":
    sys.exit(main())
