import AlcoholKinetics
import StudyData

/// The readings of a series that its elimination line is drawn through.
struct EliminationLimb {
  /// The fewest different times that a line is drawn through: with two there would be no residuals
  /// to judge it by.
  static let fewestTimes = 3

  /// The times of the readings, on the clock of the series, in order.
  let times: [Hours]
  /// What was read.
  let concentrations: [GramsPerKilogram]

  /// Finds the limb by the rule of ``EliminationLineOptions``.
  init(of series: Series, _ options: EliminationLineOptions) throws(SeriesFailure) {
    let points = series.readings.filter { !$0.isExcluded }
      .map { LimbReading($0, floor: options.limbAbove, options.factors) }
    let earliest = series.drinkingEnd + options.limbAfter - .roundingSlack
    let peak = points.map(\.concentration).max()
    let peakTime = points.last { $0.concentration == peak }?.time ?? earliest
    let later = points.drop { $0.time < earliest || $0.time <= peakTime }
    // Of samples taken at one time, one that ends the limb ends it for all.
    let end = later.first { $0.concentration <= $0.floor }?.time
    let limb = later.prefix { point in end.map { point.time < $0 } ?? true }
    times = limb.map(\.time)
    concentrations = limb.map(\.concentration)
    let found = Set(times).count
    guard found >= Self.fewestTimes else {
      throw .limbTooShort(found: found, needed: Self.fewestTimes)
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
  /// When the last drink was finished; 0 if there is none.
  fileprivate var drinkingEnd: Hours {
    drinks.map { $0.time + $0.duration }.max() ?? 0
  }
}
