import DayDatabase
@_spi(StudyDay) import StudyData

/// A day on the clocks of a time zone: 23 to 25 hours, or none where the zone skipped it, as Apia did 2011-12-30.
struct ZonedDay: Sendable {
  let date: CalendarDay
  let zone: String
  /// From its first millisecond to that of the next day.
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

  /// The number of the day that a moment is on.
  static func number(at moment: Int64, in zone: ClockZone) -> Int {
    zone.local(at: Int(moment).divided(by: 1000).quotient).divided(by: 86_400).quotient
  }
}

extension Range<Int64> {
  /// The moments from one to another; none where the second is not after the first, which `..<` would trap on.
  init(from start: Int64, until end: Int64) { self = start..<Swift.max(start, end) }
}

extension ClockZone {
  /// The zone that a client names, as `Europe/Berlin`; 404 if nobody knows it.
  init(named name: String) throws(Problem) {
    guard let zone = ClockZone(name) else {
      throw Problem(.notFound, "Name a time zone, for example ?zone=Europe/Berlin.")
    }
    self = zone
  }
}
