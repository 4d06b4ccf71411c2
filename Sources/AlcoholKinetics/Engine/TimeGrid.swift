/// Equally spaced times at which a curve is wanted.
public struct TimeGrid: Hashable, Sendable {
  /// The first time, on the clock of the regimen.
  public let start: Hours
  /// Minutes from one time to the next; positive.
  public let everyMinutes: Double
  /// How many times there are; 0 or more.
  public let count: Int
  private let pointsPerHour: Double

  /// Checks and keeps a grid; by default it begins at 0 and has a point every minute.
  ///
  /// - Throws: ``KineticsError/outOfRange(name:value:allowed:)`` for a start that is not finite, a
  ///   spacing that is not positive and finite, a negative count, or a last time that is not finite.
  public init(
    start: Hours = 0, everyMinutes: Double = 1, count: Int
  ) throws(KineticsError) {
    self.start = Hours(try start.value.checked("start of a grid in h", "finite") { _ in true })
    self.everyMinutes = try everyMinutes.checked("spacing of a grid in min", "positive") { $0 > 0 }
    _ = try Double(count).checked("number of points of a grid", "0 or more") { $0 >= 0 }
    self.count = count
    pointsPerHour = 60 / everyMinutes
    _ = try time(count).value.checked("end of a grid in h", "finite") { _ in true }
  }

  /// The time with an index; the first has 0.
  public func time(_ index: Int) -> Hours {
    Hours(start.value + Double(index) * everyMinutes / 60)
  }

  /// The index of the first time at or after an instant, between 0 and the number of times.
  ///
  /// Within rounding, a time at the instant itself may be counted to either side.
  @inline(__always)
  func firstIndex(from hours: Double) -> Int {
    // Held to the grid as a number, since an instant far away has no index.
    let index = max(0, min(Double(count), (hours - start.value) * pointsPerHour))
    let before = Int(index)
    return Double(before) < index ? before + 1 : before
  }
}
