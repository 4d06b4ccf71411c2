"""Residuals and prediction distribution errors of a population model, by NumPy and SciPy.

The model is that of the warfarin set in `../shared/data/population` at NONMEM's estimates, with all readings, and
with those below 2 taken as below detection. Curves are those of the textbook, derivatives by f are complex
steps, modes are looked for without derivatives, the root of a covariance is SciPy's `sqrtm`. Simulated
readings use the generator that the DocC article describes (SplitMix64), so that NPDE can be compared digit by
digit. The rows of people may not be committed: the table has moments of the residuals, and sums of them
times cosines, which no permutation and no change of a single one leaves alone.
"""

import csv
import struct
import sys
from pathlib import Path

import numpy as np
from scipy.linalg import solve_triangular, sqrtm
from scipy.optimize import minimize
from scipy.stats import chi2, norm, pearsonr, shapiro

from expectations import REPOSITORY, Table, Tolerance, deliver, new_parser
from reading_errors import floored_level

DATA = REPOSITORY / "../shared/data"
DOSE = 100.0
# k_a, r, clearance; 100 units for a weight of 10, so that a volume of 7.737 is an r of 0.7737.
TYPICAL = np.log([0.811, 0.7737, 0.01327])
OMEGA = np.diag([0.336, 0.0096, 0.0286])
CV = 0.0106
SIMULATIONS = 200
SEED = 7
MASK = (1 << 64) - 1


def curve(logs, hours):
    """Bateman's function of one dose that is drunk."""
    ka, r, clearance = np.exp(logs)
    ke = clearance / r
    return (DOSE / 10 / r) * ka / (ka - ke) * (np.exp(-ke * hours) - np.exp(-ka * hours))


def slopes(logs, hours):
    """Its derivatives by the logarithms, by complex steps."""
    step = 1e-30
    columns = []
    for index in range(3):
        moved = logs.astype(complex)
        moved[index] += 1j * step
        columns.append(curve(moved, hours).imag / step)
    return np.column_stack(columns)


def deviation(prediction):
    return CV * floored_level(prediction)


