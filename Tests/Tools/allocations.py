#!/usr/bin/env python3
"""Checks that a fit asks for no memory while the solver is under way.

    python3 Tests/Tools/allocations.py PROMILLE [--series 400]

Two cohorts are fitted from one start each, under a library that counts calls of malloc and its kin.
They are alike in size, drinks and errors, but in one the start is the truth and in the other it is
far off, so that the solver evaluates the model far more often. Every iteration evaluates residuals and
derivatives: if either asked for memory, each further iteration would show at least one more call. Half
of one is allowed, for the cohorts also differ in warnings, in digits that are written and in how often
a second way of solving is tried. Needs Linux with glibc and a C compiler.
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

NEAR = {"ka": 6.0, "beta": 0.15}
FAR = {"ka": 1.2, "beta": 0.19}
ALLOWED = 0.5
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
        counts = {}
        for name, truth in (("near", NEAR), ("far", FAR)):
            series = [made_up(index, **truth) for index in range(options.series)]
            counts[name] = allocations(options.promille, library, f"{folder}/{name}", series)
            calls, iterations = counts[name]
            print(f"{name}: {iterations} iterations, {calls} calls")
    calls, iterations = (far - near for near, far in zip(counts["near"], counts["far"]))
    if iterations < options.series:
        sys.exit(f"only {iterations} iterations more: the cohorts are too much alike")
    print(f"calls for each further iteration: {calls / iterations:.3f}")
    if calls > ALLOWED * iterations:
        sys.exit("the solver asks for memory while it is under way")


def allocations(promille: str, library: str, folder: str, series: list[MadeUp]) -> tuple[int, int]:
    """How often memory was asked for, and the iterations of all fits."""
    os.mkdir(folder)
    write_study(folder, series)
    result = subprocess.run(
        [promille, "fit", folder, "--r-factor", str(R), "--censor", "none", "--interval", "none",
         "--starts", "1", "--jobs", "1", "--format", "csv", "--quiet"],
        check=True, capture_output=True, text=True,
        env=os.environ | {"LD_PRELOAD": library, "ALLOCATIONS": f"{folder}/count"})  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    if len(rows) != len(series) or any(row["status"] != "ok" for row in rows):
        sys.exit("not all series could be fitted")
    return int(Path(f"{folder}/count").read_text()), sum(int(row["iterations"]) for row in rows)


if __name__ == "__main__":
    main()
