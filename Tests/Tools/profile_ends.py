"""Ends of profile intervals where the profile has several branches, by a search that misses none.

All three parameters are estimated. A value of one is kept while

    (S - S_min) / s^2 <= t^2,   s^2 = S_min / (n - 3),

S being the least sum of squares over the other two within the bounds of the command, and t the 97.5 %
quantile of Student's distribution with n - 3 degrees of freedom (Bates, Watts, Nonlinear Regression
Analysis, 1988, section 6.1). S is searched on a grid across the whole range of one parameter, and exact
in the other (`one_bolus.py`); no descent is involved, and nothing is handed from one value to the next.
The profile is walked along from the estimate, its first crossing of the limit is found as a root, and
there descents of `least_squares` from many starts must find nothing lower.

An end is blank where the profile does not cross within the bounds, and where the crossing is the work of
the bound of another parameter: S would be lower there if the bound were farther out, or noticeably lower
if that parameter stands at the bound in the estimate as well.

Of the zeros that end a series only the first is taken, as the command has it.

The low-dose series have one drink and few readings before it is over: where the curve stops at zero
between which readings makes the branches. Seeds and truth are at `low_dose`.
"""

import sys
from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, islice
from pathlib import Path

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import t as student

from expectations import REPOSITORY, Row, Table, Tolerance, deliver, new_parser, text
from fitting import descend, start_points
from one_bolus import BOUNDS, NAMES, OneBolus, Point
from simulated_series import Simulation, every
from study_folder import Series, read_study
from wilkinson_scipy import OneCompartment

STUDY = "wilkinson-1977-oral"
LOW_DOSE = "low-dose"
LOW_DOSES = 40

FEWEST = 7
"""A low-dose series with fewer readings says too little of three parameters to be of use here."""

LEVEL = 0.95

FIRST_STEP, GROWTH, LONGEST_STEP = 0.005, 1.05, 0.1
"""Steps of the logarithm as the profile is walked along: finest next to the estimate."""

ESTIMATE_GRID = 200
"""Values of r among which the estimate is looked for."""

STARTS = 8
"""Descents, for each of two algorithms, that must find nothing below an end."""

LOWER = 1e-8
"""Relative: a sum of squares so far below another is lower."""

NOTICEABLE = 0.1
"""The part of the threshold by which a fit has to gain for a bound to be in its way."""

NEGLIGIBLE = 1e-6
"""The same for a bound at which the estimate does not stand; less is rounding."""

END = Tolerance(relative=1e-6)
COLUMN_TOLERANCES = {
    "rss": Tolerance(relative=1e-9),
    # At the minimum of a sum of squares its digits say half as much of where that is.
    **{name: Tolerance(relative=1e-5) for name in ("ka_per_h", "beta_g_per_kg_h", "r")},
    **{f"{name}_{end}": END for name in NAMES for end in ("low", "high")},
}


