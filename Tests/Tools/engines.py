#!/usr/bin/env python3
"""Runs the code of the article on Arrow, DuckDB and Polars, in an empty folder with a study of events in Parquet.

    python3 Tests/Tools/engines.py .build/release/promille
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

ARTICLE = Path(__file__).resolve().parents[2] / "Sources/Reporting/Documentation.docc/ArrowDuckDBAndPolars.md"


def main():
    command = Path(sys.argv[1]).resolve()
    blocks = re.findall(r"^```python\n(.*?)^```", ARTICLE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2, f"{len(blocks)} pieces of code"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([command, "simulate", "--cohort", "30", "--seed", "1", "-o", folder / "cohort"], check=True,
                       capture_output=True)
        text = subprocess.run([command, "export", folder / "cohort", "--to", "events", "--quiet"], check=True,
                              capture_output=True).stdout
        (folder / "events.csv").write_bytes(text)
        convert = pyarrow.csv.ConvertOptions(column_types={"ID": pa.string()}, null_values=["", ".", "NA"],
                                             strings_can_be_null=True)
        pa.parquet.write_table(pyarrow.csv.read_csv(folder / "events.csv", convert_options=convert),
                               folder / "events.parquet")
        for block in blocks:
            done = subprocess.run([sys.executable, "-c", block], cwd=folder, capture_output=True, text=True,
                                  env=os.environ | {"PATH": f"{command.parent}:{os.environ['PATH']}"})
            print(done.stdout)
            if done.returncode != 0:
                sys.exit(done.stderr)
        rows = pa.parquet.read_table(folder / "fits.parquet").num_rows
        assert rows == 30, rows


if __name__ == "__main__":
    main()
