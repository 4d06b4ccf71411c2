import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles

/// A table of events with times of day, with or without dates, which are converted to hours by the rules for sheets.
struct ClockedEvents {
  /// NONMEM's names of columns of dates; DAT1 has the day first, the order in the others follows from their dates.
  private static let dates = ["date": "date", "dat1": "date_dmy", "dat2": "date"]
  /// The number of rows that are searched for a time of day.
  private static let inspectedRows = 200

  private let table: SheetTable
  private let map: ColumnMap
  private let subject, time, value: Int
  private let doses: [Int]
  private let occasion, date, event: Int?

  /// Finds the columns; nil if one is missing, which the reader of events reports.
  private init?(_ table: SheetTable, _ map: ColumnMap) {
    guard let header = table.rows.first else { return nil }
    let names = header.cells.map { map.name(of: $0).lowercased() }
    let value = names.firstIndex { $0 == "dv" || ConcentrationUnit(rawValue: $0) != nil }
    doses = names.indices.filter { ["amt", "ethanol_g_per_kg"].contains(names[$0]) }
    guard let subject = names.firstIndex(of: "id"), let time = Self.time(in: names), let value,
      !doses.isEmpty
    else { return nil }
    self.table = table
    self.map = map
    self.subject = subject
    self.time = time
    self.value = value
    occasion = names.firstIndex { ["occ", "occasion"].contains($0) }
    date = names.firstIndex { Self.dates[$0] != nil || ColumnMeaning.named($0)?.kind == .date }
    event = names.firstIndex(of: "evid")
  }

  private static func time(in names: [String]) -> Int? {
    names.firstIndex { name in
      name == "time"
        || ColumnMeaning.named(name).map { $0.kind == .time(.row) && $0.form == .dateTime } ?? false
    }
  }

  /// Opens a table of events with times of day; any other table is left unchanged.
  ///
  /// - Throws: ``StudyError`` with all open questions.
  static func open(
    _ input: StudyInput, _ map: ColumnMap, for reader: inout StudyReader
  ) throws(StudyError) {
    guard let file = input.files[.events], hasTimesOfDay(file, map) else { return }
    file.takeDigest()
    guard let events = ClockedEvents(try SheetTable(reading: file), map) else { return }
    let (sheet, statements) = events.sheet
    guard let study = try SheetStudy([sheet], path: file.path, map: statements, sources: [file])
    else { return }
    let converted = events.converted(by: study, file.path)
    converted.columns = events.statements
    var input = input
    input.read(file: converted)
    input.sheet = study.folder.sheet
    let titles = [events.time, events.date].compactMap { $0.map { events.header[$0].headerText } }
    var taken = study.taken.filter { titles.contains($0.column) }
    for index in taken.indices where map.target(of: taken[index].column) == nil {
      taken[index].note = taken[index].note.split(separator: "; ").dropFirst().joined(
        separator: "; ")
    }
    reader.replaceInput(with: input, taken: taken, summary: study.summary)
  }

  /// Whether the first rows have times of day.
  static func hasTimesOfDay(_ file: InputFile, _ map: ColumnMap) -> Bool {
    let reader = CSVTable(file)
    guard let header = try? reader.nextRow(),
      let time = time(in: header.cells.map { map.name(of: $0).lowercased() })
    else { return false }
    for _ in 0..<inspectedRows {
      // A row that cannot be read is reported by the reader of events.
      guard let row = try? reader.nextRow() else { break }
      if row.cells.indices.contains(time), row.cells[time].contains(":") { return true }
    }
    return false
  }

  private var header: [String] { table.rows.first?.cells ?? [] }

  private func isComment(_ row: SheetTable.Row) -> Bool {
    let mark = header.firstIndex { map.name(of: $0).lowercased() == CommentRows.columnName }
    return mark.map { row.text($0).lowercased() == "c" } ?? false
      || row.cells.first.map { $0.hasPrefix("#") || $0.hasPrefix("@") } ?? false
  }

