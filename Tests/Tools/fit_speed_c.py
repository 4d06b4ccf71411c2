#!/usr/bin/env python3
"""Speed of `promille fit` beside plain C with GSL, from CSV to CSV, on the same cohort in one run.

    fit_speed_c.py PROMILLE [--people 10000] [--rounds 7] [--at-least 0.4]

Both read a simulated cohort of 25 readings each, fit k_a, beta and r of everybody from one start, and
write CSV. The C program (Benchmarks/Sources/FitFolder), compiled here with -O2, writes the estimates and
the sum of squares; promille also writes standard errors, diagnostics and warnings, but no intervals. The
user CPU seconds of the median round count, of rounds in which both run one after the other.

exits 1 if promille's speed is not at least so many times that of C, or if they find another beta (relative
difference above 1e-4) of more than 3 % of the people: readings of some contain no information about k_a,
and about a kink that the clamp makes, descents end in different minima.
"""

import argparse
import csv
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "Benchmarks" / "Sources"
SAME_BETA = 1e-4
MOST_OTHERS = 0.03


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille")
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--at-least", type=float, default=0.4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cohort, ours, theirs = (Path(folder) / name for name in ("cohort", "ours.csv", "theirs.csv"))
        program = compiled(Path(folder))
        subprocess.run(
            [options.promille, "simulate", "--cohort", str(options.people), "--seed", "3", "-o", cohort],
            check=True, capture_output=True,
        )  # fmt: skip
        command = [options.promille, "fit", cohort, "--estimate", "ka,beta,r", "--starts", "1",
                   "--interval", "none", "--jobs", "1", "--format", "csv", "--quiet"]  # fmt: skip
        rounds = [
            (user_seconds(command, ours), user_seconds([program, cohort], theirs))
            for _ in range(options.rounds)
        ]
        others = share_of_others(ours, theirs)
    seconds = [statistics.median(times) for times in zip(*rounds)]
    for name, time in zip(("promille", "plain C with GSL"), seconds):
        print(f"{name:20} {time:7.3f} s {options.people / time:10.0f} people/s")
    ratio = seconds[1] / seconds[0]
    print(f"ratio {ratio:.3f}; another beta for {others:.2%} of the people")
    failures = []
    if ratio < options.at_least:
        failures.append(f"promille does not have {options.at_least:g} times the speed of C")
    if others > MOST_OTHERS:
        failures.append(f"another beta for more than {MOST_OTHERS:.0%} of the people")
    sys.exit("\n".join(failures) or None)


def compiled(folder: Path) -> Path:
    """The C program."""
    program = folder / "fit_folder"
    gsl = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "gsl"], check=True, capture_output=True, text=True)
    reference = BENCHMARKS / "CReference"
    subprocess.run(
        [os.environ.get("CC", "cc"), "-O2", "-I", reference / "include", "-o", program,
         BENCHMARKS / "FitFolder" / "fit_folder.c", reference / "cfit.c", *shlex.split(gsl.stdout)],
        check=True,
    )  # fmt: skip
    return program


def user_seconds(command: list, output: Path) -> float:
    """User CPU seconds of a command."""
    before = os.times().children_user
    with output.open("w") as file:
        subprocess.run(command, check=True, stdout=file)
    return os.times().children_user - before


def share_of_others(ours: Path, theirs: Path) -> float:
    """The share of people of whom another beta was found."""
    with ours.open() as one, theirs.open() as other:
        pairs = list(zip(csv.DictReader(one), csv.DictReader(other), strict=True))
    is_other = []
    for mine, its in pairs:
        if mine["subject"] != its["subject"]:
            sys.exit(f"{mine['subject']} stands beside {its['subject']}")
        beta, reference = float(mine["beta_g_per_kg_h"]), float(its["beta_g_per_kg_h"])
        is_other.append(not abs(beta - reference) <= SAME_BETA * reference)
    return sum(is_other) / len(is_other)


if __name__ == "__main__":
    main()
