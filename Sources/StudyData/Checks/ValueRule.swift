package import AlcoholKinetics

/// The range of a number in a study, with the complaint and the remedy for values outside.
package struct ValueRule: Sendable {
  package let code: DiagnosticCode
  package let complaint: String
  package let remedy: String
  /// The allowed range, after scaling.
  @usableFromInline let range: ClosedRange<Double>
  /// The factor from the number's unit to that of the range.
  @usableFromInline let scale: Double

  package init(
    _ code: DiagnosticCode, _ complaint: String, remedy: String, range: ClosedRange<Double>,
    scale: Double = 1
  ) {
    self.code = code
    self.complaint = complaint
    self.remedy = remedy
    self.range = range
    self.scale = scale
  }

  @inlinable @inline(__always)
  package func allows(_ number: Double) -> Bool {
    number * scale >= range.lowerBound && number * scale <= range.upperBound
  }

  private static let upwards = 0...Double.greatestFiniteMagnitude
}

// MARK: People

extension ValueRule {
  /// One pound in kg, exact by definition (NIST SP 811, 2008).
  package static let poundInKilograms = 0.45359237
  /// One inch in cm, exact by definition (NIST SP 811, 2008).
  package static let inchInCentimetres = 2.54

  package static let age = ValueRule(
    .range, "which is not a plausible age",
    remedy: "give the age in years, \(BodyRange.ages.words)",
    range: BodyRange.ages)

  package static let heightInMetres = ValueRule(
    .range, "which is not a plausible body height",
    remedy: "give the height in m, 0.5 to 2.6",
    range: BodyRange.heights.lowerBound / 100...BodyRange.heights.upperBound / 100)

  package static let weight = ValueRule(
    .range, "which is not a plausible body weight",
    remedy: "give the weight in kilograms, \(BodyRange.weights.words)",
    range: BodyRange.weights)
}

// MARK: Times and doses

extension ValueRule {
  /// Two years of minutes: more is a date, or another unit.
  package static var limitInMinutes: Double { minutes.range.upperBound }
  /// More ethanol in g than anybody drinks at once: the unit is wrong.
  package static let limitInGrams = 5000.0
  /// More ethanol in g/kg than anybody drinks at once: the unit is wrong.
  package static let limitInGramsPerKilogram = 50.0

  /// A time in min. Of the limits of times, here and below, only literals are known when compiling, so
  /// that no row waits until they are made.
  package static let minutes = ValueRule(
    .range, "which is longer than a million minutes",
    remedy: "give minutes on the clock of the series, not a date",
    range: -1e6...1e6)

  package static let hours = ValueRule(
    .range, "which is longer than a million minutes",
    remedy: "give hours on the clock of the series, not a date",
    range: -1e6...1e6, scale: 60)

  package static func duration(in unit: String) -> ValueRule {
    ValueRule(
      .range, "which is negative",
      remedy: "give the \(unit) from the first sip to the last", range: upwards)
  }

  package static let amount = ValueRule(
    .range, "which is negative", remedy: "give the amount drunk, 0 for a placebo",
    range: upwards)

  package static let strength = ValueRule(
    .range, "which is not an alcohol content", remedy: "give the percentage by volume, 0 to 100",
    range: 0...100)

  package static let rate = ValueRule(
    .event, "which is not a rate",
    remedy: "give the rate in g/h, or 0 for a dose taken at once", range: upwards)

  package static func amount(upTo limit: Double) -> ValueRule {
    ValueRule(
      .range, "which is not a plausible dose", remedy: "check the unit",
      range: -Double.greatestFiniteMagnitude...limit)
  }
}

// MARK: Readings

extension ValueRule {
  package static let reading = ValueRule(
    .range, "which is negative",
    remedy: "give 0 for a reading below detection, or exclude it", range: upwards)

  /// A reading that somebody can have.
  package static func highReading(in unit: ConcentrationUnit) -> ValueRule {
    ValueRule(
      .readingHigh, "which is more than \(ConcentrationUnit.implausibleConcentration) in blood",
      remedy: "check the unit of the readings",
      range: -Double.infinity...ConcentrationUnit.implausibleConcentration.value,
      scale: unit.gramsPerKilogram(using: ConversionFactors()))
  }

  package static let eventDetectionLimit = ValueRule(
    .range, "which is negative",
    remedy: "give it in the unit of the reading, or leave it empty", range: upwards)

  package static let detectionLimit = ValueRule(
    .range, "which is negative",
    remedy: "give the limit of detection in the unit of the reading, or leave it empty",
    range: upwards)
}

extension ConcentrationUnit {
  /// More blood alcohol than anybody survives, in g/kg: the unit is wrong.
  package static let implausibleConcentration: GramsPerKilogram = 10
}

extension FoodState {
  package static let complaint =
    "which is neither \(allCases.map(\.rawValue).joined(separator: " nor "))"

  /// The remedy for another word, of a column that may be about something else.
  package static func remedy(for word: String, orRename: Bool = false) -> String {
    let meant = FoodState(meantBy: word).map { "did you mean \($0.rawValue)? Otherwise " } ?? ""
    return meant + "write \(inWords), or leave it out"
      + (orRename ? "; rename the column if it is about something else" : "")
  }
}

/// The ranges of body measures, for studies and for cases.
package enum BodyRange {
  /// Ages in years, heights in cm, weights in kg.
  package static let ages = 0.0...130
  package static let heights = 50.0...260
  package static let weights = 20.0...400
  /// Body mass indices in kg/m2 outside of which a unit is wrong. About 12 is the least with which people have
  /// survived starvation (Henry 1990, Eur J Clin Nutr 44, 329-335); the upper end is wide and has no source.
  package static let massIndices = 12.0...70
}

extension ClosedRange<Double> {
  /// `20 to 400`, of a range with whole ends.
  package var words: String { "\(Int(lowerBound)) to \(Int(upperBound))" }
}
