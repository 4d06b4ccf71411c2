"""Numbers for GSL's Swift face by mpmath and NumPy: what `Sources/GSL` must give.

Tails of the normal distribution in 50 digits, what a Jacobian tells by NumPy's singular values, and
random deviates by NumPy's Mersenne Twister.

Numbers of one cell are separated by spaces; a Jacobian stands row by row.
"""

import sys
from collections.abc import Sequence

import mpmath
import numpy as np
from scipy import stats

from expectations import Row, Table, Tolerance, deliver, new_parser

# Rounded once from 50 digits, so that only the last digit of a double may differ.
EXACT = Tolerance(relative=1e-15)
# LAPACK may change the last digits; those of a covariance go with the square of the condition.
LINEAR = Tolerance(relative=1e-9, absolute=1e-12)


def joined(values: Sequence[float]) -> str:
    """Numbers as one cell."""
    return " ".join(repr(float(value)) for value in values)


# Normal tails

POINTS = [
    *(-(10.0**power) for power in (150, 100, 20, 8, 4, 3, 2)),
    *(-50.0, -38.6, -37.5, -30.0, -20.0, -12.0, -10.0, -8.0, -6.5, -6.0, -5.5, -5.001),
    *(-5.0, -4.999, -4.0, -3.0, -2.0, -1.0, -0.5, -0.1, -1e-8, -1e-300, 0.0, 1e-300, 1e-8),
    *(0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0, 30.0, 35.0, 37.0),
]
"""From where the logarithm is almost −1e300 to where the density is almost the smallest double."""


def tail_row(x: float) -> Row:
    """The logarithm of the normal distribution function and its derivative."""
    with mpmath.workdps(50):
        t = mpmath.mpf(x)
        if x < -1e4:
            # The asymptotic series; its next term is below 1e-20 of the first.
            logarithm = -t * t / 2 - mpmath.log(-t) - mpmath.log(2 * mpmath.pi) / 2 - 1 / (t * t)
            ratio = -t + 1 / -t
        else:
            below = mpmath.erfc(-t / mpmath.sqrt(2)) / 2
            above = mpmath.erfc(t / mpmath.sqrt(2)) / 2
            logarithm = mpmath.log(below) if x < 0 else mpmath.log1p(-above)
            ratio = mpmath.npdf(t) / below
        return {"x": x, "log_lower_tail": float(logarithm), "inverse_mills": float(ratio)}


def normal_tails() -> Table:
    """The table of tails."""
    tolerances = {"log_lower_tail": EXACT, "inverse_mills": EXACT}
    return Table("numerics-normal-tails.csv", [tail_row(x) for x in POINTS], tolerances)


# Jacobians


def decay(times: Sequence[float]) -> np.ndarray:
    """The Jacobian of a e^(-bt) at a = 2, b = 0.3.

    The table keeps it digit by digit, and the last digit of NumPy's exp depends on the processor.
    """
    t = np.asarray(times)
    decayed = np.array([float(mpmath.exp(-0.3 * time)) for time in t])
    return np.column_stack([decayed, -2 * t * decayed])


def drawn(seed: int, n: int, p: int) -> np.ndarray:
    """Normal entries of four decimals."""
    return np.random.RandomState(seed).normal(size=(n, p)).round(4)


def jacobian_row(case: str, jacobian: np.ndarray) -> Row:
    """Leverages and covariance by the pseudo-inverse, condition by singular values."""
    n, p = jacobian.shape
    lengths = np.linalg.norm(jacobian, axis=0)
    scaled = jacobian / np.where(lengths > 0, lengths, 1)
    singular_values = np.linalg.svd(scaled, compute_uv=False)
    tolerance = n * np.finfo(float).eps
    is_regular = singular_values[-1] > tolerance * singular_values[0]
    leverages = np.diag(scaled @ np.linalg.pinv(scaled, rcond=tolerance))
    row: Row = {
        "case": case,
        "columns": p,
        "jacobian": joined(jacobian.ravel()),
        "leverages": joined(leverages),
        "condition": float(singular_values[0] / singular_values[-1]) if is_regular else None,
        "covariance": None,
        "correlation": None,
    }
    if is_regular:
        inverse = np.linalg.inv(scaled.T @ scaled)
        deviations = np.sqrt(np.diag(inverse))
        row["covariance"] = joined((inverse / np.outer(lengths, lengths)).ravel())
        row["correlation"] = joined((inverse / np.outer(deviations, deviations)).ravel())
    return row


def jacobians() -> Table:
    """The table of Jacobians: none so ill-conditioned that inverting JᵀJ would lose much."""
    units = np.diag([1e8, 1e-3, 1.0])
    cases = {
        "one": np.array([[1.0], [2.0], [2.0]]),
        "line": np.column_stack([np.ones(5), [0.0, 1.0, 2.0, 3.0, 10.0]]),
        "decay": decay([0.5, 1, 2, 4, 8, 16]),
        "square": drawn(1, 3, 3),
        "drawn": drawn(2, 12, 3),
        "units": drawn(2, 12, 3) @ units,
        "equal-columns": drawn(3, 6, 3)[:, [0, 1, 0]],
        "zero-column": drawn(4, 6, 3) * [1, 0, 1],
    }
    rows = [jacobian_row(case, jacobian) for case, jacobian in cases.items()]
    # The cells hold several numbers and are compared as text, which is the same on one machine.
    uncompared = frozenset({"leverages", "covariance", "correlation"})
    return Table("numerics-jacobians.csv", rows, {"condition": LINEAR}, uncompared)


# Random deviates


def deviate_row(seed: int) -> Row:
    """Uniform deviates of 53 bits, and the normal quantiles of them."""
    bits = np.random.MT19937()
    bits._legacy_seeding(seed)
    uniform = np.random.RandomState(bits).random_sample(1000)
    normal = stats.norm.ppf(uniform)
    return {
        "seed": seed,
        "uniform": joined(uniform[:6]),
        "thousandth": float(uniform[-1]),
        "normal": joined(normal[:6]),
        "thousandth_normal": float(normal[-1]),
    }


def deviates() -> Table:
    """The table of random deviates."""
    rows = [deviate_row(seed) for seed in (1, 4357, 5489, 2**32 - 1)]
    tolerances = {"thousandth_normal": Tolerance(relative=1e-12)}
    return Table("numerics-deviates.csv", rows, tolerances, frozenset({"normal"}))


def main() -> int:
    """Make the three tables."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    return deliver([normal_tails(), jacobians(), deviates()], options)


if __name__ == "__main__":
    sys.exit(main())
