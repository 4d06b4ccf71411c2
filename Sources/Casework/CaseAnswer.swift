public import AlcoholKinetics
import Estimation
import Foundation

public struct CaseAnswer: Sendable {
  public struct Value: Sendable {
    public let quantity: CaseQuantity
    /// The value at the most likely inputs.
    public let likeliest: Double
    /// The lower end of the range over all combinations of the inputs' ends, or of the interval.
    public let low: Double
    public fileprivate(set) var high: Double
    /// Nil in guideline mode.
    public let distribution: CaseDistribution?
  }

  /// A limit compared with the concentration.
  public struct Limit: Sendable {
    public let limit: Double
    /// Whether the most likely value, and each end, is above the limit.
    public let isAbove: (likeliest: Bool, low: Bool, high: Bool)
    /// The fraction of draws above the limit, with its standard error; nil in guideline mode.
    public let chance: (value: Double, error: Double)?

    fileprivate init(_ value: Value, _ limit: Double) {
      self.limit = limit
      isAbove = (value.likeliest > limit, value.low > limit, value.high > limit)
      chance = value.distribution?.chance(above: limit)
    }
  }

  /// The contribution of an input to the variance of the answer: Sobol indices with their standard errors.
  public struct Sensitivity: Hashable, Sendable {
    public let input: CaseInput.Name
    /// The first-order index: the input alone.
    public let first: Double
    public let firstError: Double
    /// The total index: the input with all its interactions.
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
  /// The quantities of the answer; the first answers the question.
  public let values: [Value]
  /// The limits compared with the concentration.
  public let limits: [Limit]
  /// The calculation of the first value, then in guideline mode of its lower and upper end; empty if they are not sums.
  public let sums: [CaseSum]
  public let inputs: [CaseInput]
  /// The contribution of each input to the variance of the first value; empty in guideline mode.
  public let sensitivities: [Sensitivity]
  /// The curves behind the answer.
  public let band: [BandPoint]
  public private(set) var warnings: [CaseWarning]
  /// Whether the measurement does not determine the answer, because the blood may have been empty before the drinks after the
  /// event. The most likely value and the distribution are then the lowest compatible with the measurement, the upper end
  /// the highest.
  public let isOpen: Bool
  /// The concentration from the drinks after the event alone at the measurement, if it exceeds the measured one for all
  /// inputs, which refutes these drinks; nil if they are possible.
  public let refutation: Refutation?

  /// A concentration that contradicts the measurement, in the unit of answers.
  public struct Refutation: Hashable, Sendable {
    /// At the most likely inputs.
    public let likeliest: Double
    public let low: Double
    public let high: Double
  }

  /// Answers a case: in guideline mode by all combinations of the ends of the inputs, otherwise by random draws.
  ///
  /// - Throws: `Problem` if a guideline refuses the case, or facts are missing or impossible.
  public init(_ one: Case, options: CaseOptions = CaseOptions()) throws(Problem) {
    warnings = try one.check(options.mode)
    let inputs = try CaseInputs(one, options.mode)
    try options.check()
    self.one = one
    self.options = options
    self.inputs = inputs.all

    let simulation = options.mode == .monteCarlo ? CaseSimulation(inputs, options) : nil
    let corners = simulation == nil ? inputs.corners : []
    let center = inputs.center.answer(traces: true)
    let outcomes =
      simulation?.answers() ?? (corners.map { $0.answer(traces: true) } + [center])
    var values = inputs.quantities.enumerated().map { index, quantity in
      let column = outcomes.map(\.values[index])
      let distribution = simulation.map { _ in CaseDistribution(column, level: options.level) }
      return Value(
        quantity: quantity, likeliest: center.values[index],
        low: distribution?.low ?? column.min() ?? .nan,
        high: distribution?.high ?? column.max() ?? .nan, distribution: distribution)
    }

    let first = outcomes.map(\.values[0])
    let later = outcomes.compactMap(\.later)
    let most = later.isEmpty ? first : later.map(\.most)
    isOpen = Double(zip(first, most).count { $0 < $1 }) > options.tail * Double(first.count)
    if isOpen { values[0].high = max(values[0].high, options.ends(of: most).high) }
    self.values = values
    refutation = center.later.flatMap { Self.refutation($0, later, options) }

    // Of ranges the calculations of both ends are shown as well.
    let ends =
      isOpen || simulation != nil
      ? [] : [values[0].low, values[0].high].compactMap { first.firstIndex(of: $0) }
    let sums = isOpen && simulation != nil ? [] : [center.sum] + ends.map { outcomes[$0].sum }
    self.sums = sums.contains(nil) ? [] : sums.compactMap(\.self)
    sensitivities = simulation?.sensitivities(first) ?? []
    let shown = simulation.map { simulation in
      (0..<min(options.draws, 1000)).map { simulation.draw(row: $0) }
    }
    band = options.hasBand ? Self.band(inputs, shown ?? corners, options) : []
    let concentration = values.first { $0.quantity.name == .concentration }
    limits = one.limits.compactMap { limit in concentration.map { Limit($0, limit) } }
    warnings += warningsOfResults
    try refuseTheImpossible()
    warnings += warningsOfConversions
  }

