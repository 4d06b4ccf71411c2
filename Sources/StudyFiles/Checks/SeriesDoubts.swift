import AlcoholKinetics
import StudyData

/// Probable mistakes in a series whose rows are each plausible.
///
/// The thresholds are so wide that hardly any correct series exceeds one. Excluded readings are ignored.
struct SeriesDoubts {
  /// The minimum number of readings for a check of times.
  static let several = 4
  /// The minimum time span of several readings after more than 10 g of ethanol.
  static let shortestSpan: Hours = 0.5
  static let smallDose: Grams = 10
  /// The minimum average interval of readings taken by hand.
  static let shortestSpacing: Hours = 1.0 / 60
  /// The smallest r: dose / (r x weight) is the highest concentration that a dose can give.
  static let smallestR = 0.5
  /// The ratio to that maximum beyond which a reading cannot be an instrument error.
  static let tooManyTimes = 3.0
  /// The concentration below which a high reading may be mouth alcohol or noise.
  static let highEnough: GramsPerKilogram = 0.2
  /// The dose in g/kg below which ethanol may be metabolised before it reaches the blood.
  static let largeEnoughDose = 0.3
  /// The minimum ratio of the highest reading to the expected concentration at its time.
  static let smallestPart = 0.2
  /// The longest pause in a series that is plausible while there is alcohol to measure.
  static let longestGap: Hours = 12
  static let anotherOccasion: Hours = 48
  /// The latest peak from which r can be estimated.
  static let lastPeak: Hours = 6
  static let usualR = 0.65
  /// The usual elimination from blood, in g/kg/h.
  static let usualElimination = 0.15
  static let day: Hours = 24
  /// The ratio of the highest reading to that expected with an r of 0.65, if the unit is right.
  static let fittingParts = 0.4...1.4
  /// The time after the last drink in which readings should show the dose.
  static let whenAbsorbed: ClosedRange<Hours> = 0.5...3

  /// Whether the times look like hours where minutes are asked for.
  private(set) var hasShortTimes = false
  /// The first reading above zero that is not later than the first drink.
  private(set) var earlyReading: Int?
  /// Whether no drink contains alcohol; then ``earlyReading`` is the first reading above zero.
  private(set) var isWithoutAlcohol = false
  /// The first reading above zero half a day or more before the first drink.
  private(set) var readingOfAnotherDay: Int?
  /// The event after the first half day or more without drink or reading that began before the subject was sober.
  private(set) var gap: Gap?
  /// Whether the gap arises because times of a 24-hour clock were not continued past midnight.
  private(set) var isMidnightForgotten = false
  /// The first drink two days or more after everything before it.
  private(set) var drinkApart: (index: Int, hours: Hours)?
  /// The unit in which the highest reading would fit the dose, if it does not fit in its own.
  private(set) var fittingUnit: ConcentrationUnit?
  /// The total dose in g per kg of body weight; nil if the weight is missing.
  private(set) var dose: Double?
  /// The highest reading, if it is far more than the dose can give.
  private(set) var highReading: Int?
  /// The highest reading, if it is far less than the dose gives.
  private(set) var lowReading: Int?

  /// The event after a long gap, by its index, with the length of the gap.
  enum Gap: Equatable {
    /// A drink.
    case drink(Int, after: Hours)
    /// A reading.
    case reading(Int, after: Hours)
  }

  /// Checks drinks and readings, which have to be in order of time.
  init(weight: Kilograms?, drinks: [Drink], readings: [Reading]) {
    guard let first = drinks.first?.time, let lastDrink = drinks.last?.time,
      let firstReading = readings.first?.time, let lastReading = readings.last?.time
    else { return }
    let span: Span = (min(first, firstReading), max(lastDrink, lastReading))
    let grams = drinks.reduce(into: 0.0) { sum, drink in
      // An unknown weight is assumed to be 70 kg.
      sum += (drink.ethanol.mass(forBodyWeight: weight ?? 70) ?? 0).value
    }
    hasShortTimes = Self.haveShortTimes(readings, span, Grams(grams))
    isWithoutAlcohol = grams == 0
    earlyReading = readings.firstIndex { (isWithoutAlcohol || $0.time <= first) && $0.isAboveZero }
    readingOfAnotherDay = earlyReading.flatMap { index in
      readings[index].time <= first - Reading.otherDay ? index : nil
    }
    if readingOfAnotherDay != nil {
      earlyReading = nil
    } else {
      findGap(drinks, readings, span)
    }
    if lastDrink - span.start >= Self.anotherOccasion {
      findDrinkApart(drinks, readings, after: span.start)
    }
    dose = Self.dosePerKilogram(of: drinks, weight)
    compareWithDose(drinks, readings)
  }

  /// From the first drink or reading to the last.
  private typealias Span = (start: Hours, end: Hours)

  private mutating func findGap(_ drinks: [Drink], _ readings: [Reading], _ span: Span) {
    guard span.end - span.start >= Self.longestGap else { return }
    // Zeros after the last reading above zero may be controls on the next day.
    let readingsInQuestion = (readings.lastIndex(where: \.isAboveZero) ?? -1) + 1
    var drink = 0
    var reading = 0
    var end: Hours?
    var isSober = true
    while drink < drinks.count || reading < readingsInQuestion {
      let isDrink =
        drink < drinks.count
        && (reading >= readings.count || drinks[drink].time <= readings[reading].time)
      let time = isDrink ? drinks[drink].time : readings[reading].time
      if let end, !isSober, time - end >= Self.longestGap {
        gap = isDrink ? .drink(drink, after: time - end) : .reading(reading, after: time - end)
        // A 24-hour clock that was not continued past midnight: all times lie within one day, alcohol was measured
        // before the gap and drunk after it.
        isMidnightForgotten =
          span.start >= 0 && span.end < Self.day && drinks[drinks.count - 1].time >= time
          && readings.contains { $0.time < time && $0.isAboveZero }
        return
      }
      if isDrink {
        end = max(end ?? time, time + drinks[drink].duration)
        isSober = false
        drink += 1
      } else {
        if !readings[reading].isExcluded {
          end = max(end ?? time, time)
          isSober = !readings[reading].isAboveZero
        }
        reading += 1
      }
    }
  }

