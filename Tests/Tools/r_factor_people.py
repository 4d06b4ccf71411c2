"""The people of r_factor_worth.py: what they drank, what was measured, their own fits, and what other studies say.

An evening is one person with one set of drinks. What is predicted of it uses k_a, beta and the lag of a prior that was
made without its study (`priors.py --without`), so nobody is predicted from their own readings, nor from those of
people measured beside them. Evenings of less than LEAST_DOSE are left out: their concentration hardly exceeds LEVEL.

The time of an evening is that to LEVEL on the straight line between the two readings around it. Where there is no
reading below, or the next one came more than WIDEST minutes later, it is the time of the last reading above LEVEL,
and the level is that reading. So every evening has a time, and none is extrapolated.
"""

import csv
import io
import json
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import priors
import r_factors
from study_folder import Body, Drink, after_first_drink, read_study

BLOOD_WATER = 0.80
"""Watson's litres per kg of blood: for concentrations in g/kg."""
LEVEL = 0.2
LEAST_DOSE = 0.3
WIDEST = 75
FOOD = {
    "wilkinson-1977-oral": "fasted",
    "thierauf-emberger-2023": "fed",
    "mumenthaler-2000-individual": "unknown",
    "hip-flask": "unknown",
}
SINGLE = "three single cases"
NAMES = {"wilkinson-1977-oral": "Wilkinson 1977", "thierauf-emberger-2023": "Thierauf-Emberger 2023",
         "mumenthaler-2000-individual": SINGLE, "hip-flask": SINGLE}
FORMULAS = list(r_factors.METHODS)
METHODS = ["none", "one r", *FORMULAS]
ESTIMATED = ("ka", "beta", "r", "lag")
THESIS = {"ka": 18.0, "beta": 0.15, "lag": 0.0}
STEP_H = 1 / 60
HORIZON_H = 24


@dataclass
class Evening:
    """One person, one set of drinks."""

    study: str
    person: str
    occasion: str
    female: bool
    body: Body | None
    drinks: tuple[Drink, ...]
    times: np.ndarray
    levels: np.ndarray
    prior: dict = field(repr=False)
    own: dict | None = None
    own_with_prior: dict | None = None
    own_r_se: float | None = None
    one_r: float | None = None

    @property
    def doses(self):
        return [(drink.start_h, drink.duration_h, drink.dose_g_per_kg) for drink in self.drinks]

    @property
    def dose(self) -> float:
        return sum(drink.dose_g_per_kg for drink in self.drinks)

    @property
    def drunk(self) -> float:
        """When the last drink ended, in h."""
        return max(drink.start_h + drink.duration_h for drink in self.drinks)

    @property
    def typical(self) -> dict:
        """What the other studies say of somebody like this, without any formula."""
        values = dict(self.prior["typical"])
        values["lag"] /= 60
        for name, effect in self.prior["covariates"].items():
            values[name.split(",")[0]] *= np.exp(self.female * effect["coefficient"])
        return values

    def r(self, formula: str) -> float | None:
        """The formula's r; None where there is no formula. `none` is the prior's, `one r` the mean of other studies."""
        if formula == "none":
            return self.typical["r"]
        if formula == "one r":
            return self.one_r
        if formula == "widmark":
            return 0.55 if self.female else 0.68
        return None if self.body is None else formula_r(formula, self.body)

    def curve(self, at, values) -> np.ndarray:
        return priors.curve(self.doses, np.asarray(at), *(values[name] for name in ESTIMATED))

    def predicted_time(self, values, level=None) -> np.ndarray:
        """When the curve is at `level` for the last time, in min; 0 if it never is above."""
        level = self.target[1] if level is None else level
        grid = np.arange(0, HORIZON_H, STEP_H)
        curves = self.curve(grid, values)
        above = curves > level
        last = above.shape[1] - 1 - above[:, ::-1].argmax(axis=1)
        last = np.minimum(last, above.shape[1] - 2)
        rows = np.arange(len(curves))
        high, low = curves[rows, last], curves[rows, last + 1]
        minutes = 60 * (grid[last] + STEP_H * (high - level) / np.maximum(high - low, 1e-12))
        return np.where(above.any(axis=1), minutes, 0.0)

    @property
    def target(self) -> tuple[float, float]:
        """The time in min that predictions are held to, and its level."""
        last = np.flatnonzero(self.levels > LEVEL)[-1]
        crossing = self.crossing(LEVEL)
        return (60 * self.times[last], self.levels[last]) if crossing is None else (crossing, LEVEL)

    def crossing(self, level) -> float | None:
        """The measured time to `level` in min; None unless two readings at most WIDEST min apart hold it."""
        above = np.flatnonzero(self.levels > level)
        if len(above) == 0 or above[-1] + 1 == len(self.levels):
            return None
        (a, b), (high, low) = (values[above[-1] : above[-1] + 2] for values in (60 * self.times, self.levels))
        return None if b - a > WIDEST else a + (b - a) * (high - level) / (high - low)

    @property
    def scored(self) -> np.ndarray:
        """The readings whose concentration is predicted: to the first at or below 0.02 g/kg after the peak."""
        ends = np.flatnonzero((self.levels <= 0.02) & (self.times > self.times[self.levels.argmax()]))
        kept = np.ones(len(self.times), bool)
        if len(ends):
            kept[ends[0] + 1 :] = False
        return kept


