public import AlcoholKinetics

public enum CaseQuestion: String, CaseIterable, Codable, Hashable, Sendable {
  /// The concentration before a measurement.
  case back
  /// The concentration that drinks give.
  case forward
  /// The amount drunk, given a concentration.
  case drinks
  /// The concentration at an event, with drinks after it accounted for (hip flask).
  case later
  /// The time at which the concentration falls below a limit.
  case sober
}

/// A case: one person, one question, and all known facts.
///
/// Times are hours on the ``clock``.
public struct Case: Sendable {
  /// The title of the case.
  public var name: String?
  /// The file number of the case.
  public var number: String?
  /// The person responsible for the calculation.
  public var author: String?
  /// The clock on which times are given, with its hour 0.
  public var clock: CaseClock
  public var question: CaseQuestion
  /// The time in question: that of the event, or of the requested concentration.
  public var at: Hours?
  public var person: Subject
  public var heightSD: Metres
  public var weightSD: Kilograms
  /// The drinks, in order of time.
  public var drinks: [CaseDrink]
  public var drinkingBegan: Hours?
  public var drinkingEnded: Hours?
  public var measurement: CaseMeasurement?
  /// The unit of answers and limits.
  public var unit: ConcentrationUnit
  /// Limits to compare the concentration with, in ``unit``.
  public var limits: [Double]
  public var assumptions: CaseAssumptions

  public init(
    _ question: CaseQuestion, name: String? = nil, clock: CaseClock, at: Hours? = nil,
    person: Subject,
    heightSD: Metres = 0, weightSD: Kilograms = 0, drinks: [CaseDrink] = [],
    drinkingBegan: Hours? = nil,
    drinkingEnded: Hours? = nil, measurement: CaseMeasurement? = nil,
    unit: ConcentrationUnit = .bloodGramsPerKilogram, limits: [Double] = [],
    assumptions: CaseAssumptions = CaseAssumptions()
  ) {
    self.question = question
    self.name = name
    self.clock = clock
    self.at = at
    self.person = person
    self.heightSD = heightSD
    self.weightSD = weightSD
    self.drinks = drinks.sorted { $0.start < $1.start }
    self.drinkingBegan = drinkingBegan
    self.drinkingEnded = drinkingEnded
    self.measurement = measurement
    self.unit = unit
    self.limits = limits
    self.assumptions = assumptions
  }

  /// The beginning of drinking before the event.
  public var began: Hours? {
    [drinkingBegan, drinks.filter { !$0.isLater }.map(\.start).min()].compactMap(\.self).min()
  }

  /// The end of drinking before the event.
  public var ended: Hours? {
    [drinkingEnded, drinks.filter { !$0.isLater }.map(\.end).max()].compactMap(\.self).max()
  }

  var times: [Hours] {
    [at, measurement?.time, drinkingBegan, drinkingEnded].compactMap(\.self)
      + drinks.flatMap { [$0.start, $0.end] }
  }

  /// The period of elimination behind the answer: from the event or the beginning of drinking to the measurement or the time
  /// in question. Nil for a question about a time.
  public var span: (start: Hours, end: Hours)? {
    let ends: (Hours?, Hours?) =
      switch question {
      case .back, .later: (countedTo, measurement?.time)
      case .forward: (goesOnFromMeasurement ? measurement?.time : began, at)
      case .drinks: (began, measurement?.time)
      case .sober: (nil, nil)
      }
    guard let start = ends.0, let end = ends.1 else { return nil }
    return (start, end)
  }

  /// Whether a forward calculation starts from the measurement, because no drink before it is stated.
  public var goesOnFromMeasurement: Bool {
    guard question == .forward, let measurement else { return false }
    return drinks.allSatisfy { $0.start >= measurement.time }
  }

  /// The time from which absorption of the drinks before the event counts as finished; nil if the end of drinking is
  /// unknown.
  var absorbed: Hours? { finalEnd.map { $0 + assumptions.absorbedAfter } }

  private var finalEnd: Hours? {
    question == .back ? [ended, drinks.map(\.end).max()].compactMap(\.self).max() : ended
  }

  /// The end of a back calculation: the time in question, or a later one by a guideline
  /// (``CaseGuideline/countsFromAbsorption``).
  public var countedTo: Hours? {
    guard question == .back, assumptions.guideline?.countsFromAbsorption == true, let at,
      let finalEnd, let absorbed, at >= finalEnd, measurement.map({ $0.time >= absorbed }) ?? true
    else { return at }
    return max(at, absorbed)
  }

  /// The reference time of the answer: that of the measurement, or of the first drink.
  public var reference: Hours { measurement?.time ?? began ?? 0 }
}

/// A drink with the uncertainty of its amount.
public struct CaseDrink: Hashable, Sendable {
  public var start: Hours
  public var duration: Hours
  public var ethanol: Grams
  /// The coefficient of variation of the volume, as a fraction.
  public var volumeCV: Double
  /// The coefficient of variation of the strength, as a fraction.
  public var strengthCV: Double
  public var isLater: Bool
  public var text: String

  public var end: Hours { start + duration }

  public init(
    start: Hours, duration: Hours = 0, ethanol: Grams, volumeCV: Double = 0, strengthCV: Double = 0,
    isLater: Bool = false, text: String? = nil
  ) {
    self.start = start
    self.duration = duration
    self.ethanol = ethanol
    self.volumeCV = volumeCV
    self.strengthCV = strengthCV
    self.isLater = isLater
    self.text = text ?? "\(ethanol.value) g of ethanol"
  }
}

