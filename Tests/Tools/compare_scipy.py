"""Compare five r-factor methods with the readings of studies, as `promille compare --preset nacar-2021` does.

The curve is that of `one_compartment.py` with ka = 18 /h and beta = 0.15 g/kg/h (Nacar 2021). Its
peak is where Brent's method finds the slope to be zero, or at an end of a drink, whichever is
highest; it comes down to zero for the last time where Brent's method finds a root of the curve
without its last stop. Errors are predicted less measured. Areas are by NumPy's trapezoids on the
times of the readings. Compared are the readings that a fit would use: none within the instrument's
mouth-alcohol window after a drink, none at or before the first drink, and of the zeros that end a
series the first. Below the instrument's limit of detection a reading says no more than that: the
error is how far the prediction is above the limit, or 0.

Time to sobriety is measured at threshold 0: it lies between the last reading above 0 and the first
after it, or after the last reading of somebody still above 0. The rows state the error against the
middle of the two, and the limits of the error. The summaries of a method state the limits of its
statistics, found by trying times.

Methods are compared with each other by the absolute error of each predicted time to sobriety that is
expected between the limits of the measured time. For this, measured times are divided by the dose per kg
of body weight and taken to be log-normal. One distribution is fitted to all
series of a study and sex by maximum likelihood (`censored_normal.py`), so that all methods are judged
by the same times. If all limits are on one side, because nobody was measured sober, there is no such
distribution, and methods are not compared. Beside the expected difference of two methods stand the
limits that it has whatever the distribution, found by trying times.

The summaries keep a subject's occasions together. Two methods are compared by the differences of the
subjects' mean absolute errors over the series that both predict, with SciPy's Wilcoxon test in its
default settings and Holm's correction for all pairs of a study. All methods are compared by SciPy's
Friedman test over the subjects for whom all have a formula. The tests see ranks alone, so a tie but
for rounding would make them a matter of luck; the script stops if there is one. Intervals are NumPy's
quantiles over draws of whole subjects, by the random numbers of `statistics_scipy.py`, and so must be
met exactly.

Limits of agreement are 1.96 standard deviations from the bias, the variance being that of a random
effect of subjects plus the rest. Where the command takes the components from the textbook's mean
squares, this script solves for the two that make the expected sums of squares of centred and of
within-subject errors what they are, with the expectations as traces of projection matrices.

What errors say beyond their bias is worked out another way as well: a level is taken from slope and
curvature by NumPy's QR factors of 1, x and x^2, Hotelling's test of the subjects' sums is that of
SciPy's F distribution, and the variance of a ratio is that of its residuals between subjects. No
range with fewer than FEWEST_SHOWN subjects is in the table.

Most studies may not be redistributed, and what several methods say of one person gives age, height
and weight away. So of those studies the table of rows holds one method, and those summed up have
several subjects. Every row of the command's own table is checked, where the study is, by

    promille compare STUDY --preset nacar-2021 --format csv | python3 Tests/Tools/compare_scipy.py --against - STUDY
"""

import argparse
import csv
import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from pathlib import Path
from typing import TextIO

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from censored_normal import Normal, most_likely
from expectations import NACAR, REPOSITORY, Row, Table, Tolerance, deliver, new_parser
from one_compartment import Parameters, absorption_rate, concentration, turning_times, unstopped
from r_factors import METHODS
from statistics_scipy import FEWEST_DRAWN, below, twister
from study_folder import Series, read_study, reading_unit_g_per_kg

KA_PER_H = 18.0
BETA_G_PER_KG_H = 0.15

SHIPPED = NACAR.name
MADE_UP = "made-up-24"
ONE_METHOD = "watson"
"""The method shown of studies that may not be redistributed."""

ROWS_OF = (SHIPPED, "wilkinson-1977-oral", "hip-flask")
SUMMARIES_OF = (SHIPPED, MADE_UP, "wilkinson-1977-oral", "thierauf-emberger-2023")
SEXES = ("all", "male", "female")

SEED = 1
REPLICATES = 200
LEVEL = 0.95
"""How the subjects are drawn for intervals."""

ROOT_H = 1e-15
"""How closely Brent's method is asked for a time: to rounding."""

NEARLY_TIED = 1e-9
"""Numbers to be ranked must differ by more than this, relatively."""

NUMBER = Tolerance(relative=1e-11, absolute=1e-12)
"""Dozens of exponentials and sums of numbers about 1; minutes are some hundreds."""

PROBABILITY = Tolerance(relative=1e-10)

COMMAND_TOLERANCE = 1e-9
"""The command prints all digits; what is left is rounding."""


# The prediction for one series


