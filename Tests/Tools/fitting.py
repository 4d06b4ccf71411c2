"""Search for the least squares of a curve through a series, from many starts.

Nothing here knows the model. Derivatives are by complex step (Squire, Trapp, SIAM Rev 40 (1998)
110-112), so curves must accept complex parameters.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares, minimize
from scipy.stats import qmc

from study_folder import Series

METHODS = ("lm", "trf")
TIGHT = 1e-15
COMPLEX_STEP = 1e-30

SAME_RSS = 1e-8
"""Two sums of squares this close, relatively, belong to the same minimum."""

STATIONARY = 1e-6
"""Largest cosine between the residuals and a column of the Jacobian at a minimum."""

WELL_POSED = 1e6
"""Largest condition number of the Jacobian at a minimum."""


@dataclass(frozen=True)
class Problem(ABC):
    """A series and a curve through it, whose free parameters are given as logarithms."""

    series: Series

    @property
    @abstractmethod
    def start_box(self) -> dict[str, tuple[float, float]]:
        """The free parameters and the range to start in."""

    @abstractmethod
    def curve(self, logs: np.ndarray) -> np.ndarray:
        """The concentration [g/kg] at the series' times."""

    def residuals(self, logs: np.ndarray) -> np.ndarray:
        """Curve less reading [g/kg]."""
        return self.curve(logs) - self.series.readings_g_per_kg

    def jacobian(self, logs: np.ndarray) -> np.ndarray:
        """Derivatives of the residuals by the free logarithms."""
        steps = 1j * COMPLEX_STEP * np.eye(len(logs))
        columns = [self.residuals(logs + step).imag / COMPLEX_STEP for step in steps]
        return np.column_stack(columns)

    def rss(self, logs: np.ndarray) -> float:
        """The sum of squared residuals."""
        return float(np.sum(self.residuals(logs) ** 2))

    def is_minimum(self, logs: np.ndarray) -> bool:
        """Whether a descent that ended here came to rest, and not on its way to a limit."""
        jacobian, residuals = self.jacobian(logs), self.residuals(logs)
        if np.linalg.cond(jacobian) > WELL_POSED:
            return False
        lengths = np.linalg.norm(jacobian, axis=0) * np.linalg.norm(residuals)
        return bool(np.all(np.abs(jacobian.T @ residuals) < STATIONARY * lengths))


@dataclass(frozen=True)
class Minimum:
    """Where descents ended: logarithms, sum of squares and how many came here."""

    logs: np.ndarray
    rss: float
    starts: int


def start_points(problem: Problem, count: int) -> np.ndarray:
    """Sobol points in the logarithms of the start box."""
    box = np.log(list(problem.start_box.values()))
    points = qmc.Sobol(len(box), scramble=False).random(count)
    return qmc.scale(points, box[:, 0], box[:, 1])


def descend(problem: Problem, start: np.ndarray, method: str) -> np.ndarray:
    """Least squares from one start; steps that overflow are rejected by the algorithm."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return least_squares(
            problem.residuals,
            start,
            problem.jacobian,
            method=method,
            ftol=TIGHT,
            xtol=TIGHT,
            gtol=TIGHT,
        ).x


def search_minima(problem: Problem, count: int) -> list[Minimum]:
    """Where all descents end, lowest first, ends with the same sum of squares taken together."""
    ends = [
        descend(problem, start, method)
        for method in METHODS
        for start in start_points(problem, count)
    ]
    ranked = sorted(((problem.rss(logs), logs) for logs in ends), key=lambda end: end[0])
    minima: list[Minimum] = []
    for rss, logs in ranked:
        if minima and rss <= minima[-1].rss * (1 + SAME_RSS):
            minima[-1] = Minimum(minima[-1].logs, minima[-1].rss, minima[-1].starts + 1)
        else:
            minima.append(Minimum(logs, rss, 1))
    return minima


def polish(problem: Problem, minimum: Minimum) -> Minimum:
    """Gauss-Newton to the last digits, after a simplex search has found nothing lower.

    Raises ArithmeticError where `minimum` was none, or Gauss-Newton leaves it.
    """
    logs = minimum.logs
    simplex = minimize(
        problem.rss, logs, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-16}
    )
    if simplex.fun < minimum.rss * (1 - SAME_RSS):
        raise ArithmeticError(f"the simplex found {simplex.fun} below {minimum.rss}")
    for _ in range(100):
        step = np.linalg.lstsq(problem.jacobian(logs), -problem.residuals(logs))[0]
        logs = logs + step
        if np.abs(step).max() < TIGHT:
            break
    rss = problem.rss(logs)
    if rss > minimum.rss * (1 + SAME_RSS):
        raise ArithmeticError(f"Gauss-Newton went from {minimum.rss} up to {rss}")
    return Minimum(logs, rss, minimum.starts)


def lowest_minimum(problem: Problem, count: int) -> Minimum:
    """The best of all descents, polished."""
    return polish(problem, search_minima(problem, count)[0])


def next_minimum(problem: Problem, minima: list[Minimum], rss: float) -> float | None:
    """The lowest sum of squares of a local minimum above the best."""
    higher = [m for m in minima if m.rss > rss * (1 + SAME_RSS) and problem.is_minimum(m.logs)]
    return higher[0].rss if higher else None


def reached(minima: list[Minimum], rss: float) -> int:
    """How many descents ended at the best sum of squares."""
    return sum(m.starts for m in minima if m.rss <= rss * (1 + SAME_RSS))


def standard_errors(problem: Problem, logs: np.ndarray) -> dict[str, float]:
    """Standard errors of the free parameters, on their own scale."""
    jacobian = problem.jacobian(logs)
    n, p = jacobian.shape
    covariance = problem.rss(logs) / (n - p) * np.linalg.inv(jacobian.T @ jacobian)
    return dict(zip(problem.start_box, np.exp(logs) * np.sqrt(np.diag(covariance))))
