"""Statistics of small samples by SciPy and NumPy: what `Sources/Statistics` and `Sources/Validation/Statistics` must give.

Each row holds its input. Numbers of one input are separated by spaces, subjects by semicolons.

Where SciPy has no function, or would be the same algorithm once more, another definition is used:
Holm's correction is the closed test with Bonferroni for every subset of the hypotheses, and the
bootstrap is drawn from NumPy's Mersenne Twister, with the same rule from bits to subjects.
"""

import math
import sys
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from scipy import stats

from expectations import Row, Table, Tolerance, deliver, new_parser

NUMBER = Tolerance(relative=1e-12, absolute=1e-13)
# SciPy and its libraries may change the last digits; far tails have fewer.
PROBABILITY = Tolerance(relative=1e-10)

PEFR_WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
PEFR_MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
"""Peak expiratory flow of 17 people in l/min, Bland and Altman (1986), first measurements."""

DEPRESSION = [0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01]
"""Depression of 9 patients, before less after a tranquillizer; Hollander and Wolfe (1973)."""

ROUNDING_FIRST_BASE = """
5.40 5.50 5.55;5.85 5.70 5.75;5.20 5.60 5.50;5.55 5.50 5.40;5.90 5.85 5.70;5.45 5.55 5.60
5.40 5.40 5.35;5.45 5.50 5.35;5.25 5.15 5.00;5.85 5.80 5.70;5.25 5.20 5.10;5.65 5.55 5.45
5.60 5.35 5.45;5.05 5.00 4.95;5.50 5.50 5.40;5.45 5.55 5.50;5.55 5.55 5.35;5.45 5.50 5.55
5.50 5.45 5.25;5.65 5.60 5.40;5.70 5.65 5.55;6.30 6.30 6.25
"""
"""Seconds of 22 players by three ways to round first base; Hollander and Wolfe (1973)."""


FEWEST_DRAWN = 8
"""The fewest subjects that are drawn again for an interval."""


def drawn(seed: int, count: int, step: float = 1e-4, shift: float = 0.3) -> list[float]:
    """Normal numbers about `shift`, rounded to multiples of `step`: wide steps make ties."""
    values = np.random.RandomState(seed).normal(shift, 1, count)
    return [round(round(value / step) * step, 6) for value in values.tolist()]


def joined(values: Sequence[float]) -> str:
    """Numbers as one cell."""
    return " ".join(repr(value) for value in values)


# Samples


def sample_row(case: str, values: list[float]) -> Row:
    """What describes one sample."""
    x = np.asarray(values, dtype=float)
    sd = float(np.std(x, ddof=1)) if x.size > 1 else None
    bias = float(np.mean(x))
    return {
        "case": case,
        "values": joined(values),
        "mean": bias,
        "sd": sd,
        "mae": float(np.mean(np.abs(x))),
        "rmse": float(np.sqrt(np.mean(x**2))),
        "limit_low": None if sd is None else bias - 1.96 * sd,
        "limit_high": None if sd is None else bias + 1.96 * sd,
        "median": float(np.median(x)),
        **{f"quantile_{p}": float(np.quantile(x, p)) for p in (0, 0.025, 0.1, 0.25, 0.9, 1)},
    }


def samples() -> Table:
    """The table of samples."""
    pefr = [float(a - b) for a, b in zip(PEFR_WRIGHT, PEFR_MINI, strict=True)]
    cases = {
        "bland-altman-1986": pefr,
        "one": [-2.5],
        "two": [3.0, -1.0],
        "equal": [0.1, 0.1, 0.1],
        "large-offset": [1e9 + value for value in drawn(1, 20, 0.25)],
        **{f"normal-{count}": drawn(count, count) for count in (3, 4, 10, 41, 100)},
    }
    rows = [sample_row(case, values) for case, values in cases.items()]
    columns = [column for column in rows[0] if column not in ("case", "values")]
    return Table("statistics-samples.csv", rows, dict.fromkeys(columns, NUMBER))


# Wilcoxon's test


def wilcoxon_row(case: str, differences: list[float]) -> Row:
    """SciPy's signed-rank test with its own choice of method.

    It does not say which one it chose, but that shows where the p values differ.
    """
    auto = stats.wilcoxon(differences)
    approximate = stats.wilcoxon(differences, method="asymptotic")
    is_exact = auto.pvalue != approximate.pvalue
    return {
        "case": case,
        "differences": joined(differences),
        "count": int(np.count_nonzero(differences)),
        "positive_rank_sum": float(stats.wilcoxon(differences, alternative="greater").statistic),
        "statistic": float(auto.statistic),
        "p": float(auto.pvalue),
        "exact": None if auto.pvalue == 1 else str(is_exact).lower(),
    }


