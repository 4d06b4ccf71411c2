public import Estimation
import RealModule

/// A number that was estimated, as draws have it.
public struct SampledEstimate: Hashable, Sendable {
  /// What ``PopulationEstimates`` calls it.
  public let name: String
  /// The median of the draws.
  public let median: Double
  /// Their standard deviation.
  public let deviation: Double
  /// The 95 % interval: percentiles.
  public let interval: Interval
  /// How far chains are from having mixed, 1 if they have (split R-hat: Gelman et al. 2013, section 11.4); nil without
  /// chains.
  public let rHat: Double?
  /// How many independent draws they are worth.
  public let effectiveSampleSize: Double
}

/// Draws of a population's values, all estimates at once.
///
/// Sampling importance resampling (Dosne, Bergstrand, Harling & Karlsson 2016) draws from Student's distribution about the
/// estimates with their covariance, weighs by the likelihood, and draws again by weight; from then on the draws tell mean
/// and covariance. Logarithms of standard deviations are flat, so that the interval of a variance is as wide as by chi
/// squared.
///
/// A posterior is drawn by four chains of Metropolis and Hastings, whose steps are in turn small ones and draws of that
/// distribution. Its prior is flat in the logarithms of typical values and of the error of readings, and in coefficients;
/// standard deviations between people, occasions and studies are half-normal with a standard deviation of 1 (Gelman 2006),
/// of a full Omega those on the diagonal of its factor.
struct SampledValues {
  /// Vectors of equal weight.
  let vectors: [[Double]]
  let estimates: [SampledEstimate]
  /// The shape of the largest weights, for draws by importance; above 0.7 they cannot be relied on.
  let paretoK: Double?

  static let chains = 4

  /// The density of the numbers that are free, but for a constant.
  private struct Target {
    let objective: PopulationObjective
    let center: [Double]
    let free: [Int]
    let modes: [[Double]?]
    let hasPrior: Bool

    private var coordinates: Coordinates { objective.data.coordinates }

    func vector(_ point: [Double]) -> [Double] {
      var vector = center
      for (place, number) in zip(free, point) { vector[place] = number }
      return vector
    }

    func logDensity(_ point: [Double]) -> Double {
      guard !Task.isCancelled else { return -.infinity }
      let vector = vector(point)
      let value = objective.value(at: vector, near: modes)
      guard value.isFinite else { return -.infinity }
      let values = coordinates.values(vector, from: objective.others)
      // Typical values within a range are flat in their logarithms, not in the numbers of the search.
      let within = coordinates.ranges.keys.reduce(0.0) { sum, place in
        sum + .log(coordinates.slope(values, place))
      }
      let prior =
        hasPrior
        ? free.reduce(0.0) { sum, place in
          guard coordinates.spread(at: place) != nil else { return sum }
          let deviation = Double.exp(vector[place])
          return sum + vector[place] - 0.5 * deviation * deviation
        } : 0
      return prior + within - 0.5 * value
    }
  }

  /// - Parameters:
  ///   - covariance: Of the vector; a variance that fell to zero has none.
  ///   - count: How many draws to keep.
  /// - Returns: Nil if the covariance is none.
  init?(
    _ kind: PopulationFit.Intervals, about center: [Double], _ covariance: Dense,
    _ objective: PopulationObjective, near modes: [[Double]?], _ model: PopulationModel, count: Int
  ) {
    let free = center.indices.filter { covariance[$0, $0] > 0 }
    let target = Target(
      objective: objective, center: center, free: free, modes: modes,
      hasPrior: kind == .posterior)
    let first = ImportanceSample.Proposal(
      center: free.map { center[$0] }, covariance: covariance.part(free), isNormal: false)
    guard let first, !free.isEmpty else { return nil }
    var proposals = [first]
    func sample(_ count: Int, _ round: UInt64) -> ImportanceSample {
      ImportanceSample(
        of: { $0.map(target.logDensity) }, proposals, keeping: count, candidates: count,
        seed: objective.options.seed &+ round)
    }
    objective.options.progress?("drawing about the estimates")
    // Where the covariance is not that of the likelihood, draws tell a better one.
    for round in 0..<2 as Range<UInt64> {
      proposals = Array(sample(Swift.max(200, count / 4), round).improved([first]).suffix(2))
    }
    let names = objective.data.coordinates.names(model)
    guard kind == .posterior else {
      let sample = sample(count, 2)
      let drawn = sample.points.map(target.vector)
      vectors = drawn
      paretoK = sample.diagnostics.paretoK
      let size = sample.diagnostics.effectiveSampleSize
      estimates = free.compactMap { place in
        SampledEstimate(names[place], drawn.map { $0[place] }, nil, effectiveSampleSize: size)
      }
      return
    }
    let length = Swift.max(2, count / Self.chains)
    let chains = (0..<Self.chains).map { chain -> [[Double]] in
      var numbers = RandomStream(objective.options.seed, 0xc4a, UInt64(chain))
      objective.options.progress?("chain \(chain + 1) of \(Self.chains)")
      return Self.chain(
        from: proposals[proposals.count - 1].draw(&numbers), proposals[0], length,
        target.logDensity, &numbers)
    }
    let drawn = chains.flatMap { $0.map(target.vector) }
    vectors = drawn
    paretoK = nil
    estimates = free.enumerated().compactMap { index, place in
      let mixing = Mixing(chains.map { $0.map { $0[index] } })
      return SampledEstimate(
        names[place], drawn.map { $0[place] }, mixing.rHat,
        effectiveSampleSize: mixing.effectiveSampleSize)
    }
  }

