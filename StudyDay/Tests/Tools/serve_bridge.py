#!/usr/bin/env python3
"""Sends readings through Examples/breathalyser-bridge to a server that is not always there.

    python3 StudyDay/Tests/Tools/serve_bridge.py PROMILLE_SERVE

Readings that are taken while the server is down must wait in the spool and be stored once, in order, when it is
back, with the times at which their lines came, also if the clock is wrong; lines that are none are left out.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BRIDGE = ROOT / "Examples/breathalyser-bridge/bridge.py"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    serve = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        database = f"{folder}/day.sqlite"
        token = subprocess.run(
            [serve, database, "--invite", "bridge", "--role", "operator", "--station"],
            check=True, capture_output=True, text=True).stdout.strip()
        server, base = start(serve, database, "0")
        port = base.rsplit(":", 1)[1]
        send(base, token, folder, "0.41\n0,40 mg/l\nE07 no breath\n", expected=0)
        stop(server)
        send(base, token, folder, "p02 0.39\n0.38\n", expected=1)
        spooled = (Path(folder) / "unsent.jsonl").read_text().splitlines()
        assert [json.loads(line)["subject"] for line in spooled] == ["p02", "p01"], spooled
        # Half a line, as a power failure leaves it.
        with open(f"{folder}/unsent.jsonl", "a") as file:
            file.write('{"id": "12')
        server, _ = start(serve, database, port)
        send(base, token, folder, "0.37\n", expected=0)
        stop(server)
        listed = rows(
            database, "SELECT name || ' ' || value FROM readings JOIN series ON series.id = series_id "
            "JOIN subjects ON subjects.id = subject_id ORDER BY name, time_h")
        assert listed == ["p01 0.41", "p01 0.4", "p01 0.38", "p01 0.37", "p02 0.39"], listed
        came = send_slowly(serve, database, port, token, folder)
        stored = [float(at) for at in rows(
            database, "SELECT (julianday(json_extract(new, '$.at')) - 2440587.5) * 86400 FROM entries "
            "JOIN events ON seq = version JOIN series ON series.id = series_id JOIN subjects ON "
            "subjects.id = subject_id WHERE name = 'p03' ORDER BY first_seq")]
        off = [at - line for at, line in zip(stored, came, strict=True)]
        assert all(abs(each) < 0.5 for each in off), f"off the time of the line, s: {off}"
    print("9 readings, each stored once, 6 of them after the server came back, 4 from a clock an hour late")


LATE = """
import datetime, runpy, sys, time
true = time.time
time.time = lambda: true() - 3600
class Late(datetime.datetime):
    @classmethod
    def now(cls, zone=None):
        return cls.fromtimestamp(time.time(), zone)
datetime.datetime = Late
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""
"""Runs a script on a computer whose clock is an hour late."""


def send_slowly(serve: str, database: str, port: str, token: str, folder: str) -> list[float]:
    """Sends a line a second, with a clock that is wrong, to a server that comes late; when each line came."""
    bridge = subprocess.Popen(
        [sys.executable, "-c", LATE, BRIDGE, *options(f"http://127.0.0.1:{port}", folder, "p03", "30")],
        stdin=subprocess.PIPE, env={"PROMILLE_TOKEN": token}, text=True, bufsize=1)
    came = []
    for value in (0.31, 0.32, 0.33, 0.34):
        # The first waits until the script has started.
        time.sleep(1)
        came.append(time.time())
        bridge.stdin.write(f"{value}\n")
    server, _ = start(serve, database, port)
    bridge.stdin.close()
    assert bridge.wait(timeout=60) == 0
    stop(server)
    return came


def rows(database: str, query: str) -> list[str]:
    return subprocess.run(
        ["sqlite3", database, query], check=True, capture_output=True, text=True).stdout.splitlines()


def options(base: str, folder: str, subject: str, patience: str) -> list[str]:
    return ["--server", base, "--subject", subject, "--patience", patience, "--spool", f"{folder}/unsent.jsonl"]


def start(serve: str, database: str, port: str) -> tuple[subprocess.Popen, str]:
    server = subprocess.Popen(
        [serve, database, "--port", port, "--quiet"], stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        if found := re.search(r"https?://[^\s/#]+", line):
            return server, found[0]
    sys.exit("the server does not say where it listens")


def stop(server: subprocess.Popen) -> None:
    server.send_signal(signal.SIGTERM)
    server.wait(timeout=60)


def send(base: str, token: str, folder: str, lines: str, expected: int) -> None:
    done = subprocess.run(
        [sys.executable, BRIDGE, *options(base, folder, "p01", "1")],
        input=lines, env={"PROMILLE_TOKEN": token}, text=True, capture_output=True)
    assert done.returncode == expected, done.stderr


if __name__ == "__main__":
    main()
