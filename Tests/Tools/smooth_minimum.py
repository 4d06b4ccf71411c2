"""Minima of smooth functions with known gradients.

Every descent is by BFGS; the last digits are those of the root of the gradient, found by Powell's
hybrid method. Nothing here is a method of least squares.
"""

from collections.abc import Callable, Iterable

import numpy as np
from scipy.optimize import minimize, root

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""The value and the gradient at a point."""

SAME_VALUE = 1e-9
"""Two values this close belong to the same minimum; objectives here are of the order of n."""


def descend(objective: Objective, start: np.ndarray) -> np.ndarray:
    """The minimum below a start."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        end = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-7}).x
    return polish(objective, end)


def polish(objective: Objective, point: np.ndarray) -> np.ndarray:
    """The root of the gradient near a minimum, or the point itself where that is not below."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        end = root(lambda x: objective(x)[1], point, tol=1e-14).x
        return end if objective(end)[0] <= objective(point)[0] + SAME_VALUE else point


def lowest(objective: Objective, starts: Iterable[np.ndarray]) -> np.ndarray:
    """The best of the minima below many starts."""
    ends = [descend(objective, start) for start in starts]
    values = [objective(end)[0] for end in ends]
    return ends[int(np.nanargmin(values))]
