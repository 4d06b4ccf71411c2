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
  ///
  /// - Parameter wantsReadings: Whether to warn of a series without readings.
  mutating func check(
    _ series: inout SeriesDraft, of subject: SubjectDraft, wantsReadings: Bool
  ) {
    findings.removeAll(keepingCapacity: true)
    if subject.place == nil {
      findings.append(unknown(subject.subject.id, at: series.mention))
    } else if !series.hasDrinkRows {
      findings.append(undosed(at: series.mention))
    }
    checkOrder(of: series)
    series.drinks.sort()
    series.readings.sort()
    findDuplicateDrinks(in: series.drinks)
    findDuplicateReadings(in: series.readings)
    // Where rows are missing that could not be read, what is left says little.
    guard !findings.hasError, !series.findings.hasError else { return }
    if wantsReadings, series.readings.values.isEmpty {
      findings.append(silent(series, of: subject.subject))
    }
    findings += doubts(about: series, of: subject.subject)
  }

  // MARK: Whole series

  private func unknown(_ id: String, at mention: SourceLocation) -> Diagnostic {
    Diagnostic(
      .subjectUnknown, at: mention, message: "subject \(id.quoted) is not listed in subjects.csv",
      remedy: "add the subject to subjects.csv or correct the name")
  }

  private func undosed(at mention: SourceLocation) -> Diagnostic {
    Diagnostic(
      .doseMissing, at: mention, message: "the readings that begin here have no drink",
      remedy: layout.remedyForNoDrink)
  }

  private func silent(_ series: SeriesDraft, of subject: Subject) -> Diagnostic {
    let occasion = series.occasion.map { " on occasion \($0.quoted)" } ?? ""
    return Diagnostic(
      .seriesReadings, at: series.mention,
      message: "subject \(subject.id.quoted) has no readings\(occasion)",
      remedy: "add them, or correct the subject in their rows; without readings nothing is fitted")
  }

  private mutating func checkOrder(of series: SeriesDraft) {
    if layout.drinks == layout.readings {
      // One table: the order of all of its rows counts.
      guard !findDayJump(in: DayJump(series.drinks, series.readings), layout.drinks) else { return }
      warnOfDisorder(series.drinks, in: layout.drinks)
      warnOfDisorder(series.readings, in: layout.readings)
    } else {
      if !findDayJump(in: DayJump(series.drinks), layout.drinks) {
        warnOfDisorder(series.drinks, in: layout.drinks)
      }
      if !findDayJump(in: DayJump(series.readings), layout.readings) {
        warnOfDisorder(series.readings, in: layout.readings)
      }
    }
  }

  private mutating func findDayJump(in jump: DayJump?, _ file: String) -> Bool {
    guard let jump else { return false }
    findings.append(
      Diagnostic(
        .timeDay, at: SourceLocation(file: file, place: jump.place),
        message:
          "the time is \(jump.hours.value.shown) hours before that of the previous row of this "
          + "series",
        remedy: layout.remedyForDays))
    return true
  }

  private mutating func warnOfDisorder<Value>(_ timeline: Timeline<Value>, in file: String) {
    guard let place = timeline.disorder else { return }
    findings.append(
      Diagnostic(
        .timeOrder, at: SourceLocation(file: file, place: place),
        message: "the time is before that of the previous row of this series",
        remedy: "check the time; the rows were sorted by time"))
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
          message: "the drink repeats \(layout.row) \(first.line)",
          remedy: "remove it, unless it really was a second drink"))
    }
  }

  /// Two samples at a time are good practice; twice the same may be one sample noted twice.
  private mutating func findDuplicateReadings(in readings: Timeline<Reading>) {
    guard readings.hasEqualTimes else { return }
    var seen: [Reading: Place] = [:]
    var first: (time: Hours, place: Place)?
    var samples: [(place: Place, before: Place)] = []
    for (reading, place) in zip(readings.values, readings.places) where !reading.isExcluded {
      if let first, first.time == reading.time {
        if let same = seen[reading] {
          findings.append(repetition(at: place, of: same))
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
    findings.append(furtherSample(at: sample.place, beside: sample.before, count: samples.count))
  }

  private func repetition(at place: Place, of first: Place) -> Diagnostic {
    Diagnostic(
      .repeatedReading, at: SourceLocation(file: layout.readings, place: place),
      message: "the reading has the same time and value as \(layout.row) \(first.line)",
      remedy: "remove it if one sample was entered twice")
  }

  private func furtherSample(at place: Place, beside first: Place, count: Int) -> Diagnostic {
    let others = count > 1 ? "; \(count) readings of this series share a time with another" : ""
    return Diagnostic(
      .repeatedReading, at: SourceLocation(file: layout.readings, place: place),
      message: "the reading in \(layout.row) \(first.line) has the same time" + others,
      remedy: "correct the time, unless the two samples were taken together; both are used")
  }
}
