#!/usr/bin/env python3
"""Makes the priors that ship, datasets/priors/*.json, from all open studies together.

    priors.py [--check | --evidence | --without STUDY --output FOLDER]

A prior must hold for people of a study that nobody has seen, so it has a level between studies. What goes in:

- series of people, ../shared/data: Wilkinson 1977, Thierauf-Emberger 2023, Mumenthaler 2000, two hip-flask cases;
- beta60 and C0 of 50 volunteers (scs-beta60), which give beta and r but no curve;
- ten published mean curves (published-curves), which give k_a, the lag and, where they reach 0.25 g/kg, the slope
  beta; below that elimination is no longer at a constant rate. They do not give the spread between people, and not r,
  since food and small doses lower the absorbed fraction;
- published means: beta of 976 men and 114 women among drinking drivers (Jones & Andersson 1996); r and beta of 20
  men and 10 women as Widmark (1932) is quoted.

Each series is fitted with errors that come in runs (Ornstein-Uhlenbeck, 30 min) and becomes a normal likelihood of
its ln k_a, ln(r beta), ln r and ln lag. On these axes the data are nearly uncorrelated: r beta, the ethanol that a
kg of body eliminates in an hour, decides on the time to zero, and r on the height of the line. Then

    x = design mu + study + person + occasion,  each level normal,

is sampled by Gibbs' method (Gelfand et al. 1990). Levels between studies and between occasions are diagonal, with
inverse-gamma priors of their variances; four people on sixteen occasions cannot show correlations. The covariance
between people has an inverse-Wishart prior worth ten people, centred on independence. What the priors expect is in
GUESS; it is what published spreads are (r 9-12 %, beta 15-25 %). What is written are posterior means, and the
uncertainty of the typical values beside them.

The studies may not be redistributed; figures of a population may. With --check nothing is written, and new figures
are compared with those that ship. --without leaves studies out, for forecast_left_out.py. --evidence prints how likely the
readings of people are for other errors of readings than those in ERRORS.
"""

import argparse
import csv
import json
import math
import pathlib
import sys

import numpy as np
from scipy.optimize import least_squares

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
SERIES = {
    # Food: 0 fasted, 1 after a meal, 0.5 not stated. Factor from the file's unit to g/kg of blood.
    "wilkinson-1977-oral": (0.0, 1 / 1.055),
    "thierauf-emberger-2023": (1.0, 1 / 1.16 / 1.055),
    "mumenthaler-2000-individual": (0.5, 1 / 1.055),
    "hip-flask": (0.5, 0.01 / 1.055),
}
# How many people a mean curve is of, where it matters only how much less a mean varies than a person.
PEOPLE_OF_A_MEAN = 10

# Below this peak, in g/kg, the slope of a mean curve is not that of people at usual concentrations.
LEAST_PEAK = 0.25

# Coordinates: ln k_a [1/h], ln(r beta) [g/kg body/h], ln r, ln lag [h].
AXES = 4
# The fixed effects: coordinate, what multiplies it, and a normal prior of the effect.
EFFECTS = [
    (0, None, math.log(4), 0.7), (1, None, math.log(0.10), 0.3), (2, None, math.log(0.68), 0.3),
    (3, None, math.log(5 / 60), 0.7), (0, "fed", -0.4, 0.4), (1, "female", 0.0, 0.1),
    (2, "female", -0.15, 0.15), (1, "fed", 0.05, 0.1), (2, "fed", 0.10, 0.08), (3, "fed", 0.2, 0.3),
]
MEAN0 = np.array([effect[2] for effect in EFFECTS])
SD0 = np.array([effect[3] for effect in EFFECTS])
# Standard deviations that the priors of the levels expect, and how many degrees of freedom these are worth.
GUESS = {
    "study": (np.array([0.3, 0.08, 0.12, 0.3]), 6),
    "person": (np.array([0.35, 0.10, 0.10, 0.4]), 10),
    "occasion": (np.array([0.35, 0.06, 0.08, 0.4]), 8),
}
# How readings err: the evidence of the series under draws from the prior (--evidence) is highest near these.
ERRORS = {"sd": 0.02, "sd_df": 3, "absorption_kg_per_g": 7.5, "correlation_min": [12, 24, 48]}


def table(*path):
    with open(DATA.joinpath(*path), newline="") as file:
        return list(csv.DictReader(file))


