"""Write tables of expected numbers, or compare them with the checked-in ones.

Every maker script builds its tables as lists of rows and hands them to `deliver`, which either
writes them or, with `--check`, reports every cell that drifted.
"""

import csv
import math
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
EXPECTATIONS = REPOSITORY / "Tests" / "Expectations"
NACAR = REPOSITORY / "datasets" / "nacar-2021"

Row = dict[str, object]


@dataclass(frozen=True)
class Tolerance:
    """How far a recomputed number may be from the checked-in one."""

    relative: float = 0.0
    absolute: float = 0.0

    def accepts(self, expected: float, actual: float) -> bool:
        """Whether the two agree; infinities agree with themselves."""
        return math.isclose(expected, actual, rel_tol=self.relative, abs_tol=self.absolute)


@dataclass(frozen=True)
class Table:
    """A CSV file to be: its name, its rows and how closely each column must be met.

    Columns without a tolerance are compared as text; columns in `uncompared` are informative and
    may differ between versions of the libraries.
    """

    name: str
    rows: list[Row]
    tolerances: dict[str, Tolerance] = field(default_factory=dict)
    uncompared: frozenset[str] = frozenset()


def new_parser(description: str, output: Path = EXPECTATIONS) -> ArgumentParser:
    """A parser with the options all makers share."""
    parser = ArgumentParser(description=description)
    parser.add_argument("--output", type=Path, default=output, help="folder of the tables")
    parser.add_argument(
        "--check", action="store_true", help="compare with the tables there instead of writing"
    )
    return parser


def deliver(tables: list[Table], options: Namespace) -> int:
    """Write the tables or check them; the exit status."""
    if not options.check:
        options.output.mkdir(parents=True, exist_ok=True)
        for table in tables:
            write(table, options.output)
        return 0
    drifts = [drift for table in tables for drift in drifts_of(table, options.output)]
    for drift in drifts:
        print(drift, file=sys.stderr)
    print(f"{len(tables)} tables checked, {len(drifts)} drifts", file=sys.stderr)
    return 1 if drifts else 0


def write(table: Table, folder: Path) -> None:
    """Write one table as CSV."""
    with open(folder / table.name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table.rows[0])
        writer.writerows([text(value) for value in row.values()] for row in table.rows)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, by column name."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def text(value: object) -> str:
    """A cell: blank for None, and the shortest text that gives back the same double."""
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)


def drifts_of(table: Table, folder: Path) -> list[str]:
    """What differs between a table and its checked-in file, one line each."""
    path = folder / table.name
    if not path.exists():
        return [f"{table.name}: missing"]
    kept = read_rows(path)
    if len(kept) != len(table.rows):
        return [f"{table.name}: {len(kept)} rows kept, {len(table.rows)} computed"]
    if list(kept[0]) != list(table.rows[0]):
        return [f"{table.name}: the columns differ"]
    return [
        f"{table.name}:{line}: {column}: {old[column]} kept, {text(new[column])} computed"
        for line, (old, new) in enumerate(zip(kept, table.rows), start=2)
        for column in new
        if column not in table.uncompared
        and not agree(old[column], text(new[column]), table.tolerances.get(column))
    ]


def agree(kept: str, computed: str, tolerance: Tolerance | None) -> bool:
    """Whether two cells agree."""
    if kept == computed:
        return True
    if tolerance is None or not kept or not computed:
        return False
    return tolerance.accepts(float(kept), float(computed))