  /// Whether a row is a drink, by the rule of the reader of events.
  private func isDrink(_ row: SheetTable.Row) -> Bool {
    if let event, let number = table.number(row.text(event)) {
      return [1, 4, 101].contains(number)
    }
    return doses.contains { (table.number(row.text($0)) ?? 0) != 0 }
  }

  /// The table as a sheet with subject, time, drink and reading, and the statements about its columns.
  private var sheet: (SheetTable, ColumnMap) {
    var kept = [subject, time, value, doses[0]]
    kept += [occasion, date].compactMap(\.self)
    var sheet = table
    var hasDates = false
    for index in sheet.rows.indices.dropFirst() {
      let row = table.rows[index]
      hasDates = hasDates || ParsedDateTime(row.text(time)) != nil
      for column in row.cells.indices where !kept.contains(column) {
        sheet.rows[index].cells[column] = ""
      }
      guard row.cells.count == header.count, !isComment(row) else {
        sheet.rows[index].cells = []
        continue
      }
      let drinks = isDrink(row)
      // Distinct doses, so that none is taken as one dose filled down the column.
      sheet.rows[index].cells[doses[0]] = drinks ? "\(index)" : ""
      sheet.rows[index].cells[value] = drinks ? "" : "\(max(0, table.number(row.text(value)) ?? 0))"
    }
    for column in header.indices where !kept.contains(column) {
      sheet.rows[0].cells[column] = ""
    }
    func target(_ index: Int, _ usual: String) -> (String, String) {
      let stated = map.target(of: header[index]).flatMap(ColumnMeaning.named)
      let isTime = stated.map { $0.isTime || $0.kind == .date } ?? false
      return (header[index], isTime ? stated?.name ?? usual : usual)
    }
    var statements = [
      (header[subject], "subject"), (header[doses[0]], "ethanol_g"),
      (header[value], ConcentrationUnit.bloodGramsPerKilogram.rawValue),
      hasDates ? target(time, "datetime") : (header[time], "time"),
    ]
    if let occasion { statements.append((header[occasion], "occasion")) }
    if let date {
      let name = map.name(of: header[date]).lowercased()
      statements.append(
        hasDates ? (header[date], "ignore") : target(date, Self.dates[name] ?? name))
    }
    return (sheet, ColumnMap(statements).read(by: map.clocks))
  }

  /// The statements about the columns of the converted table.
  private var statements: ColumnMap {
    var all = [(header: header[time], target: "time")].filter {
      $0.header.lowercased() != $0.target
    }
    if let date { all.append((header[date], "ignore")) }
    return map.merging(ColumnMap(all))
  }

  /// Returns the table with hours instead of times of day, and a column of occasions if somebody has several.
  private func converted(by study: SheetStudy, _ path: String) -> InputFile {
    var resolved: [Int: (minutes: String, occasion: String?)] = [:]
    for person in study.people.all {
      for (name, events) in person.occasions {
        for event in events { resolved[event.row] = (event.minutes, name) }
      }
    }
    let hasOccasions = occasion == nil && resolved.values.contains { $0.occasion != nil }
    let origin = SheetOrigin(
      headerRow: table.rows[0].number,
      titles: (header + (hasOccasions ? ["OCC"] : [])).map { _ in nil })
    var text = CSVText()
    text.appendRow(header + (hasOccasions ? ["OCC"] : []))
    var last: (subject: String, occasion: String) = ("", "")
    for row in table.rows.dropFirst() {
      var cells = row.cells
      if table.mayHaveDecimalComma {
        for column in cells.indices where cells[column].contains(",") {
          cells[column] = table.number(cells[column]).map(\.description) ?? cells[column]
        }
      }
      if cells.count == header.count, !isComment(row) {
        let event = resolved[row.number]
        cells[time] = event.flatMap { Double($0.minutes) }.map { ($0 / 60).description } ?? ""
        if last.subject != row.text(subject) { last = (row.text(subject), "") }
        last.occasion = event?.occasion ?? last.occasion
        if hasOccasions { cells.append(last.occasion) }
      }
      text.appendRow(cells)
      origin.append(row: row.number, columns: Array(1...max(1, cells.count)))
    }
    return InputFile(path: path, bytes: Data(text.bytes), origin: origin)
  }
}
