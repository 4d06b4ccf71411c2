/// A day of the Gregorian calendar, as ISO 8601 writes it: 2024-05-01.
public struct CalendarDay: Hashable, Sendable {
  /// The text.
  public let text: String
  /// Days since 1970.
  package let number: Int

  /// Takes a text that is a day; nil for any other.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      text.utf8.allSatisfy({ $0 == 0x2D || 0x30...0x39 ~= $0 }),
      let month = Int(parts[1]), let day = Int(parts[2]), let year = Int(parts[0])
    else { return nil }
    self.init(existingYear: year, month: month, day: day)
  }

  /// Takes a date; nil for one that is in no calendar, as 30 February.
  package init?(existingYear year: Int, month: Int, day: Int) {
    guard 0...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
    self.init(year: year, month: month, day: day)
    // A month has no day that is another's.
    guard text.hasSuffix("-\(month.twoDigits)-\(day.twoDigits)") else { return nil }
  }

  /// Takes a date; of a day too many it makes the one that it leads to.
  private init(year: Int, month: Int, day: Int) {
    // Years that begin in March have their leap day last.
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.divided(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    self.init(
      number: era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        - 719_468)
  }

  /// Takes a number of days since 1970.
  package init(number: Int) {
    self.number = number
    let (era, dayOfEra) = (number + 719_468).divided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = String(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))
    let padding = String(repeating: "0", count: max(0, 4 - year.count))
    text = "\(padding)\(year)-\(month.twoDigits)-\(day.twoDigits)"
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
}
