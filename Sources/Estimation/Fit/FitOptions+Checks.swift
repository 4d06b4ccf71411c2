import AlcoholKinetics

extension FitOptions {
  /// Refuses options that ask for something impossible.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)``.
  func check() throws(SeriesFailure) {
    guard !estimate.isEmpty else {
      throw .badOptions("no parameter is left to estimate; choose at least one")
    }
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
      guard value.isFinite, value > 0 || (value == 0 && !parameter.isLogarithmic) else {
        throw .badOptions("\(parameter.rawValue) cannot be fixed to \(value)")
      }
    }
    let given = estimate.union(fixed.keys)
    for parameter in [FitParameter.vmax, .km]
    where model.parameters.contains(parameter) && !given.contains(parameter) {
      throw .badOptions("\(parameter.rawValue) must be estimated or fixed")
    }
  }

  private func checkBounds() throws(SeriesFailure) {
    for (parameter, range) in bounds.sorted(by: { $0.key < $1.key }) {
      guard estimate.contains(parameter) else {
        throw .badOptions("\(parameter.rawValue) has bounds but is not estimated")
      }
      let isPossible = range.lowerBound > 0 || (range.lowerBound == 0 && !parameter.isLogarithmic)
      guard isPossible, range.upperBound.isFinite, range.lowerBound < range.upperBound else {
        throw .badOptions(
          "\(parameter.rawValue) cannot be bounded from \(range.lowerBound) to \(range.upperBound)")
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
        "the censored likelihood m3 and the \(loss.rawValue) loss cannot be combined; "
          + "choose one-sided censoring, or drop or keep readings below detection")
    }
    if let limit = selection.limitOfDetection, !(limit >= 0 && limit.isFinite) {
      throw .badOptions("the limit of detection is \(limit); it must be 0 or more")
    }
    if let window = selection.mouthAlcoholWindow, !(window >= 0 && window.value.isFinite) {
      throw .badOptions("the window after a drink is \(window.minutes) min; it must be 0 or more")
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
        "exponential correlation and the \(loss.rawValue) loss cannot be combined; choose the linear "
          + "loss")
    }
    guard selection.censoring != .oneSided else {
      throw .badOptions(
        "exponential correlation needs a likelihood, but one-sided censoring has none; choose m3")
    }
    guard interval?.kind != .residualBootstrap else {
      throw .badOptions(
        "a residual bootstrap assumes independent residuals; with exponential correlation, choose "
          + "profile, wald or parametric-bootstrap intervals")
    }
  }

  private func checkStandardErrors() throws(SeriesFailure) {
    guard standardErrors == .robust else { return }
    guard interval.map({ $0.kind == .wald }) ?? true else {
      throw .badOptions(
        "robust standard errors cannot be combined with \(interval?.kind.rawValue ?? "other") intervals; "
          + "choose wald intervals, or none")
    }
    guard loss == .linear else {
      throw .badOptions(
        "robust standard errors allow for correlated errors, but the \(loss.rawValue) loss assumes "
          + "independent errors; choose the linear loss")
    }
    guard correlation == .independent else {
      throw .badOptions(
        "robust standard errors and exponential correlation both allow for correlated errors; "
          + "choose one")
    }
  }

  private func checkInterval() throws(SeriesFailure) {
    guard let interval else { return }
    guard interval.level > 0, interval.level < 1 else {
      throw .badOptions("the level of an interval is \(interval.level); it must be between 0 and 1")
    }
    guard interval.replicates >= 1 else {
      throw .badOptions("a bootstrap needs at least 1 replicate, not \(interval.replicates)")
    }
  }
}
