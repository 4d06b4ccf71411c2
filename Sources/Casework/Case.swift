public import AlcoholKinetics

public enum CaseQuestion: String, CaseIterable, Codable, Hashable, Sendable {
  /// The concentration before a measurement.
  case back
  /// The concentration that drinks give.
  case forward
  /// How much was drunk, given a concentration.
  case drinks
  /// What is left at an event, once drinks after it are accounted for (hip flask).
  case later
  /// When the concentration falls below a limit.
  case sober
}

/// One person, one question, and everything that is known.
///
/// Times are hours on the ``clock``.
public struct Case: Sendable {
  /// Whom or what it is about, as the answer's title.
  public var name: String?
  /// Under which number the case is kept.
  public var number: String?
  /// Who answers for the calculation.
  public var author: String?
  /// What hour 0 is.
  public var clock: CaseClock
  public var question: CaseQuestion
  /// The time asked about: of the event, or of the concentration wanted.
  public var at: Hours?
  public var person: Subject
  public var heightSD: Metres
  public var weightSD: Kilograms
  /// What was drunk, in order of time.
  public var drinks: [CaseDrink]
  public var drinkingBegan: Hours?
  public var drinkingEnded: Hours?
  public var measurement: CaseMeasurement?
  /// The unit of answers and limits.
  public var unit: ConcentrationUnit
  /// Concentrations that matter, in ``unit``.
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

  /// When the drinks before the event began.
  public var began: Hours? {
    [drinkingBegan, drinks.filter { !$0.isLater }.map(\.start).min()].compactMap(\.self).min()
  }

  /// When the drinks before the event ended.
  public var ended: Hours? {
    [drinkingEnded, drinks.filter { !$0.isLater }.map(\.end).max()].compactMap(\.self).max()
  }

  var times: [Hours] {
    [at, measurement?.time, drinkingBegan, drinkingEnded].compactMap(\.self)
      + drinks.flatMap { [$0.start, $0.end] }
  }

  /// The times between which the alcohol of the answer was eliminated: of the event or of the beginning of drinking,
  /// and of the measurement or of the time asked about. Nil for a question about a time.
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

  /// Whether a forward calculation begins with the measurement: nothing is stated that was drunk before it.
  public var goesOnFromMeasurement: Bool {
    guard question == .forward, let measurement else { return false }
    return drinks.allSatisfy { $0.start >= measurement.time }
  }

  /// When absorption of all that was drunk before the event counts as finished; nil if the end of drinking is not
  /// known.
  var absorbed: Hours? { finalEnd.map { $0 + assumptions.absorbedAfter } }

  private var finalEnd: Hours? {
    question == .back ? [ended, drinks.map(\.end).max()].compactMap(\.self).max() : ended
  }

  /// The time to which a back calculation goes: the time asked about, or a later one by the rule of a country's
  /// courts (``CaseGuideline/countsFromAbsorption``).
  public var countedTo: Hours? {
    guard question == .back, assumptions.guideline?.countsFromAbsorption == true, let at,
      let finalEnd, let absorbed, at >= finalEnd, measurement.map({ $0.time >= absorbed }) ?? true
    else { return at }
    return max(at, absorbed)
  }

  /// When the answer is given from: the time of the measurement, or of the first drink.
  public var reference: Hours { measurement?.time ?? began ?? 0 }
}

/// A drink with what is not known of it exactly.
public struct CaseDrink: Hashable, Sendable {
  public var start: Hours
  public var duration: Hours
  public var ethanol: Grams
  /// Coefficient of variation of its volume, as a fraction.
  public var volumeCV: Double
  /// Coefficient of variation of its strength, as a fraction.
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

/// A measured concentration: one value, or several of samples that were taken at the same time.
public struct CaseMeasurement: Hashable, Sendable {
  public var time: Hours
  /// The value of each sample, in ``unit``.
  public var values: [Double]
  /// The analytical standard deviation of one value, in ``unit``.
  public var sd: Double
  /// What it was measured in: blood, serum or breath, and its unit.
  public var unit: ConcentrationUnit
  /// By how much the values may differ, as a fraction of their mean.
  public var duplicateLimit: Double