def curve(doses, times, ka, beta, r, lag):
    """Concentrations in g/kg of draws (one column of parameters each) at times in h, drinks as (start h, h, g/kg).

    Exact between the starts and ends of drinks; what is eliminated below zero is put back (reflection), for
    which the lowest of eight points of a drink that lasts is taken.
    """
    ka, beta, r, lag = (np.atleast_1d(np.asarray(v, float))[:, None] for v in (ka, beta, r, lag))
    edges = sorted({edge for start, length, _ in doses for edge in (start, start + length)})
    c = np.zeros_like(ka)
    g = np.zeros_like(ka)
    out = np.zeros((len(ka), len(times)))
    for place, edge in enumerate(edges):
        g = g + sum(a for start, length, a in doses if length == 0 and start == edge) / r
        rate = sum(
            a / length for start, length, a in doses
            if length > 0 and start <= edge + 1e-12 < start + length
        ) / r

        def free(tau):
            left = np.exp(-ka * tau)
            gut = g * left + rate / ka * (1 - left)
            return c + g * (1 - left) + rate * tau - rate / ka * (1 - left) - beta * tau, gut

        def at(tau):
            blood, gut = free(tau)
            lowest = np.minimum(blood, 0)
            if np.any(rate > 0):
                for share in np.linspace(0, 1, 9)[1:-1]:
                    lowest = np.minimum(lowest, free(tau * share)[0])
            return blood - lowest, gut

        tau = np.asarray(times)[None, :] - lag - edge
        span = edges[place + 1] - edge if place + 1 < len(edges) else math.inf
        out = np.where((tau >= 0) & (tau < span), at(np.maximum(tau, 0))[0], out)
        if math.isfinite(span):
            c, g = at(np.full_like(ka, span))
    return out


def measured_series():
    """(study, person, female, fed, doses, times h, g/kg, whether it is a mean curve) of all series."""
    found = []
    for study, (fed, factor) in SERIES.items():
        people = {row["subject"]: row for row in table(study, "subjects.csv")}
        drinks, readings = table(study, "drinks.csv"), table(study, "readings.csv")
        column = next(name for name in readings[0] if name.startswith(("bac", "serum")))
        key = lambda row: (row["subject"], row.get("occasion", ""))
        for own in dict.fromkeys(key(row) for row in readings):
            body = people[own[0]]
            weight = float(body["weight_kg"] or "nan")
            doses = [
                (
                    float(row["time_min"]) / 60, float(row.get("duration_min") or 0) / 60,
                    float(row["ethanol_g_per_kg"]) if "ethanol_g_per_kg" in row
                    else float(row["ethanol_g"]) / weight,
                )
                for row in drinks if key(row) == own
            ]
            rows = sorted(
                (float(row["time_min"]) / 60, float(row[column]) * factor)
                for row in readings if key(row) == own
            )
            times, levels = (np.array(values) for values in zip(*rows))
            peak = int(np.argmax(levels))
            # Zeros before the first drink, and those after the first zero, say nothing.
            zeros = np.flatnonzero((levels <= 0) & (times > times[peak]))
            kept = (levels > 0) | (times > times[peak])
            kept[zeros[1:]] = False
            found.append((study, f"{study}/{own[0]}", float(body["sex"] == "female"), fed, doses,
                          times[kept], levels[kept], False))
    for name, arm in json.loads((DATA / "published-curves" / "curves.json").read_text()).items():
        if "EtOH" not in arm:
            continue
        given = arm["input"]
        starts, rates = given["vol_drink_per_time"]["t"], given["vol_drink_per_time"]["f"]
        strength, weight = given["EtOH_conc"]["f"][0], given["weight"]["f"][-1]
        doses = [
            ((starts[i] - starts[1]) / 60, (starts[i + 1] - starts[i]) / 60,
             rates[i] * (starts[i + 1] - starts[i]) * 1000 * strength / 100 * 0.789 / weight)
            for i in range(1, len(starts) - 1) if rates[i] > 0
        ]
        times = (np.array(arm["EtOH"]["Time"], float) - starts[1]) / 60
        levels = np.array(arm["EtOH"]["Mean"], float) * 0.01 / 1.055
        # Where some people have reached zero, their mean is no person's curve.
        kept = levels > 0.03
        found.append((name.split("_")[0], name, 1.0 - given["sex"]["f"][-1],
                      float(max(given["kcal_solid"]["f"]) > 0), doses, times[kept], levels[kept], True))
    return found


