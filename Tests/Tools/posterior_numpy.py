#!/usr/bin/env python3
"""The posterior of posteriordb's one-comp-mm-elim-abs by importance sampling in numpy, 900,000 candidates.

The reference has 10,000 draws, too few for the far ends of K_m. The curve is followed by Runge and Kutta's method;
the proposals are Student's distributions, adapted in rounds. Prints effective sample sizes and quantiles; the test
PosteriorDBTests names them. Needs ../shared/data/population. With --check it takes 100,000 candidates and compares.
"""

import json
import pathlib
import sys

import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared/data/population/one-comp-mm-elim-abs.json"
NAMES = ["k_a", "K_m", "V_m", "sigma"]
EXPECTED = {"k_a": (0.6266, 0.7554, 0.9333), "K_m": (0.0384, 0.963, 14.09), "V_m": (0.5941, 0.8960, 1.854), "sigma": (0.0927, 0.1259, 0.1851)}
NU = 5


def main():
    data = json.loads(DATA.read_text())
    times, levels = np.array(data["times"]), np.array(data["C_hat"])
    dose, volume = data["D"], data["V"]
    rng = np.random.default_rng(1)
    step = 0.025

    def log_density(theta):
        ka, km, vm, sigma = np.exp(theta).T
        level, now, total = np.zeros(len(ka)), 0.0, np.zeros(len(ka))

        def rate(t, c):
            return dose / volume * ka * np.exp(-ka * t) - vm / volume * c / (km + c)

        for time, observed in zip(times, levels):
            for _ in range(round((time - now) / step)):
                k1 = rate(now, level)
                k2 = rate(now + step / 2, level + step / 2 * k1)
                k3 = rate(now + step / 2, level + step / 2 * k2)
                k4 = rate(now + step, level + step * k3)
                level = np.maximum(level + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), 1e-12)
                now += step
            z = np.log(observed / level) / sigma
            total += -0.5 * z * z - theta[:, 3]
        return total + np.sum(theta - np.log1p(np.exp(2 * theta)), axis=1)

    proposals = [
        (np.array([-0.3, 0, -0.1, -2]), np.diag([0.04, 2, 0.25, 0.09])),
        (np.array([-0.3, 2.2, 0.5, -2.05]), np.diag([0.02, 1.2, 0.6, 0.04])),
    ]
    last = 100_000 if "--check" in sys.argv else 900_000
    for count in (20_000, 20_000, last):
        each = count // len(proposals)
        points = np.concatenate([
            mean + (rng.standard_normal((each, 4)) @ np.linalg.cholesky(cov).T)
            * np.sqrt(NU / rng.chisquare(NU, each))[:, None]
            for mean, cov in proposals
        ])
        logs = [
            -0.5 * np.linalg.slogdet(cov)[1] - (NU + 4) / 2
            * np.log1p(np.einsum("ij,jk,ik->i", points - mean, np.linalg.inv(cov), points - mean) / NU)
            for mean, cov in proposals
        ]
        weights = log_density(points) - np.logaddexp.reduce(logs, axis=0)
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        print("effective sample size", 1 / np.sum(weights**2))
        mean = weights @ points
        cov = (points - mean).T @ ((points - mean) * weights[:, None])
        proposals += [(mean, cov), (mean, 3 * cov)]
    for place, name in enumerate(NAMES):
        order = np.argsort(points[:, place])
        cumulated = np.cumsum(weights[order])
        found = [float(np.exp(points[order[np.searchsorted(cumulated, p)], place])) for p in (0.025, 0.5, 0.975)]
        print(name, found)
        if "--check" in sys.argv:
            for value, expected in zip(found, EXPECTED[name]):
                if abs(value / expected - 1) > 0.06:
                    sys.exit(f"{name} is {value}, not {expected}")


main()
