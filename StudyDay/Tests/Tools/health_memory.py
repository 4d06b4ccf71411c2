"""Memory of `promille-serve import-health` of exports of Apple Health: it must not grow with the export.

Writes a small and a large export (by default 10 and 200 MB) into a pipe, one after the other, and
compares the largest resident size of the two processes.

    health_memory.py PROMILLE_SERVE [--small 10] [--large 200] [--at-most 1.25]

exits 1 if the large one takes more than so many times the memory of the small one, beyond the cache
of SQLite, which fills up to 64 MiB.
"""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!ATTLIST HealthData locale CDATA #REQUIRED>
]>
<HealthData locale="en_GB">
 <ExportDate value="2024-06-01 09:00:00 +0200"/>
 <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-05-02"/>
"""
KINDS = [("HeartRate", "count/min", 70), ("StepCount", "count", 12), ("RespiratoryRate", "count/min", 14)]


def records():
    start = datetime.datetime(2016, 1, 1)
    for minute in range(100_000_000):
        when = (start + datetime.timedelta(seconds=25 * minute)).strftime("%Y-%m-%d %H:%M:%S +0000")
        kind, unit, value = KINDS[minute % 3]
        yield (
            f' <Record type="HKQuantityTypeIdentifier{kind}" sourceName="Watch" sourceVersion="9.4" '
            f'device="&lt;&lt;HKDevice: 0x282d03020&gt;, name:Watch, manufacturer:Maker&gt;" '
            f'unit="{unit}" creationDate="{when}" startDate="{when}" endDate="{when}" '
            f'value="{value + minute % 7}"/>\n'
        )


def peak(program, megabytes):
    """Largest resident size in KiB, and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        process = subprocess.Popen(
            [program, "import-health", "-", "--into", f"{folder}/study.sqlite", "--subject", "ann",
             "--format", "csv"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        written = 0
        process.stdin.write(HEAD.encode())
        for record in records():
            process.stdin.write(record.encode())
            written += len(record)
            if written > megabytes * 1_000_000:
                break
        process.stdin.write(b"</HealthData>\n")
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"import ended with {process.returncode}")
        return usage.ru_maxrss, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--small", type=int, default=10)
    parser.add_argument("--large", type=int, default=200)
    parser.add_argument("--at-most", type=float, default=1.25)
    options = parser.parse_args()
    cache = 64 * 1024
    sizes = {}
    for megabytes in [options.small, options.large]:
        sizes[megabytes], seconds = peak(options.program, megabytes)
        print(f"{megabytes:5} MB: {sizes[megabytes] / 1024:6.1f} MiB, {megabytes / seconds:5.1f} MB/s")
    if sizes[options.large] > options.at_most * sizes[options.small] + cache:
        sys.exit("memory grows with the export")


if __name__ == "__main__":
    main()
