#!/usr/bin/env python3
"""A model of one's own beside the methods for r: its times to sobriety, intervals and comparison, from definitions.

    python3 Tests/Tools/given_models.py [--check] [--output FOLDER] [--against PROMILLE]

Without arguments it writes the predictions of made-up apps for datasets/made-up-24 and the tables of what follows from
them; --check (or --verify) recomputes all and compares. --against runs `promille sober --predictions` and compares.

Apps, in given-models/:

- biased.csv: curves every 5 min in g/L; Widmark's model with Watson's r times 0.85, so that everybody is sober late.
- hourly.csv: of these curves every full hour.
- right.csv: a table of times, the true ones and an error with an SD of 8 min. Where no truth is known, they are about
  the middle of the two readings.
- honest.csv: curves every 10 min with limits that hold about 90 %. It knows the people that datasets/made-up-24 was
  drawn from, not these people.
- edges.csv: curves of four people that are never above the threshold, end above it, cross it twice, or meet it at a
  point. Other people are missing.

Curves are in closed form: what has been absorbed less beta t, reflected at zero. True curves of a time are the same.

Tables:

- given-models.csv: a row per app and series. A curve is sober from the last time on that it falls to the threshold, by
  the straight line between two points. `never` above it is sober at 0; if the curve ends above it, it is sober `later`.
  The limits are the times of the two curves of limits: 0 where never above, infinite where it ends above.
- given-models-summary.csv: apps that predict for everybody. Errors are those of time_errors_scipy.py: T lies between
  two readings; ln(P/T) is normal, or P - T is. Everything else is computed from the density of T by SciPy's adaptive
  quadrature over T itself, without closed forms. `interval_held` is the expected number of T within limits;
  `interval_score_min` the mean interval score (Gneiting & Raftery 2007).
- given-models-pairs.csv: the app and each method for r. T over the dose per kg of body weight is log-normal, by maximum
  likelihood over all series; the expected |P - T| of each series is averaged over the occasions of a person, and the
  differences of people go into Wilcoxon's test; Holm's correction is for all pairs of five methods and the app. Times
  of methods are time_errors_scipy.py's.

Tolerances: times by a straight line are a handful of operations, so 1e-9, relatively. What follows from a maximum of
likelihood is known to 1e-6: two optimisers stop where the likelihood is flat to rounding, about 1e-8 in its parameters.
Wilcoxon's p is of ranks, and exact counts make it to 1e-9, Holm's too. Counts are equal.

--against compares further, without a table:

- rows and summaries of the five methods are the same text with and without apps, also with an app that lacks three
  people. In pairs of methods only what depends on the number of pairs may differ: holm_p, least_holm_p, detectable,
  worst_holm_p.
- hourly.csv and biased.csv differ by no more than W_PREDICTION_STEPS says.
- a table of the times of biased.csv has the rows and the summary of its curves.
- an SD makes limits at 1.645 of them.
- intervals of the methods for r are summarised as those of apps.
"""

import csv
import io
import itertools
import json
import math
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import integrate, optimize, stats

from compare_scipy import adjusted, wilcoxon_p
from expectations import EXPECTATIONS, REPOSITORY, Row, Table, Tolerance, deliver, new_parser, read_rows, text
from r_factors import METHODS
from study_folder import BLOOD_DENSITY_KG_PER_L, Series, read_study
from time_errors_scipy import One, Study, fit, fits, measured_minutes, series_of

STUDY = Study(
    "made-up-24", REPOSITORY / "datasets" / "made-up-24", 0.02 * 2.1 / BLOOD_DENSITY_KG_PER_L,
    ("--blood-breath-ratio", "2100"), 15.0,
)  # fmt: skip
"""Its limit of detection is 0.02 mg/L of breath, and readings within 15 min of a drink do not count."""
FOLDER = "given-models"
SEED = 2100
LEVEL = 0.9
WITHIN = (10, 20, 30)

LINE = Tolerance(relative=1e-9, absolute=1e-9)
NUMBER = Tolerance(relative=1e-6, absolute=1e-6)
RANKS = Tolerance(relative=1e-9)

Key = tuple[str, str]
"""Subject and occasion."""


# Apps


