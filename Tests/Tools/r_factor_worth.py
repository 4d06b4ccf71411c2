#!/usr/bin/env python3
"""Says what five r factors are worth: the tables behind the article WhatFiveRFactorsAreWorth, and its notebook.

    r_factor_worth.py PROMILLE [--write] [--data FOLDER] [--notebook PYTHON]

| table | what it answers |
|---|---|
| `r-factors.csv` | r of 50 volunteers against five formulas, by sex |
| `errors.csv` | concentration and time predicted with k_a and beta of other studies, per study and pooled |
| `decomposition.csv` | which share of the error vanishes if r, beta or absorption is the person's own |
| `volunteers-time.csv` | the same for the time to zero of 50 volunteers, where only r and beta count |
| `ranking-r.csv` | likelihood of ln r with a random effect of studies, and how well a left-out person is predicted |
| `ranking-readings.csv` | likelihood of all readings, with random effects of people and studies |
| `readings.csv` | the error of the time after one reading, two, or breath at the start, beside each formula |
| `readings-command.csv` | how far these forecasts are from those of `promille forecast` |
| `breath-volunteers.csv` | C0 of 50 volunteers from breath, and from formulas |
| `r-beta.csv` | r, beta and their product by study |
| `thesis.csv`, `thesis-steps.csv` | the four people of Nacar (2021): what each needs, and what each change does |
| `tail.csv` | how much later than the straight line the readings of Wilkinson's men come to zero |

Intervals are percentiles of 4000 bootstrap samples of people; one person's evenings stay together. They say nothing of
another study. Rows of people of studies that may not be redistributed are not written; every row but those of the
thesis is about at least two people, and has no interval if it is about fewer than four. Pooled rows ("all") are about
the 16 people whose height and weight are known, so that formulas are compared on the same people.

Without --write the tables are computed again and compared: counts exactly, numbers within 2 % and SLACK of their own
unit (percent, minutes, or a likelihood), which is what another machine's last digits move in bootstraps and draws.
--notebook runs the notebook with this Python and compares what its cells print.
"""

import argparse
import csv
import itertools
import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import priors
import r_factor_notebook
import r_factor_people as people
import r_factor_readings as readings
import r_factor_thesis as thesis
import r_factor_volunteers as volunteers
from r_factor_people import FORMULAS, METHODS, NAMES, THESIS
from r_factor_statistics import by_person, interval, share_rows
from study_folder import SERUM_BLOOD_RATIO

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks-export" / "five-r-factors"
SLACK = 0.5
AS_BLOOD = "Thierauf-Emberger 2023, if whole blood"
SAME_MIN = 0.25
LARGE = ("likelihood", "aic", "aic_above_best", "elpd", "elpd_below_best", "elpd_below_best_se")
FACTORS = {"r": ["r"], "beta": ["beta"], "absorption": ["ka", "lag"]}


def kinetics(evening, name, formula):
    """Parameters of a prediction: k_a, beta and lag of other studies or of the thesis, and the formula's r."""
    r = evening.r(formula)
    if r is None:
        return None
    if name == "thesis":
        return THESIS | {"r": r * people.BLOOD_WATER / 0.844 if formula == "watson" else r}
    return evening.typical | {"r": r}


def time_error(evening, values):
    time, _ = evening.target
    return float(evening.predicted_time(values)[0]) / time - 1


def concentration_errors(evening, values):
    """Errors at the readings over their mean."""
    kept = evening.scored
    return ((evening.curve(evening.times, values)[0] - evening.levels) / evening.levels[kept].mean())[kept]


def as_blood(found):
    """Thierauf-Emberger's people as if their readings were of whole blood, which the source leaves open."""
    study = "thierauf-emberger-2023"
    return [(AS_BLOOD, replace(one, levels=SERUM_BLOOD_RATIO * one.levels)) for one in found if one.study == study]


