"""The 50 volunteers of scs-beta60 for r_factor_worth.py: r, the time to zero, C0 by breath, and likelihoods of r."""

import math

import numpy as np
from scipy import optimize, stats

import priors
import r_factor_people as people
from r_factor_people import FORMULAS, THESIS, formula_r
from r_factor_statistics import interval, left_out_mean, rms, share_rows
from study_folder import Body


def volunteers(data):
    found = []
    for row in people.table(data / "scs-beta60" / "estimates.csv"):
        number = lambda name: float(row[name])  # noqa: E731
        body = Body.from_row(row)
        dose = number("ethanol_g") / body.weight_kg
        found.append({
            "body": body, "female": not body.is_male, "dose": dose, "r": dose / number("c0_g_per_kg"),
            "beta": number("beta60_g_per_kg_h"), "c0": number("c0_g_per_kg"),
            "breath": number("c0_breath_mg_per_l"), "breath_beta": number("beta60_breath_mg_per_l_h"),
            "peak_breath": number("peak_brac_mg_per_l"),
            "hours": number("drinking_time_h")})
    return found


def sexes(found):
    yield "all", found
    yield "male", [one for one in found if not one["female"]]
    yield "female", [one for one in found if one["female"]]


def constant_r(found):
    """ln of the mean r of the others of the same sex."""
    result = np.zeros(len(found))
    for sex in (False, True):
        own = [i for i, one in enumerate(found) if one["female"] == sex]
        if own:
            result[own] = left_out_mean([math.log(found[i]["r"]) for i in own])
    return result


def r_table(found, one_r):
    """`one_r`: the mean r of the people with curves, all of other studies."""
    rows = []
    for sex, group in sexes(found):
        observed = np.log([one["r"] for one in group])
        for formula in [*FORMULAS, "mean of the others", "one r"]:
            if formula == "mean of the others":
                predicted = constant_r(group)
            elif formula == "one r":
                predicted = np.full(len(group), math.log(one_r))
            else:
                values = [formula_r(formula, one["body"]) for one in group]
                if None in values:
                    continue
                predicted = np.log(values)
            error = predicted - observed
            percent = 100 * np.expm1(error)
            row = {"formula": formula, "sex": sex, "people": len(group)}
            row |= interval("bias_pct", error, lambda x: 100 * np.expm1(x.mean()))
            row |= interval("sd_pct", error, lambda x: 100 * x.std(ddof=1))
            row |= interval("typical_error_pct", percent, lambda x: np.median(np.abs(x)))
            row["predicted_sd_pct"] = 100 * np.std(predicted, ddof=1) if formula in FORMULAS else ""
            row["within_10_pct"] = 100 * (np.abs(percent) <= 10).mean()
            row["within_20_pct"] = 100 * (np.abs(percent) <= 20).mean()
            # The share of the spread of ln r that is left out by a formula which is scaled to the other people.
            rescaled = error - left_out_mean(error)
            row["explained_pct"] = (
                100 * (1 - (rescaled**2).mean() / ((observed - left_out_mean(observed))**2).mean())
                if formula in FORMULAS and sex != "all" else "")
            row["correlation"] = (
                np.corrcoef(predicted, observed)[0, 1]
                if formula in FORMULAS and formula != "widmark" and sex != "all" else "")
            rows.append(row)
    return rows


