import StudyData

/// Moments as ISO 8601 writes them with milliseconds: `2024-05-01T18:15:00.000Z`.
package enum ISOTime {
  package static func text(_ milliseconds: Int64) -> String {
    let (days, rest) = Int(milliseconds).divided(by: 86_400_000)
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map(\.twoDigits)
    let thousandths = "\(1000 + rest % 1000)".dropFirst()
    return "\(CalendarDay(number: days).text)T\(clock.joined(separator: ":")).\(thousandths)Z"
  }

  /// As tables have moments in UTC, to the second: `2024-05-01 18:15:00`.
  package static func stored(_ milliseconds: Int64) -> String {
    String(text(milliseconds).prefix(19)).replacing("T", with: " ")
  }

  /// The years of moments. All have four digits, so that texts are in the order of the moments.
  package static let years = 1970...2199

  /// Reads a moment in UTC, with or without a fraction of a second; nil for any other text, and for other years.
  package static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[10] == UInt8(ascii: "T"),
      bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
      bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = number(bytes[..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]).flatMap({
        CalendarDay(existingYear: year, month: month, day: $0)
      }),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]), years ~= day.year, hour < 24, minute < 60, second < 60
    else { return nil }
    var thousandths = 0
    if bytes.count > 20 {
      let digits = bytes[20..<(bytes.count - 1)]
      guard bytes[19] == UInt8(ascii: "."), 1...9 ~= digits.count, number(digits) != nil,
        let first = number((Array(digits) + [48, 48])[..<3])
      else { return nil }
      thousandths = first
    }
    let seconds = day.number * 86_400 + hour * 3600 + minute * 60 + second
    return Int64(seconds) * 1000 + Int64(thousandths)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return digits.reduce(0) { 10 * $0 + Int($1) - 48 }
  }
}
