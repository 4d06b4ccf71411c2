public import AlcoholKinetics
public import Estimation
public import Population
import StudyData
public import Validation

/// A forecast of one series, as a row.
public struct ForecastRow: Sendable {
  let posterior: Posterior
  /// When the concentration falls to the threshold, in min since the first drink.
  let minutes: Draws
  let threshold: Double
  /// A time that was asked for, in min since the first drink.
  let moment: Double?
  /// The curve ahead.
  let points: [Point]
  /// In what the person is beyond those that the prior was made from; nil if in nothing.
  let outside: String?
  /// The reading within the next hour that would tell most; nil where the time is known.
  let next: NextReading?

  /// A concentration and a reading to come.
  struct Point: Sendable {
    let series: Series
    let minutes: Double
    let curve: Draws
    let reading: Draws
    /// How many independent draws these are worth.
    let worth: Double
  }

  /// Looks at a forecast.
  ///
  /// - `outside`: In what the person is beyond those that the prior was made from
  ///   (``/Population/PopulationPrior/reasonsOutside(of:)``).
  /// - `moment`: When to tell the chance to be at or below the threshold, in min since the first drink.
  /// - `step`: Of the curve, in min; nil for no curve.
  /// - `window`: For how long after a drink no reading can be taken.
  public init(
    _ forecast: Forecast, outside: String? = nil, threshold: Double, moment: Double?, step: Double?,
    mouthAlcoholWindow window: Hours = 0
  ) throws(SeriesFailure) {
    posterior = forecast.posterior
    self.outside = outside
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
  /// How many independent draws of the posterior there are.
  private var worth: Double { posterior.diagnostics.effectiveSampleSize }
  /// A quantile of the time in as many digits as its Monte Carlo error allows.
  fileprivate func settled(_ share: Double) -> Double {
    minutes.settledQuantile(share, worth: worth)
  }
  /// Its Monte Carlo standard error.
  fileprivate func error(_ share: Double) -> Double {
    minutes.error(ofQuantile: share, worth: worth)
  }

  /// The chance at the time that was asked for, in as many digits as its Monte Carlo error allows.
  fileprivate var settledChance: Double? {
    moment.map { minutes.settledProbability(atMost: $0, worth: worth) }
  }
}

extension Report {
  /// The report of forecasts of a study.
  public static func forecast(
    _ rows: [ForecastRow], failures: [ForecastReplay.SeriesResult], provenance: Provenance
  ) -> Report {
    let poor = rows.filter { !$0.posterior.diagnostics.isReliable }
    var notes = failures.map(note)
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

  /// When the only person is expected to be there, or when most of them are.
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

  private static func note(_ failed: ForecastReplay.SeriesResult) -> String {
    "\(failed.series.label): \(failed.failure.code): \(failed.failure)"
  }

  static let forecasts = TableLayout<ForecastRow>(
    "forecasts", "A row per series: when it falls to the threshold.",
    columns: Series.identityColumns { $0.series } + [
      Column("readings", heading: "readings", "readings that are known", \.posterior.readingCount),
      Column(
        "last_reading_min", heading: "last at", style: .decimals(0),
        "time of the last of them since the first drink"
      ) { row in row.posterior.lastReading.map { ($0 - row.series.start).minutes } },
      Column("threshold_g_per_kg", heading: "threshold", "threshold", \.threshold),
      Column(
        "median_min", heading: "median", style: .decimals(0),
        "median of the time at which the concentration falls to the threshold for good, since the first drink",
        { $0.settled(0.5) }),
      Column(
        "median_se_min", style: .significant(2),
        "Monte Carlo standard error of the median, from the number of draws; times have as many digits as it allows",
        { $0.error(0.5) }),
    ]
      + levelColumns("min", in: "min", isForPeople: true) { row, level in
        (row.settled(0.5 - 0.5 * level), row.settled(0.5 + 0.5 * level))
      } + [
        Column(
          "not_before_min", heading: "not before", style: .decimals(0),
          "time by which it has fallen to the threshold with a probability of 97.5 %, the upper end of the 95 % interval"
        ) { $0.settled(0.975) },
        Column(
          "not_before_se_min", style: .significant(2), "its Monte Carlo standard error",
          { $0.error(0.975) }),
        Column("at_min", "time that was asked for, since the first drink", \.moment),
        Column(
          "probability_below", heading: "P(below)", style: .decimals(3),
          "probability to be at or below the threshold at that time", \.settledChance),
        Column(
          "next_reading_min", heading: "read at", style: .decimals(0),
          "time since the first drink of the reading, within an hour of the last, that tells most of the time",
          \.next?.minutes),
        Column(
          "next_reading_gain_pct", heading: "narrower %", style: .decimals(0),
          "by how much that reading is expected to make the 90 % interval of the time narrower",
          { row in row.next.map { (100 * $0.gain).rounded() } }),
        Column("draws", "draws from the posterior", \.posterior.draws.count),
        Column(
          "effective_sample_size", "independent draws that they are worth, of all candidates",
          { $0.posterior.diagnostics.effectiveSampleSize.rounded() }),
        Column(
          "pareto_k", "shape of the largest weights; not to be relied on above 0.7",
          { $0.posterior.diagnostics.paretoK.ifFinite.map { (100 * $0).rounded() / 100 } }),
      ])

  /// The ends of the intervals of each level; people are shown those at 90 %.
  private static func levelColumns<Row, Value: ColumnValue>(
    _ suffix: String, in unit: String, of which: String = "the", isForPeople: Bool = false,
    _ ends: @escaping @Sendable (Row, _ level: Double) -> (low: Value, high: Value)
  ) -> [Column<Row>] {
    ForecastScore.levels.flatMap { level -> [Column<Row>] in
      let percent = level.wholePercent
      let isShown = isForPeople && percent == 90
      let style: NumberStyle = isForPeople ? .decimals(0) : .significant(3)
      return [
        Column(
          "low_\(percent)_\(suffix)", in: unit, heading: isShown ? "90 % from" : nil, style: style,
          "lower end of \(which) \(percent) % interval"
        ) { ends($0, level).low },
        Column(
          "high_\(percent)_\(suffix)", in: unit, heading: isShown ? "to" : nil, style: style,
          "upper end of \(which) \(percent) % interval"
        ) { ends($0, level).high },
      ]
    }
  }

  static let forecastCurve = TableLayout<ForecastRow.Point>(
    "forecast_curve",
    "In JSON: a row per series and time ahead, of concentrations and of readings to come.",
    columns: Series.identityColumns(isForPeople: false) { $0.series } + [
      Column("time_min", "time since the first drink", \.minutes),
      Column("median_g_per_kg", "median of the concentration") {
        $0.curve.settledQuantile(0.5, worth: $0.worth)
      },
    ]
      + levelColumns("g_per_kg", in: "g/kg", of: "its") { row, level in
        let interval = row.curve.settledInterval(level, worth: row.worth)
        return (interval.low, interval.high)
      } + [
        Column("reading_low_90_g_per_kg", "lower end of the 90 % interval of a reading") {
          $0.reading.settledInterval(0.9, worth: $0.worth).low
        },
        Column("reading_high_90_g_per_kg", "upper end of the 90 % interval of a reading") {
          $0.reading.settledInterval(0.9, worth: $0.worth).high
        },
      ])
}

extension NextReading {
  /// When to take it and what it is for.
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
  public static func forecastScores(
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
      sections: sections, notes: failures.map(note), provenance: provenance,
      firstScreen: FirstScreen(
        question:
          "How good are the forecasts? The study of \(people.counted("person", "people")), replayed.",
        answer: answer, tables: sections.map(\.table), remarks: failures.map(note)))
    report.rows = Table(timeScores.columns, rows: times)
    return report
  }

