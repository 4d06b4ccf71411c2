public import AlcoholKinetics
import Estimation
import Foundation

/// What can be said to a case's question.
public struct CaseAnswer: Sendable {
  /// A quantity with its range or distribution.
  public struct Value: Sendable {
    /// Which.
    public let quantity: CaseQuantity
    /// The value at the most likely inputs.
    public let likeliest: Double
    /// The lower end: of all combinations of the inputs' ends, or of the interval.
    public let low: Double
    /// The upper end.
    public let high: Double
    /// The distribution; nil in guideline mode.
    public let distribution: CaseDistribution?
  }

  /// A limit that the concentration is held against.
  public struct Limit: Sendable {
    /// In the unit of answers.
    public let limit: Double
    /// Whether the most likely value, and both ends, are above it.
    public let isAbove: (likeliest: Bool, low: Bool, high: Bool)
    /// The fraction of draws above it, with its standard error; nil in guideline mode.
    public let chance: (value: Double, error: Double)?
  }

  /// How much of an answer's variance comes from an input.
  public struct Sensitivity: Hashable, Sendable {
    /// Which input.
    public let input: CaseInput.Name
    /// First-order index: from the input alone, with its standard error.
    public let first: Double
    public let firstError: Double
    /// Total index: from the input with all its interactions, with its standard error.
    public let total: Double
    public let totalError: Double
  }

  /// A point of the band of curves, in the unit of answers.
  public struct BandPoint: Hashable, Sendable {
    /// When.
    public let time: Hours
    /// The curve of the most likely inputs.
    public let likeliest: Double
    /// The lower edge.
    public let low: Double
    /// The upper edge.
    public let high: Double
  }

  /// The case.
  public let one: Case
  /// How it was computed.
  public let options: CaseOptions
  /// The answer and what belongs to it; the first is what was asked.
  public let values: [Value]
  /// The limits that the concentration is held against.
  public let limits: [Limit]
  /// What went in.
  public let inputs: [CaseInput]
  /// Which input contributes how much to the first value; empty in guideline mode.
  public let sensitivities: [Sensitivity]
  /// The curves behind the answer.
  public let band: [BandPoint]
  /// What a reader has to know.
  public let warnings: [CaseWarning]
  /// Whether the measurement leaves the answer open downwards: the drinks after the event may have found the blood
  /// empty. The answer's most likely value and its distribution are then the least that goes with the measurement,
  /// its upper end the most.
  public let isOpen: Bool

  /// Answers a case.
  ///
  /// - Throws: ``CaseFailure`` for what guidelines refuse, and for what is missing or cannot be true.
  public init(_ one: Case, options: CaseOptions = CaseOptions()) throws(CaseFailure) {
    var warnings = try one.check()
    let model = CaseModel(one)
    let inputs = try CaseInputs(one, options.mode, explains: model.explains)
    guard (100...1_000_000).contains(options.draws), options.level > 0, options.level < 1,
      Double(options.draws) * (1 - options.level) >= 10
    else {
      throw .input(
        "\(options.draws) draws do not determine an interval at \(options.level); take up to 1000000, so many "
          + "that 10 at least are outside")
    }
    self.one = one
    self.options = options
    self.inputs = inputs.all
    let likeliest = model.values(inputs.center(one))
    var values: [Value]
    // The least and the highest value of what was asked that go with each draw, and what is too rare to tell.
    let open: (least: [Double], most: [Double], rare: Double)
    switch options.mode {
    case .guideline:
      let corners = inputs.corners(one)
      let ends = corners.map(model.values)
      let highest = corners.map(model.most) + [model.most(inputs.center(one))]
      open = (ends.map { $0[0] } + [likeliest[0]], highest, 0)
      values = model.quantities.enumerated().map { place, quantity in
        let all = ends.map { $0[place] } + [likeliest[place]]
        return Value(
          quantity: quantity, likeliest: likeliest[place], low: all.min() ?? .nan,
          high: all.max() ?? .nan, distribution: nil)
      }
      sensitivities = []
      band = Self.band(model, inputs, corners) { ($0.min() ?? .nan, $1.max() ?? .nan) }
    case .monteCarlo:
      let simulation = CaseSimulation(model, inputs, options)
      let draws = simulation.draws()
      let tail = (1 - options.level) / 2
      let least = draws.map { $0[0] }
      open = (least, one.question == .later ? simulation.most() : least, tail)
      values = model.quantities.enumerated().map { place, quantity in
        let distribution = CaseDistribution(draws.map { $0[place] }, level: options.level)
        return Value(
          quantity: quantity, likeliest: likeliest[place], low: distribution.low,
          high: distribution.high, distribution: distribution)
      }
      sensitivities = simulation.sensitivities(draws.map { $0[0] })
      let some = (0..<min(options.draws, 1000)).map { simulation.draw(row: $0) }
      band = Self.band(model, inputs, some) { least, most in
        (
          Sample.quantile(tail, ofSorted: least.sorted()),
          Sample.quantile(1 - tail, ofSorted: most.sorted())
        )
      }
    }
    let share = zip(open.least, open.most).count { $0 < $1 }
    isOpen = Double(share) > open.rare * Double(open.least.count)
    if isOpen {
      let high =
        options.mode == .guideline
        ? open.most.max() : Sample.quantile(1 - open.rare, ofSorted: open.most.sorted())
      let least = values[0]
      values[0] = Value(
        quantity: least.quantity, likeliest: least.likeliest, low: least.low,
        high: max(least.high, high ?? .nan), distribution: least.distribution)
    }
    self.values = values
    guard values.allSatisfy({ $0.likeliest.isFinite && $0.low.isFinite && $0.high.isFinite }) else {
      throw .input("no curve goes with these inputs; check times, weights, amounts and ranges")
    }
    if let difference = values.first(where: { $0.quantity.name == .unexplained }) {
      if difference.low > 0 { warnings.append(.unexplained(difference.distribution)) }
      if difference.high < 0 { warnings.append(.overexplained(difference.distribution)) }
    }
    if isOpen { warnings.append(.emptyBetween) }
    if inputs.all.contains(where: { $0.name == .breathRatio }), !one.assumptions.isBreathRatioStated
    {
      warnings.append(.breathRatio(one.assumptions.factors.bloodBreathRatio))
    }
    if one.question == .forward {
      let blood = one.unit.bloodConcentration(
        of: values[0].likeliest, using: one.assumptions.factors
      ).value
      guard blood <= Case.highest else {
        throw .input(
          "the drinks give \(CaseClock.hours(blood)) g/kg of blood, above \(CaseClock.hours(Case.highest)), which "
            + "nobody lives with; check amounts, strengths and the weight")
      }
    }
    self.warnings = warnings
    let concentration = values.first { $0.quantity.name == .concentration }
    limits = one.limits.compactMap { limit in
      concentration.map { Limit($0, limit) }
    }
  }

