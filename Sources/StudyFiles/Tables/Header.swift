import AlcoholKinetics
import StudyData

/// A column of a table. A class, so that readers of rows do not copy its name.
package final class Column {
  let index: Int
  /// Its name as the header spells it, without blanks around it.
  let name: String
  let place: Place
  /// What messages call it: its name, and what it is called in the sheet that it was taken from.
  let title: String

  init(index: Int, name: String, place: Place, sheetTitle: String? = nil) {
    self.index = index
    self.name = name
    self.place = place
    title = sheetTitle.map { "\(name.excerpt()) (\($0.quoted))" } ?? name.excerpt()
  }

  var key: String { name.lowercased() }
}

/// The columns of a table, found by name whatever their case and order.
struct Header {
  let columns: [Column]
  /// Those that the map gives another name.
  let mapped: [Column]
  /// What the columns are called in the table.
  private let titles: [String]
  private let line: Int
  private let map: ColumnMap

  /// Reads a table's first row and reports columns that are there twice.
  ///
  /// - Parameter map: What is said of the columns, whatever they are called.
  init(_ row: CSVRow, map: ColumnMap = .empty, log: inout FindingLog) {
    columns = row.places.enumerated().map { index, place in
      let name = row.text(of: index)
      guard let origin = row.origin else {
        return Column(index: index, name: map.name(of: name), place: place)
      }
      return Column(
        index: index, name: map.name(of: name), place: place, sheetTitle: origin.titles[index])
    }
    line = row.firstLine
    self.map = map
    titles = map.isEmpty ? [] : columns.map { row.text(of: $0.index) }
    mapped =
      map.isEmpty ? [] : columns.filter { !$0.name.isEmpty && $0.name != row.text(of: $0.index) }
    reportDuplicates(to: &log)
  }

  /// Whether the map says what a column is.
  func isStated(_ column: Column) -> Bool {
    titles.indices.contains(column.index) && map.target(of: titles[column.index]) != nil
  }

  /// Reports what the map says of columns that the table does not have.
  func reportMapOfNothing(to log: inout FindingLog) {
    for finding in map.findings(notAmong: titles, in: log.file) { log.add(finding) }
  }

  func column(_ name: String) -> Column? {
    columns.first { $0.key == name }
  }

  func column(anyOf names: [String]) -> Column? {
    names.lazy.compactMap(column).first
  }

  func required(_ name: String, log: inout FindingLog) -> Column? {
    let found = column(name.lowercased())
    if found == nil { reportMissing("column \(name)", log: &log) }
    return found
  }

  func reportMissing(
    _ what: String, code: DiagnosticCode = .columnMissing, remedy: String? = nil,
    log: inout FindingLog
  ) {
    let location = SourceLocation(file: log.file, line: line)
    log.add(
      Diagnostic(
        code, at: location, message: "the table has no \(what); it has \(listing)",
        remedy: remedy ?? "add it or correct the header"))
  }

  func reportIgnored(besides known: Set<String>, log: inout FindingLog) {
    let remedy = "correct its name if it is misspelt: \(known.sorted().joined(separator: ", "))"
    for column in columns where !known.contains(column.key) && !map.ignores(column.name) {
      let name = column.name.isEmpty ? "without a name" : column.name.quoted
      log.add(.columnIgnored, at: column.place, "the column \(name) is not used", remedy: remedy)
    }
  }

  private func reportDuplicates(to log: inout FindingLog) {
    var seen: [String: Place] = [:]
    for column in columns where !column.name.isEmpty {
      guard let first = seen.updateValue(column.place, forKey: column.key) else { continue }
      log.add(
        .columnAmbiguous, at: column.place,
        "the column \(column.name.quoted) repeats column \(first.column)",
        remedy: "remove or rename one of them")
    }
  }

  var listing: String {
    columns.filter { !$0.name.isEmpty }.map { $0.name.excerpt() }.joined(separator: ", ").excerpt(
      limit: 200)
  }
}

extension Header {
  /// The one column whose name is a unit; nil, reported, if there is none or several.
  func concentration(log: inout FindingLog) -> Column? {
    let found = columns.filter { $0.unit != nil }
    guard let first = found.first else {
      let units = ConcentrationUnit.allCases.map(\.rawValue).joined(separator: ", ")
      reportMissing(
        "column named after a concentration unit",
        remedy: "name the readings column after its unit, one of \(units)", log: &log)
      return nil
    }
    guard found.count == 1 else {
      reportSeveral(found, log: &log)
      return nil
    }
    return first
  }

  func reportSeveral(_ found: [Column], log: inout FindingLog) {
    let names = found.map(\.name).joined(separator: ", ")
    log.add(
      .columnAmbiguous, at: found[1].place, "the table has several concentration columns: \(names)",
      remedy: "keep one of them, or make a study of each")
  }
}

extension Column {
  var unit: ConcentrationUnit? { ConcentrationUnit(rawValue: key) }
}