def likelihood(doses, times, levels):
    """Information and information times estimate of a series, about its fit with a weak prior, which is taken out."""
    center, width = np.log([4, 0.10, 0.68, 5 / 60]), np.array([1.2, 0.6, 0.6, 1.0])
    together = 0.6 * np.exp(-abs(times[:, None] - times[None, :]) / 0.5) + 0.4 * np.eye(len(times))
    whiten = np.linalg.inv(np.linalg.cholesky(together))

    def residuals(x, sd):
        ka, per_body, r, lag = np.exp(x)
        errors = curve(doses, times, ka, per_body / r, r, lag)[0] - levels
        return np.concatenate([whiten @ errors / sd, (x - center) / width])

    sd, best = 0.04, None
    for _ in range(6):
        starts = [best.x] if best is not None else [
            np.concatenate([[math.log(ka)], center[1:]]) for ka in (2, 7)]
        best = min((least_squares(residuals, x, args=(sd,)) for x in starts), key=lambda fit: fit.cost)
        white = best.fun[:len(times)] * sd
        sd = math.sqrt((3 * 0.03**2 + white @ white) / (3 + len(times) - min(4, len(times) - 1)))
    jacobian = best.jac[:len(times)]
    information = jacobian.T @ jacobian
    return information, information @ best.x - jacobian.T @ best.fun[:len(times)], np.diag(1 / width**2), center


def units(without=(), curves=True):
    """What is known of each series, volunteer and published mean; with curves=False, not of series."""
    found = []

    def add(study, person, female, fed, information, right, people=1):
        design = np.zeros((AXES, len(EFFECTS)))
        for column, (axis, factor, _, _) in enumerate(EFFECTS):
            design[axis, column] = {None: 1, "fed": fed, "female": female}[factor]
        found.append((study, person, design, information, right, people))

    for study, person, female, fed, doses, times, levels, is_mean in measured_series() if curves else []:
        if study in without:
            continue
        information, right, prior, center = likelihood(doses, times, levels)
        if is_mean:
            spread = np.linalg.inv(information + prior)
            middle = spread @ (right + prior @ center)
            seen = np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, -1, 0.0]])
            seen = seen[:3 if levels.max() >= LEAST_PEAK else 2]
            weight = np.linalg.inv(seen @ spread @ seen.T + np.diag([0, 0, 0.05**2])[:len(seen), :len(seen)])
            information, right = seen.T @ weight @ seen, seen.T @ weight @ (seen @ middle)
        add(study, person, female, fed, information, right, PEOPLE_OF_A_MEAN if is_mean else 1)

    def add_line(study, person, female, fed, beta, r, people=1, sd=(0.05, 0.04)):
        rows = [(np.array([0, 1, -1, 0.0]), beta, sd[0]), (np.array([0, 0, 1, 0.0]), r, sd[1])]
        rows = [row for row in rows if row[1] is not None]
        add(study, person, female, fed,
            sum(np.outer(row, row) / error**2 for row, _, error in rows),
            sum(row * math.log(value) / error**2 for row, value, error in rows), people)

    if "scs-beta60" not in without:
        for row in table("scs-beta60", "estimates.csv"):
            r = float(row["ethanol_g"]) / float(row["weight_kg"]) / float(row["c0_g_per_kg"])
            add_line("scs-beta60", f'scs-beta60/{row["subject"]}', float(row["sex"] == "female"), 0.5,
                     float(row["beta60_g_per_kg_h"]), r)
    add_line("widmark-1932", "widmark-1932/men", 0, 0, 0.150, 0.68, 20, (0.03, 0.03))
    add_line("widmark-1932", "widmark-1932/women", 1, 0, 0.156, 0.55, 10, (0.03, 0.03))
    add_line("jones-andersson-1996", "jones-andersson-1996/men", 0, 0.5, 0.189 / 1.055, None, 976, (0.03, 0.03))
    add_line("jones-andersson-1996", "jones-andersson-1996/women", 1, 0.5, 0.214 / 1.055, None, 114, (0.03, 0.03))
    return found


