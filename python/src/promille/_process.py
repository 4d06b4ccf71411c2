"""The command: finding it, running it, ending it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
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


@dataclass(frozen=True)
class Answer:
    """What a command wrote, and what it found."""

    output: bytes
    findings: list[Finding] = field(default_factory=list)


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


def run(arguments: Sequence[str | Memory], *, accept: Sequence[int] = (0, 1)) -> Answer:
    """Run the command and wait for it; whatever interrupts the wait ends the process.

    Status 1 says that some subjects have no result; their rows say why.
    """
    with contextlib.ExitStack() as stack:
        opened = [(item, stack.enter_context(_in_memory(item))) for item in arguments if isinstance(item, Memory)]
        paths = iter(opened)
        line = [item if isinstance(item, str) else next(paths)[1][0] for item in arguments]
        names = {path: item.name for item, (path, _) in opened}
        status, output, text = _communicate(line, [number for _, (_, number) in opened if number >= 0])
    for path, name in names.items():
        text = text.replace(path, f"<{name}>")
        if output[:1] == b"{":
            output = output.replace(path.encode(), f"<{name}>".encode())
    findings = parse(text)
    if status not in accept or (status != 0 and not output):
        raise error(status, findings)
    return Answer(output, findings)


@contextlib.contextmanager
def _in_memory(memory: Memory) -> Iterator[tuple[str, int]]:
    """Give the content a path that a child process can open, more than once."""
    if hasattr(os, "memfd_create"):
        number = os.memfd_create("promille")
        try:
            with open(number, "wb", closefd=False) as file:
                file.write(memory.content)
            yield f"/proc/self/fd/{number}", number
        finally:
            os.close(number)
    else:
        with tempfile.NamedTemporaryFile() as file:
            file.write(memory.content)
            file.flush()
            yield file.name, -1


def _communicate(arguments: Sequence[str], inherited: Sequence[int]) -> tuple[int, bytes, str]:
    bar = _bar()
    # The command shows progress on terminals only, so it gets one for standard error.
    ours, theirs = os.openpty() if bar is not None else os.pipe()
    try:
        process = subprocess.Popen(
            [command(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=theirs,
            pass_fds=inherited,
            env={**os.environ, "NO_COLOR": "1"},
        )
    except BaseException as reason:
        os.close(ours)
        if isinstance(reason, OSError):
            raise CommandError(Finding("error", "E_COMMAND_MISSING", f"promille cannot be started: {reason}")) from None
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
        process.kill()
        process.wait()
        for reader in readers:
            reader.join()
        stdout.close()
        if bar is not None:
            bar.close()
    return status, output[0], "\n".join(lines)


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
