import AlcoholKinetics

extension FitOptions {
  /// Refuses options that ask for something impossible.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)``.
  func check() throws(SeriesFailure) {
    guard !estimate.isEmpty else { throw .badOptions("there is no parameter to estimate") }
    guard starts.count >= 1 else {
      throw .badOptions("a fit needs at least 1 start, not \(starts.count)")
    }
    try checkParameters()
    try checkBounds()
    try checkNoise()
    try checkCorrelation()
    try checkStandardErrors()
    try checkInterval()
  }

  private func checkParameters() throws(SeriesFailure) {
    for parameter in estimate.union(fixed.keys).union(bounds.keys).sorted()
    where !model.parameters.contains(parameter) {
      throw .badOptions("the \(model.rawValue) model has no \(parameter.rawValue)")
    }
    for (parameter, value) in fixed.sorted(by: { $0.key < $1.key }) {
      guard !estimate.contains(parameter) else {
        throw .badOptions("\(parameter.rawValue) cannot be both estimated and fixed")
      }
      guard parameter.allows(value) else {
        throw .badOptions("\(parameter.rawValue) cannot be fixed to \(value)")
      }
    }
    let given = estimate.union(fixed.keys)
    for traits in model.kinetics.ownParameters
    where traits.usualValue == nil && !given.contains(traits.parameter) {
      throw .badOptions("\(traits.name) must be estimated or fixed")
    }
  }

  private func checkBounds() throws(SeriesFailure) {
    for (parameter, range) in bounds.sorted(by: { $0.key < $1.key }) {
      guard estimate.contains(parameter) else {
        throw .badOptions("\(parameter.rawValue) has bounds but is not estimated")
      }
      guard parameter.allows(range.lowerBound), parameter.allows(range.upperBound),
        range.lowerBound < range.upperBound
      else {
        throw .badOptions(
          "\(parameter.rawValue) cannot lie from \(range.lowerBound) to \(range.upperBound)")
      }
    }
  }

  private func checkNoise() throws(SeriesFailure) {
    let given: [Double?] =
      switch error {
      case .additive(let sd): [sd]
      case .proportional(let cv): [cv]
      case .combined(let both): [both?.sd, both?.cv]
      case .instrument: []
      }
    guard given.allSatisfy({ $0.map { $0 > 0 && $0.isFinite } ?? true }) else {
      throw .badOptions("the parameters of the \(error.name) error must be positive")
    }
    guard (lossTuning ?? 1) > 0, (lossTuning ?? 1).isFinite else {
      throw .badOptions("the tuning constant of a loss must be positive")
    }
    if loss != .linear, selection.censoring == .m3 {
      throw .badOptions(
        "the censored likelihood m3 and the \(loss.rawValue) loss exclude each other; "
          + "choose one-sided censoring, or drop or keep what is below detection")
    }
    if let limit = selection.limitOfDetection, !(limit >= 0 && limit.isFinite) {
      throw .badOptions("the limit of detection cannot be \(limit)")
    }
    if let window = selection.mouthAlcoholWindow, !(window >= 0 && window.value.isFinite) {
      throw .badOptions("readings cannot be left out for \(window.minutes) min after a drink")
    }
  }

  private func checkCorrelation() throws(SeriesFailure) {
    guard case .exponential(let time) = correlation else { return }
    if let time, !(time > 0 && time.value.isFinite) {
      throw .badOptions(
        "the time constant of a correlation must be positive, not \(time.minutes) min")
    }
    guard loss == .linear else {
      throw .badOptions(
        "exponential correlation and the \(loss.rawValue) loss exclude each other; choose the linear "
          + "loss")
    }
    guard selection.censoring != .oneSided else {
      throw .badOptions(
        "exponential correlation needs a likelihood, and one-sided censoring has none; choose m3")
    }
    guard interval?.kind != .residualBootstrap else {
      throw .badOptions(
        "a residual bootstrap draws residuals as if they were independent; with exponential "
          + "correlation choose profile, wald or parametric-bootstrap intervals")
    }
  }

  private func checkStandardErrors() throws(SeriesFailure) {
    guard standardErrors == .robust else { return }
    guard interval.map({ $0.kind == .wald }) ?? true else {
      throw .badOptions(
        "robust standard errors make wald intervals, not \(interval?.kind.rawValue ?? "others"); choose "
          + "wald intervals, or none")
    }
    guard loss == .linear else {
      throw .badOptions(
        "robust standard errors are about correlated errors, and the \(loss.rawValue) loss takes errors "
          + "as independent; choose the linear loss")
    }
    guard correlation == .independent else {
      throw .badOptions(
        "robust standard errors and exponential correlation are two answers to correlated errors; "
          + "choose one")
    }
  }

  private func checkInterval() throws(SeriesFailure) {
    guard let interval else { return }
    guard interval.level > 0, interval.level < 1 else {
      throw .badOptions("the level of an interval is between 0 and 1, not \(interval.level)")
    }
    guard interval.replicates >= 1 else {
      throw .badOptions("a bootstrap needs at least 1 replicate, not \(interval.replicates)")
    }
  }
}
