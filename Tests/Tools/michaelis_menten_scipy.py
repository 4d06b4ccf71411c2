"""Curves and sensitivities of the model with Michaelis-Menten elimination, integrated by SciPy.

    g' = R - ka g
    c' = ka g - vmax c / (km + c)

Gut g and blood c are both integrated, from edge to edge of the doses, by the explicit method DOP853
of Dormand and Prince; the package knows g in closed form and integrates c by an implicit method. The
derivatives by ka, vmax, km and a factor on all doses are by complex step (Squire, Trapp, SIAM Rev 40
(1998) 110-112); the one by the lag is -c'.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp

from expectations import Row, Table, Tolerance, deliver, new_parser

RELATIVE = 1e-13
ABSOLUTE = 1e-18
"""What DOP853 is asked for."""

LONGEST = 2.0
"""The longest step, in time constants of the fastest process. DOP853 does not see the errors of the
imaginary parts, and at the limit of its stability these are not small."""

STEP = 1e-30
"""The imaginary step, relative to the parameter."""

NUMBER = Tolerance(relative=1e-10, absolute=1e-15)
DERIVATIVE = Tolerance(relative=1e-9, absolute=1e-13)


@dataclass(frozen=True)
class Dose:
    """Start and duration [h] and amount [g/kg of body weight]."""

    start_h: float
    duration_h: float
    amount: float

    def text(self) -> str:
        """The three numbers in one word."""
        return f"{self.start_h}:{self.duration_h}:{self.amount}"


@dataclass(frozen=True)
class Case:
    """A regimen and parameters; complex in derivatives."""

    name: str
    doses: tuple[Dose, ...]
    ka: complex
    vmax: complex
    km: complex
    r: float = 0.7
    lag_h: float = 0.0
    absorbed: float = 1.0
    scale: complex = 1.0


ONE = (Dose(0, 0, 0.6),)
EVENING = (Dose(0, 0.25, 0.2), Dose(1, 0, 0.15), Dose(1.1, 2, 0.5), Dose(6, 0.5, 0.1))

CASES = (
    Case("typical", ONE, 2.0, 0.2, 0.05),
    Case("slow absorption", ONE, 0.3, 0.2, 0.05),
    Case("fast absorption", ONE, 20.0, 0.2, 0.05),
    Case("instant absorption", ONE, 1000.0, 0.2, 0.05),
    Case("small km", ONE, 2.0, 0.2, 1e-3),
    Case("stiff", ONE, 2.0, 0.2, 1e-4),
    Case("always below km", ONE, 2.0, 0.5, 3.0),
    Case("never above elimination", ONE, 0.3, 0.6, 0.01),
    Case("evening", EVENING, 2.5, 0.23, 0.06, 0.62, 0.2, 0.9),
    Case("stiff evening", EVENING, 6.0, 0.18, 5e-4, 0.55, 0.1, 0.8),
)
TIMES_H = tuple(np.linspace(0.4, 10, 17).round(3).tolist())


def slopes(time: float, state: np.ndarray, case: Case, intake: complex) -> list[complex]:
    """The right-hand side of the equations."""
    gut, blood = state
    absorption = case.ka * gut
    return [intake - absorption, absorption - case.vmax * blood / (case.km + blood)]


def states(case: Case) -> np.ndarray:
    """Gut and blood at the times, one row each."""
    per_dose = case.scale * case.absorbed / case.r
    starts = [dose.start_h + case.lag_h for dose in case.doses]
    ends = [start + dose.duration_h for start, dose in zip(starts, case.doses, strict=True)]
    stops = sorted({*starts, *ends, *TIMES_H})
    state = np.zeros(2, dtype=complex)
    found = {}
    time = stops[0]
    longest = LONGEST / max(case.ka.real, (case.vmax / case.km).real)
    for stop in stops:
        intake = per_dose * sum(
            dose.amount / dose.duration_h
            for dose, start, end in zip(case.doses, starts, ends, strict=True)
            if start <= time < end
        )
        if stop > time:
            state = solve_ivp(
                slopes, (time, stop), state, "DOP853", args=(case, intake), rtol=RELATIVE,
                atol=ABSOLUTE, max_step=longest, first_step=min(stop - time, 1e-6),
            ).y[:, -1]
        found[stop] = state
        state = state.copy()
        state[0] += per_dose * sum(
            dose.amount
            for dose, start in zip(case.doses, starts, strict=True)
            if dose.duration_h == 0 and start == stop
        )
        time = stop
    return np.array([found[time] for time in TIMES_H])


def derivative(case: Case, name: str) -> np.ndarray:
    """The derivatives of the concentration by one parameter."""
    value = getattr(case, name)
    step = STEP * value
    return states(replace(case, **{name: value + 1j * step}))[:, 1].imag / step


def rows(case: Case) -> list[Row]:
    """One row per time."""
    columns: dict[str, Callable[[], np.ndarray]] = {
        f"by_{name}": lambda name=name: derivative(case, name)
        for name in ("ka", "vmax", "km", "scale")
    }
    values = {name: compute() for name, compute in columns.items()}
    plain = states(case).real
    lags = [-slopes(0, state, case, 0)[1] for state in plain]
    return [
        {
            "case": case.name,
            "doses": ";".join(dose.text() for dose in case.doses),
            "ka_per_h": case.ka,
            "vmax_g_per_kg_h": case.vmax,
            "km_g_per_kg": case.km,
            "r": case.r,
            "lag_h": case.lag_h,
            "absorbed_fraction": case.absorbed,
            "time_h": time,
            "c_g_per_kg": float(plain[i, 1]),
            **{name: float(column[i]) for name, column in values.items()},
            "by_lag": float(lags[i]),
        }
        for i, time in enumerate(TIMES_H)
    ]


def main() -> int:
    """Make the table."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    made = [row for case in CASES for row in rows(case)]
    derivatives = ("by_ka", "by_vmax", "by_km", "by_scale", "by_lag")
    tolerances = {"c_g_per_kg": NUMBER, **dict.fromkeys(derivatives, DERIVATIVE)}
    return deliver([Table("michaelis-menten.csv", made, tolerances)], options)


if __name__ == "__main__":
    sys.exit(main())
