#!/usr/bin/env python3
"""Runs what `promille export --to nonmem` writes, without NONMEM and without nlmixr2.

    python3 Tests/Tools/nonmem_problem.py PROMILLE

Exports the study that ships and one with infusions, routes, occasions and readings below detection. The
table must hold numbers only, in the columns that the control stream names. Then the differential equations
of the control stream, and those of the script for R, are integrated with SciPy, with the doses of the
table as NONMEM gives them (AMT, RATE, CMT, EVID 3), and the concentrations at all readings compared with
`promille simulate` to 0.01 g/kg: a Michaelis constant of 0.001 g/kg that ends elimination at zero delays
it by 0.001 ln(c / 0.001) g/kg. Where Rscript is
installed, the script must be R. Where the package pharmpy is installed, it must read the control stream
and its table.
"""

import csv
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from odd_study import check_both

VALUES = {"KA": 6.0, "BETA": 0.15, "R": 0.68}
ODD = {
    "subjects.csv": "subject,sex,age_y,height_cm,weight_kg,diet\nann,female,30,165,60,\u00fc\n"
    "bob,male,40,180,80,\n",
    "drinks.csv": "subject,occasion,time_min,duration_min,ethanol_g,ethanol_g_per_kg,route\n"
    "ann,fed,0,15,30,,oral\nann,fed,60,0,,0.2,oral\nann,iv,0,30,,0.4,iv\nann,iv,60,0,10,,iv\n"
    "bob,fed,-20,0,40,,oral\n",
    "readings.csv": "subject,occasion,time_min,brac_mg_per_l,lod,exclude\n"
    + "".join(
        f"{who},{minute},{value},0.02,\n"
        for who in ("ann,fed", "ann,iv", "bob,fed")
        for minute, value in ((30, 0.2), (90, 0.3), (150, 0.2), (210, 0.1), (330, 0.01))
    ),
}


def number(text):
    return None if text == "." else float(text)


def table_of(file):
    with open(file, newline="") as lines:
        return [{name: number(text) for name, text in row.items()} for row in csv.DictReader(lines)]


def equations(text, pattern):
    """The right sides of the two equations, gut first, as Python."""
    found = re.findall(pattern, text, re.MULTILINE)
    assert len(found) == 2, found
    return [compile(re.sub(r"A\((\d)\)", r"A[\1]", right), "equation", "eval") for right in found]


def factor_of(text, pattern):
    return float(re.search(pattern, text).group(1))


def concentrations(rows, right, names_of, factor):
    """What the model predicts at each reading of a subject, in the unit of the readings."""
    state, rates, found, now, ends = np.zeros(2), np.zeros(2), [], None, []

    def advance(to):
        nonlocal state, now
        while now < to:
            stop = min([to] + [end for end, _, _ in ends if end > now])
            scope = names_of(rows[0])
            step = solve_ivp(
                lambda t, y: [eval(one, {}, scope(y)) + rate for one, rate in zip(right, rates)],
                (now, stop), state, method="LSODA", rtol=1e-8, atol=1e-8, max_step=0.02)  # fmt: skip
            state, now = step.y[:, -1], stop
            for end, place, rate in [one for one in ends if one[0] <= now]:
                rates[place] -= rate
                ends.remove((end, place, rate))

    for row in rows:
        if row["EVID"] == 3:
            state, rates, now, ends = np.zeros(2), np.zeros(2), row["TIME"], []
        now = row["TIME"] if now is None else now
        advance(row["TIME"])
        if row["EVID"] == 1:
            place = int(row["CMT"]) - 1
            if row.get("RATE"):
                rates[place] += row["RATE"]
                ends.append((row["TIME"] + row["AMT"] / row["RATE"], place, row["RATE"]))
            else:
                state[place] += row["AMT"]
        elif row["EVID"] == 0:
            found.append(state[1] / (VALUES["R"] * row["WT"]) / factor)
    return found


def check(promille, study, folder):
    place = Path(folder) / f"{study.name}.csv"
    subprocess.run([promille, "export", study, "--to", "nonmem", "-o", place, "--quiet"], check=True)
    control, script = place.with_suffix(".ctl").read_text(), place.with_suffix(".R").read_text()
    rows = table_of(place)
    columns = re.search(r"^\$INPUT (.*)$", control, re.MULTILINE).group(1).split()
    assert len(columns) == len(rows[0]) and f"$DATA {place.name} " in control
    for name, column in zip(columns, rows[0]):
        assert name in (column, "DROP") or name == "DV", f"{column} is called {name}"
    factor = factor_of(control, r"IPRED = A\(2\)/V/([0-9.e-]+)")
    assert factor == factor_of(script, r"ipred <- body / v / ([0-9.e-]+)")

    def in_nonmem(row):
        v = VALUES["R"] * row["WT"]
        return lambda y: VALUES | {"V": v, "CONC": y[1] / v, "A": {1: y[0], 2: y[1]}}

    def in_r(row):
        v = VALUES["R"] * row["WT"]
        lower = {name.lower(): value for name, value in VALUES.items()}
        return lambda y: lower | {"v": v, "conc": y[1] / v, "gut": y[0], "body": y[1]}

    models = [
        (equations(control, r"^DADT\(\d\) = (.*)$"), in_nonmem),
        (equations(script, r"^ *d/dt\(\w+\) <- (.*)$"), in_r),
    ]
    expected = predictions(promille, study, rows, factor)
    for right, names_of in models:
        found = [
            value for who in dict.fromkeys(row["ID"] for row in rows)
            for value in concentrations([r for r in rows if r["ID"] == who], right, names_of, factor)
        ]
        worst = np.abs(np.array(found) - expected).max() * factor
        assert len(found) == len(expected) and worst < 0.01, f"{study.name}: differs by {worst} g/kg"
    run_others(place)
    print(f"{study.name}: {len(expected)} readings, at most {worst:.1e} g/kg apart")


def predictions(promille, study, rows, factor):
    """What Promille predicts at the readings in the order of the table, in their unit."""
    result = subprocess.run(
        [promille, "simulate", study, "--r-factor", str(VALUES["R"]), "--ka", str(VALUES["KA"]), "--beta",
         str(VALUES["BETA"]), "--quiet"],
        capture_output=True, text=True, check=True)  # fmt: skip
    curves = {}
    for row in csv.DictReader(result.stdout.splitlines()):
        series = curves.setdefault((row["subject"], row["occasion"]), {})
        series[round(float(row["time_min"]))] = float(row["bac_g_per_kg"])
    keys = list(curves)
    found, seen = [], []
    for row in rows:
        key = row["ID"], row.get("OCC")
        if key not in seen:
            seen.append(key)
        if row["EVID"] == 0:
            curve = curves[keys[len(seen) - 1]]
            found.append(curve.get(round(60 * row["TIME"]), 0.0) / factor)
    return np.array(found)


def run_others(place):
    if shutil.which("Rscript"):
        subprocess.run(["Rscript", "-e", f"invisible(parse('{place.with_suffix('.R')}'))"], check=True)
    try:
        from pharmpy.modeling import read_model
    except ImportError:
        return
    model = read_model(place.with_suffix(".ctl"))
    assert not math.isnan(model.dataset["DV"].sum())
    assert {"KA", "BETA", "R"} <= {str(one.symbol) for one in model.statements.before_odes}


if __name__ == "__main__":
    check_both(__doc__, ODD, check)
