#!/usr/bin/env python3
"""Holds the Arrow streams of `promille` to pyarrow, nanoarrow, DuckDB and Polars, in both directions.

    python3 Tests/Tools/arrow.py .build/release/promille [--speed] [--people 20000]

In: one table of events is written by each of them, with every form of text and number that they have, with batches of
one row and with all rows in one, with nothing in a batch, with names beyond ASCII; the fits are those of the same table
as CSV, byte for byte. Out: every command's rows, as each of them reads the stream, are those of its CSV.

--speed measures reading and writing beside CSV, in one run.
"""

import argparse
import io
import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import nanoarrow
import nanoarrow.ipc
import polars
import pandas
import pyarrow as pa
import pyarrow.csv

ROOT = Path(__file__).resolve().parents[2]
STUDY = str(ROOT / "datasets/nacar-2021")
FIT = ["--interval", "none", "--quiet"]
# Commands whose rows are written as Arrow, in each of the ways in which they are made.
COMMANDS = [
    ["fit", STUDY], ["fit", STUDY, "--model", "all", "--starts", "1", "--interval", "none"],
    ["fit", STUDY, "--method", "elimination-line"], ["fit", STUDY, "--summary"],
    ["fit", STUDY, "--derived", "all"],
    ["sober", STUDY], ["sober", STUDY, "--parameters", "left-out"], ["compare", STUDY],
    ["compare", STUDY, "--summary"], ["check", STUDY], ["drinks"], ["population", str(ROOT / "datasets/made-up-24")],
    ["forecast", STUDY, "--prior", "fasted"],
    ["regress", str(ROOT / "datasets")],
]
failures = []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("promille", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--people", type=int, default=20_000)
    arguments = parser.parse_args()
    command = str(arguments.promille.resolve())
    with tempfile.TemporaryDirectory() as name:
        if arguments.speed:
            speed(command, Path(name), arguments.people)
        else:
            table = events(command, Path(name), 40)
            read_what_others_write(command, table)
            refuse(command, table)
            others_read_what_is_written(command, table)
    if failures:
        sys.exit("\n".join(failures))


def check(is_so, what):
    print("ok  " if is_so else "FAIL", what)
    if not is_so:
        failures.append(what)


def run(command, *arguments, data=b"", codes=(0, 1)):
    done = subprocess.run([command, *arguments], input=data, capture_output=True)
    if codes and done.returncode not in codes:
        failures.append(f"{arguments} ended with {done.returncode}: {done.stderr.decode()[:500]}")
    return done


def events(command, folder, people):
    """A simulated cohort as a table of events, with names beyond ASCII."""
    cohort = folder / f"cohort-{people}"
    run(command, "simulate", "--cohort", str(people), "--seed", "19", "-o", str(cohort))
    text = run(command, "export", str(cohort), "--to", "events").stdout
    texts = {name: pa.string() for name in ("ID", "OCC", "SEX", "ROUTE", "UUID")}
    convert = pyarrow.csv.ConvertOptions(column_types=texts, strings_can_be_null=True, null_values=["", ".", "NA"])
    table = pyarrow.csv.read_csv(io.BytesIO(text), convert_options=convert)
    names = pa.array([name + ("é試" if name[-1] in "123" else "") for name in table["ID"].to_pylist()])
    return table.set_column(table.column_names.index("ID"), "ID", names)


def csv(table):
    out = io.BytesIO()
    pyarrow.csv.write_csv(table, out)
    return out.getvalue()


def stream(table, rows=None, **options):
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in table.to_batches(max_chunksize=rows):
            writer.write_batch(batch)
    return out.getvalue()


def cast(table, old, new):
    fields = [pa.field(f.name, new) if f.type == old else f for f in table.schema]
    return table.cast(pa.schema(fields))


def read_what_others_write(command, table):
    def fits(data, *more):
        return run(command, "fit", "-", *FIT, *more, data=data).stdout

    def same(name, data, expected):
        got = fits(data, "--input-format", "arrow")
        check(got == expected and got.count(b"\n") > 1, f"read: {name}")

    expected = fits(csv(table))
    text = pa.string()
    same("pyarrow", stream(table), expected)
    same("pyarrow, batches of one row", stream(table, 1), expected)
    same("pyarrow, batches of seven rows", stream(table, 7), expected)
    same("pyarrow, large_utf8", stream(cast(table, text, pa.large_string())), expected)
    same("pyarrow, utf8_view", stream(cast(table, text, pa.string_view())), expected)
    same("pyarrow, dictionaries", stream(cast(table, text, pa.dictionary(pa.int32(), text))), expected)
    same("pyarrow, dictionaries of bytes", stream(cast(table, text, pa.dictionary(pa.int8(), text))), expected)
    chunks = pa.concat_tables([cast(table.slice(at, 11), text, pa.dictionary(pa.int16(), pa.large_string()))
                               for at in range(0, len(table), 11)])
    same("pyarrow, another dictionary for each batch", stream(chunks), expected)
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        for part in (table.slice(0, 0), table.slice(0, 5), table.slice(0, 0), table.slice(5)):
            batches = part.combine_chunks().to_batches()
            writer.write_batch(batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema))
    same("pyarrow, batches without rows", out.getvalue(), expected)
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=9)
    same("pyarrow, a file", out.getvalue(), expected)

    # Numbers of every width, for what is whole; names that are numbers.
    numbered = table.set_column(table.column_names.index("ID"), "ID",
                                table["ID"].combine_chunks().dictionary_encode().indices.cast(pa.int64()))
    expected_numbers = fits(csv(numbered))
    for kind in ("int64", "int32", "int16", "uint8", "uint16", "uint32", "uint64", "float64", "float32"):
        widened = numbered.set_column(table.column_names.index("ID"), "ID", numbered["ID"].cast(kind))
        if "EVID" in widened.column_names:
            index = widened.column_names.index("EVID")
            evid = numbered["EVID"]
            widened = widened.set_column(index, "EVID", evid.cast(kind))
        same(f"pyarrow, {kind}", stream(widened, 13), expected_numbers)
    if "MDV" in numbered.column_names:
        index = numbered.column_names.index("MDV")
        same("pyarrow, bool", stream(numbered.set_column(index, "MDV", numbered["MDV"].cast(pa.bool_()))), expected_numbers)

    frame = polars.from_arrow(table)
    for level, name in ((None, "oldest"), (True, "newest")):
        out = io.BytesIO()
        frame.write_ipc_stream(out, compression="uncompressed",
                               compat_level=polars.CompatLevel.newest() if level else polars.CompatLevel.oldest())
        same(f"Polars, {name} forms", out.getvalue(), expected)
    out = io.BytesIO()
    frame.with_columns(polars.col("SEX").cast(polars.Categorical)).write_ipc_stream(out, compression="uncompressed")
    same("Polars, categories", out.getvalue(), expected)

    con = duckdb.connect()
    con.register("events", table)
    reader = con.sql("SELECT * FROM events").to_arrow_reader(50)
    out = io.BytesIO()
    with pa.ipc.new_stream(out, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    same("DuckDB", out.getvalue(), expected)

    out = io.BytesIO()
    with nanoarrow.ipc.StreamWriter.from_writable(out) as writer:
        writer.write_stream(table)
    same("nanoarrow", out.getvalue(), expected)

    nothing = run(command, "fit", "-", "--input-format", "arrow", data=stream(table.slice(0, 0)), codes=(65,))
    check(b"E_EMPTY_FILE" in nothing.stderr, "read: a table without rows is refused like the same CSV")


def refuse(command, table):
    def code(name, data, expected):
        done = run(command, "fit", "-", "--input-format", "arrow", data=data, codes=(65,))
        check(expected.encode() in done.stderr, f"refused: {name}: {expected}")

    for compression in ("lz4", "zstd"):
        code(compression, stream(table, compression=compression), "E_FILE_FORMAT")
    code("CSV", csv(table), "E_FILE_FORMAT")
    code("a stream without its end", stream(table)[:-8], "E_FILE_FORMAT")
    code("a decimal", stream(table.append_column("PRICE", pa.array([1] * len(table)).cast(pa.decimal128(30, 2)))),
         "E_FILE_FORMAT")
    code("a list", stream(table.append_column("LIST", pa.array([[1]] * len(table)))), "E_FILE_FORMAT")
    code("a time", stream(table.append_column("WHEN", pa.array([0] * len(table)).cast(pa.timestamp("us")))),
         "E_FILE_FORMAT")
    out = io.BytesIO()
    names = pa.dictionary(pa.int8(), pa.string())
    schema = pa.schema([("ID", names), ("TIME", pa.float64()), ("AMT", pa.float64()), ("DV", pa.float64())])
    with pa.ipc.new_stream(out, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)) as writer:
        for words in (["a"], ["a", "b"]):
            column = pa.DictionaryArray.from_arrays(pa.array(range(len(words)), pa.int8()), words)
            numbers = [pa.array([float(place)] * len(words)) for place in range(3)]
            writer.write_batch(pa.record_batch([column, *numbers], schema=schema))
    code("pieces of a dictionary", out.getvalue(), "E_FILE_FORMAT")


