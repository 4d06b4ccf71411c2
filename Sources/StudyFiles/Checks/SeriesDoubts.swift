import AlcoholKinetics
import StudyData

/// What in a series is most likely a mistake, though each of its rows by itself could be right.
///
/// The thresholds are so wide that hardly any true series trips one. What the study excludes does not
/// count.
struct SeriesDoubts {
  /// The fewest readings from which the times of a series can be judged.
  static let several = 4
  /// Nobody follows more than 10 g of ethanol for less than half an hour with several readings.
  static let shortestSpan: Hours = 0.5
  static let smallDose: Grams = 10
  /// Readings that follow each other faster, on average, are not taken by hand.
  static let shortestSpacing: Hours = 1.0 / 60
  /// No r is smaller: dose / (r x weight) is the most that a dose can give.
  static let smallestR = 0.5
  /// So many times that most cannot be an error of the instrument.
  static let tooManyTimes = 3.0
  /// What is less may be mouth alcohol or noise, whatever the dose.
  static let highEnough: GramsPerKilogram = 0.2
  /// Smaller doses may all but vanish before they are in the blood, in g/kg.
  static let largeEnoughDose = 0.3
  /// The part that the highest reading should reach of what is expected at its time.
  static let smallestPart = 0.2
  /// The longest pause in a series that is plausible while there is alcohol to measure.
  static let longestGap: Hours = 12
  static let anotherOccasion: Hours = 48
  /// From a peak that is later little can be said of r.
  static let lastPeak: Hours = 6
  static let usualR = 0.65
  /// The usual elimination from blood, in g/kg/h.
  static let usualElimination = 0.15
  static let day: Hours = 24
  /// How much of what a dose gives with an r of 0.65 the highest reading is in the right unit.
  static let fittingParts = 0.4...1.4
  /// When readings should show the dose, after the last drink.
  static let whenAbsorbed: ClosedRange<Hours> = 0.5...3

  /// Whether the times look like hours where minutes are asked for.
  private(set) var hasShortTimes = false
  /// The first reading above zero that is not later than the first drink.
  private(set) var earlyReading: Int?
  /// Whether nothing that was drunk holds alcohol: then it is the first reading above zero.
  private(set) var isWithoutAlcohol = false
  /// The first reading above zero half a day or more before the first drink.
  private(set) var readingOfAnotherDay: Int?
  /// What ends the first half day or more without drink or reading, begun before anybody was sober.
  private(set) var gap: Gap?
  /// Whether the gap is that between the end and the beginning of a night, written by a clock of 24 hours.
  private(set) var isMidnightForgotten = false
  /// The first drink two days or more after everything before it.
  private(set) var drinkApart: (index: Int, hours: Hours)?
  /// The unit in which the highest reading would fit the dose, if it does not fit in its own.
  private(set) var fittingUnit: ConcentrationUnit?
  /// All that was drunk, in g per kg of body weight; nil where a weight is missing.
  private(set) var dose: Double?
  /// The highest reading, if it is far more than the dose can give.
  private(set) var highReading: Int?
  /// The highest reading, if it is far less than the dose gives.
  private(set) var lowReading: Int?

  /// What comes after a long time without anything.
  enum Gap: Equatable {
    /// A drink, by its index, so many hours after what came before.
    case drink(Int, after: Hours)
    /// A reading.
    case reading(Int, after: Hours)
  }

