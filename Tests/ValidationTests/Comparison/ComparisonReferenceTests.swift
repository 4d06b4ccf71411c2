import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import TestSupport
import Testing
import Validation

/// Real studies against Tests/Tools/compare_scipy.py.
///
/// Both sides add up and subtract some dozens of exact values of the model in double precision, in
/// another order and by other formulas, and differ by 1e-13 at most; p values come from ranks, and
/// intervals from draws, which are the same. 1e-9, relative or absolute, leaves room for other
/// libraries and is far below what an instrument can tell.
///
/// Pairs in the time to sobriety follow from a likelihood that both sides maximise. Python's maximum is
/// exact to rounding. Newton's method here takes a step only if the likelihood does not fall, and below
/// 1e-7 standard errors rounding decides that. In these studies one standard error changes a difference
/// by about 1 min at most: 1e-7 is enough. The largest deviation seen is 1e-8 min.
@Suite struct ComparisonReferenceTests {
  private typealias Numbers = [(column: String, value: Double?)]

  private func comparisons(_ folder: String) throws -> [Score] {
    try Scorer(
      PredictionOptions(
        typical: .nacar2021, methods: RFactorMethods.all(bloodWater: .perLitre), threshold: 0)
    ).scores(of: try StudyReader.read(folder))
  }

  private func rows(_ table: String, of study: String) throws -> [[String: String]] {
    try PackageFolder.expectations(table).filter { $0["study"] == study }
  }