@dataclass(frozen=True)
class Prediction:
    """The curve of one series for one r."""

    series: Series
    r: float

    @property
    def parameters(self) -> Parameters:
        """The parameters of the model."""
        return Parameters(ka=KA_PER_H, beta=BETA_G_PER_KG_H, r=self.r)

    @property
    def start_h(self) -> float:
        """The first drink, from which times count."""
        return min(drink.start_h for drink in self.series.drinks)

    @property
    def edges_h(self) -> list[float]:
        """The times at which drinks begin or end."""
        drinks = self.series.drinks
        return sorted({edge for d in drinks for edge in (d.start_h, d.start_h + d.duration_h)})

    @property
    def dose_g_per_kg(self) -> float:
        """What everything drunk amounts to in blood."""
        return math.fsum(drink.dose_g_per_kg for drink in self.series.drinks) / self.r

    def at(self, times_h: np.ndarray) -> np.ndarray:
        """The concentration at any times."""
        return concentration(replace(self.series, times_h=times_h), self.parameters)

    def peak(self) -> tuple[float, float]:
        """Time since the first drink [h] and height [g/kg] of the maximum."""
        times = np.array(sorted(self.edges_h + self.level_times()))
        heights = self.at(times)
        highest = int(heights.argmax())
        return times[highest] - self.start_h, heights[highest]

    def level_times(self) -> list[float]:
        """Where absorption comes down to elimination: one time at most between two edges."""
        edges = self.edges_h
        found = [self.level_time(*ends) for ends in pairwise([*edges, self.past_all()])]
        return [time for time in found if time is not None]

    def level_time(self, begin: float, end: float) -> float | None:
        """The time between two neighbouring edges at which the slope falls through zero."""

        def slope(time: float) -> float:
            begun = (drink for drink in self.series.drinks if drink.start_h <= begin)
            rates = (d.dose_g_per_kg / self.r * absorption_rate(d, KA_PER_H, time) for d in begun)
            return sum(rates) - BETA_G_PER_KG_H

        if not slope(begin) > 0 > slope(end):
            return None
        return brentq(slope, begin, end, xtol=ROOT_H)

    def past_all(self) -> float:
        """A time by which everything is absorbed and eliminated."""
        return self.edges_h[-1] + 1 + 2 * self.dose_g_per_kg / BETA_G_PER_KG_H

    def sober_time(self) -> float:
        """Time since the first drink [h] at which the curve comes to zero for good.

        Raises ArithmeticError if that is before the last drink has been taken.
        """
        origin = min(self.series.times_h.min(), self.start_h)
        drinks, parameters = self.series.drinks, self.parameters
        at_turns = unstopped(drinks, parameters, turning_times(drinks, parameters), origin)
        lowest = min(0.0, at_turns.min())

        def without_last_stop(time: float) -> float:
            return unstopped(drinks, parameters, np.array([time]), origin)[0] - lowest

        last = max([self.edges_h[-1], *self.level_times()])
        if not without_last_stop(last) > 0:
            raise ArithmeticError(f"subject {self.series.subject} is at zero after the last drink")
        return brentq(without_last_stop, last, self.past_all(), xtol=ROOT_H) - self.start_h


def measured_sober_min(series: Series) -> tuple[float, float] | None:
    """What the time to sobriety lies between [min]: the last reading above 0, and the first after it,
    or infinity if there is none; 0 and the first reading for somebody never above. None if no reading
    tells anything."""
    start = min(drink.start_h for drink in series.drinks)
    drunk = max(drink.start_h + drink.duration_h for drink in series.drinks)
    minutes = np.round(60 * (series.times_h - start), 6)
    above = np.flatnonzero(series.readings_g_per_kg > 0)
    low = minutes[above[-1]] if above.size else 0.0
    later = minutes[(minutes > round(60 * (drunk - start), 6)) & (minutes > low)]
    if not later.size:
        return (low, math.inf) if above.size else None
    return low, later[0]


def instrument_of(folder: Path) -> dict[str, float]:
    """What is said of the study's instrument."""
    descriptor = folder / "datapackage.json"
    if not descriptor.exists():
        return {}
    return json.loads(descriptor.read_text()).get("promille", {}).get("instrument", {})


def unspoiled(series: Series, window_min: float) -> Series:
    """The series without readings that mouth alcohol spoils."""
    minutes = np.round(60 * series.times_h, 6)
    spoiled = np.zeros(len(minutes), dtype=bool)
    for drink in series.drinks if window_min > 0 else ():
        begin, end = 60 * drink.start_h, 60 * (drink.start_h + drink.duration_h) + window_min
        spoiled |= (minutes > round(begin, 6)) & (minutes < round(end, 6))
    return only(series, ~spoiled)


def without_repeated_zeros(series: Series) -> Series:
    """The series with one of the zeros that end it after the last drink."""
    last_drink = max(drink.start_h + drink.duration_h for drink in series.drinks)
    above = np.flatnonzero((series.readings_g_per_kg > 0) | (series.times_h < last_drink))
    kept = above[-1] + 2 if above.size else 1
    return only(series, np.arange(len(series.times_h)) < kept)


def only(series: Series, chosen: np.ndarray) -> Series:
    """The series with some of its readings."""
    return replace(
        series,
        times_h=series.times_h[chosen],
        readings_g_per_kg=series.readings_g_per_kg[chosen],
    )


