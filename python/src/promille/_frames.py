"""Data frames, into the command and out of it. Numbers stay numbers; nothing goes through text."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ._errors import Finding, OptionError, Place, StudyError
from ._process import Memory


def _unit_rows() -> list[list[str]]:
    """Return the rows of the command's own table of units."""
    lines = Path(__file__).with_name("units.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def unit_label(column: str) -> str:
    """Return what an axis says of a column of concentrations."""
    return next((f"{row[1]} alcohol, {row[4]}" for row in _unit_rows() if row[0] == column), column)


def _units() -> dict[str, tuple[str, ...]]:
    """Return the columns of concentrations with what `unit` may say instead."""
    units: dict[str, tuple[str, ...]] = {}
    for column, matrix, _, _, _, kept_in, _, _, _, words in _unit_rows():
        if not kept_in:
            prefix = "" if matrix == "blood" else f"{matrix} "
            units[column] = tuple(prefix + word.removesuffix("*") for word in words.split("|"))
    return units


UNITS = _units()
"""The columns of concentrations, and what `unit` may say instead."""

# The columns that the command reads of each frame; others of subjects are covariates.
_EVENTS = ("subject", "occasion", "time_min", "datetime", "uuid")
_COLUMNS = {
    "subjects": frozenset(("subject", "sex", "age_y", "height_cm", "weight_kg", "food")),
    "drinks": frozenset(
        (*_EVENTS, "duration_min", "route", "ethanol_g", "ethanol_g_per_kg", "volume_ml", "abv_percent", "drink")
    ),
    "readings": frozenset((*_EVENTS, "lod", "exclude", "source", *UNITS)),
}
# The columns of a model's predictions that hold numbers; the command recognises others by their names, too.
_PREDICTED = frozenset(
    ("subject", "occasion", "time_min", *UNITS, "low", "high", "sd", "sober_min", "low_min", "high_min",
     "threshold_g_per_kg")
)  # fmt: skip
_VALUES = ("value", "concentration")
_TIMES = ("time_min", "duration_min")
_MOMENT = "datetime"
# Findings about a column as a whole; rows and the header both count from 1.
_OF_HEADER = re.compile("[EW]_COLUMN")
_FILES = re.compile(r"\b(subjects|drinks|readings)\.csv")


def _known(name: str) -> frozenset[str]:
    """Return the columns that the command reads of a frame of a study, or of predictions."""
    return _COLUMNS.get(name, _PREDICTED)


def unit_column(unit: str) -> str:
    """Return the column of a unit, which may also be written as ``mg/100 ml`` or ``breath mg/L``."""
    text = unit.strip().lower().replace("µ", "u").replace("μ", "u")
    if text in UNITS:
        return text
    matrix, space, rest = text.partition(" ")
    known = matrix in ("blood", "serum", "plasma", "breath") and space
    matrix, rest = (matrix.replace("plasma", "serum"), rest) if known else ("blood", text)
    compact = rest.replace(" ", "")
    wanted = compact if matrix == "blood" else f"{matrix} {compact}"
    for column, names in UNITS.items():
        if wanted in names:
            return column
    _refuse(
        "E_COLUMN_MISSING",
        f"there is no unit {unit!r}",
        f"choose one of {', '.join(UNITS)}, or write it as 'mg/100 ml' for blood, 'serum g/L' or 'breath mg/L'",
    )


def _refuse(code: str, message: str, remedy: str, place: Place | None = None) -> NoReturn:
    raise StudyError(Finding("error", code, message, remedy, place))


@dataclass(frozen=True)
class Frame:
    """A frame as an Arrow table, with what its rows are called."""

    name: str
    table: pa.Table
    labels: Sequence[Any] | None = None

    def label(self, row: int) -> Any:
        """Return the label of a row: that of the index, or its number from 0."""
        label = row if self.labels is None else self.labels[row]
        return label.item() if hasattr(label, "item") else label

    def refuse(
        self, code: str, message: str, remedy: str, row: int | None = None, column: str | None = None
    ) -> NoReturn:
        """Raise an error about a place in the frame."""
        _refuse(code, message, remedy, Place(self.name, None if row is None else self.label(row), column))

    def column(self, name: str) -> pa.ChunkedArray:
        return self.table.column(name)

    @property
    def names(self) -> list[str]:
        return list(self.table.column_names)


def is_frame(value: Any) -> bool:
    """Tell whether a value is a frame, of pandas, Polars or pyarrow; a series is none."""
    return hasattr(value, "columns")


def read(name: str, data: Any) -> Frame:
    """Take a frame: of pandas, of Polars, of pyarrow, or of anything with the Arrow PyCapsule interface."""
    labels = None
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        table, labels = _from_pandas(name, data)
    else:
        try:
            if isinstance(data, dict):
                table = pa.table({str(key): pa.array(value, from_pandas=True) for key, value in data.items()})
            elif isinstance(data, list):
                table = pa.Table.from_pylist(data)
            else:
                table = pa.table(data)
        except (pa.ArrowException, TypeError, ValueError, AttributeError) as reason:
            what = f"{type(data).__module__}.{type(data).__qualname__}"
            remedy = "give a frame of pandas, Polars or pyarrow, or another with the Arrow PyCapsule interface"
            _refuse("E_FRAME", f"this {what} is no table: {reason}", remedy, Place(name))
    frame = Frame(name, table, labels)
    names = [str(column).strip().lower() for column in table.column_names]
    for column in names:
        if names.count(column) > 1:
            frame.refuse("E_COLUMN_AMBIGUOUS", "the column is there twice", "remove or rename one", column=column)
    # Covariates keep their names as they are written.
    known = _known(name) | (set(_VALUES) if name == "readings" else set())
    names = [new if new in known else str(old) for new, old in zip(names, table.column_names, strict=True)]
    columns = [_plain(frame, column, table.column(index)) for index, column in enumerate(names)]
    frame = Frame(name, pa.table(columns, names=names), labels)
    # The command finds the subjects of predictions under other names, too.
    if "subject" not in names and name in _COLUMNS:
        frame.refuse("E_COLUMN_MISSING", f"there is no column 'subject'; it has {', '.join(names) or 'none'}",
                     "name the column of subjects so")  # fmt: skip
    return frame


def _from_pandas(name: str, data: Any) -> tuple[pa.Table, Sequence[Any]]:
    if not data.index.is_unique and all(level is None for level in data.index.names):
        label = data.index[data.index.duplicated()][0]
        _refuse("E_FRAME_INDEX", "the index has this label more than once, so that no row can be named",
                "use reset_index(drop=True)", Place(name, label))  # fmt: skip
    labels: Sequence[Any] = data.index
    levels = [level for level in data.index.names if level is not None and level not in data.columns]
    if levels:
        # An index with a name is a column.
        labels = range(len(data)) if not data.index.is_unique else data.index
        data = data.reset_index(level=levels)
    frame = Frame(name, pa.table({}), labels)
    columns, names = [], []
    for position, column in enumerate(data.columns):
        values = data.iloc[:, position]
        try:
            array = pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            array = _mixed(frame, str(column), list(values))
        columns.append(array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array]))
        names.append(str(column))
    return pa.Table.from_arrays(columns, names=names), labels


