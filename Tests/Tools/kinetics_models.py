"""Kinetics of alcohol that were tried for priors (kinetics_tried.py): absorption, elimination, axes and covariates.

The concentration is followed in steps of two minutes that end at readings too. In each step half of what is absorbed
enters, then elimination acts, then the other half enters; with elimination at a constant rate that is exact as long
as the concentration is above zero. What is absorbed is exact for first-order and zero-order parts; a chain of
compartments is propagated by its matrix exponential.
"""

import dataclasses
import math
import sys

import numpy as np

# numba asks for the package coverage, which coverage.py beside this file would hide.
HERE = sys.path[:]
sys.path[:] = [folder for folder in HERE if not folder.endswith("Tests/Tools")]
import numba

sys.path[:] = HERE

STEP_H = 2 / 60
FIRST, ZERO_FIRST, ZERO, CHAIN, TWO_PARTS = range(5)
CONSTANT, MICHAELIS_MENTEN, TWO_COMPARTMENTS = range(3)
# 1/h at which the slow part of TWO_PARTS is absorbed.
SLOW = 0.8

# An axis is the logarithm of a parameter: the typical value that is expected and its SD, the SD of the weak prior with
# which one series is fitted, the SD between studies, people and occasions that are expected, and the effect of food.
# The first three and the lag are those of priors.py.
AXES = {
    "ka": (math.log(4), 0.7, 1.2, (0.3, 0.35, 0.35), (-0.4, 0.4)),
    "r_beta": (math.log(0.10), 0.3, 0.6, (0.08, 0.10, 0.06), (0.05, 0.1)),
    "r": (math.log(0.68), 0.3, 0.6, (0.12, 0.10, 0.08), (0.10, 0.08)),
    "lag": (math.log(5 / 60), 0.7, 1.0, (0.3, 0.4, 0.4), (0.2, 0.3)),
    # How long the stomach empties at a constant rate, in h.
    "zero": (math.log(20 / 60), 0.7, 1.0, (0.3, 0.4, 0.4), (0.2, 0.3)),
    # The mean time in the chain of compartments, in h.
    "transit": (math.log(10 / 60), 0.7, 1.0, (0.3, 0.4, 0.4), (0.2, 0.3)),
    # The part of a drink that is absorbed slowly.
    "slow": (math.log(0.2), 0.5, 1.0, (0.2, 0.4, 0.3), (0.2, 0.3)),
    # Norberg 2003: K_m of alcohol dehydrogenase 0.05 to 0.1 g/L; Norberg 2000, venous blood: V_C 14.5 of 35.8 L, CL_d
    # 809 mL/min.
    "km": (math.log(0.05), 0.5, 0.8, (0.1, 0.3, 0.2), None),
    "central": (math.log(0.41), 0.2, 0.4, (0.05, 0.15, 0.1), None),
    "exchange": (math.log(1.36), 0.4, 0.5, (0.1, 0.25, 0.15), None),
    # Those of made-up people, in units of their own.
    "made ka": (math.log(10), 1.0, 1.2, (0.02, 0.3, 0.02), None),
    "made r_beta": (math.log(50), 1.0, 1.2, (0.02, 0.3, 0.02), None),
    "made r": (math.log(1.2), 0.7, 0.7, (0.02, 0.3, 0.02), None),
    "made lag": (math.log(0.005), 0.3, 0.3, (0.02, 0.1, 0.02), None),
    "made km": (math.log(200), 1.0, 1.0, (0.02, 0.3, 0.02), None),
    "made central": (math.log(0.5), 0.3, 0.4, (0.02, 0.2, 0.02), None),
    "made exchange": (math.log(0.4), 1.0, 1.0, (0.02, 0.3, 0.02), None),
}
SEX = {"r_beta": (0.0, 0.1), "r": (-0.15, 0.15)}
# A dose is counted as the logarithm of its ratio to 0.5 g/kg.
DOSE = {"ka": (-0.3, 0.4), "r_beta": (0.0, 0.15), "r": (0.0, 0.15)}
USUAL = 0.6


