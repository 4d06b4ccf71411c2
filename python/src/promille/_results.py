"""What the command answers: frames, findings, provenance, pictures."""

from __future__ import annotations

import html
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from ._errors import CommandError, Finding, PromilleError, finding, warn
from ._frames import to_frame
from ._process import Answer, Memory, Session, named, run

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

# How much of a table is shown in the first look at it.
_SHOWN_ROWS, _SHOWN_COLUMNS = 20, 18
# Of longer results the command writes no text.
_TEXT_ROWS = 1000
_TYPES = {"number": pa.float64(), "count": pa.int64()}
# What `promille plot --figure` draws, and which of them shows the result of a command.
_FIGURES = ("people", "parameters", "methods", "residuals", "sobriety-errors", "bland-altman")
_FIGURE = {"fit": "people", "sober": "sobriety-errors", "compare": "sobriety-errors"}

Figures = Callable[[str], dict[str, tuple[str, pa.Table]]]
"""Draws the figures of a result: SVG and values by name."""


class Plot(Protocol):
    """Runs `promille plot` with the options of a result."""

    def __call__(self, form: str, **options: str | None) -> bytes:
        """Return a figure as SVG, or its values as CSV."""


class Result:
    """The answer of a command.

    Attributes
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The main table: of pandas if it is installed, else of Polars, else of pyarrow.
    tables : dict of str to frame
        All tables by name, the main one first; ``result["starts"]`` is one of them.
    warnings : list of Finding
        What was found, rows' own codes included.
    provenance : dict
        Version, options and conversion factors, and digests of inputs that were read as a whole; `json` has those of
        all.
    """

    def __init__(
        self,
        answer: Answer,
        figures: Figures | None = None,
        placed: Callable[[Finding], Finding] | None = None,
        document: Callable[[], Answer] | None = None,
        plot: Plot | None = None,
    ) -> None:
        self._answer = answer
        self._figures = figures
        self._plot = plot
        self._ask_document = document
        if document is None:
            self._main: pa.Table | None = None
            self.provenance: dict[str, Any] = self._document.get("provenance", {})
        else:
            table = pa.ipc.open_stream(answer.output).read_all()
            self.provenance = json.loads(named(table.schema.metadata[b"promille"].decode(), answer.names))
            self._main = table.replace_schema_metadata(None)
        told = self._document.get("findings") if self._main is None else None
        if told is None:
            coded = [each for each in answer.findings if each.severity != "remark"]
            self.warnings: list[Finding] = coded + self._of_rows()
        else:
            found = map(finding, told)
            self.warnings = [placed(each) for each in found] if placed else list(found)
        self.remarks = [each.message for each in answer.findings if each.severity == "remark"]
        warn(self.warnings)

    @cached_property
    def json(self) -> str:
        """The document that the command writes, with all tables; the command runs again for it where needed."""
        answer = self._answer if self._ask_document is None else self._ask_document()
        return answer.output.decode()

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.json)
        return document

    @cached_property
    def _names(self) -> list[str]:
        return [name for name, value in self._document.items() if isinstance(value, list)]

    def _of_rows(self) -> list[Finding]:
        """Return a warning for each code in the column `warnings` of the main table."""
        table = self.arrow() if self._main is not None or self._names else pa.table({})
        if "warnings" not in table.column_names or not pa.types.is_string(table["warnings"].type):
            return []
        wanted = [name for name in ("subject", "occasion", "r_factor", "warnings") if name in table.column_names]
        people: dict[str, list[str]] = {}
        for row in table.select(wanted).filter(pc.is_valid(table["warnings"])).to_pylist():
            for code in row["warnings"].split(";"):
                name = row.get("subject") or row.get("r_factor") or ""
                named = people.setdefault(code, [])
                place = name if row.get("occasion") is None else f"{name}/{row['occasion']}"
                if place not in named[-1:]:
                    named.append(place)
        people.pop("", None)
        said = explanations(tuple(sorted(people))) if people else {}
        findings = []
        for code, names in people.items():
            shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            findings.append(Finding("warning", code, f"{said.get(code, code)} [{shown}]"))
        return findings

    @property
    def answer(self) -> str | None:
        """The first sentence of what the command says; for fits, comparisons and times it runs once more."""
        text: str | None = self._document.get("answer")
        return text

    # Tables.

    def arrow(self, name: str | None = None) -> pa.Table:
        """Return a table, the main one unless another is named, as an Arrow table.

        Parameters
        ----------
        name : str, optional
            The name of the table.

        Returns
        -------
        pyarrow.Table
            Its rows.
        """
        if name is None and self._main is not None:
            return self._main
        name = self._names[0] if name is None else name
        if name not in self._names:
            raise KeyError(f"there is no table {name!r}; choose from {', '.join(self._names)}")
        rows = self._document[name]
        known = _columns().get(name, {})
        names = list(rows[0]) if rows else list(known)
        arrays = []
        for column in names:
            values = [row[column] for row in rows]
            try:
                arrays.append(pa.array(values, known.get(column)))
            except (pa.ArrowException, TypeError):
                arrays.append(pa.array([None if value is None else json.dumps(value) for value in values]))
        return pa.Table.from_arrays(arrays, names=names)

    @cached_property
    def frame(self) -> Any:
        """The main table."""
        return to_frame(self.arrow())

    @cached_property
    def tables(self) -> dict[str, Any]:
        """All tables."""
        return {name: to_frame(self.arrow(name)) for name in self._names}

    def __getitem__(self, name: str) -> Any:
        """Return a table by its name."""
        return to_frame(self.arrow(name))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Give the main table to whatever reads Arrow."""
        return self.arrow().__arrow_c_stream__(requested_schema)

    # Pictures.

    def figures(self) -> dict[str, tuple[str, pa.Table]]:
        """Draw the figures that `promille report` has, in another process.

        Returns
        -------
        dict of str to (str, pyarrow.Table)
            For each figure its SVG and its values.
        """
        if self._figures is None:
            raise CommandError(Finding("error", "E_FIGURE", f"promille {self._command} draws no figures"))
        return self._figures("all")

    @property
    def _command(self) -> str:
        return str(self.provenance.get("command"))

    def _drawn(self, form: str, chart: str | None) -> bytes:
        """Return a figure of `promille plot`, of one person if the chart is one."""
        assert self._plot is not None
        chart = chart or _FIGURE[self._command]
        if chart in _FIGURES:
            return self._plot(form, figure=chart)
        columns = [
            self.arrow()[name].to_pylist() for name in ("subject", "occasion") if name in self.arrow().column_names
        ]
        pairs = dict.fromkeys(zip(*columns, strict=True)) if len(columns) == 2 else {}
        names = {
            subject if occasion is None else f"{subject}/{occasion}": (subject, occasion) for subject, occasion in pairs
        }
        found = names.get(chart) or next((pair for pair in pairs if pair[0] == chart), None)
        if found is None:
            from ._plot import no_chart

            raise no_chart(chart, [*_FIGURES, *names])
        return self._plot(form, subject=found[0], occasion=found[1])

    def plot(self, chart: str | None = None, *, ax: Axes | None = None) -> Axes | np.ndarray:
        """Draw the result with matplotlib: the figure of ``promille plot``, from its values.

        Parameters
        ----------
        chart : str, optional
            One person, as ``"subject"`` or ``"subject/occasion"``, or another figure: ``"people"``, ``"parameters"``,
            ``"methods"``, ``"residuals"``, ``"sobriety-errors"``, ``"bland-altman"``. Unless given, fits show all
            people, and times and comparisons the errors of the methods.
        ax : matplotlib.axes.Axes, optional
            Where to draw; of a figure with several charts the first is drawn.

        Returns
        -------
        matplotlib.axes.Axes or array of them
            Where it was drawn; for several charts their axes, in a figure of their own.
        """
        from . import _plot

        for name, columns in _plot.CURVES.items():
            if self._main is None and self._document.get(name):
                return _plot.curves(self.arrow(name), columns, chart, ax)
        if self._plot is not None:
            return _plot.figure(_values(io.BytesIO(self._drawn("csv", chart))), ax)
        drawn = self.figures()
        if not drawn:
            raise CommandError(Finding("error", "E_FIGURE", "there is nothing to draw"))
        if chart is not None and chart not in drawn:
            raise _plot.no_chart(chart, list(drawn))
        return _plot.figure(drawn[chart or next(iter(drawn))][1], ax)

    def __repr__(self) -> str:
        """Show what kind of answer it is."""
        return f"<promille {self._command}: {len(self.arrow())} rows>"

    def __str__(self) -> str:
        """Show what the command shows on a terminal: the answer and its table, of long ones the beginning."""
        text = None
        if len(self.arrow()) <= _TEXT_ROWS:
            text = self._document.get("text")
        return text.rstrip("\n") if text else f"{self!r}\n{self.frame}"

    def _repr_html_(self) -> str:
        """Show the answer, the main table and, for small studies, the picture."""
        answer = picture = ""
        if len(self.arrow()) <= 250:
            answer = f"<p>{html.escape(self.answer)}</p>" if self.answer else ""
            try:
                if self._plot is not None:
                    picture = self._drawn("svg", None).decode()
                elif self._figures is not None:
                    picture = next(iter(self.figures().values()), ("", None))[0]
            except PromilleError:
                picture = ""  # The figure does not know the options of this call.
        return answer + html_table(self.arrow()) + picture


def html_table(table: pa.Table) -> str:
    """Write the beginning of a table as HTML; columns with the same in each row, and standard errors, are left out."""
    least = 1 if len(table) > 1 else 0
    names = [
        name
        for name in table.column_names
        if pc.count_distinct(table[name], mode="all").as_py() > least and table[name].null_count < len(table)
        if not name.endswith("_se")
    ]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names[:_SHOWN_COLUMNS])
    body = ""
    for row in table.slice(0, _SHOWN_ROWS).to_pylist():
        cells = ("" if row[name] is None else row[name] for name in names[:_SHOWN_COLUMNS])
        texts = (f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in cells)
        body += "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in texts) + "</tr>"
    left = [f"{len(table) - _SHOWN_ROWS} more rows"] if len(table) > _SHOWN_ROWS else []
    hidden = table.num_columns - len(names[:_SHOWN_COLUMNS])
    left += [f"{hidden} more columns"] if hidden else []
    foot = f"<p>{', '.join(left)}</p>" if left else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


class Curves(Result):
    """Predicted curves: a row for each subject, r factor and time."""

    def __init__(self, answer: Answer, provenance: dict[str, Any]) -> None:
        types = {"subject": pa.string(), "occasion": pa.string(), "r_factor": pa.string(), "time_min": pa.float64()}
        names = answer.output[: answer.output.find(b"\n")].decode().split(",")
        options = pa_csv.ConvertOptions(column_types={name: types.get(name, pa.float64()) for name in names})
        self._table = pa_csv.read_csv(pa.py_buffer(answer.output), convert_options=options)
        # No occasion is not one without a name.
        place = self._table.column_names.index("occasion")
        occasions = [None if text == "" else text for text in self._table["occasion"].unique().to_pylist()]
        if None in occasions:
            column = pc.if_else(pc.equal(self._table["occasion"], ""), None, self._table["occasion"])
            self._table = self._table.set_column(place, "occasion", column)
        super().__init__(Answer(json.dumps({"provenance": provenance, "curves": []}).encode(), answer.findings))

    def arrow(self, name: str | None = None) -> pa.Table:
        """Return the curves as an Arrow table.

        Parameters
        ----------
        name : str, optional
            ``"curves"``, the only table.

        Returns
        -------
        pyarrow.Table
            A row for each subject, r factor and time.
        """
        if name not in (None, "curves"):
            raise KeyError(f"there is no table {name!r}; choose from curves")
        return self._table

    def __str__(self) -> str:
        """Show the curves."""
        return f"{self!r}\n{self.frame}"

    def plot(self, chart: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the curves of a subject with matplotlib.

        Parameters
        ----------
        chart : str, optional
            ``"subject"`` or ``"subject/occasion"``; the first unless given.
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn.
        """
        from . import _plot

        return _plot.curves(self._table, _plot.CURVES["curves"], chart, ax)

    def __repr__(self) -> str:
        """Show how many rows there are."""
        return f"<promille simulate: curves {len(self._table)}>"

    def _repr_html_(self) -> str:
        return html_table(self._table)


