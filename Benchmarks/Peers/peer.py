"""Fits k_a, beta and r of everybody in a folder by a Python package, from CSV to CSV: what Promille is measured beside.

    peer.py PEER FOLDER FITS.csv [precisely]

PEER is scipy, lmfit or numba. FOLDER holds what `promille simulate --cohort` writes. All start from k_a 6 /h, beta
0.15 g/kg/h and r 0.65, search in logarithms, and of zeros that follow one another fit only the first, as Promille does.
SciPy's curve_fit and lmfit get the closed form in NumPy arrays, with all that does not depend on parameters worked out
beforehand, and difference quotients, as is usual. numba is a Levenberg-Marquardt descent with exact derivatives, written
as loops and compiled, between a reader and a writer of CSV of Polars. SciPy and lmfit stop at their usual tolerances,
or, `precisely`, at 1e-12 with central difference quotients.

Prints the processor seconds from the first file to the last row, without imports and compilation, and how often a curve
was followed, for difference quotients, too.
"""

import csv
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

START = np.log([6.0, 0.15, 0.65])
TOLERANCES = {"ftol": 1e-15, "xtol": 1e-12, "gtol": 1e-12}
IS_PRECISE = sys.argv[4:] == ["precisely"]
COLUMNS = ["subject", "ka_per_h", "beta_g_per_kg_h", "r", "rss"]


def main() -> None:
    name, folder, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    run, packages = PEERS[name]()
    if name == "numba":  # Compiles.
        run(folder, output)
    start = time.process_time()
    evaluations = run(folder, output)
    print(json.dumps({
        "seconds": time.process_time() - start, "evaluations": int(evaluations),
        "versions": {package: version(package) for package in packages},
    }))  # fmt: skip


class Curve:
    """The blood concentration of Widmark's model, in arrays throughout.

    It is a process reflected at zero: what was absorbed less beta t, and less the lowest that this has been where it was
    negative. Between events it is concave, so that it is lowest at one of them.
    """

    def __init__(self, starts_h: np.ndarray, doses: np.ndarray, times_h: np.ndarray):
        self.times = np.union1d(starts_h, times_h)
        self.since = np.maximum(0, self.times[:, None] - starts_h)
        self.doses = doses
        self.shown = np.searchsorted(self.times, times_h)

    def __call__(self, _, log_ka: float, log_beta: float, log_r: float) -> np.ndarray:
        absorbed = -np.expm1(-np.exp(log_ka) * self.since) @ self.doses
        free = absorbed / np.exp(log_r) - np.exp(log_beta) * (self.times - self.times[0])
        return (free - np.minimum(0, np.minimum.accumulate(free)))[self.shown]

    def derivatives(self, _, *logs: float) -> np.ndarray:
        """By central differences."""
        steps = 1e-6 * np.eye(len(logs))
        return np.column_stack([(self(None, *(logs + step)) - self(None, *(logs - step))) / 2e-6 for step in steps])


def by_function(fit, folder: Path, output: Path) -> int:
    """Gives each series to `fit`, which returns logarithms and a count of evaluations."""
    weights = {row[0]: float(row[4]) for row in rows_of(folder / "subjects.csv")}
    drinks, readings = (grouped(folder / name) for name in ("drinks.csv", "readings.csv"))
    evaluations = 0
    with output.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for subject, weight in weights.items():
            (starts, grams), (times, values) = drinks[subject], readings[subject]
            is_fitted = np.append(True, (values[1:] != 0) | (values[:-1] != 0))
            curve = Curve(starts / 60, grams / weight, times[is_fitted] / 60)
            logs, count = fit(curve, values[is_fitted])
            rss = np.sum((curve(None, *logs) - values[is_fitted]) ** 2)
            writer.writerow([subject, *map(float, np.exp(logs)), float(rss)])
            evaluations += count
    return evaluations


def rows_of(path: Path):
    with path.open(newline="") as file:
        rows = csv.reader(file)
        next(rows)
        yield from rows


def grouped(path: Path) -> dict[str, np.ndarray]:
    """The two columns behind the subject, as arrays."""
    groups: dict[str, list[tuple[float, float]]] = {}
    for subject, first, second in rows_of(path):
        groups.setdefault(subject, []).append((float(first), float(second)))
    return {subject: np.array(pairs).T for subject, pairs in groups.items()}


def scipy():
    from scipy.optimize import curve_fit

    def fit(curve, values):
        precisely = TOLERANCES | {"jac": curve.derivatives} if IS_PRECISE else {}
        try:
            logs, _, about, *_ = curve_fit(curve, curve.times, values, p0=START, full_output=True, **precisely)
        except RuntimeError:  # It gave up.
            return np.full(3, np.nan), 0
        return logs, about["nfev"]

    return lambda folder, output: by_function(fit, folder, output), ["scipy", "numpy"]


def lmfit():
    from lmfit import Parameters, minimize

    def fit(curve, values):
        parameters = Parameters()
        for name, value in zip(("ka", "beta", "r"), START):
            parameters.add(name, value)

        def logs(p):
            return p["ka"].value, p["beta"].value, p["r"].value

        precisely = TOLERANCES | {"Dfun": lambda p: curve.derivatives(None, *logs(p))} if IS_PRECISE else {}
        result = minimize(lambda p: curve(None, *logs(p)) - values, parameters, **precisely)
        return logs(result.params), result.nfev

    return lambda folder, output: by_function(fit, folder, output), ["lmfit"]


