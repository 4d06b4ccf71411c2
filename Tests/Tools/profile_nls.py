"""Profiles of R's data sets Puromycin and Theoph, to be held against R's own.

The parameters are those of R: Vm and K of Michaelis and Menten; lKe, lKa and lCl of `SSfol`. Nothing is
a logarithm here unless R makes it one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from expectations import read_rows
from gls_fit import STEP, Fit, Problem, Profile, fit
from reading_errors import ErrorModel, Readings


def michaelis_menten(_: float, x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The rate of a reaction."""
    vm, k = values
    return vm * x / (k + x)


def first_order(dose: float, x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One compartment with elimination, absorption and clearance of first order."""
    ke, ka, clearance = np.exp(values)
    return dose * ke * ka / (clearance * (ka - ke)) * (np.exp(-ke * x) - np.exp(-ka * x))


@dataclass(frozen=True)
class Formula:
    """A curve in R's parameters, with the names and where to begin."""

    function: Callable[[float, np.ndarray, np.ndarray], np.ndarray]
    free: tuple[str, ...]
    start: tuple[float, ...]


FORMULAS = {
    "Puromycin": Formula(michaelis_menten, ("Vm", "K"), (200.0, 0.05)),
    "Theoph": Formula(first_order, ("lKe", "lKa", "lCl"), (-2.5, 0.5, -3.2)),
}


@dataclass(frozen=True)
class FormulaCurve:
    """A formula at the times or concentrations of one subject."""

    formula: Formula
    dose: float
    x: np.ndarray

    @property
    def free(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return self.formula.free

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def __call__(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The curve and its Jacobian, by complex step."""
        columns = [
            self.formula.function(self.dose, self.x, values + 1j * STEP * row)
            for row in np.eye(len(values))
        ]
        return columns[0].real, np.column_stack([column.imag / STEP for column in columns])

    def profile_range(self, _: int) -> np.ndarray:
        """Profiles have no ends."""
        return np.array([-np.inf, np.inf])

    def starts(self, _: int = 1) -> np.ndarray:
        """One start: Theoph has a second minimum of the same depth, ke and ka exchanged."""
        return np.array([self.formula.start])


def fit_data(rows: list[dict[str, str]]) -> Fit:
    """The least squares of one subject."""
    x, y = (np.array([float(row[name]) for row in rows]) for name in ("x", "y"))
    curve = FormulaCurve(FORMULAS[rows[0]["dataset"]], float(rows[0]["dose"] or 0), x)
    readings = Readings(x, y, np.zeros_like(y), np.zeros(len(y), dtype=bool), "none")
    return fit(Problem(curve, readings, ErrorModel("additive")))


def fits_of(folder: Path) -> dict[tuple[str, str], Fit]:
    """The fits of all subjects, by data set and subject."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in read_rows(folder / "fit-profile-data.csv"):
        groups.setdefault((row["dataset"], row["subject"]), []).append(row)
    return {key: fit_data(rows) for key, rows in groups.items()}


def disagreements(folder: Path) -> list[str]:
    """What differs from R's tables, one line each.

    `nls` stops at a relative offset of 1e-7, and `confint` interpolates by a spline: ends may differ by
    a thousandth of a standard error.
    """
    fits = fits_of(folder)
    found = []
    for row in read_rows(folder / "fit-profile-r.csv"):
        fitted, name = fits[row["dataset"], row["subject"]], row["parameter"]
        profile = Profile(fitted, name)
        error = float(fitted.log_errors()[profile.index])
        pairs = [
            ("estimate", profile.estimate[profile.index], 1e-5),
            ("se", error, 1e-5),
            ("low", profile.end(0.95, -1), 1e-3),
            ("high", profile.end(0.95, 1), 1e-3),
        ]
        found += [
            f"fit-profile-r.csv: {row}: {column} {value}"
            for column, value, tolerance in pairs
            if not abs(float(row[column]) - value) <= tolerance * error
        ]
    for row in read_rows(folder / "fit-profile-tau-r.csv"):
        tau = Profile(fits[row["dataset"], row["subject"]], row["parameter"]).root(
            float(row["value"])
        )
        if not abs(tau - float(row["tau"])) <= 1e-5:
            found.append(f"fit-profile-tau-r.csv: {row}: tau {tau}")
    return found
