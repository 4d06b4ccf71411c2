"""Draws with matplotlib what the command computed and how it draws it: nothing is computed here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ._errors import Finding, OptionError
from ._frames import unit_label

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

# Tables that are curves: the columns of time, of what is drawn over it and of the ends of bands, with labels.
CURVES: dict[str, dict[str, Any]] = {
    "curves": {
        "x": ("time_min", "time, min"),
        "y": ("bac_g_per_kg", "blood alcohol, g/kg"),
        "bands": [("bac_low_g_per_kg", "bac_high_g_per_kg", "90 % band")],
        "by": "r_factor",
    },
    "forecast_curve": {
        "x": ("time_min", "time since the first drink, min"),
        "y": ("median_g_per_kg", "blood alcohol, g/kg"),
        "bands": [(f"low_{level}_g_per_kg", f"high_{level}_g_per_kg", f"{level} % band") for level in (95, 80, 50)],
        "by": None,
    },
    "band": {"x": ("time_h", "time, h"), "y": ("likeliest", ""), "bands": [("low", "high", "range")], "by": None},
}

# A pixel of the command's figures, in points.
_POINT = 0.75
_TEXT = "#1a1c1e"
# The command's symbols: matplotlib's, the size in points, and whether they are filled.
_SYMBOLS: dict[str, tuple[Any, float, bool]] = {
    "dot": ("o", 4.5, True),
    "cross": ("x", 5, False),
    "triangle": ("v", 6, False),
    "drink": ([(0, -0.2), (0.5, -1), (-0.5, -1), (0, -0.2)], 15, True),
    "point": ("o", 2.6, True),
    "speck": ("x", 2.6, False),
    "wedge": ("v", 3.4, False),
    "tick": ([(0, -0.1), (0, -1)], 9, False),
    "block": ("s", 2.4, True),
    "plus": ("+", 3.6, False),
    "hollow": ("o", 2.6, False),
    "lozenge": ("D", 2.4, False),
}


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('plot() needs matplotlib: pip install "promille[plot]"') from error
    return plt


def _axes(ax: Axes | None) -> Axes:
    return _pyplot().subplots(layout="constrained")[1] if ax is None else ax


def no_chart(chart: str, known: list[str]) -> OptionError:
    """Return the error for a chart that there is not."""
    shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    return OptionError(Finding("error", "E_CHART", f"there is no chart {chart!r}", f"choose from {shown}"))


def curves(table: pa.Table, columns: dict[str, Any], chart: str | None, ax: Axes | None) -> Axes:
    """Draw curves over time with their bands, of one person."""
    if "subject" in table.column_names:
        pairs = zip(table["subject"].to_pylist(), table["occasion"].to_pylist(), strict=True)
        names = [subject if occasion is None else f"{subject}/{occasion}" for subject, occasion in pairs]
        known = list(dict.fromkeys(names))
        wanted = known[0] if chart is None and known else chart
        if wanted not in known:
            wanted = next((name for name in known if name.rpartition("/")[0] == chart), None)
        if wanted is None:
            raise no_chart(chart or "", known)
        table = table.filter(pa.array([name == wanted for name in names], pa.bool_()))
    ax = _axes(ax)
    by = columns["by"]
    (x_name, x_label), (y_name, y_label) = columns["x"], columns["y"]
    for group in table[by].unique().to_pylist() if by else [None]:
        rows = table.filter(pc.equal(table[by], group)) if by else table
        x = rows[x_name].to_pylist()
        line = ax.plot(x, rows[y_name].to_pylist(), label=group or "most likely")[0]
        for low, high, name in columns["bands"]:
            if low in rows.column_names:
                low, high = rows[low].to_pylist(), rows[high].to_pylist()
                label = name if group is None else None
                ax.fill_between(x, low, high, alpha=0.2, color=line.get_color(), linewidth=0, label=label)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label or (unit_label(table["unit"][0].as_py()) if len(table) else ""))
    ax.legend(fontsize="small", frameon=False)
    return ax


def figure(table: pa.Table, ax: Axes | None) -> Axes | np.ndarray:
    """Draw a figure of the command; of several charts the first, if there is one place for it."""
    charts: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        charts.setdefault((row["chart"], row["x_label"], row["y_label"]), []).append(row)
    if len(charts) < 2 or ax is not None:
        is_own = ax is None
        ax = _axes(ax)
        (title, x_label, y_label), rows = next(iter(charts.items()))
        _chart(ax, rows)
        ax.set(title=title, xlabel=x_label, ylabel=y_label)
        handles = _handles(rows, ax)
        if is_own:
            _legend(ax.figure, handles, 2)
        elif handles:
            ax.legend(handles=handles, fontsize="small", frameon=False)
        return ax
    return _several(charts)


def _several(charts: dict[tuple[str, str, str], list[dict[str, Any]]]) -> np.ndarray:
    """Draw charts side by side; those with the same labels have common axes, and one label for all."""
    plt = _pyplot()
    is_common = len({labels[1:] for labels in charts}) == 1
    is_small = is_common and len(charts) > 5
    columns = min(len(charts), 6 if is_small else 3)
    lines = math.ceil(len(charts) / columns)
    size = (1.6 * columns, 1.5 * lines + 1) if is_small else (3.4 * columns, 2.8 * lines + 0.6)
    drawing, grid = plt.subplots(
        lines, columns, figsize=size, sharex=is_common, sharey=is_common, squeeze=False, layout="constrained"
    )
    everything = [row for rows in charts.values() for row in rows]
    for number, (ax, ((title, x_label, y_label), rows)) in enumerate(zip(grid.flat, charts.items(), strict=False)):
        # On common axes a row has its name wherever it is used.
        _chart(ax, rows, everything if is_common else rows, is_small=is_small)
        ax.tick_params(labelsize="small", labelbottom=not is_common or number + columns >= len(charts))
        ax.set_title(title, loc="left", fontsize="small", parse_math=False)
        if not is_common:
            ax.set(xlabel=x_label, ylabel=y_label)
    for ax in grid.flat[len(charts) :]:
        ax.set_axis_off()
    if is_common:
        x_label, y_label = next(iter(charts))[1:]
        drawing.supxlabel(x_label, fontsize="medium")
        drawing.supylabel(y_label, fontsize="medium")
    handles = {handle.get_label(): handle for rows in charts.values() for handle in _handles(rows)}
    _legend(drawing, list(handles.values()), 4)
    return grid.flat[: len(charts)]


def _legend(drawing: Any, handles: list[Any], columns: int) -> None:
    """Put the legend above all charts."""
    if handles:
        drawing.legend(handles=handles, loc="outside upper left", ncols=columns, fontsize="small", frameon=False)


def _layers(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    layers: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        layers.setdefault((row["layer"], row["shape"]), []).append(row)
    return layers


def _chart(
    ax: Axes, rows: list[dict[str, Any]], named: list[dict[str, Any]] | None = None, *, is_small: bool = False
) -> None:
    """Draw one chart, layer by layer, between the ends of the command's axes; `named` has the names of its rows."""
    corners = [row for row in rows if row["shape"] == "frame"]
    if corners[0]["x_scale"] == "log":
        from matplotlib.ticker import LogLocator, NullFormatter

        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlim(corners[0]["x"], corners[1]["x"])
    ax.set_ylim(corners[0]["y"], corners[1]["y"])
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="0.9", linewidth=0.5)
    ax.set_axisbelow(True)
    for (_, shape), places in _layers(rows).items():
        x, y, low, high = ([row[name] for row in places] for name in ("x", "y", "low", "high"))
        look = _look(places[0])
        if shape == "line":
            ax.plot(x, [math.nan if value is None else value for value in y], **look)
        elif shape == "band":
            ax.fill_between(x, low, high, alpha=0.2, linewidth=0, color=places[0]["color"])
        elif shape == "boxes":
            _boxes(ax, places)
        elif shape == "rule":
            for place in places:
                draw, value = (ax.axhline, place["y"]) if place["x"] is None else (ax.axvline, place["x"])
                draw(value, **look)
        elif shape != "frame":
            _marks(ax, shape, places)
    _rows(ax, named or rows, is_small=is_small)


