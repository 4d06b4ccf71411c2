"""The command: finding it, running it, ending it."""

from __future__ import annotations

import contextlib
import contextvars
import html
import json
import os
import re
import select
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ._errors import CommandError, Finding, error, parse

_PROGRESS = re.compile(r"(?P<done>\d+)(?: of (?P<total>\d+))? series, (?P<rest>.*)")


@dataclass(frozen=True)
class Memory:
    """A file that is only in memory, given to the command in the place of a path."""

    content: bytes | memoryview
    name: str = "input"
    is_input: bool = False
    """Whether it is what the command reads from standard input; of one call at most one."""
    before: str = ""
    """What stands before the path in the argument, such as ``--predictions=My app=``."""
    placed: Callable[[Finding], Finding] | None = None
    """Gives a finding about the file its place in the frame that the file was made of."""


@dataclass(frozen=True)
class Answer:
    """What a command wrote, and what it found."""

    output: bytes
    findings: list[Finding] = field(default_factory=list)
    names: Mapping[str, str] = field(default_factory=dict)
    """What files in memory are called, by the paths that the command was given."""


def command() -> str:
    """Return the path of the command.

    It is the program of the environment variable ``PROMILLE_COMMAND``, or that which was installed with this package,
    or the first one on the path.

    Returns
    -------
    str
        The path.

    Raises
    ------
    CommandError
        If there is none.
    """
    named = os.environ.get("PROMILLE_COMMAND")
    beside: list[str | Path] = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", f"{os.name}_user"),
        Path(sys.prefix, "bin"),
    ]
    # Where `pip install --target` puts it.
    beside.append(Path(__file__).parents[1] / "bin")
    candidates = [named] if named else [str(Path(folder) / "promille") for folder in beside]
    for candidate in candidates:
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    found = None if named else shutil.which("promille")
    if found:
        return found
    where = f"PROMILLE_COMMAND is {named!r}, which cannot be run" if named else "it is not installed with this package"
    raise CommandError(
        Finding(
            "error",
            "E_COMMAND_MISSING",
            f"the command promille is missing: {where}",
            "install the wheel of this package, or name a program in PROMILLE_COMMAND",
        )
    )


def run(arguments: Sequence[str | Memory], *, accept: Sequence[int] = (0, 1), session: Session | None = None) -> Answer:
    """Run the command, in the session if there is one, and wait for it; whatever interrupts the wait ends the process.

    Status 1 says that some subjects have no result; their rows say why.
    """
    session = session or _active.get()
    line, names = ["--error-format=json"], {}
    frames: dict[str, Callable[[Finding], Finding]] = {}
    content: bytes | memoryview = b""
    with contextlib.ExitStack() as stack:
        for item in arguments:
            if isinstance(item, str):
                line.append(item)
            elif item.is_input:
                # By a path, so that the command can read it more than once.
                line.append("/dev/stdin")
                content = item.content
            else:
                path = stack.enter_context(_file(item.content))[1]
                line.append(item.before + path)
                names[path] = f"<{item.name}>"
                if item.placed is not None:
                    frames[names[path]] = item.placed
        status, output, lines = session._ask(line, content) if session else _ask(line, content)
    findings = [
        frames[each.place.source](each) if each.place is not None and each.place.source in frames else each
        for each in parse(named(text, names) for text in lines)
    ]
    if status not in accept or (status != 0 and not output):
        raise error(status, findings)
    if output[:1] in (b"{", b"<"):
        output = named(output.decode(), names, is_page=output[:1] == b"<").encode()
    return Answer(output, findings, names)


def named(text: str, names: Mapping[str, str], *, is_page: bool = False) -> str:
    """Return JSON, or a page, with the names of files in memory instead of their paths."""
    # Of paths that begin alike, the longer one comes first.
    for path, name in sorted(names.items(), reverse=True):
        text = text.replace(path, html.escape(name) if is_page else json.dumps(name, ensure_ascii=False)[1:-1])
    return text


@contextlib.contextmanager
def _file(content: bytes | memoryview) -> Iterator[tuple[IO[bytes], str]]:
    """Make a file of the content, in memory where the system has such files, and the path that leads others to it."""
    has_memory = hasattr(os, "memfd_create")
    with open(os.memfd_create("promille"), "w+b") if has_memory else tempfile.NamedTemporaryFile() as file:
        path = f"/proc/{os.getpid()}/fd/{file.fileno()}" if has_memory else str(file.name)
        file.write(content)
        file.flush()
        file.seek(0)
        yield file, path