  /// What was asked.
  public var main: Value { values[0] }

  private static let pointCount = 97

  /// - Parameter edges: Gives the edges from the least and the highest curves of all draws at a time.
  private static func band(
    _ model: CaseModel, _ inputs: CaseInputs, _ draws: [CaseDraw],
    _ edges: ([Double], [Double]) -> (Double, Double)
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
    let center = model.curve(inputs.center(model.one), at: times)
    let least = draws.map { model.curve($0, at: times) }
    let most =
      model.one.question == .later ? draws.map { model.curve($0, at: times, isMost: true) } : least
    return times.indices.map { place in
      let (low, high) = edges(
        least.map { $0[place] } + [center[place]], most.map { $0[place] } + [center[place]])
      return BandPoint(time: times[place], likeliest: center[place], low: low, high: high)
    }
  }
}

extension CaseAnswer.Limit {
  init(_ value: CaseAnswer.Value, _ limit: Double) {
    self.limit = limit
    isAbove = (value.likeliest > limit, value.low > limit, value.high > limit)
    chance = value.distribution?.chance(above: limit)
  }
}

/// The distribution of a quantity over random draws.
public struct CaseDistribution: Sendable {
  /// A quantile and its standard error.
  public struct Quantile: Hashable, Sendable {
    /// The probability.
    public let p: Double
    /// The value.
    public let value: Double
    /// Its standard error, from the number of draws alone.
    public let error: Double
  }

  /// The draws in ascending order.
  private let sorted: [Double]
  /// The mean.
  public let mean: Double
  /// The standard deviation.
  public let sd: Double
  /// The lower end of the interval.
  public let low: Double
  /// The upper end of the interval.
  public let high: Double
  /// Some quantiles, those of the interval among them.
  public let quantiles: [Quantile]

