import AlcoholKinetics
public import Estimation
import StudyData

extension Report {
  /// Every reading of every series that was fitted beside its prediction, those left out included.
  public static func residuals(of fits: [StudyFit]) -> Table {
    Table(residualColumns, rows: fits.flatMap(ReadingRow.all))
  }

  /// The same as CSV, fit by fit.
  public static let residualLines = ResidualLines()

  fileprivate static let residualColumns: [Column<ReadingRow>] =
    Series.identityColumns { $0.series } + [
      Column("time_min") { .number($0.reading.time.minutes) },
      Column("observed_g_per_kg") { .number($0.reading.observed.value) },
      Column("limit_g_per_kg") { .number($0.reading.limit?.value) },
      Column("predicted_g_per_kg") { .number($0.reading.predicted.value) },
      Column("residual_g_per_kg") { .number($0.reading.residual.value) },
      Column("sd_g_per_kg") { .number($0.reading.standardDeviation) },
      Column("standardised") { .number($0.reading.standardisedResidual) },
      Column("leverage") { .number($0.reading.leverage) },
      Column("cook") { .number($0.reading.cookDistance) },
      Column("excluded") { .words($0.exclusion) },
      Column("censored") { .text($0.reading.use == .censored ? "yes" : "no") },
    ]
}

/// Writes the readings beside their predictions, the fits one at a time.
public struct ResidualLines: Sendable {
  private let lines = RowLines(Report.residualColumns, isJSON: false)

  /// The header.
  public var head: String { lines.head }

  /// The readings of a fit, a line each.
  public func text(of fit: StudyFit) -> String {
    ReadingRow.all(of: fit).map(lines.line).joined()
  }
}

/// One reading of one fit, as a row.
private struct ReadingRow {
  let series: Series
  let reading: FittedReading

  static func all(of fit: StudyFit) -> [ReadingRow] {
    (fit.result.value?.readings ?? []).map { ReadingRow(series: fit.series, reading: $0) }
  }

  /// Why it was left out; nil if it was not.
  var exclusion: String? { reading.use.isUsed ? nil : reading.use.rawValue }
}
