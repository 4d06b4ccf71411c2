public import AlcoholKinetics
import Estimation
import Foundation

public struct CaseAnswer: Sendable {
  public struct Value: Sendable {
    public let quantity: CaseQuantity
    /// The value at the most likely inputs.
    public let likeliest: Double
    /// The lower end: of all combinations of the inputs' ends, or of the interval.
    public let low: Double
    public fileprivate(set) var high: Double
    /// Nil in guideline mode.
    public let distribution: CaseDistribution?
  }

  /// A limit that the concentration is compared with.
  public struct Limit: Sendable {
    public let limit: Double
    /// Whether the most likely value, and both ends, are above it.
    public let isAbove: (likeliest: Bool, low: Bool, high: Bool)
    /// The fraction of draws above it, with its standard error; nil in guideline mode.
    public let chance: (value: Double, error: Double)?

    fileprivate init(_ value: Value, _ limit: Double) {
      self.limit = limit
      isAbove = (value.likeliest > limit, value.low > limit, value.high > limit)
      chance = value.distribution?.chance(above: limit)
    }
  }

  /// How much of an answer's variance comes from an input: Sobol indices with their standard errors.
  public struct Sensitivity: Hashable, Sendable {
    public let input: CaseInput.Name
    /// First-order index: from the input alone.
    public let first: Double
    public let firstError: Double
    /// Total index: from the input with all its interactions.
    public let total: Double
    public let totalError: Double
  }

  /// A point of the band of curves, in the unit of answers.
  public struct BandPoint: Hashable, Sendable {
    public let time: Hours
    /// The curve of the most likely inputs.
    public let likeliest: Double
    public let low: Double
    public let high: Double
  }

  public let one: Case
  public let options: CaseOptions
  /// The answer and what belongs to it; the first is what was asked.
  public let values: [Value]
  /// The limits that the concentration is compared with.
  public let limits: [Limit]
  /// The first value worked out, then in guideline mode its lower and upper end; empty where no sum gives them.
  public let sums: [CaseSum]
  public let inputs: [CaseInput]
  /// Which input contributes how much to the first value; empty in guideline mode.
  public let sensitivities: [Sensitivity]
  /// The curves behind the answer.
  public let band: [BandPoint]
  public private(set) var warnings: [CaseWarning]
  /// Whether the measurement leaves the answer open downwards: the drinks after the event may have found the blood
  /// empty. The answer's most likely value and its distribution are then the least that goes with the measurement,
  /// its upper end the most.
  public let isOpen: Bool
  /// The concentration that the drinks after the event would have given on their own at the measurement, where that is
  /// more than was measured whatever the inputs are: nobody who was measured so had them. Nil where they are possible.
  public let refutation: Refutation?

  /// A concentration that was not measured, in the unit of answers.
  public struct Refutation: Hashable, Sendable {
    /// At the most likely inputs.
    public let likeliest: Double
    public let low: Double
    public let high: Double
  }

  /// Answers a case: in guideline mode from every combination of the inputs' ends, otherwise from random draws.
  ///
  /// - Throws: ``CaseFailure`` for what guidelines refuse, and for what is missing or cannot be true.
  public init(_ one: Case, options: CaseOptions = CaseOptions()) throws(CaseFailure) {
    try self.init(one, options, hasBand: true)
  }

