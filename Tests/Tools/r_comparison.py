"""Compare the r factors of five methods with the observed r of ../shared/data/scs-beta60.

Observed r = ethanol / (C0 x weight) (Widmark 1932) and the blood to breath ratio, C0 of blood
[g/kg] x 1.055 kg/L over C0 of breath [mg/L] / 1000, are exact fractions of the published decimals;
each is rounded once. Errors are method minus observed. Sums are exact (`math.fsum`).

The intervals are NumPy's expanded percentiles over 10,000 draws of the subjects, with another generator than
the package's. An end of such an interval, for a statistic that is about normal with standard
deviation s, has the standard error sqrt(0.025 x 0.975 / 10,000) / (0.0584 / s) = 0.0267 s from the
draws alone, and the interval is 3.92 s wide. Two independent bootstraps of this size therefore
differ by sqrt(2) x 0.0267 / 3.92 = 1 % of the width at an end, and by 5 % once in a million.

Methods are compared in pairs and ranked as in `compare_scipy.py`, a subject having one error by each.

The study may not be redistributed, and the r of several methods together give a person's height and
weight away. So the tables hold the observed r and what sums the methods up. Every row of the command's
own table is checked, where the study is, by

    promille compare STUDY --blood-water 0.844 --format csv | python3 Tests/Tools/r_comparison.py --against -
"""

import argparse
import csv
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TextIO

import numpy as np
from scipy import stats

from compare_scipy import Group, all_pair_rows, friedman_rows, table_of
from expectations import REPOSITORY, Row, Table, Tolerance, deliver, new_parser, read_rows
from r_factors import METHODS, Body

STUDY = "scs-beta60"
BLOOD_DENSITY_KG_PER_L = Fraction(1055, 1000)
SEED = 20
REPLICATES = 10_000
LEVEL_PERCENT = 95
SEXES = ("all", "male", "female")

COMMAND_TOLERANCE = 1e-6

ROUNDING = Tolerance(relative=1e-13, absolute=1e-14)
"""A few roundings of numbers about 1, of which errors are differences."""


@dataclass(frozen=True)
class Subject:
    """What the study says of one person."""

    name: str
    body: Body
    observed_r: Fraction
    blood_breath_ratio: Fraction

    @classmethod
    def from_row(cls, row: dict[str, str]) -> "Subject":
        """A row of `estimates.csv`."""
        c0 = Fraction(row["c0_g_per_kg"])
        breath_g_per_l = Fraction(row["c0_breath_mg_per_l"]) / 1000
        return cls(
            row["subject"],
            Body.from_row(row),
            Fraction(row["ethanol_g"]) / (c0 * Fraction(row["weight_kg"])),
            c0 * BLOOD_DENSITY_KG_PER_L / breath_g_per_l,
        )

    def error(self, method: Callable[[Body], float | None]) -> float | None:
        """The method's r minus the observed r; None if the method has no formula."""
        r = method(self.body)
        return None if r is None else float(Fraction(r) - self.observed_r)


def observed_table(study: list[Subject]) -> Table:
    """A row per subject."""
    rows = [
        {"subject": subject.name, "r_observed": float(subject.observed_r)} for subject in study
    ]
    return Table(f"{STUDY}-r.csv", rows, {"r_observed": ROUNDING})


def differences_from(study: list[Subject], rows: list[dict[str, str]]) -> list[float]:
    """How far the command's table, a row per subject and method, is from this computation."""
    expected = {
        (subject.name, name): (float(subject.observed_r), method(subject.body), subject.error(method))
        for subject in study
        for name, method in METHODS.items()
    }
    found = {(row["subject"], row["r_factor"]): row for row in rows}
    if found.keys() != expected.keys():
        raise SystemExit("the table's subjects and methods are not those of the study")
    return [
        abs(float(found[key][column]) - value)
        for key, values in expected.items()
        for column, value in zip(("r_observed", "r_method", "r_error"), values)
        if value is not None
    ]


def check_against(study: list[Subject], file: TextIO) -> int:
    """Compare the command's table with this computation; the exit status."""
    differences = differences_from(study, list(csv.DictReader(file)))
    print(f"{len(differences)} numbers, largest difference {max(differences):.1e}", file=sys.stderr)
    return 0 if max(differences) <= COMMAND_TOLERANCE else 1


def statistics_of(errors: np.ndarray) -> Row:
    """Bias, RMSE and MAE, the median and limits of agreement; these blank for a single error."""
    n = len(errors)
    bias = math.fsum(errors) / n
    reach = 1.96 * math.sqrt(math.fsum((errors - bias) ** 2) / (n - 1)) if n > 1 else None
    return {
        "r_median": float(np.median(errors)),
        "r_loa_low": None if reach is None else bias - reach,
        "r_loa_high": None if reach is None else bias + reach,
        "r_bias": math.fsum(errors) / n,
        "r_rmse": math.sqrt(math.fsum(errors**2) / n),
        "r_mae": math.fsum(abs(errors)) / n,
    }


