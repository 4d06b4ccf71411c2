import AlcoholKinetics
import Estimation
import StudyData
import StudyFiles
import TestSupport
import Testing
import Validation

/// 50 volunteers with published C0 against Tests/Tools/r_comparison.py, which computes the observed
/// r in exact fractions.
@Suite(
  .enabled(if: PackageFolder.hasShared("scs-beta60"), "the study scs-beta60 may not be shipped"))
struct PublishedEstimatesTests {
  /// Numbers of about 1 after a handful of roundings, each of 1e-16 at most.
  private let rounding = 1e-14

  private func study() throws -> EstimateStudy {
    try EstimateReader.read(PackageFolder.shared("scs-beta60"))
  }

  private func summaries(
    by methods: [any RFactorMethod] = RFactorMethods.all(bloodWater: .perLitre), replicates: Int
  ) throws -> [RComparisonSummary] {
    // A method without a formula for a sex has no row in Python.
    RComparisonSummary.summaries(
      of: RComparison.comparisons(of: try study(), by: methods), bySex: true,
      bootstrap: Bootstrap(seed: 1, replicates: replicates)
    ).filter { $0.errors != nil }
  }

  /// The methods' r of each subject are not in the table, since they would give away measures that
  /// may not be shipped; their errors are checked in the summary, and each by `Tests/Tools/check.py cross-check`.
  @Test func observedRMatchesReferenceForEverySubject() throws {
    let comparisons = RComparison.comparisons(of: try study(), by: [Widmark()])
    let rows = try PackageFolder.expectations("scs-beta60-r")
    #expect(comparisons.count == rows.count)
    for (comparison, row) in zip(comparisons, rows) {
      #expect(comparison.subject.id == row["subject"])
      let observed = try comparison.observed.get().value
      #expect(agree(observed, try row.number("r_observed"), within: rounding), "\(row)")
    }
  }

  @Test func missingFormulaIsNotReplaced() throws {
    let comparisons = RComparison.comparisons(of: try study())
    let missing = comparisons.filter { $0.status == .notApplicable }
    #expect(missing.count == 19)
    #expect(missing.allSatisfy { $0.rFactor == "ulrich" && $0.subject.sex == .female })
    #expect(comparisons.count == 250)
  }

  @Test func summaryByMethodAndSexMatchesReference() throws {
    let summaries = try summaries(replicates: 1)
    let rows = try PackageFolder.expectations("scs-beta60-summary")
    #expect(summaries.count == rows.count)
    for (summary, row) in zip(summaries, rows) {
      #expect(summary.rFactor == row["r_factor"])
      #expect(summary.sex?.rawValue ?? "all" == row["sex"])
      let errors = try #require(summary.errors)
      #expect(Double(errors.count) == (try row.number("n")))
      #expect(agree(errors.bias, try row.number("r_bias"), within: rounding), "\(row)")
      #expect(agree(errors.rmse, try row.number("r_rmse"), within: rounding), "\(row)")
      #expect(agree(errors.mae, try row.number("r_mae"), within: rounding), "\(row)")
      #expect(agree(errors.median, try row.number("r_median"), within: rounding), "\(row)")
      let limits = try #require(errors.limitsOfAgreement)
      #expect(agree(limits.low, try row.number("r_loa_low"), within: rounding), "\(row)")
      #expect(agree(limits.high, try row.number("r_loa_high"), within: rounding), "\(row)")
    }
  }

  /// The draws are those of Python; tests use ranks, and sums are taken in another order.
  @Test func pairsAndRankingsMatchReference() throws {
    let summary = ComparisonSummary(
      of: RComparison.comparisons(
        of: try study(), by: RFactorMethods.all(bloodWater: .perLitre)),
      bootstrap: Bootstrap(seed: 1, replicates: 200),
      bySex: true)
    let rows = try PackageFolder.expectations("scs-beta60-pairs")
    #expect(summary.pairs.count == rows.count)
    for (pair, row) in zip(summary.pairs, rows) {
      #expect(pair.quantity == .r && pair.sex?.rawValue ?? "all" == row["sex"])
      #expect([pair.first, pair.second] == [row["r_factor_a"], row["r_factor_b"]])
      let numbers: [(String, Double?)] = [
        ("subjects", Double(pair.subjects)), ("mae_difference", pair.difference),
        ("difference_low", pair.interval?.low), ("difference_high", pair.interval?.high),
        ("wilcoxon_p", pair.wilcoxonP), ("holm_p", pair.holmP),
      ]
      for (name, value) in numbers {
        #expect(agree(value, try row.number(name), within: 1e-12), "\(name) of \(row)")
      }
    }
    let tests = try PackageFolder.expectations("scs-beta60-friedman")
    #expect(summary.rankings.count == tests.count)
    for (ranking, row) in zip(summary.rankings, tests) {
      #expect(ranking.sex?.rawValue ?? "all" == row["sex"])
      #expect(Double(ranking.test.subjects) == (try row.number("subjects")))
      #expect(Double(ranking.subjectsWithErrors) == (try row.number("subjects_with_errors")))
      #expect(agree(ranking.test.pValue, try row.number("friedman_p"), within: 1e-12), "\(row)")
    }
  }

  /// Two bootstraps of 10,000 draws differ by 1 % of the interval's width at an end (a standard
  /// error, derived in r_comparison.py), and by 5 % once in a million ends.
  ///
  /// One method is enough, and draws take their time in a debug build.
  @Test func intervalsAgreeWithNumPy() throws {
    let rows = try PackageFolder.expectations("scs-beta60-summary")
      .filter { $0["r_factor"] == "watson" }
    let summaries = try summaries(by: [Watson(bloodWater: .perLitre)], replicates: 10_000)
    #expect(summaries.map { $0.sex?.rawValue ?? "all" } == rows.map { $0["sex"] })
    for (summary, row) in zip(summaries, rows) {
      for (name, interval) in [
        ("r_bias", summary.bias), ("r_rmse", summary.rmse), ("r_mae", summary.mae),
      ] {
        let found = try #require(interval?.interval)
        let low = try #require(try row.number("\(name)_low"))
        let high = try #require(try row.number("\(name)_high"))
        #expect(agree(found.low, low, within: 0.05 * (high - low)), "\(name) \(row)")
        #expect(agree(found.high, high, within: 0.05 * (high - low)), "\(name) \(row)")
      }
    }
  }

  @Test func bloodToBreathRatioMatchesReference() throws {
    let ratios = BloodBreathRatio.ratios(of: try study())
    let rows = try PackageFolder.expectations("scs-beta60-ratio")
    #expect(ratios.map(\.subject.id) == rows.map { $0["subject"] })
    for (ratio, row) in zip(ratios, rows) {
      #expect(agree(ratio.value, try row.number("blood_breath_ratio"), within: 1e-11), "\(row)")
    }
    let spread = try #require(Sample(ratios.map(\.value)))
    let row = try #require(try PackageFolder.expectations("scs-beta60-ratio-spread").first)
    let found: [(String, Double?)] = [
      ("n", Double(spread.count)), ("mean", spread.mean), ("sd", spread.standardDeviation),
      ("median", spread.median), ("low", spread.quantile(0.025)),
      ("high", spread.quantile(0.975)), ("min", spread.sorted.first), ("max", spread.sorted.last),
    ]
    for (name, value) in found {
      // A ratio of 2500 is rounded to 5e-13.
      #expect(agree(value, try row.number(name), within: 1e-11), "\(name)")
    }
  }
}
