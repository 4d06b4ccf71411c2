#!/usr/bin/env python3
"""How often the default number of starts misses the best known minimum.

    python3 Tests/Tools/starts.py PROMILLE [--check] [--subjects N]

Simulates a cohort (cohort.py) of people with 1 to 4 drinks and a reading every 10 minutes, has the
command fit it from one start, from as many as it takes by itself, with and without profile intervals,
and from 64, and counts the people whose sum of squares is left above the smallest of all. The zero clamp
makes real local minima, so that some always are. Profiles come across better minima, so that fewer are
missed with intervals, which is the default. With --check it exits 1 if the default misses more than
0.02 % of people for k_a and beta, or 0.05 % for k_a, beta and r, even without intervals.

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
WAYS = {
    "one start": ("--starts", "1", "--interval", "none"),
    "default starts": ("--interval", "none"),
    "default starts and profiles": ("--interval", "profile"),
    "many starts": ("--starts", str(MANY), "--interval", "none"),
}
ALLOWED_PCT = {"ka,beta": 0.02, "ka,beta,r": 0.05}


def main() -> None:
    arguments = parsed_arguments()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        design = Design(arguments.subjects, 21, lod_g_per_kg=0.0)
        write(Path(folder), people(design), design)
        for estimate, allowed in ALLOWED_PCT.items():
            found = {
                name: sums_of_squares(arguments.promille, folder, estimate, *options)
                for name, options in WAYS.items()
            }
            best = {
                subject: min(sums.get(subject, inf) for sums in found.values())
                for subject in found["many starts"]
            }
            for name, sums in found.items():
                count, share = misses(sums, best), 100 * misses(sums, best) / len(best)
                print(f"{estimate}: {name}: {count} of {len(best)} missed ({share:.2f} %)")
                failed |= name.startswith("default") and share > allowed
    if arguments.check:
        sys.exit(1 if failed else 0)


def sums_of_squares(promille: str, folder: str, estimate: str, *options: str):
    r = [] if "r" in estimate.split(",") else ["--r-factor", str(R)]
    command = [
        promille, "fit", folder, *r, "--estimate", estimate, "--censor", "none", "--format", "csv", "--quiet",
        *options,
    ]  # fmt: skip
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
