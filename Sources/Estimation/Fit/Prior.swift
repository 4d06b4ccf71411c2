public import AlcoholKinetics
import RealModule
public import StudyData

/// A source of priors for series, which may depend on sex or body measures of the subject, and on the occasion.
public protocol PriorSource: Sendable {
  /// The parameters that have a prior.
  var parameters: [FitParameter] { get }

  /// Returns the prior of a series.
  ///
  /// - Throws: ``SeriesFailure`` if the subject lacks a measure that it depends on.
  func prior(of series: Series) throws(SeriesFailure) -> Prior

  /// Describes in which respects a series is outside the data that the prior was estimated from; nil if in none.
  func reasonsOutside(of series: Series) -> String?
}

extension PriorSource {
  /// Returns nil: the data behind the prior are not known.
  public func reasonsOutside(of series: Series) -> String? { nil }
}

/// A prior of the SD of additive errors: a standard deviation s_0 in g/kg, worth nu readings of the subject's own.
///
/// The estimate from n residuals with p parameters is that of the pooled sample, s^2 = (nu s_0^2 + RSS) / (nu + n - p):
/// the mode of an inverse chi-squared posterior but for the terms of its logarithm (Gelman et al. 2013, section 2.6). With
/// fewer readings than parameters, n - p counts as 0, which is conservative: the prior of the parameters also determines
/// part of the curve.
public struct ErrorSizePrior: Hashable, Sendable {
  /// The typical standard deviation s_0, in g/kg.
  public let sd: Double
  /// The number nu of readings that it is worth.
  public let degreesOfFreedom: Int

  /// Creates a prior from its SD in g/kg and degrees of freedom.
  public init(sd: Double, degreesOfFreedom: Int) {
    self.sd = sd
    self.degreesOfFreedom = degreesOfFreedom
  }
}

/// A multivariate normal prior of a subject's parameters, in coordinates: logarithms of all parameters but the lag.
///
/// A fit with a prior ends at the mode of the posterior. Each parameter of the prior adds one residual:
/// with the covariance S = L L^T and the mean mu they are L^-1 (theta - mu), and their squares add up to
/// (theta - mu)^T S^-1 (theta - mu). With known noise the objective is thus -2 ln of the posterior density but
/// for constants, and (J^T J)^-1 the covariance of the posterior about its mode (Laplace).
///
/// The residuals of readings are standardised, too. If their standard deviations are estimated, this happens in turns with
/// the curve and from the readings alone, with n - p degrees of freedom as without a prior, so that there must be more
/// readings than parameters. That is conservative, since the prior also determines part of the curve.
public struct Prior: PriorSource, Hashable, Sendable {
  /// The parameters, in the order of ``mean``.
  public let parameters: [FitParameter]
  /// The mean of the coordinates.
  public let mean: [Double]
  /// The covariance of the coordinates, row-major.
  public let covariance: [Double]
  /// L^-1, row-major; zero above the diagonal.
  private let whitener: [Double]

  /// The smallest conditional variance of a coordinate given the others, relative to its variance.
  package static let leastPivot = 1e-14

  /// Creates a prior.
  ///
  /// - Parameters:
  ///   - parameters: The parameters, each once.
  ///   - mean: For each, the mean of its natural logarithm, the parameter in its unit; for the lag the
  ///     mean in h.
  ///   - covariance: The covariance of these, row-major, symmetric and positive definite.
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

  /// Returns the marginal prior of some of the parameters; nil if it has none of them.
  func marginal(of kept: Set<FitParameter>) -> Prior? {
    let positions = parameters.indices.filter { kept.contains(parameters[$0]) }
    guard positions.count < parameters.count else { return self }
    return try? Prior(
      of: positions.map { parameters[$0] }, mean: positions.map { mean[$0] },
      covariance: positions.flatMap { row in
        positions.map { covariance[row * parameters.count + $0] }
      })
  }

  /// Returns this prior, for every series.
  public func prior(of series: Series) -> Prior { self }

  /// Returns the standard deviation of a parameter's coordinate; nil if it has no prior.
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
    /// The index of each parameter among the free ones.
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

    /// Writes L^-1 with columns of zeros for coordinates beyond a bound, where residuals are constant.
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
