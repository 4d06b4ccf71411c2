import AlcoholKinetics

/// Puts a series in order of time and checks what only shows once all of its rows are there.
struct SeriesCheck {
  /// Where the parts of the study stand.
  let layout: StudyLayout
  /// What was found in the series.
  private(set) var findings: [Diagnostic] = []

  init(layout: StudyLayout) {
    self.layout = layout
  }

  /// Checks a series of a subject who is described somewhere or is not.
  mutating func check(_ series: inout SeriesDraft, of id: String, isKnown: Bool) {
    findings.removeAll(keepingCapacity: true)
    if !isKnown {
      findings.append(unknown(id, at: series.mention))
    } else if !series.hasDrinkRows {
      findings.append(undosed(at: series.mention))
    }
    warnOfDisorder(series.drinks, in: layout.drinks)
    warnOfDisorder(series.readings, in: layout.readings)
    series.drinks.sort()
    series.readings.sort()
    findDuplicateDrinks(in: series.drinks)
    findDuplicateReadings(in: series.readings)
  }

  // MARK: Whole series

  private func unknown(_ id: String, at mention: SourceLocation) -> Diagnostic {
    Diagnostic(
      .subjectUnknown, at: mention, message: "subject is \(id.quoted), whom subjects.csv has not",
      remedy: "add the subject to subjects.csv or correct the name")
  }

  private func undosed(at mention: SourceLocation) -> Diagnostic {
    Diagnostic(
      .doseMissing, at: mention, message: "the readings that begin here have no drink",
      remedy: layout.remedyForNoDrink)
  }

  private mutating func warnOfDisorder<Value>(_ timeline: Timeline<Value>, in file: String) {
    guard let place = timeline.disorder else { return }
    findings.append(
      Diagnostic(
        .timeOrder, at: SourceLocation(file: file, place: place),
        message: "the time is before the previous row's of this series",
        remedy: "check the time; the rows were put in order of time"))
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
      findings.append(
        Diagnostic(
          .duplicateDrink, at: SourceLocation(file: layout.drinks, place: place),
          message: "the drink is the same as that in line \(first.line)",
          remedy: "remove it if it is not a second drink"))
    }
  }

  private mutating func findDuplicateReadings(in readings: Timeline<Reading>) {
    var first: Int?
    for (index, reading) in readings.values.enumerated() where !reading.isExcluded {
      guard let same = first, readings.values[same].time == reading.time else {
        first = index
        continue
      }
      findings.append(
        Diagnostic(
          .duplicateReading,
          at: SourceLocation(file: layout.readings, place: readings.places[index]),
          message: "the reading in line \(readings.places[same].line) has the same time",
          remedy: "remove or exclude one of them"))
    }
  }
}
