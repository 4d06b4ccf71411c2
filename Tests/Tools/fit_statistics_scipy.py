"""Statistics of fits by SciPy: estimates, error models, intervals, likelihoods and robust losses.

The fits are those of simulated series (`simulated_series.py`) with every error model, treatment of
censored readings and loss that applies; `gls_fit.py` and `robust_fit.py` define what is computed. No
descent is one of least squares. Each fit starts from many points; the last curve is searched for
again with the final standard deviations, and so is the profile at its ends.

What R has fitted as well (`profile_r.R`) is compared with its tables on every run.
"""

import sys
from argparse import Namespace
from dataclasses import dataclass

import numpy as np

import profile_nls
from expectations import Row, Table, Tolerance, deliver, new_parser, read_rows, text
from gls_fit import Curve, Fit, Problem, fit
from reading_errors import ErrorModel, Readings
from residual_statistics import autocorrelation_table, runs_table, shapiro_table
from robust_fit import LOSSES, RobustFit, efficiency, fit_robustly, tuning_for
from simulated_series import SIMULATIONS, Simulation, series_table, truth_table

LEVEL = 0.95
PARAMETERS = ("ka", "beta", "r")
FREE = (("ka", "beta", "r"), ("ka", "beta"))
COLUMN_OF = {"ka": "ka_per_h", "beta": "beta_g_per_kg_h", "r": "r"}

# Roots are found to the last digits, but the estimates of errors only to a relative 1e-11 or so in
# sigma, and a descent may end on either side of a kink at zero.
ESTIMATE = Tolerance(relative=1e-7)
DERIVED = Tolerance(relative=1e-6)

R_TOLERANCES = {
    "estimate": Tolerance(relative=1e-6),
    "se": Tolerance(relative=1e-5),
    "error": Tolerance(relative=1e-5),
}
"""`nls` and `optim` stop a little short of the minimum; nothing is lost by what is left."""

R_PROFILE = 1e-3
"""The ends of R's profiles are interpolated: to this fraction of a standard error."""


@dataclass(frozen=True)
class Case:
    """One row of the table to be."""

    simulation: Simulation
    free: tuple[str, ...]
    model: str = "additive"
    censoring: str = "none"
    loss: str = "linear"


def cases() -> list[Case]:
    """Every combination that makes sense for a series."""
    return [
        Case(simulation, free, **settings)
        for simulation in SIMULATIONS
        for settings in settings_for(simulation.subject)
        for free in FREE
    ]


def settings_for(subject: str) -> list[dict[str, str]]:
    """Error models and treatments by the kind of the series.

    The combined model is left out where the readings have no proportional error to speak of: b is then
    estimated as zero.
    """
    kind = subject.split("-")[0]
    if kind == "lod":
        return [{"censoring": rule} for rule in ("none", "drop", "one-sided", "m3")]
    if kind == "outliers":
        return [{}] + [{"loss": loss} for loss in LOSSES]
    models = ["additive", "proportional"]
    models += ["combined"] if kind in ("proportional", "combined") else []
    models += ["instrument"] if kind == "instrument" else []
    return [{"model": model} for model in models]


def problem_of(case: Case) -> Problem:
    """The readings that are used, the curve and the error model."""
    simulation = case.simulation
    values = simulation.readings()
    limits = np.full(len(values), simulation.lod_g_per_kg or 0.0)
    below = values < limits
    used = ~below if case.censoring == "drop" else np.full(len(values), True)
    censored = below if case.censoring in ("one-sided", "m3") else np.full(len(values), False)
    fixed = {} if "r" in case.free else {"r": simulation.r}
    series = simulation.series(values, used)
    readings = Readings(series.times_h, values[used], limits[used], censored[used], case.censoring)
    errors = ErrorModel(case.model, simulation.resolution_g_per_kg, simulation.accuracy or 0.0)
    return Problem(Curve(series, case.free, fixed), readings, errors)


