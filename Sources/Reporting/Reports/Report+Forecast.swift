package import AlcoholKinetics
package import Estimation
package import Population
import StudyData
package import Validation

/// A forecast of one series, as a row.
package struct ForecastRow: Sendable {
  let posterior: Posterior
  /// Draws of the time at which the concentration falls to the threshold, in min since the first
  /// drink.
  let minutes: Draws
  let threshold: Double
  /// The requested time, in min since the first drink.
  let moment: Double?
  /// The curve ahead.
  let points: [Point]
  /// The reasons why the person is outside the population of the prior; nil without any.
  let outside: String?
  /// The number of people whose completed series the prior learned from; nil if it does not learn.
  let learnedFrom: Int?
  /// The most informative reading within the next hour; nil where the time is known.
  let next: NextReading?

  /// A concentration and a reading to come.
  struct Point: Sendable {
    let series: Series
    let minutes: Double
    let curve: Draws
    let reading: Draws
    /// The effective sample size of the draws.
    let worth: Double
  }

  /// Summarises a forecast.
  ///
  /// - `outside`: The reasons why the person is outside the population of the prior
  ///   (``/Population/PopulationPrior/reasonsOutside(of:)``).
  /// - `learnedFrom`: The number of people whose completed series the prior learned from; nil if it does not learn.
  /// - `moment`: The time for the probability to be at or below the threshold, in min since the first drink.
  /// - `step`: The step of the curve, in min; nil for no curve.
  /// - `window`: The time after a drink without readings.
  package init(
    _ forecast: Forecast, outside: String? = nil, learnedFrom: Int? = nil, threshold: Double,
    moment: Double?, step: Double?, mouthAlcoholWindow window: Hours = 0
  ) throws(SeriesFailure) {
    posterior = forecast.posterior
    self.outside = outside
    self.learnedFrom = learnedFrom
    self.threshold = threshold
    minutes = try forecast.minutesToThreshold(GramsPerKilogram(threshold))
    next = try forecast.nextReading(
      about: GramsPerKilogram(threshold), mouthAlcoholWindow: window)
    self.moment = moment
    guard let step else {
      points = []
      return
    }
    let start = posterior.series.start
    let begin = (posterior.lastReading.map { $0 - start } ?? 0).minutes
    let end = max(begin + step, minutes.quantile(0.975))
    let series = posterior.series
    let worth = posterior.diagnostics.effectiveSampleSize
    points = stride(from: begin, through: end + step, by: step).map { minutes in
      let time = start + Hours(minutes / 60)
      return Point(
        series: series, minutes: minutes, curve: forecast.concentrations(at: time),
        reading: forecast.reading(at: time).draws, worth: worth)
    }
  }
}

extension ForecastRow {
  fileprivate var series: Series { posterior.series }
  /// The effective sample size of the posterior.
  private var worth: Double { posterior.diagnostics.effectiveSampleSize }
  /// A quantile of the time, rounded to the digits that its Monte Carlo error allows.
  fileprivate func roundedQuantile(_ share: Double) -> Double {
    minutes.settledQuantile(share, worth: worth)
  }
  /// The Monte Carlo standard error of a quantile.
  fileprivate func quantileError(_ share: Double) -> Double {
    minutes.error(ofQuantile: share, worth: worth)
  }

  /// The probability at the requested time, rounded to the digits that its Monte Carlo error allows.
  fileprivate var roundedChance: Double? {
    moment.map { minutes.settledProbability(atMost: $0, worth: worth) }
  }
}

extension Report {
  /// The report of forecasts of a study.
  package static func forecast(
    _ rows: [ForecastRow], failures: [ForecastReplay.SeriesResult], provenance: Provenance
  ) -> Report {
    let poor = rows.filter { !$0.posterior.diagnostics.isReliable }
    var notes = failures.map(failureRemark)
    for row in poor {
      notes.append(
        "\(row.series.label): the draws are few or uneven (effective sample size "
          + "\(Int(row.posterior.diagnostics.effectiveSampleSize)), Pareto k "
          + "\(NumberStyle.decimals(2).format(row.posterior.diagnostics.paretoK))); use more --draws"
      )
    }
    for row in rows {
      guard let reasons = row.outside else { continue }
      notes.append(
        "\(row.series.label): W_PRIOR_OUTSIDE: \(FitWarning.outsidePrior(reasons))")
    }
    let sections = [
      Section(forecasts, rows: rows), Section(forecastCurve, rows: rows.flatMap(\.points)),
    ]
    return Report(
      sections: sections, notes: notes, provenance: provenance,
      firstScreen: question(on: rows).map { question in
        FirstScreen(
          question: question,
          answer: [answer(of: rows)]
            + (rows.count == 1 ? rows.compactMap { $0.next?.sentence } : []),
          tables: sections.map(\.table), remarks: notes)
      })
  }

