import StudyData
import StudyFiles

extension SheetStudy {
  /// Asks where the times of a subject begin again, and a column that is not used tells the rows apart: it may name
  /// occasions. Where no column does, the rows of another evening are refused.
  mutating func askForSessions() {
    guard !columns.contains(where: { $0.column(.occasion) != nil }) else { return }
    for index in columns.indices where columns[index].wide.columns.isEmpty {
      var begun: [SheetTimes] = []
      for person in people.all {
        let events = person.occasions.flatMap(\.events).filter { !$0.isDrink && $0.table == index }
        if let times = SheetTimes(events, of: person.id), times.areDoubted { begun.append(times) }
      }
      guard let first = begun.first else { continue }
      let table = columns[index]
      let cells = Dictionary(table.rows.map { ($0.number, $0) }) { row, _ in row }
      let telling = table.unknown.filter { column in
        begun.allSatisfy { times in
          times.areTold { row in cells[row]?.filled(column.index) }
        }
      }
      let place = SourceLocation(file: table.table.file, line: first.doubtedRow)
      if !telling.isEmpty {
        let titles = telling.map(\.title.quoted).joined(separator: ", ")
        questions.add(
          .columnAmbiguous, at: place,
          message:
            "the times of subject \(first.subject.quoted) begin again here; \(titles), not used so far, "
            + "\(telling.count == 1 ? "tells" : "tell") the rows apart and may name occasions",
          remedy: "say whether each is an occasion of its own",
          statements: telling.map { $0.stated(as: "occasion") } + [
            telling.map { $0.stated(as: "ignore") }.joined(separator: ",")
          ])
      } else if let other = begun.first(where: \.beginAgain),
        !table.columns.contains(where: { $0.meaning.kind == .unused && $0.note == "as stated" })
      {
        questions.add(
          .timeApart, at: SourceLocation(file: table.table.file, line: other.doubtedRow),
          message:
            "the times of subject \(other.subject.quoted) begin again here, and no column tells the rows apart",
          remedy:
            "name each evening in a column Occasion; rows of one evening have to be in order of time"
        )
      }
    }
  }
}

extension SheetStudy {
  /// Where the drinks were put, and which columns tell rows of a subject apart and are not used.
  func makeSummary() -> String {
    let drinks = people.events.filter { $0.isDrink && !$0.isZero }.compactMap { Double($0.minutes) }
    let later = drinks.filter { $0 != 0 }
    var parts: [String] = []
    if drinks.count > later.count { parts.append("\(drinks.count - later.count) at 0 min") }
    if let low = later.min(), let high = later.max() {
      parts.append("\(later.count) at \(low == high ? "" : "\(low.shown) to ")\(high.shown) min")
    }
    let telling = columns.flatMap { table in table.columnsThatTellRowsApart.map(\.title) }.uniqued
    let names = telling.prefix(8).map { $0.excerpt() }.joined(separator: ", ")
    return "drinks: \(parts.isEmpty ? "none" : parts.joined(separator: ", "))"
      + (telling.isEmpty ? "" : "; not used, though rows of a subject differ in it: \(names)")
  }
}

extension SheetColumns {
  /// Columns that are not used and have a few values, of which a subject has several.
  fileprivate var columnsThatTellRowsApart: [SheetColumn] {
    let unused = columns.filter { $0.meaning.kind == .unused && $0.note != "as stated" }
    guard !unused.isEmpty, unused.count <= 50 else { return [] }
    var first: [String: [Int: String]] = [:]
    var values: [Int: Set<String>] = [:]
    var isDifferent: Set<Int> = []
    for (subject, row) in rowsOfSubjects() {
      for column in unused where values[column.index]?.count ?? 0 <= Self.fewValues {
        guard let text = row.filled(column.index) else { continue }
        values[column.index, default: []].insert(text)
        if let known = first[subject]?[column.index] {
          if known != text { isDifferent.insert(column.index) }
        } else {
          first[subject, default: [:]][column.index] = text
        }
      }
    }
    return unused.filter {
      isDifferent.contains($0.index) && values[$0.index]?.count ?? 0 <= Self.fewValues
    }
  }

  private static let fewValues = 12
}

/// The times of a subject's readings, in the order of their rows.
private struct SheetTimes {
  let subject: String
  private let rows: [(row: Int, minutes: Double)]
  /// The first row whose time is not behind that of the row before.
  let doubtedRow: Int
  /// Whether a whole stretch of times begins again from its beginning.
  let beginAgain: Bool
  let areDoubted: Bool

  /// Nil if all times are in order, or are dates.
  init?(_ events: [SheetEvent], of subject: String) {
    self.subject = subject
    let rows: [(row: Int, minutes: Double)] = events.compactMap { event in
      guard event.day == nil else { return nil }
      return switch event.moment {
      case .relative(let minutes, _), .clock(let minutes): (event.row, minutes)
      default: nil
      }
    }
    let isBehind = { (first: Double, second: Double) in
      // A clock that goes back by more than half a day has passed midnight.
      second > first || first - second > SheetOccasions.halfDay
    }
    let breaks = rows.indices.dropFirst().filter {
      !isBehind(rows[$0 - 1].minutes, rows[$0].minutes)
    }
    guard let first = breaks.first else { return nil }
    self.rows = rows
    doubtedRow = rows[first].row
    let times = rows.map(\.minutes)
    let repeated = times.count - Set(times).count
    let (before, after) = (times[..<first], times[first...])
    let stretch = after.prefix { $0 >= times[first] }
    let covered = stretch.count { $0 <= before.max() ?? 0 }
    beginAgain =
      before.count > 1 && stretch.count > 1 && times[first] < times[first - 1]
      && times[first] <= before.min() ?? 0 && 2 * covered > min(before.count, stretch.count)
    areDoubted = beginAgain || repeated > 1 && 3 * repeated >= times.count
  }

  /// Whether a column tells the rows apart: those of each of its values, of which there are several, have times in order.
  func areTold(by cell: (Int) -> String?) -> Bool {
    var last: [String: Double] = [:]
    for (row, minutes) in rows {
      guard let value = cell(row) else { return false }
      if let before = last[value], before >= minutes, before - minutes <= SheetOccasions.halfDay {
        return false
      }
      last[value] = minutes
    }
    return last.count > 1 && last.count * 2 <= rows.count
  }
}
