import AlcoholKinetics
import StudyData

/// Sorts a series by time and runs the checks that need all of its rows.
struct SeriesCheck {
  let layout: StudyLayout
  private(set) var findings: [Diagnostic] = []
  private var scale = UnitPlausibility()
  /// The hash values of the subjects' names in small letters, and the findings about those that occur again.
  private var names: Set<Int> = []
  private var similarNames: [Diagnostic] = []

  init(layout: StudyLayout) { self.layout = layout }

  /// Looks whether the name of a subject, which is checked once, differs from an earlier one only in its case.
  mutating func checkName(of subject: SubjectDraft) {
    // One that no table describes is an error of its own.
    guard subject.place != nil, !names.insert(subject.subject.id.lowercased().hashValue).inserted
    else { return }
    similarNames.append(
      Diagnostic(
        .subjectCase, in: layout.subjects, at: subject.place,
        message:
          "an earlier subject differs from \(subject.subject.id.quoted) only in upper and lower case",
        remedy: "if they are one person, write the name in one way in all tables"))
  }

  /// Sorts and checks a series; warns about missing readings if requested.
  mutating func check(
    _ series: inout SeriesDraft, of subject: SubjectDraft, warnsAboutMissingReadings: Bool
  ) {
    findings.removeAll(keepingCapacity: true)
    if subject.place == nil {
      findings.add(
        .subject, at: series.mention,
        message: "subject \(subject.subject.id.quoted) is not listed in subjects.csv",
        remedy: "add the subject to subjects.csv or correct the name")
    } else if !series.hasDrinkRows {
      findings.add(
        .doseMissing, at: series.mention, message: "the readings that begin here have no drink",
        remedy: layout.remedyForNoDrink)
    }
    checkOrder(of: series)
    let repeated = series.drinks.repeated.map(\.value.time)
    series.drinks.sort()
    series.readings.sort()
    placeReadings(ofInjectionsIn: &series, repeated: repeated)
    findDuplicateDrinks(in: series.drinks)
    findDuplicateReadings(in: series.readings)
    // With unreadable rows, further checks of the remaining ones would be misleading.
    guard !findings.hasError, !series.findings.hasError else { return }
    if warnsAboutMissingReadings, series.readings.values.isEmpty {
      let occasion = series.occasion.map { " on occasion \($0.quoted)" } ?? ""
      findings.add(
        .seriesReadings, at: series.mention,
        message: "subject \(subject.subject.id.quoted) has no readings\(occasion)",
        remedy: "add them, or correct the subject in their rows; without readings nothing is fitted"
      )
    }
    addDoubts(about: series, of: subject.subject)
  }

  // MARK: Order

  private mutating func checkOrder(of series: SeriesDraft) {
    if layout.drinks == layout.readings {
      // One table: the order of all of its rows counts.
      guard !findDayJump(in: DayJump(series.drinks, series.readings), layout.drinks) else { return }
      warnOfDisorder(series.drinks, in: layout.drinks)
      findDisorder(in: series.readings)
    } else {
      if !findDayJump(in: DayJump(series.drinks), layout.drinks) {
        warnOfDisorder(series.drinks, in: layout.drinks)
      }
      if !findDayJump(in: DayJump(series.readings), layout.readings) {
        findDisorder(in: series.readings)
      }
    }
  }

  private mutating func findDayJump(in jump: DayJump?, _ file: String) -> Bool {
    guard let jump else { return false }
    findings.add(
      .time, in: file, at: jump.place,
      message:
        "the time is \(jump.hours.value.shown) hours before that of the previous row of this "
        + "series", remedy: layout.remedyForDays)
    return true
  }