def finite(number: float) -> float | None:
    """The number, or None if it is infinite."""
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class Sobriety:
    """A predicted time to sobriety, and what the measured one lies between; all in min.

    What follows from not knowing the measured time is found by trying many times, not by formulas."""

    predicted: float
    low: float
    high: float
    dose_g_per_kg: float = math.nan
    """What was drunk, per kg of body weight."""

    def times(self) -> np.ndarray:
        """Times that it may be, the ends and those of predictions among them."""
        last = min(self.high, FAR_MIN)
        between = np.linspace(self.low, min(last, self.low + 1000), 4001)
        return np.unique(np.clip([*between, self.predicted, last], self.low, last))

    def errors(self) -> tuple[float, float]:
        """The smallest and the largest that the error can be."""
        return self.limits(self.predicted - self.times())

    def magnitudes(self) -> tuple[float, float]:
        """The same of the error without its sign."""
        return self.limits(np.abs(self.predicted - self.times()))

    @property
    def outside(self) -> float:
        """The error of the time that is nearest to the prediction."""
        errors = self.predicted - self.times()
        return float(errors[np.abs(errors).argmin()])

    def difference(self, other: "Sobriety") -> tuple[float, float]:
        """What the absolute error less that of another prediction of the same series lies between."""
        times = np.unique([*self.times(), *other.times()])
        found = np.abs(self.predicted - times) - np.abs(other.predicted - times)
        return float(found.min()), float(found.max())

    def limits(self, values: np.ndarray) -> tuple[float, float]:
        """The ends of some values, infinite where they grow with the time."""
        ends = float(values.min()), float(values.max())
        return tuple(math.copysign(math.inf, e) if abs(e) > FAR_MIN / 2 else e for e in ends)


FAR_MIN = 1e7
"""So late that nobody is above the threshold."""


@dataclass(frozen=True)
class Outcome:
    """A prediction and its errors."""

    method: str
    prediction: Prediction
    good: Series
    """What was measured, without what mouth alcohol spoils."""
    detection_g_per_kg: float
    """The limit of detection; a reading below it says no more than that."""

    @property
    def series(self) -> Series:
        """What is compared."""
        series = self.good
        return without_repeated_zeros(only(series, series.times_h > self.prediction.start_h))

    @property
    def sex(self) -> str:
        """The subject's sex."""
        return self.series.body.sex

    def concentration_errors(self) -> list[float]:
        """Errors at the readings; below the limit of detection the smallest that it can be."""
        series, limit = self.series, self.detection_g_per_kg
        predicted, readings = self.prediction.at(series.times_h), series.readings_g_per_kg
        least = np.maximum(0, predicted - limit)
        return np.where(readings < limit, least, predicted - readings).tolist()

    def peak_errors(self) -> list[float]:
        """The error of the peak."""
        return [float(self.prediction.peak()[1] - self.series.readings_g_per_kg.max())]

    @property
    def sobriety(self) -> "Sobriety | None":
        """The predicted time to sobriety and what the measured one lies between, if anything is known
        of it."""
        measured = measured_sober_min(self.good)
        if measured is None:
            return None
        dose = math.fsum(drink.dose_g_per_kg for drink in self.series.drinks)
        return Sobriety(60 * self.prediction.sober_time(), *measured, dose)

    def error_of_middle(self) -> float | None:
        """The error of the time to sobriety [min] against the middle of the readings it lies between."""
        sobriety = self.sobriety
        if sobriety is None or sobriety.low == 0 or sobriety.high == math.inf:
            return None
        return sobriety.predicted - (sobriety.low + sobriety.high) / 2

    def row(self) -> Row:
        """All there is to say, by the names of the command's columns."""
        series, prediction = self.series, self.prediction
        times, readings = series.times_h, series.readings_g_per_kg
        peak_time, peak = prediction.peak()
        predicted_area = np.trapezoid(prediction.at(times), times)
        measured_area = np.trapezoid(readings, times)
        errors = np.array(self.concentration_errors())
        return {
            "subject": series.subject,
            "occasion": series.occasion,
            "r_factor": self.method,
            "r": prediction.r,
            "dose_g_per_kg": prediction.dose_g_per_kg,
            "peak_predicted_g_per_kg": peak,
            "peak_predicted_min": 60 * peak_time,
            "n": len(errors),
            "above_dose": int(np.count_nonzero(readings > prediction.dose_g_per_kg)),
            "bias_g_per_kg": math.fsum(errors) / len(errors),
            "mae_g_per_kg": math.fsum(abs(errors)) / len(errors),
            "rmse_g_per_kg": math.sqrt(math.fsum(errors**2) / len(errors)),
            "peak_error_g_per_kg": self.peak_errors()[0],
            "auc_predicted_g_h_per_kg": predicted_area,
            "auc_measured_g_h_per_kg": measured_area,
            "auc_error_pct": 100 * (predicted_area - measured_area) / measured_area,
            "sober_predicted_min": 60 * prediction.sober_time(),
            "error_min": self.error_of_middle(),
            "interval_error_min": self.sobriety and self.sobriety.outside,
            "error_min_least": self.sobriety and finite(self.sobriety.errors()[0]),
            "error_min_most": self.sobriety and finite(self.sobriety.errors()[1]),
        }


NAMES = ("subject", "occasion", "r_factor", "n", "above_dose")
"""Columns of a row that are compared as text."""


def outcomes(folder: Path) -> list[Outcome]:
    """Every method that has a formula, on every series of a study."""
    instrument = instrument_of(folder)
    window = instrument.get("mouth_alcohol_window_min", 0)
    limit = instrument.get("limit_of_detection", 0) * reading_unit_g_per_kg(folder)
    return [
        Outcome(name, Prediction(series, r), unspoiled(series, window), limit)
        for series in read_study(folder)
        for name, method in METHODS.items()
        if (r := method(series.body)) is not None
    ]


