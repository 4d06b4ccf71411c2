import AlcoholKinetics
import Foundation
import Statistics
import StudyData

/// Widmark's r and beta as implied by a series: beta is the slope of the falling line, and r the dose divided by that
/// line extrapolated back to the first drink.
///
/// A wrong unit of the readings changes both by its factor, in opposite directions; a wrong dose or weight changes only
/// r. Together they identify the probable mistake.
struct ImpliedValues {
  let r: Double
  /// In g/kg/h; nil if the readings do not fall for long enough, so that `r` is computed from the highest.
  let beta: Double?
  let unit: ConcentrationUnit
  /// The usual r for the subject's sex.
  let usualR: Double
  /// The logarithm of the highest reading divided by the dose; in another unit it deviates by the same factor as the line.
  let highest: Double

  /// The time after the last drink from which readings are taken to fall.
  private static let absorption: Hours = 1
  /// The minimum number of readings for a slope.
  private static let minimumReadings = 3
  /// The minimum time span for a slope, in h.
  private static let minimumSpan = 1.0
  /// The maximum number of readings for a slope, evenly spaced; more would not improve it.
  private static let maximumReadings = 12
  /// The maximum ratio of the last reading to the first, which excludes plateaus.
  private static let maximumFinalRatio = 0.9
  /// The fraction of the peak below which elimination is not linear and readings are inexact.
  private static let minimumPeakFraction = 0.1

  /// Computes the values from drinks and readings in order of time and the dose in g/kg; nil if the data are insufficient.
  init?(of subject: Subject, dose: Double, drinks: [Drink], readings: [Reading]) {
    // Small doses may be metabolised before they reach the blood; a high peak shows that the dose may be mistaken.
    guard dose > 0, let first = drinks.first?.time,
      let (highest, peak) = readings.highest(using: ConversionFactors()),
      max(dose, peak.value) >= SeriesDoubts.largeEnoughDose
    else { return nil }
    let end = drinks.lazy.map { $0.time + $0.duration }.max() ?? first
    unit = readings[highest].unit
    usualR = Self.usualR(of: subject.sex)
    self.highest = log(peak.value / dose)
    let begin = max(readings[highest].time, end + Self.absorption)
    let fall = Self.fall(readings, from: begin, floor: Self.minimumPeakFraction * peak.value)
    if let line = Self.line(through: fall, from: first.value) {
      r = dose / line.start
      beta = line.slope
      return
    }
    let hours = (readings[highest].time - first).value
    guard hours < SeriesDoubts.lastPeak.value,
      readings.contains(where: {
        !$0.isExcluded && SeriesDoubts.whenAbsorbed.contains($0.time - end)
      })
    else { return nil }
    r = dose / (peak.value + SeriesDoubts.usualElimination * max(0, hours))
    beta = nil
  }

  /// Widmark's r plus 10 %: the medians of five measured studies were 0.98 to 1.27 times his r.
  private static func usualR(of sex: Sex?) -> Double {
    switch sex {
    case .male: 0.75
    case .female: 0.61
    case nil: 0.68
    }
  }

  private static func fall(
    _ readings: [Reading], from begin: Hours, floor: Double
  ) -> [(time: Double, blood: Double)] {
    var points: [(time: Double, blood: Double)] = []
    points.reserveCapacity(readings.count)
    for reading in readings where !reading.isExcluded && reading.time >= begin {
      let blood = reading.bloodConcentration(using: ConversionFactors()).value
      if blood <= floor || reading.value <= reading.limitOfDetection ?? 0 { break }
      points.append((reading.time.value, blood))
    }
    guard points.count > maximumReadings else { return points }
    return (0..<maximumReadings).map { points[$0 * (points.count - 1) / (maximumReadings - 1)] }
  }

