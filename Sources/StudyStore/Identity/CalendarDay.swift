/// A day of the calendar, as ISO 8601 writes it: 2024-05-01.
public struct CalendarDay: Hashable, Sendable {
  /// The text.
  public let text: String

  /// Takes a text that is a day; nil for any other.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      text.utf8.allSatisfy({ $0 == 0x2D || 0x30...0x39 ~= $0 }),
      let month = Int(parts[1]), let day = Int(parts[2]), let year = Int(parts[0]),
      1...12 ~= month, 1...Self.length(of: month, year) ~= day
    else { return nil }
    self.text = text
  }

  private static func length(of month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
