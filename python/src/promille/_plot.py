"""Draws with matplotlib what the command computed: nothing is computed here."""

from __future__ import annotations

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
    names = [name or "" for name in table["chart"].to_pylist()]
    table = _only(table, names, chart)
    ax = _axes(ax)
    layers: dict[str, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        layers.setdefault(row["layer"], []).append(row)
    for layer, rows in layers.items():
        x, y, low, high = ([row[name] for row in rows] for name in ("x", "y", "low", "high"))
        label = layer.split("\n")[0]
        has_ends = low[0] is not None and high[0] is not None
        if "band" in layer:
            ax.fill_between(x, low, high, alpha=0.2, linewidth=0, label=label)
        elif has_ends:
            is_across = all(a <= b <= c for a, b, c in zip(low, x, high, strict=True) if None not in (a, b, c))
            if is_across:
                ax.hlines(y, low, high, label=label)
            else:
                ax.vlines(x, low, high, label=label)
            ax.plot([value if value is not None else float("nan") for value in x], y, ".", color="black")
        elif y[0] is None or x[0] is None:
            draw = ax.axvline if y[0] is None else ax.axhline
            for number, value in enumerate(x if y[0] is None else y):
                if value is not None:
                    draw(value, linewidth=0.7, color="grey", label=label if number == 0 else None)
        else:
            points = layer.startswith("reading") or len(rows) < 3
            ax.plot(x, y, "o" if points else "-", markersize=4, label=label)
    first = table.slice(0, 1).to_pylist()[0] if len(table) else {}
    ax.set_xlabel(first.get("x_label") or "")
    ax.set_ylabel(first.get("y_label") or "")
    ax.set_title(first.get("chart") or "")
    ax.legend(fontsize="small")
    return ax
