"""Draw Widmark's straight line through the elimination limb with SciPy's linregress.

c(t) = C0 - beta t, t in hours since the first drink, by ordinary least squares (Widmark, Die
theoretischen Grundlagen und die praktische Verwendbarkeit der gerichtlich-medizinischen
Alkoholbestimmung, 1932). The limb begins after the highest reading (the last of several equal
ones), but not before so many minutes have passed since the end of the last drink; it ends before
the first reading at or below a concentration. Intervals are Student's t with n - 2 degrees of
freedom; that of r = dose / (C0 x weight) is the transformed interval of C0, without an upper end
where C0's has none above zero.

`elimination-line-agreement.csv` sets the lines beside the nonlinear fits of
`wilkinson_scipy.py`, whose checked-in estimates it reads. `beta_line_through_curve` is the line
drawn in the same way through the fitted curve at the times of the limb: what it lacks of
`beta_curve` is absorption that the curve says still goes on there, and what it has more than
`beta_line` is by how much the curve misses the slope of the readings.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import stats

from expectations import (
    EXPECTATIONS,
    REPOSITORY,
    Row,
    Table,
    Tolerance,
    deliver,
    new_parser,
    read_rows,
)
from one_compartment import Parameters, concentration
from study_folder import Series, read_study

STUDIES = ("wilkinson-1977-oral", "hip-flask", "mumenthaler-2000-individual")
COMPARED = "wilkinson-1977-oral"

ROUNDING_H = 1e-9
"""Whole minutes are rounded in hours; a reading exactly at the limit counts."""

FEWEST_READINGS = 3

NUMBER = Tolerance(relative=1e-10)
"""A dozen sums in double precision lose no more."""


@dataclass(frozen=True)
class Rule:
    """Where the limb begins and ends, and the level of the intervals."""

    after_min: float = 90.0
    above_g_per_kg: float = 0.1
    level: float = 0.95


DEFAULT = Rule()
OTHER = Rule(after_min=60.0, above_g_per_kg=0.2, level=0.99)


def limb_of(series: Series, rule: Rule) -> Series:
    """The series with the readings of the limb alone."""
    times, readings = series.times_h, series.readings_g_per_kg
    drinking_end = max(drink.start_h + drink.duration_h for drink in series.drinks)
    peak_time = times[np.flatnonzero(readings == readings.max())[-1]]
    begun = (times >= drinking_end + rule.after_min / 60 - ROUNDING_H) & (times > peak_time)
    ended = np.cumsum(begun & (readings <= rule.above_g_per_kg)) > 0
    limb = begun & ~ended
    return replace(series, times_h=times[limb], readings_g_per_kg=readings[limb])


def since_first_drink(series: Series) -> np.ndarray:
    """The times of the readings [h] on the clock of C0."""
    return series.times_h - min(drink.start_h for drink in series.drinks)


def dose(series: Series) -> float:
    """All ethanol per kg of body weight."""
    return sum(drink.dose_g_per_kg for drink in series.drinks)


def line(series: Series, rule: Rule) -> Row:
    """One row of the table of lines."""
    limb = limb_of(series, rule)
    name = {"subject": series.subject, "occasion": series.occasion, "n": len(limb.times_h)}
    if len(limb.times_h) < FEWEST_READINGS:
        return name | dict.fromkeys(NUMBERS)
    times, readings = since_first_drink(limb), limb.readings_g_per_kg
    fit = stats.linregress(times, readings)
    quantile = stats.t.ppf((1 + rule.level) / 2, len(times) - 2)
    c0_low = fit.intercept - quantile * fit.intercept_stderr
    c0_high = fit.intercept + quantile * fit.intercept_stderr
    residuals = readings - fit.intercept - fit.slope * times
    values = (
        limb.times_h[0] * 60,
        limb.times_h[-1] * 60,
        -fit.slope,
        fit.stderr,
        -fit.slope - quantile * fit.stderr,
        -fit.slope + quantile * fit.stderr,
        fit.intercept,
        fit.intercept_stderr,
        c0_low,
        c0_high,
        dose(series) / fit.intercept,
        dose(series) / c0_high,
        dose(series) / c0_low if c0_low > 0 else None,
        np.sqrt(np.sum(residuals**2) / (len(times) - 2)),
        fit.rvalue**2,
    )
    return name | dict(zip(NUMBERS, values))


NUMBERS = (
    "limb_from_min",
    "limb_to_min",
    "beta60_g_per_kg_h",
    "beta_se",
    "beta_low",
    "beta_high",
    "c0_g_per_kg",
    "c0_se",
    "c0_low",
    "c0_high",
    "r_observed",
    "r_low",
    "r_high",
    "residual_sd",
    "r_squared",
)


def agreement(series: Series, curve: dict[str, str]) -> Row | None:
    """One row of the comparison with the nonlinear fit; None where there is no limb."""
    limb = limb_of(series, DEFAULT)
    if len(limb.times_h) < FEWEST_READINGS:
        return None
    straight = line(series, DEFAULT)
    parameters = Parameters(
        ka=float(curve["ka_per_h"]), beta=float(curve["beta_g_per_kg_h"]), r=float(curve["r"])
    )
    fitted = stats.linregress(limb.times_h, concentration(limb, parameters))
    return {
        "subject": series.subject,
        "occasion": series.occasion,
        "dose_g_per_kg": dose(series),
        "n": straight["n"],
        "beta_line": straight["beta60_g_per_kg_h"],
        "beta_line_se": straight["beta_se"],
        "beta_curve": parameters.beta,
        "beta_curve_se": float(curve["beta_se"]),
        "beta_line_through_curve": -fitted.slope,
        "r_line": straight["r_observed"],
        "r_curve": parameters.r,
    }


def line_table(name: str, data: Path, rule: Rule, suffix: str = "") -> Table:
    """The table of one study's lines."""
    rows = [line(series, rule) for series in read_study(data / name)]
    return Table(f"elimination-line-{name}{suffix}.csv", rows, dict.fromkeys(NUMBERS, NUMBER))