  private static func question(on rows: [ForecastRow]) -> String? {
    guard let first = rows.first else { return nil }
    let people = Set(rows.map(\.series.subject.id)).count
    let occasions = rows.count > people ? ", \(rows.count.counted("occasion"))" : ""
    return "When is the concentration at most \(NumberStyle.exact(first.threshold)) g/kg? "
      + "\(people.counted("person", "people"))\(occasions)."
  }

  /// The predicted time of the only series, or the spread of the times of several.
  private static func answer(of rows: [ForecastRow]) -> String {
    let whole = NumberStyle.decimals(0)
    if rows.count == 1, let row = rows.first {
      let interval = row.minutes.interval(0.9)
      return
        "\(row.series.label) at \(whole.format(row.minutes.median)) min after the first drink, between "
        + "\(whole.format(interval.low)) and \(whole.format(interval.high)) min with a probability of 90 %."
    }
    let medians = rows.map(\.minutes.median).sorted()
    let widths = rows.map { row in
      let interval = row.minutes.interval(0.9)
      return interval.high - interval.low
    }.sorted()
    return "Half of them from \(whole.format(EmpiricalQuantile.type7(0.25, ofSorted: medians))) to "
      + "\(whole.format(EmpiricalQuantile.type7(0.75, ofSorted: medians))) min after the first drink, all from "
      + "\(whole.format(medians[0])) to \(whole.format(medians[medians.count - 1])) min (medians). A 90 % interval is "
      + "\(whole.format(EmpiricalQuantile.type7(0.5, ofSorted: widths))) min wide "
      + "(median; \(whole.format(widths[0])) to \(whole.format(widths[widths.count - 1])))."
  }

  private static func failureRemark(_ failed: ForecastReplay.SeriesResult) -> String {
    "\(failed.series.label): \(failed.failure.code): \(failed.failure)"
  }

  static let forecasts = TableLayout<ForecastRow>(
    "forecasts",
    columns: Series.identityColumns { $0.series } + [
      Column("readings", heading: "readings", \.posterior.readingCount),
      Column("last_reading_min", heading: "last at", style: .decimals(0)) { row in
        row.posterior.lastReading.map { ($0 - row.series.start).minutes }
      },
      Column("threshold_g_per_kg", heading: "threshold", \.threshold),
      Column("median_min", heading: "median", style: .decimals(0)) { $0.roundedQuantile(0.5) },
      Column("median_se_min", style: .significant(2)) { $0.quantileError(0.5) },
    ]
      + levelColumns("min", isForPeople: true) { row, level in
        (row.roundedQuantile(0.5 - 0.5 * level), row.roundedQuantile(0.5 + 0.5 * level))
      } + [
        Column("not_before_min", heading: "not before", style: .decimals(0)) {
          $0.roundedQuantile(0.975)
        },
        Column("not_before_se_min", style: .significant(2)) { $0.quantileError(0.975) },
        Column("at_min", \.moment),
        Column("probability_below", heading: "P(below)", style: .decimals(3), \.roundedChance),
        Column("next_reading_min", heading: "read at", style: .decimals(0), \.next?.minutes),
        Column("next_reading_gain_pct", heading: "narrower %", style: .decimals(0)) { row in
          row.next.map { (100 * $0.gain).rounded() }
        },
        Column("learned_from", \.learnedFrom),
        Column("draws", \.posterior.draws.count),
        Column("effective_sample_size") { $0.posterior.diagnostics.effectiveSampleSize.rounded() },
        Column("pareto_k") {
          $0.posterior.diagnostics.paretoK.ifFinite.map { (100 * $0).rounded() / 100 }
        },
      ])

  /// The ends of the intervals of each level; people are shown those at 90 %.
  private static func levelColumns<Row, Value: ColumnValue>(
    _ suffix: String, isForPeople: Bool = false,
    _ ends: @escaping @Sendable (Row, _ level: Double) -> (low: Value, high: Value)
  ) -> [Column<Row>] {
    ForecastScore.levels.flatMap { level -> [Column<Row>] in
      let percent = level.wholePercent
      let isShown = isForPeople && percent == 90
      let style: NumberStyle = isForPeople ? .decimals(0) : .significant(3)
      return [
        Column("low_\(percent)_\(suffix)", heading: isShown ? "90 % from" : nil, style: style) {
          ends($0, level).low
        },
        Column("high_\(percent)_\(suffix)", heading: isShown ? "to" : nil, style: style) {
          ends($0, level).high
        },
      ]
    }
  }