def numba():
    import polars
    from numba import njit

    @njit(cache=True)
    def follow(event_gaps, event_doses, values, logs, residuals, jacobian):
        """Residuals and derivatives; the sum of squares. A reading is an event with a dose of -1."""
        ka, beta, factor = np.exp(logs[0]), np.exp(logs[1]), np.exp(-logs[2])
        blood = gut = by_ka = gut_by_ka = by_beta = by_r = rss = last = gone = 0.0
        reading = 0
        for i in range(len(event_gaps)):
            gap = event_gaps[i]
            if gap != last:
                gone = -np.expm1(-ka * gap)
                last = gap
            moved, absorbed, lost = gut * ka * gap * (1 - gone), gut * gone, beta * gap
            blood += absorbed - lost
            if blood > 0:
                by_ka += gut_by_ka * gone + moved
                by_beta -= lost
                by_r -= absorbed
            else:
                blood = by_ka = by_beta = by_r = 0.0
            gut_by_ka -= gut_by_ka * gone + moved
            gut -= absorbed
            if event_doses[i] >= 0:
                gut += event_doses[i] * factor
            else:
                residuals[reading] = blood - values[reading]
                rss += residuals[reading] ** 2
                jacobian[reading, 0], jacobian[reading, 1], jacobian[reading, 2] = by_ka, by_beta, by_r
                reading += 1
        return rss

    @njit(cache=True)
    def descend(gaps, doses, values, logs, residuals, jacobian):
        """Levenberg and Marquardt, damped as by Nielsen; the sum of squares and the evaluations."""
        rss = follow(gaps, doses, values, logs, residuals, jacobian)
        damping, grow, count = 1e-3, 2.0, 1
        scale, normal, gradient, step = np.zeros(3), np.empty((3, 3)), np.empty(3), np.empty(3)
        is_new = True
        while count < 500 and damping < 1e30:
            n = len(values)
            if is_new:
                for i in range(3):
                    gradient[i] = 0.0
                    for k in range(n):
                        gradient[i] -= jacobian[k, i] * residuals[k]
                    for j in range(i + 1):
                        normal[i, j] = 0.0
                        for k in range(n):
                            normal[i, j] += jacobian[k, i] * jacobian[k, j]
                    scale[i] = max(scale[i], normal[i, i], 1e-30)
            # Cholesky's factor of the damped normal equations, and the step.
            a = np.sqrt(normal[0, 0] + damping * scale[0])
            b, d = normal[1, 0] / a, normal[2, 0] / a
            c = np.sqrt(normal[1, 1] + damping * scale[1] - b * b)
            e = (normal[2, 1] - d * b) / c
            f = np.sqrt(normal[2, 2] + damping * scale[2] - d * d - e * e)
            x = gradient[0] / a
            y = (gradient[1] - b * x) / c
            step[2] = (gradient[2] - d * x - e * y) / f / f
            step[1] = (y - e * step[2]) / c
            step[0] = (x - b * step[1] - d * step[2]) / a
            trial = logs + step
            expected = 0.0
            is_small = True
            for i in range(3):
                expected += step[i] * (damping * scale[i] * step[i] + gradient[i])
                is_small = is_small and abs(step[i]) <= 1e-8 * (abs(logs[i]) + 1e-8)
            found = follow(gaps, doses, values, trial, residuals, jacobian)
            count += 1
            is_new = found < rss
            if is_new:
                gain = 2 * (rss - found) / expected - 1
                damping *= max(1 / 3, 1 - gain**3)
                grow = 2.0
                logs[:] = trial
                rss = found
            else:
                damping *= grow
                grow *= 2
            if is_small:
                break
        return rss, count

    @njit(cache=True)
    def fit_all(weights, drink_ends, starts, grams, reading_ends, times, shown, fits):
        gaps, doses, values = np.empty(256), np.empty(256), np.empty(256)
        residuals, jacobian = np.empty(256), np.empty((256, 3))
        drink = reading = evaluations = 0
        for i in range(len(weights)):
            events = count = 0
            last, is_zero = starts[drink], False
            while drink < drink_ends[i] or reading < reading_ends[i]:
                if drink < drink_ends[i] and (reading == reading_ends[i] or starts[drink] <= times[reading]):
                    time, doses[events] = starts[drink], grams[drink] / weights[i]
                    drink += 1
                else:
                    time, value = times[reading], shown[reading]
                    reading += 1
                    was_zero, is_zero = is_zero, value == 0
                    if was_zero and is_zero:
                        continue
                    values[count], doses[events] = value, -1.0
                    count += 1
                gaps[events] = (time - last) / 60
                last = time
                events += 1
            fits[i, :3] = START
            fits[i, 3], more = descend(gaps[:events], doses[:events], values[:count], fits[i, :3], residuals, jacobian)
            evaluations += more
        fits[:, :3] = np.exp(fits[:, :3])
        return evaluations

    def run(folder: Path, output: Path) -> int:
        subjects, drinks, readings = (
            polars.read_csv(folder / f"{name}.csv") for name in ("subjects", "drinks", "readings"))

        def ends(table):
            return table["subject"].rle().struct.field("len").cum_sum().cast(polars.Int64).to_numpy()

        fits = np.empty((len(subjects), 4))
        evaluations = fit_all(
            subjects["weight_kg"].to_numpy(), ends(drinks), floats(drinks, "time_min"), floats(drinks, "ethanol_g"),
            ends(readings), floats(readings, "time_min"), floats(readings, "bac_g_per_kg"), fits)  # fmt: skip
        table = polars.DataFrame(fits, schema=COLUMNS[1:]).insert_column(0, subjects["subject"])
        table.write_csv(output)
        return evaluations

    def floats(table, name):
        return table[name].cast(polars.Float64).to_numpy()

    return run, ["numba", "polars"]


PEERS = {"scipy": scipy, "lmfit": lmfit, "numba": numba}

if __name__ == "__main__":
    main()
