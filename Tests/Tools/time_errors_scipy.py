#!/usr/bin/env python3
"""How far predicted times to sobriety are off, estimated from measured times that are known between limits only.

    python3 Tests/Tools/time_errors_scipy.py [--check] [--data FOLDER] [--against PROMILLE]

The measured time T lies between two readings, after the last, or before the first; P is the predicted time. Two
descriptions of the errors are fitted by maximum likelihood of these limits (Peto 1973), all series of a method
together: Y = ln(P/T) is normal, or E = P - T in minutes is. Errors in minutes come from the likelier one
(time_errors_coverage.py shows why). Mean absolute errors and shares within some percent are expectations between the
limits, in closed form; SciPy's adaptive quadrature must agree. Nelder and Mead find the maximum from logarithms of
tail areas; --verify compares it with lifelines. Where one point is within all limits, the likelihood is largest at an
SD of 0: mean and SD are then those of the middles, in draws too, and nothing is estimated if these are all the same.

P = 0 has no Y, and neither has who was not above the threshold at a first reading within an hour of the first drink,
whose T may be 0. Such a series enters neither fit and counts as 100 % off; in minutes it counts with the mean of E
between its limits. If T may be 0 too, the prediction was right and the series is left out.

Intervals over people refit every draw by Newton's method in (mu/s, 1/s), in which the likelihood is concave (Burridge
1981), and choose the description anew. From 8 people on they are expanded percentiles of 2000 draws (Hesterberg 2015)
with the random numbers of statistics_scipy.py, expanded for the number of people who have a time between two
readings. If everybody drawn was above the threshold to the end, the error is unlimited; other draws without an
estimate are left out. Below 8 people they are Student's with the jackknife over people, above 200 people over 100
groups. mu and the logarithms of mean absolute errors get the interval, which is then transformed. Below 8 people a mean
absolute error is at most the upper limit of the mean of the larger ends of each |error|.

The nonparametric median is Turnbull's (1976), by self-consistency on a dense matrix. The script stops unless it finds
the published distribution of the breast cosmesis data (Finkelstein & Wolfe 1985).

Predicted times are found by Brent's method on the curve of one_compartment.py, with the typical k_a, beta and lag of
somebody fasted and B = 0.80.

- time-errors-intervals.csv: made-up limits: narrow ones, few people, ties, censored on either side, all overlapping,
  P = 0 among them, all later than the last reading, more than 200 people.
- time-errors.csv: what follows from them, and of the studies that ship.
- time-errors-wilkinson-1977-oral.csv: of a study that does not ship, where it is beside the checkout.

Where the limits determine no estimate, `why` says so. Both likelihoods are of the same limits.

With --against it compares with the command's own tables, of studies and, as --predictions, of the made-up limits.
"""

import csv
import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import priors
from scipy import integrate, optimize, special, stats

from expectations import EXPECTATIONS, NACAR, REPOSITORY, Row, Table, Tolerance, deliver, new_parser
from expectations import read_rows
from one_compartment import Parameters, concentration
from r_factors import METHODS
from statistics_scipy import FEWEST_DRAWN, below, twister
from study_folder import BLOOD_DENSITY_KG_PER_L, TO_G_PER_KG, Series, read_study

FASTED = priors.read(REPOSITORY / "datasets" / "priors" / "fasted.json")
KA_PER_H = FASTED["typical"]["ka"]
LAG_H = FASTED["typical"]["lag"] / 60
BETA_G_PER_KG_H = {
    "male": FASTED["typical"]["beta"],
    "female": FASTED["typical"]["beta"] * math.exp(FASTED["covariates"]["beta,sex"]["coefficient"]),
}
WATSON_B = 0.844 / 0.80

SEED = 1
REPLICATES = 2000
LEVEL = 0.95
MOST_DRAWN = 200
GROUPS = 100
FEWEST_INFORMED = 3
WITHIN = (10, 20, 30)

EARLIEST_RETURN_MIN = 60
"""Nobody is above a threshold and below it again within this time of the first drink."""

SAME = 1e-7
ALMOST_ZERO = 1e-9
"""The SD where one point is between all limits."""
NUMBER = Tolerance(relative=1e-6, absolute=1e-6)
"""To where optimisers come."""
END = Tolerance(relative=1e-5, absolute=1e-4)


@dataclass(frozen=True)
class One:
    """What is known of one series: minutes since the first drink."""

    person: str
    predicted: float
    low: float
    high: float

    @property
    def kind(self) -> str:
        if self.high == math.inf:
            return "at_least"
        return "between" if self.low > 0 else "at_most"


# Fits


