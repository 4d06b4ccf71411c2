#!/usr/bin/env python3
"""Reads the problems of `promille export --to petab` with PEtab's own library.

    python3 Tests/Tools/petab_tables.py PROMILLE

Exports the study that ships and one with everything in it that is odd, and fails unless petablint accepts
both problems, and what the package petab reads is what the CSV of the study says. Numbers are compared to
1e-12: minutes become hours. The model in SBML, as libsbml reads it, is integrated with SciPy, and the curve
of each condition compared with that of `promille simulate` to 0.01 g/kg: a Michaelis constant of 0.001 g/kg
that ends elimination at zero delays it by 0.001 ln(c / 0.001) g/kg.
"""

import csv
import math
import subprocess
from pathlib import Path

import libsbml
import numpy as np
from petab import v1
from scipy.integrate import solve_ivp

from odd_study import check_both

ODD = {
    "subjects.csv": 'subject,sex,age_y,height_cm,weight_kg,fed\n"a, ""b""\tc",female,,165,60,no\n'
    " d\u00fc ,,30,,80,\ncem,male,40,180,70.5,yes\n",
    "drinks.csv": "subject,occasion,time_min,duration_min,ethanol_g,ethanol_g_per_kg\n"
    '"a, ""b""\tc",1,-20,15,,0.5\n"a, ""b""\tc",2,0,,40,\nd\u00fc,1,0,,10,\nd\u00fc,1,30,,12.5,\n'
    "d\u00fc,1,60,7,0,\ncem,1,5,,30,\n",
    "readings.csv": "subject,occasion,time_min,brac_mg_per_l,lod,exclude\n"
    '"a, ""b""\tc",1,-5,0.1,,\n"a, ""b""\tc",1,35,0.2,0.01,\n"a, ""b""\tc",1,40,-0.3,,1\n'
    '"a, ""b""\tc",2,20,0,0.01,\nd\u00fc,1,90.5,0.123456789012345,,\n',
}


