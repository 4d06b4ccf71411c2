public import AlcoholKinetics
package import StudyData

/// Which readings are fitted, and what those below the limit of detection say.
public struct ReadingSelection: Hashable, Sendable {
  /// What a reading below the limit of detection says.
  public var censoring: Censoring
  /// The limit of detection in the unit of the readings; nil to take what the study states.
  public var limitOfDetection: Double?
  /// For how long after a drink readings are left out; nil to take what the study states of its
  /// instrument, and to leave none out if it states nothing.
  public var mouthAlcoholWindow: Hours?

  /// Chooses readings; by default as the study states, with the censored likelihood.
  public init(
    censoring: Censoring = .m3,
    limitOfDetection: Double? = nil,
    mouthAlcoholWindow: Hours? = nil
  ) {
    self.censoring = censoring
    self.limitOfDetection = limitOfDetection
    self.mouthAlcoholWindow = mouthAlcoholWindow
  }

  /// Says for each reading of a series what a fit does with it.
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

  /// The limit of detection of a reading, in its unit.
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

  /// Whether a reading can be no zero: above its limit of detection or, where none is known, above
  /// what instruments show of nothing.
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

  /// Of the zeros that end a series, the first says that the subject is sober; the others say it
  /// again, about the same error.
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

/// The times at which mouth alcohol spoils a reading.
package struct SpoiledTimes {
  private let drinks: [Drink]
  private let window: Hours

  package init(_ drinks: [Drink], window: Hours) {
    self.drinks = drinks
    self.window = window
  }

  /// A reading taken as a drink begins comes before it, one taken just when the window ends is good.
  package func contains(_ time: Hours) -> Bool {
    window > 0 && drinks.contains { time > $0.time && time < $0.end + window - .roundingSlack }
  }
}

extension Drink {
  /// When it was finished.
  package var end: Hours { time + duration }
}

/// What a fit does with a reading.
public enum ReadingUse: String, CaseIterable, Codable, Hashable, Sendable {
  /// It is fitted.
  case quantified
  /// It is below the limit of detection and says just that.
  case censored
  /// The study asks to leave it out.
  case excludedByStudy = "excluded-by-study"
  /// It was taken too soon after a drink, when mouth alcohol spoils it.
  case mouthAlcohol = "mouth-alcohol"
  /// It was taken before anything could be in the blood: whatever the parameters, the curve is zero
  /// there, so that the reading can tell nothing of them.
  case beforeDrinking = "before-drinking"
  /// It is below the limit of detection and such readings are dropped.
  case belowDetection = "below-detection"
  /// It follows a zero, and the first zero after sobriety says all there is to say.
  case repeatedZero = "repeated-zero"

  /// Whether the reading has a say in the fit.
  public var isUsed: Bool { self == .quantified || self == .censored }

  /// Why a reading is left out, in words; empty if it is not.
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

/// What a reading below the limit of detection says.
///
/// Without a limit of detection nothing is censored, and a zero is a reading of zero.
public enum Censoring: String, CaseIterable, Codable, Hashable, Sendable {
  /// The concentration is what was shown, and every zero after the first drink counts (naive; for
  /// comparison).
  case none
  /// Nothing: it is left out (Beal's M1).
  case drop
  /// That the prediction should not be above the limit; a prediction below it is no error.
  case oneSided = "one-sided"
  /// That the concentration shown was below the limit, with the probability that the error model
  /// gives this (Beal's M3; Beal 2001, J. Pharmacokinet. Pharmacodyn. 28, 481).
  case m3
}

extension Study {
  /// The study as fits use it: readings that they leave out are marked as left out by the study, and those below
  /// detection have their limit.
  ///
  /// - Returns: The study, and how many readings are left out, by reason; those that the study itself asks to leave out
  ///   do not count.
  package func asUsed(
    by selection: ReadingSelection
  ) -> (study: Study, leftOut: [(use: ReadingUse, count: Int)]) {
    var study = self
    var counts = [ReadingUse: Int]()
    for place in study.series.indices {
      let series = study.series[place]
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
        study.series[place].readings[index] = reading
      }
    }
    return (study, ReadingUse.allCases.compactMap { use in counts[use].map { (use, $0) } })
  }
}
