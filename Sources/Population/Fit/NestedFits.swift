import AlcoholKinetics
import Estimation

/// What a test of two fits has to know of each.
package struct FitLikelihood: Hashable, Sendable {
  let minusTwoLogLikelihood: Double
  let estimated: Int
  /// Whatever two fits must have in common: the method, people, series and readings, the model of elimination and r.
  let common: [String]
  /// The numbers that were estimated, by name; variances and parts of the residual error begin with `variance`, since
  /// they cannot be below zero.
  let names: Set<String>
}

extension PopulationFit {
  /// What a test against another fit has to know.
  package var likelihood: FitLikelihood {
    var names = FitLikelihood.names(of: model) { one, other, level in
      one == other
        ? level != .person || model.fixedVariances[one] == nil : model.isFull && level != .study
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
  /// The names of what a model estimates of typical values, covariates and spreads.
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
      for (row, one) in model[level].enumerated() {
        for other in model[level][...row] where isEstimated(one, other, level) {
          names.insert(
            one == other
              ? "variance of \(one.rawValue) between \(level.units)"
              : "covariance of \(other.rawValue) and \(one.rawValue) between \(level.units)")
        }
      }
    }
    return names
  }
}

/// The likelihood-ratio test of two nested fits.
package struct NestedFitsTest: Hashable, Sendable {
  /// By how much -2 ln L is lower for the larger model.
  package let fall: Double
  /// How many numbers it has more.
  package let degreesOfFreedom: Int
  /// How many of these are variances, which the smaller model has at zero, the least there can be.
  package let variances: Int
  /// The p value.
  package let pValue: Double
  /// What the larger model has more.
  package let effects: [String]

  /// Tests two fits, in either order.
  ///
  /// - Throws: ``PopulationFailure/badOptions(_:)`` if they are not nested, or not of the same people and readings.
  package init(_ one: FitLikelihood, _ other: FitLikelihood) throws(PopulationFailure) {
    for (own, others) in zip(one.common, other.common) where own != others {
      throw .badOptions("the two fits cannot be tested: \(own) and \(others)")
    }
    let (small, large) = one.estimated <= other.estimated ? (one, other) : (other, one)
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