def _mixed(frame: Frame, column: str, values: list[Any]) -> pa.Array:
    """Write numbers beside texts as texts, as in a column with readings like ``<0.05``; to the last bit."""
    texts: list[str | None] = []
    for row, value in enumerate(values):
        if value is None or value != value:
            texts.append(None)
        elif isinstance(value, str):
            texts.append(value)
        elif isinstance(value, (int, float)) or hasattr(value, "dtype"):
            texts.append(repr(value.item() if hasattr(value, "item") else value))
        else:
            what = type(value).__qualname__
            frame.refuse("E_FRAME_TYPE", f"a {what} is neither number nor text", "write numbers", row, column)
    return pa.array(texts, pa.string())


def _plain(frame: Frame, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of numbers, truths or texts, without dictionaries; refuse dates and the like."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
        return column.cast(pa.float64())
    if pa.types.is_null(kind):
        return column.cast(pa.string())
    texts = (pa.types.is_string, pa.types.is_large_string, getattr(pa.types, "is_string_view", pa.types.is_string))
    if any(test(kind) for test in texts):
        if name in _TIMES and column.null_count < len(column):
            frame.refuse("E_FRAME_TYPE", "the column holds texts", "write minutes as numbers", column=name)
        return column.cast(pa.string())
    if name == _MOMENT and frame.name in _COLUMNS and pa.types.is_timestamp(kind):
        # As clocks show it; with the distance from UTC where the frame has a time zone.
        seconds = column.cast(pa.timestamp("s", kind.tz), safe=False)
        return pc.strftime(seconds, "%Y-%m-%d %H:%M:%S" + ("%z" if kind.tz else ""))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return column
    if pa.types.is_boolean(kind):
        return column if name in _known(frame.name) else column.cast(pa.string())
    if name in _known(frame.name) or name in _VALUES:
        remedy = "write numbers"
        if pa.types.is_temporal(kind):
            remedy = (
                "count in minutes from one moment, as in (column - start).dt.total_seconds() / 60, or call a column of "
                f"dates with times {_MOMENT}"
            )
        frame.refuse("E_FRAME_TYPE", f"the column is of type {kind}", remedy, column=name)
    try:
        return column.cast(pa.string())
    except pa.ArrowException:
        frame.refuse("E_FRAME_TYPE", f"the column is of type {kind}", "write numbers or texts, or drop it", column=name)


class Tables:
    """A study of frames as the command's three tables, which knows where each of their fields came from."""

    def __init__(self, frames: Mapping[str, Frame], unit: str | None) -> None:
        self._frames = dict(frames)
        self._tables = {name: frame.table for name, frame in frames.items()}
        if unit is not None:
            self._tables["readings"] = self._named(unit)
        if "subjects" not in frames:
            names = [name for table in self._tables.values() for name in table["subject"].cast(pa.string()).to_pylist()]
            subjects = pa.table({"subject": pa.array([name for name in dict.fromkeys(names) if name], pa.string())})
            self._frames["subjects"] = Frame("subjects", subjects)
            self._tables["subjects"] = subjects

    def _named(self, unit: str) -> pa.Table:
        """Return the readings with their column named by its unit."""
        frame = self._frames.get("readings")
        column = unit_column(unit)
        if frame is None:
            _refuse("E_FRAME", "there is no frame of readings, whose unit is given", "give readings=")
        values = [name for name in frame.names if name in _VALUES]
        if len(values) != 1 or any(name in UNITS for name in frame.names):
            frame.refuse("E_COLUMN_AMBIGUOUS", "unit= is for one column 'value' or 'concentration'",
                         "name one column so, or leave out unit=")  # fmt: skip
        return frame.table.rename_columns([column if name in values else name for name in frame.names])

    def __str__(self) -> str:
        """Write how much there is."""
        return "of frames, " + ", ".join(f"{name} {len(table)}" for name, table in self._tables.items())

    @cached_property
    def arrow(self) -> Memory:
        """The tables as Arrow streams, one after the other."""
        sink = pa.BufferOutputStream()
        for name in _COLUMNS:
            if name in self._tables:
                with pa.ipc.new_stream(sink, self._tables[name].schema) as writer:
                    writer.write_table(self._tables[name], max_chunksize=10_000)
        return Memory(memoryview(sink.getvalue()), "frame", is_input=True)

    def placed(self, finding: Finding) -> Finding:
        """Return the finding with its place in the frames."""
        place = finding.place
        if place is None:
            return finding
        message, remedy = (_FILES.sub(r"\1", text) for text in (finding.message, finding.remedy))
        frame = self._frames.get(place.source)
        if frame is not None and place.row is not None:
            column = None if place.column is None else frame.names[place.column - 1]
            row = None if _OF_HEADER.match(finding.code) else frame.label(place.row - 1)
            place = Place(place.source, row, column)
        elif place.source == "/dev/stdin":
            place = None
        return replace(finding, message=message, remedy=remedy, place=place)


def models(given: Any) -> Any:
    """Return predictions of models by name, frames as files in memory; a path stays as it is.

    A path without a name is a model that is called like the file.
    """
    if isinstance(given, (str, os.PathLike)):
        return os.path.expanduser(given)
    # A frame may be a mapping of columns.
    if not isinstance(given, Mapping) or "subject" in given:
        _refuse("E_FRAME", "these predictions have no name", 'write predictions={"My app": frame}')
    return {_model(name): _prediction(_model(name), data) for name, data in given.items()}


def _model(name: Any) -> str:
    text = str(name)
    if not text.strip() or "=" in text:
        message = f"{name!r} cannot be the name of a model"
        raise OptionError(Finding("error", "E_OPTION", message, "write a name that is not empty and has no ="))
    return text


def _prediction(model: str, data: Any) -> str | Memory:
    if isinstance(data, (str, os.PathLike)):
        return os.path.expanduser(os.fspath(data))
    frame = read(f"predictions {model}", data)
    sink = pa.BufferOutputStream()
    pa_csv.write_csv(pa.table([_written(column) for column in frame.table.columns], names=frame.names), sink)
    content = memoryview(sink.getvalue())
    # A text with a line end takes more than one line.
    is_line_each = bytes(content).count(b"\n") == len(frame.table) + 1

    def placed(finding: Finding) -> Finding:
        line, number = (None, None) if finding.place is None else (finding.place.row, finding.place.column)
        row, column = line, None
        if line is not None and is_line_each:
            row = None if line < 2 else frame.label(line - 2)
        # What is missing has no column.
        if number is not None and finding.code != "E_COLUMN_MISSING":
            column = frame.names[number - 1]
        return replace(finding, place=Place(frame.name, row, column))

    return Memory(content, model, placed=placed)


def _written(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as it is written in CSV: what is not a number is missing."""
    if not pa.types.is_floating(column.type):
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)


def to_frame(table: pa.Table) -> Any:
    """Return the table as a frame of pandas if that is installed, else of Polars, else as it is."""
    if importlib.util.find_spec("pandas") is not None:
        import pandas as pd

        # Whole numbers stay such where some are missing.
        holed = {field.name for field in table.schema if table.column(field.name).null_count}
        frame = table.to_pandas()
        for field in table.schema:
            if pa.types.is_integer(field.type) and field.name in holed:
                frame[field.name] = pd.array(table.column(field.name).to_pylist(), dtype="Int64")
        return frame
    if importlib.util.find_spec("polars") is not None:
        import polars

        return polars.from_arrow(table)
    return table