def agreement_table(data: Path) -> Table:
    """The comparison of one study's lines with its nonlinear fits."""
    curves = {
        (row["subject"], row["occasion"]): row
        for row in read_rows(EXPECTATIONS / f"{COMPARED}.csv")
    }
    rows = [
        agreement(series, curves[series.subject, series.occasion])
        for series in read_study(data / COMPARED)
    ]
    rows = [row for row in rows if row]
    return Table("elimination-line-agreement.csv", rows, dict.fromkeys(list(rows[0])[2:], NUMBER))


def summary(table: Table) -> str:
    """The differences line less curve, for the documentation."""
    rows = table.rows
    beta = np.array([row["beta_line"] - row["beta_curve"] for row in rows])
    absorbing = np.array([row["beta_line_through_curve"] - row["beta_curve"] for row in rows])
    r = np.array([row["r_line"] - row["r_curve"] for row in rows])
    spread = [np.hypot(row["beta_line_se"], row["beta_curve_se"]) for row in rows]
    return "\n".join(
        f"{name}: mean {values.mean():.4f}, from {values.min():.4f} to {values.max():.4f}"
        for name, values in (
            ("beta", beta),
            ("beta, absorption going on", absorbing),
            ("beta, slope missed", beta - absorbing),
            ("beta in standard errors", beta / spread),
            ("r", r),
            ("r of the line", np.array([row["r_line"] for row in rows])),
            ("r of the curve", np.array([row["r_curve"] for row in rows])),
        )
    )


def main() -> int:
    """Draw the lines of all studies."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=REPOSITORY / "../shared/data", help="folder of the studies"
    )
    parser.add_argument("--summary", action="store_true", help="print the agreement in short")
    options = parser.parse_args()
    compared = agreement_table(options.data)
    if options.summary:
        print(summary(compared))
    tables = [line_table(name, options.data, DEFAULT) for name in STUDIES]
    tables += [line_table(COMPARED, options.data, OTHER, "-other-limb"), compared]
    return deliver(tables, options)


if __name__ == "__main__":
    sys.exit(main())