def _rows(ax: Axes, rows: list[dict[str, Any]], *, is_small: bool) -> None:
    """Name rows beside the axis: all of it, or what is below zero, where no numbers belong."""
    names = {row["y"]: row["row"] for row in rows if row["row"] and (row["y"] < 0 or row["y"] == round(row["y"]))}
    if not names and not rows[0]["y_label"]:
        ax.set_yticks([])
    if not names:
        return
    numbers = [value for value in ax.get_yticks() if 0 <= value <= ax.get_ylim()[1]] if min(names) < 0 else []
    ax.set_yticks(numbers)
    if not is_small:
        texts = [f"{value:g}" for value in numbers]
        ax.set_yticks([*numbers, *names], [*texts, *names.values()], parse_math=False)


def _look(row: dict[str, Any]) -> dict[str, Any]:
    dashes = [float(part) for part in (row["dashes"] or "").split()]
    width = _POINT * (row["width"] or 1)
    style = (0, [part * _POINT / width for part in dashes]) if dashes else "-"
    return {"color": row["color"], "linewidth": width, "linestyle": style}


def _marker(row: dict[str, Any]) -> dict[str, Any]:
    marker, size, is_filled = _SYMBOLS.get(row["symbol"], ("o", 4, True))
    face = row["color"] if is_filled else "none"
    return {
        "marker": marker, "markersize": size, "markerfacecolor": face, "markeredgecolor": row["color"],
        "markeredgewidth": 0 if is_filled else 0.9, "linestyle": "none",
    }  # fmt: skip


