"""Loads a served study day from a second process: event streams that listen, and entries that come.

Prints p50 and p99 of what a post takes and of how long after its sending a page hears of it, the server's memory and
processor time, and what was lost. Ends with 1 if anything was lost or p99 of the pages is above --limit ms, or if after
more than ten minutes the server has more than 1.5 times the memory that it had after ten:

    serve_load.py --rate 20 --seconds 3600

With --writers 16, so many connections send one entry after the other, each once the one before is answered; beside their
rate stands what SQLite alone commits on the same disk, before and after.
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import os
import select
import socket
import sqlite3
import tempfile
import time
from urllib.parse import quote

from serve_client import Connection, Server, entry, iso, program
from serve_kill import broken


def quantile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(p * len(values)))] if values else float("nan")


async def listen(port, token, after, sent, delays, heard):
    """Hears what happens as a page does: who lost the connection comes back for what it missed."""
    while True:
        connection = await Connection(port, token).open()
        await connection.send("GET", f"/events?after={after}")
        while (line := await connection.reader.readline()):
            if line.startswith(b"id: "):
                after = int(line[4:])
            if not line.startswith(b"data: ") or b'"record"' not in line:
                continue
            change = json.loads(line[6:])
            record = change.get("record")
            if record in sent and "action" in change:
                delays.append((time.monotonic() - sent[record]) * 1000)
                heard.add(record)


async def post(connection, sent, took, accepted, subject, number):
    if number % 10 == 0:
        body = entry("note", subject, {"text": f"note {number}"})
    else:
        body = entry("reading", subject, {"concentration": round(0.1 + number % 50 / 100, 3), "unit": "brac_mg_per_l"})
    sent[body["id"]] = started = time.monotonic()
    status, answer = await connection.request("POST", "/entries", {"entries": [body]})
    took.append((time.monotonic() - started) * 1000)
    if status == 200 and answer["results"][0]["status"] == "stored":
        accepted.add(body["id"])
    else:
        print("not stored:", status, answer)


async def load(server, options):
    token = server.station()
    sent, took, delays, accepted = {}, [], [], set()
    first = await Connection(server.port, token).open()
    people = [f"person {number + 1}" for number in range(options.people)]
    for person in people:
        await first.request("POST", "/entries", {"entries": [entry("drink", person, {"ethanol_g": 40})]})
        # Nobody is fitted without a weight.
        measures = {"sex": "male", "age_y": 30, "height_cm": 180, "weight_kg": 80, "reason": "measured"}
        status, answer = await first.request("PATCH", f"/people/{quote(person)}/measures", measures)
        assert status == 200, answer
    _, day = await first.request("GET", "/day")
    heard = [set() for _ in range(options.streams)]
    streams = [asyncio.create_task(listen(server.port, token, day["seq"], sent, delays, each)) for each in heard]
    await asyncio.sleep(1)
    # Each its own station, since one may send no more than 200 requests a second.
    stations = [server.station(f"station {number + 1}") for number in range(8)]
    connections = [await Connection(server.port, station).open() for station in stations]
    locks = [asyncio.Lock() for _ in connections]

    async def one(number):
        place = number % len(connections)
        async with locks[place]:
            await post(connections[place], sent, took, accepted, people[number % len(people)], number)

    memory = []

    async def weigh():
        while True:
            await asyncio.sleep(60)
            memory.append(server.memory_mb())

    start, used, tasks = time.monotonic(), server.processor_seconds(), []
    weighing = asyncio.create_task(weigh())
    for number in range(options.rate * options.seconds):
        await asyncio.sleep(max(0, start + number / options.rate - time.monotonic()))
        tasks.append(asyncio.create_task(one(number)))
    await asyncio.gather(*tasks)
    weighing.cancel()
    used, took_seconds = server.processor_seconds() - used, time.monotonic() - start
    await asyncio.sleep(2)
    for stream in streams:
        if stream.done():
            stream.result()
        stream.cancel()
    # The first connection said nothing for the length of the load, and may be closed.
    last = await Connection(server.port, token).open()
    stored, after = set(), 0
    while after is not None:
        _, page = await last.request("GET", f"/changes?after={after}&limit=1000")
        stored |= {item.get("record") for item in page["items"]}
        after = page.get("next")
    lost = len(accepted - stored)
    unheard = sum(len(accepted - each) for each in heard)
    print(f"{len(accepted)} entries in {took_seconds:.1f} s, {options.streams} streams")
    print(f"post: p50 {quantile(took, 0.5):.1f} ms, p99 {quantile(took, 0.99):.1f} ms")
    print(f"pages: p50 {quantile(delays, 0.5):.1f} ms, p99 {quantile(delays, 0.99):.1f} ms, {len(delays)} heard")
    print(f"processor {used:.1f} s: {used / len(sent) * 1000:.2f} ms an entry, {used / took_seconds:.0%} of a core")
    print(f"memory {server.memory_mb():.0f} MB; lost {lost}, not heard {unheard}, not accepted {len(sent) - len(accepted)}")
    is_steady = len(memory) <= 10 or memory[-1] <= 1.5 * memory[9]
    if len(memory) > 1:
        print(f"memory by minute: {' '.join(f'{each:.0f}' for each in memory)} MB{'' if is_steady else ': IT GROWS'}")
    return lost == 0 and unheard == 0 and len(accepted) == len(sent) and quantile(delays, 0.99) <= options.limit and is_steady


def plain_commits(folder, seconds=1.0):
    """Commits a second of one row each that SQLite does here now, as safe as the server's: what the disk allows."""
    database = sqlite3.connect(os.path.join(folder, "plain.sqlite"), isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        database.execute("INSERT INTO t (b) VALUES (?)", ("x" * 400,))
        count += 1
    database.close()
    os.remove(os.path.join(folder, "plain.sqlite"))
    return count / seconds


def device(port, token, seconds, rate, results):
    """An instrument that measures so many times a second, and sends each reading by itself."""
    door = socket.create_connection(("127.0.0.1", port))
    door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    requests, took, stored, start = Doors.made("device", token), [], 0, time.monotonic()
    for number in range(seconds * rate):
        time.sleep(max(0, start + number / rate - time.monotonic()))
        began = time.monotonic()
        door.sendall(next(requests))
        stored += b'"stored"' in Doors.answer(door)
        took.append((time.monotonic() - began) * 1000)
    results.put((stored, took))


def check_device(server, token, sent):
    """Stored whole, in order of the chain, and shown thinned."""
    async def person():
        return (await (await Connection(server.port, token).open()).request("GET", "/people/device"))[1]

    shown = asyncio.run(person())
    database = sqlite3.connect(server.database)
    kept = database.execute("SELECT count(*) FROM readings JOIN series ON series.id = series_id JOIN subjects ON subjects.id = subject_id"
                            " WHERE name = 'device'").fetchone()[0]
    database.close()
    good = kept == sent == shown.get("reading_count", len(shown["readings"])) and len(shown["readings"]) <= 1001 and broken(server.database) is None
    print(f"device: {sent} sent, {kept} kept, {len(shown['readings'])} shown{'' if good else ': WRONG'}")
    return good


def writers(server, options):
    """How many entries a second writers store that wait for each answer, beside what SQLite alone commits.

    One process with a connection for each writer, and requests that are made before: the load takes its share of the
    same cores, and should be small beside the server's.
    """
    tokens = [server.station(f"writer {number + 1}") for number in range(options.writers)]
    before = plain_commits(os.path.dirname(server.database))
    doors, used = Doors(server.port, tokens), server.processor_seconds()
    results = multiprocessing.Queue()
    if options.device:
        token = server.station("device")
        instrument = multiprocessing.Process(target=device, args=(server.port, token, options.seconds, options.device, results))
        instrument.start()
    own, started = time.process_time(), time.monotonic()
    took, stored = doors.run(options.seconds)
    elapsed, own, used = time.monotonic() - started, time.process_time() - own, server.processor_seconds() - used
    after = plain_commits(os.path.dirname(server.database))
    rate, plain = stored / elapsed, (before + after) / 2
    print(f"{options.writers} writers: {rate:.0f} entries/s, p50 {quantile(took, 0.5):.1f} ms, p99 {quantile(took, 0.99):.1f} ms; "
          f"SQLite alone {plain:.0f} commits/s, ratio {rate / plain:.2f}")
    print(f"{used / len(took) * 1000:.2f} ms of processor an entry, and {own / len(took) * 1000:.2f} ms for the load")
    if options.device:
        kept, device_took = results.get()
        instrument.join()
        print(f"device of {options.device} readings/s: p50 {quantile(device_took, 0.5):.1f} ms, p99 {quantile(device_took, 0.99):.1f} ms")
        if kept != len(device_took) or not check_device(server, token, kept):
            return False
    return stored == len(took)


class Doors:
    """Connections that each send an entry as soon as the one before is answered."""

    def __init__(self, port, tokens):
        self.doors, self.requests, self.epoll = {}, {}, select.epoll()
        for place, token in enumerate(tokens):
            door = socket.create_connection(("127.0.0.1", port))
            door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.doors[door.fileno()] = door
            self.requests[door.fileno()] = self.made(f"writer {place}", token)
            self.epoll.register(door.fileno(), select.EPOLLIN)

    @staticmethod
    def made(subject, token):
        """Requests without end, of which UUID, time and value change."""
        marks, moment = "00000000-0000-4000-8000-000000000000", "2026-01-01T00:00:00.000Z"
        body = json.dumps({"entries": [{**entry("reading", subject, {"concentration": 0.125, "unit": "brac_mg_per_l"}), "id": marks, "device_time": moment}]})
        head = f"POST /api/v1/entries HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
        before, after = (head + body).split(marks)
        after, rest = after.split("0.125")
        after, middle = after.split(moment)
        run = os.urandom(6).hex()
        for number in itertools.count():
            value = f"0.{number % 50 + 100}"
            yield f"{before}{run[:8]}-{run[8:]}-4000-8000-{number:012x}{after}{iso(time.time())}{middle}{value}{rest}".encode()

    @staticmethod
    def answer(door):
        answer = door.recv(65536)
        while b"}]" not in answer and b'"code"' not in answer:
            answer += door.recv(65536)
        return answer

    def run(self, seconds):
        """What each answer took in ms, and how many entries were stored."""
        took, stored, sent = [], 0, {}

        def send(number):
            sent[number] = time.monotonic()
            self.doors[number].sendall(next(self.requests[number]))

        end = time.monotonic() + seconds
        for number in self.doors:
            send(number)
        while sent:
            for number, _ in self.epoll.poll():
                answer = self.answer(self.doors[number])
                now = time.monotonic()
                took.append((now - sent.pop(number)) * 1000)
                stored += b'"stored"' in answer
                if now < end:
                    send(number)
        return took, stored


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=None)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--rate", type=int, default=100, help="entries a second")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--writers", type=int, help="instead: so many that send as fast as they are answered")
    parser.add_argument("--device", type=int, default=0, help="with --writers: readings a second of an instrument beside them")
    parser.add_argument("--limit", type=float, default=100, help="ms, for p99 of the pages")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.program or program(), os.path.join(folder, "study.sqlite"))
        try:
            good = writers(server, options) if options.writers else asyncio.run(load(server, options))
        finally:
            status, seconds = server.stop()
        print(f"stopped with {status} in {seconds:.1f} s")
    raise SystemExit(0 if good and status == 0 else 1)


if __name__ == "__main__":
    main()
