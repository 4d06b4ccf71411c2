#!/usr/bin/env python3
"""How often the intervals of `promille sober --summary` hold the true error: a simulation study.

    python3 Tests/Tools/time_errors_coverage.py PROMILLE [--check] [--write FILE] [--studies N] [--designs LIST]

Each design makes up studies whose errors are known. ln(P/T), P being predicted and T true time to sobriety, has the
mean ln 1.1 and the SD 0.15, half of its variance between people; 30 of 100 people come twice. P is log-normal about
300 min (SD of the logarithm 0.25). Readings are 20 min apart, from a random minute on. They end (begin) so that the
stated share of the times is later (earlier), at times that themselves vary (SD of the logarithm 0.15). Heavy errors
are those of Student's t with 4 degrees of freedom, cut at 6 of its scales, of the same SD: e^Y has no mean otherwise.
In the designs named `minutes` P - T has the SD 45 min, whatever P is.

The command scores the predictions as `--predictions` of a study folder, one process for each study. A study has no
estimate if its limits do not determine one. Coverage is of the intervals that were given; one that lacks an end
excludes nothing on that side.

With --check it exits 1 unless the designs with up to 40 % censored, or with 100 people, cover at least LEAST_PCT,
less three standard errors of the simulation (1.5 % for 200 studies), and, with as many studies, the table is as in
time-errors-coverage.csv. The seeds are fixed.
"""

import argparse
import csv
import io
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coverage import save, show

STUDIES = 200
BIAS = math.log(1.1)
SD = 0.15
MINUTES_SD = 45.0
TWICE = 0.3
STEP_MIN = 20.0
END_SD = 0.15
BEGIN_MIN = 5.0
HEAVY_DF = 4
HEAVY_CUT = 6.0
TRUTH_DRAWS = 2_000_000
LEAST_PCT = 91.5
DRIFT_PCT = 0.8
KEPT = Path(__file__).parent.parent / "Expectations" / "time-errors-coverage.csv"


@dataclass(frozen=True)
class Design:
    """How studies are made up."""

    people: int
    late: float = 0.0
    early: float = 0.0
    errors: str = "normal"

    @property
    def name(self) -> str:
        parts = [f"{self.errors}-{self.people}"]
        parts += [f"late-{100 * self.late:.0f}"] if self.late else []
        parts += [f"early-{100 * self.early:.0f}"] if self.early else []
        return "-".join(parts)

    @property
    def is_held(self) -> bool:
        """Whether its coverage is held to the bar."""
        return self.late <= 0.4 or self.people >= 100


DESIGNS = [
    *(Design(people, late) for people in (8, 24, 100) for late in (0, 0.1, 0.4, 0.8)),
    *(Design(24, late, errors="heavy") for late in (0, 0.4, 0.8)),
    Design(24, 0.1, 0.3), Design(24, 0.1, 0.3, "heavy"), Design(24, 0.4, errors="minutes"), Design(5),
]  # fmt: skip
"""Below 8 people intervals are Student's."""


def errors(draw: np.random.Generator, design: Design, size: int) -> np.ndarray:
    """Errors of variance 1."""
    if design.errors != "heavy":
        return draw.normal(size=size)
    values = draw.standard_t(HEAVY_DF, size)
    while len(far := np.flatnonzero(np.abs(values) > HEAVY_CUT)):
        values[far] = draw.standard_t(HEAVY_DF, len(far))
    return values / heavy_sd()


def heavy_sd() -> float:
    """The SD of Student's t, cut."""
    x = np.linspace(-HEAVY_CUT, HEAVY_CUT, 200_001)
    density = (1 + x * x / HEAVY_DF) ** (-(HEAVY_DF + 1) / 2)
    return math.sqrt((x * x * density).sum() / density.sum())


