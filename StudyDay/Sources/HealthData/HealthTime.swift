import DayDatabase
@_spi(StudyDay) import StudyData

/// A moment as Apple Health writes it: `2024-05-01 20:15:00 +0200`.
struct HealthTime: Hashable, Comparable {
  /// Seconds since 1970 in UTC.
  let seconds: Int
  /// The clock of the place, in seconds ahead of UTC.
  let offset: Int

  /// The years that a moment may be in. Outside of them is what devices write that have lost their
  /// clock (year 1), or a slip; and all have four digits in UTC, too.
  static let years = 1900...2199
  /// The offsets from UTC that clocks have, in s: UTC-12:00 to UTC+14:00.
  static let offsets = -12 * 3600...14 * 3600

  static func < (left: HealthTime, right: HealthTime) -> Bool { left.seconds < right.seconds }

  /// The moment in UTC, as `2024-05-01 18:15:00`.
  var utc: String { ISOTime.stored(Int64(seconds) * 1000) }

  /// The day on the clock of the place, as `2024-05-01`.
  var day: String { CalendarDay(number: (seconds + offset).divided(by: 86400).quotient).text }

  /// The last noon on the clock of the place, from which the times of an occasion count: a night
  /// belongs to the day it began on.
  var noonBefore: HealthTime {
    let half = 43200
    let days = (seconds + offset - half).divided(by: 86400).quotient
    return HealthTime(seconds: days * 86400 + half - offset, offset: offset)
  }
}

extension HealthTime {
  /// Reads a moment; nil for any other text, a day that is in no calendar or an offset that no clock
  /// has.
  ///
  /// - Parameter years: The years that it may be in.
  init?(_ text: String, in years: ClosedRange<Int> = Self.years) {
    var text = text
    let parsed: HealthTime? = text.withUTF8 { bytes in
      guard bytes.count == 25, bytes[19] == UInt8(ascii: " "),
        let local = ISOTime.seconds(bytes, between: " ", in: years),
        let hours = ISOTime.number(bytes[21..<23]), let minutes = ISOTime.number(bytes[23..<25]),
        minutes < 60, bytes[20] == UInt8(ascii: "+") || bytes[20] == UInt8(ascii: "-")
      else { return nil }
      let offset = (bytes[20] == UInt8(ascii: "+") ? 1 : -1) * (hours * 3600 + minutes * 60)
      guard Self.offsets ~= offset else { return nil }
      return HealthTime(seconds: local - offset, offset: offset)
    }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Reads a moment as people write it: as Apple does, as ISO 8601 does with `T`, `Z` and a colon in
  /// the offset, with or without seconds; or a day, which stands for its noon in UTC.
  init?(anyForm text: String) {
    guard CalendarDay(text) == nil else {
      self.init("\(text) 12:00:00 +0000")
      return
    }
    var bytes = Array(text.utf8)
    if bytes.count > 10, bytes[10] == UInt8(ascii: "T") { bytes[10] = UInt8(ascii: " ") }
    if bytes.last == UInt8(ascii: "Z") {
      bytes.replaceSubrange((bytes.count - 1)..., with: "+0000".utf8)
    }
    if bytes.count > 16, bytes[bytes.count - 3] == UInt8(ascii: ":"),
      [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[bytes.count - 6])
    {
      bytes.remove(at: bytes.count - 3)
    }
    // Adds missing seconds, and the blank before the offset.
    if bytes.count > 16, bytes[16] != UInt8(ascii: ":") {
      bytes.insert(contentsOf: ":00".utf8, at: 16)
    }
    if bytes.count > 19, bytes[19] != UInt8(ascii: " ") { bytes.insert(UInt8(ascii: " "), at: 19) }
    self.init(String(decoding: bytes, as: UTF8.self))
  }

  /// Takes a moment in UTC, on a clock that has so little offset that its day is the one given; nil if
  /// it is none.
  init?(utc text: String?, day: String?) {
    guard let text, let utc = HealthTime("\(text) +0000", in: 0...9999) else { return nil }
    let (number, second) = utc.seconds.divided(by: 86400)
    let ahead = (day.flatMap(CalendarDay.init)?.number ?? number) - number
    // Offsets are in whole minutes, away from zero.
    let offset =
      switch ahead {
      case 0: 0
      case 1...: (86400 * ahead - second + 59) / 60 * 60
      default: -((second - 86400 * (ahead + 1)) / 60 + 1) * 60
      }
    self.init(seconds: utc.seconds, offset: offset)
  }

  var text: String {
    let local = HealthTime(seconds: seconds + offset, offset: 0).utc
    let minutes = abs(offset) / 60
    return
      "\(local) \(offset < 0 ? "-" : "+")\((minutes / 60).twoDigits)\((minutes % 60).twoDigits)"
  }
}
