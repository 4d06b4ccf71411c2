import AlcoholKinetics
import StudyData

extension FitSummary {
  /// The smallest number of quantified readings on the elimination limb for a reliable slope.
  private static let fewestLimbReadings = 3
  /// The smallest number of degrees of freedom without a warning. With fewer, Student's intervals cover less than their
  /// level (simulated: 95 % intervals cover 84-87 % with one, 93 % with two).
  private static let fewestSpareReadings = 3
  /// The standardised residual above which a reading is outlying; one in 370 if errors are normal.
  private static let outlyingResidual = 3.0
  /// The prediction, in g/kg, below which a curve counts as zero: a Michaelis-Menten curve never reaches zero.
  private static let smallestPrediction = 1e-3
  /// The p value below which residuals are not random, small enough for a study with a hundred series.
  private static let significance = 1e-3

  /// Returns the warnings of the fit, in the order of results.
  func warnings(
    _ estimates: [FitParameter: ParameterEstimate], _ readings: [FittedReading],
    _ diagnostics: FitDiagnostics?, readingsAboveDose: Int
  ) -> [FitWarning] {
    var warnings: [FitWarning] = []
    if problem.layout.count != options.estimate.count { warnings.append(.nothingAbsorbed) }
    if readingsAboveDose > 0 { warnings.append(.aboveDose) }
    warnings += rangeWarnings(estimates)
    warnings += zeroWarnings(readings)
    if !isExact(readings) { warnings += residualWarnings(readings, diagnostics) }
    if limbReadings(readings) < Self.fewestLimbReadings { warnings.append(.limbShort) }
    if let reasons = options.prior?.reasonsOutside(of: series) {
      warnings.append(.outsidePrior(reasons))
    }
    if let errorDegreesOfFreedom, errorDegreesOfFreedom < Self.fewestSpareReadings {
      warnings.append(.degreesOfFreedom(errorDegreesOfFreedom))
    }
    for parameter in problem.layout.free {
      guard let estimate = estimates[parameter] else { continue }
      if estimate.isAtBound { warnings.append(.atBound(parameter)) }
      if let ratio = estimate.priorRatio, estimate.isPriorDominated == true {
        warnings.append(.priorDominated(parameter, ratio: ratio))
      } else if estimate.isIdentifiable == false {
        warnings.append(.notIdentifiable(parameter, low: estimate.low, high: estimate.high))
      }
    }
    for other in intervals.others {
      let values = problem.layout.values(at: other)
      warnings.append(
        .equalMinimum(
          Dictionary(uniqueKeysWithValues: problem.layout.free.map { ($0, values[known: $0]) })))
    }
    let foundBest = search.outcomes.count(where: \.foundBest)
    if search.outcomes.count > 1, foundBest == 1 { warnings.append(.singleStart) }
    if !solution.isSettled { warnings.append(.notSettled) }
    if dependsOnSDAtZero { warnings.append(.zeroInterval) }
    if fitsUncensoredZeros(readings) { warnings.append(.zerosAsRead) }
    let exit = solution.minimum.exit
    if !exit.isConverged { warnings.append(.notConverged(exit)) }
    return warnings
  }

  /// The degrees of freedom of the error estimate; 0 if there are too few readings, nil if errors are known.
  private var errorDegreesOfFreedom: Int? {
    guard let noise else { return 0 }
    return noise.degreesOfFreedom
  }

  /// True if there is an interval of the time to zero that depends on a separately estimated SD at zero, which few
  /// readings determine (article DerivedQuantities).
  private var dependsOnSDAtZero: Bool {
    guard options.interval != nil, options.derived.quantities.contains(.timeToZero), let noise
    else {
      return false
    }
    return noise.isEstimated && noise.sd != nil && noise.cv != nil
  }