  /// Looks at drinks and readings in order of time.
  init(weight: Kilograms?, drinks: [Drink], readings: [Reading]) {
    guard let first = drinks.first?.time, let lastDrink = drinks.last?.time,
      let firstReading = readings.first?.time, let lastReading = readings.last?.time
    else { return }
    let span: Span = (min(first, firstReading), max(lastDrink, lastReading))
    let grams = drinks.reduce(into: 0.0) { sum, drink in
      // A weight that is not known counts as 70 kg.
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
    // What follows the last of these, zeros, may be a control on the day after.
    let readingsInQuestion = (readings.lastIndex(where: \.isAboveZero) ?? -1) + 1
    var (drink, reading) = (0, 0)
    var (end, isSober) = (Hours?.none, true)
    while drink < drinks.count || reading < readingsInQuestion {
      let isDrink =
        drink < drinks.count
        && (reading >= readings.count || drinks[drink].time <= readings[reading].time)
      let time = isDrink ? drinks[drink].time : readings[reading].time
      if let end, !isSober, time - end >= Self.longestGap {
        gap = isDrink ? .drink(drink, after: time - end) : .reading(reading, after: time - end)
        // Written by a clock of 24 hours: all times are of one day, alcohol was measured before the gap, and it was
        // drunk behind it.
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
    var (end, reading) = (start, 0)
    for (index, drink) in drinks.enumerated() {
      while reading < readings.count, readings[reading].time < drink.time {
        // From one reading to the next the occasion may have ended, too.
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
    // Times come from minutes by a division, which rounds.
    let spacing = (readings[readings.count - 1].time - readings[0].time).value / Double(steps)
    return spacing < 0.999 * shortestSpacing.value
  }

  /// All that was drunk, in g per kg of body weight; nil where a weight is missing.
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
    // What was eliminated until the peak counts, too.
    let hours = max(0, (readings[highest].time - (drinks.first?.time ?? 0)).value)
    let expected = dose / Self.usualR - Self.usualElimination * hours
    if isSampled, dose >= Self.largeEnoughDose, peak.value < Self.smallestPart * expected {
      lowReading = highest
    }
    guard highReading != nil || lowReading != nil else { return }
    fittingUnit = Self.unit(
      fitting: lowReading == nil ? dose / Self.usualR : expected, readings[highest])
  }

  /// The unit in which a reading is about what is expected, in g/kg; of the same matrix if there is one.
  private static func unit(fitting expected: Double, _ reading: Reading) -> ConcentrationUnit? {
    let parts = ConcentrationUnit.allCases.map { unit in
      let blood = unit.bloodConcentration(of: reading.value, using: ConversionFactors())
      return (unit: unit, part: blood.value / expected)
    }
    let fitting = parts.filter { fittingParts ~= $0.part }
    let same = fitting.filter { $0.unit.matrix == reading.unit.matrix }
    // The nearest to what is usual, three quarters.
    return (same.isEmpty ? fitting : same).min { abs($0.part - 0.75) < abs($1.part - 0.75) }?.unit
  }
}

extension Subject {
  /// From this body mass index on, in kg/m2, a weight is doubted that as pounds gives a usual one.
  private static let highMassIndex = 45.0
  private static let usualMassIndices = 16.0...35

  /// The finding about a weight or a height that is most likely in another unit; nil if both are plausible.
  var bodyDoubt: (code: DiagnosticCode, complaint: String, remedy: String)? {
    guard let height = height?.value, let kilograms = weight?.value, height > 0 else { return nil }
    let index = kilograms / (height * height)
    let asPounds = index * ValueRule.poundInKilograms
    let asInches = index / (ValueRule.inchInCentimetres * ValueRule.inchInCentimetres)
    let isPounds = index >= Self.highMassIndex && Self.usualMassIndices ~= asPounds
    guard isPounds || !(BodyRange.massIndices ~= index) else { return nil }
    let found = "which with the height gives a body mass index of \(index.shown)"
    if isPounds {
      return (
        .weightPounds, found + ", and as pounds \(asPounds.shown)",
        "if it is in pounds, divide by 2.2046; otherwise check weight and height"
      )
    }
    let isInches = Self.usualMassIndices ~= asInches
    return (
      .bodyMass, found + (isInches ? ", and with the height in inches \(asInches.shown)" : ""),
      isInches
        ? "if the height is in inches, multiply by 2.54; otherwise check weight and height"
        : "check weight and height, and their units (kg and cm)"
    )
  }
}
