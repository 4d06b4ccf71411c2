"""Sum estimates up over subjects.

Mean, standard deviation, coefficient of variation, median and range of k_a, beta and r by NumPy, over
the subjects of a made-up table of fits: estimates that are identifiable, and of fits that converged. A
subject with several occasions counts by their mean. What the command makes of a study is checked by

    promille fit STUDY --estimate ka,beta,r --format csv -o fits.csv
    promille fit STUDY --estimate ka,beta,r --summary --format csv -o summary.csv
    python3 Tests/Tools/fit_summary.py --against summary.csv fits.csv
"""

import math
import random
import sys
from pathlib import Path

import numpy as np

from expectations import Row, Table, Tolerance, deliver, new_parser, read_rows

SEED = 7
SUBJECTS = 12
COLUMNS = {
    "ka": ("1/h", "ka_per_h"),
    "beta": ("g/kg/h", "beta_g_per_kg_h"),
    "r": ("kg/kg", "r"),
}
"""Parameters with their units and the columns of their estimates."""

COUNTS = ("subjects", "series", "undetermined", "failed")
NUMBERS = ("mean", "sd", "cv_pct", "median", "min", "max")
NUMBER = Tolerance(relative=1e-13)
COMMAND_TOLERANCE = 1e-12


def made_up_fits() -> list[dict[str, str]]:
    """One to three occasions of each subject, some without a result worth having."""
    draw = random.Random(SEED)
    fits = []
    for subject in range(SUBJECTS):
        for occasion in range(draw.randint(1, 3)):
            row = {"subject": f"{subject}", "occasion": f"{occasion}"}
            row["status"] = draw.choice(["ok"] * 6 + ["not-converged"])
            for (name, (_, column)), middle in zip(COLUMNS.items(), (4, 0.16, 0.7), strict=True):
                row[column] = repr(middle * draw.lognormvariate(0, 0.3))
                row[f"{name}_identifiable"] = draw.choice(["yes"] * 4 + ["no"])
            fits.append(row)
    return fits


def summary(fits: list[dict[str, str]], parameter: str) -> Row:
    """The row of one parameter."""
    unit, column = COLUMNS[parameter]
    converged = [fit for fit in fits if fit["status"] == "ok"]
    known = [fit for fit in converged if is_determined(fit, parameter)]
    subjects = list(dict.fromkeys(fit["subject"] for fit in known))
    values = np.array(
        [np.mean([float(f[column]) for f in known if f["subject"] == who]) for who in subjects]
    )
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    return {
        "parameter": parameter,
        "unit": unit,
        "subjects": len(values),
        "series": len(known),
        "undetermined": len(converged) - len(known),
        "failed": len(fits) - len(converged),
        "mean": float(values.mean()) if len(values) else None,
        "sd": sd,
        "cv_pct": None if sd is None else 100 * sd / float(values.mean()),
        "median": float(np.median(values)) if len(values) else None,
        "min": float(values.min()) if len(values) else None,
        "max": float(values.max()) if len(values) else None,
    }


def is_determined(fit: dict[str, str], parameter: str) -> bool:
    """Whether the readings determine it, and no bound does."""
    both_ends = fit.get(f"{parameter}_low", "known") and fit.get(f"{parameter}_high", "known")
    is_at_bound = "W_AT_BOUND" in fit.get("warnings", "") and not both_ends
    return fit[f"{parameter}_identifiable"] == "yes" and not is_at_bound


def tables() -> list[Table]:
    """The fits, and a row for each of their parameters."""
    fits = made_up_fits()
    rows = [summary(fits, name) for name in COLUMNS]
    return [
        Table("fit-summary-fits.csv", fits),
        Table("fit-summary.csv", rows, dict.fromkeys(NUMBERS, NUMBER)),
    ]


def check_against(summary_file: Path, fit_file: Path) -> int:
    """Compare the command's summary with one of its fits; the exit status."""
    fits = read_rows(fit_file)
    found = {row["parameter"]: row for row in read_rows(summary_file)}
    worst, same = 0.0, True
    for name in COLUMNS:
        expected = summary(fits, name)
        same &= all(found[name][count] == str(expected[count]) for count in COUNTS)
        for number in NUMBERS:
            worst = max(worst, difference(found[name][number], expected[number]))
    print(f"largest difference {worst:.1e}, counts {'agree' if same else 'differ'}", file=sys.stderr)
    return 0 if same and worst <= COMMAND_TOLERANCE else 1


def difference(found: str, expected: float | None) -> float:
    """How far a cell is from a number, relatively."""
    if expected is None or not found:
        return 0.0 if expected is None and not found else math.inf
    return abs(float(found) / expected - 1)


def main() -> int:
    """Make the two tables."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="the command's summary, as CSV")
    parser.add_argument("fits", type=Path, nargs="?", help="the command's fits, as CSV")
    options = parser.parse_args()
    if options.against:
        if not options.fits:
            parser.error("--against needs the fits")
        return check_against(options.against, options.fits)
    return deliver(tables(), options)


if __name__ == "__main__":
    sys.exit(main())