  private mutating func findDrinkApart(
    _ drinks: [Drink], _ readings: [Reading], after start: Hours
  ) {
    var end = start
    var reading = 0
    for (index, drink) in drinks.enumerated() {
      while reading < readings.count, readings[reading].time < drink.time {
        // The occasion may also have ended between two readings.
        let next = readings[reading].time
        if next - end >= Self.anotherOccasion {
          drinkApart = (index, next - end)
          return
        }
        end = max(end, next)
        reading += 1
      }
      if drink.time - end >= Self.anotherOccasion {
        drinkApart = (index, drink.time - end)
        return
      }
      end = max(end, drink.time + drink.duration)
    }
  }

  private static func haveShortTimes(_ readings: [Reading], _ span: Span, _ dose: Grams) -> Bool {
    guard readings.count >= several else { return false }
    if span.end - span.start < shortestSpan, dose > smallDose { return true }
    let steps = zip(readings, readings.dropFirst()).count { $0.time < $1.time }
    guard steps > 0 else { return false }
    // The tolerance covers rounding in the conversion from minutes.
    let spacing = (readings[readings.count - 1].time - readings[0].time).value / Double(steps)
    return spacing < 0.999 * shortestSpacing.value
  }

  /// The total dose in g per kg of body weight; nil if the weight is missing.
  private static func dosePerKilogram(of drinks: [Drink], _ weight: Kilograms?) -> Double? {
    drinks.reduce(0) { dose, drink in
      guard let dose, let part = drink.ethanol.perKilogram(ofBodyWeight: weight) else { return nil }
      return dose + part.value
    }
  }

  private mutating func compareWithDose(_ drinks: [Drink], _ readings: [Reading]) {
    guard let dose, dose > 0,
      let (highest, peak) = readings.highest(using: ConversionFactors())
    else { return }
    let most = GramsPerKilogram(dose / Self.smallestR)
    if peak > Self.highEnough, peak.value > Self.tooManyTimes * most.value { highReading = highest }
    let end = drinks.lazy.map { $0.time + $0.duration }.max() ?? 0
    let isSampled = readings.contains {
      !$0.isExcluded && Self.whenAbsorbed.contains($0.time - end)
    }
    // Includes the elimination until the peak.
    let hours = max(0, (readings[highest].time - (drinks.first?.time ?? 0)).value)
    let expected = dose / Self.usualR - Self.usualElimination * hours
    if isSampled, dose >= Self.largeEnoughDose, peak.value < Self.smallestPart * expected {
      lowReading = highest
    }
    guard highReading != nil || lowReading != nil else { return }
    fittingUnit = Self.unit(
      fitting: lowReading == nil ? dose / Self.usualR : expected, readings[highest])
  }

  /// Returns the unit in which a reading is close to the expected concentration in g/kg, preferably of the same matrix.
  private static func unit(fitting expected: Double, _ reading: Reading) -> ConcentrationUnit? {
    let parts = ConcentrationUnit.allCases.map { unit in
      let blood = unit.bloodConcentration(of: reading.value, using: ConversionFactors())
      return (unit: unit, part: blood.value / expected)
    }
    let fitting = parts.filter { fittingParts ~= $0.part }
    let same = fitting.filter { $0.unit.matrix == reading.unit.matrix }
    // The usual ratio is about 0.75.
    return (same.isEmpty ? fitting : same).min { abs($0.part - 0.75) < abs($1.part - 0.75) }?.unit
  }
}

extension Subject {
  /// The body mass index, in kg/m2, from which a weight is checked for pounds.
  private static let highMassIndex = 45.0
  private static let usualMassIndices = 16.0...35

  /// The finding about a weight or height that is probably in another unit; nil if both are plausible.
  var bodyDoubt: (code: DiagnosticCode, complaint: String, remedy: String)? {
    guard let height = height?.value, let kilograms = weight?.value, height > 0 else { return nil }
    let index = kilograms / (height * height)
    let asPounds = index * ValueRule.poundInKilograms
    let asInches = index / (ValueRule.inchInCentimetres * ValueRule.inchInCentimetres)
    let isPounds = index >= Self.highMassIndex && Self.usualMassIndices ~= asPounds
    guard isPounds || !(BodyRange.massIndices ~= index) else { return nil }
    let complaint = "which with the height gives a body mass index of \(index.shown)"
    if isPounds {
      return (
        .weightPounds, complaint + ", and as pounds \(asPounds.shown)",
        "if it is in pounds, divide by 2.2046; otherwise check weight and height"
      )
    }
    let isInches = Self.usualMassIndices ~= asInches
    return (
      .bodyMass, complaint + (isInches ? ", and with the height in inches \(asInches.shown)" : ""),
      isInches
        ? "if the height is in inches, multiply by 2.54; otherwise check weight and height"
        : "check weight and height, and their units (kg and cm)"
    )
  }
}
