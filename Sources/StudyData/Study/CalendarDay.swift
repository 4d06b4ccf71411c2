/// A day of the Gregorian calendar, as ISO 8601 writes it: 2024-05-01.
///
/// Source of the arithmetic: H. Hinnant (2013), chrono-compatible low-level date algorithms.
public struct CalendarDay: Hashable, Sendable {
  public let number: Int
  package let year: Int
  package let month: Int
  package let day: Int

  /// Parses a day; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      text.utf8.allSatisfy({ $0 == 0x2D || 0x30...0x39 ~= $0 }),
      let month = Int(parts[1]), let day = Int(parts[2]), let year = Int(parts[0])
    else { return nil }
    self.init(existingYear: year, month: month, day: day)
  }

  /// Creates a day; nil for a date that does not exist, as 30 February.
  public init?(existingYear year: Int, month: Int, day: Int) {
    guard 0...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
    // Years that begin in March have their leap day last.
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.divided(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    self.init(
      number: era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        - 719_468)
    // The 30 February leads to a day of March.
    guard (self.month, self.day) == (month, day) else { return nil }
  }

  public init(number: Int) {
    self.number = number
    let sinceMarch0000 = number + 719_468
    let (era, dayOfEra) = sinceMarch0000.divided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The text.
  public var text: String {
    let digits = String(year)
    let padding = String(repeating: "0", count: max(0, 4 - digits.count))
    return "\(padding)\(digits)-\(month.twoDigits)-\(day.twoDigits)"
  }
}

extension Int {
  /// The quotient rounded down and the remainder, which is not negative.
  package func divided(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let remainder = (self % divisor + divisor) % divisor
    return ((self - remainder) / divisor, remainder)
  }

  /// The number with a zero before it if it has one digit.
  package var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }

  /// `23:40` of minutes since midnight.
  package var clock: String { "\((self / 60).twoDigits):\((self % 60).twoDigits)" }
}