def widmark_curve(
    series: Series, ka: float, beta: float, r: float, lag_min: float, times_min: np.ndarray
) -> np.ndarray:
    """Concentrations in g/kg: first-order absorption of what was drunk evenly, and beta until there is none."""
    fine = np.union1d(np.arange(0, times_min.max() + 0.05, 0.1), times_min)
    absorbed = np.zeros_like(fine)
    for drink in series.drinks:
        since = np.maximum(fine / 60 - drink.start_h - lag_min / 60, 0)
        drunk = np.minimum(since, drink.duration_h)
        gut = -np.expm1(-ka * drunk) / ka * np.exp(-ka * (since - drunk))
        absorbed += drink.dose_g_per_kg / r * (drunk - gut) / drink.duration_h
    free = absorbed - beta * fine / 60
    reflected = free - np.minimum(np.minimum.accumulate(free), 0)
    return np.maximum(np.interp(times_min, fine, reflected), 0)


def watson_r(series: Series) -> float:
    """Body water over 0.80 kg of weight."""
    body = series.body
    if body.sex == "male":
        water = 2.447 - 0.09516 * body.age_y + 10.74 * body.height_m + 0.3362 * body.weight_kg
    else:
        water = -2.097 + 10.69 * body.height_m + 0.2466 * body.weight_kg
    return water / (0.80 * body.weight_kg)


def apps(study: dict[Key, Series]) -> dict[str, str]:
    """The files by the app's name."""
    biased, hourly, honest = [], [], []
    for (subject, occasion), series in study.items():
        r = watson_r(series)
        dose = sum(drink.dose_g_per_kg for drink in series.drinks)
        beta = 0.165 if series.body.sex == "male" else 0.185
        last = float(60 * series.times_h.max())

        def until(r: float, beta: float, step: int) -> np.ndarray:
            # Past the last reading, and past the time at which everything is eliminated.
            return np.arange(0, step * math.ceil(max(last, 60 * dose / r / beta + 20) / step) + 1.0)

        times = until(0.85 * r, 0.16, 60)[::5]
        curve = BLOOD_DENSITY_KG_PER_L * widmark_curve(series, 3.0, 0.16, 0.85 * r, 0, times)
        points = [[subject, occasion, f"{t:.0f}", f"{c:.4f}"] for t, c in zip(times, curve)]
        biased += points
        hourly += points[::12]
        # r of people spreads by 10 %, beta by 13 %, and readings are rounded.
        factor = math.exp(stats.norm.ppf(0.95) * 0.16)
        times = until(r / factor, beta, 10)[::10]
        ka = 4.0 if len(series.drinks) == 1 else 1.9
        curves = [widmark_curve(series, ka, beta, r * f, 0, times) for f in (1, factor, 1 / factor)]
        honest += [
            [subject, occasion, f"{t:.0f}", *(f"{BLOOD_DENSITY_KG_PER_L * c:.3f}" for c in several)]
            for t, *several in zip(times, *curves)
        ]
    header = ["subject", "occasion", "time_min", "bac_g_per_l"]
    return {
        "biased": table_text(header, biased),
        "hourly": table_text(header, hourly),
        "right": table_text(["subject", "occasion", "sober_min"], right(study)),
        "honest": table_text([*header, "low", "high"], honest),
        "edges": table_text([*header, "low", "high"], edges()),
    }


def right(study: dict[Key, Series]) -> list[list[str]]:
    """Times near the truth."""
    truth = {(row["subject"], row["occasion"]): row for row in read_rows(STUDY.folder / "truth.csv")}
    errors = np.random.RandomState(SEED).normal(0, 8, len(study))
    rows = []
    for (key, series), error in zip(study.items(), errors):
        if key in truth:
            ka, beta, r, lag = (float(truth[key][name]) for name in ("ka_per_h", "beta_g_per_kg_h", "r", "lag_min"))
            times = np.arange(0, 1500, 0.1)
            time = sober_time(times, widmark_curve(series, ka, beta, r, lag, times))
        else:
            time = sum(measured_minutes(series, STUDY)) / 2
        rows.append([*key, f"{time + error:.0f}"])
    return rows


