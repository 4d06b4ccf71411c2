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
  private let options: JSONValue

  /// Prepares an export.
  ///
  /// - `options`: Those of the fits, as keyword arguments of the Python package.
  public init(_ study: StudyEvaluation, provenance: Provenance, options: JSONValue) {
    self.study = study
    self.provenance = provenance
    self.options = options
  }

  /// The name of the notebook in its folder.
  public static let name = "results.ipynb"

  /// The notebook, what it needs to be run, and the results that it reads.
  public var files: [File] {
    [
      File(
        path: Self.name,
        text: Notebook(
          titled: study.study.title ?? study.study.name, version: provenance.version,
          name: Self.name, options: options
        ).json.document),
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
    let scores = study.series.flatMap(\.scores)
    return [
      ("check", .check(study.study, provenance: made(by: "check"))),
      (
        "fit",
        .fit(fits, options: study.fitOptions, details: true, provenance: made(by: "fit"))
      ),
      (
        "sober",
        .sobriety(
          scores, options: study.predictionOptions,
          provenance: made(by: "sober"))
      ),
      (
        "compare",
        .comparison(
          scores, options: study.predictionOptions, provenance: made(by: "compare"))
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
}