  private init(_ one: Case, _ options: CaseOptions, hasBand: Bool) throws(CaseFailure) {
    warnings = try one.check(options.mode)
    let model = try CaseModel(one, options.mode)
    try options.check()
    self.one = one
    self.options = options
    inputs = model.inputs

    let center = model.center
    let likeliest = model.values(center)
    let simulation =
      options.mode == .monteCarlo ? CaseSimulation(model, options) : nil
    let corners = simulation == nil ? model.corners : []
    let found = simulation?.draws() ?? (corners.map(model.values) + [likeliest])
    var values = model.quantities.enumerated().map { place, quantity in
      let column = found.map { $0[place] }
      let distribution = simulation.map { _ in CaseDistribution(column, level: options.level) }
      return Value(
        quantity: quantity, likeliest: likeliest[place],
        low: distribution?.low ?? column.min() ?? .nan,
        high: distribution?.high ?? column.max() ?? .nan, distribution: distribution)
    }

    let first = found.map { $0[0] }
    let later =
      one.question == .later
      ? simulation?.laterDrinks() ?? (corners + [center]).map(model.laterDrinks) : []
    let most = later.isEmpty ? first : later.map(\.most)
    isOpen = Double(zip(first, most).count { $0 < $1 }) > options.tail * Double(first.count)
    if isOpen { values[0].high = max(values[0].high, options.ends(of: most).high) }
    self.values = values
    refutation =
      later.isEmpty ? nil : Self.refutation(model.laterDrinks(center), later, options)

    // Of ranges the sums of both ends are shown as well, where these are ends of the sum.
    let ends =
      isOpen || simulation != nil
      ? [] : [values[0].low, values[0].high].compactMap { first.firstIndex(of: $0) }
    let worked = ends.map { ($0 < corners.count ? corners[$0] : center).sum(of: first[$0]) }
    let sums = isOpen && simulation != nil ? [] : [center.sum(of: likeliest[0])] + worked
    self.sums = sums.contains(nil) ? [] : sums.compactMap(\.self)
    sensitivities = simulation?.sensitivities(first) ?? []
    let shown = simulation.map { simulation in
      (0..<min(options.draws, 1000)).map { simulation.draw(row: $0) }
    }
    band = hasBand ? Self.band(model, center, shown ?? corners, options) : []
    let concentration = values.first { $0.quantity.name == .concentration }
    limits = one.limits.compactMap { limit in concentration.map { Limit($0, limit) } }
    warnings += warningsOfResults
    try refuseTheImpossible()
    warnings += warningsOfConversions
  }

  public var main: Value { values[0] }

  private static func refutation(
    _ center: CaseModel.LaterDrinks, _ found: [CaseModel.LaterDrinks], _ options: CaseOptions
  ) -> Refutation? {
    let all = found + [center]
    guard options.ends(of: all.map(\.excess)).low > 0 else { return nil }
    let ends = options.ends(of: all.map(\.alone))
    return Refutation(likeliest: center.alone, low: ends.low, high: ends.high)
  }

  /// Refuses results that only wrong inputs give.
  private func refuseTheImpossible() throws(CaseFailure) {
    try require(
      values.allSatisfy({ $0.likeliest.isFinite && $0.low.isFinite && $0.high.isFinite }),
      "no curve agrees with these inputs; check times, weights, amounts and ranges")
    guard one.question == .forward else { return }
    let blood = one.unit.bloodConcentration(
      of: main.likeliest, using: one.assumptions.factors
    ).value
    try require(
      blood <= Case.highest,
      "the drinks give \(blood.brief) g/kg of blood, above \(Case.highest.brief), which "
        + "nobody survives; check amounts, strengths and the weight")
  }

  private var warningsOfResults: [CaseWarning] {
    var warnings: [CaseWarning] = []
    if let difference = values.first(where: { $0.quantity.name == .unexplained }) {
      if difference.low > 0 { warnings.append(.unexplained(difference.distribution)) }
      if difference.high < 0 { warnings.append(.overexplained(difference.distribution)) }
    }
    if let refutation {
      warnings.append(.refuted(refutation, one.unit))
    } else if isOpen {
      warnings.append(.emptyBetween)
    }
    let answers = values.filter { $0.quantity.name == .timeBelow }.map {
      one.reference + Hours($0.high)
    }
    let times = one.times + answers
    if let first = times.min(), let last = times.max() {
      let changes = one.clock.changes(from: first, to: last)
      if !changes.isEmpty {
        warnings.append(
          .clocks(
            (one.clock.text(first), one.clock.text(last)), counted: (last - first).value, changes))
      }
    }
    return warnings
  }

