import Estimation
import RealModule

/// Diagnostics of importance sampling.
public struct SampleDiagnostics: Codable, Hashable, Sendable {
  /// The number of weighted candidates.
  public let candidates: Int
  /// The effective sample size, (sum w)^2 / sum w^2 (Kong 1992).
  public let effectiveSampleSize: Double
  /// The Pareto shape k of the largest weights; the draws are unreliable above 0.7 (Vehtari, Simpson, Gelman, Yao & Gabry
  /// 2024).
  public let paretoK: Double

  /// Whether the draws are reliable: k of 0.7 or less and an effective sample size of 100 or more.
  public var isReliable: Bool { paretoK <= 0.7 && effectiveSampleSize >= 100 }
}

/// Draws from an unnormalised density by Pareto-smoothed importance sampling (PSIS) from a mixture.
struct ImportanceSample: Sendable {
  /// A component of the mixture: a normal distribution, or Student's t with ``degreesOfFreedom``.
  struct Proposal {
    let center: [Double]
    let factor: Dense
    let isNormal: Bool
    private let inverse: Dense
    private let logScale: Double

    static let degreesOfFreedom = 5

    init?(center: [Double], covariance: Dense, isNormal: Bool) {
      guard let factor = covariance.cholesky else { return nil }
      self.center = center
      self.factor = factor
      self.isNormal = isNormal
      inverse = factor.inverseOfLower
      let d = Double(center.count)
      let nu = Double(Self.degreesOfFreedom)
      let logFactor = factor.diagonal.reduce(0) { $0 + .log($1) }
      logScale =
        isNormal
        ? -0.5 * d * .log(2 * .pi) - logFactor
        : .logGamma((nu + d) / 2) - .logGamma(nu / 2) - 0.5 * d * .log(nu * .pi) - logFactor
    }

    func draw(_ numbers: inout some UniformNumbers) -> [Double] {
      let white = center.map { _ in numbers.normal() }
      let nu = Self.degreesOfFreedom
      let scale = isNormal ? 1 : (Double(nu) / numbers.chiSquared(nu)).squareRoot()
      return zip(center, factor * white).map { $0 + scale * $1 }
    }

    func logDensity(_ point: [Double]) -> Double {
      let white = inverse * zip(point, center).map { $0 - $1 }
      let square = dot(white, white)
      guard !isNormal else { return logScale - 0.5 * square }
      let d = Double(center.count)
      let nu = Double(Self.degreesOfFreedom)
      return logScale - 0.5 * (nu + d) * .log(onePlus: square / nu)
    }
  }

  /// Draws of equal weight.
  let points: [[Double]]
  let diagnostics: SampleDiagnostics

  /// Draws candidates from quasi-random points, weights them by the unnormalised density, and resamples by weight.
  ///
  /// - `count`: The number of resampled draws; `candidates`: the number of candidates.
  init(
    of logDensity: ([[Double]]) -> [Double], _ proposals: [Proposal], keeping count: Int,
    candidates: Int, seed: UInt64
  ) {
    let numbers = proposals.indices.map { HaltonPoints(seed, UInt64($0)) }
    let points = (0..<candidates).map { candidate in
      var point = numbers[candidate % proposals.count].point(candidate / proposals.count)
      return proposals[candidate % proposals.count].draw(&point)
    }
    var logs = zip(points, logDensity(points)).map { point, log in
      log - logMean(proposals.map { $0.logDensity(point) })
    }
    for index in logs.indices where !logs[index].isFinite { logs[index] = -.infinity }
    let largest = logs.max() ?? 0
    let raw = logs.map { Double.exp($0 - largest) }
    let (weights, k) = ParetoTail.smoothed(raw)
    let sum = weights.reduce(0, +)
    let squares = weights.reduce(0) { $0 + $1 * $1 }
    let kept = systematicSample(of: weights, count, offset: 0.5).map { points[$0] }
    self.points = kept
    diagnostics = SampleDiagnostics(
      candidates: candidates, effectiveSampleSize: squares > 0 ? sum * sum / squares : 0,
      paretoK: k)
  }

