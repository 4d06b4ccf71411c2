#!/usr/bin/env python3
"""Answers to cases by other means than the module's, for `promille case`.

    python3 Tests/Tools/case_monte_carlo.py [--check]

Draws the inputs of some cases with NumPy (4 million times) and follows each draw by closed forms: one drink
at once, with the blood never empty before the time asked about where elimination is subtracted, so that

    c(t) = max(0, A / (r W) (1 - exp(-k t)) - beta t)

Writes case-monte-carlo.csv: quantiles, and the standard deviation. The delta method's standard deviation,
from derivatives by hand, stands beside it where the answer is nearly linear in the inputs, and so do exact
first-order indices, which are shares of variance there. The module's quantiles of fewer draws must agree
within a few of the standard errors that it states; those of this script are ten times smaller.
"""

import math
import sys

import numpy as np

from expectations import Table, Tolerance, deliver, new_parser

DRAWS = 4_000_000
DENSITY = 1.055
PROBABILITIES = (0.025, 0.25, 0.5, 0.75, 0.975)
MEN = (0.189 / DENSITY, 0.048 / DENSITY)


def normal(rng, mean, sd):
    """Normal, cut off at zero, by rejection."""
    draws = rng.normal(mean, sd, DRAWS)
    while (low := draws <= 0).any():
        draws[low] = rng.normal(mean, sd, low.sum())
    return draws


def lognormal(rng, median, cv):
    """Lognormal by median and coefficient of variation."""
    return median * np.exp(rng.normal(0, math.sqrt(math.log1p(cv * cv)), DRAWS))


def back(rng):
    """1.2 g/kg, SD 0.03, two and a half hours later; beta of men."""
    answer = normal(rng, 1.2, 0.03) + 2.5 * normal(rng, *MEN)
    variances = {"measurement": 0.03**2, "beta": (2.5 * MEN[1]) ** 2}
    return answer, variances


def forward(rng):
    """60 g at once, CV 5 %, W 80 +- 2 kg, r 0.7 with CV 10 %, k_a 4 with CV 50 %, after 2 h."""
    grams = 60 * normal(rng, 1, 0.05)
    # r is given, so that it does not change with the weight.
    dose = grams / (normal(rng, 0.7, 0.07) * normal(rng, 80, 2))
    ka = lognormal(rng, 4, 0.5)
    beta = normal(rng, *MEN)
    return np.maximum(0, dose * (1 - np.exp(-2 * ka)) - 2 * beta), {}


def drinks(rng):
    """1.0 +- 0.02 g/kg 4 h after drinking began; absorption finished; r 0.7 with CV 10 %, W 80 kg."""
    blood = normal(rng, 1.0, 0.02) + 4 * normal(rng, *MEN)
    return 80 * normal(rng, 0.7, 0.07) * blood, {}


def later(rng):
    """1.0 +- 0.02 g/kg at 3 h, 20 g at 2 h, k_a 4 with CV 50 %, r 0.7 with CV 10 %, W 80; at 1 h."""
    explained = 20 / (normal(rng, 0.7, 0.07) * 80) * (1 - np.exp(-lognormal(rng, 4, 0.5)))
    return normal(rng, 1.0, 0.02) + 2 * normal(rng, *MEN) - explained, {}


def sober(rng):
    """Hours from 1.0 +- 0.02 g/kg to 0.5 g/kg."""
    return (normal(rng, 1.0, 0.02) - 0.5) / normal(rng, *MEN), {}


def breath(rng):
    """Blood in g/kg 2 h before 0.45 +- 0.01 mg/L of breath, with a ratio of 2100 +- 150."""
    blood = normal(rng, 0.45, 0.01) * normal(rng, 2100, 150) / 1000 / DENSITY
    return blood + 2 * normal(rng, *MEN), {}


def main():
    arguments = new_parser(__doc__.splitlines()[0]).parse_args()
    rows = []
    for seed, case in enumerate((back, forward, drinks, later, sober, breath)):
        answer, variances = case(np.random.default_rng(seed))
        total = sum(variances.values())
        # The mean of 1 / beta does not settle.
        row = {"case": case.__name__, "sd": "" if case is sober else float(answer.std())}
        row |= {f"q{p}": float(np.quantile(answer, p)) for p in PROBABILITIES}
        row["delta_sd"] = math.sqrt(total) if total else ""
        row["beta_share"] = variances["beta"] / total if total else ""
        rows.append(row)
    # Another version of NumPy may draw other numbers: 4 million agree to a few 1e-3 of a standard deviation.
    near = Tolerance(relative=4e-3)
    columns = {name: near for name in rows[0] if name != "case"}
    sys.exit(deliver([Table("case-monte-carlo.csv", rows, columns)], arguments))


if __name__ == "__main__":
    main()
