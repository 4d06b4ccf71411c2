public import AlcoholKinetics
package import StudyData

/// The selection of readings for a fit, and the treatment of those below the limit of detection.
public struct ReadingSelection: Hashable, Sendable {
  /// The treatment of readings below the limit of detection.
  public var censoring: Censoring
  /// The limit of detection in the unit of the readings; nil for that of the study.
  public var limitOfDetection: Double?
  /// The time after a drink within which readings are left out; nil for that of the study's instrument, or none if it has
  /// none.
  public var mouthAlcoholWindow: Hours?

  /// Creates a selection; by default as the study states, with the censored likelihood.
  public init(
    censoring: Censoring = .m3,
    limitOfDetection: Double? = nil,
    mouthAlcoholWindow: Hours? = nil
  ) {
    self.censoring = censoring
    self.limitOfDetection = limitOfDetection
    self.mouthAlcoholWindow = mouthAlcoholWindow
  }

  /// Returns the use of each reading of a series.
  ///
  /// - Parameter lag: The shortest time after a drink at which absorption may begin.
  package func uses(of series: Series, _ instrument: Instrument?, lag: Hours = 0) -> [ReadingUse] {
    let beginning = series.drinks.lazy.map { $0.time + lag + .roundingSlack }.min()
    let spoiled = SpoiledTimes(
      series.drinks, window: mouthAlcoholWindow ?? instrument?.mouthAlcoholWindow ?? 0)
    var uses = series.readings.map { reading -> ReadingUse in
      if reading.isExcluded { return .excludedByStudy }
      if spoiled.contains(reading.time) { return .mouthAlcohol }
      if let beginning, reading.time <= beginning { return .beforeDrinking }
      return isBelowDetection(reading, instrument) ? belowDetection : .quantified
    }
    if censoring != .none { markRepeatedZeros(in: &uses, of: series, instrument) }
    return uses
  }

  /// Returns the limit of detection of a reading, in its unit.
  package func limitOfDetection(of reading: Reading, _ instrument: Instrument?) -> Double? {
    limitOfDetection ?? reading.limitOfDetection ?? instrument?.limitOfDetection
  }

  private var belowDetection: ReadingUse {
    switch censoring {
    case .none: .quantified
    case .drop: .belowDetection
    case .oneSided, .m3: .censored
    }
  }

  /// Returns true if a reading is above its limit of detection or, if that is not known, above
  /// ``PlausibleRange/largestZero``.
  func isClearlyAboveZero(
    _ reading: Reading, _ instrument: Instrument?, _ factors: ConversionFactors
  ) -> Bool {
    guard let limit = limitOfDetection(of: reading, instrument) else {
      return reading.bloodConcentration(using: factors) > PlausibleRange.largestZero
    }
    return reading.value > limit
  }

  private func isBelowDetection(_ reading: Reading, _ instrument: Instrument?) -> Bool {
    guard let limit = limitOfDetection(of: reading, instrument) else { return false }
    return reading.value < limit
  }

  /// Marks all but the first of the zeros that end a series: once the subject is sober, further zeros repeat the same
  /// reading with the same error.
  private func markRepeatedZeros(
    in uses: inout [ReadingUse], of series: Series, _ instrument: Instrument?
  ) {
    let lastDrink = series.drinks.lazy.map(\.end).max() ?? 0
    var later: Int?
    for index in series.readings.indices.reversed() where uses[index].isUsed {
      let reading = series.readings[index]
      guard reading.time >= lastDrink,
        reading.value <= 0 || isBelowDetection(reading, instrument)
      else { break }
      if let later { uses[later] = .repeatedZero }
      later = index
    }
  }
}

/// The times at which mouth alcohol invalidates a reading.
package struct SpoiledTimes {
  private let drinks: [Drink]
  private let window: Hours

  package init(_ drinks: [Drink], window: Hours) {
    self.drinks = drinks
    self.window = window
  }

  /// Returns true if a reading at this time is invalid. One taken at the start of a drink or at the end of the window is
  /// valid.
  package func contains(_ time: Hours) -> Bool {
    window > 0 && drinks.contains { time > $0.time && time < $0.end + window - .roundingSlack }
  }
}

extension Drink {
  /// The time when it was finished.
  package var end: Hours { time + duration }
}

/// The use of a reading in a fit.
public enum ReadingUse: String, CaseIterable, Codable, Hashable, Sendable {
  /// It is fitted.
  case quantified
  /// It is below the limit of detection and is fitted as a censored reading.
  case censored
  /// The study excludes it.
  case excludedByStudy = "excluded-by-study"
  /// It was taken too soon after a drink, when mouth alcohol invalidates it.
  case mouthAlcohol = "mouth-alcohol"
  /// It was taken before absorption could begin: the curve is zero there for all parameters, so the reading carries no
  /// information.
  case beforeDrinking = "before-drinking"
  /// It is below the limit of detection and such readings are dropped.
  case belowDetection = "below-detection"
  /// It follows the first zero after sobriety and carries no further information.
  case repeatedZero = "repeated-zero"

  /// True if the reading is fitted.
  public var isUsed: Bool { self == .quantified || self == .censored }

  /// The reason why a reading is left out; empty if it is fitted.
  package var cause: String {
    switch self {
    case .quantified, .censored: ""
    case .excludedByStudy: "excluded by the study"
    case .mouthAlcohol: "too soon after a drink (mouth alcohol)"
    case .beforeDrinking: "at or before the first drink"
    case .belowDetection: "below detection"
    case .repeatedZero: "further zeros after the first"
    }
  }
}

/// The treatment of readings below the limit of detection.
///
/// Without a limit of detection nothing is censored, and a zero is a reading of zero.
public enum Censoring: String, CaseIterable, Codable, Hashable, Sendable {
  /// Uses the displayed concentration, and every zero after the first drink (naive; for comparison).
  case none
  /// Leaves them out (Beal's M1).
  case drop
  /// Uses a one-sided residual: zero if the prediction is below the limit.
  case oneSided = "one-sided"
  /// Uses the probability of a reading below the limit by the error model (Beal's M3; Beal 2001, J. Pharmacokinet.
  /// Pharmacodyn. 28, 481).
  case m3
}

extension Study {
  /// Returns the study as fits use it: readings that they leave out are marked as excluded, and those below detection have
  /// their limit.
  ///
  /// - Returns: The study, and the number of readings left out by reason, without those that the study itself excludes.
  package func asUsed(
    by selection: ReadingSelection
  ) -> (study: Study, leftOut: [(use: ReadingUse, count: Int)]) {
    var study = self
    var counts = [ReadingUse: Int]()
    for number in study.series.indices {
      let series = study.series[number]
      for (index, use) in selection.uses(of: series, instrument).enumerated() {
        var reading = series.readings[index]
        switch use {
        case .quantified, .excludedByStudy: continue
        case .censored:
          guard let limit = selection.limitOfDetection(of: reading, instrument) else { continue }
          reading.limitOfDetection = limit
        case .mouthAlcohol, .beforeDrinking, .belowDetection, .repeatedZero:
          reading.isExcluded = true
          counts[use, default: 0] += 1
        }
        study.series[number].readings[index] = reading
      }
    }
    return (study, ReadingUse.allCases.compactMap { use in counts[use].map { (use, $0) } })
  }
}
