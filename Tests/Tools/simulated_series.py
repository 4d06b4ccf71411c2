"""Small series whose truth is known, for the statistics of fits.

Each subject takes one drink and is read from 10 minutes after its beginning; noise is drawn from
NumPy's Mersenne Twister and readings are rounded to the last digit of the simulated instrument.
A reading below the limit of detection is kept as 0. Two readings of a series with outliers are
moved by hand.
"""

from dataclasses import dataclass

import numpy as np

from expectations import Row, Table
from one_compartment import Parameters, concentration
from study_folder import Drink, Series

SERIES = "fit-series.csv"
TRUTH = "fit-series-truth.csv"


@dataclass(frozen=True)
class Simulation:
    """What a subject drinks, how the readings err and when they are taken.

    The standard deviation of a reading is sqrt(sd^2 + (cv f)^2); `outliers` says by how many g/kg
    which readings are moved. `accuracy` is what the instrument's data sheet would declare.
    """

    subject: str
    seed: int
    dose_g_per_kg: float
    ka_per_h: float
    beta_g_per_kg_h: float
    r: float
    times_min: tuple[int, ...]
    duration_min: float = 0.0
    sd_g_per_kg: float = 0.0
    cv: float = 0.0
    lod_g_per_kg: float | None = None
    resolution_g_per_kg: float = 0.0001
    accuracy: float | None = None
    outliers: tuple[tuple[int, float], ...] = ()

    def series(self, readings: np.ndarray, used: np.ndarray | None = None) -> Series:
        """The drink and the readings, or those that are used."""
        drink = Drink(0.0, self.duration_min / 60, self.dose_g_per_kg)
        chosen = np.full(len(readings), True) if used is None else used
        times = np.array(self.times_min) / 60
        return Series(self.subject, "", None, (drink,), times[chosen], readings[chosen])

    def readings(self) -> np.ndarray:
        """What the instrument shows."""
        truth = concentration(
            self.series(np.zeros(len(self.times_min))),
            Parameters(self.ka_per_h, self.beta_g_per_kg_h, self.r),
        ).real
        sd = np.hypot(self.sd_g_per_kg, self.cv * truth)
        shown = truth + sd * np.random.RandomState(self.seed).normal(size=len(truth))
        for index, shift in self.outliers:
            shown[index] += shift
        steps = round(1 / self.resolution_g_per_kg)
        shown = np.round(np.maximum(shown, 0) * steps) / steps
        return np.where(shown < (self.lod_g_per_kg or 0), 0.0, shown)


def every(step: int, last: int) -> tuple[int, ...]:
    """Minutes 10, 20, 30, 45, and then at equal steps from an hour on."""
    return (10, 20, 30, 45, *range(60, last + 1, step))


SIMULATIONS = (
    Simulation("additive-1", 11, 0.6, 3.0, 0.16, 0.68, every(20, 280), sd_g_per_kg=0.02),
    Simulation(
        "additive-2", 12, 0.8, 1.4, 0.18, 0.6, every(30, 330), duration_min=15.0, sd_g_per_kg=0.03
    ),
    Simulation("proportional-1", 21, 0.7, 2.5, 0.15, 0.7, every(20, 300), cv=0.06),
    Simulation("proportional-2", 22, 0.5, 5.0, 0.2, 0.55, every(20, 220), cv=0.04),
    Simulation("combined-1", 34, 0.9, 2.0, 0.15, 0.65, every(15, 540), sd_g_per_kg=0.03, cv=0.05),
    Simulation("combined-2", 32, 1.0, 4.0, 0.2, 0.7, every(15, 390), sd_g_per_kg=0.02, cv=0.06),
    Simulation(
        "lod-1", 41, 0.4, 3.0, 0.15, 0.7, every(20, 320), sd_g_per_kg=0.02, lod_g_per_kg=0.05
    ),
    Simulation(
        "lod-2", 42, 0.5, 2.0, 0.2, 0.65, every(15, 255), sd_g_per_kg=0.03, lod_g_per_kg=0.1
    ),
    Simulation(
        "lod-3", 43, 0.3, 6.0, 0.12, 0.6, every(20, 300), sd_g_per_kg=0.02, lod_g_per_kg=0.08
    ),
    Simulation(
        "instrument-1",
        51,
        0.7,
        3.5,
        0.17,
        0.7,
        every(30, 300),
        cv=0.03,
        resolution_g_per_kg=0.01,
        accuracy=0.05,
    ),
    Simulation(
        "outliers-1",
        61,
        0.6,
        2.5,
        0.15,
        0.65,
        every(20, 300),
        sd_g_per_kg=0.015,
        outliers=((1, 0.2), (10, -0.15)),
    ),
    Simulation(
        "outliers-2",
        62,
        0.8,
        4.0,
        0.19,
        0.72,
        every(20, 320),
        sd_g_per_kg=0.02,
        outliers=((2, 0.4), (12, 0.3)),
    ),
)


def series_table() -> Table:
    """One row per reading; `lod` is blank where there is none."""
    rows: list[Row] = [
        {
            "subject": simulation.subject,
            "time_min": time,
            "bac_g_per_kg": float(reading),
            "lod": simulation.lod_g_per_kg,
        }
        for simulation in SIMULATIONS
        for time, reading in zip(simulation.times_min, simulation.readings(), strict=True)
    ]
    return Table(SERIES, rows)


def truth_table() -> Table:
    """One row per subject: the drink, which begins at 0, the parameters and the errors."""
    rows: list[Row] = [
        {
            "subject": simulation.subject,
            "dose_g_per_kg": simulation.dose_g_per_kg,
            "duration_min": simulation.duration_min,
            "ka_per_h": simulation.ka_per_h,
            "beta_g_per_kg_h": simulation.beta_g_per_kg_h,
            "r": simulation.r,
            "sd_g_per_kg": simulation.sd_g_per_kg,
            "cv": simulation.cv,
            "resolution_g_per_kg": simulation.resolution_g_per_kg,
            "accuracy": simulation.accuracy,
            "outliers": len(simulation.outliers),
        }
        for simulation in SIMULATIONS
    ]
    return Table(TRUTH, rows)
