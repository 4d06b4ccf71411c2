public import AlcoholKinetics
import Foundation
import StudyData

/// The clock of a case, which converts clock times and dates to hours and back.
///
/// A time is `2024-03-01 23:40` (or with a `T`), or `23:40` on the case's date, or `01:30+1` on the day
/// after it. Midnight is never guessed: `01:30` is the night before `23:40`. With a time zone, or where every time
/// says its distance from UTC, as `2024-03-31 04:00+02:00`, hours are those that passed. Otherwise times are taken
/// as if clocks were never changed.
public struct CaseClock: Hashable, Sendable {
  /// The days from 1970-01-01 to the day whose midnight is hour 0; nil without a date.
  public let day: Int?
  private let clocks: Clocks
  /// The moment of hour 0, in seconds since 1970-01-01; in UTC if the time zone is unknown.
  private let zero: Int
  /// Whether times are shown with their offset from UTC.
  private let showsOffsets: Bool

  /// The offsets of the clocks from UTC.
  private enum Clocks: Hashable, Sendable {
    /// Unknown, and never changed.
    case anywhere
    /// By the rules of a time zone.
    case zone(ClockZone)
    /// Offsets stated at some moments, in order.
    case offsets([Stated])
  }

  /// A moment that was stated with its offset from UTC; both in seconds.
  private struct Stated: Hashable, Sendable {
    let moment: Int
    let offset: Int
  }

  /// A clock without a date or time zone.
  static let unset = CaseClock()

  private init() {
    day = nil
    clocks = .anywhere
    zero = 0
    showsOffsets = false
  }

  /// Makes a clock whose hour 0 is the midnight of a date, or of the first date among times; without either it has no date.
  ///
  /// - Parameters:
  ///   - date: The date, as `2024-03-01`.
  ///   - timeZone: The time zone, as `Europe/Berlin`; nil for clocks that are never changed.
  ///   - times: All times of the case. Texts that are not times are left to ``hours(_:)``.
  /// - Throws: `Problem` if there is no such date or zone, or if only some times have a date or an offset
  ///   from UTC.
  public init(
    date: String? = nil, timeZone: String? = nil, times: [String] = []
  ) throws(Problem) {
    let written = times.compactMap { WrittenTime($0) }
    let days = written.compactMap(\.day)
    let day: Int?
    if let date {
      guard let first = WrittenTime.day(date[...]) else {
        throw .input("\(date.quoted) is not a date; write, for example, 2024-03-01")
      }
      day = first
    } else {
      try require(
        days.isEmpty || days.count == written.count,
        "some times have a date and others have none; add the date to all, or give the date of the case"
      )
      day = days.min()
    }
    let zone = try timeZone.map { name throws(Problem) in try Self.zone(name) }
    guard let day else {
      if let zone {
        throw .input(
          "the time zone \(zone.name) says nothing without a date; give the date of the case, or of each time"
        )
      }
      self = .unset
      return
    }
    self.day = day
    let offsets = written.compactMap { time in
      time.offset.map { Stated(moment: time.local(on: day) - $0, offset: $0) }
    }
    if let zone {
      clocks = .zone(zone)
      zero = zone.start(of: CalendarDay(number: day))
      // A case reaches from the first day to two days after the last at most.
      let first = min(day, days.min() ?? day)
      let length = min(max(day, days.max() ?? day) - first, 4) + 3
      let start = zone.start(of: CalendarDay(number: first))
      showsOffsets = (1...(24 * length)).contains {
        zone.offset(at: start + 3600 * $0) != zone.offset(at: start)
      }
    } else if let first = offsets.min(by: { $0.moment < $1.moment }) {
      try require(
        offsets.count == written.count,
        "some times say how far they are from UTC and others do not; add it to all, or give the time zone"
      )
      clocks = .offsets(offsets.sorted { $0.moment < $1.moment })
      zero = day * 86_400 - first.offset
      showsOffsets = true
    } else {
      clocks = .anywhere
      zero = day * 86_400
      showsOffsets = false
    }
  }

  /// The hours from hour 0 to a time.
  ///
  /// - Throws: `Problem` if the text is not a time, or if the clocks skip or repeat it.
  public func hours(_ text: String) throws(Problem) -> Hours {
    guard let time = WrittenTime(text), day != nil || time.day == nil else {
      throw Self.wrong(text)
    }
    let local = time.local(on: day ?? 0)
    let moment: Int
    switch (clocks, time.offset) {
    case (.zone(let zone), let offset):
      moment = try Self.moment(local, offset: offset, text, in: zone)
    case (.anywhere, nil): moment = local
    case (.offsets, let offset?): moment = local - offset
    // Either all times have an offset, or none.
    case (.anywhere, _?), (.offsets, nil): throw Self.wrong(text)
    }
    return Hours(Double(moment - zero) / 3600)
  }

