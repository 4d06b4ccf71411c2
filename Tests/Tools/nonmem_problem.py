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

Of a population with covariates, occasions and correlations, written as a prior, $PK and $ERROR are run as Python at
random effects: parameters, standard deviations and what censored readings contribute must be those of the population's
file by its formulas, and the numbers of $PRIOR, $THETA, $OMEGA and their priors must be as many as $PK uses.
"""

import csv
import json
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


POPULATION = {
    "people": 24, "typical": {"ka": 4.0, "beta": 0.16, "r": 0.7}, "typical_se": {"ka": 0.1, "beta": 0.03, "r": 0.02},
    "between": {"ka": 0.2, "beta": 0.04, "r": 0.02, "beta,r": 0.01}, "within": {"beta": 0.01, "r": 0.005},
    "covariates": {"beta,sex": 0.1, "r,age_y": {"coefficient": -0.3, "form": "power", "center": 35},
                   "ka,weight_kg": {"coefficient": 0.01, "form": "exponential", "center": 70}},
    "residual": {"sd": 0.02, "cv": 0.05},
}  # fmt: skip


def python(fortran):
    """Assignments and IFs of abbreviated code as Python."""
    lines, indent = [], ""
    for line in fortran.strip().splitlines():
        line = re.sub(r"(THETA|ETA|EPS)\((\d+)\)", r"\1[\2]", line.partition(";")[0].strip())
        line = re.sub(r"\bOCC\.EQ\.|\bCENS\.EQ\.", lambda m: m.group(0)[: -len(".EQ.")] + "==", line)
        if line == "ENDIF":
            indent = ""
        elif line == "ELSE":
            lines.append("else:")
        elif block := re.fullmatch(r"IF \((.*)\) THEN", line):
            lines, indent = lines + [f"if {block.group(1)}:"], "  "
        elif single := re.fullmatch(r"IF \((.*?)\) (.*)", line):
            lines.append(f"if {single.group(1)}: {single.group(2)}")
        elif line:
            lines.append(indent + line)
    return "\n".join(lines)


def record(control, name):
    """The texts of all records of a name."""
    return re.findall(rf"^\${name}\b ?((?:.|\n(?!\$))*)", control, re.MULTILINE)


def numbers(text):
    return [float(one) for one in re.findall(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?", text.partition(";")[0])]


def check_population(promille, study, folder):
    """What is written of POPULATION, for a study with occasions and readings below detection."""
    file, place = Path(folder) / "population.json", Path(folder) / "population.csv"
    file.write_text(json.dumps(POPULATION))
    subprocess.run(
        [promille, "export", study, "--to", "nonmem", "--population", file, "--as-prior", "-o", place, "--quiet"],
        check=True)  # fmt: skip
    control = place.with_suffix(".ctl").read_text()
    columns = record(control, "INPUT")[0].split()
    rows = [dict(zip(columns, row.values())) for row in table_of(place)]
    thetas = [max(numbers(one)) if one.startswith("(") else numbers(one)[0] for one in record(control, "THETA")]
    omegas = record(control, "OMEGA")
    occasions = sorted({row["OCC"] for row in rows})
    size = int(re.match(r"BLOCK\((\d+)\)", omegas[0]).group(1))
    same = sum("SAME" in one for one in omegas)
    blocks = [one for one in omegas[1:] if "SAME" not in one]
    assert size == 3 and len(blocks) == 2 and same == 2 * (len(occasions) - 1), omegas
    etas = size + len(blocks) + same
    pk, error = record(control, "PK")[0], record(control, "ERROR")[0]
    for symbol, count in (("THETA", len(thetas)), ("ETA", etas)):
        used = {int(one) for one in re.findall(rf"\b{symbol}\((\d+)\)", pk + error)}
        assert used == set(range(1, count + 1)), f"{symbol}: {sorted(used)} of {count}"
    prior = dict(re.findall(r"(N\w+)=(\d+)", record(control, "PRIOR")[0]))
    dimension = re.match(r"BLOCK\((\d+)\)", record(control, "THETAPV")[0]).group(1)
    assert prior == {"NTHETA": str(len(thetas)), "NETA": str(etas), "NTHP": dimension, "NETP": str(size)}
    assert len(record(control, "THETAP")) == int(dimension) == 6
    # The degrees of freedom, one for each block; NONMEM reads them in order.
    assert [numbers(one)[0] for one in record(control, "OMEGAPD")] == [24]
    triangle = numbers(record(control, "THETAPV")[0].partition("FIX")[2])
    assert np.allclose(np.sqrt([triangle[0], triangle[2], triangle[5]]), [0.4, 0.0048, 0.014])
    assert "LAPLACIAN" in control and any(row["CENS"] == 1 for row in rows)
    code, sigma = compile(python(pk) + "\n" + python(error), "$PK", "exec"), np.random.default_rng(7)
    eta = dict(enumerate(0.2 * sigma.standard_normal(etas), 1))
    for row in (row for row in rows if row["EVID"] == 0):
        conc = 0.3 if row["CENS"] == 0 else 0.01
        factor = factor_of(control, r"IPRED = A\(2\)/V/([0-9.e-]+)")
        phi = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))
        scope = {k: v for k, v in row.items() if v is not None} | {
            "THETA": dict(enumerate(thetas, 1)), "ETA": eta, "EPS": {1: 1.0}, "EXP": math.exp, "SQRT": math.sqrt,
            "PHI": phi, "F_FLAG": 0, "A": lambda n: conc * scope["V"]}  # fmt: skip
        exec(code, scope)
        occasion = occasions.index(row["OCC"])
        own = {
            "KA": 4.0 * math.exp(0.01 * (row["WT"] - 70) + eta[1]),
            "BETA": 0.16 * math.exp(0.1 * (1 - row["MALE"]) + eta[2] + eta[4 + occasion]),
            "R": 0.7 * (row["AGE"] / 35) ** -0.3 * math.exp(eta[3] + eta[4 + len(occasions) + occasion]),
        }
        sd = math.hypot(0.02, 0.05 * conc) / factor
        y = conc / factor + sd if row["CENS"] == 0 else phi((row["DV"] - conc / factor) / sd)
        for name, value in (own | {"SD": sd, "Y": y, "F_FLAG": row["CENS"]}).items():
            assert math.isclose(scope[name], value, rel_tol=1e-6), f"{name}: {scope[name]} for {value}"
    run_others(place)
    print(f"{study.name}: the population with {len(thetas)} THETAs and {etas} ETAs says what its file says")


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


def check_all(promille, study, folder):
    check(promille, study, folder)
    if study.name == "odd":
        check_population(promille, study, folder)


if __name__ == "__main__":
    check_both(__doc__, ODD, check_all)
