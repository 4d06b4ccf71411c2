#!/usr/bin/env python3
"""How many people an effect needs, beside `promille design --people PARAMETER=COVARIATE:PERCENT`.

    design_people.py PROMILLE

Women's beta is 15 % higher than men's. People are drawn from the fasted prior, as people and their occasions differ
and not as studies do, with the drinks and sexes of datasets/made-up-24. Their readings are fitted without and with the
effect by maximum likelihood: each person's curve is linearised at the mode of the parameters (FOCE; Lindstrom & Bates
1990, Biometrics 46, 673), and the linear mixed model is fitted by EM. Power is counted: the share of studies in which
-2 ln L falls by more than 3.84. Fails if the intervals of both numbers do not meet, or if the power with the command's
number is not 80 %, give or take 10. Takes two minutes.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys

import numpy as np
from scipy.special import log_ndtr

from priors import curve, read

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDY = ROOT / "datasets" / "made-up-24"
MINUTES = [15, 30, 60, 120, 180, 240]
FACTOR = 1.15
SD = 0.02
# 0.02 mg/L of breath.
LIMIT = 0.02 * 2.1 / 1.055
NAMES = ["ka", "beta", "r", "lag"]


def drinks():
    """(woman, doses as (start h, duration h, g/kg)) of each series."""
    def table(name):
        with open(STUDY / name, newline="") as file:
            return list(csv.DictReader(file))

    people = {row["subject"]: row for row in table("subjects.csv")}
    series = {}
    for row in table("drinks.csv"):
        series.setdefault((row["subject"], row["occasion"]), []).append((
            float(row["time_min"]) / 60, float(row["duration_min"]) / 60,
            float(row["ethanol_g"]) / float(people[row["subject"]]["weight_kg"])))
    return [(people[key[0]]["sex"] == "female", doses) for key, doses in series.items()]


def population():
    """Means (men, women) and covariance of ln k_a, ln beta, ln r and ln lag of people on one occasion."""
    own = read(ROOT / "datasets" / "priors" / "fasted.json")
    covariance = np.zeros((4, 4))
    for part in ("between", "within"):
        for key, value in own[part].items():
            i, j = (NAMES.index(name) for name in (key.split(",") * 2)[:2])
            covariance[i, j] += value
            covariance[j, i] = covariance[i, j]
    mean = np.log([own["typical"][name] / (60 if name == "lag" else 1) for name in NAMES])
    # The effect takes the place of the prior's own of sex on beta.
    women = mean + [0, math.log(FACTOR), own["covariates"]["r,sex"]["coefficient"], 0]
    return mean, women, covariance


def linearised(doses, truth, center, spread, lag, random):
    """Information and information times estimate of ln k_a, ln beta and ln r of people who drink the same."""
    times = np.array(MINUTES) / 60
    shown = curve(doses, times, *np.exp(truth.T)) + SD * random.standard_normal((len(truth), len(times)))
    hidden = shown < LIMIT

    def residuals(x):
        predicted = curve(doses, times, *np.exp(x.T), np.full(len(x), lag))
        below = np.sqrt(-2 * log_ndtr((LIMIT - predicted) / SD))
        return np.where(hidden, below, (predicted - shown) / SD)

    def derivatives(x):
        return np.stack([
            (residuals(x + 1e-4 * step) - residuals(x - 1e-4 * step)) / 2e-4 for step in np.eye(3)], -1)

    x, precision, damping = center.copy(), np.diag(1 / spread), np.ones(len(center))

    def total(x):
        return (residuals(x)**2).sum(1) + ((x - center)**2 / spread).sum(1)

    value = total(x)
    for _ in range(60):
        rows, own = residuals(x), derivatives(x)
        matrix = np.einsum("nki,nkj->nij", own, own) + precision
        gradient = np.einsum("nki,nk->ni", own, rows) + (x - center) / spread
        diagonal = np.einsum("nii->ni", matrix)[:, :, None] * np.eye(3)
        step = np.linalg.solve(matrix + damping[:, None, None] * diagonal, gradient[..., None])[..., 0]
        tried = x - np.clip(step, -1, 1)
        lower = total(tried)
        better = lower < value
        x, value = np.where(better[:, None], tried, x), np.where(better, lower, value)
        damping = np.where(better, damping / 5, np.minimum(damping * 4, 1e6))
    rows, own = residuals(x), derivatives(x)
    information = np.einsum("nki,nkj->nij", own, own)
    right = np.einsum("nij,nj->ni", information, x) - np.einsum("nki,nk->ni", own, rows)
    return information, right


def people(count, random):
    """The linearised likelihoods of people, and who is a woman."""
    series = drinks()
    men, women, covariance = population()
    # As the command takes them: evenly from the list.
    which = (np.arange(count) * 0.618033988749895 % 1 * len(series)).astype(int)
    truth = random.multivariate_normal(np.zeros(4), covariance, count)
    female = np.array([series[index][0] for index in which])
    center = np.where(female[:, None], women, men)
    information, right = np.empty((count, 3, 3)), np.empty((count, 3))
    for index, (_, doses) in enumerate(series):
        own = which == index
        information[own], right[own] = linearised(
            doses, (center + truth)[own], center[own, :3], np.diag(covariance)[:3], math.exp(men[3]), random)
    return information, right, female


def deviances(information, right, female, has_effect, covariance, rounds=400):
    """-2 ln L of studies (studies, people, ...) at the maximum, but for what all models share."""
    design = np.zeros(female.shape + (3, 4))
    design[..., :3] = np.eye(3)
    design[..., 1, 3] = female * has_effect
    design = design[..., :4 if has_effect else 3]
    # As in the command, the fitted covariance of people is diagonal.
    spread = np.broadcast_to(np.diag(np.diag(covariance)), (len(female), 3, 3))
    for _ in range(rounds):
        inverse = np.linalg.inv(spread)[:, None]
        posterior = np.linalg.inv(information + inverse)
        weight = information - information @ posterior @ information
        seen = right - np.einsum("snij,snjk,snk->sni", information, posterior, right)
        left = np.einsum("snki,snkl,snlj->sij", design, weight, design, optimize=True)
        effects = np.linalg.solve(left, np.einsum("snki,snk->si", design, seen)[..., None])[..., 0]
        mean = np.einsum("snki,si->snk", design, effects)
        rest = right - np.einsum("snij,snj->sni", information, mean)
        shift = np.einsum("snij,snj->sni", posterior, rest)
        value = (
            np.linalg.slogdet(spread)[1] * female.shape[1] + np.linalg.slogdet(information + inverse)[1].sum(1)
            + np.einsum("sni,snij,snj->s", mean, information, mean) - 2 * np.einsum("sni,sni->s", mean, right)
            - np.einsum("sni,sni->s", rest, shift))
        spread = (posterior + shift[..., :, None] * shift[..., None, :]).mean(1) * np.eye(3)
    return value


def falls(size, studies, random):
    """The fall of -2 ln L by the effect in studies of a size."""
    information, right, female = (
        values.reshape((studies, size) + values.shape[1:]) for values in people(size * studies, random))
    covariance = population()[2][:3, :3]
    without, with_effect = (
        deviances(information, right, female, has_effect, covariance) for has_effect in (False, True))
    return without - with_effect


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("promille")
    options = parser.parse_args()
    run = subprocess.run(
        [options.promille, "design", str(STUDY), "--prior", "fasted", "--people", "beta=sex:15", "--readings",
         ",".join(map(str, MINUTES)), "--format", "json", "-q"], check=True, capture_output=True, text=True)
    need = json.loads(run.stdout)["people_needed"][0]
    print(f"the command: {need['people']} ({need['people_low']}-{need['people_high']}) people")
    random = np.random.default_rng(1)
    fall = np.concatenate([falls(need["people"], 100, random) for _ in range(4)])
    # The mean fall is the noncentrality plus one; 80 % power has a noncentrality of 7.85.
    noncentrality, error = fall.mean() - 1, 1.96 * fall.std() / math.sqrt(len(fall))
    fewest, most = (need["people"] * 7.849 / (noncentrality + side * error) for side in (1, -1))
    print(f"simulated: {need['people'] * 7.849 / noncentrality:.0f} ({fewest:.0f}-{most:.0f}) people")
    power = (fall > 3.841).mean()
    print(f"power with {need['people']}: {100 * power:.0f} %")
    sys.exit(bool(most < need["people_low"] or need["people_high"] < fewest or abs(power - 0.8) > 0.1))


if __name__ == "__main__":
    main()
