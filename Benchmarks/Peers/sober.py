"""Predicts everybody in a folder when the blood falls to 0.1 g/kg, by five r factors, and how far that is off, by NumPy:
what `promille sober` is measured beside.

    sober.py FOLDER TIMES.csv

FOLDER holds what `promille simulate --cohort` writes. k_a, beta and lag are those of fasted people. All people and methods
stand in arrays, a row each; drinks of fewer are filled up with nothing. There are no intervals of predictions.

Prints the processor seconds from the first file to the last row, without imports, and the version of NumPy.
"""

import csv
import json
import sys
import time
from pathlib import Path

import numpy as np

METHODS = ["widmark", "watson", "forrest", "seidl", "ulrich"]
THRESHOLD, KA, BETA_OF_MEN, LAG = 0.1, 5.522, 0.138, 3.41 / 60


def columns(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return list(map(list, zip(*rows)))


def padded(subjects: list[str], path: Path, filler: float) -> tuple[np.ndarray, np.ndarray]:
    """The two columns behind the subject, a row for each subject."""
    names, first, second = columns(path)
    place = {name: row for row, name in enumerate(subjects)}
    rows = np.array([place[name] for name in names])
    starts = np.concatenate([[0], np.flatnonzero(np.diff(rows)) + 1])
    within = np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))
    times, values = (np.full((len(subjects), within.max() + 1), empty) for empty in (np.inf, filler))
    times[rows, within] = np.array(first, float) / 60
    values[rows, within] = np.array(second, float)
    return times, values


def r_factors(is_man: np.ndarray, age: np.ndarray, height: np.ndarray, weight: np.ndarray) -> np.ndarray:
    water = np.where(
        is_man, 2.447 - 0.09516 * age + 10.74 * height + 0.3362 * weight, -2.097 + 10.69 * height + 0.2466 * weight)
    bmi = weight / height**2
    return np.stack([
        np.where(is_man, 0.68, 0.55), water / (0.8 * weight),
        np.where(is_man, 1.0178 - 0.012127 * bmi, 0.8736 - 0.0124 * bmi),
        np.where(is_man, 0.31608 - 0.004821 * weight + 0.4632 * height, 0.31223 - 0.006446 * weight + 0.4466 * height),
        np.where(is_man, 0.715 - 0.00462 * weight + 0.22 * height, np.nan),
    ], axis=1)  # fmt: skip


def falls(blood: np.ndarray, gut: np.ndarray, beta: np.ndarray, duration: np.ndarray) -> np.ndarray:
    """When curves fall to the threshold within a time, in h from here; NaN where they do not.

    By Newton's method from the right: between drinks a curve is concave."""
    tau = np.minimum(duration, (blood + gut - THRESHOLD) / beta)
    is_open = (tau > 0) & (blood - gut * np.expm1(-KA * tau) - beta * tau <= THRESHOLD + 1e-15)
    for _ in range(100):
        kept = np.exp(-KA * tau)
        slope = KA * gut * kept - beta
        following = tau - (blood + gut * (1 - kept) - beta * tau - THRESHOLD) / slope
        is_open &= (slope < 0) & (following > 0)
        if not np.any(is_open & (np.abs(following - tau) > 1e-14 * tau)):
            break
        tau = np.where(is_open, following, tau)
    return np.where(is_open, following, np.nan)


def predicted(starts: np.ndarray, doses: np.ndarray, r: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """From when on the blood stays at or below the threshold, in h since the first drink, by person and method."""
    blood, gut = np.zeros_like(r), np.zeros_like(r)
    found = np.full_like(r, np.nan)
    ends = np.append(starts[:, 1:], np.full((len(starts), 1), np.inf), axis=1)
    for drink in range(starts.shape[1]):
        is_there = np.isfinite(starts[:, drink])[:, None]
        gut = gut + doses[:, [drink]] / r
        start = np.where(is_there, starts[:, [drink]], 0)
        duration = np.where(is_there, ends[:, [drink]] - start, 0)
        tau = falls(blood, gut, beta, duration)
        found = np.where(is_there & np.isfinite(tau), start + LAG + tau, found)
        step = np.where(np.isfinite(duration), duration, 0)
        absorbed = -gut * np.expm1(-KA * step)
        blood, gut = np.maximum(0, blood + absorbed - beta * step), gut - absorbed
    return found


def measured(starts: np.ndarray, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The middle of the two readings between which the threshold was crossed, in h; NaN where it was not."""
    places = np.arange(times.shape[1])
    above = np.where(values > THRESHOLD, places, -1).max(axis=1)
    end = np.where(np.isfinite(starts), starts, -np.inf).max(axis=1)
    is_after = np.isfinite(times) & (places > above[:, None]) & (times > end[:, None])
    first = np.where(is_after, places, times.shape[1]).min(axis=1)
    is_known = (above >= 0) & (first < times.shape[1])
    rows = np.arange(len(times))
    middle = (times[rows, np.maximum(above, 0)] + times[rows, np.minimum(first, times.shape[1] - 1)]) / 2
    return np.where(is_known, middle, np.nan)


def run(folder: Path, output: Path) -> None:
    subjects, sex, *measures = columns(folder / "subjects.csv")
    is_man = np.array(sex) == "male"
    age, height, weight = (np.array(column, float) for column in measures[:3])
    starts, grams = padded(subjects, folder / "drinks.csv", 0.0)
    times, values = padded(subjects, folder / "readings.csv", 0.0)
    first = starts[:, [0]]
    starts, times = starts - first, times - first
    beta = np.where(is_man, BETA_OF_MEN, BETA_OF_MEN * np.exp(0.08191))[:, None]
    with np.errstate(all="ignore"):
        minutes = 60 * predicted(starts, grams / weight[:, None], r_factors(is_man, age, height / 100, weight), beta)
        errors = minutes - 60 * measured(starts, times, values)[:, None]
    with output.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["subject", "method", "sober_predicted_min", "error_min"])
        for subject, own, off in zip(subjects, minutes.tolist(), errors.tolist()):
            for method, time_min, error_min in zip(METHODS, own, off):
                writer.writerow([subject, method, *("" if x != x else repr(x) for x in (time_min, error_min))])


if __name__ == "__main__":
    began = time.process_time()
    run(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps({"seconds": time.process_time() - began, "versions": {"numpy": np.__version__}}))
