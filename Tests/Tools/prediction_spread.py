#!/usr/bin/env python3
"""The 90 % intervals of predicted times to sobriety, and bands of curves, against 40,000 random draws by NumPy.

    python3 Tests/Tools/prediction_spread.py [--promille PATH]

Writes a study of men and women with one or two drinks, runs `promille sober` on it for fasted and fed people, and
computes the same intervals from the priors that ship (covariance of the logarithms of k_a, beta and the lag in a new
study, with the uncertainty of typical values) and the spread of r, with curves of its own: the sum of the
drinks' first-order inputs less beta t, from its last crossing of the threshold. Ends must agree within 5 % of the
larger of the end and an hour: 64 quasi-random points give a 5 % quantile to about a tenth of the spread.

The bands are those of `promille simulate --band`, every 15 min until nobody of the draws is left. Their ends are the
5 % and 95 % quantile of 64 points. Of random points these quantiles would have a standard error of 2.7 percentage
points; all ends must lie within 5 points (less than twice that), between the least and the 10 % quantile of the draws
and between the 90 % quantile and the greatest, give or take 0.005 g/kg for the steps of a minute here. Beside that their
mean difference from the 5 % and 95 % quantile must be below 0.015 g/kg.
"""

import csv
import io
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path

import numpy as np
import priors

from expectations import REPOSITORY

DRAWS = 40_000
TOLERANCE = 0.05
STEP_TOLERANCE, MEAN_BAND_TOLERANCE = 0.005, 0.015  # g/kg
QUANTILES = [0, 5, 10, 90, 95, 100]  # percent
EVERY = 15  # min
SPREAD = {  # of r about the method, by sex
    "widmark": (0.139, 0.122), "seidl": (0.131, 0.140),
}
PEOPLE = [  # id, sex, age, height in cm, weight in kg, drinks as (min, g)
    ("a", "male", 30, 180, 80, [(0, 40)]),
    ("b", "male", 50, 172, 95, [(0, 30), (60, 30)]),
    ("c", "female", 25, 165, 60, [(0, 35)]),
    ("d", "female", 41, 170, 72, [(0, 20), (45, 20)]),
]


def covariance(food):
    prior = priors.read(REPOSITORY / f"datasets/priors/{food}.json")
    names = ["ka", "beta", "lag"]
    total = np.zeros((3, 3))
    for level in ("between", "within", "studies"):
        for key, value in prior[level].items():
            pair = key.split(",")
            if not set(pair) <= set(names):
                continue
            i, j = names.index(pair[0]), names.index(pair[-1])
            total[i, j] = total[j, i] = total[i, j] + value
    for name, error in prior["typical_se"].items():
        if name in names:
            total[names.index(name), names.index(name)] += error**2 * prior["people"] / (prior["people"] - 3)
    return total


