"""The notebook of r_factor_worth.py: its cells, and running it with nbconvert.

The notebook reads the tables beside it and nothing else, so it runs without the studies. What its cells print is
compared to the letter; pictures have to be there. With --write the figures of the article are copied to the catalogue.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

NOTEBOOK = "five-r-factors.ipynb"
CATALOG = Path(__file__).resolve().parents[2] / "Sources" / "Validation" / "Documentation.docc" / "Resources"
FIGURES = ("five-r-observed", "five-r-readings")

CELLS = [
    ("markdown", """\
# What five r factors are worth

The figures of the article *What five r factors are worth* (`Sources/Validation/Documentation.docc`). The tables in
`results` hold figures of groups of people; `Tests/Tools/r_factor_worth.py` makes them from the studies, and says what
each column is. The four people of Nacar (2021) are shown one by one: their table is published."""),
    ("code", """\
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

plt.rcParams.update({
    "figure.dpi": 110, "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlesize": 9, "axes.titleweight": "bold", "axes.titlelocation": "left", "svg.hashsalt": "five-r",
    "svg.fonttype": "path",
})
FORMULAS = ["widmark", "watson", "forrest", "seidl", "ulrich"]
# Colour and grey alike: each has a marker, a dash and a lightness of its own.
STYLE = {
    "none": ("black", "o", "-"), "one r": ("#d6604d", "*", "-"),
    "widmark": ("#b35806", "s", "--"), "watson": ("#2166ac", "D", "-."),
    "forrest": ("#5aae61", "^", ":"), "seidl": ("#9970ab", "v", (0, (5, 1))), "ulrich": ("#888888", "P", (0, (1, 1))),
}
NAME = {"none": "Prior's r", "one r": "One r for all"} | {formula: formula.capitalize() for formula in FORMULAS}


def table(name):
    return pd.read_csv(Path("results") / f"{name}.csv")


def save(figure, name):
    Path("figures").mkdir(exist_ok=True)
    figure.savefig(f"figures/{name}.svg", metadata={"Date": None}, bbox_inches="tight")


