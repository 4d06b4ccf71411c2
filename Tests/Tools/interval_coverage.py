"""How often intervals over subjects hold the truth, by their kind and the number of subjects.

Simulated is the mean over subjects of a number of each: normal, skewed (log-normal, SD of the
logarithm 0.8) or heavy-tailed (Student's t with 3 degrees of freedom). Compared are four 95 % intervals:
percentiles of a bootstrap, expanded percentiles (Hesterberg 2015), BCa (Efron 1987) and Student's t.
What the project takes, Student's t below 8 subjects and expanded percentiles from 8 on, is the column
`taken`. Half a minute.
"""

import sys

import numpy as np
from scipy import stats

from expectations import Row, Table, Tolerance, deliver, new_parser

SEED = 20
STUDIES = 2000
REPLICATES = 999
LEVEL = 0.95
SUBJECTS = (2, 4, 6, 8, 12, 24)
FEWEST_DRAWN = 8
PERCENT = Tolerance(absolute=1e-9)
"""Random numbers are the same wherever NumPy's generator is."""


def numbers(shape: str, draw: np.random.Generator, count: int) -> tuple[np.ndarray, float]:
    """A row of numbers for each study, and the true mean."""
    size = (STUDIES, count)
    if shape == "normal":
        return draw.normal(size=size), 0.0
    if shape == "skewed":
        return draw.lognormal(0, 0.8, size), float(np.exp(0.32))
    return draw.standard_t(3, size), 0.0


def intervals(values: np.ndarray, draw: np.random.Generator) -> list[tuple[float, float]]:
    """The four intervals of the mean."""
    n, mean = len(values), values.mean()
    replicates = values[draw.integers(0, n, (REPLICATES, n))].mean(axis=1)
    tails = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    t = stats.t.ppf(tails[1], n - 1)
    expanded = stats.norm.cdf(-np.sqrt(n / (n - 1)) * t)
    reach = t * values.std(ddof=1) / np.sqrt(n)
    return [
        tuple(np.quantile(replicates, tails)),
        tuple(np.quantile(replicates, [expanded, 1 - expanded])),
        tuple(np.quantile(replicates, bca(values, replicates, tails))),
        (mean - reach, mean + reach),
    ]


def bca(values: np.ndarray, replicates: np.ndarray, tails: np.ndarray) -> np.ndarray:
    """The quantiles of the bias-corrected and accelerated interval."""
    n, mean = len(values), values.mean()
    below = ((replicates < mean).sum() + (replicates == mean).sum() / 2) / REPLICATES
    bias = stats.norm.ppf(np.clip(below, 1 / (REPLICATES + 1), REPLICATES / (REPLICATES + 1)))
    without = (values.sum() - values) / (n - 1)
    skew = without.mean() - without
    scale = 6 * (skew**2).sum() ** 1.5
    acceleration = (skew**3).sum() / scale if scale > 0 else 0
    z = bias + stats.norm.ppf(tails)
    return np.clip(stats.norm.cdf(bias + z / (1 - acceleration * z)), 0, 1)


def row(shape: str, count: int) -> Row:
    """How often each interval holds the truth, in percent."""
    draw = np.random.default_rng([SEED, count, len(shape)])
    studies, truth = numbers(shape, draw, count)
    found = np.array([intervals(values, draw) for values in studies])
    held = 100 * ((found[:, :, 0] <= truth) & (truth <= found[:, :, 1])).mean(axis=0)
    percentages = [round(float(value), 1) for value in held]
    kinds = dict(zip(("percentile", "expanded", "bca", "student_t"), percentages, strict=True))
    taken = kinds["student_t" if count < FEWEST_DRAWN else "expanded"]
    return {"numbers": shape, "subjects": count, **kinds, "taken": taken}


def main() -> int:
    """Make the table."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    rows = [row(shape, count) for shape in ("normal", "skewed", "heavy") for count in SUBJECTS]
    columns = ("percentile", "expanded", "bca", "student_t", "taken")
    return deliver([Table("interval-coverage.csv", rows, dict.fromkeys(columns, PERCENT))], options)


if __name__ == "__main__":
    sys.exit(main())
