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
    if !isConverged || noise?.isSettled == false { return .notConverged }
    if warnings.contains(where: \.isImplausible) { return .implausible }
    return noise != nil && estimates.values.allSatisfy(\.isDetermined) ? .ok : .undetermined
  }

  /// The value of a parameter, estimated or fixed; nil if the model does not have it, and at a search limit or in a
  /// flat valley, where the limits in ``estimates`` are all that is known.
  @inlinable
  public func stated(_ parameter: FitParameter) -> Double? {
    if let estimate = estimates[parameter], estimate.isAtBound || estimate.isInValley { return nil }
    return values[parameter]
  }
}

extension Result<SeriesFit, SeriesFailure> {
  /// How far the fit can be used.
  public var status: FitStatus {
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
