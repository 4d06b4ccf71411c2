#!/usr/bin/env python3
"""Writes a simulated cohort: a study whose true parameters are known.

    python3 Tests/Tools/cohort.py FOLDER --subjects 1000 --seed 1 [options]

Everybody takes 1 to 4 drinks of 0.15 to 0.4 g/kg, 20 to 60 minutes apart, and is read every 10
minutes from 10 minutes after the first one until half an hour after sobriety. k_a is log-normal
about 4 /h, beta normal about 0.15 g/kg/h, r is 0.68 for all (doses are per kg of body weight, so
that other r would be other doses). Errors are normal; a reading below the limit of detection is
shown as 0. Beside the study stands truth.csv.
"""

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from one_compartment import Parameters, concentration
from study_folder import Drink, Series

R = 0.68
TYPICAL_G_PER_KG = 0.5


@dataclass(frozen=True)
class Design:
    """How the cohort is measured.

    `longest_drink_min` lets drinks last from 5 min up to it, `most_readings` ends a series, 0 does
    not; `step_g_per_kg` is the last digit of the display, `autocorrelation` the correlation of
    neighbouring errors, `tau_min` the time of exponentially correlated ones, of whose variance the
    share `white` is not correlated. With `km_g_per_kg` elimination goes at V_max c / (K_m + c), V_max such that
    it is the person's beta at `TYPICAL_G_PER_KG`.
    """

    subjects: int
    seed: int
    every_min: float = 10.0
    first_min: float = 10.0
    after_sober_min: float = 30.0
    sd_g_per_kg: float = 0.02
    cv: float = 0.0
    lod_g_per_kg: float = 0.0
    most_drinks: int = 4
    longest_drink_min: float = 0.0
    most_readings: int = 0
    step_g_per_kg: float = 0.0001
    autocorrelation: float = 0.0
    tau_min: float = 0.0
    white: float = 0.0
    km_g_per_kg: float = 0.0


@dataclass(frozen=True)
class Person:
    """One simulated subject."""

    subject: str
    ka_per_h: float
    beta_g_per_kg_h: float
    drinks: tuple[Drink, ...]
    times_h: np.ndarray
    readings: np.ndarray


def main() -> None:
    arguments = parsed_arguments()
    design = Design(
        subjects=arguments.subjects,
        seed=arguments.seed,
        every_min=arguments.every,
        first_min=arguments.first,
        after_sober_min=arguments.after_sober,
        sd_g_per_kg=arguments.sd,
        cv=arguments.cv,
        lod_g_per_kg=arguments.lod,
        most_drinks=arguments.drinks,
    )
    write(arguments.folder, people(design), design)


def people(design: Design) -> list[Person]:
    """The cohort, each person from random numbers of their own."""
    return [person(index, design) for index in range(design.subjects)]


def person(index: int, design: Design) -> Person:
    random = np.random.default_rng([design.seed, index])
    ka = float(np.exp(random.normal(np.log(4), 0.6)))
    beta = float(np.clip(random.normal(0.15, 0.025), 0.08, 0.3))
    count = int(random.integers(1, design.most_drinks + 1))
    starts = np.concatenate([[0], np.cumsum(random.uniform(20, 60, count - 1).round())]) / 60
    doses = random.uniform(0.15, 0.4, count).round(4)
    drinks = tuple(Drink(float(s), 0.0, float(d)) for s, d in zip(starts, doses))
    if design.longest_drink_min > 0:
        drinks = lasting(drinks, index, design)
    parameters = Parameters(ka, beta, R)
    times = reading_times(drinks, parameters, design)
    truth = curve(drinks, parameters, times)
    if design.km_g_per_kg > 0:
        truth = saturable_curve(drinks, parameters, design.km_g_per_kg, times)
    sd = np.hypot(design.sd_g_per_kg, design.cv * truth)
    alike = np.exp(-design.every_min / design.tau_min) if design.tau_min > 0 else 0
    errors = correlated(random.normal(size=len(times)), alike or design.autocorrelation)
    if design.white > 0:
        white = random.normal(size=len(times))
        errors = np.sqrt(1 - design.white) * errors + np.sqrt(design.white) * white
    step = design.step_g_per_kg
    shown = (np.round((truth + sd * errors) / step) * step).round(4)
    # No display shows less than nothing.
    shown[shown < max(design.lod_g_per_kg, 0)] = 0
    return Person(f"s{index:06d}", ka, beta, drinks, times, shown)


