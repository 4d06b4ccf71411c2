# %% [markdown] title
# # {{title}}
#
# Results of promille {{version}}, drawn from its tables. Concentrations are in g of ethanol per kg of blood, times in minutes. `promille explain NAME` explains a column. To run this notebook:
#
# ```
# pip install -r requirements.txt promille-{{version}}-py3-none-*.whl
# jupyter nbconvert --to notebook --execute --inplace {{name}}
# ```
#
# The wheel is the Python package with the command inside. It is not on PyPI: it comes with a release of Promille, and `make wheel` writes it into `.build/packages`. Without it all cells but the last part run.

# %% setup
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter

RESULTS = Path("results")

# Okabe & Ito's colours, which people see apart whatever their eyes.
BLACK, GREY, BLUE = "#000000", "#808080", "#0072B2"
COLOURS = ["#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442"]

plt.rcParams.update({
    "figure.dpi": 110, "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#e6e6e6", "axes.axisbelow": True,
    "legend.frameon": False, "figure.constrained_layout.use": True,
    # A $ in somebody's name begins no formula.
    "text.parse_math": False,
})
pd.set_option("display.html.use_mathjax", False)

# %% load
def series_name(subject, occasion):
    """Subject, or subject/occasion; no other series has the same, and nothing in it is hidden."""
    if "/" in subject or subject.startswith('"'):
        subject = '"' + subject.replace('"', '""') + '"'
    name = f"{subject}/{occasion}" if occasion else subject
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in name)


def table(name):
    """A table of results, with a column that names each series."""
    found = pd.read_csv(
        RESULTS / f"{name}.csv", keep_default_na=False, na_values=[""],
        dtype={"subject": str, "occasion": str},
    )
    if "occasion" in found:
        occasions = found["occasion"].fillna("")
        found["series"] = list(map(series_name, found["subject"], occasions))
    return found


series = table("check")
fits = table("fit")
residuals = table("residuals")
curves = table("curves")
times = table("sober")
comparisons = table("compare")
methods = table("compare-summary")

names = list(series["series"])
r_factors = list(dict.fromkeys(times["r_factor"]))
colour = {r: COLOURS[i % len(COLOURS)] for i, r in enumerate(r_factors)}

# %% [markdown] study-text
# ## The study
#
# Subjects, drinks and numbers of readings.

# %% study
columns = ["sex", "age_y", "height_cm", "weight_kg", "ethanol_g", "readings", "max_g_per_kg"]
series.set_index("series")[columns]

# %% [markdown] curves-text
# ## Readings and curves
#
# Dots are readings. Open dots were not fitted (too soon after a drink, excluded by the study, or below detection). The black line is the fitted curve with its confidence band. Coloured lines are the curves that each method predicts from body measures alone.

# %% curves
def draw_series(axes, name):
    """One series: predicted curves, the fitted one over them, and the readings on top."""
    mine = curves[curves["series"] == name]
    for r_factor in r_factors:
        line = mine[mine["curve"] == r_factor]
        axes.plot(line["time_min"], line["concentration_g_per_kg"], lw=1.3,
                  color=colour[r_factor], label=r_factor)
    fitted = mine[mine["curve"] == "fitted"]
    if fitted["low_g_per_kg"].notna().any():
        axes.fill_between(fitted["time_min"], fitted["low_g_per_kg"], fitted["high_g_per_kg"],
                          color=BLACK, alpha=0.12, lw=0)
    axes.plot(fitted["time_min"], fitted["concentration_g_per_kg"], lw=1.8, color=BLACK,
              label="fitted")
    dots = residuals[residuals["series"] == name]
    used = dots["excluded"].isna()
    axes.plot(dots.loc[used, "time_min"], dots.loc[used, "observed_g_per_kg"], "o", ms=4,
              color=BLACK, label="reading")
    axes.plot(dots.loc[~used, "time_min"], dots.loc[~used, "observed_g_per_kg"], "o", ms=4,
              mfc="white", mec=GREY, label="not fitted")
    axes.set_title(f"subject {name}", loc="left", fontweight="bold")
    axes.set_ylim(bottom=0)


shown = names[:24]
rows = -(-len(shown) // 2)
figure, grid = plt.subplots(rows, 2, figsize=(8.6, 2.7 * rows + 0.6), squeeze=False)
for axes in grid.flat[len(shown):]:
    axes.set_axis_off()
for axes, name in zip(grid.flat, shown):
    draw_series(axes, name)
for axes in grid[-1]:
    axes.set_xlabel("time / min")
for axes in grid[:, 0]:
    axes.set_ylabel("concentration / (g/kg)")
handles = {label: handle for axes in grid.flat for handle, label
           in zip(*axes.get_legend_handles_labels())}
figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=8)
plt.show()

# %% [markdown] parameters-text
# ## Parameters
#
# Estimates with their intervals. A parameter that the readings do not determine has no dot. Only the limits that the readings support are drawn; an arrow means no limit on that side.