  static let forecastCurve = TableLayout<ForecastRow.Point>(
    "forecast_curve",
    columns: Series.identityColumns(isForPeople: false) { $0.series } + [
      Column("time_min", \.minutes),
      Column("median_g_per_kg") { $0.curve.settledQuantile(0.5, worth: $0.worth) },
    ]
      + levelColumns("g_per_kg") { row, level in
        let interval = row.curve.settledInterval(level, worth: row.worth)
        return (interval.low, interval.high)
      } + [
        Column("reading_low_90_g_per_kg") { $0.reading.settledInterval(0.9, worth: $0.worth).low },
        Column("reading_high_90_g_per_kg") {
          $0.reading.settledInterval(0.9, worth: $0.worth).high
        },
      ])
}

extension NextReading {
  /// The time of the reading and its expected gain.
  fileprivate var sentence: String {
    let style = NumberStyle.decimals(0)
    return
      "Next reading: at \(style.format(minutes)) min it tells most within the next hour; the 90 % interval of the "
      + "time, \(style.format(width)) min wide, is expected to become \(style.format(expectedWidth)) min."
  }
}

// MARK: - Scores

extension Report {
  /// The report of a replayed study.
  package static func forecastScores(
    _ times: [TimeScore], readings: [ReadingScore], failures: [ForecastReplay.SeriesResult],
    bloodDensity: Double, provenance: Provenance
  ) -> Report {
    let answer = sentences(on: ForecastVerdict(times))
    let sections = [
      Section(skills, rows: ForecastSkill.ofTimes(times) + ForecastSkill.ofReadings(readings)),
      Section(
        forecastErrors, rows: ForecastErrors.of(readings).map { ($0, bloodDensity) }),
      Section(timeScores, rows: times), Section(readingScores, rows: readings),
    ]
    let people = Set(times.map(\.series.subject.id)).count
    var report = Report(
      sections: sections, notes: failures.map(failureRemark), provenance: provenance,
      firstScreen: FirstScreen(
        question:
          "How good are the forecasts? The study of \(people.counted("person", "people")), replayed.",
        answer: answer, tables: sections.map(\.table), remarks: failures.map(failureRemark)))
    report.rows = Table(timeScores.columns, rows: times)
    return report
  }

  /// The accuracy against the baselines, and the coverage of the intervals.
  private static func sentences(on verdict: ForecastVerdict) -> [String] {
    guard let coverage = verdict.coverage else {
      return [
        "No forecast from the 2nd reading after the peak on has a known outcome to be scored against."
      ]
    }
    let style = NumberStyle.decimals(1)
    let scores = verdict.comparisons.map { row in
      "\(row.baseline) \(style.format(row.other)) (forecast \(style.format(row.forecast)), n = \(row.count))"
    }
    let worse = verdict.comparisons.filter { $0.forecast >= $0.other }.map(\.baseline)
    let judgement =
      worse.isEmpty
      ? "better than every baseline" : "no better than \(worse.inWords)"
    let percent = NumberStyle.decimals(0).format(100 * coverage)
    let crossings = verdict.coverageOfCrossings.map {
      ", and \(NumberStyle.decimals(0).format(100 * $0)) % hold the time on the straight line between the two readings, "
        + "whose errors count against the forecast there"
    }
    return [
      "From the 2nd reading after the peak on, the forecast of the time is \(judgement). Mean CRPS in "
        + "min, at the times of the readings: \(scores.joined(separator: "; ")).",
      "\(percent) % of the 90 % intervals agree with the two readings between which the time lies\(crossings ?? "")"
        + (verdict.isCalibrated
          ? "." : ". Coverage is outside 86-94 %: do not rely on the stated level."),
    ]
  }