  /// Proposals for a second sample: the given ones, and Student's t with mean and covariance of these draws (population
  /// Monte Carlo: Cappe et al. 2004).
  func improved(_ proposals: [Proposal]) -> [Proposal] {
    let (mean, covariance) = Self.moments(of: points)
    return proposals
      + [1.0, 3].compactMap {
        Proposal(center: mean, covariance: $0 * covariance, isNormal: false)
      }
  }
}

extension ImportanceSample {
  /// The mean and covariance of points of equal weight.
  static func moments(of points: [[Double]]) -> (mean: [Double], covariance: Dense) {
    let size = points.first?.count ?? 0
    let share = 1 / Double(points.count)
    let mean = (0..<size).map { index in points.reduce(0) { $0 + $1[index] } * share }
    var covariance = Dense(size, size)
    for point in points {
      for i in 0..<size {
        for j in 0..<size {
          covariance[i, j] += (point[i] - mean[i]) * (point[j] - mean[j]) * share
        }
      }
    }
    return (mean, covariance)
  }
}

/// The indices of `count` draws by weight, ascending (systematic resampling: Kitagawa 1996); `offset` is between 0 and 1.
func systematicSample(of weights: [Double], _ count: Int, offset: Double) -> [Int] {
  let sum = weights.reduce(0, +)
  var passed = 0.0
  var index = 0
  return (0..<count).map { draw in
    let target = (Double(draw) + offset) / Double(count) * sum
    while index < weights.count - 1, passed + weights[index] < target {
      passed += weights[index]
      index += 1
    }
    return index
  }
}

/// Replaces the largest weights by quantiles of the generalised Pareto distribution that they follow
/// (Vehtari, Simpson, Gelman, Yao & Gabry 2024), with its shape by Zhang & Stephens (2009).
enum ParetoTail {
  static func smoothed(_ weights: [Double]) -> (weights: [Double], k: Double) {
    let count = weights.count
    let tail = Int(min(0.2 * Double(count), 3 * Double(count).squareRoot()).rounded(.up))
    guard tail >= 5 else { return (weights, 0) }
    let order = weights.indices.sorted { weights[$0] < weights[$1] }
    let first = count - tail
    let cut = weights[order[first - 1]]
    let excesses = order[first...].map { weights[$0] - cut }
    // Weights that hardly differ have no tail.
    guard let largest = excesses.last, largest > 1e-10 * max(cut, .leastNormalMagnitude),
      excesses[0] > 0 || excesses[tail / 2] > 0
    else { return (weights, -.infinity) }
    let (k, sigma) = shape(excesses)
    guard k.isFinite, sigma.isFinite else { return (weights, .infinity) }
    var smoothed = weights
    let highest = weights[order[count - 1]]
    for (rank, index) in order[first...].enumerated() {
      let p = (Double(rank) + 0.5) / Double(tail)
      let excess = abs(k) < 1e-12 ? -sigma * .log(1 - p) : sigma / k * (.pow(1 - p, -k) - 1)
      smoothed[index] = min(cut + excess, highest)
    }
    return (smoothed, k)
  }

  /// Shape and scale of excesses in ascending order.
  private static func shape(_ excesses: [Double]) -> (k: Double, sigma: Double) {
    let n = Double(excesses.count)
    let largest = excesses.last ?? 1
    let quarter = max(excesses[Int((n / 4 + 0.5).rounded(.down)) - 1], 1e-300)
    let grid = 30 + Int(n.squareRoot())
    let thetas = (1...grid).map { index -> Double in
      let root = (Double(grid) / (Double(index) - 0.5)).squareRoot()
      return 1 / largest + (1 - root) / (3 * quarter)
    }
    func shape(at theta: Double) -> Double {
      excesses.reduce(0) { $0 + .log(onePlus: -theta * $1) } / n
    }
    let heights = thetas.map { theta -> Double in
      let k = shape(at: theta)
      return n * (.log(-theta / k) - k - 1)
    }
    let theta = zip(thetas, heights).reduce(0.0) { sum, candidate in
      let weight = 1 / heights.reduce(0.0) { $0 + .exp($1 - candidate.1) }
      return sum + (weight.isFinite ? weight : 0) * candidate.0
    }
    let k = shape(at: theta)
    // A weak prior about 0.5, worth ten weights, as Vehtari et al. take.
    return ((n * k + 5) / (n + 10), -k / theta)
  }
}