def others_read_what_is_written(command, table):
    made = [(arguments, b"") for arguments in COMMANDS] + [
        (["fit", "-", "--input-format", "csv", *FIT], csv(table)),
    ]
    for arguments, data in made:
        name = " ".join(Path(word).name for word in arguments)
        text = run(command, *arguments, "--quiet", "--format", "csv", data=data)
        bytes_ = run(command, *arguments, "--quiet", "--format", "arrow", data=data)
        check(text.returncode == bytes_.returncode, f"write: {name}: the same exit code")
        same_rows(name, bytes_.stdout, text.stdout)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fits.arrow"
        run(command, "fit", STUDY, *FIT, "-o", str(file))
        piped = run(command, "fit", STUDY, *FIT, "--format", "arrow").stdout
        with pa.ipc.open_stream(piped) as reader:
            expected = reader.read_all().to_pylist()
        with pa.ipc.open_file(file) as reader:
            check(reader.read_all().to_pylist() == expected, "write: a file: pyarrow")
        check(polars.read_ipc(file).to_arrow().to_pylist() == expected, "write: a file: Polars")
        frame = pandas.read_feather(file)
        known = pandas.DataFrame(expected)[frame.columns]
        check(frame.astype(object).where(frame.notna(), None).equals(known.astype(object).where(known.notna(), None)),
              "write: a file: pandas")