def intervals_of(errors: np.ndarray) -> Row:
    """The ends of the expanded percentile intervals of the three."""
    n = len(errors)
    # Nobody is summed up here below eight subjects, from where on subjects are drawn.
    assert n >= 8
    drawn = errors[np.random.default_rng(SEED).integers(0, n, (REPLICATES, n))]
    replicates = {
        "r_bias": drawn.mean(axis=1),
        "r_rmse": np.sqrt((drawn**2).mean(axis=1)),
        "r_mae": abs(drawn).mean(axis=1),
    }
    t = stats.t.ppf((1 + LEVEL_PERCENT / 100) / 2, n - 1)
    tail = 100 * stats.norm.cdf(-math.sqrt(n / (n - 1)) * t)
    return {
        f"{name}_{end}": float(np.percentile(values, percent))
        for name, values in replicates.items()
        for end, percent in (("low", tail), ("high", 100 - tail))
    }


def summary_row(study: list[Subject], name: str, sex: str) -> Row | None:
    """The summary of one method over the subjects of a sex; None if it has no formula for them."""
    group = [subject for subject in study if sex in ("all", subject.body.sex)]
    found = [subject.error(METHODS[name]) for subject in group]
    errors = np.array([error for error in found if error is not None])
    if not errors.size:
        return None
    summary = {"r_factor": name, "sex": sex, "n": len(errors)}
    return summary | statistics_of(errors) | intervals_of(errors)


def summary_table(study: list[Subject]) -> Table:
    """A row per method and sex."""
    found = [summary_row(study, name, sex) for name in METHODS for sex in SEXES]
    rows = [row for row in found if row is not None]
    columns = [name for name in rows[0] if name.startswith("r_") and name != "r_factor"]
    return Table(f"{STUDY}-summary.csv", rows, dict.fromkeys(columns, ROUNDING))


def groups_of(study: list[Subject]) -> list[Group]:
    """The errors of r by method and subject, for each sex."""
    return [
        Group(STUDY, "r", sex, {name: errors_of(study, name, sex) for name in METHODS})
        for sex in SEXES
    ]


def errors_of(study: list[Subject], name: str, sex: str) -> dict[str, list[float]]:
    """The error of one method for each subject of a sex that it has a formula for."""
    group = [subject for subject in study if sex in ("all", subject.body.sex)]
    found = {subject.name: subject.error(METHODS[name]) for subject in group}
    return {subject: [error] for subject, error in found.items() if error is not None}


def ratio_table(study: list[Subject]) -> Table:
    """The blood to breath ratio of each subject."""
    rows = [
        {"subject": subject.name, "blood_breath_ratio": float(subject.blood_breath_ratio)}
        for subject in study
    ]
    return Table(f"{STUDY}-ratio.csv", rows, {"blood_breath_ratio": ROUNDING})


def spread_table(study: list[Subject]) -> Table:
    """How the ratios are spread: low and high are the percentiles at 2.5 and 97.5."""
    ratios = np.array([float(subject.blood_breath_ratio) for subject in study])
    low, median, high = np.percentile(ratios, (2.5, 50, 97.5))
    spread = {
        "mean": math.fsum(ratios) / len(ratios),
        "sd": float(ratios.std(ddof=1)),
        "median": float(median),
        "low": float(low),
        "high": float(high),
        "min": float(ratios.min()),
        "max": float(ratios.max()),
    }
    row = {"n": len(ratios), **spread}
    return Table(f"{STUDY}-ratio-spread.csv", [row], dict.fromkeys(spread, ROUNDING))


def main() -> int:
    """Make the six tables."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=REPOSITORY / "../shared/data", help="folder of the studies"
    )
    parser.add_argument(
        "--against", type=argparse.FileType(), help="CSV of `promille compare`, - for standard input"
    )
    options = parser.parse_args()
    rows = read_rows(options.data / STUDY / "estimates.csv")
    study = [Subject.from_row(row) for row in rows]
    if options.against:
        return check_against(study, options.against)
    groups = groups_of(study)
    tables = [
        observed_table(study),
        summary_table(study),
        table_of(f"{STUDY}-pairs.csv", all_pair_rows(groups)),
        table_of(f"{STUDY}-friedman.csv", [row for g in groups for row in friedman_rows(g)]),
        ratio_table(study),
        spread_table(study),
    ]
    return deliver(tables, options)


if __name__ == "__main__":
    sys.exit(main())
