import AlcoholKinetics
import ArgumentParser
import StudyStore

/// An end of a range of times: minutes on the clock of a series, or a day.
enum TimeBound: ExpressibleByArgument {
  case minutes(Double)
  case day(String)

  init?(argument: String) {
    if let minutes = Double(argument), minutes.isFinite {
      self = .minutes(minutes)
    } else if let day = CalendarDay(argument) {
      self = .day(day.text)
    } else {
      return nil
    }
  }

  var isDay: Bool {
    if case .day = self { true } else { false }
  }

  /// As it was given.
  var text: String {
    switch self {
    case .minutes(let minutes): "\(minutes)"
    case .day(let day): day
    }
  }

  static func <= (left: TimeBound, right: TimeBound) -> Bool {
    switch (left, right) {
    case (.minutes(let left), .minutes(let right)): left <= right
    case (.day(let left), .day(let right)): left <= right
    default: false
    }
  }

  /// The range of minutes between two ends; nil if neither is one of minutes.
  static func times(_ from: TimeBound?, _ to: TimeBound?) -> ClosedRange<Hours>? {
    let (from, to) = (from?.minutes, to?.minutes)
    guard from != nil || to != nil else { return nil }
    return Hours(minutes: from ?? -.infinity)...Hours(minutes: to ?? .infinity)
  }

  /// The range of days between two ends; nil if neither is a day.
  static func days(_ from: TimeBound?, _ to: TimeBound?) -> ClosedRange<String>? {
    let (from, to) = (from?.day, to?.day)
    guard from != nil || to != nil else { return nil }
    return (from ?? "0000-01-01")...(to ?? "9999-12-31")
  }

  private var minutes: Double? {
    if case .minutes(let minutes) = self { minutes } else { nil }
  }

  private var day: String? {
    if case .day(let day) = self { day } else { nil }
  }
}
