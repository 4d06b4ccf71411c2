"""The r factors of five methods from body measures, each from its publication.

Height in metres, weight in kg, age in years.

- Widmark, Die theoretischen Grundlagen und die praktische Verwendbarkeit der
  gerichtlich-medizinischen Alkoholbestimmung (1932).
- Watson, Watson, Batt, Am J Clin Nutr 33 (1980) 27-39.
- Forrest, J Forensic Sci Soc 26 (1986) 249-252.
- Seidl, Jensen, Alt, Int J Legal Med 114 (2000) 71-77.
- Ulrich, Cramer, Zink, Blutalkohol 24 (1987) 192-198; men only.
"""

from dataclasses import dataclass

WATER_PER_LITRE_OF_BLOOD = 0.844
"""B = 0.80 x 1.055: the constant that turns Watson's litres of body water into r."""


@dataclass(frozen=True)
class Body:
    """What the formulas need to know of a person."""

    sex: str
    age_y: float
    height_m: float
    weight_kg: float

    @classmethod
    def from_row(cls, row: dict[str, str]) -> "Body":
        """A row of `subjects.csv`."""
        return cls(
            row["sex"], float(row["age_y"]), float(row["height_cm"]) / 100, float(row["weight_kg"])
        )

    @property
    def is_male(self) -> bool:
        """Whether the men's formula applies."""
        return self.sex == "male"


def widmark(body: Body) -> float:
    """The mean r of each sex."""
    return 0.68 if body.is_male else 0.55


def watson(body: Body) -> float:
    """Total body water over B times weight."""
    if body.is_male:
        water = 2.447 - 0.09516 * body.age_y + 10.74 * body.height_m + 0.3362 * body.weight_kg
    else:
        water = -2.097 + 10.69 * body.height_m + 0.2466 * body.weight_kg
    return water / (WATER_PER_LITRE_OF_BLOOD * body.weight_kg)


def forrest(body: Body) -> float:
    """From the body mass index."""
    body_mass_index = body.weight_kg / body.height_m**2
    if body.is_male:
        return 1.0178 - 0.012127 * body_mass_index
    return 0.8736 - 0.0124 * body_mass_index


def seidl(body: Body) -> float:
    """From height and weight."""
    if body.is_male:
        return 0.31608 - 0.004821 * body.weight_kg + 0.4632 * body.height_m
    return 0.31223 - 0.006446 * body.weight_kg + 0.4466 * body.height_m


def ulrich(body: Body) -> float | None:
    """From height and weight; None for women, who have no formula."""
    if body.is_male:
        return 0.715 - 0.00462 * body.weight_kg + 0.22 * body.height_m
    return None


METHODS = {
    "widmark": widmark,
    "watson": watson,
    "forrest": forrest,
    "seidl": seidl,
    "ulrich": ulrich,
}
"""The methods by name, in the order tables show them."""
