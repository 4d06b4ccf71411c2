#!/usr/bin/env python3
"""The continuous ranked probability score of ensembles, by scoringrules (Python), for Tests/Expectations/crps.csv.

Written anew without arguments; with --check compared. Both scores are threshold-weighted, and differ in their chaining
function v (Allen, Ginsbourger & Ziegel 2023), of which the score takes differences:

- `floor`: below a limit of detection nothing is told apart, v(x) = max(x, floor);
- `times`: what happens is seen by readings alone, from `begin` on; v rises by the time since the reading before where
  a reading is passed. `y` is the first reading by which it had happened, empty if it had not by the last.
"""

import csv
import pathlib
import sys

import numpy as np
import scoringrules

PATH = pathlib.Path(__file__).resolve().parents[1] / "Expectations" / "crps.csv"
COLUMNS = ["values", "y", "floor", "begin", "times", "crps"]


def score(y, values, chain):
    return repr(float(scoringrules.twcrps_ensemble(y, values, v_func=chain, estimator="nrg")))


def rows():
    rng = np.random.default_rng(20)
    for case in range(80):
        size = int(rng.integers(1, 30))
        values = np.round(rng.gamma(3, 40, size), 2)
        if case % 5 == 0:
            values = np.repeat(values[:1], size)
        row = dict.fromkeys(COLUMNS, "") | {"values": " ".join(map(str, values))}
        y = round(float(rng.gamma(3, 40)), 2)
        if case < 40:
            floor = 0.0 if case % 2 == 0 else round(float(rng.gamma(3, 20)), 2)
            yield row | {"y": y, "floor": floor, "crps": score(y, values, lambda x: np.maximum(x, floor))}
            continue
        begin = round(float(rng.uniform(0, 60)), 2)
        times = np.round(begin + np.cumsum(rng.exponential(30, int(rng.integers(1, 10)))), 2)
        gaps = np.diff(times, prepend=begin)
        seen = times[times >= y]

        def passed(x):
            return ((np.asarray(x, float)[..., None] > times) * gaps).sum(-1)

        yield row | {"y": seen[0] if seen.size else "", "begin": begin, "times": " ".join(map(str, times)),
                     "crps": score(y, values, passed)}


def main():
    made = [{k: str(v) for k, v in row.items()} for row in rows()]
    if "--check" in sys.argv:
        with PATH.open() as file:
            kept = list(csv.DictReader(file))
        for old, new in zip(kept, made, strict=True):
            same = all(old[name] == new[name] for name in COLUMNS if name != "crps")
            if not same or abs(float(old["crps"]) - float(new["crps"])) > 1e-9:
                sys.exit(f"{PATH.name} is not what scoringrules gives: {old} {new}")
        return
    with PATH.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)


main()