# %% parameters
PARAMETERS = {
{{parameters}}
}
ENDS = ["se", "low", "high"]
estimated = [p for p in PARAMETERS
             if fits.filter([f"{p}_{end}" for end in ENDS]).notna().any(axis=None)]
rows = fits.set_index("series")
rows[["status", "n"] + [c for p in estimated
     for c in (PARAMETERS[p][0], f"{p}_low", f"{p}_high", f"{p}_identifiable")]
     + ["residual_sd"]].round(4)

# %% forest
def limits(values, scale):
    """Room around what is drawn."""
    low, high = values.min(), values.max()
    if scale == "log":
        return low / 1.5, high * 1.5
    room = 0.12 * (high - low) or 0.1 * abs(high) or 1
    return (low - room if low < 0 else max(0, low - room)), high + room


def draw_forest(axes, parameter):
    """The estimates of one parameter, a line per series."""
    column, label, scale = PARAMETERS[parameter]
    known = rows[f"{parameter}_identifiable"] != "no"
    low, high = rows[f"{parameter}_low"], rows[f"{parameter}_high"]
    drawn = pd.concat([low, high, rows.loc[known, column]]).dropna()
    left, right = limits(drawn, scale)
    axes.set_xscale(scale)
    if scale == "log":
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(left, right)
    for y, name in enumerate(rows.index):
        tone = BLUE if known[name] else GREY
        if pd.notna(low[name]) or pd.notna(high[name]):
            start = left if pd.isna(low[name]) else low[name]
            end = right if pd.isna(high[name]) else high[name]
            axes.plot([start, end], [y, y], color=tone, lw=2, solid_capstyle="butt")
            if pd.isna(low[name]):
                axes.plot(left, y, "<", color=tone, ms=7, clip_on=False)
            if pd.isna(high[name]):
                axes.plot(right, y, ">", color=tone, ms=7, clip_on=False)
        if known[name] and pd.notna(rows[column][name]):
            axes.plot(rows[column][name], y, "o", color=tone, ms=6)
    axes.set_xlabel(label, parse_math=True)
    axes.set_yticks(range(len(rows)), rows.index)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)


if estimated:
    figure, grid = plt.subplots(
        1, len(estimated), figsize=(2.9 * len(estimated), 0.28 * len(rows) + 1.4),
        sharey=True, squeeze=False)
    for axes, parameter in zip(grid.flat, estimated):
        draw_forest(axes, parameter)
    grid[0, 0].set_ylabel("subject")
    plt.show()

# %% [markdown] sobriety-text
# ## Time to sobriety
#
# Error of each method's time to sobriety, predicted minus measured. The true time lies between two readings, or after the last one if it is still above the threshold, so an error has limits. Each bar spans the limits of one series; an arrow means no limit. The black line is the estimated mean error. Below zero, the method predicts sobriety too early.

# %% sobriety-table
def limits(row):
    """The limits of an error, in words."""
    least, most = row["error_min_least"], row["error_min_most"]
    if pd.isna(least) and pd.isna(most):
        return ""
    if pd.isna(least):
        return f"< {most:.0f}"
    if pd.isna(most):
        return f"> {least:.0f}"
    return f"{least:.0f} to {most:.0f}"


shown = times.assign(error=[limits(row) for _, row in times.iterrows()])
shown.pivot_table(index="series", columns="r_factor", values="error", aggfunc="first", sort=False)

# %% sobriety
def draw_limits(axes, x, least, most, edges, **look):
    """A bar between two limits, or an arrow to the edge where there is none."""
    start = edges[0] if pd.isna(least) else least
    end = edges[1] if pd.isna(most) else most
    axes.plot([x, x], [start, end], solid_capstyle="butt", **look)
    for missing, edge, marker in ((least, edges[0], "v"), (most, edges[1], "^")):
        if pd.isna(missing):
            axes.plot(x, edge, marker, color=look["color"], ms=5, clip_on=False)


figure, axes = plt.subplots(figsize=(8.6, 3.4))
axes.axhline(0, color=BLACK, lw=1)
ends = pd.concat([times["error_min_least"], times["error_min_most"], pd.Series([0.0])]).dropna()
room = 0.15 * (ends.max() - ends.min()) or 1
edges = (ends.min() - room, ends.max() + room)
known = times[times[["error_min_least", "error_min_most"]].notna().any(axis=1)]
total = methods[methods["quantity"] == "sobriety"].set_index("r_factor")
for x, r_factor in enumerate(r_factors):
    mine = known[known["r_factor"] == r_factor]
    spread = np.linspace(-0.18, 0.3, len(mine)) if len(mine) > 1 else [0]
    for offset, (_, row) in zip(spread, mine.iterrows()):
        draw_limits(axes, x + offset, row["error_min_least"], row["error_min_most"], edges, lw=2,
                    color=colour[r_factor])
    if r_factor in total.index:
        axes.plot([x - 0.4, x + 0.4], [total.loc[r_factor, "bias"]] * 2, lw=2, color=BLACK)
axes.set_xticks(range(len(r_factors)), [
    f"{r}\n(n = {(known['r_factor'] == r).sum()})" for r in r_factors])