class Report:
    """A page, shown in notebooks.

    Attributes
    ----------
    html : str
        The page.
    path : pathlib.Path or None
        Where it was written.
    """

    def __init__(self, text: str, path: Path | None) -> None:
        self.html = text
        self.path = path

    def __repr__(self) -> str:
        """Show where it is."""
        return f"<promille report: {self.path or f'{len(self.html)} characters'}>"

    def _repr_html_(self) -> str:
        return f'<iframe width="100%" height="600" srcdoc="{html.escape(self.html)}"></iframe>'


def draw(
    arguments: Sequence[str | Memory], option: str, study: Sequence[str | Memory], session: Session | None
) -> dict[str, tuple[str, pa.Table]]:
    """Let a command draw its figures into a folder, in memory where there is one."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="promille-") as folder:
        run([*arguments, option, folder, *study], session=session)
        return dict(_drawn(Path(folder)))


def _drawn(folder: Path) -> Iterator[tuple[str, tuple[str, pa.Table]]]:
    for values in sorted(folder.glob("*.csv")):
        yield values.stem, (values.with_suffix(".svg").read_text(), _values(values))


def _values(source: Path | io.BytesIO) -> pa.Table:
    """Read the values of a figure, which are texts but for these."""
    texts = "chart layer shape x_label y_label row color symbol dashes x_scale".split()
    numbers = "x y low high width".split()
    types = dict.fromkeys(texts, pa.string()) | dict.fromkeys(numbers, pa.float64())
    parsing = pa_csv.ParseOptions(newlines_in_values=True)
    return pa_csv.read_csv(source, convert_options=pa_csv.ConvertOptions(column_types=types), parse_options=parsing)


@cache
def _columns() -> dict[str, dict[str, pa.DataType]]:
    """Return the columns of every table with their types, from the command's own list."""
    tables: dict[str, dict[str, pa.DataType]] = {}
    for line in Path(__file__).with_name("columns.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        _, table, column, _, kind, _, _ = line.split("\t")
        if column:
            tables.setdefault(table, {})[column] = _TYPES.get(kind.removesuffix(" or empty"), pa.string())
    return tables


@cache
def explanations(codes: tuple[str, ...]) -> dict[str, str]:
    """Return what codes mean, each in a sentence or two."""
    text = run(["explain", *codes]).output.decode()
    said: dict[str, str] = {}
    for paragraph in text.split("\n\n"):
        head, _, body = paragraph.strip().partition("\n")
        if body:
            said[head.split(" ")[0]] = " ".join(body.split())
    return said
