#!/usr/bin/env python3
"""Tries kinetics beyond first-order absorption on people and studies that the prior was not made of.

    kinetics_tried.py [--write | --check]

Every kinetics of kinetics_models.py gets a population by the same method, close to that of priors.py: each series of
the studies in ../shared/data is fitted with a weak prior and becomes a normal likelihood on the axes of the kinetics;
effects and the levels between studies, people and occasions follow by variational Bayes. Each study of people is left out in turn,
and the published mean curves all together. The size of errors and how much larger they are during absorption are
chosen anew for every kinetics by the evidence of the studies that are not left out.

People of the study left out are then forecast from each of their readings on, with draws from the prior that are
weighed by the readings so far; what is scored is every later reading, with its error. Back calculations know the
drinks, the food and one reading, and go back an hour (within 15 min) as in case_coverage.py. A CRPS is of a person's
mean over all forecasts, so that people count alike, and its gain over the first row has a 90 % interval from
drawing people again.

The last part makes sure that a gain would be seen: 120 made-up people of two compartments with Michaelis-Menten
elimination (population/oral-2cpt-mm.csv), half to fit, half to forecast.

The table is Tests/Expectations/kinetics-tried.csv; --check computes it again.
"""

import argparse
import collections
import csv
import math
import os
import pathlib
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import case_coverage
import kinetics_models as models
import numpy as np
import priors
from scipy.optimize import least_squares

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "Tests" / "Expectations" / "kinetics-tried.csv"
STUDIES = list(priors.SERIES)
MEANS = "mean curves"
# Draws from the prior, more about the posterior, until so many are worth that many independent ones.
DRAWS, MORE, ENOUGH = 2500, 700, 250
KEPT = 400
# Errors of readings as in priors.py, and between what their size and their growth are chosen.
FREEDOM, MINUTES, SHARE = priors.ERRORS["sd_df"], 24, 0.9
SIZES, GROWTHS = (0.01, 0.014, 0.02, 0.03), (0.0, 2.5, 5.0, 7.5, 15.0, 30.0)


def correlation(series, places):
    """Of errors that come in runs."""
    times, share = series.times[places], series.share
    return share * np.exp(-60 * abs(times[:, None] - times[None, :]) / MINUTES) + (1 - share) * np.eye(len(times))


class Series:
    """The readings of somebody on one occasion, or a mean curve."""

    def __init__(self, study, person, female, fed, doses, times, levels, is_mean):
        self.study, self.person, self.is_mean = study, person, is_mean
        self.doses, self.times, self.levels = doses, times, levels
        dose = sum(amount for _, _, amount in doses)
        self.factors = {None: 1.0, "fed": fed, "female": female, "dose": math.log(dose / 0.5)}
        self.share = SHARE

    def follow(self, kinetics, x, times):
        """What readings without errors would be, and what is not yet absorbed."""
        return kinetics.follow(x, times, self.doses)


class MadeUp(Series):
    """A made-up person, whose errors are independent and of one size in the logarithm; a time is 10 h."""

    def __init__(self, person, doses, times, levels):
        super().__init__("made up", person, 0.0, 0.0, doses, times, np.log(levels), False)
        self.share = 0.0

    def follow(self, kinetics, x, times):
        levels, waiting = super().follow(kinetics, x, times)
        return np.log(np.maximum(levels, 1)), waiting


def design(kinetics, factors):
    matrix = np.zeros((len(kinetics.axes), len(kinetics.effects())))
    for column, (axis, factor, _, _) in enumerate(kinetics.effects()):
        matrix[axis, column] = factors.get(factor, 0.0)
    return matrix


