import AlcoholKinetics
import Estimation
public import Validation

extension Report {
  /// The tables of what all fits of a study say together: the tests, and residuals in ranges.
  static func diagnosticSections(_ diagnostics: StudyDiagnostics) -> [Section] {
    [
      Section(
        name: "study", table: Table(PooledTest.columns, rows: PooledTest.all(of: diagnostics))),
      Section(
        name: "pooled_residuals",
        table: Table(
          PooledBin.columns(mean: "mean_residual_sd", of: "series"),
          rows: PooledBin.all(of: diagnostics))),
    ]
  }

  /// The tables of what the errors of methods say beyond their bias: the tests, and errors in ranges.
  static func diagnosticSections(_ diagnostics: [ErrorDiagnostics]) -> [Section] {
    [
      Section(
        name: "error_tests",
        table: Table(
          PooledTest.errorColumns, rows: diagnostics.flatMap(PooledTest.all))),
      Section(
        name: "pooled_errors",
        table: Table(
          PooledBin.errorColumns, rows: diagnostics.flatMap(PooledBin.all))),
    ]
  }

  /// The tests of the errors of methods with headings, for a page.
  static func errorTests(_ diagnostics: [ErrorDiagnostics]) -> Table {
    Table(PooledTest.errorColumns.map(\.headed), rows: diagnostics.flatMap(PooledTest.all))
  }

  /// The same tables with headings, for a page.
  static func diagnosticTables(_ diagnostics: StudyDiagnostics) -> (tests: Table, bins: Table) {
    (
      Table(PooledTest.columns.map(\.headed), rows: PooledTest.all(of: diagnostics)),
      Table(
        PooledBin.columns(mean: "mean_residual_sd", of: "series").map(\.headed),
        rows: PooledBin.all(of: diagnostics))
    )
  }

  /// What all fits of a study say together, in a sentence each; none for too few series.
  static func remarks(on diagnostics: StudyDiagnostics) -> [String] {
    let warnings = diagnostics.warnings.map(\.remark)
    guard warnings.isEmpty, let lag = diagnostics.autocorrelation else { return warnings }
    let style = NumberStyle.decimals(2)
    return [
      "Over all \(lag.series) series, residuals of neighbouring readings have a correlation of "
        + "\(style.format(lag.lagOne)) (95 % \(style.format(lag.interval.low)) to "
        + "\(style.format(lag.interval.high))); independent errors would give "
        + "\(style.format(lag.expected)). No trend over time or concentration was found."
    ]
  }

  /// The table of how models with one parameter more fit all series together.
  static func evidenceSection(_ evidence: [ModelEvidence]) -> Section {
    Section(name: "model_evidence", table: Table(evidenceColumns, rows: evidence))
  }

  private static let evidenceColumns: [Column<ModelEvidence>] = [
    Column("model", heading: "model vs widmark") { .text($0.candidate.name) },
    Column("series", heading: "series") { .integer($0.series) },
    Column("parameters", heading: "extra parameters") { .integer($0.series) },
    Column("deviance_fall", heading: "drop in -2 ln L", style: .decimals(1)) {
      .number($0.fall)
    },
    Column("expected_fall", heading: "expected", style: .decimals(1)) { .number($0.expected) },
    Column("p", heading: "p", style: .significant(2)) { .number($0.pValue) },
    Column("chosen_by_aicc", heading: "chosen by AICc") { .integer($0.chosen) },
  ]
}

extension StudyWarning {
  /// Code and description, as notes carry them.
  public var remark: String { "\(code): \(self)" }
}

extension ErrorWarning {
  /// Code and description, as notes carry them.
  public var remark: String { "\(code): \(self)" }
}

extension Column {
  /// The column with its name as heading, for people.
  fileprivate var headed: Column {
    guard let name else { return self }
    return Column(name, heading: name.replacing("_", with: " "), style: style, cell: cell)
  }
}

/// One test of the residuals of a study or of the errors of a method, as a row.
private struct PooledTest {
  let name: String
  var method: String?
  let series: Int
  let value: Double?
  var interval: Interval?
  var expected: Double?
  let pValue: Double?

  static func all(of diagnostics: StudyDiagnostics) -> [PooledTest] {
    all(
      diagnostics.autocorrelation, diagnostics.overTime, diagnostics.overConcentration, by: nil)
  }

  static func all(of errors: ErrorDiagnostics) -> [PooledTest] {
    all(errors.autocorrelation, errors.overTime, errors.overConcentration, by: errors.rFactor)
  }

  private static func all(
    _ lag: PooledAutocorrelation?, _ time: PooledTrend?, _ concentration: PooledTrend?,
    by method: String?
  ) -> [PooledTest] {
    let lag = lag.map {
      PooledTest(
        name: "lag1_autocorrelation", method: method, series: $0.series, value: $0.lagOne,
        interval: $0.interval, expected: $0.expected, pValue: $0.pValue)
    }
    let trends = [("trend_over_time", time), ("trend_over_concentration", concentration)]
      .compactMap { name, trend in
        trend.map {
          PooledTest(
            name: name, method: method, series: $0.series, value: $0.statistic, pValue: $0.pValue)
        }
      }
    return [lag].compactMap(\.self) + trends
  }

  static let columns = columns(of: "series")

  static let errorColumns =
    [Column("r_factor") { .words($0.method) }] + columns(of: "subjects")

  private static func columns(of clusters: String) -> [Column<PooledTest>] {
    [
      Column("test") { .text($0.name) },
      Column(clusters) { .integer($0.series) },
      Column("value", style: .decimals(2)) { .number($0.value) },
      Column("low", style: .decimals(2)) { .number($0.interval?.low) },
      Column("high", style: .decimals(2)) { .number($0.interval?.high) },
      Column("expected", style: .decimals(2)) { .number($0.expected) },
      Column("p", style: .significant(2)) { .number($0.pValue) },
    ]
  }
}

/// The mean residual or error of a range, as a row.
private struct PooledBin {
  let axis: String
  let method: String?
  let scale: Double
  let bin: PooledTrend.Bin

  var end: Double? { bin.high.map { scale * $0 } }

  static func all(of diagnostics: StudyDiagnostics) -> [PooledBin] {
    all(diagnostics.overTime, diagnostics.overConcentration, by: nil)
  }

  static func all(of errors: ErrorDiagnostics) -> [PooledBin] {
    all(errors.overTime, errors.overConcentration, by: errors.rFactor)
  }

  private static func all(
    _ time: PooledTrend?, _ concentration: PooledTrend?, by method: String?
  ) -> [PooledBin] {
    [("time_min", 60, time), ("predicted_g_per_kg", 1, concentration)]
      .flatMap { axis, scale, trend in
        (trend?.bins ?? []).map {
          PooledBin(axis: axis, method: method, scale: scale, bin: $0)
        }
      }
  }

  static let errorColumns =
    [Column("r_factor") { .words($0.method) }]
    + columns(mean: "mean_error_g_per_kg", of: "subjects")

  static func columns(mean: String, of clusters: String) -> [Column<PooledBin>] {
    [
      Column("axis") { .text($0.axis) },
      Column("from", style: .significant(3)) { .number($0.scale * $0.bin.low) },
      Column("to", style: .significant(3)) { .number($0.end) },
      Column("readings") { .integer($0.bin.readings) },
      Column(clusters) { .integer($0.bin.series) },
      Column(mean, style: .decimals(2)) { .number($0.bin.mean) },
      Column("low", style: .decimals(2)) { .number($0.bin.interval?.low) },
      Column("high", style: .decimals(2)) { .number($0.bin.interval?.high) },
    ]
  }
}