  /// The Theil-Sen line: the median of all pairwise slopes, and the median intercept at `start` (Theil 1950, Sen 1968).
  private static func line(
    through points: [(time: Double, blood: Double)], from start: Double
  ) -> (start: Double, slope: Double)? {
    guard points.count >= minimumReadings, let first = points.first, let last = points.last,
      last.time - first.time >= minimumSpan, last.blood < maximumFinalRatio * first.blood
    else { return nil }
    var slopes: [Double] = []
    slopes.reserveCapacity(points.count * (points.count - 1) / 2)
    for (index, point) in points.enumerated() {
      for later in points[(index + 1)...] where later.time > point.time {
        slopes.append((point.blood - later.blood) / (later.time - point.time))
      }
    }
    guard let slope = slopes.median, slope > 0 else { return nil }
    let starts = points.map { $0.blood + slope * ($0.time - start) }
    guard let blood = starts.median, blood > 0 else { return nil }
    return (blood, slope)
  }

  /// The logarithm of the factor by which readings are too large, along the direction that leaves r x beta unchanged.
  fileprivate var scale: Double { (log(beta ?? 1) - log(r / usualR)) / 2 }

  /// The logarithm of r x beta, which is invariant to a factor of the readings.
  fileprivate var remainder: Double { log(beta ?? 1) + log(r / usualR) }
}

extension ConcentrationUnit {
  /// Returns the factor by which a concentration changes if its number is read in this unit instead of another.
  fileprivate func factor(to other: ConcentrationUnit) -> Double {
    gramsPerKilogram(using: ConversionFactors())
      / other.gramsPerKilogram(using: ConversionFactors())
  }
}

/// Checks the units, doses and weights of a study against the r and beta that its readings imply.
///
/// In correct studies the median r lies within an eighth of the usual value and beta within a sixth; subjects scatter
/// around the median of their study. This limits detection: a factor of ten from one subject, of two from three to
/// eight, and 1.16 (serum) or 2100/2000 from no number of subjects, since studies differ by as much.
struct UnitPlausibility {
  /// The maximum number of series; more would not change the result.
  private static let maximumSeries = 2000
  private var values: [ImpliedValues] = []
  /// The subjects, and the places of their first readings.
  private var people: [(subject: String, place: Place?)] = []

  /// Adds the implied values of a series, if it has any. The arguments that cost time are evaluated only if needed.
  mutating func add(
    _ subject: Subject, dose: @autoclosure () -> Double?, drinks: [Drink], readings: [Reading],
    at place: @autoclosure () -> Place?
  ) {
    guard values.count < Self.maximumSeries, let dose = dose(),
      let next = ImpliedValues(of: subject, dose: dose, drinks: drinks, readings: readings)
    else { return }
    values.append(next)
    people.append((subject.id, place()))
  }

  /// A series whose readings differ from those of the other subjects by the factor of another unit.
  struct Outlier {
    let subject: String
    let place: Place?
    let factor: Double
    let fitting: ConcentrationUnit

    /// The minimum number of other series in the same unit.
    static let minimumOthers = 3
    /// The minimum deviation from the median, as a logarithm; smaller ones occur between people.
    static let minimumDeviation = 0.55
    /// The maximum distance of the deviation from the factor of a unit, as a logarithm.
    static let factorTolerance = 0.3
    /// The maximum deviation, as a logarithm, of r x beta and of the peak relative to the line.
    static let invariantTolerance = 0.45
    /// The minimum deviation in standard deviations of the other series.
    static let minimumStandardDeviations = 3.0
    /// The lower bound of that standard deviation.
    static let smallestStandardDeviation = 0.12
  }

  /// Series in another unit than the others of their study: r and beta deviate by one factor, in opposite directions.
  var outliers: [Outlier] { ConcentrationUnit.allCases.flatMap(outliers) }