def rows(file):
    with open(file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def series_of(study):
    """The keys of the series, in the order of subjects and, for each, of occasions in drinks.csv."""
    drinks = rows(study / "drinks.csv")
    keys = []
    for subject in rows(study / "subjects.csv"):
        for drink in drinks:
            key = drink["subject"].strip(), drink.get("occasion")
            if key[0] == subject["subject"].strip() and key not in keys:
                keys.append(key)
    return keys


def key_of(row):
    return row["subject"].strip(), row.get("occasion")


def same(found, expected):
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


def number(text):
    return float(text) if text else math.nan


def beginning(study, key):
    """The first time of a series in min, if it is before 0: PEtab knows none before that."""
    events = rows(study / "drinks.csv") + [r for r in rows(study / "readings.csv") if not r.get("exclude")]
    return min([0.0] + [float(row["time_min"]) for row in events if key_of(row) == key])


def check_measurements(study, table, keys):
    readings = rows(study / "readings.csv")
    unit = next(name for name in readings[0] if name.startswith(("bac_", "brac_", "serum_")))
    for index, key in enumerate(keys):
        found = table[table.simulationConditionId == f"c{index + 1}"]
        expected = [r for r in readings if key_of(r) == key and not r.get("exclude")]
        assert len(found) == len(expected), f"{key}: {len(found)} of {len(expected)} readings"
        for (_, measured), reading in zip(found.iterrows(), expected):
            assert measured.observableId == unit
            minutes = float(reading["time_min"]) - beginning(study, key)
            assert same(measured.time, minutes / 60), f"{key}: {measured}"
            assert measured.noiseParameters == f"sd_c{index + 1}"
            assert same(measured.measurement, float(reading[unit])), f"{key}: {measured}"


def check_conditions(study, table, keys):
    people = {row["subject"].strip(): row for row in rows(study / "subjects.csv")}
    assert list(table.index) == [f"c{index + 1}" for index in range(len(keys))]
    for (_, condition), key in zip(table.iterrows(), keys):
        person = people[key[0]]
        sex = {"male": 1.0, "female": 0.0}.get(person["sex"], math.nan)
        height = number(person["height_cm"]) / 100
        for name, expected in [
            ("is_male", sex), ("age_y", number(person["age_y"])), ("height_m", height),
            ("weight_kg", number(person["weight_kg"])),
        ]:
            found = condition[name]
            assert same(found, expected) or math.isnan(found) and math.isnan(expected), (key, name)
        for name in ("ka", "beta", "r"):
            assert condition[name] == f"{name}_{condition.name}"
        drinks = [d for d in rows(study / "drinks.csv") if key_of(d) == key]
        check_drinks(condition, drinks, person, beginning(study, key))


def grams(drink, person):
    if drink.get("ethanol_g"):
        return float(drink["ethanol_g"])
    if drink.get("ethanol_g_per_kg"):
        return float(drink["ethanol_g_per_kg"]) * float(person["weight_kg"])
    return float(drink["volume_ml"]) * float(drink["abv_percent"]) / 100 * 0.789


def check_drinks(condition, drinks, person, start):
    count = sum(name.endswith("_ethanol_g") for name in condition.index)
    for index in range(count):
        found = [
            condition[f"drink_{index + 1}_{name}"] for name in ("time_h", "duration_h", "ethanol_g")
        ]
        drink = drinks[index] if index < len(drinks) else {"time_min": str(start), "ethanol_g": "0"}
        expected = [
            (float(drink["time_min"]) - start) / 60, float(drink.get("duration_min") or 0) / 60,
            grams(drink, person),
        ]
        assert all(map(same, found, expected)), f"{condition.name}: {found}, not {expected}"


def check(promille, study, folder):
    target = Path(folder) / f"petab-{study.name}"
    subprocess.run([promille, "export", study, "--to", "petab", "-o", target], check=True)
    keys = series_of(study)
    problem = v1.Problem.from_yaml(target / "problem.yaml")
    assert not v1.lint_problem(problem), f"{study.name}: petablint finds errors"
    measurements, conditions = problem.measurement_df, problem.condition_df
    check_measurements(study, measurements, keys)
    check_conditions(study, conditions, keys)
    check_curves(promille, study, target / "model.xml", conditions, keys)
    print(f"{study.name}: {len(measurements)} measurements under {len(conditions)} conditions")


# MARK: The model


class Model:
    """An SBML model of rate rules and events, in Python."""

    def __init__(self, file):
        self.document = libsbml.readSBML(str(file))
        assert self.document.getNumErrors() == 0, self.document.getErrorLog().toString()
        model = self.document.getModel()
        self.constants = {p.getId(): p.getValue() for p in model.getListOfParameters() if p.getConstant()}
        self.rates = {r.getVariable(): python(r.getMath()) for r in model.getListOfRules()}
        self.events = [
            {a.getVariable(): python(a.getMath()) for a in event.getListOfEventAssignments()}
            for event in model.getListOfEvents()
        ]

    def curve(self, values, times):
        """The concentration in blood at times in h; every drink is an event at its time."""
        names = self.constants | values
        state = dict.fromkeys(self.rates, 0.0)
        stops = sorted((
            (names[f"drink_{number}_time_h"] + over * names[f"drink_{number}_duration_h"], not over, event)
            for number, event in enumerate(self.events, 1) for over in (0, 1)),
            key=lambda stop: stop[:2])
        now, found = min(0.0, stops[0][0] if stops else 0.0), []
        for stop, is_begun, event in [*stops, (math.inf, False, None)]:
            inside = [t for t in times if now <= t < stop]
            end = min(stop, max([now, *times]))
            if end > now:
                solution = solve_ivp(
                    lambda t, y: [
                        eval(rate, FUNCTIONS | names | dict(zip(self.rates, y)) | {"time": t})
                        for rate in self.rates.values()
                    ],
                    (now, end), list(state.values()), method="LSODA", rtol=1e-8, atol=1e-9,
                    max_step=0.02, dense_output=True)  # fmt: skip
                found += [solution.sol(t)[list(state).index("blood")] for t in inside]
                state = dict(zip(state, solution.y[:, -1]))
            else:
                found += [state["blood"] for _ in inside]
            if is_begun:
                state |= {n: eval(f, FUNCTIONS | names | state | {"time": stop}) for n, f in event.items()}
            now = max(now, stop) if stop < math.inf else now
        return found


FUNCTIONS = {"piecewise": lambda value, condition, other: value() if condition else other}


def python(node):
    """A formula of SBML as Python has it."""
    text = libsbml.formulaToL3String(node).replace("&&", " and ")
    # What is divided by a duration of 0 must not be computed where the drink does not last.
    return text.replace("piecewise(", "piecewise(lambda: ")


def check_curves(promille, study, model, conditions, keys):
    """The curves of k_a 6 /h, beta 0.15 g/kg/h and r 0.68, all subjects' times since time 0."""
    model = Model(model)
    simulated = subprocess.run(
        [promille, "simulate", study, "--r-factor", "0.68", "--ka", "6", "--beta", "0.15",
         "--every", "15", "--quiet"], capture_output=True, text=True)  # fmt: skip
    curves = list(csv.DictReader(simulated.stdout.splitlines()))
    checked = 0
    for (_, condition), key in zip(conditions.iterrows(), keys):
        mine = [c for c in curves if (c["subject"].strip(), c["occasion"] or None) == key]
        if not mine:
            continue
        values = {
            name: float(value) for name, value in condition.items()
            if name not in ("conditionName", "ka", "beta", "r") and not math.isnan(float(value))
        } | {"ka": 6.0, "beta": 0.15, "r": 0.68}
        start = beginning(study, key)
        times = [(float(c["time_min"]) - start) / 60 for c in mine]
        found = np.array(model.curve(values, times))
        expected = np.array([float(c["bac_g_per_kg"]) for c in mine])
        worst = np.abs(found - expected).max()
        assert worst < 0.01, f"{key}: the model differs by {worst} g/kg"
        checked += 1
    assert checked > 0, f"{study.name}: no curve was compared"


if __name__ == "__main__":
    check_both(__doc__, ODD, check)