  /// Whether forecasts are better than the baselines, and whether their intervals hold what they say.
  private static func sentences(on verdict: ForecastVerdict) -> [String] {
    guard let coverage = verdict.coverage else {
      return [
        "No forecast from the 2nd reading after the peak on has a known outcome to be scored against."
      ]
    }
    let style = NumberStyle.decimals(1)
    let scores = verdict.comparisons.map { one in
      "\(one.baseline) \(style.format(one.other)) (forecast \(style.format(one.forecast)), n = \(one.count))"
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
        + (verdict.isCalibrated ? "." : ". Neither is 86-94 %, so do not take them at their word."),
    ]
  }

  static let skills = TableLayout<ForecastSkill>(
    "skill", "With `--score`, in JSON and on a terminal: a row per quantity, stage and method.",
    columns: [
      Column(
        "quantity", oneOf: ForecastSkill.Quantity.allCases.map(\.rawValue), heading: "of",
        "what was forecast: time to the threshold in min, or a reading in g/kg", \.quantity.rawValue
      ),
      Column(
        "stage", heading: "from", "readings that were known, or how far ahead the reading lay",
        \.stage),
      Column("method", heading: "method", "forecast, or the name of a baseline", \.method),
      Column("n", heading: "n", "forecasts", \.count),
      Column("subjects", "people that they are of", \.subjects),
      Column(
        "crps", heading: "CRPS",
        "mean continuous ranked probability score, min or g/kg: of times at the times of the readings, of readings from the limit of detection on",
        \.crps.ifFinite),
      Column(
        "interpolated_crps",
        "mean score of times as if they were on the straight line between the two readings, min",
        \.interpolatedCRPS?.ifFinite),
      Column(
        "mae", heading: "MAE", "mean absolute error of the median, min or g/kg",
        \.meanAbsoluteError.ifFinite),
      Column(
        "rmse", heading: "RMSE", "root mean square error of the median, min or g/kg",
        \.rootMeanSquare.ifFinite),
      Column(
        "mdpe_pct", heading: "MDPE %", style: .decimals(1),
        "median error in percent of the reading", \.medianPercentError),
      Column(
        "mdape_pct", heading: "MDAPE %", style: .decimals(1),
        "median absolute error in percent of the reading", \.medianAbsolutePercentError),
      Column(
        "log_score", heading: "log score", style: .decimals(2),
        "mean logarithm of the density that was forecast, ln(kg/g)", \.logScore?.ifFinite),
    ]
      + ForecastScore.levels.enumerated().map { index, level in
        let percent = level.wholePercent
        return Column(
          "coverage_\(percent)_pct", in: "%", heading: percent == 90 ? "90 % held" : nil,
          style: .decimals(0), "share of \(percent) % intervals that held"
        ) { $0.coverage.isEmpty ? nil : 100 * $0.coverage[index] }
      } + [
        Column(
          "mean_rank", "mean place of the truth in the distribution, 0.5 if neither early nor late",
          \.meanRank)
      ])

