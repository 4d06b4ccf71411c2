import AlcoholKinetics
public import Estimation
package import Validation

extension Report {
  /// The tables of what all fits of a study say together: the tests, and residuals in ranges.
  static func diagnosticSections(_ diagnostics: StudyDiagnostics) -> [Section] {
    [
      Section(PooledTest.ofStudy, rows: PooledTest.all(of: diagnostics)),
      Section(PooledBin.ofStudy, rows: PooledBin.all(of: diagnostics)),
    ]
  }

  /// The tables of what the errors of methods say beyond their bias: the tests, and errors in ranges.
  static func diagnosticSections(_ diagnostics: [ErrorDiagnostics]) -> [Section] {
    [
      Section(PooledTest.ofErrors, rows: diagnostics.flatMap(PooledTest.all)),
      Section(PooledBin.ofErrors, rows: diagnostics.flatMap(PooledBin.all)),
    ]
  }

  /// The tests of the errors of methods with headings, for a page.
  static func errorTests(_ diagnostics: [ErrorDiagnostics]) -> Table {
    Table(PooledTest.ofErrors.columns.map(\.headed), rows: diagnostics.flatMap(PooledTest.all))
  }

  /// The tables of tests and bins with headings, for a page.
  static func diagnosticTables(_ diagnostics: StudyDiagnostics) -> (tests: Table, bins: Table) {
    (
      Table(PooledTest.ofStudy.columns.map(\.headed), rows: PooledTest.tests(of: diagnostics)),
      Table(PooledBin.ofStudy.columns.map(\.headed), rows: PooledBin.all(of: diagnostics))
    )
  }

  /// The diagnostics of all fits of a study together, a sentence each; none for too few series.
  static func remarks(on diagnostics: StudyDiagnostics) -> [String] {
    let notice = [diagnostics.correlationNotice?.remark].compactMap(\.self)
    let errorModel = notice + [diagnostics.error.map(remark)].compactMap(\.self)
    let warnings = diagnostics.warnings.dropFirst(notice.count).map(\.remark)
    guard diagnostics.warnings.isEmpty, let lag = diagnostics.autocorrelation else {
      return errorModel + warnings
    }
    let style = NumberStyle.decimals(2)
    return errorModel + [
      "Over all \(lag.series) series, residuals of neighbouring readings have a correlation of "
        + "\(style.format(lag.lagOne)) (95 % \(style.format(lag.interval.low)) to "
        + "\(style.format(lag.interval.high))); independent errors would give "
        + "\(style.format(lag.expected)). No trend over time or concentration was found."
    ]
  }

  /// The error model that the series of a study share, in a sentence.
  public static func remark(on error: StudyErrorModel) -> String {
    let style = NumberStyle.significant(2)
    func stated(
      _ name: String, _ unit: String, _ parameter: StudyErrorModel.Parameter?, scale: Double = 1
    ) -> String? {
      parameter.map { parameter in
        func number(_ value: Double) -> String { style.format(scale * value) }
        let ends =
          switch (parameter.low, parameter.high) {
          case (let low?, let high?): "95 % \(number(low)) to \(number(high))"
          case (let low?, nil): "at least \(number(low))"
          case (nil, let high?): "at most \(number(high))"
          case (nil, nil): "any value is possible"
          }
        return "\(name) \(number(parameter.value))\(unit) (\(ends))"
      }
    }
    let parameters = [
      stated("SD at zero", " g/kg", error.sd), stated("CV", " %", error.cv, scale: 100),
      stated("tau", " min", error.correlationTime, scale: 60),
      stated("white share of the variance", " %", error.nugget, scale: 100),
    ].compactMap(\.self)
    let spread = error.spread.map {
      " Test that all people have errors of one size: p \(style.format($0.pValue))."
    }
    return
      "Errors of readings, estimated from \(error.series) series together"
      + (error.outlying > 0
        ? " (not from \(error.outlying) more, whose residuals are larger than chance allows): "
        : ": ")
      + parameters.joined(separator: ", ") + ".\(spread ?? "")"
  }

  static let evidence = TableLayout<ModelEvidence>(
    "model_evidence",
    columns: [
      Column(
        "model", oneOf: ["widmark-lag", "michaelis-menten"], heading: "model vs widmark",
        \.candidate.name),
      Column("series", heading: "series", \.series),
      Column("parameters", heading: "extra parameters", \.series),
      Column("deviance_fall", heading: "drop in -2 ln L", style: .decimals(1), \.fall),
      Column("expected_fall", heading: "expected", style: .decimals(1), \.expected),
      Column("p", heading: "p", style: .significant(2), \.pValue),
      Column("chosen_by_aicc", heading: "chosen by AICc", \.chosen),
    ])
}

extension StudyWarning {
  /// The description with the options of the command that it is about.
  package var sentence: String { "\(self)\(options.map { " Options: \($0)." } ?? "")" }
  /// The sentence with its code, as notes carry it.
  var remark: String { "\(code): \(sentence)" }

  private var options: String? {
    switch self {
    case .correlationModelled: "--correlation none takes errors as independent"
    case .correlatedErrors(let lag):
      lag.lagOne > lag.expected
        ? "--correlation exponential, or --standard-errors robust with --interval wald" : nil
    case .errorsDiffer: "--error-from subject"
    case .trendOverTime, .trendOverConcentration: "--model all"
    case .betterModel(let evidence): evidence.candidate.options
    }
  }
}

