package import StudyData

/// The time of a first drink by the clock, from which other times are counted.
package struct ClockedStart: Hashable, Sendable {
  /// Minutes since 1 January 1970 or, without a date, since midnight.
  private let minutes: Double
  private let isDated: Bool
  /// The time zone of the clock; nil if it was not stated.
  private let zone: ClockZone?

  /// - Parameters:
  ///   - minutes: Minutes since 1 January 1970 or, without a date, since midnight.
  ///   - zone: The time zone of the clock; nil if it was not stated.
  package init(_ minutes: Double, isDated: Bool, zone: ClockZone? = nil) {
    self.minutes = minutes
    self.isDated = isDated
    self.zone = zone
  }

  /// Returns the minutes until the clock next shows a time, given in minutes since midnight.
  package func elapsed(untilNext time: Double) -> Double? {
    let wait = (time - minutes).truncatingRemainder(dividingBy: 1440)
    let next = minutes + (wait < 0 ? wait + 1440 : wait)
    return isDated ? elapsed(until: next) : next - minutes
  }

  /// Returns the minutes until a time with a date, given in minutes since 1 January 1970; nil if the start has no date.
  package func elapsed(until end: Double) -> Double? {
    guard isDated else { return nil }
    guard let zone else { return end - minutes }
    guard let from = zone.moment(showing: Int((minutes * 60).rounded())),
      let until = zone.moment(showing: Int((end * 60).rounded()))
    else { return nil }
    return Double(until - from) / 60
  }
}
