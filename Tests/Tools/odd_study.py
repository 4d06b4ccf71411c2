"""Runs a check of `promille export` on the study that ships and on one with odd values."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check_both(usage, odd, check):
    """Calls check(PROMILLE, study, folder for files) for both; the odd study is the texts of its files by name."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "odd"
        study.mkdir()
        for name, text in odd.items():
            (study / name).write_text(text, encoding="utf-8")
        for one in [ROOT / "datasets/nacar-2021", study]:
            check(sys.argv[1], one, folder)
