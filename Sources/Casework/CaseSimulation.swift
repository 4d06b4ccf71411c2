import Estimation
import Population

/// A Monte Carlo simulation of a case: random draws of the inputs, and the answer of each.
struct CaseSimulation: Sendable {
  private let inputs: CaseInputs
  private let options: CaseOptions
  private let random: PlacedRandom
  private static let chunk = 32

  init(_ inputs: CaseInputs, _ options: CaseOptions) {
    self.inputs = inputs
    self.options = options
    random = PlacedRandom(seed: options.seed)
  }

  /// The draw of a row, with one input or all from the second matrix (B of Saltelli's A, B and AB_i).
  func draw(row: Int, replacing replaced: CaseInput.Name? = nil, isSecond: Bool = false) -> CaseDraw
  {
    inputs.random { name, coordinate in
      let fromSecond = isSecond || name == replaced
      // A column for each coordinate of each input in each matrix.
      let column = 2 * (coordinate * Self.stride + name.index) + (fromSecond ? 1 : 0)
      return random.uniform(row: row, column: column)
    }
  }

  /// The distance between the coordinates of an input. Inputs added later have one coordinate each, in columns that volumes
  /// and strengths leave free, so that equal seeds still give identical results.
  private static let stride = 11

  func answers() -> [CaseOutcome] {
    map { draw(row: $0).answer() }
  }

  /// First-order and total Sobol indices of the first quantity.
  ///
  /// With f at matrices A, B and AB_i (A with the columns of input i from B) the first-order index is
  /// mean(f_B (f_ABi - f_A)) / V (Saltelli et al. 2010) with f centred, the total index
  /// mean((f_A - f_ABi)^2) / (2 V) (Jansen 1999). An input with several coordinates, as the volumes of
  /// the drinks, is one group. Standard errors are those of the means.
  func sensitivities(_ first: [Double]) -> [CaseAnswer.Sensitivity] {
    let moments = Moments(of: first)
    let mean = moments.mean
    let variance = moments.squares / Double(first.count)
    let chosen = inputs.drawn.filter { inputs.one.needs.contains($0) || $0.isRatio }
    guard variance > 0, !chosen.isEmpty else { return [] }
    let terms: [[Double]] = map { row in
      let a = first[row] - mean
      let b = draw(row: row, isSecond: true).answer().values[0] - mean
      return chosen.flatMap { name in
        let mixed = draw(row: row, replacing: name).answer().values[0] - mean
        return [b * (mixed - a), (a - mixed) * (a - mixed) / 2]
      }
    }
    return chosen.enumerated().map { index, name in
      let (first, firstError) = Self.mean(terms.map { $0[2 * index] / variance })
      let (total, totalError) = Self.mean(terms.map { $0[2 * index + 1] / variance })
      return CaseAnswer.Sensitivity(
        input: name, first: first, firstError: firstError, total: total, totalError: totalError)
    }
  }

  /// The mean of values with its standard error.
  private static func mean(_ values: [Double]) -> (Double, Double) {
    let count = Double(values.count)
    let moments = Moments(of: values)
    return (moments.mean, (moments.squares / (count - 1) / count).squareRoot())
  }

  /// Transforms all rows, on several threads. Results are in the order of the rows.
  private func map<Value: Sendable>(_ transform: @Sendable (Int) -> Value) -> [Value] {
    let starts = Array(Swift.stride(from: 0, to: options.draws, by: Self.chunk))
    return Parallel.map(starts.count, jobs: options.jobs) { index in
      (starts[index]..<min(starts[index] + Self.chunk, options.draws)).map(transform)
    }.flatMap(\.self)
  }
}

extension CaseInput.Name {
  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// Whether the input is a conversion factor.
  var isRatio: Bool { self == .breathRatio || self == .serumRatio }
}

public struct CaseDistribution: Sendable {
  public struct Quantile: Hashable, Sendable {
    public let p: Double
    public let value: Double
    /// The Monte Carlo standard error.
    public let error: Double
  }

  /// The draws in ascending order.
  private let sorted: [Double]
  public let mean: Double
  public let sd: Double
  public let low: Double
  public let high: Double
  /// Quantiles, including the ends of the interval.
  public let quantiles: [Quantile]

  init(_ draws: [Double], level: Double) {
    sorted = draws.sorted()
    let count = Double(draws.count)
    let moments = Moments(of: draws)
    mean = moments.mean
    sd = (moments.squares / (count - 1)).squareRoot()
    let tail = (1 - level) / 2
    // Rounded, so that 1 - 0.95 is 0.05 exactly and not a second probability beside it.
    let ends = [(1e9 * tail).rounded() / 1e9, (1e9 * (1 - tail)).rounded() / 1e9]
    low = EmpiricalQuantile.type7(ends[0], ofSorted: sorted)
    high = EmpiricalQuantile.type7(ends[1], ofSorted: sorted)
    let all = Set([0.01, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.99] + ends)
    let values = sorted
    quantiles = all.sorted().map { p in
      // The order statistics one binomial standard deviation to either side (Maritz and Jarrett 1978
      // compare such estimates).
      let spread = (p * (1 - p) / count).squareRoot()
      let above = EmpiricalQuantile.type7(min(1, p + spread), ofSorted: values)
      let below = EmpiricalQuantile.type7(max(0, p - spread), ofSorted: values)
      return Quantile(
        p: p, value: EmpiricalQuantile.type7(p, ofSorted: values), error: (above - below) / 2)
    }
  }

  /// The standard error of one of ``quantiles``, by its value; nil for other values.
  public func error(of value: Double) -> Double? { quantiles.first { $0.value == value }?.error }

  public var median: Double { EmpiricalQuantile.type7(0.5, ofSorted: sorted) }

  /// The fraction of draws above a value, with its binomial standard error. For a fraction of 0 or 1 it is the error of the
  /// fraction one draw away, since it would be zero otherwise.
  func chance(above limit: Double) -> (value: Double, error: Double) {
    let count = Double(sorted.count)
    let fraction = Double(sorted.count { $0 > limit }) / count
    let held = min(max(fraction, 1 / count), 1 - 1 / count)
    return (fraction, (held * (1 - held) / count).squareRoot())
  }
}