  public var main: Value { values[0] }

  private static func refutation(
    _ center: CaseOutcome.LaterDrinks, _ draws: [CaseOutcome.LaterDrinks], _ options: CaseOptions
  ) -> Refutation? {
    let all = draws + [center]
    guard options.ends(of: all.map(\.excess)).low > 0 else { return nil }
    let ends = options.ends(of: all.map(\.alone))
    return Refutation(likeliest: center.alone, low: ends.low, high: ends.high)
  }

  /// Refuses results that only wrong inputs can give.
  private func refuseTheImpossible() throws(Problem) {
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
      let above = difference.distribution?.chance(above: 0).value
      if difference.low > 0 {
        warnings.append(
          CaseWarning(
            "W_CASE_UNEXPLAINED",
            "the stated drinks do not explain the measured concentration: it is above what they give in "
              + Self.share(above),
            "Check amounts, times and the unit, or ask for further drinks"))
      }
      if difference.high < 0 {
        warnings.append(
          CaseWarning(
            "W_CASE_UNEXPLAINED",
            "the measured concentration is below what the stated drinks give in "
              + Self.share(above.map { 1 - $0 }),
            "Check amounts, times and the unit; less may have been drunk"))
      }
    }
    if let refutation {
      warnings.append(
        CaseWarning(
          "W_CASE_REFUTED",
          "the drinks after the event would have given \(refutation.low.brief) to \(refutation.high.brief) "
            + "\(one.unit.symbol) on their own, which is more than was measured: they were not drunk as stated",
          "Check amounts, strengths, times and the unit; whatever the concentration at the event was, it does not follow "
            + "from this account"))
    } else if isOpen {
      warnings.append(
        CaseWarning(
          "W_CASE_EMPTY_BETWEEN",
          "no more was measured than the drinks after the event may have given alone: the blood may have "
            + "been empty before them, and then the measurement does not tell what was in it at the event. The most "
            + "likely value is the least that goes with the measurement, the upper end the most"))
    }
    let answers = values.filter { $0.quantity.name == .timeBelow }.map {
      one.reference + Hours($0.high)
    }
    let times = one.times + answers
    if let first = times.min(), let last = times.max() {
      let changes = one.clock.changes(from: first, to: last)
      if !changes.isEmpty {
        let places = changes.map { "\($0.place): \($0.hours.brief) h" }.joined(separator: ", ")
        warnings.append(
          CaseWarning(
            "W_TIME_CLOCKS",
            "the times have no time zone, and in some places clocks are changed between \(one.clock.text(first)) "
              + "and \(one.clock.text(last)) (\(places)); \((last - first).value.brief) h were counted",
            "Give --time-zone, or write each time with its distance from UTC, as 2024-03-31 04:00+02:00"
          ))
      }
    }
    return warnings
  }

  /// A fraction of draws in words; without draws, the whole range.
  private static func share(_ fraction: Double?) -> String {
    guard let fraction else { return "all of the range" }
    return fraction == 1 ? "all draws" : "\((1000 * fraction).rounded(.down) / 10) % of the draws"
  }

  /// Warnings about conversions that were not stated, with the answers by alternative ones.
  private var warningsOfConversions: [CaseWarning] {
    let assumptions = one.assumptions
    let factors = assumptions.factors
    var warnings: [CaseWarning] = []
    func with(_ alternative: CaseAnswer?, _ words: String) -> String {
      alternative.map { "\(words) the answer is \($0.inWords)" } ?? ""
    }
    if inputs.contains(where: { $0.name == .breathRatio }), !assumptions.isBreathRatioStated {
      let volunteers = ConversionFactors.volunteersBreathRatio
      let alternative = answer {
        $0.factors.bloodBreathRatio = volunteers.mean
        $0.isBreathRatioStated = true
      }
      warnings.append(
        CaseWarning(
          "W_BREATH_RATIO_ASSUMED",
          "the blood:breath ratio is not stated; breath is converted with \(factors.bloodBreathRatio.brief). "
            + "Volunteers had \(volunteers.mean.brief) (SD \(volunteers.sd.brief))"
            + with(alternative, ", with which"),
          "State the ratio with --blood-breath-ratio, and its SD with --blood-breath-ratio-sd"))
    }
    if assumptions.guideline != nil, one.measurement?.unit.matrix == .serum,
      factors.serumBloodRatio == ConversionFactors().serumBloodRatio
    {
      let divisors = CaseGuideline.serumDivisors
      let answers = [divisors.upperBound, divisors.lowerBound].compactMap { divisor in
        answer { $0.factors.serumBloodRatio = divisor / factors.bloodDensityKgPerL }
      }
      if answers.count == 2 {
        let ends = answers.map(\.main.likeliest)
        let between = one.limits.filter { $0 >= ends[0] && $0 < ends[1] }
          .map { "\($0.brief) \(one.unit.symbol)" }.joined(separator: " and ")
        warnings.append(
          CaseWarning(
            "W_CASE_SERUM_RATIO",
            "serum in g/L was divided by \((factors.serumBloodRatio * factors.bloodDensityKgPerL).brief) to get blood "
              + "in g/kg; German courts divide by \(divisors.lowerBound.brief) to \(divisors.upperBound.brief) "
              + "(\(CaseGuideline.serumSource)), with which the answer is \(ends[0].rounded3) to \(answers[1].inWords)"
              + (between.isEmpty ? "" : "; the limit of \(between) lies between"),
            "State the ratio with --serum-blood-ratio"))
      }
    }
    let isPerVolume = [one.unit, one.needs.contains(.measurement) ? one.measurement?.unit : nil]
      .contains { $0.map { $0.matrix == .blood && $0 != .bloodGramsPerKilogram } ?? false }
    guard isPerVolume, assumptions.posterior == nil else { return warnings }
    if let given = assumptions.rFactor as? GivenRFactor, assumptions.rUnit == nil,
      one.needs.contains(.r)
    {
      warnings.append(
        CaseWarning(
          "W_CASE_R_UNIT",
          "r = \(given.r.value.brief) is taken as kg/kg, and concentrations are per volume; those who publish answers in "
            + "g/L, mg/100 ml or percent mostly have r in L/kg"
            + with(answer { $0.rUnit = .litresPerKilogram }, ", with which"),
          "State which with --r-unit kg-per-kg or l-per-kg"))
    }
    if let beta = assumptions.beta, assumptions.betaUnit == nil {
      let alternative = answer {
        $0.beta = beta.scaled(
          by: ConcentrationUnit.bloodGramsPerLitre.gramsPerKilogram(using: $0.factors))
      }
      warnings.append(
        CaseWarning(
          "W_CASE_BETA_UNIT",
          "beta = \(beta.likeliest.brief) is taken in g/kg/h, and concentrations are per volume"
            + with(alternative, "; in g/L/h"),
          "State which with --beta-unit, or write 0.15g/L/h"))
    }
    return warnings
  }