  private func check(
    _ found: Numbers, _ row: [String: String], tolerance: Double = 1e-9
  ) throws {
    for (column, value) in found {
      let expected = try row.number(column)
      #expect(
        agree(value, expected, relative: tolerance, absolute: tolerance), "\(column) of \(row)")
    }
  }

  // MARK: - Rows

  @Test func everyMethodOnTheThesisStudyMatchesReference() throws {
    try checkRows(of: "nacar-2021", in: PackageFolder.dataset("nacar-2021"))
  }

  @Test(
    .enabled(
      if: PackageFolder.hasShared("wilkinson-1977-oral"),
      "the study wilkinson-1977-oral may not be shipped"))
  func severalOccasionsMatchReference() throws {
    try checkRows(of: "wilkinson-1977-oral", in: PackageFolder.shared("wilkinson-1977-oral"))
  }

  @Test(
    .enabled(if: PackageFolder.hasShared("hip-flask"), "the study hip-flask may not be shipped"))
  func drinksWithADurationMatchReference() throws {
    try checkRows(of: "hip-flask", in: PackageFolder.shared("hip-flask"))
  }

  /// The table has one method for studies that may not be shipped, since several would give body measures away.
  private func checkRows(of study: String, in folder: String) throws {
    let rows = try rows("compare-rows", of: study)
    let methods = Set(rows.compactMap { $0["r_factor"] })
    let found = try comparisons(folder).filter {
      $0.curveStatus == .ok && methods.contains($0.method)
    }
    #expect(!rows.isEmpty)
    #expect(found.count == rows.count)
    for (comparison, row) in zip(found, rows) {
      #expect(comparison.series.subject.id == row["subject"])
      #expect(comparison.series.occasion ?? "" == row["occasion"])
      #expect(comparison.method == row["r_factor"])
      let agreement = try #require(comparison.agreement)
      try check(predictionNumbers(agreement) + errorNumbers(agreement), row)
      try check(sobrietyNumbers(comparison), row)
    }
  }

  private func predictionNumbers(_ agreement: CurveAgreement) -> Numbers {
    [
      ("r", agreement.parameters?.r.value),
      ("dose_g_per_kg", agreement.doseConcentration?.value),
      ("peak_predicted_g_per_kg", agreement.predictedPeak?.concentration.value),
      ("peak_predicted_min", agreement.predictedPeak?.time.minutes),
      ("auc_predicted_g_h_per_kg", agreement.predictedArea),
    ]
  }

  private func errorNumbers(_ agreement: CurveAgreement) -> Numbers {
    [
      ("n", Double(agreement.errors.count)),
      ("above_dose", agreement.readingsAboveDose.map(Double.init)),
      ("bias_g_per_kg", agreement.summary?.bias),
      ("mae_g_per_kg", agreement.summary?.mae),
      ("rmse_g_per_kg", agreement.summary?.rmse),
      ("peak_error_g_per_kg", agreement.peakError),
      ("auc_measured_g_h_per_kg", agreement.measuredArea),
      ("auc_error_pct", agreement.areaErrorPercent),
    ]
  }

  private func sobrietyNumbers(_ score: Score) throws -> Numbers {
    [
      ("sober_predicted_min", try score.prediction.get().time?.minutes),
      ("error_min", score.deviation?.minutes),
      ("interval_error_min", score.deviationFromInterval?.minutes),
      ("error_min_least", score.error?.least),
      ("error_min_most", score.error?.most),
    ]
  }

  // MARK: - Summaries

  @Test func summaryOfTheThesisStudyMatchesReference() throws {
    try checkSummary(of: "nacar-2021", in: PackageFolder.dataset("nacar-2021"))
  }

  /// Men and women enough for the bootstrap, some of whom came twice or left before they were sober, and a limit of
  /// detection.
  @Test func summaryOfSimulatedSubjectsMatchesReference() throws {
    try checkSummary(of: "made-up-24", in: PackageFolder.dataset("made-up-24"))
  }

  @Test(
    .enabled(
      if: PackageFolder.hasShared("wilkinson-1977-oral"),
      "the study wilkinson-1977-oral may not be shipped"))
  func summaryOverSeveralOccasionsMatchesReference() throws {
    try checkSummary(of: "wilkinson-1977-oral", in: PackageFolder.shared("wilkinson-1977-oral"))
  }

  /// Ten people, men and women, whose readings end before they are sober: no distribution of their times is the
  /// likeliest, and methods are not compared by them.
  @Test(
    .enabled(
      if: PackageFolder.hasShared("thierauf-emberger-2023"),
      "the study thierauf-emberger-2023 may not be shipped"))
  func summaryOfMenAndWomenMatchesReference() throws {
    try checkSummary(
      of: "thierauf-emberger-2023", in: PackageFolder.shared("thierauf-emberger-2023"))
  }

  private func checkSummary(of study: String, in folder: String) throws {
    let summary = ComparisonSummary(
      of: try comparisons(folder), bootstrap: Bootstrap(seed: 1, replicates: 200), bySex: true)
    try checkMethods(summary.methods, try rows("compare-methods", of: study))
    try checkSobriety(summary.sobriety, try rows("compare-sobriety", of: study))
    try checkPairs(summary.pairs, try rows("compare-pairs", of: study))
    try checkRankings(summary.rankings, try rows("compare-friedman", of: study))
    try checkErrorTests(summary.diagnostics, try rows("compare-error-tests", of: study))
    try checkErrorBins(summary.diagnostics, try rows("compare-error-bins", of: study))
  }

  /// None of studies of fewer than 5 people.
  private func checkErrorTests(
    _ diagnostics: [ErrorDiagnostics], _ rows: [[String: String]]
  ) throws {
    let known = diagnostics.filter { $0.autocorrelation != nil }
    #expect(rows.count == 3 * known.count)
    for row in rows {
      let found = try #require(known.first { $0.method == row["r_factor"] })
      if row["test"] == "lag1_autocorrelation" {
        try check(
          [
            ("subjects", found.autocorrelation.map { Double($0.series) }),
            ("value", found.autocorrelation?.lagOne),
            ("low", found.autocorrelation?.interval.low),
            ("high", found.autocorrelation?.interval.high),
            ("expected", found.autocorrelation?.expected),
            ("trend_p", found.autocorrelation?.pValue),
          ], row)
      } else {
        let trend = row["test"] == "trend_over_time" ? found.overTime : found.overConcentration
        try check(
          [
            ("subjects", trend.map { Double($0.series) }), ("value", trend?.statistic),
            ("trend_p", trend?.pValue),
          ], row)
      }
    }
  }

  /// Python lists no range of fewer than 3 people.
  private func checkErrorBins(
    _ diagnostics: [ErrorDiagnostics], _ rows: [[String: String]]
  ) throws {
    var count = 0
    for found in diagnostics {
      for (axis, scale, trend) in [
        ("time_min", 60.0, found.overTime), ("predicted_g_per_kg", 1, found.overConcentration),
      ] {
        for bin in trend?.bins ?? [] where bin.series >= 3 {
          count += 1
          let row = try #require(
            rows.first {
              $0["r_factor"] == found.method && $0["axis"] == axis
                && $0["from"].flatMap(Double.init).map { agree($0, scale * bin.low) } == true
            })
          try check(
            [
              ("readings", Double(bin.readings)), ("subjects", Double(bin.series)),
              ("mean", bin.mean), ("low", bin.interval?.low), ("high", bin.interval?.high),
            ], row)
        }
      }
    }
    #expect(count == rows.count)
  }

  private func checkMethods(_ found: [MethodSummary], _ rows: [[String: String]]) throws {
    #expect(!rows.isEmpty)
    #expect(found.count == rows.count)
    for (summary, row) in zip(found, rows) {
      #expect(summary.quantity.rawValue == row["quantity"])
      #expect(summary.sex?.rawValue ?? "all" == row["sex"])
      #expect(summary.method == row["r_factor"])
      let numbers: Numbers = [
        ("subjects", Double(summary.subjects)),
        ("n", Double(summary.errors.count)),
        ("bias", summary.errors.bias),
        ("mae", summary.errors.mae),
        ("rmse", summary.errors.rmse),
        ("median", summary.errors.median),
        ("loa_low", summary.limitsOfAgreement?.low),
        ("loa_high", summary.limitsOfAgreement?.high),
        ("bias_low", summary.bias.interval?.low),
        ("bias_high", summary.bias.interval?.high),
        ("mae_low", summary.mae.interval?.low),
        ("mae_high", summary.mae.interval?.high),
        ("rmse_low", summary.rmse.interval?.low),
        ("rmse_high", summary.rmse.interval?.high),
      ]
      try check(numbers, row)
    }
  }

  /// Checks the counts of times by kind of knowledge; the table's limits of statistics are not computed any more.
  private func checkSobriety(_ found: [SobrietySummary], _ rows: [[String: String]]) throws {
    let found = found.filter { $0.knownSubjects > 0 }
    #expect(!rows.isEmpty)
    #expect(found.count == rows.count)
    for (summary, row) in zip(found, rows) {
      #expect(summary.sex?.rawValue ?? "all" == row["sex"])
      #expect(summary.method == row["r_factor"])
      try check(
        [
          ("subjects", Double(summary.knownSubjects)),
          ("n", Double(summary.known)),
          ("between", Double(summary.count(.between))),
          ("at_least", Double(summary.count(.atLeast))),
          ("at_most", Double(summary.count(.atMost))),
        ], row)
    }
  }

  /// Python takes what is expected of a time between its limits by quadrature.
  private func checkPairs(_ found: [MethodPair], _ rows: [[String: String]]) throws {
    #expect(!rows.isEmpty)
    #expect(found.count == rows.count)
    for (pair, row) in zip(found, rows) {
      #expect(pair.quantity.rawValue == row["quantity"])
      #expect(pair.sex?.rawValue ?? "all" == row["sex"])
      #expect([pair.first, pair.second] == [row["r_factor_a"], row["r_factor_b"]])
      let numbers: Numbers = [
        ("subjects", Double(pair.subjects)),
        ("mae_difference", pair.difference),
        ("difference_low", pair.interval?.low),
        ("difference_high", pair.interval?.high),
        ("wilcoxon_p", pair.wilcoxonP),
        ("holm_p", pair.holmP),
      ]
      try check(numbers, row, tolerance: pair.quantity == .sobriety ? 1e-8 : 1e-9)
    }
  }

  private func checkRankings(_ found: [MethodRanking], _ rows: [[String: String]]) throws {
    #expect(!rows.isEmpty)
    #expect(found.count == rows.count)
    for (ranking, row) in zip(found, rows) {
      #expect(ranking.quantity.rawValue == row["quantity"])
      #expect(ranking.sex?.rawValue ?? "all" == row["sex"])
      let meanRanks = try row.numbers("mean_ranks")
      #expect(ranking.test.meanRanks.count == meanRanks.count)
      for (found, expected) in zip(ranking.test.meanRanks, meanRanks) {
        #expect(agree(found, expected), "\(row)")
      }
      let numbers: Numbers = [
        ("subjects", Double(ranking.test.subjects)),
        ("subjects_with_errors", Double(ranking.subjectsWithErrors)),
        ("friedman_chi2", ranking.test.chiSquared),
        ("df", Double(ranking.test.degreesOfFreedom)),
        ("friedman_p", ranking.test.pValue),
      ]
      try check(numbers, row)
    }
  }
}
