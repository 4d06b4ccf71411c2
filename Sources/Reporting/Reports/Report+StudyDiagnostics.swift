import AlcoholKinetics
import Estimation
public import Validation

extension Report {
  /// The tables of what all fits of a study say together: the tests, and residuals in ranges.
  static func diagnosticSections(_ diagnostics: StudyDiagnostics) -> [Section] {
    [
      Section(
        name: "study", table: Table(PooledTest.columns(), rows: PooledTest.all(of: diagnostics))),
      Section(
        name: "pooled_residuals",
        table: Table(PooledBin.columns(), rows: PooledBin.all(of: diagnostics))),
    ]
  }

  /// The same tables with headings, for a page.
  static func diagnosticTables(_ diagnostics: StudyDiagnostics) -> (tests: Table, bins: Table) {
    (
      Table(PooledTest.columns(areHeaded: true), rows: PooledTest.all(of: diagnostics)),
      Table(PooledBin.columns(areHeaded: true), rows: PooledBin.all(of: diagnostics))
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
        + "\(style.format(lag.interval.high))), \(style.format(lag.expected)) expected of independent "
        + "errors; no trend over time or concentration was found."
    ]
  }

  /// The table of how models with one parameter more fit all series together.
  static func evidenceSection(_ evidence: [ModelEvidence]) -> Section {
    Section(name: "model_evidence", table: Table(evidenceColumns, rows: evidence))
  }

  private static let evidenceColumns: [Column<ModelEvidence>] = [
    Column("model", heading: "against widmark") { .text($0.candidate.name) },
    Column("series", heading: "series") { .integer($0.series) },
    Column("parameters", heading: "more parameters") { .integer($0.series) },
    Column("deviance_fall", heading: "-2 ln L falls by", style: .decimals(1)) {
      .number($0.fall)
    },
    Column("expected_fall", heading: "expected", style: .decimals(1)) { .number($0.expected) },
    Column("p", heading: "p", style: .significant(2)) { .number($0.pValue) },
    Column("chosen_by_aicc", heading: "AICc chooses it in") { .integer($0.chosen) },
  ]
}

extension StudyWarning {
  /// Code and description, as notes carry them.
  public var remark: String { "\(code): \(self)" }
}

/// One test of the residuals of a study, as a row.
private struct PooledTest {
  let name: String
  let series: Int
  let value: Double?
  var interval: Interval?
  var expected: Double?
  let pValue: Double?

  static func all(of diagnostics: StudyDiagnostics) -> [PooledTest] {
    let lag = diagnostics.autocorrelation.map {
      PooledTest(
        name: "lag1_autocorrelation", series: $0.series, value: $0.lagOne, interval: $0.interval,
        expected: $0.expected, pValue: $0.pValue)
    }
    let trends = [
      ("trend_over_time", diagnostics.overTime),
      ("trend_over_concentration", diagnostics.overConcentration),
    ].compactMap { name, trend in
      trend.map {
        PooledTest(name: name, series: $0.series, value: $0.statistic, pValue: $0.pValue)
      }
    }
    return [lag].compactMap(\.self) + trends
  }

  /// - Parameter areHeaded: Whether people are shown them.
  static func columns(areHeaded: Bool = false) -> [Column<PooledTest>] {
    func column(
      _ name: String, _ style: NumberStyle = .decimals(2),
      _ cell: @escaping @Sendable (PooledTest) -> Cell
    ) -> Column<PooledTest> {
      Column(
        name, heading: areHeaded ? name.replacing("_", with: " ") : nil, style: style, cell: cell)
    }
    return [
      column("test") { .text($0.name) },
      column("series") { .integer($0.series) },
      column("value") { .number($0.value) },
      column("low") { .number($0.interval?.low) },
      column("high") { .number($0.interval?.high) },
      column("expected") { .number($0.expected) },
      column("p", .significant(2)) { .number($0.pValue) },
    ]
  }
}

/// The mean residual of a range, as a row.
private struct PooledBin {
  let axis: String
  let scale: Double
  let bin: PooledTrend.Bin

  var end: Double? { bin.high.map { scale * $0 } }

  static func all(of diagnostics: StudyDiagnostics) -> [PooledBin] {
    (diagnostics.overTime?.bins ?? []).map { PooledBin(axis: "time_min", scale: 60, bin: $0) }
      + (diagnostics.overConcentration?.bins ?? []).map {
        PooledBin(axis: "predicted_g_per_kg", scale: 1, bin: $0)
      }
  }

  /// - Parameter areHeaded: Whether people are shown them.
  static func columns(areHeaded: Bool = false) -> [Column<PooledBin>] {
    func column(
      _ name: String, _ style: NumberStyle = .decimals(2),
      _ cell: @escaping @Sendable (PooledBin) -> Cell
    ) -> Column<PooledBin> {
      Column(
        name, heading: areHeaded ? name.replacing("_", with: " ") : nil, style: style, cell: cell)
    }
    return [
      column("axis") { .text($0.axis) },
      column("from", .significant(3)) { .number($0.scale * $0.bin.low) },
      column("to", .significant(3)) { .number($0.end) },
      column("readings") { .integer($0.bin.readings) },
      column("series") { .integer($0.bin.series) },
      column("mean_residual_sd") { .number($0.bin.mean) },
      column("low") { .number($0.bin.interval?.low) },
      column("high") { .number($0.bin.interval?.high) },
    ]
  }
}