def edges() -> list[list[str]]:
    """Curves that cross the threshold in unusual ways, or not at all."""
    curves = {
        # Twice above the threshold; the low curve is so once.
        ("p01", "1"): [(0, 0, 0, 0), (60, 0.5, 0.4, 0.6), (180, 0.02, 0, 0.1), (210, 0.06, 0.02, 0.2), (240, 0, 0, 0)],
        # Never above it; of the limits, the upper one is.
        ("p02", "1"): [(0, 0, 0, 0), (60, 0.03, 0.01, 0.05), (120, 0, 0, 0)],
        # Above it to the end, the lower limit not.
        ("p03", "1"): [(0, 0, 0, 0), (60, 0.5, 0.4, 0.6), (270, 0.1, 0.02, 0.2)],
        # The upper limit alone is above it to the end.
        ("p03", "2"): [(0, 0, 0, 0), (60, 0.5, 0.4, 0.6), (300, 0, 0, 0.2)],
        # The lower limit is never above it; the first point is not at the first drink.
        ("p04", "1"): [(30, 0.05, 0.01, 0.6), (130, 0.045, 0.01, 0.06), (230, 0.037, 0, 0.04)],
    }
    return [[*key, *(f"{x:g}" for x in point)] for key, points in curves.items() for point in points]


def table_text(header: list[str], rows: list[list[str]]) -> str:
    """A table as CSV."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([header, *rows])
    return lines.getvalue()


# Times


@dataclass(frozen=True)
class Predicted:
    """Minutes from the first drink: 0 where never above the threshold, infinite where later than the curve."""

    time: float
    low: float | None = None
    high: float | None = None


def sober_time(times: np.ndarray, values: np.ndarray) -> float:
    """When the last crossing from above is, by the straight line between two points."""
    above = [value > STUDY.threshold for value in values]
    if not any(above):
        return 0.0
    last = len(above) - 1 - above[::-1].index(True)
    if last == len(above) - 1:
        return math.inf
    (t, u), (c, d) = times[last : last + 2], values[last : last + 2]
    return float(t + (u - t) * (c - STUDY.threshold) / (c - d))


def predictions(file: Path) -> dict[Key, Predicted]:
    """What an app's file predicts, by series; every first drink is at 0."""
    rows = read_rows(file)
    if "sober_min" in rows[0]:
        return {(row["subject"], row["occasion"]): Predicted(float(row["sober_min"])) for row in rows}
    grouped: dict[Key, list[dict[str, str]]] = {}
    for row in rows:
        grouped.setdefault((row["subject"], row["occasion"]), []).append(row)
    found = {}
    for key, points in grouped.items():
        column = lambda name: np.array([float(point[name]) for point in points])
        times = column("time_min")
        names = [name for name in ("bac_g_per_l", "low", "high") if name in points[0]]
        found[key] = Predicted(*(sober_time(times, column(name) / BLOOD_DENSITY_KG_PER_L) for name in names))
    return found


def row_of(app: str, key: Key, predicted: Predicted, measured: tuple[float, float]) -> Row:
    """A row of given-models.csv."""
    state = {0.0: "never", math.inf: "later"}.get(predicted.time)
    return {
        "app": app, "subject": key[0], "occasion": key[1], "sober_predicted_min": state or predicted.time,
        "sober_predicted_low_min": predicted.low, "sober_predicted_high_min": predicted.high,
        "sober_last_above_min": measured[0], "sober_first_below_min": measured[1],
    }  # fmt: skip


# Distributions of T


