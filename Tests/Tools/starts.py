#!/usr/bin/env python3
"""How often the default number of starts misses the best known minimum.

    python3 Tests/Tools/starts.py PROMILLE [--check] [--subjects N]

Simulates a cohort (cohort.py) of people with 1 to 4 drinks and a reading every 10 minutes, has the
command fit it from one start, from as many as it takes by itself, and from 64, and counts the people
whose sum of squares the first two leave above the smallest of all three. The zero clamp makes real
local minima, so that some always are. With --check it exits 1 if the default misses more than 0.1 %
of people for k_a and beta, or 0.5 % for k_a, beta and r.

Readings below detection are taken at face value, for that is what makes the local minima.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from math import inf
from pathlib import Path

from cohort import R, Design, people, write

# More starts than this find nothing that is better by more than MARGIN.
MANY = 64
# Relative: what two descents to the same minimum may differ by.
MARGIN = 1e-6
# (g/kg)^2: where readings are fitted exactly, rounding decides.
ROUNDING = 1e-12
ALLOWED_PCT = {"ka,beta": 0.1, "ka,beta,r": 0.5}


def main() -> None:
    arguments = parsed_arguments()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        design = Design(arguments.subjects, 21, lod_g_per_kg=0.0)
        write(Path(folder), people(design), design)
        for estimate, allowed in ALLOWED_PCT.items():
            best = sums_of_squares(arguments.promille, folder, estimate, MANY)
            default = sums_of_squares(arguments.promille, folder, estimate)
            single = sums_of_squares(arguments.promille, folder, estimate, 1)
            best = {s: min(rss, default.get(s, inf), single.get(s, inf)) for s, rss in best.items()}
            missed = {name: misses(found, best) for name, found in
                      (("default", default), ("single", single))}  # fmt: skip
            for name, count in missed.items():
                share = 100 * count / len(best)
                print(f"{estimate}: {name} misses {count} of {len(best)} ({share:.2f} %)")
            failed |= 100 * missed["default"] / len(best) > allowed
    if arguments.check:
        sys.exit(1 if failed else 0)


def sums_of_squares(promille: str, folder: str, estimate: str, starts: int | None = None):
    command = [
        promille, "fit", folder, "--r-factor", str(R), "--estimate", estimate, "--censor", "none",
        "--interval", "none", "--format", "csv", "--quiet",
    ]  # fmt: skip
    if starts:
        command += ["--starts", str(starts)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return {
        row["subject"]: float(row["rss"])
        for row in csv.DictReader(result.stdout.splitlines())
        if row["rss"]
    }


def misses(found: dict[str, float], best: dict[str, float]) -> int:
    return sum(found.get(s, inf) > rss * (1 + MARGIN) + ROUNDING for s, rss in best.items())


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command to examine")
    parser.add_argument("--check", action="store_true", help="exit 1 if it does not hold")
    parser.add_argument("--subjects", type=int, default=10_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