  /// Reports readings out of order; if a whole sequence starts again, it may be another occasion.
  private mutating func findDisorder(in readings: Timeline<Reading>) {
    guard readings.disorder != nil,
      let times = RepeatedTimes(
        readings.values.indices.map { ($0, readings.values[$0].time.minutes) }, of: "",
        areOfDay: false),
      times.beginAgain
    else { return warnOfDisorder(readings, in: layout.readings) }
    let position = readings.places[times.doubtedRow]
    if layout.mayBeginAgain {
      findings.add(
        .timeOrder, in: layout.readings, at: position,
        message: "the times of this series begin again here; the rows were sorted by time",
        remedy:
          "if another evening begins, name each in a column occasion; otherwise check the times")
    } else {
      findings.add(
        .time, in: layout.readings, at: position,
        message: "the times of this series begin again here, and no column tells the rows apart",
        remedy:
          "name each evening in a column OCC, or begin it with EVID 4; rows of one evening have to be in order of time"
      )
    }
  }

  private mutating func warnOfDisorder<Value>(_ timeline: Timeline<Value>, in file: String) {
    guard let place = timeline.disorder else { return }
    findings.add(
      .timeOrder, in: file, at: place,
      message: "the time is before that of the previous row of this series",
      remedy: "check the time; the rows were sorted by time")
  }

  // MARK: Readings at the time of an injection

  /// The shift of a reading whose row precedes an injection at the same time: below the resolution of any clock.
  private static let instant = Hours(minutes: 1e-6)

  /// Orders readings at the time of an injection, where the curve jumps, by the rows of their common table. Without such
  /// an order the reading is excluded.
  private mutating func placeReadings(ofInjectionsIn series: inout SeriesDraft, repeated: [Hours]) {
    var lines: [Hours: Int?] = [:]
    let hasOrder = layout.drinks == layout.readings
    for (drink, place) in zip(series.drinks.values, series.drinks.places)
    where drink.route == .intravenous && drink.duration == 0 && lines[drink.time] == nil {
      lines[drink.time] = .some(hasOrder && !repeated.contains(drink.time) ? place.line : nil)
    }
    guard !lines.isEmpty, let first = series.drinks.values.first?.time else { return }
    let drinks = zip(series.drinks.values.map(\.time), series.drinks.places)
    let events =
      drinks.filter { !repeated.contains($0.0) }
      + zip(series.readings.values.map(\.time), series.readings.places)
    for index in series.readings.values.indices {
      let reading = series.readings.values[index]
      let position = series.readings.places[index]
      guard !reading.isExcluded, let line = lines[reading.time] else { continue }
      // Rows out of order determine nothing.
      if let line, line != position.line,
        events.allSatisfy({ time, place in
          place.line < line ? time <= reading.time : time >= reading.time
        })
      {
        if position.line < line {
          series.readings.change(index) { $0.time = $0.time - Self.instant }
        }
        continue
      }
      // A reading of zero at the first injection was taken before it.
      if reading.time == first, !reading.isAboveZero { continue }
      series.readings.change(index) { $0.isExcluded = true }
      findings.add(
        .readingAtDose, in: layout.readings, at: position,
        message:
          "the reading has the time of an injection, and nothing tells which came first; it was left out",
        remedy: "give it a time before or behind the injection, as 119.99 or 120.01 min")
    }
  }

  // MARK: Duplicates

  private mutating func findDuplicateDrinks(in drinks: Timeline<Drink>) {
    guard drinks.hasEqualTimes else { return }
    var seen: [Drink: Place] = [:]
    for (drink, place) in zip(drinks.values, drinks.places) {
      guard let first = seen[drink] else {
        seen[drink] = place
        continue
      }
      findings.add(
        .duplicateDrink, in: layout.drinks, at: place,
        message: "the drink repeats \(layout.row) \(first.line)",
        remedy: "remove it, unless it really was a second drink")
    }
  }

