import StudyData
import StudyFiles

/// Tells of what a date is that stands in a row with the times of day of a drink and of a reading past midnight: of the
/// reading, or of the evening, where it was not moved on at midnight.
///
/// The rows before say it: past midnight a date that was moved on is another than theirs.
struct DatesOfNights {
  enum Kind { case ofReading, ofEvening }

  enum Answer {
    case told(Kind?)
    /// A row that belongs to the night before or after, and rows of the same date to the other one.
    case unclear(SheetTable.Row)
  }

  private var last: (subject: String, day: Int, clock: Double, isPast: Bool)?
  private var open: (subject: String, day: Int, row: SheetTable.Row)?

  /// Judges the next row, by the times of day of its drink, nil if it has none, and of its reading.
  mutating func settle(
    _ subject: String, day: Int, drunk: Double?, measured: Double, _ row: SheetTable.Row
  ) -> Answer {
    let before = last.flatMap { $0.subject == subject ? $0 : nil }
    let isPast = drunk.map { $0 - measured > RepeatedTimes.halfDay } ?? false
    last = (subject, day, measured, isPast)
    guard isPast else {
      guard drunk != nil, let open, open.subject == subject, open.day == day else {
        return .told(nil)
      }
      self.open = nil
      return .unclear(open.row)
    }
    switch before {
    case let before? where before.day == day && before.isPast: return .told(lastKind)
    case let before? where before.day == day && before.clock - measured > RepeatedTimes.halfDay:
      lastKind = .ofEvening
    case let before? where before.day == day - 1: lastKind = .ofReading
    default:
      lastKind = .ofReading
      open = (subject, day, row)
    }
    return .told(lastKind)
  }

  private var lastKind = Kind.ofReading
}
