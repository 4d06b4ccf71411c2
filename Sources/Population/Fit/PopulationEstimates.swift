import AlcoholKinetics
import Estimation

/// The covariance of what a fit estimated, each number under a name.
///
/// `typical.ka` is the logarithm of a typical value, `covariates.beta,sex` a coefficient, `between.ka` the logarithm of a
/// standard deviation between people (so `within.` and `studies.`), and `residual.sd` that of the error of readings. Of a
/// full covariance between people, `between.ka,beta` are the entries of its lower triangular factor, on the diagonal their
/// logarithms. So every draw is a population: no variance falls below zero.
public struct PopulationEstimates: Hashable, Sendable {
  /// What was estimated; a variance that fell to zero is not among it.
  public let names: [String]
  private let matrix: Dense
  /// Its lower triangular factor.
  private let factor: Dense

  /// Nil if it is no covariance.
  init?(_ names: [String], _ matrix: Dense) {
    guard !names.isEmpty, let factor = matrix.cholesky else { return nil }
    (self.names, self.matrix, self.factor) = (names, matrix, factor)
  }

  /// The covariance of two of them, by their places.
  public func covariance(_ one: Int, _ other: Int) -> Double { matrix[one, other] }

  /// The correlation of two of them, by their places.
  public func correlation(_ one: Int, _ other: Int) -> Double {
    matrix[one, other] / (matrix[one, one] * matrix[other, other]).squareRoot()
  }

  /// What draws of the numbers deviate by: normal, and as correlated as the estimates are.
  ///
  /// - Parameter widening: By what factor typical values and coefficients are more uncertain, which the standard errors
  ///   of few people are too small for. It changes no correlation.
  func draw(_ stream: inout RandomStream, widening: Double) -> [String: Double] {
    let deviations = factor * names.map { _ in stream.normal() }
    return Dictionary(
      zip(names, deviations).map { name, deviation in
        let isMean = name.hasPrefix("typical.") || name.hasPrefix("covariates.")
        return (name, isMean ? widening * deviation : deviation)
      }
    ) { first, _ in first }
  }
}

extension Coordinates {
  /// The names of the numbers of a vector, as ``PopulationEstimates`` has them.
  func names(_ model: PopulationModel) -> [String] {
    typical.map { "typical.\(structure.parameters[$0].rawValue)" }
      + model.covariates.map { "covariates.\($0.parameter.rawValue),\($0.name)" }
      + PopulationLevel.ofVectors.flatMap { level in
        factors[level].names(model[level]).map { "\(level.part).\($0)" }
      } + residual.map { "residual.\($0.rawValue)" }
  }

  /// The covariance of estimates from that of the vector; of a typical value within a range that of its logarithm.
  func named(
    _ covariance: Dense, _ values: PopulationValues, _ model: PopulationModel
  ) -> PopulationEstimates? {
    let free = covariance.diagonal.indices.filter { covariance[$0, $0] > 0 }
    let scales = covariance.diagonal.indices.map { place in
      place < typical.count ? slope(values, typical[place]) : 1
    }
    let scaled = Dense(diagonal: scales) * (covariance * Dense(diagonal: scales))
    let names = names(model)
    return PopulationEstimates(free.map { names[$0] }, scaled.part(free))
  }
}
