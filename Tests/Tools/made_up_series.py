"""The made-up series that `promille bench` fits: BenchmarkSeries in Sources/Certification/Benchmark.

Men of 60 to 110 kg have three drinks within an hour and a half and a reading every 20 minutes, 25 in
all, with errors of up to 0.03 g/kg either way. Numbers look scattered and need no generator: they are
multiples of the golden ratio, less the whole.
"""

from dataclasses import dataclass

import numpy as np

R = 0.68
READINGS = 25
GOLDEN = 0.618_033_988_749_894_9


@dataclass(frozen=True)
class MadeUp:
    """One man, what he drank and what was read."""

    weight_kg: float
    ka_per_h: float
    beta_g_per_kg_h: float
    starts_min: np.ndarray
    grams: np.ndarray
    times_min: np.ndarray
    readings: np.ndarray

    @property
    def doses(self) -> np.ndarray:
        """The drinks in g per kg of blood."""
        return self.grams / (R * self.weight_kg)


def made_up(index: int, ka: float | None = None, beta: float | None = None) -> MadeUp:
    """The series of that number; k_a and beta may be other ones, nothing else changes by that."""
    count = index * 37

    def spread(low: float, high: float) -> float:
        nonlocal count
        count += 1
        return low + (high - low) * ((count * GOLDEN) % 1)

    weight = spread(60, 110)
    own_ka, own_beta = spread(2, 12), spread(0.1, 0.2)
    ka, beta = ka or own_ka, beta or own_beta
    grams = np.array([spread(12, 30) for _ in range(3)])
    starts = np.array([0.0, np.floor(spread(15, 45) + 0.5), np.floor(spread(50, 90) + 0.5)])
    times = 20.0 * np.arange(1, READINGS + 1)
    curve = Curve(starts / 60, grams / (R * weight), times / 60)(times, ka, beta)
    errors = np.array([spread(-0.03, 0.03) for _ in times])
    return MadeUp(weight, ka, beta, starts, grams, times, np.maximum(0, curve + errors))


class Curve:
    """Widmark's model with first-order absorption, in arrays throughout.

    It is a process reflected at zero: what was absorbed less beta t, and less the lowest that this has
    been where it was negative. Between drinks and readings it is concave, so that it is lowest at one
    of them.
    """

    def __init__(self, starts_h: np.ndarray, doses: np.ndarray, times_h: np.ndarray):
        self.times = np.union1d(starts_h, times_h)
        self.since = np.maximum(0, self.times[:, None] - starts_h)
        self.doses = doses
        self.shown = np.searchsorted(self.times, times_h)

    def __call__(self, _, ka: float, beta: float) -> np.ndarray:
        free = -np.expm1(-ka * self.since) @ self.doses - beta * self.times
        return (free - np.minimum(0, np.minimum.accumulate(free)))[self.shown]


def write_study(folder: str, series: list[MadeUp]) -> None:
    """The series as a study, with all digits."""
    with open(f"{folder}/subjects.csv", "w") as file:
        file.write("subject,sex,age_y,height_cm,weight_kg\n")
        for index, one in enumerate(series):
            file.write(f"{index},male,30,180,{one.weight_kg}\n")
    with open(f"{folder}/drinks.csv", "w") as file:
        file.write("subject,time_min,ethanol_g\n")
        for index, one in enumerate(series):
            for start, grams in zip(one.starts_min, one.grams):
                file.write(f"{index},{start:g},{grams}\n")
    with open(f"{folder}/readings.csv", "w") as file:
        file.write("subject,time_min,bac_g_per_kg\n")
        for index, one in enumerate(series):
            for minutes, value in zip(one.times_min, one.readings):
                file.write(f"{index},{minutes:g},{value}\n")
