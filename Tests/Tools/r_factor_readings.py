"""What readings are worth for r_factor_worth.py: the time forecast from one reading, two, or breath at the start.

The parameters of a person are drawn from the prior of the other studies, and weighted by how likely they make the
readings that are taken to be known. A formula moves the middle of r, and leaves its spread as it is.
`against_command` compares with `promille forecast`, which draws in another way and mixes in a straight line.
"""

import math

import numpy as np
from scipy import stats

import priors
import r_factor_people as people
from r_factor_people import METHODS, NAMES
from r_factor_statistics import SEED, by_person, interval

DRAWS = 16384
BREATH_CV = 0.075
"""SD of ln of the blood:breath ratio between people: 176 of 2349 (the volunteers of scs-beta60)."""
STEP_H = 1 / 6
AHEAD_MIN = 30
"""A reading counts if it was taken so long before the time that is forecast."""


def normal_draws(count):
    """Quasi-random normal deviates in five dimensions: the parameters, and the blood:breath ratio."""
    points = stats.qmc.Sobol(5, seed=SEED).random(count)
    return stats.norm.ppf(np.clip(points, 1e-9, 1 - 1e-9))


def prior_draws(evening, formula, deviates):
    """k_a, beta, r and lag in the columns of a dictionary; a formula moves the middle of r alone."""
    middle = dict(evening.typical) | {"r": evening.r(formula)}
    covariance = np.diag([evening.prior["typical_se"][name]**2 for name in people.ESTIMATED])
    for part in ("between", "within", "studies"):
        for key, value in evening.prior[part].items():
            i, j = (people.ESTIMATED.index(name) for name in (key.split(",") * 2)[:2])
            covariance[i, j] += value
            covariance[j, i] += value if i != j else 0
    logs = np.log([middle[name] for name in people.ESTIMATED]) + deviates[:, :4] @ np.linalg.cholesky(covariance).T
    return dict(zip(people.ESTIMATED, np.exp(logs).T))


def log_weights(evening, draws, known, levels, ratio):
    """ln of the likelihood of a few readings: errors of the priors' own kind (`priors.py`, ReadingErrors)."""
    errors = evening.prior["residual"]
    sd, freedom = errors["sd"], errors["sd_df"]
    times = evening.times[known]
    gut = priors.unabsorbed(evening.doses, times, draws["ka"], draws["r"], draws["lag"])
    growth = np.sqrt(1 + (errors["absorption_kg_per_g"] * gut)**2)
    missed = (levels - evening.curve(times, draws) * ratio[:, None]) / growth / sd
    logs = []
    for minutes in errors["correlation_min"]:
        apart = 60 * np.abs(times[:, None] - times[None, :])
        together = 0.9 * np.exp(-apart / minutes) + 0.1 * np.eye(len(times))
        squares = np.einsum("pi,ij,pj->p", missed, np.linalg.inv(together), missed)
        logs.append(-np.linalg.slogdet(together)[1] / 2
                    - (freedom + len(times)) / 2 * np.log1p(squares / freedom))
    return np.logaddexp.reduce(logs, axis=0) - np.log(growth).sum(axis=1)


def known_readings(evening):
    """Indices of single readings that somebody could take: at the start, one after the peak, and two."""
    after = np.flatnonzero(evening.times > evening.drunk)
    peak = after[evening.levels[after].argmax()]
    later = [i for i in after if i > peak]
    found = {}
    early = [i for i in after if evening.times[i] >= evening.drunk + 0.25 and evening.levels[i] > 0]
    if early:
        found["start"] = early[:1]
    if later:
        found["one"] = later[:1]
        second = [i for i in later if evening.times[i] >= evening.times[later[0]] + 0.5]
        if second:
            found["two"] = [later[0], second[0]]
    time, _ = evening.target
    return {name: np.array(known) for name, known in found.items()
            if 60 * evening.times[known[-1]] + AHEAD_MIN <= time}


KINDS = {"no reading": None, "breath at the start": ("start", True), "blood at the start": ("start", False),
         "breath after the peak": ("one", True), "one after the peak": ("one", False),
         "two after the peak": ("two", False)}


def quantiles(values, weights, at):
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return np.interp(at, (total - weights[order] / 2) / total[-1], values[order])


