#!/usr/bin/env python3
"""Checks that a fit asks for no memory while the solver is under way, and for little around it.

    python3 Tests/Tools/allocations.py PROMILLE [--series 400]

A cohort is fitted twice, under a library that counts calls of malloc and its kin: once from a start
near the truth, to which bounds move it, and once from the usual one, which is far off, so that the
solver evaluates the model more often. All else is the same. Every iteration evaluates residuals and
derivatives: if either asked for memory, each further iteration would show at least one more call.
Half of one is allowed, for now and then a second way of solving is tried, which has memory of its own.

Then twice as many series are fitted: the difference is what a series costs on its whole way, from rows of CSV to a row
of CSV.
Needs Linux with glibc and a C compiler.
"""

import argparse
import csv
import io
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from made_up_series import R, MadeUp, made_up, write_study

TRUTH = {"ka": 1.2, "beta": 0.29}
# The usual start, k_a 6 /h and beta 0.15 g/kg/h, is moved to the bound that is next to it.
BOUNDS = {"near": ["--bound", "ka=0.001:1.3", "--bound", "beta=0.28:10"], "far": []}
ALLOWED = 0.5
ALLOWED_A_SERIES = 170
SOURCE = Path(__file__).with_name("count_allocations.c")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille")
    parser.add_argument("--series", type=int, default=400)
    options = parser.parse_args()
    if platform.system() != "Linux":
        print("calls of malloc are counted on Linux only: left out")
        return
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/count_allocations.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        os.mkdir(f"{folder}/study")
        write_study(f"{folder}/study", [made_up(i, **TRUTH) for i in range(options.series)])
        counts = {}
        for name, bounds in BOUNDS.items():
            counts[name] = allocations(options, library, folder, bounds)
            calls, iterations = counts[name]
            print(f"{name}: {iterations} iterations, {calls} calls")
        options.series *= 2
        write_study(f"{folder}/study", [made_up(i, **TRUTH) for i in range(options.series)])
        of_series = 2 * (allocations(options, library, folder, [])[0] - counts["far"][0]) / options.series
        print(f"calls for each further series: {of_series:.1f}")
    calls, iterations = (far - near for near, far in zip(counts["near"], counts["far"]))
    if 2 * iterations < options.series:
        sys.exit(f"only {iterations} iterations more: the starts are too much alike")
    print(f"calls for each further iteration: {calls / iterations:.3f}")
    if calls > ALLOWED * iterations:
        sys.exit("the solver asks for memory while it is under way")
    if of_series > ALLOWED_A_SERIES:
        sys.exit(f"a series asks for memory more than {ALLOWED_A_SERIES} times")


def allocations(
    options: argparse.Namespace, library: str, folder: str, bounds: list[str]
) -> tuple[int, int]:
    """How often memory was asked for, and the iterations of all fits."""
    result = subprocess.run(
        [options.promille, "fit", f"{folder}/study", "--r-factor", str(R), "--censor", "none",
         "--interval", "none", "--starts", "1", "--jobs", "1", "--details", "--format", "csv", "--quiet", *bounds],
        check=True, capture_output=True, text=True,
        env=os.environ | {"LD_PRELOAD": library, "ALLOCATIONS": f"{folder}/count"})  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    if len(rows) != options.series or any(row["status"] == "failed" for row in rows):
        sys.exit("not all series could be fitted")
    return int(Path(f"{folder}/count").read_text()), sum(int(row["iterations"]) for row in rows)


if __name__ == "__main__":
    main()