def error_table(found):
    rows = []
    reference = {}
    for name in ("other studies", "thesis"):
        for formula in ["watson", *(formula for formula in METHODS if formula != "watson")]:
            if name == "thesis" and formula == "none":
                continue
            cells = []
            for place, evening in [(NAMES[evening.study], evening) for evening in found] + as_blood(found):
                values = kinetics(evening, name, formula)
                if values is None:
                    continue
                concentration = concentration_errors(evening, values)
                half = evening.crossing(0.5) if evening.dose >= 0.45 else None
                late = None if half is None else float(evening.predicted_time(values, 0.5)[0])
                cells.append((place, evening.person, {
                    "time to 0.2": time_error(evening, values),
                    "time to 0.5": None if half is None else late / half - 1,
                    "concentration": (concentration.mean(), np.abs(concentration).mean()),
                }, late == 0, evening.body is not None))
            for study in [*dict.fromkeys(NAMES.values()), AS_BLOOD, "all"]:
                for quantity in ("concentration", "time to 0.2", "time to 0.5"):
                    own = [(person, errors[quantity], never) for place, person, errors, never, measured in cells
                           if (study == place or study == "all" and measured and place != AS_BLOOD)
                           and errors[quantity] is not None]
                    signed_abs = [
                        (person, value if quantity == "concentration" else (value, abs(value)))
                        for person, value, _ in own]
                    if len({person for person, _ in signed_abs}) < 2:
                        continue
                    table = 100 * by_person(signed_abs)
                    names = list(dict.fromkeys(person for person, _ in signed_abs))
                    row = {"kinetics": name, "formula": formula, "study": study, "quantity": quantity,
                           "people": len(table), "evenings": len(own)}
                    row |= interval("bias_pct", table[:, 0], np.mean)
                    row |= interval("mean_abs_pct", table[:, 1], np.mean)
                    row["median_abs_pct"] = float(np.median(table[:, 1]))
                    row |= dict.fromkeys(["above_watson_pct", "above_watson_pct_low", "above_watson_pct_high"], "")
                    if study == "all" and formula == "watson":
                        reference[name, quantity] = dict(zip(names, table[:, 1]))
                    elif study == "all":
                        watson = np.array([reference[name, quantity][person] for person in names])
                        row |= interval("above_watson_pct", table[:, 1] - watson, np.mean)
                    row["predicted_never_above"] = (
                        sum(never for _, _, never in own) if quantity == "time to 0.5" else "")
                    rows.append(row)
    return rows


def subsets():
    names = list(FACTORS)
    return [frozenset(some) for size in range(len(names) + 1) for some in itertools.combinations(names, size)]


def replaced(values, own, some):
    return values | {key: own[key] for factor in some for key in FACTORS[factor]}


def decomposition_table(found):
    rows = []
    cases = [("other studies", formula, "own fit") for formula in METHODS]
    cases += [("thesis", formula, "own fit") for formula in FORMULAS]
    cases += [(name, formula, "own fit with prior") for name in ("other studies", "thesis") for formula in FORMULAS]
    cases += [("other studies", formula, "own other evenings") for formula in ("none", *FORMULAS)]
    for name, formula, source in cases:
        some_sets = subsets()
        losses = {key: [] for key in itertools.product(("time", "concentration"), ("squared", "absolute"))}
        for evening in found:
            values = kinetics(evening, name, formula)
            own = {"own fit": evening.own, "own fit with prior": evening.own_with_prior}.get(
                source, other_evenings(evening, found) if source == "own other evenings" else None)
            if values is None or own is None or evening.body is None:
                continue
            timed, curves = [], []
            for some in some_sets:
                used = replaced(values, own, some)
                timed.append(time_error(evening, used))
                curves.append(concentration_errors(evening, used))
            for loss, power in (("squared", 2), ("absolute", 1)):
                losses["time", loss].append((evening.person, [abs(x) ** power for x in timed]))
                losses["concentration", loss].append(
                    (evening.person, [(np.abs(x) ** power).mean() for x in curves]))
        for (quantity, loss), values in losses.items():
            table = by_person(values)
            root = 100 * (math.sqrt(table[:, 0].mean()) if loss == "squared" else table[:, 0].mean())
            labels = {"kinetics": name, "formula": formula, "values": source, "quantity": quantity, "loss": loss,
                      "error_pct": root, "evenings": len(values)}
            rows += share_rows(labels, table, some_sets, list(FACTORS))
    return rows


def other_evenings(evening, found):
    """The geometric mean of the person's own fits of other evenings; None without two of them."""
    others = [one.own for one in found if one.person == evening.person and one is not evening and one.own]
    if len(others) < 2:
        return None
    return {"lag": 0.0} | {
        key: math.exp(np.mean([math.log(own[key]) for own in others])) for key in ("ka", "beta", "r")}


def readings_ranking(promille, data):
    studies = [data / name for name in ("wilkinson-1977-oral", "thierauf-emberger-2023", "hip-flask")]
    rows = []
    for group, formulas in (("men and women", "none,widmark,watson,forrest,seidl"),
                            ("men", "none,widmark,watson,forrest,seidl,ulrich")):
        text = people.printed(promille, "population", *studies, "--study-level", "all", "--r-factor", formulas,
                              "--format", "json")
        for row in json.loads(text)["population"]:
            rows.append({
                "people_of": group, "r": "one r" if row["r_factor"] == "none" else row["r_factor"],
                "people": row["people"], "readings": row["readings"], "parameters": row["estimated"],
                "minus_two_ln_likelihood": row["minus_two_log_likelihood"], "aic": row["aic"],
                "vuong_p": row["vuong_p"] if row["vuong_p"] is not None else "", "first_pct": row["first_pct"],
                "sd_people_pct": 100 * row["r_spread"], "status": row["status"]})
        least = min(row["aic"] for row in rows if row["people_of"] == group)
        for row in rows:
            if row["people_of"] == group:
                row["aic_above_best"] = row["aic"] - least
    return rows