axes.set_ylabel("predicted minus measured / min")
axes.grid(axis="x", visible=False)
plt.show()

# %% [markdown] errors-text
# ### Errors of the methods in total
#
# Bias and mean absolute error over subjects, each with its interval; of the time to sobriety the estimates.

# %% errors
for quantity, mine in methods.groupby("quantity", sort=False):
    unit = mine["unit"].iloc[0]
    unit = f"({unit})" if "/" in unit else unit
    figure, grid = plt.subplots(1, 2, figsize=(8.6, 0.3 * len(mine) + 1.1), sharey=True)
    for axes, measure in zip(grid, ("bias", "mae")):
        for y, (_, row) in enumerate(mine.iterrows()):
            value, low, high = (row[name] for name in (measure, f"{measure}_low", f"{measure}_high"))
            axes.plot([low, high], [y, y], lw=2, color=colour[row["r_factor"]])
            axes.plot(value, y, "o", ms=6, color=colour[row["r_factor"]])
        axes.set_yticks(range(len(mine)), mine["r_factor"])
        axes.set_xlabel(f"{'bias' if measure == 'bias' else 'MAE'} of {quantity} / {unit}")
        axes.grid(axis="y", visible=False)
    grid[0].axvline(0, color=BLACK, lw=1)
    grid[1].set_xlim(left=0)
    grid[0].set_ylim(len(mine) - 0.5, -0.5)
    plt.show()

# %% [markdown] residuals-text
# ## Residuals
#
# Standardised residuals of the fits, over time and against the prediction. If the error model holds, 95 % of them lie between the dashed lines, and neither plot shows a pattern.

# %% residuals
used = residuals[residuals["standardised"].notna()]
figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2), sharey=True)
for index, (name, mine) in enumerate(used.groupby("series", sort=False)):
    look = {"marker": "osD^vP*X"[index % 8], "ls": "none", "ms": 4, "alpha": 0.8,
            "color": COLOURS[index % len(COLOURS)]}
    left.plot(mine["time_min"], mine["standardised"], label=name, **look)
    right.plot(mine["predicted_g_per_kg"], mine["standardised"], **look)
for axes, label in ((left, "time / min"), (right, "predicted / (g/kg)")):
    axes.axhline(0, color=BLACK, lw=1)
    for bound in (-1.96, 1.96):
        axes.axhline(bound, color=GREY, lw=1, ls="--")
    axes.set_xlabel(label)
left.set_ylabel("standardised residual")
if used["series"].nunique() <= 12:
    figure.legend(loc="outside right center", title="subject")
plt.show()

# %% [markdown] check-text
# ## Do the tables agree with each other?
#
# Some numbers can be computed again from a more detailed table: the residual sum of squares of each fit, and the error of each time to sobriety. If all agree, nothing is printed.

# %% check
used = residuals[residuals["excluded"].isna() & (residuals["censored"] == "no")]
rss = used.groupby("series")["residual_g_per_kg"].apply(lambda r: (r**2).sum())
least_squares = fits[(fits["status"] != "failed") & (fits["censored"] == 0)].set_index("series")
weighted = least_squares["error_cv"].notna()
found = least_squares.loc[~weighted, "rss"]
np.testing.assert_allclose(rss[found.index], found, rtol=1e-9)

error = times["sober_predicted_min"] - times["sober_measured_min"]
known = times["error_min"].notna()
np.testing.assert_allclose(error[known], times.loc[known, "error_min"], atol=1e-9)

nearest = times["sober_predicted_min"].clip(times["sober_last_above_min"], times["sober_first_below_min"])
outside = times["sober_predicted_min"] - nearest
np.testing.assert_allclose(outside[known], times.loc[known, "interval_error_min"], atol=1e-9)

# %% [markdown] again-text
# ## Go on from here
#
# The package promille computes again what is above, from `study.json`. Change `OPTIONS`, or ask something else: `study.population()`, `study.forecast(prior="fasted", after="first:3")`.

# %% again
import warnings

OPTIONS = {{options}}
try:
    import promille as pm
except ModuleNotFoundError:
    print("Nothing is computed again: the package promille is not installed. The first cell says where it is.")
else:
    study = pm.read_study("study.json")
    with pm.Session(), warnings.catch_warnings(action="ignore", category=pm.PromilleWarning):
        again = study.fit(**OPTIONS, details=True)
        fitted = (fits["status"] != "failed").to_numpy()
        for column, _, _ in PARAMETERS.values():
            if column in fits:
                np.testing.assert_allclose(
                    again.frame[column].to_numpy(float)[fitted], fits[column].to_numpy(float)[fitted], rtol=1e-6)
        again.plot()
    plt.show()

# %% [markdown] origin-text
# ## How this was made
#
# The version, the options, and the SHA-256 digests of the files read.

# %% origin
provenance = json.loads((RESULTS / "fit.json").read_text())["provenance"]
print("promille", provenance["version"])
for name, value in provenance["options"].items():
    print(f"  {name}: {value}")
for file in provenance["inputs"]:
    print(file["sha256"][:12], file["file"])
