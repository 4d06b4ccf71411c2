"""The one-compartment model, in closed form and without stepping from event to event.

First-order absorption ka [1/h], zero-order elimination beta [g/kg/h] that stops at zero, doses
divided by the distribution factor r. Without the stop the concentration would be

    x(t) = absorbed(t) - beta t.

The stop makes it the reflection of x at zero (Skorokhod's problem: Harrison, Brownian Motion and
Stochastic Flow Systems, 1985, chapter 2), whose solution needs no search for crossings:

    c(t) = x(t) - min(0, min x(u) over u <= t).

x can have its running minimum at t, where a drink begins or ends, or where absorption overtakes
elimination while a drink is being taken; all three are known in closed form. Everything works for
complex parameters, whose imaginary parts carry derivatives (complex-step differentiation: Squire,
Trapp, SIAM Rev 40 (1998) 110-112).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from study_folder import Drink, Series


@dataclass(frozen=True)
class Parameters:
    """ka [1/h], beta [g/kg/h] and r [kg/kg]; complex in derivatives."""

    ka: complex
    beta: complex
    r: complex


def concentration(series: Series, parameters: Parameters) -> np.ndarray:
    """The concentration [g/kg] at the series' times."""
    origin = min(series.times_h.min(), min(drink.start_h for drink in series.drinks))
    turns = turning_times(series.drinks, parameters)
    at_readings = unstopped(series.drinks, parameters, series.times_h, origin)
    at_turns = unstopped(series.drinks, parameters, turns, origin)
    return at_readings - running_minimum(series.times_h, at_readings, turns, at_turns)


def running_minimum(
    times: np.ndarray, at_times: np.ndarray, turns: np.ndarray, at_turns: np.ndarray
) -> np.ndarray:
    """For each time the least, by real part, of 0, x there and x at every turn before."""
    past = np.where(turns <= times[:, None], at_turns, 0)
    candidates = np.column_stack([past, at_times, np.zeros_like(at_times)])
    least = candidates.real.argmin(axis=1)
    return candidates[np.arange(len(times)), least]


def unstopped(
    drinks: tuple[Drink, ...], parameters: Parameters, times: np.ndarray, origin: float
) -> np.ndarray:
    """x(t): what was absorbed less what elimination would have removed since `origin`."""
    absorbed = sum(
        drink.dose_g_per_kg / parameters.r * absorbed_fraction(drink, parameters.ka, times)
        for drink in drinks
    )
    return absorbed - parameters.beta * (times - origin)


def absorbed_fraction(drink: Drink, ka: complex, times: np.ndarray) -> np.ndarray:
    """The share of a drink that has reached the blood."""
    taking, since = split_at_end(drink, times)
    if drink.duration_h == 0:
        return -np.expm1(-ka * since)
    in_gut = -np.expm1(-ka * taking) / (ka * drink.duration_h) * np.exp(-ka * since)
    return taking / drink.duration_h - in_gut


def absorption_rate(drink: Drink, ka: complex, time: float) -> complex:
    """The slope of `absorbed_fraction` just after `time` [1/h]."""
    if time < drink.start_h:
        return 0.0
    taking, since = split_at_end(drink, time)
    if drink.duration_h == 0:
        return ka * np.exp(-ka * since)
    return -np.expm1(-ka * taking) / drink.duration_h * np.exp(-ka * since)


def split_at_end(drink: Drink, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hours of taking the drink, and hours since it was finished."""
    elapsed = times - drink.start_h
    return np.clip(elapsed, 0, drink.duration_h), np.maximum(elapsed - drink.duration_h, 0)


def turning_times(drinks: tuple[Drink, ...], parameters: Parameters) -> np.ndarray:
    """Every time at which x may have a minimum."""
    edges = sorted({edge for d in drinks for edge in (d.start_h, d.start_h + d.duration_h)})
    overtakings = [
        overtaking_time(drinks, parameters, start, end) for start, end in pairwise(edges)
    ]
    return np.array(edges + [time for time in overtakings if time is not None])


def overtaking_time(
    drinks: tuple[Drink, ...], parameters: Parameters, start: float, end: float
) -> float | None:
    """When absorption rises through beta between two neighbouring edges, if it does.

    With intake at the rate R the rate of absorption is R + (rate(start) - R) exp(-ka u). That x is
    flat there makes the derivative of this time irrelevant, so real parts suffice.
    """
    ka, beta, r = parameters.ka.real, parameters.beta.real, parameters.r.real
    intake = sum(
        drink.dose_g_per_kg / r / drink.duration_h
        for drink in drinks
        if drink.start_h <= start and end <= drink.start_h + drink.duration_h
    )
    rate = sum(drink.dose_g_per_kg / r * absorption_rate(drink, ka, start) for drink in drinks)
    if not rate < beta < intake:
        return None
    time = start + np.log((intake - rate) / (intake - beta)) / ka
    return time if time < end else None
