public import AlcoholKinetics
import Estimation
public import StudyData

/// When a series of readings fell to a threshold for good.
///
/// The true time lies after the last reading above the threshold and not after the first of those
/// that stay at or below it: it is interval-censored, left-censored or right-censored. If several
/// readings were taken at one time, one above the threshold is enough for that time to be above.
/// Between two readings at or below the threshold the concentration is assumed to stay there; a
/// reading before the last drink ended does not bound the time.
public enum MeasuredSobriety: Codable, Hashable, Sendable {
  /// The kind of censoring of the time.
  public enum Knowledge: String, CaseIterable, Codable, CodingKeyRepresentable, Hashable, Sendable {
    /// It lies between two readings.
    case between
    /// It is later than the last reading.
    case atLeast = "at-least"
    /// It is not later than the first reading.
    case atMost = "at-most"
    case unknown
  }

  /// The series has no usable reading.
  case noReadings
  /// No reading is above the threshold; the first after everything was drunk was at `first`.
  case neverAbove(first: Hours)
  /// The last reading is still above.
  case notReached(lastAbove: Hours)
  /// The threshold was crossed after `lastAbove`, at `first` at the latest.
  case reached(lastAbove: Hours, first: Hours)

  /// Finds the time in readings.
  ///
  /// - `readings`: The readings, in any order; excluded ones, and those without a finite time and
  ///   value, are ignored.
  /// - `start`: The time of the first drink, from which the results count.
  /// - `end`: The end of the last drink; nil if that was at the start.
  public init(
    readings: [Reading],
    threshold: GramsPerKilogram,
    start: Hours,
    end: Hours? = nil,
    factors: ConversionFactors
  ) {
    let used = Self.used(readings)
    let afterwards = Self.afterDrinking(used, start: start, end: end)
    guard let above = used.last(where: { $0.bloodConcentration(using: factors) > threshold })
    else {
      self = afterwards.first.map { .neverAbove(first: $0.time - start) } ?? .noReadings
      return
    }
    let lastAbove = above.time - start
    guard let first = afterwards.first(where: { $0.time > above.time }) else {
      self = .notReached(lastAbove: lastAbove)
      return
    }
    self = .reached(lastAbove: lastAbove, first: first.time - start)
  }

  /// Returns the usable readings, in order of time.
  static func used(_ readings: [Reading]) -> [Reading] {
    readings.filter { !$0.isExcluded && $0.time.value.isFinite && $0.value.isFinite }
      .sorted { $0.time < $1.time }
  }

  /// Returns the readings taken after the last drink ended.
  static func afterDrinking(_ readings: [Reading], start: Hours, end: Hours?) -> [Reading] {
    readings.filter { $0.time > max(start, end ?? start) + .roundingSlack }
  }

  /// The last reading above the threshold and the first at or below it, since the first drink.
  var ends: (above: Hours?, below: Hours?) {
    switch self {
    case .noReadings: (nil, nil)
    case .neverAbove(let first): (nil, first)
    case .notReached(let lastAbove): (lastAbove, nil)
    case .reached(let lastAbove, let first): (lastAbove, first)
    }
  }

  /// The last reading above the threshold, since the first drink.
  public var lastAbove: Hours? { ends.above }

  /// The kind of censoring of the time.
  public var knowledge: Knowledge {
    switch self {
    case .noReadings: .unknown
    case .neverAbove: .atMost
    case .notReached: .atLeast
    case .reached: .between
    }
  }

  /// The interval of the time, in min since the first drink; the upper end is infinite if it was not
  /// reached. Nil if nothing is known.
  var minutes: Interval? {
    guard self != .noReadings else { return nil }
    return Interval(
      low: max(0, ends.above?.minutes ?? 0), high: ends.below?.minutes ?? .infinity)
  }

  /// The first reading at or below the threshold after which all are, since the first drink. On average it is
  /// half the distance of two readings after the time itself.
  public var first: Hours? {
    guard case .reached(_, let first) = self else { return nil }
    return first
  }

  /// The middle of the two readings between which the threshold was crossed, since the first drink: the estimate
  /// of the time that is neither early nor late on average, wherever readings fall by chance.
  public var middle: Hours? {
    guard case .reached(let lastAbove, let first) = self else { return nil }
    return (max(0, lastAbove) + first) * 0.5
  }
}

/// The concentration at or below which somebody counts as sober, and its origin.
///
/// No instrument distinguishes 0 from a little: a time to 0 is a time to its limit of detection, and
/// a curve with Michaelis-Menten elimination never reaches 0. So the default threshold is the smallest
/// concentration the study's instrument can show.
public struct SobrietyThreshold: Codable, Hashable, Sendable {
  /// The origin of a threshold.
  public enum Origin: String, CaseIterable, Codable, Hashable, Sendable {
    /// It was given.
    case given
    /// It is the limit of detection, the highest of the series' readings.
    case limitOfDetection = "limit-of-detection"
    /// It is the smallest step of the instrument's display.
    case resolution
    /// The study does not describe its instrument.
    case assumed
  }

  public let concentration: GramsPerKilogram
  public let origin: Origin

  /// The default threshold if the study does not describe its instrument: 0.1 g/kg.
  public static let assumed = SobrietyThreshold(concentration: 0.1, origin: .assumed)
}

extension SobrietyThreshold {
  /// The threshold of a series: the one given, else its limit of detection, else its instrument's
  /// resolution, both converted from the unit of the readings, else ``assumed``.
  init(of series: Series, _ instrument: Instrument?, _ options: PredictionOptions) {
    if let given = options.threshold {
      self.init(concentration: given, origin: .given)
      return
    }
    let readings = series.readings.filter { !$0.isExcluded }
    let highest = { (limit: (Reading) -> Double?) -> GramsPerKilogram? in
      let limits = readings.compactMap { reading in
        limit(reading).map { reading.unit.bloodConcentration(of: $0, using: options.factors) }
      }
      return limits.filter { $0 > 0 }.max()
    }
    if let limit = highest({ options.selection.limitOfDetection(of: $0, instrument) }) {
      self.init(concentration: limit, origin: .limitOfDetection)
    } else if let step = highest({ _ in instrument?.resolution }) {
      self.init(concentration: step, origin: .resolution)
    } else {
      self = .assumed
    }
  }
}

/// A reason to doubt a measured time to sobriety.
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

/// The time to sobriety measured in a series, and reasons to doubt it.
struct SobrietyEvidence {
  /// The use of each reading.
  let uses: [ReadingUse]
  let threshold: SobrietyThreshold
  let measured: MeasuredSobriety
  let doubts: [SobrietyDoubt]
}

extension SobrietyEvidence {
  /// Two readings up to this far apart are never a gap.
  private static let shortGap = Hours(minutes: 30)

  /// Evaluates readings, except those that mouth alcohol may have affected.
  init(_ series: Series, _ instrument: Instrument?, _ options: PredictionOptions) {
    uses = options.selection.uses(of: series, instrument)
    self.threshold = SobrietyThreshold(of: series, instrument, options)
    let readings = zip(series.readings, uses).filter { $0.1 != .mouthAlcohol }.map(\.0)
    let factors = options.factors
    let threshold = self.threshold.concentration
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