# Rows


def row_of(case: Case) -> Row:
    """One row of the table of fits."""
    problem = problem_of(case)
    if case.loss == "linear":
        fitted = fit(problem)
        particulars = gls_columns(problem, fitted)
    else:
        fitted = fit_robustly(problem.curve, LOSSES[case.loss])
        particulars = loss_columns(fitted)
    row = {
        "subject": case.simulation.subject,
        "free": " ".join(case.free),
        "error_model": case.model,
        "censoring": case.censoring,
        "loss": case.loss,
        **estimate_columns(case, fitted),
        **particulars,
    }
    print(*(text(value) for value in row.values()), sep=",", file=sys.stderr)
    return row


def estimate_columns(case: Case, fitted: Fit | RobustFit) -> Row:
    """Estimates, standard errors on the parameter's own scale, and Wald's limits."""
    logs = dict(zip(case.free, fitted.logs.tolist(), strict=True))
    errors = dict(zip(case.free, fitted.log_errors().tolist(), strict=True))
    reach = fitted.quantile(LEVEL)
    row: Row = {COLUMN_OF[name]: exp_or_none(logs.get(name)) for name in PARAMETERS}
    for name in PARAMETERS:
        row[f"{name}_se"] = float(np.exp(logs[name])) * errors[name] if name in logs else None
    for name in PARAMETERS:
        for end, sign in (("low", -1), ("high", 1)):
            limit = logs[name] + sign * reach * errors[name] if name in logs else None
            row[f"{name}_wald_{end}"] = exp_or_none(limit)
    return row


def exp_or_none(log: float | None) -> float | None:
    """exp, where there is something."""
    return None if log is None else float(np.exp(log))


def gls_columns(problem: Problem, fitted: Fit) -> Row:
    """What fits by generalized least squares have."""
    readings = problem.readings
    a, b = problem.errors.parameters(fitted.log_scale, fitted.log_rho)
    row: Row = {
        "quantified": int(np.sum(readings.quantified)),
        "censored": int(np.sum(readings.censored)),
        "active": int(np.sum(readings.active(fitted.predictions))),
        "degrees_of_freedom": fitted.freedom,
        "a_g_per_kg": a,
        "b": b,
        "scale_g_per_kg": None,
    }
    for name in PARAMETERS:
        free = name in problem.curve.free
        low, high = fitted.profile_interval(name, LEVEL) if free else (None, None)
        row |= {f"{name}_profile_low": low, f"{name}_profile_high": high}
    return row | likelihood_columns(problem, fitted)


def likelihood_columns(problem: Problem, fitted: Fit) -> Row:
    """-2 log L and the criteria; the one-sided rule has no likelihood."""
    if problem.readings.rule == "one-sided":
        return {"minus_2_log_likelihood": None, "aicc": None, "bic": None}
    deviance = fitted.minus_2_log_likelihood()
    k, n = problem.estimated + problem.errors.estimated, fitted.counted
    return {
        "minus_2_log_likelihood": deviance,
        "aicc": deviance + 2 * k + 2 * k * (k + 1) / (n - k - 1),
        "bic": deviance + k * float(np.log(n)),
    }


def loss_columns(fitted: RobustFit) -> Row:
    """What fits with losses have: no likelihood and no profile."""
    row: Row = {
        "quantified": len(fitted.curve.series.times_h),
        "censored": 0,
        "active": 0,
        "degrees_of_freedom": fitted.freedom,
        "a_g_per_kg": None,
        "b": None,
        "scale_g_per_kg": fitted.scale,
    }
    for name in PARAMETERS:
        row |= {f"{name}_profile_low": None, f"{name}_profile_high": None}
    return row | {"minus_2_log_likelihood": None, "aicc": None, "bic": None}


