"""Read the series of a study folder, in hours and g/kg."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from expectations import read_rows
from r_factors import Body

ETHANOL_G_PER_ML = 0.789
BLOOD_DENSITY_KG_PER_L = 1.055
SERUM_BLOOD_RATIO = 1.16
BLOOD_BREATH_RATIO = 2100

TO_G_PER_KG = {
    "bac_g_per_kg": 1.0,
    "bac_g_per_l": 1 / BLOOD_DENSITY_KG_PER_L,
    "bac_mg_per_100ml": 1 / (100 * BLOOD_DENSITY_KG_PER_L),
    "serum_g_per_l": 1 / (SERUM_BLOOD_RATIO * BLOOD_DENSITY_KG_PER_L),
    "serum_mg_per_100ml": 1 / (100 * SERUM_BLOOD_RATIO * BLOOD_DENSITY_KG_PER_L),
    "brac_mg_per_l": BLOOD_BREATH_RATIO / (1000 * BLOOD_DENSITY_KG_PER_L),
}
"""What a reading in the column of that name is multiplied by."""


@dataclass(frozen=True)
class Drink:
    """Ethanol per kg of body weight, taken at a constant rate; duration 0 is a bolus."""

    start_h: float
    duration_h: float
    dose_g_per_kg: float


@dataclass(frozen=True)
class Series:
    """What one subject drank and what was measured on one occasion."""

    subject: str
    occasion: str
    body: Body | None
    drinks: tuple[Drink, ...]
    times_h: np.ndarray
    readings_g_per_kg: np.ndarray


def read_study(folder: Path) -> list[Series]:
    """Every series of the folder, in the order of its readings."""
    bodies = {row["subject"]: body_of(row) for row in read_rows(folder / "subjects.csv")}
    drinks = by_series(read_rows(folder / "drinks.csv"))
    readings = by_series(read_rows(folder / "readings.csv"))
    return [
        Series(
            subject,
            occasion,
            bodies[subject],
            tuple(drink_of(row, bodies[subject]) for row in drinks[subject, occasion]),
            np.array([float(row["time_min"]) / 60 for row in rows]),
            np.array([reading_of(row) for row in rows]),
        )
        for (subject, occasion), rows in readings.items()
    ]


def after_first_drink(series: Series) -> Series:
    """The series without the readings at or before its first drink, where every curve is zero."""
    later = series.times_h > min(drink.start_h for drink in series.drinks)
    return replace(
        series,
        times_h=series.times_h[later],
        readings_g_per_kg=series.readings_g_per_kg[later],
    )


def by_series(rows: list[dict[str, str]]) -> dict[tuple[str, str], list[dict[str, str]]]:
    """Rows grouped by subject and occasion, blank where a study has no occasions."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault((row["subject"], row.get("occasion", "")), []).append(row)
    return groups


def body_of(row: dict[str, str]) -> Body | None:
    """The subject's measures, or None where the study does not tell them."""
    return Body.from_row(row) if row["weight_kg"] else None


def drink_of(row: dict[str, str], body: Body | None) -> Drink:
    """A row of `drinks.csv`."""
    return Drink(
        float(row["time_min"]) / 60,
        float(row.get("duration_min") or 0) / 60,
        dose_per_kg(row, body),
    )


def dose_per_kg(row: dict[str, str], body: Body | None) -> float:
    """The dose over body weight, from whichever columns the study states it in."""
    if "ethanol_g_per_kg" in row:
        return float(row["ethanol_g_per_kg"])
    if "ethanol_g" in row:
        return float(row["ethanol_g"]) / body.weight_kg
    grams = float(row["volume_ml"]) * float(row["abv_percent"]) / 100 * ETHANOL_G_PER_ML
    return grams / body.weight_kg


def reading_of(row: dict[str, str]) -> float:
    """A reading in g/kg, from whichever concentration column the study has."""
    column = reading_column(row)
    return float(row[column]) * TO_G_PER_KG[column]


def reading_column(row: dict[str, str]) -> str:
    """The column of concentrations that the study has."""
    return next(name for name in TO_G_PER_KG if name in row)


def reading_unit_g_per_kg(folder: Path) -> float:
    """The unit of a study's readings, in g/kg."""
    return TO_G_PER_KG[reading_column(read_rows(folder / "readings.csv")[0])]
