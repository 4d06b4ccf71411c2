import StudyData
import Validation

/// All tables of results that commands make, and which of them a JSON document holds, by command.
///
/// The article of columns, the JSON Schemas and `promille explain` come from here, and so from the
/// declarations of the columns.
public struct ResultCatalogue: Sendable {
  /// A command that makes tables.
  public struct Command: Sendable {
    /// The command, as `fit`.
    public let name: String
    /// The text above its tables in the article.
    let introduction: String
    /// Its tables, in the order of the article.
    public let tables: [TableDescription]
    /// The kinds of JSON documents that it prints.
    let documents: [Document]

    package init<each Row>(
      _ name: String, _ introduction: String = "", tables: repeat TableLayout<each Row>,
      documents: [Document] = []
    ) {
      self.name = name
      self.introduction = introduction
      var descriptions: [TableDescription] = []
      repeat descriptions.append((each tables).description)
      self.tables = descriptions
      self.documents = documents
    }
  }

  /// A kind of JSON document: which tables it has under which keys; nil for all of the command.
  package struct Document: Sendable {
    let name: String
    let tables: [(key: String, table: String)]?

    /// Describes a document.
    ///
    /// - Parameter renamed: Tables that have another key, by it.
    package init(
      _ name: String, _ tables: [String]? = nil, renamed: KeyValuePairs<String, String> = [:]
    ) {
      self.name = name
      self.tables = tables.map { names in names.map { ($0, $0) } + renamed.map { ($0, $1) } }
    }
  }

  /// The commands, in the order of the article.
  public let commands: [Command]

  package init(_ commands: [Command]) { self.commands = commands }

  /// What the reports of the library hold.
  public static let reports = ResultCatalogue([
    Command(
      "check",
      tables: SeriesOverview.table, Report.estimates, Report.findingTable, Report.takenColumns,
      documents: [
        Document("check", ["series", "findings", "taken_as"]),
        Document("check-estimates", ["estimates", "findings"]),
        Document("check-unreadable", ["findings"]),
      ]),
    Command(
      "drinks", tables: Report.catalogue, documents: [Document("drinks")]),
    Command(
      "fit",
      tables: Report.fits, FitStart.table, EstimatePair.correlationTable,
      EstimatePair.covarianceTable, Report.derived, Report.derivedColumns, Report.posterior,
      Report.fitsPrior, PooledTest.ofStudy, PooledBin.ofStudy, Report.residualTable,
      Report.parameterTable, Report.models, Report.evidence, Report.lines,
      documents: [
        Document(
          "fit",
          [
            "fits", "starts", "correlations", "covariances", "derived", "posterior", "study",
            "pooled_residuals",
          ]),
        Document("fit-summary", ["parameters", "study", "pooled_residuals"]),
        Document("fit-elimination-line", ["lines"]),
        Document("fit-models", ["models", "model_evidence"]),
      ]),
    Command(
      "population",
      tables: Report.populations, Report.typicalValues, Report.betweenPeople, Report.withinPeople,
      Report.betweenStudies, Report.covariateEffects, Report.residualErrors,
      Report.estimateCovariances,
      Report.sampledEstimates,
      Report.individuals,
      Report.populationStarts, Report.notUsed, Report.leftOutReadings, Report.covariateSteps,
      Report.fullModel, Report.nestedTests, Report.standardNormality, Report.etaCovariates,
      Report.predictiveChecks, Report.predictions,
      documents: [Document("population")]),
    Command(
      "forecast",
      tables: Report.forecasts, Report.forecastCurve, Report.skills, Report.timeScores,
      Report.readingScores,
      documents: [
        Document("forecast", ["forecasts", "forecast_curve"]),
        Document("forecast-scores", ["skill", "forecast_times", "forecast_readings"]),
      ]),
    Command(
      "case",
      tables: Report.caseAnswers, Report.caseLimits, Report.caseQuantiles, Report.caseSensitivities,
      Report.caseInputs, Report.caseWarnings, Report.caseBand,
      documents: [Document("case")]),
    Command(
      "sober", tables: Report.times,
      documents: [
        Document("sober", ["times"]), Document("sober-summary", ["sobriety", "pairs"]),
      ]),
    Command(
      "compare",
      tables: Report.comparisons, MethodRow.table, Report.rankings, SobrietySummary.table(),
      Report.pairs, PooledTest.ofErrors, PooledBin.ofErrors, Report.rComparisons, Report.rTotals,
      Report.bloodBreathRatio,
      documents: [
        Document("compare", ["comparisons", "error_tests", "pooled_errors"]),
        Document(
          "compare-summary",
          ["methods", "rankings", "pairs", "sobriety", "error_tests", "pooled_errors"]),
        Document("compare-estimates", ["r_comparisons", "r_summary", "blood_breath_ratio"]),
        Document(
          "compare-estimates-summary", ["r_summary", "rankings", "pairs", "blood_breath_ratio"]),
      ]),
    Command(
      "design",
      tables: Report.designs, Report.designTimes, Report.peopleNeeded, Report.peopleTried,
      documents: [
        Document("design", ["designs", "design_times"]),
        Document("design-people", ["people_needed", "people_tried"]),
      ]),
    Command(
      "regress",
      tables: Report.driftTable, Report.outcomeTable, Report.scores, Report.averages,
      Report.engines,
      documents: [
        Document("regress", ["drifts", "results"]),
        Document("regress-nist", ["certification", "averages"]),
        Document("regress-engines", ["engines"]),
      ]),
    Command(
      "bench", tables: Report.benchmarks, Report.machine,
      documents: [Document("bench")]),
    Command(
      "export --notebook",
      """
      The folder `results` holds the tables of `check`, `fit`, `sober`, `compare` and `compare --summary` under
      these names, `residuals.csv`, and
      """, tables: Report.curveTable),
  ])
}

