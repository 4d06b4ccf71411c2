"""Tests of residuals: runs, autocorrelation and normality.

The distribution of runs is counted sign by sign, not by binomial coefficients, and the moments of the
normal approximation are those of the counted distribution. The autocorrelation is computed from the
differences of neighbours. Normality is SciPy's `shapiro`.
"""

from fractions import Fraction

import numpy as np
from scipy import stats

from expectations import Row, Table, Tolerance

PROBABILITY = Tolerance(relative=1e-10)
NUMBER = Tolerance(relative=1e-12, absolute=1e-13)
EXACT_UP_TO = 20
"""The exact distribution of runs is used up to so many signs of the rarer kind."""

WEIGHTS_OF_MEN = [148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236]
"""Of 11 men in pounds; Shapiro and Wilk (1965), who print W = 0.79."""


def joined(values: list[float]) -> str:
    """Numbers as one cell."""
    return " ".join(repr(float(value)) for value in values)


def normal(seed: int, count: int) -> np.ndarray:
    """Normal numbers, rounded."""
    return np.random.RandomState(seed).normal(size=count).round(4)


# Runs


def orders_by_runs(positives: int, negatives: int) -> list[int]:
    """In how many orders of the signs there are 0, 1, 2, ... runs.

    An order ends on either sign; one sign more begins a new run if it differs from the last.
    """
    size = positives + negatives + 1
    # Orders of m positive and n negative signs by their last sign, one m at a time.
    up = [np.zeros(size, dtype=object) for _ in range(negatives + 1)]
    down = [np.zeros(size, dtype=object) for _ in range(negatives + 1)]
    for m in range(positives + 1):
        before_up, before_down = up, down
        up, down = [], []
        for n in range(negatives + 1):
            ends_up = before_up[n] + np.roll(before_down[n], 1)
            ends_down = down[n - 1] + np.roll(up[n - 1], 1) if n else np.zeros(size, dtype=object)
            if (m, n) == (1, 0):
                ends_up = first_run(size)
            if (m, n) == (0, 1):
                ends_down = first_run(size)
            up.append(ends_up)
            down.append(ends_down)
    return list(up[negatives] + down[negatives])


def first_run(size: int) -> np.ndarray:
    """One order, of one run."""
    counts = np.zeros(size, dtype=object)
    counts[1] = 1
    return counts


def runs_p(runs: int, counts: list[int], exact: bool) -> float:
    """Twice the smaller tail, or twice the normal tail with a continuity correction."""
    total = sum(counts)
    if exact:
        return float(min(1, 2 * min(Fraction(sum(tail), total)
                                    for tail in (counts[: runs + 1], counts[runs:]))))
    mean = Fraction(sum(r * count for r, count in enumerate(counts)), total)
    variance = Fraction(sum(r * r * count for r, count in enumerate(counts)), total) - mean**2
    z = max(0.0, abs(float(runs - mean)) - 0.5) / float(variance) ** 0.5
    return float(2 * stats.norm.sf(z))


def runs_row(case: str, residuals: list[float]) -> Row:
    """One row of the table of runs."""
    signs = [np.sign(value) for value in residuals if value != 0]
    positives, negatives = signs.count(1), signs.count(-1)
    runs = 1 + sum(a != b for a, b in zip(signs, signs[1:]))
    counts = orders_by_runs(positives, negatives)
    exact = min(positives, negatives) <= EXACT_UP_TO
    return {
        "case": case,
        "residuals": joined(residuals),
        "positives": positives,
        "negatives": negatives,
        "runs": runs,
        "expected_runs": sum(r * count for r, count in enumerate(counts)) / sum(counts),
        "p": runs_p(runs, counts, exact),
        "exact": str(exact).lower(),
    }


def runs_table() -> Table:
    """Few and many signs, few and many runs, and the sizes about which the method changes."""
    signs = np.random.RandomState(7)
    cases = {
        "two": [0.5, -0.5],
        "zeros": [0.0, 1.0, 0.0, 2.0, -1.0, 0.0, -3.0, 1.5],
        "one-negative": [1.0] * 9 + [-1.0],
        "trend": [-1.0] * 8 + [1.0] * 8,
        "alternating": [1.0, -1.0] * 10,
        "rare": [-1.0 if i % 40 == 7 else 1.0 for i in range(240)],
        "trend-large": [-1.0] * 30 + [1.0] * 30,
        "alternating-large": [1.0, -1.0] * 25,
        **{f"normal-{n}": normal(n, n).tolist() for n in (5, 10, 20, 40, 60, 100)},
        **{
            f"signs-{m}-{n}": signs.permutation([1.0] * m + [-1.0] * n).tolist()
            for m, n in ((20, 20), (20, 21), (21, 21), (20, 70), (21, 70), (50, 22))
        },
    }
    rows = [runs_row(case, residuals) for case, residuals in cases.items()]
    return Table("fit-runs.csv", rows, {"p": PROBABILITY, "expected_runs": NUMBER})


# Autocorrelation


def autocorrelation_row(case: str, residuals: np.ndarray) -> Row:
    """By Durbin and Watson's sum of squared differences."""
    squares = np.sum(residuals**2)
    differences = np.sum(np.diff(residuals) ** 2) + residuals[0] ** 2 + residuals[-1] ** 2
    return {
        "case": case,
        "residuals": joined(residuals.tolist()),
        "lag_one": float(1 - differences / (2 * squares)),
    }


def autocorrelation_table() -> Table:
    """Independent residuals, a trend, and alternating ones."""
    cases = {
        "two": np.array([1.0, 2.0]),
        "trend": np.linspace(-1, 1, 12).round(6),
        "alternating": np.array([1.0, -1.0] * 6),
        "one-sided": 1 + 0.1 * normal(3, 15),
        **{f"normal-{n}": normal(n, n) for n in (3, 10, 50)},
    }
    rows = [autocorrelation_row(case, residuals) for case, residuals in cases.items()]
    return Table("fit-autocorrelation.csv", rows, {"lag_one": NUMBER})


# Normality


def shapiro_row(case: str, values: list[float]) -> Row:
    """SciPy's test."""
    test = stats.shapiro(values)
    return {
        "case": case,
        "values": joined(values),
        "statistic": float(test.statistic),
        "p": float(test.pvalue),
    }


def shapiro_table() -> Table:
    """Normal and other numbers, about the sizes where the approximation changes.

    SciPy computes normal scores and tails by algorithms of single precision.
    """
    random = np.random.RandomState(3)
    cases: dict[str, list[float]] = {
        "shapiro-wilk-1965": WEIGHTS_OF_MEN,
        "three": [1.0, 2.0, 4.0],
        "three-two-equal": [1.0, 1.0, 3.0],
        "outlier": [*normal(8, 15).tolist(), 6.0],
        **{f"normal-{n}": normal(n, n).tolist() for n in (4, 5, 6, 7, 10, 11, 12, 13, 30, 200)},
        **{f"exponential-{n}": random.exponential(size=n).round(4).tolist() for n in (5, 11, 12, 40)},
        **{f"uniform-{n}": random.uniform(size=n).round(4).tolist() for n in (8, 25, 100)},
        "ties": normal(4, 25).round(0).tolist(),
    }
    rows = [shapiro_row(case, values) for case, values in cases.items()]
    tolerances = {"statistic": Tolerance(relative=1e-9), "p": Tolerance(relative=1e-7)}
    return Table("fit-shapiro.csv", rows, tolerances)
