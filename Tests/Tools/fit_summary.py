"""Sum estimates up over subjects, undetermined ones counted by their limits.

Typical value and spread of k_a, beta and r by SciPy's fit of a normal distribution to censored logarithms
(`scipy.stats.CensoredData`), polished by Nelder and Mead; standard errors from second differences of the
likelihood; the median by Turnbull's iteration on a dense matrix. The fits are made up: estimates with
intervals, lower limits, upper limits and nothing at all, of one to three occasions of each subject. What
the command makes of simulated people, first read so late that the fast ones have absorbed everything, is
held to the truth by

    python3 Tests/Tools/fit_summary.py --cohorts PROMILLE
"""

import csv
import math
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import optimize, stats

from expectations import Row, Table, Tolerance, deliver, new_parser

SEED = 7
SUBJECTS = 20
LEVEL = 0.95
COLUMNS = {
    "ka": ("1/h", "ka_per_h", 4.0, 0.6),
    "beta": ("g/kg/h", "beta_g_per_kg_h", 0.16, 0.2),
    "r": ("kg/kg", "r", 0.7, 0.1),
}
"""Parameters with their units, columns, and what they are made up about."""

NUMBER = Tolerance(relative=1e-6)
"""To where the optimiser comes on another machine."""
INTERVAL = Tolerance(relative=1e-5)
"""Second differences have half of the digits."""

COHORTS = ((30, 12), (45, 8), (60, 8))
"""Minutes between readings, the first as long after drinking, and readings."""
COHORT_SUBJECTS = 400
COHORT_SEEDS = (1, 2, 3)
MOST_FAILED = 0.01
"""Of the subjects: an hour after a small drink there may be no alcohol left to fit."""
MOST_BIAS = 0.06
"""How far the mean logarithm may be from the truth, on average over the seeds: the lower limits are those
of 95 % intervals and give a little away."""


@dataclass(frozen=True)
class Known:
    """What is known of a logarithm: limits, and itself if it was determined."""

    low: float
    high: float
    value: float | None


def made_up_fits() -> list[dict[str, str]]:
    """One to three occasions of each subject, of different worth."""
    draw = random.Random(SEED)
    fits = []
    for subject in range(SUBJECTS):
        own = {name: draw.gauss(0, spread) for name, (_, _, _, spread) in COLUMNS.items()}
        for occasion in range(draw.randint(1, 3)):
            row = {"subject": f"{subject}", "occasion": f"{occasion}"}
            row["status"] = draw.choice(["ok"] * 8 + ["not-converged"])
            for name, (_, column, middle, _) in COLUMNS.items():
                row |= made_up_estimate(draw, name, column, math.log(middle) + own[name])
            fits.append(row)
    return fits


def made_up_estimate(draw: random.Random, name: str, column: str, truth: float) -> dict[str, str]:
    """An estimate with an interval, or with as much of it as readings may leave."""
    error = draw.uniform(0.05, 0.3)
    value = truth + draw.gauss(0, error)
    kind = draw.choice(["both"] * 6 + ["low"] * 3 + ["high", "none"])
    low = repr(math.exp(value - 2.2 * error)) if kind in ("both", "low") else ""
    high = repr(math.exp(value + 2.4 * error)) if kind in ("both", "high") else ""
    return {
        column: repr(math.exp(value)),
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_identifiable": "yes" if kind == "both" else "no",
    }


def known(fit: dict[str, str], name: str) -> Known:
    """What a fit says of a parameter."""
    low, high = (fit[f"{name}_{end}"] for end in ("low", "high"))
    value = math.log(float(fit[COLUMNS[name][1]])) if fit[f"{name}_identifiable"] == "yes" else None
    return Known(
        math.log(float(low)) if low else -math.inf, math.log(float(high)) if high else math.inf, value
    )


def mean(several: list[Known]) -> Known:
    """What is known of the mean; occasions of which nothing is known say nothing."""
    several = [one for one in several if one.low > -math.inf or one.high < math.inf]
    if not several:
        return Known(-math.inf, math.inf, None)
    n = len(several)
    if all(one.value is not None for one in several):
        value = math.fsum(one.value for one in several) / n
        below = math.sqrt(math.fsum((one.value - one.low) ** 2 for one in several)) / n
        above = math.sqrt(math.fsum((one.high - one.value) ** 2 for one in several)) / n
        return Known(value - below, value + above, value)
    points = [(one.low, one.high) if one.value is None else (one.value,) * 2 for one in several]
    return Known(math.fsum(p[0] for p in points) / n, math.fsum(p[1] for p in points) / n, None)


