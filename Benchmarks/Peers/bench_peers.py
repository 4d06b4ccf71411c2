#!/usr/bin/env python3
"""Measures `promille fit` beside C with GSL, Polars with Numba, SciPy, lmfit and R's nls, and predictions beside the default
fit, C and NumPy, and prints tables in Markdown.

    make bench-peers
    bench_peers.py PROMILLE [--people 10000] [--rounds 5] [--million] [--without-population] [--picture FILE.svg]

A cohort is simulated once, with 25 readings a person, and everybody fits k_a, beta and r of it, from CSV to CSV. Slow
programs get its first people. Everything runs once in each round, one after the other, so that a machine that slows down
slows down all; ratios are taken within a round. What counts is processor time, user and system: of promille and C of the
whole process, of Python and R without imports, compilation and their own start. Peers stop where they usually do; to
compare estimates they run once more, more precisely, outside the rounds.

Python's packages are those of Tests/Tools/requirements.txt, which are installed into .build/peers unless the Python that
runs this has them; a peer that cannot be had is left out, and its row says why. --million also fits 10 to a million people
for their memory (Tests/Tools/cost.py), which takes minutes and a gigabyte of disk. --picture also draws the medians of
people a second, a bar for each program, with the machine and the date.

exits 1 if estimates differ: a peer has a lower sum of squares than promille's eight starts, or the same one at other
estimates; or if times to sobriety or their errors do. Bars are printed, met or missed.
"""

import argparse
import csv
import datetime
import html
import json
import math
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / ".build" / "peers"
ESTIMATES = ("ka_per_h", "beta_g_per_kg_h", "r")
ESTIMATE = ["--estimate", "ka,beta,r"]
ONE_START = ["--starts", "1", "--interval", "none"]
BOOTSTRAP = ["--interval", "bootstrap", "--replicates", "999"]
# Relative: estimates closer than this agree; sums of squares closer than this belong to one minimum.
SAME_ESTIMATE = SAME_RSS = 1e-6
# Times to sobriety and their errors are the same to this, relative to a minute or more.
SAME_TIME = 1e-9
# The share of people at the same minimum whose estimates may be further apart: a valley as flat as rounding.
MOST_APART = 0.001
ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")}


