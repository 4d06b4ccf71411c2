import AlcoholKinetics

/// Puts a series in order of time and checks what only shows once all of its rows are there.
struct SeriesCheck {
  /// The log of `drinks.csv`.
  var drinkLog: FindingLog
  /// The log of `readings.csv`.
  var readingLog: FindingLog

  /// Checks a series of a subject that `subjects.csv` has or has not.
  mutating func check(_ series: inout SeriesDraft, of id: String, isKnown: Bool) {
    if !isKnown {
      addToMention(of: &series, unknown(id, at: series.mention))
    } else if !series.hasDrinkRows {
      addToMention(of: &series, undosed(at: series.mention))
    }
    Self.warnOfDisorder(series.drinks, log: &drinkLog, findings: &series.findings)
    Self.warnOfDisorder(series.readings, log: &readingLog, findings: &series.findings)
    series.drinks.sort()
    series.readings.sort()
    findDuplicateDrinks(in: &series)
    findDuplicateReadings(in: &series)
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
      remedy: "add the drinks of this subject and occasion to drinks.csv")
  }

  private mutating func addToMention(of series: inout SeriesDraft, _ finding: Diagnostic) {
    if finding.location.file == drinkLog.file {
      drinkLog.add(finding, to: &series.findings)
    } else {
      readingLog.add(finding, to: &series.findings)
    }
  }

  private static func warnOfDisorder<Value>(
    _ timeline: Timeline<Value>, log: inout FindingLog, findings: inout [Diagnostic]
  ) {
    guard let place = timeline.disorder else { return }
    log.add(
      log.finding(
        .timeOrder, at: place, "the time is before the previous row's of this series",
        remedy: "check the time; the rows were put in order of time"),
      to: &findings)
  }

  // MARK: Duplicates

  private mutating func findDuplicateDrinks(in series: inout SeriesDraft) {
    var seen: [Drink: Place] = [:]
    for (drink, place) in zip(series.drinks.values, series.drinks.places) {
      guard let first = seen[drink] else {
        seen[drink] = place
        continue
      }
      drinkLog.add(
        drinkLog.finding(
          .duplicateDrink, at: place, "the drink is the same as that in line \(first.line)",
          remedy: "remove it if it is not a second drink"),
        to: &series.findings)
    }
  }

  private mutating func findDuplicateReadings(in series: inout SeriesDraft) {
    var previous: (time: Hours, line: Int)?
    for (reading, place) in zip(series.readings.values, series.readings.places)
    where !reading.isExcluded {
      guard let first = previous, first.time == reading.time else {
        previous = (reading.time, place.line)
        continue
      }
      readingLog.add(
        readingLog.finding(
          .duplicateReading, at: place, "the reading in line \(first.line) has the same time",
          remedy: "remove or exclude one of them"),
        to: &series.findings)
    }
  }
}
