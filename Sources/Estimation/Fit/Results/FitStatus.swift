public import AlcoholKinetics

/// How far the result of a fit can be used, in a word. Every account of a fit takes it from here.
public enum FitStatus: String, CaseIterable, Codable, Hashable, Sendable {
  /// The readings determine every parameter that was estimated, and all values are plausible.
  case ok
  /// The readings leave a parameter open: it hit its search limit, has no limit on some side, or there are no
  /// more readings than parameters. What is said of the others holds.
  case undetermined
  /// A parameter lies where it does not in people: dose, weight, times or the unit of the readings are wrong,
  /// or the instrument is.
  case implausible
  /// The search did not end in a minimum.
  case notConverged = "not-converged"
  /// There is no fit.
  case failed
}

extension SeriesFit {
  /// How far it can be used; of several reasons against it the gravest.
  public var status: FitStatus {
    FitStatus(noise, warnings, estimates, isConverged: isConverged)
  }

  /// The value of a parameter, estimated or fixed; nil if the model does not have it, and at a search limit or in a
  /// flat valley, where the limits in ``estimates`` are all that is known.
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

// Of the parts where they lie: the fit with all of them is not copied.
extension StudyFit {
  /// How far it can be used.
  public var status: FitStatus {
    guard let fit = coded.success?.value else { return .failed }
    return FitStatus(fit.noise, fit.warnings, fit.estimates, isConverged: fit.isConverged)
  }

  /// What it says about a parameter; nil if that was not estimated.
  package func estimate(_ parameter: FitParameter) -> ParameterEstimate? {
    // Of few: to look at all takes less time than to hash one.
    coded.success?.value.estimates.first { $0.key == parameter }?.value
  }

  /// See ``SeriesFit/stated(_:)``.
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
  /// How far the fit can be used.
  package var status: FitStatus {
    (try? get())?.status ?? .failed
  }
}

extension ParameterEstimate {
  /// Whether there is a value to be told: one that the readings determine, or that a prior does beside them.
  public var isDetermined: Bool {
    !isAtBound && !isInValley && (isIdentifiable != false || isPriorDominated == true)
  }
}

extension FitWarning {
  /// Whether it says that a parameter lies where it does not in people.
  fileprivate var isImplausible: Bool {
    switch self {
    case .kaRange, .betaRange, .rRange: true
    default: false
    }
  }
}
