"""Fit the one-compartment model with SciPy to the measured series beside the checkout.

Parameters are the logarithms of ka, beta and r, unbounded; residuals are additive and unweighted,
in g/kg, readings of zero after the first drink taken at face value. The stop at zero makes local
minima, so each series is fitted from many quasi-random starts with two algorithms, the best is
polished, and a simplex search around it must find nothing lower. `rss_next_minimum` is the next
higher local minimum that was met, if any.

Standard errors are those of the linearised model at the minimum: the square roots of the diagonal
of s^2 (J'J)^-1 with s^2 = rss / (n - p), for the logarithms, times the estimate (Bates, Watts,
Nonlinear Regression Analysis, 1988, section 2.3). J is by complex-step differentiation.

The sum of squares may have no minimum but fall all the way to a limit of the model, and then the
limit is what is written, with the standard errors that still exist:

- ka -> infinity, absorption at once: ka is inf, and `rss_ka_infinite` the sum of squares;
- ka -> 0, beta -> infinity, r -> 0, absorption and elimination that nearly cancel, where the curve
  of one bolus becomes a parabola (see `SlowLimit`): ka is 0, beta inf, r 0, and `rss_ka_zero` the
  sum of squares; it does not exist for r fixed or several drinks.
"""

import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from expectations import REPOSITORY, Row, Table, Tolerance, deliver, new_parser, text
from fitting import (
    METHODS,
    SAME_RSS,
    Minimum,
    Problem,
    lowest_minimum,
    next_minimum,
    polish,
    reached,
    search_minima,
    standard_errors,
)
from one_compartment import Parameters, concentration
from r_factors import watson
from study_folder import Series, after_first_drink, read_study

INSTANT_KA = 1e9
"""Absorption [1/h] that is over, to the last bit, a second after the drink."""

STUDIES = (
    "wilkinson-1977-oral",
    "hip-flask",
    "mumenthaler-2000-individual",
    "thierauf-emberger-2023",
)

ESTIMATES = Tolerance(relative=1e-6)
COLUMN_TOLERANCES = {
    "ka_per_h": ESTIMATES,
    "beta_g_per_kg_h": ESTIMATES,
    "r": ESTIMATES,
    "rss": Tolerance(relative=1e-9),
    "ka_se": Tolerance(relative=1e-5),
    "beta_se": Tolerance(relative=1e-5),
    "r_se": Tolerance(relative=1e-5),
    "rss_ka_infinite": Tolerance(relative=1e-7),
    "rss_ka_zero": Tolerance(relative=1e-7),
}

FOUND_BY_CHANCE = frozenset({"rss_next_minimum", "starts_reached"})
"""Columns that depend on which descents went where."""


@dataclass(frozen=True)
class OneCompartment(Problem):
    """The model, with some of its parameters fixed or none."""

    fixed: dict[str, float] = field(default_factory=dict)

    @property
    def start_box(self) -> dict[str, tuple[float, float]]:
        """Wide about everything that is plausible."""
        box = {"ka": (0.2, 200.0), "beta": (0.01, 1.0), "r": (0.1, 3.0)}
        return {name: box[name] for name in box if name not in self.fixed}

    def curve(self, logs: np.ndarray) -> np.ndarray:
        """The model at the readings."""
        return concentration(self.series, self.parameters(logs))

    def parameters(self, logs: np.ndarray) -> Parameters:
        """All three parameters from the logarithms of the free ones."""
        return Parameters(**dict(zip(self.start_box, np.exp(logs))), **self.fixed)


@dataclass(frozen=True)
class SlowLimit(Problem):
    """The model of one bolus s for ka -> 0 with s ka - beta and s ka^2 held.

    Then s (1 - exp(-ka t)) - beta t, expanded in ka t, is (s ka - beta) t - s ka^2 t^2 / 2.
    """

    @property
    def start_box(self) -> dict[str, tuple[float, float]]:
        """Wide about what single drinks give."""
        return {"rise_g_per_kg_h": (0.01, 10.0), "bend_g_per_kg_h2": (0.01, 10.0)}

    def curve(self, logs: np.ndarray) -> np.ndarray:
        """The parabola, from the drink to where it comes down to zero."""
        rise, bend = np.exp(logs)
        elapsed = np.maximum(self.series.times_h - self.series.drinks[0].start_h, 0)
        free = rise * elapsed - bend * elapsed**2
        return np.where(free.real > 0, free, 0)


