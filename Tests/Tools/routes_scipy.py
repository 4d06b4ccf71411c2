"""Curves of all models of elimination for doses that are drunk, injected and infused, by SciPy.

    g' = R - ka g
    c' = ka g + S - E(c),   E = beta, vmax c / (km + c) or ke c

R flows into the gut, later by the lag than it is taken, and S into the blood. Both are integrated by
DOP853 from edge to edge of the doses; under Widmark's model also from where c reaches 0 to where
ka g + S exceeds beta again. Derivatives are by complex step (Squire, Trapp, SIAM Rev 40 (1998) 110-112),
which Widmark's stop at zero does not allow; those tests take elsewhere. The closed form of the package
shares nothing with this.
"""

import sys
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp

from expectations import Row, Table, Tolerance, deliver, new_parser

RELATIVE = 1e-13
ABSOLUTE = 1e-18
STEP = 1e-30
"""The imaginary step, relative to the parameter."""

NUMBER = Tolerance(relative=1e-9, absolute=1e-14)
DERIVATIVE = Tolerance(relative=1e-8, absolute=1e-12)


@dataclass(frozen=True)
class Dose:
    """Start and duration [h], amount [g/kg of body weight] and route."""

    start_h: float
    duration_h: float
    amount: float
    is_iv: bool = False

    def text(self) -> str:
        """All in one word."""
        return f"{self.start_h}:{self.duration_h}:{self.amount}:{'iv' if self.is_iv else 'oral'}"


@dataclass(frozen=True)
class Case:
    """A regimen and parameters; complex in derivatives."""

    name: str
    model: str
    doses: tuple[Dose, ...]
    values: tuple[tuple[str, complex], ...]
    r: float = 0.7
    lag_h: float = 0.0

    def value(self, name: str) -> complex:
        """One parameter."""
        return dict(self.values)[name]


DRUNK = (Dose(0, 0, 0.6),)
EVENING = (Dose(0, 0.25, 0.2), Dose(1, 0, 0.15), Dose(1.1, 2, 0.5), Dose(6, 0.5, 0.1))
INJECTED = (Dose(0, 0, 0.5, True),)
INFUSED = (Dose(0, 0.75, 0.5, True), Dose(1.5, 2, 0.4, True))
BOTH = (Dose(0, 0.5, 0.3), Dose(0.7, 0, 0.1, True), Dose(1, 2, 0.4, True), Dose(2, 0, 0.2))
LATE = (Dose(0, 0, 0.05, True), Dose(3, 1, 0.2, True), Dose(6, 0.3, 0.3))

REGIMENS = {"injected": INJECTED, "infused": INFUSED, "both": BOTH, "late": LATE}
PARAMETERS = {
    "widmark": (("ka", 2.5), ("beta", 0.17)),
    "michaelis-menten": (("ka", 2.5), ("vmax", 0.23), ("km", 0.06)),
    "first-order": (("ka", 2.5), ("ke", 0.4)),
}
CASES = (
    *(
        Case(f"{name} {model}", model, doses, values, lag_h=0.25 if name == "both" else 0.0)
        for model, values in PARAMETERS.items()
        for name, doses in REGIMENS.items()
    ),
    *(
        Case(f"{name}, ke {ke}", "first-order", doses, (("ka", ka), ("ke", ke)), 0.62, lag)
        for name, doses, lag in (("drunk", DRUNK, 0.0), ("evening", EVENING, 0.2))
        for ka, ke in ((2.0, 0.3), (1.5, 1.5), (1.5, 1.5000001), (0.2, 3.0), (1000.0, 0.01))
    ),
)
TIMES_H = tuple(np.linspace(0.4, 10, 17).round(3).tolist())


def elimination(case: Case, blood: complex) -> complex:
    """The rate of elimination where blood is not empty."""
    match case.model:
        case "widmark":
            return case.value("beta")
        case "michaelis-menten":
            return case.value("vmax") * blood / (case.value("km") + blood)
        case _:
            return case.value("ke") * blood