@dataclasses.dataclass(frozen=True)
class Kinetics:
    name: str
    absorption: int = FIRST
    elimination: int = CONSTANT
    stages: int = 0
    fourth: str = "lag"
    more: tuple = ()
    food: tuple = ("ka", "r_beta", "r", "lag", "zero", "transit", "slow")
    sex: tuple = ("r_beta", "r")
    dose: tuple = ()
    seed: int = 1
    of: str = ""

    @property
    def axes(self):
        return tuple(self.of + axis for axis in ("ka", "r_beta", "r", self.fourth) + self.more)

    def effects(self):
        """Axis, what multiplies it, and the normal prior of the effect."""
        own = [(i, None, *AXES[axis][:2]) for i, axis in enumerate(self.axes)]
        for i, axis in enumerate(self.axes):
            if axis in self.food and AXES[axis][4]:
                own.append((i, "fed", *AXES[axis][4]))
            if axis in self.sex:
                own.append((i, "female", *SEX.get(axis, (0.0, 0.2))))
            if axis in self.dose:
                own.append((i, "dose", *DOSE[axis]))
        return own

    def offset(self):
        """ln of V_max over the rate at usual concentrations."""
        return math.log1p(math.exp(AXES["km"][0]) / USUAL) if "km" in self.axes else 0.0

    def parameters(self, x):
        """k_a, beta (V_max), r, the fourth, and up to three more, of points on the axes."""
        x = np.clip(np.atleast_2d(x), -8, 5)
        p = np.ones((len(x), 7))
        p[:, :x.shape[1]] = np.exp(x)
        p[:, 0] = np.minimum(p[:, 0], 60)
        p[:, 1] /= p[:, 2]
        return p

    def follow(self, x, times, doses):
        """Concentrations in g/kg, and what has been drunk and not yet absorbed, at rising times, of points x."""
        starts, lengths, amounts = (np.array(column, float) for column in zip(*doses))
        return followed(self.absorption, self.elimination, self.stages, self.parameters(x), np.asarray(times, float),
                        starts, lengths, amounts)


# What is tried. The first is what ships; the next say what its covariates bring.
TRIED = [
    Kinetics("first order (ships)"),
    Kinetics("first order, other random numbers", seed=2),
    Kinetics("no covariates", food=(), sex=()),
    Kinetics("food on k_a and lag alone", food=("ka", "lag")),
    Kinetics("no sex", sex=()),
    Kinetics("sex on k_a too", sex=("r_beta", "r", "ka")),
    Kinetics("dose on k_a", dose=("ka",)),
    Kinetics("dose on F", dose=("r",)),
    Kinetics("dose on k_a, F, beta", dose=("ka", "r_beta", "r")),
    Kinetics("zero, then first order", ZERO_FIRST, fourth="zero"),
    Kinetics("zero order", ZERO),
    Kinetics("transit, 1 stage", CHAIN, stages=1, fourth="transit"),
    Kinetics("transit, 4 stages", CHAIN, stages=4, fourth="transit"),
    Kinetics("fast and slow part", TWO_PARTS, more=("slow",)),
    Kinetics("Michaelis-Menten", elimination=MICHAELIS_MENTEN, more=("km",)),
    Kinetics("two compartments, M.-M.", elimination=TWO_COMPARTMENTS, more=("km", "central", "exchange")),
    Kinetics("transit 4, M.-M.", CHAIN, MICHAELIS_MENTEN, 4, "transit", ("km",)),
    Kinetics("zero-first, M.-M.", ZERO_FIRST, MICHAELIS_MENTEN, fourth="zero", more=("km",)),
    Kinetics("food on k_a and lag alone, M.-M.", elimination=MICHAELIS_MENTEN, more=("km",), food=("ka", "lag")),
]

# For made-up people of two compartments with Michaelis-Menten elimination.
TRIED_ON_MADE_UP = [
    Kinetics("constant rate", of="made "),
    Kinetics("Michaelis-Menten", elimination=MICHAELIS_MENTEN, more=("km",), of="made "),
    Kinetics("two compartments, M.-M.", elimination=TWO_COMPARTMENTS, more=("km", "central", "exchange"), of="made "),
]


@numba.njit
def first_order(tau, length, ka):
    """The part of a dose that is absorbed tau after it began to enter, for as long as length."""
    if tau <= 0:
        return 0.0
    if length <= 0:
        return 1 - math.exp(-ka * tau)
    entered = min(tau, length)
    gut = (1 - math.exp(-ka * entered)) / ka / length * math.exp(-ka * (tau - entered))
    return entered / length - gut


@numba.njit
def chain(stages, rate, ka, count):
    """The part of a bolus that is absorbed at every step, through stages of one rate and the gut."""
    size = stages + 2
    step = np.zeros((size, size))
    for i in range(stages):
        step[i, i] -= rate * STEP_H
        step[i + 1, i] += rate * STEP_H
    step[stages, stages] -= ka * STEP_H
    step[stages + 1, stages] += ka * STEP_H
    halvings = max(0, math.ceil(math.log(2 * max(rate, ka) * STEP_H + 1e-9) / math.log(2.0)) + 2)
    step /= 2.0**halvings
    whole = np.eye(size)
    term = np.eye(size)
    for order in range(1, 9):
        term = term @ step / order
        whole = whole + term
    for _ in range(halvings):
        whole = whole @ whole
    state = np.zeros(size)
    state[0] = 1.0
    absorbed = np.zeros(count)
    for k in range(1, count):
        # From the end, since a stage receives only from those before it.
        for i in range(size - 1, -1, -1):
            total = 0.0
            for j in range(i + 1):
                total += whole[i, j] * state[j]
            state[i] = total
        absorbed[k] = state[size - 1]
    return absorbed


