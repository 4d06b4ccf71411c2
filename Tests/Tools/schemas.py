#!/usr/bin/env python3
"""Makes the JSON Schemas of all results from the page that documents their columns.

    python3 Tests/Tools/schemas.py [--check] [--validate PROMILLE]

Writes schemas/*.schema.json (draft 2020-12), a file per kind of document and one for what they
share. --check only compares; --validate runs the command and says whether what it prints is as the
schemas want it, which needs the package jsonschema.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/Reporting/Documentation.docc/Columns.md"
REPORT = ROOT / "Sources/Reporting/Reports/Report.swift"
FOLDER = ROOT / "schemas"

DOCUMENTS = {
    "check": ("check", ["series", "findings"]),
    "check-estimates": ("check", ["estimates", "findings"]),
    "check-unreadable": ("check", ["findings"]),
    "fit": ("fit", ["fits", "starts", "correlations", "study", "pooled_residuals"]),
    "fit-summary": ("fit", ["parameters", "study", "pooled_residuals"]),
    "fit-elimination-line": ("fit", ["lines"]),
    "fit-models": ("fit", ["models", "model_evidence"]),
    "sober": ("sober", ["times"]),
    "compare": ("compare", ["comparisons", "error_tests", "pooled_errors"]),
    "compare-summary": (
        "compare",
        ["methods", "rankings", "pairs", "sobriety", "error_tests", "pooled_errors"],
    ),
    "compare-estimates": ("compare", ["r_comparisons", "r_summary", "blood_breath_ratio"]),
    "compare-estimates-summary": (
        "compare",
        ["r_summary", "rankings", "pairs", "blood_breath_ratio"],
    ),
    "regress": ("regress", ["drifts", "results"]),
    "regress-nist": ("regress", ["certification", "averages"]),
    "import": ("import", ["imported"]),
    "runs": ("runs", ["runs"]),
    "runs-show": ("runs", ["values", "options"]),
    "runs-compare": ("runs", ["differences", "options=changed_options"]),
    "vitals": ("vitals", ["days", "crossings"]),
    "vitals-settings": ("vitals", ["settings"]),
    "bench": ("bench", ["benchmark", "machine"]),
}
"""Which command makes a document, and the tables in it; after = under which name the page has them."""

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
    "sober datasets/nacar-2021 --predictions datasets/nacar-2021/thesis-predictions.csv",
    "compare datasets/nacar-2021",
    "compare datasets/nacar-2021 --summary --by sex",
    "compare Tests/Golden/worked-examples",
    "compare Tests/Golden/worked-examples --summary",
    "regress Tests/Golden/worked-examples",
    "regress --nist",
    "import datasets/nacar-2021 --into {folder}/study.sqlite",
    "sober datasets/nacar-2021 --store {folder}/study.sqlite",
    "fit datasets/nacar-2021 --estimate ka,beta,r --store {folder}/study.sqlite",
    "runs {folder}/study.sqlite",
    "runs {folder}/study.sqlite --show 2",
    "runs {folder}/study.sqlite --compare 1 2",
    "vitals {folder}/study.sqlite",
    "vitals {folder}/study.sqlite --settings",
    "bench",
    "export datasets/nacar-2021 --to json",
]
"""What is run to see that schemas hold."""

TYPES = {
    "text": {"type": "string"},
    "count": {"type": "integer", "minimum": 0},
    "number": {"type": "number"},
}


def main() -> None:
    arguments = parsed_arguments()
    if arguments.validate:
        validate(arguments.validate)
        return
    texts = {f"{name}.schema.json": text(schema) for name, schema in schemas().items()}
    stale = [name for name, text in texts.items() if current(FOLDER / name) != text]
    stale += [path.name for path in FOLDER.glob("*.json") if path.name not in texts]
    if arguments.check:
        if stale:
            sys.exit(f"not made from {PAGE.name}: {', '.join(stale)}; run Tests/Tools/schemas.py")
        return
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for name, content in texts.items():
        (FOLDER / name).write_text(content, encoding="utf-8")


def schemas() -> dict[str, dict]:
    """Every schema by its name."""
    version = schema_version()
    tables = documented_tables()
    common = {"provenance": provenance(), **{name: row(tables[name]) for name in tables}}
    found = {"common": {**head("common", version), "$defs": common}}
    for name, (command, sections) in DOCUMENTS.items():
        found[name] = document(name, version, command, sections)
    found["study"] = {**head("study", version), **study(version)}
    return found


def schema_version() -> int:
    match = re.search(r"schemaVersion = (\d+)", REPORT.read_text(encoding="utf-8"))
    return int(match.group(1))


def head(name: str, version: int) -> dict:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://promille.invalid/schemas/{version}/{name}.schema.json",
    }


def document(name: str, version: int, command: str, sections: list[str]) -> dict:
    table = {}
    for section in sections:
        key, _, documented = section.partition("=")
        reference = f"common.schema.json#/$defs/{documented or key}"
        table[key] = {"type": "array", "items": {"$ref": reference}}
    shared = {
        "schema_version": {"const": version},
        "provenance": {
            "$ref": "common.schema.json#/$defs/provenance",
            "properties": {"command": {"const": command}},
        },
    }
    return {**head(name, version), **closed({**shared, **table})}


def closed(properties: dict, **optional: dict) -> dict:
    """An object that has these members, all of them, and no others but the optional ones."""
    return {
        "type": "object",
        "properties": {**properties, **optional},
        "required": list(properties),
        "additionalProperties": False,
    }


def provenance() -> dict:
    digest = closed({"file": {"type": "string"}, "sha256": {"type": "string"}})
    positive = {"type": "number", "exclusiveMinimum": 0}
    factors = ["blood_density_kg_per_l", "blood_breath_ratio", "serum_blood_ratio"]
    return closed(
        {
            "tool": {"const": "promille"},
            "version": {"type": "string"},
            "command": {"type": "string"},
            "options": {"type": "object"},
            "inputs": {"type": "array", "items": digest},
            "conversion_factors": closed({name: positive for name in factors}),
        }
    )


def study(version: int) -> dict:
    """What export --to json writes: the names and units are those of study files."""
    text, number = {"type": "string"}, {"type": "number"}
    maybe_text, maybe_number = {"type": ["string", "null"]}, {"type": ["number", "null"]}
    times = {"time_min": number, "duration_min": number}
    uuid = {"description": "only of a record that was given one", **text}
    doses = ("ethanol_g", "ethanol_g_per_kg")
    route = {"description": "of a dose that is not oral", "const": "iv"}
    drink = {
        "anyOf": [closed({**times, dose: number}, uuid=uuid, route=route) for dose in doses]
    }
    reading = closed(
        {
            "time_min": number,
            "value": number,
            "unit": {"description": "the name of a column of readings.csv", **text},
            "lod": {"description": "limit of detection, in the unit", **maybe_number},
            "exclude": {"type": "boolean"},
        },
        uuid=uuid,
    )
    measures = {name: maybe_number for name in ("age_y", "height_cm", "weight_kg")}
    subject = closed(
        {
            "subject": text,
            "sex": {"enum": ["male", "female", None]},
            **measures,
            "covariates": {"type": "object"},
        }
    )
    series = closed(
        {
            "subject": subject,
            "occasion": maybe_text,
            "drinks": {"type": "array", "items": drink},
            "readings": {"type": "array", "items": reading},
        }
    )
    vital = closed(
        {
            "subject": text,
            "kind": text,
            "start": {"description": "a day, or a moment with its offset from UTC", **text},
            "end": maybe_text,
            "value": number,
            "unit": maybe_text,
            "source": maybe_text,
        },
        uuid=uuid,
    )
    facts = ["resolution", "relative_accuracy", "limit_of_detection", "mouth_alcohol_window_min"]
    instrument = closed({"name": maybe_text, **{fact: maybe_number for fact in facts}})
    return closed(
        {
            "schema_version": {"const": version},
            "name": text,
            "title": maybe_text,
            "instrument": {"anyOf": [instrument, {"type": "null"}]},
            "series": {"type": "array", "items": series},
            "vitals": {"type": "array", "items": vital},
        }
    )


def documented_tables() -> dict[str, list[list[str]]]:
    """The rows of each table of the page: column, unit, type and meaning."""
    tables: dict[str, list[list[str]]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("### "):
            name = line.removeprefix("### ")
            tables[name] = []
        elif line.startswith("| `"):
            tables[name].append([cell.strip() for cell in line.strip("|").split("|")])
    return tables


def row(columns: list[list[str]]) -> dict:
    return closed({name.strip("`"): value(*rest) for name, *rest in columns})


def value(unit: str, kind: str, meaning: str) -> dict:
    """The schema of a column."""
    description = f"{meaning} [{unit}]" if unit else meaning
    kind, may_be_empty = kind.removesuffix(" or empty"), kind.endswith(" or empty")
    if kind.startswith("one of "):
        names: list[str | None] = list(kind.removeprefix("one of ").split(", "))
        return {"description": description, "enum": names + [None] * may_be_empty}
    schema = {"description": description, **TYPES[kind]}
    if may_be_empty:
        schema["type"] = [schema["type"], "null"]
    return schema


def text(schema: dict) -> str:
    return json.dumps(schema, indent=2) + "\n"


def current(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def validate(promille: str) -> None:
    """Runs the command in every way that makes another kind of document."""
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    found = schemas()
    for schema in found.values():
        Draft202012Validator.check_schema(schema)
    registry = Registry().with_resources(
        [(schema["$id"], Resource.from_contents(schema)) for schema in found.values()]
    )
    seen, wrong = set(), 0
    with tempfile.TemporaryDirectory() as folder:
        make_unreadable(Path(folder) / "unreadable")
        documents = {command: printed(promille, command, folder) for command in COMMANDS}
    for command, document in documents.items():
        name = kind_of(document)
        validator = Draft202012Validator(found[name], registry=registry)
        errors = [error.message for error in validator.iter_errors(document)]
        wrong += bool(errors)
        seen.add(name)
        print(f"{command}: {name}: {'; '.join(errors) or 'valid'}")
    unseen = set(found) - seen - {"common"}
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


def kind_of(instance: dict) -> str:
    """The name of the schema that a document has to follow, by its tables."""
    if "provenance" not in instance:
        return "study"
    sections = {key for key in instance if key not in ("schema_version", "provenance")}
    return next(
        name
        for name, (_, tables) in DOCUMENTS.items()
        if {table.partition("=")[0] for table in tables} == sections
    )


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--validate", metavar="PROMILLE", help="run the command and validate")
    return parser.parse_args()


if __name__ == "__main__":
    main()