def same_rows(name, data, text):
    """The rows of a stream, as four programs read it, are those of CSV."""
    with pa.ipc.open_stream(data) as reader:
        table = reader.read_all()
    table.validate(full=True)
    provenance = json.loads(table.schema.metadata[b"promille"])
    check(provenance["tool"] == "promille" and provenance["options"] is not None, f"write: {name}: says how it was made")
    convert = pyarrow.csv.ConvertOptions(column_types={f.name: f.type for f in table.schema}, strings_can_be_null=True,
                                         null_values=[""], quoted_strings_can_be_null=False)
    expected = pyarrow.csv.read_csv(
        io.BytesIO(text), convert_options=convert, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True))
    rows = [tuple(row.values()) for row in expected.to_pylist()]
    check(table.column_names == expected.column_names, f"write: {name}: the columns")
    check(equal(table, rows), f"write: {name}: pyarrow reads {len(rows)} rows")
    other = pa.table(nanoarrow.ipc.InputStream.from_readable(io.BytesIO(data)))
    check(equal(other, rows), f"write: {name}: nanoarrow")
    frame = polars.read_ipc_stream(io.BytesIO(data))
    check(equal(frame.to_arrow(), rows), f"write: {name}: Polars")
    con = duckdb.connect()
    con.register("results", pa.ipc.open_stream(data))
    check(same_values(con.sql("SELECT * FROM results").fetchall(), rows), f"write: {name}: DuckDB")


def equal(table, rows):
    return same_values([tuple(row.values()) for row in table.to_pylist()], rows)


def same_values(one, other):
    return one == other


# MARK: Speed


def speed(command, folder, people):
    """Seconds of a command that reads and hardly calculates, and of one that writes, as CSV and as Arrow."""
    table = events(command, folder, people)
    inputs = {"csv": folder / "events.csv", "arrow": folder / "events.arrow"}
    inputs["csv"].write_bytes(csv(table))
    inputs["arrow"].write_bytes(stream(table, 65_536))
    cheap = ["--method", "elimination-line", "--quiet", "--jobs", "1"]
    print(f"{people} people, {len(table)} rows; CSV {inputs['csv'].stat().st_size / 1e6:.1f} MB, "
          f"Arrow {inputs['arrow'].stat().st_size / 1e6:.1f} MB")
    # What is read and understood, and nothing fitted: a line a person says what was found.
    read = {kind: [] for kind in inputs}
    write = {kind: [] for kind in inputs}
    for _ in range(7):
        for kind, path in inputs.items():
            read[kind].append(seconds(command, "check", str(path), "--input-format", kind, "--quiet", "--format", "csv",
                                      "-o", str(folder / "found.csv")))
    for _ in range(5):
        for kind in write:
            write[kind].append(seconds(command, "fit", str(inputs["arrow"]), "--input-format", "arrow", *cheap,
                                       "--format", kind, "-o", str(folder / f"fits.{kind}")))
    for name, times in (("read", read), ("read, fit a line and write", write)):
        fast = {kind: min(values) for kind, values in times.items()}
        print(f"{name}: CSV {fast['csv']:.3f} s, Arrow {fast['arrow']:.3f} s of processor; "
              f"{fast['csv'] / fast['arrow']:.2f} times as fast as CSV; "
              f"{len(table) / fast['arrow'] / 1e6:.2f} million rows a second")
    check(min(read["arrow"]) <= min(read["csv"]), "reading is at least as fast as CSV")
    check(min(write["arrow"]) < min(write["csv"]), "writing is faster than CSV")


def seconds(command, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, *arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