def sampled(found, rounds=2500, burn_in=300, seed=1):
    """Draws of the effects and of the three covariances."""
    random = np.random.default_rng(seed)
    studies = sorted({unit[0] for unit in found})
    people = sorted({unit[1] for unit in found})
    study_of = np.array([studies.index(unit[0]) for unit in found])
    person_of = np.array([people.index(unit[1]) for unit in found])
    design = np.array([unit[2] for unit in found])
    information = np.array([unit[3] for unit in found])
    right = np.array([unit[4] for unit in found])
    size = np.array([unit[5] for unit in found], float)
    size_of_person = np.array([size[person_of == p].max() for p in range(len(people))])

    def normal(precision, weighted):
        factor = np.linalg.cholesky(precision)
        mean = np.linalg.solve(precision, weighted[..., None])[..., 0]
        white = random.standard_normal(weighted.shape)
        return mean + np.linalg.solve(np.swapaxes(factor, -1, -2), white[..., None])[..., 0]

    def inverse_wishart(freedom, scale):
        factor = np.linalg.cholesky(np.linalg.inv(scale))
        bartlett = np.tril(random.standard_normal((AXES, AXES)), -1)
        bartlett += np.diag(np.sqrt(random.chisquare(freedom - np.arange(AXES))))
        root = factor @ bartlett
        return np.linalg.inv(root @ root.T)

    of_study = np.zeros((len(studies), AXES))
    of_person = np.zeros((len(people), AXES))
    effects = MEAN0.copy()
    levels = {name: np.diag(guess**2) for name, (guess, _) in GUESS.items()}
    kept = []
    for index in range(rounds):
        within = size[:, None, None] * np.linalg.inv(levels["occasion"])
        mean = design @ effects + of_study[study_of] + of_person[person_of]
        x = normal(information + within, right + np.einsum("nij,nj->ni", within, mean))
        rest = x - design @ effects - of_study[study_of]
        precision = size_of_person[:, None, None] * np.linalg.inv(levels["person"])
        weighted = np.zeros_like(of_person)
        np.add.at(precision, person_of, within)
        np.add.at(weighted, person_of, np.einsum("nij,nj->ni", within, rest))
        of_person = normal(precision, weighted)
        rest = x - design @ effects - of_person[person_of]
        precision = np.repeat(np.linalg.inv(levels["study"])[None], len(studies), 0)
        weighted = np.zeros_like(of_study)
        np.add.at(precision, study_of, within)
        np.add.at(weighted, study_of, np.einsum("nij,nj->ni", within, rest))
        of_study = normal(precision, weighted)
        rest = x - of_study[study_of] - of_person[person_of]
        effects = normal(
            np.diag(1 / SD0**2) + np.einsum("nki,nkl,nlj->ij", design, within, design),
            MEAN0 / SD0**2 + np.einsum("nki,nkl,nl->i", design, within, rest))
        of_occasion = (x - design @ effects - of_study[study_of] - of_person[person_of]) * np.sqrt(size)[:, None]
        residuals = {
            "study": of_study, "person": of_person * np.sqrt(size_of_person)[:, None], "occasion": of_occasion}
        for name, rows in residuals.items():
            guess, freedom = GUESS[name]
            if name == "person":
                levels[name] = inverse_wishart(
                    freedom + len(rows), np.diag(guess**2) * (freedom - AXES - 1) + rows.T @ rows)
            else:
                levels[name] = np.diag(
                    (guess**2 * (freedom - 2) + (rows**2).sum(0)) / random.chisquare(freedom + len(rows), AXES))
        if index >= burn_in:
            kept.append((effects, levels["study"], levels["person"], levels["occasion"]))
    return [np.array(draws) for draws in zip(*kept)]


def rounded(x, digits=4):
    return 0.0 if x == 0 else round(float(x), digits - 1 - math.floor(math.log10(abs(x))))


