import AlcoholKinetics

/// Puts a series in order of time and checks what only shows once all of its rows are there.
package struct SeriesCheck {
  let layout: StudyLayout
  package private(set) var findings: [Diagnostic] = []
  private var scale = ImpliedScale()

  package init(layout: StudyLayout) {
    self.layout = layout
  }

  /// Checks a series of a subject who is described somewhere or is not.
  ///
  /// - Parameter wantsReadings: Whether to warn of a series without readings.
  package mutating func check(
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
    // Where rows could not be read, the remaining ones say little.
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
    findings.add(
      .timeDay, in: file, at: jump.place,
      message:
        "the time is \(jump.hours.value.shown) hours before that of the previous row of this "
        + "series", remedy: layout.remedyForDays)
    return true
  }

  private mutating func warnOfDisorder<Value>(_ timeline: Timeline<Value>, in file: String) {
    guard let place = timeline.disorder else { return }
    findings.add(
      .timeOrder, in: file, at: place,
      message: "the time is before that of the previous row of this series",
      remedy: "check the time; the rows were sorted by time")
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
      .repeatedReading, in: layout.readings, at: place,
      message: "the reading has the same time and value as \(layout.row) \(first.line)",
      remedy: "remove it if one sample was entered twice")
  }

  private func furtherSample(at place: Place, beside first: Place, count: Int) -> Diagnostic {
    let others = count > 1 ? "; \(count) readings of this series share a time with another" : ""
    return Diagnostic(
      .repeatedReading, in: layout.readings, at: place,
      message: "the reading in \(layout.row) \(first.line) has the same time" + others,
      remedy: "correct the time, unless the two samples were taken together; both are used")
  }
}

extension SeriesCheck {
  /// What to say of a series that looks wrong, its rows being in order.
  mutating func doubts(about series: SeriesDraft, of subject: Subject) -> [Diagnostic] {
    let readings = series.readings
    let doubts = SeriesDoubts(
      weight: subject.weight, drinks: series.drinks.values, readings: readings.values)
    var found: [Diagnostic] = []
    if doubts.hasShortTimes { found.append(shortTimes(of: series)) }
    if let index = doubts.readingOfAnotherDay {
      found.append(otherDay(readings.values[index], at: readings.places[index]))
    }
    if let (index, hours) = doubts.drinkApart {
      found.append(apart(series.drinks.places[index], by: hours))
    } else if let gap = doubts.gap {
      found.append(self.gap(gap, in: series, isMidnightForgotten: doubts.isMidnightForgotten))
    }
    scale.count(
      subject, dose: doubts.dose, drinks: series.drinks.values, readings: readings.values)
    if let index = doubts.earlyReading {
      found.append(early(readings.values[index], at: readings.places[index]))
    }
    if let index = doubts.highReading {
      found.append(
        scale(
          of: readings.values[index], at: readings.places[index], isHigh: true, doubts.fittingUnit))
    }
    if let index = doubts.lowReading {
      found.append(
        scale(
          of: readings.values[index], at: readings.places[index], isHigh: false, doubts.fittingUnit)
      )
    }
    return found
  }

  /// What to say of the study, once all of its series have been checked: that its readings imply an r and a beta
  /// that people do not have.
  package var findingsOfStudy: [Diagnostic] {
    scale.doubts.map { doubt in
      let fitted = doubt.fitting.map { "; \($0)" } ?? ""
      return Diagnostic(
        doubt.isBreath ? .breathAsBlood : .readingScale, in: layout.readings,
        message: "\(doubt.finding)\(fitted)", remedy: doubt.remedy)
    }
  }

  private func shortTimes(of series: SeriesDraft) -> Diagnostic {
    let last = series.readings.values.last?.time ?? 0
    let place = series.readings.places.last ?? .start
    return Diagnostic(
      .timeHours, in: layout.readings, at: place,
      message: "the \(series.readings.values.count) readings of this series end at "
        + "\(last.minutes.shown) minutes; the times look like another unit",
      remedy: layout.remedyForTimes)
  }

  private func early(_ reading: Reading, at place: Place) -> Diagnostic {
    Diagnostic(
      .readingEarly, in: layout.readings, at: place,
      message: "the reading, \(reading.value), does not come after the first drink",
      remedy: "check the times of drinks and readings (they run on after midnight), and whether an "
        + "earlier drink is missing")
  }

  private func otherDay(_ reading: Reading, at place: Place) -> Diagnostic {
    Diagnostic(
      .timeDay, in: layout.readings, at: place,
      message: "the reading, \(reading.value), comes half a day or more before the first drink",
      remedy: layout.remedyForDays)
  }

  private func apart(_ place: Place, by hours: Hours) -> Diagnostic {
    Diagnostic(
      .timeApart, in: layout.drinks, at: place,
      message:
        "the drink belongs to another evening: before it, nothing happened for \(hours.value.shown) hours",
      remedy: "give each evening its own occasion, or check the day")
  }

  private func gap(
    _ gap: SeriesDoubts.Gap, in series: SeriesDraft, isMidnightForgotten: Bool
  ) -> Diagnostic {
    let (file, place, hours) =
      switch gap {
      case .drink(let index, let hours): (layout.drinks, series.drinks.places[index], hours)
      case .reading(let index, let hours): (layout.readings, series.readings.places[index], hours)
      }
    if isMidnightForgotten {
      return Diagnostic(
        .timeDay, in: file, at: place,
        message:
          "the series begins \(hours.value.shown) hours before this row with alcohol in the body, and all "
          + "of its times lie in one day; the rows before the gap look like the end of this night",
        remedy: layout.remedyForDays)
    }
    return Diagnostic(
      .timeGap, in: file, at: place,
      message:
        "the series has neither drink nor reading in the \(hours.value.shown) hours before this "
        + "row, and the subject was not sober when they began",
      remedy: "check the day, or give each day its own occasion")
  }

  private func scale(
    of reading: Reading, at place: Place, isHigh: Bool, _ fitting: ConcentrationUnit?
  ) -> Diagnostic {
    Diagnostic(
      .readingScale, in: layout.readings, at: place,
      message: "the highest reading of the series, \(reading.value) in \(reading.unit.rawValue), "
        + (isHigh
          ? "is more than three times the highest that the drinks can give"
          : "is less than a fifth of what the drinks give at that time")
        + (fitting.map { "; as \($0.rawValue) it would fit" } ?? ""),
      remedy: "check the unit of the readings, the doses and the weight")
  }
}

extension Double {
  package var shown: String {
    let tenths = (self * 10).rounded() / 10
    return Int(exactly: tenths).map(String.init) ?? "\(tenths)"
  }
}
