import StudyData
import StudyFiles

/// A date as it is written: for one such as 11/12/2026 its order has to be known.
enum WrittenDate: Hashable {
  case day(Int)
  /// Two numbers of which one is the day and one the month.
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
        // Points stand between day, month and year in that order.
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

  /// The date of a date with or without a time of day.
  init?(ofMoment text: String) {
    guard let date = WrittenDate(text) ?? WrittenDateTime(text)?.date else { return nil }
    self = date
  }

  /// The date of birth of a date or of a year alone, of which it is the middle.
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

  /// The day of a serial number, which counts from 30 December 1899; nil outside the years 1927 to 2173.
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

  /// A month by its name or the beginning of it, if that is no other's.
  private static func month(_ text: String) -> Int? {
    guard text.count >= 3, text.allSatisfy(\.isLetter) else { return nil }
    let text = text.lowercased()
    if let whole = months.firstIndex(where: { $0.contains(text) }) { return whole + 1 }
    let begun = months.indices.filter { months[$0].contains { $0.hasPrefix(text) } }
    return begun.count == 1 ? begun[0] + 1 : nil
  }
}

/// Dates of tables, by the days since 1 January 1970.
enum CivilDate {
  /// The number of a day; nil if there is no such date, or if no table of today can mean it.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    (1800...2200).contains(year)
      ? CalendarDay(existingYear: year, month: month, day: day)?.number : nil
  }

  static func text(_ number: Int) -> String { CalendarDay(number: number).text }

  static func years(from birth: Int, to day: Int) -> Int {
    let (first, last) = (CalendarDay(number: birth), CalendarDay(number: day))
    let hadBirthday = (last.month, last.day) >= (first.month, first.day)
    return last.year - first.year - (hadBirthday ? 0 : 1)
  }
}

/// Hours and minutes since the beginning, as people write them with a colon.
enum ElapsedTime {
  /// The minutes of `0:20`, `25:30`, `1:05:30` or, before the beginning, `-0:10`; nil for any other text.
  static func minutes(_ text: String) -> Double? {
    if text.hasPrefix("-") { return minutes(String(text.dropFirst())).map { -$0 } }
    // As 1:30 or 1h30.
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

  /// Whether times of people are these and no times of day: from the first hour on, and not for half a day.
  static func fits(_ minutes: [Double]) -> Bool {
    guard let first = minutes.min(), let last = minutes.max() else { return false }
    return first <= 60 && last > first && last < 720
  }
}

enum ClockTime {
  /// The minutes since midnight of `19:30`, `19:30:15`, `7:30 pm`, `19h30` or `19:30 Uhr`; nil for other texts.
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
      // As 21.30 Uhr.
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

  private static func whole(_ text: Substring) -> Int? {
    text.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
  }

  private static func seconds(_ text: Substring) -> Double? {
    text.allSatisfy { $0.isASCIIDigit || $0 == "." } && text.prefix(2).allSatisfy(\.isASCIIDigit)
      ? Double(text) : nil
  }

  /// `19:30` of minutes since a midnight.
  static func text(_ minutes: Double) -> String {
    let all = Int((minutes - (minutes / 1440).rounded(.down) * 1440).rounded(.down))
    return all.clock
  }
}

/// A date with a time of day as it is written.
struct WrittenDateTime: Hashable {
  let date: WrittenDate
  /// Minutes since that day's midnight, less a stated distance from UTC.
  let minutes: Double
  /// Whether the distance from UTC is stated.
  var isZoned = false

  /// Reads a date and a time with a blank or a T between them, or a spreadsheet's serial number.
  init?(_ text: String) {
    if let serial = Double(text), let day = WrittenDate.day(ofSerial: serial) {
      date = .day(day)
      // What a spreadsheet stores of a time is a fraction that was rounded: to the millisecond it is exact.
      minutes = ((serial - serial.rounded(.down)) * 86_400_000).rounded() / 60_000
      return
    }
    guard text.utf8.count <= 40 else { return nil }
    let upper = text.uppercased()
    // The time begins at the last blank, or T, before the first colon.
    guard let colon = upper.firstIndex(of: ":"),
      let gap = upper[..<colon].lastIndex(where: { $0 == " " || $0 == "T" || $0.isWhitespace }),
      let date = WrittenDate(upper[..<gap].trimmed)
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
