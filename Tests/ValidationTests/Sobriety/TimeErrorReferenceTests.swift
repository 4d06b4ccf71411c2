import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Estimation
@testable import Validation

/// Estimates of the errors of predicted times against an independent program (`Tests/Tools/time_errors_scipy.py`): SciPy's
/// minimum by Nelder and Mead, expectations by quadrature, the same draws of people.
///
/// Nelder and Mead stop within 3e-7 of the maximum, which moves ends of intervals by as much: 1e-5 is allowed, and in
/// numbers near zero 1e-5 percent or minutes.
@Suite struct TimeErrorReferenceTests {
  private func check(_ found: TimeErrorEstimate?, _ row: [String: String]) throws {
    let name = "\(row["study"] ?? "") \(row["r_factor"] ?? "")"
    guard row["why"] == "" else {
      #expect(found == nil, "\(name): \(row["why"] ?? "")")
      return
    }
    let found = try #require(found, "\(name)")
    let values: [(String, EstimatedValue?)] = [
      ("bias_pct", found.biasPercentOfMeasured),
      ("bias_pct_of_predicted", found.biasPercentOfPredicted), ("bias_min", found.biasMinutes),
      ("mae_min", found.meanAbsoluteMinutes), ("mae_pct", found.meanAbsolutePercent),
    ]
    for (column, value) in values {
      try check(value?.value, row, column, name)
      try check(value?.interval?.low, row, column + "_low", name)
      try check(value?.interval?.high, row, column + "_high", name)
    }
    try check(found.sdPercent, row, "sd_pct", name)
    for share in found.within {
      try check(share.percent, row, "within_\(Int(share.limit))_pct", name)
    }
    if case .value(let median) = found.medianPercent {
      try check(median, row, "median_pct", name)
    }
    try check(found.logLikelihoodOfRatio, row, "log_likelihood_ratio", name)
    try check(found.logLikelihoodOfMinutes, row, "log_likelihood_difference", name)
    if found.logLikelihoodOfRatio != nil {
      #expect(found.isRatioLikelier == (row["minutes_from"] == "ratio"), "\(name)")
    }
  }

  private func check(
    _ value: Double?, _ row: [String: String], _ column: String, _ name: String
  ) throws {
    let text = try #require(row[column], "\(column)")
    let value = value.flatMap { $0.isFinite ? $0 : nil }
    guard let expected = Double(text) else {
      #expect(value == nil, "\(column) of \(name)")
      return
    }
    let found = try #require(value, "\(column) of \(name)")
    #expect(abs(found - expected) <= 1e-5 * max(1, abs(expected)), "\(column) of \(name)")
  }

  /// Limits that were made up: many people and few, open on either side, one time for all, none.
  @Test func madeUpLimitsMatchReference() throws {
    let intervals = try PackageFolder.expectations("time-errors-intervals")
    let expected = try PackageFolder.expectations("time-errors")
    let lists = Dictionary(grouping: intervals) { $0["list"] ?? "" }
    #expect(lists.count >= 20)
    for (list, series) in lists {
      let row = try #require(expected.first { $0["study"] == list }, "\(list)")
      var order: [String] = []
      var people: [String: [SobrietyError]] = [:]
      for one in series {
        let subject = try #require(one["subject"])
        let number = { (column: String) in one[column].flatMap { Double($0) } }
        let predicted = try #require(number("predicted_min"))
        if people[subject] == nil { order.append(subject) }
        people[subject, default: []].append(
          SobrietyError(
            predicted: Interval(low: predicted, high: predicted),
            measured: Interval(low: number("low_min") ?? 0, high: number("high_min") ?? .infinity)))
      }
      try check(
        TimeErrorEstimate(
          order.map { people[$0] ?? [] }, within: TimeErrorEstimate.usualLimits, Bootstrap()), row)
    }
  }

  /// The studies that ship, each by its own threshold; made-up-24 is read with the ratio 2100, the default.
  @Test(arguments: ["nacar-2021", "made-up-24"])
  func shippedStudiesMatchReference(name: String) throws {
    let scores = try Scorer(PredictionOptions(methods: RFactorMethods.all()))
      .scores(of: try StudyReader.read(PackageFolder.dataset(name)))
    try check(scores, try PackageFolder.expectations("time-errors").filter { $0["study"] == name })
  }

  /// Four men, whose rows may not be shipped.
  @Test(
    .enabled(
      if: PackageFolder.hasShared("wilkinson-1977-oral"),
      "the study wilkinson-1977-oral may not be shipped"))
  func wilkinsonMatchesReference() throws {
    let scores = try Scorer(PredictionOptions(methods: RFactorMethods.all()))
      .scores(of: try StudyReader.read(PackageFolder.shared("wilkinson-1977-oral")))
    let rows = try PackageFolder.expectations("time-errors-wilkinson-1977-oral")
    try check(scores, rows.filter { $0["study"] == "wilkinson-1977-oral" })
  }

  private func check(_ scores: [Score], _ rows: [[String: String]]) throws {
    let comparison = SobrietyComparison(of: scores, bootstrap: Bootstrap())
    #expect(rows.map { $0["r_factor"] } == comparison.methods.map(\.method))
    for (summary, row) in zip(comparison.methods, rows) {
      #expect(Int(row["people"] ?? "") == summary.knownSubjects)
      #expect(Int(row["between"] ?? "") == summary.count(.between))
      #expect(Int(row["at_least"] ?? "") == summary.count(.atLeast))
      #expect(Int(row["predicted_never_above"] ?? "") == summary.predictedNeverAbove)
      try check(summary.estimate, row)
    }
  }
}