  /// By how much values may differ unless a laboratory has a rule of its own, as a fraction of their mean.
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

/// What one unit of r is: of body weight, as if all of the body were blood, or of its volume.
public enum CaseRUnit: String, CaseIterable, Codable, Hashable, Sendable {
  /// kg/kg, for concentrations in g/kg.
  case kilogramsPerKilogram = "kg-per-kg"
  /// L/kg, for concentrations in g/L, mg/100 ml or percent.
  case litresPerKilogram = "l-per-kg"
}

/// What a case assumes unless stated otherwise. The answer gives the source of every number.
public struct CaseAssumptions: Sendable {
  /// What was in the stomach, which decides the default k_a and lag.
  public enum Stomach: String, CaseIterable, Codable, Hashable, Sendable {
    case fasted, fed, unknown
  }

  /// Whether absorption is followed, or taken as finished (Widmark's formula).
  public enum Absorption: String, CaseIterable, Codable, Hashable, Sendable {
    case modelled, finished
  }

  public var rFactor: any RFactorMethod = Watson(bloodWater: .perKilogram)
  /// What an r that is given as a number is in; nil if that is not stated, which means kg/kg.
  public var rUnit: CaseRUnit?
  /// Coefficient of variation of r about the method, as a fraction; nil for what was measured.
  public var rCV: Double?
  /// Elimination rate in g/kg/h; nil for that of ``betaPopulation``.
  public var beta: Uncertainty?
  /// The unit, per hour, in which ``beta`` was stated; nil if none was, which means g/kg.
  public var betaUnit: ConcentrationUnit?
  /// From which people the elimination rate is taken.
  public var betaPopulation = BetaPopulation.unknown
  /// The rule of a country's courts, which has the elimination rate; nil for none.
  public var guideline: CaseGuideline?
  /// Absorption rate constant in 1/h; nil for what fits ``stomach``.
  public var ka: Uncertainty?
  /// Lag before absorption, in h; nil for what belongs to the k_a of ``stomach``, and for none beside a k_a that is
  /// given.
  public var lag: Uncertainty?
  public var stomach = Stomach.unknown
  /// The fraction of the ethanol drunk that reaches the blood; nil for all of it. Courts count with 0.7 to 0.9, a
  /// deficit of absorption.
  public var absorbedFraction: Uncertainty?
  public var absorption = Absorption.modelled
  /// How long after the end of drinking absorption counts as finished.
  public var absorbedAfter: Hours = 2
  /// The lowest concentration in blood to calculate from.
  public var lowest: GramsPerKilogram = 0.2
  public var factors = ConversionFactors()
  /// Whether the blood:breath ratio was stated for the case, not assumed.
  public var isBreathRatioStated = false
  public var breathRatioSD = 0.0
  public var serumRatioSD = 0.0
  /// What the person's own readings say of k_a, beta and r, in place of textbook ranges; nil without any.
  public var posterior: CasePosterior?

  public init() {}
}

public struct CaseOptions: Sendable {
  public enum Mode: String, CaseIterable, Codable, Hashable, Sendable {
    /// The most likely value and the range of all combinations of the inputs' ends.
    case guideline
    case monteCarlo = "monte-carlo"
  }

  public var mode: Mode
  public var draws: Int
  /// The seed of the draws; equal seeds give equal bits.
  public var seed: UInt64
  /// The level of the interval of the distribution.
  public var level: Double
  /// How many threads work at once; no result depends on it.
  public var jobs: Int
  /// Whether the curves behind an answer are computed.
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

  /// Refuses options that determine no interval.
  func check() throws(CaseFailure) {
    try require(
      (100...1_000_000).contains(draws) && level > 0 && level < 1
        && Double(draws) * (1 - level) >= 10,
      "\(draws) draws do not determine an interval at \(level); take up to 1000000, so many that 10 at "
        + "least are outside")
  }
}
