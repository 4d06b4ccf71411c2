"""Ten devices, lost replies, kills: whether all come to the same study day, and the right one.

Each device has an outbox, as a page has: it enters, corrects, takes out and resolves, keeps what it sends until it has
an answer, and sends it again after a lost reply. Replies are lost after the server has committed; the server is ended
by SIGKILL and started again. Meanwhile each device follows the stream of changes, coming back for what it missed.
In the end, a model that is written here alone replays the log, and everything is held against it:

- what was acknowledged is in the log once, with the value that was sent, and nothing else is;
- a change of a version that was no longer the last is a conflict, unless it says the same;
- entries on the page, and rows in the tables of the study, are what the log says;
- every device heard every change, once, in order; the chain of hashes is sound.

--planted plants one bug after the other between devices and server, and fails unless each is found.
"""

import argparse
import asyncio
import json
import os
import random
import sqlite3
import tempfile
import time
import uuid

from serve_client import Connection, Server, entry, program
from serve_kill import broken

BUGS = ("forgets", "doubles", "overwrites", "rewrites", "deafens", "repeats")
SUBJECTS = [f"person {number + 1}" for number in range(4)]


class World:
    """The server, which dies now and then, and what the devices did."""

    def __init__(self, command, folder, bug, seed):
        self.command, self.database, self.bug = command, os.path.join(folder, "study.sqlite"), bug
        self.random = random.Random(seed)
        self.server = Server(command, self.database)
        self.port = self.server.port
        self.sent, self.acknowledged, self.refused = {}, {}, set()
        self.versions = {}  # the last version of each entry that any device heard of

    async def kill(self):
        self.server.kill()
        await asyncio.sleep(self.random.uniform(0, 0.2))
        # Blocks the loop: devices are away meanwhile, as with a server that starts.
        self.server = Server(self.command, self.database)
        self.port = self.server.port

    def is_buggy(self, bug):
        return self.bug == bug and self.random.random() < 0.03