def reading_times(
    drinks: tuple[Drink, ...], parameters: Parameters, design: Design
) -> np.ndarray:
    step = design.every_min / 60
    times = design.first_min / 60 + step * np.arange(int(24 / step))
    sober = curve(drinks, parameters, times) <= 0
    over = sober & (times > drinks[-1].start_h + 0.5)
    end = times[over.argmax()] if over.any() else times[-1]
    times = times[times <= end + design.after_sober_min / 60 + 1e-9]
    return times[: design.most_readings] if design.most_readings > 0 else times


def lasting(drinks: tuple[Drink, ...], index: int, design: Design) -> tuple[Drink, ...]:
    """The drinks, each taken over a while that ends before the next one."""
    random = np.random.default_rng([design.seed, index, 1])
    longest = min(design.longest_drink_min, 20.0)
    return tuple(
        Drink(d.start_h, round(random.uniform(5, longest)) / 60, d.dose_g_per_kg)
        for d in drinks
    )


def correlated(normal: np.ndarray, autocorrelation: float) -> np.ndarray:
    """Normal errors of variance 1, each correlated with the one before: AR(1)."""
    errors = normal.copy()
    for i in range(1, len(errors)):
        errors[i] = autocorrelation * errors[i - 1]
        errors[i] += np.sqrt(1 - autocorrelation**2) * normal[i]
    return errors


def saturable_curve(
    drinks: tuple[Drink, ...], parameters: Parameters, km: float, times_h: np.ndarray
) -> np.ndarray:
    """The curve with elimination at V_max c / (K_m + c), by SciPy's DOP853, boluses only."""
    vmax = parameters.beta * (km + TYPICAL_G_PER_KG) / TYPICAL_G_PER_KG

    def slope(_, state):
        gut, blood = state
        absorbed = parameters.ka * gut
        return [-absorbed, absorbed - vmax * blood / (km + blood)]

    edges = [d.start_h for d in drinks] + [times_h[-1] + 1]
    state = np.zeros(2)
    values = np.zeros(len(times_h))
    for drink, end in zip(drinks, edges[1:]):
        state = state + [drink.dose_g_per_kg / parameters.r, 0]
        inside = (times_h > drink.start_h) & (times_h <= end)
        points = np.append(times_h[inside][times_h[inside] < end], end)
        solution = solve_ivp(
            slope, (drink.start_h, end), state, "DOP853", points, rtol=1e-8, atol=1e-10
        )
        values[inside] = solution.y[1, : inside.sum()]
        state = solution.y[:, -1]
    return values


def curve(
    drinks: tuple[Drink, ...], parameters: Parameters, times_h: np.ndarray
) -> np.ndarray:
    series = Series("", "", None, drinks, times_h, np.zeros(len(times_h)))
    return concentration(series, parameters).real


def write(folder: Path, cohort: list[Person], design: Design) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    table(folder / "subjects.csv", ["subject"], ([p.subject] for p in cohort))
    table(
        folder / "drinks.csv",
        ["subject", "time_min", "duration_min", "ethanol_g_per_kg"],
        (
            [p.subject, minutes(d.start_h), minutes(d.duration_h), d.dose_g_per_kg]
            for p in cohort
            for d in p.drinks
        ),
    )
    lod = ["lod"] if design.lod_g_per_kg > 0 else []
    table(
        folder / "readings.csv",
        ["subject", "time_min", "bac_g_per_kg", *lod],
        (
            [p.subject, minutes(t), c, *([design.lod_g_per_kg] if lod else [])]
            for p in cohort
            for t, c in zip(p.times_h, p.readings)
        ),
    )
    table(
        folder / "truth.csv",
        ["subject", "ka_per_h", "beta_g_per_kg_h", "r"],
        ([p.subject, p.ka_per_h, p.beta_g_per_kg_h, R] for p in cohort),
    )


def table(path: Path, header: list[str], rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def minutes(hours: float) -> str:
    return f"{hours * 60:.10g}"


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--subjects", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=10.0, help="min between readings")
    parser.add_argument("--first", type=float, default=10.0, help="min of the first reading")
    parser.add_argument("--after-sober", type=float, default=30.0, help="min of reading on")
    parser.add_argument("--sd", type=float, default=0.02, help="additive error, g/kg")
    parser.add_argument("--cv", type=float, default=0.0, help="relative error")
    parser.add_argument("--lod", type=float, default=0.0, help="limit of detection, g/kg")
    parser.add_argument("--drinks", type=int, default=4, help="the most that anybody takes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
