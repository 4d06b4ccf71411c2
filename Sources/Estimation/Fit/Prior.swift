public import AlcoholKinetics
import RealModule
public import StudyData

/// What is known of people before there are readings: a prior for each, which may depend on sex or body
/// measures.
public protocol PriorSource: Sendable {
  /// What the priors are about.
  var parameters: [FitParameter] { get }

  /// What is known of a person.
  func prior(for subject: Subject) throws(SeriesFailure) -> Prior

  /// In what somebody on an occasion is beyond the people that the prior was made from, in words; nil if in nothing
  /// that is known.
  func reasonsOutside(of series: Series) -> String?
}

extension PriorSource {
  /// Nothing is known of the people.
  public func reasonsOutside(of series: Series) -> String? { nil }
}

/// What is known of the size of a person's errors before there are readings: a standard deviation in g/kg, worth some
/// readings of the person's own.
///
/// With nu readings' worth of s_0 the scale that fits n residuals with p parameters is that of the larger sample,
/// s^2 = (nu s_0^2 + RSS) / (nu + n - p), which is the mode of an inverse chi-squared posterior but for the terms of
/// its logarithm (Gelman et al. 2013, section 2.6). Where there are fewer readings than parameters, n - p counts as 0,
/// which is cautious: the prior of the parameters takes part of their say in the curve.
public struct ErrorSizePrior: Hashable, Sendable {
  /// The typical standard deviation s_0, in g/kg.
  public let sd: Double
  /// How many readings it is worth.
  public let degreesOfFreedom: Int

  /// Puts the two together.
  public init(sd: Double, degreesOfFreedom: Int) {
    self.sd = sd
    self.degreesOfFreedom = degreesOfFreedom
  }
}

/// What is known of a person's parameters before there are readings: a normal distribution of their
/// coordinates, which are logarithms of all parameters but the lag.
///
/// A fit with a prior ends at the mode of the posterior. Each parameter of the prior is one more residual:
/// with the covariance S = L L^T and the mean mu they are L^-1 (theta - mu), and their squares add up to
/// (theta - mu)^T S^-1 (theta - mu). With known noise the objective so is -2 ln of the posterior density but
/// for constants, and (J^T J)^-1 the covariance of the posterior about its mode (Laplace).
///
/// The residuals of readings are in standard deviations, too. Where these are estimated they are so in turns
/// with the curve, as they are wherever they depend on it: from the readings alone, with n - p degrees of
/// freedom as without a prior, so that there must be more readings than parameters. That is cautious, since
/// a prior takes part of the parameters' say in the curve.
public struct Prior: PriorSource, Hashable, Sendable {
  /// What it is about, in the order of ``mean``.
  public let parameters: [FitParameter]
  /// Of the coordinates.
  public let mean: [Double]
  /// Of the coordinates, row-major.
  public let covariance: [Double]
  /// L^-1, row-major; zero above the diagonal.
  private let whitener: [Double]

  /// The part of a variance that must remain where the other parameters are known.
  package static let leastPivot = 1e-14

  /// Describes prior knowledge.
  ///
  /// - Parameters:
  ///   - parameters: Each once.
  ///   - mean: For each, the mean of its natural logarithm, the parameter in its unit; for the lag the
  ///     mean in h.
  ///   - covariance: Of the same, row-major, symmetric and positive definite.
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if the numbers describe no distribution.
  public init(
    of parameters: [FitParameter], mean: [Double], covariance: [Double]
  ) throws(SeriesFailure) {
    let count = parameters.count
    guard count > 0, Set(parameters).count == count else {
      throw .badOptions("a prior needs parameters, and each once")
    }
    guard mean.count == count, covariance.count == count * count,
      (mean + covariance).allSatisfy(\.isFinite)
    else {
      throw .badOptions(
        "a prior of \(count) parameters needs \(count) means and \(count * count) covariances, all "
          + "finite")
    }
    let isSymmetric = (0..<count * count).allSatisfy { index in
      let mirrored = covariance[index % count * count + index / count]
      return abs(covariance[index] - mirrored) <= 1e-12 * max(abs(mirrored), abs(covariance[index]))
    }
    guard isSymmetric,
      let factor = Cholesky.factor(of: covariance, size: count, least: Self.leastPivot)
    else {
      throw .badOptions("the covariance of a prior must be symmetric and positive definite")
    }
    self.parameters = parameters
    self.mean = mean
    self.covariance = covariance
    whitener = Cholesky.inverse(of: factor, size: count)
  }

  /// What is known of some of the parameters alone; nil if it is nothing.
  func marginal(of kept: Set<FitParameter>) -> Prior? {
    let places = parameters.indices.filter { kept.contains(parameters[$0]) }
    guard places.count < parameters.count else { return self }
    return try? Prior(
      of: places.map { parameters[$0] }, mean: places.map { mean[$0] },
      covariance: places.flatMap { row in
        places.map { covariance[row * parameters.count + $0] }
      })
  }

  /// The same for everybody.
  public func prior(for subject: Subject) -> Prior { self }

  /// The standard deviation of a parameter's coordinate; nil if nothing is known of it.
  func standardDeviation(of parameter: FitParameter) -> Double? {
    parameters.firstIndex(of: parameter).map {
      covariance[$0 * (parameters.count + 1)].squareRoot()
    }
  }

  /// The values at the mean, each in its unit.
  var center: [FitParameter: Double] {
    Dictionary(
      uniqueKeysWithValues: zip(parameters, mean).map { ($0, $0.value(at: $1)) })
  }
}

extension Prior {
  /// The residuals that a prior adds for the free parameters of a layout.
  struct Rows {
    let mean: [Double]
    let whitener: [Double]
    /// Where each parameter stands among the free ones.
    let positions: [Int]
    private let lowest: [Double]
    private let highest: [Double]

    init(_ prior: Prior, _ layout: ParameterLayout) {
      mean = prior.mean
      whitener = prior.whitener
      positions = prior.parameters.map { layout.free.firstIndex(of: $0) ?? 0 }
      lowest = layout.lowest
      highest = layout.highest
    }

    var count: Int { mean.count }

    func write(
      residuals: UnsafeMutablePointer<Double>, at coordinates: UnsafePointer<Double>
    ) {
      for row in 0..<count {
        residuals[row] = 0
        for column in 0...row {
          let position = positions[column]
          let coordinate = min(max(coordinates[position], lowest[position]), highest[position])
          residuals[row] += whitener[row * count + column] * (coordinate - mean[column])
        }
      }
    }

    /// Beyond a bound nothing changes.
    func write(
      jacobian: UnsafeMutablePointer<Double>, _ layout: ParameterLayout,
      at coordinates: UnsafePointer<Double>
    ) {
      let width = layout.count
      jacobian.update(repeating: 0, count: count * width)
      for row in 0..<count {
        for column in 0...row
        where !layout.isOutside(positions[column], coordinates[positions[column]]) {
          jacobian[row * width + positions[column]] = whitener[row * count + column]
        }
      }
    }
  }
}
