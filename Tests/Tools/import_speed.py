"""Speed of `promille import` beside Python's own sqlite3, on the same million readings.

Both fill the empty table `readings` of a database that promille made, with its subjects and series
in it, keyed by series, time, unit and ordinal, in one transaction:

- `promille import`: the whole command, from reading the CSV to the last commit, or, for `writing`,
  the part of it that has to do with the database, as the command itself reports;
- Python: csv.reader and executemany, or, for `writing`, executemany alone, on tuples that are ready,
  UUIDs included.

Rounds alternate and the best of each are compared: what else a machine does only makes slower.

    import_speed.py PROMILLE [--subjects 40000] [--readings 25] [--rounds 7] [--at-least 2]

exits 1 if promille is not at least so many times faster at writing, which is the harder of the two.
"""

import argparse
import csv
import hashlib
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

COLUMNS = "series_id, time_h, unit, ordinal, value, is_excluded, instrument_id, uuid"


def write_study(folder, subjects, readings):
    """A study of that size; its numbers are of no importance but have usual lengths."""
    with open(f"{folder}/subjects.csv", "w") as file:
        file.write("subject,sex,age_y,height_cm,weight_kg\n")
        for i in range(subjects):
            file.write(f"s{i:05d},{'female' if i % 2 else 'male'},30,175,{60 + i % 30}\n")
    with open(f"{folder}/drinks.csv", "w") as file:
        file.write("subject,time_min,ethanol_g\n")
        for i in range(subjects):
            file.write(f"s{i:05d},0,40\n")
    with open(f"{folder}/readings.csv", "w") as file:
        file.write("subject,time_min,bac_g_per_kg\n")
        for i in range(subjects):
            for j in range(readings):
                file.write(f"s{i:05d},{10 * (j + 1)},{(i * 7919 + j * 104729) % 1200 / 1000}\n")


def uuid_of(series, minutes):
    """As the store derives them, near enough: one SHA-256 of as many bytes."""
    name = series + struct.pack(">dI", minutes / 60, 0) + b"bac_g_per_kg"
    return hashlib.sha256(name).digest()[:16]


def rows(study, ids):
    with open(f"{study}/readings.csv", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        for subject, minutes, value in reader:
            key = hashlib.sha256(subject.encode()).digest()[:16]
            minutes = float(minutes)
            yield (
                ids[subject], minutes / 60, "bac_g_per_kg", 0, float(value), 0, 0,
                uuid_of(key, minutes),
            )


def copy(template, database):
    for end in ["", "-wal", "-shm"]:
        if os.path.exists(database + end):
            os.remove(database + end)
    shutil.copyfile(template, database)


def run_promille(promille, template, study, database):
    copy(template, database)
    start = time.perf_counter()
    done = subprocess.run(
        [promille, "import", study, "--into", database, "--types", "readings", "--format", "csv"],
        check=True, capture_output=True, text=True)
    total = time.perf_counter() - start
    writing = re.search(r"in ([0-9.]+) s", done.stderr)
    return total, float(writing.group(1)) if writing else total


def run_python(template, study, database):
    copy(template, database)
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -65536")
    ids = dict(connection.execute(
        "SELECT name, series.id FROM series JOIN subjects ON subjects.id = subject_id"))
    insert = f"INSERT INTO readings ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    start = time.perf_counter()
    ready = list(rows(study, ids))
    reading = time.perf_counter() - start
    start = time.perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(insert, ready)
    connection.execute("COMMIT")
    writing = time.perf_counter() - start
    connection.close()
    return reading + writing, writing


def count(database):
    connection = sqlite3.connect(database)
    number, = connection.execute("SELECT count(*) FROM readings").fetchone()
    connection.close()
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille")
    parser.add_argument("--subjects", type=int, default=40_000)
    parser.add_argument("--readings", type=int, default=25)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--at-least", type=float, default=2)
    options = parser.parse_args()
    expected = options.subjects * options.readings
    with tempfile.TemporaryDirectory() as folder:
        study, template = f"{folder}/study", f"{folder}/template.sqlite"
        os.mkdir(study)
        write_study(study, options.subjects, options.readings)
        # Subjects, series and drinks are there; what is measured is the readings.
        subprocess.run(
            [options.promille, "import", study, "--into", template, "--types", "drinks", "--quiet",
             "--format", "csv"],
            check=True, stdout=subprocess.DEVNULL)
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(run_promille(options.promille, template, study, f"{folder}/ours.sqlite"))
            theirs.append(run_python(template, study, f"{folder}/theirs.sqlite"))
        for database in ["ours", "theirs"]:
            assert count(f"{folder}/{database}.sqlite") == expected
    ratios = []
    for index, name in enumerate(["whole", "writing"]):
        mine = min(pair[index] for pair in ours)
        python = min(pair[index] for pair in theirs)
        ratios.append(python / mine)
        print(
            f"{name:8} promille {expected / mine / 1e6:5.2f} M rows/s, Python "
            f"{expected / python / 1e6:5.2f} M rows/s, ratio {python / mine:.2f}")
    if ratios[1] < options.at_least:
        sys.exit(f"writing is not {options.at_least} times as fast as Python's executemany")


if __name__ == "__main__":
    main()
