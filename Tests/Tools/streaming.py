#!/usr/bin/env python3
"""Checks that the memory of `promille fit`, `sober` and `check` does not grow with the study.

    python3 Tests/Tools/streaming.py .build/release/promille [--subjects 8000] [--limit-mib 64]

Runs the command on simulated cohorts of two sizes, from a folder and through a pipe, on one and on
two threads, and compares the peaks of resident memory; also on one with a hundred times the readings of
everybody. The smaller cohort already fills the blocks in which files are read. `check` keeps a line per series and no reading. Also checks that the rows are those of a study
that is read at once.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SMALL = 2000
# Fewer people with long series, the more of them with ten times the readings in all. The series under way is held whole,
# so that these take 3 MiB more than short ones.
FEW_LONG, LONG, LONG_READINGS = 22, 202, 2500
MIB = 1024
# All that write a row before the next one is known. Curves that are given come from a folder only.
COMMANDS = [
    ["fit", "--interval", "none"],
    ["fit", "--method", "elimination-line"],
    ["fit", "--model", "all", "--starts", "1"],
    ["sober"],
    ["sober", "--predictions"],
]
# What a larger study may take more: the names of its subjects, and chance.
MOST_GROWTH_MIB = 3


def main() -> None:
    arguments = parsed_arguments()
    command = str(arguments.promille.resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = [SMALL, arguments.subjects]
        for size in sizes:
            simulate(command, folder, size)
        failures = []
        for options in COMMANDS:
            for jobs in (1, 2):
                for piped in (False, True):
                    if piped and "--predictions" in options:
                        continue
                    if "--model" in options and (piped or jobs == 1):  # It takes a minute.
                        continue
                    peaks = [peak(command, options, jobs, folder, s, piped) for s in sizes]
                    failures += judged(options, jobs, piped, sizes, peaks, arguments.limit_mib)
        failures += long_series(command, folder, arguments.limit_mib)
        failures += checks(command, folder, sizes, arguments.limit_mib)
        failures += compared(command, folder)
    if failures:
        sys.exit("\n".join(failures))


def simulate(command: str, folder: Path, size: int, readings: int = 25) -> None:
    study = folder / str(size)
    cohort = ["--cohort", str(size), "--readings", str(readings), "--seed", "1"]
    subprocess.run([command, "simulate", *cohort, "-o", study], check=True)
    subprocess.run(
        [command, "export", study, "--to", "events", "-o", folder / f"{size}.csv"], check=True
    )


def peak(
    command: str, options: list[str], jobs: int, folder: Path, size: int, piped: bool
) -> float:
    """Peak of resident memory in MiB."""
    study = "-" if piped else str(folder / str(size))
    options = options + ([f"{study}/readings.csv"] if options[-1] == "--predictions" else [])
    format = ["--format", "csv", "--quiet"] + (["--jobs", str(jobs)] if options[0] != "check" else [])
    line = [command, options[0], study, *options[1:], *format]
    source = open(folder / f"{size}.csv", "rb") if piped else subprocess.DEVNULL
    process = subprocess.Popen(line, stdin=source, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: some subjects have no result.
        sys.exit(f"{' '.join(line)} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss / MIB


def judged(
    options: list[str], jobs: int, piped: bool, sizes: list[int], peaks: list[float], limit: float
) -> list[str]:
    what = f"{' '.join(options)}, {jobs} threads, {'pipe' if piped else 'folder'}"
    print(f"{what}: " + ", ".join(f"{p:.1f} MiB for {s}" for s, p in zip(sizes, peaks)))
    failures = []
    if peaks[1] - peaks[0] > MOST_GROWTH_MIB:
        failures.append(f"{what}: memory grows by {peaks[1] - peaks[0]:.1f} MiB")
    if peaks[1] > limit:
        failures.append(f"{what}: {peaks[1]:.1f} MiB are more than {limit} MiB")
    return failures


def long_series(command: str, folder: Path, limit: float) -> list[str]:
    """Memory does not grow with long series either, but for the one under way."""
    for size in (FEW_LONG, LONG):
        simulate(command, folder, size, LONG_READINGS)
    failures = []
    for options in COMMANDS:
        if "--model" not in options:  # That would take minutes.
            peaks = [peak(command, options, 1, folder, size, False) for size in (FEW_LONG, LONG)]
            failures += judged(options, 1, False, [FEW_LONG, LONG], peaks, limit)
    return failures


def checks(command: str, folder: Path, sizes: list[int], limit: float) -> list[str]:
    """Memory grows neither with the subjects, but for a line each, nor with their readings."""
    failures = []
    for pair in (sizes, [SMALL, LONG]):
        for piped in (True, False):
            peaks = [peak(command, ["check"], 1, folder, size, piped) for size in pair]
            failures += judged(["check"], 1, piped, pair, peaks, limit)
    piped = subprocess.run(
        f"{command} check - --format csv <{folder}/{SMALL}.csv", shell=True, check=True,
        capture_output=True,
    )
    if piped.stdout != output(command, ["check", f"{folder}/{SMALL}.csv", "--format", "csv"]).stdout:
        failures.append("check of a pipe is not that of the file")
    return failures


def compared(command: str, folder: Path) -> list[str]:
    """The same rows, whether a series at a time or all at once, and whatever the order is."""
    study = folder / str(SMALL)
    options = ["--format", "csv", "--jobs", "2"]
    rows = output(command, ["sober", str(study), *options])
    failures = []
    lines = (study / "readings.csv").read_text().splitlines(keepends=True)
    (study / "readings.csv").write_text(lines[0] + "".join(reversed(lines[1:])))
    mixed = output(command, ["sober", str(study), *options])
    if mixed.stdout != rows.stdout:
        failures.append("rows depend on the order of the readings")
    if b"W_SUBJECT_ORDER" not in mixed.stderr:
        failures.append("nothing is said of the order of subjects")
    return failures


def output(command: str, line: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run([command, *line], check=True, capture_output=True)


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", type=Path)
    parser.add_argument("--subjects", type=int, default=8000)
    parser.add_argument("--limit-mib", type=float, default=64)
    return parser.parse_args()


if __name__ == "__main__":
    main()