  init(_ draws: [Double], level: Double) {
    sorted = draws.sorted()
    let count = Double(draws.count)
    let mean = draws.reduce(0, +) / count
    self.mean = mean
    sd = (draws.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)).squareRoot()
    let tail = (1 - level) / 2
    // What rounding leaves of 1 - 0.95 is no probability of its own.
    let ends = [(1e9 * tail).rounded() / 1e9, (1e9 * (1 - tail)).rounded() / 1e9]
    (low, high) = (
      Sample.quantile(ends[0], ofSorted: sorted), Sample.quantile(ends[1], ofSorted: sorted)
    )
    let all = Set([0.01, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.99] + ends)
    let values = sorted
    quantiles = all.sorted().map { p in
      // The order statistics one binomial standard deviation to either side (Maritz and Jarrett 1978
      // compare such estimates).
      let spread = (p * (1 - p) / count).squareRoot()
      let above = Sample.quantile(min(1, p + spread), ofSorted: values)
      let below = Sample.quantile(max(0, p - spread), ofSorted: values)
      return Quantile(p: p, value: Sample.quantile(p, ofSorted: values), error: (above - below) / 2)
    }
  }

  /// The standard error of a quantile that is among ``quantiles``, by its value; nil of any other.
  public func error(of value: Double) -> Double? { quantiles.first { $0.value == value }?.error }

  /// The median.
  public var median: Double { Sample.quantile(0.5, ofSorted: sorted) }

  /// The fraction of draws above a value, with its standard error; of a fraction of 0 or 1 that of one
  /// draw more or less.
  func chance(above limit: Double) -> (value: Double, error: Double) {
    let count = Double(sorted.count)
    let fraction = Double(sorted.count { $0 > limit }) / count
    let held = min(max(fraction, 1 / count), 1 - 1 / count)
    return (fraction, (held * (1 - held) / count).squareRoot())
  }
}

/// Draws inputs at random and follows what comes of them.
struct CaseSimulation: Sendable {
  private let model: CaseModel
  private let inputs: CaseInputs
  private let options: CaseOptions
  private let random: PlacedRandom
  private static let chunk = 32

  init(_ model: CaseModel, _ inputs: CaseInputs, _ options: CaseOptions) {
    (self.model, self.inputs, self.options) = (model, inputs, options)
    random = PlacedRandom(seed: options.seed)
  }

  /// The draw of a row.
  ///
  /// - Parameter replaced: The input that is taken from the second matrix (B of Saltelli's A, B and AB_i);
  ///   nil for none.
  func draw(row: Int, replacing replaced: CaseInput.Name? = nil, isSecond: Bool = false) -> CaseDraw
  {
    inputs.random(model.one) { name, coordinate in
      let fromSecond = isSecond || name == replaced
      // A column for each coordinate of each input in each matrix.
      let column = 2 * (coordinate * Self.inputCount + name.place) + (fromSecond ? 1 : 0)
      return random.uniform(row: row, column: column)
    }
  }

  private static let inputCount = CaseInput.Name.allCases.count

  /// The quantities of all draws.
  func draws() -> [[Double]] {
    map { model.values(draw(row: $0)) }
  }

  /// The highest first quantity that goes with each draw.
  func most() -> [Double] {
    map { [model.most(draw(row: $0))] }.map { $0[0] }
  }

  /// First-order and total Sobol indices of the first quantity.
  ///
  /// With f at matrices A, B and AB_i (A with the columns of input i from B) the first-order index is
  /// mean(f_B (f_ABi - f_A)) / V (Saltelli et al. 2010) with f centred, the total index
  /// mean((f_A - f_ABi)^2) / (2 V) (Jansen 1999). An input with several coordinates, as the volumes of
  /// the drinks, is one group. Standard errors are those of the means.
  func sensitivities(_ first: [Double]) -> [CaseAnswer.Sensitivity] {
    let count = Double(first.count)
    let mean = first.reduce(0, +) / count
    let variance = first.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    let chosen = inputs.drawn.filter { model.one.needs.contains($0) || $0.isRatio }
    guard variance > 0, !chosen.isEmpty else { return [] }
    let terms: [[Double]] = map { row in
      let a = first[row] - mean
      let b = model.values(draw(row: row, isSecond: true))[0] - mean
      return chosen.flatMap { name in
        let mixed = model.values(draw(row: row, replacing: name))[0] - mean
        return [b * (mixed - a), (a - mixed) * (a - mixed) / 2]
      }
    }
    return chosen.enumerated().map { place, name in
      let (first, firstError) = Self.mean(terms.map { $0[2 * place] / variance })
      let (total, totalError) = Self.mean(terms.map { $0[2 * place + 1] / variance })
      return CaseAnswer.Sensitivity(
        input: name, first: first, firstError: firstError, total: total, totalError: totalError)
    }
  }

  private static func mean(_ values: [Double]) -> (Double, Double) {
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
    return (mean, (variance / count).squareRoot())
  }

  /// Follows all rows, several at a time, in their order.
  private func map(_ follow: @Sendable (Int) -> [Double]) -> [[Double]] {
    let starts = Array(stride(from: 0, to: options.draws, by: Self.chunk))
    let rows = try? ParallelMap.map(
      starts, jobs: options.jobs, isObserved: false, makeWorker: {}
    ) { _, start in
      (start..<min(start + Self.chunk, options.draws)).map(follow)
    }
    // A task that is cancelled gets its answer, too: there is no half of a distribution.
    return rows?.flatMap { $0 } ?? (0..<options.draws).map(follow)
  }
}

extension CaseInput.Name {
  fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// Whether it is a conversion factor, which answers depend on wherever it is an input.
  var isRatio: Bool { self == .breathRatio || self == .serumRatio }
}