// MARK: - The article

extension ResultCatalogue {
  /// The article that documents every column, in Markdown.
  public var article: String {
    """
    # Columns

    The columns of every results table: the header line in CSV, the keys of each row in JSON.

    ## Overview

    CSV holds the first table of a command. JSON holds all of them, each under its name. A value that is
    unknown, not finite or not applicable is empty in CSV and null in JSON; only columns whose type says so may
    be empty. Columns keep their names and meanings. New ones may be added; none is removed without a new
    `schema_version`. This page and the JSON Schemas in the folder `schemas` are made from the declarations of
    the columns. `promille explain NAME` prints what is said here of a column.

    Names in CSV and JSON are exactly those of the study. Some spreadsheets treat a name that begins with `=`,
    `+`, `-` or `@` as a formula: import such a table as text. Tables on a terminal, pages, pictures and
    messages show control and bidirectional characters as escapes such as `\\u{202e}`.

    """ + commands.map(\.section).joined()
  }
}

extension ResultCatalogue.Command {
  fileprivate var section: String {
    "\n## promille \(name)\n" + (introduction.isEmpty ? "" : "\n\(introduction)\n")
      + tables.map(\.section).joined()
  }
}

extension TableDescription {
  fileprivate var section: String {
    let rows = columns.map { column in
      "| `\(column.name)` | \(column.unit ?? "") | \(column.typeName) | \(column.meaning) |\n"
    }
    return
      "\n### \(name)\n\n\(about)\n\n| Column | Unit | Type | Meaning |\n| --- | --- | --- | --- |\n"
      + rows.joined()
  }
}

extension ColumnDescription {
  fileprivate var typeName: String {
    let name =
      switch kind {
      case .text: "text"
      case .oneOf(let words): "one of " + words.joined(separator: ", ")
      case .codes: "codes"
      case .count: "count"
      case .number: "number"
      }
    return name + (canBeMissing ? " or empty" : "")
  }
}

// MARK: - Explanations

extension ResultCatalogue {
  /// What columns of a name tell, each meaning with the tables that have it; nil if there is no such
  /// column.
  public func explanation(of column: String) -> String? {
    let found = commands.flatMap { command in
      command.tables.flatMap { table in
        table.columns.filter { $0.name == column.lowercased() }
          .map { (place: "\(table.name) (promille \(command.name))", column: $0) }
      }
    }
    guard let name = found.first?.column.name else { return nil }
    return "\(name) (column)\n"
      + found.map(\.column).uniqued.map { description in
        let places = found.filter { $0.column == description }.map(\.place)
        let facts = [description.typeName, description.unit.map { "in \($0)" }].compactMap(\.self)
        return "\(description.meaning) [\(facts.joined(separator: ", "))]".indentedParagraph("  ")
          + "Tables: \(places.joined(separator: ", "))".indentedParagraph("    ")
      }.joined()
  }

  package var columnNames: [String] {
    commands.flatMap(\.tables).flatMap(\.columns).map(\.name).uniqued
  }

  /// The code or column that is most like a word that is neither; nil if all are far from it.
  public func similar(to word: String) -> String? {
    let words = Set(word.uppercased().split(separator: "_"))
    let codes = CodeExplanation.all.map(\.code)
    let isCode = word.uppercased().hasPrefix("E_") || word.uppercased().hasPrefix("W_")
    let names = isCode ? codes + columnNames : columnNames + codes
    // A code's first letter says only whether it is an error.
    let shared = names.map { name in
      (
        name,
        name.uppercased().split(separator: "_").count { $0.count > 1 && words.contains($0) }
      )
    }
    let most = shared.map(\.1).max() ?? 0
    return word.nearest(in: names) ?? (most > 0 ? shared.first { $0.1 == most }?.0 : nil)
  }
}