def fit_table() -> Table:
    """The table of fits."""
    rows = [row_of(case) for case in cases()]
    names = [*COLUMN_OF.values(), "a_g_per_kg", "b", "scale_g_per_kg"]
    tolerances = dict.fromkeys(names, ESTIMATE)
    derived = ("_se", "_low", "_high", "likelihood", "aicc", "bic")
    tolerances |= {name: DERIVED for name in rows[0] if name.endswith(derived)}
    return Table("fit-statistics.csv", rows, tolerances)


def tuning_table() -> Table:
    """Tuning constants of the losses, and those of 95 % efficiency."""
    rows: list[Row] = [
        {
            "loss": name,
            "tuning": loss.tuning,
            "efficiency": efficiency(loss, loss.tuning),
            "tuning_for_95_percent": tuning_for(loss),
        }
        for name, loss in LOSSES.items()
    ]
    columns = ("efficiency", "tuning_for_95_percent")
    return Table("fit-losses.csv", rows, dict.fromkeys(columns, Tolerance(relative=1e-9)))


# Against R


def disagreements(fits: Table, options: Namespace) -> list[str]:
    """Where R has found something else, one line each."""
    by_key = {(r["subject"], r["free"], r["error_model"], method_of(r)): r for r in fits.rows}
    found = []
    for row in read_rows(options.output / "fit-confirmed-r.csv"):
        key = (row["subject"], row["free"], row["error_model"], row["method"])
        found += compare(row, unrestricted(row) if row["method"] == "gnls" else by_key[key])
    return found


def method_of(row: Row) -> str:
    """R's name for how a row was fitted; censored readings R has only by likelihood."""
    if row["loss"] != "linear":
        return str(row["loss"])
    return "optim m3" if row["censoring"] == "m3" else f"nls{row['censoring'].replace('none', '')}"


def unrestricted(row: dict[str, str]) -> Row:
    """A fit whose error model maximises the likelihood; to `gnls` an `a` at its least is 0."""
    simulation = next(one for one in SIMULATIONS if one.subject == row["subject"])
    case = Case(simulation, tuple(row["free"].split()), row["error_model"])
    fitted = fit(problem_of(case), restricted=False)
    a, b = fitted.problem.errors.parameters(fitted.log_scale, fitted.log_rho)
    estimates = dict(zip(case.free, np.exp(fitted.logs).tolist(), strict=True))
    known_a = float(row["a_g_per_kg"])
    return {
        **{COLUMN_OF[name]: value for name, value in estimates.items()},
        "a_g_per_kg": known_a if fitted.is_at_least_sd and known_a < 1e-5 else a,
        "b": b,
    }


def compare(theirs: dict[str, str], ours: Row) -> list[str]:
    """The cells of a row of R that differ."""
    found = []
    for column, cell in theirs.items():
        value = ours.get(column)
        if column in ("subject", "free", "error_model", "method") or not cell:
            continue
        if value is None or not tolerance_for(column, ours).accepts(float(cell), float(value)):
            found.append(f"fit-confirmed-r.csv: {theirs}: {column} {value}")
    return found


def tolerance_for(column: str, ours: Row) -> Tolerance:
    """How closely R must be met."""
    name = column.split("_")[0]
    if "_profile_" in column:
        return Tolerance(absolute=R_PROFILE * float(ours[f"{name}_se"]))
    if column.endswith("_se"):
        return R_TOLERANCES["se"]
    return R_TOLERANCES["estimate" if column in COLUMN_OF.values() else "error"]


def main() -> int:
    """Make the tables and compare them with R's."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    fits = fit_table()
    status = deliver(
        [
            series_table(), truth_table(), fits, tuning_table(),
            runs_table(), autocorrelation_table(), shapiro_table(),
        ],
        options,
    )
    found = disagreements(fits, options) + profile_nls.disagreements(options.output)
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(found)} disagreements with R", file=sys.stderr)
    return 1 if found else status


if __name__ == "__main__":
    sys.exit(main())
