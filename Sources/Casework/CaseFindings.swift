import AlcoholKinetics
import Estimation

/// The results of a case in one of the modes: the quantities with their ranges or distributions, and the curves behind
/// them.
struct CaseFindings {
  /// The answer and what belongs to it; the first is what was asked.
  let values: [CaseAnswer.Value]
  /// Which input contributes how much to the first value; empty in guideline mode.
  let sensitivities: [CaseAnswer.Sensitivity]
  /// The band of curves.
  let band: [CaseAnswer.BandPoint]
  /// See ``CaseAnswer/isOpen``.
  let isOpen: Bool
  /// See ``CaseAnswer/sums``.
  let sums: [CaseSum]

  /// The most likely values, and the ranges over all combinations of the inputs' ends.
  init(rangeOf model: CaseModel, _ inputs: CaseInputs) {
    let draws = inputs.corners(model.one) + [inputs.center(model.one)]
    let found = draws.map(model.values)
    let likeliest = found[found.count - 1]
    let values = model.quantities.enumerated().map { place, quantity in
      let all = found.map { $0[place] }
      return CaseAnswer.Value(
        quantity: quantity, likeliest: likeliest[place], low: all.min() ?? .nan,
        high: all.max() ?? .nan, distribution: nil)
    }
    let least = found.map { $0[0] }
    let most = model.one.question == .later ? draws.map(model.most) : least
    isOpen = Self.isOpen(least, most, beyond: 0)
    self.values = isOpen ? Self.raised(values, to: most.max()) : values
    let first = found.map { $0[0] }
    let ends =
      isOpen ? [] : [first.firstIndex(of: values[0].low), first.firstIndex(of: values[0].high)]
    sums = Self.sums(
      model, ([draws.count - 1] + ends.compactMap(\.self)).map { (draws[$0], first[$0]) })
    sensitivities = []
    band = Self.band(model, inputs, draws.dropLast()) { ($0.min() ?? .nan, $1.max() ?? .nan) }
  }

  /// The most likely values, and the distributions over random draws.
  init(distributionOf model: CaseModel, _ inputs: CaseInputs, _ options: CaseOptions) {
    let simulation = CaseSimulation(model, inputs, options)
    let found = simulation.draws()
    let likeliest = model.values(inputs.center(model.one))
    let values = model.quantities.enumerated().map { place, quantity in
      let distribution = CaseDistribution(found.map { $0[place] }, level: options.level)
      return CaseAnswer.Value(
        quantity: quantity, likeliest: likeliest[place], low: distribution.low,
        high: distribution.high, distribution: distribution)
    }
    let tail = (1 - options.level) / 2
    let least = found.map { $0[0] }
    let most = model.one.question == .later ? simulation.most() : least
    isOpen = Self.isOpen(least, most, beyond: tail)
    self.values =
      isOpen
      ? Self.raised(values, to: EmpiricalQuantile.type7(1 - tail, ofSorted: most.sorted())) : values
    sums = isOpen ? [] : Self.sums(model, [(inputs.center(model.one), likeliest[0])])
    sensitivities = simulation.sensitivities(least)
    let some = (0..<min(options.draws, 1000)).map { simulation.draw(row: $0) }
    band = Self.band(model, inputs, some) { least, most in
      (
        EmpiricalQuantile.type7(tail, ofSorted: least.sorted()),
        EmpiricalQuantile.type7(1 - tail, ofSorted: most.sorted())
      )
    }
  }

  /// The sums of some draws with what the model gives; none unless all of them have one.
  private static func sums(_ model: CaseModel, _ draws: [(CaseDraw, value: Double)]) -> [CaseSum] {
    let sums = draws.compactMap { CaseParts(model.one, $0).sum(of: $1) }
    return sums.count == draws.count ? sums : []
  }

  /// Whether the measurement leaves the answer open upwards in more than a share of the draws.
  ///
  /// - Parameters:
  ///   - least: The least value of what was asked that goes with each draw.
  ///   - most: The highest.
  ///   - share: What is too rare to matter.
  private static func isOpen(_ least: [Double], _ most: [Double], beyond share: Double) -> Bool {
    Double(zip(least, most).count { $0 < $1 }) > share * Double(least.count)
  }

  /// The values with the first one's upper end raised to a number, if it is lower.
  private static func raised(
    _ values: [CaseAnswer.Value], to high: Double?
  ) -> [CaseAnswer.Value] {
    var values = values
    let first = values[0]
    values[0] = CaseAnswer.Value(
      quantity: first.quantity, likeliest: first.likeliest, low: first.low,
      high: max(first.high, high ?? .nan), distribution: first.distribution)
    return values
  }

  /// What a reader of these findings has to know.
  func warnings(_ one: Case, _ inputs: [CaseInput]) -> [CaseWarning] {
    var warnings: [CaseWarning] = []
    if let difference = values.first(where: { $0.quantity.name == .unexplained }) {
      if difference.low > 0 { warnings.append(.unexplained(difference.distribution)) }
      if difference.high < 0 { warnings.append(.overexplained(difference.distribution)) }
    }
    if isOpen { warnings.append(.emptyBetween) }
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
    if inputs.contains(where: { $0.name == .breathRatio }), !one.assumptions.isBreathRatioStated {
      warnings.append(.breathRatio(one.assumptions.factors.bloodBreathRatio))
    }
    return warnings
  }

  // MARK: The band

  private static let pointCount = 97

  /// - Parameter edges: Gives the edges from the least and the highest curves of all draws at a time.
  private static func band(
    _ model: CaseModel, _ inputs: CaseInputs, _ draws: some Collection<CaseDraw>,
    _ edges: ([Double], [Double]) -> (Double, Double)
  ) -> [CaseAnswer.BandPoint] {
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
    let center = model.curve(inputs.center(model.one), at: times)
    let least = draws.map { model.curve($0, at: times) }
    let most =
      model.one.question == .later ? draws.map { model.curve($0, at: times, isMost: true) } : least
    return times.indices.map { place in
      let (low, high) = edges(
        least.map { $0[place] } + [center[place]], most.map { $0[place] } + [center[place]])
      return CaseAnswer.BandPoint(
        time: times[place], likeliest: center[place], low: low, high: high)
    }
  }
}
