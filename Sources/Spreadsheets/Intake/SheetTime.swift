import StudyData
import StudyFiles

/// A parsed date, which for texts such as 11/12/2026 depends on the order of day and month.
enum ParsedDate: Hashable {
  case day(Int)
  /// Two numbers that are day and month in either order.
  case either(Int, Int, year: Int)

  func day(_ order: DateOrder) -> Int? {
    switch self {
    case .day(let day): day
    case .either(let first, let second, let year):
      order == .dayFirst
        ? CivilDate.day(year, second, first) : CivilDate.day(year, first, second)
    }
  }

  /// Reads `2026-11-21`, `21.11.2026`, `11/21/2026`, `21-Nov-2026`, `Nov 21, 2026` or a serial number; else nil.
  init?(_ text: String) {
    let parts = text.split { "-/. ,".contains($0) }.map(String.init)
    if parts.count == 1, let serial = Double(text), let day = Self.day(ofSerial: serial) {
      self = .day(day)
      return
    }
    guard parts.count == 3, text.utf8.count <= 20, text.first?.isPunctuation == false else {
      return nil
    }
    let months = parts.map(Self.month)
    let numbers = parts.map { $0.allSatisfy(\.isASCIIDigit) ? Int($0) : nil }
    if let month = months[1], let day = numbers[0], let year = Self.year(parts[2]) {
      self.init(CivilDate.day(year, month, day))
    } else if let month = months[0], let day = numbers[1], let year = Self.year(parts[2]) {
      self.init(CivilDate.day(year, month, day))
    } else if let first = numbers[0], let second = numbers[1] {
      if parts[0].count == 4, let third = numbers[2] {
        self.init(CivilDate.day(first, second, third))
      } else if let year = Self.year(parts[2]), (1...31).contains(first), (1...31).contains(second)
      {
        // With points the order is always day, month, year.
        if text.contains(".") {
          self.init(CivilDate.day(year, second, first))
        } else {
          self = .either(first, second, year: year)
        }
      } else {
        return nil
      }
    } else {
      return nil
    }
  }

  /// Reads a date with or without a time of day; nil for other texts.
  init?(ofMoment text: String) {
    guard let date = ParsedDate(text) ?? ParsedDateTime(text)?.date else { return nil }
    self = date
  }

  /// Reads a date of birth; a year alone is taken as 1 July of it.
  init?(ofBirth text: String) {
    if text.count == 4, let year = Int(text), (1900...2100).contains(year) {
      self.init(CivilDate.day(year, 7, 1))
    } else {
      self.init(ofMoment: text)
    }
  }

  private init?(_ day: Int?) {
    guard let day else { return nil }
    self = .day(day)
  }

  /// Returns the day of a spreadsheet's serial number, which counts from 30 December 1899; nil outside 1927 to 2173.
  static func day(ofSerial serial: Double) -> Int? {
    guard (10_000..<100_000).contains(serial) else { return nil }
    return Int(serial.rounded(.down)) - 25_569
  }

  private static func year(_ text: String) -> Int? {
    guard let year = Int(text), year >= 0 else { return nil }
    if text.count == 4 { return year }
    guard text.count == 2 else { return nil }
    return year < 70 ? 2000 + year : 1900 + year
  }

  private static let months = Vocabulary.lines("month").map(\.words)

  /// Returns a month by its name or by an unambiguous beginning of it.
  private static func month(_ text: String) -> Int? {
    guard text.count >= 3, text.allSatisfy(\.isLetter) else { return nil }
    let text = text.lowercased()
    if let whole = months.firstIndex(where: { $0.contains(text) }) { return whole + 1 }
    let begun = months.indices.filter { months[$0].contains { $0.hasPrefix(text) } }
    return begun.count == 1 ? begun[0] + 1 : nil
  }
}

/// Conversion of dates from and to days since 1 January 1970.
enum CivilDate {
  /// Returns the number of a day; nil if the date does not exist, or outside the years 1800 to 2200.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    (1800...2200).contains(year)
      ? CalendarDay(existingYear: year, month: month, day: day)?.number : nil
  }

  static func text(_ number: Int) -> String { CalendarDay(number: number).text }

  static func years(from birth: Int, to day: Int) -> Int {
    let first = CalendarDay(number: birth)
    let last = CalendarDay(number: day)
    let hadBirthday = (last.month, last.day) >= (first.month, first.day)
    return last.year - first.year - (hadBirthday ? 0 : 1)
  }
}

/// Elapsed hours and minutes, written with a colon or an h.
enum ElapsedTime {
  /// Returns the minutes of `0:20`, `25:30`, `1:05:30` or, before the beginning, `-0:10`; nil for any other text.
  static func minutes(_ text: String) -> Double? {
    if text.hasPrefix("-") { return minutes(String(text.dropFirst())).map { -$0 } }
    // 1:30 and 1h30 are the same.
    let parts = text.trimmed.lowercased().split(omittingEmptySubsequences: false) {
      $0 == ":" || $0 == "h"
    }
    guard parts.count > 1, parts[1].count == 2 else { return nil }
    guard let hours = parts.first, (1...3).contains(hours.count), hours.allSatisfy(\.isASCIIDigit),
      let whole = Double(hours),
      let rest = ClockTime.minutes((["0"] + parts.dropFirst()).joined(separator: ":"))
    else { return nil }
    return whole * 60 + rest
  }