def people(data: Path):
    readings: dict[str, list[tuple[float, float]]] = {}
    with open(data / "population" / "warfarin.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["EVID"] == "0":
                readings.setdefault(row["ID"], []).append((float(row["TIME"]), float(row["DV"])))
    return {name: np.array(rows).T for name, rows in readings.items()}


def mode(hours, levels, below):
    """The random effects that are likeliest."""

    def objective(effects):
        f = curve(TYPICAL + effects, hours)
        s = deviation(f)
        z = (levels - f) / s
        likelihood = np.where(below, -2 * norm.logcdf(z), 2 * np.log(s) + z * z)
        return likelihood.sum() + effects @ np.linalg.solve(OMEGA, effects)

    best = np.zeros(3)
    for _ in range(6):
        best = minimize(
            objective, best, method="Nelder-Mead",
            options={"xatol": 1e-12, "fatol": 1e-13, "maxiter": 20000, "maxfev": 40000},
        ).x
    return best


def fitted(below):
    """The readings that a fit uses: of those below detection that end a series the first."""
    used = np.ones(len(below), bool)
    used[np.flatnonzero(~below)[-1] + 2:] = False
    return used


def information(hours, levels, below, effects):
    """The expected half of the second derivatives of the objective."""
    f = curve(TYPICAL + effects, hours)
    s = deviation(f)
    z = (levels - f) / s
    hazard = np.exp(norm.logpdf(z) - norm.logcdf(z))
    # ln s changes with ln f alone: a tenth of f is a tenth of s.
    seen = 1 / s**2 + 2 / f**2
    hidden = hazard * (hazard + z) * (1 / s + z / f) ** 2
    design = slopes(TYPICAL + effects, hours)
    return design.T @ (np.where(below, hidden, seen)[:, None] * design) + np.linalg.inv(OMEGA)


def conditional(hours, levels, below, effects, is_first_order):
    """CWRES of the readings that are not below detection; by FO they are WRES."""
    hours, levels = hours[~below], levels[~below]
    center = np.zeros(3) if is_first_order else effects
    f = curve(TYPICAL + center, hours)
    design = slopes(TYPICAL + center, hours)
    covariance = design @ OMEGA @ design.T + np.diag(deviation(f) ** 2)
    residuals = levels - f + design @ center
    return np.real(np.linalg.inv(sqrtm(covariance))) @ residuals


class Stream:
    """SplitMix64, begun by several numbers."""

    def __init__(self, *seeds):
        self.state = 0
        for seed in seeds:
            self.state = self.mixed(((self.state ^ seed) + 0x9E3779B97F4A7C15) & MASK)

    @staticmethod
    def mixed(z):
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return ((self.mixed(self.state) >> 12) + 0.5) * 2.0**-52

    def normal(self):
        return norm.ppf(self.uniform())


def own_seed(hours, shown):
    """FNV-1a of what is known of a person: no measures and no sex, a dose of 10 g/kg just before 0 h, the readings."""
    numbers = [-1.0, -1.0, -1.0, -1.0, -1e-8, 0.0, -10.0, 0.0]
    for time, value in zip(hours, shown):
        numbers += [time, value, -1.0]
    number = 0xCBF29CE484222325
    for byte in struct.pack(f"<{len(numbers)}d", *numbers):
        number = ((number ^ byte) * 0x100000001B3) & MASK
    return number


def simulated(seed, hours):
    """A row for each replicate, eight of which share a stream."""
    rows = []
    root = np.linalg.cholesky(OMEGA)
    for batch in range(SIMULATIONS // 8):
        stream = Stream(SEED, seed, batch)
        effects = [root @ [stream.normal() for _ in range(3)] for _ in range(8)]
        f = np.array([curve(TYPICAL + one, hours) for one in effects])
        errors = np.array([[stream.normal() for _ in range(8)] for _ in hours]).T
        rows.append(f + deviation(f) * errors)
    return np.vstack(rows)


def completed(seed, hours, levels, below):
    """The readings, those below detection drawn given all readings of the person."""
    if not below.any():
        return levels
    center = mode(hours, levels, below)
    spread = np.linalg.inv(information(hours, levels, below, center))
    stream = Stream(SEED, seed, MASK)
    effects = center + np.linalg.cholesky(spread) @ [stream.normal() for _ in range(3)]
    f = curve(TYPICAL + effects, hours)
    s = deviation(f)
    drawn = levels.copy()
    for index in np.flatnonzero(below):
        share = norm.cdf((levels[index] - f[index]) / s[index]) * stream.uniform()
        drawn[index] = min(levels[index], f[index] + s[index] * norm.ppf(share))
    return drawn


def distributed(seed, hours, levels, below):
    """NPDE of all readings."""
    replicates = simulated(seed, hours)
    observed = completed(seed, hours, levels, below)
    means = replicates.mean(axis=0)
    lower = np.linalg.cholesky(np.cov(replicates, rowvar=False))
    white = solve_triangular(lower, (replicates - means).T, lower=True)
    own = solve_triangular(lower, observed - means, lower=True)
    share = (white < own[:, None]).sum(axis=1)
    return norm.ppf(np.clip(share, 0.5, SIMULATIONS - 0.5) / SIMULATIONS)


def rows_of(case, quantity, values):
    """Moments, and sums that know the order."""
    n = len(values)
    mean, variance = np.mean(values), np.var(values, ddof=1)
    w, p = shapiro(values)
    tail = chi2(n - 1)
    below = tail.cdf((n - 1) * variance)
    numbers = {
        "count": n,
        "mean": mean,
        "mean_p": 2 * norm.sf(abs(mean) * np.sqrt(n)),
        "variance": variance,
        "variance_p": 2 * min(below, tail.sf((n - 1) * variance)),
        "shapiro_w": w,
        "shapiro_p": p,
    }
    for k in range(1, 6):
        numbers[f"cosine_{k}"] = np.sum(values * np.cos(k * np.arange(1, n + 1)))
    return [
        {"case": case, "quantity": quantity, "statistic": name, "value": float(value)}
        for name, value in numbers.items()
    ]


def main() -> int:
    parser = new_parser(__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    rows = []
    for case, limit in (("all", 0.0), ("below-2", 2.0)):
        kinds: dict[str, list[float]] = {"iwres": [], "cwres": [], "wres": [], "npde": []}
        first, second = [], []
        for hours, shown in people(arguments.data).values():
            below = shown < limit
            levels = np.where(below, limit, shown)
            used = fitted(below)
            effects = mode(hours[used], levels[used], below[used])
            f = curve(TYPICAL + effects, hours)
            kinds["iwres"].extend(((levels - f) / deviation(f))[~below])
            kinds["cwres"].extend(conditional(hours, levels, below, effects, False))
            if limit == 0:
                # FO has no way with readings below detection.
                kinds["wres"].extend(conditional(hours, levels, below, effects, True))
            kinds["npde"].extend(distributed(own_seed(hours, shown), hours, levels, below))
            first.append(effects[0])
            second.append(effects[2])
        for quantity, values in kinds.items():
            if values:
                rows.extend(rows_of(case, quantity, np.array(values)))
        # The clearance's effect beside another number of each person, here the effect on k_a.
        correlation = pearsonr(first, second)
        low, high = correlation.confidence_interval()
        for name, value in (("r", correlation.statistic), ("low", low), ("high", high)):
            rows.append(
                {"case": case, "quantity": "correlation", "statistic": name, "value": float(value)}
            )
    # Modes are good to 1e-7 or so; residuals are hundredfold, and p values fall fast.
    close = Tolerance(relative=1e-4, absolute=1e-6)
    return deliver([Table("population-diagnostics.csv", rows, {"value": close})], arguments)


if __name__ == "__main__":
    sys.exit(main())