@dataclass(frozen=True)
class Density:
    """The density of T, up to a factor, in minutes: T is a function of a normal number z."""

    name: str
    scale: float
    """P, or the dose per kg."""
    mean: float
    sd: float

    def z(self, time: float) -> float:
        """The standard normal number of a time."""
        if self.name == "minutes":
            return (time - self.scale + self.mean) / self.sd
        return math.inf if time == math.inf else (math.log(time / self.scale) - self.mean) / self.sd

    def time(self, z: float) -> float:
        """The time of a standard normal number."""
        x = self.mean + self.sd * z
        return self.scale - self.mean + self.sd * z if self.name == "minutes" else self.scale * math.exp(x)

    def at(self, time: float) -> float:
        """The density, up to a factor."""
        return math.exp(-0.5 * self.z(time) ** 2) / (1 if self.name == "minutes" else time)

    def mean_of(self, function, low: float, high: float, kinks: list[float] = []) -> float:
        """The mean of a function of T between limits."""
        # Beyond 12 SDs, or 12 SDs beyond a limit that is itself far out, there is nothing left.
        a = low if low > 0 else self.time(-12)
        b = high if high < math.inf else self.time(max(12, self.z(a) + 12))
        cuts = sorted({a, b, *(x for x in (*kinks, *map(self.time, (-4, -1, 0, 1, 4))) if a < x < b)})
        peak = max(self.at(x) for x in cuts)
        area = total = 0.0
        for start, end in itertools.pairwise(cuts):
            options = {"epsrel": 1e-11, "epsabs": 0, "limit": 400}
            density = lambda t: self.at(t) / peak
            area += integrate.quad(density, start, end, **options)[0]
            # A function may be 0 throughout, where a relative tolerance cannot be met.
            options["epsabs"] = 1e-12 * (end - start)
            total += integrate.quad(lambda t: function(t) * density(t), start, end, **options)[0]
        return total / area


def most_likely(low: np.ndarray, high: np.ndarray) -> tuple[float, float, float]:
    """Mean, SD and log likelihood of the normal distribution: Nelder and Mead, then Newton's method."""
    found = fit(low, high)
    if isinstance(found, str):
        raise ArithmeticError(found)
    return tuple(fits(low, high, np.ones((1, len(low))), found[:2])[0])


# Summaries

Known = dict[Key, tuple[float, float]]


def summary(app: str, predicted: dict[Key, Predicted], measured: Known) -> Row:
    """A row of given-models-summary.csv."""
    p = np.array([predicted[key].time for key in predicted])
    low, high = np.array([measured[key] for key in predicted]).T
    with np.errstate(divide="ignore"):
        ratio = most_likely(np.log(p / high), np.log(p / low))
    minutes = most_likely(p - high, p - low)
    # ln(P/T) is mean + sd z: T is P exp(-mean - sd z), and z as often -z.
    of_ratio = [Density("ratio", time, -ratio[0], ratio[1]) for time in p]
    is_ratio = ratio[2] >= minutes[2]
    of_minutes = of_ratio if is_ratio else [Density("minutes", time, minutes[0], minutes[1]) for time in p]
    each = list(zip(p, low, high, of_ratio, of_minutes))
    row: Row = {
        "app": app, "people": len({subject for subject, _ in predicted}), "series": len(p),
        "minutes_from": "ratio" if is_ratio else "difference",
        "log_likelihood_ratio": float(ratio[2]), "log_likelihood_difference": float(minutes[2]),
        "bias_pct": 100 * math.expm1(ratio[0]),
        "bias_min": float(np.mean([d.mean_of(lambda t: t0 - t, a, b) for t0, a, b, _, d in each])),
        "mae_min": float(np.mean([d.mean_of(lambda t: abs(t0 - t), a, b, [t0]) for t0, a, b, _, d in each])),
        "mae_pct": float(np.mean([100 * d.mean_of(lambda t: abs(t0 / t - 1), a, b, [t0]) for t0, a, b, d, _ in each])),
    }  # fmt: skip
    for k in WITHIN:
        shares = [share(d, t0 / (1 + k / 100), t0 / (1 - k / 100), a, b) for t0, a, b, d, _ in each]
        row[f"within_{k}_pct"] = 100 * float(np.mean(shares))
    return row | intervals(list(predicted.values()), low, high, of_minutes)


def share(density: Density, start: float, end: float, low: float, high: float) -> float:
    """The probability of a time from start to end, given the limits."""
    inside = lambda t: 1.0 if start <= t <= end else 0.0
    return density.mean_of(inside, low, high, [x for x in (start, end) if 0 < x < math.inf])


