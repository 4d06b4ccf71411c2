import Estimation
import Foundation
import TestSupport
import Testing
import Validation

@testable import Certification
@testable import Reporting
@testable import promille

/// The list of columns is what is declared; the article of columns is made from it.
@Suite struct ResultCatalogueTests {
  /// PROMILLE_UPDATE_SNAPSHOTS=1 writes it again, new columns without unit and meaning.
  @Test func columnListMatchesDeclaredColumns() throws {
    let lines = Self.declared.flatMap { table in
      [line(table, "", type: "", option: "")]
        + table.columns.map { line(table, $0.name, type: $0.type, option: $0.option) }
    }
    let list = ([ColumnList.fields] + lines).map { $0.joined(separator: "\t") + "\n" }.joined()
    try Snapshot.expect(list, in: ColumnList.file)
  }

  /// The fields of a line; those that only the list has are taken from it.
  private func line(
    _ table: DeclaredTable, _ column: String, type: String, option: String
  ) -> [String] {
    let listed = ResultCatalogue.entries.first {
      $0.command == table.command && $0.table == table.name && $0.column == column
    }
    return [
      table.command, table.name, column, listed?.facts.unit ?? "", type, option,
      listed?.facts.meaning ?? "",
    ]
  }

  /// `make docs` runs the script.
  @Test func articleListsAllColumns() async throws {
    let run = try await Command.shell("Documentation/columns.sh")
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "# Columns")
    #expect(lines.contains("## promille fit") && lines.contains("### fits"))
    #expect(
      lines.contains(
        "| `beta_se` | g/kg/h | number or empty | its standard error |"))
    #expect(
      lines.contains(
        "| `iterations` |  | count or empty | iterations to the minimum (with `--details`) |"))
    #expect(lines.count { $0.hasPrefix("| `") } == Self.declared.flatMap(\.columns).count)
  }
}

/// A table of a command's results, as it is declared.
private struct DeclaredTable {
  let command: String
  let name: String
  let columns: [(name: String, type: String, option: String)]

  /// The tables of a command, in the order of the list.
  static func all<each Row>(
    _ command: String, _ tables: repeat TableLayout<each Row>
  ) -> [DeclaredTable] {
    var declared: [DeclaredTable] = []
    func add<R>(_ table: TableLayout<R>) {
      let columns = table.columns.compactMap { column in
        column.name.map { ($0, column.typeName, column.isDetail ? "--details" : "") }
      }
      declared.append(DeclaredTable(command: command, name: table.name, columns: columns))
    }
    repeat add(each tables)
    return declared
  }
}

extension Column {
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

extension ResultCatalogueTests {
  fileprivate static let declared =
    DeclaredTable.all(
      "check", SeriesOverview.table, Report.estimates, Report.findingTable, Report.takenColumns)
    + DeclaredTable.all("drinks", Report.catalogue)
    + DeclaredTable.all(
      "fit", Report.fits, Report.starts, Report.correlations, Report.covariances, Report.derived,
      TableLayout(
        "fits_derived", columns: Report.derivedColumns(DerivedQuantity.allCases, of: nil)),
      Report.posterior, TableLayout("fits_prior", columns: Report.priorColumns(of: nil)),
      PooledTest.ofStudy, PooledBin.ofStudy, Report.residualTable, Report.parameterTable,
      Report.models, Report.evidence, Report.lines)
    + DeclaredTable.all(
      "population", Report.populations, Report.typicalValues, Report.betweenPeople,
      Report.withinPeople, Report.betweenStudies, Report.covariateEffects, Report.residualErrors,
      Report.estimateCovariances, Report.individuals, Report.populationStarts, Report.notUsed,
      Report.leftOutReadings, Report.covariateSteps, Report.fullModel, Report.nestedTests,
      Report.standardNormality, Report.etaCovariates, Report.predictiveChecks, Report.predictions)
    + DeclaredTable.all(
      "prior", Report.priorChanges, Report.priorPopulation, Report.priorTypical,
      Report.spreads("between"), Report.spreads("within"), Report.spreads("studies"),
      Report.priorEffects, Report.priorErrors)
    + DeclaredTable.all(
      "forecast", Report.forecasts, Report.forecastCurve, Report.skills, Report.forecastErrors,
      Report.timeScores,
      Report.readingScores)
    + DeclaredTable.all(
      "case", Report.caseAnswers, Report.caseLimits, Report.caseQuantiles, Report.caseSensitivities,
      Report.caseInputs, Report.caseWarnings, Report.caseBand)
    + DeclaredTable.all("sober", Report.times, SobrietySummary.table(), Report.pairs)
    + DeclaredTable.all(
      "compare", Report.comparisons, MethodRow.table, Report.rankings, SobrietySummary.table(),
      Report.pairs, PooledTest.ofErrors, PooledBin.ofErrors, Report.rComparisons, Report.rTotals,
      Report.bloodBreathRatio)
    + DeclaredTable.all(
      "design", Report.designs, Report.designTimes, Report.peopleNeeded, Report.peopleTried)
    + DeclaredTable.all(
      "regress", Report.driftTable, Report.outcomeTable, Report.scores, Report.averages,
      Report.engines)
    + DeclaredTable.all("bench", Report.benchmarks, Report.machine)
    + DeclaredTable.all("export --notebook", Report.curveTable)
    + DeclaredTable.all("init", Report.takenColumns) + DeclaredTable.all("simulate", simulated)
    + DeclaredTable.all("import", Report.imported)

  /// The columns of ``SimulatedCurves``, whose lines are many and go past ``Table``.
  private static let simulated = TableLayout<Void>(
    "simulated",
    columns: [
      Column("subject") { _ in "" }, .occasion { _ in nil }, Column("r_factor") { _ in "" },
      Column("time_min") { _ in 0.0 }, Column("bac_g_per_kg") { _ in 0.0 },
      Column("bac_low_g_per_kg") { _ in 0.0 }, Column("bac_high_g_per_kg") { _ in 0.0 },
    ])
}