def likelihood(kinetics, series):
    """Information and information times estimate of a series about its fit with a weak prior, as in priors.py."""
    center, width = (np.array([models.AXES[axis][i] for axis in kinetics.axes]) for i in (0, 2))
    times, levels = series.times, series.levels
    runs = 0.6 if series.share else 0.0
    together = runs * np.exp(-abs(times[:, None] - times[None, :]) / 0.5) + (1 - runs) * np.eye(len(times))
    whiten = np.linalg.inv(np.linalg.cholesky(together))

    def residuals(x, sd):
        errors = series.follow(kinetics, x, times)[0][0] - levels
        return np.concatenate([whiten @ errors / sd, (x - center) / width])

    sd, best = 0.04, None
    for _ in range(5):
        starts = [best.x] if best is not None else [
            np.concatenate([[math.log(ka)], center[1:]]) for ka in (2, 7)]
        found = [least_squares(residuals, x, args=(sd,), diff_step=1e-4, max_nfev=60) for x in starts]
        best = min(found, key=lambda fit: fit.cost)
        white = best.fun[:len(times)] * sd
        sd = math.sqrt((3 * 0.03**2 + white @ white) / (3 + len(times) - min(4, len(times) - 1)))
    jacobian = best.jac[:len(times)]
    information = jacobian.T @ jacobian
    return information, information @ best.x - jacobian.T @ best.fun[:len(times)]


def of_a_mean(kinetics, series, information, right):
    """What a mean curve says of all axes but r; of beta only if it is high enough, less 5 % for what means are."""
    size = len(kinetics.axes)
    # From the axes to (all but r and r beta, ln beta), and ln r, of which nothing is taken but a weak prior.
    turn = np.eye(size)
    turn[1, 2] = -1
    back = np.linalg.inv(turn)
    weak = np.zeros((size, size))
    nuisance = [2] if series.levels.max() >= priors.LEAST_PEAK else [1, 2]
    center = np.array([models.AXES[axis][0] for axis in kinetics.axes])
    for axis in nuisance:
        weak[axis, axis] = 1 / 0.6**2
    information = back.T @ information @ back + weak
    right = back.T @ right + weak @ turn @ center
    kept = [axis for axis in range(size) if axis not in nuisance]
    bridge = information[np.ix_(kept, nuisance)] @ np.linalg.inv(information[np.ix_(nuisance, nuisance)])
    own = information[np.ix_(kept, kept)] - bridge @ information[np.ix_(nuisance, kept)]
    value = np.linalg.lstsq(own, right[kept] - bridge @ right[nuisance], rcond=None)[0]
    if 1 in kept:
        place = kept.index(1)
        column = own[:, place:place + 1]
        own = own - column @ column.T / (1 / 0.05**2 + own[place, place])
    seen = turn[kept]
    return seen.T @ own @ seen, seen.T @ own @ value


def lines(kinetics, without):
    """Beta and r of volunteers, and published means, as priors.py takes them."""
    offset = kinetics.offset()
    for unit in priors.units(without=(*STUDIES, *without), curves=False):
        study, person, own_design, information, right, people = unit
        factors = {None: 1.0, "fed": 0.0, "female": 0.0}
        for column, (_, factor, _, _) in enumerate(priors.EFFECTS):
            factors[factor] = max(own_design[:, column].max(), 0.0)
        size = len(kinetics.axes)
        whole, value = np.zeros((size, size)), np.zeros(size)
        # Axes 1 and 2; the rate that was published is that at usual concentrations.
        whole[:4, :4] = information
        shift = np.array([0, offset, 0, 0])
        value[:4] = right + information @ shift
        yield study, person, design(kinetics, factors), whole, value, people


