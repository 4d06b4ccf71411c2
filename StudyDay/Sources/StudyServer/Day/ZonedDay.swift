import DayDatabase
@_spi(StudyDay) import StudyData

/// A day on the clocks of a time zone, which has 23 to 25 hours.
struct ZonedDay: Sendable {
  let date: CalendarDay
  let zone: String
  /// Its first and last millisecond.
  let moments: ClosedRange<Int64>

  init(_ date: CalendarDay, in zone: ClockZone) {
    self.date = date
    self.zone = zone.name
    let next = zone.start(of: CalendarDay(number: date.number + 1))
    moments = Int64(zone.start(of: date)) * 1000...(Int64(next) * 1000 - 1)
  }

  init(containing moment: Int64, in zone: ClockZone) {
    self.init(CalendarDay(number: Self.number(at: moment, in: zone)), in: zone)
  }

  /// The number of the day that a moment is on.
  static func number(at moment: Int64, in zone: ClockZone) -> Int {
    zone.local(at: Int(moment).divided(by: 1000).quotient).divided(by: 86_400).quotient
  }
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
