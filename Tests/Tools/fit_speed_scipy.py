#!/usr/bin/env python3
"""Speed of promille's fits beside SciPy's curve_fit and lmfit, on the same series in one run.

    fit_speed_scipy.py PROMILLE [--series 200] [--rounds 5] [--at-least 150] [--default-at-least 5]

All fit k_a and beta to the made-up series of `promille bench`, from k_a 6 /h and beta 0.15 g/kg/h,
with covariance. The peers get the closed form in NumPy arrays with all that does not depend on the
parameters worked out beforehand, and difference quotients for derivatives, as is usual. promille's
rates are its own, from `promille bench`: fit_kernel is its solver on the model, which is what the
peers do; fit_one_start and those below it are all that `promille fit` tells of a series, and
fit_with_profile is what it does by default: eight starts, and profile intervals. The median round
counts, promille's just before and just after being averaged.

exits 1 if fit_kernel, or the default fit, is not at least so many times as fast as curve_fit, or if
promille and curve_fit disagree.
"""

import argparse
import csv
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.optimize import curve_fit

from made_up_series import R, Curve, MadeUp, made_up, write_study

START = (6.0, 0.15)
# Relative: sums of squares closer than this are those of one minimum, in which the parameters then
# agree to a hundredth of their standard errors, which are a tenth of them at most.
SAME_RSS = 1e-6
SAME_PARAMETER = 1e-3


def fit_scipy(one: MadeUp) -> tuple[float, float]:
    curve = Curve(one.starts_min / 60, one.doses, one.times_min / 60)
    (ka, beta), _ = curve_fit(curve, one.times_min, one.readings, p0=START)
    return ka, beta


def fit_lmfit(one: MadeUp) -> tuple[float, float]:
    curve = Curve(one.starts_min / 60, one.doses, one.times_min / 60)

    def residuals(parameters):
        return curve(None, parameters["ka"].value, parameters["beta"].value) - one.readings

    parameters = lmfit.Parameters()
    parameters.add("ka", START[0])
    parameters.add("beta", START[1])
    result = lmfit.minimize(residuals, parameters)
    return result.params["ka"].value, result.params["beta"].value


PEERS = {"scipy": fit_scipy}
try:
    import lmfit

    PEERS["lmfit"] = fit_lmfit
except ImportError:
    print("lmfit is not installed and left out")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille")
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--at-least", type=float, default=150)
    parser.add_argument("--default-at-least", type=float, default=5)
    options = parser.parse_args()
    series = [made_up(index) for index in range(options.series)]
    before = bench(options.promille)
    peers = {name: rate(fit, series, options.rounds) for name, fit in PEERS.items()}
    after = bench(options.promille)
    for name, speed in peers.items():
        print(f"{name:20} {speed:10.0f} fits/s")
    ours = {name: (before[name] + after[name]) / 2 for name in before}
    for name, speed in ours.items():
        ratios = ", ".join(f"{speed / peer:.3g} x {other}" for other, peer in peers.items())
        print(f"{name:20} {speed:10.0f} fits/s: {ratios}")
    failures = disagreements(options.promille, series)
    bars = {"fit_kernel": options.at_least, "fit_with_profile": options.default_at_least}
    for work, bar in bars.items():
        if ours[work] < bar * peers["scipy"]:
            failures.append(f"{work} is not {bar:g} times as fast as curve_fit")
    sys.exit("\n".join(failures) or None)


def bench(promille: str) -> dict[str, float]:
    """Fits a second by work."""
    result = subprocess.run(
        [promille, "bench", "--format", "json"], check=True, capture_output=True, text=True)
    works = json.loads(result.stdout)["benchmark"]
    return {work["work"]: work["per_s"] for work in works if work["unit"] == "fits"}


def rate(fit, series: list[MadeUp], rounds: int) -> float:
    """Fits a second in the median round."""
    rates = []
    for _ in range(rounds):
        start = time.perf_counter()
        for one in series:
            fit(one)
        rates.append(len(series) / (time.perf_counter() - start))
    return statistics.median(rates)


def disagreements(promille: str, series: list[MadeUp]) -> list[str]:
    """Series in which curve_fit has a smaller sum of squares, or other parameters at the same one."""
    with tempfile.TemporaryDirectory() as folder:
        write_study(folder, series)
        result = subprocess.run(
            [promille, "fit", folder, "--r-factor", str(R), "--censor", "none", "--interval", "none",
             "--format", "csv", "--quiet"],
            check=True, capture_output=True, text=True)  # fmt: skip
    found = []
    for one, row in zip(series, csv.DictReader(io.StringIO(result.stdout)), strict=True):
        estimates = fit_scipy(one)
        curve = Curve(one.starts_min / 60, one.doses, one.times_min / 60)
        rss = float(np.sum((curve(None, *estimates) - one.readings) ** 2))
        if row["status"] == "undetermined":  # At a search limit, of which curve_fit knows nothing.
            continue
        ours = float(row["ka_per_h"]), float(row["beta_g_per_kg_h"])
        # At a kink that the clamp makes, or in another minimum, curve_fit is no reference.
        if rss > (1 + SAME_RSS) * float(row["rss"]):
            continue
        is_worse = float(row["rss"]) > (1 + SAME_RSS) * rss
        if is_worse or not np.allclose(ours, estimates, rtol=SAME_PARAMETER):
            found.append(f"series {row['subject']}: promille {ours}, curve_fit {estimates}")
    return found


if __name__ == "__main__":
    main()