# From (ln k_a, ln(r beta), ln r, ln lag) to the logarithms of the parameters.
NAMES = ["ka", "beta", "r", "lag"]
TO_PARAMETERS = np.array([[1, 0, 0, 0], [0, 1, -1, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def covariances(matrix):
    own = TO_PARAMETERS @ matrix @ TO_PARAMETERS.T
    return {
        NAMES[i] if i == j else f"{NAMES[i]},{NAMES[j]}": rounded(own[i, j])
        for i in range(AXES) for j in range(i + 1) if i == j or abs(own[i, j]) > 1e-12
    }


TITLES = {
    "fasted": (0.0, "Fasted people, of five studies, ten mean curves and published means"),
    "fed": (1.0, "People after a meal, of five studies, ten mean curves and published means"),
    "unknown": (0.5, "People of whom it is not known what they ate, of five studies, ten mean curves and published means"),
}


def priors(without=()):
    found = units(without)
    effects, study, person, occasion = sampled(found)
    by_food = np.zeros(AXES)
    by_sex = np.zeros(AXES)
    for value, (axis, factor, _, _) in zip(effects.mean(0), EFFECTS):
        if factor == "fed":
            by_food[axis] = value
        elif factor == "female":
            by_sex[axis] = value
    result = {}
    for name, (fed, title) in TITLES.items():
        design = np.array([
            [{None: 1, "fed": fed, "female": 0}[factor] * (axis == own) for own, factor, _, _ in EFFECTS]
            for axis in range(AXES)])
        typical = effects @ design.T @ TO_PARAMETERS.T
        values = np.exp(typical.mean(0))
        values[3] *= 60
        within = occasion.mean(0) + (0.25 * np.outer(by_food, by_food) if fed == 0.5 else 0)
        sex = TO_PARAMETERS @ by_sex
        result[name] = {
            "title": title,
            "model": "widmark",
            "people": len({unit[1] for unit in found if unit[5] == 1}),
            "series": sum(unit[5] == 1 for unit in found),
            "made_by": "Tests/Tools/priors.py",
            "typical": {key: rounded(value) for key, value in zip(NAMES, values)},
            "typical_se": {key: rounded(value) for key, value in zip(NAMES, typical.std(0))},
            "between": covariances(person.mean(0)),
            "within": covariances(within),
            "studies": covariances(study.mean(0)),
            "covariates": {
                f"{key},sex": {"coefficient": rounded(value), "form": "power", "center": 0.0}
                for key, value in zip(NAMES, sex) if key in ("beta", "r")
            },
            "residual": ERRORS,
            "applies_to": ({"food": name} if fed != 0.5 else {}) | {
                "age_y": [18, 67], "ethanol_g_per_kg": [0.15, 1.4]},
        }
    return result


def unabsorbed(doses, times, ka, r, lag):
    """What has been drunk and not yet absorbed, in g/kg of blood, of draws at times."""
    ka, r, lag = (np.asarray(v)[:, None] for v in (ka, r, lag))
    gut = 0.0
    for start, length, dose in doses:
        elapsed = np.asarray(times)[None, :] - start
        drunk = np.clip(elapsed / length, 0, 1) if length else (elapsed > 0) * 1.0
        since = np.maximum(elapsed - lag, 0)
        if length:
            entered = np.minimum(since, length)
            left = (1 - np.exp(-ka * entered)) / ka * np.exp(-ka * (since - entered)) / length
            waiting = drunk - entered / length
        else:
            left = (since > 0) * np.exp(-ka * since)
            waiting = drunk * (since <= 0)
        gut = gut + dose * (left + waiting) / r
    return gut


def evidence(made, sd=0.02, freedom=3, absorption=7.5, minutes=24, share=0.9, draws=20000):
    """ln of the likelihood of each study's readings, averaged over draws from the prior, the size integrated out."""
    random = np.random.default_rng(5)
    sums = dict.fromkeys(SERIES, 0.0)
    for study, _, female, fed, doses, times, levels, is_mean in measured_series():
        if is_mean:
            continue
        own = made["fed" if fed == 1 else "fasted" if fed == 0 else "unknown"]
        covariance = np.zeros((AXES, AXES))
        for part in ("between", "within", "studies"):
            for key, value in own[part].items():
                i, j = (NAMES.index(name) for name in (key.split(",") * 2)[:2])
                covariance[i, j] = covariance[j, i] = covariance[i, j] + value
        mean = np.log([own["typical"][name] / (60 if name == "lag" else 1) for name in NAMES])
        for key, value in own["covariates"].items():
            mean[NAMES.index(key.split(",")[0])] += female * value["coefficient"]
        ka, beta, r, lag = np.exp(mean + random.standard_normal((draws, AXES)) @ np.linalg.cholesky(covariance).T).T
        kept = levels > 0
        times, levels = times[kept], levels[kept]
        growth = np.sqrt(1 + (absorption * unabsorbed(doses, times, ka, r, lag))**2)
        errors = (levels - curve(doses, times, ka, beta, r, lag)) / growth / sd
        together = share * np.exp(-60 * abs(times[:, None] - times[None, :]) / minutes) + (1 - share) * np.eye(len(times))
        squares = np.einsum("pi,ij,pj->p", errors, np.linalg.inv(together), errors)
        n = len(times)
        logs = (
            math.lgamma((freedom + n) / 2) - math.lgamma(freedom / 2) - n / 2 * math.log(math.pi * freedom)
            - n * math.log(sd) - np.linalg.slogdet(together)[1] / 2 - np.log(growth).sum(1)
            - (freedom + n) / 2 * np.log1p(squares / freedom))
        sums[study] += logs.max() + math.log(np.mean(np.exp(logs - logs.max())))
    return sums


UNITS = {"ka": "1/h", "beta": "g/kg/h", "r": "kg/kg", "lag": "min"}


def tables(own):
    """A prior in the form of a file: the tables of `promille population --format json` that say what the model is."""
    def spread(part):
        pairs = ((key.split(",") * 2)[:2] + [value] for key, value in own[part].items())
        return [{"parameter": one, "other": other, "covariance": value} for one, other, value in pairs]

    errors = {name: value if isinstance(value, list) else [value] for name, value in own["residual"].items()}
    return {
        "schema_version": 1,
        "title": own["title"],
        "made_by": own["made_by"],
        "population": [{name: own[name] for name in ("model", "people", "series")}],
        "typical": [
            {"parameter": name, "unit": UNITS[name], "value": value, "se": own["typical_se"][name]}
            for name, value in own["typical"].items()],
        "between": spread("between"),
        "within": spread("within"),
        "studies": spread("studies"),
        "covariates": [
            dict(zip(("parameter", "covariate"), key.split(","))) | effect for key, effect in own["covariates"].items()],
        "residual": [{"error": name, "value": value} for name, values in errors.items() for value in values],
        "applies_to": own["applies_to"],
    }


def read(path):
    """What `tables` wrote, by names."""
    file = json.loads(pathlib.Path(path).read_text())

    def spread(part):
        return {
            one["parameter"] if one["parameter"] == one["other"] else f'{one["parameter"]},{one["other"]}':
            one["covariance"] for one in file[part]}

    errors = {}
    for one in file["residual"]:
        errors.setdefault(one["error"], []).append(one["value"])
    return {name: file[name] for name in ("title", "made_by", "applies_to")} | file["population"][0] | {
        "typical": {one["parameter"]: one["value"] for one in file["typical"]},
        "typical_se": {one["parameter"]: one["se"] for one in file["typical"]},
        **{part: spread(part) for part in ("between", "within", "studies")},
        "covariates": {
            f'{one["parameter"]},{one["covariate"]}': {name: one[name] for name in ("coefficient", "form", "center")}
            for one in file["covariates"]},
        "residual": {name: values if name == "correlation_min" else values[0] for name, values in errors.items()},
    }


def text(own):
    """The file of a prior, a row in a line."""
    def value(part):
        if isinstance(part, list):
            return "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in part) + "\n  ]"
        return json.dumps(part)

    return "{\n" + ",\n".join(f'  "{name}": {value(part)}' for name, part in tables(own).items()) + "\n}\n"


def near(a, b):
    """Equal but for the Monte Carlo error of another machine's last digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 0.05 * max(abs(a), abs(b)) + 1e-3
    return a == b


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--evidence", action="store_true")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    if options.evidence:
        made = priors()
        choices = [{}] + [{"sd": x} for x in (0.01, 0.014, 0.03)] + [{"absorption": x} for x in (0, 3, 15)]
        choices += [{"share": 0.0}, {"share": 0.5}] + [{"minutes": x} for x in (6, 12, 48, 120)]
        choices += [{"freedom": x} for x in (2, 8)]
        for choice in choices:
            sums = evidence(made, **choice)
            print(choice or "as in ERRORS", {study: round(float(value), 1) for study, value in sums.items()},
                  round(float(sum(sums.values())), 1))
        return
    made = priors(options.without)
    if options.check:
        for name, own in made.items():
            path = ROOT / "datasets" / "priors" / f"{name}.json"
            if not near(own, read(path)):
                sys.exit(f"{path} is not what the studies give now; run make priors and look at the difference")
        return
    folder = options.output or ROOT / "datasets" / "priors"
    folder.mkdir(parents=True, exist_ok=True)
    for name, own in made.items():
        (folder / f"{name}.json").write_text(text(own))


if __name__ == "__main__":
    main()