extension ErrorWarning {
  /// The description with the option of the command that it is about.
  package var sentence: String { "\(self)\(option)" }
  /// The sentence with its code, as notes carry it.
  var remark: String { "\(code): \(sentence)" }

  private var option: String {
    switch self {
    case .correlated: " Option: --summary."
    case .biasOverTime, .biasOverConcentration: " In JSON: pooled_errors."
    }
  }
}

extension ModelCandidate {
  fileprivate var options: String {
    let options = [
      model == .widmark && hasLag ? nil : "--model \(model.rawValue)",
      hasLag ? "--estimate with lag added" : nil,
    ]
    return options.compactMap(\.self).joined(separator: ", ")
  }
}

extension Column {
  /// The column with its name as heading, for people.
  fileprivate var headed: Column {
    name.map { called($0, heading: $0.replacing("_", with: " ")) } ?? self
  }
}

/// One test of the residuals of a study or of the errors of a method, as a row.
struct PooledTest {
  let name: String
  var method: String?
  let series: Int
  let value: Double?
  var low: Double?
  var high: Double?
  var expected: Double?
  let pValue: Double?

  static func all(of diagnostics: StudyDiagnostics) -> [PooledTest] {
    tests(of: diagnostics) + (diagnostics.error.map(all) ?? [])
  }

  static func tests(of diagnostics: StudyDiagnostics) -> [PooledTest] {
    all(
      diagnostics.autocorrelation, diagnostics.overTime, diagnostics.overConcentration, by: nil)
  }

  private static func all(of error: StudyErrorModel) -> [PooledTest] {
    let parameters = [
      ("error_sd_g_per_kg", error.sd, 1.0), ("error_cv", error.cv, 1),
      ("correlation_min", error.correlationTime, 60), ("correlation_nugget", error.nugget, 1),
    ].compactMap { name, parameter, scale in
      parameter.map {
        PooledTest(
          name: name, series: error.series, value: scale * $0.value,
          low: $0.low.map { scale * $0 }, high: $0.high.map { scale * $0 }, pValue: nil)
      }
    }
    let spread = error.spread.map {
      PooledTest(
        name: "error_spread", series: error.series, value: $0.logSD, pValue: $0.pValue)
    }
    return parameters + [spread].compactMap(\.self)
  }

  static func all(of errors: ErrorDiagnostics) -> [PooledTest] {
    all(errors.autocorrelation, errors.overTime, errors.overConcentration, by: errors.method)
  }

  private static func all(
    _ lag: PooledAutocorrelation?, _ time: PooledTrend?, _ concentration: PooledTrend?,
    by method: String?
  ) -> [PooledTest] {
    let lag = lag.map {
      PooledTest(
        name: "lag1_autocorrelation", method: method, series: $0.series, value: $0.lagOne,
        low: $0.interval.low, high: $0.interval.high, expected: $0.expected, pValue: $0.pValue)
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

  static let ofStudy = TableLayout<PooledTest>(
    "study",
    columns: [
      Column(
        "test",
        oneOf: tests + [
          "error_sd_g_per_kg", "error_cv", "correlation_min", "correlation_nugget", "error_spread",
        ], \.name),
      Column("series", \.series),
    ] + valueColumns)

  static let ofErrors = TableLayout<PooledTest>(
    "error_tests",
    columns: [
      .rFactor(heading: nil) { $0.method ?? "" },
      Column("test", oneOf: tests, \.name),
      Column("subjects", \.series),
    ] + valueColumns)

  private static let tests = [
    "lag1_autocorrelation", "trend_over_time", "trend_over_concentration",
  ]

  private static let valueColumns: [Column<PooledTest>] = [
    Column("value", style: .decimals(2), \.value),
    Column("low", style: .decimals(2), \.low),
    Column("high", style: .decimals(2), \.high),
    Column("expected", style: .decimals(2), \.expected),
    Column("p", style: .significant(2), \.pValue),
  ]
}

/// The mean residual or error of a range, as a row.
struct PooledBin {
  let axis: String
  let method: String?
  let scale: Double
  let bin: PooledTrend.Bin

  var end: Double? { bin.high.map { scale * $0 } }

  static func all(of diagnostics: StudyDiagnostics) -> [PooledBin] {
    all(diagnostics.overTime, diagnostics.overConcentration, by: nil)
  }

  static func all(of errors: ErrorDiagnostics) -> [PooledBin] {
    all(errors.overTime, errors.overConcentration, by: errors.method)
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

  static let ofStudy = TableLayout<PooledBin>(
    "pooled_residuals",
    columns: columns(of: "series", mean: "mean_residual_sd"))

  static let ofErrors = TableLayout<PooledBin>(
    "pooled_errors",
    columns: [.rFactor(heading: nil) { $0.method ?? "" }]
      + columns(of: "subjects", mean: "mean_error_g_per_kg"))

  /// The columns of means in ranges.
  private static func columns(of clusters: String, mean: String) -> [Column<PooledBin>] {
    [
      Column("axis", oneOf: ["time_min", "predicted_g_per_kg"], \.axis),
      Column("from", style: .significant(3)) { $0.scale * $0.bin.low },
      Column("to", style: .significant(3), \.end),
      Column("readings", \.bin.readings),
      Column(clusters, \.bin.series),
      Column(mean, style: .decimals(2), \.bin.mean),
      Column("low", style: .decimals(2), \.bin.interval?.low),
      Column("high", style: .decimals(2), \.bin.interval?.high),
    ]
  }
}
