import AlcoholKinetics
import StudyData

/// A row of a series that lies about a day before the row before it, as where the times of a night are
/// written without the day: 23:50 and then 0:20.
///
/// Rows that are only not in order, as those of two instruments one after the other, are no such jump:
/// it leads back by 12 to 36 hours to times at which the series has had no row before.
struct DayJump {
  static let range: ClosedRange<Hours> = 12...36

  let place: Place
  let hours: Hours

  /// Looks at the drinks or the readings of a series in the order of their file; nil if there is none.
  init?<Value: Timed>(_ timeline: Timeline<Value>) {
    guard timeline.disorder != nil else { return nil }
    self.init(rows: zip(timeline.values, timeline.places).map { ($0.time, $1) })
  }

  /// Looks at drinks and readings that stand in one table.
  init?(_ drinks: Timeline<Drink>, _ readings: Timeline<Reading>) {
    let all = [drinks.span, readings.span].compactMap(\.self)
    guard let first = all.map(\.lowerBound).min(), let last = all.map(\.upperBound).max(),
      last - first >= Self.range.lowerBound
    else { return nil }
    let rows =
      zip(drinks.values, drinks.places).map { (time: $0.time, place: $1) }
      + zip(readings.values, readings.places).map { (time: $0.time, place: $1) }
    self.init(rows: rows.sorted { $0.place.line < $1.place.line })
  }

  private init?(rows: [(time: Hours, place: Place)]) {
    // The stretches between jumps, forward or back, each of which is some part of a day.
    var stretches: [ClosedRange<Hours>] = []
    var begin = 0
    for end in 1..<max(2, rows.count + 1) where end >= rows.count || Self.isJump(rows, at: end) {
      let stretch = rows[begin..<min(end, rows.count)].map(\.time)
      guard let first = stretch.min(), let last = stretch.max() else { return nil }
      if begin > 0 {
        let back = rows[begin - 1].time - rows[begin].time
        if Self.range.contains(back), !stretches.contains(where: { $0.overlaps(first...last) }) {
          (place, hours) = (rows[begin].place, back)
          return
        }
      }
      stretches.append(first...last)
      begin = end
    }
    return nil
  }

  private static func isJump(_ rows: [(time: Hours, place: Place)], at index: Int) -> Bool {
    abs((rows[index].time - rows[index - 1].time).value) >= range.lowerBound.value
  }
}

extension Timeline {
  fileprivate var span: ClosedRange<Hours>? {
    let times = values.map(\.time)
    guard let first = times.min(), let last = times.max() else { return nil }
    return first...last
  }
}
