import AlcoholKinetics
import Estimation
import StudyData

/// One start of one fit, as a row.
struct FitStart {
  let series: Series
  /// Counted from 1.
  let number: Int
  let estimated: Set<FitParameter>
  let outcome: StartOutcome

  static func all(of fit: StudyFit) -> [FitStart] {
    guard let value = fit.result.value else { return [] }
    return value.starts.enumerated().map { index, outcome in
      FitStart(
        series: fit.series, number: index + 1, estimated: Set(value.estimates.keys),
        outcome: outcome)
    }
  }

  static let columns: [Column<FitStart>] =
    Series.namesForPrograms { $0.series } + [Column("start") { .integer($0.number) }]
    + FitParameter.reported.map { parameter in
      Column("start_\(parameter.columnName)") { $0.cell(parameter, $0.outcome.start) }
    }
    + FitParameter.reported.map { parameter in
      Column("end_\(parameter.columnName)") { $0.cell(parameter, $0.outcome.end) }
    } + outcomeColumns

  private static let outcomeColumns: [Column<FitStart>] = [
    Column("objective") { .number($0.outcome.objective) },
    Column("iterations") { .integer($0.outcome.iterations) },
    Column("exit") { .text($0.outcome.exitName) },
    Column("found_best") { .text($0.outcome.foundBest ? "yes" : "no") },
  ]

  /// The value of a parameter that was estimated.
  private func cell(_ parameter: FitParameter, _ values: ParameterValues) -> Cell {
    guard estimated.contains(parameter) else { return .missing }
    return .number(values[parameter].map(parameter.reportedValue))
  }
}

/// The correlation of two estimates of one fit, as a row.
struct FitCorrelation {
  let series: Series
  let first: FitParameter
  let second: FitParameter
  let value: Double

  /// Every pair once.
  static func all(of fit: StudyFit) -> [FitCorrelation] {
    guard let diagnostics = fit.result.value?.diagnostics,
      let correlation = diagnostics.correlation
    else { return [] }
    let parameters = diagnostics.parameters
    return parameters.indices.flatMap { row in
      parameters.indices.dropFirst(row + 1).map { column in
        FitCorrelation(
          series: fit.series, first: parameters[row], second: parameters[column],
          value: correlation[row * parameters.count + column])
      }
    }
  }

  static let columns: [Column<FitCorrelation>] =
    Series.namesForPrograms { $0.series } + [
      Column("parameter_a") { .text($0.first.rawValue) },
      Column("parameter_b") { .text($0.second.rawValue) },
      Column("correlation") { .number($0.value) },
    ]
}

extension Series {
  /// Subject and occasion, in tables that people are not shown.
  fileprivate static func namesForPrograms<Row>(
    _ series: @escaping @Sendable (Row) -> Series
  ) -> [Column<Row>] {
    [
      Column("subject") { .text(series($0).subject.id) },
      Column("occasion") { .words(series($0).occasion) },
    ]
  }
}
