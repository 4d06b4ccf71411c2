"""The four people of Nacar (2021) for r_factor_worth.py: why the app was early, and what would have made it right."""

import math
from pathlib import Path

import numpy as np

import priors
import r_factor_people as people
from r_factor_people import FORMULAS
from r_factor_statistics import by_person, interval
from r_factor_volunteers import sexes
from study_folder import after_first_drink, read_study

ROOT = Path(__file__).resolve().parents[2]


def thesis_evenings():
    folder = ROOT / "datasets" / "nacar-2021"
    women = {row["subject"]: row["sex"] == "female" for row in people.table(folder / "subjects.csv")}
    printed = people.table(folder / "table41.csv")
    found = []
    for number, series in enumerate(map(after_first_drink, read_study(folder)), 1):
        evening = people.Evening("nacar-2021", series.subject, "", women[series.subject], series.body, series.drinks,
                                 series.times_h, series.readings_g_per_kg, priors_of("fasted"))
        predicted = next(float(row["time_min"]) for row in printed
                         if float(row["time_min"]) > 60 and float(row[f"p{number}_predicted"] or 1) == 0)
        above = np.flatnonzero(evening.levels > 0)[-1]
        found.append((evening, predicted, 60 * evening.times[above], 60 * evening.times[above + 1]))
    return found


def priors_of(food):
    return priors.read(ROOT / "datasets" / "priors" / f"{food}.json")


def thesis_tables():
    """Per person what r beta the measured time needs, and the mean error as one thing after another is put right."""
    found = thesis_evenings()
    fed = priors_of("fed")["typical"]
    rows = []
    for evening, predicted, low, high in found:
        middle = (low + high) / 2
        needed = evening.dose / (middle / 60)
        row = {"subject": evening.person, "sex": "female" if evening.female else "male",
               "printed_min": predicted, "measured_from_min": low, "measured_to_min": high,
               "dose_g_per_kg": evening.dose, "r_beta_needed": needed,
               "beta_needed_with_forrest": needed / evening.r("forrest"), "r_needed_with_beta_0.15": needed / 0.15}
        row |= {f"r_{formula}": evening.r(formula) or "" for formula in FORMULAS}
        rows.append(row)
    steps = []

    def step(name, value, against="middle"):
        """value(evening, printed) is a predicted time."""
        errors = []
        for evening, predicted, low, high in found:
            time = value(evening, predicted)
            truth = {"middle": (low + high) / 2, "first zero": high}[against]
            errors.append((100 * (time - truth) / time, 100 * (time - truth) / truth, time - truth))
        steps.append({"step": name, "against": against, "of_predicted_pct": float(np.mean([e[0] for e in errors])),
                      "of_measured_pct": float(np.mean([e[1] for e in errors])),
                      "minutes": float(np.mean([e[2] for e in errors])),
                      **{f"subject_{i}_of_measured_pct": e[1] for i, e in enumerate(errors, 1)}})

    def zero(ka, beta, lag, r):
        values = {"ka": ka, "beta": beta, "lag": lag / 60}
        return lambda evening, _: float(evening.predicted_time(values | {"r": r(evening)}, 0.0)[0])

    forrest = lambda evening: evening.r("forrest")  # noqa: E731
    step("as printed", lambda _, printed: printed, "first zero")
    step("as printed", lambda _, printed: printed)
    step("Forrest, drinks at 0 and 55 min", zero(18, 0.15, 0, forrest))
    prior = priors_of("fasted")["typical"]
    step("k_a and lag of fasted people", zero(prior["ka"], 0.15, prior["lag"], forrest))
    step("beta of fasted people", zero(18, prior["beta"], 0, forrest))
    for formula in ("widmark", "watson", "seidl"):
        step(f"r of {formula}", zero(18, 0.15, 0, lambda evening, own=formula: evening.r(own)))
    step("r of other people, no formula", zero(18, 0.15, 0, lambda evening: evening.typical["r"]))
    def line(evening, _):
        kept = (evening.times >= 99 / 60) & (evening.times <= 151 / 60)
        slope, level = np.polyfit(60 * evening.times[kept], evening.levels[kept], 1)
        return -level / slope

    step("line through the readings from 100 to 150 min", line)
    step("beta of fasted people, r of widmark",
         zero(18, prior["beta"], 0, lambda evening: evening.r("widmark")))
    step("all of fasted people, no formula",
         lambda evening, _: float(evening.predicted_time(evening.typical, 0.0)[0]))

    def fed_time(evening, _):
        own = dict(evening.typical) | {
            "ka": fed["ka"], "lag": fed["lag"] / 60,
            "beta": fed["beta"] * evening.typical["beta"] / prior["beta"],
            "r": fed["r"] * evening.typical["r"] / prior["r"]}
        return float(evening.predicted_time(own, 0.0)[0])

    step("all of people after a meal, no formula", fed_time)
    return rows, steps


def r_beta_table(found, crowd):
    """r beta by study, ethanol eliminated in g per kg of body and h: from own fits, and of volunteers."""
    def three(values):
        return [math.log(values["r"] * values["beta"]), math.log(values["beta"]), math.log(values["r"])]

    logs = {("scs-beta60", sex): [(str(i), three(one)) for i, one in enumerate(group)]
            for sex, group in sexes(crowd) if sex != "all"}
    for study in ("wilkinson-1977-oral", "thierauf-emberger-2023"):
        logs[study, "all"] = [
            (one.person, three(one.own)) for one in found if one.study == study and one.own is not None]
    rows = []
    for (study, sex), values in logs.items():
        table = by_person(values)
        row = {"study": study, "sex": sex, "people": len(table)}
        for column, name in enumerate(("r_beta", "beta", "r")):
            row |= interval(name, table[:, column], lambda x: np.exp(x.mean()))
            row[f"{name}_sd_pct"] = 100 * table[:, column].std(ddof=1)
        row["correlation_r_beta"] = np.corrcoef(table[:, 1], table[:, 2])[0, 1]
        rows.append(row)
    return rows


def tail_table(found):
    """By how much the line through readings from 0.1 g/kg on reaches zero before the readings do (Wilkinson's men)."""
    rows = []
    for evening in found:
        if evening.study != "wilkinson-1977-oral":
            continue
        peak = evening.levels.argmax()
        line = [i for i in range(peak + 1, len(evening.times)) if evening.levels[i] >= 0.1]
        done = [i for i in range(peak, len(evening.times)) if evening.levels[i] <= 0.01]
        if len(line) < 3 or not done:
            continue
        slope, level = np.polyfit(60 * evening.times[line], evening.levels[line], 1)
        rows.append((evening.person, [60 * evening.times[done[0]] + level / slope,
                                      60 * (evening.times[done[0]] - evening.times[done[0] - 1])]))
    table = by_person(rows)
    return [{"people": len(table), "evenings": len(rows)} | interval("late_min", table[:, 0], np.mean)
            | {"between_readings_min": float(table[:, 1].mean())}]
