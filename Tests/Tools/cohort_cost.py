#!/usr/bin/env python3
"""Measures what a person and a gigabyte cost `promille fit`, from a table of events to rows, by the number of people.

    python3 Tests/Tools/cohort_cost.py .build/release/promille [--most 100000]

Prints processor seconds on one thread, peak memory and the sizes of input and output, the straight line through the
times (weighted by their size, so that each counts alike) and how far the times are from it. The figures are those of the
article ACohortOnACluster.
"""

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

OPTIONS = ["--estimate", "ka,beta,r", "--quiet", "--jobs", "1"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("promille", type=Path)
    parser.add_argument("--most", type=int, default=100_000)
    arguments = parser.parse_args()
    command = str(arguments.promille.resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = [size for size in (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000) if size <= arguments.most]
        print("| people | input, MB | read, s | read and fit, s | s per 1000 people | output, MB | peak memory, MiB |")
        print("|---|---|---|---|---|---|---|")
        rows = [row(command, folder, size) for size in sizes]
    # Least squares of relative errors: time = a + b people.
    weights = [1 / seconds**2 for _, seconds, _ in rows]
    total = sum(weights)
    mean_n = sum(w * n for w, (n, _, _) in zip(weights, rows)) / total
    mean_t = sum(w * t for w, (_, t, _) in zip(weights, rows)) / total
    slope = (sum(w * (n - mean_n) * (t - mean_t) for w, (n, t, _) in zip(weights, rows))
             / sum(w * (n - mean_n) ** 2 for w, (n, _, _) in zip(weights, rows)))
    start = mean_t - slope * mean_n
    worst = max(abs(t / (start + slope * n) - 1) for n, t, _ in rows)
    megabytes = rows[-1][2] / rows[-1][0]
    print(f"\nline: {start:.3f} s + {1e3 * slope:.3f} ms a person; no time is further from it than {100 * worst:.0f} %")
    print(f"a gigabyte of events: {1000 / megabytes:.0f} people, {1000 / megabytes * slope / 60:.1f} min of a processor")
    print(f"a billion people: {1e9 * slope / 3600:.0f} hours of processors, {megabytes * 1e9 / 1e6:.1f} TB of events")


def row(command, folder, people):
    subprocess.run([command, "simulate", "--cohort", str(people), "--seed", "19", "-o", folder / "cohort"], check=True,
                   capture_output=True)
    events = folder / "events.csv"
    with events.open("wb") as out:
        subprocess.run([command, "export", folder / "cohort", "--to", "events", "--quiet"], check=True, stdout=out)
    fits = folder / "fits.csv"
    read, _ = measured(command, "fit", events, *OPTIONS, "--subjects-part", "1/1000000", "-o", folder / "none.csv")
    seconds, peak = measured(command, "fit", events, *OPTIONS, "-o", fits)
    size = events.stat().st_size / 1e6
    print(f"| {people} | {size:.1f} | {read:.2f} | {seconds:.2f} | {1e3 * seconds / people:.3f} "
          f"| {fits.stat().st_size / 1e6:.1f} | {peak:.0f} |", flush=True)
    for path in [*(folder / "cohort").iterdir()]:
        path.unlink()
    (folder / "cohort").rmdir()
    return people, seconds, size


def measured(*arguments):
    process = subprocess.Popen(list(map(str, arguments)), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), arguments
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
