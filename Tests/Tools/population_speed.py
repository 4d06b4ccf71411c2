#!/usr/bin/env python3
"""Speed of population fits beside R's nlme on the same people in one run, and what they cost by their number.

    python3 Tests/Tools/population_speed.py PROMILLE [--data FOLDER] [--rounds 5] [--most 10000] [--at-most 0.3]

warfarin (10 people, 110 readings; not in this repository, read from ../shared/data, skipped if absent): the whole
command with its three starts, standard errors and JSON, and nlme with the same parameters in a process of R
whose start is not counted. Both on one core; seconds of the processor, which do not grow with what else runs, medians of
rounds that alternate. nlme has an additive error on logarithms, which is nearly
the proportional error of the command, one start, and its own gradients.

Then 100, 1000 ... made-up people by one start on one core: seconds in all, for each person and for each person and step
of the search, and the largest memory. exits 1 if warfarin takes more than --at-most seconds.
"""

import argparse
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from population_coverage import write_study

R = """
suppressMessages(library(nlme))
d <- read.csv("readings.csv"); d$t <- d$time_min / 60; d$y <- log(d$bac_g_per_kg)
curve <- deriv(
  ~ log(10 * exp(lka) / (exp(lka) - exp(lcl - lr)) * (exp(-exp(lcl - lr) * t) - exp(-exp(lka) * t)) / exp(lr)),
  c("lka", "lr", "lcl"), function(t, lka, lr, lcl) NULL)
seconds <- system.time(fit <- nlme(
  y ~ curve(t, lka, lr, lcl), data = d, fixed = lka + lr + lcl ~ 1, random = pdDiag(lka + lr + lcl ~ 1),
  groups = ~ subject, start = c(lka = 0, lr = log(0.8), lcl = log(0.01)), method = "ML"))
cat(seconds[["user.self"]] + seconds[["sys.self"]], fixef(fit), "\\n")
"""


def write_warfarin(source: Path, folder: Path) -> None:
    """100 units to each, for a weight of 10, so that a volume of 7.7 is an r of 0.77."""
    with source.open() as file:
        rows = list(csv.DictReader(file))
    people = list(dict.fromkeys(row["ID"] for row in rows))
    (folder / "subjects.csv").write_text("subject\n" + "".join(f"{one}\n" for one in people))
    (folder / "drinks.csv").write_text(
        "subject,time_min,ethanol_g_per_kg\n"
        + "".join(f"{row['ID']},0,{float(row['AMT']) / 10}\n" for row in rows if row["EVID"] == "1"))
    (folder / "readings.csv").write_text(
        "subject,time_min,bac_g_per_kg\n"
        + "".join(
            f"{row['ID']},{60 * float(row['TIME'])},{row['DV']}\n" for row in rows if row["MDV"] == "0"))


def timed(command: list) -> tuple[float, dict, float]:
    """Seconds of the processor, what was printed, and the largest memory of the process in MiB."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            sys.exit(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, json.load(output), usage.ru_maxrss / 1024


def warfarin(options: argparse.Namespace) -> bool:
    source = options.data / "population" / "warfarin.csv"
    if not source.exists():
        print(f"{source} is absent: warfarin is left out")
        return True
    own, peer = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_warfarin(source, folder)
        for _ in range(options.rounds):
            seconds, result, _ = timed(
                [options.promille, "population", folder, "--model", "first-order", "--random", "ka,r,cl",
                 "--error", "proportional", "--jobs", "1", "--quiet", "--format", "json"])  # fmt: skip
            own.append(seconds)
            if shutil.which("Rscript"):
                printed = subprocess.run(
                    ["Rscript", "-e", R], cwd=folder, capture_output=True, check=True, text=True).stdout
                peer.append(float(printed.split()[0]))
    row = result["population"][0]
    print(f"warfarin: promille {statistics.median(own):.3f} s, OFV {row['ofv']:.6f}, {row['status']}")
    if peer:
        print(f"warfarin: nlme     {statistics.median(peer):.3f} s without the start of R; "
              f"nlme / promille {statistics.median(peer) / statistics.median(own):.1f}")
    return statistics.median(own) <= options.at_most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille")
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / ".." / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, default=10_000)
    parser.add_argument("--at-most", type=float, default=0.3)
    options = parser.parse_args()
    is_fast = warfarin(options)
    people = 100
    while people <= options.most:
        with tempfile.TemporaryDirectory() as name:
            write_study(Path(name), people, 1)
            seconds, result, memory = timed(
                [options.promille, "population", name, "--starts", "1", "--jobs", "1", "--quiet", "--format", "json"])
        row = result["population"][0]
        print(f"{people:>7} people {seconds:8.2f} s {row['iterations']:>4} steps {1e6 * seconds / people:8.0f} us a person "
              f"{1e6 * seconds / people / max(1, row['iterations']):8.0f} us a person and step {memory:8.0f} MiB "
              f"{1024 * memory / people:7.1f} KiB a person, {row['status']}")
        people *= 10
    sys.exit(0 if is_fast else 1)


if __name__ == "__main__":
    main()