def volunteer_time_table(found):
    """T = dose / (r beta): of the line from the start of drinking to zero, or to a level above."""
    prior = priors.priors(["scs-beta60"])["unknown"]
    rows = []
    for rates in ("other studies", "the other volunteers", "thesis"):
        ours = np.array([one["beta"] for one in found])
        women = np.array([one["female"] for one in found])
        if rates == "other studies":
            beta = prior["typical"]["beta"] * np.exp(women * prior["covariates"]["beta,sex"]["coefficient"])
        elif rates == "thesis":
            beta = np.full(len(found), THESIS["beta"])
        else:
            beta = np.zeros(len(found))
            for sex in (False, True):
                beta[women == sex] = np.exp(left_out_mean(np.log(ours[women == sex])))
        for formula in ["mean of the others", *FORMULAS]:
            own = np.array([one["r"] for one in found])
            if formula == "mean of the others":
                predicted = np.exp(constant_r(found))
            else:
                predicted = np.array([formula_r(formula, one["body"]) or math.nan for one in found])
                if rates == "thesis" and formula == "watson":
                    predicted = predicted * people.BLOOD_WATER / 0.844
            kept = ~np.isnan(predicted)
            dose = np.array([one["dose"] for one in found])[kept]
            for level in (0.0, 0.5):
                def time(r, b):
                    return np.maximum(dose / r - level, 0) / b

                measured = time(own[kept], ours[kept])
                some_sets = [frozenset(), frozenset(["r"]), frozenset(["beta"]), frozenset(["r", "beta"])]
                errors = np.column_stack([
                    time((own if "r" in some else predicted)[kept],
                         (ours if "beta" in some else beta)[kept]) / measured - 1 for some in some_sets])
                for loss, power in (("squared", 2), ("absolute", 1)):
                    labels = {"beta_of": rates, "formula": formula, "level_g_per_kg": level, "loss": loss}
                    labels |= {"bias_pct": 100 * errors[:, 0].mean(),
                               "mean_abs_pct": 100 * np.abs(errors[:, 0]).mean(),
                               "rms_pct": 100 * rms(errors[:, 0])}
                    rows += share_rows(labels, np.abs(errors) ** power, some_sets, ["r", "beta"])
    return rows


def breath_table(found):
    """ln C0 from breath alone, from formulas, and from the single highest breath reading; each scaled on the others."""
    c0 = np.log([one["c0"] for one in found])
    dose = np.array([one["dose"] for one in found])
    peak = np.array([one["peak_breath"] for one in found])
    hours = np.array([one["hours"] for one in found])
    sex = np.array([float(one["female"]) for one in found])
    ones = np.ones(len(found))
    designs = {
        "dose and sex": (c0 - np.log(dose), np.column_stack([ones, sex])),
        "highest breath reading": (c0 - np.log(peak), np.column_stack([ones, hours])),
        "line through all breath readings": (c0 - np.log([one["breath"] for one in found]), ones[:, None]),
    }
    for formula in FORMULAS:
        values = [formula_r(formula, one["body"]) for one in found]
        if None not in values:
            designs[formula] = (c0 - np.log(dose / np.array(values)), ones[:, None])
            designs[f"{formula} and highest breath reading"] = (
                c0 - np.log(peak), np.column_stack([ones, hours, np.log(dose / np.array(values) / peak)]))
    rows = []
    for name, (y, design) in designs.items():
        hat = design @ np.linalg.pinv(design)
        left_out = (y - hat @ y) / (1 - np.diag(hat))
        rows.append({"of": "C0", "from": name, "people": len(y)} | interval("rms_pct", 100 * left_out, rms)
                    | {"typical_error_pct": float(np.median(np.abs(100 * left_out)))})
    # The time to zero of the breath line needs no ratio.
    own = np.log([one["c0"] / one["beta"] for one in found])
    breath = np.log([one["breath"] / one["breath_beta"] for one in found])
    rows.append({"of": "time to zero", "from": "line through all breath readings", "people": len(own)}
                | interval("rms_pct", 100 * (breath - own), rms)
                | {"typical_error_pct": float(np.median(np.abs(100 * (breath - own))))})
    return rows


def r_units(found, own_people):
    """(study, person, female, body, ln r, its SE) of all evenings whose readings determine r, and of volunteers."""
    units = [("scs-beta60", f"scs-beta60/{i}", one["female"], one["body"], math.log(one["r"]), 0.04)
             for i, one in enumerate(found)]
    units += [(one.study, one.person, one.female, one.body, math.log(one.own["r"]), one.own_r_se)
              for one in own_people if one.own is not None and one.body is not None]
    return units