def against_sober(promille, data, found):
    """Whether the command predicts the same times with the thesis' values, for everybody with body measures."""
    problems = []
    for study in dict.fromkeys(evening.study for evening in found if evening.body is not None):
        rows = people.run(promille, "sober", data / study, "--preset", "nacar-2021", "--r-factor", "all",
                          "--threshold", people.LEVEL, "--format", "csv")
        theirs = {(f"{study}/{row['subject']}", row["occasion"], row["r_factor"]): float(row["sober_predicted_min"])
                  for row in rows if row["sober_predicted_min"]}
        for evening in found:
            for formula in FORMULAS:
                values = kinetics(evening, "thesis", formula) if evening.study == study else None
                if values is None:
                    continue
                ours = float(evening.predicted_time(values, people.LEVEL)[0])
                if not abs(ours - theirs[evening.person, evening.occasion, formula]) < SAME_MIN:
                    problems.append(f"{study}, {formula}: a time is not that of promille sober within {SAME_MIN} min")
    return problems


def tables(promille, data):
    found = people.evenings(promille, data)
    crowd = volunteers.volunteers(data)
    one_r = people.give_one_r(found, {str(i): math.log(one["r"]) for i, one in enumerate(crowd)})
    four, steps = thesis.thesis_tables()
    return found, {
        "r-factors": volunteers.r_table(crowd, one_r),
        "errors": error_table(found),
        "decomposition": decomposition_table(found),
        "volunteers-time": volunteers.volunteer_time_table(crowd),
        "ranking-r": volunteers.r_ranking(crowd, found),
        "ranking-readings": readings_ranking(promille, data),
        "readings": readings.reading_table(found),
        "readings-command": readings.against_command(promille, found),
        "breath-volunteers": volunteers.breath_table(crowd),
        "r-beta": thesis.r_beta_table(found, crowd),
        "thesis": four,
        "thesis-steps": steps,
        "tail": thesis.tail_table(found),
    }


def written(value):
    """Four digits below one, else two decimals: counts and texts as they are."""
    if not isinstance(value, float):
        return str(value)
    return "0" if abs(value) < 1e-9 else f"{value:.4g}" if abs(value) < 1 else f"{value:.2f}"


def different(name, rows):
    """What differs from the committed table."""
    with (FOLDER / "results" / f"{name}.csv").open(newline="") as file:
        before = list(csv.DictReader(file))
    if len(before) != len(rows) or list(before[0]) != list(rows[0]):
        return [f"{name}: other rows or columns"]
    problems = []
    for number, (old, new) in enumerate(zip(before, rows), 2):
        for key, value in new.items():
            text = written(value)
            if text == old[key]:
                continue
            slack = SLACK if key.endswith(LARGE) or "_pct" in key or "_min" in key else 0.005
            if not isinstance(value, float) or old[key] == "" or not math.isclose(
                    value, float(old[key]), rel_tol=0.02, abs_tol=slack):
                problems.append(f"{name}.csv:{number}: {key} was {old[key]}, is {text}")
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("promille", help="the command")
    parser.add_argument("--write", action="store_true", help="take what is new")
    parser.add_argument("--data", type=Path, default=priors.DATA, help="the studies that may not be redistributed")
    parser.add_argument("--notebook", help="also run the notebook, with this Python")
    options = parser.parse_args()
    needed = [*people.FOOD, "scs-beta60", "published-curves"]
    missing = [name for name in needed if not (options.data / name).exists()]
    if missing:
        print(f"r_factor_worth.py: skipped, as {options.data} has no {', '.join(missing)}")
        return
    found, made = tables(options.promille, options.data)
    problems = against_sober(options.promille, options.data, found)
    for name, rows in made.items():
        rows = [{key: float(value) if isinstance(value, np.floating) else value for key, value in row.items()}
                for row in rows]
        if not options.write:
            problems += different(name, rows)
            continue
        with (FOLDER / "results" / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: written(value) for key, value in row.items()} for row in rows)
    if options.notebook:
        problems += r_factor_notebook.run(options.notebook, FOLDER, options.write)
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
