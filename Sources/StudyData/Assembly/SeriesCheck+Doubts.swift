import AlcoholKinetics

extension SeriesCheck {
  /// What to say of a series that looks wrong, its rows being in order.
  func doubts(about series: SeriesDraft, of subject: Subject) -> [Diagnostic] {
    let readings = series.readings
    let doubts = SeriesDoubts(
      weight: subject.weight, drinks: series.drinks.values, readings: readings.values)
    var found: [Diagnostic] = []
    if doubts.hasShortTimes { found.append(shortTimes(of: series)) }
    if let index = doubts.readingOfAnotherDay {
      found.append(otherDay(readings.values[index], at: readings.places[index]))
    }
    if let gap = doubts.gap { found.append(self.gap(gap, in: series)) }
    if let index = doubts.earlyReading {
      found.append(early(readings.values[index], at: readings.places[index]))
    }
    if let index = doubts.highReading {
      found.append(scale(of: readings.values[index], at: readings.places[index], isHigh: true))
    }
    if let index = doubts.lowReading {
      found.append(scale(of: readings.values[index], at: readings.places[index], isHigh: false))
    }
    return found
  }

  private func shortTimes(of series: SeriesDraft) -> Diagnostic {
    let last = series.readings.values.last?.time ?? 0
    let place = series.readings.places.last ?? .start
    return Diagnostic(
      .timeHours, at: SourceLocation(file: layout.readings, place: place),
      message: "the \(series.readings.values.count) readings of this series end at "
        + "\(last.minutes.shown) minutes; the times look like another unit",
      remedy: layout.remedyForTimes)
  }

  private func early(_ reading: Reading, at place: Place) -> Diagnostic {
    Diagnostic(
      .readingEarly, at: SourceLocation(file: layout.readings, place: place),
      message: "the reading, \(reading.value), comes before the first drink",
      remedy: "check the times of drinks and readings (they run on after midnight), and whether an "
        + "earlier drink is missing")
  }

  private func otherDay(_ reading: Reading, at place: Place) -> Diagnostic {
    Diagnostic(
      .timeDay, at: SourceLocation(file: layout.readings, place: place),
      message: "the reading, \(reading.value), comes half a day or more before the first drink",
      remedy: layout.remedyForDays)
  }

  private func gap(_ gap: SeriesDoubts.Gap, in series: SeriesDraft) -> Diagnostic {
    let (file, place, hours) =
      switch gap {
      case .drink(let index, let hours): (layout.drinks, series.drinks.places[index], hours)
      case .reading(let index, let hours): (layout.readings, series.readings.places[index], hours)
      }
    return Diagnostic(
      .timeGap, at: SourceLocation(file: file, place: place),
      message:
        "the series has neither drink nor reading in the \(hours.value.shown) hours before this "
        + "row, and the subject was not sober when they began",
      remedy: "check the day, or give each day its own occasion")
  }

  private func scale(of reading: Reading, at place: Place, isHigh: Bool) -> Diagnostic {
    Diagnostic(
      .readingScale, at: SourceLocation(file: layout.readings, place: place),
      message: "the highest reading of the series, \(reading.value) in \(reading.unit.rawValue), "
        + (isHigh
          ? "is more than three times the highest that the drinks can give"
          : "is less than a tenth of the dose per body weight"),
      remedy: "check the unit in the column name, the doses and the weight")
  }
}

extension Double {
  /// The number with few digits, for a message.
  var shown: String {
    let tenths = (self * 10).rounded() / 10
    return Int(exactly: tenths).map(String.init) ?? "\(tenths)"
  }
}
