#!/usr/bin/env python3
"""How often `promille check` finds a wrong unit, dose or weight by what readings imply, by the number of people.

usage: implied_scale.py PROMILLE [--studies N]

Makes the table of the article on the format of studies: simulated cohorts are cut into studies, a mistake is made in
each, and studies are counted of which the whole is doubted (W_READING_SCALE or W_BREATH_AS_BLOOD), and, in brackets,
of which what is named is right.
"""

import argparse
import collections
import concurrent.futures
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

PEOPLE = [1, 2, 3, 5, 8, 12, 24, 48]
# What is wrong: the unit that is stated, the factor of readings, of doses, of weights, and what should be named.
MISTAKES = [
    ("nothing", "bac_g_per_kg", 1, 1, 1, None),
    ("g/100 ml taken as g/kg", "bac_g_per_kg", 0.1055, 1, 1, "as bac_g_per_100ml"),
    ("breath in mg/L taken as g/kg in blood", "bac_g_per_kg", 1.055 / 2.1, 1, 1, "as brac_mg_per_l"),
    ("blood in g/L taken as breath in mg/L", "brac_mg_per_l", 1.055, 1, 1, "as bac_g_per_"),
    ("serum in g/L taken as blood", "bac_g_per_l", 1.055 * 1.16, 1, 1, "as serum_g_per_l"),
    ("a blood:breath ratio of 2000 for 2100", "bac_g_per_kg", 2000 / 2100, 1, 1, "2100"),
    ("weights in lb taken as kg", "bac_g_per_kg", 1, 1, 2.2046, "weights in lb"),
    ("doses in drinks of 10 g taken as g", "bac_g_per_kg", 1, 0.1, 1, "doses in drinks"),
    ("doses in ml of alcohol taken as g", "bac_g_per_kg", 1, 1 / 0.789, 1, "doses in ml"),
]


def rows(path):
    """The rows of a table by subject."""
    found = collections.defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["subject"]].append(row)
    return found


def write(path, table, names):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(table)


def study(cohort, people, mistake, folder):
    _, unit, of_readings, of_doses, of_weights, _ = mistake
    subjects, drinks, readings = ([r for name in people for r in table[name]] for table in cohort)
    folder.mkdir()
    # Without heights, so that body mass does not tell first.
    write(
        folder / "subjects.csv",
        [{**r, "weight_kg": float(r["weight_kg"]) * of_weights} for r in subjects],
        ["subject", "sex", "weight_kg"],
    )
    write(
        folder / "drinks.csv",
        [{**r, "ethanol_g": float(r["ethanol_g"]) * of_doses} for r in drinks],
        ["subject", "time_min", "ethanol_g"],
    )
    write(
        folder / "readings.csv",
        [{**r, unit: float(r["bac_g_per_kg"]) * of_readings} for r in readings],
        ["subject", "time_min", unit],
    )


def judged(promille, cohort, people, mistake, folder):
    study(cohort, people, mistake, folder)
    said = subprocess.run([promille, "check", str(folder)], capture_output=True, text=True).stderr
    whole = [line for line in said.splitlines() if "imply" in line]
    return bool(whole), bool(whole) and mistake[-1] is not None and mistake[-1] in whole[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("promille")
    parser.add_argument("--studies", type=int, default=100)
    options = parser.parse_args()
    promille = os.path.abspath(options.promille)
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        temporary = pathlib.Path(temporary)
        made = temporary / "cohort"
        subprocess.run([promille, "simulate", "--cohort", "2400", "--seed", "5", "-q", "-o", str(made)], check=True)
        cohort = [rows(made / name) for name in ("subjects.csv", "drinks.csv", "readings.csv")]
        names = list(cohort[0])
        print("| mistake | " + " | ".join(str(n) for n in PEOPLE) + " |")
        print("|---|" + "---|" * len(PEOPLE))
        for number, mistake in enumerate(MISTAKES):
            shares = []
            for n in PEOPLE:
                studies = min(options.studies, len(names) // n)
                runs = [
                    pool.submit(
                        judged, promille, cohort, names[k * n : (k + 1) * n], mistake, temporary / f"{number}-{n}-{k}"
                    )
                    for k in range(studies)
                ]
                found = [run.result() for run in runs]
                share = round(100 * sum(f for f, _ in found) / studies)
                right = round(100 * sum(r for _, r in found) / studies)
                shares.append(f"{share}" if mistake[-1] is None or right == share else f"{share} ({right})")
            print(f"| {mistake[0]} | " + " | ".join(shares) + " |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
