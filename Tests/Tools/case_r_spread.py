#!/usr/bin/env python3
"""How far a person's r is from what each method predicts: the spread that `promille case` assumes.

    python3 Tests/Tools/case_r_spread.py [--promille PATH] [--data FOLDER]

Runs `promille compare` on scs-beta60 (31 men and 19 women with an observed r) and prints, by method and sex, the
mean of observed over predicted r and its standard deviation in percent of that mean. The latter are the numbers
that each method states as its `spread`. The water content of blood only moves the mean.
"""

import csv
import io
import statistics
import subprocess
from argparse import ArgumentParser
from pathlib import Path

from expectations import EXPECTATIONS, REPOSITORY

with open(EXPECTATIONS / "r-factors.csv", newline="", encoding="utf-8") as table:
    METHODS = ",".join(row["method"] for row in csv.DictReader(table))


def main():
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--promille", default=str(REPOSITORY / ".build/release/promille"))
    parser.add_argument("--data", type=Path, default=REPOSITORY / "../shared/data", help="folder of the studies")
    arguments = parser.parse_args()
    run = subprocess.run(
        [
            arguments.promille, "compare", str(arguments.data / "scs-beta60"), "--r-factor", METHODS,
            "--blood-water", "0.80", "--format", "csv", "--quiet",
        ],
        capture_output=True, text=True, check=False,
    )
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    print("| method | sex | people | observed / predicted | CV |\n|---|---|---|---|---|")
    for method in METHODS.split(","):
        for sex in ("male", "female"):
            ratios = [
                float(row["r_observed"]) / float(row["r_method"])
                for row in rows
                if row["r_factor"] == method and row["sex"] == sex and row["r_method"]
            ]
            if ratios:
                mean = statistics.mean(ratios)
                spread = 100 * statistics.stdev(ratios) / mean
                print(f"| {method} | {sex} | {len(ratios)} | {mean:.3f} | {spread:.1f} % |")


if __name__ == "__main__":
    main()
