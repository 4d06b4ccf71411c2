import AlcoholKinetics
import Foundation
import Statistics
import StudyData

/// What the readings of a series imply of its subject: r from the dose and the falling line extrapolated back to
/// the first drink, beta from the slope of that line.
///
/// A wrong unit of the readings changes both by its factor, r down where beta goes up. A wrong dose or weight
/// changes r alone. So the two together tell not only that something is wrong, but what.
struct ImpliedValues {
  let r: Double
  /// In g/kg/h; nil where the readings do not fall for long enough, and `r` comes from the highest.
  let beta: Double?
  let unit: ConcentrationUnit
  /// The r of people of that sex.
  let usualR: Double
  /// The logarithm of the highest reading per dose, which should be off as the falling line is.
  let highest: Double

  /// Nobody's readings fall reliably sooner after the last drink.
  private static let absorption: Hours = 1
  /// The fewest readings, and the shortest time, from which a slope is taken.
  private static let (fewest, shortest) = (3, 1.0)
  /// The most readings that a slope is taken from, evenly spread over the fall: more tell no more.
  private static let most = 12
  /// The last reading must be less than this part of the first: a plateau is no fall.
  private static let leastFall = 0.9
  /// Below this part of the peak elimination is no longer a straight line, nor are readings exact.
  private static let lowestPart = 0.1

