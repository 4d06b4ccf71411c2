import Estimation
import StudyData
public import Validation

/// The results of a study as files, and a Jupyter notebook that reads them with pandas and draws the
/// main figures with matplotlib.
public struct StudyNotebook: Sendable {
  /// A file of the folder with the notebook.
  public struct File: Sendable {
    /// Its path in the folder.
    public let path: String
    public let text: String
  }

  private let study: StudyEvaluation
  private let provenance: Provenance

  /// Prepares an export.
  public init(_ study: StudyEvaluation, provenance: Provenance) {
    self.study = study
    self.provenance = provenance
  }

  /// The name of the notebook in its folder.
  public static let name = "results.ipynb"

  /// The notebook, what it needs to be run, and the results that it reads.
  public var files: [File] {
    [
      File(path: Self.name, text: notebook.json.document),
      File(path: "requirements.txt", text: Self.requirements),
    ] + reports.flatMap(files)
      + [
        File(path: "results/residuals.csv", text: Report.residuals(of: fits).csv),
        File(path: "results/curves.csv", text: Report.curves(of: study).csv),
      ]
  }

  /// Versions that the notebook was run with.
  private static let requirements = """
    ipykernel==7.4.0
    matplotlib==3.11.2
    nbconvert==7.17.2
    pandas==3.1.1

    """

  private var fits: [StudyFit] { study.series.map(\.fit) }

  /// What the commands themselves say, by the names of their files.
  private var reports: [(name: String, report: Report)] {
    let comparisons = study.series.flatMap(\.comparisons)
    return [
      ("check", .check(study.study, provenance: made(by: "check"))),
      ("fit", .fit(fits, options: study.fitOptions, provenance: made(by: "fit"))),
      (
        "sober",
        .sobriety(
          comparisons.map(\.sobriety), options: study.predictionOptions,
          provenance: made(by: "sober"))
      ),
      (
        "compare",
        .comparison(
          comparisons, options: study.predictionOptions, provenance: made(by: "compare"))
      ),
      (
        "compare-summary",
        .comparisonSummary(
          study.summary, options: study.predictionOptions, level: study.bootstrap.level,
          pairsFirst: false,
          provenance: made(by: "compare"))
      ),
    ]
  }

  private func files(_ name: String, _ report: Report) -> [File] {
    [
      File(path: "results/\(name).csv", text: report.rendered(as: .csv)),
      File(path: "results/\(name).json", text: report.rendered(as: .json)),
    ]
  }

  private func made(by command: String) -> Provenance {
    var provenance = provenance
    provenance.command = command
    return provenance
  }

  private var notebook: Notebook {
    let title = study.study.title ?? study.study.name
    return Notebook(
      cells: Self.introduction(title, version: provenance.version) + Self.tables + Self.curves
        + Self.parameters + Self.methods + Self.residuals + Self.origin)
  }
}

extension StudyNotebook {
  static let curves: [Notebook.Cell] = [
    .markdown(
      "curves-text",
      """
      ## Readings and curves

      Dots are readings. Open dots were not fitted (too soon after a drink, excluded by the study, or \
      below detection). The black line is the fitted curve with its confidence band. Coloured lines are \
      the curves that each method predicts from body measures alone.
      """),
    .code(
      "curves",
      #"""
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
      """#),
  ]

  static let residuals: [Notebook.Cell] = [
    .markdown(
      "residuals-text",
      """
      ## Residuals

      Standardised residuals of the fits, over time and against the prediction. If the error model \
      holds, 95 % of them lie between the dashed lines, and neither plot shows a pattern.
      """),
    .code(
      "residuals",
      #"""
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
      """#),
  ]
}