def log_area(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The logarithm of the area of the standard normal density between limits, in the nearer tail."""
    flip = low > 0
    a, b = np.where(flip, -high, low), np.where(flip, -low, high)
    large, small = special.log_ndtr(b), special.log_ndtr(a)
    with np.errstate(divide="ignore", invalid="ignore"):
        return large + np.log(-np.expm1(small - large))


def fit(low: np.ndarray, high: np.ndarray) -> tuple[float, float, float] | str:
    """Mean, SD and log likelihood of the normal distribution, or why there is none."""
    if not len(low):
        return "nothing to fit"
    if np.max(low) < np.min(high):
        # The likelihood is 1 for an SD of 0 anywhere between all limits.
        a, b = np.max(low), np.min(high)
        return ((a + b) / 2, ALMOST_ZERO, 0.0) if math.isfinite(a + b) else "all limits are on one side"
    ends = np.concatenate([low[np.isfinite(low)], high[np.isfinite(high)]])
    middle = np.where(np.isfinite(low + high), (low + high) / 2, np.where(np.isfinite(low), low, high))
    spread = max(np.std(middle), np.ptp(ends) / 100)

    def loss(point: np.ndarray) -> float:
        sd = spread * math.exp(point[1])
        mean = middle.mean() + spread * point[0]
        value = -log_area((low - mean) / sd, (high - mean) / sd).sum()
        return value if math.isfinite(value) else 1e300

    best = np.zeros(2)
    for _ in range(4):
        options = {"xatol": 1e-12, "fatol": 1e-14, "maxiter": 4000, "maxfev": 8000}
        best = optimize.minimize(loss, best, method="Nelder-Mead", options=options).x
    if best[1] > 8:
        return "the SD has no upper limit"
    return middle.mean() + spread * best[0], spread * math.exp(best[1]), -loss(best)


def fits(low: np.ndarray, high: np.ndarray, weights: np.ndarray, start: tuple[float, float]) -> np.ndarray:
    """Mean, SD and log likelihood for each row of weights; not a number where there is none.

    Newton's method with halved steps for a = mean / SD and t = 1 / SD.
    """
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    l, h = np.where(has_low, low, 0.0), np.where(has_high, high, 0.0)
    a = np.full(len(weights), start[0] / start[1])
    t = np.full(len(weights), 1 / start[1])

    def z(a: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (
            np.where(has_low, l * t[:, None] - a[:, None], -np.inf),
            np.where(has_high, h * t[:, None] - a[:, None], np.inf),
        )

    def value(a: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.where(weights > 0, weights * log_area(*z(a, t)), 0).sum(axis=1)

    now = value(a, t)
    for _ in range(100):
        zl, zh = z(a, t)
        area = log_area(zl, zh)
        dl = np.where(has_low, np.exp(stats.norm.logpdf(np.where(has_low, zl, 0)) - area), 0)
        dh = np.where(has_high, np.exp(stats.norm.logpdf(np.where(has_high, zh, 0)) - area), 0)
        zl, zh = np.where(has_low, zl, 0), np.where(has_high, zh, 0)
        ga, gt = dl - dh, h * dh - l * dl
        haa = zl * dl - zh * dh - ga**2
        htt = l * l * zl * dl - h * h * zh * dh - gt**2
        hat = h * zh * dh - l * zl * dl - ga * gt
        ga, gt, haa, htt, hat = (np.where(weights > 0, weights * x, 0).sum(axis=1) for x in (ga, gt, haa, htt, hat))
        with np.errstate(divide="ignore", invalid="ignore"):
            det = haa * htt - hat * hat
            sa, st = (hat * gt - htt * ga) / det, (hat * ga - haa * gt) / det
        factor = np.ones(len(weights))
        active = np.isfinite(sa + st)
        sa, st = np.where(active, sa, 0), np.where(active, st, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(st < 0, np.minimum(1, 0.9 * t / -st), 1)
        for _ in range(40):
            then = value(a + factor * sa, t + factor * st)
            worse = ~(then >= now - 1e-13 * np.abs(now))
            if not worse.any():
                break
            factor = np.where(worse, factor / 2, factor)
        factor = np.where(worse, 0, factor)
        a, t = a + factor * sa, t + factor * st
        now = np.where(worse, now, then)
        if np.all(factor * np.abs(ga * sa + gt * st) < 1e-20 * (1 + np.abs(now))):
            break
    found = np.column_stack([a / t, 1 / t, now])
    found[~np.isfinite(found).all(axis=1) | (found[:, 1] > 1e4 * start[1])] = np.nan
    top = np.where(weights > 0, low, -np.inf).max(axis=1, initial=-np.inf)
    bottom = np.where(weights > 0, high, np.inf).min(axis=1, initial=np.inf)
    # Where limits just touch, too, the likelihood is largest for an SD of 0.
    overlap = top <= bottom
    with np.errstate(invalid="ignore"):
        middle = (top + bottom) / 2
    found[overlap] = np.nan
    found[overlap & np.isfinite(middle), 0] = middle[overlap & np.isfinite(middle)]
    found[overlap & np.isfinite(middle), 1:] = ALMOST_ZERO, 0.0
    below, above = (
        np.where(ends == place[:, None], weights, 0).sum(axis=1) for ends, place in ((high, top), (low, top))
    )
    touching = top == bottom
    found[touching, 2] = (
        special.xlogy(below, below / (below + above)) + special.xlogy(above, above / (below + above))
    )[touching]
    return found


def of_middles(low: np.ndarray, high: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean and SD of the middles for each row of weights, with the log likelihood of the limits."""
    middle, shares = (low + high) / 2, weights / weights.sum(axis=1)[:, None]
    mean = shares @ middle
    sd = np.sqrt((shares * (middle - mean[:, None]) ** 2).sum(axis=1)).clip(ALMOST_ZERO)
    z = [(end - mean[:, None]) / sd[:, None] for end in (low, high)]
    return np.column_stack([mean, sd, (weights * log_area(*z)).sum(axis=1)])


# Expectations between limits


def expected(function, low: float, high: float, mean: float, sd: float, kinks=()) -> float:
    """The mean of a function of a normal number, given its limits; by quadrature."""
    a, b = max(low, mean - 40 * sd), min(high, mean + 40 * sd)
    if a >= b:
        a, b = (low, min(high, low + sd)) if low > mean else (max(low, high - sd), high)
    # Where the density is largest; beyond 12 SD from there is nothing.
    peak = min(max(mean, a), b)
    a, b = max(a, peak - 12 * sd), min(b, peak + 12 * sd)
    scale = -0.5 * ((peak - mean) / sd) ** 2
    density = lambda x: math.exp(-0.5 * ((x - mean) / sd) ** 2 - scale)
    points = sorted({a, b, *(k for k in (peak, *kinks, peak - sd, peak + sd) if a < k < b)})
    total = area = 0.0
    for start, end in zip(points, points[1:]):
        total += integrate.quad(lambda x: function(x) * density(x), start, end, epsrel=1e-11, limit=200)[0]
        area += integrate.quad(density, start, end, epsrel=1e-11, limit=200)[0]
    return total / area


def expected_magnitude(low, high, mean, sd):
    """The mean of |x| for normal x between limits, in closed form; arrays, scaled to stay in range."""
    return moment(np.maximum(low, 0), np.maximum(high, 0), low, high, mean, sd) - moment(
        np.minimum(low, 0), np.minimum(high, 0), low, high, mean, sd
    )


def moment(a, b, low, high, mean, sd):
    """The mean of x where it is between a and b, and 0 elsewhere, given that it is between low and high."""
    z = lambda x: (x - mean) / sd
    whole = log_area(z(low), z(high))
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        inside = np.where(b > a, np.exp(log_area(z(a), z(b)) - whole), 0)
        edge = lambda x: np.where(
            np.isfinite(x), np.exp(stats.norm.logpdf(z(np.where(np.isfinite(x), x, 0))) - whole), 0
        )
        return np.where(b > a, mean * inside + sd * (edge(a) - edge(b)), 0)


def expected_exponential(a, b, low, high, mean, sd):
    """The mean of exp(x) where it is between a and b, and 0 elsewhere, given that x is between low and high."""
    z = lambda x: (x - mean) / sd
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        log = mean + sd**2 / 2 + log_area(z(a) - sd, z(b) - sd) - log_area(z(low), z(high))
        return np.where(b > a, np.exp(log), 0)


def area_share(a, b, low, high, mean, sd):
    """The probability to be between a and b, given that x is between low and high."""
    z = lambda x: (x - mean) / sd
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(b > a, np.exp(log_area(z(a), z(b)) - log_area(z(low), z(high))), 0)


def expected_distance(low, high, mean, sd):
    """The mean of |exp(x) - 1|."""
    up, down = (np.maximum(low, 0), np.maximum(high, 0)), (np.minimum(low, 0), np.minimum(high, 0))
    return (
        expected_exponential(*up, low, high, mean, sd) - area_share(*up, low, high, mean, sd)
        + area_share(*down, low, high, mean, sd) - expected_exponential(*down, low, high, mean, sd)
    )  # fmt: skip


# The table of one method


class Limits:
    """The series of one method as arrays."""

    def __init__(self, series: list[One]):
        self.people = list(dict.fromkeys(one.person for one in series))
        self.person = np.array([self.people.index(one.person) for one in series])
        self.predicted = np.array([one.predicted for one in series])
        low, high = (np.array([getattr(one, end) for one in series]) for end in ("low", "high"))
        self.e_low, self.e_high = self.predicted - high, self.predicted - low
        # Below the threshold within an hour: nobody was above it, and there is no ratio.
        self.above = (self.predicted > 0) & ~((low == 0) & (high <= EARLIEST_RETURN_MIN))
        self.fitted = self.above if self.above.any() else ~self.above
        between = (low > 0) & np.isfinite(high)
        self.by_middles = False
        self.informed = len({one.person for one, is_known in zip(series, between) if is_known})
        with np.errstate(divide="ignore", invalid="ignore"):
            self.y_low, self.y_high = np.log(self.predicted / high), np.log(self.predicted / low)

    def y(self) -> tuple[np.ndarray, np.ndarray]:
        return self.y_low[self.above], self.y_high[self.above]

    def e(self) -> tuple[np.ndarray, np.ndarray]:
        return self.e_low[self.fitted], self.e_high[self.fitted]

    def statistics(self, weights: np.ndarray, ratio: np.ndarray, minutes: np.ndarray) -> np.ndarray:
        """For each row of weights: mu, the mean error in min, the mean absolute ones in min and percent."""
        column = lambda fits, i: fits[:, i][:, None]
        m, q = column(minutes, 0), column(minutes, 1)
        limits = self.e_low, self.e_high
        by_minutes = moment(*limits, *limits, m, q), expected_magnitude(*limits, m, q)
        by_ratio = [values.copy() for values in by_minutes]
        mu, s = column(ratio, 0), column(ratio, 1)
        late, distance = (-self.y()[1], -self.y()[0]), np.ones(weights.shape)
        predicted = self.predicted[self.above]
        by_ratio[0][:, self.above] = predicted * (1 - expected_exponential(*late, *late, -mu, s))
        by_ratio[1][:, self.above] = predicted * expected_distance(*late, -mu, s)
        distance[:, self.above] = expected_distance(*self.y(), mu, s)
        is_ratio = column(ratio, 2) >= column(minutes, 2)
        w = weights / weights.sum(axis=1)[:, None]
        mean = lambda values: np.where(w > 0, w * values, 0).sum(axis=1)
        better = [mean(np.where(is_ratio, a, b)) for a, b in zip(by_ratio, by_minutes)]
        return np.column_stack([ratio[:, 0], *better, 100 * mean(distance)])

    def refitted(self, people: np.ndarray, start: tuple) -> np.ndarray:
        """The same with logarithms of absolute errors, for each row of how often each person is drawn."""
        weights = people[:, self.person].astype(float)
        own = weights[:, self.fitted]
        if self.by_middles:
            ratio, minutes = of_middles(*self.y(), own), of_middles(*self.e(), own)
        else:
            ratio, minutes = fits(*self.y(), own, start[0][:2]), fits(*self.e(), own, start[1][:2])
        found = self.statistics(weights, ratio, minutes)
        found[:, 2:] = np.log(found[:, 2:])
        found[np.isnan(ratio).any(axis=1) | np.isnan(minutes).any(axis=1)] = np.nan
        found[np.where(own > 0, np.isneginf(self.e()[0]), True).all(axis=1)] = -np.inf, -np.inf, np.inf, math.log(100)
        return found


@cache
def draws(n: int) -> np.ndarray:
    """How often each of n people is drawn, replicate by replicate."""
    bits = twister(SEED)
    return np.array([np.bincount([below(bits, n) for _ in range(n)], minlength=n) for _ in range(REPLICATES)])


def intervals(n: int, informed: int, whole: np.ndarray, refitted) -> list[tuple[float, float] | None]:
    """The interval of each statistic over n people; None where there is none, infinite where it has no end."""
    nothing = [None] * len(whole)
    if n < 2 or informed < min(n, FEWEST_INFORMED):
        return nothing
    if n < FEWEST_DRAWN or n > MOST_DRAWN:
        groups = min(n, GROUPS) if n > MOST_DRAWN else n
        without = refitted(np.array([[float(i % groups != g) for i in range(n)] for g in range(groups)]))
        if not np.isfinite(without).all():
            return nothing
        reach = student(groups) * (groups - 1) / math.sqrt(groups) * without.std(axis=0, ddof=1)
        return [(value - r, value + r) for value, r in zip(whole, reach)]
    found = refitted(draws(n))
    found = found[~np.isnan(found[:, 0])]
    if 2 * len(found) < REPLICATES:
        return nothing
    tail = stats.norm.cdf(-math.sqrt(informed / (informed - 1)) * student(informed))
    low, high = np.quantile(found, [tail, 1 - tail], axis=0)
    low, high = np.where(np.isfinite(low), low, -np.inf), np.where(np.isfinite(high), high, np.inf)
    return [(a, b) if np.isfinite(a) or np.isfinite(b) else None for a, b in zip(low, high)]


def no_more_than_the_larger_ends(limits: Limits, ends: list) -> None:
    """Bound the logarithms of mean absolute errors, in min and percent, of few people."""
    n = len(limits.people)
    if n >= FEWEST_DRAWN:
        return
    percent = np.full(len(limits.person), 100.0)
    percent[limits.above] = 100 * np.maximum(*np.abs(np.expm1(limits.y())))
    for place, most in ((-2, np.maximum(np.abs(limits.e_low), np.abs(limits.e_high))), (-1, percent)):
        if ends[place] and np.isfinite(most).all():
            without = np.array([most[limits.person != i].mean() for i in range(n)])
            reach = student(n) * (n - 1) / math.sqrt(n) * without.std(ddof=1)
            ends[place] = ends[place][0], min(ends[place][1], math.log(most.mean() + reach))


def student(n: int) -> float:
    """Student's quantile for n people."""
    return float(stats.t.ppf((1 + LEVEL) / 2, n - 1))


ESTIMATES = ("bias_pct", "bias_pct_of_predicted", "bias_min", "mae_min", "mae_pct")


def summary(study: str, method: str, series: list[One], verify: bool) -> Row:
    """The row of one method."""
    kinds = [one.kind for one in series]
    row: Row = {
        "study": study, "r_factor": method, "people": len({one.person for one in series}), "series": len(series),
        **{kind: kinds.count(kind) for kind in ("between", "at_least", "at_most")},
        "predicted_never_above": sum(one.predicted == 0 and one.low > 0 for one in series),
        "agreed_never_above": sum(one.predicted == 0 and one.low == 0 for one in series),
        "why": None,
    }  # fmt: skip
    row |= dict.fromkeys(f"{name}{end}" for name in ESTIMATES for end in ("", "_low", "_high"))
    row |= dict.fromkeys(["sd_pct", *(f"within_{k}_pct" for k in WITHIN), "median_pct", "minutes_from"])
    row |= dict.fromkeys(["log_likelihood_ratio", "log_likelihood_difference"])
    telling = [one for one in series if one.predicted > 0 or one.low > 0]
    if not telling:
        return row | {"why": "nothing was above the threshold"}
    limits = Limits(telling)
    row["median_pct"] = median(limits)
    start = (fit(*limits.y()), fit(*limits.e()))
    if not limits.above.any() and not isinstance(start[1], str):
        return row | minutes_alone(limits, start[1])
    row["why"] = next((found for found in start if isinstance(found, str)), None)
    if not row["why"] and any(found is not None and found[1] == ALMOST_ZERO for found in start):
        limits.by_middles = all(np.isfinite(end).all() for end in (*limits.y(), *limits.e()))
        if limits.by_middles:
            everybody = [np.ones((1, len(ends[0]))) for ends in (limits.y(), limits.e())]
            start = tuple(tuple(of_middles(*ends, one)[0]) for ends, one in zip((limits.y(), limits.e()), everybody))
        if any(found[1] == ALMOST_ZERO for found in start):
            row["why"] = "one error fits all limits"
    if row["why"]:
        return row | {"median_pct": None}
    if verify and not limits.by_middles:
        by_lifelines(limits, start[0])
    whole = limits.statistics(np.ones((1, len(telling))), *(np.array([found]) for found in start))[0]
    by_quadrature(limits, start, whole)
    if not limits.by_middles:
        close_fits(limits, start)
    logs = np.concatenate([whole[:2], np.log(whole[2:])])
    ends = intervals(len(limits.people), limits.informed, logs, lambda people: limits.refitted(people, start))
    no_more_than_the_larger_ends(limits, ends)
    of_measured, of_predicted = (lambda y: 100 * math.expm1(y)), (lambda y: -100 * math.expm1(-y))
    picked = [(0, of_measured), (0, of_predicted), (1, float), (2, math.exp), (3, math.exp)]
    for name, (position, transform) in zip(ESTIMATES, picked, strict=True):
        row[name] = transform(float(logs[position]))
        if ends[position]:
            row[f"{name}_low"], row[f"{name}_high"] = (limit_of(transform, end) for end in ends[position])
    (mu, s, likelihood), (_, _, likelihood_of_minutes) = start
    row |= {
        "sd_pct": 100 * s, "log_likelihood_ratio": likelihood, "log_likelihood_difference": likelihood_of_minutes,
        "minutes_from": "ratio" if likelihood >= likelihood_of_minutes else "difference",
    }  # fmt: skip
    for k in WITHIN:
        a, b = math.log(1 - k / 100), math.log(1 + k / 100)
        y_low, y_high = limits.y()
        shares = area_share(np.maximum(a, y_low), np.minimum(b, y_high), y_low, y_high, mu, s)
        row[f"within_{k}_pct"] = float(100 * shares.sum() / len(telling))
    return row


def limit_of(transform, end: float) -> float | None:
    """The end of an interval; None where it has none."""
    try:
        value = transform(float(end))
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def minutes_alone(limits: Limits, found: tuple) -> Row:
    """What there is where every prediction is sobriety from the start."""
    m, q, likelihood = found

    def statistics(weights: np.ndarray) -> np.ndarray:
        fitted = fits(*limits.e(), weights, (m, q))
        sizes = expected_magnitude(*limits.e(), fitted[:, :1], fitted[:, 1:2])
        return np.column_stack(
            [fitted[:, 0], np.log(np.where(weights > 0, weights * sizes, 0).sum(axis=1) / weights.sum(axis=1))]
        )

    whole = statistics(np.ones((1, len(limits.person))))[0]
    ends = intervals(len(limits.people), limits.informed, whole, lambda people: statistics(people[:, limits.person]))
    row: Row = {f"within_{k}_pct": 0.0 for k in WITHIN} | {"mae_pct": 100.0}
    if ends[1]:
        row |= {"mae_pct_low": 100.0, "mae_pct_high": 100.0}
    row |= {"log_likelihood_difference": likelihood, "minutes_from": "difference"}
    for name, value, end, transform in zip(("bias_min", "mae_min"), whole, ends, (float, math.exp)):
        row[name] = transform(value)
        if end:
            row[f"{name}_low"], row[f"{name}_high"] = (limit_of(transform, x) for x in end)
    return row


def by_quadrature(limits: Limits, start: tuple, whole: np.ndarray) -> None:
    """Raise ArithmeticError unless expectations in closed form are those by quadrature."""
    (mu, s, likelihood), (m, q, likelihood_of_minutes) = start
    if min(s, q) == ALMOST_ZERO:
        return
    is_ratio = likelihood >= likelihood_of_minutes
    found = []
    ends = zip(limits.e_low, limits.e_high), zip(limits.y_low, limits.y_high)
    for p, above, e, y in zip(limits.predicted, limits.above, *ends):
        late = lambda x: -p * math.expm1(-x)
        by_ratio = is_ratio and above
        bias = expected(late, *y, mu, s) if by_ratio else expected(float, *e, m, q)
        mae = expected(lambda x: abs(late(x)), *y, mu, s, (0.0,)) if by_ratio else expected(abs, *e, m, q, (0.0,))
        percent = 100 * expected(lambda x: abs(math.expm1(x)), *y, mu, s, (0.0,)) if above else 100.0
        found.append((bias, mae, percent))
    for by, closed in zip(np.mean(found, axis=0), whole[1:]):
        if not math.isclose(by, closed, rel_tol=SAME, abs_tol=1e-6):
            raise ArithmeticError(f"{by} by quadrature, {closed} in closed form")


def close_fits(limits: Limits, start: tuple) -> None:
    """Raise ArithmeticError unless Newton's method from afar ends where Nelder and Mead did."""
    for (low, high), (mean, sd, value) in ((limits.y(), start[0]), (limits.e(), start[1])):
        if sd == ALMOST_ZERO:
            continue
        found = fits(low, high, np.ones((1, len(low))), (mean + sd, 2 * sd))[0]
        if not (abs(found[0] - mean) < 1e-6 * sd and abs(found[1] - sd) < 1e-6 * sd and found[2] >= value - 1e-9):
            raise ArithmeticError(f"Newton: {found}, Nelder and Mead: {mean, sd, value}")


def by_lifelines(limits: Limits, found: tuple) -> None:
    """Raise ArithmeticError if lifelines finds another log-normal distribution of T / P."""
    from lifelines import LogNormalFitter

    low, high = (np.exp(-end) for end in limits.y()[::-1])
    fitter = LogNormalFitter().fit_interval_censoring(np.maximum(low, 1e-300), high, fit_options={"tol": 1e-12})
    with np.errstate(divide="ignore"):
        low = np.log(low)
    value = log_area((low - fitter.mu_) / fitter.sigma_, (np.log(high) - fitter.mu_) / fitter.sigma_).sum()
    same = math.isclose(-fitter.mu_, found[0], abs_tol=2e-3 * found[1]) and math.isclose(
        fitter.sigma_, found[1], rel_tol=2e-3
    )
    if value > found[2] + 1e-9 or not same:
        raise ArithmeticError(f"lifelines: {-fitter.mu_}, {fitter.sigma_}, {value}; here: {found}")


# Turnbull


def turnbull(low: np.ndarray, high: np.ndarray) -> list[tuple[float, float, float]]:
    """Intervals that the distribution of greatest likelihood may put weight on, with the weights."""
    marks = sorted([(x, 0) for x in set(low)] + [(x, 1) for x in set(high)])
    cells = [(a, b) for (a, first), (b, second) in zip(marks, marks[1:]) if first == 0 and second == 1]
    holds = np.array([[l <= a and b <= h for a, b in cells] for l, h in zip(low, high)], float)
    weights = np.full(len(cells), 1 / len(cells))
    for _ in range(500_000):
        shares = holds * weights
        new = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
        settled = np.abs(new - weights).max() < 1e-14
        weights = new
        if settled:
            break
    return [(a, b, float(w)) for (a, b), w in zip(cells, weights)]


def median(limits: Limits) -> float | None:
    """The median error in percent of the measured time; None where it has one limit at most."""
    low, high = limits.y()
    if not len(low):
        return None
    heavy = [cell for cell in turnbull(low, high) if cell[2] > 1e-7]
    sums = np.cumsum([cell[2] for cell in heavy])
    first = int(np.argmax(sums >= 0.5 - 1e-7))
    a, b = heavy[first][:2]
    percent = lambda y: 100 * math.expm1(y)
    if sums[first] <= 0.5 + 1e-7 and first + 1 < len(heavy):
        a, b = heavy[first][1], heavy[first + 1][0]
    return percent((a + b) / 2) if math.isfinite(a + b) else None


RADIOTHERAPY = """
45- 6-10 0-7 46- 46- 7-16 17- 7-14 37-44 0-8 4-11 15- 11-15 22- 46- 46- 25-37 46- 26-40 46- 27-34 36-44 46- 36-48 37-
40- 17-25 46- 11-18 38- 5-12 37- 0-5 18- 24- 36- 5-11 19-35 17-25 24- 32- 33- 19-26 37- 34- 36-
"""
"""Months to the cosmetic deterioration of 46 women after radiotherapy alone (Finkelstein & Wolfe 1985)."""
PUBLISHED = [(4, 5, 0.0463), (6, 7, 0.0334), (7, 8, 0.0887), (11, 12, 0.0708), (24, 25, 0.0926), (33, 34, 0.0818),
             (38, 40, 0.1209), (46, math.inf, 0.4656)]  # fmt: skip
"""Their distribution by the R package interval (Fay & Shaw 2010, J Stat Softw 36(2)); 46 to 48 there."""


def check_turnbull() -> None:
    """Raise ArithmeticError unless the published distribution is found."""
    ends = [text.split("-") for text in RADIOTHERAPY.split()]
    low = np.array([float(a) for a, _ in ends])
    # Limits are open below: 36-44 and 44-48 have nothing in common.
    high = np.array([float(b) - 1e-6 if b else math.inf for _, b in ends])
    found = [(a, b, w) for a, b, w in turnbull(low, high) if w > 1e-6]
    for (a, b, w), (c, d, published) in zip(found, PUBLISHED, strict=True):
        if a != c or abs(w - published) > 6e-5:
            raise ArithmeticError(f"{a}-{b}: {w}, published {c}-{d}: {published}")


# Studies


@dataclass(frozen=True)
class Study:
    """A study and how it is scored."""

    name: str
    folder: Path
    threshold: float | None
    options: tuple[str, ...] = ()
    window_min: float = 0.0


def studies(data: Path) -> dict[str, list[Study]]:
    """The studies by the table that they are in."""
    breath = 2.1 / BLOOD_DENSITY_KG_PER_L
    made_up = REPOSITORY / "datasets" / "made-up-24"
    wilkinson = data / "wilkinson-1977-oral"
    shipped = [
        Study("nacar-2021", NACAR, 0.01, (), 30.0),
        Study("nacar-2021-threshold-0", NACAR, 0.0, ("--threshold", "0"), 30.0),
        Study("made-up-24", made_up, 0.02 * breath, ("--blood-breath-ratio", "2100"), 15.0),
    ]
    other = [
        Study("wilkinson-1977-oral", wilkinson, 0.1),
        Study("wilkinson-1977-oral-threshold-0.2", wilkinson, 0.2, ("--threshold", "0.2")),
    ]
    return {"time-errors.csv": shipped} | ({"time-errors-wilkinson-1977-oral.csv": other} if wilkinson.exists() else {})


def series_of(study: Study) -> dict[str, list[One]]:
    """What is known of every series, method by method."""
    TO_G_PER_KG["brac_mg_per_l"] = 2.1 / BLOOD_DENSITY_KG_PER_L
    found: dict[str, list[One]] = {}
    for series in read_study(study.folder):
        measured = measured_minutes(series, study)
        for name, method in METHODS.items():
            r = method(series.body)
            if r is None:
                continue
            r *= WATSON_B if name == "watson" else 1
            predicted = predicted_minutes(series, r, study.threshold)
            found.setdefault(name, []).append(One(series.subject, predicted, *measured))
    return found


def measured_minutes(series: Series, study: Study) -> tuple[float, float]:
    """Between what the time of sobriety is, by the readings after everything was drunk."""
    start = min(drink.start_h for drink in series.drinks)
    end = max(drink.start_h + drink.duration_h for drink in series.drinks)
    spoilt = lambda t: any(
        d.start_h <= t + 1e-9 and t < d.start_h + d.duration_h + study.window_min / 60 - 1e-9 for d in series.drinks
    )
    kept = [(t, c) for t, c in zip(series.times_h, series.readings_g_per_kg) if t > start and not spoilt(t)]
    above = [i for i, (_, c) in enumerate(kept) if c > study.threshold]
    minutes = lambda t: round(60 * (t - start), 6)
    if not above:
        return 0.0, minutes(next(t for t, _ in kept if t >= end))
    last = above[-1]
    return minutes(kept[last][0]), minutes(kept[last + 1][0]) if last + 1 < len(kept) else math.inf


def predicted_minutes(series: Series, r: float, threshold: float) -> float:
    """The last time that the curve falls to the threshold; 0 if it is never above."""
    start = min(drink.start_h for drink in series.drinks)
    drinks = tuple(replace(drink, start_h=drink.start_h + LAG_H) for drink in series.drinks)
    beta = BETA_G_PER_KG_H[series.body.sex]

    def at(times_h: np.ndarray) -> np.ndarray:
        shifted = Series("", "", None, drinks, times_h, np.zeros(len(times_h)))
        return concentration(shifted, Parameters(KA_PER_H, beta, r)).real

    grid = start + np.arange(0, 24, 1 / 120)
    above = np.flatnonzero(at(grid) > threshold + 1e-12)
    if not len(above):
        return 0.0
    # The curve stops at zero, so at threshold 0 the time is where it first is.
    bracket = grid[above[-1]], grid[above[-1] + 1]
    if threshold == 0:
        slope = lambda t: at(np.array([t]))[0] - 1e-15
        return 60 * (optimize.brentq(slope, *bracket, xtol=1e-14) - start)
    root = optimize.brentq(lambda t: at(np.array([t]))[0] - threshold, *bracket, xtol=1e-14)
    return 60 * (root - start)


# Made-up limits


def made_up() -> dict[str, list[One]]:
    """Lists of limits, by name."""
    draw = np.random.default_rng(24)

    def cohort(people, step, last=math.inf, first=0.0, sd=0.15, bias=0.1, twice=0.3, bias_min=None):
        series = []
        for person in range(people):
            own = draw.normal(0, sd / math.sqrt(2))
            for _ in range(2 if draw.random() < twice else 1):
                predicted = round(float(300 * math.exp(draw.normal(0, 0.25))), 1)
                time = predicted * math.exp(-(bias + own + draw.normal(0, sd / math.sqrt(2))))
                if bias_min is not None:
                    time = max(20.0, predicted - bias_min - 300 * (own + draw.normal(0, sd / math.sqrt(2))))
                offset = round(float(draw.uniform(0, step)), 3)
                low = round(step * math.floor((time - offset) / step) + offset, 3)
                high = round(low + step, 3)
                if high > last:
                    low, high = round(step * math.floor((last - offset) / step) + offset, 3), math.inf
                if low < first:
                    low, high = 0.0, round(first, 3) if high <= first else high
                series.append(One(f"p{person + 1}", predicted, max(low, 0.0), high))
        return series

    lists = {
        "plain-24": cohort(24, 20),
        "narrow-12": cohort(12, 0.02),
        "wide-12": cohort(12, 120),
        "late-24": cohort(24, 20, last=290),
        "very-late-60": cohort(60, 20, last=220),
        "early-24": cohort(24, 20, first=230),
        "both-24": cohort(24, 20, last=330, first=200),
        "in-minutes-24": cohort(24, 20, bias_min=-30),
        "four-people": cohort(4, 20, twice=1),
        "two-people": cohort(2, 20, twice=1),
        "seven-people-late": cohort(7, 15, last=340, twice=1),
        "many-240": cohort(240, 20, last=330),
    }
    lists["one-person"] = [One("p1", 200, 150, 160), One("p1", 210, 230, 240), One("p1", 300, 280, 290)]
    lists["ties"] = [One(f"p{i + 1}", 240, *((200, 220), (220, 240), (240, 260), (220, 240))[i % 4]) for i in range(16)]
    lists["never-above-12"] = [
        replace(one, predicted=0.0) if i in (2, 7) else one for i, one in enumerate(cohort(12, 20, twice=0))
    ]
    lists["never-above-all"] = [One(f"p{i + 1}", 0.0, 60 + 7 * i, 80 + 7 * i) for i in range(8)]
    lists["agreed-never-above"] = [*lists["plain-24"][:14], *(One(f"q{i + 1}", 0, 0, 10 + i) for i in range(4))]
    lists["measured-from-the-start"] = [
        *lists["plain-24"][:20], *(One(f"q{i + 1}", 40.0 + 15 * i, 0, 20 + 25 * i) for i in range(4))
    ]
    lists["all-agreed"] = lists["agreed-never-above"][14:]
    lists["overlapping"] = [One(f"p{i + 1}", 200 + i, 150 + i, 250 + i) for i in range(9)]
    lists["all-late"] = [One(f"p{i + 1}", 200 + 5 * i, 180 + 3 * i, math.inf) for i in range(9)]
    lists["all-early"] = [One(f"p{i + 1}", 200 + 5 * i, 0.0, 60 + 3 * i) for i in range(9)]
    lists["one-between"] = [*lists["all-late"][1:], One("p1", 200, 150, 160)]
    lists["late-and-early"] = [*lists["all-late"], *(replace(o, person=f"q{o.person}") for o in lists["all-early"])]
    lists["exactly-right"] = [One(f"p{i + 1}", 100 + 10 * i, 99 + 10 * i, 101 + 10 * i) for i in range(8)]
    predicted = (283.0, 397, 346, 176, 285)
    last_above = (210.0, 295, 260, 135, 220)
    lists["one-error-5"] = [
        One(f"p{i + 1}", p, low, low + 30) for i, (p, low) in enumerate(zip(predicted, last_above))
    ]
    return lists


# Tables


def tables(data: Path, verify: bool) -> list[Table]:
    """All tables."""
    lists = made_up()
    inputs = [
        {
            "list": name, "subject": one.person, "predicted_min": float(one.predicted), "low_min": float(one.low),
            "high_min": None if one.high == math.inf else float(one.high),
        }
        for name, series in lists.items()
        for one in series
    ]  # fmt: skip
    rows: dict[str, list[Row]] = {}
    for table, several in studies(data).items():
        for study in several:
            for method, series in series_of(study).items():
                rows.setdefault(table, []).append(summary(study.name, method, series, verify))
    for name, series in lists.items():
        rows["time-errors.csv"].append(summary(name, "", series, verify))
    ends = [f"{name}_{end}" for name in ESTIMATES for end in ("low", "high")]
    tolerances = dict.fromkeys(ends, END)
    plain = [*ESTIMATES, "sd_pct", *(f"within_{k}_pct" for k in WITHIN), "median_pct"]
    tolerances |= dict.fromkeys([*plain, "log_likelihood_ratio", "log_likelihood_difference"], NUMBER)
    return [Table("time-errors-intervals.csv", inputs)] + [
        Table(name, several, tolerances) for name, several in rows.items()
    ]


MOST_DIFFERENT = 1e-5
"""Relatively, or below 1 absolutely: two optimisers and the random numbers of one bootstrap."""


def against(promille: str, data: Path) -> int:
    """Compare with the command's own tables, of studies and of the made-up limits; the exit status."""
    worst: dict[str, tuple[float, str]] = {}
    kept = {(row["study"], row["r_factor"]): row for row in read_rows(EXPECTATIONS / "time-errors.csv")}
    for table, several in studies(data).items():
        kept |= {(row["study"], row["r_factor"]): row for row in read_rows(EXPECTATIONS / table)}
        for study in several:
            command = [promille, "sober", str(study.folder), *study.options]
            rows_agree(study, table_of(command))
            for row in table_of([*command, "--summary"]):
                if row["sex"] == "all":
                    compare(kept[study.name, row["r_factor"]], row, worst)
    for name, series in made_up().items():
        with tempfile.TemporaryDirectory() as folder:
            write_study(Path(folder), series)
            command = [promille, "sober", folder, "--predictions", f"{folder}/predictions.csv", "--threshold", "0.1"]
            for row in table_of([*command, "--summary"]):
                compare(kept[name, ""], row, worst)
    for column, (difference, where) in worst.items():
        print(f"{column:28} {difference:.2e}  {where}")
    return 1 if any(difference > MOST_DIFFERENT for difference, _ in worst.values()) else 0


def table_of(command: list[str]) -> list[dict[str, str]]:
    """The rows that the command writes."""
    result = subprocess.run([*command, "--format", "csv", "--quiet"], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return list(csv.DictReader(result.stdout.splitlines()))


def rows_agree(study: Study, rows: list[dict[str, str]]) -> None:
    """Say of which series the command has other times."""
    wanted = series_of(study)
    for row in rows:
        if row["status"] == "not-applicable":
            continue
        one = wanted[row["r_factor"]].pop(0)
        value = lambda name, other: float(row[name] or other)
        theirs = (
            value("sober_predicted_min", 0),
            value("sober_last_above_min", 0),
            value("sober_first_below_min", "inf"),
        )
        if row["known"] == "at-most":
            theirs = theirs[0], 0.0, theirs[0] - value("error_min_least", "-inf")
        if any(abs(a - b) > 1e-6 for a, b in zip((one.predicted, one.low, one.high), theirs) if a != b):
            print(f"{study.name} {row['subject']} {row['r_factor']}: {theirs}, here {one}")


def write_study(folder: Path, series: list[One]) -> None:
    """A study folder with the readings that limit each time, and predictions.csv."""
    people = list(dict.fromkeys(one.person for one in series))
    (folder / "subjects.csv").write_text("subject\n" + "".join(f"{person}\n" for person in people))
    header = "subject,occasion,time_min"
    drinks, readings, predictions = (
        [f"{header},ethanol_g_per_kg"],
        [f"{header},bac_g_per_kg"],
        [f"{header},bac_g_per_kg"],
    )
    seen: dict[str, int] = {}
    for one in series:
        seen[one.person] = seen.get(one.person, 0) + 1
        which = f"{one.person},{seen[one.person]}"
        drinks.append(f"{which},0,0.7")
        readings += [f"{which},{float(one.low)!r},0.5"] if one.low > 0 else []
        readings += [f"{which},{float(one.high)!r},0"] if one.high < math.inf else []
        predictions += [f"{which},1,0.5"] if one.predicted > 0 else []
        predictions += [f"{which},{float(one.predicted or 600)!r},0"]
    for name, lines in (("drinks", drinks), ("readings", readings), ("predictions", predictions)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


def compare(ours: dict[str, str], theirs: dict[str, str], worst: dict) -> None:
    """Note the largest difference of each column; say what only one of the two has."""
    where = f"{ours['study']} {ours['r_factor']}".strip()
    for column in theirs.keys() & ours.keys() - {"r_factor"}:
        text, here = theirs[column], ours[column]
        if bool(text) != bool(here):
            print(f"{where} {column}: '{text}', here '{here}'")
        elif text:
            if column == "minutes_from":
                if text != here:
                    print(f"{where} {column}: '{text}', here '{here}'")
                continue
            a, b = float(text), float(here)
            difference = abs(a - b) / max(1.0, abs(b))
            if difference >= worst.get(column, (-1, ""))[0]:
                worst[column] = (difference, f"{where}: {text}, here {here}")


def main() -> int:
    """Make or check the tables."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=REPOSITORY.parent / "shared" / "data", help="studies that do not ship"
    )
    parser.add_argument("--against", metavar="PROMILLE", help="compare with the command's own tables")
    parser.add_argument(
        "--verify", action="store_true", help="compare the fits with lifelines, which must be installed"
    )
    options = parser.parse_args()
    if options.against:
        return against(options.against, options.data)
    # Limits are infinite, and areas may be 0.
    np.seterr(all="ignore")
    check_turnbull()
    return deliver(tables(options.data, options.verify), options)


if __name__ == "__main__":
    sys.exit(main())
