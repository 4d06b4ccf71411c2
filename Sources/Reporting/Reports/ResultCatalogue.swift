import StudyData
import Validation

/// All tables of results that commands make, by command.
///
/// The list of columns (`Documentation/columns.tsv`) and `promille explain` come from here, and so from the
/// declarations of the columns.
public struct ResultCatalogue: Sendable {
  /// A command that makes tables.
  public struct Command: Sendable {
    /// The command, as `fit`.
    public let name: String
    /// Its tables, in the order of the list.
    public let tables: [TableDescription]

    package init<each Row>(_ name: String, tables: repeat TableLayout<each Row>) {
      self.name = name
      var descriptions: [TableDescription] = []
      repeat descriptions.append((each tables).description)
      self.tables = descriptions
    }
  }

  /// The commands, in the order of the list.
  public let commands: [Command]

  package init(_ commands: [Command]) { self.commands = commands }

  /// What the reports of the library hold.
  public static let reports = ResultCatalogue([
    Command(
      "check",
      tables: SeriesOverview.table, Report.estimates, Report.findingTable, Report.takenColumns),
    Command("drinks", tables: Report.catalogue),
    Command(
      "fit",
      tables: Report.fits, Report.starts, Report.correlations, Report.covariances, Report.derived,
      Report.derivedColumns, Report.posterior,
      Report.fitsPrior, PooledTest.ofStudy, PooledBin.ofStudy, Report.residualTable,
      Report.parameterTable, Report.models, Report.evidence, Report.lines),
    Command(
      "population",
      tables: Report.populations, Report.typicalValues, Report.betweenPeople, Report.withinPeople,
      Report.betweenStudies, Report.covariateEffects, Report.residualErrors,
      Report.estimateCovariances, Report.individuals,
      Report.populationStarts, Report.notUsed, Report.leftOutReadings, Report.covariateSteps,
      Report.fullModel, Report.nestedTests, Report.standardNormality, Report.etaCovariates,
      Report.predictiveChecks, Report.predictions),
    Command(
      "forecast",
      tables: Report.forecasts, Report.forecastCurve, Report.skills, Report.forecastErrors,
      Report.timeScores, Report.readingScores),
    Command(
      "case",
      tables: Report.caseAnswers, Report.caseLimits, Report.caseQuantiles, Report.caseSensitivities,
      Report.caseInputs, Report.caseWarnings, Report.caseBand),
    Command("sober", tables: Report.times, SobrietySummary.table(), Report.pairs),
    Command(
      "compare",
      tables: Report.comparisons, MethodRow.table, Report.rankings, SobrietySummary.table(),
      Report.pairs, PooledTest.ofErrors, PooledBin.ofErrors, Report.rComparisons, Report.rTotals,
      Report.bloodBreathRatio),
    Command(
      "design",
      tables: Report.designs, Report.designTimes, Report.peopleNeeded, Report.peopleTried),
  ])
}

extension ColumnDescription {
  /// The type, in words.
  package var typeName: String {
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
        let facts = [
          description.typeName, description.unit.map { "in \($0)" },
          description.isDetail ? "with --details" : nil,
        ].compactMap(\.self)
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