# Summaries over subjects

QUANTITIES: dict[str, Callable[[Outcome], list[float]]] = {
    "concentration": Outcome.concentration_errors,
    "peak": Outcome.peak_errors,
}
"""Those whose errors are known exactly."""

MethodErrors = dict[str, dict[str, list[float]]]
"""Errors by method and subject."""


@dataclass(frozen=True)
class Group:
    """The errors in one quantity of the subjects of one sex, or of all."""

    study: str
    quantity: str
    sex: str
    errors: MethodErrors

    @property
    def name(self) -> Row:
        """The columns every row begins with."""
        return {"study": self.study, "quantity": self.quantity, "sex": self.sex}

    def subjects_with(self, *methods: str) -> list[str]:
        """The subjects that have errors by all of the methods."""
        subjects = list(dict.fromkeys(s for by_subject in self.errors.values() for s in by_subject))
        return [s for s in subjects if all(s in self.errors[method] for method in methods)]

    def mean_absolute_errors(self, *methods: str) -> np.ndarray:
        """A row for each such subject, a column for each method."""
        return np.array(
            [
                [np.mean(np.abs(self.errors[method][subject])) for method in methods]
                for subject in self.subjects_with(*methods)
            ]
        )

    def limits(self, first: str, second: str) -> tuple[float, float]:
        """What the mean difference of two methods lies between: errors are known exactly."""
        mean = float(np.subtract(*self.mean_absolute_errors(first, second).T).mean())
        return mean, mean


def groups_of(study: str, found: list[Outcome]) -> "list[Group | SobrietyGroup]":
    """Every quantity for every sex there is."""
    groups: list[Group | SobrietyGroup] = []
    for sex in SEXES:
        chosen = [outcome for outcome in found if sex in ("all", outcome.sex)]
        groups += [
            Group(study, quantity, sex, gathered(chosen, errors))
            for quantity, errors in QUANTITIES.items()
        ]
        groups.append(SobrietyGroup(study, sex, times_of(chosen)))
    return groups


Times = dict[str, dict[str, dict[str, Sobriety]]]
"""What is known of times to sobriety by method, subject and occasion."""


def times_of(found: list[Outcome]) -> Times:
    """Times of those series of which something is known."""
    times: Times = {name: {} for name in METHODS}
    for outcome in found:
        if (sobriety := outcome.sobriety) is not None:
            of_subject = times[outcome.method].setdefault(outcome.series.subject, {})
            of_subject[outcome.series.occasion] = sobriety
    return times


@dataclass(frozen=True)
class SobrietyGroup:
    """Times to sobriety of the subjects of one sex, or of all."""

    study: str
    sex: str
    times: Times

    @property
    def name(self) -> Row:
        """The columns every row begins with."""
        return {"study": self.study, "quantity": "sobriety", "sex": self.sex}

    @property
    def quantity(self) -> str:
        """What is predicted."""
        return "sobriety"

    @property
    def series(self) -> dict[tuple[str, str], dict[str, Sobriety]]:
        """What is known of each series, by subject and occasion, and by method."""
        found: dict[tuple[str, str], dict[str, Sobriety]] = {}
        for method, by_subject in self.times.items():
            for subject, by_occasion in by_subject.items():
                for occasion, sobriety in by_occasion.items():
                    found.setdefault((subject, occasion), {})[method] = sobriety
        return found

    @cached_property
    def errors(self) -> dict[str, dict[str, dict[str, float]]]:
        """Expected absolute errors by method, subject and occasion."""
        errors: dict[str, dict[str, dict[str, float]]] = {name: {} for name in METHODS}
        for (subject, occasion), by_method in expected_magnitudes(self.series).items():
            for method, magnitude in by_method.items():
                errors[method].setdefault(subject, {})[occasion] = magnitude
        return errors

    def subjects_with(self, *methods: str) -> list[str]:
        """The subjects with a series that has errors by all of the methods."""
        subjects = list(dict.fromkeys(s for by_subject in self.errors.values() for s in by_subject))
        return [subject for subject in subjects if self.common(subject, *methods)]

    def common(self, subject: str, *methods: str) -> list[str]:
        """The occasions of a subject that have errors by all of the methods."""
        known = [self.errors[method].get(subject, {}) for method in methods]
        return [occasion for occasion in known[0] if all(occasion in own for own in known)]

    def mean_absolute_errors(self, *methods: str) -> np.ndarray:
        """A row for each such subject, a column for each method."""
        return np.array(
            [
                [
                    np.mean([self.errors[method][subject][occasion] for occasion in common])
                    for method in methods
                ]
                for subject in self.subjects_with(*methods)
                for common in [self.common(subject, *methods)]
            ]
        )

    def limits(self, first: str, second: str) -> tuple[float, float]:
        """What the mean difference of two methods lies between, whenever people were sober."""
        ends = [
            np.mean(
                [
                    self.times[first][subject][o].difference(self.times[second][subject][o])
                    for o in self.common(subject, first, second)
                ],
                axis=0,
            )
            for subject in self.subjects_with(first, second)
        ]
        least, most = np.mean(ends, axis=0).tolist()
        return least, most

    def method_rows(self) -> list[Row]:
        """What each method's errors are known to be."""
        return [
            self.name
            | {"r_factor": method, "subjects": len(by_subject)}
            | limited([list(series.values()) for series in by_subject.values()])
            for method, by_subject in self.times.items()
            if by_subject
        ]


