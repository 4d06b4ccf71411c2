"""What goes wrong, and what is found: codes, places, and what to do."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Place:
    """Where something is: a file with line and column, or a frame with the label of a row and the name of a column."""

    source: str
    row: Any = None
    column: Any = None

    def __str__(self) -> str:
        """Write the place as the command does, or in words if it is in a frame."""
        is_file = self.source.startswith("<") or ("." in self.source and not isinstance(self.column, str))
        if isinstance(self.column, int) or is_file:
            return ":".join(str(part) for part in (self.source, self.row, self.column) if part is not None)
        row = "" if self.row is None else f", row {self.row!r}"
        return self.source + row + ("" if self.column is None else f", column {self.column!r}")


@dataclass(frozen=True)
class Finding:
    """Something that the command found.

    Attributes
    ----------
    severity : str
        ``"error"``, ``"warning"`` or ``"remark"``; remarks have no code.
    code : str
        A stable code such as ``W_READING_SCALE``; `explain` says what it means.
    message, remedy : str
        What was found, and what to do.
    place : Place or None
        Where it was found.
    """

    severity: str
    code: str
    message: str
    remedy: str = ""
    place: Place | None = None

    def __str__(self) -> str:
        """Write place, code, message and remedy in one line."""
        place = f"{self.place}: " if self.place else ""
        code = f"{self.code}: " if self.code else ""
        return place + code + self.message + (f"; {self.remedy}" if self.remedy else "")


class PromilleError(Exception):
    """Any refusal or failure.

    Attributes
    ----------
    code : str
        A stable code, such as ``E_RANGE``.
    message, remedy : str
        What is wrong, and what to do.
    place : Place or None
        Where it is: for a frame with the label of the row and the name of the column.
    findings : tuple of Finding
        Everything that was found, the first error included.
    """

    def __init__(self, finding: Finding, findings: Iterable[Finding] = ()) -> None:
        super().__init__(str(finding))
        self.code = finding.code
        self.message = finding.message
        self.place = finding.place
        self.remedy = finding.remedy
        self.findings = tuple(findings) or (finding,)
        self._first = finding

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes."""
        return type(self), (self._first, self.findings)


class StudyError(PromilleError, ValueError):
    """The study or a frame cannot be used as it is."""


class OptionError(PromilleError, ValueError):
    """An option does not exist, or has no such value."""


class CommandError(PromilleError, RuntimeError):
    """The command is missing, or failed."""


class PromilleWarning(UserWarning):
    """A finding, once for each code; an error, once for each code and remedy."""


def finding(row: dict[str, Any]) -> Finding:
    """Return a finding as the command writes it: a row of a check, or a line of standard error."""
    place = None if row["file"] is None else Place(row["file"], row["line"], row["column"])
    return Finding(row["severity"], row["code"] or "", row["message"], row["remedy"] or "", place)


def parse(lines: Iterable[str]) -> list[Finding]:
    """Read what the command wrote to standard error with ``--error-format json``."""
    findings: list[Finding] = []
    for line in lines:
        try:
            findings.append(finding(json.loads(line)))
        except (ValueError, TypeError, KeyError):  # What a broken installation says, such as the linker.
            findings.append(Finding("remark", "", line))
    return findings


def error(status: int, findings: list[Finding]) -> PromilleError:
    """Make the exception of a command that ended with a status and said why."""
    kind = {64: OptionError, 65: StudyError, 66: StudyError}.get(status, CommandError)
    if status < 0:
        return CommandError(Finding("error", "E_ENDED", f"promille was ended by signal {-status}"), findings)
    first = next((finding for finding in findings if finding.severity == "error"), None)
    if first is None:
        text = " ".join(finding.message for finding in findings) or f"promille ended with status {status}"
        first = Finding("error", "E_FAILED", text)
    return kind(first, findings)


def warn(findings: Iterable[Finding]) -> None:
    """Warn of each code once, of errors also of each remedy, at the line of the caller outside of this package."""
    told: dict[tuple[str, str], Finding] = {}
    count: dict[tuple[str, str], int] = {}
    for finding in findings:
        if finding.severity != "remark":
            kind = (finding.code, finding.remedy if finding.severity == "error" else "")
            told.setdefault(kind, finding)
            count[kind] = count.get(kind, 0) + 1
    package = str(Path(__file__).parent)
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    for kind, finding in told.items():
        if count[kind] > 1:
            finding = replace(finding, message=f"{count[kind]} like this; the first: {finding.message}")
        warnings.warn(str(finding), PromilleWarning, stacklevel=level)
