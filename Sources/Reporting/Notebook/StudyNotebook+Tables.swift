extension StudyNotebook {
  static func introduction(_ title: String, version: String) -> [Notebook.Cell] {
    [
      .markdown(
        "title",
        """
        # \(title)

        Results of promille \(version), drawn from its tables. Concentrations are in g of ethanol per kg \
        of blood, times in minutes. `Columns.md` in Promille's documentation explains the columns. To run \
        this notebook:

        ```
        pip install -r requirements.txt
        jupyter nbconvert --to notebook --execute --inplace \(name)
        ```
        """),
      .code("setup", setup),
      .code("load", load),
    ]
  }

  private static let setup = #"""
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
    """#

  private static let load = #"""
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
    """#

  static let tables: [Notebook.Cell] = [
    .markdown(
      "study-text",
      """
      ## The study

      Subjects, drinks and numbers of readings.
      """),
    .code(
      "study",
      #"""
      columns = ["sex", "age_y", "height_cm", "weight_kg", "ethanol_g", "readings", "max_g_per_kg"]
      series.set_index("series")[columns]
      """#),
  ]

  static let origin: [Notebook.Cell] = [
    .markdown(
      "check-text",
      """
      ## Do the tables agree with each other?

      Some numbers can be computed again from a more detailed table: the residual sum of squares of each \
      fit, the error of each time to sobriety, and the mean errors of the methods. If all agree, nothing \
      is printed.
      """),
    .code(
      "check",
      #"""
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

      # An error without a limit leaves the mean without one, too.
      stated = methods[methods["quantity"] == "sobriety"].set_index("r_factor")
      errors = times[(times["known"] != "unknown") & ~times["status"].isin(["failed", "not-applicable"])]
      for end in ("least", "most"):
          mean = errors.groupby("r_factor")[f"error_min_{end}"].agg(lambda e: e.mean(skipna=False))
          np.testing.assert_allclose(mean[stated.index], stated[f"bias_{end}"], atol=1e-9)
      """#),
    .markdown(
      "origin-text",
      """
      ## How this was made

      The version, the options, and the SHA-256 digests of the files read.
      """),
    .code(
      "origin",
      #"""
      provenance = json.loads((RESULTS / "fit.json").read_text())["provenance"]
      print("promille", provenance["version"])
      for name, value in provenance["options"].items():
          print(f"  {name}: {value}")
      for file in provenance["inputs"]:
          print(file["sha256"][:12], file["file"])
      """#),
  ]
}
