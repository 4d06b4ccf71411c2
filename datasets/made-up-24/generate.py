#!/usr/bin/env python3
"""Make up the study of this folder: 24 people who never drank.

    python3 generate.py

writes subjects.csv, drinks.csv, readings.csv, truth.csv, truth-planted.csv and app.csv, the same bytes each time. Only
Python's standard library is needed; curves are stepped here every 6 s, not computed by Promille.
"""

import csv
import math
from pathlib import Path
from random import Random

SEED = 24
FOLDER = Path(__file__).parent
RATIO, DENSITY = 2100, 1.055  # of the breathalyser; kg/L
TRUE = ["subject", "occasion", "ka_per_h", "beta_g_per_kg_h", "r", "lag_min"]
RESOLUTION, DETECTION = 0.01, 0.02  # mg/L
PLANTED = {"p17", "p22"}  # no fit without a lag and the drink that was not written down can be right
TWO_EVENINGS = {"p03", "p07", "p11", "p15", "p19", "p23"}


def watson(sex, age, height, weight):
    """r of Watson (1980) with B = 0.80."""
    water = (
        2.447 - 0.09516 * age + 0.1074 * height + 0.3362 * weight
        if sex == "male"
        else -2.097 + 0.1069 * height + 0.2466 * weight
    )
    return water / (0.80 * weight)


def curve(doses, ka, beta, lag, minutes):
    """Concentrations in g/kg at every 0.1 min; doses are (start in min, duration in min, g/kg of blood)."""
    step = 0.1
    gut = blood = 0.0
    values = []
    for index in range(int(minutes / step) + 1):
        values.append(blood)
        now = index * step
        for start, duration, amount in doses:
            begin = start + lag
            if begin <= now + 1e-9 < begin + duration:
                gut += amount * step / duration
        absorbed = gut * -math.expm1(-ka * step / 60)
        gut -= absorbed
        blood = max(0.0, blood + absorbed - beta * step / 60)
    return values


def rule_of_thumb(sex, weight, grams):
    """What an app with a rule of thumb says: minutes to sobriety, 10 % less and 10 % more."""
    minutes = 60 * grams / ({"male": 0.7, "female": 0.6}[sex] * weight) / 0.18
    return [round(minutes), round(0.9 * minutes), round(1.1 * minutes)]


def main():
    random = Random(SEED)
    people, drinks, readings, truth, planted, app = [], [], [], [], [], []
    for number in range(1, 25):
        name = f"p{number:02}"
        sex = "male" if number % 2 else "female"
        age = random.randint(21, 64)
        height = round(random.gauss(178 if sex == "male" else 166, 6))
        weight = round(random.gauss(24, 2.5) * (height / 100) ** 2)
        people.append([name, sex, age, height, weight])
        single = number <= 12
        r = watson(sex, age, height, weight) * math.exp(random.gauss(0, 0.1))
        own_ka = (4.0 if single else 1.9) * math.exp(random.gauss(0, 0.35))
        own_beta = random.gauss(0.165 if sex == "male" else 0.185, 0.022)
        for occasion in (1, 2) if name in TWO_EVENINGS else (1,):
            ka = own_ka * math.exp(random.gauss(0, 0.25))
            beta = own_beta * math.exp(random.gauss(0, 0.06))
            lag = 0.0
            if name == "p22":
                ka, lag = 0.5, 20.0
            plan = [(0, 15, random.uniform(0.55, 0.75))] if single else [
                (minute, 20, random.uniform(0.2, 0.27)) for minute in (0, 45, 90)
            ]
            grams = [(start, duration, round(amount * weight, 1)) for start, duration, amount in plan]
            drinks += [[name, occasion, start, duration, amount] for start, duration, amount in grams]
            total = sum(amount for _, _, amount in grams)
            app.append([name, occasion, *rule_of_thumb(sex, weight, total)])
            taken = list(grams)
            if name == "p17":
                taken.append((150, 15, round(0.35 * weight, 1)))  # not written down
            values = curve([(s, d, g / (r * weight)) for s, d, g in taken], ka, beta, lag, 900)
            (planted if name in PLANTED else truth).append(
                [name, occasion, f"{ka:.6g}", f"{beta:.6g}", f"{r:.6g}", f"{lag:g}"]
            )
            minutes = list(range(20, 140, 15)) + list(range(140, 900, 20))
            if name == "p05":
                minutes = [minute for minute in minutes if minute >= 150]  # came back late
            if name == "p09":
                minutes = [35, 80, 140, 240, 320]  # few readings
            if name == "p12":
                minutes = [minute for minute in minutes if minute <= 200]  # went home
            zeros = 0
            for minute in minutes:
                breath = values[round(minute * 10)] * DENSITY / RATIO * 1000
                since = min((minute - s - d for s, d, _ in grams if minute >= s + d), default=0)
                mouth = 0.5 * math.exp(-since / 4) if since < 15 else 0
                shown = breath + mouth + random.gauss(0, math.hypot(0.004, 0.03 * breath))
                value = max(0, round(shown / RESOLUTION)) * RESOLUTION
                if name == "p20" and minute == 140:
                    value = round(value + 0.3, 2)  # mistyped
                if value < DETECTION:
                    value = 0
                    zeros += minute > 60
                readings.append([name, occasion, minute, f"{value:.2f}"])
                if zeros == 2:
                    break
    for file, header, rows in (
        ("subjects.csv", ["subject", "sex", "age_y", "height_cm", "weight_kg"], people),
        ("drinks.csv", ["subject", "occasion", "time_min", "duration_min", "ethanol_g"], drinks),
        ("readings.csv", ["subject", "occasion", "time_min", "brac_mg_per_l"], readings),
        ("truth.csv", TRUE, truth),
        ("truth-planted.csv", TRUE, planted),
        ("app.csv", ["subject", "occasion", "sober_min", "low_min", "high_min"], app),
    ):
        with open(FOLDER / file, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)


if __name__ == "__main__":
    main()