def integrate(case: Case, state: np.ndarray, start: float, stop: float, intake: complex,
              infusion: complex) -> np.ndarray:
    """Gut and blood at the end of a stretch of constant input."""
    ka = case.value("ka")
    if case.model == "widmark":
        intake, infusion = intake.real, infusion.real
    longest = 2 / max(abs(ka), 1.0) if case.model != "widmark" else np.inf

    def run(slopes, state, start, events=None):
        return solve_ivp(
            slopes, (start, stop), state, "DOP853", rtol=RELATIVE, atol=ABSOLUTE, events=events,
            max_step=longest, first_step=min(stop - start, 1e-6))

    def full(_, y):
        return [intake - ka * y[0], ka * y[0] + infusion - elimination(case, y[1])]

    def empty(_, y):
        return [intake - ka * y[0], 0 * y[1]]

    if case.model != "widmark":
        return run(full, state, start).y[:, -1]

    def emptied(_, y):
        return y[1]

    def filling(_, y):
        return ka * y[0] + infusion - case.value("beta")

    emptied.terminal, emptied.direction = True, -1
    filling.terminal, filling.direction = True, 1
    state = state.real
    while start < stop:
        is_full = state[1] > 0 or filling(0, state) > 0
        found = run(full if is_full else empty, state, start, emptied if is_full else filling)
        start, state = found.t[-1], found.y[:, -1]
        if is_full and found.status == 1:
            state[1] = 0
        if not is_full and found.status == 1:
            # Past the event by a rounding error, so that it is full from here on.
            state[0] *= 1 + 1e-15
    return state.astype(complex)


def states(case: Case) -> np.ndarray:
    """Gut and blood at the times, one row each."""
    starts = [dose.start_h + (0 if dose.is_iv else case.lag_h) for dose in case.doses]
    spans = [(start, start + dose.duration_h) for dose, start in zip(case.doses, starts, strict=True)]
    stops = sorted({*(edge for span in spans for edge in span), *TIMES_H})
    state = np.zeros(2, dtype=complex)
    found = {}
    time = stops[0]
    for stop in stops:
        rates = [0j, 0j]
        for dose, (start, end) in zip(case.doses, spans, strict=True):
            if start <= time < end:
                rates[dose.is_iv] += dose.amount / case.r / dose.duration_h
        if stop > time:
            state = integrate(case, state, time, stop, *rates)
        found[stop] = state
        state = state.copy()
        for dose, (start, _) in zip(case.doses, spans, strict=True):
            if dose.duration_h == 0 and start == stop:
                state[int(dose.is_iv)] += dose.amount / case.r
        time = stop
    return np.array([found[time] for time in TIMES_H])


def derivative(case: Case, name: str) -> np.ndarray:
    """The derivatives of the concentration by one parameter."""
    value = case.value(name)
    moved = tuple((n, v + 1j * STEP * v if n == name else v) for n, v in case.values)
    return states(replace(case, values=moved))[:, 1].imag / (STEP * value)


def rows(case: Case) -> list[Row]:
    """One row per time."""
    blood = states(case)[:, 1].real
    names = [name for name, _ in case.values]
    columns = {} if case.model == "widmark" else {n: derivative(case, n) for n in names}
    return [
        {
            "case": case.name,
            "model": case.model,
            "doses": ";".join(dose.text() for dose in case.doses),
            "values": ";".join(f"{n}={v}" for n, v in (*case.values, ("r", case.r), ("lag", case.lag_h))),
            "time_h": time,
            "c_g_per_kg": float(blood[i]),
            "by_ka": float(columns["ka"][i]) if columns else "",
            "by_second": float(columns[names[1]][i]) if columns else "",
        }
        for i, time in enumerate(TIMES_H)
    ]


def main() -> int:
    """Make the table."""
    options = new_parser(__doc__.splitlines()[0]).parse_args()
    made = [row for case in CASES for row in rows(case)]
    tolerances = {"c_g_per_kg": NUMBER, "by_ka": DERIVATIVE, "by_second": DERIVATIVE}
    return deliver([Table("routes.csv", made, tolerances)], options)


if __name__ == "__main__":
    sys.exit(main())
