"""Statistics over people for r_factor_worth.py: means by person, bootstrap intervals, and shares of an error."""

import itertools
import math

import numpy as np

REPLICATES = 4000
SEED = 5
FEWEST = 4
"""Fewer people get no interval: it would show each of them."""


def bootstrap(values, statistic, level=0.95):
    """Ends of the percentile interval of a statistic of rows, a row per person."""
    values = np.asarray(values, float)
    draws = np.random.default_rng(SEED).integers(0, len(values), (REPLICATES, len(values)))
    return np.quantile([statistic(values[draw]) for draw in draws], [(1 - level) / 2, (1 + level) / 2])


def by_person(rows):
    """The mean of (person, numbers) over the evenings of each person."""
    own = {}
    for person, values in rows:
        own.setdefault(person, []).append(values)
    return np.array([np.mean(values, axis=0) for values in own.values()])


def interval(name, values, statistic):
    """A statistic of people in a row of a table, with the ends of its interval."""
    low, high = map(float, bootstrap(values, statistic)) if len(values) >= FEWEST else ("", "")
    return {name: float(statistic(np.asarray(values, float))), f"{name}_low": low, f"{name}_high": high}


def rms(x):
    return math.sqrt((x**2).mean())


def left_out_mean(values):
    """The mean of the others."""
    values = np.asarray(values)
    return (values.sum() - values) / (len(values) - 1)


def shares(losses, factors):
    """Shares in percent that vanish: alone, last of all, and averaged over all orders (Shapley 1953)."""
    start = losses[frozenset()]
    value = {some: 100 * (1 - loss / start) for some, loss in losses.items()}
    everything = frozenset(factors)
    result = {}
    for factor in factors:
        orders = list(itertools.permutations(factors))
        gains = [value[frozenset(order[: order.index(factor) + 1])] - value[frozenset(order[: order.index(factor)])]
                 for order in orders]
        result[factor] = (value[frozenset([factor])], value[everything] - value[everything - {factor}],
                          float(np.mean(gains)))
    result["together"] = (value[everything], value[everything], value[everything])
    return result


def share_rows(labels, per_person, some_sets, factors):
    """Rows of shares with intervals; per_person has the loss of each subset in a column."""
    def of(table):
        return shares(dict(zip(some_sets, table.mean(axis=0))), factors)

    draws = np.random.default_rng(SEED).integers(0, len(per_person), (REPLICATES, len(per_person)))
    spread = [of(per_person[draw]) for draw in draws]
    rows = []
    for factor, values in of(per_person).items():
        row = labels | {"replaced": factor, "people": len(per_person)}
        for place, name in enumerate(("alone", "last", "shapley")):
            low, high = np.quantile([one[factor][place] for one in spread], [0.025, 0.975])
            row |= {f"{name}_pct": values[place], f"{name}_pct_low": float(low), f"{name}_pct_high": float(high)}
        rows.append(row)
    return rows
