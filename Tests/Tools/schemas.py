#!/usr/bin/env python3
"""Holds what the command prints as JSON to the schemas, with a complete validator.

    python3 Tests/Tools/schemas.py PROMILLE

The schemas are made from the declarations of columns, by `ResultCatalogue` of the module Reporting. Needs
the package jsonschema.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = Path(__file__).resolve().parents[2]

COMMANDS = [
    "check datasets/nacar-2021",
    "check Tests/Golden/worked-examples",
    "check {folder}/unreadable",
    "fit datasets/nacar-2021 --estimate ka,beta,r",
    "fit datasets/nacar-2021 --r-factor ulrich",
    "fit datasets/nacar-2021 --estimate ka,beta,r --summary",
    "fit datasets/nacar-2021 --error combined:0.01,0.05 --interval wald",
    "fit datasets/nacar-2021 --method elimination-line",
    "fit datasets/nacar-2021 --model all --estimate ka,beta,r",
    "sober datasets/nacar-2021",
    "sober datasets/nacar-2021 --summary",
    "sober datasets/nacar-2021 --predictions datasets/nacar-2021/thesis-predictions.csv",
    "compare datasets/nacar-2021",
    "compare datasets/nacar-2021 --summary --by sex",
    "compare Tests/Golden/worked-examples",
    "compare Tests/Golden/worked-examples --summary",
    "regress Tests/Golden/worked-examples",
    "regress --nist",
    "import datasets/nacar-2021 --into {folder}/study.sqlite",
    "bench",
    "export datasets/nacar-2021 --to json",
    "drinks",
    "init {folder}/template",
    "population datasets/made-up-24 --common ka --random beta,r --starts 1 --blood-breath-ratio 2100",
    "case back --sex male --measured 95 --measured-sd 2 --unit bac_mg_per_100ml --measured-at 2024-03-02T00:30 "
    "--drinking-ended 2024-03-01T20:00 --at 2024-03-01T22:30",
    "forecast datasets/nacar-2021 --prior fasted",
    "forecast datasets/nacar-2021 --prior fasted --score",
    "regress --engines datasets/nacar-2021 --people 0",
    "audit {folder}/study.sqlite",
    "audit {folder}/study.sqlite --verify",
]
"""What is run to see that schemas hold."""

READ = {"common", "case-file"}
"""What others refer to, and what the command reads and never prints."""


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    schemas = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "schemas").glob("*.schema.json"))
    }
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    registry = Registry().with_resources(
        [(schema["$id"], Resource.from_contents(schema)) for schema in schemas.values()]
    )
    with tempfile.TemporaryDirectory() as folder:
        make_unreadable(Path(folder) / "unreadable")
        documents = {command: printed(sys.argv[1], command, folder) for command in COMMANDS}
    seen, wrong = set(), 0
    for command, document in documents.items():
        name = kind_of(document, schemas)
        validator = Draft202012Validator(schemas[name], registry=registry)
        errors = [error.message for error in validator.iter_errors(document)]
        wrong += bool(errors)
        seen.add(name)
        print(f"{command}: {name}: {'; '.join(errors) or 'valid'}")
    unseen = set(schemas) - seen - READ
    if wrong or unseen:
        sys.exit(f"{wrong} documents are not valid; never printed: {', '.join(unseen) or 'none'}")


def printed(promille: str, command: str, folder: str) -> dict:
    arguments = command.format(folder=folder).split()
    form = [] if "--to" in arguments else ["--format", "json"]
    run = subprocess.run(
        [promille, *arguments, *form, "--quiet"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )
    return json.loads(run.stdout)


def make_unreadable(folder: Path) -> None:
    folder.mkdir()
    for name in ("subjects.csv", "drinks.csv"):
        (folder / name).write_text("", encoding="utf-8")


def kind_of(document: dict, schemas: dict[str, dict]) -> str:
    """The name of the schema that a document has to follow, by its members."""
    return next(
        name
        for name, schema in schemas.items()
        if set(schema.get("properties", {})) == set(document)
    )


if __name__ == "__main__":
    main()