def _start(arguments: Sequence[str], **streams: Any) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen([command(), *arguments], env={**os.environ, "NO_COLOR": "1"}, **streams)
    except OSError as reason:
        raise CommandError(Finding("error", "E_COMMAND_MISSING", f"promille cannot be started: {reason}")) from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process; it removes what it has begun."""
    process.terminate()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Session:
    """One process for many calls, each of which takes milliseconds less to start.

    In a ``with`` block it serves every call of the thread; elsewhere those that it is given to. Calls of several
    threads wait for each other. An interrupted call ends the process, and the next one starts another. Progress is not
    shown.

    Examples
    --------
    >>> with pm.Session():
    ...     for path in paths:
    ...         pm.read_study(path).fit()
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._tokens: list[contextvars.Token[Session | None]] = []

    def __enter__(self) -> Session:
        """Serve the calls of this thread."""
        self._tokens.append(_active.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        _active.reset(self._tokens.pop())
        if not self._tokens:
            self.close()

    def close(self) -> None:
        """End the process; another call starts a new one."""
        process, self._process = self._process, None
        # A process that was forked from its owner leaves it alone.
        if process is not None and self._owner == os.getpid():
            _end(process)
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]

    def _ask(self, line: Sequence[str], content: bytes | memoryview) -> tuple[int, bytes, list[str]]:
        with self._lock:
            if self._process is None or self._owner != os.getpid():
                self._owner = os.getpid()
                self._process = _start(["worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None)
                weakref.finalize(self, self._process.stdin.close)  # type: ignore[union-attr]
            process = self._process
            try:
                answer = self._answer(process, line, content)
            except BaseException:
                self.close()
                raise
            if answer is None:
                self.close()
                raise error(process.returncode, [])
        return answer

    @staticmethod
    def _answer(
        process: subprocess.Popen[bytes], line: Sequence[str], content: bytes | memoryview
    ) -> tuple[int, bytes, list[str]] | None:
        """Send a request and wait for the answer; None if the worker has ended."""
        assert process.stdin is not None
        assert process.stdout is not None
        request = {"arguments": list(line), "input": memoryview(content).nbytes}
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.write(content)
            process.stdin.flush()
        stdout = process.stdout.fileno()
        watched = select.poll()
        watched.register(stdout, select.POLLIN)
        received = bytearray()

        def receive() -> bool:
            # In short waits, after each of which this thread can be interrupted.
            while not watched.poll(200):
                pass
            block = os.read(stdout, 1 << 18)
            received.extend(block)
            return bool(block)

        while b"\n" not in received:
            if not receive():
                return None
        start = received.index(b"\n") + 1
        answer = json.loads(received[:start])
        middle = start + answer["output"]
        while len(received) < middle + answer["errors"]:
            if not receive():
                return None
        lines = received[middle:].decode("utf-8", "replace").split("\n")
        return answer["status"], bytes(received[start:middle]), [line for line in lines if line.strip()]


_active: contextvars.ContextVar[Session | None] = contextvars.ContextVar("session", default=None)


def _ask(arguments: Sequence[str], content: bytes | memoryview) -> tuple[int, bytes, list[str]]:
    """Run a process of its own."""
    bar = _bar()
    # The command shows progress on terminals only, so it gets one for standard error.
    ours, theirs = os.openpty() if bar is not None else os.pipe()
    try:
        with _file(content) as (file, _):
            process = _start(arguments, stdin=file, stdout=subprocess.PIPE, stderr=theirs)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    stdout = process.stdout
    assert stdout is not None
    output: list[bytes] = []
    lines: list[str] = []
    readers = [
        threading.Thread(target=lambda: output.append(stdout.read()), daemon=True),
        threading.Thread(target=_read, args=(ours, lines, bar), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        # In short waits, after each of which this thread can be interrupted.
        while any(reader.is_alive() for reader in readers):
            for reader in readers:
                reader.join(0.2)
        status = process.wait()
    finally:
        _end(process)
        for reader in readers:
            reader.join()
        stdout.close()
        if bar is not None:
            bar.close()
    return status, output[0], lines


def _read(number: int, lines: list[str], bar: Any) -> None:
    """Collect the lines of standard error; what is overwritten by a carriage return is progress."""
    stream: IO[bytes]
    with open(number, "rb", buffering=0) as stream:
        rest = b""
        while True:
            try:
                block = stream.read(1 << 16)
            except OSError:  # How a pseudo-terminal ends.
                block = b""
            if not block:
                break
            rest += block.replace(b"\r\n", b"\n")
            *parts, rest = re.split(rb"[\r\n]", rest)
            _take(parts, lines, bar)
        _take([rest], lines, bar)


def _take(parts: Sequence[bytes], lines: list[str], bar: Any) -> None:
    for part in parts:
        text = part.decode("utf-8", "replace").replace("\x1b[K", "")
        shown = _PROGRESS.fullmatch(text) if bar is not None else None
        if shown:
            bar.total = int(shown["total"]) if shown["total"] else None
            bar.update(int(shown["done"]) - bar.n)
        elif text.strip():
            lines.append(text)


def _bar() -> Any:
    """Return a progress bar if tqdm is installed and somebody may look at it."""
    if os.environ.get("PROMILLE_PROGRESS") == "0" or not hasattr(os, "openpty"):
        return None
    if not ("ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())):
        return None
    try:
        with warnings.catch_warnings():
            # Without ipywidgets the bar is one of characters, of which nobody has to be warned.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    # Shown after a second: most calls take less.
    return tqdm(unit=" series", leave=False, delay=1)