  private func outliers(in unit: ConcentrationUnit) -> [Outlier] {
    let candidates = values.indices.filter { values[$0].unit == unit && values[$0].beta != nil }
    guard candidates.count > Outlier.minimumOthers else { return [] }
    let scales = candidates.map { values[$0].scale }
    guard let middle = scales.median, let rest = candidates.map({ values[$0].remainder }).median,
      let peak = candidates.map({ values[$0].highest }).median,
      let deviation = scales.map({ abs($0 - middle) }).median
    else { return [] }
    // 1.4826 times the median absolute deviation estimates the standard deviation of a normal distribution.
    let threshold =
      Outlier.minimumStandardDeviations
      * max(1.4826 * deviation, Outlier.smallestStandardDeviation)
    return candidates.compactMap { index in
      let value = values[index]
      let off = value.scale - middle
      guard abs(off) > max(threshold, Outlier.minimumDeviation),
        abs(value.remainder - rest) < Outlier.invariantTolerance,
        // Slow absorption flattens the line, but does not lower the peak by the same factor.
        abs(value.highest - peak - off) < Outlier.invariantTolerance
      else { return nil }
      let others = ConcentrationUnit.allCases.map { other in
        (unit: other, distance: abs(off - log(unit.factor(to: other))))
      }
      guard let nearest = others.min(by: { $0.distance < $1.distance }),
        nearest.distance < Outlier.factorTolerance, nearest.unit != unit
      else { return nil }
      return Outlier(
        subject: people[index].subject, place: people[index].place, factor: exp(off),
        fitting: nearest.unit)
    }
  }

  /// Implausible combinations of r and beta, at most one for each unit of readings.
  var doubts: [Doubt] {
    ConcentrationUnit.allCases.compactMap { unit in
      let ofUnit = values.filter { $0.unit == unit }
      let lines = ofUnit.filter { $0.beta != nil }
      // A few lines among many peaks may not be representative.
      if lines.count * 3 >= ofUnit.count || lines.count >= 8 { return Doubt(lines, in: unit) }
      return ofUnit.count >= Doubt.minimumPeaks ? Doubt(ofUnit, in: unit) : nil
    }
  }

  /// An r or a beta of a study outside the range of people, with the probable cause.
  struct Doubt {
    /// The minimum number of peaks; some of fewer may have been measured before absorption was complete.
    static let minimumPeaks = 3

    let unit: ConcentrationUnit
    let count: Int
    let r: Double
    let beta: Double?
    let cause: Cause

    enum Cause: Equatable {
      /// The readings are too large by a factor; the unit in which they would fit.
      case readings(factor: Double, as: ConcentrationUnit?)
      /// The doses per body weight are too large by a factor; the mistake that would explain it.
      case doses(factor: Double, because: String?)
      /// The times are too large by a factor, such as minutes instead of hours.
      case times(factor: Double)

      var isNamed: Bool {
        switch self {
        case .readings(_, let unit): unit != nil
        case .doses(_, let slip): slip != nil
        case .times: true
        }
      }
    }

    /// The usual elimination in blood, in g/kg/h: the mean of men and women, fasted and fed, in the built-in priors.
    /// The medians of the five studies were 0.13 to 0.21.
    private static let usualBeta = 0.157

    /// Nil if the values are plausible.
    init?(_ values: [ImpliedValues], in unit: ConcentrationUnit) {
      guard let amount = values.map({ log($0.r / $0.usualR) }).median,
        let r = values.map(\.r).median
      else { return nil }
      let slopes = values.compactMap(\.beta)
      let beta = slopes.count == values.count ? slopes.median : nil
      let elimination = beta.map { log($0 / Self.usualBeta) }
      let off = Distance(amount: amount, elimination: elimination, people: values.count)
      guard off.squared > Distance.limit(hasSlope: beta != nil) else { return nil }
      let cause = off.cause(in: unit)
      guard cause.isNamed || off.squared > Distance.farthest else { return nil }
      self.unit = unit
      self.count = values.count
      self.r = r
      self.beta = beta
      self.cause = cause
    }
  }
}

/// The squared Mahalanobis distance of a study's median ln r and ln beta from those of people.
///
/// The axes are `scale`, along which a factor of the readings moves them while r x beta is unchanged, and `amount`,
/// ln (r x beta). Readings taken before absorption is complete deviate along `scale`. A factor of readings, doses or
/// times is the probable cause if it reduces the distance by ``gain`` to less than ``near``.
private struct Distance {
  /// ln (r / usual), and ln (beta / usual).
  let amount: Double
  let elimination: Double?
  private let variances: (scale: Double, amount: Double)