  static let forecastErrors = TableLayout<(errors: ForecastErrors, bloodDensity: Double)>(
    "forecast_errors",
    "With `--score`, in JSON and on a terminal: a row per time ahead and method, of the readings nearest to it.",
    columns: [
      Column(
        "horizon_min", heading: "min ahead", style: .decimals(0),
        "how far ahead; the reading nearest to it counts, if it is within a quarter",
        \.errors.horizon),
      Column("method", heading: "method", "forecast, or the name of a baseline", \.errors.method),
      Column("n", heading: "n", "forecasts", \.errors.count),
      Column("subjects", heading: "people", "people that they are of", \.errors.subjects),
      Column(
        "mae_g_per_kg", heading: "MAE g/kg", style: .decimals(3),
        "mean absolute error of the median", \.errors.meanAbsoluteError),
      Column(
        "mae_g_per_l", heading: "MAE g/L", style: .decimals(3), "the same in g per L of blood"
      ) { $0.errors.meanAbsoluteError * $0.bloodDensity },
      Column(
        "rmse_g_per_kg", style: .decimals(3), "root mean square error of the median",
        \.errors.rootMeanSquare),
      Column(
        "rmse_g_per_l", style: .decimals(3), "the same in g per L of blood"
      ) { $0.errors.rootMeanSquare * $0.bloodDensity },
      Column(
        "bias_g_per_kg", heading: "bias g/kg", style: .decimals(3),
        "mean error of the median, above zero if it is too high", \.errors.bias),
      Column("bias_g_per_l", style: .decimals(3), "the same in g per L of blood") {
        $0.errors.bias * $0.bloodDensity
      },
    ])

