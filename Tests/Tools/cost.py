#!/usr/bin/env python3
"""What reading, fitting and writing cost against the number of subjects, as a table and a picture.

    python3 Tests/Tools/cost.py PROMILLE [--most N] [--write FILE.svg]

Simulates cohorts from 10 to N subjects with 25 readings each, fits k_a and beta of everybody from one
start, and prints seconds of the processor and the peak of memory. Exits 1 unless the cost is linear: between
the two largest cohorts the time a subject takes changes by less than a third. Memory is to be flat, at most
1.1 times that of a tenth of the subjects; the bar is printed, met or missed. With --write the picture is
drawn, too.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

READINGS = 25
MOST_GROWTH = 1.1


def main() -> None:
    arguments = parsed_arguments()
    print("| subjects | processor time, s | peak memory, MiB |\n|---|---|---|")
    rows = []
    count = 10
    while count <= arguments.most:
        rows.append((count, *cost(arguments.promille, count)))
        print(f"| {count:,} | {rows[-1][1]:.2f} | {rows[-1][2]:.1f} |", flush=True)
        count *= 10
    if arguments.write:
        draw(rows, arguments.write)
    per_subject = [seconds / count for count, seconds, _ in rows]
    change = per_subject[-1] / per_subject[-2]
    growth = rows[-1][2] / rows[-2][2]
    print(f"\nA subject costs {change:.2f} times as much at the largest size as at the one before. "
          f"Memory is {growth:.2f} times as much, at most {MOST_GROWTH}: {'met' if growth <= MOST_GROWTH else 'MISSED'}.")
    sys.exit(0 if 2 / 3 < change < 3 / 2 else 1)


def cost(promille: str, count: int) -> tuple[float, float]:
    """Seconds of the processor on one core, and the peak of memory in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "cohort"
        subprocess.run(
            [promille, "simulate", "--cohort", str(count), "--seed", "1", "--readings",
             str(READINGS), "-o", study],
            check=True, capture_output=True,
        )  # fmt: skip
        command = [promille, "fit", study, "--r-factor", "0.68", "--starts", "1", "--interval", "none",
                   "--jobs", "1", "--format", "csv", "--quiet", "-o", Path(folder) / "fits.csv"]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            sys.exit(f"fit of {count} subjects ended with {os.waitstatus_to_exitcode(status)}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def draw(rows: list[tuple[int, float, float]], path: Path) -> None:
    """A chart with logarithmic axes, as SVG."""
    (width, height), (left, right, top, bottom) = (640, 400), (70, 40, 20, 50)
    lowest = math.floor(math.log10(min(seconds for _, seconds, _ in rows)))
    highest = math.ceil(math.log10(max(seconds for _, seconds, _ in rows)))
    first, last = (math.log10(rows[place][0]) for place in (0, -1))

    def place(count: float, seconds: float) -> tuple[float, float]:
        x = left + (math.log10(count) - first) / (last - first) * (width - left - right)
        part = (math.log10(seconds) - lowest) / (highest - lowest)
        return round(x, 1), round(height - bottom - part * (height - top - bottom), 1)

    parts = []
    for power in range(round(first), round(last) + 1):
        x, y = place(10**power, 10**lowest)
        parts.append(f'<path class="grid" d="M{x} {y}V{top}"/>')
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(lowest, highest + 1):
        x, y = place(rows[0][0], 10**power)
        parts.append(f'<path class="grid" d="M{x} {y}H{width - right}"/>')
        parts.append(f'<text x="{x - 6}" y="{y + 5}" text-anchor="end">{10.0**power:g}</text>')
    slope = rows[-1][1] / rows[-1][0]
    start = max(rows[0][0], 10**lowest / slope)
    ends = [place(start, slope * start), place(rows[-1][0], rows[-1][1])]
    parts.append('<path class="line" stroke="#7f7f7f" stroke-dasharray="6 4" d="M{} {}L{} {}"/>'.format(*ends[0], *ends[1]))
    points = [place(count, seconds) for count, seconds, _ in rows]
    line = "L".join(f"{x} {y}" for x, y in points)
    parts.append(f'<path class="line" stroke="#0072b2" d="M{line}"/>')
    parts += [f'<circle cx="{x}" cy="{y}" r="4" fill="#0072b2"/>' for x, y in points]
    middle = (left + width - right) / 2
    parts.append(f'<text x="{middle}" y="{height - 10}" text-anchor="middle">subjects, {READINGS} readings each</text>')
    parts.append(f'<text transform="translate(18 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">'
                 "seconds on one core</text>")  # fmt: skip
    parts.append(f'<text x="{left + 14}" y="{top + 18}" fill="#0072b2">promille fit</text>')
    parts.append(f'<text x="{left + 14}" y="{top + 36}" fill="#666">dashed: proportional</text>')
    style = "text{font:14px sans-serif}.grid{stroke:#d0d0d0}.line{fill:none;stroke-width:2}"
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}"><title>Seconds of a fit against the number of subjects</title><style>{style}</style>'
        f'<path fill="#fff" d="M0 0H{width}V{height}H0Z"/>\n' + "\n".join(parts) + "\n</svg>\n",
        encoding="utf-8")  # fmt: skip


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command to measure")
    parser.add_argument("--most", type=int, default=100_000, help="the largest cohort")
    parser.add_argument("--write", type=Path, help="draw the picture into this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
