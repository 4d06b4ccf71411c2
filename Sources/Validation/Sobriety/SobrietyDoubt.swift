public import AlcoholKinetics
import Estimation
import StudyData

/// Why a measured time to sobriety rests on little.
public enum SobrietyDoubt: Codable, Hashable, Sendable {
  /// A reading is above the threshold again after one, since everything was drunk, that was not; the time, since the
  /// first drink, of the first such reading.
  case reappears(at: Hours)
  /// The two readings between which the threshold was crossed are further apart than the others.
  case gap(Hours)
  /// The threshold is below the smallest step that the instrument shows, in g/kg of blood.
  case belowResolution(GramsPerKilogram)

  public var code: String {
    switch self {
    case .reappears: "W_SOBER_REAPPEARS"
    case .gap: "W_SOBER_GAP"
    case .belowResolution: "W_SOBER_BELOW_RESOLUTION"
    }
  }
}

extension SobrietyDoubt: CustomStringConvertible {
  public var description: String {
    switch self {
    case .reappears:
      "A reading is above the threshold again after one that was not. The measured time rests on it; check it, "
        + "or exclude it."
    case .gap:
      "The two readings between which the threshold was crossed are more than twice as far apart as usual. "
        + "The time lies anywhere between them."
    case .belowResolution(let step):
      "The threshold is below the instrument's resolution of \(step.value) g/kg, so that the time depends on how "
        + "the instrument rounds. Use a threshold of \(step.value) g/kg or more."
    }
  }
}

/// What the readings of a series say of its time to sobriety, and why that may be little.
struct SobrietyEvidence {
  let threshold: SobrietyThreshold
  let measured: MeasuredSobriety
  let doubts: [SobrietyDoubt]

  /// Two readings up to so far apart are no gap, whatever the others are like.
  private static let shortGap = Hours(minutes: 30)

  /// - Parameter readings: Those that count, in any order.
  init(
    _ readings: [Reading], of series: Series, _ instrument: Instrument?,
    _ threshold: SobrietyThreshold, _ factors: ConversionFactors
  ) {
    self.threshold = threshold
    let threshold = threshold.concentration
    let end = series.drinks.map(\.end).max()
    measured = MeasuredSobriety(
      readings: readings, threshold: threshold, start: series.start, end: end, factors: factors)
    guard case .reached(let lastAbove, let first) = measured else {
      doubts = []
      return
    }
    let used = MeasuredSobriety.used(readings)
    let drunk = max(series.start, end ?? series.start) + .roundingSlack
    var doubts: [SobrietyDoubt] = []
    let after = used.filter { $0.time > drunk }
      .map { (time: $0.time, isAbove: $0.bloodConcentration(using: factors) > threshold) }
    // Before the first reading above, absorption may not have begun.
    if let low = after.drop(while: { !$0.isAbove }).first(where: { !$0.isAbove }),
      let again = after.first(where: { $0.time > low.time && $0.isAbove })
    {
      doubts.append(.reappears(at: again.time - series.start))
    }
    let gaps = zip(used, used.dropFirst()).map { ($1.time - $0.time) }.filter { $0 > 0 }.sorted()
    let gap = first - lastAbove
    if let usual = gaps.isEmpty ? nil : gaps[gaps.count / 2], gap > Self.shortGap,
      gap.value > 2 * usual.value + Hours.roundingSlack.value
    {
      doubts.append(.gap(gap))
    }
    if let unit = used.first?.unit, let resolution = instrument?.resolution, resolution > 0 {
      let step = unit.bloodConcentration(of: resolution, using: factors)
      // A unit's conversion rounds.
      if threshold.value < step.value * (1 - 1e-12) { doubts.append(.belowResolution(step)) }
    }
    self.doubts = doubts
  }
}