def times(draw: np.random.Generator, design: Design, person: np.ndarray, people: int) -> tuple[np.ndarray, np.ndarray]:
    """Predicted and true times."""
    predicted = 300 * np.exp(draw.normal(0, 0.25, len(person)))
    own, rest = errors(draw, design, people)[person], errors(draw, design, len(person))
    error = math.sqrt(0.5) * own + math.sqrt(0.5) * rest
    if design.errors == "minutes":
        return predicted, np.maximum(predicted - 30 - MINUTES_SD * error, BEGIN_MIN)
    return predicted, predicted * np.exp(-BIAS - SD * error)


class Truth:
    """What is true of a design, from many draws."""

    def __init__(self, design: Design):
        draw = np.random.default_rng(1)
        series = np.arange(TRUTH_DRAWS)
        predicted, true = times(draw, design, series, TRUTH_DRAWS)
        ratio = predicted / true
        self.bias_pct = 100 * math.expm1(np.log(ratio).mean())
        self.bias_min = float((predicted - true).mean())
        self.mae_min = float(np.abs(predicted - true).mean())
        self.mae_pct = float(100 * np.abs(ratio - 1).mean())
        varied = true / np.exp(draw.normal(0, END_SD, TRUTH_DRAWS))
        # The last reading is half a step before the end, on average.
        self.end = float(np.quantile(varied, 1 - design.late)) + STEP_MIN / 2 if design.late else math.inf
        self.begin = float(np.quantile(varied, design.early)) if design.early else 0.0


def study(draw: np.random.Generator, design: Design, truth: Truth) -> list[tuple[str, int, float, float, float]]:
    """Subject, occasion, predicted time, last reading above (0: none) and first below (inf: none)."""
    twice = draw.random(design.people) < TWICE
    person = np.repeat(np.arange(design.people), np.where(twice, 2, 1))
    predicted, true = times(draw, design, person, design.people)
    end = truth.end * np.exp(draw.normal(0, END_SD, len(person)))
    begin = truth.begin * np.exp(draw.normal(0, END_SD, len(person)))
    first = draw.uniform(0, STEP_MIN, len(person))
    rows, seen = [], set()
    for i, p in enumerate(person):
        low = first[i] + STEP_MIN * math.floor((true[i] - first[i]) / STEP_MIN)
        high = low + STEP_MIN
        last = first[i] + STEP_MIN * math.floor((end[i] - first[i]) / STEP_MIN) if end[i] < math.inf else math.inf
        if high > last:
            low, high = last, math.inf
        if true[i] < begin[i]:
            low, high = 0.0, begin[i]
        rows.append((f"s{p + 1:03}", 2 if p in seen else 1, predicted[i], max(low, 0.0), high))
        seen.add(p)
    return rows


def write(folder: Path, rows: list[tuple[str, int, float, float, float]]) -> None:
    """A study folder with the two readings that matter, and predictions.csv."""
    subjects = dict.fromkeys(row[0] for row in rows)
    (folder / "subjects.csv").write_text("subject\n" + "".join(f"{s}\n" for s in subjects))
    drinks = "".join(f"{s},{o},0,0.7\n" for s, o, *_ in rows)
    (folder / "drinks.csv").write_text("subject,occasion,time_min,ethanol_g_per_kg\n" + drinks)
    header = "subject,occasion,time_min,bac_g_per_kg\n"
    readings, predictions = [header], [header]
    for s, o, predicted, low, high in rows:
        readings += [f"{s},{o},{low!r},0.5\n"] if low > 0 else []
        readings += [f"{s},{o},{float(high)!r},0\n"] if high < math.inf else []
        predictions += [f"{s},{o},1,0.5\n", f"{s},{o},{float(predicted)!r},0\n"]
    (folder / "readings.csv").write_text("".join(readings).replace("np.float64", ""))
    (folder / "predictions.csv").write_text("".join(predictions))


