package import AlcoholKinetics

extension Series {
  /// The impossible values of a series, wherever it comes from: a file is checked row by
  /// row, a database or a program that makes its own series is not.
  ///
  /// Body measures, drinks and readings must be finite and in the ranges that StudyFormat of `StudyFiles` states
  /// for files, readings in order of time (``inOrderOfTime`` puts them so), and no alcohol may have been
  /// measured half a day or more before the first drink. Of a reading that is excluded only the time
  /// counts.
  public var valueErrors: [Diagnostic] {
    var errors = SeriesValues(self).errors
    if errors.isEmpty, let index = readingOfAnotherDay {
      errors.append(
        finding(
          .time,
          "reading \(index + 1), at \(readings[index].time.minutes) min, is above zero half a day or "
            + "more before the first drink",
          remedy: "let times run on after midnight, or check the day"))
    }
    return errors
  }

  /// The first reading above zero half a day or more before the first drink, whatever the order.
  private var readingOfAnotherDay: Int? {
    guard let first = drinks.lazy.map(\.time).min() else { return nil }
    return readings.firstIndex { $0.time <= first - Reading.otherDay && $0.isAboveZero }
  }

  /// The impossible values of a series whose readings are not yet in order of time.
  package var errorsOfValues: [Diagnostic] { SeriesValues(self, isInOrder: false).errors }

  /// A finding in a series that stands in no file.
  package func finding(_ code: DiagnosticCode, _ message: String, remedy: String) -> Diagnostic {
    let occasion = self.occasion.map { ", occasion \($0.quoted)" } ?? ""
    return Diagnostic(
      code, in: "subject \(subject.id.quoted)\(occasion)", message: message, remedy: remedy)
  }

  /// The series with drinks and readings in order of time, those of one time in the order they have.
  public var inOrderOfTime: Series {
    guard !drinks.isInOrderOfTime || !readings.isInOrderOfTime else { return self }
    let drinkOrder = drinks.orderOfTime
    let readingOrder = readings.orderOfTime
    var series = self
    series.drinks = drinkOrder.map { drinks[$0] }
    series.readings = readingOrder.map { readings[$0] }
    series.uuids = GivenUUIDs(
      drinks: drinkOrder.map(uuids.drink), readings: readingOrder.map(uuids.reading))
    series.sources = sources.reordered(by: readingOrder)
    return series
  }
}

extension Reading {
  /// So long before the first drink a reading is of another day, or the day was forgotten.
  package static let otherDay: Hours = 12
  /// Less may be the instrument, where no limit of detection is given.
  private static let noise: GramsPerKilogram = 0.02

  /// Whether it shows alcohol, and not only what instruments show of nothing.
  package var isAboveZero: Bool {
    !isExcluded && value > limitOfDetection ?? 0
      && bloodConcentration(using: ConversionFactors()) > Self.noise
  }
}

private struct SeriesValues {
  /// The limit for files, with the rounding error of a division by 60.
  private static let limitInMinutes = ValueRule.limitInMinutes * (1 + 1e-12)

  private let series: Series
  private(set) var errors: [Diagnostic] = []

  init(_ series: Series, isInOrder: Bool = true) {
    self.series = series
    checkSubject()
    for (index, drink) in series.drinks.enumerated() { check(drink, index) }
    var last: Hours?
    for (index, reading) in series.readings.enumerated() {
      check(reading, index)
      if isInOrder, let last, reading.time < last {
        add(
          .time, "reading \(index + 1) is earlier than the one before it",
          remedy: "sort the readings by time")
        // One slip may leave all of the others behind it.
        return
      }
      last = reading.time
    }
  }

  private mutating func checkSubject() {
    let subject = series.subject
    check(subject.age?.value, in: BodyRange.ages, "the age, in years,")
    check(subject.height?.centimetres, in: BodyRange.heights, "the height, in cm,")
    check(subject.weight?.value, in: BodyRange.weights, "the weight, in kg,")
    guard subject.food == nil, let word = subject.covariates[Subject.foodName], !word.isEmpty else {
      return
    }
    add(
      .word, "food is \(word.quoted), \(FoodState.complaint)", remedy: FoodState.remedy(for: word))
  }

  private mutating func check(_ drink: Drink, _ index: Int) {
    var name: String { "drink \(index + 1)" }
    checkTime(drink.time, "the time of \(name)")
    check(
      drink.duration.value * 60, in: 0...Self.limitInMinutes, "the duration of \(name), in min,")
    switch drink.ethanol {
    case .mass(let grams):
      check(grams.value, in: 0...ValueRule.limitInGrams, "the ethanol in \(name), in g,")
    case .perBodyWeight(let dose):
      check(
        dose.value, in: 0...ValueRule.limitInGramsPerKilogram, "the ethanol in \(name), in g/kg,")
    }
  }

  private mutating func check(_ reading: Reading, _ index: Int) {
    var name: String { "reading \(index + 1)" }
    checkTime(reading.time, "the time of \(name)")
    guard !reading.isExcluded else { return }
    check(reading.value, in: 0...Double.greatestFiniteMagnitude, "the value of \(name)")
    check(
      reading.limitOfDetection, in: 0...Double.greatestFiniteMagnitude,
      "the limit of detection of \(name)")
  }

  private mutating func checkTime(_ time: Hours, _ name: @autoclosure () -> String) {
    check(time.value * 60, in: -Self.limitInMinutes...Self.limitInMinutes, "\(name()), in min,")
  }

  /// Adds an error if a number is not finite, or outside of a range.
  private mutating func check(
    _ number: Double?, in range: ClosedRange<Double>, _ name: @autoclosure () -> String
  ) {
    guard let number, !range.contains(number) else { return }
    guard number.isFinite else {
      return add(.number, "\(name()) is \(number)", remedy: "give a finite number")
    }
    // Limits are whole numbers, but for what hours may lose in minutes.
    let most =
      range.upperBound < .greatestFiniteMagnitude ? " to \(Int(range.upperBound))" : " or more"
    add(.range, "\(name()) is \(number)", remedy: "it must be \(Int(range.lowerBound))\(most)")
  }

  private mutating func add(_ code: DiagnosticCode, _ message: String, remedy: String) {
    errors.append(series.finding(code, message, remedy: remedy))
  }
}