def reading_scores(found):
    """(kind, formula) to rows of person, weight, error, width, whether held, min ahead; of evenings with all kinds."""
    deviates = normal_draws(DRAWS)
    nodes, node_weights = np.polynomial.hermite_e.hermegauss(5)
    node_weights = node_weights / node_weights.sum()
    scores = {}
    for evening in found:
        known = known_readings(evening)
        if len(known) < 3 or evening.body is None:
            continue
        time, level = evening.target
        for formula in METHODS:
            if evening.r(formula) is None:
                continue
            draws = prior_draws(evening, formula, deviates)
            times = coarse_times(evening, draws, level)
            for kind, (which, breath) in ((k, v or (None, False)) for k, v in KINDS.items()):
                # By breath: the blood reading times a ratio that is off by as much as people's ratios are.
                cases = zip(nodes, node_weights) if breath else [(0.0, 1.0)]
                sums = np.zeros(6)
                for node, share in cases:
                    if which is None:
                        weights = np.ones(len(times))
                    else:
                        ratio = np.exp(BREATH_CV * deviates[:, 4]) if breath else np.ones(len(times))
                        seen = evening.levels[known[which]] * math.exp(BREATH_CV * node)
                        logs = log_weights(evening, draws, known[which], seen, ratio)
                        weights = np.exp(logs - logs.max())
                    low, middle, high = quantiles(times, weights, [0.05, 0.5, 0.95])
                    error = middle / time - 1
                    sums += share * np.array(
                        [error, abs(error), error**2, (high - low) / time, low <= time <= high, abs(error) * time])
                ahead = time if which is None else time - 60 * evening.times[known[which][-1]]
                scores.setdefault((kind, formula), []).append((evening.study, evening.person, [*sums, ahead]))
        for which in ("one", "two"):
            # No prior, no formula: down from the last reading at the typical beta.
            last = known[which][-1]
            error = (60 * (evening.times[last] + (evening.levels[last] - level) / evening.typical["beta"])) / time - 1
            scores.setdefault((f"line from the last of {which}", "none"), []).append((
                evening.study, evening.person,
                [error, abs(error), error**2, math.nan, math.nan, abs(error) * time, time - 60 * evening.times[last]]))
    return scores


def coarse_times(evening, draws, level, block=1024):
    """As Evening.predicted_time, of many draws on a grid of STEP_H, to 8 h after the measured time."""
    grid = np.arange(0, evening.target[0] / 60 + 8, STEP_H)
    found = []
    for start in range(0, len(draws["ka"]), block):
        part = {key: value[start : start + block] for key, value in draws.items()}
        curves = evening.curve(grid, part)
        above = curves > level
        last = np.minimum(above.shape[1] - 1 - above[:, ::-1].argmax(axis=1), above.shape[1] - 2)
        rows = np.arange(len(curves))
        high, low = curves[rows, last], curves[rows, last + 1]
        share = np.clip((high - level) / np.maximum(high - low, 1e-12), 0, 1)
        found.append(np.where(above.any(axis=1), 60 * (grid[last] + STEP_H * share), 0.0))
    return np.concatenate(found)


def reading_table(found):
    scores = reading_scores(found)
    rows = []
    for group in ("all", "Wilkinson 1977", "Thierauf-Emberger 2023"):
        chosen = {key: [(person, numbers) for study, person, numbers in values if group in ("all", NAMES[study])]
                  for key, values in scores.items()}
        own = {key: by_person(values) for key, values in chosen.items()}
        people_of = {key: list(dict.fromkeys(person for person, _ in values)) for key, values in chosen.items()}
        for (kind, formula), table in own.items():
            evenings = len(chosen[kind, formula])
            row = {"group": group, "known": kind, "formula": formula, "people": len(table), "evenings": evenings}
            row |= interval("bias_pct", 100 * table[:, 0], np.mean)
            row |= interval("mean_abs_pct", 100 * table[:, 1], np.mean)
            row["median_abs_pct"] = 100 * float(np.median(table[:, 1]))
            row["rms_pct"] = 100 * math.sqrt(table[:, 2].mean())
            row["width_90_pct"] = "" if np.isnan(table[:, 3]).any() else 100 * table[:, 3].mean()
            row["held_90_pct"] = "" if np.isnan(table[:, 4]).any() else 100 * table[:, 4].mean()
            row["mean_abs_min"] = table[:, 5].mean()
            row["ahead_min"] = table[:, 6].mean()
            # What it saves of the error without readings, by the same formula; and how it differs from no formula.
            before = own["no reading", formula][:, 1]
            row |= interval("saved_pct", np.column_stack([table[:, 1], before]),
                            lambda x: 100 * (1 - x[:, 0].mean() / x[:, 1].mean()))
            kept = [people_of[kind, "none"].index(person) for person in people_of[kind, formula]]
            row |= interval("above_no_formula_pct", 100 * (table[:, 1] - own[kind, "none"][kept, 1]), np.mean)
            rows.append(row)
    return rows


def against_command(promille, found):
    """By how many percent medians here differ from those of `promille forecast`, typically and at most."""
    deviates = normal_draws(DRAWS)
    apart = []
    for evening in found:
        known = known_readings(evening)
        for which in ("one", "two"):
            if which not in known:
                continue
            draws = prior_draws(evening, "none", deviates)
            logs = log_weights(evening, draws, known[which], evening.levels[known[which]], np.ones(DRAWS))
            times = coarse_times(evening, draws, evening.target[1])
            median = quantiles(times, np.exp(logs - logs.max()), [0.5])[0]
            theirs = people.forecast(promille, evening, known[which])["median_min"]
            apart.append((which, 100 * (median / theirs - 1)))
    rows = []
    for which in ("one", "two"):
        own = np.abs([x for name, x in apart if name == which])
        rows.append({"known": which, "evenings": len(own), "median_apart_pct": float(np.median(own)),
                     "most_apart_pct": float(own.max())})
    return rows
