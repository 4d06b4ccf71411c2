#!/usr/bin/env python3
"""The continuous ranked probability score of ensembles, by scoringrules (Python), for Tests/Expectations/crps.csv.

Written anew without arguments; with --check compared. What lies between two readings is not scored: the chaining
function v of the threshold-weighted score (Allen, Ginsbourger & Ziegel 2023) stands still there.
"""

import csv
import pathlib
import sys

import numpy as np
import scoringrules

PATH = pathlib.Path(__file__).resolve().parents[1] / "Expectations" / "crps.csv"


def rows():
    rng = np.random.default_rng(20)
    for case in range(40):
        size = int(rng.integers(1, 30))
        values = np.round(rng.gamma(3, 40, size), 2)
        if case % 5 == 0:
            values = np.repeat(values[:1], size)
        low = round(float(rng.gamma(3, 40)), 2)
        high = low if case % 2 == 0 else round(low + float(rng.exponential(30)), 2)

        def chained(x, low=low, high=high):
            x = np.asarray(x, dtype=float)
            return np.minimum(x, low) + np.maximum(x, high) - high

        score = scoringrules.twcrps_ensemble(low, values, v_func=chained, estimator="nrg")
        yield {
            "values": " ".join(map(str, values)), "low": low, "high": high, "crps": repr(float(score)),
        }


def main():
    made = [{k: str(v) for k, v in row.items()} for row in rows()]
    if "--check" in sys.argv:
        with PATH.open() as file:
            kept = list(csv.DictReader(file))
        for old, new in zip(kept, made, strict=True):
            if old["values"] != new["values"] or abs(float(old["crps"]) - float(new["crps"])) > 1e-9:
                sys.exit(f"{PATH.name} is not what scoringrules gives: {old} {new}")
        return
    with PATH.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["values", "low", "high", "crps"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)


main()