def fit(problem: OneCompartment, count: int) -> Row:
    """One row of the table of estimates."""
    minima = search_minima(problem, count)
    instant = OneCompartment(problem.series, problem.fixed | {"ka": INSTANT_KA})
    instant_limit = lowest_minimum(instant, count)
    slow_limit = slow_limit_of(problem, count)
    limits = [limit.rss for limit in (instant_limit, slow_limit) if limit]
    if minima[0].rss * (1 + SAME_RSS) < min(limits):
        estimates = estimates_of(problem, polish(problem, minima[0]))
    elif min(limits) == instant_limit.rss:
        estimates = estimates_of(instant, instant_limit) | {"ka_per_h": np.inf}
    else:
        estimates = estimates_at_slow_limit(slow_limit)
    row = {
        "subject": problem.series.subject,
        "occasion": problem.series.occasion,
        "n": len(problem.series.times_h),
        **estimates,
        "rss_next_minimum": next_minimum(problem, minima, estimates["rss"]),
        "rss_ka_infinite": instant_limit.rss,
        "rss_ka_zero": slow_limit.rss if slow_limit else None,
        "starts_reached": reached(minima, estimates["rss"]),
        "starts": count * len(METHODS),
    }
    print(*(text(value) for value in row.values()), sep=",", file=sys.stderr)
    return row


def slow_limit_of(problem: OneCompartment, count: int) -> Minimum | None:
    """The fit of the slow limit, where the problem has one."""
    drinks = problem.series.drinks
    if problem.fixed or len(drinks) > 1 or drinks[0].duration_h > 0:
        return None
    return lowest_minimum(SlowLimit(problem.series), count)


def estimates_of(problem: OneCompartment, minimum: Minimum) -> Row:
    """Estimates and standard errors at a minimum."""
    parameters = problem.parameters(minimum.logs)
    errors = standard_errors(problem, minimum.logs)
    return {
        "ka_per_h": parameters.ka,
        "beta_g_per_kg_h": parameters.beta,
        "r": parameters.r,
        "rss": minimum.rss,
        "ka_se": errors.get("ka"),
        "beta_se": errors.get("beta"),
        "r_se": errors.get("r"),
    }


def estimates_at_slow_limit(minimum: Minimum) -> Row:
    """What the estimates tend to at the slow limit."""
    return {
        "ka_per_h": 0.0,
        "beta_g_per_kg_h": np.inf,
        "r": 0.0,
        "rss": minimum.rss,
        "ka_se": None,
        "beta_se": None,
        "r_se": None,
    }


def nothing(_: Series) -> dict[str, float]:
    """No parameter is fixed."""
    return {}


def r_by_watson(series: Series) -> dict[str, float]:
    """r is fixed at Watson's."""
    return {"r": watson(series.body)}


def fit_all(
    name: str, options: Namespace, fixed: Callable[[Series], dict[str, float]], suffix: str = ""
) -> Table:
    """The table of one study."""
    print(f"{name}{suffix}", file=sys.stderr)
    series = [after_first_drink(one) for one in read_study(options.data / name)]
    rows = [fit(OneCompartment(one, fixed(one)), options.starts) for one in series]
    return Table(f"{name}{suffix}.csv", rows, COLUMN_TOLERANCES, FOUND_BY_CHANCE)


def main() -> int:
    """Fit the studies that were asked for."""
    parser = new_parser(__doc__.splitlines()[0])
    parser.add_argument("studies", nargs="*", default=STUDIES, help="default: all four")
    parser.add_argument(
        "--data", type=Path, default=REPOSITORY / "../shared/data", help="folder of the studies"
    )
    parser.add_argument("--starts", type=int, default=64, help="per algorithm, a power of two")
    options = parser.parse_args()
    tables = [fit_all(name, options, nothing) for name in options.studies]
    if "wilkinson-1977-oral" in options.studies:
        tables.append(fit_all("wilkinson-1977-oral", options, r_by_watson, "-ka-beta"))
    return deliver(tables, options)


if __name__ == "__main__":
    sys.exit(main())