def _boxes(ax: Axes, places: list[dict[str, Any]]) -> None:
    """Draw rectangles, two places each: their left and right sides, at the edge where they have no limit."""
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    for one, other in zip(places[::2], places[1::2], strict=True):
        sides = (left if one["x"] is None else one["x"], right if other["x"] is None else other["x"])
        low, high = (bottom if one["low"] is None else one["low"], top if one["high"] is None else one["high"])
        ax.fill_between(sides, low, high, alpha=0.2, linewidth=0, color=one["color"])


def _marks(ax: Axes, shape: str, places: list[dict[str, Any]]) -> None:
    """Draw points and what they lie between; a bar without an end is an arrow to the edge."""
    kind, _, across = shape.partition("-")
    barred = [row for row in places if row["low"] is not None or row["high"] is not None]
    edges = ax.get_xlim() if across else ax.get_ylim()
    beside = "y" if across else "x"
    color = places[0]["color"]
    # matplotlib's markers 4 to 7 point left, right, up and down with their tips at the place.
    for end, edge, sign, arrow in (
        ("low", edges[0], -1, 4 if across else 7),
        ("high", edges[1], 1, 5 if across else 6),
    ):
        beyond = [row[beside] for row in barred if row[end] is None or sign * (row[end] - edge) > 0]
        at = ([edge] * len(beyond), beyond) if across else (beyond, [edge] * len(beyond))
        ax.plot(*at, marker=arrow, markersize=4, color=color, linestyle="none", clip_on=False, in_layout=False)
    if barred:
        lows = [max(edges[0], edges[0] if row["low"] is None else row["low"]) for row in barred]
        highs = [min(edges[1], edges[1] if row["high"] is None else row["high"]) for row in barred]
        look = _look(places[0])
        lines = ax.hlines if across else ax.vlines
        lines([row[beside] for row in barred], lows, highs, look.pop("color"), **look)
    if kind == "points":
        points = [row for row in places if edges[0] <= row["x" if across else "y"] <= edges[1]]
        x, y = ([row[name] for row in points] for name in ("x", "y"))
        ax.plot(x, y, clip_on=False, in_layout=False, **_marker(places[0]))


def _handles(rows: list[dict[str, Any]], ax: Axes | None = None) -> list[Any]:
    """Return what the legend shows: every layer but those whose names stand beside their rows."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    named = {text.get_text() for text in ax.get_yticklabels()} if ax is not None else set()
    handles: dict[str, Any] = {}
    for (layer, shape), places in _layers(rows).items():
        label = layer.split("\n")[0]
        if shape == "frame" or label in named or label in handles:
            continue
        row = places[0]
        if shape in ("band", "boxes"):
            handles[label] = Patch(color=row["color"], alpha=0.2, linewidth=0, label=label)
        elif shape.startswith("points"):
            # What is drawn below its place is drawn there in the legend, too.
            handles[label] = Line2D([], [], label=label, **_marker(row))
        else:
            handles[label] = Line2D([], [], label=label, **_look(row))
    return list(handles.values())
