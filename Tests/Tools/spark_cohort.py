#!/usr/bin/env python3
"""Runs `Examples/spark` with PyPI's pyspark in local mode, beside the command alone.

    python3 Tests/Tools/spark_cohort.py .build/release/promille [--people 2000] [--at-least 0.9] [--rounds 3]

Checks that the rows are those of the command alone, that a process that is killed is run again and nothing is doubled,
and that subjects without a result fail no task. Measures the throughput beside the command's own, in rounds.
"""

import argparse
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Examples/spark"))
# Workers are started by Java, with the Python and the modules of this process.
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYTHONPATH"] = str(ROOT / "Examples/spark")

import fit_cohort  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

OPTIONS = ("--estimate", "ka,beta,r")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("promille", type=Path)
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--at-least", type=float)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    command = str(arguments.promille.resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = cohort(command, folder, arguments.people)
        spark = (SparkSession.builder.master("local[2,4]").appName("promille")  # 2 threads, 4 attempts at a task
                 .config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
                 .config("spark.sql.shuffle.partitions", "8").config("spark.log.level", "ERROR")
                 .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536").getOrCreate())
        spark.sparkContext.setLogLevel("OFF")
        frame = spark.read.parquet(str(folder / "events.parquet"))
        alone = rows_alone(command, folder)
        same(fit_cohort.fit(frame, 8, command, OPTIONS), alone, "the rows are those of the command alone")
        killed(spark, frame, command, folder, alone)
        failing(spark, table, command, folder)
        throughput(frame, command, folder, arguments, table)
        spark.stop()


def cohort(command, folder, people):
    subprocess.run([command, "simulate", "--cohort", str(people), "--seed", "19", "-o", folder / "cohort"], check=True,
                   capture_output=True)
    text = subprocess.run([command, "export", folder / "cohort", "--to", "events", "--quiet"], check=True,
                          capture_output=True).stdout
    (folder / "events.csv").write_bytes(text)
    types = {name: pa.string() for name in ("ID", "OCC", "SEX", "ROUTE")}
    convert = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=True, null_values=["", ".", "NA"])
    table = pyarrow.csv.read_csv(folder / "events.csv", convert_options=convert)
    pa.parquet.write_table(table, folder / "events.parquet", row_group_size=50_000)
    with pa.ipc.new_stream(folder / "events.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=65_536)
    return table


def fit_alone(command, folder, *options):
    return subprocess.run(
        [command, "fit", folder / "events.arrow", "--input-format", "arrow", "--format", "arrow", "--quiet", *OPTIONS,
         *options], capture_output=True)


def rows_alone(command, folder):
    done = fit_alone(command, folder)
    assert done.returncode in (0, 1), done.stderr
    return sorted_rows(pa.ipc.open_stream(done.stdout).read_all())


def sorted_rows(table):
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=lambda row: row[0])


def same(frame, expected, what):
    rows = sorted_rows(frame.toArrow())
    assert rows == expected, f"{what}: {len(rows)} rows, expected {len(expected)}"
    print("ok", what, f"({len(rows)} rows)")


def script(path, text):
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def killed(spark, frame, command, folder, alone):
    """The first two processes die by SIGKILL: one in the middle of its results, one before the first."""
    wrapper = script(folder / "mortal", f"""
if [ -e "{folder}/armed" ]; then
  if mkdir "{folder}/first" 2>/dev/null; then "{command}" "$@" | head -c 60000; kill -9 $$; fi
  if mkdir "{folder}/second" 2>/dev/null; then kill -9 $$; fi
fi
exec "{command}" "$@"
""")
    results = fit_cohort.fit(frame, 8, wrapper, OPTIONS)
    (folder / "armed").touch()
    same(results, alone, "killed processes are run again, and nothing is doubled")
    assert (folder / "first").exists() and (folder / "second").exists(), "nobody was killed"


def failing(spark, table, command, folder):
    """A subject whom nothing can be fitted to has a row that says so, and the task succeeds."""
    first = table["ID"][0].as_py()
    dv = pa.array([None if who == first else value
                   for who, value in zip(table["ID"].to_pylist(), table["DV"].to_pylist())], pa.float64())
    spoilt = table.set_column(table.column_names.index("DV"), "DV", dv)
    pa.parquet.write_table(spoilt, folder / "spoilt.parquet")
    frame = fit_cohort.fit(spark.read.parquet(str(folder / "spoilt.parquet")), 8, command, OPTIONS)
    rows = {row["subject"]: row["status"] for row in frame.select("subject", "status").collect()}
    assert rows[first] == "failed", rows[first]
    assert len(rows) == len(set(table["ID"].to_pylist()))
    print("ok a subject without a result fails no task, and has a row with the status failed")


def throughput(frame, command, folder, arguments, table):
    """Both begin with a file and have all rows in the end; writing them to Parquet is Spark's own work on top."""
    people = len(set(table["ID"].to_pylist()))

    def fits():
        return fit_cohort.fit(frame, 8, command, OPTIONS).write.mode("overwrite")

    runs = {
        "the command alone": lambda: fit_alone(command, folder, "--jobs", "2", "-o", str(folder / "alone.arrow")),
        "Spark on local[2]": lambda: fits().format("noop").save(),
        "and into Parquet": lambda: fits().parquet(str(folder / "fits")),
    }
    seconds = {name: [] for name in runs}
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    alone = min(seconds["the command alone"])
    print(f"{people} people, the best of {arguments.rounds}")
    for name, took in seconds.items():
        print(f"{name}: {min(took):.1f} s, {people / min(took):.0f} a second, {alone / min(took):.2f}")
    ratio = alone / min(seconds["Spark on local[2]"])
    if arguments.at_least is not None:
        assert ratio >= arguments.at_least, f"{ratio:.2f} is below {arguments.at_least}"


if __name__ == "__main__":
    main()