class Population:
    """Typical values, levels and their uncertainty from the units that are not left out.

    Those of priors.py, x = design effects + study + person + occasion with the same priors of the levels, but by
    variational Bayes: levels given what is expected of effects and deviations, and the other way about, until nothing
    changes. No random number makes one kinetics differ from another.
    """

    def __init__(self, kinetics, units, without, rounds=60):
        found = [unit for unit in units if unit[0] not in without]
        size, effects = len(kinetics.axes), kinetics.effects()
        studies = sorted({unit[0] for unit in found})
        people = sorted({unit[1] for unit in found})
        person_of = np.array([people.index(unit[1]) for unit in found])
        information, right = np.array([unit[3] for unit in found]), np.array([unit[4] for unit in found])
        count = np.array([unit[5] for unit in found], float)
        of_person = np.array([count[person_of == place].max() for place in range(len(people))])
        # From effects and studies to the mean of a unit.
        known = len(effects)
        mapping = np.zeros((len(found), size, known + size * len(studies)))
        for row, unit in zip(mapping, found):
            start = known + size * studies.index(unit[0])
            row[:, :known], row[:, start:start + size] = unit[2], np.eye(size)
        guesses = [np.array([models.AXES[axis][3][i] for axis in kinetics.axes]) for i in range(3)]
        freedoms = (6, 6 + size, 8)
        precisions = [np.diag(1 / guess**2) for guess in guesses]
        start = np.zeros(mapping.shape[2])
        start[:known] = [effect[2] / effect[3]**2 for effect in effects]
        for _ in range(rounds):
            within = count[:, None, None] * precisions[2]
            inverse = np.linalg.inv(information + within)
            own = within - within @ inverse @ within
            linear = np.einsum("nij,njk,nk->ni", within, inverse, right, optimize=True)
            pull = own @ mapping
            of_own, of_linear = np.zeros((len(people), size, size)), np.zeros((len(people), size))
            of_pull = np.zeros((len(people), size, mapping.shape[2]))
            for total, part in ((of_own, own), (of_linear, linear), (of_pull, pull)):
                np.add.at(total, person_of, part)
            free = np.linalg.inv(of_own + of_person[:, None, None] * precisions[1])
            shift = free @ of_pull
            prior = np.zeros((mapping.shape[2],) * 2)
            prior[:known, :known] = np.diag([1 / effect[3]**2 for effect in effects])
            prior[known:, known:] = np.kron(np.eye(len(studies)), precisions[0])
            flat = lambda a: a.reshape(-1, a.shape[-1])
            spread = np.linalg.inv(prior + flat(mapping).T @ flat(pull) - flat(of_pull).T @ flat(shift))
            middle = spread @ (start + np.einsum("nki,nk->i", mapping, linear)
                               - np.einsum("nki,nk->i", shift, of_linear))
            of_study = middle[known:].reshape(-1, size)
            blocks = [np.diag(spread)[known:].reshape(-1, size)]
            squares = [np.diag((of_study**2 + blocks[0]).sum(0))]
            fixed = np.einsum("nij,nj->ni", free, of_linear)
            deviation = fixed - shift @ middle
            second = free + shift @ spread @ np.swapaxes(shift, 1, 2)
            second = second + deviation[:, :, None] * deviation[:, None, :]
            squares.append((of_person[:, None, None] * second).sum(0))
            turned = mapping - shift[person_of]
            unit_mean = turned @ middle + fixed[person_of]
            unit_spread = turned @ spread @ np.swapaxes(turned, 1, 2) + free[person_of]
            left = inverse @ information
            rest = np.einsum("nij,nj->ni", inverse, right) - np.einsum("nij,nj->ni", left, unit_mean)
            second = inverse + left @ unit_spread @ np.swapaxes(left, 1, 2) + rest[:, :, None] * rest[:, None, :]
            squares.append(np.diag(np.einsum("n,nii->i", count, second)))
            self.levels = []
            for i, (guess, freedom, square, n) in enumerate(
                    zip(guesses, freedoms, squares, (len(studies), len(people), len(found)))):
                less = size + 1 if i == 1 else 2
                scale = np.diag(guess**2) * (freedom - less) + square
                precisions[i] = (freedom + n) * np.linalg.inv(scale)
                self.levels.append(scale / (freedom + n - less))
        self.kinetics, self.effects, self.uncertainty = kinetics, middle[:known], spread[:known, :known]
        self.spread = sum(self.levels)

    def normal(self, series):
        """Mean and covariance of the axes of somebody."""
        own = design(self.kinetics, series.factors)
        covariance = self.spread + own @ self.uncertainty @ own.T
        if series.factors["fed"] == 0.5:
            food = design(self.kinetics, {"fed": 1.0}) @ self.effects
            covariance = covariance + 0.25 * np.outer(food, food)
        return own @ self.effects, covariance


