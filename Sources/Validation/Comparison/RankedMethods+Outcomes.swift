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
  var rFactor: String { get }
  /// Why the method cannot be used; nil if it can.
  var failure: SeriesFailure? { get }
  /// How many readings are compared; 0 where they are not counted.
  var readings: Int { get }
}

extension MethodOutcome {
  var readings: Int { 0 }
}

extension Comparison: MethodOutcome {
  var key: SeriesKey { series.key }
  var readings: Int { agreement?.errors.count ?? 0 }
}

extension SobrietyScore: MethodOutcome {
  var key: SeriesKey { series.key }
}

extension RComparison: MethodOutcome {
  var key: SeriesKey { SeriesKey(subject: subject.id, occasion: nil) }
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
    let methods = outcomes.grouped(by: \.rFactor).map(\.key)
    let places = Dictionary(uniqueKeysWithValues: zip(methods, methods.indices))
    var isUsable = methods.map { _ in bySeries.map { _ in false } }
    var isUndefined = methods.map { _ in false }
    for (series, group) in bySeries.enumerated() {
      for outcome in group.values {
        guard let method = places[outcome.rFactor] else { continue }
        isUsable[method][series] = outcome.failure == nil
        if case .rFactor(.notDefined) = outcome.failure { isUndefined[method] = true }
      }
    }
    let ranking = RankedMethods(
      methods.indices.map {
        Candidate(methods[$0], isUsable: isUsable[$0], isUndefined: isUndefined[$0])
      },
      of: bySeries.map { key, group in
        Unit(subject: key.subject, readings: group.map(\.readings).max() ?? 0)
      }, areAllWanted: areAllWanted)
    guard !ranking.methods.isEmpty else { return (ranking, outcomes) }
    let (names, common) = (Set(ranking.methods), Set(ranking.series.map { bySeries[$0].key }))
    return (
      ranking,
      outcomes.filter { names.contains($0.rFactor) && common.contains($0.key) }
        + outcomes.filter { !names.contains($0.rFactor) }
    )
  }
}