/// A measured concentration: the value of one sample, or of several taken at the same time.
public struct CaseMeasurement: Hashable, Sendable {
  public var time: Hours
  /// The value of each sample, in ``unit``.
  public var values: [Double]
  /// The analytical standard deviation of one value, in ``unit``.
  public var sd: Double
  /// The sample (blood, serum or breath) and unit of the values.
  public var unit: ConcentrationUnit
  /// The largest allowed difference of the values, as a fraction of their mean.
  public var duplicateLimit: Double

  /// The default of ``duplicateLimit``.
  public static let usualDuplicateLimit = 0.05

  public var value: Double { values.reduce(0, +) / Double(values.count) }
  /// The standard deviation of the mean, if the errors of the values are independent.
  public var meanSD: Double { sd / Double(values.count).squareRoot() }
  public var difference: Double { (values.max() ?? .nan) - (values.min() ?? .nan) }

  public init(time: Hours, value: Double, sd: Double = 0, unit: ConcentrationUnit) {
    self.init(time: time, values: [value], sd: sd, unit: unit)
  }

  public init(
    time: Hours, values: [Double], sd: Double = 0, unit: ConcentrationUnit,
    duplicateLimit: Double = usualDuplicateLimit
  ) {
    self.time = time
    self.values = values
    self.sd = sd
    self.unit = unit
    self.duplicateLimit = duplicateLimit
  }
}

/// The unit of r: blood-equivalent by mass or by volume, per kg of body weight.
public enum CaseRUnit: String, CaseIterable, Codable, Hashable, Sendable {
  /// kg/kg, for concentrations in g/kg.
  case kilogramsPerKilogram = "kg-per-kg"
  /// L/kg, for concentrations in g/L, mg/100 ml or percent.
  case litresPerKilogram = "l-per-kg"
}

/// The assumptions of a case, each with a default. The answer states the source of every number.
public struct CaseAssumptions: Sendable {
  /// The food state, which determines the default k_a and lag.
  public enum Stomach: String, CaseIterable, Codable, Hashable, Sendable {
    case fasted, fed, unknown
  }

  /// The treatment of absorption: modelled, or taken as finished (Widmark's formula).
  public enum Absorption: String, CaseIterable, Codable, Hashable, Sendable {
    case modelled, finished
  }

  public var rFactor: any RFactorMethod = Watson(bloodWater: .perKilogram)
  /// The unit of an r given as a number; nil if not stated, which means kg/kg.
  public var rUnit: CaseRUnit?
  /// The coefficient of variation of r about the method, as a fraction; nil for the measured one.
  public var rCV: Double?
  /// The elimination rate in g/kg/h; nil for that of ``betaPopulation``.
  public var beta: Uncertainty?
  /// The unit, per hour, in which ``beta`` was stated; nil if not stated, which means g/kg.
  public var betaUnit: ConcentrationUnit?
  /// The population from which the elimination rate is taken.
  public var betaPopulation = BetaPopulation.unknown
  /// The guideline of a country's courts, which determines the elimination rate; nil for none.
  public var guideline: CaseGuideline?
  /// The absorption rate constant in 1/h; nil for the default by ``stomach``.
  public var ka: Uncertainty?
  /// The lag before absorption, in h; nil for the default by ``stomach``, or none if k_a is given.
  public var lag: Uncertainty?
  public var stomach = Stomach.unknown
  /// The fraction of the ethanol that reaches the blood; nil for 1. Courts use 0.7 to 0.9 (absorption deficit).
  public var absorbedFraction: Uncertainty?
  public var absorption = Absorption.modelled
  /// The time after the end of drinking from which absorption counts as finished.
  public var absorbedAfter: Hours = 2
  /// The lowest concentration in blood to calculate from.
  public var lowest: GramsPerKilogram = 0.2
  public var factors = ConversionFactors()
  /// Whether the blood:breath ratio was stated, not assumed.
  public var isBreathRatioStated = false
  public var breathRatioSD = 0.0
  public var serumRatioSD = 0.0
  /// The posterior of k_a, beta and r from the person's own readings, which replaces the default ranges; nil without any.
  public var posterior: CasePosterior?

  public init() {}
}

public struct CaseOptions: Sendable {
  public enum Mode: String, CaseIterable, Codable, Hashable, Sendable {
    /// The most likely value, and the range over all combinations of the ends of the inputs.
    case guideline
    case monteCarlo = "monte-carlo"
  }

  public var mode: Mode
  public var draws: Int
  /// The seed of the draws; equal seeds give identical results.
  public var seed: UInt64
  /// The probability of the interval.
  public var level: Double
  /// The number of threads; results do not depend on it.
  public var jobs: Int
  /// Whether to compute the band of curves.
  var hasBand = true

  public init(
    mode: Mode = .guideline, draws: Int = 20_000, seed: UInt64 = 1, level: Double = 0.95,
    jobs: Int = 1
  ) {
    self.mode = mode
    self.draws = draws
    self.seed = seed
    self.level = level
    self.jobs = jobs
  }

  /// Refuses options with too few draws for an interval.
  func check() throws(Problem) {
    try require(
      (100...1_000_000).contains(draws) && level > 0 && level < 1
        && Double(draws) * (1 - level) >= 10,
      "\(draws) draws do not determine an interval at \(level); take up to 1000000, so many that 10 at "
        + "least are outside")
  }
}