class Draws:
    """Draws of somebody from the prior and, for the scores, from about the posterior, and their curves."""

    def __init__(self, kinetics, population, series, times, seed, count=DRAWS):
        self.kinetics, self.series, self.times = kinetics, series, times
        self.random = np.random.default_rng([kinetics.seed, seed])
        self.mean, covariance = population.normal(series)
        self.factor = np.linalg.cholesky(covariance)
        self.parts = [(count, self.mean, self.factor, None)]
        self.x = self.mean + self.random.standard_normal((count, len(self.mean))) @ self.factor.T
        self.levels, self.waiting = series.follow(kinetics, self.x, times)
        self.weigh()

    def density(self, mean, factor, freedom):
        white = np.linalg.solve(factor, (self.x - mean).T)
        squares, size = (white**2).sum(0), len(mean)
        scale = -np.log(np.diag(factor)).sum()
        if freedom is None:
            return scale - squares / 2 - size / 2 * math.log(2 * math.pi)
        return (scale + math.lgamma((freedom + size) / 2) - math.lgamma(freedom / 2)
                - size / 2 * math.log(freedom * math.pi) - (freedom + size) / 2 * np.log1p(squares / freedom))

    def weigh(self):
        """ln of prior over the mixture from which all came."""
        total = len(self.x)
        mixture = [math.log(count / total) + self.density(*rest) for count, *rest in self.parts]
        self.base = self.density(self.mean, self.factor, None) - np.logaddexp.reduce(mixture)

    def adapt(self, logs, count):
        """More draws from Student's distribution about what the weights say, flattened where few draws carry all."""
        logs = logs - logs.max()
        power = 1.0
        while power > 0.01:
            weights = np.exp(power * logs)
            weights /= weights.sum()
            if 1 / (weights**2).sum() > 60:
                break
            power *= 0.7
        middle = weights @ self.x
        apart = self.x - middle
        covariance = 1.3 * (apart.T * weights) @ apart + 1e-6 * np.eye(len(middle))
        factor = np.linalg.cholesky(covariance)
        stretch = np.sqrt(5 / self.random.chisquare(5, count))[:, None]
        x = middle + stretch * self.random.standard_normal((count, len(middle))) @ factor.T
        levels, waiting = self.series.follow(self.kinetics, x, self.times)
        self.x, self.levels = np.vstack([self.x, x]), np.vstack([self.levels, levels])
        self.waiting = np.vstack([self.waiting, waiting])
        self.parts.append((count, middle, factor, 5))
        self.weigh()


def student(errors, growth, together, sd):
    """ln of the likelihood of readings, their size of error integrated out, and the weighed squares."""
    n = errors.shape[1]
    squares = (np.linalg.solve(np.linalg.cholesky(together), (errors / growth).T)**2).sum(0)
    logs = (math.lgamma((FREEDOM + n) / 2) - math.lgamma(FREEDOM / 2) - n / 2 * math.log(math.pi * FREEDOM)
            - n * math.log(sd) - np.linalg.slogdet(together)[1] / 2 - np.log(growth).sum(1)
            - (FREEDOM + n) / 2 * np.log1p(squares / FREEDOM / sd**2))
    return logs, squares


def grown(waiting, growth):
    return np.sqrt(1 + (growth * waiting)**2)


def evidence(draws, sd, growth):
    """ln of the likelihood of a series, averaged over the prior."""
    kept = draws.series.levels > 0
    errors = draws.series.levels[kept] - draws.levels[:, kept]
    logs, _ = student(errors, grown(draws.waiting[:, kept], growth), correlation(draws.series, kept), sd)
    logs = logs + draws.base
    return logs.max() + math.log(np.mean(np.exp(logs - logs.max())))