SeriesErrors = dict[tuple[str, str], dict[str, float]]
"""Absolute errors by subject and occasion, and by method."""


def expected_magnitudes(known: dict[tuple[str, str], dict[str, Sobriety]]) -> SeriesErrors:
    """Expected absolute errors [min]; none if the limits do not determine a distribution of times.

    A measured time over the dose per kg of body weight is taken to be log-normal.
    """
    references = {
        series: next(iter(by_method.values())).dose_g_per_kg for series, by_method in known.items()
    }
    with np.errstate(divide="ignore"):
        limits = {
            series: tuple(
                float(np.log(end) - np.log(reference))
                for end in limits_of(list(known[series].values()))
            )
            for series, reference in references.items()
        }
    normal = most_likely(list(limits.values())) if limits else None
    if normal is None:
        return {}
    return {
        series: {
            method: expected_magnitude(sobriety.predicted, reference, normal, limits[series])
            for method, sobriety in known[series].items()
        }
        for series, reference in references.items()
    }


def limits_of(predictions: list[Sobriety]) -> tuple[float, float]:
    """What the measured time lies between, which is the same for all predictions of a series."""
    (limits,) = {(sobriety.low, sobriety.high) for sobriety in predictions}
    return limits


def expected_magnitude(
    predicted: float, reference: float, normal: Normal, limits: tuple[float, float]
) -> float:
    """The expected absolute error [min], ln(time / reference) being normal between limits."""
    kink = math.log(predicted / reference) if predicted > 0 else -math.inf
    return normal.expected(lambda x: np.abs(reference * np.exp(x) - predicted), limits, kink)


def limited(subjects: list[list[Sobriety]]) -> Row:
    """What the statistics of all errors together lie between, and how many are known how."""
    series = [s for own in subjects for s in own]
    row: Row = {
        "n": len(series),
        "between": sum(s.low > 0 and s.high < math.inf for s in series),
        "at_least": sum(s.high == math.inf for s in series),
        "at_most": sum(s.low == 0 for s in series),
    }
    statistics = {
        "bias": (Sobriety.errors, np.mean),
        "mae": (Sobriety.magnitudes, np.mean),
        "rmse": (Sobriety.magnitudes, lambda drawn: np.sqrt((drawn**2).mean())),
    }
    for name, (limits, statistic) in statistics.items():
        for index, (end, side) in enumerate([("least", "low"), ("most", "high")]):
            ends = [np.array([limits(s)[index] for s in own]) for own in subjects]
            value = finite(float(statistic(np.concatenate(ends))))
            row[f"{name}_{end}"] = value
            drawn = None if value is None else interval(name, ends, statistic)[f"{name}_{side}"]
            row[f"{name}_{side}"] = drawn
    for name, limits in (("median", Sobriety.errors), ("median_abs_error", Sobriety.magnitudes)):
        for index, end in enumerate(["least", "most"]):
            row[f"{name}_{end}"] = finite(float(np.median([limits(s)[index] for s in series])))
    return row


def gathered(found: list[Outcome], errors_of: Callable[[Outcome], list[float]]) -> MethodErrors:
    """Errors of all occasions of a subject together, for subjects and methods that have any."""
    errors: MethodErrors = {name: {} for name in METHODS}
    for outcome in found:
        for error in errors_of(outcome):
            errors[outcome.method].setdefault(outcome.series.subject, []).append(error)
    return errors


def method_rows(group: Group) -> list[Row]:
    """How each method does."""
    return [
        group.name | {"r_factor": method, "subjects": len(by_subject)} | described(by_subject)
        for method, by_subject in group.errors.items()
        if by_subject
    ]


def described(by_subject: dict[str, list[float]]) -> Row:
    """All errors together."""
    subjects = [np.array(errors) for errors in by_subject.values()]
    errors = np.concatenate(subjects)
    bias = float(errors.mean())
    sd = deviation_of_one(subjects) if len(subjects) > 1 else None
    return {
        "n": len(errors),
        "bias": bias,
        "mae": float(np.abs(errors).mean()),
        "rmse": float(np.sqrt((errors**2).mean())),
        "median": float(np.median(errors)),
        "loa_low": None if sd is None else bias - 1.96 * sd,
        "loa_high": None if sd is None else bias + 1.96 * sd,
        **interval("bias", subjects, np.mean),
        **interval("mae", subjects, lambda drawn: np.abs(drawn).mean()),
        **interval("rmse", subjects, lambda drawn: np.sqrt((drawn**2).mean())),
    }


