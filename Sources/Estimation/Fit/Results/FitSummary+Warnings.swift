import AlcoholKinetics
import StudyData

extension FitSummary {
  /// The fewest quantified readings on the elimination limb that tell a slope from an accident.
  private static let fewestLimbReadings = 3
  /// With fewer readings more than parameters, Student's intervals hold less often than they say (simulated: 95 % ones in
  /// 84-87 % with one, 93 % with two).
  private static let fewestSpareReadings = 3
  /// A standardised residual beyond this is one in 370 if errors are normal.
  private static let outlyingResidual = 3.0
  /// A prediction below this is none, in g/kg: a Michaelis-Menten curve is never quite zero.
  private static let smallestPrediction = 1e-3
  /// A p value below this is no accident even of a study with a hundred series.
  private static let rarity = 1e-3

  /// What the reader of the fit should know.
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
    if let spare, spare < Self.fewestSpareReadings { warnings.append(.degreesOfFreedom(spare)) }
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
    if restsOnErrorsNextToZero { warnings.append(.zeroInterval) }
    if takesZerosAsRead(readings) { warnings.append(.zerosAsRead) }
    let exit = solution.minimum.exit
    if !exit.isConverged { warnings.append(.notConverged(exit)) }
    return warnings
  }

  /// How many more readings than parameters the size of errors was estimated from; nil where it was known.
  private var spare: Int? {
    guard let noise else { return 0 }
    return noise.degreesOfFreedom
  }

  /// Whether there is an interval of the time to zero, and errors there are much smaller than elsewhere by an
  /// estimate of their own: the readings that tell it are few (article DerivedQuantities).
  private var restsOnErrorsNextToZero: Bool {
    guard options.interval != nil, options.derived.quantities.contains(.timeToZero), let noise
    else {
      return false
    }
    return noise.isEstimated && noise.sd != nil && noise.cv != nil
  }

  /// Whether zeros that show nothing of their error stand where the curve has a tail: an instrument shows no
  /// negative values, so that their errors look half as large as those of other readings (article
  /// FittingAndUncertainty).
  private func takesZerosAsRead(_ readings: [FittedReading]) -> Bool {
    guard options.interval != nil, options.model == .michaelisMenten else { return false }
    let zeros = readings.indices.count { index in
      readings[index].use == .quantified && series.readings[index].value <= 0
        && options.selection.limitOfDetection(of: series.readings[index], instrument) == nil
    }
    return zeros > 1
  }

  /// What lies outside the ranges that the literature gives.
  private func rangeWarnings(_ estimates: [FitParameter: ParameterEstimate]) -> [FitWarning] {
    let density = options.factors.bloodDensityKgPerL
    // Of what the readings leave open only limits are known.
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

  /// Alcohol where there can be none.
  private func zeroWarnings(_ readings: [FittedReading]) -> [FitWarning] {
    func timesAboveZero(_ isMeant: (FittedReading) -> Bool) -> [Hours] {
      readings.indices.filter {
        isMeant(readings[$0])
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
    let areSystematic = min(runs ?? 1, normality ?? 1) < Self.rarity
    return (outlying.isEmpty ? [] : [.outlyingReadings(Array(outlying))])
      + (areSystematic ? [.residualsNotRandom] : [])
  }

  /// Whether residuals are but rounding: no reading is exact to six digits.
  private func isExact(_ readings: [FittedReading]) -> Bool {
    let allowed = 1e-6 * problem.observations.largest
    return readings.allSatisfy { $0.use != .quantified || abs($0.residual.value) <= allowed }
  }

  /// How many quantified readings above zero follow the highest one and the last drink.
  private func limbReadings(_ readings: [FittedReading]) -> Int {
    let used = readings.lazy.filter { $0.use == .quantified }
    let highest = used.max { $0.observed < $1.observed }
    let end = series.drinks.lazy.map(\.end).max() ?? 0
    return used.count { reading in
      reading.observed > 0 && reading.time > max(end, highest?.time ?? end)
    }
  }
}
