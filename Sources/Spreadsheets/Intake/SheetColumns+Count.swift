import StudyData
import StudyFiles

extension SheetColumns {
  /// Takes a column to count drinks if its header says so and it does not count rows; asks about others.
  mutating func takeCount() {
    takeTexts()
    findCount()
    guard let count = column(.count), drinks.count > 1 else { return }
    askForCount(count, "does not say of which drink of the row it is the number")
  }

  /// Whether a header that is a name in one language and a number in another has numbers, and another column names people.
  func isCount(_ column: SheetColumn) -> Bool {
    guard column.header.isCalled("name or count") else { return false }
    let values = values(of: column.index)
    return !values.isEmpty && values.allSatisfy { table.number($0) != nil }
      && header.cells.prefix(200).enumerated().contains { index, cell in
        index != column.index && Self.subjectRank(of: cell, map) != nil
      }
  }

  /// Takes a column "Drinks" whose cells are no numbers to say what was drunk.
  private mutating func takeTexts() {
    guard column(.drink) == nil,
      let column = unknown.first(where: { $0.header.isCalled("drinks") })
    else { return }
    let values = values(of: column.index)
    guard !values.isEmpty, values.allSatisfy({ table.number($0) == nil }) else { return }
    replace(column.index, by: "drink", note: "")
  }

  private mutating func findCount() {
    guard hasDose, column(.count) == nil else { return }
    let unknown = self.unknown
    let possible = unknown.filter { $0.header.isCalled("possible count") }
    let sure = unknown.filter { $0.header.isCalled("count") }
    guard let first = sure.first else {
      for column in possible + unnamedCounts { take(possible: column) }
      return
    }
    for column in possible {
      replace(column.index, by: "ignore", note: "not used: \(first.title.excerpt()) says how many")
    }
    // As "Quantity (ml)".
    if let unit = first.header.unit,
      let dose = ColumnWord.volume.meaning(in: unit) ?? ColumnWord.ethanol.meaning(in: unit),
      column(dose.kind) == nil
    {
      replace(first.index, by: dose.name, note: "unit in the header")
      return
    }
    guard sure.count == 1 else {
      for column in sure { askForCount(column, "is one of several that say how many") }
      return
    }
    let most = values(of: first.index).compactMap(table.number).max()
    if let most, most > DrinkHeader.mostDrinks {
      ask(
        first, choices: ["volume_ml", "volume_cl", "drink_count", "ignore"],
        "goes up to \(most.shown), which is no number of drinks")
    } else if let row = runningNumber(first) {
      askForCount(first, "counts up \(row)")
    } else {
      replace(first.index, by: "drink_count", note: "so many of the drink in the row")
    }
  }

  /// Columns with whole numbers beside drinks alone, in a table that has other rows and describes people in all of them.
  private var unnamedCounts: [SheetColumn] {
    let doses = drinks.flatMap(\.doses).map(\.index)
    let others = rows.filter { row in !row.isEmpty && !doses.contains { row.filled($0) != nil } }
    guard !others.isEmpty, !describesPeopleInFirstRows else { return [] }
    return unknown.filter { column in
      let header = column.header
      guard !header.isCalled("possible count"), header.unit == nil, !header.words.contains("%"),
        ColumnWord.choices(ofUnit: header.words) == nil, measureChoices(column) == nil
      else { return false }
      return values(of: column.index).allSatisfy {
        table.number($0).map { $0 == $0.rounded() } ?? false
      } && others.allSatisfy { $0.filled(column.index) == nil }
    }
  }

  private mutating func take(possible column: SheetColumn) {
    let values = values(of: column.index)
    let numbers = values.compactMap(table.number)
    guard !values.isEmpty else { return }
    if numbers.count == values.count, numbers.allSatisfy({ $0 == 1 }) {
      replace(column.index, by: "ignore", note: "1 in all rows")
    } else if let row = runningNumber(column) {
      replace(column.index, by: "ignore", note: "a running number: it counts up \(row)")
    } else if numbers.count == values.count, numbers.allSatisfy({ $0 <= DrinkHeader.mostDrinks }) {
      askForCount(column, "may say how many of the drink in the row there were")
    }
  }

  private mutating func askForCount(_ column: SheetColumn, _ complaint: String) {
    ask(column, choices: ["drink_count", "ignore"], complaint)
  }

  /// Where the numbers of a column go up by one, in all rows or in those with a dose; nil if they do not.
  private func runningNumber(_ column: SheetColumn) -> String? {
    guard hasSubject else { return nil }
    let doses = drinks.flatMap(\.doses).map(\.index)
    var (all, ofDoses): ([Double], [Double]) = ([], [])
    var bySubject: [String: [Double]] = [:]
    var byDoses: [String: [Double]] = [:]
    for (subject, row) in rowsOfSubjects() {
      guard let text = row.filled(column.index) else { continue }
      guard let number = table.number(text) else { return nil }
      all.append(number)
      bySubject[subject, default: []].append(number)
      guard doses.contains(where: { row.filled($0) != nil }) else { continue }
      ofDoses.append(number)
      byDoses[subject, default: []].append(number)
    }
    if Self.goesUp([all]) || Self.goesUp([ofDoses]) { return "from row to row" }
    if Self.goesUp(Array(bySubject.values)) || Self.goesUp(Array(byDoses.values)) {
      return "from row to row of a subject"
    }
    return nil
  }

  /// Whether numbers count from 1 or another whole number up, in each of the lists.
  private static func goesUp(_ lists: [[Double]]) -> Bool {
    lists.contains { $0.count > 1 }
      && lists.allSatisfy { list in
        (list.first == 1
          || lists.count == 1 && list.count > 2 && list.first == list.first?.rounded())
          && zip(list, list.dropFirst()).allSatisfy { $1 - $0 == 1 }
      }
  }
}
