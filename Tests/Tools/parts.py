#!/usr/bin/env python3
"""Checks `--subjects-part` and `promille merge` on a cohort, and `Examples/slurm` on a machine of one node.

    python3 Tests/Tools/parts.py .build/release/promille [--people 2000]

The parts hold the subjects that the documented hash gives them, and what is merged is, byte for byte, one run over all.
"""

import argparse
import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

MASK = 2**64 - 1
FORMS = [
    (["fit", "--interval", "none"], ("csv", "ndjson", "arrow")),
    (["fit", "--method", "elimination-line", "--decimal", "comma"], ("csv",)),
    (["fit", "--model", "all", "--starts", "1", "--interval", "none"], ("csv", "arrow")),
    (["sober"], ("csv", "ndjson", "arrow")),
]


def stable_hash(name: str) -> int:
    """FNV-1a of 64 bits over UTF-8, then fmix64 of MurmurHash3."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    value = ((value ^ value >> 33) * 0xFF51AFD7ED558CCD) & MASK
    value = ((value ^ value >> 33) * 0xC4CEB9FE1A85EC53) & MASK
    return value ^ value >> 33


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("promille", type=Path)
    parser.add_argument("--people", type=int, default=2000)
    arguments = parser.parse_args()
    command = str(arguments.promille.resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(command, "simulate", "--cohort", str(arguments.people), "--seed", "3", "-o", str(folder / "cohort"))
        for base, forms in FORMS:
            for form in forms:
                compare(command, folder, base, form)


def compare(command, folder, base, form, count=7):
    whole = folder / "whole"
    options = [base[0], str(folder / "cohort"), *base[1:], "--quiet", "--format", form]
    run(command, *options, "-o", str(whole))
    parts = [folder / f"part-{number}" for number in range(1, count + 1)]
    for number, part in enumerate(parts, 1):
        run(command, *options, "--subjects-part", f"{number}/{count}", "-o", str(part))
        if form == "csv" and "comma" not in base:
            subjects = {row["subject"] for row in csv.DictReader(io.StringIO(part.read_text()))}
            assert all(stable_hash(subject) % count == number - 1 for subject in subjects), number
    merged = folder / "merged"
    run(command, "merge", *map(str, reversed(parts)), "-o", str(merged), "--quiet")
    assert merged.read_bytes() == whole.read_bytes(), f"{base} {form}: not the bytes of one run"
    print("ok", *base, form, f"{whole.stat().st_size} bytes in {count} parts")


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{arguments} ended with {done.returncode}: {done.stderr[:500]}")
    return done


if __name__ == "__main__":
    main()
