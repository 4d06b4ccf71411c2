#!/usr/bin/env python3
"""Holds the curves of kinetics_models.py to SciPy's solve_ivp: every kinetics that was tried, people and drinks.

kinetics_models.py takes steps of two minutes between which absorption and elimination act in turn, and tables of what a
chain absorbs. Here all compartments are differential equations, integrated together by LSODA from edge to edge of the
drinks with a relative tolerance of 1e-9. Elimination at a constant rate is that of Michaelis and Menten with a
K_m of 1e-5 g/kg, which differs by less than 1e-4 g/kg.

Concentrations, and what is not yet absorbed, must agree within LARGEST g/kg, a seventh of the error of a reading in the priors.
"""

import sys

import kinetics_models as models
import numpy as np
from scipy.integrate import solve_ivp

LARGEST = 3e-3
DRINKS = [
    [(0.0, 0.0, 0.7)],
    [(0.0, 0.25, 0.4), (1.0, 0.5, 0.3)],
    [(0.0, 0.0, 0.15)],
]
# Typical people, and one SD to either side on every axis in turn with the next.
SHIFTS = [0.0, 0.35, -0.35]


def integrated(kinetics, p, times, doses):
    """Concentrations and what is drunk and not yet absorbed, by differential equations."""
    ka, beta, r, fourth = p[:4]
    absorption, elimination = kinetics.absorption, kinetics.elimination
    km = p[4] if elimination != models.CONSTANT else 1e-5
    central, exchange = (min(p[5], 0.95), p[6]) if elimination == models.TWO_COMPARTMENTS else (1.0, 0.0)
    lag = fourth if absorption in (models.FIRST, models.ZERO, models.TWO_PARTS) else 0.0
    # Where a drink enters, from when to when, and how fast.
    inputs = []
    for start, length, amount in doses:
        if absorption == models.ZERO_FIRST:
            length = length + fourth
        if absorption == models.ZERO:
            length = length + 1 / ka
        inputs.append((start + lag, length, amount))
    stages = kinetics.stages if absorption == models.CHAIN else 0
    slow = min(p[4], 0.9) if absorption == models.TWO_PARTS else 0.0
    # The state: stages of a chain, gut, its slow part, blood, the rest of the body.
    gut = stages
    blood = gut + 2

    def change(t, y, rate):
        d = np.zeros_like(y)
        flow = rate
        for stage in range(stages):
            d[stage] = flow - stages / fourth * y[stage]
            flow = stages / fourth * y[stage]
        if absorption == models.ZERO:
            absorbed = flow
        else:
            d[gut] = (1 - slow) * flow - ka * y[gut]
            d[gut + 1] = slow * flow - models.SLOW * y[gut + 1]
            absorbed = ka * y[gut] + models.SLOW * y[gut + 1]
        c, other = max(y[blood], 0.0), y[blood + 1]
        d[blood] = (absorbed / r - beta * c / (km + c) - exchange * (c - other)) / central
        d[blood + 1] = exchange * (c - other) / (1 - central) if central < 1 else 0.0
        return d

    edges = sorted({edge for start, length, _ in inputs for edge in (start, start + length)} | {0.0, times[-1] + 1})
    y = np.zeros(blood + 2)
    levels, held = np.zeros(len(times)), np.zeros(len(times))
    for begin, end in zip(edges, edges[1:]):
        for start, length, amount in inputs:
            if length == 0 and start == begin:
                if stages:
                    y[0] += amount
                else:
                    y[gut] += (1 - slow) * amount
                    y[gut + 1] += slow * amount
        rate = sum(amount / length for start, length, amount in inputs
                   if length > 0 and start <= begin + 1e-12 < start + length)
        found = solve_ivp(change, (begin, end), y, "LSODA", args=(rate,), rtol=1e-9, atol=1e-11, dense_output=True)
        assert found.success, found.message
        inside = (times > begin) & (times <= end)
        at = found.sol(times[inside])
        levels[inside] = at[blood]
        held[inside] = at[:blood].sum(0)
        y = np.maximum(found.y[:, -1], 0)
    # What has been drunk and has not entered yet waits, too.
    for (start, length, amount), (entry, lasting, _) in zip(doses, inputs):
        drunk = np.clip((times - start) / length, 0, 1) if length > 0 else (times > start) * 1.0
        entered = np.clip((times - entry) / lasting, 0, 1) if lasting > 0 else (times > entry) * 1.0
        held += amount * np.maximum(drunk - entered, 0)
    return levels, held / r


def main():
    times = np.concatenate([np.arange(1, 60, 7) / 60, np.arange(65, 600, 19) / 60])
    failed = False
    # Those that differ in covariates have the same curves.
    distinct = {(one.absorption, one.elimination, one.stages): one for one in reversed(models.TRIED)}
    for kinetics in reversed(distinct.values()):
        worst = [0.0, 0.0]
        center = np.array([models.AXES[axis][0] for axis in kinetics.axes])
        for place, shift in enumerate(SHIFTS):
            x = center + shift * (-1.0) ** (np.arange(len(center)) + place)
            for doses in DRINKS:
                own = kinetics.follow(x, times, doses)
                for i, there in enumerate(integrated(kinetics, kinetics.parameters(x)[0], times, doses)):
                    worst[i] = max(worst[i], abs(own[i][0] - there).max())
        print(f"{kinetics.name}: {worst[0]:.1e} g/kg, unabsorbed {worst[1]:.1e} g/kg")
        failed |= max(worst) > LARGEST
    if failed:
        sys.exit(f"a curve is farther than {LARGEST} g/kg from the integration")


if __name__ == "__main__":
    main()