def deviation_of_one(subjects: list[np.ndarray]) -> float:
    """The standard deviation of a single error of a new subject.

    Errors have the covariance a G + b I, G being 1 within subjects. For a projection P the expected
    e'P e is a trace(P G) + b trace(P), apart from the mean, which both projections here remove.
    """
    errors = np.concatenate(subjects)
    member = np.repeat(np.eye(len(subjects)), [len(own) for own in subjects], axis=0)
    n = len(errors)
    same = member @ member.T
    centred = np.eye(n) - np.full((n, n), 1 / n)
    within = np.eye(n) - member @ np.diag(1 / member.sum(axis=0)) @ member.T
    if n == len(subjects):
        return math.sqrt(errors @ centred @ errors / (n - 1))
    rows = [[np.trace(p @ same), np.trace(p)] for p in (centred, within)]
    sums = [errors @ p @ errors for p in (centred, within)]
    between, rest = np.linalg.solve(rows, sums)
    return math.sqrt(max(0.0, between) + rest)


def interval(
    name: str, subjects: list[np.ndarray], statistic: Callable[[np.ndarray], float]
) -> Row:
    """The interval of a statistic over the subjects; blank for fewer than 2.

    Expanded percentiles (Hesterberg 2015), or below FEWEST_DRAWN subjects Student's t with the
    jackknife, here by pseudo-values: their mean is the statistic less its bias, their SD the same.
    """
    columns = (f"{name}_low", f"{name}_high")
    n = len(subjects)
    if n < 2:
        return dict.fromkeys(columns)
    t = stats.t.ppf((1 + LEVEL) / 2, n - 1)
    if n < FEWEST_DRAWN:
        everybody = statistic(np.concatenate(subjects))
        without = [statistic(np.concatenate(subjects[:i] + subjects[i + 1 :])) for i in range(n)]
        pseudo = n * everybody - (n - 1) * np.array(without)
        reach = t * stats.sem(pseudo)
        low = everybody - reach
        ends = [max(0.0, low) if name in ("mae", "rmse") else low, everybody + reach]
    else:
        tail = stats.norm.cdf(-math.sqrt(n / (n - 1)) * t)
        bits = twister(SEED)
        draws = [[subjects[below(bits, n)] for _ in range(n)] for _ in range(REPLICATES)]
        values = [statistic(np.concatenate(draw)) for draw in draws]
        ends = np.quantile(values, [tail, 1 - tail]).tolist()
    return dict(zip(columns, map(float, ends), strict=True))


def pair_rows(group: Group | SobrietyGroup) -> list[Row]:
    """Every two methods that have a subject in common."""
    pairs = [pair for pair in combinations(METHODS, 2) if group.subjects_with(*pair)]
    differences = [np.subtract(*group.mean_absolute_errors(*pair).T) for pair in pairs]
    for values in differences:
        require_apart(np.append(np.abs(values[values != 0]), 0))
    p_values = [wilcoxon_p(values) for values in differences]
    limits = [group.limits(*pair) for pair in pairs]
    return [
        group.name
        | {
            "r_factor_a": first,
            "r_factor_b": second,
            "subjects": len(values),
            "mae_difference": float(values.mean()),
            "mae_difference_least": least,
            "mae_difference_most": most,
            **interval("difference", np.split(values, len(values)), np.mean),
            "wilcoxon_p": p,
        }
        for (first, second), values, p, (least, most) in zip(
            pairs, differences, p_values, limits, strict=True
        )
    ]


def all_pair_rows(groups: list[Group | SobrietyGroup]) -> list[Row]:
    """The pairs of all groups, with Holm's correction for all pairs of a study together."""
    rows = [row for group in groups for row in pair_rows(group)]
    for study in dict.fromkeys(row["study"] for row in rows):
        family = [row for row in rows if row["study"] == study]
        p_values = [row["wilcoxon_p"] for row in family]
        for row, holm in zip(family, adjusted(p_values), strict=True):
            row["holm_p"] = holm
    return rows


def wilcoxon_p(values: np.ndarray) -> float | None:
    """The p of Wilcoxon's test; None where all differences are 0."""
    return float(stats.wilcoxon(values).pvalue) if np.any(values != 0) else None


def adjusted(p_values: list[float | None]) -> list[float | None]:
    """Holm's correction: the largest of p_j times the number of values from p_j up, over p_j <= p.

    Where all differences are 0 there is no p; it counts as 1, and has no corrected one.
    """
    known = np.array([1.0 if p is None else p for p in p_values])
    bounds = np.array([(known >= p).sum() * p for p in known])
    return [None if p is None else min(1.0, float(bounds[known <= p].max())) for p in p_values]


def friedman_rows(group: Group | SobrietyGroup) -> list[Row]:
    """The tests of methods that have errors for everybody, and of all methods if these are more."""
    methods = [method for method, by_subject in group.errors.items() if by_subject]
    everybody = {subject for by_subject in group.errors.values() for subject in by_subject}
    for_all = [method for method in methods if group.errors[method].keys() == everybody]
    sets = [methods] if methods == for_all else [for_all, methods]
    return [row for chosen in sets for row in friedman_row(group, chosen, len(everybody))]


def friedman_row(group: Group | SobrietyGroup, methods: list[str], everybody: int) -> list[Row]:
    """The test of some methods, where at least two subjects have errors by all of them."""
    blocks = group.mean_absolute_errors(*methods)
    if len(methods) < 3 or len(blocks) < 2:
        return []
    for block in blocks:
        require_apart(np.append(block[block != 0], 0))
    return [group.name | tested(blocks, everybody)]