  /// Warns about readings at one time: two samples are good practice, but equal values may be one sample entered twice.
  private mutating func findDuplicateReadings(in readings: Timeline<Reading>) {
    guard readings.hasEqualTimes else { return }
    var seen: [Reading: Place] = [:]
    var first: (time: Hours, place: Place)?
    var samples: [(place: Place, before: Place)] = []
    for (reading, place) in zip(readings.values, readings.places) where !reading.isExcluded {
      if let first, first.time == reading.time {
        if let same = seen[reading] {
          findings.add(
            .repeatedReading, in: layout.readings, at: place,
            message: "the reading has the same time and value as \(layout.row) \(same.line)",
            remedy: "remove it if one sample was entered twice")
        } else {
          samples.append((place, first.place))
        }
      } else {
        first = (reading.time, place)
        seen.removeAll(keepingCapacity: true)
      }
      seen[reading] = place
    }
    guard let sample = samples.first else { return }
    let others =
      samples.count > 1
      ? "; \(samples.count) readings of this series share a time with another" : ""
    findings.add(
      .repeatedReading, in: layout.readings, at: sample.place,
      message: "the reading in \(layout.row) \(sample.before.line) has the same time" + others,
      remedy: "correct the time, unless the two samples were taken together; both are used")
  }
}

extension SeriesCheck {
  /// Adds findings on probable mistakes in a series in order of time.
  private mutating func addDoubts(about series: SeriesDraft, of subject: Subject) {
    let drinks = series.drinks
    let readings = series.readings
    let doubts = SeriesDoubts(
      weight: subject.weight, drinks: drinks.values, readings: readings.values)
    if doubts.hasShortTimes, let last = readings.values.last, let place = readings.places.last {
      findings.add(
        .timeHours, in: layout.readings, at: place,
        message: "the \(readings.values.count) readings of this series end at "
          + "\(last.time.minutes.shown) minutes; the times look like another unit",
        remedy: layout.remedyForTimes)
    }
    if let index = doubts.readingOfAnotherDay {
      findings.add(
        .time, in: layout.readings, at: readings.places[index],
        message: "the reading, \(readings.values[index].value), comes half a day or more before "
          + "the first drink",
        remedy: layout.remedyForDays)
    }
    if let (index, hours) = doubts.drinkApart {
      findings.add(
        .time, in: layout.drinks, at: drinks.places[index],
        message: "the drink belongs to another evening: before it, nothing happened for "
          + "\(hours.value.shown) hours",
        remedy: "give each evening its own occasion, or check the day")
    } else if let gap = doubts.gap {
      add(gap, in: series, isMidnightForgotten: doubts.isMidnightForgotten)
    }
    scale.add(
      subject, dose: doubts.dose, drinks: drinks.values, readings: readings.values,
      at: readings.places.first)
    if let index = doubts.earlyReading {
      findings.add(
        .readingEarly, in: layout.readings, at: readings.places[index],
        message: "the reading, \(readings.values[index].value), "
          + (doubts.isWithoutAlcohol
            ? "shows alcohol, and the dose is 0 g" : "does not come after the first drink"),
        remedy: doubts.isWithoutAlcohol
          ? "check the dose, and whether a drink is missing"
          : "check the times of drinks and readings (they run on after midnight), and whether "
            + "an earlier drink is missing")
    }
    for (index, complaint) in [
      (doubts.highReading, "is more than three times the highest that the drinks can give"),
      (doubts.lowReading, "is less than a fifth of what the drinks give at that time"),
    ] {
      guard let index else { continue }
      let reading = readings.values[index]
      findings.add(
        .readingScale, in: layout.readings, at: readings.places[index],
        message: "the highest reading of the series, \(reading.value) in \(reading.unit.rawValue), "
          + complaint
          + (doubts.fittingUnit.map { "; as \($0.rawValue) it would fit" } ?? ""),
        remedy: "check the unit of the readings, the doses and the weight")
    }
  }

