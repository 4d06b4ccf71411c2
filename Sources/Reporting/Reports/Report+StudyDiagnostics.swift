import AlcoholKinetics
public import Estimation
public import Validation

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

  /// The same tables with headings, for a page.
  static func diagnosticTables(_ diagnostics: StudyDiagnostics) -> (tests: Table, bins: Table) {
    (
      Table(PooledTest.ofStudy.columns.map(\.headed), rows: PooledTest.tests(of: diagnostics)),
      Table(PooledBin.ofStudy.columns.map(\.headed), rows: PooledBin.all(of: diagnostics))
    )
  }

  /// What all fits of a study say together, in a sentence each; none for too few series.
  static func remarks(on diagnostics: StudyDiagnostics) -> [String] {
    let found = [diagnostics.error.map(remark)].compactMap(\.self)
    let warnings = diagnostics.warnings.map(\.remark)
    guard warnings.isEmpty, let lag = diagnostics.autocorrelation else { return found + warnings }
    let style = NumberStyle.decimals(2)
    return found + [
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
    """
    `--model all`: a row per model with one parameter more than Widmark's, over all series; no rows for fewer
    than 5 series.
    """,
    columns: [
      Column(
        "model", oneOf: ["widmark-lag", "michaelis-menten"], heading: "model vs widmark",
        "the model", \.candidate.name),
      Column("series", heading: "series", "series that both models fit", \.series),
      Column(
        "parameters", heading: "extra parameters",
        "parameters in addition to Widmark's, summed over all series", \.series),
      Column(
        "deviance_fall", heading: "drop in -2 ln L", style: .decimals(1),
        "fall of the sum of -2 ln L compared with Widmark's model", \.fall),
      Column(
        "expected_fall", heading: "expected", style: .decimals(1),
        "fall expected if Widmark's model is right", \.expected),
      Column(
        "p", heading: "p", style: .significant(2),
        "probability of at least this fall if Widmark's model is right", \.pValue),
      Column(
        "chosen_by_aicc", heading: "chosen by AICc",
        "series in which AICc prefers it to Widmark's model", \.chosen),
    ])
}

extension StudyWarning {
  /// The description with the options of the command that it is about.
  public var sentence: String { "\(self)\(options.map { " Options: \($0)." } ?? "")" }
  /// The same with its code, as notes carry it.
  var remark: String { "\(code): \(sentence)" }

  private var options: String? {
    switch self {
    case .correlatedErrors(let found):
      found.lagOne > found.expected
        ? "--correlation exponential, or --standard-errors robust with --interval wald" : nil
    case .errorsDiffer: "--error-from subject"
    case .trendOverTime, .trendOverConcentration: "--model all"
    case .betterModel(let evidence): evidence.candidate.options
    }
  }
}

extension ErrorWarning {
  /// The description with the option of the command that it is about.
  public var sentence: String { "\(self)\(option)" }
  /// The same with its code, as notes carry it.
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
    guard let name else { return self }
    return Column(
      description: description, heading: name.replacing("_", with: " "), style: style, cell: cell)
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
      ("correlation_min", error.correlationTime, 60),
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
    """
    In JSON: a row per test of the residuals of all series together, and per parameter of an error model that
    they share; no rows for fewer than 5 series.
    """,
    columns: [
      testColumn(
        or: ["error_sd_g_per_kg", "error_cv", "correlation_min", "error_spread"],
        "what is tested, or the parameter of the error model"),
      Column("series", "series that contribute residuals, or decide on the error model", \.series),
      Column(
        "value", style: .decimals(2),
        "correlation of neighbouring residuals, F of Hotelling's test for level, slope and curvature, the "
          + "parameter, or the SD between people of the logarithm of the size of their errors",
        \.value),
    ]
      + columns(
        of: "series",
        expected: "correlation expected if the model is right and errors are independent"))

  static let ofErrors = TableLayout<PooledTest>(
    "error_tests",
    """
    In JSON: a row per method and test of its errors at the readings, predicted minus measured; none for fewer
    than 5 subjects. Subjects are taken as independent of each other, the readings of one are not.
    """,
    columns: [
      .rFactor(heading: nil) { $0.method ?? "" },
      testColumn("what is tested"),
      Column("subjects", "subjects with errors; for the correlation, with two in a row", \.series),
      Column(
        "value", style: .decimals(2),
        "correlation of neighbouring errors about the bias, or F of Hotelling's test for trends",
        \.value),
    ] + columns(of: "subjects", expected: "correlation that independent errors would have"))

  private static func testColumn(
    or more: [String] = [], _ description: String
  ) -> Column<PooledTest> {
    Column(
      "test",
      oneOf: ["lag1_autocorrelation", "trend_over_time", "trend_over_concentration"] + more,
      description, \.name)
  }

  private static func columns(of clusters: String, expected: String) -> [Column<PooledTest>] {
    [
      Column(
        "low", style: .decimals(2), "lower end of its 95 % interval between \(clusters)", \.low),
      Column(
        "high", style: .decimals(2), "upper end of its 95 % interval between \(clusters)", \.high),
      Column("expected", style: .decimals(2), expected, \.expected),
      Column(
        "p", style: .significant(2), "probability of a value at least as far from the expected one",
        \.pValue),
    ]
  }
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
    """
    In JSON: a row per range of time and of concentration; no rows for fewer than 5 series.
    """,
    columns: columns(
      of: "series",
      mean: Column(
        "mean_residual_sd", style: .decimals(2),
        "mean of observed minus predicted, in residual standard deviations", \.bin.mean)))

  static let ofErrors = TableLayout<PooledBin>(
    "pooled_errors",
    """
    In JSON: a row per method and range of time and of concentration; none for fewer than 5 subjects.
    """,
    columns: [.rFactor(heading: nil) { $0.method ?? "" }]
      + columns(
        of: "subjects",
        mean: Column(
          "mean_error_g_per_kg", style: .decimals(2), "mean of predicted minus measured", \.bin.mean
        )))

  /// The columns of means in ranges; their intervals have the unit of the mean.
  private static func columns(
    of clusters: String, mean: Column<PooledBin>
  ) -> [Column<PooledBin>] {
    let unit = mean.description?.unit
    return [
      Column(
        "axis", oneOf: ["time_min", "predicted_g_per_kg"],
        "time since the first drink, or predicted concentration", \.axis),
      Column("from", in: "`axis`", style: .significant(3), "start of the range") {
        $0.scale * $0.bin.low
      },
      Column(
        "to", in: "`axis`", style: .significant(3), "end of the range; empty for the last one",
        \.end),
      Column("readings", "readings in the range", \.bin.readings),
      Column(clusters, "\(clusters) that these readings come from", \.bin.series),
      mean,
      Column(
        "low", in: unit, style: .decimals(2), "lower end of its 95 % interval between \(clusters)",
        \.bin.interval?.low),
      Column(
        "high", in: unit, style: .decimals(2), "upper end of its 95 % interval between \(clusters)",
        \.bin.interval?.high),
    ]
  }
}