  /// The answer in guideline mode with changed assumptions, without its band; nil if there is none.
  private func answer(_ change: (inout CaseAssumptions) -> Void) -> CaseAnswer? {
    var changed = one
    change(&changed.assumptions)
    // Stated, so that the alternative does not search for alternatives itself.
    changed.assumptions.isBreathRatioStated = true
    changed.assumptions.rUnit = changed.assumptions.rUnit ?? .kilogramsPerKilogram
    var options = CaseOptions()
    options.hasBand = false
    return try? CaseAnswer(changed, options: options)
  }

  /// The answer with its ends, for messages.
  private var inWords: String {
    let unit = main.quantity.name == .concentration ? one.unit.symbol : main.quantity.unit
    let likeliest = main.likeliest.rounded3
    let low = main.low.rounded3
    let high = main.high.rounded3
    return low == high ? "\(likeliest) \(unit)" : "\(likeliest) \(unit) (\(low) to \(high))"
  }

  // MARK: The band

  private static let pointCount = 97

  private static func band(
    _ inputs: CaseInputs, _ draws: [CaseDraw], _ options: CaseOptions
  ) -> [BandPoint] {
    let one = inputs.one
    var span = one.reference.value...(one.reference.value + 1)
    if let (start, end) = one.span {
      let least = one.question == .back || one.question == .later ? 0.01 : 0.25
      span = start.value...max(end.value, start.value + least)
    }
    if one.question == .sober {
      // Until the slowest curve is at the lowest limit.
      let quantities = inputs.quantities
      let times = draws.flatMap { draw in
        zip(quantities, draw.answer().values).filter { $0.0.name == .timeBelow }.map(\.1)
      }
      let longest = times.filter(\.isFinite).max() ?? 1
      span = span.lowerBound...(span.lowerBound + max(longest, 0.25))
    }
    let step = (span.upperBound - span.lowerBound) / Double(pointCount - 1)
    let times = (0..<pointCount).map { Hours(span.lowerBound + Double($0) * step) }
    let likeliest = inputs.center.curve(at: times)
    let least = draws.map { $0.curve(at: times) }
    let most =
      one.question == .later ? draws.map { $0.curve(at: times, isMost: true) } : least
    return times.indices.map { index in
      BandPoint(
        time: times[index], likeliest: likeliest[index],
        low: options.ends(of: least.map { $0[index] } + [likeliest[index]]).low,
        high: options.ends(of: most.map { $0[index] } + [likeliest[index]]).high)
    }
  }
}

extension Double {
  /// The number with three significant digits.
  fileprivate var rounded3: String { abs(self) < 1000 ? String(format: "%.3g", self) : brief }
}

extension CaseOptions {
  /// The fraction of draws outside each end of an answer.
  fileprivate var tail: Double { mode == .guideline ? 0 : (1 - level) / 2 }

  /// The range of values in guideline mode, otherwise their interval.
  fileprivate func ends(of values: [Double]) -> (low: Double, high: Double) {
    guard mode == .monteCarlo else { return (values.min() ?? .nan, values.max() ?? .nan) }
    let sorted = values.sorted()
    return (
      EmpiricalQuantile.type7(tail, ofSorted: sorted),
      EmpiricalQuantile.type7(1 - tail, ofSorted: sorted)
    )
  }
}
