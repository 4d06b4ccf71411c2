"""Least squares of the one-compartment model through a series of one bolus, by value of a parameter.

A curve that stops at zero makes several minima, and a descent finds the one it falls into. Here none
descends. After one bolus at the time 0 the curve without the stop,

    u(t) = s D (1 - exp(-ka t)) - beta t,   s = 1/r,

is concave and begins at 0, so that max(0, u) is the curve with it. For given ka, u is linear in s and in
beta, and the sum of squares by either is a parabola between any two of the values at which u reaches
zero at a reading. The lowest of a few parabolas on their pieces is exactly the least (the separation of
what is linear is Golub and Pereyra's, SIAM J Numer Anal 10 (1973) 413-432). What is left is a search
over one parameter, on a grid across all of its range.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from study_folder import Series

BOUNDS = {"ka": (1e-3, 1e3), "beta": (1e-3, 10.0), "r": (1e-2, 10.0)}
"""Where the command looks: `FitParameter.defaultBounds`."""

NAMES = tuple(BOUNDS)

SEARCHED = {"ka": "beta", "beta": "ka", "r": "ka"}
"""Which parameter the grid is about while another is held; the third is solved for."""

GRID = 1000
"""Points of the grid."""

FOLLOWED = 8
"""The lowest points of the grid between neighbours that are followed, of all its local minima."""

ZOOM = 21
"""Points of a finer grid about such a point."""

ZOOMS = 8
"""How often the grid becomes ten times finer: a step of 1e-2 ends at 1e-10."""


@dataclass(frozen=True)
class Point:
    """All three parameters, and the sum of squares."""

    values: dict[str, float]
    rss: float

    def at_bounds(self, bounds: dict[str, tuple[float, float]]) -> set[tuple[str, int]]:
        """The parameters that stand at a bound, with the side of it."""
        return {
            (name, side)
            for name, ends in bounds.items()
            for side, end in zip((-1, 1), ends)
            if np.isclose(self.values[name], end, rtol=1e-7, atol=0)
        }


@dataclass(frozen=True)
class OneBolus:
    """A series of one bolus at the time 0."""

    series: Series

    @cached_property
    def after(self) -> np.ndarray:
        """Which readings come after the drink: before it the curve is zero."""
        return self.series.times_h > 0

    @cached_property
    def times(self) -> np.ndarray:
        """When the readings after the drink were taken [h]."""
        return self.series.times_h[self.after]

    @cached_property
    def readings(self) -> np.ndarray:
        """What they show [g/kg]."""
        return self.series.readings_g_per_kg[self.after]

    @cached_property
    def rss_before(self) -> float:
        """What readings before the drink add to every sum of squares."""
        return float(np.sum(self.series.readings_g_per_kg[~self.after] ** 2))

    @cached_property
    def dose(self) -> float:
        """The ethanol per kg of body weight [g/kg]."""
        (drink,) = self.series.drinks
        if drink.start_h != 0 or drink.duration_h != 0:
            raise ValueError("not a bolus at the time 0")
        return drink.dose_g_per_kg

    def best(
        self, held: dict[str, float], bounds: dict[str, tuple[float, float]] = BOUNDS
    ) -> Point:
        """The least sum of squares with one parameter held, within the bounds of the others."""
        ((name, value),) = held.items()
        searched = SEARCHED[name]
        low, high = np.log(bounds[searched])
        grid = np.linspace(low, high, GRID)
        rss = self.solve(held, searched, grid, bounds)[0]
        edges = np.concatenate([[np.inf], rss, [np.inf]])
        lowest = np.flatnonzero((rss <= edges[:-2]) & (rss <= edges[2:]))
        centers = grid[lowest[np.argsort(rss[lowest])[:FOLLOWED]]]
        step = grid[1] - grid[0]
        for _ in range(ZOOMS):
            offsets = np.linspace(-step, step, ZOOM)
            finer = np.clip(centers[:, None] + offsets, low, high)
            rss, third = self.solve(held, searched, finer.ravel(), bounds)
            pick = rss.reshape(finer.shape).argmin(axis=1)
            rows = np.arange(len(centers))
            centers, step = finer[rows, pick], offsets[1] - offsets[0]
        rss, third = self.solve(held, searched, centers, bounds)
        best = rss.argmin()
        (other,) = set(NAMES) - {name, searched}
        values = {name: value, searched: float(np.exp(centers[best])), other: float(third[best])}
        return Point(values, float(rss[best]))

    def solve(
        self,
        held: dict[str, float],
        searched: str,
        logs: np.ndarray,
        bounds: dict[str, tuple[float, float]],
    ) -> tuple[np.ndarray, np.ndarray]:
        """The least sums of squares by the third parameter, and where: one for each searched value."""
        values = held | {searched: np.exp(logs)[:, None]}
        absorbed = -self.dose * np.expm1(-values["ka"] * self.times)
        absorbed = np.broadcast_to(absorbed, (len(logs), len(self.times)))
        if "beta" in values:
            removed = np.broadcast_to(values["beta"] * self.times, absorbed.shape)
            low, high = sorted(1 / np.array(bounds["r"]))
            rss, scale = least(absorbed, removed, self.readings, low, high)
            return rss + self.rss_before, 1 / scale
        slopes = np.broadcast_to(self.times, absorbed.shape)
        low, high = sorted(-np.array(bounds["beta"]))
        rss, rise = least(slopes, -absorbed / values["r"], self.readings, low, high)
        return rss + self.rss_before, -rise


def least(
    slopes: np.ndarray, offsets: np.ndarray, readings: np.ndarray, low: float, high: float
) -> tuple[np.ndarray, np.ndarray]:
    """The least sum of (max(0, slope z - offset) - reading)^2 over z, for each row, and that z.

    Slopes are positive. Where z has passed the first k of the values offset / slope in their order, k
    readings count with slope z - offset and the others with zero.
    """
    order = np.argsort(offsets / slopes, axis=1)
    slopes, offsets = (np.take_along_axis(one, order, axis=1) for one in (slopes, offsets))
    readings = readings[order]
    targets = offsets + readings
    square, product = (
        np.cumsum(np.pad(one, ((0, 0), (1, 0))), axis=1) for one in (slopes**2, slopes * targets)
    )
    edges = np.pad(offsets / slopes, ((0, 0), (1, 1)), constant_values=(-np.inf, np.inf))
    first, last = np.maximum(edges[:, :-1], low), np.minimum(edges[:, 1:], high)
    with np.errstate(invalid="ignore", divide="ignore"):
        bottom = np.where(square > 0, product / square, low)
    place = np.clip(bottom, first, last)
    # One digit after another is lost in sums of parabolas; what is compared is computed afresh.
    shown = np.maximum(0, slopes[:, None, :] * place[:, :, None] - offsets[:, None, :])
    rss = np.sum((shown - readings[:, None, :]) ** 2, axis=2)
    rss = np.where(first <= last, rss, np.inf)
    pick = rss.argmin(axis=1)
    rows = np.arange(len(rss))
    return rss[rows, pick], place[rows, pick]