def kind_of(one: Known) -> str:
    """In a word, how much is known."""
    if one.value is not None:
        return "exact"
    ends = (one.low > -math.inf, one.high < math.inf)
    kinds = {(True, True): "between", (True, False): "at_least", (False, True): "at_most"}
    return kinds.get(ends, "unknown")


def summary(fits: list[dict[str, str]], name: str) -> Row:
    """The row of one parameter."""
    converged = [fit for fit in fits if fit["status"] == "ok"]
    subjects = [
        mean([known(fit, name) for fit in converged if fit["subject"] == who])
        for who in dict.fromkeys(fit["subject"] for fit in converged)
    ]
    kinds = [kind_of(one) for one in subjects]
    told = [one for one, kind in zip(subjects, kinds, strict=True) if kind != "unknown"]
    exact = [one.value for one in told if one.value is not None]
    names = ("exact", "at_least", "at_most", "between", "unknown")
    return {
        "parameter": name,
        "unit": COLUMNS[name][0],
        "subjects": len(subjects),
        **{kind: kinds.count(kind) for kind in names},
        "series": len(converged),
        "failed": len(fits) - len(converged),
        **distribution(told),
        "median": math.exp(turnbull_median(told)),
        "min": math.exp(min(exact)),
        "max": math.exp(max(exact)),
    }


def distribution(told: list[Known]) -> Row:
    """Typical value and spread with their intervals."""
    lows, highs = (np.array([getattr(one, end) for one in told]) for end in ("low", "high"))
    data = stats.CensoredData(
        right=lows[np.isinf(highs)], left=highs[np.isinf(lows)],
        interval=np.array([lows, highs]).T[np.isfinite(lows) & np.isfinite(highs)],
    )  # fmt: skip

    def likelihood(point: np.ndarray) -> float:
        middle, sd = point[0], math.exp(point[1])
        a, b = (lows - middle) / sd, (highs - middle) / sd
        flipped = a > 0
        a, b = np.where(flipped, -b, a), np.where(flipped, -a, b)
        return -float(np.log(stats.norm.cdf(b) - stats.norm.cdf(a)).sum())

    found = stats.norm.fit(data)
    start = np.array([found[0], math.log(found[1])])
    best = optimize.minimize(
        likelihood, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13}
    ).x
    covariance = np.linalg.inv(second_differences(likelihood, best))
    n = len(told)
    correction = math.sqrt(n / (n - 1))
    reach = stats.t.ppf((1 + LEVEL) / 2, n - 1) * correction * math.sqrt(covariance[0, 0])
    sd = math.exp(best[1]) * correction
    degrees = 1 / (2 * covariance[1, 1]) - 1
    ends = stats.chi2.ppf([(1 + LEVEL) / 2, (1 - LEVEL) / 2], degrees)
    return {
        "typical": math.exp(best[0]),
        "typical_low": math.exp(best[0] - reach),
        "typical_high": math.exp(best[0] + reach),
        "log_sd": sd,
        "log_sd_low": sd * math.sqrt(degrees / ends[0]),
        "log_sd_high": sd * math.sqrt(degrees / ends[1]),
    }


def second_differences(function, point: np.ndarray, step: float = 1e-3) -> np.ndarray:
    """Second derivatives by central differences, extrapolated once (Richardson)."""

    def plain(h: float) -> np.ndarray:
        e = h * np.eye(2)
        return np.array([
            [
                (function(point + a + b) - function(point + a - b) - function(point - a + b)
                 + function(point - a - b)) / (4 * h * h)
                for b in e
            ]
            for a in e
        ])  # fmt: skip

    return (4 * plain(step) - plain(2 * step)) / 3