def formula_r(formula: str, body: Body) -> float | None:
    """As r_factors.py, with Watson's r for g/kg."""
    r = r_factors.METHODS[formula](body)
    return r * r_factors.WATER_PER_LITRE_OF_BLOOD / BLOOD_WATER if formula == "watson" else r


def evenings(promille: str, data: Path) -> list[Evening]:
    """All evenings of the four studies with curves."""
    found = []
    for study, food in FOOD.items():
        prior = priors.priors([study])[food]
        women = {row["subject"]: row["sex"] == "female" for row in table(data / study / "subjects.csv")}
        fits, with_prior = own_fits(promille, data / study), fits_with_prior(promille, data / study, prior)
        for series in map(after_first_drink, read_study(data / study)):
            evening = Evening(
                study, f"{study}/{series.subject}", series.occasion, women[series.subject], series.body,
                series.drinks, series.times_h, series.readings_g_per_kg, prior)
            if evening.dose >= LEAST_DOSE:
                evening.own, evening.own_r_se = fits[series.subject, series.occasion]
                evening.own_with_prior = with_prior[series.subject, series.occasion]
                found.append(evening)
    return found


def give_one_r(found: list[Evening], crowd: dict[str, float]) -> float:
    """Give each evening the geometric mean r of the people of other studies; the mean of all people with curves.

    `crowd` has ln r of people without curves. A person counts once, if the readings of some evening determine r.
    """
    own = {}
    for evening in found:
        if evening.own is not None:
            own.setdefault((evening.study, evening.person), []).append(np.log(evening.own["r"]))
    means = {key: np.mean(values) for key, values in own.items()}
    for evening in found:
        others = [value for (study, _), value in means.items() if study != evening.study]
        evening.one_r = float(np.exp(np.mean([*others, *crowd.values()])))
    return float(np.exp(np.mean(list(means.values()))))


def own_fits(promille: str, study: Path) -> dict:
    """k_a, beta and r by least squares of each series and the standard error of ln r; None where undetermined."""
    rows = run(promille, "fit", study, "--estimate", "ka,beta,r", "--format", "csv")
    return {
        (row["subject"], row["occasion"]): (
            {"ka": float(row["ka_per_h"]), "beta": float(row["beta_g_per_kg_h"]), "r": float(row["r"]), "lag": 0.0},
            float(row["r_se"]) / float(row["r"]),
        ) if row["status"] == "ok" else (None, None)
        for row in rows
    }


def fits_with_prior(promille: str, study: Path, prior: dict) -> dict:
    """k_a, beta, r and lag of each series at the mode of the posterior: what little readings leave open is typical."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "prior.json"
        file.write_text(priors.text(prior))
        rows = run(promille, "fit", study, "--prior", file, "--interval", "none",
                   "--details", "--format", "csv")
    return {(row["subject"], row["occasion"]): {
        "ka": float(row["ka_per_h"]), "beta": float(row["beta_g_per_kg_h"]), "r": float(row["r"]),
        "lag": float(row["lag_min"]) / 60} for row in rows}


def run(promille: str, *arguments) -> list[dict[str, str]]:
    """What the command writes as CSV."""
    return list(csv.DictReader(io.StringIO(printed(promille, *arguments))))


def printed(promille: str, *arguments) -> str:
    done = subprocess.run(
        [str(Path(promille).resolve()), *map(str, arguments), "-q"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"promille {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def forecast(promille: str, evening: Evening, known: np.ndarray) -> dict[str, float]:
    """`promille forecast` of the time to the evening's level, from the readings with these indices alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "subjects.csv").write_text(f"subject,sex\nx,{'female' if evening.female else 'male'}\n")
        (folder / "drinks.csv").write_text("subject,time_min,duration_min,ethanol_g_per_kg\n" + "".join(
            f"x,{60 * start},{60 * length},{dose}\n" for start, length, dose in evening.doses))
        (folder / "readings.csv").write_text("subject,time_min,bac_g_per_kg\n" + "".join(
            f"x,{60 * evening.times[i]},{evening.levels[i]}\n" for i in known))
        (folder / "prior.json").write_text(priors.text(evening.prior))
        row = run(promille, "forecast", folder, "--prior", folder / "prior.json", "--threshold",
                  evening.target[1], "--format", "csv")[0]
        return {key: float(value) for key, value in row.items() if key.endswith("_min") and value}


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
