#!/usr/bin/env python3
"""Asks bash, zsh and fish, as far as they are installed, what they complete `promille` with.

    python3 Tests/Tools/completions.py .build/release/promille

Each shell loads the script that `make install` puts in place for it, and is asked as people do, on a pseudo terminal
with the tab key.
"""

import argparse
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What is typed, and how the line goes on; of a folder the slash is the shell's affair.
LINES = [
    ("promille forec", "promille forecast"),
    ("promille fit --estim", "promille fit --estimate"),
    ("promille fit --model mich", "promille fit --model michaelis-menten"),
    ("promille fit --estimate vm", "promille fit --estimate vmax"),
    ("promille compare --r-factor forr", "promille compare --r-factor forrest"),
    ("promille fit --color alw", "promille fit --color always"),
    ("promille check datasets/nac", "promille check datasets/nacar-2021"),
    ("promille fit x --drinks-catalogue datasets/dri", "promille fit x --drinks-catalogue datasets/drinks.json"),
    ("promille forecast x --prior fas", "promille forecast x --prior fasted"),
    ("promille fit x --prior datasets/pri", "promille fit x --prior datasets/priors/"),
    ("promille fit x --prior datasets/priors/fe", "promille fit x --prior datasets/priors/fed.json"),
    ("promille init x --from Package.res", "promille init x --from Package.resolved"),
    ("promille case --case Package.res", "promille case --case Package.resolved"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("promille", type=Path)
    promille = parser.parse_args().promille.resolve()
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(promille, folder / "promille")
        environment = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": name, "TERM": "dumb"}
        for shell, ask in [("bash", bash), ("zsh", zsh), ("fish", fish)]:
            if not shutil.which(shell):
                print(f"{shell} is not installed: not asked")
                continue
            script = folder / f"_promille.{shell}"
            script.write_bytes(
                subprocess.check_output([promille, "--generate-completion-script", shell]))
            wrong = [
                f"{shell}: {line!r} became {found!r}"
                for line, wanted in LINES
                if (found := ask(script, environment, line, wanted)) is not None
            ]
            print(f"{shell}: {len(LINES) - len(wrong)} of {len(LINES)} lines completed")
            failures += wrong
    if failures:
        sys.exit("\n".join(failures))


def fish(script: Path, environment: dict, line: str, wanted: str) -> str | None:
    setup = f"function fish_prompt; echo -n 'READY> '; end; source {script}\n"
    return typed(["fish", "--no-config", "-i"], environment, setup, line, wanted)


def bash(script: Path, environment: dict, line: str, wanted: str) -> str | None:
    setup = f"bind 'set enable-bracketed-paste off'; PS1='READY> '; . {script}\n"
    return typed(["bash", "--norc", "--noprofile", "-i"], environment, setup, line, wanted)


def zsh(script: Path, environment: dict, line: str, wanted: str) -> str | None:
    functions = script.parent / "functions"
    functions.mkdir(exist_ok=True)
    shutil.copy(script, functions / "_promille")
    setup = (
        f"PS1='READY> '; fpath=({functions} $fpath); unsetopt zle_bracketed_paste; "
        "autoload -U compinit; compinit -u -D\n")
    return typed(["zsh", "-f", "-i"], environment, setup, line, wanted)


def typed(shell: list, environment: dict, setup: str, line: str, wanted: str) -> str | None:
    """Types a line and the tab key; None if the line then is what is wanted."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(shell[0], shell, environment)
    try:
        os.write(terminal, setup.encode())
        read(terminal, 3, "READY> ", 2)
        os.write(terminal, (line + "\t").encode())
        shown = read(terminal, 5, wanted)
        return None if wanted in shown else shown
    finally:
        os.close(terminal)
        os.kill(process, 9)
        os.waitpid(process, 0)


def read(terminal: int, seconds: float, until: str, times: int = 1) -> str:
    """What is shown, without control codes, until a text was shown so often, or time is over."""
    shown, plain = b"", ""
    end = time.monotonic() + seconds
    while time.monotonic() < end and plain.count(until) < times:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:
                break
            text = shown.decode(errors="replace")
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\x07]|.\x08", "", text)
    return plain


main()
