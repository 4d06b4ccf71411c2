import Foundation

/// The clocks of a place: what they show at a moment, and at which moments they show something.
///
/// Moments and local times are whole seconds since 1 January 1970, of UTC and as if the clocks were UTC. When clocks
/// are changed is what Foundation's copy of the tz database says.
public struct ClockZone: Hashable, Sendable {
  /// The name in the tz database, as `Europe/Berlin`.
  public let name: String
  private let zone: TimeZone

  /// A zone by its name in the tz database; nil for any other text.
  ///
  /// Abbreviations are refused, which mean different things to different people: Foundation takes BST for
  /// Bangladesh's time, and GMT+5 for east of Greenwich, which is west of it in the tz database.
  public init?(_ name: String) {
    guard name.utf8.count <= 60, name.contains("/") || Self.plainNames.contains(name),
      let zone = name == "UTC" ? .gmt : TimeZone(identifier: name)
    else { return nil }
    self.name = name
    self.zone = zone
  }

  /// Names without a city that mean the same everywhere.
  private static let plainNames = [
    "UTC", "GMT", "WET", "CET", "MET", "EET", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT",
  ]

  public static var current: ClockZone { ClockZone(.current) }

  private init(_ zone: TimeZone) {
    name = zone.identifier
    self.zone = zone
  }

  /// The names of zones that resemble a text: of the same city, or spelt nearly so.
  package static func names(like text: String) -> [String] {
    let identifiers = TimeZone.knownTimeZoneIdentifiers
    let words = text.lowercased().replacing(" ", with: "_")
    guard let city = words.split(separator: "/").last, city.utf8.count >= 3 else { return [] }
    let sameCity = identifiers.filter { $0.lowercased().split(separator: "/").last == city }
    if !sameCity.isEmpty { return sameCity }
    let cities = identifiers.compactMap {
      $0.split(separator: "/").dropFirst().last.map(String.init)
    }
    let near = words.nearest(in: identifiers) ?? String(city).nearest(in: cities)
    return near.map { near in identifiers.filter { $0 == near || $0.hasSuffix("/\(near)") } } ?? []
  }

  package static func advice(on text: String) -> String {
    let names = names(like: text).prefix(3)
    return names.isEmpty
      ? "write it as in the tz database, for example Europe/Berlin or America/New_York"
      : "did you mean \(names.joined(separator: ", "))?"
  }

  package func offset(at moment: Int) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
  }

  /// The local time at a moment.
  public func local(at moment: Int) -> Int { moment + offset(at: moment) }

  /// The distances from UTC before and after a local time; one if clocks are not changed about then.
  package func offsets(around local: Int) -> [Int] {
    // No place is further from UTC than 15 h; clocks are never changed twice in two days.
    let all = [local - 86_400, local + 86_400].map(offset)
    return all[0] == all[1] ? [all[0]] : all
  }

  /// The moments at which the clocks show a local time, in order: none where it is skipped, two where it is repeated.
  package func moments(showing local: Int) -> [Int] {
    offsets(around: local).map { local - $0 }.filter { self.local(at: $0) == local }.sorted()
  }

  /// The first moment of a day, which begins later than at midnight where clocks are set forward then.
  public func start(of day: CalendarDay) -> Int {
    let midnight = day.number * 86_400
    if let first = moments(showing: midnight).first { return first }
    // The change: before it all clocks show the day before.
    var before = midnight - 86_400
    var after = midnight + 86_400
    while after - before > 1 {
      let middle = (before + after).divided(by: 2).quotient
      if local(at: middle) < midnight { before = middle } else { after = middle }
    }
    return after
  }
}

extension ClockZone {
  /// Places whose clocks are changed at different times, for a doubt about a place that nobody stated.
  package static let common: [ClockZone] = [
    "Europe/Berlin", "Europe/London", "Europe/Athens", "America/New_York", "America/Chicago",
    "America/Los_Angeles", "America/Santiago", "Australia/Sydney", "Pacific/Auckland",
    "Asia/Jerusalem", "Africa/Cairo", "Asia/Beirut",
  ].compactMap { ClockZone($0) }
}

extension ClockZone {
  /// Places whose clocks are changed between two local times, each with the hours that pass there.
  package static func changes(from first: Int, to last: Int) -> [(place: String, hours: Double)] {
    common.compactMap { zone in
      let start = zone.readings(of: first)
      let end = zone.readings(of: last)
      // Where a time is skipped or repeated, the hours are those of the reading that differs.
      let spans = start.flatMap { from in end.map { Double($0 - from) / 3600 } }
      let usual = Double(last - first) / 3600
      return spans.first { abs($0 - usual) > 1e-9 }.map { (zone.name, $0) }
    }
  }

  /// The moments that a local time may stand for: also those that are meant where clocks skip it.
  private func readings(of local: Int) -> [Int] {
    let moments = moments(showing: local)
    return moments.isEmpty ? offsets(around: local).map { local - $0 } : moments
  }

  /// The one moment at which the clocks show a local time; nil if they skip it or show it twice.
  package func moment(showing local: Int) -> Int? {
    let moments = moments(showing: local)
    return moments.count == 1 ? moments[0] : nil
  }

  /// The reason why a local time is skipped or ambiguous, and the remedy.
  package func doubt(about local: Int, written: String) -> (message: String, remedy: String) {
    let all = offsets(around: local)
    guard moments(showing: local).isEmpty else {
      return (
        "the time \(written.quoted) comes twice in \(name), where clocks are set back then",
        "write "
          + all.map { ClockOffset.text($0, at: local) }.joined(separator: " for the first time or ")
          + " for the second"
      )
    }
    return (
      "the time \(written.quoted) does not exist in \(name), where clocks are set forward then",
      "write "
        + all.map { offset in
          let moment = local - offset
          return ClockOffset.text(self.offset(at: moment), at: self.local(at: moment))
        }.joined(separator: " or ") + ", whichever is meant"
    )
  }
}

/// The distance of clocks from UTC in seconds, as written behind a time.
package enum ClockOffset {
  /// Reads `+02:00`, `-3:30`, `+0200` or `Z`; nil for any other text.
  package static func seconds(_ text: some StringProtocol) -> Int? {
    if text == "Z" || text == "z" { return 0 }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    var parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 1, parts[0].count == 4 { parts = [parts[0].prefix(2), parts[0].suffix(2)] }
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      parts.joined().allSatisfy(\.isASCIIDigit), let hours = Int(parts[0]),
      let minutes = Int(parts[1]), hours <= 15, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return sign == "+" ? seconds : -seconds
  }

  /// `+02:00` of 7200; with seconds only where there are some, as in the 19th century.
  package static func text(_ seconds: Int) -> String {
    let (hours, rest) = abs(seconds).divided(by: 3600)
    let odd = rest % 60 == 0 ? "" : ":\((rest % 60).twoDigits)"
    return "\(seconds < 0 ? "-" : "+")\(hours.twoDigits):\((rest / 60).twoDigits)\(odd)"
  }

  /// `2024-03-31 03:30+02:00`: a local time in seconds since 1970, and how far the clocks that show it are from UTC.
  package static func text(_ seconds: Int, at local: Int) -> String {
    let (date, rest) = local.divided(by: 60).quotient.divided(by: 1440)
    return "\(CalendarDay(number: date).text) \(rest.clock)\(text(seconds))"
  }
}
