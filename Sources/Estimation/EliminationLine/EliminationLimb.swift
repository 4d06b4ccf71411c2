import AlcoholKinetics
import StudyData

/// The elimination limb of a series: the readings that its elimination line is fitted to.
struct EliminationLimb {
  /// The smallest number of different times: with two there would be no residuals.
  static let fewestTimes = 3

  /// The times of the readings, on the clock of the series, in order.
  let times: [Hours]
  /// The concentrations of the readings, converted to blood.
  let concentrations: [GramsPerKilogram]

  /// Finds the limb by the rule of ``EliminationLineOptions``.
  init(of series: Series, _ options: EliminationLineOptions) throws(SeriesFailure) {
    let points = series.readings.filter { !$0.isExcluded }
      .map { LimbReading($0, floor: options.limbAbove, options.factors) }
    let earliest =
      max(
        series.drinkingEnd + options.limbAfter,
        options.limbFrom.map { series.start + $0 } ?? series.drinkingEnd) - .roundingSlack
    let peak = points.map(\.concentration).max()
    let peakTime = points.last { $0.concentration == peak }?.time ?? earliest
    let later = points.drop { $0.time < earliest || $0.time <= peakTime }
    // A sample that ends the limb also excludes the other samples of the same time.
    let end = later.first { $0.concentration <= $0.floor }?.time
    let whole = later.prefix { point in end.map { point.time < $0 } ?? true }
    let limb = whole.suffix(options.mostPoints ?? whole.count)
    times = limb.map(\.time)
    concentrations = limb.map(\.concentration)
    let count = Set(times).count
    guard count >= Self.fewestTimes else {
      throw .limbTooShort(found: count, needed: Self.fewestTimes)
    }
  }
}

/// A reading as concentration in blood.
private struct LimbReading {
  let time: Hours
  let concentration: GramsPerKilogram
  /// The concentration at or below which the reading ends the limb.
  let floor: GramsPerKilogram

  init(_ reading: Reading, floor: GramsPerKilogram, _ factors: ConversionFactors) {
    time = reading.time
    concentration = reading.bloodConcentration(using: factors)
    let detection = reading.limitOfDetection.map {
      reading.unit.bloodConcentration(of: $0, using: factors)
    }
    self.floor = max(floor, detection ?? floor)
  }
}

extension Series {
  /// The time when the last drink was finished; 0 if there is none.
  fileprivate var drinkingEnd: Hours {
    drinks.map { $0.time + $0.duration }.max() ?? 0
  }
}