  /// A time as text, to the minute: with its date if the clock has one, and with the offset from UTC if the clocks change
  /// during the case.
  public func text(_ time: Hours) -> String {
    guard time.value.isFinite, abs(time.value) < 1e6 else { return "-" }
    let minutes = Int((time.value * 60).rounded())
    guard day != nil else {
      let (days, rest) = minutes.divided(by: 1440)
      return rest.clock + (days == 0 ? "" : days > 0 ? "+\(days)" : "\(days)")
    }
    let moment = zero + minutes * 60
    let shift = offset(at: moment)
    let local = (moment + shift).divided(by: 60).quotient.divided(by: 1440)
    let text = "\(CalendarDay(number: local.quotient).text) \(local.remainder.clock)"
    return showsOffsets ? text + ClockOffset.text(shift) : text
  }

  /// The time zone in words; nil if unknown.
  public var place: String? {
    switch clocks {
    case .anywhere: nil
    case .zone(let zone): "local time of \(zone.name)"
    case .offsets: "times with their distance from UTC"
    }
  }

  /// The offset from UTC at a moment, in seconds; 0 if unknown. A stated offset holds until the next one.
  private func offset(at moment: Int) -> Int {
    switch clocks {
    case .anywhere: 0
    case .zone(let zone): zone.offset(at: moment)
    case .offsets(let stated):
      (stated.last { $0.moment <= moment } ?? stated.first)?.offset ?? 0
    }
  }

  private static func wrong(_ text: String) -> Problem {
    .input(
      "\(text.quoted) is not a time; write 23:40, 01:30+1 (the next day), 2024-03-01 23:40 or, with the "
        + "distance from UTC, 2024-03-01 23:40+01:00")
  }

  private static func zone(_ name: String) throws(Problem) -> ClockZone {
    guard let zone = ClockZone(name) else {
      throw .input("there is no time zone \(name.quoted); \(ClockZone.advice(on: name))")
    }
    return zone
  }

  /// The moment of a local time.
  ///
  /// - Throws: ``Problem`` if there are two such moments or none, with both interpretations.
  private static func moment(
    _ local: Int, offset: Int?, _ text: String, in zone: ClockZone
  ) throws(Problem) -> Int {
    let possible = zone.offsets(around: local)
    let moments = zone.moments(showing: local)
    func stated(_ offset: Int) -> String { ClockOffset.text(offset, at: local) }
    if let offset {
      let moment = local - offset
      guard moments.contains(moment) || moments.isEmpty && possible.contains(offset) else {
        let right = moments.isEmpty ? possible : moments.map(zone.offset)
        throw .input(
          "\(text.quoted): clocks in \(zone.name) are \(right.map(ClockOffset.text).joined(separator: " or ")) "
            + "from UTC then; correct the distance from UTC or leave it out, or leave out the time zone"
        )
      }
      return moment
    }
    if moments.count == 1 { return moments[0] }
    try require(
      moments.isEmpty,
      "\(text.quoted) comes twice in \(zone.name), where clocks are set back then; write "
        + possible.map(stated).joined(separator: " for the first time or ") + " for the second")
    throw .input(
      "\(text.quoted) does not exist in \(zone.name), where clocks are set forward then; write "
        + possible.map { offset in
          let moment = local - offset
          return "\(stated(offset)) if "
            + "\(ClockOffset.text(zone.offset(at: moment), at: zone.local(at: moment))) is meant"
        }.joined(separator: " or "))
  }
}

extension CaseClock {
  /// The places where clocks change between two times of a case without a time zone, each with the elapsed hours.
  func changes(from first: Hours, to last: Hours) -> [(place: String, hours: Double)] {
    guard case .anywhere = clocks, day != nil, first.value.isFinite, last.value.isFinite else {
      return []
    }
    let ends = [first, last].map { zero + Int(($0.value * 3600).rounded()) }
    return ClockZone.changes(from: ends[0], to: ends[1])
  }
}

private struct WrittenTime {
  /// The days since 1970-01-01; nil on the case's date.
  let day: Int?
  /// The days after ``day`` or the case's date.
  private let later: Int
  private let seconds: Int
  /// The offset from UTC in seconds; nil if not stated.
  let offset: Int?

  /// Parses a time; nil for any other text.
  init?(_ text: String) {
    var rest = text[...]
    day = Self.day(text.prefix(10))
    if day != nil {
      rest = text.dropFirst(10)
      guard rest.first == " " || rest.first == "T" else { return nil }
      rest = rest.dropFirst()
    }
    if let sign = rest.firstIndex(where: { "+-Zz".contains($0) }) {
      let mark = rest[sign...]
      if let seconds = ClockOffset.seconds(mark) {
        offset = seconds
        later = 0
      } else if day == nil, mark.first == "+", mark.utf8.count == 2,
        let days = Int(mark.dropFirst()), (0...7).contains(days)
      {
        offset = nil
        later = days
      } else {
        return nil
      }
      rest = rest[..<sign]
    } else {
      offset = nil
      later = 0
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({
        (1...2).contains($0.utf8.count) && $0.allSatisfy { ("0"..."9").contains($0) }
      })
    else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    seconds = zip(numbers, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// The seconds since 1970-01-01 if the clock showed UTC.
  func local(on zero: Int) -> Int { ((day ?? zero) + later) * 86_400 + seconds }

  /// The days from 1970-01-01 to a date as `2024-03-01`; nil if it is not a date from 1900 on.
  static func day(_ text: Substring) -> Int? {
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
