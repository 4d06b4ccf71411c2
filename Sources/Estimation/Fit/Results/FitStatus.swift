public import AlcoholKinetics

/// The status of a fit, the same in every report.
public enum FitStatus: String, CaseIterable, Codable, Hashable, Sendable {
  /// The readings determine every parameter that was estimated, and all values are plausible.
  case ok
  /// The readings do not determine a parameter: it hit its search limit, its interval is open, or there are no more
  /// readings than parameters. The other results are valid.
  case undetermined
  /// A parameter is outside its range in people: dose, weight, times, the unit of the readings or the instrument may be
  /// wrong.
  case implausible
  /// The search did not converge.
  case notConverged = "not-converged"
  /// The fit failed.
  case failed
}

extension SeriesFit {
  /// The status of the fit; of several problems the most serious one.
  public var status: FitStatus {
    FitStatus(noise, warnings, estimates, isConverged: isConverged)
  }

  /// Returns the value of a parameter, estimated or fixed; nil if the model does not have it, and at a search limit or in a
  /// flat valley, where only the limits in ``estimates`` are supported.
  public func stated(_ parameter: FitParameter) -> Double? {
    Self.stated(parameter, estimates[parameter], values)
  }

  fileprivate static func stated(
    _ parameter: FitParameter, _ estimate: ParameterEstimate?, _ values: ParameterValues
  ) -> Double? {
    if let estimate, estimate.isAtBound || estimate.isInValley { return nil }
    return values[parameter]
  }
}

// These read parts of the stored fit, so that the whole fit is not copied.
extension StudyFit {
  /// The status of the fit.
  public var status: FitStatus {
    guard let fit = coded.success?.value else { return .failed }
    return FitStatus(fit.noise, fit.warnings, fit.estimates, isConverged: fit.isConverged)
  }

  /// Returns the estimate of a parameter; nil if it was not estimated.
  package func estimate(_ parameter: FitParameter) -> ParameterEstimate? {
    // There are few, so a linear search takes less time than hashing.
    coded.success?.value.estimates.first { $0.key == parameter }?.value
  }

  /// Returns the value of a parameter as ``SeriesFit/stated(_:)`` does.
  package func stated(_ parameter: FitParameter) -> Double? {
    coded.success.flatMap { SeriesFit.stated(parameter, estimate(parameter), $0.value.values) }
  }
}

extension FitStatus {
  fileprivate init(
    _ noise: NoiseEstimate?, _ warnings: [FitWarning],
    _ estimates: [FitParameter: ParameterEstimate], isConverged: Bool
  ) {
    self =
      if !isConverged || noise?.isSettled == false {
        .notConverged
      } else if warnings.contains(where: \.isImplausible) {
        .implausible
      } else {
        noise != nil && estimates.values.allSatisfy(\.isDetermined) ? .ok : .undetermined
      }
  }
}

extension Result<SeriesFit, SeriesFailure> {
  /// The status of the fit.
  package var status: FitStatus {
    (try? get())?.status ?? .failed
  }
}

extension ParameterEstimate {
  /// True if the readings, together with a prior if there is one, determine the value.
  public var isDetermined: Bool {
    !isAtBound && !isInValley && (isIdentifiable != false || isPriorDominated == true)
  }
}

extension FitWarning {
  /// True if the warning is about a parameter outside its range in people.
  fileprivate var isImplausible: Bool {
    switch self {
    case .kaRange, .betaRange, .rRange: true
    default: false
    }
  }
}
