#!/usr/bin/env python3
"""Exports results with a notebook, runs it with nbconvert and compares with what is checked in.

    python3 Tests/Tools/notebook.py PROMILLE [--write]

Needs the packages that the notebook names in its requirements.txt, and pyarrow. Compared are the tables, number by
number (relatively 1e-5, absolutely 1e-9: minima are found to about eight digits), the cells, and what
the cells print, to the letter: it is rounded. Pictures are not compared; they have to be there. --write
takes the new ones instead: look at them.
"""

import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STUDY = "datasets/nacar-2021"
KEPT = ROOT / "notebooks-export/nacar-2021"
OPTIONS = ["--estimate", "ka,beta,r"]
LEAST_PICTURES = 6
IGNORED = {"iterations", "starts_at_best", "condition"}
"""Columns that tell how a search went."""


def main() -> None:
    arguments = parsed_arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "export"
        export(arguments.promille, folder)
        execute(arguments.promille, folder)
        problems = pictures(folder)
        if arguments.write:
            shutil.rmtree(KEPT, ignore_errors=True)
            shutil.copytree(folder, KEPT)
        else:
            problems += different_files(folder) + different_cells(folder)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{KEPT.relative_to(ROOT)}: as checked in")


def export(promille: str, folder: Path) -> None:
    command = [str(Path(promille).resolve()), "export", STUDY, "--notebook", "-o", str(folder)]
    subprocess.run([*command, *OPTIONS], cwd=ROOT, check=True)


def execute(promille: str, folder: Path) -> None:
    """Runs the notebook with the Python package of the sources, and the command under test."""
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace"]
    tested = {"PROMILLE_COMMAND": str(Path(promille).resolve()), "PYTHONPATH": str(ROOT / "python/src")}
    subprocess.run(
        [*command, "--log-level=ERROR", "results.ipynb"],
        cwd=folder, check=True, timeout=600, env={**os.environ, **tested},
    )
    strip_times(folder / "results.ipynb")


def strip_times(path: Path) -> None:
    """Takes out what differs from run to run: when each cell ran."""
    notebook = read_json(path)
    for cell in notebook["cells"]:
        cell["metadata"].pop("execution", None)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def pictures(folder: Path) -> list[str]:
    notebook = read_json(folder / "results.ipynb")
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    count = sum("image/png" in output.get("data", {}) for output in outputs)
    return [] if count >= LEAST_PICTURES else [f"the notebook draws {count} pictures only"]


def different_files(folder: Path) -> list[str]:
    old, new = ({p.relative_to(f) for f in [base] for p in base.rglob("*") if p.is_file()}
                for base in (KEPT, folder))
    problems = [f"{path} is there only in one" for path in sorted(old ^ new)]
    for path in sorted(old & new):
        if path.suffix == ".csv":
            problems += different_rows(path, rows(KEPT / path), rows(folder / path))
    return problems


def different_rows(path: Path, old: list[dict], new: list[dict]) -> list[str]:
    if len(old) != len(new) or (old and list(old[0]) != list(new[0])):
        return [f"{path}: other rows or columns"]
    return [
        f"{path}: row {index}, {column}: {before[column]} -> {after[column]}"
        for index, (before, after) in enumerate(zip(old, new), 1)
        for column in before
        if column not in IGNORED and not same(before[column], after[column])
    ]


def same(old: str, new: str) -> bool:
    try:
        return math.isclose(float(old), float(new), rel_tol=1e-5, abs_tol=1e-9)
    except ValueError:
        return old == new


def different_cells(folder: Path) -> list[str]:
    old, new = (read_json(base / "results.ipynb")["cells"] for base in (KEPT, folder))
    if [cell["source"] for cell in old] != [cell["source"] for cell in new]:
        return ["results.ipynb: other cells"]
    return [
        f"results.ipynb: the cell {before['id']} prints something else"
        for before, after in zip(old, new)
        if printed(before) != printed(after)
    ]


def printed(cell: dict) -> list[str]:
    outputs = cell.get("outputs", [])
    texts = [output.get("text") or output.get("data", {}).get("text/plain", []) for output in outputs]
    return ["".join(text) for text in texts]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_json(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", help="the command")
    parser.add_argument("--write", action="store_true", help="take what is new")
    return parser.parse_args()


if __name__ == "__main__":
    main()
