import AlcoholKinetics
import StudyData

/// A column of a table. A class, so that readers of rows do not copy its name.
package final class Column {
  let index: Int
  /// The name as in the header, without surrounding blanks.
  let name: String
  let place: Place
  /// The name in messages, with that of the source column in a sheet.
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

/// The columns of a table, found by name in any order, ignoring case.
struct Header {
  let columns: [Column]
  /// The columns that the column map renames.
  let mapped: [Column]
  private let titles: [String]
  private let line: Int
  private let map: ColumnMap
  /// The header's row, whose log receives the findings.
  private let row: CSVRow

  /// Reads a table's first row and reports duplicate columns.
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
      map.isEmpty
      ? []
      : columns.filter {
        !$0.name.isEmpty && $0.name != titles[$0.index] && !map.isCovariate(titles[$0.index])
      }
    reportDuplicates()
  }

  /// Whether the column map states the meaning of a column.
  func isStated(_ column: Column) -> Bool { map.target(of: titles[column.index]) != nil }

  /// Reports statements of the column map on columns that the table does not have.
  func reportUnmatchedStatements() {
    for finding in map.findings(notAmong: titles, in: row.log.file) { row.log.add(finding) }
  }

  func column(_ name: String) -> Column? {
    columns.first { $0.key == name }
  }

  func column(anyOf names: [String]) -> Column? { names.lazy.compactMap(column).first }

  func required(_ name: String) -> Column? {
    let match = column(name.lowercased())
    if match == nil { reportMissing("column \(name)") }
    return match
  }

  func report(
    _ code: DiagnosticCode, at place: Place?, _ message: String, remedy: String,
    statements: [String] = []
  ) {
    row.log.add(code, at: place, message, remedy: remedy, statements: statements)
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

  var listing: String { columns.map(\.name).filter { !$0.isEmpty }.listing }

  /// Returns the only column whose name is a unit of concentration; nil, reported, if there is none or several.
  func concentration() -> Column? {
    let candidates = columns.filter { $0.unit != nil }
    guard let first = candidates.first else {
      let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      reportMissing(
        "column named after a concentration unit",
        remedy: "name the readings column after its unit, one of \(units)")
      return nil
    }
    guard candidates.count == 1 else {
      reportSeveral(candidates)
      return nil
    }
    return first
  }

  func reportSeveral(_ columns: [Column]) {
    let names = columns.map(\.name).joined(separator: ", ")
    report(
      .columnAmbiguous, at: columns[1].place,
      "the table has several concentration columns: \(names)",
      remedy: "keep one of them, or make a study of each")
  }
}

/// Recognises rows that NONMEM ignores as comments (`IGNORE=C`, `#`, `@`).
package final class CommentRows {
  /// The name of the column that marks such rows.
  package static let columnName = "c"

  private let mark: Column?
  private(set) var count = 0
  private(set) var first: Place?

  init(header: Header) { mark = header.column(Self.columnName) }

  /// Counts a row if it is a comment, and returns whether it is.
  func countIfComment(_ row: CSVRow) -> Bool {
    guard isMarked(row) || beginsAsComment(row) else { return false }
    count += 1
    first = first ?? row.place(of: 0)
    return true
  }

  private func isMarked(_ row: CSVRow) -> Bool {
    guard let mark, mark.index < row.count else { return false }
    let content = row.content(of: mark.index)
    return content.count == 1 && content.first.map { $0 | 0x20 } == UInt8(ascii: "c")
  }

  /// Whether a row begins with # or @; a name that does is written in quotes.
  private func beginsAsComment(_ row: CSVRow) -> Bool {
    guard row.count > 0, !row.isQuoted(0), let first = row.content(of: 0).first else {
      return false
    }
    return first == UInt8(ascii: "#") || first == UInt8(ascii: "@")
  }

  func report(to log: inout FindingLog) {
    guard count > 0 else { return }
    let rows = count == 1 ? "1 row is" : "\(count) rows are"
    log.add(
      .rowsLeftOut, at: first,
      "\(rows) left out, because of a C in the column C, or a leading # or @",
      remedy: "if that is intended, do nothing; otherwise remove the mark, rename the column, or "
        + "put the name in quotes")
  }
}
