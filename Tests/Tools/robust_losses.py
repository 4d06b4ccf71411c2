#!/usr/bin/env python3
"""What losses gain where some readings are bad, and lose where none is: a simulation study.

    python3 Tests/Tools/robust_losses.py PROMILLE [--check] [--subjects N]

Simulates cohorts (cohort.py) of one to two drinks with a reading every 20 minutes, moves some readings of
everybody by 0.1 to 0.4 g/kg up or down, and has the command fit k_a, beta and r with every loss. Prints the
root mean square and the median size of the error of ln beta. With --check it exits 1 if without
bad readings a loss costs more than a tenth of the precision, if with bad readings the bounded losses do not
halve the median error of least squares, or if a fit fails for another reason than too few readings above
zero.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from cohort import Design, people, write

LOSSES = ["linear", "soft-l1", "huber", "cauchy", "bisquare"]
BOUNDED = ["cauchy", "bisquare"]
BAD_SHARES = [0.0, 0.1, 0.2]
COST, GAIN = 1.1, 0.5


def main() -> None:
    arguments = parsed_arguments()
    failed = False
    print("bad readings  loss      fitted  RMS of ln beta  median size")
    for share in BAD_SHARES:
        with tempfile.TemporaryDirectory() as folder:
            design = Design(arguments.subjects, 31, every_min=20, first_min=20, most_drinks=2)
            cohort = people(design)
            write(Path(folder), cohort, design)
            spoil(Path(folder) / "readings.csv", share)
            truth = {p.subject: p.beta_g_per_kg_h for p in cohort}
            medians = {}
            for loss in LOSSES:
                errors = np.array(log_errors(arguments.promille, folder, loss, truth))
                medians[loss] = float(np.median(np.abs(errors)))
                rms = np.sqrt(np.mean(errors**2))
                print(f"{share:12.0%}  {loss:8}  {len(errors):6}  {rms:14.4f}  {medians[loss]:.4f}")
        if share == 0:
            failed |= max(medians.values()) > COST * medians["linear"]
        else:
            failed |= any(medians[loss] > GAIN * medians["linear"] for loss in BOUNDED)
    if arguments.check:
        sys.exit(1 if failed else 0)


def spoil(path: Path, share: float) -> None:
    """Moves a share of everybody's readings."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    random = np.random.RandomState(7)
    by_subject: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_subject.setdefault(row["subject"], []).append(row)
    column = next(name for name in rows[0] if name.startswith("bac_"))
    for own in by_subject.values():
        for index in random.choice(len(own), round(share * len(own)), replace=False):
            shift = random.choice([-1, 1]) * random.uniform(0.1, 0.4)
            own[index][column] = f"{max(0.0, float(own[index][column]) + shift):.4f}"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def log_errors(promille: str, folder: str, loss: str, truth: dict[str, float]) -> list[float]:
    command = [promille, "fit", folder, "--estimate", "ka,beta,r", "--loss", loss,
               "--interval", "none", "--format", "csv", "--quiet"]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    for row in rows:
        if row["status"] == "failed" and not row["reason"].startswith("E_TOO_FEW_READINGS"):
            sys.exit(f"{' '.join(command)}: {row['subject']}: {row['reason']}")
    return [
        float(np.log(float(row["beta_g_per_kg_h"]) / truth[row["subject"]]))
        for row in rows
        if row["status"] != "failed"
    ]


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command to examine")
    parser.add_argument("--check", action="store_true", help="exit 1 if it does not hold")
    parser.add_argument("--subjects", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    main()