def tested(blocks: np.ndarray, everybody: int) -> Row:
    """Friedman's test of some blocks, a column for each method."""
    test = stats.friedmanchisquare(*blocks.T)
    ranks = stats.rankdata(blocks, axis=1).mean(axis=0)
    return {
        "subjects": len(blocks),
        "subjects_with_errors": everybody,
        "mean_ranks": " ".join(repr(rank) for rank in ranks.tolist()),
        "friedman_chi2": float(test.statistic),
        "df": blocks.shape[1] - 1,
        "friedman_p": float(test.pvalue),
    }


# What errors say beyond their bias

FEWEST_SUBJECTS = 5
"""Fewer say nothing of people."""

FEWEST_SHOWN = 3
"""A mean over fewer subjects would be a row of people."""

EDGES = {
    "time_min": np.array([0, 30, 60, 90, 120, 180, 240, 360, 480, np.inf]),
    "predicted_g_per_kg": np.array([0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.5, np.inf]),
}
"""The ranges that errors are sorted into."""


@dataclass(frozen=True)
class ErrorList:
    """The errors of one method in a study, with what they are set against."""

    name: Row
    subjects: np.ndarray
    occasions: np.ndarray
    errors: np.ndarray
    places: dict[str, np.ndarray]

    def per_subject(self, values: np.ndarray) -> np.ndarray:
        """The sums of some values over each subject."""
        return np.array([values[self.subjects == s].sum(axis=0) for s in np.unique(self.subjects)])

    def rows(self) -> list[Row]:
        """The three tests."""
        tests = [self.correlation(), *(self.trend(axis) for axis in EDGES)]
        return [self.name | test for test in tests]

    def correlation(self) -> Row:
        """The correlation of neighbours about the bias, with its interval between subjects."""
        centred = self.errors - self.errors.mean()
        same = (self.subjects[1:] == self.subjects[:-1]) & (self.occasions[1:] == self.occasions[:-1])
        products = np.where(same, centred[1:] * centred[:-1], 0)
        squares = np.where(same, (centred[1:] ** 2 + centred[:-1] ** 2) / 2, 0)
        owners = replace(self, subjects=self.subjects[1:])
        ratio, reach, count = ratio_of(owners.per_subject(products), owners.per_subject(squares))
        expected = -1 / (len(centred) - 1)
        t = abs(ratio - expected) / reach
        return {
            "test": "lag1_autocorrelation",
            "subjects": count,
            "value": ratio,
            "low": max(-1.0, ratio - stats.t.ppf((1 + LEVEL) / 2, count - 1) * reach),
            "high": min(1.0, ratio + stats.t.ppf((1 + LEVEL) / 2, count - 1) * reach),
            "expected": expected,
            "trend_p": 2 * float(stats.t.sf(t, count - 1)),
        }

    def trend(self, axis: str) -> Row:
        """Hotelling's test that the subjects' sums with slope and curvature have no mean."""
        x = self.places[axis]
        shapes = np.linalg.qr(np.vander(x / x.max(), 3, increasing=True))[0][:, 1:]
        centred = self.errors - self.errors.mean()
        sums = self.per_subject(shapes * centred[:, None])
        m, k = sums.shape
        mean = sums.mean(axis=0)
        square = m * mean @ np.linalg.solve(np.cov(sums.T), mean)
        statistic = float((m - k) / (k * (m - 1)) * square)
        return {
            "test": {"time_min": "trend_over_time"}.get(axis, "trend_over_concentration"),
            "subjects": m,
            "value": statistic,
            "low": None,
            "high": None,
            "expected": None,
            "trend_p": float(stats.f.sf(statistic, k, m - k)),
        }

    def bin_rows(self) -> list[Row]:
        """The mean errors of the ranges that enough subjects have readings in."""
        return [
            self.name | {"axis": axis, "from": float(low)} | row
            for axis, edges in EDGES.items()
            for low, high in pairwise(edges)
            if (row := self.bin_row((self.places[axis] >= low) & (self.places[axis] < high)))
        ]

    def bin_row(self, chosen: np.ndarray) -> Row | None:
        """The mean of some errors with its interval between subjects."""
        own = replace(self, subjects=self.subjects[chosen])
        if len(np.unique(own.subjects)) < FEWEST_SHOWN:
            return None
        errors = self.errors[chosen]
        mean, reach, count = ratio_of(own.per_subject(errors), own.per_subject(np.ones(len(errors))))
        t = stats.t.ppf((1 + LEVEL) / 2, count - 1)
        return {
            "readings": len(errors),
            "subjects": count,
            "mean": mean,
            "low": mean - t * reach,
            "high": mean + t * reach,
        }


def ratio_of(above: np.ndarray, below: np.ndarray) -> tuple[float, float, int]:
    """The ratio of two sums over subjects, its standard error between them, and how many they are."""
    above, below = above[below > 0], below[below > 0]
    ratio = above.sum() / below.sum()
    residuals = above - ratio * below
    m = len(above)
    # Residuals add up to nothing.
    return float(ratio), float(math.sqrt(m) * residuals.std(ddof=1) / below.sum()), m