def stated(row, name, digits=0):
    \"\"\"12 (9 to 15).\"\"\"
    return f"{row[name]:.{digits}f} ({row[name + '_low']:.{digits}f} to {row[name + '_high']:.{digits}f})\""""),
    ("markdown", """\
## r of 50 volunteers

Dots: the mean of each formula over the observed r, with its 95 % interval over people. Thin lines: one standard
deviation of people to each side. *Mean of the others* is the mean r of all other
volunteers of that sex; *one r for all* the mean r of 12 people of other studies."""),
    ("code", """\
r = table("r-factors")
figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.6), sharex=True, sharey=True)
order = ["mean of the others", "one r", "widmark", "watson", "forrest", "seidl", "ulrich"]
for axis, sex, title in zip(axes, ("male", "female"), ("31 men", "19 women")):
    own = r[r.sex == sex].set_index("formula")
    for place, formula in enumerate(order):
        if formula not in own.index:
            axis.text(0, place, "no formula for women", va="center", ha="center", color="0.3", fontsize=8,
                      bbox={"fc": "white", "ec": "none", "pad": 1})
            continue
        row = own.loc[formula]
        axis.plot([row.bias_pct - row.sd_pct, row.bias_pct + row.sd_pct], [place] * 2, color="0.65", lw=1.2)
        axis.plot([row.bias_pct_low, row.bias_pct_high], [place] * 2, color="0.25", lw=4, solid_capstyle="butt")
        axis.plot(row.bias_pct, place, "o", color="black", ms=5, mec="white", mew=0.8)
    axis.axvline(0, color="0.5", lw=0.8)
    axis.set_title(title)
    axis.set_xlabel("r by formula over observed r, minus 1 (%)")
axes[0].set_yticks(range(len(order)), [NAME.get(f, "Mean of the others") for f in order])
axes[0].invert_yaxis()
figure.tight_layout()
save(figure, "five-r-observed")
for _, row in r[r.sex != "all"].iterrows():
    print(f"{row.formula:20} {row.sex:7} bias {stated(row, 'bias_pct')} %, SD {stated(row, 'sd_pct')} %, "
          f"within 10 %: {row.within_10_pct:.0f} %")"""),
    ("markdown", """\
## Errors of time and concentration, by study

k_a, beta and the lag are those of all other studies. Mean error, predicted minus measured in percent of measured, of
the time to 0.2 g/kg (or to the last reading above) and of the concentration at the readings,
with 95 % intervals over people where there are four or more. The single cases are a man and a woman, with Mumenthaler's
woman for the first three, as she has no published height and weight."""),
    ("code", """\
errors = table("errors")
studies = ["Wilkinson 1977", "Thierauf-Emberger 2023", "three single cases", "all"]
figure, axes = plt.subplots(2, 4, figsize=(9, 4.4), sharey=True, sharex="row")
for line, quantity, label in ((0, "time to 0.2", "time"), (1, "concentration", "concentration")):
    for axis, study in zip(axes[line], studies):
        part = errors[(errors.kinetics == "other studies") & (errors.quantity == quantity)]
        part = part[part.study == study].set_index("formula")
        for place, formula in enumerate(["none", "one r", *FORMULAS]):
            if formula not in part.index:
                continue
            row = part.loc[formula]
            axis.plot([row.bias_pct_low, row.bias_pct_high], [place] * 2, color="0.5", lw=2)
            axis.plot(row.bias_pct, place, "o", color="black", ms=5, mec="white", mew=0.8)
        axis.axvline(0, color="0.5", lw=0.8)
        axis.set_xlabel(f"error of {label} (%)")
        if line == 0:
            axis.set_title({"all": "pooled: 16 (Ulrich: 10)", "Wilkinson 1977": "Wilkinson: 4 men",
                            "Thierauf-Emberger 2023": "Thierauf-Emberger: 10",
                            "three single cases": "single cases: 2 or 3"}[study])
for axis in axes[:, 0]:
    axis.set_yticks(range(7), [NAME[f] for f in ["none", "one r", *FORMULAS]])
axes[0, 0].invert_yaxis()
figure.tight_layout()
pooled = errors[(errors.study == "all") & (errors.quantity != "time to 0.5")]
for _, row in pooled.iterrows():
    print(f"{row.kinetics:13} {row.formula:8} {row.quantity:13} bias {stated(row, 'bias_pct')}, "
          f"mean |error| {stated(row, 'mean_abs_pct')} % of {row.people} people")"""),
    ("markdown", """\
## What the error is made of

Shares of the squared error that vanish if a parameter is the person's own, averaged over all orders (Shapley 1953),
with 95 % intervals over people. Watson's r. *Own* is the posterior mode of the person's readings, with
the prior of the other studies (16 people)."""),
    ("code", """\
parts = table("decomposition")
parts = parts[(parts["values"] == "own fit with prior") & (parts.formula == "watson") & (parts.loss == "squared")]
figure, axes = plt.subplots(1, 2, figsize=(7.4, 2.3), sharex=True, sharey=True)
for axis, quantity in zip(axes, ("time", "concentration")):
    for shift, kinetics, face in ((-0.15, "other studies", "black"), (0.15, "thesis", "white")):
        own = parts[(parts.quantity == quantity) & (parts.kinetics == kinetics)].set_index("replaced")
        for place, factor in enumerate(("r", "beta", "absorption")):
            row = own.loc[factor]
            axis.plot([row.shapley_pct_low, row.shapley_pct_high], [place + shift] * 2, color="0.5", lw=2, zorder=1)
            axis.plot(row.shapley_pct, place + shift, "o", mfc=face, mec="black", ms=6, zorder=2)
    axis.axvline(0, color="0.5", lw=0.8)
    axis.set_title(quantity)
    axis.set_xlabel("share of the squared error (%)")
axes[0].set_yticks(range(3), ["r", "beta", "k_a and lag"])
axes[0].invert_yaxis()
axes[1].text(52, 0.72, "filled: k_a and beta of other studies", fontsize=7.5, ha="center")
axes[1].text(52, 1.3, "open: k_a 18 /h, beta 0.15 g/kg/h (thesis)", fontsize=7.5, ha="center")
figure.tight_layout()
for _, row in parts.iterrows():
    print(f"{row.kinetics:13} {row.quantity:13} {row.replaced:10} alone {stated(row, 'alone_pct')}, "
          f"last {stated(row, 'last_pct')}, all orders {stated(row, 'shapley_pct')} %")"""),
    ("markdown", """\
## Likelihood of r, with a random effect of studies

How much worse the r of a person is predicted from everybody else than by the best model (difference of the expected log
density, with one standard error). *Factor*: the formula times one number that is estimated."""),
    ("code", """\
ranking = table("ranking-r")
figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.4), sharex=True)
for axis, group in zip(axes, ("men and women", "men")):
    own = ranking[ranking.people_of == group].sort_values("elpd_below_best").reset_index(drop=True)
    for place, row in own.iterrows():
        se = row.elpd_below_best_se
        axis.plot([row.elpd_below_best - se, row.elpd_below_best + se], [place] * 2, color="0.5", lw=2)
        axis.plot(row.elpd_below_best, place, "o", color="black", ms=5, mec="white", mew=0.8)
    axis.set_yticks(range(len(own)), [
        name if name.startswith("one") else name.capitalize().replace(" x factor", ", factor") for name in own.r])
    axis.axvline(0, color="0.5", lw=0.8)
    axis.invert_yaxis()
    axis.set_title(f"{group} ({own.people[0]} people, {own.studies[0]} studies)")
    axis.set_xlabel("log density below the best")
figure.tight_layout()
for _, row in ranking.iterrows():
    print(f"{row.people_of:14} {row.r:18} -2 ln L {-2 * row.ln_likelihood:6.1f}, AIC above best "
          f"{row.aic_above_best:5.1f}, log density below best {row.elpd_below_best:5.1f} "
          f"(SE {row.elpd_below_best_se:.1f}), SD between studies {row.sd_studies_pct:.0f} %, "
          f"people {row.sd_people_pct:.0f} %")
columns = ["people_of", "r", "people", "aic_above_best", "vuong_p", "first_pct"]
print(table("ranking-readings")[columns].to_string(index=False))"""),
    ("markdown", """\
## What readings are worth

Mean absolute error of the time, in percent of the measured time, by what is known. Everybody's height and weight are
known here (12 people, 18 evenings; Ulrich: 9 men, 15 evenings). The bar is the 95 % interval over people of the
forecast with the prior's r."""),
    ("code", """\
readings = table("readings")
readings = readings[readings.group == "all"]
kinds = ["no reading", "breath at the start", "breath after the peak", "one after the peak", "two after the peak"]
figure, axis = plt.subplots(figsize=(6.4, 3.2))
ends = []
for formula in ["none", "one r", *FORMULAS]:
    own = readings[readings.formula == formula].set_index("known").loc[kinds]
    colour, marker, dash = STYLE[formula]
    axis.plot(range(len(kinds)), own.mean_abs_pct, color=colour, marker=marker, ls=dash, ms=5, lw=1.3)
    ends.append([own.mean_abs_pct.iloc[0], NAME[formula], colour])
    if formula == "none":
        for place, (_, row) in enumerate(own.iterrows()):
            axis.plot([place] * 2, [row.mean_abs_pct_low, row.mean_abs_pct_high], color="0.8", lw=6, zorder=0)
ends.sort()
for place, (height, name, colour) in enumerate(ends):
    ends[place][0] = height if place == 0 else max(height, ends[place - 1][0] + 1.3)
    axis.text(-0.08, ends[place][0], name, ha="right", va="center", color=colour, fontsize=8)
axis.set_xlim(-0.75, 4.2)
axis.set_ylim(0, 29)
axis.text(1.15, 25.5, "grey: 95 % interval over people, r of the prior", color="0.4", fontsize=7.5, va="center")
axis.set_xticks(range(len(kinds)), ["no\\nreading", "breath at\\nthe start", "one by breath\\nafter the peak",
                                    "one of blood\\nafter the peak", "two of blood\\nafter the peak"])
axis.set_ylabel("mean |error| of the time (%)")
figure.tight_layout()
save(figure, "five-r-readings")
for _, row in readings.iterrows():
    print(f"{row.known:25} {row.formula:8} {stated(row, 'mean_abs_pct', 1)} %, {row.mean_abs_min:.0f} min, saved "
          f"{stated(row, 'saved_pct')} %")"""),
    ("markdown", """\
## The thesis

The time to zero is the dose over r beta W. Left: r beta by study (mean, and one standard deviation of people), and what
the four people of Nacar (2021) needed. Right: their errors as one thing after another is changed; bars are means."""),
    ("code", """\
beta = table("r-beta")
four = table("thesis")
steps = table("thesis-steps")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), gridspec_kw={"width_ratios": [1, 1.25]})
labels = []
for place, (_, row) in enumerate(beta.iterrows()):
    spread = np.exp(row.r_beta_sd_pct / 100)
    left.plot([row.r_beta / spread, row.r_beta * spread], [place] * 2, color="0.6", lw=2)
    left.plot(row.r_beta, place, "o", color="black", ms=6, mec="white")
    name = {"scs-beta60": "volunteers", "wilkinson-1977-oral": "Wilkinson",
            "thierauf-emberger-2023": "Thierauf-Emberger"}[row.study]
    labels.append(f"{name}, {row.people} {dict(all='people', male='men', female='women')[row.sex]}")
place = len(labels)
left.plot(four.r_beta_needed, [place] * 4, "D", color="black", mfc="white", ms=6)
labels.append("needed by the thesis' four")
left.plot(0.15 * four.r_forrest, [place + 1] * 4, "x", color="black", ms=6)
labels.append("thesis: Forrest, 0.15 g/kg/h")
left.set_yticks(range(len(labels)), labels)
left.invert_yaxis()
left.set_xlabel("r beta (g per kg of body and h)")
for place, (_, row) in enumerate(steps.iterrows()):
    right.barh(place, row.of_measured_pct, color="0.8", height=0.7)
    right.plot([row[f"subject_{i}_of_measured_pct"] for i in range(1, 5)], [place] * 4, "o", color="black", ms=3.5)
names = [f"{row.step}{' (to the first zero)' if row.against == 'first zero' else ''}" for _, row in steps.iterrows()]
right.set_yticks(range(len(steps)), names, fontsize=7.5)
right.axvline(0, color="0.4", lw=0.8)
right.invert_yaxis()
right.set_xlabel("predicted - measured time to zero (%)")
figure.tight_layout()
for _, row in steps.iterrows():
    print(f"{row.step:48} {row.against:10} {row.of_measured_pct:6.1f} % of measured, "
          f"{row.of_predicted_pct:6.1f} % of predicted, {row.minutes:5.0f} min")"""),
]


