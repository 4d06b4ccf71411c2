"""The per-minute recurrence of the thesis for subject 2 of datasets/nacar-2021, in plain Python.

A drink of D grams adds 0 at its minute and D (exp(-k (n-1)/60) - exp(-k n/60)) at the n-th minute
after it, the last n being the first at which the absorbed fraction 1 - exp(-k n/60) is 1 in
floating point. Minute by minute c = max(0, (c V + increment)/V - beta/60) with V = r W.

Columns c_50 and c_55: r by Ulrich, the second drink at 50 min and at 55 min, which is what the text
of the thesis says; neither is the printed column of table 4.1. Column c_50_forrest: r by Forrest, the
second drink at 50 min; cut to two decimals it is the printed column. `--printed` shows at which
minutes each column differs from the printed one.
"""

import sys
from collections import defaultdict
from math import exp, floor

from expectations import NACAR, Row, Table, Tolerance, deliver, new_parser, read_rows
from r_factors import Body, forrest, ulrich
from study_folder import ETHANOL_G_PER_ML

SUBJECT = "2"
KA_PER_H = 18.0
BETA_G_PER_KG_H = 0.15
COLUMNS = {"c_50": (ulrich, 50), "c_55": (ulrich, 55), "c_50_forrest": (forrest, 50)}
"""The r method and the minute of the second drink of each column."""

THESIS_COLUMN = "c_50_forrest"

CONCENTRATION = Tolerance(absolute=1e-14)


def increments(grams: float) -> list[float]:
    """What a drink adds in its own minute and in each one after [g]."""
    added = [0.0]
    n = 0
    while 1 - exp(-KA_PER_H * n / 60) < 1:
        n += 1
        added.append(grams * (exp(-KA_PER_H * (n - 1) / 60) - exp(-KA_PER_H * n / 60)))
    return added


def summed(drinks: list[tuple[int, float]]) -> list[float]:
    """The increments of all drinks on one grid of minutes [g]."""
    grid: dict[int, float] = defaultdict(float)
    for minute, grams in drinks:
        for n, added in enumerate(increments(grams)):
            grid[minute + n] += added
    return [grid[minute] for minute in range(max(grid) + 1)]


def concentrations(drinks: list[tuple[int, float]], volume: float, minutes: int) -> list[float]:
    """The concentration [g/kg] at each minute from 0 to `minutes`."""
    added = summed(drinks)
    c = 0.0
    curve = []
    for minute in range(minutes + 1):
        increment = added[minute] if minute < len(added) else 0.0
        c = max(0.0, (c * volume + increment) / volume - BETA_G_PER_KG_H / 60)
        curve.append(c)
    return curve


def subject_body() -> Body:
    """The subject's measures."""
    rows = read_rows(NACAR / "subjects.csv")
    return Body.from_row(next(row for row in rows if row["subject"] == SUBJECT))


def subject_grams() -> list[float]:
    """Ethanol of the subject's drinks."""
    return [
        float(row["volume_ml"]) * float(row["abv_percent"]) / 100 * ETHANOL_G_PER_ML
        for row in read_rows(NACAR / "drinks.csv")
        if row["subject"] == SUBJECT
    ]


def rows() -> list[Row]:
    """All columns side by side, until the last increment of the latest drink."""
    first, second = subject_grams()
    body = subject_body()
    minutes = max(minute for _, minute in COLUMNS.values()) + len(increments(second)) - 1
    curves = [
        concentrations([(0, first), (minute, second)], method(body) * body.weight_kg, minutes)
        for method, minute in COLUMNS.values()
    ]
    return [
        {"minute": minute, **dict(zip(COLUMNS, values, strict=True))}
        for minute, values in enumerate(zip(*curves, strict=True))
    ]


def differing_minutes(computed: list[Row], column: str) -> list[int]:
    """The rows of the thesis' table where the column, cut to two decimals, is not as printed."""
    printed = {
        int(row["time_min"]): round(100 * float(row["bac_g_per_kg"]))
        for row in read_rows(NACAR / "thesis-predictions.csv")
        if row["subject"] == SUBJECT
    }
    return [
        minute for minute in printed if floor(100 * computed[minute][column]) != printed[minute]
    ]


def compare_with_printed(computed: list[Row]) -> int:
    """Print where each column differs from the thesis; fail unless the thesis column agrees."""
    differing = {column: differing_minutes(computed, column) for column in COLUMNS}
    for column, minutes in differing.items():
        print(f"{column}: differs at {minutes}" if minutes else f"{column}: as printed")
    return 1 if differing[THESIS_COLUMN] else 0


def main() -> int:
    """Write or check the table, or compare with the printed column."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument("--printed", action="store_true", help="compare with the thesis instead")
    options = parser.parse_args()
    computed = rows()
    if options.printed:
        return compare_with_printed(computed)
    table = Table("thesis-engine.csv", computed, dict.fromkeys(COLUMNS, CONCENTRATION))
    return deliver([table], options)


if __name__ == "__main__":
    sys.exit(main())
