import StudyData

/// A subject's times in the order of rows that are of another occasion or instrument where they go back.
package struct RepeatedTimes {
  package let subject: String
  private let rows: [(row: Int, minutes: Double)]
  /// The first row whose time is not behind that of the row before.
  package let doubtedRow: Int
  /// Whether a whole stretch of times begins again from its beginning.
  package let beginAgain: Bool
  package let areDoubted: Bool
  /// A step back by more, in min, is none: it has passed midnight.
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
    // Samples of one time may come before.
    let back = breaks.first { times[$0] < times[$0 - 1] } ?? first
    let (before, after) = (times[..<back], times[back...])
    let stretch = after.prefix { $0 >= times[back] }
    let covered = stretch.count { $0 <= before.max() ?? 0 }
    beginAgain =
      before.count > 1 && stretch.count > 1 && times[back] < times[back - 1]
      && times[back] <= before.min() ?? 0 && 2 * covered > min(before.count, stretch.count)
    doubtedRow = rows[beginAgain ? back : first].row
    areDoubted = beginAgain || repeated > 1 && 3 * repeated >= times.count
  }

  /// Whether a column tells the rows apart: those of each of its values, of which there are several, have times in order.
  package func areTold(by cell: (Int) -> String?) -> Bool {
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

  /// What to ask where columns that are not used tell the rows of a subject apart.
  package static func question(
    of subject: String, toldBy columns: [String]
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