def crps(sample, truth):
    ordered = np.sort(sample, axis=0)
    count = len(ordered)
    order = (2 * np.arange(1, count + 1) - count - 1)[:, None]
    return abs(sample - truth).mean(0) - (order * ordered).sum(0) / count**2


def predicted(draws, known, targets, sd, growth):
    """Draws of readings at targets, given those of known (both are places in the series)."""
    series, random = draws.series, draws.random
    logs, rest, freedom = draws.base, 0.0, FREEDOM
    spread = np.ones(len(targets))
    squares = 0.0
    if len(known):
        errors = series.levels[known] - draws.levels[:, known]
        own = grown(draws.waiting[:, known], growth)
        together = correlation(series, known)
        likelihoods, squares = student(errors, own, together, sd)
        logs = logs + likelihoods
        across = series.share * np.exp(-60 * abs(series.times[targets][:, None] - series.times[known][None, :]) / MINUTES)
        gain = across @ np.linalg.inv(together)
        rest = (errors / own) @ gain.T
        spread = 1 - np.einsum("ij,ij->i", gain, across)
        freedom = FREEDOM + len(known)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    steps = (random.uniform() + np.arange(KEPT)) / KEPT
    chosen = np.minimum(np.searchsorted(np.cumsum(weights), steps), len(weights) - 1)
    scale = np.sqrt((FREEDOM * sd**2 + (squares[chosen] if len(known) else np.zeros(KEPT))) / freedom)
    noise = random.standard_t(freedom, (KEPT, len(targets))) * scale[:, None] * np.sqrt(spread)
    mean = rest[chosen] if len(known) else 0.0
    at = draws.levels[chosen][:, targets] + grown(draws.waiting[chosen][:, targets], growth) * (mean + noise)
    return np.maximum(at, 0), logs, 1 / (weights**2).sum()