  static let timeScores = TableLayout<TimeScore>(
    "forecast_times", "With `--score`: a row per series, origin and method.",
    columns: Series.identityColumns(isForPeople: false) { $0.series }
      + originColumns { $0.origin } + [
        Column("method", "forecast, or the name of a baseline", \.method),
        Column("median_min", "median of the forecast time since the first drink", \.score.median),
      ] + levelColumns("min", in: "min") { $0.score.ends($1) } + [
        Column("truth_from_min", "last reading above the threshold", \.truth.low),
        Column(
          "truth_to_min", "next reading, at or below it; empty if there is none",
          \.truth.high.ifFinite),
        Column("truth_min", "time on the straight line between the two readings", \.crossing),
        Column(
          "error_min", "median minus the nearer end of the truth, 0 between them", \.score.error),
        Column(
          "crps_min", "continuous ranked probability score at the times of the readings",
          \.score.crps),
        Column(
          "interpolated_crps_min",
          "the same as if the time were truth_min; empty if there is none", \.interpolatedCRPS),
      ] + verdictColumns { $0.score })

  static let readingScores = TableLayout<ReadingScore>(
    "forecast_readings",
    "With `--score`, in JSON: a row per series, origin, method and later reading.",
    columns: Series.identityColumns(isForPeople: false) { $0.series }
      + originColumns { $0.origin } + [
        Column("method", "forecast, or the name of a baseline", \.method),
        Column("time_min", "when the reading was taken since the first drink", \.time.minutes),
        Column("horizon_min", "how long after the last one that was known", \.horizon?.minutes),
        Column("observed_g_per_kg", "what it showed, or its limit if below detection", \.observed),
        Column("censored", "whether it was below detection", \.isCensored),
        Column("median_g_per_kg", "median of the forecast", \.score.median),
      ] + levelColumns("g_per_kg", in: "g/kg") { $0.score.ends($1) } + [
        Column("error_g_per_kg", "median minus reading", \.score.error),
        Column(
          "crps_g_per_kg", "continuous ranked probability score from the limit of detection on",
          \.score.crps),
        Column(
          "log_score", "logarithm of the density that was forecast, ln(kg/g)", \.logScore?.ifFinite),
      ] + verdictColumns { $0.score })

  private static func originColumns<Row>(
    _ origin: @escaping @Sendable (Row) -> ForecastOrigin
  ) -> [Column<Row>] {
    [
      Column("origin_readings", "readings that were known") { origin($0).readings },
      Column("origin_after_peak", "of these, how many after the highest of the series") {
        origin($0).afterPeak
      },
      Column("origin_min", "time of the last of them since the first drink") {
        origin($0).time?.minutes
      },
    ]
  }

  private static func verdictColumns<Row>(
    _ score: @escaping @Sendable (Row) -> ForecastScore
  ) -> [Column<Row>] {
    ForecastScore.levels.enumerated().map { index, level in
      let percent = level.wholePercent
      return Column("covered_\(percent)", "whether the \(percent) % interval held the truth") {
        score($0).isCovered.isEmpty ? nil : score($0).isCovered[index]
      }
    } + [
      Column("pit", "place of the truth in the distribution, 0 to 1") { score($0).rank }
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