  private mutating func add(
    _ gap: SeriesDoubts.Gap, in series: SeriesDraft, isMidnightForgotten: Bool
  ) {
    let (file, place, hours) =
      switch gap {
      case .drink(let index, let hours): (layout.drinks, series.drinks.places[index], hours)
      case .reading(let index, let hours): (layout.readings, series.readings.places[index], hours)
      }
    if isMidnightForgotten {
      findings.add(
        .time, in: file, at: place,
        message:
          "the series begins \(hours.value.shown) hours before this row with alcohol in the body, and all "
          + "of its times lie in one day; the rows before the gap look like the end of this night",
        remedy: layout.remedyForDays)
    } else {
      findings.add(
        .timeGap, in: file, at: place,
        message:
          "the series has neither drink nor reading in the \(hours.value.shown) hours before "
          + "this row, and the subject was not sober when they began",
        remedy: "check the day, or give each day its own occasion")
    }
  }

  /// Findings about the whole study: names that may be one, and readings that imply an r or a beta outside the range of people.
  var findingsOfStudy: [Diagnostic] {
    similarNames
      + scale.doubts.map { doubt in
        let fitted = doubt.fitting.map { "; \($0)" } ?? ""
        return Diagnostic(
          doubt.isBreath ? .breathAsBlood : .readingScale, in: layout.readings,
          message: "\(doubt.finding)\(fitted)", remedy: doubt.remedy)
      }
      + scale.outliers.map { outlier in
        Diagnostic(
          .readingScale, in: layout.readings, at: outlier.place, message: outlier.finding,
          remedy: outlier.remedy)
      }
  }
}

/// The names of a study's tables and the remedies in findings about several of them.
struct StudyLayout {
  let subjects, drinks, readings: String
  /// The remedy for a subject without rows of drinks or readings.
  let remedyForNoRows: String
  /// The remedy for readings without a drink.
  let remedyForNoDrink: String
  /// The remedy for times that seem to be in another unit.
  let remedyForTimes: String
  /// The word for the number of a row.
  let row: String
  /// Whether times of one series may begin again, as when a column that distinguishes its rows is ignored.
  var mayBeginAgain = true
  /// The remedy for times that are not continued past midnight.
  var remedyForDays: String {
    "let times run on after midnight (add 1440 min, or 24 h); if they are right, sort the rows by "
      + "time"
  }

  static let database = StudyLayout(
    subjects: "subjects", drinks: "drinks", readings: "readings",
    remedyForNoRows: "import the subject's drinks, or remove the subject",
    remedyForNoDrink: "import the drinks of this subject and occasion",
    remedyForTimes: "give time_h in hours; a minute is 1/60", row: "row")

  /// The layout of values in memory.
  static let values = StudyLayout(
    subjects: "subject", drinks: "drink", readings: "reading",
    remedyForNoRows: "add the subject's drinks, or remove the subject",
    remedyForNoDrink: "add the drinks of this subject and occasion",
    remedyForTimes: "check whether they are minutes or hours", row: "number")

  static func events(in path: String, mayBeginAgain: Bool) -> StudyLayout {
    StudyLayout(
      subjects: path, drinks: path, readings: path,
      remedyForNoRows: "give every drink a row with AMT",
      remedyForNoDrink: "give every drink of this subject and occasion a row with AMT",
      remedyForTimes: "give TIME in hours; a minute is 1/60", row: "line",
      mayBeginAgain: mayBeginAgain)
  }

  static func folder(subjects: String, drinks: String, readings: String) -> StudyLayout {
    StudyLayout(
      subjects: subjects, drinks: drinks, readings: readings,
      remedyForNoRows: "add the subject's drinks to drinks.csv or remove the subject",
      remedyForNoDrink: "add the drinks of this subject and occasion to drinks.csv",
      remedyForTimes: "give time_min in minutes; an hour is 60", row: "line")
  }

  static func sheet(subjects: String, drinks: String, readings: String) -> StudyLayout {
    StudyLayout(
      subjects: subjects, drinks: drinks, readings: readings,
      remedyForNoRows: "add the subject's drinks, or remove the subject",
      remedyForNoDrink: "add the drinks of this subject and occasion",
      remedyForTimes: "check the unit of the column with the times", row: "row")
  }
}