@dataclass(frozen=True)
class Profiles:
    """The estimate of a series, and the profiles of its parameters."""

    bolus: OneBolus

    @property
    def freedom(self) -> int:
        """Readings less parameters."""
        return len(self.bolus.series.times_h) - len(NAMES)

    @cached_property
    def estimate(self) -> Point:
        """The least sum of squares of all."""
        grid = np.linspace(*np.log(BOUNDS["r"]), ESTIMATE_GRID)
        rss = np.array([self.lowest("r", log) for log in grid])
        edges = np.concatenate([[np.inf], rss, [np.inf]])
        tops = np.flatnonzero((rss <= edges[:-2]) & (rss <= edges[2:]))
        logs = list(grid[[0, -1]])
        for top in tops:
            around = (grid[max(0, top - 1)], grid[min(len(grid) - 1, top + 1)])
            logs.append(
                minimize_scalar(
                    lambda log: self.lowest("r", log),
                    bounds=around,
                    method="bounded",
                    options={"xatol": 1e-9},
                ).x
            )
        best = min(logs, key=lambda log: self.lowest("r", log))
        return self.bolus.best({"r": float(np.exp(best))})

    @cached_property
    def threshold(self) -> float:
        """How far nu ln S may rise, which is the same as the criterion above."""
        quantile = student.ppf((1 + LEVEL) / 2, self.freedom)
        return self.freedom * float(np.log1p(quantile**2 / self.freedom))

    def lowest(self, name: str, log: float) -> float:
        """The profile of a parameter: the least sum of squares at a value of it."""
        return self.bolus.best({name: float(np.exp(log))}).rss

    def excess(self, name: str, log: float) -> float:
        """By how much nu ln S is above what is kept."""
        rise = self.freedom * np.log(self.lowest(name, log) / self.estimate.rss)
        return float(rise - self.threshold)

    def end(self, name: str, side: int) -> float | None:
        """Where the profile is first above the limit, unless a bound makes it so."""
        inside, step = np.log(self.estimate.values[name]), FIRST_STEP
        limit = np.log(BOUNDS[name][(side + 1) // 2])
        while inside != limit:
            outside = inside + side * min(step, abs(limit - inside))
            outside = limit if abs(outside - limit) < 1e-12 else outside
            if self.excess(name, outside) > 0:
                log = brentq(lambda log: self.excess(name, log), inside, outside, xtol=1e-12)
                end = self.bolus.best({name: float(np.exp(log))})
                self.confirm(name, end)
                return None if self.is_made_by_bound(name, end) else end.values[name]
            inside, step = outside, min(GROWTH * step, LONGEST_STEP)
        return None

    def confirm(self, name: str, end: Point) -> None:
        """Raise ArithmeticError if a descent ends lower, or the other model has another sum."""
        problem = OneCompartment(self.bolus.series, {name: end.values[name]})
        logs = np.log([end.values[other] for other in problem.start_box])
        if not np.isclose(problem.rss(logs), end.rss, rtol=LOWER, atol=0):
            raise ArithmeticError(f"{end} is {problem.rss(logs)} by the other model")
        for start in start_points(problem, STARTS):
            for method in ("lm", "trf"):
                found = descend(problem, start, method)
                values = dict(zip(problem.start_box, np.exp(found)))
                within = all(
                    BOUNDS[other][0] <= value <= BOUNDS[other][1]
                    for other, value in values.items()
                )
                if within and problem.rss(found) < end.rss * (1 - LOWER):
                    raise ArithmeticError(f"{values} is {problem.rss(found)}, below {end}")

    def is_made_by_bound(self, name: str, end: Point) -> bool:
        """Whether the bound of another parameter keeps the sum of squares up at an end."""
        for other, side in end.at_bounds(BOUNDS):
            if other == name:
                continue
            low, high = BOUNDS[other]
            farther = (low / np.e, high) if side < 0 else (low, high * np.e)
            freed = self.bolus.best({name: end.values[name]}, BOUNDS | {other: farther})
            gain = self.freedom * np.log(end.rss / freed.rss)
            anyway = (other, side) in self.estimate.at_bounds(BOUNDS)
            if gain > (NOTICEABLE if anyway else NEGLIGIBLE) * self.threshold:
                return True
        return False


def row(series: Series) -> Row:
    """One row of a table of ends."""
    profiles = Profiles(OneBolus(series))
    estimate = profiles.estimate
    ends = {
        f"{name}_{word}": profiles.end(name, side)
        for name in NAMES
        for word, side in (("low", -1), ("high", 1))
    }
    found = {
        "subject": series.subject,
        "occasion": series.occasion,
        "n": len(series.times_h),
        "ka_per_h": estimate.values["ka"],
        "beta_g_per_kg_h": estimate.values["beta"],
        "r": estimate.values["r"],
        "rss": estimate.rss,
        **ends,
    }
    print(*(text(value) for value in found.values()), sep=",", file=sys.stderr)
    return found


def without_repeated_zeros(series: Series) -> Series:
    """The series less the zeros at its end but the first."""
    measured = np.flatnonzero(series.readings_g_per_kg)
    end = measured[-1] + 2 if len(measured) else 1
    return replace(
        series,
        times_h=series.times_h[:end],
        readings_g_per_kg=series.readings_g_per_kg[:end],
    )


def low_dose(seed: int) -> Simulation:
    """11 to 22 g of ethanol for 70 kg, and a reading every half hour until an hour after the end."""
    random = np.random.RandomState(seed)
    dose = round(random.uniform(11, 22) / 70, 4)
    ka = round(float(np.exp(random.normal(np.log(3), 0.5))), 2)
    beta = round(float(np.clip(random.normal(0.15, 0.025), 0.09, 0.25)), 3)
    r = round(random.uniform(0.5, 0.8), 2)
    last = 30 * round(2 * dose / r / beta) + 60
    return Simulation(
        f"low-{seed}",
        seed,
        dose,
        ka,
        beta,
        r,
        every(30, last),
        sd_g_per_kg=0.015,
        resolution_g_per_kg=0.001,
    )


def low_dose_series(first_seed: int, number: int) -> list[Series]:
    """The first series from a seed on that have readings enough."""
    made_up = (one.series(one.readings()) for one in map(low_dose, count(first_seed)))
    return list(islice(filter(has_enough, made_up), number))


def has_enough(series: Series) -> bool:
    """Whether there are readings enough for an interval."""
    return len(without_repeated_zeros(series).times_h) >= FEWEST


def low_dose_table(made_up: list[Series]) -> Table:
    """One row per reading; the drink is a bolus at the time 0."""
    rows: list[Row] = [
        {
            "subject": series.subject,
            "dose_g_per_kg": series.drinks[0].dose_g_per_kg,
            "time_min": round(time * 60),
            "bac_g_per_kg": float(reading),
        }
        for series in made_up
        for time, reading in zip(series.times_h, series.readings_g_per_kg)
    ]
    return Table(f"{LOW_DOSE}-series.csv", rows)


def ends_table(name: str, study: list[Series]) -> Table:
    """The table of the ends of a study."""
    print(name, file=sys.stderr)
    with ProcessPoolExecutor() as workers:
        rows = list(workers.map(row, map(without_repeated_zeros, study)))
    return Table(f"profile-ends-{name}.csv", rows, COLUMN_TOLERANCES)


def parsed_arguments() -> Namespace:
    """The options all makers share, where the study is, and which series to make up."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=REPOSITORY / "../shared/data", help="folder of the study"
    )
    parser.add_argument("--first-seed", type=int, default=1, help="of the low-dose series")
    parser.add_argument("--series", type=int, default=LOW_DOSES, help="how many of them")
    return parser.parse_args()


def main() -> int:
    """Both tables, or that of the made-up series alone where the study is not there."""
    options = parsed_arguments()
    made_up = low_dose_series(options.first_seed, options.series)
    tables = [low_dose_table(made_up), ends_table(LOW_DOSE, made_up)]
    if (options.data / STUDY).exists():
        tables.append(ends_table(STUDY, read_study(options.data / STUDY)))
    else:
        print(f"{options.data / STUDY} is not there and is left out", file=sys.stderr)
    return deliver(tables, options)


if __name__ == "__main__":
    sys.exit(main())