def summary(promille: str, design: Design, truth: Truth, number: int) -> dict[str, str] | None:
    """The command's row for a study; None if there is none."""
    seed = [number, design.people, round(100 * design.late), round(100 * design.early), len(design.errors)]
    draw = np.random.default_rng(seed)
    rows = [(s, o, float(p), float(l), float(h)) for s, o, p, l, h in study(draw, design, truth)]
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), rows)
        command = [
            promille, "sober", folder, "--predictions", f"{folder}/predictions.csv", "--threshold", "0.1", "--summary",
            "--format", "csv", "--quiet",
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    found = [row for row in csv.DictReader(io.StringIO(result.stdout)) if row.get("sex", "") in ("", "all")]
    if not found or not found[0]["bias_pct"]:
        return None
    counts = [sum(1 for r in rows if kind(r)) for kind in (lambda r: r[4] == math.inf, lambda r: r[3] == 0)]
    for name, count in zip(("at_least", "at_most"), counts):
        if int(found[0][name]) != count:
            sys.exit(f"{design.name}, study {number}: {name} is {found[0][name]}, should be {count}")
    return found[0]


QUANTITIES = ("bias_pct", "bias_min", "mae_min", "mae_pct")


def row(promille: str, design: Design, studies: int, jobs: int) -> dict[str, str]:
    """What came of all studies of a design."""
    truth = Truth(design)
    with ThreadPoolExecutor(jobs) as pool:
        found = [r for r in pool.map(lambda n: summary(promille, design, truth, n), range(studies)) if r]
    late = sum(int(r["at_least"]) for r in found) / max(1, sum(int(r["series"]) for r in found))
    made = {"design": design.name, "studies": str(studies), "estimated": str(len(found))}
    made["late_pct"] = f"{100 * late:.0f}"
    for quantity in QUANTITIES:
        true = getattr(truth, quantity)
        held = []
        for r in found:
            low, high = r[f"{quantity}_low"], r[f"{quantity}_high"]
            if low or high:
                held.append((not low or float(low) <= true) and (not high or true <= float(high)))
        made |= {
            f"{quantity}_true": f"{true:.1f}",
            f"{quantity}_mean": f"{np.mean([float(r[quantity]) for r in found]):.1f}" if found else "",
            f"{quantity}_intervals": str(len(held)),
            f"{quantity}_covered_pct": f"{100 * np.mean(held):.1f}" if held else "",
        }
    return made


def complaints(table: list[dict[str, str]], designs: list[Design]):
    """What does not hold, or no longer as in the kept table."""
    for made, design in zip(table, designs, strict=True):
        for quantity in QUANTITIES:
            covered, error = float(made[f"{quantity}_covered_pct"]), 100 * math.sqrt(0.05 * 0.95 / int(made["studies"]))
            if design.is_held and covered < LEAST_PCT - 3 * error:
                yield f"{design.name}: 95 % intervals of {quantity} cover {covered} %"
    with KEPT.open(encoding="utf-8") as file:
        kept = {r["design"]: r for r in csv.DictReader(file)}
    for made in table:
        if made["studies"] != kept[made["design"]]["studies"]:
            continue
        for quantity in QUANTITIES:
            old, new = (float(r[f"{quantity}_covered_pct"]) for r in (kept[made["design"]], made))
            if abs(old - new) > DRIFT_PCT:
                yield f"{made['design']} {quantity}: was {old}, is {new}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command to examine")
    parser.add_argument("--designs", type=lambda text: text.split(","), help="only these")
    parser.add_argument("--check", action="store_true", help="exit 1 if it does not hold")
    parser.add_argument("--write", type=Path, help="where to keep the table")
    parser.add_argument("--studies", type=int, default=STUDIES, help="of each design")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    arguments = parser.parse_args()
    designs = [d for d in DESIGNS if not arguments.designs or d.name in arguments.designs]
    table = []
    for design in designs:
        table.append(row(arguments.promille, design, arguments.studies, arguments.jobs))
        print(" ".join(table[-1].values()), file=sys.stderr, flush=True)
    show(table)
    if arguments.write:
        save(arguments.write, table)
    if arguments.check:
        problems = list(complaints(table, designs))
        for problem in problems:
            print(problem)
        sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
