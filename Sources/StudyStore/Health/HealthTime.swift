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

  /// Reads a moment; nil for any other text, a day that is in no calendar or an offset that no clock
  /// has.
  ///
  /// - Parameter years: The years that it may be in.
  init?(_ text: String, in years: ClosedRange<Int> = Self.years) {
    var text = text
    let parsed: HealthTime? = text.withUTF8 { bytes in
      guard bytes.count == 25, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x20,
        bytes[13] == 0x3A, bytes[16] == 0x3A, bytes[19] == 0x20
      else { return nil }
      let sign = bytes[20] == 0x2B ? 1 : bytes[20] == 0x2D ? -1 : 0
      guard sign != 0, let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
        let day = Self.number(bytes[8..<10]), let hour = Self.number(bytes[11..<13]),
        let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19]),
        let offsetHours = Self.number(bytes[21..<23]),
        let offsetMinutes = Self.number(bytes[23..<25]),
        let date = CalendarDay(existingYear: year, month: month, day: day), years ~= year,
        hour < 24, minute < 60, second < 60, offsetMinutes < 60
      else { return nil }
      let offset = sign * (offsetHours * 3600 + offsetMinutes * 60)
      guard Self.offsets ~= offset else { return nil }
      let local = date.number * 86400 + hour * 3600 + minute * 60 + second
      return HealthTime(seconds: local - offset, offset: offset)
    }
    guard let parsed else { return nil }
    self = parsed
  }

  init(seconds: Int, offset: Int) {
    self.seconds = seconds
    self.offset = offset
  }

  static func < (left: HealthTime, right: HealthTime) -> Bool { left.seconds < right.seconds }

  /// The moment in UTC, as `2024-05-01 18:15:00`.
  var utc: String {
    let (day, rest) = seconds.divided(by: 86400)
    let clock = [rest / 3600, rest / 60 % 60, rest % 60].map(\.twoDigits).joined(separator: ":")
    return "\(CalendarDay(number: day).text) \(clock)"
  }

  /// The day on the clock of the place, as `2024-05-01`.
  var day: String { CalendarDay(number: (seconds + offset).divided(by: 86400).quotient).text }

  /// The last noon on the clock of the place, from which the times of an occasion count: a night
  /// belongs to the day it began on.
  var noonBefore: HealthTime {
    let half = 43200
    let days = (seconds + offset - half).divided(by: 86400).quotient
    return HealthTime(seconds: days * 86400 + half - offset, offset: offset)
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var number = 0
    for digit in digits {
      guard 0x30...0x39 ~= digit else { return nil }
      number = number * 10 + Int(digit - 0x30)
    }
    return number
  }
}
