import DayDatabase
@_spi(StudyDay) import StudyData

/// A day on the clocks of a time zone: 23 to 25 hours, or none where the zone skipped it, as Apia did 2011-12-30.
struct ZonedDay: Sendable {
  let date: CalendarDay
  let zone: String
  /// Times of the day in ms since 1970.
  let moments: Range<Int64>

  init(_ date: CalendarDay, in zone: ClockZone) {
    self.date = date
    self.zone = zone.name
    let next = zone.start(of: CalendarDay(number: date.number + 1))
    moments = Range(from: Int64(zone.start(of: date)) * 1000, until: Int64(next) * 1000)
  }

  init(containing moment: Int64, in zone: ClockZone) {
    self.init(CalendarDay(number: Self.number(at: moment, in: zone)), in: zone)
  }

  /// Returns the number of the day of a moment.
  static func number(at moment: Int64, in zone: ClockZone) -> Int {
    zone.local(at: Int(moment).divided(by: 1000).quotient).divided(by: 86_400).quotient
  }
}

extension Range<Int64> {
  /// Makes a range that is empty if the second bound is not after the first, where `..<` would trap.
  init(from start: Int64, until end: Int64) { self = start..<Swift.max(start, end) }
}

extension ClockZone {
  /// Makes the zone that a client names, such as `Europe/Berlin`; 404 if it is unknown.
  init(named name: String) throws(Problem) {
    guard let zone = ClockZone(name) else {
      throw Problem(.notFound, "Name a time zone, for example ?zone=Europe/Berlin.")
    }
    self = zone
  }
}
