import AlcoholKinetics
import StudyData

/// A row whose time is about a day before that of the row before it, as when a night is written without dates: 23:50 and
/// then 0:20.
///
/// Rows that are merely unordered, such as those of two instruments one after the other, are not a jump: a jump goes back
/// by 12 to 36 hours, to times without earlier rows of the series.
struct DayJump {
  static let range: ClosedRange<Hours> = 12...36

  let place: Place
  let hours: Hours

  /// Finds a jump in the drinks or the readings of a series, in the order of their file; nil if there is none.
  init?<Value: Timed>(_ timeline: Timeline<Value>) {
    guard timeline.disorder != nil else { return nil }
    self.init(rows: zip(timeline.values, timeline.places).map { ($0.time, $1) })
  }

  /// Finds a jump in drinks and readings of one table; nil if there is none.
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
    // The time ranges between jumps, forward or back.
    var stretches: [ClosedRange<Hours>] = []
    var begin = 0
    for end in 1..<max(2, rows.count + 1) where end >= rows.count || Self.isJump(rows, at: end) {
      let stretch = rows[begin..<min(end, rows.count)].map(\.time)
      guard let first = stretch.min(), let last = stretch.max() else { return nil }
      if begin > 0 {
        let back = rows[begin - 1].time - rows[begin].time
        if Self.range.contains(back), !stretches.contains(where: { $0.overlaps(first...last) }) {
          place = rows[begin].place
          hours = back
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

/// A subject's times that go back within the order of rows, and so may be of another occasion or instrument.
package struct RepeatedTimes {
  package let subject: String
  private let rows: [(row: Int, minutes: Double)]
  /// The first row whose time is not later than that of the row before.
  package let doubtedRow: Int
  /// Whether a whole sequence of times starts again.
  package let beginAgain: Bool
  package let areDoubted: Bool
  /// The longest step back, in min; a longer one of times of day has passed midnight.
  private let longestStep: Double
  /// A clock that jumps by more than half a day has passed midnight, in min.
  package static let halfDay = 720.0

  /// Nil if all times are in order. Times of day begin again at midnight.
  package init?(_ rows: [(row: Int, minutes: Double)], of subject: String, areOfDay: Bool) {
    self.subject = subject
    let longestStep = areOfDay ? Self.halfDay : .infinity
    self.longestStep = longestStep
    let isBehind = { (first: Double, second: Double) in
      second > first || first - second > longestStep
    }
    let breaks = rows.indices.dropFirst().filter {
      !isBehind(rows[$0 - 1].minutes, rows[$0].minutes)
    }
    guard let first = breaks.first else { return nil }
    self.rows = rows
    let times = rows.map(\.minutes)
    let repeated = times.count - Set(times).count
    // Samples at one time may precede the step back.
    let back = breaks.first { times[$0] < times[$0 - 1] } ?? first
    let before = times[..<back]
    let after = times[back...]
    let stretch = after.prefix { $0 >= times[back] }
    let covered = stretch.count { $0 <= before.max() ?? 0 }
    beginAgain =
      before.count > 1 && stretch.count > 1 && times[back] < times[back - 1]
      && times[back] <= before.min() ?? 0 && 2 * covered > min(before.count, stretch.count)
    doubtedRow = rows[beginAgain ? back : first].row
    areDoubted = beginAgain || repeated > 1 && 3 * repeated >= times.count
  }

  /// Whether the values of a column, at least two, split the rows into groups whose times are in order.
  package func areDistinguished(by cell: (Int) -> String?) -> Bool {
    var last: [String: Double] = [:]
    for (row, minutes) in rows {
      guard let value = cell(row) else { return false }
      if let before = last[value], before >= minutes, before - minutes <= longestStep {
        return false
      }
      last[value] = minutes
    }
    return last.count > 1 && last.count * 2 <= rows.count
  }

  /// Returns the question whether unused columns that distinguish the rows of a subject name occasions.
  package static func question(
    of subject: String, distinguishedBy columns: [String]
  ) -> (message: String, remedy: String, statements: [String]) {
    (
      "the times of subject \(subject.quoted) begin again here; "
        + columns.map(\.quoted).joined(separator: ", ")
        + ", not used so far, \(columns.count == 1 ? "tells" : "tell") the rows apart and may name occasions",
      "say whether each is an occasion of its own",
      columns.map { "\($0.excerpt())=occasion" } + [
        columns.map { "\($0.excerpt())=ignore" }.joined(separator: ",")
      ]
    )
  }
}