  /// Standard deviations of logarithms along `scale`, along `amount`, and of r alone without a slope.
  private static let scale = (studies: 0.12, people: 0.27)
  private static let both = (studies: 0.17, people: 0.25)
  private static let alone = (studies: 0.2, people: 0.25)
  /// The variance of a median relative to that of a mean, for a normal distribution.
  private static let median = Double.pi / 2
  /// The minimum reduction of the squared distance for a cause to be named.
  private static let gain = 6.0
  /// The maximum squared distance that may remain.
  private static let near = 9.0

  init(amount: Double, elimination: Double?, people: Int) {
    self.amount = amount
    self.elimination = elimination
    func variance(_ deviations: (studies: Double, people: Double)) -> Double {
      deviations.studies * deviations.studies
        + Self.median * deviations.people * deviations.people / Double(people)
    }
    variances =
      elimination == nil
      ? (1, variance(Self.alone)) : (variance(Self.scale), variance(Self.both))
  }

  /// Returns the squared distance that 1 of 55 correct studies exceeds with a slope, 1 of 70 without.
  static func limit(hasSlope: Bool) -> Double { hasSlope ? 8 : 6 }

  /// The squared distance that 1 of 1000 exceeds: reported even without a known cause.
  static let farthest = 14.0

  var squared: Double { squared(readings: 0, doses: 0) }

  /// Returns the squared distance after correction of readings, doses per weight and times by factors, as logarithms.
  private func squared(readings: Double, doses: Double, times: Double = 0) -> Double {
    let amount = self.amount + readings - doses
    guard let elimination = elimination.map({ $0 + times }) else {
      return amount * amount / variances.amount
    }
    let scale = (amount - elimination + readings) / 2
    let both = amount + elimination - readings
    return scale * scale / variances.scale + both * both / variances.amount
  }

  /// Minutes in an hour: with confused units of time r is as usual, and beta 60 times too low or too high.
  private static let minutes = 60.0

  func cause(in unit: ConcentrationUnit) -> UnitPlausibility.Doubt.Cause {
    if elimination != nil {
      for factor in [Self.minutes, 1 / Self.minutes]
      where isNamed(squared(readings: 0, doses: 0, times: log(factor))) {
        return .times(factor: factor)
      }
    }
    let units = ConcentrationUnit.allCases.filter { $0 != unit }.map { other in
      (unit: other, squared: squared(readings: log(unit.factor(to: other)), doses: 0))
    }
    let nearest = units.min { $0.squared < $1.squared }
    // Prefer a unit of the same matrix if it fits nearly as well.
    let same = units.filter {
      $0.unit.matrix == unit.matrix && $0.squared < (nearest?.squared ?? 0) + 2
    }
    let best = same.min { $0.squared < $1.squared } ?? nearest
    let slip = Self.slips.map { (slip: $0, squared: squared(readings: 0, doses: log($0.factor))) }
      .min { $0.squared < $1.squared }
    // Without a named cause: the factor of either that fits best.
    let factor = elimination.map { ($0 - amount) / 2 } ?? -amount
    let ofReadings = squared(readings: factor, doses: 0)
    let ofDoses = squared(readings: 0, doses: bestDose)
    let unitFits = best.map { isNamed($0.squared) } ?? false
    let slipFits = slip.map { isNamed($0.squared) } ?? false
    let isOfReadings: Bool
    switch (unitFits, slipFits) {
    // r alone cannot distinguish the two; mistaken units are more frequent.
    case (true, true):
      isOfReadings = elimination == nil || (best?.squared ?? 0) <= (slip?.squared ?? 0)
    case (false, false): isOfReadings = ofReadings <= ofDoses
    case (let fits, _): isOfReadings = fits
    }
    return isOfReadings
      ? .readings(factor: exp(factor), as: unitFits ? best?.unit : nil)
      : .doses(factor: exp(bestDose), because: slipFits ? slip?.slip.words : nil)
  }

