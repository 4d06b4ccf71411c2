#!/usr/bin/env python3
"""Holds studies in JSON and case files to their schemas, with a complete validator.

    python3 Tests/Tools/schemas.py PROMILLE

The columns of other documents are held to their list by `CommandColumnTests`. Needs the package jsonschema.
"""

import json
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ["datasets/nacar-2021", "datasets/made-up-24"]
CASES = ["back", "forward", "drinks", "later", "sober"]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    documents = {study: ("study", exported(sys.argv[1], study)) for study in STUDIES}
    for case in CASES:
        documents[case] = ("case-file", (ROOT / "Fuzz/corpus/case" / case).read_text(encoding="utf-8"))
    wrong = 0
    for place, (name, text) in documents.items():
        schema = json.loads((ROOT / f"schemas/{name}.schema.json").read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        errors = [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(text))]
        wrong += bool(errors)
        print(f"{place}: {name}: {'; '.join(errors) or 'valid'}")
    if wrong:
        sys.exit(f"{wrong} documents are not valid")


def exported(promille: str, study: str) -> str:
    return subprocess.run(
        [promille, "export", study, "--to", "json", "--quiet"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


if __name__ == "__main__":
    main()
