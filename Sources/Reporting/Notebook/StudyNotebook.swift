package import AlcoholKinetics
import Estimation
package import StudyData
package import Validation

/// The results of a study as files, and a Jupyter notebook that reads them with pandas and draws the
/// main figures with matplotlib.
package struct StudyNotebook: Sendable {
  /// A file of the folder with the notebook.
  package struct File: Sendable {
    /// The path in the folder.
    package let path: String
    package let text: String
  }

  private let study: StudyEvaluation
  private let provenance: Provenance
  private let options: JSONValue

  /// Prepares an export.
  ///
  /// - `options`: Those of the fits, as keyword arguments of the Python package.
  package init(_ study: StudyEvaluation, provenance: Provenance, options: JSONValue) {
    self.study = study
    self.provenance = provenance
    self.options = options
  }

  /// The name of the notebook in its folder.
  package static let name = "results.ipynb"

  /// The notebook, what it needs to be run, and the results that it reads.
  package var files: [File] {
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

  /// The reports of the commands, by the names of their files.
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

/// A Jupyter notebook in Python (nbformat 4.5), whose cells are those of the template `notebook.py` (`# %%`).
struct Notebook {
  let json: JSONValue

  init(titled title: String, version: String, name: String, options: JSONValue) {
    let values = [
      "title": title.markdownEscaped, "version": version.markdownEscaped, "name": name,
      "parameters": Self.parameters, "options": options.line,
    ]
    let template = String(decoding: PackageResources.notebook_py, as: UTF8.self)
    json = [
      "cells": .array(template.split(separator: "# %%").map { Self.cell($0, filledWith: values) }),
      "metadata": [
        "kernelspec": ["display_name": "Python 3", "language": "python", "name": "python3"],
        "language_info": ["name": "python"],
      ],
      "nbformat": 4, "nbformat_minor": 5,
    ]
  }

  /// A cell: its kind and a short name that no other has, and below them its lines, of text behind `#`.
  private static func cell(_ text: Substring, filledWith values: [String: String]) -> JSONValue {
    let mark = " [markdown]"
    let isText = text.hasPrefix(mark)
    let parts = text.dropFirst(isText ? mark.count : 0)
      .split(separator: "\n", omittingEmptySubsequences: false)
    var lines = parts.dropFirst().map { isText ? $0.dropFirst($0.hasPrefix("# ") ? 2 : 1) : $0 }
    while lines.last?.isEmpty == true { lines.removeLast() }
    let source = lines.joined(separator: "\n").filled(values)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let texts = source.indices.map { index -> JSONValue in
      .string(source[index] + (index < source.count - 1 ? "\n" : ""))
    }
    let results: JSONValue.Members = isText ? [] : [("execution_count", .null), ("outputs", [])]
    return .object(
      [
        ("cell_type", isText ? "markdown" : "code"), ("id", .string(String(parts[0].dropFirst()))),
        ("metadata", [:]),
      ] + results + [("source", .array(texts))])
  }

  /// Column, label and scale of every parameter, as lines of a Python dictionary.
  private static let parameters = FitParameter.forPeople.map { parameter in
    let unit = parameter.reportedUnit
    let divided = unit.contains("/") ? "(\(unit))" : unit
    let label = mathSymbol(of: parameter) + (unit.isEmpty ? "" : " / \(divided)")
    let scale = parameter == .r || parameter.traits.canBeZero ? "linear" : "log"
    return
      #"    "\#(parameter.rawValue)": ("\#(parameter.columnName)", r"\#(label)", "\#(scale)"),"#
  }.joined(separator: "\n")

  /// The symbol as TeX sets it; lag and gain are words.
  private static func mathSymbol(of parameter: FitParameter) -> String {
    guard parameter != .gain else { return "calibration factor" }
    guard !parameter.traits.isUsuallyNeutral else { return parameter.symbol }
    guard parameter != .beta else { return #"$\beta$"# }
    let parts = parameter.symbol.split(separator: "_")
    let subscripts = parts.dropFirst().map { $0.count == 1 ? "_\($0)" : "_{\($0)}" }
    return "$\(parts[0])\(subscripts.joined())$"
  }
}

extension String {
  /// The template with what stands in the place of names in double braces.
  func filled(_ values: [String: String]) -> String {
    replacing(/\{\{([a-z]+)\}\}/) { values[String($0.1)] ?? "" }
  }
}

extension [UInt8] {
  /// The embedded template, filled in the same way.
  func filled(_ values: [String: String]) -> String {
    String(decoding: self, as: UTF8.self).filled(values)
  }
}

extension Report {
  /// The fitted curve of every series with its band, and what each method predicts, minute by minute.
  package static func curves(of study: StudyEvaluation) -> Table {
    Table(curveTable.columns, rows: study.series.flatMap(curves(of:)))
  }

  package static let curveTable = TableLayout<CurveRow>(
    "curves",
    columns: Series.identityColumns { $0.series } + [
      Column("curve", \.name),
      Column("time_min", \.time.minutes),
      Column("concentration_g_per_kg", \.concentration.value),
      Column("low_g_per_kg", \.low?.value),
      Column("high_g_per_kg", \.high?.value),
    ])

  /// A point of a curve; its name is the method that predicts it, or says that it is fitted.
  package typealias CurveRow = (
    series: Series, name: String, time: Hours, concentration: GramsPerKilogram,
    low: GramsPerKilogram?, high: GramsPerKilogram?
  )

  private static func curves(of evaluation: SeriesEvaluation) -> [CurveRow] {
    let series = evaluation.series
    let fitted: [CurveRow] = evaluation.fitted.map {
      (series, "fitted", $0.time, $0.concentration, $0.low, $0.high)
    }
    return fitted
      + evaluation.predicted.flatMap { curve in
        zip(evaluation.times, curve.concentrations).filter(\.1.value.isFinite).map {
          (series, curve.method, $0, $1, nil, nil)
        }
      }
  }
}
