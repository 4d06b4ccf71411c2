import AlcoholKinetics
import Validation

extension SobrietyCoverage {
  static let columns: [Column<SobrietyCoverage>] = [
    Column("sex") { .text($0.sex?.rawValue ?? "all") },
    Column("r_factor") { .text($0.rFactor) },
    Column("subjects") { .integer($0.subjects) },
    Column("scored_subjects") { .integer($0.scoredSubjects) },
    Column("series") { .integer($0.series) },
    Column("scored") { .integer($0.scored) },
    Column("censored") { .integer($0.censored) },
    Column("censored_early") { .integer($0.shortfalls.count) },
    Column("early_min_least") { .number($0.shortfalls.min()) },
    Column("early_min_most") { .number($0.shortfalls.max()) },
    Column("predicted_never_above") { .integer($0.predictedNeverAbove) },
  ]

  /// Says how many series could not be scored, and what is known of them; nil if all could.
  static func remark(on coverage: [SobrietyCoverage]) -> String? {
    let all = coverage.filter { $0.sex == nil && $0.scored < $0.series }
    guard let widest = all.max(by: { $0.series < $1.series }) else { return nil }
    var sentences = ["Time to sobriety: \(widest.counts) scored."]
    if widest.censored > 0 {
      sentences.append(
        "Still above the threshold at the last reading: \(widest.censored) series. " + early(all))
    }
    let never = all.filter { $0.predictedNeverAbove > 0 }
    if !never.isEmpty {
      sentences.append(
        "Predicted never to be above it, though measured: "
          + never.map { "\($0.rFactor) \($0.predictedNeverAbove)" }.joined(separator: ", ") + ".")
    }
    return sentences.joined(separator: " ")
  }

  /// Of how many subjects and series the times could be scored.
  var counts: String {
    "of \(subjects) subjects \(scoredSubjects) (of \(series) series \(scored)) could be"
  }

  /// Which of the predictions for such series are too early for certain.
  private static func early(_ all: [SobrietyCoverage]) -> String {
    let found = all.compactMap { coverage -> String? in
      guard let least = coverage.shortfalls.min(), let most = coverage.shortfalls.max() else {
        return nil
      }
      let (from, to) = (minutes(least), minutes(most))
      return
        "\(coverage.rFactor) \(coverage.shortfalls.count) (\(from == to ? from : "\(from)-\(to)"))"
    }
    return found.isEmpty
      ? "No prediction for them is before that reading."
      : "Predicted before that reading, and so too early by at least so many min: "
        + found.joined(separator: ", ") + "."
  }

  private static func minutes(_ value: Double) -> String { NumberStyle.decimals(0).format(value) }
}
