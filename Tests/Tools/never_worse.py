#!/usr/bin/env python3
"""Whether intervals, or more starts, ever make a fit worse.

    python3 Tests/Tools/never_worse.py PROMILLE [--data FOLDER] [--subjects N] [--no-starts]

Fits every series of the studies beside the checkout, of the one that ships and of a simulated cohort with a
reading every half hour, with many sets of options (models, parameters, error models, losses, treatments
of readings below detection): with and without profile intervals, and from 8, 32 and 128 starts. Exits 1
if any fit is worse with intervals or with more starts, or is zero at every reading.

Solutions are compared by what this script works out from the residuals that the command writes: the
restricted deviance

    sum of (2 ln sigma + u^2) over readings - 2 sum of ln Phi over censored ones - 2 p ln s

(Davidian & Giltinan 1995), s the geometric mean of sigma over quantified readings. A sum of squares at the
scale of its own fit would say nothing: it is always near n - p. With a loss it is the scale first, of which
less is better, and at the same scale the loss.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from scipy.stats import norm

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ["wilkinson-1977-oral", "thierauf-emberger-2023", "hip-flask", "mumenthaler-2000-individual"]

# What two descents to one minimum may differ by: steps end below 1e-8 of the parameters, standard
# deviations settle to 1e-7.
ROUNDING = 1e-6
STARTS = ["8", "32", "128"]

LAG = "ka,beta,r,lag"
OPTIONS = [
    ["--estimate", "ka,beta"],
    ["--estimate", "ka,beta,r"],
    ["--estimate", LAG],
    ["--estimate", "ka,beta,gain"],
    ["--estimate", "ka,r,lag", "--fix", "beta=0.15"],
    ["--estimate", LAG, "--censor", "none"],
    ["--estimate", "ka,beta,r", "--lod", "0.1"],
    ["--estimate", LAG, "--lod", "0.1", "--censor", "one-sided"],
    ["--estimate", "ka,beta,r", "--lod", "0.1", "--censor", "drop"],
    ["--estimate", "ka,beta,r", "--error", "additive:0.03"],
    ["--estimate", "ka,beta,r", "--error", "proportional"],
    ["--estimate", LAG, "--error", "proportional:0.05"],
    ["--estimate", "ka,beta", "--error", "combined"],
    ["--estimate", LAG, "--error", "combined", "--lod", "0.05"],
    ["--estimate", "ka,beta,r", "--error", "combined:0.01,0.05"],
    ["--estimate", "ka,beta,r", "--error", "instrument"],
    ["--estimate", "ka,beta,r", "--loss", "soft-l1"],
    ["--estimate", LAG, "--loss", "huber"],
    ["--estimate", "ka,beta", "--loss", "cauchy", "--error", "proportional"],
    ["--estimate", "ka,beta,r", "--loss", "bisquare"],
    ["--estimate", LAG, "--loss", "bisquare", "--censor", "none"],
    ["--estimate", "ka,beta", "--loss", "bisquare", "--error", "combined"],
    ["--model", "michaelis-menten", "--estimate", "ka,vmax,km"],
    ["--model", "michaelis-menten", "--estimate", "ka,vmax,r,lag", "--fix", "km=0.05"],
]


@dataclass(frozen=True)
class Fitted:
    """What a fit came to: less is better, the scale before the measure."""

    scale: float
    measure: float
    is_empty: bool

    def is_worse_than(self, other: "Fitted") -> bool:
        """Whether it is, by more than rounding."""
        if abs(self.scale - other.scale) > ROUNDING * other.scale:
            return self.scale > other.scale
        return self.measure > other.measure + ROUNDING * max(1, abs(other.measure))


def fits(promille: str, study: str, options: list[str]) -> dict[tuple[str, str], Fitted]:
    """Every series that could be fitted."""
    with tempfile.TemporaryDirectory() as folder:
        residuals = Path(folder) / "residuals.csv"
        command = [promille, "fit", study, *options, "--details", "--format", "csv", "--quiet",
                   "--residuals", str(residuals)]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: {result.stderr}")
        readings: dict[tuple[str, str], list[dict[str, str]]] = {}
        if residuals.exists():
            with residuals.open(encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    if not row["excluded"]:
                        readings.setdefault((row["subject"], row["occasion"]), []).append(row)
    found = {}
    for row in csv.DictReader(result.stdout.splitlines()):
        key = (row["subject"], row.get("occasion") or "")
        if row["status"] != "failed":
            found[key] = fitted(row, readings[key], options)
    return found


def fitted(row: dict[str, str], readings: list[dict[str, str]], options: list[str]) -> Fitted:
    """How good a fit is."""
    is_empty = all(float(reading["predicted_g_per_kg"]) <= 0 for reading in readings)
    if "--loss" in options:
        sigmas = [log(float(r["sd_g_per_kg"])) for r in readings
                  if r["censored"] == "no" and float(r["observed_g_per_kg"]) > 0]  # fmt: skip
        scale = 1.0 if is_known(options) else exp(sum(sigmas) / len(sigmas))
        return Fitted(scale, float(row["objective"]), is_empty)
    if not readings[0]["sd_g_per_kg"]:
        return Fitted(1.0, float(row["rss"]), is_empty)
    return Fitted(1.0, restricted_deviance(readings, options), is_empty)


def is_known(options: list[str]) -> bool:
    """Whether standard deviations are given."""
    return any(":" in option or option == "instrument" for option in options)


def restricted_deviance(readings: list[dict[str, str]], options: list[str]) -> float:
    """From the residuals, without the constant n ln 2 pi."""
    deviance, logs = 0.0, []
    for reading in readings:
        sigma = float(reading["sd_g_per_kg"])
        if reading["censored"] == "yes":
            excess = float(reading["predicted_g_per_kg"]) - float(reading["limit_g_per_kg"])
            if "one-sided" not in options:
                deviance -= 2 * norm.logcdf(-excess / sigma)
            elif excess > 0:
                deviance += (excess / sigma) ** 2 + 2 * log(sigma)
            continue
        deviance += (float(reading["residual_g_per_kg"]) / sigma) ** 2 + 2 * log(sigma)
        logs.append(log(sigma))
    if is_known(options):
        return deviance
    parameters = options[options.index("--estimate") + 1].count(",") + 1
    return deviance - 2 * parameters * sum(logs) / len(logs)


def complaints(promille: str, study: str, options: list[str], with_starts: bool):
    """What got worse, one line each, after the number of fits compared."""
    plain = [*options, "--interval", "none"]
    steps = [("intervals", fits(promille, study, plain), fits(promille, study, options))]
    if with_starts:
        by_starts = [fits(promille, study, [*plain, "--starts", count]) for count in STARTS]
        for count, fewer, more in zip(STARTS[1:], by_starts, by_starts[1:]):
            steps.append((f"{count} starts", fewer, more))
    for what, before, after in steps:
        for key, fit in before.items():
            again = after.get(key)
            if again is None:
                yield f"{study} {key} {' '.join(options)}: fails with {what}"
            elif again.is_worse_than(fit):
                yield f"{study} {key} {' '.join(options)}: worse with {what}: {fit} {again}"
            if (again or fit).is_empty:
                yield f"{study} {key} {' '.join(options)}: zero at every reading with {what}"


def main() -> None:
    arguments = parsed_arguments()
    promille = arguments.promille
    failures = comparisons = 0
    with tempfile.TemporaryDirectory() as folder:
        cohort = str(Path(folder) / "cohort")
        subprocess.run(
            [promille, "simulate", "--cohort", str(arguments.subjects), "--seed", "5",
             "--readings", "12", "--every", "30", "-o", cohort], check=True,
        )  # fmt: skip
        shared = [str(arguments.data / name) for name in STUDIES if (arguments.data / name).exists()]
        for study in [str(ROOT / "datasets" / "nacar-2021"), *shared, cohort]:
            for options in OPTIONS:
                comparisons += 1
                for complaint in complaints(promille, study, options, not arguments.no_starts):
                    print(complaint, flush=True)
                    failures += 1
    print(f"{comparisons} studies and options, {failures} fits that got worse or are empty")
    sys.exit(1 if failures else 0)


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command to examine")
    parser.add_argument("--data", type=Path, default=ROOT / ".." / "shared" / "data")
    parser.add_argument("--subjects", type=int, default=60, help="of the simulated cohort")
    parser.add_argument("--no-starts", action="store_true", help="look at intervals alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
