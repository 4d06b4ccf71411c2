#!/usr/bin/env python3
"""Reads the PEtab tables of `promille export --to petab` with PEtab's own library.

    python3 Tests/Tools/petab_tables.py PROMILLE

Exports the study that ships and one with everything in it that is odd, and fails unless the package
petab reads and accepts both tables, and what it reads is what the CSV of the study says. Numbers are
compared to 1e-12: minutes become hours.
"""

import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from petab import v1

ROOT = Path(__file__).resolve().parents[2]

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


def check_measurements(study, table, keys):
    v1.check_measurement_df(table)
    readings = rows(study / "readings.csv")
    unit = next(name for name in readings[0] if name.startswith(("bac_", "brac_", "serum_")))
    for index, key in enumerate(keys):
        found = table[table.simulationConditionId == f"c{index + 1}"]
        expected = [r for r in readings if key_of(r) == key and not r.get("exclude")]
        assert len(found) == len(expected), f"{key}: {len(found)} of {len(expected)} readings"
        for (_, measured), reading in zip(found.iterrows(), expected):
            assert measured.observableId == unit
            assert same(measured.time, float(reading["time_min"]) / 60), f"{key}: {measured}"
            assert same(measured.measurement, float(reading[unit])), f"{key}: {measured}"


def check_conditions(study, table, keys):
    v1.check_condition_df(table)
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
        check_drinks(condition, [d for d in rows(study / "drinks.csv") if key_of(d) == key], person)


def grams(drink, person):
    if drink.get("ethanol_g"):
        return float(drink["ethanol_g"])
    if drink.get("ethanol_g_per_kg"):
        return float(drink["ethanol_g_per_kg"]) * float(person["weight_kg"])
    return float(drink["volume_ml"]) * float(drink["abv_percent"]) / 100 * 0.789


def check_drinks(condition, drinks, person):
    count = sum(name.endswith("_ethanol_g") for name in condition.index)
    for index in range(count):
        found = [
            condition[f"drink_{index + 1}_{name}"] for name in ("time_h", "duration_h", "ethanol_g")
        ]
        drink = drinks[index] if index < len(drinks) else {"time_min": "0", "ethanol_g": "0"}
        expected = [
            float(drink["time_min"]) / 60, float(drink.get("duration_min") or 0) / 60,
            grams(drink, person),
        ]
        assert all(map(same, found, expected)), f"{condition.name}: {found}, not {expected}"


def check(promille, study, folder):
    target = Path(folder) / f"petab-{study.name}"
    subprocess.run([promille, "export", study, "--to", "petab", "-o", target], check=True)
    keys = series_of(study)
    measurements = v1.get_measurement_df(target / "measurements.tsv")
    conditions = v1.get_condition_df(target / "conditions.tsv")
    check_measurements(study, measurements, keys)
    check_conditions(study, conditions, keys)
    v1.assert_measurement_conditions_present_in_condition_table(measurements, conditions)
    print(f"{study.name}: {len(measurements)} measurements under {len(conditions)} conditions")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        odd = Path(folder) / "odd"
        odd.mkdir()
        for name, text in ODD.items():
            (odd / name).write_text(text, encoding="utf-8")
        for study in [ROOT / "datasets/nacar-2021", odd]:
            check(sys.argv[1], study, folder)


if __name__ == "__main__":
    main()
