package import AlcoholKinetics
import Estimation

/// The likelihood of a fit with its parameters, as a test of nested fits needs them.
package struct FitLikelihood: Hashable, Sendable {
  let minusTwoLogLikelihood: Double
  let estimated: Int
  /// Properties that two fits must share: method, people, series, readings, elimination model and r-factor method.
  let common: [String]
  /// The names of the estimated parameters. Those of variances and of the residual error begin with `variance`, since
  /// zero is their bound.
  let names: Set<String>
}

extension PopulationFit {
  /// The likelihood of this fit, for a test against another.
  package var likelihood: FitLikelihood {
    var names = FitLikelihood.names(of: model) { row, column, level in
      row == column
        ? level != .person || model.fixedVariances[row] == nil : model.isFull && level != .study
    }
    if model.error.isEstimated {
      names.formUnion(model.error.parameters.map { "variance of readings, \($0.rawValue)" })
    }
    return FitLikelihood(
      minusTwoLogLikelihood: minusTwoLogLikelihood, estimated: estimatedCount,
      common: [
        "method \(method.rawValue)", "\(individuals.count) people", "\(seriesCount) series",
        "\(readingCount) readings", "model \(model.elimination.rawValue)",
        "r by \(model.rFactor?.name ?? "none")",
      ], names: names)
  }
}

extension FitLikelihood {
  /// The names of the estimated typical values, covariate coefficients, variances and covariances of a model.
  static func names(
    of model: PopulationModel,
    _ isEstimated: (PopulationParameter, PopulationParameter, PopulationLevel) -> Bool
  ) -> Set<String> {
    var names = Set(
      model.parameters.filter { !model.isPredicted($0) && model.fixedTypical[$0] == nil }.map {
        "typical \($0.rawValue)"
      })
    for covariate in model.covariates {
      names.insert(
        "\(covariate.name) on \(covariate.parameter.rawValue), \(covariate.form.rawValue)")
    }
    for level in PopulationLevel.allCases {
      for (index, row) in model[level].enumerated() {
        for column in model[level][...index] where isEstimated(row, column, level) {
          names.insert(
            row == column
              ? "variance of \(row.rawValue) between \(level.units)"
              : "covariance of \(column.rawValue) and \(row.rawValue) between \(level.units)")
        }
      }
    }
    return names
  }
}

/// The likelihood-ratio test of two nested fits.
package struct NestedFitsTest: Hashable, Sendable {
  /// The decrease of -2 ln L from the smaller to the larger model.
  package let fall: Double
  /// The number of additional parameters of the larger model.
  package let degreesOfFreedom: Int
  /// The number of these that are variances, which the smaller model has at their bound, zero.
  package let variances: Int
  /// The p value, by a mixture of chi-squared distributions if there are such variances.
  package let pValue: Double
  /// The names of the additional parameters of the larger model.
  package let effects: [String]

  /// Tests two fits, in either order.
  ///
  /// - Throws: ``Problem`` if they are not nested, or not of the same people and readings.
  package init(_ first: FitLikelihood, _ second: FitLikelihood) throws(Problem) {
    for (left, right) in zip(first.common, second.common) where left != right {
      throw .badOptions("the two fits cannot be tested: \(left) and \(right)")
    }
    let (small, large) =
      first.estimated <= second.estimated ? (first, second) : (second, first)
    let missing = small.names.subtracting(large.names).sorted()
    let more = large.names.subtracting(small.names).sorted()
    guard missing.isEmpty, !more.isEmpty else {
      throw .badOptions(
        "the two fits are not nested: "
          + (more.isEmpty
            ? "both estimate the same numbers"
            : "the one with fewer numbers alone has the \(missing.joined(separator: ", "))"))
    }
    guard more.count == large.estimated - small.estimated else {
      throw .badOptions(
        "the two fits cannot be tested: they differ by \(large.estimated - small.estimated) numbers, and by the "
          + more.joined(separator: ", "))
    }
    let bounded = more.count { $0.hasPrefix("variance") }
    let fall = small.minusTwoLogLikelihood - large.minusTwoLogLikelihood
    guard
      let pValue = LikelihoodRatio.pValue(
        fall, numbers: more.count - bounded, variances: bounded)
    else { throw .badOptions("the two fits cannot be tested: a likelihood is not a number") }
    self.fall = fall
    self.pValue = pValue
    degreesOfFreedom = more.count
    variances = bounded
    effects = more
  }
}