def wilcoxon() -> Table:
    """The table of signed-rank tests: about the sizes where the method changes, and beyond."""
    cases = {
        "hollander-wolfe-1973": DEPRESSION,
        "one": [0.5],
        "one-and-zeros": [0.0, 0.5, 0.0],
        "all-equal": [2.0] * 8,
        "balanced": [1.0, -2.0, -3.0, 4.0],
        "far-tail": [float(i) for i in range(1, 51)],
        "farther-tail": [float(i) for i in range(1, 101)],
        **{f"plain-{n}": drawn(n, n) for n in (2, 3, 5, 6, 10, 25, 49, 50, 51, 200)},
        **{f"ties-{n}": drawn(n, n, 0.5, 0.6) for n in (4, 7, 12, 13, 14, 30, 50, 51, 300)},
        **{f"one-zero-{n}": [0.0, *drawn(n, n - 1)] for n in (5, 13, 14, 50)},
    }
    rows = [wilcoxon_row(case, differences) for case, differences in cases.items()]
    return Table("statistics-wilcoxon.csv", rows, {"p": PROBABILITY})


# Friedman's test


def friedman_row(case: str, blocks: list[list[float]]) -> Row:
    """SciPy's test of Friedman; the mean ranks are ranked by SciPy, too."""
    test = stats.friedmanchisquare(*np.transpose(blocks))
    return {
        "case": case,
        "blocks": ";".join(joined(block) for block in blocks),
        "mean_ranks": joined(np.mean(stats.rankdata(blocks, axis=1), axis=0).tolist()),
        "chi_squared": float(test.statistic),
        "p": float(test.pvalue),
    }


def drawn_blocks(seed: int, subjects: int, methods: int, step: float) -> list[list[float]]:
    """Normal numbers with later methods a little larger."""
    values = drawn(seed, subjects * methods, step)
    return [
        [round(values[i * methods + j] + step * round(0.3 * j / step), 6) for j in range(methods)]
        for i in range(subjects)
    ]


def friedman() -> Table:
    """The table of Friedman's tests."""
    first_base = [
        [float(value) for value in block.split()]
        for block in ROUNDING_FIRST_BASE.replace("\n", ";").strip(";").split(";")
    ]
    sizes = ((2, 3), (4, 5), (12, 3), (40, 5), (9, 8))
    rows = [friedman_row("hollander-wolfe-1973", first_base)]
    for subjects, methods in sizes:
        for name, step in (("plain", 1e-4), ("ties", 0.5)):
            blocks = drawn_blocks(10 * subjects + methods, subjects, methods, step)
            rows.append(friedman_row(f"{name}-{subjects}x{methods}", blocks))
    tolerances = {"chi_squared": Tolerance(relative=1e-11, absolute=1e-11), "p": PROBABILITY}
    return Table("statistics-friedman.csv", rows, tolerances)


# Holm's correction


def closed_bonferroni(p_values: list[float]) -> list[float]:
    """Adjusted by the closure principle: the worst of all subsets a hypothesis belongs to."""
    indices = range(len(p_values))
    subsets = [subset for size in indices for subset in combinations(indices, size + 1)]
    worst = {subset: min(1.0, len(subset) * min(p_values[i] for i in subset)) for subset in subsets}
    return [max(p for subset, p in worst.items() if i in subset) for i in indices]


def holm() -> Table:
    """The table of corrections."""
    uniform = np.random.RandomState(5)
    cases = {
        "one": [0.03],
        "textbook": [0.01, 0.04, 0.03, 0.005],
        "ties": [0.02, 0.02, 0.5, 0.02, 0.5],
        "ends": [0.0, 1.0, 0.4, 0.0],
        "skewed-6": (uniform.random_sample(6) ** 3).round(6).tolist(),
        "skewed-10": (uniform.random_sample(10) ** 4).round(6).tolist(),
    }
    rows = [
        {"case": case, "p_values": joined(p), "adjusted": joined(closed_bonferroni(p))}
        for case, p in cases.items()
    ]
    return Table("statistics-holm.csv", rows)


# Distributions

PROBABILITIES = [1e-6, 0.001, 0.025, 0.2, 0.45, 0.7, 0.95, 0.975, 0.999, 1 - 1e-8]
"""Where the distributions are compared, before rounding."""


