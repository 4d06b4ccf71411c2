#!/usr/bin/env python3
"""Fits a cohort with Spark: one `promille` process for each partition, Arrow in and Arrow out.

    spark-submit Examples/spark/fit_cohort.py EVENTS RESULTS [--partitions 64] [--promille promille] [-- OPTIONS]

EVENTS is a table of events (ID, TIME, AMT, DV and so on) in Parquet or CSV, RESULTS a folder of Parquet. What follows
`--` goes to `promille fit`.
"""

import argparse
import io
import subprocess
import sys
import tempfile
import threading

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

# All subjects have a row, and the column `status` says of each how it went: 1 only means that some have no result.
FINE = (0, 1)

# A person as small as it gets, to learn the columns of the results.
ONE_PERSON = pa.table({
    "ID": ["a"] * 4, "TIME": [0.0, 1.0, 2.0, 3.0], "AMT": [40.0, None, None, None],
    "DV": [None, 0.5, 0.35, 0.2], "SEX": ["male"] * 4, "WEIGHT_KG": [80.0] * 4, "HEIGHT_CM": [180.0] * 4,
    "AGE_Y": [30.0] * 4,
})


def fit(events: DataFrame, partitions: int, promille: str = "promille", options: tuple = ()) -> DataFrame:
    """The rows of `promille fit` for every subject of a table of events."""
    command = [promille, "fit", "-", "--input-format", "arrow", "--format", "arrow", "--jobs", "1", "--quiet", *options]
    # A subject is in one partition, and its rows are together.
    whole = events.repartition(partitions, "ID").sortWithinPartitions("ID", "TIME")
    return whole.mapInArrow(lambda batches: through(command, batches), columns(command))


def columns(command: list):
    """The columns that the command writes, as Spark has them."""
    rows = through(command, iter(ONE_PERSON.to_batches()))
    return from_arrow_schema(next(rows).schema)


def through(command: list, batches):
    """Passes batches through a process. A process that fails, or is killed, fails the task, and Spark runs it again:
    what it had written by then is thrown away."""
    first = next(batches, None)
    if first is None:  # An empty partition is no study.
        return
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        feeder = Feeder(process.stdin, first, batches)
        try:
            feeder.start()
            broken = None
            try:
                with pa.ipc.open_stream(process.stdout) as results:
                    yield from results
            except (pa.ArrowInvalid, OSError) as error:  # It ended before its first row, or within a batch.
                broken = error
            code = process.wait()
            feeder.join()
            if code not in FINE:
                errors.seek(0)
                said = errors.read()[-2000:].decode(errors="replace")
                raise RuntimeError(f"{command[0]} ended with {code}: {said}")
            if feeder.error or broken:
                raise feeder.error or broken
        finally:  # Also where Spark gives up the task.
            process.kill()
            process.wait()


class Feeder(threading.Thread):
    """Writes batches to a process while its results are read: one thread for both would wait for itself."""

    def __init__(self, pipe: io.BufferedWriter, first: pa.RecordBatch, rest):
        super().__init__(daemon=True)
        self.pipe, self.first, self.rest, self.error = pipe, first, rest, None

    def run(self):
        try:
            with self.pipe, pa.ipc.new_stream(self.pipe, self.first.schema) as stream:
                stream.write_batch(self.first)
                for batch in self.rest:
                    stream.write_batch(batch)
        except BrokenPipeError:
            pass  # The process has ended; its exit code says why.
        except Exception as error:  # Whatever Spark has to say is said by the task.
            self.error = error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("results")
    parser.add_argument("--partitions", type=int, default=64)
    parser.add_argument("--promille", default="promille")
    arguments, options = parser.parse_known_args()
    spark = SparkSession.builder.appName("promille").getOrCreate()
    if arguments.events.endswith(".csv"):
        events = spark.read.csv(arguments.events, header=True, inferSchema=True, nullValue="")
    else:
        events = spark.read.parquet(arguments.events)
    given = tuple(option for option in options if option != "--")
    fit(events, arguments.partitions, arguments.promille, given).write.parquet(arguments.results)
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