def turnbull_median(told: list[Known]) -> float:
    """The median of the distribution of greatest likelihood; half-way where half lies on either side."""
    ends = [(o.low, o.high) if o.value is None else (o.value,) * 2 for o in told]
    places = sorted({low for low, _ in ends if low > -math.inf} | {h for _, h in ends if h < math.inf})
    places = [-math.inf, *places, math.inf]
    # Every place and every gap may have weight; the iteration takes it from those that need none.
    cells = [(a, a) for a in places[1:-1]] + list(zip(places, places[1:], strict=False))
    cells.sort(key=lambda cell: (cell[0], cell[1]))
    holds = np.array([[low <= a and b <= high for a, b in cells] for low, high in ends], float)
    weights = np.full(len(cells), 1 / len(cells))
    for _ in range(200_000):
        shares = holds * weights
        new = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
        settled = np.abs(new - weights).max() < 1e-14
        weights = new
        if settled:
            break
    sums = np.cumsum(weights)
    first = int(np.argmax(sums >= 0.5 - 1e-7))
    heavy = [i for i in range(len(cells)) if weights[i] > 1e-7]
    if sums[first] <= 0.5 + 1e-7:
        last = max(i for i in heavy if i <= first)
        after = min(i for i in heavy if i > first)
        return (cells[last][1] + cells[after][0]) / 2
    return sum(cells[first]) / 2


def tables() -> list[Table]:
    """The fits, and a row for each of their parameters."""
    fits = made_up_fits()
    rows = [summary(fits, name) for name in COLUMNS]
    intervals = ("typical_low", "typical_high", "log_sd_low", "log_sd_high")
    tolerances = dict.fromkeys(("typical", "log_sd", "median", "min", "max"), NUMBER)
    return [
        Table("fit-summary-fits.csv", fits),
        Table("fit-summary.csv", rows, tolerances | dict.fromkeys(intervals, INTERVAL)),
    ]


def check_cohorts(promille: str) -> int:
    """Hold what the command says of simulated people to the truth; the exit status."""
    worst = 0.0
    for every, readings in COHORTS:
        errors, old, inside = [], [], 0
        for seed in COHORT_SEEDS:
            truth, found, fits = cohort(promille, every, readings, seed)
            logs = np.log(truth)
            errors.append(math.log(float(found["typical"])) - logs.mean())
            assert sum(fit["status"] == "failed" for fit in fits) <= MOST_FAILED * len(fits)
            determined = [float(f["ka_per_h"]) for f in fits if f["ka_identifiable"] == "yes"]
            old.append(math.log(np.mean(determined) / np.mean(truth)))
            inside += float(found["typical_low"]) <= math.exp(logs.mean()) <= float(found["typical_high"])
        bias = float(np.mean(errors))
        worst = max(worst, abs(bias))
        print(
            f"first reading after {every} min: typical k_a {100 * math.expm1(bias):+.1f} % of the truth, "
            f"within its interval {inside} of {len(COHORT_SEEDS)} times; mean of the determined "
            f"{100 * math.expm1(float(np.mean(old))):+.1f} %"
        )
    print(f"largest bias {worst:.3f}, allowed {MOST_BIAS}")
    return 0 if worst <= MOST_BIAS else 1


def cohort(promille: str, every: int, readings: int, seed: int):
    """True k_a of a simulated cohort, the command's summary of it and its fits."""
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "cohort"
        design = ["--cohort", COHORT_SUBJECTS, "--seed", seed, "--every", every, "--readings", readings]
        run(promille, "simulate", *design, "-o", study)
        summary_text = run(promille, "fit", study, "--summary", "--format", "csv", "--quiet")
        fits = run(promille, "fit", study, "--format", "csv", "--quiet")
        with open(study / "truth.csv", encoding="utf-8") as file:
            truth = [float(row["ka_per_h"]) for row in csv.DictReader(file)]
    found = next(csv.DictReader(summary_text.splitlines()))
    return truth, found, list(csv.DictReader(fits.splitlines()))


def run(*command: object) -> str:
    """What a command prints; it ends with 1 if somebody's readings are nothing but noise."""
    result = subprocess.run(
        [str(part) for part in command], check=False, capture_output=True, text=True
    )
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: {result.stderr}")
    return result.stdout


def main() -> int:
    """Make the two tables, or check the command on simulated cohorts."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument("--cohorts", metavar="PROMILLE", help="hold this command to the truth")
    options = parser.parse_args()
    return check_cohorts(options.cohorts) if options.cohorts else deliver(tables(), options)


if __name__ == "__main__":
    sys.exit(main())
