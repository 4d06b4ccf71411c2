#!/usr/bin/env python3
"""Checks what `promille` shows of long work on a terminal, and that it shows nothing elsewhere.

    python3 Tests/Tools/progress.py .build/release/promille

Feeds `promille fit -` with subjects, slowly, while standard error is a pseudo terminal, another file
or closed. A terminal is played as far as the command uses one (carriage return, line feed, erase to
the end of the line), to see what is left on it at the end.
"""

import argparse
import os
import pty
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HEADER = "ID,TIME,AMT,DV,SEX,AGE,HT,WT\n"
READINGS = [(0.25, 0.494), (0.5, 0.652), (1, 0.675), (2, 0.54), (3, 0.39), (4, 0.24)]
# Work over a second shows something, at most five times a second.
SUBJECTS, PAUSE = 12, 0.2
LINE = re.compile(r"\d+ (of \d+ )?series, [\d.]+ series/s(, \d+ (s|min) left)?")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", type=Path)
    command = str(parser.parse_args().promille.resolve())
    failures = long_work(command) + faults(command) + short_work(command) + no_terminal(command)
    failures += whole_study(command)
    if failures:
        sys.exit("\n".join(failures))


def long_work(command: str) -> list[str]:
    """Something is shown while it lasts, and nothing is left of it."""
    shown = on_terminal(command, [rows(f"s{i}") for i in range(SUBJECTS)], PAUSE)
    lines = [line for line in re.split(r"[\r\n]", shown) if line.replace("\x1b[K", "")]
    print(f"long work: {len(lines)} times, as {lines[-1:]}")
    failures = []
    if len(lines) < 2:
        failures.append(f"long work: shown {len(lines)} times: {shown!r}")
    if len(lines) > SUBJECTS:
        failures.append(f"long work: shown {len(lines)} times, more often than there are series")
    failures += [
        f"long work: {line!r} is no progress"
        for line in lines
        if not LINE.fullmatch(line.removesuffix("\x1b[K"))
    ]
    if screen(shown) != [""]:
        failures.append(f"long work: leaves {screen(shown)}")
    if on_terminal(command, [rows(f"s{i}") for i in range(SUBJECTS)], PAUSE, "--quiet"):
        failures.append("long work: --quiet is not")
    return failures


def faults(command: str) -> list[str]:
    """What is wrong with a subject stands in lines of its own."""
    bad = rows("bad").replace("1,.,", "1,.,-")
    subjects = [rows(f"s{i}") for i in range(SUBJECTS - 2)] + [bad, rows("last")]
    left = screen(on_terminal(command, subjects, PAUSE))
    print(f"faults: {left}")
    if len(left) != 3 or "error E_" not in left[0] or "no result" not in left[1] or left[2]:
        return [f"faults: leaves {left}"]
    return []


def short_work(command: str) -> list[str]:
    shown = on_terminal(command, [rows("s1"), rows("s2")], 0)
    return [f"short work: {shown!r} is shown"] if shown else []


def whole_study(command: str) -> list[str]:
    """A study that is fitted at once, as for a table, shows the same, of how many series there are."""
    with tempfile.TemporaryDirectory() as folder:
        study = f"{folder}/study"
        subprocess.run([command, "simulate", "--cohort", "4000", "-o", study, "-q"], check=True)
        shown = terminal_of(lambda errors: subprocess.run(
            [command, "fit", study, "--format", "table", "--jobs", "1"],
            stdout=subprocess.DEVNULL, stderr=errors, check=False))
    lines = [line for line in re.split(r"[\r\n]", shown) if " of 4000 series" in line]
    print(f"whole study: {len(lines)} times, as {lines[-1:]}")
    wrong = [line for line in lines if not LINE.fullmatch(line.removesuffix("\x1b[K"))]
    if len(lines) < 2 or wrong or any("series/s" in line for line in screen(shown)):
        return [f"whole study: shows {shown[-400:]!r}"]
    return []


def no_terminal(command: str) -> list[str]:
    subjects = [rows(f"s{i}") for i in range(SUBJECTS)]
    with tempfile.TemporaryFile() as errors:
        run(command, subjects, PAUSE, errors.fileno())
        errors.seek(0)
        said = errors.read()
    return [f"no terminal: {said!r} is shown"] if said else []


def rows(name: str) -> str:
    # Errors of their own: were they the same in all, the fit would warn of what the study shows.
    errors = random.Random(name)
    readings = "".join(
        f"{name},{t},.,{c + errors.gauss(0, 0.01):.3f},m,40,175,70\n" for t, c in READINGS
    )
    return f"{name},0,40,.,m,40,175,70\n" + readings


def on_terminal(command: str, subjects: list[str], pause: float, *options: str) -> str:
    """What the command writes to a terminal that its standard error is."""
    return terminal_of(lambda errors: run(command, subjects, pause, errors, *options))


def terminal_of(work) -> str:
    """What is written to a terminal while something works that is given its descriptor."""
    ours, theirs = pty.openpty()
    written = []

    def listen() -> None:
        try:
            while block := os.read(ours, 4096):
                written.append(block)
        except OSError:  # Linux reports an error where other systems report the end.
            pass

    listener = threading.Thread(target=listen)
    listener.start()
    work(theirs)
    os.close(theirs)
    listener.join()
    os.close(ours)
    return b"".join(written).decode()


def run(command: str, subjects: list[str], pause: float, errors: int, *options: str) -> None:
    process = subprocess.Popen(
        [command, "fit", "-", "--interval", "none", "--format", "csv", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env={**os.environ, "NO_COLOR": "1"},
    )
    process.stdin.write(HEADER.encode())
    for subject in subjects:
        process.stdin.write(subject.encode())
        process.stdin.flush()
        time.sleep(pause)
    process.stdin.close()
    if process.wait() not in (0, 1):
        sys.exit(f"{command} ended with {process.returncode}")


def screen(text: str) -> list[str]:
    """The lines that a terminal shows after a text."""
    lines, column = [""], 0
    for part in re.findall(r"\x1b\[K|[\r\n]|[^\x1b\r\n]+", text):
        if part == "\r":
            column = 0
        elif part == "\n":
            lines.append("")
            column = 0
        elif part == "\x1b[K":
            lines[-1] = lines[-1][:column]
        else:
            lines[-1] = lines[-1][:column].ljust(column) + part + lines[-1][column + len(part) :]
            column += len(part)
    return lines


if __name__ == "__main__":
    main()