class Device:
    def __init__(self, world, name):
        self.world, self.name, self.token = world, name, world.server.station(name)
        self.outbox, self.heard, self.last = [], [], 0
        self.connection = None

    # What a person does.

    def act(self):
        world = self.world
        known = [record for record, (version, kind, subject, state) in world.versions.items() if state != "void"]
        kind = world.random.choice(("reading", "reading", "drink", "note", "vital"))
        if not known or world.random.random() < 0.5:
            body = entry(kind, world.random.choice(SUBJECTS), self.value(kind))
        else:
            record = world.random.choice(known[-12:])
            version, kind, subject, state = world.versions[record]
            action = "resolve" if state == "conflict" else world.random.choice(("correct", "correct", "correct", "void"))
            value = None if action == "void" else self.value(kind)
            body = {**entry(kind, subject, value), "action": action, "record": record, "base": version, "reason": "slip"}
        world.sent[body["id"]] = body
        self.outbox.append(body)

    def value(self, kind):
        number = self.world.random.randrange(1, 80)
        return {"reading": {"concentration": number / 100, "unit": "brac_mg_per_l"}, "drink": {"ethanol_g": number},
                "note": {"text": f"note {number}"}, "vital": {"kind": "HeartRate", "value": 40 + number}}[kind]

    # What its outbox does.

    async def send(self):
        """Sends the first few; what is answered leaves the outbox."""
        world = self.world
        batch = self.outbox[: world.random.choice((1, 1, 2, 5))]
        if not batch:
            return
        try:
            if self.connection is None:
                self.connection = await Connection(world.port, self.token).open()
            posted = [self.tampered(each) for each in batch]
            kept = [each for each in posted if each is not None]
            if world.random.random() < 0.15:
                # The server commits, and nobody hears the answer.
                await self.connection.send("POST", "/entries", {"entries": kept})
                await asyncio.sleep(world.random.uniform(0, 0.02))
                self.drop()
                return
            results = []
            if kept:
                status, answer = await asyncio.wait_for(self.connection.request("POST", "/entries", {"entries": kept}), 20)
                if status != 200:
                    raise ConnectionError(f"{status} {answer}")
                results = answer["results"]
        except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError, IndexError):
            self.drop()
            await asyncio.sleep(0.05)
            return
        for result in results + [{"id": each["id"], "status": "stored"} for each, post in zip(batch, posted) if post is None]:
            if result["status"] == "refused":
                world.refused.add(result["id"])
            elif result["id"] in world.sent:
                world.acknowledged[result["id"]] = result["status"]
                body = world.sent[result["id"]]
                if result["status"] == "conflict":
                    world.versions[body["record"]] = (result["seq"], body["kind"], body["subject"], "conflict")
        done = {each["id"] for each in batch}
        self.outbox = [each for each in self.outbox if each["id"] not in done]

    def tampered(self, body):
        """What a server with a bug would make of it; None if it forgets it."""
        world = self.world
        if world.is_buggy("forgets"):
            return None
        if world.is_buggy("doubles"):
            return {**body, "id": str(uuid.uuid4()), **({} if "record" in body else {})}
        if "base" in body and world.bug == "overwrites":
            return {**body, "base": world.versions[body["record"]][0]}
        if body["kind"] == "drink" and body.get("value") and world.is_buggy("rewrites"):
            return {**body, "value": {"ethanol_g": 99}}
        return body

    def drop(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    async def work(self, until):
        while time.monotonic() < until:
            if self.world.random.random() < 0.6:
                self.act()
            await self.send()
            await asyncio.sleep(self.world.random.uniform(0, 0.06))
        while self.outbox:
            await self.send()
        self.drop()

    # What its page hears.

    async def listen(self):
        while True:
            try:
                connection = await Connection(self.world.port, self.token).open()
                await connection.send("GET", f"/events?after={self.last}")
                while line := await connection.reader.readline():
                    if line.startswith(b"data: ") and b'"action"' in line:
                        self.hear(json.loads(line[6:]))
                connection.close()
            except (OSError, ValueError):
                pass
            await asyncio.sleep(0.05)

    def hear(self, change):
        world = self.world
        self.last = change["seq"]
        if world.is_buggy("deafens"):
            return
        self.heard.append(change["seq"])
        if world.is_buggy("repeats"):
            self.heard.append(change["seq"])
        kind, _, action = change["action"].partition(".")
        if change.get("record") and kind in ("reading", "drink", "note", "vital"):
            version, _, _, state = world.versions.get(change["record"], (0, kind, "", "current"))
            if change["seq"] > version:
                new = "void" if action == "void" else "current"
                world.versions[change["record"]] = (change["seq"], kind, change["subject"], new)


class Model:
    """The rules, written down a second time: what the log means for each entry."""

    def __init__(self, world, events):
        self.entries, self.problems = {}, []
        for event in events:
            kind, _, action = event["action"].partition(".")
            if kind in ("reading", "drink", "note", "vital"):
                self.take(world, event, kind, action)

    def take(self, world, event, kind, action):
        sent, record = world.sent.get(event["uuid"]), event["record"]
        new = event["new"] and json.loads(event["new"])
        if sent is None:
            self.problems.append(f"{event['seq']}: nobody sent {event['action']}")
            return
        if (new or {}).get("value") != sent.get("value") and action != "resolve":
            self.problems.append(f"{event['seq']}: {sent.get('value')} was sent, {new} is stored")
        known = self.entries.get(record)
        if action == "enter":
            if known:
                self.problems.append(f"{event['seq']}: entered twice")
            self.entries[record] = {"kind": kind, "version": event["seq"], "state": "current", "told": new, "subject": event["subject"]}
            return
        if known is None:
            self.problems.append(f"{event['seq']}: a change of nothing")
            return
        if known["state"] == "conflict" and action == "resolve":
            known.update(version=event["seq"], state="current", told=new)
        elif sent["base"] == known["version"]:
            known.update(version=event["seq"], state="void" if action == "void" else known["state"], told=new or known["told"])
        elif known["state"] != "conflict" and (new or None) == (None if known["state"] == "void" else known["told"]):
            known["version"] = event["seq"]
        else:
            known.update(version=event["seq"], state="conflict")


async def converge(world, options):
    devices = [Device(world, f"device {number + 1}") for number in range(options.devices)]
    listeners = [asyncio.create_task(device.listen()) for device in devices]
    until = time.monotonic() + options.seconds
    workers = [asyncio.create_task(device.work(until)) for device in devices]
    for kill in range(options.kills):
        await asyncio.sleep(options.seconds / (options.kills + 1))
        await world.kill()
    await asyncio.gather(*workers)
    connection = await Connection(world.port, devices[0].token).open()
    last = (await connection.request("GET", "/day"))[1]["seq"]
    for _ in range(200):
        if all(device.last >= last for device in devices):
            break
        await asyncio.sleep(0.05)
    people = {}
    for subject in SUBJECTS:
        status, person = await connection.request("GET", "/people/" + subject.replace(" ", "%20"))
        if status == 200:
            people[subject] = person
    for listener in listeners:
        listener.cancel()
    return devices, people


def check(world, devices, people):
    """What is wrong."""
    database = sqlite3.connect(world.database)
    database.row_factory = sqlite3.Row
    events = [dict(row) for row in database.execute("SELECT * FROM events ORDER BY seq")]
    for event in events:
        for name in ("uuid", "record"):
            event[name] = event[name] and str(uuid.UUID(bytes=event[name]))
    stored = [event["uuid"] for event in events]
    model = Model(world, events)
    problems = list(model.problems)
    if len(set(stored)) != len(stored):
        problems.append("a change is in the log twice")
    problems += [f"{each} was acknowledged ({status}) and is not in the log" for each, status in world.acknowledged.items() if each not in set(stored)]
    problems += [f"{each} was refused and is in the log" for each in world.refused & set(stored) if each not in world.acknowledged]
    shown = {each["uuid"]: each for person in people.values() for list_ in ("readings", "drinks", "vitals", "notes") for each in person[list_]}
    if set(shown) != set(model.entries):
        problems.append(f"{len(set(shown) ^ set(model.entries))} entries are on the page or in the log alone")
    for record, entry_ in model.entries.items():
        page = shown.get(record)
        if page and (page["state"], page["version"]) != (entry_["state"], entry_["version"]):
            problems.append(f"{record} is {page['state']} {page['version']} on the page, {entry_['state']} {entry_['version']} by the log")
        elif page and entry_["state"] == "current" and page["value"] != entry_["told"]["value"]:
            problems.append(f"{record} has another value on the page")
    for table, kind in (("readings", "reading"), ("drinks", "drink"), ("vitals", "vital")):
        rows = {str(uuid.UUID(bytes=row[0])) for row in database.execute(f"SELECT uuid FROM {table}")}
        wanted = {record for record, each in model.entries.items() if each["kind"] == kind and each["state"] == "current"}
        if rows != wanted:
            problems.append(f"{len(rows ^ wanted)} rows of {table} are not what the log says")
    followed = [event["seq"] for event in events if event["subject"] in SUBJECTS]
    for device in devices:
        if [seq for seq in device.heard if seq in set(followed)] != followed:
            problems.append(f"{device.name} heard {len(device.heard)} changes, not each of {len(followed)} once and in order")
    if (seq := broken(world.database)) is not None:
        problems.append(f"event {seq} breaks the chain")
    conflicts = sum(status == "conflict" for status in world.acknowledged.values())
    return problems, f"{len(events)} changes, {len(world.acknowledged)} acknowledged, {conflicts} in conflict, {len(world.refused)} refused"


def run(options, bug, seed):
    with tempfile.TemporaryDirectory() as folder:
        world = World(options.program or program(), folder, bug, seed)
        try:
            devices, people = asyncio.run(converge(world, options))
            return check(world, devices, people)
        finally:
            world.server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=None)
    parser.add_argument("--devices", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--planted", action="store_true", help="plant each bug, and see that it is found")
    options = parser.parse_args()
    failed = False
    for number in range(options.runs):
        problems, summary = run(options, None, options.seed + number)
        print(f"run {number + 1}: {summary}; {len(problems)} problems", *problems[:10], sep="\n  ")
        failed |= bool(problems)
    for bug in BUGS if options.planted else ():
        problems, summary = run(options, bug, options.seed)
        print(f"{bug}: {summary}; {problems[0] if problems else 'NOT FOUND'}")
        failed |= not problems
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