  private func isNamed(_ squared: Double) -> Bool {
    squared < Self.near && self.squared - squared > Self.gain
  }

  /// The factor of doses per weight, as a logarithm, that minimises the squared distance.
  private var bestDose: Double {
    guard let elimination else { return amount }
    // The zero of the derivative of the squared distance.
    let a = 1 / (4 * variances.scale)
    let b = 1 / variances.amount
    return ((amount - elimination) * a + (amount + elimination) * b) / (a + b)
  }

  /// Frequent mistakes of doses and weights, with the factor by which the dose per weight is then too large.
  private static let slips: [(factor: Double, words: String)] = [
    (1 / EthanolDose.densityGramsPerMillilitre, "doses in ml of pure alcohol, taken as g"),
    (1 / 8.0, "doses in drinks of 8 g, taken as g"), (0.1, "doses in drinks of 10 g, taken as g"),
    (1 / 14.0, "doses in drinks of 14 g, taken as g"),
    (ValueRule.poundInKilograms, "weights in lb, taken as kg"),
    (1 / ValueRule.poundInKilograms, "weights in kg, taken as lb"),
  ]
}

extension UnitPlausibility.Doubt {
  /// Whether readings stated as blood would fit as breath.
  var isBreath: Bool {
    guard case .readings(_, let fitting?) = cause else { return false }
    return fitting.isBreath && unit.matrix == .blood
  }

  var finding: String {
    let series = count == 1 ? "of one series" : "of \(count) series"
    let median = count == 1 ? "" : "median "
    guard let beta else {
      return
        "the highest readings \(series), in \(unit.rawValue), imply \(median)r \(r.digits); people have 0.5 "
        + "to 0.9"
    }
    return
      "the falling readings \(series), in \(unit.rawValue), imply \(median)r \(r.digits) and \(median)beta "
      + "\(beta.digits) g/kg/h; people have 0.5 to 0.9 and 0.1 to 0.25"
  }

  /// The factor of the probable cause in words; nil if it needs none.
  var fitting: String? {
    switch cause {
    case .readings(let factor, let unit):
      guard let unit else { return "the readings are \(factor.times)" }
      return "as \(unit.rawValue) they would fit; they are \(self.unit.factor(to: unit).times)"
    case .times(let factor):
      return factor > 1
        ? "r is usual and beta \(factor.digits) times too low: minutes stand where hours are due, or seconds where minutes are"
        : "r is usual and beta \((1 / factor).digits) times too high: hours stand where minutes are due"
    case .doses(let factor, let slip):
      return "beta is usual, so doses per body weight are \(factor.times)"
        + (slip.map { "; \($0), would fit" } ?? "")
    }
  }

  var remedy: String {
    switch cause {
    case .readings(_, .some(let fitting)):
      "if they are in that unit, state it (\(fitting.rawValue)); otherwise check doses and weights"
    case .times: "check the unit of the times; a minute is 1/60 of an hour"
    case .readings: "check the unit of the readings, the doses and the weights"
    case .doses: "check the units of doses and weights, and whether doses were counted twice"
    }
  }
}

extension UnitPlausibility.Outlier {
  var finding: String {
    "the readings of subject \(subject.quoted) are \(factor.times) beside everybody else's; as "
      + "\(fitting.rawValue) they would fit"
  }

  var remedy: String {
    "if they are in that unit, convert them; otherwise check the dose and the weight of this subject"
  }
}

extension Double {
  /// The number with two significant digits, for a message.
  fileprivate var digits: String {
    guard self != 0, isFinite else { return "0" }
    let places = Swift.max(0, 1 - Int(log10(Swift.abs(self)).rounded(.down)))
    return String(format: "%.\(Swift.min(places, 4))f", self)
  }

  /// A factor in words, as too high or too low.
  fileprivate var times: String {
    self >= 1 ? "\(digits) times too high" : "\((1 / self).digits) times too low"
  }
}
