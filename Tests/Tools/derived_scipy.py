"""Intervals of derived quantities by constrained optimisation.

All three parameters are estimated. The interval of a quantity q is the range of q over the values of the
parameters, within the bounds of the command, with

    nu ln(S / S_min) <= nu ln(1 + t^2 / nu),   nu = n - 3,

S being the sum of squares of plain least squares and t the 97.5 % quantile of Student's distribution (as in
profile_ends.py; for a function of parameters: Pawitan, In All Likelihood, 2001, section 3.5). The least and
the greatest q are looked for by SLSQP from many starts in the region: no profile is walked along, and nothing
is shared with the command. S_min is that of an exhaustive search (`profile_ends.py`). S has kinks where the
curve comes to zero at a reading, at which SLSQP may stall short of an end: hence many starts, a tolerance of
0.1 %, and a second search for every end: differential evolution (Storn & Price 1997) knows neither slopes nor
constraints; what lies outside of the region is only worse the farther it is. Both answer with a point of the
region, so the farther one is the better end. Evolution falls short in long narrow regions.
Time to zero and peak are those of one bolus in closed form.

Of the zeros that end a series only the first is taken, as the command has it.
"""

import sys

import numpy as np
from scipy.optimize import brentq, differential_evolution, minimize
from scipy.stats import t as student

from expectations import REPOSITORY, Row, Table, Tolerance, deliver, new_parser
from one_bolus import BOUNDS, NAMES, OneBolus
from profile_ends import STUDY, Profiles, without_repeated_zeros
from study_folder import Series, read_study

SERIES = 6
STARTS = 24
REACH = 4.0
"""How far the population looks about the estimate, in logarithms, within the bounds; no other region is as wide."""
WALL = 1e3
"""Added outside of the region, where less is nearer to it."""
END = Tolerance(relative=1e-3)
COLUMNS = {
    f"{name}_{end}": END
    for name in ("time_to_zero_min", "peak_g_per_kg", "time_of_peak_min", "auc_g_h_per_kg")
    for end in ("low", "high")
}


class Curve:
    """The curve of one bolus at the time 0, by the logarithms of ka, beta and r."""

    def __init__(self, bolus: OneBolus):
        self.bolus = bolus

    def rss(self, logs: np.ndarray) -> float:
        ka, beta, r = np.exp(logs)
        values = -self.bolus.dose / r * np.expm1(-ka * self.bolus.times) - beta * self.bolus.times
        left = np.maximum(values, 0) - self.bolus.readings
        return float(left @ left) + self.bolus.rss_before

    def time_of_peak_h(self, logs: np.ndarray) -> float:
        ka, beta, r = np.exp(logs)
        return max(0.0, float(np.log(ka * self.bolus.dose / (r * beta)) / ka))

    def free(self, logs: np.ndarray, time: float) -> float:
        ka, beta, r = np.exp(logs)
        return float(-self.bolus.dose / r * np.expm1(-ka * time) - beta * time)

    def time_to_zero_h(self, logs: np.ndarray) -> float:
        top = self.time_of_peak_h(logs)
        last = self.bolus.dose / np.exp(logs[2] + logs[1])
        return brentq(lambda time: self.free(logs, time), top, last + 1e-9, xtol=1e-13)

    def quantity(self, name: str, logs: np.ndarray) -> float:
        if name == "peak_g_per_kg":
            return self.free(logs, self.time_of_peak_h(logs))
        if name == "time_of_peak_min":
            return 60 * self.time_of_peak_h(logs)
        end = self.time_to_zero_h(logs)
        if name == "time_to_zero_min":
            return 60 * end
        ka, beta, r = np.exp(logs)
        scale = self.bolus.dose / r
        return float(scale * (end + np.expm1(-ka * end) / ka) - beta * end**2 / 2)


def by_evolution(curve: Curve, name: str, best: np.ndarray, room, sign: int) -> float:
    """The least (sign 1) or greatest quantity in the region, by a population that knows no slopes."""

    def height(logs: np.ndarray) -> float:
        left = room(logs)
        return sign * float(np.log(curve.quantity(name, logs))) if left >= 0 else WALL - left

    lowest, highest = np.log([BOUNDS[one] for one in NAMES]).T
    around = list(zip(np.maximum(best - REACH, lowest), np.minimum(best + REACH, highest)))
    answer = differential_evolution(
        height, around, x0=best, popsize=20, maxiter=400, tol=1e-7, seed=2, polish=False
    )
    return float(np.exp(sign * answer.fun))


def row(series: Series, random: np.random.Generator) -> Row:
    """The ends for one series."""
    profiles = Profiles(OneBolus(series))
    curve = Curve(profiles.bolus)
    best = np.log([profiles.estimate.values[name] for name in NAMES])
    quantile = student.ppf(0.975, profiles.freedom)
    limit = np.log1p(quantile**2 / profiles.freedom)

    def room(logs: np.ndarray) -> float:
        return float(limit - np.log(curve.rss(logs) / profiles.estimate.rss))

    found = {"subject": series.subject, "occasion": series.occasion}
    for name in ("time_to_zero_min", "peak_g_per_kg", "time_of_peak_min", "auc_g_h_per_kg"):
        ends = {}
        for word, sign in (("low", 1), ("high", -1)):
            values = []
            for _ in range(STARTS):
                start = best + random.normal(size=3) * 0.05
                answer = minimize(
                    lambda logs: sign * np.log(curve.quantity(name, logs)), start, method="SLSQP",
                    bounds=[tuple(np.log(BOUNDS[one])) for one in NAMES],
                    constraints={"type": "ineq", "fun": room},
                    options={"ftol": 1e-12, "maxiter": 300},
                )  # fmt: skip
                if room(answer.x) > -1e-7:
                    values.append(curve.quantity(name, answer.x))
            values.append(by_evolution(curve, name, best, room, sign))
            ends[word] = (min if sign > 0 else max)(values)
        found |= {f"{name}_{word}": value for word, value in ends.items()}
    print(found, file=sys.stderr)
    return found


def main() -> int:
    """Make the table."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    study = read_study(REPOSITORY.parent / "shared" / "data" / STUDY)
    random = np.random.default_rng(1)
    rows = [row(without_repeated_zeros(series), random) for series in study[:SERIES]]
    return deliver([Table(f"derived-{STUDY}.csv", rows, COLUMNS)], options)


if __name__ == "__main__":
    sys.exit(main())
