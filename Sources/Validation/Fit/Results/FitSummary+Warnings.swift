import AlcoholKinetics
import GSL
import StudyData

extension FitSummary {
  /// The fewest quantified readings on the elimination limb that tell a slope from an accident.
  private static let fewestLimbReadings = 3

  /// What the reader of the fit should know.
  func warnings(
    _ estimates: [FitParameter: ParameterEstimate], _ readings: [FittedReading],
    readingsAboveDose: Int
  ) -> [FitWarning] {
    var warnings: [FitWarning] = []
    if readingsAboveDose > 0 { warnings.append(.aboveDose) }
    warnings += rangeWarnings
    if limbReadings(readings) < Self.fewestLimbReadings { warnings.append(.limbShort) }
    if solution.noise == nil { warnings.append(.noDegreesOfFreedom) }
    for (parameter, estimate) in estimates.sorted(by: { $0.key < $1.key }) {
      if estimate.isAtBound { warnings.append(.atBound(parameter)) }
      if estimate.isIdentifiable == false {
        warnings.append(.notIdentifiable(parameter, low: estimate.low, high: estimate.high))
      }
    }
    let foundBest = search.outcomes.count(where: \.foundBest)
    if search.outcomes.count > 1, foundBest == 1 { warnings.append(.singleStart) }
    if !solution.isSettled { warnings.append(.notSettled) }
    let early = times { $0 == .beforeDrinking && isClearlyAboveZero($1) }
    if !early.isEmpty { warnings.append(.beforeDrinking(early)) }
    let exit = solution.minimum.exit
    if !exit.isConverged { warnings.append(.notConverged(exit)) }
    return warnings
  }

  /// What lies outside the ranges that the literature gives.
  private var rangeWarnings: [FitWarning] {
    let values = self.values
    var warnings: [FitWarning] = []
    if !PlausibleRange.ka.contains(values[known: .ka]) { warnings.append(.kaRange) }
    if let beta = values[.beta],
      !PlausibleRange.betaPerLitre.contains(beta * options.factors.bloodDensityKgPerL)
    {
      warnings.append(.betaRange)
    }
    let r = values[known: .r]
    if !PlausibleRange.r.contains(r) { warnings.append(.rRange) }
    if !options.estimate.contains(.r), options.fixed[.r] == nil,
      options.rFactor.isOutsidePublishedRange(RFactor(r), for: series.subject)
    {
      warnings.append(.rPublishedRange)
    }
    return warnings
  }

  /// When the readings were taken of which something holds.
  private func times(where holds: (ReadingUse, Reading) -> Bool) -> [Hours] {
    zip(uses, series.readings).filter { holds($0, $1) }.map(\.1.time)
  }

  private func isClearlyAboveZero(_ reading: Reading) -> Bool {
    options.selection.isClearlyAboveZero(reading, instrument, options.factors)
  }

  /// How many quantified readings above zero follow the highest one and the last drink.
  private func limbReadings(_ readings: [FittedReading]) -> Int {
    let used = readings.lazy.filter { $0.use == .quantified }
    let highest = used.max { $0.observed < $1.observed }
    let end = series.drinks.map(\.end).max() ?? 0
    return used.count { reading in
      reading.observed > 0 && reading.time > max(end, highest?.time ?? end)
    }
  }
}
