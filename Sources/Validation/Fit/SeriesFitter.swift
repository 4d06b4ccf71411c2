import AlcoholKinetics
import GSL
public import StudyData

/// Fits one series at a time.
///
/// A fitter keeps the solver's workspaces and uses them again for every series of the same size, so
/// use one fitter for many series, and one for each thread.
public final class SeriesFitter {
  /// What is estimated and how.
  public let options: FitOptions

  /// Where absorption is slow or was not sampled, the minimum lies at the end of a long, narrow and
  /// curved valley, in which plain Levenberg-Marquardt and dogleg steps are cut short. On the worst
  /// of the Wilkinson (1977) series, geodesic acceleration (Transtrum & Sethna 2012) converges in
  /// half the iterations that the others spend without converging. QR keeps the digits that the
  /// normal equations would lose there.
  private static let solverOptions = LeastSquaresOptions(
    method: .geodesicAcceleration, scaling: .more, linearSolver: .qr)

  private let starts: [[Double]]
  private var solvers: [Int: LeastSquaresSolver] = [:]

  /// Prepares to fit.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if nothing is to be estimated or there is no start,
  ///   ``SeriesFailure/solver(_:)`` if the starts cannot be laid out.
  public init(options: FitOptions = FitOptions()) throws(SeriesFailure) {
    guard !options.estimate.isEmpty else {
      throw .badOptions("there is no parameter to estimate")
    }
    guard options.starts >= 1 else {
      throw .badOptions("a fit needs at least 1 start, not \(options.starts)")
    }
    self.options = options
    do {
      starts = try StartingPoints.logarithms(of: options.estimate.sorted(), count: options.starts)
    } catch {
      throw .solver(error)
    }
  }

  /// Estimates the parameters of a series by nonlinear least squares.
  ///
  /// Every reading that the study does not exclude is taken at face value, with equal weight. The
  /// best minimum of several starts is reported.
  ///
  /// - Throws: ``SeriesFailure`` if the data have an error, something needed is missing, or no
  ///   minimum was found.
  public func fit(_ series: Series) throws(SeriesFailure) -> SeriesFit {
    try series.requireUsable()
    let observations = Observations(series.readings, factors: options.factors)
    guard observations.count >= options.estimate.count else {
      throw .tooFewReadings(found: observations.count, needed: options.estimate.count)
    }
    guard observations.largest > 0 else {
      throw .nothingMeasured
    }
    let layout = ParameterLayout(
      estimating: options.estimate, fixed: try fixedParameters(for: series.subject))
    let regimen = try series.regimen()
    let solver = try self.solver(readings: observations.count)
    let search = try observations.withProblem(regimen, layout) { problem throws(SeriesFailure) in
      try Search(problem, from: starts, using: solver)
    }
    guard search.minimum.rss != observations.sumOfSquares else {
      throw .nothingPredicted
    }
    return try summary(of: search, layout, observations, regimen, series.subject)
  }

  private func fixedParameters(
    for subject: Subject
  ) throws(SeriesFailure) -> KineticParameters {
    // While r is estimated, its fixed value is not used, and any will do.
    let method = options.estimate.contains(.r) ? GivenRFactor(1) : options.rFactor
    return try method.parameters(for: subject, ka: options.ka, beta: options.beta)
  }

  private func solver(readings: Int) throws(SeriesFailure) -> LeastSquaresSolver {
    if let solver = solvers[readings] { return solver }
    do {
      let solver = try LeastSquaresSolver(
        residualCount: readings, parameterCount: options.estimate.count,
        options: Self.solverOptions)
      solvers[readings] = solver
      return solver
    } catch {
      throw .solver(error)
    }
  }

  private func summary(
    of search: Search,
    _ layout: ParameterLayout,
    _ observations: Observations,
    _ regimen: Regimen,
    _ subject: Subject
  ) throws(SeriesFailure) -> SeriesFit {
    let minimum = search.minimum
    guard let parameters = layout.parameters(at: minimum.parameters) else {
      throw .notConverged(minimum.exit)
    }
    var standardErrors: [FitParameter: Double] = [:]
    for (parameter, error) in zip(layout.free, minimum.standardErrors ?? []) where error.isFinite {
      standardErrors[parameter] = error * parameters[parameter]
    }
    let above = observations.count(above: regimen.largestConcentration(parameters))
    return SeriesFit(
      readings: observations.count,
      parameters: parameters,
      standardErrors: standardErrors,
      rss: minimum.rss,
      residualSD: minimum.residualVariance?.squareRoot(),
      starts: search.outcomes,
      best: search.best,
      readingsAboveDose: above,
      warnings: FitWarning.warnings(
        about: parameters, minimum.exit, readingsAboveDose: above, options.factors)
        + rangeWarnings(about: parameters.r, of: subject))
  }

  private func rangeWarnings(about r: RFactor, of subject: Subject) -> [FitWarning] {
    guard !options.estimate.contains(.r),
      options.rFactor.isOutsidePublishedRange(r, for: subject)
    else { return [] }
    return [.rPublishedRange]
  }
}

extension KineticParameters {
  fileprivate subscript(parameter: FitParameter) -> Double {
    switch parameter {
    case .ka: ka.value
    case .beta: beta.value
    case .r: r.value
    }
  }
}
