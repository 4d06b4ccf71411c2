"""Data frames, into the command and out of it. Numbers stay numbers; nothing goes through text."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ._errors import Finding, Place, StudyError
from ._process import Memory

UNITS = {
    "bac_g_per_kg": ("g/kg", "permille", "‰"),
    "bac_g_per_l": ("g/l",),
    "bac_mg_per_100ml": ("mg/100ml", "mg/dl"),
    "bac_g_per_100ml": ("g/100ml", "g/dl", "%"),
    "serum_g_per_l": ("serum g/l",),
    "serum_mg_per_100ml": ("serum mg/100ml", "serum mg/dl"),
    "serum_g_per_100ml": ("serum g/100ml", "serum g/dl"),
    "brac_mg_per_l": ("breath mg/l",),
    "brac_ug_per_100ml": ("breath ug/100ml",),
    "brac_g_per_210l": ("breath g/210l",),
}
"""The columns of concentrations, and what `unit` may say instead."""

# What the columns of frames are called in the command's table of events.
_SUBJECTS = {"subject": "ID", "sex": "SEX", "age_y": "AGE", "height_cm": "HT", "weight_kg": "WT"}
_BOTH = {"subject": "ID", "occasion": "OCC", "time_min": "TIME", "uuid": "UUID"}
_DRINKS = _BOTH | {
    "duration_min": "DUR",
    "ethanol_g": "AMT",
    "ethanol_g_per_kg": "ETHANOL_G_PER_KG",
    "route": "ROUTE",
    "iv": "IV",
}
_READINGS = _BOTH | {"lod": "LOD", "exclude": "MDV"} | {unit: unit for unit in UNITS}
_VALUES = ("value", "concentration")
# Columns of the table of events, which no covariate may be called.
_TAKEN = frozenset(
    "id time occ occasion amt ethanol_g_per_kg rate dur route iv dv dv_unit cens limit lod lloq dvid blq bql bloq "
    "evid mdv addl ii ss cmt uuid c male age ht wt fed".split()
) | set(UNITS)
# What the command calls them, in frames' own words.
_OWN = {event: own for names in (_SUBJECTS, _DRINKS, _READINGS) for own, event in names.items() if own != event}
_WORDS = re.compile(rf"\b({'|'.join(_OWN)})\b")


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
        "E_UNIT_MISSING",
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
            frame.refuse("E_COLUMN_DUPLICATE", "the column is there twice", "remove or rename one", column=column)
    # Covariates keep their names as they are written.
    known = _SUBJECTS.keys() | _DRINKS.keys() | _READINGS.keys() | set(_VALUES)
    names = [new if new in known else str(old) for new, old in zip(names, table.column_names, strict=True)]
    columns = [_plain(frame, column, table.column(index)) for index, column in enumerate(names)]
    frame = Frame(name, pa.table(columns, names=names), labels)
    if "subject" not in names:
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
        return column.cast(pa.string())
    if any(test(kind) for test in (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)):
        return column
    if not (name in _DRINKS or name in _READINGS or name in _SUBJECTS or name in _VALUES):
        return column  # Left out, or refused by whoever needs it.
    remedy = "write numbers"
    if pa.types.is_temporal(kind):
        remedy = "count in minutes from one moment, as in (column - start).dt.total_seconds() / 60"
    frame.refuse("E_FRAME_TYPE", f"the column is of type {kind}", remedy, column=name)


def _texts(frame: Frame, name: str) -> pa.ChunkedArray:
    """Return names as texts; whole numbers are written without a point."""
    column = frame.column(name)
    if pa.types.is_floating(column.type):
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            frame.refuse("E_FRAME_TYPE", "numbers with a fraction are no names", "write them as text", column=name)
    return column.cast(pa.string())


def _hours(frame: Frame, name: str) -> pa.ChunkedArray:
    column = frame.column(name)
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        if column.null_count < len(column):
            frame.refuse(
                "E_FRAME_TYPE", f"the column is of type {column.type}", "write minutes as numbers", column=name
            )
        column = column.cast(pa.float64())
    # The command divides in the same way.
    return pc.divide(column.cast(pa.float64()), pa.scalar(60.0))


class Events:
    """A study of frames as the command's table of events, which knows where each of its fields came from."""

    def __init__(self, subjects: Frame | None, drinks: Frame, readings: Frame | None, unit: str | None) -> None:
        self.subjects = subjects
        self._frames = (drinks, readings, subjects)
        self._in_words = unit is not None
        parts = [self._part(0, drinks, self._drinks(drinks))]
        if readings is not None:
            parts.append(self._part(1, readings, self._readings(readings, unit)))
        named = pa.chunked_array([chunk for part in parts for chunk in part["ID"].chunks], pa.string())
        people = named.unique()
        if subjects is not None:
            people = _texts(subjects, "subject").combine_chunks()
            # Who has no row otherwise gets one.
            alone = pc.invert(pc.is_in(people, value_set=named.combine_chunks()))
            parts.append(self._part(2, subjects, {"ID": people}).filter(alone))
        self._check_names(subjects or drinks, people, once=subjects is not None)
        for frame, part in zip((drinks, readings), parts, strict=False):
            if frame is not None:
                self._check_known(frame, part["ID"], people)
        table = pa.concat_tables(parts, promote_options="permissive")
        table = table.append_column("_order", pc.index_in(table["ID"], value_set=people))
        table = table.sort_by([(key, "ascending") for key in ("_order", "_part", "_row")])
        self._rows = table.select(["_part", "_row", "_order"])
        table = table.drop_columns(["_part", "_row", "_order"])
        needed = {"TIME": {"TIME"}, "AMT": {"AMT", "ETHANOL_G_PER_KG"}, "DV": set(UNITS)}
        for name, any_of in needed.items():
            if not any_of & set(table.column_names):
                table = table.append_column(name, pa.nulls(len(table), pa.float64()))
        self._described = len(table.column_names)
        self.table = table if subjects is None else self._describe(table, subjects)

    @staticmethod
    def _part(number: int, frame: Frame, columns: dict[str, Any]) -> pa.Table:
        """Add to the columns of a frame what its rows are about, and where they come from."""
        rows = pa.array([0] * len(frame.table), pa.int64())
        event = pa.array([(1, 0, 2)[number]], pa.int64()).take(rows)
        part = pa.array([number], pa.int64()).take(rows)
        return pa.table({**columns, "EVID": event, "_part": part, "_row": pa.array(range(len(rows)), pa.int64())})

    @staticmethod
    def _check_names(frame: Frame, people: pa.Array, once: bool) -> None:
        seen: set[str] = set()
        for row, name in enumerate(people.to_pylist()):
            place = (row, "subject") if once else (None, "subject")
            if name is None or not name.strip():
                frame.refuse("E_SUBJECT_MISSING", "the subject has no name", "name it, or remove the row", *place)
            if name in seen:
                frame.refuse("E_DUPLICATE_SUBJECT", f"subject {name!r} is there twice", "remove one row", *place)
            if name[0] in "#@" or name in (".", "NA") or name != name.strip() or "\0" in name:
                frame.refuse("E_FRAME_NAME", f"no subject can be called {name!r}", "rename it", *place)
            seen.add(name)
        for column in frame.names if once else ():
            if column not in _SUBJECTS and column.strip().lower() in _TAKEN:
                frame.refuse("E_FRAME_NAME", f"no covariate can be called {column!r}", "rename it", column=column)

    @staticmethod
    def _check_known(frame: Frame, names: pa.ChunkedArray, people: pa.Array) -> None:
        row = pc.index(pc.is_null(names), True).as_py()
        if row >= 0:
            frame.refuse("E_SUBJECT_MISSING", "the subject is missing", "name it, or remove the row", row, "subject")
        row = pc.index(pc.is_in(names, value_set=people), False).as_py()
        if row >= 0:
            frame.refuse("E_SUBJECT_UNKNOWN", f"subject {names[row].as_py()!r} is not listed in subjects",
                         "add a row to subjects, or correct the name", row, "subject")  # fmt: skip

    @staticmethod
    def _drinks(frame: Frame) -> dict[str, pa.ChunkedArray]:
        for column in ("volume_ml", "abv_percent", "drink"):
            if column in frame.names and not {"ethanol_g", "ethanol_g_per_kg"} & set(frame.names):
                frame.refuse("E_DOSE_MISSING", "frames give doses in grams", "give ethanol_g, or ethanol_g_per_kg",
                             column=column)  # fmt: skip
        return Events._named(frame, _DRINKS)

    @staticmethod
    def _readings(frame: Frame, unit: str | None) -> dict[str, pa.ChunkedArray]:
        units = [name for name in frame.names if name in UNITS]
        if unit is not None:
            values = [name for name in frame.names if name in _VALUES]
            if units or len(values) != 1:
                frame.refuse("E_UNIT_AMBIGUOUS", "unit= is for one column 'value' or 'concentration'",
                             "name one column so, or leave out unit=")  # fmt: skip
            return Events._named(frame, _READINGS | {values[0]: unit_column(unit)})
        if len(units) != 1:
            what = f"there are several concentrations: {', '.join(units)}" if units else "no column is a concentration"
            frame.refuse("E_UNIT_AMBIGUOUS" if units else "E_UNIT_MISSING", what,
                         f"give one column that names its unit ({', '.join(UNITS)}), or 'value' and unit=")  # fmt: skip
        return Events._named(frame, _READINGS)

    @staticmethod
    def _named(frame: Frame, names: dict[str, str]) -> dict[str, pa.ChunkedArray]:
        if len(frame.table) and "time_min" not in frame.names:
            frame.refuse("E_COLUMN_MISSING", f"there is no column 'time_min'; it has {', '.join(frame.names)}",
                         "name the column of minutes so")  # fmt: skip
        columns = {}
        for name, event in names.items():
            if name not in frame.names:
                continue
            if event in ("ID", "OCC"):
                columns[event] = _texts(frame, name)
            elif event in ("TIME", "DUR"):
                columns[event] = _hours(frame, name)
            elif event == "MDV":
                truth = frame.column(name)
                if not (pa.types.is_boolean(truth.type) or pa.types.is_integer(truth.type)) and truth.null_count < len(
                    truth
                ):
                    frame.refuse(
                        "E_FRAME_TYPE", f"the column is of type {truth.type}", "write True or False", column=name
                    )
                columns[event] = truth.cast(pa.int64())
            else:
                columns[event] = frame.column(name)
        return columns

    def _describe(self, table: pa.Table, subjects: Frame) -> pa.Table:
        """Write who a subject is into the first of its rows."""
        order = self._rows["_order"].combine_chunks()
        if len(order):
            before = pa.concat_arrays([pa.array([-1], order.type), order[:-1]])
            order = pc.if_else(pc.equal(order, before), pa.scalar(None, order.type), order)
        for name in subjects.names:
            if name != "subject":
                column = subjects.column(name)
                if name not in _SUBJECTS:
                    column = column.cast(pa.string())
                if len(order):
                    column = column.combine_chunks().take(order)
                table = table.append_column(_SUBJECTS.get(name, name), column)
        return table

    def ignored(self) -> list[Finding]:
        """Return a warning for each column that nothing reads, which may be misspelt."""
        findings = []
        for frame, names in zip(self._frames[:2], (_DRINKS, _READINGS), strict=True):
            if frame is None:
                continue
            for column in frame.names:
                if column not in names and not (self._in_words and column in _VALUES):
                    message, remedy = "nothing reads the column", "correct its name if it is misspelt"
                    findings.append(
                        Finding("warning", "W_COLUMN_IGNORED", message, remedy, Place(frame.name, None, column))
                    )
        return findings

    # What the command gets.

    @cached_property
    def arrow(self) -> Memory:
        """The table as an Arrow stream."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as writer:
            writer.write_table(self.table, max_chunksize=10_000)
        return Memory(memoryview(sink.getvalue()), "frame")

    @cached_property
    def csv(self) -> Memory:
        """The table as text, for the commands that read nothing else; each number to its last bit."""
        sink = pa.BufferOutputStream()
        pa_csv.write_csv(self.table, sink)
        return Memory(memoryview(sink.getvalue()), "frame")

    def placed(self, finding: Finding) -> Finding:
        """Return the finding with its place in the frames, and the names that columns have there."""
        place = finding.place
        if place is None or place.source != "<frame>":
            return finding
        if place.column is None or not 1 <= (place.row or 0) <= len(self.table):
            return replace(finding, message=_own(finding.message), remedy=_own(finding.remedy), place=None)
        name = self.table.column_names[place.column - 1]
        part, row, order = (self._rows[key][place.row - 1].as_py() for key in ("_part", "_row", "_order"))
        frame = self._frames[part]
        if place.column > self._described:
            frame, row = self.subjects, order
        assert frame is not None
        names = {"subjects": _SUBJECTS, "drinks": _DRINKS, "readings": _READINGS}[frame.name]
        column = next((own for own, event in names.items() if event == name and own in frame.names), name)
        if column not in frame.names:
            column = next((own for own in _VALUES if own in frame.names), column)
        message, remedy = _own(finding.message), _own(finding.remedy)
        if name in ("TIME", "DUR"):
            remedy = remedy.replace("hours", "minutes")
        return replace(finding, message=message, remedy=remedy, place=Place(frame.name, frame.label(row), column))


def _own(text: str) -> str:
    return _WORDS.sub(lambda word: _OWN[word[0]], text)


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
