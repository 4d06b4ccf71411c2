"""Kills a served study day at random moments under load, and looks for every entry that was acknowledged.

A 2xx means that an entry is on disk. After each SIGKILL the database must open, hold each acknowledged entry, and its
chain of hashes, which is recomputed here from its description alone, must be sound.
"""

import argparse
import asyncio
import hashlib
import json
import os
import random
import sqlite3
import tempfile
import uuid

from serve_client import Connection, Server, entry, program


async def writer(port, token, number, acknowledged):
    connection = await Connection(port, token).open()
    count = 0
    while True:
        batch = [entry("reading", f"person {number}", {"concentration": count % 80 / 100, "unit": "brac_mg_per_l"})
                 for _ in range(random.choice((1, 1, 1, 5)))]
        count += 1
        status, answer = await connection.request("POST", "/entries", {"entries": batch})
        if status == 200:
            acknowledged.update(result["id"] for result in answer["results"] if result["status"] == "stored")


async def until_killed(server, token, acknowledged, seconds):
    writers = [asyncio.create_task(writer(server.port, token, number, acknowledged)) for number in range(6)]
    await asyncio.sleep(seconds)
    server.kill()
    await asyncio.gather(*writers, return_exceptions=True)


def broken(database):
    """The first event that is not as it was stored; None if all are."""
    previous, expected = bytes(32), 1
    rows = sqlite3.connect(database).execute(
        "SELECT seq, uuid, at_ms, device_ms, clock_offset_ms, actor, station, action, subject, record, old, new,"
        " reason, issuer, previous, hash FROM events ORDER BY seq")
    names = ["seq", "uuid", "at_ms", "device_ms", "clock_offset_ms", "actor", "station", "action", "subject",
             "record", "old", "new", "reason", "issuer"]
    for row in rows:
        values = dict(zip(names, row))
        for name in ("uuid", "record"):
            values[name] = values[name] and str(uuid.UUID(bytes=values[name]))
        text = json.dumps({name: value for name, value in values.items() if value is not None},
                          sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(previous + text.encode()).digest()
        if row[0] != expected or row[14] != previous or row[15] != digest:
            return row[0]
        previous, expected = digest, expected + 1
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=None)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "study.sqlite")
        acknowledged, token = set(), None
        for kill in range(options.kills):
            server = Server(options.program or program(), database)
            token = token or server.station()
            asyncio.run(until_killed(server, token, acknowledged, random.uniform(0.02, 0.5)))
            connection = sqlite3.connect(database)
            stored = {str(uuid.UUID(bytes=row[0])) for row in connection.execute("SELECT uuid FROM events")}
            projected = connection.execute("SELECT count(*) FROM readings").fetchone()[0]
            entries = connection.execute("SELECT count(*) FROM entries").fetchone()[0]
            connection.close()
            lost = acknowledged - stored
            if lost or projected != entries:
                raise SystemExit(f"kill {kill + 1}: {len(lost)} lost; {entries} entries, {projected} readings")
            if (seq := broken(database)) is not None:
                raise SystemExit(f"kill {kill + 1}: event {seq} breaks the chain")
        print(f"{options.kills} kills, {len(acknowledged)} entries acknowledged, none lost, the chain is sound")


if __name__ == "__main__":
    main()
