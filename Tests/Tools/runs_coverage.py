#!/usr/bin/env python3
"""How often default intervals hold the truth where errors come in runs.

    python3 Tests/Tools/runs_coverage.py PROMILLE [--check] [--write FILE] [--people 1000]

Simulates ten studies of 100 people (cohort.py) whose errors are correlated by exp(-dt / tau), for tau of 10,
30 and 60 min, with and without a third of the SD as white noise, and ten with independent errors; of 12
readings 20 min apart and of 25 readings 10 min apart. Each is fitted by default, and with --correlation
none. Counts how often 95 % intervals of k_a, beta and r hold the truth, and in how many studies the test of
correlated errors fired. With --check it exits 1 unless the default holds LEAST to 97 % wherever it did in
all, and exactly what --correlation none does where errors are independent, and all is as in the table that
the documentation shows (fit-coverage-runs.csv).

With 1000 people the standard error of a coverage of 95 % is 0.7 %; the seeds are fixed.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

from cohort import R, Design, people, write
from coverage import Fitted, drift, percent, run, save, show

KEPT = Path(__file__).parent.parent / "Expectations/fit-coverage-runs.csv"
WHITE = 1 / 9
"""Of the variance, where a third of the SD is white."""
STUDY = 100
LEAST = 92
EVERY_MIN = {12: 20, 25: 10}
NAMES = [("beta", "beta_g_per_kg_h"), ("ka", "ka_per_h"), ("r", "r")]


def designs(count: int) -> dict[str, Design]:
    """The study of each row, by its name."""
    found = {}
    for readings, every in EVERY_MIN.items():
        for number, (tau, white) in enumerate(
            [(0, 0), *((tau, white) for tau in (10, 30, 60) for white in (0, WHITE))]
        ):
            name = f"tau {tau} min" if tau else "independent"
            found[f"{name}{', a third white' if white else ''}, {readings} readings"] = Design(
                count, 70 + 10 * readings + number, every_min=every, first_min=every, lod_g_per_kg=0.03,
                most_drinks=2, most_readings=readings, tau_min=tau, white=white)  # fmt: skip
    return found


def study(promille: str, count: int):
    """One row for each design and each choice of the correlation."""
    for name, design in designs(count).items():
        cohort = people(design)
        truth = {
            p.subject: {"ka_per_h": p.ka_per_h, "beta_g_per_kg_h": p.beta_g_per_kg_h, "r": R}
            for p in cohort
        }
        for options in ([], ["--correlation", "none"]):
            rows, told = [], []
            for first in range(0, len(cohort), STUDY):
                with tempfile.TemporaryDirectory() as folder:
                    write(Path(folder), cohort[first : first + STUDY], design)
                    own, errors = run(promille, folder, "--estimate", "ka,beta,r", *options)
                rows += own
                told.append(errors)
            yield summary(name, options, rows, told, truth)


def summary(name: str, options: list[str], rows, told: list[str], truth) -> dict[str, str]:
    fitted = [Fitted(row, truth[row["subject"]]) for row in rows if row["status"] != "failed"]
    pattern = r"tau ([0-9.e-]+) min .*?white share of the variance ([0-9.e-]+) %"
    estimated = [
        [float(part) for part in match.groups()]
        for match in (re.search(pattern, text) for text in told)
        if match
    ]
    tau, white = np.median(estimated, axis=0) if estimated else ("", "")
    return {
        "design": name,
        "options": " ".join(options) or "default",
        "n": str(len(fitted)),
        **{f"{short}_covered_pct": percent([f.covers(short, long) for f in fitted])
           for short, long in NAMES},
        **{f"{short}_width_pct":
               f"{100 * np.median([f.relative_width(short, long) for f in fitted]):.0f}"
           for short, long in NAMES},
        "fired": str(len(estimated)),
        "tau_min": f"{tau:.0f}" if estimated else "",
        "white_pct": f"{white:.0f}" if estimated else "",
    }  # fmt: skip


def complaints(rows: list[dict[str, str]]):
    """Where the default holds too little or too much."""
    by_default = [row for row in rows if row["options"] == "default"]
    others = [row for row in rows if row["options"] != "default"]
    for row, plain in zip(by_default, others, strict=True):
        for short, _ in NAMES:
            column = f"{short}_covered_pct"
            fired = int(row["fired"]) == len(range(0, int(row["n"]), STUDY))
            if fired and not LEAST <= float(row[column]) <= 97:
                yield f"{row['design']}: 95 % intervals of {short} cover {row[column]} %"
            if row["design"].startswith("independent") and row[column] != plain[column]:
                yield f"{row['design']}: {short} is {row[column]} % by default, {plain[column]} % else"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command to examine")
    parser.add_argument("--check", action="store_true", help="exit 1 if it does not hold")
    parser.add_argument("--write", type=Path, help="keep the table as CSV")
    parser.add_argument("--people", type=int, default=1000, help="people in each row")
    options = parser.parse_args()
    rows = list(study(options.promille, options.people))
    show(rows)
    if options.write:
        save(options.write, rows)
    problems = [*complaints(rows), *drift(rows, KEPT)] if options.check else []
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