  /// What is said of conversions that are not stated, with what others would give.
  private var warningsOfConversions: [CaseWarning] {
    let assumptions = one.assumptions
    var warnings: [CaseWarning] = []
    if inputs.contains(where: { $0.name == .breathRatio }), !assumptions.isBreathRatioStated {
      let others = other {
        $0.factors.bloodBreathRatio = ConversionFactors.volunteersBreathRatio.mean
        $0.isBreathRatioStated = true
      }
      warnings.append(
        .breathRatio(assumptions.factors.bloodBreathRatio, others: others.map(\.inWords)))
    }
    if assumptions.guideline != nil, one.measurement?.unit.matrix == .serum,
      assumptions.factors.serumBloodRatio == ConversionFactors().serumBloodRatio
    {
      let density = assumptions.factors.bloodDensityKgPerL
      let divisors = CaseGuideline.serumDivisors
      let answers = [divisors.upperBound, divisors.lowerBound].compactMap { divisor in
        other { $0.factors.serumBloodRatio = divisor / density }
      }
      if answers.count == 2 {
        let ends = answers.map(\.main.likeliest)
        let between = one.limits.filter { $0 >= ends[0] && $0 < ends[1] }
        warnings.append(
          .serumRatio(
            assumptions.factors.serumBloodRatio * density,
            answers: (ends[0].rounded3, answers[1].inWords),
            between: between.map { "\($0.brief) \(one.unit.symbol)" }))
      }
    }
    let isPerVolume = [one.unit, one.needs.contains(.measurement) ? one.measurement?.unit : nil]
      .contains { $0.map { $0.matrix == .blood && $0 != .bloodGramsPerKilogram } ?? false }
    guard isPerVolume, assumptions.posterior == nil else { return warnings }
    if let given = assumptions.rFactor as? GivenRFactor, assumptions.rUnit == nil,
      one.needs.contains(.r)
    {
      let others = other { $0.rUnit = .litresPerKilogram }
      warnings.append(.rUnit(given.r.value, others: others.map(\.inWords)))
    }
    if let beta = assumptions.beta, assumptions.betaUnit == nil {
      let others = other {
        $0.beta = beta.scaled(
          by: ConcentrationUnit.bloodGramsPerLitre.gramsPerKilogram(using: $0.factors))
      }
      warnings.append(.betaUnit(beta, others: others.map(\.inWords)))
    }
    return warnings
  }

  /// The answer in guideline mode with other assumptions, without its band; nil where they have none.
  private func other(_ change: (inout CaseAssumptions) -> Void) -> CaseAnswer? {
    var other = one
    change(&other.assumptions)
    // What is asked for here is said of the answer itself.
    other.assumptions.isBreathRatioStated = true
    other.assumptions.rUnit = other.assumptions.rUnit ?? .kilogramsPerKilogram
    return try? CaseAnswer(other, CaseOptions(), hasBand: false)
  }

  /// The answer with its ends, for messages.
  private var inWords: String {
    let unit = main.quantity.name == .concentration ? one.unit.symbol : main.quantity.unit
    let (most, low, high) = (
      main.likeliest.rounded3, main.low.rounded3, main.high.rounded3
    )
    return low == high ? "\(most) \(unit)" : "\(most) \(unit) (\(low) to \(high))"
  }

  // MARK: The band

  private static let pointCount = 97

  private static func band(
    _ model: CaseModel, _ center: CaseDraw, _ draws: [CaseDraw], _ options: CaseOptions
  ) -> [BandPoint] {
    var span = model.span
    if model.one.question == .sober {
      // Until the slowest curve is at the lowest limit.
      let times = draws.flatMap { draw in
        zip(model.quantities, model.values(draw)).filter { $0.0.name == .timeBelow }.map(\.1)
      }
      let longest = times.filter(\.isFinite).max() ?? 1
      span = span.lowerBound...(span.lowerBound + max(longest, 0.25))
    }
    let step = (span.upperBound - span.lowerBound) / Double(pointCount - 1)
    let times = (0..<pointCount).map { Hours(span.lowerBound + Double($0) * step) }
    let likeliest = model.curve(center, at: times)
    let least = draws.map { model.curve($0, at: times) }
    let most =
      model.one.question == .later ? draws.map { model.curve($0, at: times, isMost: true) } : least
    return times.indices.map { place in
      BandPoint(
        time: times[place], likeliest: likeliest[place],
        low: options.ends(of: least.map { $0[place] } + [likeliest[place]]).low,
        high: options.ends(of: most.map { $0[place] } + [likeliest[place]]).high)
    }
  }
}

extension Double {
  /// Three significant digits.
  fileprivate var rounded3: String { abs(self) < 1000 ? String(format: "%.3g", self) : brief }
}

extension CaseOptions {
  /// The fraction of draws outside each end of an answer.
  fileprivate var tail: Double { mode == .guideline ? 0 : (1 - level) / 2 }

  /// The ends of some draws' values: their range, or the interval.
  fileprivate func ends(of values: [Double]) -> (low: Double, high: Double) {
    guard mode == .monteCarlo else { return (values.min() ?? .nan, values.max() ?? .nan) }
    let sorted = values.sorted()
    return (
      EmpiricalQuantile.type7(tail, ofSorted: sorted),
      EmpiricalQuantile.type7(1 - tail, ofSorted: sorted)
    )
  }
}
