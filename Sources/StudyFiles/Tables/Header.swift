import AlcoholKinetics
import StudyData

/// A column of a table. A class, so that readers of rows do not copy its name.
package final class Column {
  let index: Int
  /// Its name as the header spells it, without blanks around it.
  let name: String
  let place: Place
  /// The name in messages, with that in the sheet that it was taken from.
  let title: String

  init(index: Int, name: String, place: Place, sheetTitle: String?) {
    self.index = index
    self.name = name
    self.place = place
    title = sheetTitle.map { "\(name.excerpt()) (\($0.quoted))" } ?? name.excerpt()
  }

  var key: String { name.lowercased() }
  var unit: ConcentrationUnit? { ConcentrationUnit(rawValue: key) }
}

/// The columns of a table, found by name whatever their case and order.
struct Header {
  let columns: [Column]
  /// Those that the map gives another name.
  let mapped: [Column]
  private let titles: [String]
  private let line: Int
  private let map: ColumnMap
  /// The row that it was read from, whose log takes the findings.
  private let row: CSVRow

  /// Reads a table's first row and reports columns that are there twice.
  init(_ row: CSVRow, map: ColumnMap = .empty) {
    self.row = row
    self.map = map
    line = row.firstLine
    let titles = row.texts
    self.titles = titles
    columns = row.places.enumerated().map { index, place in
      Column(
        index: index, name: map.name(of: titles[index]), place: place,
        sheetTitle: row.origin?.titles[index])
    }
    mapped =
      map.isEmpty ? [] : columns.filter { !$0.name.isEmpty && $0.name != titles[$0.index] }
    reportDuplicates()
  }

  /// Whether the map says what a column is.
  func isStated(_ column: Column) -> Bool { map.target(of: titles[column.index]) != nil }

  /// Reports what the map says of columns that the table does not have.
  func reportMapOfNothing() {
    for finding in map.findings(notAmong: titles, in: row.log.file) { row.log.add(finding) }
  }

  func column(_ name: String) -> Column? {
    columns.first { $0.key == name }
  }

  func column(anyOf names: [String]) -> Column? { names.lazy.compactMap(column).first }

  func required(_ name: String) -> Column? {
    let found = column(name.lowercased())
    if found == nil { reportMissing("column \(name)") }
    return found
  }

  func report(_ code: DiagnosticCode, at place: Place?, _ message: String, remedy: String) {
    row.log.add(code, at: place, message, remedy: remedy)
  }

  func reportMissing(
    _ what: String, code: DiagnosticCode = .columnMissing,
    remedy: String = "add it or correct the header"
  ) {
    row.log.add(
      Diagnostic(
        code, at: SourceLocation(file: row.log.file, line: line),
        message: "the table has no \(what); it has \(listing)", remedy: remedy))
  }

  /// Asks which column is what the table lacks.
  func ask(_ code: DiagnosticCode, _ message: String, remedy: String, statements: [String]) {
    var finding = row.log.finding(code, at: nil, message, remedy: remedy)
    finding.statements = statements
    row.log.add(finding)
  }

  func reportIgnored(besides known: Set<String>) {
    let remedy = "correct its name if it is misspelt: \(known.sorted().joined(separator: ", "))"
    for column in columns where !known.contains(column.key) && !map.ignores(column.name) {
      let name = column.name.isEmpty ? "without a name" : column.name.quoted
      report(.columnIgnored, at: column.place, "the column \(name) is not used", remedy: remedy)
    }
  }

  private func reportDuplicates() {
    var seen: [String: Place] = [:]
    for column in columns where !column.name.isEmpty {
      guard let first = seen.updateValue(column.place, forKey: column.key) else { continue }
      report(
        .columnAmbiguous, at: column.place,
        "the column \(column.name.quoted) repeats column \(first.column)",
        remedy: "remove or rename one of them")
    }
  }

  var listing: String {
    columns.filter { !$0.name.isEmpty }.map { $0.name.excerpt() }.joined(separator: ", ")
      .excerpt(limit: 200)
  }

  /// The one column whose name is a unit; nil, reported, if there is none or several.
  func concentration() -> Column? {
    let found = columns.filter { $0.unit != nil }
    guard let first = found.first else {
      let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      reportMissing(
        "column named after a concentration unit",
        remedy: "name the readings column after its unit, one of \(units)")
      return nil
    }
    guard found.count == 1 else {
      reportSeveral(found)
      return nil
    }
    return first
  }

  func reportSeveral(_ found: [Column]) {
    let names = found.map(\.name).joined(separator: ", ")
    report(
      .columnAmbiguous, at: found[1].place, "the table has several concentration columns: \(names)",
      remedy: "keep one of them, or make a study of each")
  }
}
