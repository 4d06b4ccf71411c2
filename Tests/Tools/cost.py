#!/usr/bin/env python3
"""What reading, fitting and writing cost against the number of subjects, as a table and a picture.

    python3 Tests/Tools/cost.py PROMILLE [--most N] [--write FILE.svg]

Simulates cohorts from 10 to N subjects with 25 readings each, fits k_a and beta of everybody from one
start, and prints seconds and memory. Exits 1 unless the cost is linear: between the two largest cohorts
the time a subject takes changes by less than a third. With --write gnuplot draws the picture.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

READINGS = 25


def main() -> None:
    arguments = parsed_arguments()
    rows = []
    count = 10
    while count <= arguments.most:
        rows.append((count, *cost(arguments.promille, count)))
        print(f"{count:>8} subjects  {rows[-1][1]:8.2f} s  {rows[-1][2]:6.0f} MiB at most so far")
        count *= 10
    if arguments.write:
        draw(rows, arguments.write)
    per_subject = [seconds / count for count, seconds, _ in rows]
    change = per_subject[-1] / per_subject[-2]
    print(f"a subject costs {change:.2f} times as much at the largest size as at the one before")
    sys.exit(0 if 2 / 3 < change < 3 / 2 else 1)


def cost(promille: str, count: int) -> tuple[float, float]:
    """Seconds on one core, and the largest memory of any fit so far in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "cohort"
        subprocess.run(
            [promille, "simulate", "--cohort", str(count), "--seed", "1", "--readings",
             str(READINGS), "-o", study],
            check=True, capture_output=True,
        )  # fmt: skip
        command = [promille, "fit", study, "--r-factor", "0.68", "--starts", "1", "--interval", "none",
                   "--jobs", "1", "--format", "csv", "--quiet", "-o", Path(folder) / "fits.csv"]  # fmt: skip
        start = time.perf_counter()
        status = subprocess.run(command, check=False, capture_output=True).returncode
        seconds = time.perf_counter() - start
        if status not in (0, 1):
            sys.exit(f"fit of {count} subjects ended with {status}")
        return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def draw(rows: list[tuple[int, float, float]], path: Path) -> None:
    data = "\n".join(f"{count} {seconds}" for count, seconds, _ in rows)
    slope = rows[-1][1] / rows[-1][0]
    script = f"""
set terminal svg size 640,400 font 'sans-serif,14' background '#ffffff'
set output '{path}'
set logscale xy
set xlabel 'subjects, {READINGS} readings each'
set ylabel 'seconds on one core'
set border 3
set tics nomirror
set grid lc rgb '#d0d0d0'
set key left top
$cost << EOD
{data}
EOD
plot {slope} * x with lines dt 2 lc rgb '#7f7f7f' title 'proportional', \\
  $cost using 1:2 with linespoints pt 7 lc rgb '#0072b2' title 'promille fit'
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command to measure")
    parser.add_argument("--most", type=int, default=100_000, help="the largest cohort")
    parser.add_argument("--write", type=Path, help="draw the picture into this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