def scored(sample, truth, level):
    low, high = np.quantile(sample, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return crps(sample, truth), (low <= truth) & (truth <= high), high - low


def forecasts(draws, sd, growth, key):
    """Rows of part, person, whether it held, width and CRPS, of all forecasts of a series."""
    series, peak = draws.series, int(np.argmax(draws.series.levels))
    positive = np.flatnonzero(series.levels > 0)
    for known in (positive[:max(3, len(positive) // 2)], positive):
        for _ in range(8):
            _, logs, effective = predicted(draws, known, positive[:1], sd, growth)
            if effective > ENOUGH:
                break
            draws.adapt(logs, MORE)
    for origin in range(len(series.times)):
        known, targets = np.arange(origin), np.arange(origin, len(series.times))
        sample, _, _ = predicted(draws, known, targets, sd, growth)
        values = scored(sample, series.levels[targets], 0.9)
        for target, (score, held, width) in zip(targets, zip(*values)):
            ahead = series.times[target] - series.times[origin - 1] if origin else 0
            if not origin:
                part = "no reading"
            elif origin <= peak + 1:
                part = "up to the peak"
            else:
                part = "after the peak"
            yield (key, part, series.person, held, width, score)
            if origin > peak + 1:
                yield (key, "after, up to 1 h" if ahead <= 1 else "after, over 1 h", series.person, held, width, score)


def back_pairs(series):
    """Places of earlier and later readings an hour apart, as in case_coverage.py, an hour after the last drink."""
    ends = [60 * (start + length) for start, length, _ in series.doses]
    for end, limit in case_coverage.steps(ends):
        usable = [i for i, (time, level) in enumerate(zip(60 * series.times, series.levels))
                  if end + 60 <= time <= limit and level >= case_coverage.LOWEST]
        yield from ((i, j) for i in usable for j in usable
                    if abs(60 * (series.times[j] - series.times[i]) - 60) <= 15)


def back(draws, sd, growth, key):
    for earlier, later in back_pairs(draws.series):
        sample, _, _ = predicted(draws, np.array([later]), np.array([earlier]), sd, growth)
        (score,), (held,), (width,) = scored(sample, draws.series.levels[[earlier]], 0.95)
        yield (key, "back 1 h", draws.series.person, held, width, score)
        # The straight line of people who have absorbed all: the later reading and beta of the prior.
        if draws.kinetics is models.TRIED[0]:
            beta = np.exp(draws.x[:DRAWS, 1] - draws.x[:DRAWS, 2])[:, None]
            gap = draws.series.times[later] - draws.series.times[earlier]
            sample = draws.series.levels[later] + beta * gap
            sample = sample + sd * draws.random.standard_t(FREEDOM, sample.shape) * math.sqrt(
                2 - 2 * SHARE * math.exp(-60 * gap / MINUTES))
            (score,), (held,), (width,) = scored(sample, draws.series.levels[[earlier]], 0.95)
            yield (key, "straight line 1 h", draws.series.person, held, width, score)


# Fits of series by what they depend on: not covariates.
FITTED = {}


def of_kinetics(kinetics, everything, log=lambda text: None):
    """All rows of scores of one kinetics, each study left out in turn."""
    units = []
    for index, series in enumerate(everything):
        key = (kinetics.absorption, kinetics.elimination, kinetics.stages, kinetics.axes, index)
        if key not in FITTED:
            FITTED[key] = likelihood(kinetics, series)
        information, right = FITTED[key]
        if series.is_mean:
            information, right = of_a_mean(kinetics, series, information, right)
        people = priors.PEOPLE_OF_A_MEAN if series.is_mean else 1
        units.append((series.study, series.person, design(kinetics, series.factors), information, right, people))
    rows = []
    means = tuple({series.study for series in everything if series.is_mean})
    units += list(lines(kinetics, means))
    for left in STUDIES + [MEANS]:
        without = means if left == MEANS else (left,)
        population = Population(kinetics, units, without)
        sums = collections.Counter()
        for index, series in enumerate(everything):
            if series.study not in without and not series.is_mean:
                draws = Draws(kinetics, population, series, series.times, index, 1000)
                draws.adapt(predicted(draws, np.flatnonzero(series.levels > 0), [0], SIZES[2], GROWTHS[3])[1], 1000)
                for sd in SIZES:
                    for growth in GROWTHS:
                        sums[sd, growth] += evidence(draws, sd, growth)
        sd, growth = max(sums, key=sums.get)
        log(f"{kinetics.name}: without {left}: sd {sd}, growth {growth}, evidence {sums[sd, growth]:.1f}")
        for index, series in enumerate(everything):
            if series.study in without:
                draws = Draws(kinetics, population, series, series.times, 1000 + index)
                rows += forecasts(draws, sd, growth, left)
                if not series.is_mean:
                    rows += back(draws, sd, growth, left)
    return rows


def made_up_people(people=80):
    """The first dose of people whose kinetics is known, in amounts and hours such that a step is short enough."""
    found = collections.defaultdict(lambda: ([], []))
    for row in priors.table("population", "oral-2cpt-mm.csv"):
        hours = float(row["TIME"])
        if hours < 72:
            doses, readings = found[int(row["ID"])]
            if row["EVID"] == "1":
                doses.append((hours / 10, 0.0, float(row["AMT"]) / 70))
            elif float(row["DV"]) > 1:
                readings.append((hours / 10, float(row["DV"])))
    return [MadeUp(f"{person:03d}", doses, *np.array(readings).T)
            for person, (doses, readings) in sorted(found.items())[:people]]


def of_made_up(kinetics, log=lambda text: None):
    """Rows of scores of the second half of made-up people, forecast with a population of the first."""
    everything = made_up_people()
    half = len(everything) // 2
    units = [(series.study, series.person, design(kinetics, series.factors), *likelihood(kinetics, series), 1)
             for series in everything[:half]]
    population = Population(kinetics, units, ())
    sums = collections.Counter()
    for index, series in enumerate(everything[:half]):
        draws = Draws(kinetics, population, series, series.times, index, 1000)
        draws.adapt(predicted(draws, np.arange(len(series.times)), [0], 0.25, 0.0)[1], 1000)
        for sd in (0.15, 0.2, 0.25, 0.3, 0.4):
            sums[sd] += evidence(draws, sd, 0.0)
    sd = max(sums, key=sums.get)
    log(f"{kinetics.name}: sd {sd}, evidence {sums[sd]:.1f}")
    rows = []
    for index, series in enumerate(everything[half:]):
        rows += forecasts(Draws(kinetics, population, series, series.times, 1000 + index), sd, 0.0, "made up")
    return rows


def by_person(rows):
    """CRPS of each person, the mean of theirs."""
    own = collections.defaultdict(list)
    for _, _, person, _, _, score in rows:
        own[person].append(score)
    return {person: float(np.mean(scores)) for person, scores in own.items()}


def grouped(rows):
    """Rows by study and part; of studies of few people or forecasts not all parts."""
    groups = collections.defaultdict(list)
    for row in rows:
        study, part = row[:2]
        if study in STUDIES:
            groups["all people", part].append(row)
        if study not in STUDIES or (study in STUDIES[:2] and not part.startswith("after, ")):
            groups[study, part].append(row)
    return groups


def summarised(name, rows, first):
    """Lines of the table of one kinetics, beside the rows of the first."""
    before = grouped(first)
    for (study, part), own in sorted(grouped(rows).items()):
        line = part == "straight line 1 h"
        part = "back 1 h" if line else part
        mine, reference = by_person(own), by_person(before[study, part])
        people = sorted(mine)
        after = np.array([mine[person] for person in people])
        base = np.array([reference[person] for person in people])
        draws = np.random.default_rng(3).integers(0, len(people), (4000, len(people)))
        low, high = np.quantile(100 * (1 - after[draws].mean(1) / base[draws].mean(1)), [0.05, 0.95])
        times = collections.Counter(row[2] for row in own)
        width = sum(row[4] / times[row[2]] for row in own) / len(people)
        yield {
            "kinetics": "straight line" if line else name, "study": study, "part": part,
            "people": len(people), "forecasts": len(own),
            "held_pct": round(100 * sum(row[3] for row in own) / len(own), 1),
            "width": round(float(width), 4), "crps": round(float(after.mean()), 5),
            "gain_pct": round(float(100 * (1 - after.mean() / base.mean())), 1),
            "gain_low_pct": round(float(low), 1), "gain_high_pct": round(float(high), 1),
            "people_better": int((after < base).sum()),
        }


def computed():
    """The whole table."""
    everything = [Series(*row) for row in priors.measured_series()]
    table = []
    log = lambda text: print(text, file=sys.stderr, flush=True)
    for tried, scores in (
            (models.TRIED, lambda kinetics: of_kinetics(kinetics, everything, log)),
            (models.TRIED_ON_MADE_UP, lambda kinetics: of_made_up(kinetics, log))):
        first = None
        for kinetics in tried:
            rows = scores(kinetics)
            first = first or rows
            table += summarised(kinetics.name, rows, first)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table")
    parser.add_argument("--check", action="store_true", help="compare with the table")
    options = parser.parse_args()
    table = computed()
    if options.write:
        with open(TABLE, "w", newline="") as file:
            writer = csv.DictWriter(file, table[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
        return
    if not options.check:
        for line in table:
            print(*line.values(), sep="  ")
        return
    with open(TABLE, newline="") as file:
        before = list(csv.DictReader(file))
    failed = len(before) != len(table)
    for old, new in zip(before, table):
        name = f"{new['kinetics']}, {new['study']}, {new['part']}"
        failed |= any(old[key] != str(new[key]) for key in ("kinetics", "study", "part", "people", "forecasts"))
        # Other last digits of a machine change draws a little, and one forecast at the end of its interval.
        for key, slack in (("held_pct", 3 + 100 / new["forecasts"]), ("crps", 0.05 * new["crps"])):
            if abs(float(old[key]) - new[key]) > slack:
                print(f"{name}: {key} was {old[key]}, is {new[key]}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
