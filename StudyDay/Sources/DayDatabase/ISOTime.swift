@_spi(StudyDay) package import StudyData

/// Moments as ISO 8601 writes them with milliseconds: `2024-05-01T18:15:00.000Z`.
package enum ISOTime {
  package static func text(_ milliseconds: Int64) -> String {
    let (days, rest) = Int(milliseconds).divided(by: 86_400_000)
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map(\.twoDigits)
    let thousandths = "\(1000 + rest % 1000)".dropFirst()
    return "\(CalendarDay(number: days).text)T\(clock.joined(separator: ":")).\(thousandths)Z"
  }

  /// Formats a time as tables store it, in UTC to the second: `2024-05-01 18:15:00`.
  package static func stored(_ milliseconds: Int64) -> String {
    String(text(milliseconds).prefix(19)).replacing("T", with: " ")
  }

  /// The years of moments. All have four digits, so that texts are in the order of the moments.
  package static let years = 1970...2199

  /// Whether a day is in these years.
  package static func has(_ day: CalendarDay) -> Bool {
    Int(day.text.prefix(4)).map(years.contains) ?? false
  }

  /// Reads a moment in UTC, with or without a fraction of a second; nil for any other text, and for other years.
  package static func milliseconds(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"),
        let seconds = seconds(bytes, between: "T", in: years)
      else { return nil }
      guard bytes.count > 20 else { return Int64(seconds) * 1000 }
      let digits = bytes[20..<(bytes.count - 1)]
      guard bytes[19] == UInt8(ascii: "."), 1...9 ~= digits.count, number(digits) != nil,
        let thousandths = number((Array(digits) + [48, 48])[..<3])
      else { return nil }
      return Int64(seconds * 1000 + thousandths)
    }
  }

  /// The seconds since 1970 until what a text begins with, as `2024-05-01T18:15:00`; nil for any other text, a day that
  /// is in no calendar, and for other years.
  ///
  /// - Parameter mark: Separator of day and clock.
  package static func seconds(
    _ bytes: UnsafeBufferPointer<UInt8>, between mark: Unicode.Scalar, in years: ClosedRange<Int>
  ) -> Int? {
    let dash = UInt8(ascii: "-")
    let colon = UInt8(ascii: ":")
    guard bytes.count >= 19, bytes[10] == UInt8(ascii: mark), bytes[4] == dash, bytes[7] == dash,
      bytes[13] == colon, bytes[16] == colon,
      let year = number(bytes[..<4]), let month = number(bytes[5..<7]),
      let day = number(bytes[8..<10]),
      let date = CalendarDay(existingYear: year, month: month, day: day),
      let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
      let second = number(bytes[17..<19]), years ~= year, hour < 24, minute < 60, second < 60
    else { return nil }
    return date.number * 86_400 + hour * 3600 + minute * 60 + second
  }

  package static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard digits.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return digits.reduce(0) { 10 * $0 + Int($1) - 48 }
  }
}
