#!/usr/bin/env python3
"""Measures how long a program takes from being started to its end, beside /bin/true in the same rounds.

Prints medians and fails if one is above the bar. Where more processes want to run than there are processors, they tell
how long a start waits for the others; the shortest times are held to the bar instead. With --root, the programs are
those of another system, such as a fresh Debian; this needs root.
"""

import argparse
import os
import statistics
import sys
import time


def seconds(command: list[str], silence: int) -> float:
    """How long a whole process takes."""
    began = time.perf_counter()
    process = os.posix_spawn(
        command[0], command, {"LC_ALL": "C.UTF-8"}, file_actions=[(os.POSIX_SPAWN_DUP2, silence, 1)]
    )
    _, status = os.waitpid(process, 0)
    taken = time.perf_counter() - began
    if status:
        sys.exit(f"startup: {' '.join(command)} fails")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="absolute paths")
    parser.add_argument("--root", help="the system that the programs are in")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--bar", type=float, default=20, metavar="MS", help="what the median may take at most")
    options = parser.parse_args()

    silence = os.open("/dev/null", os.O_WRONLY)
    if options.root:
        os.chroot(options.root)
        os.chdir("/")
    commands = [["/bin/true"]] + [
        [program, argument] for program in options.programs for argument in ("--version", "--help")
    ]
    times: list[list[float]] = [[] for _ in commands]
    # In turn, so that what else the machine does meets all of them.
    for _ in range(options.rounds):
        for command, taken in zip(commands, times):
            taken.append(1000 * seconds(command, silence))

    for command, taken in zip(commands, times):
        print(f"{' '.join(command):40} median {statistics.median(taken):6.2f} ms, shortest {min(taken):6.2f} ms")
    is_busy = os.getloadavg()[0] > (os.cpu_count() or 1)
    what, measure = ("shortest", min) if is_busy else ("median", statistics.median)
    slowest = max(measure(taken) for taken in times)
    if slowest > options.bar:
        sys.exit(f"startup: a start takes {slowest:.1f} ms ({what}); at most {options.bar:g} are asked for")
    print(f"every {what} start is within {options.bar:g} ms" + ("; the machine is busy" if is_busy else ""))


if __name__ == "__main__":
    main()
