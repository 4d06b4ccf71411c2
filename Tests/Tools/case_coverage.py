#!/usr/bin/env python3
"""Does a back calculation hold the truth? Asked of measured people.

    python3 Tests/Tools/case_coverage.py [--promille PATH] [--data FOLDER] [--write]

From every later reading of a person `promille case back` goes back to an earlier one, 1, 2, 3 or 4 h (+- 15 min)
before, with both at least 2 h after the end of drinking and at 0.2 g/kg or more, as the command asks; then also
with 1 h, which gives more pairs and shows what the second hour is good for. Counted is how often the guideline's range (UKIAFT) and the 95 % interval of the Monte Carlo mode hold the earlier reading.
Nothing is known of the person but the sex, and the later reading has no analytical SD: the readings' own
errors, which are in the truth as well, are not allowed for.

Then by the population that beta is taken from, and by how much the SD of beta would have to be widened for the
interval to hold 95 % of the pairs of all studies but one, with how much of that one it then holds. Nothing of this
went into the intervals: they are those of the literature.

Pairs of one person are not independent, so that the numbers of people stand beside those of pairs.
--write puts the table into the article of Casework, between its marks.
"""

import csv
import io
import subprocess
import sys
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from expectations import REPOSITORY

ARTICLE = REPOSITORY / "Sources/Casework/Documentation.docc/Casework.md"
STUDIES = {
    "wilkinson-1977-oral": "Wilkinson 1977",
    "thierauf-emberger-2023": "Thierauf-Emberger 2023",
    "mumenthaler-2000-individual": "Mumenthaler 2000 (one person)",
    "hip-flask": "hip-flask scenarios",
}
TO_BLOOD = {"bac_g_per_l": 1 / 1.055, "serum_g_per_l": 1 / 1.055 / 1.16, "bac_mg_per_100ml": 0.01 / 1.055}
GAPS = (1, 2, 3, 4)
ABSORBED_MIN = (120, 60)
LOWEST = 0.2
POPULATIONS = ("unknown", "drivers", "volunteers")
BEGIN, END = "<!-- coverage -->", "<!-- /coverage -->"


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def clock(minutes):
    """Minutes since the first drink, which is at noon, as the command takes times."""
    days, rest = divmod(round(minutes * 60) + 12 * 3600, 86400)
    return f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}+{days}"


def pairs(folder, absorbed):
    """Gap, person, sex, unit, end of drinking, earlier and later reading."""
    sexes = {row["subject"]: row["sex"] for row in rows(folder / "subjects.csv")}
    series = {}
    for row in rows(folder / "drinks.csv"):
        key = (row["subject"], row.get("occasion"))
        end = float(row["time_min"]) + float(row["duration_min"] or 0)
        series.setdefault(key, ([], []))[0].append(end)
    for row in rows(folder / "readings.csv"):
        unit = next(name for name in TO_BLOOD if name in row)
        series[row["subject"], row.get("occasion")][1].append((float(row["time_min"]), float(row[unit])))
    for (subject, _), (ends, readings) in series.items():
        for end, limit in steps(ends):
            usable = [
                (time, value)
                for time, value in readings
                if end + absorbed <= time <= limit and value * TO_BLOOD[unit] >= LOWEST
            ]
            for earlier in usable:
                for later in usable:
                    gap = (later[0] - earlier[0]) / 60
                    near = next((hours for hours in GAPS if abs(gap - hours) <= 0.25), None)
                    if near:
                        yield near, subject, sexes[subject], unit, end, earlier, later


def steps(ends):
    """The ends of drinking, each with when the next drink is near: readings between belong to it."""
    ordered = sorted(ends)
    last = [end for end, after in zip(ordered, ordered[1:] + [None]) if after is None or after - end > 90]
    return [(end, after - 45 if after else float("inf")) for end, after in zip(last, last[1:] + [None])]


