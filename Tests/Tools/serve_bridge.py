#!/usr/bin/env python3
"""Sends readings through Examples/breathalyser-bridge to a server that is not always there.

    python3 Tests/Tools/serve_bridge.py PROMILLE_SERVE

Readings that are taken while the server is down must wait in the spool and be stored once, in order, when it is
back; lines that are none are left out.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
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
        listed = subprocess.run(
            ["sqlite3", database, "SELECT name || ' ' || value FROM readings JOIN series ON series.id = "
             "series_id JOIN subjects ON subjects.id = subject_id ORDER BY name, time_h"],
            check=True, capture_output=True, text=True).stdout.splitlines()
        assert listed == ["p01 0.41", "p01 0.4", "p01 0.38", "p01 0.37", "p02 0.39"], listed
    print("5 readings, each stored once, 2 of them after the server came back")


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
        [sys.executable, BRIDGE, "--server", base, "--subject", "p01", "--patience", "1",
         "--spool", f"{folder}/unsent.jsonl"],
        input=lines, env={"PROMILLE_TOKEN": token}, text=True, capture_output=True)
    assert done.returncode == expected, done.stderr


if __name__ == "__main__":
    main()
