"""A served study day for scripts: starts promille-serve on a database and speaks HTTP/1.1 with it.

Only the standard library is needed.
"""

import asyncio
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import uuid


class Server:
    """promille-serve on a database, on a free port."""

    def __init__(self, program, database, *options):
        self.program, self.database = program, database
        self.process = subprocess.Popen(
            [program, database, "--port", "0", "--quiet", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}{self.process.stderr.read()}")
        self.port = int(found.group(1))

    def station(self, name="bridge"):
        """A station's token."""
        arguments = [self.program, self.database, "--invite", name, "--role", "operator", "--station"]
        return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.strip()

    def kill(self):
        """SIGKILL: nothing is tidied up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """SIGTERM, and how long it took to end."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=30)
        return status, time.monotonic() - started

    def memory_mb(self):
        """Resident memory."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1)) / 1024

    def processor_seconds(self):
        """What the server has used of processors so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as status:
            user, system = status.read().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Connection:
    """One connection that is kept."""

    def __init__(self, port, token):
        self.port, self.token = port, token

    async def open(self):
        # A person with hundreds of entries is one long line of a stream.
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        return self

    async def request(self, method, path, body=None, headers=()):
        """Sends a request; the status and the JSON of the answer."""
        await self.send(method, path, body, headers)
        status, length = await self.head()
        text = await self.chunks() if length is None else await self.reader.readexactly(length)
        return status, json.loads(text) if text else None

    async def send(self, method, path, body=None, headers=()):
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(data)}"]
        if self.token:
            lines.append(f"Authorization: Bearer {self.token}")
        lines += headers
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        await self.writer.drain()

    async def chunks(self):
        """The body of an answer whose length is not known when it begins."""
        text = b""
        while length := int(await self.reader.readline(), 16):
            text += (await self.reader.readexactly(length + 2))[:-2]
        await self.reader.readline()
        return text

    async def head(self):
        """The status and the length of the body; None if it comes in chunks."""
        status = int((await self.reader.readline()).split()[1])
        length = 0
        while (line := await self.reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
            elif name.lower() == "transfer-encoding":
                length = None
        return status, length

    def close(self):
        self.writer.close()


def iso(seconds):
    """A moment as the server writes it."""
    whole = int(seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((seconds - whole) * 1000):03d}Z"


def entry(kind, subject, value, at=None, **more):
    """A new entry."""
    return {"id": str(uuid.uuid4()), "kind": kind, "subject": subject, "action": "enter",
            "device_time": iso(at or time.time()), "clock_offset_ms": 0, "value": value, **more}


def program():
    """promille-serve as `make -C StudyDay` builds it, release before debug."""
    builds = pathlib.Path(__file__).resolve().parents[3] / ".build"
    for build in ("release", "debug"):
        if (path := builds / build / "promille-serve").exists():
            return str(path)
    raise SystemExit("build it first: make -C StudyDay build")