def log_likelihood(sds, y, design, same_study, same_person, error):
    """ln L of y with the effects of the design at their best, and these; sds of studies, people and evenings."""
    between, person, evening = np.square(sds)
    covariance = between * same_study + person * same_person + np.diag(evening + error**2)
    factor = np.linalg.cholesky(covariance)
    white = np.linalg.solve(factor, np.column_stack([y, design]))
    effects = np.linalg.lstsq(white[:, 1:], white[:, 0], rcond=None)[0] if design.shape[1] else np.zeros(0)
    rest = white[:, 0] - white[:, 1:] @ effects
    value = -0.5 * rest @ rest - np.log(np.diag(factor)).sum() - len(y) / 2 * math.log(2 * math.pi)
    return value, effects, covariance


def best_sds(y, design, same_study, same_person, error, start):
    done = optimize.minimize(
        lambda x: -log_likelihood(np.exp(x), y, design, same_study, same_person, error)[0], np.log(start),
        method="L-BFGS-B", bounds=[(math.log(1e-3), 0)] * 3)
    return np.exp(done.x), -done.fun


def r_ranking(found, own_people):
    rows = []
    for group, formulas in (("men and women", [f for f in FORMULAS if f != "ulrich"]), ("men", FORMULAS)):
        units = [unit for unit in r_units(found, own_people) if group != "men" or not unit[2]]
        same = [np.equal.outer(*[np.array([unit[k] for unit in units])] * 2).astype(float) for k in (0, 1)]
        person = np.array([unit[1] for unit in units])
        observed = np.array([unit[4] for unit in units])
        error = np.array([unit[5] for unit in units])
        ones = np.ones((len(units), 1))
        sex = np.array([[float(unit[2])] for unit in units])
        none = np.zeros((len(units), 0))
        models = [("one r", observed, ones)]
        if group != "men":
            models.append(("one r per sex", observed, np.hstack([ones, sex])))
        for formula in formulas:
            predicted = np.log([formula_r(formula, unit[3]) for unit in units])
            models.append((formula, observed - predicted, none))
            models.append((f"{formula} x factor", observed - predicted, ones))
        left_out = {}
        table = []
        for name, y, design in models:
            sds, likelihood = best_sds(y, design, *same, error, [0.1, 0.1, 0.05])
            count = 3 + design.shape[1]
            left_out[name] = np.array([
                left_out_density(y, design, same, error, person == one, sds) for one in dict.fromkeys(person)])
            table.append({
                "people_of": group, "r": name, "people": len(set(person)), "studies": len({u[0] for u in units}),
                "parameters": count, "ln_likelihood": likelihood, "aic": 2 * count - 2 * likelihood,
                "sd_studies_pct": 100 * sds[0], "sd_people_pct": 100 * sds[1], "sd_evenings_pct": 100 * sds[2]})
        least = min(row["aic"] for row in table)
        best = max(left_out, key=lambda name: left_out[name].sum())
        for row in table:
            difference = left_out[row["r"]] - left_out[best]
            row["aic_above_best"] = row["aic"] - least
            row["elpd"] = left_out[row["r"]].sum()
            row["elpd_below_best"] = -difference.sum()
            row["elpd_below_best_se"] = difference.std(ddof=1) * math.sqrt(len(difference))
        rows += table
    return rows


def left_out_density(y, design, same, error, out, start):
    """ln of the density of a person's r given everybody else's, whose values alone set the model."""
    kept = ~out
    inside = [matrix[np.ix_(kept, kept)] for matrix in same]
    sds, _ = best_sds(y[kept], design[kept], *inside, error[kept], start)
    _, effects, _ = log_likelihood(sds, y[kept], design[kept], *inside, error[kept])
    rest = y - design @ effects
    covariance = sds[0]**2 * same[0] + sds[1]**2 * same[1] + np.diag(sds[2]**2 + error**2)
    gain = np.linalg.solve(covariance[np.ix_(kept, kept)], covariance[np.ix_(kept, out)])
    mean = gain.T @ rest[kept]
    spread = covariance[np.ix_(out, out)] - gain.T @ covariance[np.ix_(kept, out)]
    return stats.multivariate_normal.logpdf(rest[out], mean, spread)
