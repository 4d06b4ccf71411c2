"""Draws with matplotlib what the command computed: nothing is computed here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ._errors import Finding, OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Tables that are curves: the column of time, what is drawn over it, and the ends of bands.
CURVES: dict[str, dict[str, Any]] = {
    "curves": {
        "x": "time_min",
        "y": "bac_g_per_kg",
        "bands": [("bac_low_g_per_kg", "bac_high_g_per_kg")],
        "by": "r_factor",
    },
    "forecast_curve": {
        "x": "time_min",
        "y": "median_g_per_kg",
        "bands": [(f"low_{level}_g_per_kg", f"high_{level}_g_per_kg") for level in (95, 80, 50)],
        "by": None,
    },
    "band": {"x": "time_h", "y": "likeliest", "bands": [("low", "high")], "by": None},
}


def _axes(ax: Axes | None) -> Axes:
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    return ax


def _only(table: pa.Table, charts: list[str], chart: str | None) -> pa.Table:
    """Return the rows of one chart, of the first unless another is named."""
    known = list(dict.fromkeys(charts))
    wanted = known[0] if chart is None and known else chart
    if wanted not in known:
        wanted = next((name for name in known if name.rpartition("/")[0] == chart), None)
    if wanted is None:
        shown = ", ".join(known[:20])
        raise OptionError(Finding("error", "E_CHART", f"there is no chart {chart!r}", f"choose from {shown}"))
    return table.filter(pa.array([name == wanted for name in charts], pa.bool_()))


def curves(table: pa.Table, columns: dict[str, Any], chart: str | None, ax: Axes | None) -> Axes:
    """Draw curves over time with their bands."""
    if "subject" in table.column_names:
        pairs = zip(table["subject"].to_pylist(), table["occasion"].to_pylist(), strict=True)
        names = [subject if occasion is None else f"{subject}/{occasion}" for subject, occasion in pairs]
        table = _only(table, names, chart)
    ax = _axes(ax)
    by = columns["by"]
    groups = table[by].unique().to_pylist() if by else [None]
    for group in groups:
        rows = table.filter(pc.equal(table[by], group)) if by else table
        x = rows[columns["x"]].to_pylist()
        line = ax.plot(x, rows[columns["y"]].to_pylist(), label=group or columns["y"])[0]
        for low, high in columns["bands"]:
            if low in rows.column_names:
                low, high = rows[low].to_pylist(), rows[high].to_pylist()
                ax.fill_between(x, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    ax.set_xlabel(columns["x"])
    unit = table["unit"][0].as_py() if "unit" in table.column_names and len(table) else columns["y"]
    ax.set_ylabel(unit)
    ax.legend()
    return ax


def figure(table: pa.Table, chart: str | None, ax: Axes | None) -> Axes:
    """Draw one chart of a figure of the command, layer by layer."""
    # What has no title has its axis.
    titles = zip(table["chart"].to_pylist(), table["x_label"].to_pylist(), strict=True)
    table = _only(table, [title or axis for title, axis in titles], chart)
    ax = _axes(ax)
    rows = table.to_pylist()
    layers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        layers.setdefault((row["layer"], row["shape"]), []).append(row)
    for (layer, shape), places in layers.items():
        x, y, low, high = ([row[name] for row in places] for name in ("x", "y", "low", "high"))
        label = layer.split("\n")[0]
        if shape == "line":
            ax.plot(x, [math.nan if value is None else value for value in y], label=label)
        elif shape == "band":
            ax.fill_between(x, low, high, alpha=0.2, linewidth=0, label=label)
        elif shape == "rule":
            for number, place in enumerate(places):
                draw, value = (ax.axhline, place["y"]) if place["x"] is None else (ax.axvline, place["x"])
                draw(value, linewidth=0.7, color="grey", label=label if number == 0 else None)
        elif shape != "boxes":
            _marks(ax, shape, places, label)
    # Last, as a side without a limit is at the edge of all others.
    for (layer, shape), places in layers.items():
        if shape == "boxes":
            _boxes(ax, places, layer)
    names = {row["y"]: row["row"] for row in rows if row["row"] and row["y"] == round(row["y"])}
    if names:
        ax.set_yticks(list(names), list(names.values()))
    first = rows[0] if rows else {}
    ax.set_xlabel(first.get("x_label") or "")
    ax.set_ylabel(first.get("y_label") or "")
    ax.set_title(first.get("chart") or "")
    ax.legend(fontsize="small")
    return ax


def _boxes(ax: Axes, places: list[dict[str, Any]], label: str) -> None:
    """Draw rectangles, two places each: their left and right sides."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for number, (one, other) in enumerate(zip(places[::2], places[1::2], strict=True)):
        sides = (left if one["x"] is None else one["x"], right if other["x"] is None else other["x"])
        low, high = (bottom if one["low"] is None else one["low"], top if one["high"] is None else one["high"])
        ax.fill_between(sides, low, high, alpha=0.2, linewidth=0, color="C0", label=label if number == 0 else None)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)


def _marks(ax: Axes, shape: str, places: list[dict[str, Any]], label: str) -> None:
    """Draw points and what they lie between; a bar without an end is an arrow to the edge of the others."""
    kind, _, across = shape.partition("-")
    along, beside = ("x", "y") if across else ("y", "x")
    barred = [row for row in places if row["low"] is not None or row["high"] is not None]
    color = ax.plot([], [])[0].get_color()
    for end, arrow in (("low", "<" if across else "v"), ("high", ">" if across else "^")):
        edge = (min if end == "low" else max)(
            (value for row in barred for value in (row["low"], row["high"]) if value is not None), default=0.0
        )
        open_ = [row for row in barred if row[end] is None]
        for row in open_:
            row[end] = edge
        at = {along: [edge] * len(open_), beside: [row[beside] for row in open_]}
        ax.plot(at["x"], at["y"], arrow, markersize=4, color=color)
    low, high, where = ([row[name] for row in barred] for name in ("low", "high", beside))
    lines = ax.hlines if across else ax.vlines
    named = label if kind == "bars" else ""
    if barred:
        lines(where, low, high, color=color, linewidth=1 if kind == "bars" else 2.5, label=named)
    if kind == "points":
        ax.plot([row["x"] for row in places], [row["y"] for row in places], "o", markersize=4, color=color, label=label)
