import DayDatabase
@_spi(StudyDay) import StudyData
@_spi(StudyDay) public import StudyStore

/// A stretch of days on which the mean of a vital sign lies beyond a threshold.
public struct VitalCrossing: Hashable, Sendable {
  /// On which side of a threshold.
  public enum Side: String, Hashable, Sendable {
    case below, above
  }

  public var subject: String
  public var kind: VitalKind
  public var side: Side
  /// The threshold, in the unit of the kind.
  public var threshold: Double
  /// The first day on which the mean over the span before lies beyond it.
  public var firstDay: String
  public var lastDay: String
  /// The mean furthest from the threshold.
  public var extreme: Double

  /// Finds the stretches in days of one subject and kind.
  ///
  /// - Parameters:
  ///   - days: The days, in order.
  ///   - span: How many days, the last one included, a mean is taken over; days without entries do
  ///     not count.
  static func crossings(
    in days: [VitalDay], span: Int, side: Side, threshold: Double
  ) -> [VitalCrossing] {
    var crossings: [VitalCrossing] = []
    var isBeyond = false
    for (index, day) in days.enumerated() {
      let mean = meanOverSpan(before: index, of: days, span)
      let wasBeyond = isBeyond
      isBeyond = side == .above ? mean > threshold : mean < threshold
      guard isBeyond else { continue }
      if wasBeyond, var last = crossings.popLast() {
        last.lastDay = day.day
        last.extreme = side == .above ? max(last.extreme, mean) : min(last.extreme, mean)
        crossings.append(last)
      } else {
        crossings.append(
          VitalCrossing(
            subject: day.subject, kind: day.kind, side: side, threshold: threshold,
            firstDay: day.day, lastDay: day.day, extreme: mean))
      }
    }
    return crossings
  }

  private static func meanOverSpan(before index: Int, of days: [VitalDay], _ span: Int) -> Double {
    let end = CalendarDay(days[index].day)?.number ?? 0
    var sum = 0.0
    var count = 0.0
    for day in days[...index].reversed() {
      guard let number = CalendarDay(day.day)?.number, end - number < span else { break }
      sum += day.mean
      count += 1
    }
    return sum / count
  }
}

extension StudyStore {
  /// Returns the days on which the mean of a vital sign crosses its threshold, over the span of days that is set, for
  /// kinds of an importance above 3.
  ///
  /// - Throws: `StoreError` if the database cannot be read.
  public func vitalCrossings(
    _ filter: VitalFilter = VitalFilter()
  ) throws(StoreError) -> [VitalCrossing] {
    try read(StudyStore.vitalTables) { db in
      let settings = try VitalSettings(db)
      // The first days of a range need what came before them; they are cut off afterwards.
      var all = filter
      all.days = nil
      let series = Dictionary(grouping: try VitalDay.all(all, in: db)) {
        [$0.subject, $0.kind.rawValue]
      }
      return series.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { _, days in
        settings.all.filter { $0.kind == days[0].kind && $0.importance > 3 }.flatMap { setting in
          [(VitalCrossing.Side.below, setting.below), (.above, setting.above)]
            .flatMap { side, threshold in
              threshold.map {
                VitalCrossing.crossings(
                  in: days, span: settings.spanDays, side: side, threshold: $0)
              } ?? []
            }
        }
      }.filter { crossing in
        guard let days = filter.days else { return true }
        return crossing.firstDay <= days.upperBound && days.lowerBound <= crossing.lastDay
      }
    }
  }
}
