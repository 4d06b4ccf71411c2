import AlcoholKinetics
import Foundation

/// Writes studies as a table of events in NONMEM's form.
///
/// What ``StudyReader`` reads from the table are the same subjects, drinks and readings, to the last
/// bit; findings, title and instrument are not part of it.
public struct EventWriter {
  private let columns: EventTableColumns

  /// The study as CSV.
  ///
  /// - Throws: ``StudyWritingError`` if a subject, an occasion or a covariate has a name that would
  ///   be taken for something else.
  public static func csv(_ study: Study) throws(StudyWritingError) -> String {
    try StudyNames.check(study)
    let writer = EventWriter(columns: try EventTableColumns(of: study))
    var text = CSVText()
    writer.columns.appendHeader(to: &text)
    for series in study.series { writer.append(series, to: &text) }
    return text.string
  }

  private func append(_ series: Series, to text: inout CSVText) {
    for event in Self.events(of: series) {
      for (index, column) in columns.all.enumerated() {
        column.append(event, to: &text)
        text.end(isLastOfRow: index == columns.all.count - 1)
      }
    }
  }

  /// Drinks and readings in order of time; a reading at the time of a drink was taken before it.
  private static func events(of series: Series) -> [Event] {
    var events: [Event] = []
    var next = 0
    func appendDrinks(before time: Hours) {
      while next < series.drinks.count, series.drinks[next].time < time {
        events.append(Event(series: series, .drink(series.drinks[next]), series.uuids.drink(next)))
        next += 1
      }
    }
    for (index, reading) in series.readings.enumerated() {
      appendDrinks(before: reading.time)
      events.append(Event(series: series, .reading(reading), series.uuids.reading(index)))
    }
    appendDrinks(before: Hours(.infinity))
    return events.isEmpty ? [Event(series: series, .none)] : events
  }
}

/// One row of a table of events.
struct Event {
  /// What it is about.
  enum Kind {
    case drink(Drink)
    case reading(Reading)
    /// Nothing: the subject alone.
    case none
  }

  let series: Series
  let kind: Kind
  let uuid: UUID?

  init(series: Series, _ kind: Kind, _ uuid: UUID? = nil) {
    self.series = series
    self.kind = kind
    self.uuid = uuid
  }

  var drink: Drink? {
    guard case .drink(let drink) = kind else { return nil }
    return drink
  }

  var reading: Reading? {
    guard case .reading(let reading) = kind else { return nil }
    return reading
  }

  var subject: Subject { series.subject }

  var time: Hours { drink?.time ?? reading?.time ?? 0 }
}