  /// A chain, the first half of whose steps is forgotten.
  private static func chain(
    from start: [Double], _ proposal: ImportanceSample.Proposal, _ length: Int,
    _ logDensity: ([Double]) -> Double, _ numbers: inout RandomStream
  ) -> [[Double]] {
    // As wide as is best for a normal density (Roberts, Gelman & Gilks 1997).
    let width = 2.38 / Double(start.count).squareRoot()
    var here = (point: start, log: logDensity(start))
    var kept: [[Double]] = []
    // Two steps for each draw.
    for step in 0..<(4 * length) {
      let isSmall = step.isMultiple(of: 2)
      let point =
        isSmall
        ? zip(here.point, proposal.factor * start.map { _ in numbers.normal() }).map {
          $0 + width * $1
        } : proposal.draw(&numbers)
      let log = logDensity(point)
      let ratio =
        log - here.log
        + (isSmall ? 0 : proposal.logDensity(here.point) - proposal.logDensity(point))
      // A start outside what can be evaluated is left at once.
      if log.isFinite, !here.log.isFinite || .log(numbers.uniform()) < ratio { here = (point, log) }
      if step >= 2 * length, !isSmall { kept.append(here.point) }
    }
    return kept
  }
}

extension SampledEstimate {
  fileprivate init?(
    _ name: String, _ numbers: [Double], _ rHat: Double?, effectiveSampleSize: Double
  ) {
    guard let sample = Sample(numbers), let deviation = sample.standardDeviation,
      let median = sample.quantile(0.5), let low = sample.quantile(0.025),
      let high = sample.quantile(0.975)
    else { return nil }
    (self.name, self.median, self.deviation, self.rHat) = (name, median, deviation, rHat)
    interval = Interval(low: low, high: high)
    self.effectiveSampleSize = effectiveSampleSize
  }
}

/// How well chains of one number mix: split R-hat, and the effective sample size by the autocorrelations, summed as long as
/// pairs of them are above zero (Geyer 1992; Gelman et al. 2013, sections 11.4 and 11.5).
struct Mixing {
  let rHat: Double
  let effectiveSampleSize: Double

  init(_ whole: [[Double]]) {
    let chains = whole.flatMap { chain in
      [chain.prefix(chain.count / 2), chain.suffix(chain.count / 2)].map(Array.init)
    }
    let (m, n) = (Double(chains.count), Double(chains.first?.count ?? 0))
    let means = chains.map { $0.reduce(0, +) / n }
    let mean = means.reduce(0, +) / m
    let centered = zip(chains, means).map { chain, mean in chain.map { $0 - mean } }
    let within =
      centered.reduce(0) { $0 + $1.reduce(0) { $0 + $1 * $1 } } / (m * Swift.max(1, n - 1))
    let between = means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Swift.max(1, m - 1)
    let variance = (n - 1) / n * within + between
    guard within > 0, n > 3 else {
      (rHat, effectiveSampleSize) = (between > 0 ? .infinity : 1, 0)
      return
    }
    rHat = (variance / within).squareRoot()
    func correlation(_ lag: Int) -> Double {
      let products = centered.reduce(0.0) { sum, chain in
        sum + zip(chain, chain.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 }
      }
      return 1 - (within - products / (m * (n - 1))) / variance
    }
    var (sum, lag) = (0.0, 0)
    while lag + 1 < Int(n) {
      let pair = correlation(lag) + correlation(lag + 1)
      if pair < 0 { break }
      sum += pair
      lag += 2
    }
    effectiveSampleSize = m * n / Swift.max(1 / .log10(m * n), 2 * sum - 1)
  }
}