  /// Whether times are elapsed rather than of day: they begin within an hour and end within half a day.
  static func fits(_ minutes: [Double]) -> Bool {
    guard let first = minutes.min(), let last = minutes.max() else { return false }
    return first <= 60 && last > first && last < 720
  }
}

/// Times of day.
enum ClockTime {
  /// Returns the minutes since midnight of `19:30`, `19:30:15`, `7:30 pm`, `19h30` or `19:30 Uhr`; nil for other texts.
  static func minutes(_ text: String) -> Double? {
    var rest = text.lowercased().trimmed
    var isAfternoon: Bool?
    for (ending, value) in [
      ("a.m.", false), ("p.m.", true), ("am", false), ("pm", true),
    ] where rest.hasSuffix(ending) {
      isAfternoon = value
      rest = rest.dropLast(ending.count).trimmed
      break
    }
    for ending in ["uhr", "hod.", "hod", "h"] where isAfternoon == nil && rest.hasSuffix(ending) {
      rest = rest.dropLast(ending.count).trimmed
      // German times may have a point, as 21.30 Uhr.
      if ending != "h", !rest.contains(":") { rest = rest.replacing(".", with: ":") }
      guard rest.contains(":") || ending == "uhr" && rest.allSatisfy(\.isASCIIDigit) else {
        return nil
      }
      if !rest.contains(":") { rest += ":00" }
      break
    }
    let parts = rest.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "h" }
    guard parts.count == 2 || parts.count == 3 || parts.count == 1 && isAfternoon != nil,
      parts.allSatisfy({ (1...9).contains($0.count) }), parts[0].count <= 2,
      let hour = whole(parts[0]), parts.count < 2 || parts[1].count == 2,
      let minute = parts.count > 1 ? whole(parts[1]) : 0, minute < 60,
      let second = parts.count > 2 ? seconds(parts[2]) : 0, second < 60
    else { return nil }
    guard let isAfternoon else {
      guard hour < 24 || hour == 24 && minute == 0 && second == 0 else { return nil }
      return Double(hour * 60 + minute) + second / 60
    }
    guard (1...12).contains(hour) else { return nil }
    return Double((hour % 12 + (isAfternoon ? 12 : 0)) * 60 + minute) + second / 60
  }

  /// Returns the minutes since midnight of a fraction of a day, as spreadsheets store times; nil for other numbers.
  static func minutes(ofFraction number: Double) -> Double? {
    0..<1 ~= number ? (number * 86_400_000).rounded() / 60_000 : nil
  }

  private static func whole(_ text: Substring) -> Int? {
    text.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
  }

  private static func seconds(_ text: Substring) -> Double? {
    text.allSatisfy { $0.isASCIIDigit || $0 == "." } && text.prefix(2).allSatisfy(\.isASCIIDigit)
      ? Double(text) : nil
  }

  /// Returns minutes since midnight as `19:30`.
  static func text(_ minutes: Double) -> String {
    let all = Int((minutes - (minutes / 1440).rounded(.down) * 1440).rounded(.down))
    return all.clock
  }
}

/// A parsed date with a time of day.
struct ParsedDateTime: Hashable {
  let date: ParsedDate
  /// Minutes since midnight of the date, less a stated offset from UTC.
  let minutes: Double
  /// Whether the text states an offset from UTC.
  var isZoned = false

  /// Reads a date and a time with a blank or a T between them, or a spreadsheet's serial number.
  init?(_ text: String) {
    if let serial = Double(text), let day = ParsedDate.day(ofSerial: serial) {
      date = .day(day)
      // Spreadsheets store times as rounded fractions of a day, which are exact to the millisecond.
      minutes = ((serial - serial.rounded(.down)) * 86_400_000).rounded() / 60_000
      return
    }
    guard text.utf8.count <= 40 else { return nil }
    let upper = text.uppercased()
    // The time begins at the last blank, or T, before the first colon.
    guard let colon = upper.firstIndex(of: ":"),
      let gap = upper[..<colon].lastIndex(where: { $0 == " " || $0 == "T" || $0.isWhitespace }),
      let date = ParsedDate(upper[..<gap].trimmed)
    else { return nil }
    var clock = upper[upper.index(after: gap)...].trimmed
    var offset = 0
    if let sign = clock.lastIndex(where: { $0 == "+" || $0 == "-" || $0 == "Z" }) {
      guard let seconds = ClockOffset.seconds(clock[sign...]) else { return nil }
      offset = seconds
      clock = String(clock[..<sign])
      isZoned = true
    }
    guard let minutes = ClockTime.minutes(clock) else { return nil }
    self.date = date
    self.minutes = minutes - Double(offset) / 60
  }
}