def distributions() -> Table:
    """Both tails of the distributions at points from the middle far into the tails."""
    members = [("normal", None, stats.norm())]
    members += [("chi-squared", nu, stats.chi2(nu)) for nu in (0.5, 1, 2, 3, 4, 10, 50, 500)]
    members += [("t", nu, stats.t(nu)) for nu in (1, 2, 3.5, 10, 30, 31, 100, 1000)]
    rows = [
        {
            "distribution": name,
            "degrees_of_freedom": nu,
            "x": x,
            "lower": float(member.cdf(x)),
            "upper": float(member.sf(x)),
        }
        for name, nu, member in members
        for x in (float(f"{x:.6g}") for x in member.ppf(PROBABILITIES))
    ]
    tolerances = {"lower": PROBABILITY, "upper": PROBABILITY}
    return Table("statistics-distributions.csv", rows, tolerances)


# Random numbers and the bootstrap


def twister(seed: int) -> np.random.MT19937:
    """The Mersenne Twister as its authors seed it from one number (2002)."""
    bits = np.random.MT19937()
    bits._legacy_seeding(seed)
    return bits


def below(bits: np.random.MT19937, bound: int) -> int:
    """GSL's rule: the top of the range of 32 bits is cut off, the rest is cut into equal pieces."""
    piece = 0xFFFFFFFF // bound
    while (number := int(bits.random_raw()) // piece) >= bound:
        pass
    return number


def random_row(seed: int) -> Row:
    """Some numbers of one seed."""
    bits, small, large = twister(seed), twister(seed), twister(seed)
    raw = [int(bits.random_raw()) for _ in range(1000)]
    return {
        "seed": seed,
        "first": " ".join(str(number) for number in raw[:4]),
        "thousandth": raw[-1],
        "below_7": " ".join(str(below(small, 7)) for _ in range(20)),
        "below_3000000000": " ".join(str(below(large, 3_000_000_000)) for _ in range(5)),
    }


def random_numbers() -> Table:
    """The table of random numbers."""
    return Table("statistics-random.csv", [random_row(seed) for seed in (1, 4357, 5489, 2**32 - 1)])


def bootstrap_row(case: str, values: list[float], seed: int, replicates: int, level: float) -> Row:
    """Intervals of the mean and the median: expanded percentiles (Hesterberg 2015), or Student's t
    with the jackknife below FEWEST_DRAWN values."""
    n = len(values)
    t = stats.t.ppf((1 + level) / 2, n - 1)
    if n < FEWEST_DRAWN:
        without = [values[:i] + values[i + 1 :] for i in range(n)]
        ends = [jackknifed(statistic, values, without, t) for statistic in (np.mean, np.median)]
        (mean_low, mean_high), (median_low, median_high) = ends
    else:
        bits = twister(seed)
        draws = [[values[below(bits, n)] for _ in range(n)] for _ in range(replicates)]
        tail = stats.norm.cdf(-math.sqrt(n / (n - 1)) * t)
        quantiles = [tail, 1 - tail]
        mean_low, mean_high = np.quantile(np.mean(draws, axis=1), quantiles).tolist()
        median_low, median_high = np.quantile(np.median(draws, axis=1), quantiles).tolist()
    return {
        "case": case,
        "values": joined(values),
        "seed": seed,
        "replicates": replicates,
        "level": level,
        "mean_low": mean_low,
        "mean_high": mean_high,
        "median_low": median_low,
        "median_high": median_high,
    }


def jackknifed(
    statistic: Callable[[list[float]], float], values: list[float], without: list[list[float]],
    t: float,
) -> tuple[float, float]:
    """The statistic and t standard errors to either side, by Tukey's pseudo-values."""
    n = len(values)
    everybody = statistic(values)
    pseudo = [n * everybody - (n - 1) * statistic(others) for others in without]
    reach = t * stats.sem(pseudo)
    return float(everybody - reach), float(everybody + reach)


def bootstrap() -> Table:
    """The table of intervals over subjects."""
    rows = [
        bootstrap_row("two", [1.0, 2.0], 1, 500, 0.95),
        bootstrap_row("seven", DEPRESSION[:7], 1, 500, 0.9),
        bootstrap_row("eight", DEPRESSION[:8], 1, 500, 0.9),
        bootstrap_row("depression", DEPRESSION, 42, 2000, 0.95),
        bootstrap_row("normal-30", drawn(30, 30), 2**32 - 1, 999, 0.9),
    ]
    ends = ("mean_low", "mean_high", "median_low", "median_high")
    return Table("statistics-bootstrap.csv", rows, dict.fromkeys(ends, NUMBER))


def main() -> int:
    """Make the seven tables."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    tables = [
        samples(), wilcoxon(), friedman(), holm(), distributions(), random_numbers(), bootstrap(),
    ]
    return deliver(tables, options)


if __name__ == "__main__":
    sys.exit(main())
