import StudyData
import StudyFiles

extension SheetStudy {
  /// Asks for the occasions of times that begin again if a column tells the rows apart; refuses them if none does.
  mutating func askForSessions() {
    guard !columns.contains(where: { $0.column(.occasion) != nil }) else { return }
    for index in columns.indices where columns[index].wide.columns.isEmpty {
      var begun: [RepeatedTimes] = []
      for person in people.all {
        let events = person.occasions.flatMap(\.events).filter { !$0.isDrink && $0.table == index }
        if let times = RepeatedTimes(events, of: person.id), times.areDoubted {
          begun.append(times)
        }
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
        let (message, remedy, statements) = RepeatedTimes.question(
          of: first.subject, toldBy: telling.map(\.title))
        questions.add(
          .columnAmbiguous, at: place, message: message, remedy: remedy, statements: statements)
      } else if let other = begun.first(where: \.beginAgain),
        !table.columns.contains(where: { $0.meaning.kind == .unused && $0.note == "as stated" })
      {
        let drunk = table.column(.time(.drink))?.title.quoted
        questions.add(
          .time, at: SourceLocation(file: table.table.file, line: other.doubtedRow),
          message: "the times of subject \(other.subject.quoted) begin again here, "
            + (drunk.map { "where \($0) may be another: they may count from each drink" }
              ?? "and no column tells the rows apart"),
          remedy: (drunk == nil
            ? "" : "of one evening, write all times since its first drink; of several, ")
            + "name each evening in a column Occasion; rows of one evening have to be in order of time"
        )
      }
    }
  }
}

extension SheetStudy {
  /// Where the drinks were put, and which columns tell rows of a subject apart and are not used.
  func makeSummary() -> String {
    var drinks = DrinkPlaces()
    for event in people.events where event.isDrink && !event.isZero {
      if let minutes = Double(event.minutes) { drinks.add(minutes: minutes) }
    }
    let telling = columns.flatMap { table in table.columnsThatTellRowsApart.map(\.title) }.uniqued
    let names = telling.prefix(8).map { $0.excerpt() }.joined(separator: ", ")
    return drinks.text
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

extension RepeatedTimes {
  /// Nil if all times are in order, or are dates.
  fileprivate init?(_ events: [SheetEvent], of subject: String) {
    let rows: [(row: Int, minutes: Double)] = events.compactMap { event in
      guard event.day == nil else { return nil }
      return switch event.moment {
      case .relative(let minutes, _), .clock(let minutes): (event.row, minutes)
      default: nil
      }
    }
    // Minutes may count from midnight, too.
    self.init(rows, of: subject, areOfDay: true)
  }
}