def times(drinks, weight, ka, beta, lag, r, threshold):
    """Times in h at which concentrations fall to the threshold for good, 0 if they are never above; and
    quantiles of the concentrations every so many minutes."""
    grid = np.arange(0, 24 * 60) / 60
    result = np.zeros(len(ka))
    marked = np.zeros((len(ka), len(grid[::EVERY])))
    for block in np.array_split(np.arange(len(ka)), 100):
        k, b, late, factor = (x[block][:, None] for x in (ka, beta, lag, r))
        # Widmark's model by Euler's exact input per minute, clamped at zero.
        step = np.zeros((len(block), len(grid)))
        for minute, grams in drinks:
            since = np.maximum(0, grid[None, :] - minute / 60 - late)
            step += grams / (factor * weight) * -np.expm1(-k * since)
        inputs = np.diff(step, axis=1, prepend=0)
        c = np.zeros(len(block))
        last = np.zeros(len(block))
        for index in range(1, len(grid)):
            before = c
            c = np.maximum(0, c + inputs[:, index] - b[:, 0] / 60)
            if index % EVERY == 0:
                marked[block, index // EVERY] = c
            falls = (before > threshold) & (c <= threshold)
            part = (before - threshold) / np.maximum(before - c, 1e-300)
            last = np.where(falls, grid[index - 1] + part / 60, last)
        result[block] = last
    return result, np.percentile(marked, QUANTILES, axis=0)


def bands(promille, folder, food):
    """The ends of the bands of the command, by subject, method and time in min."""
    run = subprocess.run(
        [
            promille, "simulate", str(folder), "--food", food, "--r-factor", "widmark,seidl", "--band",
            "--every", str(EVERY), "--quiet",
        ],
        capture_output=True, text=True, check=True,
    )
    return {
        (row["subject"], row["r_factor"], int(row["time_min"])): (
            float(row["bac_low_g_per_kg"]), float(row["bac_high_g_per_kg"])
        )
        for row in csv.DictReader(io.StringIO(run.stdout))
    }


def main():
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--promille", default=str(REPOSITORY / ".build/release/promille"))
    arguments = parser.parse_args()
    random = np.random.default_rng(11)
    worst, differences, outside = 0.0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        with open(folder / "subjects.csv", "w", encoding="utf-8") as subjects, open(
            folder / "drinks.csv", "w", encoding="utf-8"
        ) as drinks, open(folder / "readings.csv", "w", encoding="utf-8") as readings:
            subjects.write("subject,sex,age_y,height_cm,weight_kg\n")
            drinks.write("subject,time_min,ethanol_g\n")
            readings.write("subject,time_min,bac_g_per_kg\n")
            for name, sex, age, height, weight, taken in PEOPLE:
                subjects.write(f"{name},{sex},{age},{height},{weight}\n")
                drinks.writelines(f"{name},{minute},{grams}\n" for minute, grams in taken)
                readings.write(f"{name},120,0.4\n")
        for food in ("fasted", "fed"):
            run = subprocess.run(
                [
                    arguments.promille, "sober", str(folder), "--food", food, "--r-factor", "widmark,seidl",
                    "--threshold", "0.1", "--format", "csv", "--quiet",
                ],
                capture_output=True, text=True, check=True,
            )
            factor = np.linalg.cholesky(covariance(food))
            found_bands = bands(arguments.promille, folder, food)
            for row in csv.DictReader(io.StringIO(run.stdout)):
                _, sex, _, _, weight, taken = next(p for p in PEOPLE if p[0] == row["subject"])
                z = factor @ random.standard_normal((3, DRAWS))
                spread = SPREAD[row["r_factor"]][sex == "female"]
                sigma = np.sqrt(np.log1p(spread**2))
                found, ends = times(
                    taken, weight, float(row["ka_per_h"]) * np.exp(z[0]),
                    float(row["beta_g_per_kg_h"]) * np.exp(z[1]), float(row["lag_min"]) / 60 * np.exp(z[2]),
                    float(row["r"]) * np.exp(sigma * random.standard_normal(DRAWS)), 0.1,
                )
                for index, (lowest, low, low_most, high_least, high, highest) in enumerate(ends.T):
                    if index == 0 or high == 0:
                        continue
                    # Beyond the end of the band, everybody but the last 5 % is sober.
                    key = (row["subject"], row["r_factor"], EVERY * index)
                    mine = found_bands.get(key, (0.0, 0.0))
                    differences += [abs(mine[0] - low), abs(mine[1] - high)]
                    for end, least, most in ((mine[0], lowest, low_most), (mine[1], high_least, highest)):
                        if not least - STEP_TOLERANCE <= end <= most + STEP_TOLERANCE:
                            outside += 1
                            print(f"{food} {key}: {end} lies outside {least:.4f} to {most:.4f}")
                for p, column in ((5, "sober_predicted_low_min"), (95, "sober_predicted_high_min")):
                    expected = 60 * np.percentile(found, p)
                    error = abs(float(row[column]) - expected) / max(expected, 60)
                    worst = max(worst, error)
                    print(
                        f"{food:7} {row['subject']} {row['r_factor']:8} {p:3} %: "
                        f"{float(row[column]):7.1f} min, {expected:7.1f} by draws, {100 * error:.1f} %"
                    )
    print(
        f"bands: {len(differences)} ends, {outside} of them more than five points off; differences "
        f"{np.mean(differences):.4f} g/kg in the mean (tolerance {MEAN_BAND_TOLERANCE}), at most {max(differences):.4f}"
    )
    print(f"largest difference {100 * worst:.1f} % (tolerance {100 * TOLERANCE:.0f} %)")
    sys.exit(bool(worst > TOLERANCE or outside > 0 or np.mean(differences) > MEAN_BAND_TOLERANCE))


if __name__ == "__main__":
    main()
