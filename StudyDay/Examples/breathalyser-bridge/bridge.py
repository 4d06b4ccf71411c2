#!/usr/bin/env python3
"""Sends the readings of a breathalyser to a study day (`promille serve`), line by line.

    cat /dev/ttyUSB0 | PROMILLE_TOKEN=... ./bridge.py --server https://lab.example:8443 --subject p01

A line of the device is a number, or `SUBJECT NUMBER` where several people breathe into one device; anything
after it, such as a unit, is ignored, and lines without a number are reported and left out. The token is that of
a station (page of administration, or `promille serve study.sqlite --invite NAME --role operator`).

Nothing is lost when the network is: every reading gets its time and a UUID as its line arrives and goes into the spool
file before it is sent, which another thread does, and leaves it when the server has answered that it is stored. Sending
one twice stores it once. At the next start what is left in the spool is sent first. This computer's clock is compared
with the server's at the start, whenever the server is back, and every ten minutes.
"""

import argparse
import http.client
import json
import math
import os
import re
import ssl
import sys
import threading
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

MEASURE_EVERY = 600
"""After how many seconds the server's clock is asked for again."""

REFUSALS = (400, 401, 403, 404, 413, 415, 422)
"""Answers that would be the same again."""


class Refused(Exception):
    """The server refuses a request as it is."""


def main() -> None:
    arguments = parse_arguments()
    token = os.environ.get("PROMILLE_TOKEN", "")
    if not token:
        sys.exit("PROMILLE_TOKEN is not set; put the station's token into it")
    clock = Clock()
    spool = Spool(arguments.spool)
    delivery = Delivery(Server(arguments.server, token, arguments.ca), spool, clock, arguments.patience)
    delivery.start()
    for line in sys.stdin:
        entry = reading(line, arguments)
        if entry is None:
            print(f"no reading, left out: {line.strip()!r}", file=sys.stderr)
            continue
        clock.stamp(entry)
        spool.add(entry)
    delivery.finish()
    if spool.entries:
        sys.exit(f"{len(spool.entries)} not sent, kept in {arguments.spool}; start again to send them")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="address of the study day, with https://")
    parser.add_argument("--subject", help="whose readings they are, for lines with a number only")
    parser.add_argument(
        "--unit", default="brac_mg_per_l", help="unit, named as the columns of readings.csv are")
    parser.add_argument("--instrument", help="serial number of the device, as in its calibration checks")
    parser.add_argument("--spool", type=Path, default=Path("unsent.jsonl"), help="what waits to be sent")
    parser.add_argument("--ca", help="certificate of the server, if it made its own")
    parser.add_argument("--patience", type=float, default=30, help="seconds to go on trying after the last line")
    return parser.parse_args()


def reading(line: str, arguments: argparse.Namespace) -> dict | None:
    """The entry that a line of the device makes, without its time; None for any other line."""
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
        "value": {"concentration": value, "unit": arguments.unit}
        | ({"instrument": arguments.instrument} if arguments.instrument else {}),
    }


class Clock:
    """What the server's clock shows, by a clock of this computer that nobody sets."""

    def __init__(self) -> None:
        self.ahead: float | None = None
        """The server's time less the steady clock's, in seconds; None until the server was asked."""
        self.measured = -math.inf
        self.stamped: dict[str, float] = {}
        """When the entries of this run arrived, by the steady clock."""

    @staticmethod
    def steady() -> float:
        # Goes on while the computer sleeps, where there is such a clock.
        return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()

    def stamp(self, entry: dict) -> None:
        """Says when an entry arrived: now."""
        self.stamped[entry["id"]] = self.steady()
        entry["device_time"] = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def take(self, asked: float, server_time: datetime) -> None:
        """Takes the server's time from an answer to what was asked then: the middle of the way there and back."""
        self.measured = self.steady()
        self.ahead = server_time.timestamp() - (asked + self.measured) / 2

    def correct(self, entry: dict) -> dict:
        """An entry with the correction of this computer's clock. What an earlier run left has today's."""
        device = datetime.fromisoformat(entry["device_time"]).timestamp()
        steady = self.stamped.get(entry["id"])
        late = device - steady if steady is not None else time.time() - self.steady()
        return {**entry, "clock_offset_ms": round((self.ahead - late) * 1000)}


class Spool:
    """Entries that the server has not confirmed, one per line, on disk before anything is sent."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.refused = path.with_suffix(".refused.jsonl")
        self.entries: list[dict] = []
        self.changed = threading.Condition()
        """Held while entries come and go."""
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    self.entries.append(json.loads(line))
                except ValueError:
                    # Half a line remains where the power failed; the reading never left the device twice.
                    print(f"damaged line in {path}, left out: {line!r}", file=sys.stderr)
            self.remove(set())

    def add(self, entry: dict) -> None:
        with self.changed:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())
            self.entries.append(entry)
            self.changed.notify()

    def keep_refused(self, id: str) -> None:
        """Puts an entry aside that the server will never take; somebody has to look at it."""
        with open(self.refused, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(entry) + "\n" for entry in self.entries if entry["id"] == id)

    def remove(self, done: set[str]) -> None:
        with self.changed:
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
        try:
            with urllib.request.urlopen(request, timeout=10, context=self.context) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            text = f"{error.code} {error.read().decode(errors='replace')}"
            raise (Refused if error.code in REFUSALS else OSError)(text) from None


class Delivery(threading.Thread):
    """Sends what is in the spool, in order, and tries again; what is left stays in the spool."""

    def __init__(self, server: Server, spool: Spool, clock: Clock, patience: float) -> None:
        super().__init__(daemon=True)
        self.server, self.spool, self.clock, self.patience = server, spool, clock, patience
        self.deadline: float | None = None
        """When to give up; nothing is given up while lines may come."""

    def finish(self) -> None:
        """Waits until everything is sent, or patience is over."""
        with self.spool.changed:
            self.deadline = time.monotonic() + self.patience
            self.spool.changed.notify()
        self.join()

    def run(self) -> None:
        pause = 0.5
        while self.wait_for_entries():
            try:
                self.send()
            except Refused as error:
                # Trying again would not help; somebody has to look at it. What comes is kept.
                print(f"the server refuses, nothing is lost ({self.spool.path}): {error}", file=sys.stderr)
                return
            except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
                # Nobody knows what happened to the clocks meanwhile.
                self.clock.measured = -math.inf
                if self.deadline is not None and time.monotonic() + pause > self.deadline:
                    print(f"not sent, kept: {error}", file=sys.stderr)
                    return
                time.sleep(pause)
                pause = min(pause * 2, 8)
            else:
                pause = 0.5

    def wait_for_entries(self) -> bool:
        """Waits for something to send; false if there will be nothing more."""
        with self.spool.changed:
            self.spool.changed.wait_for(lambda: self.spool.entries or self.deadline is not None)
            return bool(self.spool.entries)

    def send(self) -> None:
        if self.clock.steady() - self.clock.measured > MEASURE_EVERY:
            asked = self.clock.steady()
            self.clock.take(asked, datetime.fromisoformat(self.server.request("GET", "/me")["server_time"]))
        entries = [self.clock.correct(entry) for entry in self.spool.entries[:BATCH]]
        done = set()
        for result in self.server.request("POST", "/entries", {"entries": entries})["results"]:
            done.add(result["id"])
            if result["status"] == "refused":
                print(f"refused, kept in {self.spool.refused}: {json.dumps(result)}", file=sys.stderr)
                self.spool.keep_refused(result["id"])
        self.spool.remove(done)


if __name__ == "__main__":
    main()