@dataclass
class Program:
    """Something that fits a folder, and what was measured of it."""

    label: str
    people: int
    command: list
    # What is added where estimates are compared; None where they are not.
    precisely: list | None = None
    # Whether it prints its own seconds, as JSON, instead of its rows.
    tells: bool = False
    # Why it is not there.
    missing: str = ""
    seconds: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    evaluations: int | None = None
    versions: dict[str, str] = field(default_factory=dict)
    # How many processes run side by side, each with all people.
    copies: int = 1

    def run(self, output: Path, extra: list | None = None) -> None:
        """Runs it; its rows are in `output` then."""
        command = [str(part) for part in [*self.command, *([output] if self.tells else []), *(extra or [])]]
        printed = output.with_suffix(".json") if self.tells else output
        environment = os.environ | ONE_THREAD | {
            "NUMBA_CACHE_DIR": str(BUILD / "numba"), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
        with printed.open("w") as rows, output.with_suffix(".err").open("w+") as errors:
            began = time.perf_counter()
            others = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
                      for _ in range(self.copies - 1)]
            process = subprocess.Popen(command, stdout=rows, stderr=errors, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
            for other in others:
                other.wait()
            wall = time.perf_counter() - began
            errors.seek(0)
            said = errors.read().strip()
        if os.waitstatus_to_exitcode(status) not in (0, 1) or (status and "promille" not in self.label):
            raise RuntimeError(f"{self.label} ended with {os.waitstatus_to_exitcode(status)}: {said[-500:]}")
        if extra:
            return
        seconds = usage.ru_utime + usage.ru_stime
        if self.tells:
            told = json.loads(printed.read_text())
            seconds, self.evaluations, self.versions = told["seconds"], told.get("evaluations"), told["versions"]
        elif said.isdigit():
            self.evaluations = int(said)
        self.seconds.append(seconds)
        self.wall.append(wall)

    def row(self) -> list[str]:
        if self.missing:
            return [self.label, f"left out: {self.missing}", *[""] * 6]
        each = [1e6 * seconds / self.people for seconds in self.seconds]
        count, duration = "", ""
        if self.evaluations:
            count = f"{self.evaluations / self.people:.1f}"
            duration = digits(1e9 * median(self.seconds) / self.evaluations)
        return [self.label, f"{self.people:,}", *map(digits, spread(each)), digits(1e6 / median(each)), count, duration]


def spread(values: list[float]) -> tuple[float, float, float]:
    return min(values), median(values), max(values)


def digits(value: float) -> str:
    """Three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(head: list[str], rows: list[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def said_of(*command) -> str:
    """The first line that a program prints, or nothing."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    except OSError:
        return ""
    lines = done.stdout.splitlines()
    return lines[0] if done.returncode == 0 and lines else ""


def compiled(name: str, *options: str) -> tuple[list, str]:
    """The command of a C program, and why there is none."""
    compiler, program = os.environ.get("CC", "cc"), BUILD / name
    flags = said_of("pkg-config", "--cflags", "--libs", "gsl")
    if not flags:
        return [], "pkg-config does not find GSL"
    try:
        done = subprocess.run(
            [compiler, *options, "-o", program, HERE / f"{name}.c", *shlex.split(flags), "-lm"], capture_output=True, text=True)
    except OSError as error:
        return [], str(error)
    return [program], "it does not compile" if done.returncode else ""


def python_with(packages: list[str]) -> tuple[str, str]:
    """A Python that has the packages, and why there is none."""
    own = BUILD / "venv" / "bin" / "python"
    for python in (sys.executable, own):
        if Path(python).exists() and subprocess.run(
                [python, "-c", f"import {', '.join(packages)}"], capture_output=True).returncode == 0:
            return str(python), ""
    known = dict(re.findall(r"^(\S+)==(\S+)$", (ROOT / "Tests/Tools/requirements.txt").read_text(), re.MULTILINE))
    steps = [[sys.executable, "-m", "venv", BUILD / "venv"]] if not own.exists() else []
    steps.append([own, "-m", "pip", "install", "--quiet", *[f"{name}=={known[name]}" for name in packages]])
    for step in steps:
        done = subprocess.run(list(map(str, step)), capture_output=True, text=True)
        if done.returncode:
            return "", f"cannot be installed: {(done.stderr or done.stdout).strip().splitlines()[-1]}"
    return str(own), ""


class Bench:
    """All programs on one cohort."""

    def __init__(self, promille: str, people: int, folder: Path):
        self.promille = promille
        self.folder = folder
        self.cohorts: dict[tuple, Path] = {}
        self.programs: dict[str, Program] = {}
        few, fewest = max(people // 10, min(people, 100)), max(people // 100, min(people, 20))
        self.add("default", "promille: eight starts, profile intervals", people, ESTIMATE)
        self.add("jobs", "promille: the same with `--jobs 2`", people, ESTIMATE, jobs=2)
        self.add("pair", "promille: the same in two processes side by side", people, ESTIMATE)
        self.programs["pair"].copies = 2
        self.add("one", "promille: one start, no intervals", people, ESTIMATE + ONE_START)
        self.add_peers(people, few)
        self.add("gsl", "promille: the default with `--engine gsl`", few, ESTIMATE + ["--engine", "gsl"])
        self.add("bootstrap", "promille: bootstrap of 999", fewest, ESTIMATE + BOOTSTRAP)
        self.add("bootstrap-gsl", "promille: the same with `--engine gsl`", fewest, ESTIMATE + BOOTSTRAP + ["--engine", "gsl"])
        self.add("saturable", "promille: Michaelis-Menten, default", few, ["--model", "michaelis-menten"],
                 simulate=["--model", "michaelis-menten"])  # fmt: skip
        self.add("saturable-one", "promille: Michaelis-Menten, one start, no intervals", few,
                 ["--model", "michaelis-menten", *ONE_START], simulate=["--model", "michaelis-menten"])  # fmt: skip
        self.add_predictions(min(people, 2000))

    def cohort(self, people: int, *options: str) -> Path:
        key = (people, *options)
        if key not in self.cohorts:
            self.cohorts[key] = self.folder / f"cohort-{len(self.cohorts)}"
            subprocess.run(
                [self.promille, "simulate", "--cohort", str(people), "--seed", "3", *options, "-o", self.cohorts[key]],
                check=True, capture_output=True)  # fmt: skip
        return self.cohorts[key]

    def add(self, name: str, label: str, people: int, options: list, jobs: int = 1, simulate: list = ()) -> None:
        self.programs[name] = Program(label, people, [
            self.promille, "fit", self.cohort(people, *simulate), *options, "--jobs", str(jobs), "--format", "csv", "--quiet"])

    def add_peers(self, people: int, few: int) -> None:
        for name, label, options in (
                ("lean", "C with GSL, lean", ["-O3", "-march=native", "-ffp-contract=fast"]),
                ("plain", "C with GSL, as commonly written", ["-O2"])):
            command, missing = compiled(f"{name}_gsl", *options)
            self.programs[name] = Program(label, people, [*command, self.cohort(people)], ["1e-12"], missing=missing)
        command, missing = compiled("bound", "-O3", "-march=native", "-ffp-contract=fast")
        self.programs["bound"] = Program(
            "C, eight people at once, eight steps each", people, [*command, self.cohort(people)], ["60"], missing=missing)
        for name, label, count, packages in (
                ("numba", "Polars with Numba", people, ["polars", "numba", "numpy"]),
                ("scipy", "SciPy `curve_fit`", few, ["scipy", "numpy"]), ("lmfit", "lmfit", few, ["lmfit", "numpy"])):
            python, missing = python_with(packages)
            self.programs[name] = Program(
                label, count, [python, HERE / "peer.py", name, self.cohort(count)], ["precisely"], True, missing)
        missing = "" if shutil.which("Rscript") else "Rscript is not installed (Debian: r-base-core)"
        self.programs["nls"] = Program(
            "R `nls`", few, ["Rscript", HERE / "nls.R", self.cohort(few)], ["precisely"], True, missing)

    def add_predictions(self, people: int) -> None:
        cohort = self.cohort(people)
        for name, command in (("fit", "fit"), ("compare", "compare"), ("sober", "sober"), ("summary", "sober --summary")):
            self.programs[name] = Program(f"promille: {command}, as it is", people, [
                self.promille, *command.split(), cohort, "--jobs", "1", "--format", "csv", "--quiet"])
        command, missing = compiled("lean_sober", "-O3", "-march=native", "-ffp-contract=fast")
        self.programs["sober-lean"] = Program("times to sobriety: C", people, [*command, cohort], missing=missing)
        python, missing = python_with(["numpy"])
        self.programs["sober-numpy"] = Program(
            "times to sobriety: NumPy", people, [python, HERE / "sober.py", cohort], tells=True, missing=missing)

    def output(self, name: str) -> Path:
        return self.folder / f"{name}.csv"

    def measure(self, rounds: int) -> None:
        for number in range(rounds):
            for name, program in self.programs.items():
                if program.missing:
                    continue
                if sys.stderr.isatty():
                    print(f"{number + 1} of {rounds}: {program.label}".ljust(79), end="\r", file=sys.stderr, flush=True)
                try:
                    program.run(self.output(name))
                except RuntimeError as error:
                    if not program.precisely:
                        sys.exit(str(error))
                    program.missing = str(error)

    def ratios(self, numerator: str, denominator: str, wall: bool = False) -> list[float]:
        """How many times the speed of another program one has, by round."""
        one, other = self.programs[numerator], self.programs[denominator]
        if one.missing or other.missing:
            return []
        if wall:
            return [(b / other.copies) / a for a, b in zip(one.wall, other.wall)]
        return [(b / other.people) / (a / one.people) for a, b in zip(one.seconds, other.seconds)]


# Names, what they are, and the bar. Michaelis-Menten's is at most, so that it is turned round.
RATIOS = [
    ("default", "gsl", "default fit / `--engine gsl`", 20),
    ("default", "scipy", "default fit / SciPy from one start without intervals", 5),
    ("default", "lmfit", "default fit / lmfit from one start without intervals", None),
    ("default", "nls", "default fit / R `nls` from one start without intervals", None),
    ("one", "plain", "one start / C with GSL, as commonly written", 0.4),
    ("one", "lean", "one start / C with GSL, lean", 0.25),
    ("default", "bound", "default fit / C, eight people at once, nothing judged", None),
    ("one", "bound", "one start / C, eight people at once, nothing judged", None),
    ("one", "numba", "one start / Polars with Numba", None),
    ("one", "scipy", "one start / SciPy", None),
    ("one", "lmfit", "one start / lmfit", None),
    ("one", "nls", "one start / R `nls`", None),
    ("bootstrap", "bootstrap-gsl", "bootstrap of 999 / `--engine gsl`", 10),
    ("saturable", "default", "default fit, Michaelis-Menten / Widmark", 0.1),
    ("saturable-one", "one", "one start, Michaelis-Menten / Widmark", None),
    ("compare", "fit", "`compare` / `fit`, each as it is", 2),
    ("sober", "fit", "`sober` / `fit`", 2),
    ("summary", "fit", "`sober --summary` / `fit`", 2),
    ("sober", "sober-lean", "`sober`, with intervals of predictions / C without", 1 / 1.5),
    ("sober", "sober-numpy", "`sober`, with intervals of predictions / NumPy without", None),
]


def print_ratios(bench: Bench) -> None:
    rows = [judged(label, bench.ratios(one, other), bar) for one, other, label, bar in RATIOS]
    both = [bench.output(name) for name in ("default", "jobs")]
    same = both[0].read_bytes() == both[1].read_bytes()
    label = f"`--jobs 2` / `--jobs 1`, by the clock; {'the same' if same else 'OTHER'} bytes"
    rows.append(judged(label, bench.ratios("jobs", "default", wall=True), 1.9))
    # What the machine allows: its processors may share memory, or be two threads of one.
    rows.append(judged("`--jobs 2` / two processes side by side, by the clock", bench.ratios("jobs", "pair", wall=True), 0.95))
    table(["speed of / speed of", "minimum", "median", "maximum", "at least", "met"], rows)


def judged(label: str, values: list[float], bar: float | None) -> list[str]:
    if not values:
        return [label, *[""] * 3, f"{bar:g}" if bar else "", "left out"]
    met = "" if bar is None else "yes" if median(values) >= bar else "MISSED"
    return [label, *map(digits, spread(values)), f"{bar:g}" if bar else "", met]


def rows_by_subject(path: Path) -> dict[str, tuple[list[float], float]]:
    """Estimates and the sum of squares; NaN where there are none."""

    def number(text: str) -> float:
        return math.nan if text in ("", "NA") else float(text)

    with path.open(newline="") as file:
        return {row["subject"]: ([number(row[name]) for name in ESTIMATES], number(row["rss"])) for row in csv.DictReader(file)}


def compare_estimates(bench: Bench) -> list[str]:
    """Holds the estimates of all to those of promille by default; what is wrong."""
    ours = rows_by_subject(bench.output("default"))
    rows, failures = [], []
    for name, program in bench.programs.items():
        is_own = name in ("one", "gsl")
        if program.missing or not (is_own or program.precisely):
            continue
        output = bench.output(name)
        if not is_own:
            output = bench.output(f"{name}-precisely")
            program.run(output, program.precisely)
        counts = dict.fromkeys(("same", "apart", "higher", "lower", "none", "open"), 0)
        for subject, (estimates, rss) in rows_by_subject(output).items():
            counts[agreement(*ours[subject], estimates, rss)] += 1
        rows.append([program.label, f"{program.people:,}", *(f"{count:,}" for count in counts.values())])
        if counts["lower"]:
            failures.append(f"{program.label} finds a lower sum of squares of {counts['lower']} people")
        if counts["apart"] > MOST_APART * program.people:
            failures.append(f"{program.label} finds other estimates at the same minimum of {counts['apart']} people")
    table(["estimates beside promille's eight starts", "people", "the same to 1e-6", "same sum of squares, others",
           "a higher minimum", "a lower one", "no fit", "not determined"], rows)  # fmt: skip
    return failures


def compare_times(bench: Bench) -> list[str]:
    """Holds times to sobriety and their errors to those of programs that were written apart; what is wrong."""

    def times(path: Path) -> dict[tuple[str, str], list[str]]:
        with path.open(newline="") as file:
            return {(row["subject"], row["method"]): [row["sober_predicted_min"], row["error_min"]]
                    for row in csv.DictReader(file)}  # fmt: skip

    def apart(one: str, other: str) -> float:
        if not one or not other:
            return math.inf if one != other else 0
        return abs(float(one) - float(other)) / max(1, abs(float(one)))

    ours = times(bench.output("sober"))
    rows, failures = [], []
    for name in ("sober-lean", "sober-numpy"):
        program = bench.programs[name]
        if program.missing:
            continue
        theirs = times(bench.output(name))
        most = math.inf if ours.keys() != theirs.keys() else max(
            apart(*pair) for key, own in ours.items() for pair in zip(own, theirs[key]))
        rows.append([program.label, f"{len(theirs):,}", f"{most:.1e}"])
        if not most <= SAME_TIME:
            failures.append(f"{program.label} has other times")
    table(["times and errors beside promille's", "rows", "largest difference, of a minute or more"], rows)
    return failures


def agreement(ours: list[float], our_rss: float, theirs: list[float], their_rss: float) -> str:
    if any(map(math.isnan, ours)):  # promille does not print what readings do not determine.
        return "open"
    if any(map(math.isnan, theirs)):
        return "none"
    if all(abs(b / a - 1) <= SAME_ESTIMATE for a, b in zip(ours, theirs)):
        return "same"
    if abs(their_rss / our_rss - 1) <= SAME_RSS:
        return "apart"
    return "lower" if their_rss < our_rss else "higher"


def machine() -> str:
    """The processor, the system and the date."""
    model = said_of("sysctl", "-n", "machdep.cpu.brand_string")
    if Path("/proc/cpuinfo").exists():
        names = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        model = names[0] if names else platform.machine()
    return f"{model}, {os.cpu_count()} processors, {platform.system()} {platform.machine()}, {datetime.date.today()}"


def print_machine(bench: Bench) -> None:
    versions = {"Promille": said_of(bench.promille, "--version"), "GSL": said_of("pkg-config", "--modversion", "gsl")}
    versions["compiler"] = said_of(os.environ.get("CC", "cc"), "--version")
    for program in bench.programs.values():
        versions |= program.versions
    print(f"{machine()}.")
    print(", ".join(f"{name} {version}" for name, version in versions.items() if version) + ".")
    print(f"Load of the last 15 minutes: {os.getloadavg()[2]:.1f}, of which this program's is 1; more makes figures worse.\n")


# What the picture shows, ours first.
PICTURED = [
    ("default", "Promille: eight starts, intervals"), ("one", "Promille: one start"), ("lean", "C with GSL, lean"),
    ("plain", "C with GSL"), ("scipy", "SciPy curve_fit"), ("nls", "R nls"), ("lmfit", "lmfit"),
]
STYLE = """text { font: 13px system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; fill: #1a1c1e; }
.faint { fill: #5b6167; font-size: 12px; } .sheet { fill: #fff; } .ours { fill: #035181; } .others { fill: #8a9096; }
@media screen and (prefers-color-scheme: dark) {
text { fill: #e4e6e8; } .faint { fill: #a3a9af; } .sheet { fill: #16181a; } .ours { fill: #4f9bdf; } .others { fill: #727272; }
}"""


def draw(bench: Bench, rounds: int, path: Path) -> None:
    """Draws a bar for each program that was there: people a second, the median of the rounds."""
    bars = [(label, program.people / median(program.seconds), name in ("default", "one"))
            for name, label in PICTURED if not (program := bench.programs[name]).missing]  # fmt: skip
    most = max(speed for _, speed, _ in bars)
    row, left, width = 28, 225, 420
    height = 34 + row * len(bars) + 46
    rounds_in_words = "once" if rounds == 1 else f"median of {rounds} rounds"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" width="720" height="{height}" role="img">',
        f"<title>People fitted a second on one core: {', '.join(f'{name} {digits(speed)}' for name, speed, _ in bars)}</title>",
        f'<style>\n{STYLE}\n</style>\n<rect class="sheet" width="100%" height="100%"/>',
        '<text class="faint" x="8" y="20">People fitted a second on one core: k_a, beta and r, 25 readings each, CSV to CSV</text>',
    ]
    for number, (label, speed, is_ours) in enumerate(bars):
        y, length = 34 + row * number, max(1, width * speed / most)
        lines += [
            f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{html.escape(label)}</text>',
            f'<rect class="{"ours" if is_ours else "others"}" x="{left}" y="{y + 3}" width="{length:.1f}" height="{row - 8}"/>',
            f'<text x="{left + length + 6:.1f}" y="{y + 17}">{digits(speed)}</text>',
        ]
    versions = {}
    for program in bench.programs.values():
        versions |= program.versions
    versions["Promille"] = said_of(bench.promille, "--version")
    notes = (f"Others: one start, no intervals. Processor time, {rounds_in_words}; {machine()}.",
             ", ".join(f"{name} {version}" for name, version in sorted(versions.items()) if version) + ".")  # fmt: skip
    lines += [f'<text class="faint" x="8" y="{height - 26 + 17 * number}">{html.escape(note)}</text>'
              for number, note in enumerate(notes)]  # fmt: skip
    path.write_text("\n".join([*lines, "</svg>", ""]), encoding="utf-8")


def population(bench: Bench, people: int) -> None:
    program = Program("promille population: k_a, beta and r differ, one start", people, [
        bench.promille, "population", bench.cohort(people), "--starts", "1", "--jobs", "1", "--format", "json", "--quiet"])
    program.run(bench.folder / "population.out")
    each = 1e3 * program.seconds[0] / people
    table(["population, once", "people", "ms of processor time a person", "at most", "met"],
          [[program.label, f"{people:,}", digits(each), "1", "yes" if each <= 1 else "MISSED"]])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille")
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--without-population", action="store_true")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(str(Path(options.promille).resolve()), options.people, Path(name))
        bench.measure(options.rounds)
        print_machine(bench)
        table(["k_a, beta and r, CSV to CSV, one core", "people", "µs a person, minimum", "median", "maximum", "people/s",
               "curves a person", "ns a curve"], [program.row() for program in bench.programs.values()])  # fmt: skip
        print_ratios(bench)
        if options.picture:
            draw(bench, options.rounds, options.picture)
        failures = compare_estimates(bench) + compare_times(bench)
        if not options.without_population:
            population(bench, options.people)
    if options.million:
        subprocess.run([sys.executable, ROOT / "Tests/Tools/cost.py", options.promille, "--most", "1000000"])
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()
