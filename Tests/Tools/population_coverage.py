#!/usr/bin/env python3
"""Population fits of made-up people: how far off estimates are, and how often intervals hold the truth.

    python3 Tests/Tools/population_coverage.py PROMILLE [--studies N] [--quadrature N] [--people N,N] [--write] [--check]
    python3 Tests/Tools/population_coverage.py PROMILLE --nested N | --ranking N [--write] [--check]

Each study has 4 to 48 people with Widmark's model, who drink 0.5 to 0.9 g/kg at once and blow eight times within
six hours; some are sober before. The logarithms of k_a, beta and r differ independently. The error is additive, the
display has steps of 0.01 g/kg and shows 0 below the limit of detection, 0.02 g/kg. For a table,
Tests/Expectations/population-coverage.csv, every study is fitted by FOCE with interaction, and the first N of the
studies by adaptive Gauss-Hermite quadrature with 5 nodes as well, which has no kinks to fear where the curve
reaches zero; `focei-same` are the fits by FOCE with interaction of these same studies.

`coverage` is that of the 95 % intervals that are printed. Beside it stands what standard errors from the curvature and
normal quantiles would give (`coverage_normal`), and those from the sandwich. A fit counts if its search ended in a
minimum, and a spread at zero has no standard error but an interval. `at_zero` counts these.

--nested N makes N studies each of 3 studies of 8 people and of 6 of 6 pooled into one, between which ln beta has an SD
of 0.2, and fits them with a study level; `study_beta` is that SD.

--check compares with the table: with fewer studies every bias must be within 4 of its standard errors of what is there,
and every coverage within 4 of those of a binomial. It also asks that intervals of typical values and spreads hold the
truth in 92 to 98 % of all studies in the table. --write replaces what was run and keeps the rest; with --studies 0 only
the methods are held against each other.

--ranking N makes N studies each of 8, 24 and 48 men instead, whose r is that of Seidl's formula or of Widmark's times
exp(eta) with an SD of 10 %, and ranks the five methods for r by likelihood. Its table is population-ranking.csv: how
often the true method came first, how often it was not called worse than the first, how many were not, and in how many
percent of resampled people the first came first.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

TABLE = Path(__file__).parent.parent / "Expectations" / "population-coverage.csv"
RANKING = TABLE.with_name("population-ranking.csv")
TYPICAL = {"ka": 3.0, "beta": 0.15, "r": 0.65}
SPREAD = {"ka": 0.4, "beta": 0.2, "r": 0.12}
SD = 0.03
TIMES_H = np.array([0.33, 0.67, 1.0, 1.75, 2.5, 3.5, 4.75, 6.0])
STEP = 0.01
LOD = 0.02
NORMAL = 1.959964
# Between which percentages 95 % intervals are to hold the truth in 500 studies, three standard errors of a coverage.
LEAST, MOST = 92, 98


METHODS = {
    "widmark": lambda age, height, weight: 0.68,
    "seidl": lambda age, height, weight: 0.31608 - 0.004821 * weight + 0.4632 * height,
}
METHOD_SPREAD = 0.1
STUDY_SPREAD = 0.2
NESTED = ((3, 8), (6, 6))


def write_study(folder: Path, people: int, seed: int, method: str | None = None, studies: int = 0) -> None:
    """A study; with a method for r, one of men with body measures; or several, pooled."""
    random = np.random.default_rng([seed, people] + ([len(method)] if method else []))
    shifts = STUDY_SPREAD * random.standard_normal(studies)
    subjects = ["subject" + (",sex,age_y,height_cm,weight_kg" if method else "") + (",study" if studies else "")]
    drinks, readings = ["subject,time_min,ethanol_g_per_kg"], ["subject,time_min,bac_g_per_kg,lod"]
    for person in range(people):
        ka, beta, r = (TYPICAL[name] * np.exp(SPREAD[name] * random.standard_normal()) for name in TYPICAL)
        measures = f",{person % studies}" if studies else ""
        if studies:
            beta *= np.exp(shifts[person % studies])
        if method:
            age, height = random.uniform(20, 60), random.normal(1.8, 0.07)
            weight = max(55, random.normal(24.5, 3) * height**2)
            r = METHODS[method](age, height, weight) * np.exp(METHOD_SPREAD * random.standard_normal())
            measures = f",male,{age:.1f},{100 * height:.1f},{weight:.1f}"
        dose = random.uniform(0.5, 0.9)
        times = TIMES_H + random.uniform(-0.08, 0.08, len(TIMES_H))
        curve = np.maximum(0, dose / r * (1 - np.exp(-ka * times)) - beta * times)
        shown = STEP * np.round((curve + SD * random.standard_normal(len(times))) / STEP)
        shown = np.where(shown < LOD, 0, shown)
        subjects.append(f"{person}{measures}")
        drinks.append(f"{person},0,{dose:.6f}")
        readings += [f"{person},{60 * t:.3f},{c:.2f},{LOD}" for t, c in zip(times, shown)]
    for name, lines in (("subjects", subjects), ("drinks", drinks), ("readings", readings)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def population(promille: str, folder: Path, *options: str) -> dict:
    result = subprocess.run(
        [promille, "population", folder, "--starts", "1", "--jobs", "1", *options, "--quiet", "--format", "json"],
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    if result.returncode not in (0, 1):
        sys.exit(f"a fit ended with {result.returncode}: {result.stderr}")
    return json.loads(result.stdout)


def fit(promille: str, folder: Path, method: str, *options: str) -> dict | None:
    nodes = ["--nodes", "5"] if method == "quadrature" else []
    document = population(promille, folder, "--method", method, *nodes, *options)
    return document if document["population"][0]["status"] != "not-converged" else None


class Estimate(NamedTuple):
    """The logarithm of an estimate, its standard errors from the curvature and the sandwich, and its interval."""

    value: float
    error: float | None
    robust: float | None
    low: float | None
    high: float | None


def estimates(document: dict) -> dict[str, Estimate]:
    def logarithm(value: float | None) -> float | None:
        return None if value is None else np.log(value) if value > 0 else -np.inf

    found = {}
    for row in document["typical"]:
        errors = [None if row[key] is None else row[key] / 100 for key in ("rse_pct", "robust_rse_pct")]
        found[row["parameter"]] = Estimate(
            np.log(row["value"]), *errors, logarithm(row["low"]), logarithm(row["high"]))  # fmt: skip
    for kind, row in [("sd_", row) for row in document["between"]] + [("study_", row) for row in document["studies"]]:
        variance = row["covariance" if kind == "sd_" else "variance"]
        errors = [None if row.get(key) is None else row[key] / (2 * variance) for key in ("se", "robust_se")]
        ends = [logarithm(row[key]) for key in ("low", "high")]
        found[kind + row["parameter"]] = Estimate(
            np.log(variance) / 2, *errors, *(None if end is None else end / 2 for end in ends))  # fmt: skip
    for row in document["residual"]:
        error = None if row["rse_pct"] is None else row["rse_pct"] / 100
        found["error_" + row["error"]] = Estimate(np.log(row["value"]), error, None, None, None)
    return found


TRUTH = (
    {name: np.log(value) for name, value in TYPICAL.items()}
    | {"sd_" + name: np.log(value) for name, value in SPREAD.items()}
    | {"error_sd": np.log(SD), "study_beta": np.log(STUDY_SPREAD)}
)


def summary(people: int, method: str, fits: list[dict | None]) -> list[dict]:
    all_found = [estimates(one) for one in fits if one is not None]
    rows = []
    for name, truth in TRUTH.items():
        all_of_it = [found[name] for found in all_found if name in found]
        if not all_of_it:
            continue
        ratios = np.exp(np.array([one.value for one in all_of_it]) - truth)

        def percent(held: list[bool]) -> float | str:
            return f"{100 * np.mean(held):.1f}" if held else ""

        def normal(errors: list[float | None]) -> float | str:
            pairs = [(one, error) for one, error in zip(all_of_it, errors) if error is not None]
            return percent([abs(one.value - truth) <= NORMAL * error for one, error in pairs])

        rows.append({
            "people": people, "method": method, "studies": len(fits), "not_converged": len(fits) - len(all_found),
            "parameter": name, "bias_percent": f"{100 * (ratios.mean() - 1):.2f}",
            "bias_se": f"{100 * ratios.std(ddof=1) / np.sqrt(len(ratios)):.2f}",
            "median_bias_percent": f"{100 * (np.median(ratios) - 1):.2f}",
            "at_zero": sum(one.value < np.log(1e-3) for one in all_of_it),
            "without_interval": sum(one.low is None for one in all_of_it),
            "coverage": percent([one.low <= truth <= one.high for one in all_of_it if one.low is not None]),
            "coverage_normal": normal([one.error for one in all_of_it]),
            "coverage_sandwich": normal([one.robust for one in all_of_it]),
        })  # fmt: skip
    return rows


def simulate(options: argparse.Namespace, people: int) -> list[dict]:
    fits: dict[str, list] = {"focei": [], "quadrature": [], "focei-same": []}
    for seed in range(max(options.studies, options.quadrature)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_study(folder, people, seed)
            found = fit(options.promille, folder, "focei")
            if seed < options.studies:
                fits["focei"].append(found)
            if seed < options.quadrature:
                fits["quadrature"].append(fit(options.promille, folder, "quadrature"))
                fits["focei-same"].append(found)
    return [row for method, some in fits.items() if some for row in summary(people, method, some)]


def nest(options: argparse.Namespace, studies: int, members: int) -> list[dict]:
    fits = []
    for seed in range(options.nested):
        with tempfile.TemporaryDirectory() as name:
            write_study(Path(name), studies * members, seed, studies=studies)
            fits.append(fit(options.promille, Path(name), "focei", "--study-level", "beta", "--study-column", "study"))
    return summary(studies * members, f"{studies}-studies", fits)


def rank(options: argparse.Namespace, people: int, truth: str) -> dict:
    first, kept, shares = [], [], []
    for seed in range(options.ranking):
        with tempfile.TemporaryDirectory() as name:
            write_study(Path(name), people, seed, truth)
            fits = population(options.promille, Path(name), "--r-factor", "widmark,watson,forrest,seidl,ulrich")
        best = min(fits["population"], key=lambda one: one["aic"])
        first.append(best["r_factor"] == truth)
        kept.append([one["r_factor"] for one in fits["population"] if one["standing"] != "worse"])
        shares.append(best["first_pct"])
    return {
        "people": people, "truth": truth, "studies": options.ranking, "true_first": sum(first),
        "true_not_worse": sum(truth in names for names in kept),
        "mean_not_worse": f"{np.mean([len(names) for names in kept]):.2f}",
        "mean_first_pct": f"{np.mean(shares):.1f}",
    }  # fmt: skip


def ranking(options: argparse.Namespace) -> None:
    """Ranks methods for r; 95 % of all studies must keep the true one, less two standard errors."""
    rows = [rank(options, people, truth) for people in (8, 24, 48) for truth in METHODS]
    for row in rows:
        print(" ".join(f"{value:>14}" for value in row.values()))
    if options.write:
        with RANKING.open("w") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    kept, all_of_them = sum(row["true_not_worse"] for row in rows), options.ranking * len(rows)
    if options.check and kept < 0.95 * all_of_them - 2 * np.sqrt(0.95 * 0.05 * all_of_them):
        sys.exit(f"the true method was called worse than the first in {all_of_them - kept} of {all_of_them} studies")


def write(rows: list[dict]) -> None:
    """Puts rows in the place of those of the same size and method."""
    def kind(row: dict) -> tuple[int, str]:
        return int(row["people"]), row["method"]

    kept = list(csv.DictReader(TABLE.open())) if TABLE.exists() else []
    new = {kind(row) for row in rows}
    everything = sorted([row for row in kept if kind(row) not in new] + rows, key=kind)
    with TABLE.open("w") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(everything)


def failures(rows: list[dict]) -> list[str]:
    with TABLE.open() as file:
        kept = {(row["people"], row["method"], row["parameter"]): row for row in csv.DictReader(file)}
    wrong = []
    for row in rows:
        key = (str(row["people"]), row["method"], row["parameter"])
        if key not in kept or not row["method"].endswith(("focei", "studies")):
            continue
        old = kept[key]
        slack = 4 * np.hypot(float(row["bias_se"]), float(old["bias_se"]))
        if abs(float(row["bias_percent"]) - float(old["bias_percent"])) > slack:
            wrong.append(f"{key}: bias {row['bias_percent']} %, {old['bias_percent']} in the table")
        for column in ("coverage", "coverage_normal", "coverage_sandwich"):
            if not row[column] or not old[column]:
                continue
            share = float(old[column]) / 100
            error = 100 * np.sqrt(max(share * (1 - share), 0.01) / row["studies"])
            if abs(float(row[column]) - float(old[column])) > 4 * error:
                wrong.append(f"{key}: {column} {row[column]} %, {old[column]} in the table")
    return wrong


def poor(rows: list[dict]) -> list[str]:
    """Intervals that do not hold what they promise."""
    return [
        f"{row['people']} people, {row['parameter']}: 95 % intervals hold {row['coverage']} %"
        for row in rows
        if row["coverage"] and (
            row["method"] == "focei" and not LEAST <= float(row["coverage"]) <= MOST
            or row["method"].endswith("studies") and float(row["coverage"]) < LEAST
        )
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille")
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--quadrature", type=int, default=0)
    parser.add_argument("--people", default="4,8,12,24,48")
    parser.add_argument("--ranking", type=int, default=0)
    parser.add_argument("--nested", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.ranking:
        return ranking(options)
    if options.nested:
        rows = [row for one in NESTED for row in nest(options, *one)]
    else:
        rows = [row for people in options.people.split(",") for row in simulate(options, int(people))]
    for row in rows:
        print(" ".join(f"{value:>12}" for value in row.values()))
    if options.write:
        write(rows)
    if options.check:
        for failure in (wrong := failures(rows) + poor(list(csv.DictReader(TABLE.open())))):
            print(failure, file=sys.stderr)
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
