import AlcoholKinetics
import Estimation
import StudyData

/// What tells series apart.
struct SeriesKey: Hashable {
  let subject: String
  let occasion: String?
}

extension Series {
  var key: SeriesKey { SeriesKey(subject: subject.id, occasion: occasion) }
}

/// What a method makes of a series.
protocol MethodOutcome {
  var key: SeriesKey { get }
  var method: String { get }
  /// Why the method cannot be used; nil if it can.
  var failure: SeriesFailure? { get }
  /// How many readings are compared; 0 where they are not counted.
  var readings: Int { get }
  /// Whether it was computed elsewhere.
  var isGiven: Bool { get }
}

extension MethodOutcome {
  var readings: Int { 0 }
  var isGiven: Bool { false }
}

extension Comparison: MethodOutcome {
  var key: SeriesKey { series.key }
  var readings: Int { agreement?.errors.count ?? 0 }
  var isGiven: Bool { sobriety.isGiven }
}

extension SobrietyScore: MethodOutcome {
  var key: SeriesKey { series.key }
}

extension RComparison: MethodOutcome {
  var key: SeriesKey { SeriesKey(subject: subject.id, occasion: nil) }
  var method: String { rFactor }
}

extension Result where Failure == SeriesFailure {
  var failure: SeriesFailure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension RankedMethods {
  /// Decides which methods are ranked, and takes what the ranking is of: the outcomes of ranked methods on their common
  /// series, followed by all those of the others, who have figures of their own.
  static func ranked<Outcome: MethodOutcome>(
    _ outcomes: [Outcome], areAllWanted: Bool
  ) -> (ranking: RankedMethods, outcomes: [Outcome]) {
    let bySeries = outcomes.grouped(by: \.key)
    let methods = outcomes.grouped(by: \.method).map(\.key)
    let places = Dictionary(uniqueKeysWithValues: zip(methods, methods.indices))
    var isUsable = methods.map { _ in bySeries.map { _ in false } }
    var isUndefined = methods.map { _ in false }
    var isGiven = methods.map { _ in false }
    for (series, group) in bySeries.enumerated() {
      for outcome in group.values {
        guard let method = places[outcome.method] else { continue }
        isUsable[method][series] = outcome.failure == nil
        isGiven[method] = outcome.isGiven
        if case .rFactor(.notDefined) = outcome.failure { isUndefined[method] = true }
      }
    }
    let byMethods = bySeries.indices.map { series in
      methods.indices.contains { !isGiven[$0] && isUsable[$0][series] }
    }
    let ranking = RankedMethods(
      methods.indices.map { method in
        Candidate(
          methods[method], isUsable: isUsable[method], isUndefined: isUndefined[method],
          hasGaps: isGiven[method]
            && bySeries.indices.contains { byMethods[$0] && !isUsable[method][$0] })
      },
      of: bySeries.map { key, group in
        Unit(subject: key.subject, readings: group.map(\.readings).max() ?? 0)
      }, areAllWanted: areAllWanted)
    guard !ranking.methods.isEmpty else { return (ranking, outcomes) }
    let (names, common) = (Set(ranking.methods), Set(ranking.series.map { bySeries[$0].key }))
    return (
      ranking,
      outcomes.filter { names.contains($0.method) && common.contains($0.key) }
        + outcomes.filter { !names.contains($0.method) }
    )
  }
}
