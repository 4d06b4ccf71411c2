public import AlcoholKinetics
public import StudyData

/// Widmark's straight line c(t) = C0 - beta t through the elimination limb of one series, with t
/// counted from the first drink (Widmark 1932).
///
/// If a reading shows that the blood was empty between two drinks, t counts from the first drink after it, and the dose is
/// that of the drinks since then.
///
/// ``EliminationLineOptions`` defines the limb; <doc:TheEliminationLine> compares the line with the nonlinear fit.
public struct EliminationLine: Codable, Hashable, Sendable {
  /// Number of readings used.
  public let readings: Int
  /// Time of the first reading used, on the clock of the series.
  public let from: Hours
  /// Time of the last reading used, on the clock of the series.
  public let to: Hours
  /// The elimination rate beta, also written beta60.
  public let beta: LineEstimate<GramPerKilogramHourUnit>
  /// The line extrapolated to the first drink that counts: the concentration if the whole dose had been absorbed and
  /// distributed at once.
  public let c0: LineEstimate<GramPerKilogramUnit>
  /// The observed r factor; nil if no ethanol was drunk, or the dose is a mass and the body weight
  /// is not known.
  public let r: ObservedRFactor?
  /// Residual standard deviation sqrt(RSS / (n - 2)).
  public let residualSD: GramsPerKilogram
  /// The part of the variance of the readings that the line explains, R^2.
  public let rSquared: Double
  /// The warnings.
  public let warnings: [EliminationLineWarning]

  /// Fits the line of a series by ordinary least squares, every reading of the limb with equal weight.
  ///
  /// Intervals are Student's t with n - 2 degrees of freedom.
  ///
  /// - Throws: ``SeriesFailure/limbTooShort(found:needed:)`` if the limb has readings at fewer than
  ///   3 times, ``SeriesFailure/limbNotFalling`` if they do not fall, another ``SeriesFailure`` if
  ///   the data have an error or the options ask for something impossible.
  public static func fit(
    _ series: Series, options: EliminationLineOptions = EliminationLineOptions()
  ) throws(SeriesFailure) -> EliminationLine {
    try options.check()
    try series.requireUsable()
    let limb = try EliminationLimb(of: series, options)
    var counted = series
    counted.drinks = series.drinksSinceEmpty(options)
    let line = StraightLine(
      x: limb.times.map { ($0 - counted.start).value }, y: limb.concentrations.map(\.value))
    guard line.slope < 0 else { throw .limbNotFalling }
    return try EliminationLine(
      limb, line, of: counted, isPart: counted.drinks.count < series.drinks.count, options)
  }

  /// - Parameter isPart: True if earlier drinks do not count.
  private init(
    _ limb: EliminationLimb, _ line: StraightLine, of series: Series, isPart: Bool,
    _ options: EliminationLineOptions
  ) throws(SeriesFailure) {
    let dose = try series.dose()
    guard
      let quantile = ConfidenceQuantile(
        degreesOfFreedom: Double(line.degreesOfFreedom), level: options.level)?.value
    else {
      throw .limbTooShort(found: limb.times.count, needed: EliminationLimb.fewestTimes)
    }
    readings = limb.times.count
    from = limb.times[0]
    to = limb.times[limb.times.count - 1]
    beta = LineEstimate(-line.slope, standardError: line.slopeError, quantile: quantile)
    c0 = LineEstimate(line.intercept, standardError: line.interceptError, quantile: quantile)
    r = dose.map { [c0] in ObservedRFactor(dose: $0, c0: c0) }
    residualSD = GramsPerKilogram(line.residualSD)
    rSquared = line.rSquared
    warnings =
      EliminationLineWarning.warnings(readings: readings, beta: beta, r: r, options.factors)
      + (isPart ? [.earlierDrinks] : [])
      + (try series.isEmptied(by: line) ? [.emptyBetween] : [])
  }
}

extension Series {
  /// Returns the total dose per kg of body weight; nil if it is zero or not known.
  fileprivate func dose() throws(SeriesFailure) -> GramsPerKilogram? {
    do {
      let total = try regimen().total
      return total > 0 ? total : nil
    } catch .problem(.weightMissing) {
      return nil
    }
  }

  /// Returns true if, according to a line through the readings after all drinks, earlier drinks were eliminated before a
  /// later one was taken, so that the line cannot be about all of them.
  fileprivate func isEmptied(by line: StraightLine) throws(SeriesFailure) -> Bool {
    guard let total = try dose() else { return false }
    for drink in drinks where drink.time > start {
      var before = self
      before.drinks = drinks.filter { $0.time < drink.time }
      let part = try before.dose().map { $0 / total } ?? 0
      if line.intercept * part + line.slope * (drink.time - start).value <= 0 { return true }
    }
    return false
  }
}

/// A straight line fitted to points by ordinary least squares, all of equal weight.
///
/// Needs at least three points at two or more different x. Standard errors are those of the usual
/// linear model: Draper & Smith, *Applied Regression Analysis*, 3rd ed. 1998, section 1.4.
struct StraightLine {
  /// The value at x = 0.
  let intercept: Double
  /// The slope.
  let slope: Double
  /// Standard error of the intercept.
  let interceptError: Double
  /// Standard error of the slope.
  let slopeError: Double
  /// sqrt(RSS / (n - 2)).
  let residualSD: Double
  /// The part of the variance of y that the line explains, R^2.
  let rSquared: Double
  /// n - 2.
  let degreesOfFreedom: Int

  init(x: [Double], y: [Double]) {
    let count = Double(x.count)
    let meanX = x.reduce(0, +) / count
    let meanY = y.reduce(0, +) / count
    // About the means, since raw sums of squares would lose digits by cancellation.
    let dx = x.map { $0 - meanX }
    let dy = y.map { $0 - meanY }
    let sxx = dot(dx, dx)
    slope = dot(dx, dy) / sxx
    intercept = meanY - slope * meanX
    let residuals = zip(dx, dy).map { [slope] dx, dy in dy - slope * dx }
    let rss = dot(residuals, residuals)
    degreesOfFreedom = x.count - 2
    residualSD = (rss / Double(degreesOfFreedom)).squareRoot()
    slopeError = residualSD / sxx.squareRoot()
    interceptError = residualSD * (1 / count + meanX * meanX / sxx).squareRoot()
    rSquared = 1 - rss / dot(dy, dy)
  }
}

extension Series {
  /// Returns the drinks that an elimination line applies to: those since the blood was last shown to be empty, or all if it
  /// was not between two drinks.
  ///
  /// A reading of zero or below its limit of detection shows it empty if absorption is over by
  /// ``EliminationLineOptions/limbAfter``. Excluded readings are ignored.
  func drinksSinceEmpty(_ options: EliminationLineOptions) -> [Drink] {
    let empty = readings.lazy.filter { !$0.isExcluded && $0.isZero }.map(\.time)
    let ends = empty.filter { time in
      let before = drinks.filter { $0.time < time }
      let absorbed = before.map { $0.end + options.limbAfter - .roundingSlack }.max()
      return absorbed.map { $0 <= time } ?? false && before.count < drinks.count
    }
    guard let last = ends.max() else { return drinks }
    return drinks.filter { $0.time >= last }
  }
}

extension Reading {
  /// True if it shows no alcohol.
  fileprivate var isZero: Bool {
    value <= 0 || limitOfDetection.map { value < $0 } ?? false
  }
}