def error_lists(study: str, found: list[Outcome]) -> list[ErrorList]:
    """The errors of each method that has some of enough subjects."""
    lists = []
    for method in METHODS:
        own = [outcome for outcome in found if outcome.method == method]
        if len({outcome.series.subject for outcome in own}) < FEWEST_SUBJECTS:
            continue
        own.sort(key=lambda outcome: outcome.series.subject)
        counts = [len(outcome.series.times_h) for outcome in own]
        since = [o.series.times_h - o.prediction.start_h for o in own]
        lists.append(
            ErrorList(
                {"study": study, "r_factor": method},
                np.repeat([o.series.subject for o in own], counts),
                np.repeat(np.arange(len(own)), counts),
                np.concatenate([o.concentration_errors() for o in own]),
                {
                    "time_min": np.round(60 * np.concatenate(since), 6),
                    "predicted_g_per_kg": np.concatenate(
                        [o.prediction.at(o.series.times_h) for o in own]
                    ),
                },
            )
        )
    return lists


def require_apart(values: np.ndarray) -> None:
    """Raise ArithmeticError if rounding could change the ranks of some numbers."""
    ascending = np.sort(values)
    if np.any(np.diff(ascending) <= NEARLY_TIED * ascending[1:]):
        raise ArithmeticError(f"nearly tied: {ascending}")


# Tables


def row_table(folders: dict[str, Path]) -> Table:
    """A row per series and method."""
    rows = [
        {"study": study} | outcome.row()
        for study in ROWS_OF
        for outcome in outcomes(folders[study])
        if study == SHIPPED or outcome.method == ONE_METHOD
    ]
    numbers = [column for column in rows[0] if column not in ("study", *NAMES)]
    return Table("compare-rows.csv", rows, dict.fromkeys(numbers, NUMBER))


def summary_tables(folders: dict[str, Path]) -> list[Table]:
    """What sums the rows up."""
    groups = [
        group for study in SUMMARIES_OF for group in groups_of(study, outcomes(folders[study]))
    ]
    errors = [
        found for study in SUMMARIES_OF for found in error_lists(study, outcomes(folders[study]))
    ]
    exact = [group for group in groups if isinstance(group, Group)]
    times = [group for group in groups if isinstance(group, SobrietyGroup)]
    return [
        table_of("compare-methods.csv", [row for g in exact for row in method_rows(g)]),
        table_of("compare-sobriety.csv", [row for g in times for row in g.method_rows()]),
        table_of("compare-pairs.csv", all_pair_rows(groups)),
        table_of("compare-friedman.csv", [row for group in groups for row in friedman_rows(group)]),
        table_of("compare-error-tests.csv", [row for found in errors for row in found.rows()]),
        table_of("compare-error-bins.csv", [row for found in errors for row in found.bin_rows()]),
    ]


def table_of(name: str, rows: list[Row]) -> Table:
    """A table of results, each number with its tolerance."""
    tolerances = {
        column: PROBABILITY if column.endswith("_p") else NUMBER
        for column in rows[0]
        if any(isinstance(row[column], float) for row in rows)
    }
    return Table(name, rows, tolerances)


# The command's own table


def check_against(study: list[Outcome], file: TextIO) -> int:
    """Compare the command's table with this computation; the exit status."""
    expected = [outcome.row() for outcome in study]
    found = {key_of(row): row for row in csv.DictReader(file) if row["status"] == "ok"}
    if found.keys() != {key_of(row) for row in expected}:
        raise SystemExit("the table's series and methods are not those of the study")
    numbers = [column for column in expected[0] if column not in NAMES]
    differences = [
        difference(found[key_of(row)][column], row[column])
        for row in expected
        for column in numbers
    ]
    counts = [
        found[key_of(row)][column] == str(row[column])
        for row in expected
        for column in ("n", "above_dose")
    ]
    print(f"{len(differences)} numbers, largest difference {max(differences):.1e}", file=sys.stderr)
    return 0 if max(differences) <= COMMAND_TOLERANCE and all(counts) else 1


def key_of(row: Row) -> tuple[object, ...]:
    """What tells rows apart."""
    return row["subject"], row.get("occasion", ""), row["r_factor"]


def difference(found: str, expected: float | None) -> float:
    """How far a cell is from a number, relatively where the number is above 1."""
    if expected is None or not found:
        return 0.0 if expected is None and not found else math.inf
    return abs(float(found) - expected) / max(1.0, abs(expected))


def main() -> int:
    """Make the tables."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=REPOSITORY / "../shared/data", help="folder of the studies"
    )
    parser.add_argument(
        "--against", type=argparse.FileType(), help="CSV of `promille compare`, - is standard input"
    )
    parser.add_argument("study", type=Path, nargs="?", help="folder of the study of that CSV")
    options = parser.parse_args()
    if options.against:
        if not options.study:
            parser.error("--against needs the study")
        return check_against(outcomes(options.study), options.against)
    folders = {name: options.data / name for name in {*ROWS_OF, *SUMMARIES_OF}} | {
        name: NACAR.parent / name for name in (SHIPPED, MADE_UP)
    }
    return deliver([row_table(folders), *summary_tables(folders)], options)


if __name__ == "__main__":
    sys.exit(main())