def intervals(predicted: list[Predicted], low: np.ndarray, high: np.ndarray, densities: list[Density]) -> Row:
    """What the limits of predictions are worth."""
    names = ("held", "held_least", "held_most", "width_min", "score_min")
    limited = [(p, *rest) for p, *rest in zip(predicted, low, high, densities) if p.low is not None]
    if not limited:
        return dict.fromkeys(("interval_series", *(f"interval_{name}" for name in names)))

    def beyond(p: Predicted, density: Density, a: float, b: float) -> float:
        return density.mean_of(lambda t: max(p.low - t, 0) + max(t - p.high, 0), a, b, [p.low, p.high])

    width = float(np.mean([p.high - p.low for p, *_ in limited]))
    return {
        "interval_series": len(limited),
        "interval_held": float(sum(share(d, p.low, p.high, a, b) for p, a, b, d in limited)),
        # T is later than a, and b at the latest.
        "interval_held_least": sum(bool(p.low <= a and b <= p.high) for p, a, b, _ in limited),
        "interval_held_most": sum(bool(p.low <= b and a < p.high) for p, a, b, _ in limited),
        "interval_width_min": width,
        "interval_score_min": width + 2 / (1 - LEVEL) * float(np.mean([beyond(p, d, a, b) for p, a, b, d in limited])),
    }


# Pairs


def pairs(app: str, times: dict[str, dict[Key, float]], study: dict[Key, Series], measured: Known) -> list[Row]:
    """The app and each method, corrected for all pairs of methods and the app."""
    doses = {key: sum(drink.dose_g_per_kg for drink in series.drinks) for key, series in study.items()}
    some = [key for key in study if any(key in times[method] for method in METHODS)]
    ends = np.array([[limit / doses[key] for limit in measured[key]] for key in some])
    with np.errstate(divide="ignore"):
        mean, sd, _ = most_likely(*np.log(ends).T)

    def error(key: Key, time: float) -> float:
        density = Density("ratio", doses[key], mean, sd)
        return density.mean_of(lambda t: abs(time - t), *measured[key], [time])

    errors = {method: {key: error(key, time) for key, time in by_key.items()} for method, by_key in times.items()}
    rows = []
    for first, second in itertools.combinations(errors, 2):
        both = [key for key in errors[first] if key in errors[second]]
        people = list(dict.fromkeys(subject for subject, _ in both))
        mean_of = lambda method, person: np.mean([errors[method][key] for key in both if key[0] == person])
        differences = np.array([mean_of(first, person) - mean_of(second, person) for person in people])
        sizes = np.sort(np.abs(differences))
        if np.diff(sizes).min() < 1e-6 or sizes[0] < 1e-6:
            raise ArithmeticError(f"{first}, {second}: ranks rest on rounding")
        rows.append({
            "method_a": first, "method_b": second, "subjects": len(people),
            "mae_difference": float(differences.mean()), "wilcoxon_p": wilcoxon_p(differences),
        })  # fmt: skip
    for row, holm in zip(rows, adjusted([row["wilcoxon_p"] for row in rows]), strict=True):
        row["holm_p"] = holm
    return [{"app": app} | row for row in rows if app in (row["method_a"], row["method_b"])]


# Tables

SUMMARISED = ("biased", "hourly", "right", "honest")


def study_by_key() -> dict[Key, Series]:
    """The study's series."""
    series_of(STUDY)  # which sets the ratio of the breathalyser
    return {(series.subject, series.occasion): series for series in read_study(STUDY.folder)}


def times_of_methods(study: dict[Key, Series]) -> dict[str, dict[Key, float]]:
    """The times that methods for r predict, as time_errors_scipy.py finds them."""
    found = {}
    for method, several in series_of(STUDY).items():
        keys = [key for key, series in study.items() if METHODS[method](series.body) is not None]
        found[method] = {key: one.predicted for key, one in zip(keys, several, strict=True)}
    return found


def tables(folder: Path) -> list[Table]:
    """What follows from the apps in a folder."""
    study = study_by_key()
    measured = {key: measured_minutes(series, STUDY) for key, series in study.items()}
    methods = times_of_methods(study)
    rows, summaries, compared = [], [], []
    for app in (*SUMMARISED, "edges"):
        predicted = predictions(folder / f"{app}.csv")
        rows += [row_of(app, key, predicted[key], measured[key]) for key in study if key in predicted]
        if app in SUMMARISED:
            summaries.append(summary(app, predicted, measured))
            times = methods | {app: {key: p.time for key, p in predicted.items()}}
            compared += pairs(app, times, study, measured)
    lines = dict.fromkeys((f"sober_predicted_{end}min" for end in ("", "low_", "high_")), LINE)
    exact = {"app", "people", "series", "minutes_from", "interval_series", "interval_held_least", "interval_held_most"}
    return [
        Table("given-models.csv", rows, lines),
        Table("given-models-summary.csv", summaries, dict.fromkeys(summaries[0].keys() - exact, NUMBER)),
        Table(
            "given-models-pairs.csv", compared,
            {"mae_difference": NUMBER, "wilcoxon_p": RANKS, "holm_p": RANKS},
        ),
    ]  # fmt: skip


