#!/usr/bin/env python3
"""Sends the readings of a breathalyser to a study day (`promille serve`), line by line.

    cat /dev/ttyUSB0 | PROMILLE_TOKEN=... ./bridge.py --server https://lab.example:8443 --subject p01

A line of the device is a number, or `SUBJECT NUMBER` where several people breathe into one device; anything
after it, such as a unit, is ignored, and lines without a number are reported and left out. The token is that of
a station (page of administration, or `promille serve study.sqlite --invite NAME --role operator`).

Nothing is lost when the network is: every reading gets a UUID and goes into the spool file before it is sent, and
leaves it when the server has answered that it is stored. Sending one twice stores it once. At the next start what
is left in the spool is sent first. The clock of this computer is compared with the server's at each start.
"""

import argparse
import json
import math
import os
import re
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone
from pathlib import Path

VALUE = r"(?P<value>[-+]?\d+(?:[.,]\d+)?)(?![\w.,])"
LINES = [re.compile(rf"\s*(?P<subject>){VALUE}"), re.compile(rf"\s*(?P<subject>\S+)[\s;]+{VALUE}")]
"""A reading; and one with whose it is before it, which is looked for where the line begins with no number."""

BATCH = 100
"""How many entries are sent at once."""


def main() -> None:
    arguments = parse_arguments()
    token = os.environ.get("PROMILLE_TOKEN", "")
    if not token:
        sys.exit("PROMILLE_TOKEN is not set; put the station's token into it")
    server = Server(arguments.server, token, arguments.ca)
    spool = Spool(arguments.spool)
    offset = server.clock_offset_ms()
    deliver(server, spool, arguments.patience)
    for line in sys.stdin:
        entry = reading(line, arguments, offset)
        if entry is None:
            print(f"no reading, left out: {line.strip()!r}", file=sys.stderr)
            continue
        spool.add(entry)
        deliver(server, spool, arguments.patience)
    deliver(server, spool, arguments.patience)
    if spool.entries:
        sys.exit(f"{len(spool.entries)} not sent, kept in {arguments.spool}; start again to send them")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="address of the study day, with https://")
    parser.add_argument("--subject", help="whose readings they are, for lines with a number only")
    parser.add_argument(
        "--unit", default="brac_mg_per_l", help="unit, named as the columns of readings.csv are")
    parser.add_argument("--spool", type=Path, default=Path("unsent.jsonl"), help="what waits to be sent")
    parser.add_argument("--ca", help="certificate of the server, if it made its own")
    parser.add_argument("--patience", type=float, default=30, help="seconds to retry for each line")
    return parser.parse_args()


def reading(line: str, arguments: argparse.Namespace, offset: int) -> dict | None:
    """The entry that a line of the device makes; None for any other line."""
    # Without --subject a line says whose it is, which may look like a number.
    match = next(filter(None, (form.match(line) for form in LINES[0 if arguments.subject else 1:])), None)
    if match is None or not (subject := match["subject"] or arguments.subject):
        return None
    value = float(match["value"].replace(",", "."))
    if not math.isfinite(value) or value < 0:
        return None
    return {
        "id": str(uuid.uuid4()),
        "kind": "reading",
        "action": "enter",
        "subject": subject,
        "device_time": now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "clock_offset_ms": offset,
        "value": {"concentration": value, "unit": arguments.unit},
    }


def now() -> datetime:
    return datetime.now(timezone.utc)


class Spool:
    """Entries that the server has not confirmed, one per line, on disk before anything is sent."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.refused = path.with_suffix(".refused.jsonl")
        self.entries: list[dict] = []
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    self.entries.append(json.loads(line))
                except ValueError:
                    # Half a line remains where the power failed; the reading never left the device twice.
                    print(f"damaged line in {path}, left out: {line!r}", file=sys.stderr)
            self.remove(set())

    def add(self, entry: dict) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.entries.append(entry)

    def keep_refused(self, id: str) -> None:
        """Puts an entry aside that the server will never take; somebody has to look at it."""
        with open(self.refused, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(entry) + "\n" for entry in self.entries if entry["id"] == id)

    def remove(self, done: set[str]) -> None:
        self.entries = [entry for entry in self.entries if entry["id"] not in done]
        beside = self.path.with_suffix(".new")
        with open(beside, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(entry) + "\n" for entry in self.entries)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self.path)


class Server:
    """The API of the study day, as far as a device needs it."""

    def __init__(self, address: str, token: str, ca: str | None) -> None:
        self.base = address.rstrip("/") + "/api/v1"
        self.token = token
        self.context = ssl.create_default_context(cafile=ca)

    def request(self, method: str, path: str, body: dict | None = None) -> dict:
        request = urllib.request.Request(
            self.base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10, context=self.context) as response:
            return json.load(response)

    def clock_offset_ms(self) -> int:
        """By how much the server's clock is ahead of ours, in ms; 0 if it cannot be asked now."""
        try:
            before = now()
            server_time = datetime.fromisoformat(self.request("GET", "/me")["server_time"])
            middle = before + (now() - before) / 2
            return round((server_time - middle).total_seconds() * 1000)
        except (OSError, ValueError, KeyError) as error:
            print(f"the server's clock is unknown: {error}", file=sys.stderr)
            return 0


def deliver(server: Server, spool: Spool, patience: float) -> None:
    """Sends what waits, in order, and tries again for a while; what is left stays in the spool."""
    deadline = time.monotonic() + patience
    pause = 0.5
    while spool.entries:
        try:
            answer = server.request("POST", "/entries", {"entries": spool.entries[:BATCH]})
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code in (400, 401, 403, 404, 413, 415, 422):
                # Trying again would not help; somebody has to look at it.
                sys.exit(f"the server refuses, nothing is lost ({spool.path}): {error.code} {text}")
            problem = f"{error.code} {text}"
        except (OSError, ValueError) as error:
            problem = str(error)
        else:
            done = set()
            for result in answer["results"]:
                done.add(result["id"])
                if result["status"] == "refused":
                    print(f"refused, kept in {spool.refused}: {json.dumps(result)}", file=sys.stderr)
                    spool.keep_refused(result["id"])
            spool.remove(done)
            continue
        if time.monotonic() + pause > deadline:
            print(f"not sent, kept: {problem}", file=sys.stderr)
            return
        time.sleep(pause)
        pause = min(pause * 2, 8)


if __name__ == "__main__":
    main()