@numba.njit
def from_table(table, tau):
    place = tau / STEP_H
    k = int(place)
    if tau <= 0:
        return 0.0
    if k + 1 >= len(table):
        return table[-1]
    return table[k] + (place - k) * (table[k + 1] - table[k])


@numba.njit
def part(absorption, tau, length, p, table):
    """The part of a drink that is absorbed tau after it began."""
    if absorption == 1:
        return first_order(tau, length + p[3], p[0])
    if absorption == 2:
        own = tau - p[3]
        return min(max(own, 0.0) / (length + 1 / p[0]), 1.0)
    if absorption == 3:
        pieces = int(math.ceil(length / STEP_H))
        if pieces == 0:
            return from_table(table, tau)
        total = 0.0
        for i in range(pieces):
            total += from_table(table, tau - length * (i + 0.5) / pieces)
        return total / pieces
    if absorption == 4:
        share = min(p[4], 0.9)
        return ((1 - share) * first_order(tau - p[3], length, p[0])
                + share * first_order(tau - p[3], length, SLOW))
    return first_order(tau - p[3], length, p[0])


@numba.njit
def eliminated(elimination, p, c, other, dt):
    """The concentrations after dt, without absorption."""
    if elimination == 0:
        return max(0.0, c - p[1] * dt), other
    km = p[4]
    if elimination == 1:
        k1 = p[1] * c / (km + c)
        c2 = max(0.0, c - dt / 2 * k1)
        k2 = p[1] * c2 / (km + c2)
        c3 = max(0.0, c - dt / 2 * k2)
        k3 = p[1] * c3 / (km + c3)
        c4 = max(0.0, c - dt * k3)
        k4 = p[1] * c4 / (km + c4)
        return max(0.0, c - dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)), other
    central = min(p[5], 0.95)
    out, back = p[6] / central, p[6] / (1 - central)
    top = p[1] / central
    a1 = -top * c / (km + c) - out * (c - other)
    b1 = back * (c - other)
    u, v = max(0.0, c + dt / 2 * a1), other + dt / 2 * b1
    a2 = -top * u / (km + u) - out * (u - v)
    b2 = back * (u - v)
    u, v = max(0.0, c + dt / 2 * a2), other + dt / 2 * b2
    a3 = -top * u / (km + u) - out * (u - v)
    b3 = back * (u - v)
    u, v = max(0.0, c + dt * a3), other + dt * b3
    a4 = -top * u / (km + u) - out * (u - v)
    b4 = back * (u - v)
    return (max(0.0, c + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)),
            max(0.0, other + dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4)))


@numba.njit
def followed(absorption, elimination, stages, points, times, starts, lengths, amounts):
    count = len(times)
    levels = np.zeros((len(points), count))
    waiting = np.zeros((len(points), count))
    begin = starts.min()
    table = np.zeros(1)
    for d in range(len(points)):
        p = points[d]
        if absorption == 3:
            table = chain(stages, stages / p[3], p[0], int((times[-1] - begin) / STEP_H) + 2)
        share = min(p[5], 0.95) if elimination == 2 else 1.0
        first = begin + (p[3] if absorption == 0 or absorption == 2 or absorption == 4 else 0.0)
        now, c, other, before = first, 0.0, 0.0, 0.0
        for k in range(count):
            if times[k] <= begin:
                continue
            # Eliminated is nothing before the first of it is absorbed, which may be in the middle of a step.
            if times[k] > first:
                steps = max(1, int(math.ceil((times[k] - now) / STEP_H - 1e-9)))
                dt = (times[k] - now) / steps
                for s in range(steps):
                    at = now + (s + 1) * dt
                    absorbed = 0.0
                    for i in range(len(starts)):
                        if at > starts[i]:
                            absorbed += amounts[i] * part(absorption, at - starts[i], lengths[i], p, table)
                    entered = (absorbed - before) / p[2] / share
                    before = absorbed
                    if elimination == 0:
                        c, other = eliminated(elimination, p, c + entered, other, dt)
                    else:
                        c, other = eliminated(elimination, p, c + entered / 2, other, dt)
                        c += entered / 2
                now = times[k]
            drunk = 0.0
            for i in range(len(starts)):
                if times[k] > starts[i]:
                    drunk += amounts[i] * (min((times[k] - starts[i]) / lengths[i], 1.0) if lengths[i] > 0 else 1.0)
            levels[d, k] = c
            waiting[d, k] = max(0.0, drunk - before) / p[2]
    return levels, waiting