# The command


class Comparison:
    """What differs, and by how much what agrees does."""

    def __init__(self, promille: str):
        self.promille = str(Path(promille).resolve())
        self.failures: list[str] = []
        self.worst: dict[str, float] = {}

    def run(self, *options: str) -> tuple[str, str]:
        """What the command writes, and what it says."""
        command = [self.promille, "sober", str(STUDY.folder), *STUDY.options, *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: {result.stderr}")
        return result.stdout, result.stderr

    def rows(self, *options: str) -> list[dict[str, str]]:
        """Its rows as CSV."""
        return list(csv.DictReader(self.run(*options, "--format", "csv")[0].splitlines()))

    def tables(self, *options: str) -> dict[str, list[dict[str, str | None]]]:
        """Its summary and pairs, numbers as they are written."""
        return json.loads(self.run(*options, "--summary", "--format", "json")[0], parse_float=str, parse_int=str)

    def same(self, where: str, ours: object, theirs: object) -> None:
        """Note a difference of texts."""
        if ours != theirs:
            self.failures.append(f"{where}: {theirs!r}, here {ours!r}")

    def close(self, where: str, column: str, ours: str, theirs: str | None, tolerance: Tolerance | None) -> None:
        """Note a difference of cells."""
        theirs = theirs or ""
        if tolerance is None or not ours or not theirs:
            self.same(f"{where} {column}", ours, theirs)
            return
        a, b = float(ours), float(theirs)
        self.worst[column] = max(self.worst.get(column, 0.0), abs(a - b) / max(1.0, abs(a)) if a != b else 0.0)
        if not tolerance.accepts(a, b):
            self.failures.append(f"{where} {column}: {theirs}, here {ours}")


def cell(value: object) -> str:
    """A number of a table as the command writes it: nothing for what is infinite or not there."""
    return "" if value is None or value == math.inf else text(value)


def against(promille: str, folder: Path) -> int:
    """Compare with the command; the exit status."""
    comparison = Comparison(promille)
    apps_agree(comparison, folder)
    methods_unchanged(comparison, folder)
    hours_agree(comparison, folder)
    with tempfile.TemporaryDirectory() as scratch:
        times_agree(comparison, folder, Path(scratch))
        deviations_agree(comparison, folder, Path(scratch))
    intervals_of_methods_agree(comparison)
    for column, worst in comparison.worst.items():
        print(f"{column:28} {worst:.1e}")
    for failure in comparison.failures:
        print(failure, file=sys.stderr)
    print(f"{len(comparison.failures)} differences", file=sys.stderr)
    return 1 if comparison.failures else 0


def apps_agree(comparison: Comparison, folder: Path) -> None:
    """Rows, summaries and pairs of every app."""
    of_series, of_apps, of_pairs = tables(folder)
    for app in (*SUMMARISED, "edges"):
        option = ("--predictions", f"{app}={folder / app}.csv")
        theirs = [row for row in comparison.rows(*option) if row["method"] == app and row["status"] != "failed"]
        ours = [row for row in of_series.rows if row["app"] == app]
        comparison.same(f"{app}: series", len(ours), len(theirs))
        for here, row in zip(ours, theirs):
            where = f"{app} {here['subject']}/{here['occasion']}"
            comparison.same(where, (here["subject"], here["occasion"]), (row["subject"], row["occasion"]))
            state = {"never": "predicted-never-above", "later": "predicted-later"}.get(here["sober_predicted_min"])
            reached = "ok" if here["sober_first_below_min"] < math.inf else "not-reached"
            comparison.same(f"{where} status", state or reached, row["status"])
            for column in list(here)[3:]:
                value = None if state and column == "sober_predicted_min" else here[column]
                comparison.close(where, column, cell(value), row[column], LINE)
        if app not in SUMMARISED:
            continue
        found = comparison.tables(*option)
        (here,) = [row for row in of_apps.rows if row["app"] == app]
        (row,) = [row for row in found["sobriety"] if row["method"] == app]
        for column in list(here)[1:]:
            comparison.close(app, column, cell(here[column]), row[column], of_apps.tolerances.get(column))
        ours = [row for row in of_pairs.rows if row["app"] == app]
        theirs = [row for row in found["pairs"] if app in (row["method_a"], row["method_b"])]
        comparison.same(f"{app}: pairs", len(ours), len(theirs))
        for here in ours:
            # A difference the other way round has the other sign.
            names = here["method_a"], here["method_b"]
            (row,) = [row for row in theirs if {row["method_a"], row["method_b"]} == set(names)]
            sign = 1 if row["method_a"] == names[0] else -1
            where = f"{app}: {' and '.join(names)}"
            for column in ("subjects", "mae_difference", "wilcoxon_p", "holm_p"):
                value = sign * here[column] if column == "mae_difference" else here[column]
                comparison.close(where, column, cell(value), row[column], of_pairs.tolerances.get(column))


OF_PAIRS = {"holm_p", "least_holm_p", "detectable", "worst_holm_p"}
"""What depends on how many pairs there are."""


def methods_unchanged(comparison: Comparison, folder: Path) -> None:
    """Rows and summaries of methods with and without apps."""
    alone = [comparison.rows(), *(comparison.tables()[name] for name in ("sobriety", "pairs"))]
    with tempfile.TemporaryDirectory() as scratch:
        header, *lines = (folder / "biased.csv").read_text().splitlines()
        kept = [line for line in lines if line.split(",")[0] not in ("p02", "p11", "p24")]
        (Path(scratch) / "lacking.csv").write_text("\n".join([header, *kept]) + "\n")
        several = ("--predictions", f"biased={folder}/biased.csv", "--predictions", f"right={folder}/right.csv")
        choices = [several[:2], several, ("--predictions", f"lacking={scratch}/lacking.csv")]
        for options in choices:
            found = comparison.tables(*options)
            beside = [comparison.rows(*options), found["sobriety"], found["pairs"]]
            for name, ours, theirs in zip(("rows", "summary", "pairs"), alone, beside):
                columns = {*ours[0]} - (OF_PAIRS if name == "pairs" else set())
                known = lambda row: {row.get(c) for c in ("method", "method_a", "method_b")} <= {*METHODS, None}
                theirs = [row for row in theirs if known(row)]
                comparison.same(f"{name} beside {options[1]}: count", len(ours), len(theirs))
                for a, b in zip(ours, theirs):
                    for column in sorted(columns):
                        where = f"{name} beside {options[1]}: {a.get('method') or (a['method_a'], a['method_b'])}"
                        comparison.same(f"{where} {column}", a[column], b.get(column))


def hours_agree(comparison: Comparison, folder: Path) -> None:
    """Curves by the hour are off by what is said."""
    fine, coarse = (
        {(row["subject"], row["occasion"]): row for row in comparison.rows("--predictions", f"{app}={folder}/{app}.csv")
         if row["method"] == app}
        for app in ("biased", "hourly")
    )  # fmt: skip
    said = comparison.run("--predictions", f"hourly={folder}/hourly.csv")[1]
    limit = re.search(r"W_PREDICTION_STEPS.*off by at most (\S+) min", said)
    if not limit:
        comparison.failures.append(f"hourly: nothing is said of its steps: {said}")
        return
    difference = max(abs(float(fine[k]["sober_predicted_min"]) - float(coarse[k]["sober_predicted_min"])) for k in fine)
    print(f"hourly curves are off by {difference:.3g} min; said was {limit[1]}")
    if difference > float(limit[1]):
        comparison.failures.append(f"hourly: off by {difference} min; said was {limit[1]}")
    said = comparison.run("--predictions", f"biased={folder}/biased.csv")[1]
    comparison.same("biased: what is said of its steps", False, "W_PREDICTION_STEPS" in said)


def times_agree(comparison: Comparison, folder: Path, scratch: Path) -> None:
    """A table of the times of curves says what the curves do."""
    for app in ("biased", "honest"):
        found = predictions(folder / f"{app}.csv")
        header = ["subject", "occasion", "sober_min"] + (["low_min", "high_min"] if app == "honest" else [])
        cells = lambda p: [repr(x) for x in (p.time, p.low, p.high) if x is not None]
        (scratch / f"{app}.csv").write_text(table_text(header, [[*key, *cells(p)] for key, p in found.items()]))
        curves, times = (("--predictions", f"{app}={place}/{app}.csv") for place in (folder, scratch))
        both = [comparison.rows(*curves), comparison.tables(*curves)["sobriety"]]
        for ours, theirs in zip(both, [comparison.rows(*times), comparison.tables(*times)["sobriety"]]):
            comparison.same(f"{app} as times: rows", len(ours), len(theirs))
            for a, b in zip(ours, theirs):
                for column, value in a.items():
                    where = f"{app} as times {a.get('subject', '')}"
                    is_number = value and re.fullmatch(r"-?[0-9.e+-]+", value)
                    # Errors are small differences of times, which agree to 1e-9.
                    tolerance = Tolerance(relative=1e-6, absolute=1e-6) if is_number else None
                    comparison.close(where, column, value or "", b[column], tolerance)


def deviations_agree(comparison: Comparison, folder: Path, scratch: Path) -> None:
    """Limits from an SD of concentrations are those at the quantiles of the normal distribution."""
    rows = read_rows(folder / "biased.csv")
    reach = float(stats.norm.ppf((1 + LEVEL) / 2))
    points = {"sd": [], "limits": []}
    for row in rows:
        value = float(row["bac_g_per_l"])
        sd = round(0.004 + 0.1 * value, 6)
        points["sd"].append([*row.values(), repr(sd)])
        points["limits"].append([*row.values(), repr(value - reach * sd), repr(value + reach * sd)])
    header = list(rows[0])
    (scratch / "sd.csv").write_text(table_text([*header, "sd"], points["sd"]))
    (scratch / "limits.csv").write_text(table_text([*header, "low", "high"], points["limits"]))
    ours = predictions(scratch / "limits.csv")
    for row in comparison.rows("--predictions", f"sd={scratch}/sd.csv"):
        if row["method"] == "sd":
            here = ours[row["subject"], row["occasion"]]
            for column in ("low", "high"):
                name = f"sober_predicted_{column}_min"
                comparison.close(f"SD {row['subject']}", name, cell(getattr(here, column)), row[name], LINE)


def intervals_of_methods_agree(comparison: Comparison) -> None:
    """The intervals of methods, which are Promille's own, summarised as those of apps."""
    study = study_by_key()
    measured = {key: measured_minutes(series, STUDY) for key, series in study.items()}
    kept = {row["method"]: row for row in comparison.tables()["sobriety"]}
    rows = comparison.rows()
    for method in METHODS:
        own = [row for row in rows if row["method"] == method and row["sober_predicted_min"]]
        ends = ("", "low_", "high_")
        predicted = {
            (row["subject"], row["occasion"]): Predicted(*(float(row[f"sober_predicted_{end}min"]) for end in ends))
            for row in own
        }
        for column, value in summary(method, predicted, measured).items():
            if column.startswith("interval_") or column in ("bias_min", "mae_min"):
                is_count = isinstance(value, int)
                comparison.close(method, column, cell(value), kept[method][column], None if is_count else NUMBER)


def main() -> int:
    """Make or check apps and tables, or compare with the command."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument("--verify", dest="check", action="store_true", help="the same as --check")
    parser.add_argument("--against", metavar="PROMILLE", help="compare with the command's own tables")
    options = parser.parse_args()
    folder = options.output / FOLDER
    if options.against:
        return against(options.against, folder)
    status = 0
    for app, wanted in apps(study_by_key()).items():
        file = folder / f"{app}.csv"
        if options.check:
            if not file.exists() or file.read_text() != wanted:
                print(f"{FOLDER}/{app}.csv: differs", file=sys.stderr)
                status = 1
        else:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(wanted)
    return deliver(tables(folder), options) or status


if __name__ == "__main__":
    sys.exit(main())