  /// Returns true if several zeros without a limit of detection are fitted. Instruments show no negative values, so that
  /// zeros have no error where the curve is at zero, too, and half of it where it never is (article
  /// FittingAndUncertainty).
  private func fitsUncensoredZeros(_ readings: [FittedReading]) -> Bool {
    guard options.interval != nil else { return false }
    let zeros = readings.indices.count { index in
      readings[index].use == .quantified && series.readings[index].value <= 0
        && options.selection.limitOfDetection(of: series.readings[index], instrument) == nil
    }
    return zeros > (options.model == .widmark ? 2 : 1)
  }

  /// Returns warnings about parameters outside their published ranges.
  private func rangeWarnings(_ estimates: [FitParameter: ParameterEstimate]) -> [FitWarning] {
    let density = options.factors.bloodDensityKgPerL
    // A parameter that is not determined is outside only if its whole interval is.
    func isOutside(
      _ range: ClosedRange<Double>, _ parameter: FitParameter, per unit: Double = 1
    ) -> Bool {
      let estimate = estimates[parameter]
      guard let value = values[parameter], estimate?.isInValley != true else { return false }
      guard let estimate, !estimate.isDetermined else {
        return !range.contains(value * unit)
      }
      return (estimate.low ?? 0) * unit > range.upperBound
        || (estimate.high ?? .infinity) * unit < range.lowerBound
    }
    var warnings: [FitWarning] = []
    if isOutside(PlausibleRange.ka, .ka) { warnings.append(.kaRange) }
    if isOutside(PlausibleRange.betaPerLitre, .beta, per: density) { warnings.append(.betaRange) }
    if isOutside(PlausibleRange.r, .r) { warnings.append(.rRange) }
    let r = values[known: .r]
    if !options.estimate.contains(.r), options.fixed[.r] == nil,
      options.rFactor.isOutsidePublishedRange(RFactor(r), for: series.subject)
    {
      warnings.append(.rPublishedRange)
    }
    return warnings
  }

  /// Returns warnings about readings that are clearly above zero before drinking, or where the curve is zero.
  private func zeroWarnings(_ readings: [FittedReading]) -> [FitWarning] {
    func timesAboveZero(_ isIncluded: (FittedReading) -> Bool) -> [Hours] {
      readings.indices.filter {
        isIncluded(readings[$0])
          && options.selection.isClearlyAboveZero(series.readings[$0], instrument, options.factors)
      }.map { readings[$0].time }
    }
    let early = timesAboveZero { $0.use == .beforeDrinking }
    let missed = timesAboveZero {
      $0.use == .quantified && $0.predicted.value < Self.smallestPrediction
    }
    return (early.isEmpty ? [] : [.beforeDrinking(early)])
      + (missed.isEmpty ? [] : [.curveAtZero(missed)])
  }

  private func residualWarnings(
    _ readings: [FittedReading], _ diagnostics: FitDiagnostics?
  ) -> [FitWarning] {
    let outlying = readings.lazy
      .filter { abs($0.standardisedResidual ?? 0) > Self.outlyingResidual }.map(\.time)
    let runs = diagnostics?.runs?.pValue
    let normality = diagnostics?.normality?.pValue
    let areSystematic = min(runs ?? 1, normality ?? 1) < Self.significance
    return (outlying.isEmpty ? [] : [.outlyingReadings(Array(outlying))])
      + (areSystematic ? [.residualsNotRandom] : [])
  }

  /// Returns true if residuals are only rounding, as in synthetic data: no reading is exact to six digits.
  private func isExact(_ readings: [FittedReading]) -> Bool {
    let allowed = 1e-6 * problem.observations.largest
    return readings.allSatisfy { $0.use != .quantified || abs($0.residual.value) <= allowed }
  }

  /// Returns the number of quantified readings above zero after the highest one and the last drink.
  private func limbReadings(_ readings: [FittedReading]) -> Int {
    let used = readings.lazy.filter { $0.use == .quantified }
    let highest = used.max { $0.observed < $1.observed }
    let end = series.drinks.lazy.map(\.end).max() ?? 0
    return used.count { reading in
      reading.observed > 0 && reading.time > max(end, highest?.time ?? end)
    }
  }
}
