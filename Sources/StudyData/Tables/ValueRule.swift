import AlcoholKinetics

/// What a number of a study may be, wherever it stands, and what to say of one that it may not be.
struct ValueRule: Sendable {
  /// The code of a finding.
  let code: DiagnosticCode
  /// What is wrong, after the number.
  let complaint: String
  /// What to do.
  let remedy: String
  /// Whether a number may be.
  let allows: @Sendable (Double) -> Bool

  private init(
    _ code: DiagnosticCode, _ complaint: String, remedy: String,
    allows: @escaping @Sendable (Double) -> Bool
  ) {
    self.code = code
    self.complaint = complaint
    self.remedy = remedy
    self.allows = allows
  }
}

// MARK: People

extension ValueRule {
  /// An age in years.
  static let age = ValueRule(
    .ageRange, "which is not a plausible age", remedy: "give the age in years, 0 to 130"
  ) { SubjectRows.ages ~= $0 }

  /// A height in m.
  static let heightInMetres = ValueRule(
    .heightRange, "which is not a plausible body height", remedy: "give the height in m, 0.5 to 2.6"
  ) { SubjectRows.heights ~= Metres($0).centimetres }

  /// A weight in kg.
  static let weight = ValueRule(
    .weightRange, "which is not a plausible body weight",
    remedy: "give the weight in kilograms, 20 to 400"
  ) { SubjectRows.weights ~= $0 }
}

// MARK: Times and doses

extension ValueRule {
  /// A time in min.
  static let minutes = ValueRule(
    .timeRange, "which is longer than a million minutes",
    remedy: "give minutes on the clock of the series, not a date"
  ) { abs($0) <= TimeColumns.limitInMinutes }

  /// A time in h.
  static let hours = ValueRule(
    .timeRange, "which is longer than a million minutes",
    remedy: "give hours on the clock of the series, not a date"
  ) { abs($0) <= TimeColumns.limitInMinutes / 60 }

  /// A duration, in a unit of this name.
  static func duration(in unit: String) -> ValueRule {
    ValueRule(
      .durationNegative, "which is negative",
      remedy: "give the \(unit) from the first sip to the last"
    ) { $0 >= 0 }
  }

  /// An amount of a drink.
  static let amount = ValueRule(
    .doseNegative, "which is negative", remedy: "give the amount drunk, 0 for a placebo"
  ) { $0 >= 0 }

  /// An amount of ethanol that somebody can drink at once.
  static func amount(upTo limit: Double) -> ValueRule {
    ValueRule(
      .doseRange, "which is not a plausible dose", remedy: "check the unit"
    ) { $0 <= limit }
  }
}

// MARK: Readings

extension ValueRule {
  /// A reading that is not excluded.
  static let reading = ValueRule(
    .readingNegative, "which is negative",
    remedy: "give 0 for a reading below detection, or exclude it"
  ) { $0 >= 0 }

  /// A reading that somebody can have.
  static func highReading(in unit: ConcentrationUnit) -> ValueRule {
    ValueRule(
      .readingHigh, "which is more than \(ConcentrationUnit.implausibleConcentration) in blood",
      remedy: "check the unit in the column name"
    ) { number in
      unit.bloodConcentration(of: number, using: ConversionFactors())
        <= ConcentrationUnit.implausibleConcentration
    }
  }

  /// A limit of detection.
  static let detectionLimit = ValueRule(
    .detectionLimit, "which is negative",
    remedy: "give the limit of detection in the unit of the reading, or leave it empty"
  ) { $0 >= 0 }
}