  /// Takes them from drinks and readings in order of time, and the dose in g/kg; nil if these imply nothing.
  init?(of subject: Subject, dose: Double, drinks: [Drink], readings: [Reading]) {
    // Of little drunk, little arrives in blood; but a dose may be too small by a mistake.
    guard dose > 0, let first = drinks.first?.time,
      let (highest, peak) = readings.highest(using: ConversionFactors()),
      max(dose, peak.value) >= SeriesDoubts.largeEnoughDose
    else { return nil }
    let end = drinks.lazy.map { $0.time + $0.duration }.max() ?? first
    unit = readings[highest].unit
    usualR = Self.usualR(of: subject.sex)
    self.highest = log(peak.value / dose)
    let begin = max(readings[highest].time, end + Self.absorption)
    let fall = Self.fall(readings, from: begin, floor: Self.lowestPart * peak.value)
    if let line = Self.line(through: fall, from: first.value) {
      (r, beta) = (dose / line.start, line.slope)
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

  /// A tenth above Widmark's r: the medians of five measured studies were 0.98 to 1.27 times that.
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
    guard points.count > most else { return points }
    return (0..<most).map { points[$0 * (points.count - 1) / (most - 1)] }
  }

  /// A robust line: the median of the slopes of all pairs, and of what they lead back to (Theil 1950, Sen 1968).
  private static func line(
    through points: [(time: Double, blood: Double)], from start: Double
  ) -> (start: Double, slope: Double)? {
    guard points.count >= fewest, let first = points.first, let last = points.last,
      last.time - first.time >= shortest, last.blood < leastFall * first.blood
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

  /// The logarithm of how much too large readings are, in a direction that leaves r x beta as it is.
  fileprivate var scale: Double { (log(beta ?? 1) - log(r / usualR)) / 2 }

  /// The logarithm of r x beta, which a factor of the readings does not change.
  fileprivate var remainder: Double { log(beta ?? 1) + log(r / usualR) }
}

extension ConcentrationUnit {
  /// What numbers in this unit would be multiplied by, were they in another.
  fileprivate func factor(to other: ConcentrationUnit) -> Double {
    gramsPerKilogram(using: ConversionFactors())
      / other.gramsPerKilogram(using: ConversionFactors())
  }
}

/// Judges units, doses and weights of a whole study by what its readings imply of the people in it.
///
/// Of what true studies have, r of a whole study lies within an eighth of the usual and beta within a sixth, and
/// single people lie around that of their study. This decides what can be told: a factor of ten from one person, of
/// two from three to eight, and 1.16 (serum) or 2100/2000 from no number of people, as studies differ by as much.
struct ImpliedScale {
  /// After so many series, all that they can tell has been told.
  private static let enough = 2000
  private var values: [ImpliedValues] = []
  /// Whose they are, and where the readings begin.
  private var people: [(subject: String, place: Place?)] = []

  mutating func count(
    _ subject: Subject, dose: @autoclosure () -> Double?, drinks: [Drink], readings: [Reading],
    at place: @autoclosure () -> Place?
  ) {
    guard values.count < Self.enough, let dose = dose(),
      let next = ImpliedValues(of: subject, dose: dose, drinks: drinks, readings: readings)
    else { return }
    values.append(next)
    people.append((subject.id, place()))
  }

  /// A series whose readings are so many times everybody else's, as they would be in another unit.
  struct Stranger {
    let subject: String
    let place: Place?
    let factor: Double
    let fitting: ConcentrationUnit

    /// Of fewer others little can be told.
    static let fewestOthers = 3
    /// Less than this, as a logarithm, people differ by, and that which is added to a factor of a unit.
    static let (least, blur) = (0.55, 0.3)
    /// By so much, as a logarithm, what a unit does not change may differ, and the peak from the line.
    static let widest = 0.45
    /// So many standard deviations of the others, which are at least so large.
    static let (far, leastDeviation) = (3.0, 0.12)
  }

  /// Series in another unit than the others of their study: r and beta are off by one factor, in opposite directions.
  var strangers: [Stranger] { ConcentrationUnit.allCases.flatMap(strangers) }

  private func strangers(in unit: ConcentrationUnit) -> [Stranger] {
    let those = values.indices.filter { values[$0].unit == unit && values[$0].beta != nil }
    guard those.count > Stranger.fewestOthers else { return [] }
    let scales = those.map { values[$0].scale }
    guard let middle = scales.median, let rest = those.map({ values[$0].remainder }).median,
      let peak = those.map({ values[$0].highest }).median,
      let deviation = scales.map({ abs($0 - middle) }).median
    else { return [] }
    let far = Stranger.far * max(1.4826 * deviation, Stranger.leastDeviation)
    return those.compactMap { index in
      let (value, off) = (values[index], values[index].scale - middle)
      guard abs(off) > max(far, Stranger.least),
        abs(value.remainder - rest) < Stranger.widest,
        // Who absorbs slowly has a flat line, and a peak that is not as low.
        abs(value.highest - peak - off) < Stranger.widest
      else { return nil }
      let others = ConcentrationUnit.allCases.map { other in
        (unit: other, distance: abs(off - log(unit.factor(to: other))))
      }
      guard let nearest = others.min(by: { $0.distance < $1.distance }),
        nearest.distance < Stranger.blur, nearest.unit != unit
      else { return nil }
      return Stranger(
        subject: people[index].subject, place: people[index].place, factor: exp(off),
        fitting: nearest.unit)
    }
  }

  /// What does not fit, of all that was measured in one unit; one for each unit.
  var doubts: [Doubt] {
    ConcentrationUnit.allCases.compactMap { unit in
      let those = values.filter { $0.unit == unit }
      let lines = those.filter { $0.beta != nil }
      // A few lines among many peaks may be those of people who are unlike the others.
      if lines.count * 3 >= those.count || lines.count >= 8 { return Doubt(lines, in: unit) }
      return those.count >= Doubt.fewestPeaks ? Doubt(those, in: unit) : nil
    }
  }

  /// A study whose readings imply what people do not have.
  struct Doubt {
    /// Of fewer people, some may have been measured before they had absorbed.
    static let fewestPeaks = 3

    let unit: ConcentrationUnit
    let count: Int
    let r: Double
    let beta: Double?
    let cause: Cause

    enum Cause: Equatable {
      /// The readings are so many times what they should be, and what they would be in another unit.
      case readings(factor: Double, as: ConcentrationUnit?)
      /// Dose per weight is so many times what it should be, and what may have been taken for it.
      case doses(factor: Double, because: String?)
      /// Times are so many times what they should be: minutes where hours are due, or the other way round.
      case times(factor: Double)

      var isNamed: Bool {
        switch self {
        case .readings(_, let unit): unit != nil
        case .doses(_, let slip): slip != nil
        case .times: true
        }
      }
    }

    /// The usual elimination in blood, in g/kg/h: the mean of men and women, fasted and fed, in the priors that ship.
    /// The medians of the five studies were 0.13 to 0.21.
    private static let usualBeta = 0.157

    /// nil where people may well be so.
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

/// How far the medians of a study are from those that people have.
///
/// In two directions: along `scale` a factor of the readings moves them, which leaves the eliminated amount,
/// r x beta, as it is; along `amount` all else. Readings that are taken while somebody still absorbs err along `scale`.
private struct Distance {
  /// ln (r / usual), and ln (beta / usual).
  let amount: Double
  let elimination: Double?
  private let variances: (scale: Double, amount: Double)

  /// Standard deviations of logarithms along `scale`, along `amount`, and of r alone where there is no slope.
  private static let scale = (studies: 0.12, people: 0.27)
  private static let both = (studies: 0.17, people: 0.25)
  private static let alone = (studies: 0.2, people: 0.25)
  /// The variance of a median beside that of a mean, of a normal distribution.
  private static let median = Double.pi / 2
  /// How much nearer a cause must bring them, and how near, to be named.
  private static let gain = 6.0
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

  /// Beyond this squared distance is 1 true study of 55 with a slope, 1 of 70 without.
  static func limit(hasSlope: Bool) -> Double { hasSlope ? 8 : 6 }

  /// Beyond this, 1 of 1000, something is wrong even if nothing known explains it.
  static let farthest = 14.0

  var squared: Double { squared(readings: 0, doses: 0) }

  /// The squared distance if readings are too large, and doses per weight, by these factors, as logarithms.
  private func squared(readings: Double, doses: Double, times: Double = 0) -> Double {
    let amount = self.amount + readings - doses
    guard let elimination = elimination.map({ $0 + times }) else {
      return amount * amount / variances.amount
    }
    let (scale, both) = ((amount - elimination + readings) / 2, amount + elimination - readings)
    return scale * scale / variances.scale + both * both / variances.amount
  }

  /// Minutes in an hour: r is as usual, and beta so many times too low or too high.
  private static let minutes = 60.0

  func cause(in unit: ConcentrationUnit) -> ImpliedScale.Doubt.Cause {
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
    // One of the same matrix, if it fits nearly as well.
    let same = units.filter {
      $0.unit.matrix == unit.matrix && $0.squared < (nearest?.squared ?? 0) + 2
    }
    let other = same.min { $0.squared < $1.squared } ?? nearest
    let slip = Self.slips.map { (slip: $0, squared: squared(readings: 0, doses: log($0.factor))) }
      .min { $0.squared < $1.squared }
    // Without a name: whatever factor of either fits best.
    let factor = elimination.map { ($0 - amount) / 2 } ?? -amount
    let (ofReadings, ofDoses) = (
      squared(readings: factor, doses: 0), squared(readings: 0, doses: bestDose)
    )
    let unitFits = other.map { isNamed($0.squared) } ?? false
    let slipFits = slip.map { isNamed($0.squared) } ?? false
    let isOfReadings: Bool
    switch (unitFits, slipFits) {
    // r alone does not tell the two apart; units are mistaken more often.
    case (true, true):
      isOfReadings = elimination == nil || (other?.squared ?? 0) <= (slip?.squared ?? 0)
    case (false, false): isOfReadings = ofReadings <= ofDoses
    case (let fits, _): isOfReadings = fits
    }
    return isOfReadings
      ? .readings(factor: exp(factor), as: unitFits ? other?.unit : nil)
      : .doses(factor: exp(bestDose), because: slipFits ? slip?.slip.words : nil)
  }

  private func isNamed(_ squared: Double) -> Bool {
    squared < Self.near && self.squared - squared > Self.gain
  }

  /// By what factor, as a logarithm, doses per weight would have to be too large.
  private var bestDose: Double {
    guard let elimination else { return amount }
    // Where the derivative of the squared distance is 0.
    let (a, b) = (1 / (4 * variances.scale), 1 / variances.amount)
    return ((amount - elimination) * a + (amount + elimination) * b) / (a + b)
  }

  /// What people take for grams of ethanol or for kilograms, and by what factor dose per weight is too large then.
  private static let slips: [(factor: Double, words: String)] = [
    (1 / EthanolDose.densityGramsPerMillilitre, "doses in ml of pure alcohol, taken as g"),
    (1 / 8.0, "doses in drinks of 8 g, taken as g"), (0.1, "doses in drinks of 10 g, taken as g"),
    (1 / 14.0, "doses in drinks of 14 g, taken as g"),
    (ValueRule.poundInKilograms, "weights in lb, taken as kg"),
    (1 / ValueRule.poundInKilograms, "weights in kg, taken as lb"),
  ]
}

extension ImpliedScale.Doubt {
  /// Whether readings of blood are what readings of breath would be.
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

  /// By what factor something is off, and what would fit.
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

extension ImpliedScale.Stranger {
  var finding: String {
    "the readings of subject \(subject.quoted) are \(factor.times) beside everybody else's; as "
      + "\(fitting.rawValue) they would fit"
  }

  var remedy: String {
    "if they are in that unit, convert them; otherwise check the dose and the weight of this subject"
  }
}

extension Double {
  /// The number with two digits that count, for a message.
  fileprivate var digits: String {
    guard self != 0, isFinite else { return "0" }
    let places = Swift.max(0, 1 - Int(log10(Swift.abs(self)).rounded(.down)))
    return String(format: "%.\(Swift.min(places, 4))f", self)
  }

  /// A factor by which something is too large, in words.
  fileprivate var times: String {
    self >= 1 ? "\(digits) times too high" : "\((1 / self).digits) times too low"
  }
}