def answer(promille, pair, mode, absorbed, population="unknown"):
    """Low, most likely and high of the earlier concentration, in the unit of the readings."""
    _, _, sex, unit, end, earlier, later = pair
    command = [
        promille, "case", "back", "--sex", sex, "--measured", str(later[1]), "--unit", unit,
        "--measured-at", clock(later[0]), "--at", clock(earlier[0]), "--drinking-ended", clock(end),
        "--absorbed-after", str(absorbed), "--beta-population", population, "--mode", mode, "--quiet", "--format", "csv",
    ]
    if mode == "monte-carlo":
        command += ["--draws", "20000", "--jobs", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{' '.join(command)}: {run.stderr}")
    row = next(csv.DictReader(io.StringIO(run.stdout)))
    return tuple(float(row[name]) for name in ("low", "likeliest", "high"))


def answers(promille, found, mode, absorbed, population="unknown"):
    """Those of all pairs."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda pair: answer(promille, pair, mode, absorbed, population), found))


def outside(pair, ends):
    """Whether the truth is below, and above, what an answer says."""
    return pair[5][1] < ends[0], pair[5][1] > ends[-1]


def table(promille, data, absorbed):
    """The table in Markdown for readings so many minutes after the end of drinking."""
    lines = [
        "| gap | people | pairs | guideline holds | below | above | 95 % interval holds | below | above |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    totals = {gap: ([], set()) for gap in GAPS}
    for folder in STUDIES:
        found = list(pairs(data / folder, absorbed))
        both = [answers(promille, found, mode, absorbed) for mode in ("guideline", "monte-carlo")]
        for pair, *ranges in zip(found, *both):
            gap, subject = pair[0], pair[1]
            totals[gap][0].append([outside(pair, ends) for ends in ranges])
            totals[gap][1].add((folder, subject))
    for gap in GAPS:
        if totals[gap][0]:
            lines.append(line(gap, len(totals[gap][1]), totals[gap][0]))
    return "\n".join(lines)


def by_population(promille, data):
    """The table by population, of all readings as the command asks for them."""
    found = [pair for folder in STUDIES for pair in pairs(data / folder, ABSORBED_MIN[0])]
    lines = ["| beta of | mode | pairs | holds | below | above |", "|---|---|---|---|---|---|"]
    for population in POPULATIONS:
        for mode in ("guideline", "monte-carlo"):
            ranges = answers(promille, found, mode, ABSORBED_MIN[0], population)
            below, above = (sum(side) for side in zip(*map(outside, found, ranges)))
            lines.append(f"| {population} | {mode} | {len(found)} | {len(found) - below - above} | {below} | {above} |")
    return "\n".join(lines)


def left_out(promille, data):
    """How wide the interval has to be by all other studies, and what it then holds of one."""
    by_study = {}
    for folder in STUDIES:
        found = list(pairs(data / folder, ABSORBED_MIN[0]))
        by_study[folder] = list(zip(found, answers(promille, found, "monte-carlo", ABSORBED_MIN[0])))

    def misses(rows, factor):
        ends = lambda low, middle, high: (middle + factor * (low - middle), middle + factor * (high - middle))
        return sum(any(outside(pair, ends(*range_))) for pair, range_ in rows)

    lines = ["| study left out | factor by the others | pairs | holds |", "|---|---|---|---|"]
    for folder, rows in by_study.items():
        others = [row for other, those in by_study.items() if other != folder for row in those]
        factors = (step / 20 for step in range(10, 61))
        factor = next((one for one in factors if misses(others, one) <= 0.05 * len(others)), 3)
        if rows:
            lines.append(f"| {STUDIES[folder]} | {factor:.2f} | {len(rows)} | {len(rows) - misses(rows, factor)} |")
    return "\n".join(lines)


def line(gap, people, outside):
    """A row: how often the truth was inside, below and above each of the two ranges."""
    count = len(outside)
    cells = []
    for mode in (0, 1):
        below = sum(one[mode][0] for one in outside)
        above = sum(one[mode][1] for one in outside)
        cells += [f"{100 * (count - below - above) / count:.0f} %", str(below), str(above)]
    return f"| {gap} h | {people} | {count} | {' | '.join(cells)} |"


def main():
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--promille", default=str(REPOSITORY / ".build/release/promille"))
    parser.add_argument("--data", type=Path, default=REPOSITORY / "../shared/data", help="folder of the studies")
    parser.add_argument("--write", action="store_true", help="put the table into the article")
    arguments = parser.parse_args()
    text = "\n\n".join(
        f"Both readings at least {absorbed} min after the end of drinking:\n\n"
        + table(arguments.promille, arguments.data, absorbed)
        for absorbed in ABSORBED_MIN
    )
    text += "\n\nBy the population that beta is taken from, at least 120 min after the end of drinking:\n\n"
    text += by_population(arguments.promille, arguments.data)
    text += "\n\nBy what factor the SD of beta would be widened to hold 95 % of the other studies' pairs:\n\n"
    text += left_out(arguments.promille, arguments.data)
    print(text)
    if arguments.write:
        article = ARTICLE.read_text(encoding="utf-8")
        head, rest = article.split(BEGIN)
        tail = rest.split(END)[1]
        ARTICLE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