  static let skills = TableLayout<ForecastSkill>(
    "skill",
    columns: [
      Column("quantity", heading: "of", \.quantity),
      Column("stage", heading: "from", \.stage),
      Column("method", heading: "method", \.method),
      Column("n", heading: "n", \.count),
      Column("subjects", \.subjects),
      Column("crps", heading: "CRPS", \.crps.ifFinite),
      Column("interpolated_crps", \.interpolatedCRPS?.ifFinite),
      Column("mae", heading: "MAE", \.meanAbsoluteError.ifFinite),
      Column("rmse", heading: "RMSE", \.rootMeanSquare.ifFinite),
      Column("mdpe_pct", heading: "MDPE %", style: .decimals(1), \.medianPercentError),
      Column("mdape_pct", heading: "MDAPE %", style: .decimals(1), \.medianAbsolutePercentError),
      Column("log_score", heading: "log score", style: .decimals(2), \.logScore?.ifFinite),
    ]
      + ForecastScore.levels.enumerated().map { index, level in
        let percent = level.wholePercent
        return Column(
          "coverage_\(percent)_pct", heading: percent == 90 ? "90 % held" : nil, style: .decimals(0)
        ) {
          $0.coverage.isEmpty ? nil : 100 * $0.coverage[index]
        }
      } + [
        Column("mean_rank", \.meanRank)
      ])

  static let forecastErrors = TableLayout<(errors: ForecastErrors, bloodDensity: Double)>(
    "forecast_errors",
    columns: [
      Column("horizon_min", heading: "min ahead", style: .decimals(0), \.errors.horizon),
      Column("method", heading: "method", \.errors.method),
      Column("n", heading: "n", \.errors.count),
      Column("subjects", heading: "people", \.errors.subjects),
      Column(
        "mae_g_per_kg", heading: "MAE g/kg", style: .decimals(3), \.errors.meanAbsoluteError),
      Column("mae_g_per_l", heading: "MAE g/L", style: .decimals(3)) {
        $0.errors.meanAbsoluteError * $0.bloodDensity
      },
      Column("rmse_g_per_kg", style: .decimals(3), \.errors.rootMeanSquare),
      Column("rmse_g_per_l", style: .decimals(3)) { $0.errors.rootMeanSquare * $0.bloodDensity },
      Column("bias_g_per_kg", heading: "bias g/kg", style: .decimals(3), \.errors.bias),
      Column("bias_g_per_l", style: .decimals(3)) { $0.errors.bias * $0.bloodDensity },
    ])

  static let timeScores = TableLayout<TimeScore>(
    "forecast_times",
    columns: Series.identityColumns(isForPeople: false) { $0.series }
      + originColumns { $0.origin } + [
        Column("method", \.method),
        Column("median_min", \.score.median),
      ] + levelColumns("min") { $0.score.ends($1) } + [
        Column("truth_from_min", \.truth.low),
        Column("truth_to_min", \.truth.high.ifFinite),
        Column("truth_min", \.crossing),
        Column("error_min", \.score.error),
        Column("crps_min", \.score.crps),
        Column("interpolated_crps_min", \.interpolatedCRPS),
      ] + calibrationColumns { $0.score })

  static let readingScores = TableLayout<ReadingScore>(
    "forecast_readings",
    columns: Series.identityColumns(isForPeople: false) { $0.series }
      + originColumns { $0.origin } + [
        Column("method", \.method),
        Column("time_min", \.time.minutes),
        Column("horizon_min", \.horizon?.minutes),
        Column("observed_g_per_kg", \.observed),
        Column("censored", \.isCensored),
        Column("median_g_per_kg", \.score.median),
      ] + levelColumns("g_per_kg") { $0.score.ends($1) } + [
        Column("error_g_per_kg", \.score.error),
        Column("crps_g_per_kg", \.score.crps),
        Column("log_score", \.logScore?.ifFinite),
      ] + calibrationColumns { $0.score })

  private static func originColumns<Row>(
    _ origin: @escaping @Sendable (Row) -> ForecastOrigin
  ) -> [Column<Row>] {
    [
      Column("origin_readings") { origin($0).readings },
      Column("origin_after_peak") { origin($0).afterPeak },
      Column("origin_min") { origin($0).time?.minutes },
    ]
  }

  /// The columns of coverage and of the probability integral transform (PIT).
  private static func calibrationColumns<Row>(
    _ score: @escaping @Sendable (Row) -> ForecastScore
  ) -> [Column<Row>] {
    ForecastScore.levels.enumerated().map { index, level in
      let percent = level.wholePercent
      return Column("covered_\(percent)") {
        score($0).isCovered.isEmpty ? nil : score($0).isCovered[index]
      }
    } + [
      Column("pit") { score($0).rank }
    ]
  }
}

extension ForecastScore {
  /// The ends of the interval of a level; nil where there are no intervals.
  fileprivate func ends(_ level: Double) -> (low: Double?, high: Double?) {
    let interval = zip(Self.levels, intervals).first { $0.0 == level }?.1
    return (interval?.low, interval?.high)
  }
}

extension Double {
  /// A level in whole percent, for names of columns.
  fileprivate var wholePercent: Int { Int((100 * self).rounded()) }
}