def run(python: str, folder: Path, write: bool) -> list[str]:
    """Problems; with `write` the executed notebook and its figures are taken."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "export"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("figures"))
        (copy / NOTEBOOK).write_text(json.dumps(notebook(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        done = subprocess.run(
            [str(Path(python).absolute()), "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace",
             "--log-level=ERROR", NOTEBOOK], cwd=copy, timeout=600, capture_output=True, text=True, check=False)
        if done.returncode:
            return [done.stderr[-3000:]]
        made = json.loads((copy / NOTEBOOK).read_text(encoding="utf-8"))
        for cell in made["cells"]:
            cell["metadata"].pop("execution", None)
        made["metadata"] = {"kernelspec": made["metadata"].get("kernelspec", {}), "language_info": {"name": "python"}}
        if write:
            (folder / NOTEBOOK).write_text(
                json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            CATALOG.mkdir(exist_ok=True)
            for figure in FIGURES:
                shutil.copyfile(copy / "figures" / f"{figure}.svg", CATALOG / f"{figure}.svg")
        outputs = [output for cell in made["cells"] for output in cell.get("outputs", [])]
        pictures = sum("image/png" in output.get("data", {}) for output in outputs)
        problems = [] if pictures >= 6 else [f"{NOTEBOOK} draws {pictures} pictures only"]
        kept = json.loads((folder / NOTEBOOK).read_text(encoding="utf-8"))["cells"]
        if ["".join(cell["source"]) for cell in kept] != ["".join(cell["source"]) for cell in made["cells"]]:
            return [*problems, f"{NOTEBOOK}: other cells"]
        return problems + [f"{NOTEBOOK}: the cell {old['id']} prints something else"
                           for old, new in zip(kept, made["cells"]) if printed(old) != printed(new)]


def printed(cell: dict) -> list[str]:
    return ["".join(output.get("text", [])) for output in cell.get("outputs", []) if "text" in output]


def notebook() -> dict:
    """The notebook before it is run."""
    cells = []
    for number, (kind, source) in enumerate(CELLS, 1):
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
