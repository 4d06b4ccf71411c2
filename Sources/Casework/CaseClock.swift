public import AlcoholKinetics
import Foundation
import StudyData

/// Turns clock times and dates into hours, and back.
///
/// A time is `2024-03-01 23:40` (or with a `T`), or `23:40` on the case's date, or `01:30+1` on the day
/// after it. Midnight is never guessed: `01:30` is the night before `23:40`. Times are local and have no
/// zone; the clock must not have been changed between them.
public struct CaseClock: Hashable, Sendable {
  /// Days from 1970-01-01 to the day whose midnight is hour 0; nil without a date.
  public let day: Int?

  /// Begins at the midnight of a date, as `2024-03-01`; nil for no date.
  ///
  /// - Throws: ``CaseFailure/input(_:)`` if there is no such date.
  public init(date: String? = nil) throws(CaseFailure) {
    guard let date else {
      day = nil
      return
    }
    guard let day = Self.day(date[...]) else {
      throw .input("\(date.quoted) is not a date; write, for example, 2024-03-01")
    }
    self.day = day
  }

  /// Begins at the midnight of the first date among times, or has no date.
  ///
  /// - Throws: ``CaseFailure/input(_:)`` if some have a date and others have none.
  init(datesIn times: [String]) throws(CaseFailure) {
    let days = times.compactMap { Self.day($0.prefix(10)) }
    guard days.isEmpty || days.count == times.count else {
      throw .input(
        "some times have a date and others have none; add the date to all, or give the date of the case"
      )
    }
    day = days.min()
  }

  /// The hours from this clock's midnight to a time.
  ///
  /// - Throws: ``CaseFailure/input(_:)`` if the text is not a time.
  public func hours(_ text: String) throws(CaseFailure) -> Hours {
    let wrong = CaseFailure.input(
      "\(text.quoted) is not a time; write 23:40, 01:30+1 (the next day) or 2024-03-01 23:40, local "
        + "time without a zone")
    var rest = text[...]
    var days = 0
    if let date = Self.day(text.prefix(10)) {
      guard let zero = day else { throw wrong }
      days = date - zero
      rest = text.dropFirst(10)
      guard rest.first == " " || rest.first == "T" else { throw wrong }
      rest = rest.dropFirst()
    } else if let plus = text.firstIndex(of: "+") {
      guard let later = Int(text[text.index(after: plus)...]), (0...7).contains(later),
        text[text.index(after: plus)...].allSatisfy(\.isASCII)
      else { throw wrong }
      days = later
      rest = text[..<plus]
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isDigit) })
    else { throw wrong }
    let numbers = parts.compactMap { Int($0) }
    guard numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { throw wrong }
    let seconds = zip(numbers, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
    return Hours(Double(days * 24) + Double(seconds) / 3600)
  }

  /// A time as people write it, to the minute: with its date if the clock has one.
  public func text(_ time: Hours) -> String {
    guard time.value.isFinite, abs(time.value) < 1e6 else { return "-" }
    let minutes = Int((time.value * 60).rounded())
    let days = (Double(minutes) / 1440).rounded(.down)
    let rest = minutes - Int(days) * 1440
    let clock = "\((rest / 60).twoDigits):\((rest % 60).twoDigits)"
    if let day { return "\(CalendarDay(number: day + Int(days)).text) \(clock)" }
    return days == 0 ? clock : clock + (days > 0 ? "+\(Int(days))" : "\(Int(days))")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// Days since 1970-01-01 of `2024-03-01`; nil if it is no date of a case.
  private static func day(_ text: Substring) -> Int? {
    guard let day = CalendarDay(String(text)), day.year >= 1900 else { return nil }
    return day.number
  }
}

extension String {
  /// The text in quotes, short enough for a message.
  var quoted: String { "'\(count > 60 ? prefix(57) + "..." : self[...])'" }
}

extension Double {
  /// The number with four digits at most, as messages show it.
  var brief: String { String(format: "%.4g", self) }
}
